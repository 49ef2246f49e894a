//! Running the inputs of a campaign in a target.
//!
//! What is covered are functions, by the target's debug information. Where there is none to be read, the points of the program that have a
//! counter take their place.

use std::collections::BTreeMap;

use pleach_core::Codec;
use pleach_evolve::{Feedback, Input, Runner};
use pleach_probe::{FunctionId, Points, Probed, Symbols};

use crate::failure::{Failure, warn};
use crate::interrupt::Interrupt;
use crate::target::Subject;

/// Why a campaign stops before its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// Inputs cannot be run.
    Failed(Failure),
    /// The user wants an end.
    Interrupted,
}

/// Asks a target.
pub(super) struct Probing<'a> {
    subject: &'a Subject,
    packages: &'a [String],
    codec: Codec,
    places: Option<Places>,
}

/// What the points of a program stand for.
enum Places {
    /// Functions, of which some count, with numbers of their own.
    Functions(Symbols, BTreeMap<FunctionId, u32>),
    /// Nothing but themselves: so many.
    Points(usize),
}

impl Places {
    /// The numbers of what a set of points covers, ascending.
    fn covered(&self, points: &Points) -> Vec<u32> {
        match self {
            Places::Functions(symbols, numbers) => {
                let reached = symbols.reached(points).into_iter();
                reached.filter_map(|id| numbers.get(&id).copied()).collect()
            }
            Places::Points(_) => points.as_slice().to_vec(),
        }
    }

    fn count(&self) -> usize {
        match self {
            Places::Functions(_, numbers) => numbers.len(),
            Places::Points(count) => *count,
        }
    }
}

impl<'a> Probing<'a> {
    /// A runner that counts the functions of these packages, or of those that the target tests.
    pub(super) fn new(subject: &'a Subject, packages: &'a [String]) -> Probing<'a> {
        Probing {
            codec: Codec::new(&subject.source.graph),
            subject,
            packages,
            places: None,
        }
    }

    /// Finds the functions, at the first run.
    fn places(&mut self, probed: &Probed) -> Result<&Places, Failure> {
        let places = match self.places.take() {
            Some(places) => places,
            None => self.find(probed)?,
        };
        Ok(self.places.insert(places))
    }

    fn find(&self, probed: &Probed) -> Result<Places, Failure> {
        let symbols = match self.subject.symbols(&probed.table, self.packages) {
            Ok(symbols) => symbols,
            Err(failure) if !self.packages.is_empty() => return Err(failure),
            Err(_) => {
                warn(format_args!(
                    "the functions of `{}` cannot be read, so the edges of its program count instead",
                    self.subject.name
                ));
                return Ok(Places::Points(probed.table.places.len()));
            }
        };
        let own = (0..)
            .zip(symbols.functions())
            .filter(|(_, it)| it.is_own)
            .map(|(id, _)| FunctionId(id));
        let numbers = own.zip(0..).collect();
        Ok(Places::Functions(symbols, numbers))
    }

    /// What inputs have come to, in terms of a campaign.
    fn feedback(&mut self, probed: &Probed) -> Result<Vec<Feedback>, Failure> {
        let places = self.places(probed)?;
        let sets = probed.sets.iter().map(|set| places.covered(set));
        let sets: Vec<Vec<u32>> = sets.collect();
        let runs = probed.runs.iter().map(|run| Feedback {
            functions: sets[run.reached].clone(),
            failure: run.verdict.is_failure().then(|| run.verdict.to_string()),
            time: u64::try_from(run.cpu.as_nanos()).unwrap_or(u64::MAX),
            work: run.count.unwrap_or(0),
            numbers: run
                .numbers
                .iter()
                .map(|&(name, number)| (probed.names[name].clone(), number))
                .collect(),
        });
        Ok(runs.collect())
    }
}

impl Probing<'_> {
    /// What came of texts, sentences or not; of so many runs of each, the time is the shortest.
    pub(super) fn measure(&mut self, texts: &[Vec<u8>], times: u32) -> Result<Vec<Feedback>, Stop> {
        // What runs first takes longer, whatever it is: it warms up the process.
        let first = texts.first().cloned();
        let all: Vec<Vec<u8>> = first.into_iter().chain(texts.iter().cloned()).collect();
        let mut feedback = self.run_texts(&all)?;
        for _ in 1..times {
            for (it, again) in feedback.iter_mut().zip(self.run_texts(&all)?) {
                it.time = it.time.min(again.time);
            }
        }
        Ok(feedback.into_iter().skip(1).collect())
    }

    fn run_texts(&mut self, texts: &[Vec<u8>]) -> Result<Vec<Feedback>, Stop> {
        let prober = self.subject.prober().numbers();
        let probed = prober.run(texts, |_| {});
        // Whatever became of a process that was interrupted as well.
        if Interrupt::is_set() {
            return Err(Stop::Interrupted);
        }
        let probed = probed.map_err(|error| Stop::Failed(error.into()))?;
        self.feedback(&probed).map_err(Stop::Failed)
    }
}

impl Runner for Probing<'_> {
    type Error = Stop;

    fn run(&mut self, inputs: &[Input]) -> Result<Vec<Feedback>, Stop> {
        let choices: Vec<Vec<u8>> = inputs.iter().map(|it| it.choices.clone()).collect();
        // What hooks make right, only the target can render.
        let texts = self.subject.texts_of(&self.codec, &choices);
        self.run_texts(&texts.map_err(Stop::Failed)?)
    }

    fn function_count(&self) -> usize {
        self.places.as_ref().map_or(0, Places::count)
    }

    fn timeout(&self) -> u64 {
        u64::try_from(self.subject.timeout().as_nanos()).unwrap_or(u64::MAX)
    }
}
