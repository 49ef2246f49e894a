//! Grammar-aware mutation for libFuzzer.
//!
//! A fuzz target names a context-free grammar; from then on every input that it sees is a sentence of that grammar, and
//! mutation is steered toward the k-paths of the grammar that the campaign has not covered yet. The same core seeds
//! corpora with covering sets and reports the grammar coverage of a corpus.
//!
//! # Terms
//!
//! A *choice sequence* is a derivation tree as bytes ([`choice`]); any bytes are one. A *symbol* is a reference, literal or
//! character class at one written place of the grammar, and a *k-path* is a chain of k symbols, each written in the
//! production that the one before names ([`kpath`]). A *site* is the occurrence of a node in a derivation, and a *covering
//! set* is a set of inputs that together have every k-path ([`generate`]).
//!
//! # Floors
//!
//! A module imports only from floors below:
//!
//! | floor | modules |
//! |---|---|
//! | 0 | [`id`], [`bitset`], [`rng`], [`caret`] |
//! | 1 | [`grammar`]: notation, validation, printing |
//! | 2 | [`lexicon`]: tokens, scanning, separators; `import` (feature `import`): other notations |
//! | 3 | [`graph`]: successors, shortest derivations, distances |
//! | 4 | [`kpath`]: ranks, windows, coverage, patterns; [`weights`] |
//! | 5 | [`choice`]: decoding, encoding, the site index |
//! | 6 | [`tree`]: derivation trees to look at; [`parse`]: text to derivation forests; [`slip`]: slightly invalid inputs; [`model`]: learned distributions |
//! | 7 | [`generate`]: random sentences, covering sets; [`semantics`]: hooks at nodes, for what is not context-free |
//! | 8 | [`mutate`]: sessions, operators, steering; [`lint`]: what is hardly meant in a grammar |
//! | 9 | `libfuzzer` (feature `libfuzzer`): the glue for cargo-fuzz targets |
//!
//! # Example
//!
//! ```
//! use pleach::{Codec, Grammar, Graph};
//!
//! let grammar: Grammar = "list := '[' (item (',' item)*)? ']'; item := [0-9] | list;".parse()?;
//! let graph = Graph::new(grammar)?;
//! let codec = Codec::new(&graph);
//! assert_eq!(codec.sentence(&[]), b"[]");
//! assert_eq!(codec.sentence(&[1, 0, 7, 1, 1, 0]), b"[7,[]]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

pub mod bitset;
pub mod caret;
pub mod choice;
pub mod generate;
pub mod grammar;
pub mod graph;
pub mod id;
#[cfg(feature = "import")]
pub mod import;
pub mod kpath;
pub mod lexicon;
#[cfg(feature = "libfuzzer")]
pub mod libfuzzer;
#[cfg(not(feature = "libfuzzer"))]
mod libfuzzer_off;
pub mod lint;
pub mod model;
pub mod mutate;
pub mod parse;
pub mod rng;
pub mod semantics;
pub mod slip;
pub mod tree;
pub mod weights;

pub use choice::Codec;
pub use grammar::Grammar;
pub use graph::Graph;
pub use kpath::{Coverage, KPaths};
#[cfg(feature = "libfuzzer")]
pub use libfuzzer::Sentence;
pub use mutate::Session;
pub use parse::Parser;
pub use semantics::Semantics;
pub use tree::Tree;

#[cfg(test)]
mod tests;

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
