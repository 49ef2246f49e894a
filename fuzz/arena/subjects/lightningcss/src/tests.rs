//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;

use crate::{GRAMMAR, known, run};

#[test]
fn accepted_snippets_are_accepted() {
    for (path, text) in check::snippets("css", "accepted") {
        // Two sums are added.
        let known = path.ends_with("calculations.css");
        assert_eq!(run(&text), !known, "{}", path.display());
    }
}

#[test]
fn rejected_snippets_are_refused() {
    for (path, text) in check::snippets("css", "rejected") {
        assert!(!run(&text), "{}", path.display());
    }
}

#[test]
fn sums_of_sums_are_known() {
    for (value, expected) in [
        ("calc(1em + 1vh + (1px + 1vw))", true),
        ("calc(2 * (1px + 1vw) - 3 * (1px + 1em))", true),
        ("calc(1em + calc(1px + 1vw))", true),
        ("calc(1em + min(1px + 1vw, 2px))", false),
        ("calc(1em + 2vw * (1 + 2))", false),
        ("calc((1em + 1vh) * 2)", false),
    ] {
        assert_eq!(known::adds_sums(value), expected, "{value}");
    }
    assert!(!known::adds_sums(
        ":nth-child(2n + 1):is(a + b:nth-child(3n + 1))"
    ));
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 90, "{accepted} accepted");
}
