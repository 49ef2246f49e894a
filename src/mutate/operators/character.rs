//! Takes another member of a character class: a neighbor or any.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Takes another member of a character class: a neighbor or any.
#[derive(Clone, Copy, Debug)]
pub struct Character;

impl Operator for Character {
    fn name(&self) -> &'static str {
        "character"
    }

    fn count(&self, work: &Workspace) -> usize {
        work.count(Kind::Class)
    }

    fn weight(&self) -> u32 {
        10
    }

    fn apply(&self, work: &mut Workspace, i: usize) -> bool {
        work.nth(Kind::Class, i)
            .is_some_and(|site| work.change_member(site))
    }
}
