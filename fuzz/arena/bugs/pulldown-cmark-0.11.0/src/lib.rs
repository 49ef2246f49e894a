//! `pulldown-cmark` 0.11.0: a document is parsed with all extensions and rendered.

use pulldown_cmark::{Options, Parser, html};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/markdown/markdown.ebnf");

/// Renders `text`. True if it is UTF-8, as every text is a document.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let mut rendered = String::new();
    html::push_html(&mut rendered, Parser::new_ext(text, Options::all()));
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
