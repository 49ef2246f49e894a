//! Mutation: structural operators on choice sequences, steered toward uncovered k-paths.
//!
//! A [`Session`] holds one input as a site index, changes it by one operator at a time, and gives out the canonical choice
//! sequence together with the rendered sentence. As long as the next input to mutate is the one that was given out last, the
//! index is kept and only what an operator replaces is derived, so a mutation costs a splice.
//!
//! Steering is one force among several: a share of the mutations seeks an uncovered k-path ([`operators::Seek`]), the others
//! are drawn by weight. Operators count the sites they can work on and are applied to the i-th; one that turns out not to
//! apply gives way to the next, in a fixed order, so nothing is retried.

mod edit;
mod kinds;
mod operator;
pub mod operators;
mod work;

use std::sync::Arc;

use crate::choice::Codec;
use crate::graph::Graph;
use crate::kpath::{Coverage, Error, KPaths, WindowTable};
use crate::rng::Rng;

pub use kinds::Kind;
pub use operator::Operator;
pub use work::{Budget, ItemSource, Part, Size, Workspace};

/// The share of steered mutations, out of 1000, unless set otherwise.
pub const DEFAULT_STEERING: u32 = 250;

/// What a mutation did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The operator of this name changed the input.
    Mutated(&'static str),
    /// No operator applied: the grammar has a single sentence, or the limits forbid all others.
    Exhausted,
}

/// A configured mutator with its memory.
#[derive(Debug)]
pub struct Session {
    work: Workspace,
    operators: Vec<Box<dyn Operator>>,
    total_weight: u32,
    steering: u32,
    /// The canonical choices of the input in the workspace.
    given: Vec<u8>,
}

impl Session {
    /// A session that steers toward k-paths of the given k.
    ///
    /// # Errors
    ///
    /// Those of counting k-paths and keeping their coverage: a smaller k helps.
    pub fn new(graph: &Arc<Graph>, k: usize) -> Result<Session, Error> {
        let kpaths = KPaths::new(graph, k)?;
        let windows = WindowTable::new(&kpaths)?;
        let codec = Arc::new(Codec::new(graph).with_windows(&windows));
        let coverage = Coverage::new(&kpaths)?;
        let mut session = Session {
            work: Workspace::new(&codec, coverage, Rng::new(0)),
            operators: Vec::new(),
            total_weight: 0,
            steering: DEFAULT_STEERING,
            given: Vec::new(),
        };
        for operator in operators::all() {
            session.register(operator);
        }
        session.keep();
        Ok(session)
    }

    /// Adds an operator.
    pub fn register(&mut self, operator: Box<dyn Operator>) {
        self.total_weight += operator.weight();
        self.operators.push(operator);
    }

    /// Sets how many of 1000 mutations are steered.
    pub fn steer(&mut self, per_mille: u32) {
        self.steering = per_mille.min(1000);
    }

    /// Sets the bounds of mutated inputs.
    pub fn limit(&mut self, budget: Budget) {
        self.work.limits = budget;
    }

    /// The codec.
    pub fn codec(&self) -> &Arc<Codec> {
        self.work.codec()
    }

    /// What has been covered, by [`Session::mark`].
    pub fn coverage(&self) -> &Coverage {
        self.work.coverage()
    }

    /// The choices of the present input, canonical.
    pub fn choices(&self) -> &[u8] {
        &self.given
    }

    /// The sentence of the present input.
    pub fn sentence(&self) -> &[u8] {
        self.work.index().text()
    }

