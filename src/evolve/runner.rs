//! Who runs inputs, and what comes of them.

use std::collections::BTreeMap;

/// An input: a derivation, and its text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Input {
    /// The choice sequence.
    pub choices: Vec<u8>,
    /// The sentence, without what a program's own hooks would change.
    pub text: Vec<u8>,
}

/// What came of running an input.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Feedback {
    /// The functions that were covered, by numbers below [`Runner::function_count`], ascending.
    pub functions: Vec<u32>,
    /// Where the run failed, if it did: the same text for the same failure.
    pub failure: Option<String>,
    /// CPU time in nanoseconds.
    pub time: u64,
    /// The sum of edge counts.
    pub work: u64,
    /// The greatest value of each number that the program has reported.
    pub numbers: BTreeMap<String, f64>,
}

/// Runs inputs.
pub trait Runner {
    /// Why inputs cannot be run. An input that fails is not an error.
    type Error;

    /// Runs inputs, and says what came of each, in their order.
    ///
    /// # Errors
    ///
    /// If they could not be run. Then the campaign is where it was before.
    fn run(&mut self, inputs: &[Input]) -> Result<Vec<Feedback>, Self::Error>;

    /// How many functions there are to cover. Asked after a run.
    fn function_count(&self) -> usize;

    /// The nanoseconds after which a run is ended.
    fn timeout(&self) -> u64;
}
