//! The text codec: what the mutator makes of texts.

use super::flip;
use crate::libfuzzer::text::{Reader, Texts};
use crate::libfuzzer::{Config, Stats};
use pleach_core::grammar::Grammar;
use pleach_core::graph::Graph;
use pleach_core::mutate::Session;
use pleach_core::parse::{Budget, Parser, Workspace};
use pleach_core::rng::Rng;

/// A mutator with the text codec, on its own.
struct Bench {
    session: Session,
    texts: Texts,
    config: Config,
    oracle: Parser,
}

pub(super) const LISTS: &str =
    "list := '[' (item (',' item)*)? ']'; item := [0-9]+ | list | '\"' [^\"]* '\"';";

impl Bench {
    fn new(grammar: &str, raw: u32) -> Bench {
        let graph = Graph::new(grammar.parse::<Grammar>().unwrap()).unwrap();
        let config = Config {
            raw: Some(raw),
            cache: 1,
            ..Config::default()
        };
        let mut session = Session::new(&graph, 3).unwrap();
        session.limit(config.budget());
        session.steer(config.steering);
        Bench {
            session,
            texts: Texts::new(&graph, &config),
            config,
            oracle: Parser::new(&graph),
        }
    }

    fn is_sentence(&self, text: &[u8]) -> bool {
        let mut workspace = Workspace::new();
        let parsed = self.oracle.parse(text, Budget::default(), &mut workspace);
        parsed.is_ok()
    }

    fn mutate(&mut self, data: &mut [u8], size: usize, max_size: usize, seed: u64) -> usize {
        let Bench {
            session,
            texts,
            config,
            ..
        } = self;
        session.seed(seed);
        texts.mutate(session, config, flip, data, size, max_size)
    }

    /// A mutant of at most `max_size` bytes.
    fn mutant(&mut self, text: &[u8], max_size: usize, seed: u64) -> Vec<u8> {
        let mut data = vec![0; text.len().max(max_size)];
        data[..text.len()].copy_from_slice(text);
        let size = self.mutate(&mut data, text.len(), max_size, seed);
        data.truncate(size);
        data
    }

    fn cross(&mut self, one: &[u8], other: &[u8], max_size: usize, seed: u64) -> Vec<u8> {
        let mut out = vec![0; max_size];
        self.session.seed(seed);
        let Bench { session, texts, .. } = self;
        let size = texts.cross(session, flip, one, other, &mut out);
        out.truncate(size);
        out
    }

    fn stats(&self) -> Stats {
        self.texts.stats
    }
}

