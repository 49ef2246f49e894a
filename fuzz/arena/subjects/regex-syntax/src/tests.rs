//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;
#[path = "../../../harness/verdicts.rs"]
mod verdicts;

use crate::{GRAMMAR, run};
use verdicts::judged;

/// Sentences that are refused, all of the open part.
const REFUSED: &[&str] = &[
    "counts_out_of_order",
    "flag_twice",
    "property_unknown",
    "range_out_of_order",
];

#[test]
fn snippets_are_judged_as_the_grammar_does_but_for_these() {
    assert_eq!(judged("regex", "accepted", false, run), REFUSED);
    assert_eq!(judged("regex", "rejected", true, run), [""; 0]);
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 95, "{accepted} accepted");
}
