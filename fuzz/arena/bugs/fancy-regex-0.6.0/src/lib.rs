//! `fancy-regex` 0.6.0: a pattern is compiled and matched.

use fancy_regex::RegexBuilder;

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../fancy_regex.ebnf");

/// The longest pattern that is tried.
const MAX_PATTERN: usize = 256;
/// The most `(` and `[` of a pattern, as the parser recurses into groups.
const MAX_OPEN: usize = 200;
/// How often a match may backtrack; the default is a million.
const BACKTRACK_LIMIT: usize = 500;
/// The most bytes that a part without references and look-around compiles to.
const SIZE_LIMIT: usize = 1 << 15;

/// What patterns are matched on.
const HAYSTACKS: [&str; 3] = ["", "babab", "aA0_ zß-\né日x"];

/// Compiles `text` and matches it. True if the pattern is right.
pub fn run(text: &[u8]) -> bool {
    let Ok(pattern) = std::str::from_utf8(text) else {
        return false;
    };
    let open = text.iter().filter(|&&byte| matches!(byte, b'(' | b'['));
    if pattern.len() > MAX_PATTERN || open.count() > MAX_OPEN {
        return false;
    }
    let mut builder = RegexBuilder::new(pattern);
    let builder = builder
        .backtrack_limit(BACKTRACK_LIMIT)
        .delegate_size_limit(SIZE_LIMIT);
    let regex = match builder.build() {
        Ok(regex) => regex,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    for haystack in HAYSTACKS {
        // An error is a match that takes too long.
        let Ok(found) = regex.is_match(haystack) else {
            continue;
        };
        if let Ok(captures) = regex.captures(haystack) {
            assert_eq!(captures.is_some(), found, "a match without captures");
            let whole = captures.as_ref().and_then(|captures| captures.get(0));
            assert_eq!(whole.is_some(), found, "captures without a match");
        }
    }
    true
}

#[cfg(test)]
#[path = "../../known.rs"]
mod known;

#[cfg(test)]
mod tests {
    use super::known::Known;

    #[test]
    fn the_public_inputs_panic() {
        Known::load(crate::run, crate::GRAMMAR).inputs_panic();
    }

    #[test]
    fn the_public_inputs_are_sentences() {
        Known::load(crate::run, crate::GRAMMAR).inputs_are_sentences(&[]);
    }

    #[test]
    fn sentences_are_accepted_or_show_known_bugs() {
        Known::load(crate::run, crate::GRAMMAR).sentences(300);
    }
}
