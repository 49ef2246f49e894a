//! Models in the notation: the probabilities of alternatives.
//!
//! The notation has probabilities of alternatives, and nothing for numbers of repetitions, members of classes and contexts; those are
//! in files only. What is written is the reading over all contexts.

use crate::grammar::{Grammar, NodeKind, Probability};
use crate::id::{IdVec, NodeId};

use super::{Model, Reading};

impl Model {
    /// The grammar with the probabilities of a reading. Where the model does not say, those that the grammar states stay. The
    /// probabilities of an alternation come to 100 %. O(grammar · contexts).
    pub fn annotate(&self, reading: &Reading) -> Grammar {
        let grammar = self.graph().grammar();
        let stated = |id: NodeId| grammar.stated_probability(id);
        let mut probabilities: IdVec<NodeId, _> = grammar.nodes().ids().map(stated).collect();
        for (id, node) in grammar.nodes().iter() {
            if node.kind != NodeKind::Alternation {
                continue;
            }
            let weights: Vec<u64> = self
                .outcomes(id, reading)
                .iter()
                .map(|it| it.weight)
                .collect();
            let parts = apportion(&weights);
            for (&child, part) in grammar.children(id).iter().zip(parts) {
                probabilities[child] = Some(Probability(part));
            }
        }
        grammar.with_probabilities(|id| probabilities[id])
    }
}

/// Whole billionths in proportion to weights, by the method of the largest remainder; nothing if all weights are 0.
fn apportion(weights: &[u64]) -> Vec<u32> {
    let certain = u128::from(Probability::CERTAIN.0);
    let total: u128 = weights.iter().map(|&it| u128::from(it)).sum();
    if total == 0 {
        return Vec::new();
    }
    let exact = |weight: u64| u128::from(weight) * certain;
    let mut parts: Vec<u32> = weights
        .iter()
        .map(|&it| (exact(it) / total) as u32)
        .collect();
    let missing = certain - parts.iter().map(|&it| u128::from(it)).sum::<u128>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(exact(weights[at]) % total));
    for at in order.into_iter().take(missing as usize) {
        parts[at] += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::apportion;

    #[test]
    fn parts_come_to_the_whole() {
        assert_eq!(
            apportion(&[1, 1, 1]),
            [333_333_334, 333_333_333, 333_333_333]
        );
        assert_eq!(apportion(&[0, 3, 1]), [0, 750_000_000, 250_000_000]);
        assert_eq!(apportion(&[u64::MAX, u64::MAX]), [500_000_000, 500_000_000]);
        assert!(apportion(&[0, 0]).is_empty());
    }
}
