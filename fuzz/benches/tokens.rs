//! What a lexical level costs: the same JSON, with and without tokens.
//!
//! `cargo bench --bench tokens` in this folder. Both grammars derive the same texts by the same choices, but with tokens more texts are
//! read: those with white space in them.

use std::sync::Arc;

use divan::{Bencher, black_box};
use pleach_core::choice::{Scratch, SiteIndex};
use pleach_core::generate::{Generator, Limits};
use pleach_core::parse::{Budget, Workspace};
use pleach_core::rng::Rng;
use pleach_core::{Codec, Grammar, Graph, Parser, Session};

/// Lengths of sentences, in bytes.
const SIZES: [usize; 3] = [10, 700, 2000];

const JSON: &str = r#"
text := value;
value := "false" | "null" | "true" | object | array | number | string;
object := "{" (member ("," member)*)? "}";
member := string ":" value;
array := "[" (value ("," value)*)? "]";
token number := "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+\-]? [0-9]+)?;
token string := "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9A-Fa-f]{4}))* "\"";
skip space := [ \t\n\r]+;
"#;

fn main() {
    divan::main();
}

/// The grammar, with tokens or without.
fn graph(has_tokens: bool) -> Arc<Graph> {
    let lines = JSON
        .lines()
        .filter(|line| has_tokens || !line.starts_with("skip"));
    let text: String = lines
        .map(|line| match has_tokens {
            true => format!("{line}\n"),
            false => format!("{}\n", line.trim_start_matches("token ")),
        })
        .collect();
    let grammar: Grammar = text.parse().expect("the grammar is right");
    Graph::new(grammar).expect("sentences are short")
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

fn decode(bencher: Bencher<'_, '_>, has_tokens: bool, size: usize) {
    let codec = Arc::new(Codec::new(&graph(has_tokens)));
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

fn parse(bencher: Bencher<'_, '_>, has_tokens: bool, size: usize) {
    let graph = graph(has_tokens);
    let codec = Arc::new(Codec::new(&graph));
    let texts: Vec<Vec<u8>> = inputs(&codec, size)
        .iter()
        .map(|choices| codec.sentence(choices))
        .collect();
    let parser = Parser::new(&graph);
    let (mut workspace, mut choices, mut turn) = (Workspace::new(), Vec::new(), 0);
    bencher.bench_local(|| {
        choices.clear();
        turn += 1;
        parser
            .parse(
                black_box(&texts[turn % texts.len()]),
                Budget::default(),
                &mut workspace,
            )
            .and_then(|mut forest| forest.choices(&mut choices))
            .expect("a sentence");
    });
}

fn mutate(bencher: Bencher<'_, '_>, has_tokens: bool, size: usize) {
    let graph = graph(has_tokens);
    let inputs = inputs(&Arc::new(Codec::new(&graph)), size);
    let mut session = Session::new(&graph, 3).expect("few k-paths");
    let mut turn = 0;
    bencher.bench_local(move || {
        turn += 1;
        if turn % 5 == 0 {
            session.load(&inputs[turn / 5 % inputs.len()]);
        }
        session.seed(turn as u64);
        session.mutate(1 << 16);
        black_box(session.sentence().len())
    });
}

macro_rules! benches {
    ($($module:ident, $has_tokens:expr;)*) => {$(
        mod $module {
            use super::{Bencher, SIZES};

            #[divan::bench(args = SIZES)]
            fn decode(bencher: Bencher<'_, '_>, size: usize) {
                super::decode(bencher, $has_tokens, size);
            }

            #[divan::bench(args = SIZES)]
            fn parse(bencher: Bencher<'_, '_>, size: usize) {
                super::parse(bencher, $has_tokens, size);
            }

            #[divan::bench(args = SIZES)]
            fn mutate(bencher: Bencher<'_, '_>, size: usize) {
                super::mutate(bencher, $has_tokens, size);
            }
        }
    )*};
}

benches! {
    without_tokens, false;
    with_tokens, true;
}
