//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;
#[path = "../../../harness/verdicts.rs"]
mod verdicts;

use crate::{GRAMMAR, run};
use verdicts::judged;

/// Sentences that are refused, all of the open part.
const REFUSED: &[&str] = &[
    "back_reference_to_later",
    "back_reference_to_nothing",
    "name_before_group",
    "name_unknown",
    "property_unknown",
    "range_out_of_order",
    "repetition_of_repetition",
];

#[test]
fn snippets_are_judged_as_the_grammar_does_but_for_these() {
    assert_eq!(judged("fancy_regex", "accepted", false, run), REFUSED);
    assert_eq!(judged("fancy_regex", "rejected", true, run), [""; 0]);
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 95, "{accepted} accepted");
}
