//! Other spellings: of a token that another one would win, and the shortest separators.
//!
//! Breadth first over the automaton's states, so what is found is shortest; a token keeps what it has and grows, if that helps:
//! a name that is spelled like a keyword gets a letter more.

use std::collections::{BTreeSet, VecDeque};

use super::automaton::{DEAD, START};
use super::{Context, Lexicon};

/// The most states looked at to let a token grow.
pub(super) const MOST_GROWN: usize = 512;
/// The most states looked at to spell a token anew.
pub(super) const MOST_ANEW: usize = 1 << 12;
/// The most pairs of states looked at to spell a token for the sake of the one before.
const MOST_PAIRS: usize = 1 << 11;
/// The most separators kept.
const MOST_SEPARATORS: usize = 12;

impl Lexicon {
    /// A text that is read as a token in a context, and that ends at a state that will do: a given text with something behind it, or the
    /// shortest. `None` if there is none, as far as was looked.
    pub(super) fn spell(
        &self,
        text: &[u8],
        token: u32,
        context: Context,
        most: usize,
        will_do: impl Fn(u32) -> bool,
    ) -> Option<Vec<u8>> {
        let (state, _) = self.read(text, context);
        if state != DEAD
            && !text.is_empty()
            && let Some(behind) = self.search(state, token, context, &will_do, MOST_GROWN.min(most))
        {
            let mut grown = text.to_vec();
            grown.extend(behind);
            return Some(grown);
        }
        self.search(START, token, context, &will_do, most)
    }

    /// Goes through short texts that are read as a token in a context, and hands them on with the state at their end, until one will
    /// do. They differ in how the text before them would be read on in its own context.
    pub(super) fn spell_behind(
        &self,
        before: &[u8],
        context_before: Context,
        token: u32,
        context: Context,
        will_do: &mut dyn FnMut(u32, &[u8]) -> bool,
    ) {
        // States found: of the token, of the one before, the place of the one before, and the byte that leads from there.
        let begin = (START, self.automaton.run(START, before));
        let mut found: Vec<((u32, u32), usize, u8)> = vec![(begin, 0, 0)];
        let mut seen = BTreeSet::from([begin]);
        let mut at = 0;
        while let Some(&((state, over), ..)) = found.get(at) {
            for (byte, next) in self.automaton.successors(state) {
                let mut over = match over {
                    DEAD => DEAD,
                    _ => self.automaton.next(over, byte),
                };
                if over != DEAD && !self.is_alive(over, context_before) {
                    over = DEAD;
                }
                if (self.winner(next, context) != Some(token)
                    && !self.automaton.can_match(next, token))
                    || found.len() >= MOST_PAIRS
                    || !seen.insert((next, over))
                {
                    continue;
                }
                found.push(((next, over), at, byte));
                if self.winner(next, context) == Some(token)
                    && will_do(next, &path(&found, found.len() - 1, |it| (it.1, it.2)))
                {
                    return;
                }
            }
            at += 1;
        }
    }

    /// The shortest text, not empty, that leads from a state to one where a token wins.
    fn search(
        &self,
        from: u32,
        token: u32,
        context: Context,
        will_do: &impl Fn(u32) -> bool,
        most: usize,
    ) -> Option<Vec<u8>> {
        // States found, with the place of the one before and the byte that leads from there.
        let mut found: Vec<(u32, usize, u8)> = vec![(from, 0, 0)];
        let mut seen = BTreeSet::from([from]);
        let mut at = 0;
        while let Some(&(state, ..)) = found.get(at) {
            for (byte, next) in self.automaton.successors(state) {
                // The state that the search begins at may be come back to.
                if self.winner(next, context) == Some(token) && will_do(next) {
                    let mut text = path(&found, at, |it| (it.1, it.2));
                    text.push(byte);
                    return Some(text);
                }
                if self.automaton.can_match(next, token) && found.len() < most && seen.insert(next)
                {
                    found.push((next, at, byte));
                }
            }
            at += 1;
        }
        None
    }

    /// Short texts that are skipped: a blank and a line break if they are, then the shortest of each thing that is skipped, and
    /// other single bytes.
    pub(super) fn find_separators(&self) -> Vec<Box<[u8]>> {
        let is_skipped = |token: u32| self.tokens[token as usize].is_skipped;
        let skips: Vec<u32> = (0..self.tokens.len() as u32)
            .filter(|&token| is_skipped(token))
            .collect();
        let mut separators: Vec<Box<[u8]>> = Vec::new();
        let mut add = |text: &[u8]| {
            if separators.len() < MOST_SEPARATORS && !separators.iter().any(|it| **it == *text) {
                separators.push(text.into());
            }
        };
        let single = |byte: u8| {
            let state = self.automaton.next(START, byte);
            let matches = self.automaton.matches(state);
            state != DEAD && matches.iter().any(|&token| is_skipped(token))
        };
        for byte in [b' ', b'\n', b'\t'] {
            if single(byte) {
                add(&[byte]);
            }
        }
        for &skip in &skips {
            if let Some(text) = self.shortest(skip) {
                add(&text);
            }
        }
        for byte in 0..=255 {
            if single(byte) {
                add(&[byte]);
            }
        }
        separators
    }

    /// The shortest text of a token, whoever wins it.
    fn shortest(&self, token: u32) -> Option<Vec<u8>> {
        let mut open: VecDeque<(u32, Vec<u8>)> = VecDeque::from([(START, Vec::new())]);
        let mut seen = BTreeSet::from([START]);
        while let Some((state, text)) = open.pop_front() {
            for (byte, next) in self.automaton.successors(state) {
                let mut longer = text.clone();
                longer.push(byte);
                if self.automaton.matches(next).contains(&token) {
                    return Some(longer);
                }
                if self.automaton.can_match(next, token)
                    && seen.len() < MOST_ANEW
                    && seen.insert(next)
                {
                    open.push_back((next, longer));
                }
            }
        }
        None
    }
}

/// The bytes that lead to a place of a search, whose places name the one before.
fn path<T>(found: &[T], mut at: usize, back: impl Fn(&T) -> (usize, u8)) -> Vec<u8> {
    let mut text = Vec::new();
    while at > 0 {
        let (before, byte) = back(&found[at]);
        text.push(byte);
        at = before;
    }
    text.reverse();
    text
}
