//! Pleach itself, beside the peers.
//!
//! Decoding starts from the same tapes as the hand-written writer. A mutation is one structural operator with the choices
//! and the text of its result; every input is loaded inside the measured time and mutated five times,
//! which is what libFuzzer does with an input.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use pleach_core::choice::{Scratch, SiteIndex};
use pleach_core::generate::{Generator, Limits};
use pleach_core::kpath::WindowTable;
use pleach_core::rng::Rng;
use pleach_core::{Codec, Coverage, Grammar, Graph, KPaths, Session};

use crate::arms::{Arm, Language, Pool, Task};

/// The name of pleach's arms.
pub const NAME: &str = "pleach";

/// The k of k-paths.
const K: usize = 3;

fn graph(language: Language) -> Arc<Graph> {
    let text = match language {
        Language::Json => include_str!("../grammars/json_tight.ebnf"),
        Language::Expr => include_str!("../grammars/expr.ebnf"),
    };
    let grammar: Grammar = text.parse().expect("the grammar is right");
    Graph::new(grammar).expect("the grammar has short sentences")
}

fn codec_with_windows(graph: &Arc<Graph>) -> Codec {
    let kpaths = KPaths::new(graph, K).expect("few k-paths");
    let windows = WindowTable::new(&kpaths).expect("few windows");
    Codec::new(graph).with_windows(&windows)
}

/// Decoding to text alone.
pub fn decode(pool: &Rc<Pool>) -> Arm {
    let pool = Rc::clone(pool);
    let workload = pool.workload(Task::Decode);
    let codec = Codec::new(&graph(workload.language));
    let (mut scratch, mut text, mut turn) = (Scratch::default(), Vec::new(), 0);
    Arm::new(NAME, workload, move |operations, meter| {
        let mut bytes = 0;
        meter.time(|| {
            for _ in 0..operations {
                text.clear();
                codec.decode(
                    black_box(&pool.sentence(turn).tape),
                    &mut scratch,
                    &mut text,
                );
                bytes += black_box(&text).len();
                turn += 1;
            }
        });
        meter.add_bytes(bytes);
    })
}

/// Decoding with the site index; with windows and marking, if `mark`.
pub fn index(pool: &Rc<Pool>, mark: bool) -> Arm {
    let pool = Rc::clone(pool);
    let workload = pool.workload(Task::Decode);
    let graph = graph(workload.language);
    let codec = if mark {
        codec_with_windows(&graph)
    } else {
        Codec::new(&graph)
    };
    let kpaths = KPaths::new(&graph, K).expect("few k-paths");
    let mut coverage = Coverage::new(&kpaths).expect("few windows");
    let (mut scratch, mut index, mut turn) = (Scratch::default(), SiteIndex::new(), 0);
    let name = if mark {
        "pleach, indexed and marked (k = 3)"
    } else {
        "pleach, indexed"
    };
    Arm::new(name, workload, move |operations, meter| {
        let mut bytes = 0;
        meter.time(|| {
            for _ in 0..operations {
                codec.index(
                    black_box(&pool.sentence(turn).tape),
                    &mut scratch,
                    &mut index,
                );
                if mark {
                    coverage.add(index.windows());
                }
                bytes += black_box(&index).text().len();
                turn += 1;
            }
        });
        meter.add_bytes(bytes);
    })
}

/// Random sentences.
pub fn generate(pool: &Rc<Pool>) -> Arm {
    let workload = pool.workload(Task::Generate);
    let codec = Arc::new(Codec::new(&graph(workload.language)));
    let limits = Limits {
        max_depth: 30,
        max_len: workload.size as u32,
        max_nodes: 1 << 20,
    };
    let mut generator = Generator::new(&codec, limits, Rng::new(1));
    let mut index = SiteIndex::new();
    Arm::new(NAME, workload, move |operations, meter| {
        let mut bytes = 0;
        meter.time(|| {
            for _ in 0..operations {
                generator.generate(&mut index);
                bytes += black_box(&index).text().len();
            }
        });
        meter.add_bytes(bytes);
    })
}

/// The mutations of an input that libFuzzer stacks.
const STACKED: u64 = 5;

/// Structural mutations, steered by default.
pub fn mutate(pool: &Rc<Pool>) -> Arm {
    let pool = Rc::clone(pool);
    let workload = pool.workload(Task::Mutate);
    let mut session = Session::new(&graph(workload.language), K).expect("few k-paths");
    let (mut turn, mut seed) = (0, 0);
    Arm::new(NAME, workload, move |operations, meter| {
        let mut bytes = 0;
        meter.time(|| {
            for operation in 0..operations {
                if operation % STACKED == 0 {
                    session.load(black_box(&pool.sentence(turn).tape));
                    turn += 1;
                }
                session.seed(seed);
                seed += 1;
                session.mutate(4096);
                bytes += black_box(&session).sentence().len();
            }
        });
        meter.add_bytes(bytes);
    })
}
