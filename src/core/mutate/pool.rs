//! Subtrees of earlier parents, to put elsewhere: a few for each nonterminal.
//!
//! Crossover has one other input to take from; the pool has parts of all that came by. Each nonterminal has the same small
//! number of places, so parts of rare ones stay while those of frequent ones come and go. Nothing is kept twice.

use crate::choice::SiteIndex;
use crate::id::{IdVec, ProductionId};
use crate::rng::Rng;

/// The subtrees kept of each nonterminal.
const PLACES: usize = 24;
/// The choices of the largest subtree that is kept.
const LARGEST: usize = 192;
/// The subtrees looked at in each parent.
const LOOKED_AT: usize = 4;
/// The bytes of all subtrees together.
const MAX_BYTES: usize = 8 << 20;

/// The subtrees.
#[derive(Debug)]
pub(super) struct Pool {
    shelves: IdVec<ProductionId, Vec<Box<[u8]>>>,
    bytes: usize,
}

impl Pool {
    pub(super) fn new(productions: usize) -> Pool {
        Pool {
            shelves: IdVec::filled(productions, Vec::new()),
            bytes: 0,
        }
    }

    /// Keeps some subtrees of an input. `production` tells what a site stands for.
    pub(super) fn collect(
        &mut self,
        index: &SiteIndex,
        rng: &mut Rng,
        production: impl Fn(u32) -> Option<ProductionId>,
    ) {
        for _ in 0..LOOKED_AT.min(index.sites().len()) {
            let site = rng.index(index.sites().len()) as u32;
            let choices = index.choices_of(site);
            if let Some(production) = production(site)
                && (1..=LARGEST).contains(&choices.len())
            {
                self.keep(production, choices, rng);
            }
        }
    }

    fn keep(&mut self, production: ProductionId, choices: &[u8], rng: &mut Rng) {
        let shelf = &mut self.shelves[production];
        if shelf.iter().any(|kept| **kept == *choices) {
            return;
        }
        if shelf.len() < PLACES && self.bytes + choices.len() <= MAX_BYTES {
            self.bytes += choices.len();
            shelf.push(choices.into());
        } else if !shelf.is_empty() {
            let at = rng.index(shelf.len());
            self.bytes = self.bytes - shelf[at].len() + choices.len();
            shelf[at] = choices.into();
        }
    }

    /// A subtree of a nonterminal.
    pub(super) fn draw(&self, production: ProductionId, rng: &mut Rng) -> Option<&[u8]> {
        let shelf = &self.shelves[production];
        let drawn = shelf.get(rng.index(shelf.len()))?;
        Some(drawn)
    }
}
