//! The properties that the fuzz targets check, one module each, as plain functions: a fuzz target, a test and a replay of
//! saved inputs call the same `run`.
//!
//! `run` takes any bytes, sentence of the grammar or not, returns when the property holds or does not apply, and panics
//! when it fails.

pub mod csv;
pub mod fend;
pub mod json;
pub mod url;

#[cfg(test)]
mod tests;
