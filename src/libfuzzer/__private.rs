//! What the macros' expansions call. None of it is for anybody else.

use pleach_core::grammar::Grammar;
use pleach_core::semantics::{AnySemantics, Semantics};

pub use super::goal::Goal;

/// What the body of a target can take.
#[diagnostic::on_unimplemented(
    message = "the body of `fuzz!` cannot take the text as a `{Self}`",
    label = "write `&[u8]`, `&str`, `Vec<u8>` or `String`"
)]
pub trait FromText<'a>: Sized {
    /// The text as the body takes it, if it is one.
    fn from_text(text: &'a [u8]) -> Option<Self>;
}

impl<'a> FromText<'a> for &'a [u8] {
    fn from_text(text: &'a [u8]) -> Option<&'a [u8]> {
        Some(text)
    }
}

impl<'a> FromText<'a> for &'a str {
    fn from_text(text: &'a [u8]) -> Option<&'a str> {
        std::str::from_utf8(text).ok()
    }
}

impl FromText<'_> for Vec<u8> {
    fn from_text(text: &[u8]) -> Option<Vec<u8>> {
        Some(text.to_vec())
    }
}

impl FromText<'_> for String {
    fn from_text(text: &[u8]) -> Option<String> {
        std::str::from_utf8(text).ok().map(str::to_owned)
    }
}

/// Calls a body, unless the text is none that it can take.
#[inline]
pub fn call<'a, T: FromText<'a>, R>(text: &'a [u8], body: impl FnOnce(T) -> R) -> Option<R> {
    T::from_text(text).map(body)
}

/// Whether a target can read a grammar with a name like this: another notation has an extension of its own.
pub const fn is_readable(path: &str) -> bool {
    let mut at = 0;
    while at < FOREIGN.len() {
        if ends_with(path.as_bytes(), FOREIGN[at].as_bytes()) {
            return false;
        }
        at += 1;
    }
    true
}

/// The extensions of other notations, in small letters.
const FOREIGN: [&str; 7] = [".abnf", ".bnf", ".g4", ".json", ".pest", ".tribble", ".w3c"];

const fn ends_with(name: &[u8], extension: &[u8]) -> bool {
    let mut left = extension.len();
    if name.len() < left {
        return false;
    }
    let from = name.len() - left;
    while left > 0 {
        left -= 1;
        if name[from + left].to_ascii_lowercase() != extension[left] {
            return false;
        }
    }
    true
}

/// Makes the hooks of a target.
pub fn hooks<S: Default + 'static, E: std::fmt::Display>(
    made: Result<Semantics<S>, E>,
) -> Result<AnySemantics, String> {
    made.map(AnySemantics::from)
        .map_err(|error| error.to_string())
}

/// Reads a grammar that was built into the target.
pub fn parse(text: &[u8], path: &str) -> Result<Grammar, String> {
    Grammar::parse(text).map_err(|error| {
        let error = error.with_path(path);
        format!("{error}\nhelp: `pleach check {path}` shows the line")
    })
}

/// Whether this build reads compiled grammars and models.
pub const READS_COMPILED: bool = cfg!(feature = "compiled");

/// Reads a compiled grammar that was built into the target.
#[cfg(feature = "compiled")]
pub fn load(bytes: &[u8], path: &str) -> Result<Grammar, String> {
    Grammar::from_bytes(bytes).map_err(|error| format!("{path}: {error}"))
}

/// Refuses a compiled grammar. A target of one does not build, so nobody calls this.
#[cfg(not(feature = "compiled"))]
pub fn load(_: &[u8], path: &str) -> Result<Grammar, String> {
    Err(format!(
        "{path}: compiled grammars take the feature `compiled` of pleach"
    ))
}

#[cfg(test)]
mod tests {
    use super::{call, is_readable};

    #[test]
    fn bodies_take_texts_as_they_like() {
        assert_eq!(call(b"ab", |text: &[u8]| text.len()), Some(2));
        assert_eq!(call(b"ab", |text: &str| text.len()), Some(2));
        assert_eq!(call(b"ab", |text: Vec<u8>| text.len()), Some(2));
        assert_eq!(call(b"ab", |text: String| text.len()), Some(2));
        assert_eq!(call(b"\xff", |text: &[u8]| text.len()), Some(1));
        assert_eq!(call(b"\xff", |text: &str| text.len()), None);
        assert_eq!(call(b"\xff", |text: String| text.len()), None);
    }

    #[test]
    fn grammars_of_other_notations_are_known_by_their_extensions() {
        for path in [
            "json.ebnf",
            "a.g4/json.ebnf",
            "json.pleach",
            "json",
            "",
            "g4",
            "json.peg",
        ] {
            assert!(is_readable(path), "{path}");
        }
        for path in [
            "Json.g4",
            "a/b.pest",
            "x.ABNF",
            ".json",
            "x.bnf",
            "x.w3c",
            "x.tribble",
        ] {
            assert!(!is_readable(path), "{path}");
        }
    }
}
