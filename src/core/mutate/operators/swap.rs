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

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Variable)
    }

    fn weight(&self) -> u32 {
        5
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        match work.compatible_elsewhere(site) {
            Some(other) => work.swap_sites(site, other),
            None => false,
        }
    }
}
