//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;

use crate::{GRAMMAR, run};

/// Sentences that are refused.
const REFUSED: &[&str] = &[];
/// What is no sentence, and is accepted: the crate leaves to its caller what the fields mean.
const ACCEPTED: &[&str] = &[
    "bad_percent",
    "body_without_length",
    "chunked_not_last",
    "connect_path",
    "fragment",
    "get_asterisk",
    "length_and_chunked",
    "lf_only",
    "long_body",
    "negative_length",
    "no_host",
    "relative_target",
    "short_body",
    "two_hosts",
    "weight_above_one",
];

/// Names of snippets with this verdict.
fn judged(kind: &str, verdict: bool) -> Vec<String> {
    check::snippets("http", kind)
        .into_iter()
        .filter(|(_, text)| run(text) == verdict)
        .map(|(path, _)| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn snippets_are_judged_as_the_grammar_does_but_for_these() {
    assert_eq!(judged("accepted", false), REFUSED);
    assert_eq!(judged("rejected", true), ACCEPTED);
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 99, "{accepted} accepted");
}
