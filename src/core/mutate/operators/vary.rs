//! Another text of the same derivation.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Puts another separator before a token, or letters of a literal in another case.
#[derive(Clone, Copy, Debug)]
pub struct Vary;

impl Operator for Vary {
    fn name(&self) -> &'static str {
        "vary"
    }

    fn kind(&self) -> Option<Kind> {
        None
    }

    fn is_ready(&self, work: &Workspace) -> bool {
        work.varies()
    }

    fn weight(&self) -> u32 {
        3
    }

    fn apply(&self, work: &mut Workspace, _: u32) -> bool {
        work.vary()
    }
}
