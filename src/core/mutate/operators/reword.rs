//! Lets the engine change the text of a subtree, and takes it if the subtree's nonterminal derives that.
//!
//! The engine's dictionary and its tables of compared values speak of text, so this is where they help: a keyword or number
//! that the program under test has compared with finds its way into strings, names and numbers.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// Lets the engine change the text of a subtree.
#[derive(Clone, Copy, Debug)]
pub struct Reword;

impl Operator for Reword {
    fn name(&self) -> &'static str {
        "reword"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Variable)
    }

    fn is_ready(&self, work: &Workspace) -> bool {
        work.engine().is_some()
    }

    fn weight(&self) -> u32 {
        0
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        work.reword(site)
    }
}
