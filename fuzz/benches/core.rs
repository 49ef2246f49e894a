//! The core's operations on sentences of serde_json's grammar, with their allocations.
//!
//! `cargo bench` in this folder. For comparisons with other tools, side by side in CPU time, see `peers`.

use std::sync::Arc;

use divan::{AllocProfiler, Bencher, black_box};
use pleach_core::choice::{Scratch, SiteIndex};
use pleach_core::generate::{Generator, Limits, Sampler};
use pleach_core::kpath::WindowTable;
use pleach_core::model::{Model, Reading, Tables};
use pleach_core::rng::Rng;
use pleach_core::semantics::{Semantics, Workspace, productions};
use pleach_core::slip::Slips;
use pleach_core::{Codec, Coverage, Graph, KPaths, Session};

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

/// Lengths of sentences, in bytes.
const SIZES: [usize; 3] = [10, 700, 2000];

fn main() {
    divan::main();
}

fn graph() -> Arc<Graph> {
    let text = include_str!("../../grammars/json/json.ebnf");
    Graph::new(
        text.parse::<pleach_core::Grammar>()
            .expect("the grammar is right"),
    )
    .expect("sentences are short")
}

fn kpaths(graph: &Arc<Graph>) -> Arc<KPaths> {
    KPaths::new(graph, 3).expect("few k-paths")
}

fn codec(graph: &Arc<Graph>) -> Arc<Codec> {
    let windows = WindowTable::new(&kpaths(graph)).expect("few windows");
    Arc::new(Codec::new(graph).with_windows(&windows))
}

/// Choice sequences of sentences of about `size` bytes.
fn inputs(codec: &Arc<Codec>, size: usize) -> Vec<Vec<u8>> {
    let limits = Limits {
        max_depth: 30,
        max_len: (size + size / 4) as u32,
        max_nodes: 1 << 20,
    };
    let mut generator = Generator::new(codec, limits, Rng::new(1));
    let mut index = SiteIndex::new();
    let mut inputs = Vec::new();
    while inputs.len() < 32 {
        generator.generate(&mut index);
        if index.text().len().abs_diff(size) <= size / 4 {
            inputs.push(index.canonical().to_vec());
        }
    }
    inputs
}

#[divan::bench(args = SIZES)]
fn decode(bencher: Bencher<'_, '_>, size: usize) {
    let codec = codec(&graph());
    let inputs = inputs(&codec, size);
    let (mut scratch, mut text, mut turn) = (Scratch::default(), Vec::with_capacity(1 << 16), 0);
    bencher.bench_local(|| {
        text.clear();
        turn += 1;
        codec.decode(
            black_box(&inputs[turn % inputs.len()]),
            &mut scratch,
            &mut text,
        );
    });
}

#[divan::bench(args = SIZES)]
fn index_and_mark(bencher: Bencher<'_, '_>, size: usize) {
    let codec = codec(&graph());
    let inputs = inputs(&codec, size);
    let mut coverage = Coverage::new(&kpaths(codec.graph())).expect("few windows");
    let (mut scratch, mut index, mut turn) = (Scratch::default(), SiteIndex::new(), 0);
    for input in &inputs {
        codec.index(input, &mut scratch, &mut index);
    }
    bencher.bench_local(|| {
        turn += 1;
        codec.index(
            black_box(&inputs[turn % inputs.len()]),
            &mut scratch,
            &mut index,
        );
        coverage.add(index.windows())
    });
}

#[divan::bench(args = SIZES)]
fn generate(bencher: Bencher<'_, '_>, size: usize) {
    let limits = Limits {
        max_depth: 30,
        max_len: size as u32,
        max_nodes: 1 << 20,
    };
    let mut generator = Generator::new(&codec(&graph()), limits, Rng::new(1));
    let mut index = SiteIndex::new();
    for _ in 0..2000 {
        generator.generate(&mut index);
    }
    bencher.bench_local(|| generator.generate(&mut index));
}

/// The same by a model that was learned from such sentences, so they come out as long.
#[divan::bench(args = SIZES)]
fn sample(bencher: Bencher<'_, '_>, size: usize) {
    let limits = Limits {
        max_depth: 30,
        max_len: size as u32,
        max_nodes: 1 << 20,
    };
    let codec = codec(&graph());
    let mut generator = Generator::new(&codec, limits, Rng::new(1));
    let mut model = Model::new(&codec, 2);
    let mut index = SiteIndex::new();
    for _ in 0..2000 {
        generator.generate(&mut index);
        model.learn(index.choices()).expect("few contexts");
    }
    let tables = Tables::new(&model, &Reading::COMMON);
    let mut sampler = Sampler::new(&codec, tables, limits, 1 << 20);
    let mut rng = Rng::new(1);
    for _ in 0..2000 {
        sampler.sample(&mut rng, &mut index);
    }
    bencher.bench_local(|| sampler.sample(&mut rng, &mut index));
}

/// The text of an index, with a hook that reads each string and writes it back.
#[divan::bench(args = SIZES)]
fn render_with_hooks(bencher: Bencher<'_, '_>, size: usize) {
    let codec = codec(&graph());
    let grammar = codec.graph().grammar();
    let [string] = productions(grammar, ["string"]).expect("there are strings");
    let semantics = Semantics::<Vec<u8>>::new(grammar).on_leave(string, |node, copy| {
        copy.clear();
        copy.extend_from_slice(node.text());
        node.replace(copy);
    });
    let mut indexes = Vec::new();
    for input in inputs(&codec, size) {
        let mut index = SiteIndex::new();
        codec.index(&input, &mut Scratch::default(), &mut index);
        indexes.push(index);
    }
    let (mut workspace, mut text) = (Workspace::default(), Vec::with_capacity(1 << 16));
    let (slips, mut turn) = (Slips::new(), 0);
    bencher.bench_local(|| {
        turn += 1;
        let index = black_box(&indexes[turn % indexes.len()]);
        semantics.render(&codec, index, &slips, &mut workspace, &mut text)
    });
}

/// One mutation, loading an input for every five.
#[divan::bench(args = SIZES)]
fn mutate(bencher: Bencher<'_, '_>, size: usize) {
    let graph = graph();
    let inputs = inputs(&codec(&graph), size);
    let mut session = Session::new(&graph, 3).expect("few k-paths");
    let mut turn = 0;
    let mut step = move || {
        turn += 1;
        if turn % 5 == 0 {
            session.load(&inputs[turn / 5 % inputs.len()]);
        }
        session.seed(turn as u64);
        session.mutate(4096)
    };
    for _ in 0..5000 {
        step();
    }
    bencher.bench_local(step);
}

#[divan::bench]
fn rank(bencher: Bencher<'_, '_>) {
    let kpaths = kpaths(&graph());
    let paths: Vec<_> = kpaths.iter().collect();
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        kpaths.rank(black_box(&paths[turn % paths.len()]))
    });
}

#[divan::bench]
fn unrank(bencher: Bencher<'_, '_>) {
    let kpaths = kpaths(&graph());
    let mut path = Vec::new();
    let mut turn = 0;
    bencher.bench_local(|| {
        turn += 1;
        kpaths.window_into(black_box(turn % kpaths.len()), &mut path)
    });
}
