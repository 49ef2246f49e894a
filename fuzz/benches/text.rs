//! What a mutation costs with either codec: of choices, and of texts that are at hand, in the cache, or have to be parsed.
//!
//! `cargo bench --bench text` in this folder. One call is what the engine does with an input: five mutations one upon the
//! other. Divide by five.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use divan::{Bencher, black_box};
use pleach::libfuzzer::{Fuzzer, InputCodec};
use pleach_core::choice::SiteIndex;
use pleach_core::generate::{Generator, Limits};
use pleach_core::parse::{Budget, Parser, Workspace};
use pleach_core::rng::Rng;
use pleach_core::{Codec, Grammar, Graph};

/// Lengths of sentences, in bytes.
const SIZES: [usize; 3] = [10, 100, 700];

/// The longest mutant.
const MAX_SIZE: usize = 4096;

/// How many mutations the engine puts one upon the other.
const DEPTH: u32 = 5;

static COUNTERS: [AtomicU8; 0] = [];
static CHOICES: Fuzzer = Fuzzer::new(grammar, &COUNTERS, no_change);
static TEXT: Fuzzer = Fuzzer::new(grammar, &COUNTERS, no_change).with_codec(InputCodec::Text);

fn main() {
    divan::main();
}

fn grammar() -> Result<Grammar, String> {
    let text = include_str!("../../grammars/json/json.ebnf");
    text.parse()
        .map_err(|error: pleach_core::grammar::Error| error.to_string())
}

/// Stands in for the engine's byte mutations, whose cost is not pleach's.
fn no_change(_: &mut [u8], size: usize, max_size: usize) -> usize {
    size.min(max_size)
}

/// Sentences of about `size` bytes with their choices.
fn inputs(count: usize, size: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let graph = Graph::new(grammar().expect("the grammar is right")).expect("sentences are short");
    let limits = Limits {
        max_depth: 30,
        max_len: (size + size / 4) as u32,
        max_nodes: 1 << 20,
    };
    let mut generator = Generator::new(&Arc::new(Codec::new(&graph)), limits, Rng::new(1));
    let mut index = SiteIndex::new();
    let mut inputs = Vec::new();
    while inputs.len() < count {
        generator.generate(&mut index);
        if index.text().len().abs_diff(size) <= size / 4 {
            inputs.push((index.text().to_vec(), index.canonical().to_vec()));
        }
    }
    inputs
}

/// Mutates an input as often as the engine does.
fn mutate(fuzzer: &Fuzzer, input: &[u8], data: &mut [u8], seed: u32) -> usize {
    data[..input.len()].copy_from_slice(input);
    (0..DEPTH).fold(input.len(), |size, step| {
        fuzzer.mutate(data, size, MAX_SIZE, seed * DEPTH + step)
    })
}

#[divan::bench(args = SIZES, sample_count = 5000)]
fn choices(bencher: Bencher<'_, '_>, size: usize) {
    let inputs = inputs(64, size);
    let (mut data, mut turn) = (vec![0; MAX_SIZE], 0);
    bencher.bench_local(|| {
        turn += 1;
        let (_, choices) = &inputs[turn % inputs.len()];
        mutate(&CHOICES, black_box(choices), &mut data, turn as u32)
    });
}

/// Each parent has been parsed before.
#[divan::bench(args = SIZES, sample_count = 5000)]
fn text_known(bencher: Bencher<'_, '_>, size: usize) {
    let inputs = inputs(64, size);
    let (mut data, mut turn) = (vec![0; MAX_SIZE], 0);
    for (text, _) in &inputs {
        mutate(&TEXT, text, &mut data, 0);
    }
    let before = TEXT.stats();
    bencher.bench_local(|| {
        turn += 1;
        let (text, _) = &inputs[turn % inputs.len()];
        mutate(&TEXT, black_box(text), &mut data, turn as u32)
    });
    assert_eq!(TEXT.stats().misses(), before.misses());
}

/// Each parent is new: it is numbered.
#[divan::bench(args = SIZES, sample_count = 5000)]
fn text_new(bencher: Bencher<'_, '_>, size: usize) {
    let inputs = inputs(64, size);
    let (mut data, mut turn, mut parent) = (vec![0; MAX_SIZE], 0, Vec::new());
    let before = TEXT.stats();
    bencher.bench_local(|| {
        turn += 1;
        parent.clear();
        write!(parent, "[{turn},").expect("a vector takes all bytes");
        parent.extend_from_slice(&inputs[turn % inputs.len()].0);
        parent.push(b']');
        mutate(&TEXT, black_box(&parent), &mut data, turn as u32)
    });
    // Now and then a mutant was the same as a later parent.
    let parsed = TEXT.stats().parsed - before.parsed;
    assert!(parsed * 100 >= turn as u64 * 99, "{parsed} of {turn}");
}

/// The parse alone.
#[divan::bench(args = SIZES, sample_count = 5000)]
fn parse(bencher: Bencher<'_, '_>, size: usize) {
    let graph = Graph::new(grammar().expect("the grammar is right")).expect("sentences are short");
    let inputs = inputs(64, size);
    let (parser, mut workspace, mut choices) = (Parser::new(&graph), Workspace::new(), Vec::new());
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        choices.clear();
        let text = &inputs[turn % inputs.len()].0;
        let forest = parser.parse(black_box(text), Budget::default(), &mut workspace);
        forest
            .and_then(|mut forest| forest.choices(&mut choices))
            .expect("a sentence")
    });
}
