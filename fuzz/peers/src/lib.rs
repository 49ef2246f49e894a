//! What the measuring programs share: the clock and the numbers in their tables.

pub mod harness;
pub mod table;
