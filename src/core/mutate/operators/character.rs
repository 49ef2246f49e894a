//! Takes another member of a character class: a neighbor, one that programs treat specially, or any.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Takes another member of a character class: a neighbor, one that programs treat specially, or any.
#[derive(Clone, Copy, Debug)]
pub struct Character;

impl Operator for Character {
    fn name(&self) -> &'static str {
        "character"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Class)
    }

    fn weight(&self) -> u32 {
        10
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        work.change_member(site)
    }
}
