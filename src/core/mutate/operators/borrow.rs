//! Puts a subtree of an earlier parent in the place of one that derives the same nonterminal.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Puts a subtree of an earlier parent in the place of one that derives the same nonterminal.
#[derive(Clone, Copy, Debug)]
pub struct Borrow;

impl Operator for Borrow {
    fn name(&self) -> &'static str {
        "borrow"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Variable)
    }

    fn weight(&self) -> u32 {
        12
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        work.borrow_part(site)
    }
}
