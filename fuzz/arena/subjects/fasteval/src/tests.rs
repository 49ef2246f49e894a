//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;
#[path = "../../../harness/verdicts.rs"]
mod verdicts;

use crate::{GRAMMAR, run};
use verdicts::judged;

/// Sentences that are refused: names have to be known.
const REFUSED: &[&str] = &["own_names"];
/// What is no sentence, and is accepted.
const ACCEPTED: &[&str] = &["leading_zero"];

#[test]
fn snippets_are_judged_as_the_grammar_does_but_for_these() {
    assert_eq!(judged("arithmetic", "accepted", false, run), REFUSED);
    assert_eq!(judged("arithmetic", "rejected", true, run), ACCEPTED);
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 98, "{accepted} accepted");
}
