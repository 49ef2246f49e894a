//! Weights: how likely each alternative is, as a table by node.
//!
//! Stated probabilities keep their share; the alternatives without one share what is left equally. Where pruning took
//! alternatives away, the rest keep their proportions.

use crate::grammar::{Grammar, NodeKind};
use crate::id::{Id as _, IdVec, NodeId};
use crate::rng::Rng;

/// Draws alternatives by weight.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The first entry of each alternation with unequal weights; `u32::MAX` for uniform ones.
    first: IdVec<NodeId, u32>,
    /// Ascending sums of weights, one run an alternation.
    sums: Vec<u32>,
}

/// The sum that the weights of an alternation are scaled to.
const SCALE: u64 = 1 << 31;

impl Weights {
    /// The weights that a grammar states. O(nodes).
    pub fn stated(grammar: &Grammar) -> Weights {
        let mut weights = Weights {
            first: IdVec::filled(grammar.nodes().len(), u32::MAX),
            sums: Vec::new(),
        };
        for (id, node) in grammar.nodes().iter() {
            if node.kind != NodeKind::Alternation {
                continue;
            }
            let children = grammar.children(id);
            let stated: Vec<Option<u64>> = children
                .iter()
                .map(|&child| grammar.stated_probability(child).map(|p| u64::from(p.0)))
                .collect();
            let unstated = stated.iter().filter(|p| p.is_none()).count() as u64;
            if unstated == children.len() as u64 {
                continue;
            }
            let sum: u64 = stated.iter().flatten().sum();
            let share = 1_000_000_000u64
                .saturating_sub(sum)
                .checked_div(unstated)
                .unwrap_or(0);
            let total = sum + share * unstated;
            if total == 0 {
                // Pruning took away all that had a share: nothing is stated any more.
                continue;
            }
            weights.first[id] = weights.sums.len() as u32;
            let mut so_far = 0;
            for weight in stated {
                so_far += weight.unwrap_or(share);
                weights
                    .sums
                    .push((so_far * SCALE).checked_div(total).unwrap_or(SCALE) as u32);
            }
        }
        weights
    }

    /// Draws one of the `count` alternatives of an alternation.
    #[inline]
    pub fn draw(&self, alternation: NodeId, count: u32, rng: &mut Rng) -> u32 {
        match self.first[alternation] {
            u32::MAX => rng.below(count),
            first => {
                let sums = &self.sums[first as usize..][..count as usize];
                let drawn = rng.below(SCALE as u32);
                sums.partition_point(|&sum| sum <= drawn)
                    .min(count as usize - 1) as u32
            }
        }
    }

    /// The weight of an alternative, out of 2^31 (0 for what is never drawn).
    pub fn weight(&self, alternation: NodeId, count: u32, index: u32) -> u32 {
        match self.first[alternation] {
            u32::MAX => (SCALE / u64::from(count.max(1))) as u32,
            first => {
                let at = (first + index) as usize;
                let before = if index == 0 { 0 } else { self.sums[at - 1] };
                self.sums[at] - before
            }
        }
    }

    /// The number of nodes that the table is for.
    pub fn node_count(&self) -> usize {
        self.first.ids().last().map_or(0, |id| id.index() + 1)
    }
}
