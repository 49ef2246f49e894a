//! Swaps two subtrees that derive the same nonterminal.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Swaps two subtrees that derive the same nonterminal.
#[derive(Clone, Copy, Debug)]
pub struct Swap;

impl Operator for Swap {
    fn name(&self) -> &'static str {
        "swap"
    }

    fn count(&self, work: &Workspace) -> usize {
        work.count(Kind::Variable)
    }

    fn weight(&self) -> u32 {
        5
    }

    fn apply(&self, work: &mut Workspace, i: usize) -> bool {
        let Some(one) = work.nth(Kind::Variable, i) else {
            return false;
        };
        let Some(other) = work.compatible_elsewhere(one) else {
            return false;
        };
        work.swap_sites(one, other)
    }
}
