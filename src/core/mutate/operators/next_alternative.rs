//! Takes another alternative, closed off in a few random steps.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{Part, Size, Workspace};

/// Takes another alternative, closed off in a few random steps.
#[derive(Clone, Copy, Debug)]
pub struct NextAlternative;

impl Operator for NextAlternative {
    fn name(&self) -> &'static str {
        "next-alternative"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Alternation)
    }

    fn weight(&self) -> u32 {
        12
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        let Some(node) = work.choice_node(site) else {
            return false;
        };
        let count = work.graph().grammar().children(node).len() as u32;
        let current = work.alternative(site).unwrap_or(0);
        // Uniform among the other alternatives.
        let other = (current + 1 + work.rng().below(count.saturating_sub(1))) % count.max(1);
        work.replace(site, Part::Alternative(other, Size::SMALL))
    }
}
