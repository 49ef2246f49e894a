//! What the tests of subjects share that judge some snippets otherwise than the grammar does.

use super::check;

/// The names of a grammar's snippets, `accepted` or `rejected`, with this verdict of a subject.
pub fn judged(grammar: &str, kind: &str, verdict: bool, run: fn(&[u8]) -> bool) -> Vec<String> {
    check::snippets(grammar, kind)
        .into_iter()
        .filter(|(_, text)| run(text) == verdict)
        .map(|(path, _)| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}
