//! Makes the input slightly invalid.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Makes the input slightly invalid: its derivation stays, its text departs from it.
#[derive(Clone, Copy, Debug)]
pub struct Slip;

impl Operator for Slip {
    fn name(&self) -> &'static str {
        "slip"
    }

    fn kind(&self) -> Option<Kind> {
        None
    }

    fn weight(&self) -> u32 {
        0
    }

    fn apply(&self, work: &mut Workspace, _: u32) -> bool {
        work.slip()
    }
}
