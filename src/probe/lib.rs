//! What inputs reach in a fuzz target: verdict, time, and covered functions.
//!
//! A target of pleach that is started with `PLEACH_PROBE` in its environment is a *probe*: it runs the inputs that it is handed one
//! after the other, and records for each what became of it and which of the sanitizer's counters it has touched. This
//! crate is the asking side. It knows nothing of grammars: inputs are bytes.
//!
//! | type | is |
//! |---|---|
//! | [`Probe`] | asks a target, as often as it takes: an input that fails ends a process |
//! | [`Probed`] | what all inputs have come to: a [`Run`] for each, and the different sets of [`Points`] that they have covered |
//! | [`Hooks`] | which of the engine's entries a program defines |
//! | [`Symbols`] | which [`Function`]s a covered point stands for, by the program's debug information |
//!
//! ```no_run
//! use pleach_probe::{Probe, Symbols};
//!
//! # fn main() -> Result<(), pleach_probe::Error> {
//! let program = "target/pleach/x86_64-unknown-linux-gnu/release/json";
//! let probed = Probe::new(program).texts().run(&["[1, 2]", "[1, 2"], |_| {})?;
//! let symbols = Symbols::read(program.as_ref(), &probed.table, &[])?;
//! for (number, run) in probed.runs.iter().enumerate() {
//!     let functions = symbols.reached(probed.points(number));
//!     println!("{}: {} functions", run.verdict, functions.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Cost
//!
//! A process for each input that fails, and one for all others. Memory for each different set of points: four bytes a point.

#![forbid(unsafe_code)]

mod error;
mod hooks;
mod name;
mod package;
mod probe;
mod records;
mod run;
mod symbols;

pub use error::Error;
pub use hooks::Hooks;
pub use package::Package;
pub use probe::Probe;
pub use run::{Place, Points, Probed, Run, Table, Verdict};
pub use symbols::{Function, FunctionId, Symbols};
