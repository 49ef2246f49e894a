//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;

use crate::{GRAMMAR, run};

#[test]
fn accepted_snippets_are_accepted() {
    for (path, text) in check::snippets("markdown", "accepted") {
        assert!(run(&text), "{}", path.display());
    }
}

#[test]
fn every_snippet_in_utf8_is_accepted() {
    for (path, text) in check::snippets("markdown", "rejected") {
        let is_text = std::str::from_utf8(&text).is_ok();
        assert_eq!(run(&text), is_text, "{}", path.display());
    }
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    assert_eq!(check::accepted(run, &texts), texts.len());
}
