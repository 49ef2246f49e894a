//! The properties that the fuzz targets check are the subjects of the arena (`arena/subjects`), as plain functions: a fuzz target, a
//! test, the arena and a replay of saved inputs call the same `run`. Here they are tested on the snippets beside the grammars.
//!
//! `run` takes any bytes, sentence of the grammar or not, returns whether the program under test has accepted them, and panics when
//! the property fails.

#[cfg(feature = "itself")]
pub mod compiled;
pub mod container;
#[cfg(feature = "itself")]
pub mod import;
#[cfg(feature = "png")]
pub mod png;
#[cfg(feature = "itself")]
pub mod tokens;

#[cfg(all(test, feature = "tested"))]
mod tests;
