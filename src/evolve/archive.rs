//! What a campaign has come to: totals, the best inputs for each goal, and from that the fitness of the inputs of a generation.
//!
//! FdLoop adds up shares from 0 to 1 by weight (section 3.3.1): new functions of all functions, mappings by a sigmoid, time of the
//! timeout, a failure as a tenth with the rest for a new one. Such shares are far apart: a timeout of seconds makes microseconds nothing,
//! and the last new functions are a hundredth where mappings are a half, so weights of 10 to 1 do not decide. [`Scale::Article`] is that.
//! [`Scale::Generation`] divides by the greatest value of the generation instead, so that the best input for a goal has 1; and what others
//! have covered before counts for less with each time, rather than for nothing, so that there is always something to select by.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::goal::{Goal, Weights};
use crate::mapping::Pairs;
use crate::runner::{Feedback, Input};

use pleach_core::rng::Rng;

/// What shares are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Of bounds that are known beforehand, as the article has it.
    Article,
    /// Of the greatest value in the generation.
    Generation,
}

/// An input that was run.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The input.
    pub input: Arc<Input>,
    /// What came of it.
    pub feedback: Feedback,
    /// Its features, ascending.
    pub features: Vec<u64>,
}

/// An input that is kept for a goal.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The input.
    pub input: Arc<Input>,
    /// How good it is: for coverage and mappings, how many were new with it; for failures, how many there were at its place; else the
    /// value itself, in nanoseconds for time.
    pub value: f64,
    /// The failure of the input, if it failed.
    pub failure: Option<String>,
    /// The generation that it came from.
    pub generation: u32,
}

/// What inputs have come to together.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Totals {
    /// Inputs that were run.
    pub inputs: u64,
    /// Functions that were covered.
    pub functions: u64,
    /// Functions that there are.
    pub function_count: u64,
    /// Pairs of a feature and a function.
    pub mappings: u64,
    /// Inputs that failed.
    pub failures: u64,
    /// Places of failures.
    pub distinct_failures: u64,
    /// The most nanoseconds that an input took.
    pub time: u64,
    /// The bytes of that input.
    pub slowest_len: u64,
    /// The nanoseconds of all inputs.
    pub total_time: u64,
    /// The greatest sum of edge counts.
    pub work: u64,
    /// The greatest value of each number.
    pub numbers: BTreeMap<String, f64>,
}

impl Totals {
    /// What they come to for a goal; nothing for a number that was never reported.
    pub fn of(&self, goal: &Goal) -> Option<f64> {
        Some(match goal {
            Goal::Coverage => self.functions as f64,
            Goal::Failures => self.failures as f64,
            Goal::DistinctFailures => self.distinct_failures as f64,
            Goal::Time => self.time as f64,
            Goal::Work => self.work as f64,
            Goal::Mappings => self.mappings as f64,
            Goal::Number(name) => return self.numbers.get(name).copied(),
        })
    }
}

/// What all inputs so far have come to, and the best of them.
#[derive(Clone, Debug)]
pub struct Archive {
    scale: Scale,
    /// How many inputs are kept for a goal.
    most: usize,
    /// How many inputs have covered each function.
    hits: Vec<u32>,
    pairs: Pairs,
    /// The most new mappings of an input.
    bound: f64,
    places: BTreeMap<String, u64>,
    totals: Totals,
    /// The nanoseconds per byte of each input.
    paces: Vec<f64>,
    best: BTreeMap<Goal, Vec<Kept>>,
    /// The inputs that have had new mappings last, the newest ones first: parents, since those that had most of them are old.
    newest: Vec<Arc<Input>>,
}

/// What a single input has come to for each goal, before it is made a share.
#[derive(Clone, Default, Debug)]
struct Values(BTreeMap<Goal, f64>);

impl Archive {
    /// An archive that keeps so many inputs for a goal.
    pub fn new(scale: Scale, most: usize) -> Archive {
        Archive {
            scale,
            most: most.max(1),
            hits: Vec::new(),
            pairs: Pairs::default(),
            bound: 0.0,
            places: BTreeMap::new(),
            totals: Totals::default(),
            paces: Vec::new(),
            best: BTreeMap::new(),
            newest: Vec::new(),
        }
    }

    /// What all inputs have come to.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The median of the nanoseconds per byte; nothing without inputs. O(inputs).
    pub fn median_pace(&self) -> Option<f64> {
        let mut paces = self.paces.clone();
        let middle = paces.len() / 2;
        let (_, median, _) =
            (!paces.is_empty()).then(|| paces.select_nth_unstable_by(middle, f64::total_cmp))?;
        Some(*median)
    }

    /// The places of failures, with how many inputs failed there.
    pub fn places(&self) -> &BTreeMap<String, u64> {
        &self.places
    }

