//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;

use crate::{GRAMMAR, run};

/// Addresses of a future version, which RFC 3986 has and the program does not know.
const WITHOUT: &[&str] = &["ipvfuture.txt", "ipvfuture_upper_case.txt"];

#[test]
fn accepted_snippets_are_accepted_but_for_those_without_a_meaning() {
    let refused = check::snippets("url", "accepted")
        .into_iter()
        .filter(|(_, text)| !run(text))
        .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned());
    assert_eq!(refused.collect::<Vec<_>>(), WITHOUT);
}

#[test]
fn rejected_snippets_run() {
    for (_, text) in check::snippets("url", "rejected") {
        run(&text);
    }
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 50, "{accepted} accepted");
}
