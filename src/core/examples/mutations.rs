//! Makes mutants as a campaign does, for counting instructions: `scripts/profile.sh count`.
//!
//! ```text
//! mutations GRAMMAR RUNS           # a campaign from nothing: inputs with a new feature are kept
//! mutations GRAMMAR RUNS SIZE      # sentences of about SIZE bytes, each mutated five times; nothing is marked
//! ```
//!
//! The engine's part is a few lines here, so what is counted is pleach's. Prints how many bytes of text all mutants have.

use std::collections::BTreeSet;
use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::sync::Arc;

use pleach_core::choice::SiteIndex;
use pleach_core::generate::{Generator, Limits};
use pleach_core::rng::Rng;
use pleach_core::{Codec, Grammar, Graph, Session};

/// What an input may take, as the engine has it.
const MAX_SIZE: usize = 4096;
/// One run in so many is kept although it shows nothing new: it stands for new code.
const KEPT: u32 = 300;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [grammar, runs, size @ ..] = &arguments[..] else {
        return Err("usage: mutations GRAMMAR RUNS [SIZE]".into());
    };
    let grammar: Grammar = std::fs::read_to_string(grammar)?.parse()?;
    let graph = Graph::new(grammar)?;
    let runs = runs.parse()?;
    let bytes = match size.first() {
        None => campaign(&graph, runs)?,
        Some(size) => stacked(&graph, runs, size.parse()?)?,
    };
    writeln!(std::io::stdout(), "{runs} mutants of {bytes} bytes")?;
    Ok(())
}

/// The shares that a fuzz target has by default, and a tenth of slightly invalid inputs.
fn campaign(graph: &Arc<Graph>, runs: u64) -> Result<usize, Box<dyn Error>> {
    let mut session = Session::new(graph, 4)?;
    session.use_engine(engine, 200, 100);
    session.set_errors(100);
    session.set_verbatim(200);
    session.control_length(5);
    let mut rng = Rng::new(1);
    let mut corpus = vec![vec![0]];
    let mut seen = BTreeSet::new();
    let (mut input, mut bytes) = (Vec::new(), 0);
    for run in 0..runs {
        // As with `-mutate_depth=2`.
        if run % 2 == 0 {
            input.clone_from(&corpus[rng.index(corpus.len())]);
        }
        session.seed(run);
        session.load(&input);
        session.mutate(MAX_SIZE);
        input.clear();
        input.extend_from_slice(session.choices());
        session.load(&input);
        session.mark();
        let features = session.features().iter();
        let new = features.filter(|&&it| seen.insert(it)).count();
        bytes += black_box(session.sentence()).len();
        if new > 0 || rng.below(KEPT) == 0 {
            corpus.push(input.clone());
        }
    }
    Ok(bytes)
}

/// Structural mutations alone, as `fuzz/peers` measures them.
fn stacked(graph: &Arc<Graph>, runs: u64, size: usize) -> Result<usize, Box<dyn Error>> {
    let inputs = inputs(graph, size);
    let mut session = Session::new(graph, 3)?;
    let mut bytes = 0;
    for run in 0..runs {
        if run % 5 == 0 {
            session.load(&inputs[(run / 5) as usize % inputs.len()]);
        }
        session.seed(run);
        session.mutate(MAX_SIZE);
        bytes += black_box(session.sentence()).len();
    }
    Ok(bytes)
}

/// Choice sequences of sentences of about `size` bytes.
fn inputs(graph: &Arc<Graph>, size: usize) -> Vec<Vec<u8>> {
    let limits = Limits {
        max_depth: 30,
        max_len: (size + size / 4) as u32,
        max_nodes: 1 << 20,
    };
    let codec = Arc::new(Codec::new(graph));
    let mut generator = Generator::new(&codec, limits, Rng::new(1));
    let (mut index, mut inputs) = (SiteIndex::new(), Vec::new());
    while inputs.len() < 64 {
        generator.generate(&mut index);
        if index.text().len().abs_diff(size) <= size / 4 {
            inputs.push(index.canonical().to_vec());
        }
    }
    inputs
}

/// Stands in for the engine: changes, adds or takes away a byte, by what the bytes are.
fn engine(data: &mut [u8], size: usize, max_size: usize) -> usize {
    let mix = |sum: u32, byte: &u8| sum.wrapping_mul(31) ^ u32::from(*byte);
    let sum = data[..size.min(64)].iter().fold(7, mix);
    let at = sum as usize % size.max(1);
    match sum % 3 {
        0 if size > 1 => {
            data.copy_within(at + 1..size, at);
            size - 1
        }
        1 if size < max_size => {
            data.copy_within(at..size, at + 1);
            data[at] = sum as u8 & 0x7f;
            size + 1
        }
        _ => {
            data[at] ^= 1 << (sum >> 8 & 7);
            size
        }
    }
}
