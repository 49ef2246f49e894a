//! Mutation: structural operators on choice sequences, steered toward k-paths that are not covered.
//!
//! A [`Session`] holds one input as a site index, changes it by one operator at a time, and gives out the canonical choice
//! sequence together with the rendered sentence. As long as the next input to mutate is the one that was given out last, the
//! index is kept and only what an operator replaces is derived, so a mutation costs a splice.
//!
//! A campaign begins with a covering set, input by input. Then steering is one force among several: a share of the mutations
//! seeks an uncovered k-path ([`operators::Seek`]), a share is the engine's ([`operators::Bytes`], [`operators::Reword`]), the
//! others are drawn by weight; all shares follow what the operators have yielded ([`Tally`]). An operator says on which kind of
//! sites it works; the site is drawn by what the operator has yielded at the sites of the same nonterminal. Where it turns out not
//! to apply, others are drawn a few times and then tried from a random one on, each once, so nothing is retried without end.
//!
//! On demand a share of the inputs is slightly invalid ([`Session::set_errors`], [`crate::slip`]), and a share is texts that the engine has
//! changed as a whole ([`Session::set_verbatim`]).

mod apply;
mod bounds;
mod edit;
mod engine;
mod guidance;
mod kinds;
mod length;
mod opening;
mod operator;
pub mod operators;
mod places;
mod pool;
mod scalars;
mod slips;
mod steering;
mod variations;
mod verbatim;
mod work;
mod yields;

use std::sync::Arc;

use crate::choice::{Codec, Lexemes};
use crate::graph::Graph;
use crate::kpath::{Coverage, Error, KPaths, WindowTable};
use crate::model::{Model, Reading};
use crate::rng::Rng;
use crate::semantics::{self, AnySemantics};
use crate::slip;

pub use engine::ByteMutator;
pub use kinds::Kind;
pub use length::DEFAULT_LEN_CONTROL;
pub use operator::Operator;
pub use steering::{DEFAULT_FEATURE_LEVEL, MAX_WINDOWS};
pub use work::{Budget, ItemSource, Part, Size, Workspace};
pub use yields::Tally;
pub use yields::{hash, place_of};

