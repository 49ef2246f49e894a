//! What a mutation operator is.

use std::fmt::Debug;

use super::kinds::Kind;
use super::work::Workspace;

/// One way of changing an input.
///
/// An operator says what kind of sites it works on, and is then applied to one of them, drawn by what the sites of each
/// nonterminal have yielded. That a site turns out not to work is no harm: `apply` changes nothing and says so, and the session
/// goes on to another operator.
pub trait Operator: Debug + Send {
    /// The operator's name in reports.
    fn name(&self) -> &'static str;

    /// The sites that it works on; `None` for an operator on whole inputs, which is applied to the root.
    fn kind(&self) -> Option<Kind>;

    /// Whether it can work at present, wherever that is. Cheap.
    fn is_ready(&self, work: &Workspace) -> bool {
        let _ = work;
        true
    }

    /// Works on a site of its kind. False if nothing was changed.
    fn apply(&self, work: &mut Workspace, site: u32) -> bool;

    /// Whether the operator tends to make inputs smaller; only such are used where an input must shrink.
    fn shrinks(&self) -> bool {
        false
    }

    /// How often the operator is drawn, relative to the others.
    fn weight(&self) -> u32 {
        10
    }
}
