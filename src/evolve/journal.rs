//! Going on with a campaign that has ended early: what its inputs have come to, written down, takes the place of running them again.
//!
//! A campaign depends on its settings, its seeds, and what a [`Runner`] says of the inputs. So whoever keeps what it said can do all steps
//! anew without it, and is then where the campaign was, with every part of it: the distribution, the mutator's experience, the random
//! numbers. That takes what a campaign takes without its program. Each call has a digest of its inputs, so that a journal of another campaign is
//! noticed.

use std::collections::VecDeque;
use std::hash::Hasher as _;

use siphasher::sip::SipHasher13;

use crate::runner::{Feedback, Input, Runner};

/// What came of one call of a runner.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// A digest of the inputs.
    pub inputs: u64,
    /// How many functions there were to cover.
    pub function_count: usize,
    /// What came of each input.
    pub feedback: Vec<Feedback>,
}

/// A runner that is asked only for what is not in a journal, and writes down what it says.
#[derive(Debug)]
pub struct Journaled<R> {
    runner: R,
    past: VecDeque<Call>,
    calls: Vec<Call>,
    function_count: usize,
}

/// Why inputs with a journal cannot be run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped<E> {
    /// The runner cannot run them.
    Runner(E),
    /// The journal is about other inputs.
    OtherInputs,
}

impl<R: Runner> Journaled<R> {
    /// A runner that begins with these calls.
    pub fn new(runner: R, past: impl IntoIterator<Item = Call>) -> Journaled<R> {
        Journaled {
            runner,
            past: past.into_iter().collect(),
            calls: Vec::new(),
            function_count: 0,
        }
    }

    /// The runner behind it.
    pub fn into_runner(self) -> R {
        self.runner
    }

    /// Whether what comes next is in the journal.
    pub fn is_past(&self) -> bool {
        !self.past.is_empty()
    }

    /// The calls since the last time, but for those that were in the journal.
    pub fn take(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.calls)
    }
}

impl<R: Runner> Runner for Journaled<R> {
    type Error = Stopped<R::Error>;

    fn run(&mut self, inputs: &[Input]) -> Result<Vec<Feedback>, Stopped<R::Error>> {
        let digest = digest(inputs);
        if let Some(call) = self.past.pop_front() {
            if call.inputs != digest || call.feedback.len() != inputs.len() {
                return Err(Stopped::OtherInputs);
            }
            self.function_count = call.function_count;
            return Ok(call.feedback);
        }
        let feedback = self.runner.run(inputs).map_err(Stopped::Runner)?;
        self.function_count = self.runner.function_count();
        self.calls.push(Call {
            inputs: digest,
            function_count: self.function_count,
            feedback: feedback.clone(),
        });
        Ok(feedback)
    }

    fn function_count(&self) -> usize {
        self.function_count
    }

    fn timeout(&self) -> u64 {
        self.runner.timeout()
    }
}

fn digest(inputs: &[Input]) -> u64 {
    let mut hasher = SipHasher13::new();
    for input in inputs {
        for part in [&input.choices, &input.text] {
            hasher.write_u64(part.len() as u64);
            hasher.write(part);
        }
    }
    hasher.finish()
}
