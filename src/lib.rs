//! Grammar-aware mutation for fuzz targets of [cargo-fuzz](https://github.com/rust-fuzz/cargo-fuzz).
//!
//! A fuzz target names a context-free grammar. From then on every input that it sees is a sentence of that grammar, and mutation is
//! steered toward the k-paths of the grammar that the campaign has not covered yet: chains of k of its symbols.
//!
//! # A target
//!
//! [`fuzz!`] defines a complete target: the callback, the mutator and the crossover. In `fuzz/fuzz_targets/parse.rs`:
//!
//! ```no_run
//! #![no_main]
//!
//! pleach::fuzz! {
//!     grammar: "grammars/json/json.ebnf",
//!     errors: 0.1,
//!     |text: &[u8]| {
//!         let Ok(value) = serde_json::from_slice::<serde_json::Value>(text) else { return };
//!         let printed = value.to_string();
//!         assert!(serde_json::from_str::<serde_json::Value>(&printed).is_ok());
//!     }
//! }
//! ```
//!
//! The path of the grammar is relative to the package of the target. That package needs pleach, and `libfuzzer-sys` under that very name:
//!
//! ```toml
//! [dependencies]
//! pleach = "0.1"
//! libfuzzer-sys = "0.4"
//! ```
//!
//! `pleach init` writes all of this, and `pleach fuzz parse 60s` runs it; both come with the package `pleach-cli`. A plain `cargo fuzz run parse`
//! works, too.
//!
//! # Settings
//!
//! `errors: 0.1` makes one input in ten slightly invalid, `codec: text` makes the corpus one of texts, `semantics:` names hooks for lengths,
//! checksums and declared names, `model:` follows samples: [`fuzz!`] explains each. Environment variables `PLEACH_…` set up the mutator without
//! another build: see [`libfuzzer`].
//!
//! A target that exists already can take the parts one by one: [`language!`] defines the grammar, [`Sentence`] is an argument of
//! `fuzz_target!`, and the methods of [`libfuzzer::Fuzzer`] fit `fuzz_mutator!` and `fuzz_crossover!`.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `compiled` | targets take grammars that `pleach convert` has compiled, and learned models |
//! | `libafl` | for targets that LibAFL runs by `libafl_libfuzzer`: k-paths are registered where it looks for counters |
//!
//! Neither is on by default.
//!
//! # More
//!
//! [`guide`] has a tutorial, the notation of grammars, the command line, and how it all works. Programs of your own that read
//! grammars, parse, generate or measure coverage use the crate [`pleach_core`].

#![deny(unsafe_code)]

#[cfg(any(doc, doctest))]
pub mod guide;
pub mod libfuzzer;

pub use libfuzzer::Sentence;
pub use pleach_core::{Grammar, Semantics, semantics};

/// The Rust of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
