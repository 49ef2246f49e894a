//! Reading a text token by token, where somebody else says what is expected.

use super::{Lexeme, Lexicon, holds};
use crate::id::NodeId;

/// A text that is being cut into tokens by what a parser expects.
#[derive(Debug)]
pub struct Reader<'l, 't> {
    lexicon: &'l Lexicon,
    text: &'t [u8],
    at: usize,
    /// The tokens that are expected, and then what competes.
    set: Vec<u64>,
}

impl<'l, 't> Reader<'l, 't> {
    /// Begins to read a text.
    pub fn new(lexicon: &'l Lexicon, text: &'t [u8]) -> Reader<'l, 't> {
        Reader {
            lexicon,
            text,
            at: 0,
            set: vec![0; lexicon.competing.words()],
        }
    }

    /// Where the next token or what is skipped before it begins.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Reads the next token where those in any of `expected` are, and passes what is skipped before it. `Ok(None)` at the end of the
    /// text.
    ///
    /// # Errors
    ///
    /// The offset where nothing matches that is expected.
    pub fn next<'s>(
        &mut self,
        expected: impl Iterator<Item = &'s [u64]>,
    ) -> Result<Option<Lexeme>, usize> {
        self.set.fill(0);
        for more in expected {
            for (own, more) in self.set.iter_mut().zip(more) {
                *own |= more;
            }
        }
        self.lexicon.modes.close(&mut self.set);
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let found = self.lexicon.longest_among(rest, &self.set);
            let (token, len) = found.ok_or(self.at)?;
            let start = self.at;
            self.at += len;
            if !self.lexicon.tokens[token as usize].is_skipped {
                return Ok(Some(Lexeme {
                    token,
                    start: start as u32,
                    end: self.at as u32,
                    place: None,
                }));
            }
        }
        Ok(None)
    }
}

impl Lexicon {
    /// Adds the token that a node is to a set of tokens.
    pub(crate) fn insert(&self, node: NodeId, set: &mut Vec<u64>) {
        set.resize(self.competing.words(), 0);
        if let Some(token) = self.token_of(node) {
            set[token as usize / 64] |= 1 << (token % 64);
        }
    }

    /// Whether a text could be cut differently behind the first `read` tokens, if fewer were expected there: another token matches
    /// where the next one was read, or where something was skipped before that.
    pub(crate) fn has_other(&self, text: &[u8], lexemes: &[Lexeme], read: usize) -> bool {
        let behind = read.checked_sub(1).and_then(|last| lexemes.get(last));
        let (mut at, context) = match behind {
            Some(last) => (last.end as usize, self.behind(last.token)),
            None => (0, self.start()),
        };
        let competing = self.competing.row(context.0 as usize);
        while at < text.len() {
            let winner = self.longest_among(&text[at..], competing);
            let mut state = super::START;
            for &byte in &text[at..] {
                state = self.automaton.next(state, byte);
                let mut matches = self.automaton.matches(state).iter().copied();
                let is_other = |token: u32| {
                    let is_winner = winner.is_none_or(|(winner, _)| winner == token);
                    !is_winner && holds(competing, token)
                };
                if matches.any(is_other) {
                    return true;
                }
                if state == super::DEAD || !self.automaton.is_alive(state, competing) {
                    break;
                }
            }
            match winner {
                Some((token, len)) if self.tokens[token as usize].is_skipped => at += len,
                _ => break,
            }
        }
        false
    }
}
