//! The operators, one a file.

mod absorb;
mod approach;
mod borrow;
mod bytes;
mod character;
mod delete_item;
mod duplicate_item;
mod hoist;
mod insert_item;
mod move_item;
mod next_alternative;
mod regenerate;
mod repeat;
mod reword;
mod seek;
mod shorten;
mod shuffle_items;
mod slip;
mod swap;
mod transplant;
mod unroll;
mod vary;
mod verbatim;

pub use absorb::Absorb;
pub use approach::Approach;
pub use borrow::Borrow;
pub use bytes::Bytes;
pub use character::Character;
pub use delete_item::DeleteItem;
pub use duplicate_item::DuplicateItem;
pub use hoist::Hoist;
pub use insert_item::InsertItem;
pub use move_item::MoveItem;
pub use next_alternative::NextAlternative;
pub use regenerate::Regenerate;
pub use repeat::Repeat;
pub use reword::Reword;
pub use seek::Seek;
pub use shorten::Shorten;
pub use shuffle_items::ShuffleItems;
pub use slip::Slip;
pub use swap::Swap;
pub use transplant::Transplant;
pub use unroll::Unroll;
pub use vary::Vary;
pub use verbatim::Verbatim;

use super::operator::Operator;

/// The operators that share what [`Seek`], [`Bytes`] and [`Reword`] leave, by their weights.
pub(super) fn all() -> Vec<Box<dyn Operator>> {
    vec![
        Box::new(Regenerate),
        Box::new(Shorten),
        Box::new(NextAlternative),
        Box::new(InsertItem),
        Box::new(DeleteItem),
        Box::new(Absorb),
        Box::new(DuplicateItem),
        Box::new(MoveItem),
        Box::new(ShuffleItems),
        Box::new(Repeat),
        Box::new(Unroll),
        Box::new(Hoist),
        Box::new(Swap),
        Box::new(Character),
        Box::new(Borrow),
        Box::new(Vary),
    ]
}
