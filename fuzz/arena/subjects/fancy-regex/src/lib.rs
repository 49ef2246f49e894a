//! `fancy-regex`: searches by all ways find the same, groups lie where the text is, and replacing and splitting go by the
//! matches.
//!
//! A pattern's length, what it compiles to and the steps of a search are bounded, so that a run takes some microseconds
//! rather than milliseconds.

use fancy_regex::{Captures, CompileError, Error, Expr, Match, Regex, RegexBuilder};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/fancy_regex/fancy_regex.ebnf");

/// The longest pattern that is tried.
const MAX_PATTERN: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 12
};
/// The most that compiling may cost.
const MAX_COST: usize = 8;
/// How many times more a class costs where case does not matter.
const FOLDING: usize = 100;
/// What stands in a pattern for many characters. Such a class takes some ten microseconds, since it is a list of hundreds
/// of ranges, and milliseconds where case does not matter, since each of its characters is looked up.
const WIDE: [&str; 12] = [
    "\\p",
    "\\P",
    "\\w",
    "\\W",
    "\\D",
    "\\S",
    "\\H",
    "[^",
    "[:^",
    "龥",
    "\u{10ffff}",
    "10FFFF}",
];
/// The most bytes of the parts that another engine matches, each.
const DELEGATE_SIZE_LIMIT: usize = 1 << 15;
/// The most instructions of a compiled pattern.
const MAX_PROGRAM: usize = 1 << 10;
/// The most steps back in a search.
const BACKTRACK_LIMIT: usize = 1 << 10;
/// The most matches in a haystack that are looked at.
const MAX_MATCHES: usize = 8;
/// The most bytes of a haystack that is taken from the pattern.
const MAX_HAYSTACK: usize = 32;

/// What patterns are matched on, besides their own text.
const HAYSTACKS: [&str; 2] = ["", "aabAB1122_ zß-\r\nκΣς Ж\u{1F600}9"];

/// Reads `text` as a pattern and uses it. True if the pattern is right.
pub fn run(text: &[u8]) -> bool {
    let Ok(pattern) = std::str::from_utf8(text) else {
        return false;
    };
    if pattern.len() > MAX_PATTERN {
        return false;
    }
    if cost(pattern) > MAX_COST {
        return Expr::parse_tree(pattern).is_ok();
    }
    let regex = match RegexBuilder::new(pattern)
        .backtrack_limit(BACKTRACK_LIMIT)
        .delegate_size_limit(DELEGATE_SIZE_LIMIT)
        .delegate_dfa_size_limit(DELEGATE_SIZE_LIMIT)
        .max_prog_size(MAX_PROGRAM)
        .build()
    {
        Ok(regex) => regex,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return too_large(&error);
        }
    };
    assert_eq!(regex.as_str(), pattern);
    assert_eq!(regex.capture_names().count(), regex.captures_len());

    // With fancy-regex 0.20.0 a match may begin before the last one ended where `\K` stands in a look-behind. Then iteration
    // never ends, and splitting and replacing panic: `(?<=\Ka)|a` on `aab`.
    if pattern.contains("\\K") && (pattern.contains("(?<=") || pattern.contains("(?<!")) {
        return true;
    }
    let own = &pattern[..pattern.floor_char_boundary(MAX_HAYSTACK)];
    for haystack in HAYSTACKS.into_iter().chain([own]) {
        search(&regex, haystack);
    }
    true
}

/// The number of wide classes, each counted for [`FOLDING`] if the pattern has the flag `i` anywhere.
fn cost(pattern: &str) -> usize {
    let wide: usize = WIDE
        .iter()
        .map(|class| pattern.matches(class).count())
        .sum();
    let folds = pattern.split("(?").skip(1).any(|group| {
        group
            .split([')', ':', '-', '<'])
            .next()
            .is_some_and(|flags| flags.contains('i'))
    });
    wide * if folds { FOLDING } else { 1 }
}

/// Whether a pattern is right as such, and only its size is refused.
fn too_large(error: &Error) -> bool {
    let Error::CompileError(error) = error else {
        return false;
    };
    match &**error {
        CompileError::InnerError(error) => error.size_limit().is_some(),
        CompileError::DfaBuildError(..) | CompileError::PatternTooComplex => true,
        _ => false,
    }
}

/// Searches `haystack` in all ways. An error of a search means that it took too long.
fn search(regex: &Regex, haystack: &str) {
    let found = regex.find(haystack);
    if let (Ok(matches), Ok(found)) = (regex.is_match(haystack), &found) {
        assert_eq!(matches, found.is_some(), "there is no match, or there is");
    }
    if let (Ok(found), Ok(captures)) = (&found, regex.captures(haystack)) {
        let whole = captures.as_ref().and_then(|captures| captures.get(0));
        assert_eq!(
            whole.as_ref().map(Match::range),
            found.as_ref().map(Match::range),
            "captures lie elsewhere"
        );
        if let Some(captures) = captures {
            check_groups(regex, &captures, haystack);
        }
    }

    let mut pieces = 0;
    let mut end = 0;
    for found in regex.find_iter(haystack).take(MAX_MATCHES) {
        let Ok(found) = found else {
            return;
        };
        assert!(found.start() <= found.end() && found.end() <= haystack.len());
        end = found.end();
        pieces += 1;
    }
    if pieces < MAX_MATCHES && end <= haystack.len() {
        let replaced = regex.try_replacen(haystack, MAX_MATCHES, "<$0|${1}>");
        let kept = regex.try_replacen(haystack, MAX_MATCHES, "$0");
        if let (Ok(replaced), Ok(kept)) = (replaced, kept) {
            assert_eq!(
                kept, haystack,
                "replacing a match by itself changed the text"
            );
            assert!(
                pieces == 0 || replaced.len() >= 3 * pieces,
                "a match was not replaced"
            );
        }
    }
    for piece in regex.splitn(haystack, MAX_MATCHES) {
        if piece.is_err() {
            break;
        }
    }
}

/// Groups are parts of the haystack, by number and by name.
fn check_groups(regex: &Regex, captures: &Captures<str>, haystack: &str) {
    assert_eq!(captures.len(), regex.captures_len());
    for (index, group) in captures.iter().enumerate() {
        assert_eq!(group, captures.get(index));
        if let Some(group) = group {
            assert_eq!(&haystack[group.range()], group.as_str());
        }
    }
    for name in regex.capture_names().flatten() {
        let _ = captures.name(name);
    }
    let mut expanded = String::new();
    captures.expand("$0-$1-${a}-$$", &mut expanded);
    assert!(expanded.ends_with("-$"));
}

#[cfg(test)]
mod tests;
