//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;
#[path = "../../../harness/verdicts.rs"]
mod verdicts;

use crate::{GRAMMAR, run};
use verdicts::judged;

/// Sentences that are refused.
const REFUSED: &[&str] = &[];
/// What is no sentence, and is accepted: the crate leaves to its caller what the fields mean.
const ACCEPTED: &[&str] = &["chunked_not_last", "white_space_before_extension_end"];

#[test]
fn snippets_are_judged_as_the_grammar_does_but_for_these() {
    assert_eq!(judged("http", "accepted", false, run), REFUSED);
    assert_eq!(judged("http", "rejected", true, run), ACCEPTED);
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 99, "{accepted} accepted");
}
