//! Grammar-aware mutation for libFuzzer: inputs are derivation trees of a context-free grammar, and mutation is steered
//! toward the k-paths of the grammar that a campaign has not covered yet.
//!
//! The floors, from the ground up: [`id`] and [`caret`], then [`grammar`].

pub mod caret;
pub mod grammar;
pub mod id;

pub use grammar::Grammar;
