//! The glue as an engine would call it.

mod semantics;

use std::sync::atomic::{AtomicU8, Ordering};

use arbitrary::{Arbitrary, Unstructured};

use super::text::{Reader, Texts};
use super::{Config, Counters, Fuzzer, InputCodec, Language, ModelMode, Sentence, Stats};
use pleach_core::grammar::Grammar;
use pleach_core::graph::Graph;
use pleach_core::mutate::{DEFAULT_FEATURE_LEVEL, Heuristic, Session};
use pleach_core::parse::{Budget, Parser, Workspace};
use pleach_core::rng::Rng;

/// Stands in for the engine's mutation: flips a bit and sometimes grows.
fn flip(data: &mut [u8], size: usize, max_size: usize) -> usize {
    let size = size.min(max_size);
    if size < max_size {
        data[size] = 0x5a;
        return size + 1;
    }
    data[size / 2] ^= 1;
    size
}

static COUNTERS: Counters<256> = Counters::new();
static LIST: Fuzzer = Fuzzer::new(
    || {
        "list := '[' (item (',' item)*)? ']'; item := [0-9]+ | list | '\"' [^\"]* '\"';"
            .parse()
            .map_err(|e| format!("{e}"))
    },
    COUNTERS.as_slice(),
    flip,
);

struct List;

impl Language for List {
    fn fuzzer() -> &'static Fuzzer {
        &LIST
    }
}

#[test]
fn mutants_fit_are_never_empty_and_run_as_what_they_decode_to() {
    let mut data = vec![0u8; 512];
    let mut size = 1;
    for seed in 0..3000u32 {
        let max_size = [512, 40, 1, 512, 9][seed as usize % 5];
        let max_size = if size > max_size && seed % 2 == 0 {
            size - 1
        } else {
            max_size
        }
        .max(1);
        size = LIST.mutate(&mut data, size, max_size, seed);
        assert!((1..=max_size).contains(&size), "{size} of {max_size}");
        let text = LIST.execute(&data[..size], <[u8]>::to_vec);
        assert_eq!(text, LIST.sentence(&data[..size]));
        assert!(text.starts_with(b"[") && text.ends_with(b"]"));
    }
    let (covered, total) = LIST.coverage();
    assert_eq!(covered, total);
    let marked = COUNTERS
        .as_slice()
        .iter()
        .filter(|counter| counter.load(Ordering::Relaxed) == 1)
        .count();
    // The features are the 2-paths, and the one symbol next to the root.
    let state = LIST.state();
    let pairs = state.session.coverage().at_level(DEFAULT_FEATURE_LEVEL);
    assert!(marked > pairs.count_ones(), "{marked}");
}

#[test]
fn crossover_fits_and_is_never_empty() {
    for seed in 0..2000u32 {
        let one: Vec<u8> = (0..seed % 60).map(|at| (at * seed % 255) as u8).collect();
        let other: Vec<u8> = (0..seed % 41).map(|at| (at * 31 % 251) as u8).collect();
        let mut out = vec![0; 1 + seed as usize % 70];
        let size = LIST.crossover(&one, &other, &mut out, seed);
        assert!((1..=out.len()).contains(&size));
    }
}

#[test]
fn any_bytes_are_a_sentence() {
    for len in 0..40 {
        let bytes: Vec<u8> = (0..len).map(|at: u8| at.wrapping_mul(37)).collect();
        let whole = Sentence::<List>::arbitrary_take_rest(Unstructured::new(&bytes)).unwrap();
        assert_eq!(whole.as_bytes(), LIST.sentence(&bytes));
        let mut unstructured = Unstructured::new(&bytes);
        let (first, second) = (
            Sentence::<List>::arbitrary(&mut unstructured).unwrap(),
            Sentence::<List>::arbitrary(&mut unstructured).unwrap(),
        );
        assert!(first.starts_with(b"[") && second.starts_with(b"["));
        assert_eq!(format!("{whole:#?}").as_bytes(), whole.as_bytes());
    }
}

