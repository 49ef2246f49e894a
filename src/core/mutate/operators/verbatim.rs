//! Lets the engine change the whole text, which then stands in place of the derivation's.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Lets the engine change the whole text, which then stands in place of the derivation's: what a mutator of bytes does.
#[derive(Clone, Copy, Debug)]
pub struct Verbatim;

impl Operator for Verbatim {
    fn name(&self) -> &'static str {
        "verbatim"
    }

    fn kind(&self) -> Option<Kind> {
        None
    }

    fn is_ready(&self, work: &Workspace) -> bool {
        work.engine().is_some()
    }

    fn weight(&self) -> u32 {
        0
    }

    fn apply(&self, work: &mut Workspace, _: u32) -> bool {
        work.change_whole_text()
    }
}
