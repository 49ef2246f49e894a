//! `roxmltree` 0.20.0: a document with a document type declaration is parsed, and every node is visited.

use roxmltree::{Document, ParsingOptions};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../xml.ebnf");

/// The most `<` of a document, as the parser recurses into elements. Entities that refer to each other multiply that by ten at
/// most, the parser's own limit.
const MAX_TAGS: usize = 500;

/// The most nodes of a document: entities may multiply its size.
const NODES_LIMIT: u32 = 1 << 14;

/// Parses `text` and walks through it. True if it is a document.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if text.bytes().filter(|&byte| byte == b'<').count() > MAX_TAGS {
        return false;
    }
    #[allow(clippy::needless_update, reason = "a later version has more options")]
    let options = ParsingOptions {
        allow_dtd: true,
        nodes_limit: NODES_LIMIT,
        ..ParsingOptions::default()
    };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    for node in document.descendants() {
        assert_eq!(
            node.ancestors().last(),
            Some(document.root()),
            "a node outside the document"
        );
        let _ = (node.tag_name(), node.text(), node.attributes().count());
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