#[test]
fn settings_are_read_and_checked() {
    let with = |name: &'static str, value: &'static str| {
        Config::from_variables(move |asked| (asked == name).then(|| value.to_owned()))
    };
    let default = Config::default();
    assert_eq!(Config::from_variables(|_| None), Ok(default));
    assert_eq!(with("PLEACH_K", "2"), Ok(Config { k: 2, ..default }));
    assert_eq!(
        with("PLEACH_STEERING", "0"),
        Ok(Config {
            steering: 0,
            ..default
        })
    );
    assert_eq!(
        with("PLEACH_BYTES", "0.5"),
        Ok(Config {
            bytes: 500,
            ..default
        })
    );
    assert_eq!(
        with("PLEACH_MAX_LEN", " 100 "),
        Ok(Config {
            max_len: 100,
            ..default
        })
    );
    assert_eq!(
        with("PLEACH_MAX_DEPTH", "7"),
        Ok(Config {
            max_depth: 7,
            ..default
        })
    );
    let text = |name, value| with(name, value).unwrap();
    assert_eq!(text("PLEACH_MODE", "self").mode, Some(ModelMode::Kept));
    assert_eq!(text("PLEACH_MODE", "common").mode, Some(ModelMode::Common));
    assert_eq!(
        text("PLEACH_MODE", "uncommon").mode,
        Some(ModelMode::Uncommon)
    );
    assert_eq!(text("PLEACH_RAW", "0").raw, Some(0));
    assert_eq!(text("PLEACH_CACHE", "100").cache, 100);
    assert!(text("PLEACH_AVOID", "1").avoid && !text("PLEACH_AVOID", "0").avoid);
    assert!(text("PLEACH_CLOCK", "1").clock && !text("PLEACH_CLOCK", "0").clock);
    assert!(text("PLEACH_STATS", "1").stats && !text("PLEACH_STATS", "0").stats);
    assert_eq!(text("PLEACH_REWORD", "1").reword, 1000);
    assert_eq!(text("PLEACH_ERRORS", "0").errors, Some(0));
    assert_eq!(text("PLEACH_FEATURES", "0").features, 0);
    assert_eq!(text("PLEACH_LEN_CONTROL", "1000").len_control, 1000);
    let without = text("PLEACH_WITHOUT", "sites, opening,schedule").without;
    let names: Vec<_> = without.iter().map(Heuristic::name).collect();
    assert_eq!(names, ["sites", "opening", "schedule"]);
    assert_eq!(default.without.iter().count(), 0);
    const SHARE: &str = "a share from 0 to 1";
    for (name, value, expected) in [
        ("PLEACH_K", "0", "a whole number from 1 to 32"),
        ("PLEACH_K", "x", "a whole number from 1 to 32"),
        ("PLEACH_K", " ", "a whole number from 1 to 32"),
        ("PLEACH_STEERING", "2", SHARE),
        ("PLEACH_BYTES", "-1", SHARE),
        ("PLEACH_BYTES", "NaN", SHARE),
        ("PLEACH_REWORD", "half", SHARE),
        ("PLEACH_ERRORS", "1.5", SHARE),
        ("PLEACH_FEATURES", "33", "a whole number from 0 to 32"),
        (
            "PLEACH_LEN_CONTROL",
            "1001",
            "a whole number from 0 to 1000",
        ),
        ("PLEACH_MAX_LEN", "0", "a number of bytes from 1 on"),
        ("PLEACH_MAX_DEPTH", "0", "a whole number from 1 to 65536"),
        ("PLEACH_RAW", "1.1", SHARE),
        ("PLEACH_CACHE", "0", "a number of MiB from 1 to 4096"),
        ("PLEACH_AVOID", "0.5", "0 or 1"),
        ("PLEACH_MODE", "rare", "common, uncommon or self"),
        ("PLEACH_CLOCK", "2", "0 or 1"),
        ("PLEACH_STATS", "yes", "0 or 1"),
        (
            "PLEACH_WITHOUT",
            "sites,site",
            "names among operators, sites, opening, scalars, borrowing, absorbing, schedule, with commas between",
        ),
    ] {
        let error = with(name, value).unwrap_err().to_string();
        let expected = format!(
            "{name}={value} is not {expected}\nhelp: set {name} to {expected}, or unset it"
        );
        assert_eq!(error, expected);
    }
}

#[test]
fn a_setting_that_is_empty_counts_as_unset() {
    let config = Config::from_variables(|_| Some(String::new()));
    assert_eq!(config, Ok(Config::default()));
}

#[test]
fn a_fuzzer_without_counters_runs() {
    static NONE: [AtomicU8; 0] = [];
    static PLAIN: Fuzzer = Fuzzer::new(
        || "a := 'x'*;".parse().map_err(|e| format!("{e}")),
        &NONE,
        flip,
    );
    assert_eq!(PLAIN.execute(&[1, 1, 0], <[u8]>::to_vec), b"xx");
}

/// A mutator with the text codec, on its own.
struct Bench {
    session: Session,
    texts: Texts,
    config: Config,
    oracle: Parser,
}

const LISTS: &str =
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

static TEXT_COUNTERS: Counters<256> = Counters::new();
static TEXT: Fuzzer = Fuzzer::new(
    || LISTS.parse().map_err(|e| format!("{e}")),
    TEXT_COUNTERS.as_slice(),
    flip,
)
.with_codec(InputCodec::Text);

struct TextList;

impl Language for TextList {
    fn fuzzer() -> &'static Fuzzer {
        &TEXT
    }
}

