//! What a mutation operator is.

use std::fmt::Debug;

use super::work::Workspace;

/// One way of changing an input.
///
/// An operator says how many places of an input it can work on, and is then applied to one of them. Counting must be
/// cheap and may count places that turn out not to work: then `apply` changes nothing and says so, and the session goes
/// on to another operator.
pub trait Operator: Debug + Send {
    /// The operator's name in reports.
    fn name(&self) -> &'static str;

    /// How many places there are. Cheap: a look at the workspace's counts.
    fn count(&self, work: &Workspace) -> usize;

    /// Works on place `i`, below the count. False if nothing was changed.
    fn apply(&self, work: &mut Workspace, i: usize) -> bool;

    /// Whether the operator tends to make inputs smaller; only such are used where an input must shrink.
    fn shrinks(&self) -> bool {
        false
    }

    /// How often the operator is drawn, relative to the others.
    fn weight(&self) -> u32 {
        10
    }
}
