//! The glue for libFuzzer targets built with cargo-fuzz and libfuzzer-sys.
//!
//! The one-line form defines the target, its mutator and its crossover:
//!
//! ```no_run
//! #![no_main]
//!
//! pleach::fuzz! {
//!     grammar: "grammars/json/json.ebnf",
//!     |text: &[u8]| { let _ = serde_json::from_slice::<serde_json::Value>(text); }
//! }
//! ```
//!
//! The parts are public, so that a target can adopt them one by one: [`crate::language!`] defines a [`Language`] and a static
//! [`Fuzzer`], whose methods fit libfuzzer-sys' own macros, and [`Sentence`] is an argument of `fuzz_target!`.
//!
//! # What the engine sees
//!
//! Corpus files are choice sequences. The mutator keeps the index and the sentence of what it gave out last; the target looks
//! its bytes up there first and hardly ever decodes. Inside the target callback the windows of the input are marked in
//! counters that libFuzzer reads as features, so that an input with a new k-path is kept even if it covers no new code.
//! The first mutants are the inputs of a covering set of 2-paths, but for those that the corpus makes superfluous.
//! A mutator never returns an empty input (libFuzzer would put a space in its place) and never more than it may.
//!
//! With `codec: text` ([`InputCodec::Text`]) corpus files are the text itself, and the target gets its bytes as they are. The
//! mutator parses them, each text of the corpus once, and keeps the answers. A text that is not a sentence is an input like
//! others: it has no k-paths, and it is mutated byte by byte, but for one mutation in eight, which gives a fresh sentence
//! instead. So is, on purpose, the share `PLEACH_RAW` of the sentences. All other mutants are sentences.
//!
//! # Settings
//!
//! From environment variables, because engines that stand in for libFuzzer ignore unknown flags; one that is empty counts as
//! unset:
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `PLEACH_K` | the greatest k of the k-paths that are sought; lowered to what can be kept | 4 |
//! | `PLEACH_FEATURES` | k of the k-paths that the engine sees as features; 0 for none | 2 |
//! | `PLEACH_ERRORS` | share of inputs that are made slightly invalid ([`pleach_core::slip`]), to begin with; 0 for none | `errors:`, or 0 |
//! | `PLEACH_STEERING` | share of mutations that seek an uncovered k-path, to begin with; 0 also leaves out the covering set | 0.25 |
//! | `PLEACH_BYTES` | share of the engine's own mutations, on the choice bytes, to begin with | 0.2 |
//! | `PLEACH_REWORD` | share of the engine's own mutations, on the text of subtrees, to begin with | 0.1 |
//! | `PLEACH_LEN_CONTROL` | how slowly inputs may get longer: mutations without anything new, in proportion to the logarithm of the length; 0 for no limit | 5 |
//! | `PLEACH_MAX_LEN` | bytes of a sentence that mutation grows to | 16384 |
//! | `PLEACH_MAX_DEPTH` | nested references that mutation grows to | 96 |
//! | `PLEACH_RAW` | share of the engine's own mutations, on the text, to begin with; with choices, only where errors are allowed | 0.2, 0.05 in the text codec |
//! | `PLEACH_CACHE` | MiB of texts that are not parsed again (text codec) | 32 |
//! | `PLEACH_MODEL` | the file of a model that random derivations follow, in binary ([`pleach_core::model`]) | `model:`, or none |
//! | `PLEACH_MODE` | `common`: they are like its samples; `uncommon`: unlike them; `self`: the model, if there is one, learns on from what the engine keeps | `mode:`, or `common` |
//! | `PLEACH_CLOCK` | 0 leaves out of account how long mutations and runs take, so that a seed gives the same mutants each time | 1 |
//! | `PLEACH_AVOID` | 0 leaves out of account what has crashed before (the engine's files `crash-…`), instead of avoiding the like | 1 |
//! | `PLEACH_AIM` | a file that says which function the campaign is aimed at, as `pleach fuzz --aim` writes it | none |
//! | `PLEACH_GOAL` | names of numbers ([`crate::goal!`]), with commas between them, or `time`, `work` or `allocated` ([`Counting`]): an input with a greater one is kept; `none` follows no goal | `goals:`, or none |
//! | `PLEACH_DESCRIBE` | a file: instead of fuzzing, the target writes there what it is ([`Fuzzer::load`]) | none |
//! | `PLEACH_RENDER` | a directory: instead of fuzzing, the texts of the inputs that are named are written there ([`Fuzzer::load`]) | none |
//! | `PLEACH_PROBE` | a directory: instead of fuzzing, the target runs the inputs that are there and records what they reach ([`Fuzzer::load`]) | none |
//! | `PLEACH_WITHOUT` | for developers: heuristics to go on without, to find out what they are worth ([`Heuristic`](pleach_core::mutate::Heuristic) names them), with commas between | none |
//! | `PLEACH_OFF` | 1 makes the target what it would be without pleach, to compare with: its inputs are texts, whatever its codec is, which the engine changes by its own mutations; k-paths are no features | 0 |
//! | `PLEACH_STATS` | 1 reports on standard error, now and then, the k-paths that all runs have covered, what the operators have come to ([`Tally`]) and how texts were recognized ([`Stats`]) | 0 |