use guidance::Guidance;
use length::Length;
use opening::Opening;
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
    /// The canonical choices of the input in the workspace, with the trailer of its slips.
    given: Vec<u8>,
    /// What a mutation begins with, where there are suspects.
    parent: Vec<u8>,
    /// The text of an input with slips, tokens or hooks, and what it was put together with.
    rendered: Vec<u8>,
    lexemes: Lexemes,
    /// Hooks, and the memory of rendering with them.
    semantics: Option<(AnySemantics, semantics::Workspace)>,
    /// The operator that made the present input, until it has run.
    maker: Option<Maker>,
    /// The hash of the present input, if it was needed already.
    hash: Option<u64>,
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
/// The number of the first operator that is drawn by weight.
const FIRST: usize = 6;

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
            given: Vec::new(),
            parent: Vec::new(),
            rendered: Vec::new(),
            lexemes: Lexemes::default(),
            semantics: None,
            maker: None,
            hash: None,
        };
        // The first ones have shares of their own; slips and parts of other inputs are never drawn.
        let own: [(Box<dyn Operator>, &'static str); FIRST] = [
            (Box::new(operators::Seek), "seek"),
            (Box::new(operators::Bytes), "bytes"),
            (Box::new(operators::Reword), "reword"),
            (Box::new(operators::Slip), "slip"),
            (Box::new(operators::Transplant), "transplant"),
            (Box::new(operators::Verbatim), "verbatim"),
        ];
        for (operator, name) in own {
            session.yields.add(name, 0.0);
            session.operators.push(operator);
        }
        for operator in operators::all() {
            session.register(operator);
        }
        session.keep();
        Ok(session)
    }

    /// Adds an operator.
    pub fn register(&mut self, operator: Box<dyn Operator>) {
        self.yields.add(operator.name(), 0.0);
        self.operators.push(operator);
        self.share_out();
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
            let Workspace {
                steering, index, ..
            } = &mut self.work;
            steering.shun(index.windows());
        }
        self.adopt(&[]);
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

    /// Lets hooks have a say in every text: what [`Session::sentence`] and [`Session::text_of`] give is what they have made of it.
    ///
    /// # Errors
    ///
    /// [`semantics::Error::OtherGrammar`] for hooks of another grammar.
    pub fn attach(&mut self, semantics: impl Into<AnySemantics>) -> Result<(), semantics::Error> {
        let semantics = semantics.into();
        semantics.check(self.codec())?;
        self.work.settle();
        self.semantics = Some((semantics, semantics::Workspace::default()));
        self.render();
        Ok(())
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

    /// The present input: canonical choices, and the trailer of its slips if it has any.
    pub fn choices(&self) -> &[u8] {
        &self.given
    }

    /// The text of the present input: a sentence unless it has slips.
    pub fn sentence(&self) -> &[u8] {
        match self.is_direct() {
            true => self.work.index().text(),
            false => &self.rendered,
        }
    }

    /// The text of an input, whatever the present one is.
    pub fn text_of(&self, input: &[u8]) -> Vec<u8> {
        let hooked = self.semantics.as_ref();
        let hooked = hooked.and_then(|(hooks, _)| hooks.text(self.codec(), input).ok());
        hooked.unwrap_or_else(|| slip::text(self.codec(), input))
    }

    /// Whether the present input departs from the grammar.
    pub fn has_slips(&self) -> bool {
        !self.work.slips.is_sentence()
    }

    /// Whether the text of the present input is that of the index.
    fn is_direct(&self) -> bool {
        self.work.slips.is_empty()
            && self.work.graph().lexicon().is_none()
            && self.semantics.is_none()
    }

    /// The windows of the present input; none if it has slips.
    pub fn windows(&self) -> impl Iterator<Item = u32> + '_ {
        let index = (!self.has_slips()).then(|| self.work.index());
        index.into_iter().flat_map(|index| index.windows())
    }

    /// The windows of the present input as features for the engine, once it is marked: fewer levels, so fewer numbers.
    pub fn features(&self) -> impl Iterator<Item = u32> + '_ {
        let shown = self.work.steering.has_features();
        self.windows()
            .filter(move |_| shown)
            .map(|window| self.work.steering.feature(window))
    }

    /// Makes `input` the present one, decoding it unless it is already.
    pub fn load(&mut self, input: &[u8]) {
        if self.given == input {
            return;
        }
        self.read(input);
        self.given.clear();
        self.given.extend_from_slice(input);
        self.maker = None;
        let hash = yields::hash(input);
        self.hash = Some(hash);
        if self.yields.came_back(hash) {
            self.length.progress();
            self.kept();
        }
        if !self.work.is_deferred() {
            self.work.collect();
        }
    }

    /// The present input was kept, so a model that learns learns it.
    fn kept(&mut self) {
        if self.work.is_deferred() {
            return;
        }
        let codec = self.work.codec().clone();
        if let Some(guidance) = &mut self.work.guidance {
            guidance.kept(&codec, slip::split(&self.given).0);
        }
    }

    /// Makes the derivation of `input` the present one, in canonical form. False if it is the present one already.
    pub fn adopt(&mut self, input: &[u8]) -> bool {
        self.read(input);
        let before = std::mem::take(&mut self.given);
        self.keep();
        before != self.given
    }

    fn read(&mut self, input: &[u8]) {
        let (choices, script) = slip::split(input);
        self.work.slips.read(script);
        if self.work.slips.verbatim().is_some() && self.semantics.is_none() {
            self.work.defer(choices);
        } else {
            self.work.load(choices);
            self.work.slips.fit(self.work.index().sites().len());
        }
        self.render();
    }

    /// Puts the text together where the index does not have it: of an input with slips, of tokens, or with hooks.
    fn render(&mut self) {
        if !self.is_direct() {
            self.rendered.clear();
            if let (Some(text), None) = (self.work.slips.verbatim(), &self.semantics) {
                self.rendered.extend_from_slice(text);
                return;
            }
            let codec = self.work.codec().clone();
            let work = &self.work;
            if let Some((hooks, workspace)) = &mut self.semantics {
                let text = &mut self.rendered;
                let done = hooks.render(&codec, &work.index, &work.slips, workspace, text);
                // Hooks of another grammar are not taken in.
                debug_assert!(done.is_ok());
                return;
            }
            work.slips
                .render(&codec, &work.index, &mut self.lexemes, &mut self.rendered);
        }
    }

    /// True in `per_mille` of 1000 cases.
    pub fn draw(&mut self, per_mille: u32) -> bool {
        self.work.rng().per_mille(per_mille)
    }

    /// Marks the present input's windows as covered and says how many were new.
    pub fn mark(&mut self) -> usize {
        if !self.has_begun {
            self.begin_with();
        }
        let maker = self.maker.take();
        if self.has_slips() {
            return 0;
        }
        let Workspace {
            steering, index, ..
        } = &mut self.work;
        let new = steering.mark(index.windows());
        if new > 0 {
            self.length.progress();
        }
        if let Some(maker) = maker {
            self.yields.covered(maker.operator, new);
        }
        new
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
            let shrink = session.given.len() > max_size;
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
            session.read(&[]);
            let size = Size::draw(session.work.rng());
            session.work.replace(0, Part::Random(size))
        });
    }

    /// Takes the workspace's input as the present one.
    fn keep(&mut self) {
        self.hash = None;
        self.given.clear();
        self.given.extend_from_slice(self.work.canonical());
        if self.given.is_empty() && !self.work.is_deferred() {
            // The engine must not see an empty result, and any first choice in full decodes to the same.
            let first = self.work.index().choices().first().copied();
            self.given.push(first.unwrap_or(0));
        }
        if self.work.slips.is_empty() && !slip::split(&self.given).1.is_empty() {
            // Choices that end like slips get one more: what close-off would choose, or one that nothing reads.
            let next = self.work.index().choices().get(self.given.len()).copied();
            self.given.push(next.unwrap_or(0));
        }
        self.work.slips.encode(&mut self.given);
        self.render();
    }
}

#[cfg(test)]
mod tests;