    /// The best inputs for a goal, the best ones first. For coverage, all that covered something first, in their order; for distinct
    /// failures, the shortest input of each place; for failures, those that failed last.
    pub fn best(&self, goal: &Goal) -> &[Kept] {
        self.best.get(goal).map_or(&[], Vec::as_slice)
    }

    /// One of the best inputs, for a goal that is drawn by weight. Nothing if there is none for any.
    pub fn parent(&self, weights: &Weights, rng: &mut Rng) -> Option<&Arc<Input>> {
        let lists = weights
            .iter()
            .map(|(goal, weight)| (goal, weight, self.best(goal)));
        let lists: Vec<_> = lists.filter(|(_, _, list)| !list.is_empty()).collect();
        let total: f64 = lists.iter().map(|(_, weight, _)| weight).sum();
        let mut left = rng.bits() as f64 / u64::MAX as f64 * total;
        let (goal, _, list) = lists.iter().find(|(_, weight, _)| {
            left -= weight;
            left <= 0.0
        })?;
        // Those in front get most: the best ones, but of what was covered or mapped the newest.
        let mut draw = |len: usize| {
            let bound = rng.index(len) + 1;
            rng.index(bound)
        };
        match goal {
            Goal::Coverage => Some(&list[list.len() - 1 - draw(list.len())].input),
            Goal::Mappings => self.newest.get(draw(self.newest.len())),
            _ => Some(&list[draw(list.len())].input),
        }
    }

    /// Takes in a generation, and gives the fitness of each of its inputs. O(inputs · (functions + features · functions / 64)).
    pub fn take(
        &mut self,
        tried: &[Tried],
        generation: u32,
        weights: &Weights,
        function_count: usize,
        timeout: u64,
    ) -> Vec<f64> {
        self.totals.function_count = function_count as u64;
        let before = self.hits.clone();
        for it in tried {
            self.count(&it.feedback, it.input.text.len());
        }
        let mut found: Vec<bool> = before.iter().map(|&hits| hits > 0).collect();
        found.resize(self.hits.len(), false);
        let values: Vec<Values> = tried
            .iter()
            .map(|it| {
                self.keep_if_first(it, generation, &mut found);
                self.values(it, generation, &before)
            })
            .collect();
        let scales: Vec<(&Goal, f64, f64)> = weights
            .iter()
            .map(|(goal, weight)| (goal, weight, self.scale_of(goal, &values, timeout)))
            .collect();
        let fitness = values.iter().map(|Values(values)| {
            let shares = scales.iter().map(|&(goal, weight, scale)| {
                let value = values.get(goal).copied().unwrap_or(0.0);
                weight * self.share(goal, value, scale)
            });
            shares.sum()
        });
        fitness.collect()
    }

    /// Adds an input to what is counted.
    fn count(&mut self, feedback: &Feedback, len: usize) {
        let totals = &mut self.totals;
        totals.inputs += 1;
        if feedback.time > totals.time {
            totals.time = feedback.time;
            totals.slowest_len = len as u64;
        }
        self.paces.push(feedback.time as f64 / len.max(1) as f64);
        totals.total_time = totals.total_time.saturating_add(feedback.time);
        totals.work = totals.work.max(feedback.work);
        for &function in &feedback.functions {
            let at = function as usize;
            if self.hits.len() <= at {
                self.hits.resize(at + 1, 0);
            }
            totals.functions += u64::from(self.hits[at] == 0);
            self.hits[at] = self.hits[at].saturating_add(1);
        }
        if let Some(place) = &feedback.failure {
            totals.failures += 1;
            *self.places.entry(place.clone()).or_default() += 1;
            totals.distinct_failures = self.places.len() as u64;
        }
        for (name, &value) in &feedback.numbers {
            let greatest = totals.numbers.entry(name.clone()).or_insert(value);
            *greatest = greatest.max(value);
        }
    }

    /// Keeps an input that covers what nothing before it has.
    fn keep_if_first(&mut self, tried: &Tried, generation: u32, found: &mut [bool]) {
        let mut new = 0u32;
        for &function in &tried.feedback.functions {
            new += u32::from(!std::mem::replace(&mut found[function as usize], true));
        }
        if new > 0 {
            self.best.entry(Goal::Coverage).or_default().push(Kept {
                input: tried.input.clone(),
                value: new.into(),
                failure: tried.feedback.failure.clone(),
                generation,
            });
        }
    }

