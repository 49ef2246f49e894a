//! Mutation: structural operators on choice sequences, steered toward k-paths that are not covered.
//!
//! A [`Session`] reads a parent once, into a site index that is kept. A mutation is one operator's edit of it: only what is put there
//! is derived, and the canonical choice sequence and the sentence that are given out are the parent's, copied, with the new parts in
//! between. As long as the next input to mutate is the one that was given out last, edits of the same parent add up.
//!
//! A campaign begins with a covering set, input by input. Then steering is one force among several: a share of the mutations
//! seeks an uncovered k-path ([`operators::Seek`]), a share is the engine's ([`operators::Bytes`], [`operators::Reword`]), the
//! others are drawn by weight; all shares follow what the operators have yielded ([`Tally`]). An operator says on which kind of
//! sites it works; the site is drawn by what the operator has yielded at the sites of the same nonterminal. Where it turns out not
//! to apply, others are drawn a few times and then tried from a random one on, each once, so nothing is retried without end.
//!
//! On demand a share of the inputs is slightly invalid ([`Session::set_errors`], [`crate::slip`]), and a share is texts that the engine has
//! changed as a whole ([`Session::set_verbatim`]).

mod aim;
mod apply;
mod bounds;
mod edit;
mod edits;
mod engine;
mod faults;
mod guidance;
mod heuristic;
mod kinds;
mod length;
mod opening;
mod operator;
pub mod operators;
mod parent;
mod places;
mod pool;
mod present;
mod scalars;
mod slips;
mod steering;
mod variations;
mod verbatim;
mod work;
mod yields;

use std::sync::Arc;

use crate::choice::Codec;
use crate::graph::Graph;
use crate::kpath::{Coverage, Error, KPaths, WindowTable};
use crate::model::{Model, Reading};
use crate::rng::Rng;

pub use aim::Constraint;
pub use engine::ByteMutator;
pub use heuristic::{Heuristic, Heuristics, UnknownHeuristic};
pub use kinds::Kind;
pub use length::DEFAULT_LEN_CONTROL;
pub use operator::Operator;
pub use steering::{DEFAULT_FEATURE_LEVEL, MAX_WINDOWS};
pub use work::{Budget, ItemSource, Part, Size, Workspace};
pub use yields::Tally;
pub use yields::{hash, place_of};

use aim::Aim;
use guidance::Guidance;
use length::Length;
use opening::Opening;
use parent::Parents;
use present::{Present, Renderer};
use yields::{Maker, Yields};

/// The share of steered mutations, out of 1000, unless set otherwise.
pub const DEFAULT_STEERING: u32 = 250;

/// What an input of the covering set that a campaign begins with counts as.
const OPENING: &str = "opening";

/// What a mutation did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The operator of this name changed the input; `opening`: it is one of the set that a campaign begins with.
    Mutated(&'static str),
    /// No operator applied: the grammar has a single sentence, or the limits forbid all others.
    Exhausted,
}

/// A configured mutator with its memory.
#[derive(Debug)]
pub struct Session {
    work: Workspace,
    operators: Vec<Box<dyn Operator>>,
    yields: Yields,
    length: Length,
    opening: Opening,
    /// The longest inputs that the campaign has begun with.
    longest: Longest,
    has_begun: bool,
    /// Shares out of 1000.
    steering: u32,
    bytes: u32,
    reword: u32,
    errors: u32,
    verbatim: u32,
    present: Present,
    /// What was read before.
    parents: Parents,
    renderer: Renderer,
    /// The operator that made the present input, until it has run.
    maker: Option<Maker>,
}

/// The length of the longest input, and that of the longest text.
#[derive(Clone, Copy, Debug, Default)]
struct Longest {
    choices: usize,
    text: usize,
}

/// The numbers of the operators that have shares of their own.
const SEEK: usize = 0;
const BYTES: usize = 1;
const REWORD: usize = 2;
const SLIP: usize = 3;
const TRANSPLANT: usize = 4;
const VERBATIM: usize = 5;
const APPROACH: usize = 6;
/// The number of the first operator that is drawn by weight.
const FIRST: usize = 7;

