//! Deletes an item of a repetition.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Deletes an item of a repetition.
#[derive(Clone, Copy, Debug)]
pub struct DeleteItem;

impl Operator for DeleteItem {
    fn name(&self) -> &'static str {
        "delete-item"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Item)
    }

    fn shrinks(&self) -> bool {
        true
    }

    fn weight(&self) -> u32 {
        8
    }

    fn apply(&self, work: &mut Workspace, item: u32) -> bool {
        work.delete_item(item)
    }
}
