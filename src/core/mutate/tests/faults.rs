//! Faults within tokens come soon.

use std::collections::{BTreeMap, BTreeSet};

use crate::mutate::Session;
use crate::tests::graph;

/// Three kinds of tokens.
const LEXER: &str = "file := (token ' ')*; token := number | string | name; \
    number := '0x' hex+ | digit{1,3}; string := '\"' (char | escape)* '\"'; \
    escape := '\\\\' [nt] | '\\\\u' hex{4}; name := [A-Z]{2,}; \
    hex := [0-9a-f]; digit := [0-9]; char := [a-z];";

/// What is wrong, and whether a word is wrong in this way.
type Wrong = (&'static str, fn(&str) -> bool);

const WRONG: &[Wrong] = &[
    ("a prefix without digits", |word| word == "0x"),
    ("a prefix cut short", |word| {
        word.starts_with('0')
            && word.len() > 1
            && word[1..].bytes().all(|it| matches!(it, b'a'..=b'f'))
    }),
    ("no digit of the number", |word| {
        word.strip_prefix("0x")
            .is_some_and(|it| it.contains(|c: char| !c.is_ascii_hexdigit()))
    }),
    ("too many digits", |word| {
        word.len() == 4 && word.bytes().all(|it| it.is_ascii_digit())
    }),
    ("a string left open", |word| {
        word.len() > 1 && word.starts_with('"') && word.matches('"').count() == 1
    }),
    ("a string not begun", |word| {
        word.len() > 1 && word.ends_with('"') && word.matches('"').count() == 1
    }),
    ("an escape of nothing", |word| word.ends_with("\\\"")),
    ("an escape of another letter", |word| {
        word.split('\\')
            .skip(1)
            .any(|it| it.starts_with(|c: char| !"ntu\"".contains(c)))
    }),
    ("too few digits of an escape", |word| {
        word.split("\\u")
            .skip(1)
            .any(|it| it.bytes().take_while(u8::is_ascii_hexdigit).count() == 3)
    }),
    ("too many digits of an escape", |word| {
        let digits = |it: &str| {
            it.bytes()
                .take_while(|it| b"0123456789abcdef".contains(it))
                .count()
        };
        word.split("\\u").skip(1).any(|it| digits(it) > 4)
    }),
    ("a name too short", |word| {
        word.len() == 1 && word.as_bytes()[0].is_ascii_uppercase()
    }),
    ("no letter of a name", |word| {
        word.len() == 2
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && !word.ends_with(|c: char| c.is_ascii_uppercase())
    }),
    ("tokens without a space between", |word| {
        let names = word.trim_end_matches(|c: char| c.is_ascii_uppercase());
        let is_number_and_name =
            word.len() - names.len() > 1 && names.ends_with(|c: char| c.is_ascii_digit());
        let quotes = word.matches('"').count();
        is_number_and_name
            || quotes == 2 && word.starts_with('"') != word.ends_with('"')
            || quotes == 4
    }),
];

/// The runs within which each kind has to come.
const SOON: u64 = 8000;

#[test]
fn each_fault_within_a_token_comes_soon() {
    let graph = graph(LEXER);
    let mut session = Session::new(&graph, 3).unwrap();
    session.set_errors(100);
    session.control_length(5);
    let (mut corpus, mut seen) = (vec![vec![0]], BTreeSet::new());
    let mut found = BTreeMap::new();
    for run in 0..2 * SOON {
        session.seed(run);
        session.load(&corpus[(run * 7919) as usize % corpus.len()]);
        session.mutate(4096);
        session.mark();
        let features = session.features().iter();
        if features.filter(|&&it| seen.insert(it)).count() > 0 {
            corpus.push(session.choices().to_vec());
        }
        let text = String::from_utf8_lossy(session.sentence()).into_owned();
        for (name, is_wrong) in WRONG {
            if session.has_slips() && text.split(' ').any(is_wrong) {
                found.entry(*name).or_insert(run);
            }
        }
    }
    let late: Vec<_> = WRONG
        .iter()
        .map(|(name, _)| (*name, found.get(name)))
        .filter(|(_, run)| run.is_none_or(|&run| run > SOON))
        .collect();
    assert!(late.is_empty(), "{late:?}, of {found:?}");
}