#[test]
fn a_target_with_the_text_codec_sees_its_bytes() {
    assert_eq!(TEXT.codec(), InputCodec::Text);
    for bytes in [&b""[..], b"\n", b"[1", b"[1]", &[0xff; 70_000]] {
        assert_eq!(TEXT.execute(bytes, <[u8]>::to_vec), bytes);
        assert_eq!(TEXT.sentence(bytes), bytes);
        let whole = Sentence::<TextList>::arbitrary_take_rest(Unstructured::new(bytes)).unwrap();
        assert_eq!(whole.as_bytes(), bytes);
    }
    let sentence = Sentence::<TextList>::decode(b"[1,[]]");
    assert_eq!(format!("{sentence:#?}"), "[1,[]]");
    // The two sentences have covered something, and one run at a time marks what it has.
    let marked = |text: &[u8]| {
        for counter in TEXT_COUNTERS.as_slice() {
            counter.store(0, Ordering::Relaxed);
        }
        TEXT.execute(text, |_| ());
        let counters = TEXT_COUNTERS.as_slice().iter();
        counters
            .filter(|counter| counter.load(Ordering::Relaxed) == 1)
            .count()
    };
    assert_eq!(marked(b"[1"), 0);
    assert!(marked(b"[1]") > 2 && marked(b"[1,[\"a\"]]") > marked(b"[]"));
    // What the mutator gives out runs without a parse.
    let mut data = vec![0; 100];
    data[..3].copy_from_slice(b"[1]");
    let mut size = 3;
    let before = TEXT.stats().misses();
    for seed in 0..200 {
        size = TEXT.mutate(&mut data, size, 100, seed);
        assert_eq!(TEXT.execute(&data[..size], <[u8]>::to_vec), &data[..size]);
        let mut out = [0; 50];
        let crossed = TEXT.crossover(&data[..size], b"[1]", &mut out, seed);
        assert!((1..=50).contains(&crossed));
    }
    assert_eq!(TEXT.mutate(&mut data, size, 0, 0), 0);
    let stats = TEXT.stats();
    assert!(
        stats.misses() - before <= 40 && stats.hit_ratio() > 0.9,
        "{stats}"
    );
    let (covered, total) = TEXT.coverage();
    assert!(covered > 0 && covered <= total);
    assert_eq!(LIST.stats(), Stats::default());
}

#[test]
fn reports_tell_what_all_runs_have_covered() {
    static NESTED: Fuzzer = Fuzzer::new(
        || "a := 'x' | '(' a ')';".parse().map_err(|e| format!("{e}")),
        &[],
        flip,
    )
    .with_codec(InputCodec::Text);
    let coverage = |text: &[u8]| {
        NESTED.execute(text, |_| ());
        NESTED.state().lines().swap_remove(0)
    };
    // The 4-paths are a / a / a and each of the four symbols, the root left out.
    assert_eq!(coverage(b"x"), "coverage: k: 4 covered: 0 of: 4");
    assert_eq!(coverage(b"(((x)))"), "coverage: k: 4 covered: 1 of: 4");
    assert_eq!(coverage(b"(((("), "coverage: k: 4 covered: 1 of: 4");
    assert_eq!(coverage(b"((((x))))"), "coverage: k: 4 covered: 4 of: 4");
    // What was run stays covered, whether the engine has kept it or not.
    assert_eq!(coverage(b"x"), "coverage: k: 4 covered: 4 of: 4");

    let mut data = *b"x        ";
    NESTED.mutate(&mut data, 1, 9, 0);
    let lines = NESTED.state().lines();
    assert!(lines[1].starts_with("runs: 5 at_hand: "), "{lines:?}");
    assert!(lines[2].starts_with("operator: "), "{lines:?}");
}

#[cfg(feature = "compiled")]
#[test]
fn models_are_followed_or_refused_with_what_to_do() {
    use super::model;
    use pleach_core::{Graph, Session, model::Model};

    let graph = |text: &str| Graph::new(text.parse::<crate::Grammar>().unwrap()).unwrap();
    let list = graph("list := '[' [0-9]* ']';");
    let mut session = Session::new(&list, 2).unwrap();
    let bytes: &'static [u8] = Model::new(session.codec(), 0).to_bytes().leak();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("model");
    std::fs::write(&file, bytes).unwrap();
    let modes = [
        None,
        Some(ModelMode::Common),
        Some(ModelMode::Uncommon),
        Some(ModelMode::Kept),
    ];
    for mode in modes {
        model::follow(&mut session, None, Some(bytes), mode).unwrap();
        model::follow(&mut session, Some(file.clone().into()), None, mode).unwrap();
        assert_eq!(session.learned(), Some(0));
    }
    model::follow(&mut session, None, None, Some(ModelMode::Kept)).unwrap();
    model::follow(&mut session, Some("".into()), None, None).unwrap();
    let mut refused = |file: Option<&str>, bytes: Option<&'static [u8]>, mode| {
        let file = file.map(|name| folder.path().join(name).into());
        let message = model::follow(&mut session, file, bytes, mode).unwrap_err();
        assert!(message.contains("\nhelp: "), "{message}");
        message
    };
    assert!(refused(None, None, modes[1]).contains("there is none"));
    assert!(refused(Some("nowhere"), None, None).contains("nowhere: cannot read it"));
    std::fs::write(folder.path().join("json"), "{}").unwrap();
    assert!(refused(Some("json"), None, None).contains("no models in JSON"));
    assert!(refused(None, Some(b"x"), None).contains("this is no model"));
    let mut other = Session::new(&graph("a := 'x' | 'y';"), 2).unwrap();
    let message = model::follow(&mut other, None, Some(bytes), None).unwrap_err();
    assert!(
        message.starts_with("model: this is a model of the grammar"),
        "{message}"
    );
}
