//! `url` 2.2.1: a serialized URL is read again as the same URL.
//!
//! That is the property that the crate's own fuzz target states and that the reports are about. None of the bugs is a panic of
//! the crate, so that the messages are those of the assertions below.

use url::Url;

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/whatwg_url/whatwg_url.ebnf");

/// Two thirds of the sentences are relative.
const BASE: &str = "http://user@example.org/a/b";

/// Parses `text`, and what it is serialized to. True if `text` is a URL or a relative reference.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let base = Url::parse(BASE).expect("the base is a URL");
    let Ok(url) = Url::options().base_url(Some(&base)).parse(text) else {
        return false;
    };
    // Never fixed: a file URL loses its host before a drive letter (servo/rust-url#1034 and #1101).
    if url.scheme() == "file" && url.has_host() {
        return true;
    }
    let kind = if url.has_host() { "host" } else { "no host" };
    match Url::parse(url.as_str()) {
        Ok(again) => assert!(
            again == url && again.as_str() == url.as_str(),
            "URL with {kind} is serialized as another: {url} and {again}"
        ),
        Err(error) => panic!("URL with {kind} has a serialization that is refused: {url}: {error}"),
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
