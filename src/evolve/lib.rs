//! Campaigns with goals: a distribution over a grammar, and inputs, that evolve toward what somebody wants.
//!
//! An engine like libFuzzer has one goal, new edges. Others want the slowest input, the most different failures, or the largest value of
//! a number that the program reports. FdLoop (*Directed Grammar-Based Test Generation*, figure 3) gets there by a loop: learn how likely
//! each choice of the grammar is from some inputs, make inputs by that, mutate them, run all, select the fittest, learn from those,
//! mutate the distribution, go on. [`Campaign`] is that loop; [`Settings::article`] has the article's parameters, and the default settings have
//! more: the best inputs so far become parents, and some inputs are always made without regard to what was learned, so that
//! nothing is lost for good.
//!
//! | module | what |
//! |---|---|
//! | [`goal`] | what is wanted, and how much: goals, weights (section 4.2) |
//! | [`runner`] | who runs the inputs, and what comes of one |
//! | [`archive`] | what a campaign has come to, the best inputs for each goal, and the fitness of an input (section 3.3) |
//! | [`mapping`] | pairs of a feature of the input and a function (section 3.2) |
//! | [`mutator`] | bit flips in leaves, and swaps of subtrees (section 3.5) |
//! | [`source`] | where inputs come from: models, the grammar, covering sets |
//! | [`settings`] | what a campaign is like |
//! | [`campaign`] | the loop |
//! | [`journal`] | going on with a campaign that has ended early |
//!
//! Nothing here knows what a program is: a [`Runner`] takes inputs and says what came of them. A campaign with a deterministic runner is
//! deterministic.

#![forbid(unsafe_code)]

pub mod archive;
pub mod campaign;
pub mod goal;
pub mod journal;
pub mod mapping;
pub mod mutator;
pub mod runner;
pub mod settings;
pub mod source;

#[cfg(test)]
mod tests;

pub use archive::{Archive, Kept, Totals};
pub use campaign::{Campaign, Generation};
pub use goal::{Goal, Weights};
pub use journal::{Call, Journaled, Stopped};
pub use runner::{Feedback, Input, Runner};
pub use settings::{Settings, Strategy};
