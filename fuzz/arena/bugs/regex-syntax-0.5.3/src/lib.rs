//! `regex-syntax` 0.5.3: a pattern is parsed, translated to its high-level representation, and that is printed.

#[path = "../../regex_syntax.rs"]
mod program;

pub use program::run;

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../regex_syntax.ebnf");

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
