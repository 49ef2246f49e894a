//! Pairs of a feature of the input and a function that it covers (FdLoop, section 3.2).
//!
//! A feature is a k-path, or a subtree cut at a depth. An input with `f` features that covers `g` functions has `f · g` mappings. Which of
//! them are new is what counts, and that takes `f` bit sets of functions to be united with the input's: O(f · functions / 64), and as
//! much memory for all features seen so far.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::sync::Arc;

use pleach_core::choice::{ROOT, SiteIndex};
use pleach_core::kpath::{Error, KPaths, WindowTable};
use pleach_core::{Codec, Graph};
use siphasher::sip::SipHasher13;

/// What the features of an input are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Structure {
    /// Its paths of so many symbols, and the shorter ones that begin at the root.
    KPaths(usize),
    /// Its subtrees, each cut after so many nested nonterminals: 1 for nonterminals alone.
    Subtrees(u32),
}

impl Default for Structure {
    fn default() -> Structure {
        Structure::KPaths(2)
    }
}

/// The most sites of a subtree that tell it from others.
const MOST_SITES: usize = 64;

/// Finds the features of inputs.
#[derive(Clone, Debug)]
pub struct Features {
    structure: Structure,
}

impl Features {
    /// Gets ready for a grammar; gives the codec whose indexes have what is needed.
    ///
    /// # Errors
    ///
    /// If there are too many k-paths: fewer symbols help.
    pub fn new(graph: &Arc<Graph>, structure: Structure) -> Result<(Features, Arc<Codec>), Error> {
        let codec = Codec::new(graph);
        let codec = match structure {
            Structure::KPaths(k) => {
                let windows = WindowTable::new(&KPaths::new(graph, k.max(1))?)?;
                codec.with_windows(&windows)
            }
            Structure::Subtrees(_) => codec,
        };
        Ok((Features { structure }, Arc::new(codec)))
    }

    /// The features of an input, ascending and different. O(sites), times the depth for subtrees.
    pub fn of(&self, codec: &Codec, index: &SiteIndex) -> Vec<u64> {
        let mut features: Vec<u64> = match self.structure {
            Structure::KPaths(_) => index.windows().map(u64::from).collect(),
            Structure::Subtrees(depth) => subtrees(codec, index, depth),
        };
        features.sort_unstable();
        features.dedup();
        features
    }
}

/// The number of the nonterminal that a site is a use of.
fn nonterminal(codec: &Codec, index: &SiteIndex, site: usize) -> Option<u32> {
    let node = index.sites()[site].node;
    if node == ROOT {
        return Some(codec.graph().grammar().start().0);
    }
    let symbol = codec.symbol_of(node)?;
    codec.graph().target_of(symbol).map(|it| it.0)
}

fn subtrees(codec: &Codec, index: &SiteIndex, depth: u32) -> Vec<u64> {
    let sites = index.sites();
    let names: Vec<Option<u32>> = (0..sites.len())
        .map(|site| nonterminal(codec, index, site))
        .collect();
    let mut features = Vec::new();
    for (at, site) in sites.iter().enumerate() {
        let Some(name) = names[at] else { continue };
        for depth in 1..=depth.max(1) {
            let mut hasher = SipHasher13::new();
            hasher.write_u32(name);
            let mut below = at + 1;
            let mut taken = 0;
            while below < site.end as usize && taken < MOST_SITES {
                let down = sites[below].depth - site.depth;
                below = match names[below] {
                    // What is cut off has no part in it.
                    Some(_) if down >= depth => sites[below].end as usize,
                    Some(name) => {
                        hasher.write_u32(down);
                        hasher.write_u32(name);
                        taken += 1;
                        below + 1
                    }
                    None => below + 1,
                };
            }
            features.push(hasher.finish());
        }
    }
    features
}

/// The pairs that were seen.
#[derive(Clone, Default, Debug)]
pub struct Pairs {
    rows: BTreeMap<u64, usize>,
    words: usize,
    matrix: Vec<u64>,
    count: u64,
}

impl Pairs {
    /// How many different ones there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds those of an input, and says how many are new. Functions are ascending.
    pub fn add(&mut self, features: &[u64], functions: &[u32]) -> u64 {
        let Some(&last) = functions.last() else {
            return 0;
        };
        self.widen(last as usize / 64 + 1);
        let mut mask = vec![0u64; self.words];
        for &function in functions {
            mask[function as usize / 64] |= 1 << (function % 64);
        }
        let mut new = 0;
        for &feature in features {
            let next = self.rows.len();
            let row = *self.rows.entry(feature).or_insert(next);
            if row == next {
                self.matrix.resize((next + 1) * self.words, 0);
            }
            let row = &mut self.matrix[row * self.words..][..self.words];
            for (seen, &mask) in row.iter_mut().zip(&mask) {
                new += u64::from((mask & !*seen).count_ones());
                *seen |= mask;
            }
        }
        self.count += new;
        new
    }

    /// Makes room for functions with greater numbers.
    fn widen(&mut self, words: usize) {
        if words <= self.words {
            return;
        }
        let words = words.next_power_of_two();
        let mut matrix = vec![0; self.rows.len() * words];
        if self.words > 0 {
            for (new, old) in matrix.chunks_mut(words).zip(self.matrix.chunks(self.words)) {
                new[..self.words].copy_from_slice(old);
            }
        }
        self.matrix = matrix;
        self.words = words;
    }
}
