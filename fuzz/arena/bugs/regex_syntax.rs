//! What both old versions of `regex-syntax` are run with: a pattern is parsed, translated to its high-level representation, and
//! that is printed.
//!
//! Messages of errors are not printed: the formatter of some old versions panics on patterns that end in a line break
//! (rust-lang/regex#464), which sentences do not reach.

use regex_syntax::ParserBuilder;

/// The longest pattern that is tried.
const MAX_PATTERN: usize = 256;

/// The deepest nesting of a pattern; the default is 250.
const NEST_LIMIT: u32 = 100;

/// Translates `text` and prints what comes out. True if the pattern is right.
pub fn run(text: &[u8]) -> bool {
    let Ok(pattern) = std::str::from_utf8(text) else {
        return false;
    };
    // Classes fold their case character by character: a quarter of a second for a few that cover most of Unicode.
    let wide = ["\\P", "\\D", "\\S", "\\W", "[^", "[:^", "10FFFF"];
    let folds = pattern.contains("(?i") && wide.iter().any(|it| pattern.contains(it));
    if folds || pattern.len() > MAX_PATTERN {
        return false;
    }
    let mut builder = ParserBuilder::new();
    let Ok(hir) = builder.nest_limit(NEST_LIMIT).build().parse(pattern) else {
        return false;
    };
    assert!(
        hir.to_string().is_empty() <= hir.is_match_empty(),
        "an empty pattern that does not match nothing"
    );
    true
}
