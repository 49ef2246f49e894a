//! Puts the items of a repetition in random order.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Puts the items of a repetition in random order.
#[derive(Clone, Copy, Debug)]
pub struct ShuffleItems;

impl Operator for ShuffleItems {
    fn name(&self) -> &'static str {
        "shuffle-items"
    }

    fn count(&self, work: &Workspace) -> usize {
        work.count(Kind::Repeated)
    }

    fn weight(&self) -> u32 {
        2
    }

    fn apply(&self, work: &mut Workspace, i: usize) -> bool {
        let Some(quantifier) = work.nth(Kind::Repeated, i) else {
            return false;
        };
        // Fisher and Yates.
        work.edit_items(quantifier, |items, rng| {
            for last in (1..items.len()).rev() {
                items.swap(last, rng.index(last + 1));
            }
        })
    }
}