#[doc(hidden)]
pub mod __private;
mod aim;
mod allocator;
mod cache;
mod clock;
mod config;
mod counters;
mod crashes;
mod describe;
mod goal;
mod load;
mod macros;
mod model;
#[cfg(unix)]
mod probe;
mod schedule;
mod sentence;
mod settings;
#[cfg(unix)]
mod stack;
mod stats;
mod text;
mod texts_of;

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

use pleach_core::grammar::Grammar;
use pleach_core::mutate::{ByteMutator, Session, Tally};
use pleach_core::semantics::AnySemantics;

pub use allocator::Counting;
pub use config::{BadSetting, Config, ModelMode};
pub use sentence::{Input, Language, Sentence};
#[doc(hidden)]
pub use settings::{SETTINGS, Settings};
pub use stats::Stats;

use aim::Aim;
use clock::Clock;
use schedule::Schedule;
use text::{Reader, Texts};

/// The counters of a target; the macros put them where libFuzzer looks for features.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Counters<const N: usize>([AtomicU8; N]);

impl<const N: usize> Counters<N> {
    /// Counters at zero.
    #[expect(
        clippy::new_without_default,
        reason = "it initializes statics, which needs a constant function"
    )]
    pub const fn new() -> Counters<N> {
        Counters([const { AtomicU8::new(0) }; N])
    }

    /// The counters.
    pub const fn as_slice(&self) -> &[AtomicU8] {
        &self.0
    }
}

/// The engine's own mutation, `libfuzzer_sys::fuzzer_mutate`.
pub type EngineMutate = ByteMutator;

/// What the inputs of a target, its corpus files among them, are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum InputCodec {
    /// Choice sequences: every input is a sentence, and nothing has to be parsed.
    #[default]
    Choices,
    /// The text itself, which may be no sentence.
    Text,
}

/// The mutator, the crossover and the decoder of a fuzz target. Made by [`crate::language!`].
#[derive(Debug)]
pub struct Fuzzer {
    grammar: fn() -> Result<Grammar, String>,
    /// Where the grammar was, from the manifest's directory, if it was a file.
    path: Option<&'static str>,
    counters: &'static [AtomicU8],
    engine: EngineMutate,
    codec: InputCodec,
    /// Out of 1000.
    errors: u32,
    /// A model that was built in.
    model: Option<&'static [u8]>,
    mode: Option<ModelMode>,
    semantics: Option<Hooks>,
    goals: &'static [&'static str],
    state: OnceCell<Mutex<State>>,
}

/// A function that makes the hooks of a grammar, or says what is wrong.
pub type Hooks = fn(&Grammar) -> Result<AnySemantics, String>;

/// The share of whole texts that the engine changes where errors are allowed, out of 1000, unless set otherwise: four times that of
/// the text codec, since nothing has to be decoded or parsed for them.
const VERBATIM: u32 = 200;

