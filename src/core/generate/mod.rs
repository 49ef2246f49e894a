//! Making sentences: at random, along a path, and as covering sets.
//!
//! Generators are choosers for the walk of [`crate::choice`]: they make the same decisions that a tape would spell out, so
//! whatever is generated has its choice sequence, its sites and its text at once. An [`Expander`] decides in another order, and
//! replays what it has decided.

mod access;
mod batch;
mod close_off;
mod cover;
mod draw;
mod expander;
mod foresight;
mod least_used;
mod lookahead;
mod random;
mod route;
mod sampler;
mod witness;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::choice::{Codec, ROOT, Scratch, SiteIndex};
use crate::graph::{Graph, Measure};
use crate::rng::Rng;
use crate::weights::Weights;

pub use cover::{CloseOff, Cover, CoverBuilder, Packing};
pub use draw::{Draw, Drawn, Guide, GuideStack, Stated};
pub use expander::{Expander, Preference};
pub use random::{Growth, RandomChooser};
pub use route::{PathChooser, Routes};
pub use sampler::Sampler;
pub use witness::Witnesses;

/// How often a sentence is drawn, at the most, that reads as other tokens than those that it was made of.
pub const DRAWN_AGAIN: u32 = 100;
/// After how many of those sentences get shorter.
const HALVED_AFTER: u32 = 16;

/// Bounds of a generated derivation.
///
/// They are kept whenever the grammar has a derivation that keeps them from where generation begins; depth goes before
/// nodes and length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nested references, counted from the start production.
    pub max_depth: u32,
    /// Bytes of the sentence.
    pub max_len: u32,
    /// Nodes of the derivation tree.
    pub max_nodes: u32,
}

impl Limits {
    /// No bounds but a million nodes, which even endless grammars end at.
    pub const NONE: Limits = Limits {
        max_depth: 1 << 16,
        max_len: u32::MAX,
        max_nodes: 1 << 20,
    };

    /// What a grammar needs: the depth of its flattest sentence, the length of its shortest, and the nodes of its smallest.
    pub fn needed_by(graph: &Graph) -> Limits {
        let grammar = graph.grammar();
        let root = grammar[grammar.start()].root;
        let needed = |measure| graph.shortest(measure).cost(root);
        Limits {
            max_depth: needed(Measure::Depth),
            max_len: needed(Measure::Length),
            max_nodes: needed(Measure::Nodes),
        }
    }

    /// The greater of each two bounds.
    #[must_use]
    pub fn at_least(self, needed: Limits) -> Limits {
        Limits {
            max_depth: self.max_depth.max(needed.max_depth),
            max_len: self.max_len.max(needed.max_len),
            max_nodes: self.max_nodes.max(needed.max_nodes),
        }
    }

    /// The bounds of a sentence after so many that read as other tokens ([`Lexemes::is_misread`](crate::choice::Lexemes::is_misread)):
    /// shorter ones are less likely to. They are less than a grammar may need.
    #[must_use]
    pub fn tightened(self, misread: u32) -> Limits {
        let halvings = (misread / HALVED_AFTER).min(u32::BITS - 1);
        Limits {
            max_len: self.max_len >> halvings,
            max_nodes: self.max_nodes >> halvings,
            ..self
        }
    }
}

impl Default for Limits {
    /// Depth 30, four kilobytes, 16 384 nodes.
    fn default() -> Limits {
        Limits {
            max_depth: 30,
            max_len: 4096,
            max_nodes: 1 << 14,
        }
    }
}

/// An endless source of random sentences.
#[derive(Debug)]
pub struct Generator {
    codec: Arc<Codec>,
    weights: Weights,
    limits: Limits,
    rng: Rng,
    scratch: Scratch,
}

impl Generator {
    /// Generates by the probabilities that the grammar states.
    pub fn new(codec: &Arc<Codec>, limits: Limits, rng: Rng) -> Generator {
        Generator {
            weights: Weights::stated(codec.graph().grammar()),
            codec: codec.clone(),
            limits,
            rng,
            scratch: Scratch::default(),
        }
    }

    /// Generates by other weights.
    pub fn with_weights(mut self, weights: Weights) -> Generator {
        self.weights = weights;
        self
    }

    /// Derives one sentence into `index`, without optional repetitions that derive nothing. Allocates nothing once the buffers
    /// have grown, unless the grammar has such repetitions.
    pub fn generate(&mut self, index: &mut SiteIndex) {
        let graph: &Graph = self.codec.graph();
        let growth = Growth::draw(&mut self.rng);
        let mut chooser =
            RandomChooser::new(graph, &self.weights, self.limits, growth, &mut self.rng);
        chooser.begin(ROOT, 0);
        self.codec
            .derive(ROOT, &mut chooser, &mut self.scratch, index);
        if self.codec.has_hollow_repetitions() {
            let condensed = self.codec.condense(index.choices());
            self.codec.index(&condensed, &mut self.scratch, index);
        }
    }
}
