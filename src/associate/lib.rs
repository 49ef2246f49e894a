//! What in the input goes with what in the program.
//!
//! A text has *features*: which k-paths occur in its derivations, how often and how deep nonterminals are used, how long and how large its
//! leaves are. A program, run with the text, gives *classes*: the functions that it reaches, the way that it ends. From many texts
//! and their classes a small decision tree is learned for each class, over the features (TOSEM article, section 5, where the tool is called
//! CODEINE; the features that count and measure are those of ALHAZEN). A tree explains when the class occurs, predicts it without a
//! run, and is satisfied by inputs that are made for it.
//!
//! | step | module |
//! |---|---|
//! | texts to features | [`features`], `quantities` |
//! | features to columns of bits, constant ones left out and equal ones merged | [`columns`] |
//! | a class to its tree | [`learn`], [`tree`] |
//! | all trees, and what they ask | [`model`]; as a file [`stored`]; in words [`words`] |
//! | a tree to inputs that satisfy it | [`aim`] |
//!
//! The crate starts no processes and reads no files: texts and classes come in, whoever found them out.

#![forbid(unsafe_code)]

pub mod aim;
pub mod columns;
pub mod features;
pub mod learn;
pub mod model;
mod quantities;
pub mod stored;
pub mod tree;
pub mod words;

#[cfg(test)]
mod tests;

pub use aim::Aim;
pub use columns::Columns;
pub use features::{Extractor, Feature, FeatureVector, Features, Quantity};
pub use learn::{Balance, Learner};
pub use model::Model;
pub use tree::Tree;
