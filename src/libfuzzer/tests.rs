//! The glue as an engine would call it.

mod semantics;
mod settings;
mod texts;

use std::sync::atomic::{AtomicU8, Ordering};

use arbitrary::{Arbitrary, Unstructured};

use super::{Counters, Fuzzer, InputCodec, Language, ModelMode, Sentence, Stats, by_engine};
use pleach_core::mutate::DEFAULT_FEATURE_LEVEL;
use texts::LISTS;

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
fn a_fuzzer_without_counters_runs() {
    static NONE: [AtomicU8; 0] = [];
    static PLAIN: Fuzzer = Fuzzer::new(
        || "a := 'x'*;".parse().map_err(|e| format!("{e}")),
        &NONE,
        flip,
    );
    assert_eq!(PLAIN.execute(&[1, 1, 0], <[u8]>::to_vec), b"xx");
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
    assert!(refused(None, Some(b"x"), None).contains("this is not a model"));
    let mut other = Session::new(&graph("a := 'x' | 'y';"), 2).unwrap();
    let message = model::follow(&mut other, None, Some(bytes), None).unwrap_err();
    assert!(
        message.starts_with("model: this is a model of the grammar"),
        "{message}"
    );
}

#[test]
fn without_pleach_the_engine_changes_what_fits() {
    let mut data = [7; 4];
    assert_eq!(by_engine(flip, &mut data, 3, 0), 0);
    for max_size in 1..=4 {
        let size = by_engine(|_, _, _| 9, &mut data, 1, max_size);
        assert_eq!(size, max_size);
        assert_eq!(by_engine(|_, _, _| 0, &mut data, 1, max_size), 1);
    }
}
