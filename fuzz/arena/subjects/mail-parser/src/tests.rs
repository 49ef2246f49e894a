//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;
#[path = "../../../harness/verdicts.rs"]
mod verdicts;

use crate::{GRAMMAR, run};
use verdicts::judged;

/// Sentences that are refused: the first colon ends the name of a group.
const REFUSED: &[&str] = &["ipv6_ipv4_literal", "ipv6_literal"];
/// What is no sentence, and is accepted: the crate looks for addresses, and refuses nothing.
const ACCEPTED: &[&str] = &[
    "colon_in_name",
    "domain_dot_first",
    "domain_dot_last",
    "dot_before_name",
    "dot_first",
    "dot_last",
    "empty_group_member",
    "fold_without_space",
    "group_unclosed",
    "ipv4_short",
    "ipv4_too_large",
    "label_hyphen_first",
    "label_hyphen_last",
    "line_break",
    "name_behind_address",
    "nested_groups",
    "no_domain",
    "no_local_part",
    "non_ascii_escape",
    "route_not_in_angles",
    "route_without_colon",
    "semicolon_between",
    "space_in_local_part",
    "two_ats",
    "two_dots",
    "unclosed_angle",
    "underscore_in_domain",
];

#[test]
fn snippets_are_judged_as_the_grammar_does_but_for_these() {
    assert_eq!(judged("email", "accepted", false, run), REFUSED);
    assert_eq!(judged("email", "rejected", true, run), ACCEPTED);
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 90, "{accepted} accepted");
}
