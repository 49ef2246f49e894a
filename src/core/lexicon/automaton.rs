//! All tokens as one automaton, in which a state says at once which tokens match there and which still can further on.
//!
//! `regex-automata` determinizes what is no literal; the literals, of which a language may have a thousand, are joined to that as
//! a trie ([`table`](super::table)). Building takes time and memory exponential in the worst of tokens, so both are bounded.

use regex_automata::MatchKind;
use regex_automata::dfa::{StartKind, dense};

use crate::grammar::Grammar;

use super::expected::Sets;
use super::nfa::nfa;
use super::table::{Spelling, Table};
use super::tokens::{Origin, Token};

/// The state from which nothing matches.
pub(super) const DEAD: u32 = 0;
/// The state before anything is read.
pub(super) const START: u32 = 1;

/// The most bytes of the NFA, of its determinization and of the DFA, each.
const MOST_BYTES: usize = 64 << 20;
/// The most bytes of the table of what can match further on.
const MOST_ALIVE_BYTES: usize = 512 << 20;

/// The automaton of all tokens.
#[derive(Debug)]
pub(super) struct Automaton {
    table: Table,
    /// A byte of each class, those that people like to read first.
    order: Vec<u8>,
    /// By state: the tokens that match there or further on.
    alive: Sets,
}

/// Why there is no automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TooLarge {
    /// A single token is too large.
    Token(u32),
    /// All of them together are.
    All,
}

impl Automaton {
    pub(super) fn new(grammar: &Grammar, tokens: &[Token]) -> Result<Automaton, TooLarge> {
        let (mut literals, mut others) = (Vec::new(), Vec::new());
        for (at, token) in (0..).zip(tokens) {
            match token.origin {
                Origin::Literal(literal) => literals.push(Spelling {
                    token: at,
                    text: &grammar[literal],
                    is_caseless: grammar.is_caseless(literal),
                }),
                _ => others.push(at),
            }
        }
        let table = Table::from_dfa(&determinized(grammar, tokens, &others)?, &others);
        let table = table.and_then(|it| it.joined(&literals, MOST_BYTES));
        let table = table.ok_or(TooLarge::All)?;
        if table.state_count() * tokens.len() / 8 > MOST_ALIVE_BYTES {
            return Err(TooLarge::All);
        }
        let mut automaton = Automaton {
            alive: Sets::new(table.state_count(), tokens.len()),
            order: readable_first(&table.classes),
            table,
        };
        automaton.find_alive();
        Ok(automaton)
    }

    /// What matches at each state or further on: spread backward until nothing changes.
    fn find_alive(&mut self) {
        let count = self.state_count();
        let mut users: Vec<Vec<u32>> = vec![Vec::new(); count];
        for state in 0..count {
            let mut targets = self.table.row(state as u32).to_vec();
            targets.sort_unstable();
            targets.dedup();
            for target in targets.into_iter().filter(|&target| target != DEAD) {
                users[target as usize].push(state as u32);
            }
        }
        let mut is_open = vec![true; count];
        let mut open: Vec<u32> = (0..count as u32).collect();
        for state in 0..count {
            for &token in self.table.matches(state as u32) {
                self.alive.insert(state, token);
            }
        }
        while let Some(state) = open.pop() {
            is_open[state as usize] = false;
            for &user in &users[state as usize] {
                if self.alive.union(user as usize, state as usize)
                    && !std::mem::replace(&mut is_open[user as usize], true)
                {
                    open.push(user);
                }
            }
        }
    }

    /// Whether a state is ever entered by a byte: the first one may not be.
    pub(super) fn is_entered(&self, state: u32) -> bool {
        state != START || self.table.is_target(START)
    }

    /// The number of states.
    pub(super) fn state_count(&self) -> usize {
        self.table.state_count()
    }

    /// The state behind a byte.
    #[inline(always)]
    pub(super) fn next(&self, state: u32, byte: u8) -> u32 {
        self.table.next(state, byte)
    }

    /// The state behind bytes.
    #[inline(always)]
    pub(super) fn run(&self, state: u32, bytes: &[u8]) -> u32 {
        let mut state = state;
        for &byte in bytes {
            if state == DEAD {
                break;
            }
            state = self.next(state, byte);
        }
        state
    }

    /// The tokens that match at a state, in their order.
    #[inline(always)]
    pub(super) fn matches(&self, state: u32) -> &[u32] {
        self.table.matches(state)
    }

    /// Whether any token of a set matches at a state or further on.
    #[inline(always)]
    pub(super) fn is_alive(&self, state: u32, set: &[u64]) -> bool {
        let alive = self.alive.row(state as usize);
        alive.iter().zip(set).any(|(alive, set)| alive & set != 0)
    }

    /// Whether a token matches at a state or further on.
    pub(super) fn can_match(&self, state: u32, token: u32) -> bool {
        self.alive.contains(state as usize, token)
    }

    /// A byte of each class and the states that they lead to, those that people like to read first.
    pub(super) fn successors(&self, state: u32) -> impl Iterator<Item = (u8, u32)> + '_ {
        self.order.iter().filter_map(move |&byte| {
            let next = self.next(state, byte);
            (next != DEAD).then_some((byte, next))
        })
    }
}

/// A byte of each class, those that people like to read first.
fn readable_first(classes: &[u8; 256]) -> Vec<u8> {
    let mut seen = [false; 256];
    let readable = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z');
    let readable = readable.chain([b'_', b' ']).chain(b'!'..=b'~');
    let is_new =
        |byte: &u8| !std::mem::replace(&mut seen[usize::from(classes[usize::from(*byte)])], true);
    readable.chain(0..=255).filter(is_new).collect()
}

/// The automaton of some of the tokens, a pattern each.
pub(super) fn determinized(
    grammar: &Grammar,
    tokens: &[Token],
    chosen: &[u32],
) -> Result<dense::DFA<Vec<u32>>, TooLarge> {
    let config = dense::Config::new()
        .match_kind(MatchKind::All)
        .start_kind(StartKind::Anchored)
        .accelerate(false)
        .determinize_size_limit(Some(MOST_BYTES))
        .dfa_size_limit(Some(MOST_BYTES));
    let nfa = nfa(grammar, tokens, chosen)?;
    dense::Builder::new()
        .configure(config)
        .build_from_nfa(&nfa)
        .map_err(|_| TooLarge::All)
}
