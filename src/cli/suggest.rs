//! "Did you mean …?": the known word that is nearest to one that nobody knows.
//!
//! Near means few insertions, deletions, replacements and swaps of neighbors: one in three characters at most, and letter case does not matter.

use strsim::osa_distance;

/// The nearest of the known words, the first of several, if one is near enough.
pub(super) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let limit = (word.chars().count() / 3).clamp(1, 3);
    let near = known
        .into_iter()
        .filter(|_| !word.is_empty())
        .map(|it| (osa_distance(&word, &it.to_lowercase()), it));
    let near = near.filter(|&(distance, _)| distance <= limit);
    near.min_by_key(|&(distance, _)| distance).map(|(_, it)| it)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_word_is_near_if_most_of_it_is_right() {
        let known = ["json", "json5", "javascript", "xml", "toml", "sql"];
        let table = [
            ("jsno", Some("json")),
            ("jason", Some("json")),
            ("JSON", Some("json")),
            ("javscript", Some("javascript")),
            ("tmol", Some("toml")),
            ("xm", Some("xml")),
            ("yaml", None),
            ("python", None),
            ("", None),
        ];
        for (word, expected) in table {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }
}
