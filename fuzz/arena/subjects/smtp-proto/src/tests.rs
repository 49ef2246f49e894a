//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;
#[path = "../../../harness/verdicts.rs"]
mod verdicts;

use crate::{GRAMMAR, run};
use verdicts::judged;

/// Sentences that are refused: a domain has to be a name.
const REFUSED: &[&str] = &["address_literals"];
/// What is no sentence, and is accepted: the crate reads one request at a time, and leaves their order to its caller.
const ACCEPTED: &[&str] = &[
    "auth_after_helo",
    "auth_in_mail",
    "base64_not_padded",
    "binary_mime_in_data",
    "burl_and_data",
    "chunk_and_data",
    "chunks_after_helo",
    "data_first",
    "data_without_recipient",
    "doubled_parameter",
    "line_feeds_only",
    "mail_left_open",
    "nested_mail",
    "no_greeting",
    "no_last_chunk",
    "notify_never_and_delay",
    "null_forward_path",
    "parameters_after_helo",
    "priority_too_high",
    "quit_only",
    "recipient_without_mail",
    "return_by_now",
    "route_without_mailbox",
    "space_before_path",
    "starttls_after_helo",
    "starttls_without_greeting",
    "two_auths",
    "unknown_mechanism",
    "unstuffed_dot",
    "utf8_without_parameter",
];

#[test]
fn snippets_are_judged_as_the_grammar_does_but_for_these() {
    assert_eq!(judged("dialogue", "accepted", false, run), REFUSED);
    assert_eq!(judged("dialogue", "rejected", true, run), ACCEPTED);
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 80, "{accepted} accepted");
}
