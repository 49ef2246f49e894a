//! Lets the engine change the choice bytes.
//!
//! The engine knows nothing of sites, so what lies behind a change may be read in another way: the least local operator, and
//! one of the best at getting away from where a campaign is.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Lets the engine change the choice bytes.
#[derive(Clone, Copy, Debug)]
pub struct Bytes;

impl Operator for Bytes {
    fn name(&self) -> &'static str {
        "bytes"
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
        work.mutate_bytes()
    }
}
