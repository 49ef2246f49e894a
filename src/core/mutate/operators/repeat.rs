//! Makes a repetition long: one item over and over, or many random ones, with a heavy-tailed number.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{ItemSource, Size, Workspace};

/// Makes a repetition long: one item over and over, or many random ones, with a heavy-tailed number.
#[derive(Clone, Copy, Debug)]
pub struct Repeat;

impl Operator for Repeat {
    fn name(&self) -> &'static str {
        "repeat"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Repeated)
    }

    fn weight(&self) -> u32 {
        4
    }

    fn apply(&self, work: &mut Workspace, quantifier: u32) -> bool {
        work.edit_items(quantifier, |items, rng| {
            let times = 2 + rng.heavy_tail().saturating_mul(4).min(4096) as usize;
            let source = if !items.is_empty() && rng.per_mille(500) {
                items[rng.index(items.len())]
            } else {
                ItemSource::Random(Size::SMALL)
            };
            let at = rng.index(items.len() + 1);
            items.splice(at..at, std::iter::repeat_n(source, times));
        })
    }
}
