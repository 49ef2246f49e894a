//! Deletes an item of a repetition.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{ItemSource, Workspace};

/// Deletes an item of a repetition.
#[derive(Clone, Copy, Debug)]
pub struct DeleteItem;

impl Operator for DeleteItem {
    fn name(&self) -> &'static str {
        "delete-item"
    }

    fn count(&self, work: &Workspace) -> usize {
        work.count(Kind::Item)
    }

    fn shrinks(&self) -> bool {
        true
    }

    fn weight(&self) -> u32 {
        8
    }

    fn apply(&self, work: &mut Workspace, i: usize) -> bool {
        let Some((item, quantifier)) = work.nth_item(i) else {
            return false;
        };
        work.edit_items(quantifier, |items, _| {
            items.retain(|&source| source != ItemSource::Old(item));
        })
    }
}