#[derive(Debug)]
struct State {
    session: Session,
    config: Config,
    /// With the text codec.
    texts: Option<Texts>,
    clock: Clock,
    schedule: Schedule,
    /// What the campaign is aimed at, by `PLEACH_AIM`.
    aim: Option<Aim>,
    runs: u64,
    /// Whether the inputs that have crashed before are yet to be read.
    is_fresh: bool,
    /// The number of runs to report at next.
    next_report: u64,
    /// How many of the counters are those of goals.
    goal_counters: usize,
}

impl State {
    /// Before the first mutation, when the corpus has been run: takes in what has crashed before.
    fn begin(&mut self) {
        if std::mem::take(&mut self.is_fresh) {
            let prefix = crashes::prefix(std::env::args_os());
            for input in crashes::inputs(&prefix) {
                match &mut self.texts {
                    None => self.session.shun(&input),
                    Some(texts) => texts.shun(&mut self.session, &input),
                }
            }
        }
    }

    /// Counts a run. The engine ends without telling anybody, so what has been counted is said each time that the runs have
    /// grown by a quarter.
    fn count_run(&mut self) {
        self.runs += 1;
        if let Some(texts) = &mut self.texts {
            texts.stats.runs = self.runs;
        }
        if self.goal_counters > 0 && self.runs == goal::live::PATIENCE {
            goal::live::complain(self.runs);
        }
        if self.config.stats && self.runs >= self.next_report {
            self.next_report = self.runs + (self.runs / 4).max(1000);
            self.report();
        }
    }

    #[expect(clippy::print_stderr, reason = "the user asks for it by PLEACH_STATS")]
    fn report(&self) {
        for line in self.lines() {
            eprintln!("pleach: {line}");
        }
    }

    /// What a report says: names with values.
    fn lines(&self) -> Vec<String> {
        let coverage = self.session.coverage();
        let (k, covered, total) = (coverage.kpaths().k(), coverage.covered(), coverage.total());
        let mut lines = vec![format!("coverage: k: {k} covered: {covered} of: {total}")];
        lines.extend(self.texts.as_ref().map(|it| it.stats.to_string()));
        lines.extend(self.aim.as_ref().map(|it| it.line(self.runs)));
        let tallies = self.session.tallies().filter(|tally| tally.tried > 0);
        lines.extend(tallies.map(|tally| tally.to_string()));
        lines
    }
}

impl Fuzzer {
    /// A fuzzer for a grammar that is read at the first use. Made by [`crate::language!`].
    pub const fn new(
        grammar: fn() -> Result<Grammar, String>,
        counters: &'static [AtomicU8],
        engine: EngineMutate,
    ) -> Fuzzer {
        Fuzzer {
            grammar,
            path: None,
            counters,
            engine,
            codec: InputCodec::Choices,
            errors: 0,
            model: None,
            mode: None,
            semantics: None,
            goals: &[],
            state: OnceCell::new(),
        }
    }

    /// The same with the path of the grammar, for what [`load`](Fuzzer::load) says of the target.
    pub const fn with_path(mut self, path: Option<&'static str>) -> Fuzzer {
        self.path = path;
        self
    }

    /// The same with another codec than [`InputCodec::Choices`].
    pub const fn with_codec(mut self, codec: InputCodec) -> Fuzzer {
        self.codec = codec;
        self
    }

    /// The same with a share of slightly invalid inputs, unless `PLEACH_ERRORS` says otherwise.
    pub const fn with_errors(mut self, share: f64) -> Fuzzer {
        assert!(
            share >= 0.0 && share <= 1.0,
            "`errors` is a share from 0 to 1"
        );
        self.errors = (share * 1000.0 + 0.5) as u32;
        self
    }

    /// The same with a model in binary, unless `PLEACH_MODEL` names another, and what is made of it, unless `PLEACH_MODE` says
    /// otherwise.
    pub const fn with_model(
        mut self,
        model: Option<&'static [u8]>,
        mode: Option<ModelMode>,
    ) -> Fuzzer {
        self.model = model;
        self.mode = mode;
        self
    }

    /// The same with hooks, that make the texts of derivations right where a grammar cannot: [`pleach_core::semantics`].
    pub const fn with_semantics(mut self, semantics: Option<Hooks>) -> Fuzzer {
        self.semantics = semantics;
        self
    }

