//! Repeats an item of a repetition beside it.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Repeats an item of a repetition beside it.
#[derive(Clone, Copy, Debug)]
pub struct DuplicateItem;

impl Operator for DuplicateItem {
    fn name(&self) -> &'static str {
        "duplicate-item"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Item)
    }

    fn weight(&self) -> u32 {
        8
    }

    fn apply(&self, work: &mut Workspace, item: u32) -> bool {
        work.duplicate_item(item)
    }
}
