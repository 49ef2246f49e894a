//! Making an input slightly invalid: one or a few slips, mostly at terminals.
//!
//! A terminal that stands where another should, is missing, doubled, swapped or misspelled, and a text that ends early, are
//! what parsers have error paths for; raw bytes of the engine's making, with its dictionary, are for the rest.

use super::work::Workspace;
use crate::grammar::{Grammar, NodeKind};
use crate::slip::Change;

/// How many of 1000 slips are faults that follow from what the grammar says of a node.
const WITHIN_TOKENS: u32 = 250;
/// How many of 1000 sites are taken as they come, terminals or not.
const ANY: u32 = 250;
/// The kinds of the other slips, of which some count more than once.
const KINDS: u32 = 16;

/// What can be relied on: of an input with n sites, each change without text of its own comes at each site with text with a chance of at
/// least 1 in this times n, and alone, since every other time there is only one slip.
#[cfg_attr(not(test), expect(dead_code, reason = "tests hold it to this"))]
pub(super) const RAREST: u32 = (2_000_000 * KINDS).div_ceil((1000 - WITHIN_TOKENS) * ANY);

/// The longest text of a site that is misspelled.
const LONGEST: u32 = 64;
/// How many sites are looked at for one with text.
const TRIES: usize = 4;

/// The literals of a grammar, each once, for putting them where they do not belong.
pub(super) fn words(grammar: &Grammar) -> Vec<Box<[u8]>> {
    let mut words: Vec<Box<[u8]>> = grammar
        .literals()
        .iter()
        .map(|(_, literal)| literal.clone())
        .filter(|literal| (1..=64).contains(&literal.len()))
        .collect();
    words.sort();
    words.dedup();
    words
}

impl Workspace {
    /// Adds slips: one, seldom more. False if there is no place for any.
    pub(super) fn slip(&mut self) -> bool {
        let count = self.rng.heavy_tail().min(3);
        let mut slipped = false;
        for _ in 0..count {
            slipped |= self.slip_once();
        }
        slipped
    }

    fn slip_once(&mut self) -> bool {
        if self.rng.per_mille(WITHIN_TOKENS) && self.fault() {
            return true;
        }
        let Some(site) = self.place() else {
            return false;
        };
        match self.rng.below(KINDS) {
            0..4 => self.put_word(site),
            4..8 => self.garble(site) || self.misspell(site),
            8..11 => self.misspell(site),
            11..13 => self.slips.push(site, Change::Drop),
            13 => self.slips.push(site, Change::Double),
            14 => self.slips.push(site, Change::Swap),
            _ => self.cut_within(site) || self.slips.push(site, Change::Cut),
        }
    }

    /// Ends the text in the middle of a terminal's. False if there is no middle, or in half of the cases.
    fn cut_within(&mut self, site: u32) -> bool {
        let range = self.index().text_range(site);
        let node = self.index().sites()[site as usize].node;
        let node = self.graph().grammar().nodes().get(node);
        let is_literal = node.is_some_and(|node| matches!(node.kind, NodeKind::Literal(_)));
        if !is_literal || range.len() < 2 || self.rng.per_mille(500) {
            return false;
        }
        let len = 1 + self.rng.index(range.len() - 1);
        let text = &self.parent.index.text()[range.start as usize..][..len];
        // Behind the last site nothing is left to be cut.
        let is_last = site as usize + 1 == self.index().sites().len();
        self.slips.push(site, Change::Raw(text))
            && (is_last || self.slips.push(site + 1, Change::Cut))
    }

    /// A site with text, mostly a terminal.
    fn place(&mut self) -> Option<u32> {
        let count = self.index().sites().len();
        let any = self.rng.per_mille(ANY);
        let mut found = None;
        for _ in 0..TRIES {
            let site = self.rng.index(count) as u32;
            if self.index().text_range(site).is_empty() || !self.edits.has(site) {
                continue;
            }
            found = Some(site);
            let node = self.index().sites()[site as usize].node;
            let nodes = self.graph().grammar().nodes();
            let kind = nodes.get(node).map(|node| node.kind);
            if any || matches!(kind, Some(NodeKind::Literal(_) | NodeKind::Class(_))) {
                break;
            }
        }
        found
    }

    /// Puts a literal of the grammar in the place of a site.
    fn put_word(&mut self, site: u32) -> bool {
        let range = self.index().text_range(site);
        let old = &self.parent.index.text()[range.start as usize..range.end as usize];
        let word = &self.words[..];
        let drawn = self.rng.index(word.len());
        let other = (0..word.len())
            .map(|at| &word[(drawn + at) % word.len()])
            .find(|word| ***word != *old);
        match other {
            Some(word) => self.slips.push(site, Change::Raw(word)),
            None => self.slips.push(site, Change::Drop),
        }
    }

    /// Changes, adds or removes a byte or a character in the text of a site.
    fn misspell(&mut self, site: u32) -> bool {
        let range = self.index().text_range(site);
        if range.len() > LONGEST as usize {
            return false;
        }
        let mut text = std::mem::take(&mut self.buffers.text);
        text.clear();
        text.extend_from_slice(&self.index().text()[range.start as usize..range.end as usize]);
        let at = self.rng.index(text.len());
        let drawn = self.rng.bits() as u8;
        match self.rng.below(8) {
            0 if text.len() > 1 => {
                text.remove(at);
            }
            1 => text.insert(at, drawn & 0x7f),
            2 if text[at].is_ascii_alphabetic() => text[at] ^= 0x20,
            2 | 3 => text[at] = text[at].wrapping_add(if drawn & 1 == 0 { 1 } else { 0xff }),
            4 | 5 => self.misspell_character(&mut text, at, drawn & 1 == 0),
            6 => text[at] = text[at].wrapping_add(drawn | 1),
            _ => text[at] ^= 1 << (drawn & 7),
        }
        let changed = self.slips.push(site, Change::Raw(&text));
        self.buffers.text = text;
        changed
    }

    /// Puts a character that programs treat specially before the one at a byte, or in its place.
    fn misspell_character(&mut self, text: &mut Vec<u8>, at: usize, replace: bool) {
        let starts = |byte: u8| byte & 0xc0 != 0x80;
        let start = (0..=at).rev().find(|&at| starts(text[at])).unwrap_or(at);
        let behind = text[start + 1..].iter().position(|&byte| starts(byte));
        let end = match replace {
            true => behind.map_or(text.len(), |behind| start + 1 + behind),
            false => start,
        };
        let mut bytes = [0; 4];
        let character = self.scalars.draw(&mut self.rng).encode_utf8(&mut bytes);
        text.splice(start..end, character.bytes());
    }
}
