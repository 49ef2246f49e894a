//! Faults within tokens come in their turn.

use std::collections::BTreeMap;

use crate::mutate::{Heuristic, Session};
use crate::parse::Parser;
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

/// An input that all of this can go wrong in.
const INPUT: &[u8] = b"0xab 12 123 \"a\\nb\" \"\\u00e4\" AB ABC 0xcd \"c\" ";

#[test]
fn each_fault_within_a_token_comes_in_its_turn() {
    let graph = graph(LEXER);
    let input = Parser::new(&graph).encode(INPUT).unwrap();
    let mut session = Session::new(&graph, 3).unwrap();
    // All are slightly invalid, in shares as they are set.
    session.leave_out(
        [Heuristic::Operators, Heuristic::Opening]
            .into_iter()
            .collect(),
    );
    session.set_errors(1000);
    // Six kinds at each node at most. A fault that comes to what is looked for in half of the cases, or more often, has not come after 30
    // turns with a chance of less than 1e-9. A quarter of the mutants are such faults; that they are less than a sixth of so
    // many is less likely still.
    let pairs = 6 * graph.grammar().nodes().len() as u64;
    let mut missing: BTreeMap<_, _> = WRONG.iter().copied().collect();
    for run in 0..6 * 30 * pairs {
        session.seed(run);
        session.load(&input);
        session.mutate(4096);
        let text = String::from_utf8_lossy(session.sentence()).into_owned();
        missing.retain(|_, is_wrong| !(session.has_slips() && text.split(' ').any(*is_wrong)));
        if missing.is_empty() {
            break;
        }
        // Each run has the same parent.
        session.load(&[]);
    }
    assert!(missing.is_empty(), "{:?}", missing.keys());
}
