//! Derives a subtree anew, at random.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{Part, Size, Workspace};

/// Derives a subtree anew, at random.
#[derive(Clone, Copy, Debug)]
pub struct Regenerate;

impl Operator for Regenerate {
    fn name(&self) -> &'static str {
        "regenerate"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Variable)
    }

    fn weight(&self) -> u32 {
        14
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        let size = Size::draw(work.rng());
        work.replace(site, Part::Random(size))
    }
}
