//! The parts that [pleach](https://docs.rs/pleach) is made of.
//!
//! Whoever writes a fuzz target needs the crate `pleach` only. This crate is for tools that work with grammars themselves: it reads
//! them, ranks their k-paths, decodes and encodes choice sequences, parses, generates and mutates. Its interface follows the needs of
//! pleach's own tools, so minor versions may break it, which those of `pleach` never do.
//!
//! # Terms
//!
//! A *choice sequence* is a derivation tree as bytes ([`choice`]); any bytes are one. A *symbol* is a reference, literal or
//! character class at one written place of the grammar, and a *k-path* is a chain of k symbols, each written in the
//! production that the one before names ([`kpath`]). A *site* is the occurrence of a node in a derivation, and a *covering
//! set* is a set of inputs that together have every k-path ([`generate`]).
//!
//! # Layers
//!
//! A module imports only from the layers below its own:
//!
//! | layer | modules |
//! |---|---|
//! | 0 | [`id`], [`bitset`], [`rng`], [`caret`] |
//! | 1 | [`grammar`]: notation, validation, printing |
//! | 2 | [`lexicon`]: tokens, scanning, separators |
//! | 3 | [`graph`]: successors, shortest derivations, distances |
//! | 4 | [`kpath`]: ranks, windows, coverage, patterns; [`weights`] |
//! | 5 | [`choice`]: decoding, encoding, the site index |
//! | 6 | [`tree`]: derivation trees to look at; [`parse`]: text to derivation forests; [`slip`]: slightly invalid inputs; [`model`]: learned distributions |
//! | 7 | [`generate`]: random sentences, covering sets; [`semantics`]: hooks at nodes, for what is not context-free |
//! | 8 | [`mutate`]: sessions, operators, steering; with feature `tools`, `lint`: what is legal in a grammar but hardly meant, and `reduce`: the smallest input for which a test holds |
//!
//! # Example
//!
//! ```
//! use pleach_core::{Codec, Grammar, Graph};
//!
//! let grammar: Grammar = "list := '[' (item (',' item)*)? ']'; item := [0-9] | list;".parse()?;
//! let graph = Graph::new(grammar)?;
//! let codec = Codec::new(&graph);
//! assert_eq!(codec.sentence(&[]), b"[]");
//! assert_eq!(codec.sentence(&[1, 0, 7, 1, 1, 0]), b"[7,[]]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod bitset;
pub mod caret;
pub mod choice;
pub mod generate;
pub mod grammar;
pub mod graph;
pub mod id;
pub mod kpath;
pub mod lexicon;
#[cfg(feature = "tools")]
pub mod lint;
pub mod model;
pub mod mutate;
pub mod parse;
#[cfg(feature = "tools")]
pub mod reduce;
pub mod rng;
pub mod semantics;
pub mod slip;
pub mod tree;
pub mod weights;

pub use choice::Codec;
pub use grammar::Grammar;
pub use graph::Graph;
pub use kpath::{Coverage, KPaths};
pub use mutate::Session;
pub use parse::Parser;
pub use semantics::Semantics;
pub use tree::Tree;

#[cfg(test)]
mod tests;
