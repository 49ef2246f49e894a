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

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Variable)
    }

    fn is_ready(&self, work: &Workspace) -> bool {
        work.donor().is_some()
    }

    fn weight(&self) -> u32 {
        0
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        let Some(donated) = work.compatible_in_donor(site) else {
            return false;
        };
        work.replace_from_donor(site, donated)
    }
}
