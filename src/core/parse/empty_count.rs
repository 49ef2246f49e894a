//! In how many ways nothing can be derived: exact, infinite, or more than anybody wants to see.
//!
//! Products and sums over the parts that derive nothing, found once for a grammar, when somebody first asks. Linear in the grammar.

use std::sync::OnceLock;

use num_bigint::BigUint;

use crate::grammar::{Grammar, NodeKind};
use crate::id::{IdVec, NodeId};

use super::empty::Empty;

/// The numbers of empty derivations, once somebody has asked.
pub(super) type Counts = OnceLock<IdVec<NodeId, Ways>>;

/// A number of empty derivations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ways {
    Finite(BigUint),
    Infinite,
    /// More than anybody wants to see: the number has more than [`MOST_BITS`].
    Unknown,
}

/// The most bits of a number of empty derivations.
const MOST_BITS: u64 = 1 << 22;

impl Ways {
    /// So many times the same, one after the other.
    pub(super) fn power(&self, times: u32) -> Ways {
        match self {
            Ways::Finite(number)
                if (number.bits() - 1).saturating_mul(u64::from(times)) > MOST_BITS =>
            {
                Ways::Unknown
            }
            Ways::Finite(number) => Ways::Finite(number.pow(times)),
            other => other.clone(),
        }
    }

    /// Both, combined; infinite if either is.
    fn combine(&self, other: &Ways, combine: impl Fn(&BigUint, &BigUint) -> BigUint) -> Ways {
        match (self, other) {
            (Ways::Infinite, _) | (_, Ways::Infinite) => Ways::Infinite,
            (Ways::Finite(a), Ways::Finite(b)) if a.bits() + b.bits() <= MOST_BITS => {
                Ways::Finite(combine(a, b))
            }
            _ => Ways::Unknown,
        }
    }
}

impl Empty {
    /// The number of empty derivations of a nullable node.
    pub(super) fn count(&self, grammar: &Grammar, node: NodeId) -> &Ways {
        &self.counts.get_or_init(|| self.counts(grammar))[node]
    }

    fn counts(&self, grammar: &Grammar) -> IdVec<NodeId, Ways> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let mut counts: IdVec<NodeId, Ways> =
            IdVec::filled(grammar.nodes().len(), Ways::Finite(BigUint::ZERO));
        let mut states: IdVec<NodeId, State> = IdVec::filled(grammar.nodes().len(), State::New);
        let mut stack = Vec::new();
        for start in grammar.nodes().ids() {
            if self.is_nullable(start) {
                stack.push(start);
            }
            while let Some(&node) = stack.last() {
                match states[node] {
                    State::New => {
                        states[node] = State::Open;
                        for (_, child) in self.parts(grammar, node) {
                            match states[child] {
                                State::New => stack.push(child),
                                // Below itself: as often as one likes.
                                State::Open => counts[child] = Ways::Infinite,
                                State::Done => {}
                            }
                        }
                    }
                    State::Open => {
                        stack.pop();
                        states[node] = State::Done;
                        if counts[node] != Ways::Infinite {
                            counts[node] = self.count_of_parts(grammar, node, &counts);
                        }
                    }
                    State::Done => {
                        stack.pop();
                    }
                }
            }
        }
        counts
    }

    fn count_of_parts(
        &self,
        grammar: &Grammar,
        node: NodeId,
        counts: &IdVec<NodeId, Ways>,
    ) -> Ways {
        let mut parts = self.parts(grammar, node).map(|(_, child)| &counts[child]);
        let one = Ways::Finite(BigUint::from(1u32));
        match grammar[node].kind {
            NodeKind::Alternation => parts.fold(Ways::Finite(BigUint::ZERO), |sum, part| {
                sum.combine(part, |a, b| a + b)
            }),
            NodeKind::Quantifier { min, .. } => {
                parts.next().map_or(one, |subject| subject.power(min))
            }
            _ => parts.fold(one, |product, part| product.combine(part, |a, b| a * b)),
        }
    }
}
