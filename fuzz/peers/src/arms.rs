//! What is measured: the workloads, the sentences that all arms share, and the list of arms.

use crate::harness::{Meter, Run};
use crate::nautilus::Forest;
use crate::{encode, engine, handwritten, mutatis_json, nautilus, subject};
use std::fmt;
use std::hint::black_box;
use std::rc::Rc;

/// The name of the hand-written arm.
pub const HANDWRITTEN: &str = "hand-written";

/// The lengths of sentences in bytes.
pub const SIZES: [usize; 3] = [10, 700, 2000];

/// How many sentences an arm goes round.
const SENTENCES: usize = 64;

/// All arms, task by task.
///
/// To add a subject: write a function from a pool (or a language and a size) to an [`Arm`] and push what it returns here.
/// The sentences of a pool come with their choice sequences, so an arm for a decoder needs nothing else.
pub fn all() -> Vec<Arm> {
    let mut arms = Vec::new();
    for language in Language::ALL {
        for size in SIZES {
            let forest = Rc::new(Forest::grow(language, size, SENTENCES));
            let pool = Rc::new(Pool::new(language, size, forest.texts()));

            arms.push(write_by_hand(&pool));
            arms.push(subject::decode(&pool));
            arms.push(subject::index(&pool, false));
            arms.push(subject::index(&pool, true));
            arms.push(nautilus::unparse(&forest));

            arms.push(nautilus::generate(&forest));
            arms.push(subject::generate(&pool));

            arms.push(nautilus::mutate(&forest));
            arms.push(engine::mutate(&pool));
            arms.push(subject::mutate(&pool));
            if language == Language::Json {
                arms.push(mutatis_json::mutate(&pool));
            }
        }
    }
    // Task by task for the tables; within a task the order above.
    arms.sort_by_key(|arm| arm.workload);
    arms
}

/// The hand-written writer on the tapes of a pool.
fn write_by_hand(pool: &Rc<Pool>) -> Arm {
    let pool = Rc::clone(pool);
    let workload = pool.workload(Task::Decode);
    let write = match workload.language {
        Language::Json => handwritten::json,
        Language::Expr => handwritten::expr,
    };
    let mut turn = 0;
    let mut text = Vec::new();
    Arm::new(HANDWRITTEN, workload, move |operations, meter| {
        let mut bytes = 0;
        meter.time(|| {
            for _ in 0..operations {
                text.clear();
                write(black_box(&pool.sentence(turn).tape), &mut text);
                bytes += black_box(&text).len();
                turn += 1;
            }
        });
        meter.add_bytes(bytes);
    })
}

/// A grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// `grammars/json_tight.ebnf`
    Json,
    /// `grammars/expr.ebnf`
    Expr,
}

impl Language {
    /// Both grammars.
    pub const ALL: [Language; 2] = [Language::Json, Language::Expr];
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::Json => "json",
            Language::Expr => "expr",
        })
    }
}

/// What is done; one table each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// From the stored form of a sentence (a tape, a tree) to its text.
    Decode,
    /// From random numbers to the text of a new sentence.
    Generate,
    /// From a sentence to the text of a mutated one.
    Mutate,
}

impl Task {
    /// All tasks.
    pub const ALL: [Task; 3] = [Task::Decode, Task::Generate, Task::Mutate];

    /// What the arms of this task are compared with.
    pub fn references(self) -> &'static [Reference] {
        match self {
            Task::Decode => &[Reference {
                arm: HANDWRITTEN,
                ratio: Ratio::Throughput,
            }],
            Task::Generate => &[Reference {
                arm: nautilus::NAME,
                ratio: Ratio::Throughput,
            }],
            Task::Mutate => &[
                Reference {
                    arm: nautilus::NAME,
                    ratio: Ratio::Speed,
                },
                Reference {
                    arm: engine::NAME,
                    ratio: Ratio::Time,
                },
            ],
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Task::Decode => "decode",
            Task::Generate => "generate",
            Task::Mutate => "mutate",
        })
    }
}

/// An arm that others are compared with.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// Its name.
    pub arm: &'static str,
    /// The number that compares.
    pub ratio: Ratio,
}

/// How an arm is compared with a reference.
#[derive(Clone, Copy, Debug)]
pub enum Ratio {
    /// Bytes per second, as a multiple of the reference's.
    Throughput,
    /// Operations per second, as a multiple of the reference's.
    Speed,
    /// Nanoseconds per operation, as a multiple of the reference's.
    Time,
}

/// What one arm does; arms of one workload are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Workload {
    /// What is done.
    pub task: Task,
    /// With sentences of which grammar.
    pub language: Language,
    /// With sentences of about how many bytes.
    pub size: usize,
}

impl Workload {
    /// How many inputs are got ready before the clock starts, where operations use them up: enough for reading the clock
    /// not to count, and few enough to stay in the cache.
    pub fn batch(self) -> usize {
        (20_000 / self.size).clamp(16, 512)
    }
}

/// A subject of the measurement at one workload.
pub struct Arm {
    /// Who does it.
    pub name: &'static str,
    /// What is done.
    pub workload: Workload,
    /// Does it: so many operations, timed by the meter, which is also told the bytes of text that were made.
    pub run: Run,
}

impl Arm {
    /// An arm.
    pub fn new(
        name: &'static str,
        workload: Workload,
        run: impl FnMut(u64, &mut Meter) + 'static,
    ) -> Arm {
        Arm {
            name,
            workload,
            run: Box::new(run),
        }
    }

    /// What `--filter` looks at: `task/language/size/name`.
    pub fn path(&self) -> String {
        let Workload {
            task,
            language,
            size,
        } = self.workload;
        format!("{task}/{language}/{size}/{}", self.name)
    }
}

impl fmt::Debug for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Arm").field(&self.path()).finish()
    }
}

/// A sentence in the forms that arms start from.
#[derive(Clone, Debug)]
pub struct Sentence {
    /// The text.
    pub text: Vec<u8>,
    /// The choice sequence that decodes to the text.
    pub tape: Vec<u8>,
}

/// Sentences of about the same length.
#[derive(Debug)]
pub struct Pool {
    language: Language,
    size: usize,
    sentences: Vec<Sentence>,
}

impl Pool {
    /// The pool of some texts.
    ///
    /// # Panics
    ///
    /// If a text is not in the language, or its tape does not give it back.
    pub fn new(language: Language, size: usize, texts: Vec<Vec<u8>>) -> Pool {
        let sentence = |text: Vec<u8>| {
            let mut written = Vec::new();
            let tape = match language {
                Language::Json => encode::json(&text),
                Language::Expr => encode::expr(&text),
            };
            let tape = tape.unwrap_or_else(|| panic!("not in {language}: {}", text.escape_ascii()));
            match language {
                Language::Json => handwritten::json(&tape, &mut written),
                Language::Expr => handwritten::expr(&tape, &mut written),
            }
            assert!(
                written == text,
                "the tape does not give back {}",
                text.escape_ascii()
            );
            Sentence { text, tape }
        };
        Pool {
            language,
            size,
            sentences: texts.into_iter().map(sentence).collect(),
        }
    }

    /// The sentence whose turn it is: they go round.
    pub fn sentence(&self, turn: usize) -> &Sentence {
        &self.sentences[turn % self.sentences.len()]
    }

    /// The sentences.
    pub fn sentences(&self) -> &[Sentence] {
        &self.sentences
    }

    /// A task with the sentences of this pool.
    pub fn workload(&self, task: Task) -> Workload {
        Workload {
            task,
            language: self.language,
            size: self.size,
        }
    }
}
