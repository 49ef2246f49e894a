//! The glue as an engine would call it.

use std::sync::atomic::{AtomicU8, Ordering};

use arbitrary::{Arbitrary, Unstructured};

use super::{Config, Counters, Fuzzer, Language, Sentence};

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
    assert!(marked as u64 >= total);
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
    for (name, value) in [
        ("PLEACH_K", "0"),
        ("PLEACH_K", "x"),
        ("PLEACH_STEERING", "2"),
        ("PLEACH_BYTES", "-1"),
        ("PLEACH_BYTES", "NaN"),
        ("PLEACH_MAX_LEN", "0"),
        ("PLEACH_MAX_DEPTH", ""),
    ] {
        let error = with(name, value).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{name}={value} is not")),
            "{error}"
        );
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
