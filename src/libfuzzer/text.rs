//! The text codec: corpus files are the text itself, and the mutator reads it.
//!
//! The target's own bytes are never decoded and never changed. What the mutator needs of a text is its choice sequence, and
//! it looks for that in three places, the cheapest first: the session, which still holds what was given out last; the
//! [`Cache`]; the parser, with a hard budget of steps and memory in proportion to the text. What does not parse is an input
//! all the same: the engine's byte mutations change it, and now and then a fresh sentence is given out instead.
//!
//! What is given out has at most as many bytes as the engine allows, and is never cut, since half a sentence is none. A mutant
//! that is too long is shortened by operators, then by cutting its *choices*, whose end close-off replaces; so there is always
//! one that fits, unless the grammar's shortest sentences are longer than that, and then the engine's byte mutations
//! have to do.
//!
//! Texts that the engine's byte mutations have just made are not parsed when the target runs them: most of them are dropped
//! after that run. One that is kept is parsed when it is mutated for the first time, and answers for it are kept, negative
//! ones included.

use std::sync::Arc;

use super::EngineMutate;
use super::cache::{Cache, Known};
use super::config::Config;
use super::stats::Stats;
use pleach_core::graph::Graph;
use pleach_core::mutate::Session;
use pleach_core::parse::{Budget, Parser, Refusal, Workspace};
use pleach_core::slip::keep_variations;

/// The share of the engine's mutations of sentences to begin with, out of 1000, unless set otherwise.
const RAW: u32 = 50;
/// Mutations of texts that are not parsed that give a fresh sentence instead, out of 1000.
const FRESH: u32 = 125;

/// How often a mutant that is too long or empty is mutated on before its choices are cut.
const TRIES: usize = 4;

/// Who reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reader {
    /// The mutator, of what it is handed.
    Mutator,
    /// The target callback, where pleach may be instrumented: then parsing costs more than ten times as much, and shows
    /// as coverage.
    Callback,
}

impl Reader {
    /// What parsing a text may cost; nothing is tried where that could not suffice.
    fn budget(self, text: &[u8]) -> Option<Budget> {
        // Ordinary grammars take one or two steps a byte; a step is some 50 ns.
        const STEPS_A_BYTE: u64 = 64;
        let max_steps = match self {
            Reader::Mutator => 200_000,
            Reader::Callback => 50_000,
        };
        let len = text.len() as u64;
        let budget = Budget {
            steps: (4096 + len * STEPS_A_BYTE).min(max_steps),
            // Steps bound what a text takes. The state sets that the workspace keeps from text to text count, too.
            bytes: 128 << 20,
        };
        (len <= budget.steps).then_some(budget)
    }
}

/// Where the choices of a text are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    /// The session holds the text.
    AtHand,
    /// In [`Texts::found`].
    Choices,
    /// There are none.
    Nowhere,
}

/// Reads and gives out texts.
#[derive(Debug)]
pub(super) struct Texts {
    parser: Parser,
    workspace: Workspace,
    cache: Cache,
    pub(super) stats: Stats,
    /// The choices found last.
    found: Vec<u8>,
    /// Those of the other parent of a crossover.
    donor: Vec<u8>,
    /// The text that the engine's byte mutations have made last.
    raw: Vec<u8>,
    /// The length and the choices of the text that is being minimized.
    minimized: (usize, Vec<u8>),
}

impl Texts {
    pub(super) fn new(graph: &Arc<Graph>, config: &Config) -> Texts {
        Texts {
            parser: Parser::new(graph),
            workspace: Workspace::new(),
            cache: Cache::new(config.cache << 20),
            stats: Stats::default(),
            found: Vec::new(),
            donor: Vec::new(),
            raw: Vec::new(),
            minimized: (0, Vec::new()),
        }
    }

    /// Makes a text the session's present input. False if it is not known to be a sentence; then the session stays as it is.
    pub(super) fn recognize(&mut self, session: &mut Session, text: &[u8], reader: Reader) -> bool {
        match self.find(session, text, reader) {
            Found::AtHand => true,
            Found::Choices => {
                session.load(&self.found);
                true
            }
            Found::Nowhere => false,
        }
    }

    /// Takes in a text that has crashed the target before; nothing where it is not a sentence.
    pub(super) fn shun(&mut self, session: &mut Session, text: &[u8]) {
        if self.recognize(session, text, Reader::Mutator) {
            let choices = session.choices().to_vec();
            session.shun(&choices);
        }
    }

    /// Looks for the choices of a text.
    fn find(&mut self, session: &Session, text: &[u8], reader: Reader) -> Found {
        if session.sentence() == text {
            self.stats.at_hand += 1;
            return Found::AtHand;
        }
        if self.is_raw(text) {
            self.stats.at_hand += 1;
            return Found::Nowhere;
        }
        if let Some(known) = self.cache.find(text) {
            self.stats.cached += 1;
            return match known {
                Known::Sentence(choices) => {
                    self.found.clear();
                    self.found.extend_from_slice(choices);
                    Found::Choices
                }
                Known::Unread => Found::Nowhere,
            };
        }
        self.parse(session, text, reader)
    }

    /// Whether this is the text that the engine's byte mutations have just made.
    fn is_raw(&self, text: &[u8]) -> bool {
        !text.is_empty() && self.raw == text
    }

