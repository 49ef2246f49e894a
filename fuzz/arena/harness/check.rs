//! What the subjects' tests share: snippets of a grammar, sentences of it, and what a run of them takes.

#![expect(
    clippy::disallowed_types,
    reason = "what a run takes is measured here, and decides nothing"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pleach_core::choice::{Scratch, SiteIndex};
use pleach_core::generate::{Generator, Limits};
use pleach_core::rng::Rng;
use pleach_core::{Codec, Grammar, Graph};

/// The snippets beside a grammar, `accepted` or `rejected`, sorted by name.
pub fn snippets(grammar: &str, kind: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let grammars = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../grammars");
    let folder = grammars.join(grammar).join(kind);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no snippets", folder.display());
    paths
        .into_iter()
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

/// Random sentences of a grammar, as the command line generates them.
pub fn sentences(grammar: &str, seed: u64, count: usize) -> Vec<Vec<u8>> {
    let grammar: Grammar = grammar.parse().expect("the subject's grammar is right");
    let graph = Arc::new(Graph::new(grammar).expect("the subject's grammar has sentences"));
    let codec = Arc::new(Codec::new(&graph));
    let mut generator = Generator::new(&codec, Limits::default(), Rng::new(seed));
    let mut index = SiteIndex::new();
    let mut scratch = Scratch::default();
    (0..count)
        .map(|_| {
            generator.generate(&mut index);
            let mut text = Vec::new();
            codec.decode(index.choices(), &mut scratch, &mut text);
            text
        })
        .collect()
}

/// Runs a subject on texts: how many it accepts, and what a run takes on average.
///
/// Each text is shown before it runs, so a test that fails ends with the text that it failed on.
pub fn run_all(run: fn(&[u8]) -> bool, texts: &[Vec<u8>]) -> (usize, Duration) {
    /// Unoptimized frames are large.
    const STACK: usize = 1 << 28;
    std::thread::scope(|scope| {
        let work = std::thread::Builder::new().stack_size(STACK);
        let all = work.spawn_scoped(scope, || run_each(run, texts));
        let joined = all.expect("a thread starts").join();
        joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn run_each(run: fn(&[u8]) -> bool, texts: &[Vec<u8>]) -> (usize, Duration) {
    let (mut accepted, mut time) = (0, Duration::ZERO);
    for text in texts {
        println!("{:?}", String::from_utf8_lossy(text));
        let start = Instant::now();
        accepted += usize::from(run(text));
        time += start.elapsed();
    }
    (accepted, time / texts.len() as u32)
}

/// How many texts a subject accepts.
pub fn accepted(run: fn(&[u8]) -> bool, texts: &[Vec<u8>]) -> usize {
    run_all(run, texts).0
}
