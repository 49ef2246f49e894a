//! `markdown` 0.3.0: a document is rendered.

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/markdown/markdown.ebnf");

/// The longest document that is rendered.
const MAX_TEXT: usize = 1 << 12;
/// The most marks that may nest, of quotes and of lists, as the parser recurses into their contents.
const MAX_MARKS: usize = 200;

/// Renders `text`. True if it is, as every text is a document.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let marks = text.bytes().filter(|byte| b">*+-._[`".contains(byte));
    if text.len() > MAX_TEXT || marks.count() > MAX_MARKS {
        return false;
    }
    // No report of this is known: a line is taken for a fence wherever its backticks are, and its fourth byte may be in the
    // middle of a character ("``é```").
    let fence = |line: &str| line.rfind("```").is_some_and(|end| !line[..end].is_ascii());
    if text.lines().any(fence) {
        return false;
    }
    let _ = markdown::to_html(text);
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
