//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;

use crate::{GRAMMAR, run};

#[test]
fn accepted_snippets_are_accepted() {
    for (path, text) in check::snippets("lua", "accepted") {
        // piccolo 0.3.3 does not have them.
        if path.ends_with("attributes.lua") || path.ends_with("shebang.lua") {
            continue;
        }
        assert!(run(&text), "{}", path.display());
    }
}

#[test]
fn rejected_snippets_are_refused() {
    for (path, text) in check::snippets("lua", "rejected") {
        assert!(!run(&text), "{}", path.display());
    }
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 98, "{accepted} accepted");
}
