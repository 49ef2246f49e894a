//! Inputs that satisfy a tree (article, section 5.3).
//!
//! A leaf of a tree that says yes is a [`Constraint`]: k-paths that have to occur, k-paths that must not, and bounds of quantities. The article
//! searches for a derivation that satisfies it, over partial trees and greedy completions (algorithm 3). Of k-paths alone, the
//! question can be answered exactly, and is here (`costs`): an automaton of the paths runs along each branch of a derivation, and the
//! least derivation below each nonterminal, for each state of the automaton and each set of paths that are still wanted, follows by dynamic
//! programming. So an unsatisfiable constraint is known as such, nothing has to be tried, and random derivations that
//! satisfy the constraint are drawn choice by choice (`sample`).
//!
//! What is left to search for are quantities, and texts that are ambiguous, since a path that is not in the derivation at hand may be in
//! another one of the same text. That is an outer search over candidates, the nearest first, each changed at a site where something is missing or
//! too much (`repair`), within a bound.

mod automaton;
mod constraint;
mod costs;
mod repair;
mod sample;
mod search;
#[cfg(test)]
mod tests;

pub use constraint::Constraint;
pub use search::{Aim, Aimed, Bounds, Outcome};
