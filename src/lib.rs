//! Grammar-aware mutation for libFuzzer.
//!
//! A fuzz target names a context-free grammar; from then on every input that it sees is a sentence of that grammar, and
//! mutation is steered toward the k-paths of the grammar that the campaign has not covered yet.

#![deny(unsafe_code)]

pub mod libfuzzer;

pub use libfuzzer::Sentence;
pub use pleach_core::{Grammar, Semantics, semantics};

/// The Rust of the README and of the guide, as doctests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("guide/targets.md")]
    struct Targets;
    #[doc = include_str!("guide/notation.md")]
    struct Notation;
    #[doc = include_str!("guide/commands.md")]
    struct Commands;
    #[doc = include_str!("guide/models.md")]
    struct Models;
}
