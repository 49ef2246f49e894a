//! The subject on the grammar's snippets and on sentences.

#[path = "../../../harness/check.rs"]
mod check;

use crate::{GRAMMAR, run};

/// A number beyond the range of a double and half a surrogate pair have no value.
const WITHOUT: &[&str] = &["number_out_of_range.json", "string_lone_surrogate.json"];

#[test]
fn accepted_snippets_are_accepted_but_for_those_without_a_meaning() {
    let refused = check::snippets("json", "accepted")
        .into_iter()
        .filter(|(_, text)| !run(text))
        .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned());
    assert_eq!(refused.collect::<Vec<_>>(), WITHOUT);
}

#[test]
fn rejected_snippets_are_refused() {
    for (path, text) in check::snippets("json", "rejected") {
        assert!(!run(&text), "{}", path.display());
    }
}

#[test]
fn sentences_run() {
    let texts = check::sentences(GRAMMAR, 1, 300);
    let accepted = check::accepted(run, &texts);
    assert!(accepted * 100 >= texts.len() * 50, "{accepted} accepted");
}