    /// The same with goals, unless `PLEACH_GOAL` names others: names of numbers, of which a greater one than any before is worth keeping an input
    /// for. See [`crate::goal!`].
    pub const fn with_goals(mut self, goals: &'static [&'static str]) -> Fuzzer {
        let mut at = 0;
        while at < goals.len() {
            assert!(!goals[at].is_empty(), "a name in `goals` is empty");
            goal::check_name(goals[at].as_bytes());
            at += 1;
        }
        assert!(
            goals.len() * goal::live::STEPS <= self.counters.len() / 2,
            "`goals` takes 512 counters for each, and half of them are for k-paths: name fewer, or set `counters` to 1024 for each"
        );
        self.goals = goals;
        self
    }

    /// What the inputs are.
    pub const fn codec(&self) -> InputCodec {
        self.codec
    }

    fn state(&self) -> MutexGuard<'_, State> {
        match self.try_state() {
            Ok(state) => state.lock().unwrap_or_else(PoisonError::into_inner),
            Err(message) => self.end(Err(message)),
        }
    }

    /// Mutates the first `size` bytes of `data` in place and returns the new size, at least 1 and at most `max_size`, unless that
    /// is 0.
    ///
    /// Fits `libfuzzer_sys::fuzz_mutator!`. Deterministic in its arguments, in what has run before, and in what has crashed before
    /// (unless `PLEACH_AVOID` is 0), if `PLEACH_CLOCK` is 0.
    pub fn mutate(&self, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
        let mut state = self.state();
        state.begin();
        let State {
            session,
            config,
            texts,
            clock,
            schedule,
            aim,
            ..
        } = &mut *state;
        let (mut size, max_size) = (size.min(data.len()), max_size.min(data.len()));
        if config.off {
            return by_engine(self.engine, data, size, max_size);
        }
        let start = clock.start(config, session, schedule);
        session.seed(u64::from(seed));
        let aimed = aim.as_ref();
        let aimed = aimed.and_then(|aim| aim.instead(max_size, size, u64::from(seed)));
        if let Some(parent) =
            aimed.or_else(|| schedule.instead_of(&data[..size], max_size, u64::from(seed)))
        {
            size = parent.len();
            data[..size].copy_from_slice(parent);
        }
        let new_size = match texts {
            // Nor is there anything that the engine could do.
            _ if max_size == 0 => 0,
            Some(texts) => texts.mutate(session, config, self.engine, data, size, max_size),
            None => {
                session.load(&data[..size]);
                session.mutate(max_size);
                write(session, data, max_size)
            }
        };
        schedule.gave(&data[..new_size]);
        clock.stop(start, session, schedule);
        new_size
    }

    /// Makes a mutant of `data1` with a part of `data2` in `out` and returns its size, at least 1 and at most that of `out`, unless
    /// that is empty.
    ///
    /// Fits `libfuzzer_sys::fuzz_crossover!`. Where no part fits, `data1` is mutated instead.
    pub fn crossover(&self, data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32) -> usize {
        let mut state = self.state();
        state.begin();
        let State {
            session,
            config,
            texts,
            clock,
            schedule,
            ..
        } = &mut *state;
        if config.off {
            let size = data1.len().min(out.len());
            out[..size].copy_from_slice(&data1[..size]);
            let max_size = out.len();
            return by_engine(self.engine, out, size, max_size);
        }
        let start = clock.start(config, session, schedule);
        session.seed(u64::from(seed));
        let new_size = match texts {
            _ if out.is_empty() => 0,
            Some(texts) => texts.cross(session, self.engine, data1, data2, out),
            None => {
                session.load(data1);
                session.cross(data2, out.len());
                let len = out.len();
                write(session, out, len)
            }
        };
        schedule.gave(&out[..new_size]);
        clock.stop(start, session, schedule);
        new_size
    }

    /// Runs `body` on the sentence of `data`, after marking its k-paths as the engine's features.
    ///
    /// For use in the target callback. Decodes only what the mutator did not give out last. In the text codec, `data` is what
    /// `body` gets; it is parsed only if it is neither known nor just made by the engine's byte mutations, and without
    /// k-paths if it does not parse within a budget. `body` must not use this fuzzer, which may be locked while it runs.
    pub fn execute<R>(&self, data: &[u8], body: impl FnOnce(&[u8]) -> R) -> R {
        #[cfg(unix)]
        if let Some(form) = probe::form() {
            return self.execute_in_probe(form, data, body);
        }
        let mut state = self.state();
        state.count_run();
        if state.config.off {
            drop(state);
            return measured(body, data);
        }
        let State {
            session,
            texts,
            goal_counters,
            aim,
            runs,
            ..
        } = &mut *state;
        let goal_counters = *goal_counters;
        let Some(texts) = texts else {
            session.load(data);
            self.mark(session, goal_counters);
            let result = measured(body, session.sentence());
            if let Some(aim) = aim {
                aim.ran(data, *runs);
            }
            return result;
        };
        if texts.recognize(session, data, Reader::Callback) {
            self.mark(session, goal_counters);
        }
        let is_aimed = aim.is_some();
        drop(state);
        let result = measured(body, data);
        if is_aimed {
            let State { aim, runs, .. } = &mut *self.state();
            aim.iter_mut().for_each(|aim| aim.ran(data, *runs));
        }
        result
    }

    /// The same without marking or recognizing anything.
    #[cfg(unix)]
    fn execute_in_probe<R>(
        &self,
        form: probe::Form,
        data: &[u8],
        body: impl FnOnce(&[u8]) -> R,
    ) -> R {
        if form == probe::Form::Text {
            probe::takes(data);
            return body(data);
        }
        if self.codec == InputCodec::Text {
            return body(data);
        }
        let mut state = self.state();
        state.session.load(data);
        body(state.session.sentence())
    }

    fn mark(&self, session: &mut Session, goal_counters: usize) {
        session.mark();
        // The last ones may be those of goals.
        let counters = &self.counters[..self.counters.len() - goal_counters];
        if !counters.is_empty() {
            for &feature in session.features() {
                // Grammars with more windows than counters share them.
                counters[feature as usize % counters.len()].store(1, Ordering::Relaxed);
            }
        }
    }

    /// The sentence of `data`, without marking anything; in the text codec, `data`.
    pub fn sentence(&self, data: &[u8]) -> Vec<u8> {
        #[cfg(unix)]
        if probe::form() == Some(probe::Form::Text) {
            probe::takes(data);
            return data.to_vec();
        }
        if self.codec == InputCodec::Text {
            return data.to_vec();
        }
        let state = self.state();
        if state.config.off {
            return data.to_vec();
        }
        match state.session.choices() == data {
            true => state.session.sentence().to_vec(),
            false => state.session.text_of(data),
        }
    }

    /// How texts have been recognized so far, and what was given out. All 0 in the choices codec.
    pub fn stats(&self) -> Stats {
        let state = self.state();
        let texts = state.texts.as_ref();
        texts.map_or_else(Stats::default, |texts| texts.stats)
    }

    /// What the operators have come to so far.
    pub fn tallies(&self) -> Vec<Tally> {
        self.state().session.tallies().collect()
    }

    /// How many of how many k-paths the inputs run so far have covered.
    pub fn coverage(&self) -> (u64, u64) {
        let state = self.state();
        let coverage = state.session.coverage();
        (coverage.covered(), coverage.total())
    }
}

/// Runs a body, and measures what goals of the campaign ask for.
#[inline]
fn measured<R>(body: impl FnOnce(&[u8]) -> R, text: &[u8]) -> R {
    let begun = goal::live::begin();
    let result = body(text);
    if let Some(begun) = begun {
        goal::live::end(begun);
    }
    result
}

/// What the engine makes of an input by itself.
fn by_engine(engine: EngineMutate, data: &mut [u8], size: usize, max_size: usize) -> usize {
    match max_size {
        0 => 0,
        _ => engine(data, size, max_size).clamp(1, max_size),
    }
}

fn write(session: &Session, data: &mut [u8], max_size: usize) -> usize {
    let choices = session.choices();
    let len = choices.len().min(max_size);
    data[..len].copy_from_slice(&choices[..len]);
    len
}

#[cfg(test)]
mod tests;