impl Session {
    /// A session that steers toward k-paths of up to the given k.
    ///
    /// # Errors
    ///
    /// Those of counting k-paths and keeping their coverage: a smaller k helps.
    pub fn new(graph: &Arc<Graph>, k: usize) -> Result<Session, Error> {
        let kpaths = KPaths::new(graph, k)?;
        if kpaths.window_count() > MAX_WINDOWS {
            return Err(Error::TooMany {
                k,
                count: kpaths.window_count(),
            });
        }
        let windows = WindowTable::new(&kpaths)?;
        let codec = Arc::new(Codec::new(graph).with_windows(&windows));
        let coverage = Coverage::new(&kpaths)?;
        let mut session = Session {
            work: Workspace::new(&codec, coverage, Rng::new(0)),
            operators: Vec::new(),
            yields: Yields::new(graph.grammar().productions().len()),
            length: Length::new(0),
            opening: Opening::default(),
            longest: Longest::default(),
            has_begun: false,
            steering: DEFAULT_STEERING,
            bytes: 0,
            reword: 0,
            errors: 0,
            verbatim: 0,
            present: Present::default(),
            parents: Parents::default(),
            renderer: Renderer::default(),
            maker: None,
        };
        // The first ones have shares of their own; those from slips on are never drawn.
        let own: [(Box<dyn Operator>, &'static str); FIRST] = [
            (Box::new(operators::Seek), "seek"),
            (Box::new(operators::Bytes), "bytes"),
            (Box::new(operators::Reword), "reword"),
            (Box::new(operators::Slip), "slip"),
            (Box::new(operators::Transplant), "transplant"),
            (Box::new(operators::Verbatim), "verbatim"),
            (Box::new(operators::Approach), "approach"),
        ];
        for (operator, name) in own {
            session.yields.add(name, 0.0);
            session.operators.push(operator);
        }
        for operator in operators::all() {
            session.register(operator);
        }
        session.encode();
        session.render();
        Ok(session)
    }

    /// Adds an operator.
    pub fn register(&mut self, operator: Box<dyn Operator>) {
        self.yields.add(operator.name(), 0.0);
        self.operators.push(operator);
        self.share_out();
    }

    /// Goes on without some heuristics; for use before the first mutation.
    pub fn leave_out(&mut self, heuristics: Heuristics) {
        for heuristic in heuristics.iter() {
            match heuristic {
                Heuristic::Operators => self.yields.is_level = true,
                Heuristic::Sites => self.yields.places.is_level = true,
                Heuristic::Opening => self.opening = Opening::Over,
                Heuristic::Scalars => self.work.scalars.is_off = true,
                Heuristic::Borrowing => self.unregister(&operators::Borrow),
                Heuristic::Absorbing => self.unregister(&operators::Absorb),
                Heuristic::Schedule => {}
            }
        }
    }

    /// Takes an operator away that is drawn by weight.
    fn unregister(&mut self, operator: &dyn Operator) {
        let is_it = |own: &dyn Operator| own.name() == operator.name();
        if let Some(at) = self.operators.iter().position(|own| is_it(&**own)) {
            self.operators.remove(at);
            self.yields.remove(at);
            self.share_out();
        }
    }

    /// Sets how many of 1000 mutations are steered, before yields are taken into account. With 0, no covering set is given out at
    /// the beginning either.
    pub fn steer(&mut self, per_mille: u32) {
        self.steering = per_mille.min(1000);
        self.share_out();
    }

    /// Lets the engine change choice bytes in so many of 1000 mutations, and the text of subtrees in so many, before yields
    /// are taken into account.
    pub fn use_engine(&mut self, engine: ByteMutator, bytes: u32, reword: u32) {
        self.work.engine = Some(engine);
        self.bytes = bytes.min(1000);
        self.reword = reword.min(1000);
        self.share_out();
    }

    /// Lets inputs get long only bit by bit: after so many mutations without anything new, in proportion to the logarithm of the
    /// length; with 0, as without this call, at once.
    pub fn control_length(&mut self, control: u32) {
        self.length = Length::new(control);
    }

    /// Sets the k of the k-paths that [`Session::features`] gives, 0 for none; for use before the first [`Session::mark`].
    pub fn set_feature_level(&mut self, level: usize) {
        self.work.steering.set_feature_level(level);
    }

    /// Makes so many of 1000 inputs slightly invalid, before yields are taken into account; none by default.
    pub fn set_errors(&mut self, per_mille: u32) {
        self.errors = per_mille.min(1000);
    }

    /// Lets the engine change the whole text of so many of 1000 inputs that may be invalid, before yields are taken into account. They
    /// count as slightly invalid ones: without [`Session::set_errors`] there are none.
    pub fn set_verbatim(&mut self, per_mille: u32) {
        self.verbatim = per_mille.min(1000);
    }

    /// Takes in an input that crashes the program. Paths that it has and no input that was marked are no longer sought, and of the
    /// mutants with a path that n crashes had, one in n + 1 is given out, until one survives: so a bug that is found again and again
    /// does not stand before all others. Others are made in their place, or after a few the parent is given out once more. Makes
    /// the shortest input the present one.
    pub fn shun(&mut self, input: &[u8]) {
        self.adopt(input);
        if !self.has_slips() {
            self.work.shun();
        }
        self.adopt(&[]);
    }

    /// Aims at inputs that satisfy one of some constraints: a share of the mutations brings a parent that satisfies none nearer to one
    /// ([`operators::Approach`]). Constraints that together have more than 64 different paths are left out, the last ones first.
    pub fn aim(&mut self, constraints: &[Constraint]) {
        let aim = Aim::new(self.coverage().kpaths(), constraints);
        self.work.aim = (!aim.is_empty()).then(|| Box::new(aim));
    }

    /// Gives the operators their shares: fixed ones, and what those leave by weight.
    fn share_out(&mut self) {
        let fixed = self.steering + self.bytes + self.reword;
        let rest = f64::from(1000u32.saturating_sub(fixed));
        let weights: u32 = self.operators[FIRST..].iter().map(|it| it.weight()).sum();
        for (number, share) in [
            (SEEK, self.steering),
            (BYTES, self.bytes),
            (REWORD, self.reword),
        ] {
            self.yields.set_base(number, f64::from(share));
        }
        for (number, operator) in self.operators.iter().enumerate().skip(FIRST) {
            let share = rest * f64::from(operator.weight()) / f64::from(weights.max(1));
            self.yields.set_base(number, share);
        }
    }

    /// Lets random derivations follow a reading of a model.
    pub fn follow(&mut self, model: Model, reading: Reading) {
        self.work.guidance = Some(Guidance::new(model, reading));
    }

    /// Lets random derivations follow a model that learns each input that comes back as a parent, because it was kept. Some of
    /// their choices stay uniform.
    pub fn follow_kept(&mut self, model: Model) {
        self.work.guidance = Some(Guidance::learning(model));
    }

    /// How many samples the model has learned that random derivations follow; nothing without a model.
    pub fn learned(&self) -> Option<u64> {
        self.work.guidance.as_ref().map(Guidance::samples)
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

    /// Tells how long a run took: operators that take more than a tenth of a median run get a lesser share.
    pub fn ran(&mut self, nanoseconds: u64) {
        self.yields.ran(nanoseconds);
    }

    /// Tells how long the last mutation took, which stands for so many, for the tallies and the shares.
    pub fn spent(&mut self, nanoseconds: u64, mutations: u32) {
        if let Some(maker) = self.maker {
            self.yields.spent(maker.operator, nanoseconds, mutations);
        }
    }

    /// What the operators have come to.
    pub fn tallies(&self) -> impl Iterator<Item = Tally> + '_ {
        self.yields.tallies()
    }

    /// True in `per_mille` of 1000 cases.
    pub fn draw(&mut self, per_mille: u32) -> bool {
        self.work.rng().per_mille(per_mille)
    }

    /// Gives the random numbers a new seed.
    pub fn seed(&mut self, seed: u64) {
        *self.work.rng() = Rng::new(seed);
    }

    /// Changes the present input by one operator, so that it fits `max_size` bytes.
    ///
    /// [`Session::choices`] is never empty afterwards, and never longer than `max_size`, unless that is 0.
    pub fn mutate(&mut self, max_size: usize) -> Outcome {
        if self.open_choices(max_size) {
            return Outcome::Mutated(OPENING);
        }
        self.within_choices(max_size, |session| {
            let shrink = session.choices().len() > max_size;
            session.step(shrink)
        })
    }

    /// Replaces part of the present input by a compatible part of another, or mutates it if there is none.
    pub fn cross(&mut self, donor: &[u8], max_size: usize) -> Outcome {
        if self.open_choices(max_size) {
            return Outcome::Mutated(OPENING);
        }
        self.within_choices(max_size, |session| session.transplant(donor, false))
    }

    /// Changes the present input by one operator, so that its *sentence* fits `max_len` bytes, whatever its choices take.
    ///
    /// No edit lengthens the sentence beyond them. One that is longer already is shortened, but by one operator, which may
    /// not be enough: [`Session::cut`] is.
    pub fn mutate_text(&mut self, max_len: usize) -> Outcome {
        if self.open_text(max_len) {
            return Outcome::Mutated(OPENING);
        }
        let outcome = self.within(max_len, |session| {
            let shrink = session.sentence().len() > max_len;
            session.step(shrink)
        });
        self.remember();
        outcome
    }

    /// Replaces part of the present input by a compatible part of another, or mutates it if there is none, within the bound of
    /// [`Session::mutate_text`].
    pub fn cross_text(&mut self, donor: &[u8], max_len: usize) -> Outcome {
        if self.open_text(max_len) {
            return Outcome::Mutated(OPENING);
        }
        let outcome = self.within(max_len, |session| {
            let shrink = session.sentence().len() > max_len;
            session.transplant(donor, shrink)
        });
        self.remember();
        outcome
    }

    /// Makes a random derivation the present input, or the shortest one if the bounds forbid what was derived.
    pub fn renew(&mut self, max_len: usize) {
        self.maker = None;
        self.within(max_len, |session| {
            session.derive(&[]);
            let size = Size::draw(session.work.rng());
            match session.work.replace(0, Part::Random(size)) {
                true => session.work.commit(),
                false => session.work.edits.roll_back(),
            }
            session.encode();
        });
    }
}

#[cfg(test)]
mod tests;