    /// What an input has come to, once all of its generation are counted; keeps it where it is one of the best.
    fn values(&mut self, tried: &Tried, generation: u32, before: &[u32]) -> Values {
        let Tried {
            input,
            feedback,
            features,
        } = tried;
        let kept = |value: f64| Kept {
            input: input.clone(),
            value,
            failure: feedback.failure.clone(),
            generation,
        };
        let is_new = |&&function: &&u32| before.get(function as usize).is_none_or(|&it| it == 0);
        let new = feedback.functions.iter().filter(is_new).count() as f64;
        let rare = |&function: &u32| 1.0 / f64::from(self.hits[function as usize].max(1));
        let coverage = match self.scale {
            Scale::Article => new,
            Scale::Generation => feedback.functions.iter().map(rare).sum(),
        };
        let all = (features.len() * feedback.functions.len()) as f64;
        let pairs = self.pairs.add(features, &feedback.functions) as f64;
        self.totals.mappings = self.pairs.count();
        self.bound = self.bound.max(pairs);
        let mappings = match self.scale {
            Scale::Article => pairs,
            // What is there already tells inputs apart where nothing is new.
            Scale::Generation => pairs + all / 1000.0,
        };
        if pairs > 0.0 {
            self.keep(Goal::Mappings, kept(pairs));
            self.newest.insert(0, input.clone());
            self.newest.truncate(self.most);
        }
        let (mut failures, mut distinct) = (0.0, 0.0);
        if let Some(place) = &feedback.failure {
            let there = self.places.get(place).copied().unwrap_or(1).max(1) as f64;
            let list = self.best.entry(Goal::DistinctFailures).or_default();
            let known = list
                .iter_mut()
                .find(|it| it.failure.as_ref() == Some(place));
            distinct = match (&known, self.scale) {
                (None, _) => 1.0,
                (Some(_), Scale::Article) => 0.0,
                (Some(_), Scale::Generation) => 1.0 / there,
            };
            failures = 0.1 + 0.9 * distinct;
            match known {
                None => list.push(kept(there)),
                Some(known) if input.text.len() < known.input.text.len() => *known = kept(there),
                Some(known) => known.value = there,
            }
            let last = self.best.entry(Goal::Failures).or_default();
            if last.iter().all(|it| it.input.text != input.text) {
                last.insert(0, kept(there));
                last.truncate(self.most);
            }
        }
        self.keep(Goal::Time, kept(feedback.time as f64));
        self.keep(Goal::Work, kept(feedback.work as f64));
        let mut values = BTreeMap::from([
            (Goal::Coverage, coverage),
            (Goal::Mappings, mappings),
            (Goal::Failures, failures),
            (Goal::DistinctFailures, distinct),
            (Goal::Time, feedback.time as f64),
            (Goal::Work, feedback.work as f64),
        ]);
        for (name, &value) in &feedback.numbers {
            let goal = Goal::Number(name.clone());
            self.keep(goal.clone(), kept(value));
            values.insert(goal, value);
        }
        Values(values)
    }

    /// Keeps an input if it is one of the best for a goal.
    fn keep(&mut self, goal: Goal, kept: Kept) {
        let list = self.best.entry(goal).or_default();
        let at = list.partition_point(|it| it.value >= kept.value);
        if at >= self.most {
            return;
        }
        if let Some(same) = list.iter().position(|it| it.input.text == kept.input.text) {
            if same < at {
                return;
            }
            list.remove(same);
        }
        list.insert(at, kept);
        list.truncate(self.most);
    }

    /// What the values of a goal are divided by.
    fn scale_of(&self, goal: &Goal, values: &[Values], timeout: u64) -> f64 {
        let of_generation = || {
            let values = values.iter().filter_map(|Values(it)| it.get(goal));
            values.fold(0.0, |most: f64, &value| most.max(value))
        };
        match (self.scale, goal) {
            (Scale::Article, Goal::Coverage) => self.totals.function_count as f64,
            (Scale::Article, Goal::Mappings) => self.bound,
            (Scale::Article, Goal::Failures | Goal::DistinctFailures) => 1.0,
            (Scale::Article, Goal::Time) => timeout as f64,
            (Scale::Article, Goal::Work) => self.totals.work as f64,
            (Scale::Article, Goal::Number(name)) => {
                self.totals.numbers.get(name).copied().unwrap_or(0.0)
            }
            (Scale::Generation, _) => of_generation(),
        }
    }

    /// A value as a share from 0 to 1.
    fn share(&self, goal: &Goal, value: f64, scale: f64) -> f64 {
        if scale <= 0.0 || !value.is_finite() {
            return 0.0;
        }
        let share = value / scale;
        match (self.scale, goal) {
            // A sigmoid that is nearly linear where there are few; the article has a bound that was found beforehand.
            (Scale::Article, Goal::Mappings) => share.max(0.0).tanh(),
            _ => share.clamp(0.0, 1.0),
        }
    }
}