/// The same with tokens, and words that would be read as one.
const TOKENS: &str = "list := '[' (item+ (',' item)*)? ']'; item := Number | list | String | \"nil\"i | Name;
    token Number := [0-9]+; token String := '\"' [^\"]* '\"'; token Name := [a-z]+; skip Space := [ \\n]+;";

#[test]
fn texts_stay_sentences_that_fit() {
    mutants_are_sentences_that_fit(LISTS, "[1,[\"a\",23],[[]]]");
    mutants_are_sentences_that_fit(TOKENS, "[ 1 NIL,\n[\"a\",23],[a[ ]] ]");
}

fn mutants_are_sentences_that_fit(grammar: &str, text: &str) {
    let mut bench = Bench::new(grammar, 0);
    let mut corpus: Vec<Vec<u8>> = vec![b"[]".to_vec(), text.into()];
    let mut rng = Rng::new(5);
    for seed in 0..4000 {
        let text = corpus[rng.index(corpus.len())].clone();
        let max_size = match seed % 4 {
            0 if text.len() > 2 => text.len() - 1,
            1 => 2 + rng.index(20),
            _ => text.len() + 50,
        };
        let mutant = match seed % 3 {
            0 => {
                let other = corpus[rng.index(corpus.len())].clone();
                bench.cross(&text, &other, max_size, seed)
            }
            _ => bench.mutant(&text, max_size, seed),
        };
        let shown = mutant.escape_ascii();
        assert!((2..=max_size).contains(&mutant.len()), "{shown}");
        assert!(
            bench.is_sentence(&mutant),
            "{shown} of {}",
            text.escape_ascii()
        );
        if corpus.len() < 300 {
            corpus.push(mutant);
        }
    }
    let Stats { parsed, raw, .. } = bench.stats();
    assert_eq!((parsed, raw), (2, 0), "{}", bench.stats());
    assert!(corpus.iter().any(|text| text.len() > 30));
}

#[test]
fn what_is_no_sentence_comes_from_the_engine_and_is_counted() {
    let mut bench = Bench::new(LISTS, 300);
    let mut text = b"[1,2]".to_vec();
    for seed in 0..3000 {
        let before = bench.stats();
        let mutant = bench.mutant(&text, 64, seed);
        let after = bench.stats();
        assert!((1..=64).contains(&mutant.len()));
        assert_eq!(after.raw + after.sentences, seed + 1);
        if after.sentences > before.sentences {
            assert!(bench.is_sentence(&mutant), "{}", mutant.escape_ascii());
        }
        text = mutant;
    }
    let Stats { sentences, raw, .. } = bench.stats();
    // Half of what is mutated on is raw already, and one in eight of that becomes a sentence again.
    assert!(sentences > 500 && raw > 500, "{}", bench.stats());
}

#[test]
fn texts_that_do_not_parse_are_parsed_once_and_give_sentences_now_and_then() {
    let mut bench = Bench::new(LISTS, 0);
    let mut sentences = 0;
    for seed in 0..1000 {
        let mutant = bench.mutant(b"[1,", 40, seed);
        assert!((1..=40).contains(&mutant.len()));
        sentences += u64::from(bench.is_sentence(&mutant));
    }
    let stats = bench.stats();
    assert_eq!((stats.refused, stats.cached), (1, 999));
    assert!(stats.sentences > 60 && stats.sentences < 200, "{stats}");
    assert!(sentences >= stats.sentences);
    assert!(stats.hit_ratio() > 0.99);
}

#[test]
fn a_corpus_is_parsed_once() {
    let mut bench = Bench::new(LISTS, 0);
    let corpus: Vec<Vec<u8>> = (0..200)
        .map(|n| format!("[{n},[{n}]]").into_bytes())
        .collect();
    for pass in 0..5 {
        for (seed, text) in (0..).zip(&corpus) {
            bench.mutant(text, 60, pass * 1000 + seed);
        }
    }
    let stats = bench.stats();
    assert_eq!(
        (stats.parsed, stats.misses(), stats.hits()),
        (200, 200, 800)
    );
}

#[test]
fn a_wrong_length_never_comes_out() {
    // The empty sentence, sentences of one length, and none that is short enough.
    for grammar in [
        "a := '';",
        "a := 'x'*;",
        "a := 'abcdefgh';",
        "a := 'x'{20,} | [a-c]{30};",
        "a := '' | 'xy' a 'yx';",
    ] {
        let mut bench = Bench::new(grammar, 50);
        let mut text = b"x".to_vec();
        for seed in 0..500 {
            let max_size = [1, 2, 8, 19, 25, 200][seed as usize % 6];
            let mutant = match seed % 5 {
                0 => bench.cross(&text, b"xy", max_size, seed),
                _ => bench.mutant(&text, max_size, seed),
            };
            assert!((1..=max_size).contains(&mutant.len()), "{grammar}");
            text = mutant;
        }
        bench.mutant(b"", 10, 0);
        bench.mutant(&[b'x'; 9000], 3, 0);
    }
}

#[test]
fn minimization_shortens_in_the_buffer_of_the_engine() {
    let original = b"[1,2,[3,4,\"some text\"],[[[5]]],\"more\"]";
    let mut bench = Bench::new(LISTS, 500);
    let mut shortest = original.len();
    for round in 0..40 {
        // As libFuzzer does it: the size of the original, whatever the buffer holds.
        let mut data = original.to_vec();
        for step in 0..5 {
            let max_size = original.len() - 1;
            let size = bench.mutate(&mut data, original.len(), max_size, round * 5 + step);
            assert!((1..=max_size).contains(&size));
            let text = &data[..size];
            assert!(bench.is_sentence(text), "{}", text.escape_ascii());
            shortest = shortest.min(size);
        }
    }
    assert!(shortest < original.len() / 2);
    let stats = bench.stats();
    assert_eq!((stats.parsed, stats.misses(), stats.raw), (1, 1, 0));

    let invalid = b"[1,2,3,4,5,6,7,,]";
    for seed in 0..100 {
        let size = bench.mutant(invalid, invalid.len() - 1, seed).len();
        assert!(size < invalid.len());
    }
    assert_eq!(bench.stats().raw, 100);
}

#[test]
fn the_same_calls_give_the_same_bytes() {
    let run = || {
        let mut bench = Bench::new(LISTS, 100);
        let mut text = b"[[7]]".to_vec();
        let mut all = Vec::new();
        for seed in 0..500 {
            text = bench.mutant(&text, 80, seed);
            all.extend_from_slice(&text);
        }
        (all, bench.stats())
    };
    assert_eq!(run(), run());
}

#[test]
fn long_texts_are_left_to_the_mutator_and_longer_ones_unread() {
    let mut bench = Bench::new(LISTS, 0);
    let text = |len: usize| format!("[{}1]", "1,".repeat(len / 2)).into_bytes();
    let medium = text(40_000);
    let Bench { session, texts, .. } = &mut bench;
    assert!(!texts.recognize(session, &medium, Reader::Callback));
    assert_eq!((texts.stats.exhausted, texts.stats.misses()), (1, 1));
    let long = text(1 << 20);
    for _ in 0..3 {
        assert!(!texts.recognize(session, &long, Reader::Mutator));
    }
    // A text that no shelf can hold is asked for again, at no cost.
    assert_eq!(texts.stats.exhausted, 4);
    assert!(texts.recognize(session, &medium, Reader::Mutator));
    let short = text(100);
    assert!(texts.recognize(session, &short, Reader::Callback));
    assert_eq!(session.sentence(), short);
}