    /// The windows of the present input.
    pub fn windows(&self) -> impl Iterator<Item = u32> + '_ {
        self.work.index().windows()
    }

    /// Makes `choices` the present input, decoding it unless it is already.
    pub fn load(&mut self, choices: &[u8]) {
        if self.given != choices {
            self.work.load(choices);
            self.given.clear();
            self.given.extend_from_slice(choices);
        }
    }

    /// Makes the derivation of `choices` the present input, in canonical form. False if it is the present one already.
    pub fn adopt(&mut self, choices: &[u8]) -> bool {
        self.work.load(choices);
        let before = std::mem::take(&mut self.given);
        self.keep();
        before != self.given
    }

    /// True in `per_mille` of 1000 cases.
    pub fn draw(&mut self, per_mille: u32) -> bool {
        self.work.rng().per_mille(per_mille)
    }

    /// Marks the present input's windows as covered and says how many were new.
    pub fn mark(&mut self) -> usize {
        let Workspace {
            coverage, index, ..
        } = &mut self.work;
        coverage.add(index.windows())
    }

    /// Gives the random numbers a new seed.
    pub fn seed(&mut self, seed: u64) {
        *self.work.rng() = Rng::new(seed);
    }

    /// Changes the present input by one operator, so that its choices fit `max_size` bytes.
    ///
    /// [`Session::choices`] is never empty afterwards, and never longer than `max_size`, unless that is 0.
    pub fn mutate(&mut self, max_size: usize) -> Outcome {
        self.work.limits.max_choices = max_size;
        let shrink = self.work.index().canonical().len() > max_size;
        let outcome = self.change(shrink);
        self.keep();
        self.fit(max_size);
        outcome
    }

    /// Replaces part of the present input by a compatible part of another, or mutates it if there is none.
    pub fn cross(&mut self, donor: &[u8], max_size: usize) -> Outcome {
        self.work.limits.max_choices = max_size;
        self.work.load_donor(donor);
        let outcome = if self.apply(&operators::Transplant) {
            Outcome::Mutated(operators::Transplant.name())
        } else {
            self.change(false)
        };
        self.work.donor.clear();
        self.keep();
        self.fit(max_size);
        outcome
    }

    /// Changes the present input by one operator, so that its *sentence* fits `max_len` bytes, whatever its choices take.
    ///
    /// No edit lengthens the sentence beyond them. One that is longer already is shortened, but by one operator, which may
    /// not be enough: [`Session::cut`] is.
    pub fn mutate_text(&mut self, max_len: usize) -> Outcome {
        self.within(max_len, |session| {
            let shrink = session.sentence().len() > max_len;
            session.change(shrink)
        })
    }

    /// Replaces part of the present input by a compatible part of another, or mutates it if there is none, within the bound of
    /// [`Session::mutate_text`].
    pub fn cross_text(&mut self, donor: &[u8], max_len: usize) -> Outcome {
        self.within(max_len, |session| {
            session.work.load_donor(donor);
            let outcome = if session.apply(&operators::Transplant) {
                Outcome::Mutated(operators::Transplant.name())
            } else {
                session.change(session.sentence().len() > max_len)
            };
            session.work.donor.clear();
            outcome
        })
    }

    /// Makes a random derivation the present input, or the shortest one if the bounds forbid what was derived.
    pub fn renew(&mut self, max_len: usize) {
        self.within(max_len, |session| {
            session.load(&[]);
            let size = Size::draw(session.work.rng());
            session.work.replace(0, Part::Random(size))
        });
    }

    fn within<T>(&mut self, max_len: usize, change: impl FnOnce(&mut Session) -> T) -> T {
        let limits = self.work.limits;
        self.work.limits.max_len = limits.max_len.min(max_len);
        let changed = change(self);
        self.work.limits = limits;
        self.keep();
        changed
    }

    /// Cuts choices off the present input's end until its sentence, closed off there, has at most `max_len` bytes. False if
    /// even the sentence of no choices is longer.
    pub fn cut(&mut self, max_len: usize) -> bool {
        let choices = self.given.clone();
        let mut len = choices.len();
        while self.sentence().len() > max_len {
            if len == 0 {
                return false;
            }
            len -= len.div_ceil(4);
            self.adopt(&choices[..len]);
        }
        true
    }

    fn change(&mut self, shrink: bool) -> Outcome {
        if !shrink && self.work.rng().per_mille(self.steering) && self.apply(&operators::Seek) {
            return Outcome::Mutated(operators::Seek.name());
        }
        let operators = std::mem::take(&mut self.operators);
        let drawn = self.work.rng().below(self.total_weight);
        let mut sum = 0;
        let first = operators
            .iter()
            .position(|operator| {
                sum += operator.weight();
                drawn < sum
            })
            .unwrap_or(0);
        let (before, from) = operators.split_at(first);
        let applied = from
            .iter()
            .chain(before)
            .filter(|operator| !shrink || operator.shrinks())
            .find(|operator| self.apply(operator.as_ref()))
            .map(|operator| operator.name());
        self.operators = operators;
        applied.map_or(Outcome::Exhausted, Outcome::Mutated)
    }

    /// Applies an operator at one of its sites, drawn uniformly.
    pub fn apply(&mut self, operator: &dyn Operator) -> bool {
        let count = operator.count(&self.work);
        let i = self.work.rng().index(count);
        count > 0 && operator.apply(&mut self.work, i)
    }

    /// Takes the workspace's input as the present one.
    fn keep(&mut self) {
        self.given.clear();
        self.given.extend_from_slice(self.work.index().canonical());
        if self.given.is_empty() {
            // The engine must not see an empty result, and any first choice in full decodes to the same.
            let first = self.work.index().choices().first().copied();
            self.given.push(first.unwrap_or(0));
        }
    }

    /// Cuts the present input to a size; what is lost is closed off.
    fn fit(&mut self, max_size: usize) {
        if self.given.len() > max_size {
            self.given.truncate(max_size);
            let choices = std::mem::take(&mut self.given);
            self.work.load(&choices);
            self.given = choices;
        }
    }
}

#[cfg(test)]
mod tests;
