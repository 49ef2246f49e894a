//! The lexical level: tokens told apart by automata, in both directions.
//!
//! In a grammar with tokens ([`Role`](crate::grammar::Role)) the syntax derives tokens, and a text is read in two steps: a
//! scanner cuts it into tokens, and the syntax is parsed over those. At each place the scanner reads the longest match of
//! what it *expects* there, and the first in order of equally long ones. What is expected is what some sentence goes on with, the
//! tokens of the lexical modes of that, and what is skipped. So `select` is a keyword where one can stand and a name elsewhere,
//! unless a mode keeps it reserved.
//!
//! What comes behind the token before ([`Lexicon::scan`]) is more than what a parser expects behind all tokens before
//! ([`Reader`]), and needs no parser. If what wins among the more is expected, it also wins among the less. So a text is scanned
//! first, and read as the parser goes only where that leads nowhere ([`crate::parse`]).
//!
//! Rendering is the inverse (`Lexicon::lay_out`): the shortest separator is put between two tokens where they could be read
//! differently without, found out by reading them, and nowhere else. A token that another one would win is spelled
//! differently. Where what comes behind any such token would win, that which comes behind the token at its place decides.
//!
//! | step | module |
//! |---|---|
//! | which tokens there are, in which order | `tokens` |
//! | what is expected behind each | `expected` |
//! | all tokens as one automaton | `automaton`, of `nfa`, which `regex-automata` determinizes, and `table`, which joins the literals |
//! | separators, other spellings | `layout`, `spelling` |
//!
//! The automaton takes a few bytes for each state, token and byte class; making it is the costly part of loading a grammar
//! with tokens, and bounded.

mod automaton;
mod expected;
mod layout;
mod nfa;
mod reader;
mod spelling;
mod table;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::BTreeSet;

use crate::grammar::Grammar;
use crate::id::{IdVec, NodeId};

pub use layout::Layout;
pub use reader::Reader;
pub use tokens::{Origin, Token};

use automaton::{Automaton, DEAD, START, TooLarge};
use expected::{Modes, NO_PLACE, Sets};
use tokens::NO_TOKEN;

/// Tokens that no automaton of a reasonable size tells apart.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{what} no automaton of a reasonable size\nhelp: lower the bounds of quantifiers in tokens, or make parts of them syntax"
)]
pub struct Error {
    what: String,
}

/// The lexical level of a grammar.
#[derive(Debug)]
pub struct Lexicon {
    tokens: Vec<Token>,
    token_of: IdVec<NodeId, u32>,
    automaton: Automaton,
    /// What competes behind each token, at the beginning, and behind each place of a token.
    competing: Sets,
    /// The rows of places.
    places: IdVec<NodeId, u32>,
    modes: Modes,
    /// Separators, the preferred one first.
    separators: Vec<Box<[u8]>>,
}

/// Where a text is being read: behind which token, or which place of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Context(u32);

/// A token in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lexeme {
    /// The token, by its number.
    pub token: u32,
    /// Its first byte.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// The node that derives it, if it comes from a derivation.
    pub place: Option<NodeId>,
}

impl Lexicon {
    /// The lexical level of a grammar, if it has one. Takes time and memory exponential in the worst of tokens; both are
    /// bounded.
    ///
    /// # Errors
    ///
    /// The automaton would be beyond the bounds.
    pub fn new(grammar: &Grammar) -> Result<Option<Lexicon>, Error> {
        if !grammar.has_tokens() {
            return Ok(None);
        }
        let (mut tokens, token_of) = tokens::tokens(grammar);
        let automaton = Automaton::new(grammar, &tokens).map_err(|error| {
            let what = match error {
                TooLarge::All => "the tokens together have".to_owned(),
                TooLarge::Token(at) => match tokens[at as usize].origin {
                    Origin::Production(production) => {
                        format!("the token `{}` has", grammar[production].name)
                    }
                    _ => "a token of the syntax has".to_owned(),
                },
            };
            Error { what }
        })?;
        tokens::reserve(grammar, &mut tokens, |text| {
            automaton.matches(automaton.run(START, text))
        });
        let modes = Modes::new(&tokens);
        let (competing, places) = expected::competing(grammar, &tokens, &token_of, &modes);
        let mut lexicon = Lexicon {
            tokens,
            token_of,
            automaton,
            competing,
            places,
            modes,
            separators: Vec::new(),
        };
        lexicon.separators = lexicon.find_separators();
        Ok(Some(lexicon))
    }

    /// The tokens and what is skipped, in their order.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The token that a node of the syntax is, by its number. The empty literal is none.
    #[inline(always)]
    pub fn token_of(&self, node: NodeId) -> Option<u32> {
        match self.token_of.get(node) {
            Some(&token) if token != NO_TOKEN => Some(token),
            _ => None,
        }
    }

