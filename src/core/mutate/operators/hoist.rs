//! Puts a subtree in the place of one above it that derives the same nonterminal.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

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
        work.replace_by_copy(above, |index, choices| {
            choices.extend_from_slice(index.choices_of(site));
        })
    }
}
