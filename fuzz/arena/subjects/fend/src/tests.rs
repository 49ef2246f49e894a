//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;

use crate::{GRAMMAR, run};

/// One calculation goes on until the checks run out, and one would take too long and is left out.
const WITHOUT: &[&str] = &["combinator.txt", "factorial_power.txt"];

#[test]
fn accepted_snippets_are_accepted_but_for_those_without_a_meaning() {
    let refused = check::snippets("fend", "accepted")
        .into_iter()
        .filter(|(_, text)| !run(text))
        .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned());
    assert_eq!(refused.collect::<Vec<_>>(), WITHOUT);
}

#[test]
fn rejected_snippets_run() {
    for (_, text) in check::snippets("fend", "rejected") {
        run(&text);
    }
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 15, "{accepted} accepted");
}
