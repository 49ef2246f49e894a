//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;

use crate::{GRAMMAR, run};

#[test]
fn accepted_snippets_are_accepted() {
    for (path, text) in check::snippets("xml", "accepted") {
        assert!(run(&text), "{}", path.display());
    }
}

#[test]
fn rejected_snippets_are_refused() {
    for (path, text) in check::snippets("xml", "rejected") {
        assert!(!run(&text), "{}", path.display());
    }
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 95, "{accepted} accepted");
}

#[test]
fn a_prefix_without_a_namespace_is_no_failure() {
    assert!(run(br#"<p:s xmlns:p="" xmlns="u">I</p:s>"#));
}

#[test]
fn what_the_crate_does_not_refuse_is_no_failure() {
    for text in [
        "<a xmlns='x' xmlns='y' xmlns=''/>",
        "<n xml:n='w' n=''/>",
        "<!DOCTYPE a [<!ENTITY t '\0'>]><a b='&t;'/>",
    ] {
        assert!(run(text.as_bytes()), "{text:?}");
    }
}
