//! Inserts a random item into a repetition.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{ItemSource, Size, Workspace};

/// Inserts a random item into a repetition.
#[derive(Clone, Copy, Debug)]
pub struct InsertItem;

impl Operator for InsertItem {
    fn name(&self) -> &'static str {
        "insert-item"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Repeated)
    }

    fn weight(&self) -> u32 {
        12
    }

    fn apply(&self, work: &mut Workspace, quantifier: u32) -> bool {
        let size = Size::draw(work.rng());
        work.edit_items(quantifier, |items, rng| {
            items.insert(rng.index(items.len() + 1), ItemSource::Random(size));
        })
    }
}
