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

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Repeated)
    }

    fn weight(&self) -> u32 {
        2
    }

    fn apply(&self, work: &mut Workspace, quantifier: u32) -> bool {
        // Fisher and Yates.
        work.edit_items(quantifier, |items, rng| {
            for last in (1..items.len()).rev() {
                items.swap(last, rng.index(last + 1));
            }
        })
    }
}
