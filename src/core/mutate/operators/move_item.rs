//! Moves an item of a repetition elsewhere in it.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{ItemSource, Workspace};

/// Moves an item of a repetition elsewhere in it.
#[derive(Clone, Copy, Debug)]
pub struct MoveItem;

impl Operator for MoveItem {
    fn name(&self) -> &'static str {
        "move-item"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Item)
    }

    fn weight(&self) -> u32 {
        4
    }

    fn apply(&self, work: &mut Workspace, item: u32) -> bool {
        let Some(quantifier) = work.parent(item) else {
            return false;
        };
        work.edit_items(quantifier, |items, rng| {
            let from = items
                .iter()
                .position(|&source| source == ItemSource::Old(item));
            if let (Some(from), others @ 1..) = (from, items.len() - 1) {
                let to = (from + 1 + rng.index(others)) % items.len();
                let source = items.remove(from);
                items.insert(to, source);
            }
        })
    }
}
