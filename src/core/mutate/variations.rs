//! Variations: other texts of the same derivation, where a grammar has separators or letters in either case.
//!
//! Programs treat blanks, line breaks and comments differently now and then, and letters of keywords. What a derivation leaves
//! open is varied seldom, since most programs do not care.

use super::work::Workspace;
use crate::slip::{Change, is_caseless};

/// How many sites are looked at.
const LOOKED_AT: usize = 256;
/// The most separators in a row.
const MOST: u32 = 3;

impl Workspace {
    /// Whether the grammar leaves anything to vary.
    pub(super) fn varies(&self) -> bool {
        self.varies
    }

    /// Varies one place. False if none was found.
    pub(super) fn vary(&mut self) -> bool {
        let count = self.index().sites().len();
        let first = self.rng.index(count);
        let recases = self.rng.per_mille(500);
        (0..count.min(LOOKED_AT)).any(|at| {
            let site = ((first + at) % count) as u32;
            self.edits.has(site)
                && match recases {
                    true => self.recase(site) || self.separate(site),
                    false => self.separate(site) || self.recase(site),
                }
        })
    }

    /// Wants another separator before a token.
    fn separate(&mut self, site: u32) -> bool {
        let node = self.index().sites()[site as usize].node;
        let graph = self.graph().clone();
        let Some(lexicon) = graph.lexicon() else {
            return false;
        };
        let separators = lexicon.separators();
        if lexicon.token_of(node).is_none() || separators.is_empty() {
            return false;
        }
        let mut text = std::mem::take(&mut self.buffers.text);
        text.clear();
        for _ in 0..self.rng.heavy_tail().min(MOST) {
            text.extend_from_slice(&separators[self.rng.index(separators.len())]);
        }
        let is_wanted = self.slips.push(site, Change::Separator(&text));
        self.buffers.text = text;
        is_wanted
    }

    /// Spells a literal in other letters: all large, all small, or one the other way round.
    fn recase(&mut self, site: u32) -> bool {
        if !is_caseless(self.codec(), self.index(), site) {
            return false;
        }
        let range = self.index().text_range(site);
        let mut text = std::mem::take(&mut self.buffers.text);
        text.clear();
        text.extend_from_slice(&self.index().text()[range.start as usize..range.end as usize]);
        match self.rng.below(3) {
            0 => text.make_ascii_uppercase(),
            1 => text.make_ascii_lowercase(),
            _ => {
                let at = self.rng.index(text.len());
                if text[at].is_ascii_alphabetic() {
                    text[at] ^= 0x20;
                }
            }
        }
        let is_wanted = self.slips.push(site, Change::Spelling(&text));
        self.buffers.text = text;
        is_wanted
    }
}
