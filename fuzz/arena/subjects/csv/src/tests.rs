//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;

use crate::{GRAMMAR, run};

#[test]
fn accepted_snippets_are_accepted() {
    for (path, text) in check::snippets("csv", "accepted") {
        assert!(run(&text), "{}", path.display());
    }
}

#[test]
fn rejected_snippets_run() {
    for (_, text) in check::snippets("csv", "rejected") {
        run(&text);
    }
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 95, "{accepted} accepted");
}