    /// Where a text begins.
    pub fn start(&self) -> Context {
        Context(self.tokens.len() as u32)
    }

    /// Behind a token.
    pub fn behind(&self, token: u32) -> Context {
        Context(token)
    }

    /// Behind a token at the place that it is written at; behind such a token anywhere if that is not known.
    fn behind_at(&self, lexeme: &Lexeme) -> Context {
        let row = lexeme.place.and_then(|node| self.places.get(node));
        match row {
            Some(&row) if row != NO_PLACE => Context(row),
            _ => self.behind(lexeme.token),
        }
    }

    /// Whether the scanner looks for a token in a context.
    pub fn is_expected(&self, token: u32, context: Context) -> bool {
        self.competing.contains(context.0 as usize, token)
    }

    /// The tokens that are never read, because others win all their texts wherever they are expected; none if it would take too
    /// long to find out. O(states · distinct contexts).
    pub fn unread(&self) -> Vec<u32> {
        /// The most states looked at, for all contexts together.
        const MOST: usize = 1 << 25;
        let count = self.tokens.len();
        let contexts: BTreeSet<&[u64]> = (0..=count).map(|at| self.competing.row(at)).collect();
        let states = self.automaton.state_count();
        if contexts.len() * states > MOST {
            return Vec::new();
        }
        let mut is_read = vec![false; count];
        let mut is_expected = vec![false; count];
        for context in contexts {
            for token in (0..count as u32).filter(|&token| holds(context, token)) {
                is_expected[token as usize] = true;
            }
            for state in 0..states as u32 {
                let mut matches = self.automaton.matches(state).iter();
                if let Some(&winner) = matches.find(|&&token| holds(context, token))
                    && self.automaton.is_entered(state)
                {
                    is_read[winner as usize] = true;
                }
            }
        }
        (0..count as u32)
            .filter(|&token| is_expected[token as usize] && !is_read[token as usize])
            .collect()
    }

    /// Separators that the grammar allows somewhere, the preferred one first.
    pub fn separators(&self) -> &[Box<[u8]>] {
        &self.separators
    }

    /// The token that wins at a state.
    #[inline(always)]
    fn winner(&self, state: u32, context: Context) -> Option<u32> {
        self.winner_among(state, self.competing.row(context.0 as usize))
    }

    #[inline(always)]
    fn winner_among(&self, state: u32, competing: &[u64]) -> Option<u32> {
        let matches = self.automaton.matches(state).iter();
        matches.copied().find(|&token| holds(competing, token))
    }

    /// Whether anything that competes in a context matches at a state or further on.
    #[inline(always)]
    fn is_alive(&self, state: u32, context: Context) -> bool {
        let competing = self.competing.row(context.0 as usize);
        self.automaton.is_alive(state, competing)
    }

    /// The longest match at the beginning of a text, and its length, which is not 0. Reads on for as long as something longer
    /// could match.
    pub fn longest(&self, text: &[u8], context: Context) -> Option<(u32, usize)> {
        self.longest_among(text, self.competing.row(context.0 as usize))
    }

    #[inline(always)]
    fn longest_among(&self, text: &[u8], competing: &[u64]) -> Option<(u32, usize)> {
        let mut found = None;
        let mut state = START;
        for (at, &byte) in text.iter().enumerate() {
            state = self.automaton.next(state, byte);
            if state == DEAD {
                break;
            }
            if let Some(token) = self.winner_among(state, competing) {
                found = Some((token, at + 1));
            } else if !self.automaton.is_alive(state, competing) {
                break;
            }
        }
        found
    }

    /// The state behind a whole text, and the token that it is in a context.
    fn read(&self, text: &[u8], context: Context) -> (u32, Option<u32>) {
        let state = self.automaton.run(START, text);
        (state, self.winner(state, context))
    }

    /// Cuts a text into tokens, which replace what is in `lexemes`. What is skipped lies between them. Nearly always linear.
    ///
    /// # Errors
    ///
    /// The offset where nothing that is expected matches.
    pub fn scan(&self, text: &[u8], lexemes: &mut Vec<Lexeme>) -> Result<(), usize> {
        lexemes.clear();
        let mut context = self.start();
        let mut at = 0;
        while at < text.len() {
            let (token, len) = self.longest(&text[at..], context).ok_or(at)?;
            if !self.tokens[token as usize].is_skipped {
                lexemes.push(Lexeme {
                    token,
                    start: at as u32,
                    end: (at + len) as u32,
                    place: None,
                });
                context = self.behind(token);
            }
            at += len;
        }
        Ok(())
    }
}

/// Whether a set has a token.
#[inline(always)]
fn holds(set: &[u64], token: u32) -> bool {
    set[token as usize / 64] >> (token % 64) & 1 == 1
}
