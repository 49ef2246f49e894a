//! What inputs reach in a fuzz target: verdict, time, and covered functions.
//!
//! A target of pleach that is started with `PLEACH_PROBE` in its environment is a *probe*: it runs the inputs that it is handed one
//! after the other, and records for each what became of it and which of the sanitizer's counters it has touched. This
//! crate is the asking side. It knows nothing of grammars: inputs are bytes.
//!
//! | type | is |
//! |---|---|
//! | [`Probed`] | what all inputs have come to: a [`Run`] for each, and the different sets of [`Points`] that they have covered |
//! | [`Symbols`] | which [`Function`]s a covered point stands for, by the program's debug information |

#![forbid(unsafe_code)]

mod run;
mod symbols;

pub use run::{Points, Probed, Run, Verdict};
pub use symbols::{Function, FunctionId, Symbols};
