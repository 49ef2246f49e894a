//! Puts a subtree in the place of one above it that derives the same nonterminal.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{Part, Workspace};

/// Puts a subtree in the place of one above it that derives the same nonterminal.
#[derive(Clone, Copy, Debug)]
pub struct Hoist;

impl Operator for Hoist {
    fn name(&self) -> &'static str {
        "hoist"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Recursive)
    }

    fn shrinks(&self) -> bool {
        true
    }

    fn weight(&self) -> u32 {
        5
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        let Some((site, above)) = work.recursion(site) else {
            return false;
        };
        work.replace(above, Part::Copy(site))
    }
}
