//! What is left out because of known defects.

/// Whether there is a string that may be printed as another one, or a number that is printed as none.
///
/// graphql-parser 0.4.1 prints floating-point numbers without exponent and fraction, so that it refuses them as too large:
/// `{a(b:1e20)}`.
pub fn is_misprinted(text: &str, formatted: &str) -> bool {
    const MOST_DIGITS: usize = 18;
    let mut digits = 0;
    let has_long_number = formatted.bytes().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits > MOST_DIGITS
    });
    let has_zero = ["-0.", "-0e", "-0E"].iter().any(|zero| text.contains(zero));
    let has_escape = text
        .as_bytes()
        .windows(2)
        .any(|two| two[0] == b'\\' && !b"\"\\/t".contains(&two[1]));
    has_long_number || has_zero || formatted.contains("inf") || has_escape
}
