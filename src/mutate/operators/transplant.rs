//! Puts a subtree of the donor in the place of a compatible one.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Puts a subtree of the donor in the place of a compatible one.
#[derive(Clone, Copy, Debug)]
pub struct Transplant;

impl Operator for Transplant {
    fn name(&self) -> &'static str {
        "transplant"
    }

    fn count(&self, work: &Workspace) -> usize {
        if work.donor().sites().is_empty() {
            0
        } else {
            work.count(Kind::Variable)
        }
    }

    fn weight(&self) -> u32 {
        12
    }

    fn apply(&self, work: &mut Workspace, i: usize) -> bool {
        let Some(site) = work.nth(Kind::Variable, i) else {
            return false;
        };
        let Some(donated) = work.compatible_in_donor(site) else {
            return false;
        };
        work.replace_from_donor(site, donated)
    }
}