    fn parse(&mut self, session: &Session, text: &[u8], reader: Reader) -> Found {
        self.found.clear();
        let parsed = match reader.budget(text) {
            None => Err(Refusal::OutOfSteps { offset: 0 }),
            Some(budget) => self
                .parser
                .parse(text, budget, &mut self.workspace)
                .and_then(|mut forest| forest.choices(&mut self.found)),
        };
        match parsed {
            // Whatever a parser says, the mutator must not take one text for another. Tokens may stand further apart than pleach
            // puts them.
            Ok(())
                if self.parser.graph().lexicon().is_some()
                    || session
                        .codec()
                        .sentence(&self.found)
                        .eq_ignore_ascii_case(text) =>
            {
                keep_variations(session.codec(), &mut self.found, text);
                self.stats.parsed += 1;
                self.cache.insert_parent(text, Known::Sentence(&self.found));
                Found::Choices
            }
            Ok(()) | Err(Refusal::NoSentence { .. }) => {
                self.stats.refused += 1;
                self.cache.insert_parent(text, Known::Unread);
                Found::Nowhere
            }
            Err(_) => {
                self.stats.exhausted += 1;
                // The mutator may spend more on it.
                if reader == Reader::Mutator {
                    self.cache.insert_parent(text, Known::Unread);
                }
                Found::Nowhere
            }
        }
    }

    /// Mutates the first `size` bytes of `data`, which has at least `max_size` bytes, and returns the new size.
    pub(super) fn mutate(
        &mut self,
        session: &mut Session,
        config: &Config,
        engine: EngineMutate,
        data: &mut [u8],
        size: usize,
        max_size: usize,
    ) -> usize {
        if !self.is_raw(&data[..size]) {
            // It is another text's turn, so if that one comes back, it was kept.
            self.raw.clear();
            session.came_back(&data[..size]);
        }
        let minimize = max_size < size;
        let known = if minimize {
            self.recognize_minimized(session, &data[..size])
        } else {
            self.recognize(session, &data[..size], Reader::Mutator)
        };
        let raw = match known {
            true => !minimize && session.draws_whole(config.raw.unwrap_or(RAW)),
            false => minimize || !session.draw(FRESH),
        };
        if raw {
            return self.mutate_raw(session, engine, data, size, max_size);
        }
        if !known {
            session.renew(max_size);
        } else {
            session.mutate_text(max_size);
        }
        match self.fit(session, max_size) {
            true => self.give(session, data),
            false => self.mutate_raw(session, engine, data, size, max_size),
        }
    }

    /// Recognizes a text that is to become shorter.
    ///
    /// When libFuzzer minimizes, it calls the mutator five times with the size of the original, but with what the call before
    /// has left in the buffer: the last mutant, and behind it the end of the one before. That stands for the original.
    fn recognize_minimized(&mut self, session: &mut Session, text: &[u8]) -> bool {
        let (len, choices) = &self.minimized;
        let given = session.sentence();
        if *len == text.len() && given.len() < text.len() && text.starts_with(given) {
            self.stats.at_hand += 1;
            session.load(choices);
            return true;
        }
        let known = self.recognize(session, text, Reader::Mutator);
        if known {
            let (len, choices) = &mut self.minimized;
            *len = text.len();
            choices.clear();
            choices.extend_from_slice(session.choices());
        }
        known
    }

    /// Makes a mutant of `one` with a part of `other` in `out` and returns its size.
    pub(super) fn cross(
        &mut self,
        session: &mut Session,
        engine: EngineMutate,
        one: &[u8],
        other: &[u8],
        out: &mut [u8],
    ) -> usize {
        if !self.is_raw(one) {
            self.raw.clear();
            session.came_back(one);
        }
        let max_size = out.len();
        let has_donor = match self.find(session, other, Reader::Mutator) {
            Found::AtHand => {
                self.donor.clear();
                self.donor.extend_from_slice(session.choices());
                true
            }
            Found::Choices => {
                std::mem::swap(&mut self.donor, &mut self.found);
                true
            }
            Found::Nowhere => false,
        };
        let known = self.recognize(session, one, Reader::Mutator);
        match (known, has_donor) {
            (true, true) => {
                session.cross_text(&self.donor, max_size);
            }
            (true, false) => {
                session.mutate_text(max_size);
            }
            (false, true) => {
                session.load(&self.donor);
                session.mutate_text(max_size);
            }
            (false, false) => {}
        }
        if (known || has_donor) && self.fit(session, max_size) {
            return self.give(session, out);
        }
        let size = one.len().min(max_size);
        out[..size].copy_from_slice(&one[..size]);
        self.mutate_raw(session, engine, out, size, max_size)
    }

    /// Brings the session's sentence to a length from 1 to `max_size`. False if that is not possible.
    fn fit(&mut self, session: &mut Session, max_size: usize) -> bool {
        for _ in 0..TRIES {
            if (1..=max_size).contains(&session.sentence().len()) {
                return true;
            }
            session.mutate_text(max_size);
        }
        session.cut(max_size) && !session.sentence().is_empty()
    }

    /// Gives out the session's sentence.
    fn give(&mut self, session: &Session, data: &mut [u8]) -> usize {
        let text = session.sentence();
        data[..text.len()].copy_from_slice(text);
        self.cache.insert_output(text, session.choices());
        self.stats.sentences += 1;
        text.len()
    }

    /// Gives out what the engine makes of the bytes.
    fn mutate_raw(
        &mut self,
        session: &mut Session,
        engine: EngineMutate,
        data: &mut [u8],
        size: usize,
        max_size: usize,
    ) -> usize {
        let mut new_size = engine(data, size, max_size).min(max_size);
        if new_size == 0 {
            // What the engine itself would put there.
            data[0] = b' ';
            new_size = 1;
        }
        self.raw.clear();
        self.raw.extend_from_slice(&data[..new_size]);
        session.made_whole(&self.raw);
        self.stats.raw += 1;
        new_size
    }
}
