//! Replaces a subtree by its shortest derivation.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{Part, Workspace};

/// Replaces a subtree by its shortest derivation.
#[derive(Clone, Copy, Debug)]
pub struct Shorten;

impl Operator for Shorten {
    fn name(&self) -> &'static str {
        "shorten"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Variable)
    }

    fn shrinks(&self) -> bool {
        true
    }

    fn weight(&self) -> u32 {
        5
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        work.replace(site, Part::Choices(&[]))
    }
}
