//! Grammars in binary: written and read they are the same, and other bytes are an error and never a panic.

use super::super::Grammar;
use super::super::binary::{Error, HEADER_BYTES, checksum};
use super::{check, read};
use crate::rng::Rng;
use crate::tests::random_grammar;

/// Writes a grammar, reads that, and checks that both are the same in every way that can be seen, but for warnings.
pub(super) fn write_and_read(grammar: &Grammar) {
    let bytes = grammar.to_bytes();
    let again = Grammar::from_bytes(&bytes).unwrap_or_else(|error| panic!("{error}\n{grammar}"));
    assert_eq!(*grammar, again, "{grammar:?}\n{again:?}");
    assert_eq!(grammar.fingerprint(), again.fingerprint());
    assert_eq!(grammar.has_tokens(), again.has_tokens());
    assert_eq!(grammar.symbols(), again.symbols());
    assert_eq!(again.warnings(), []);
    assert_eq!(again.to_bytes(), bytes);
}

/// Bytes whose checksum and fingerprint are right, if the rest is.
fn seal(payload: &[u8]) -> Result<Grammar, Error> {
    let mut bytes = Vec::from(&read("a := 'a';").to_bytes()[..HEADER_BYTES]);
    bytes[20..].copy_from_slice(&checksum(payload).to_le_bytes());
    bytes.extend_from_slice(payload);
    match Grammar::from_bytes(&bytes) {
        Err(Error::Fingerprint { found, .. }) => {
            bytes[12..20].copy_from_slice(&found.to_le_bytes());
            Ok(Grammar::from_bytes(&bytes).unwrap())
        }
        other => other,
    }
}

#[test]
fn names_of_symbols_survive_pruning() {
    let grammar = read("a := b 'x' ('y' c 'z' | 'w' [xy]); b := 'b'; c := c; d := 'd';");
    write_and_read(&grammar);
    let again = Grammar::from_bytes(&grammar.to_bytes()).unwrap();
    let names: Vec<String> = (again.symbols().ids().map(|id| again.symbol_name(id))).collect();
    assert_eq!(names, ["a.0", "a.1", "a.5", "a.6", "b.0"]);
}

#[test]
fn tokens_modes_and_probabilities_survive() {
    write_and_read(&read(
        "a := (20% b | 12.5% c | D){2,3} ''; token b := 'x'i E?; token(m) c := [\\x80-\\xffa-z]; \
         token D := 'd'; E := 'é'; skip ws := ' '+;",
    ));
}

#[test]
fn cut_and_altered_bytes_are_refused() {
    let bytes =
        read("a := 40% b | 'x'i | [a-z\\u{e9}]{2,}; token b := 'y' c; c := 'z';").to_bytes();
    for len in 0..bytes.len() {
        Grammar::from_bytes(&bytes[..len]).unwrap_err();
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut altered = bytes.clone();
            altered[at] ^= 1 << bit;
            let error = Grammar::from_bytes(&altered).unwrap_err();
            assert!(error.to_string().contains("\nhelp: "), "{error}");
        }
    }
    let mut longer = bytes.clone();
    longer.push(0);
    Grammar::from_bytes(&longer).unwrap_err();
}

#[test]
fn errors_say_what_to_do() {
    let error = |bytes: &[u8]| Grammar::from_bytes(bytes).unwrap_err().to_string();
    assert_eq!(
        error(b"a := 'x';"),
        "this is not a compiled grammar\nhelp: `pleach compile GRAMMAR -o FILE` makes one"
    );
    let mut bytes = read("a := 'x';").to_bytes();
    assert_eq!(
        error(&bytes[..30]),
        "this compiled grammar is damaged: byte 29: it ends too early, or has no such value\n\
         help: compile it again"
    );
    bytes[12] ^= 1;
    assert!(error(&bytes).starts_with("this compiled grammar has the fingerprint "));
    bytes[8] = 7;
    assert!(error(&bytes).starts_with("this grammar was compiled in format 7, and "));
}

/// What is sealed reaches the checks behind the checksum. Whatever passes is a grammar as any other.
#[test]
fn hostile_bytes_are_refused_or_a_grammar() {
    let mut rng = Rng::new(1);
    let (mut passed, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let Ok(grammar) = random_grammar(&mut rng).parse::<Grammar>() else {
            continue;
        };
        let mut payload = grammar.to_bytes().split_off(HEADER_BYTES);
        for _ in 0..1 + rng.below(3) {
            let at = rng.index(payload.len());
            match rng.below(4) {
                0 => payload[at] = rng.below(8) as u8,
                1 => payload[at] = rng.below(256) as u8,
                2 => drop(payload.remove(at)),
                _ => payload.insert(at, [0, 1, 2, 251, 252, 255][rng.index(6)]),
            }
            if payload.is_empty() {
                break;
            }
        }
        match seal(&payload) {
            Ok(grammar) => {
                passed += 1;
                check(&grammar);
                write_and_read(&grammar);
                let again = read(&grammar.to_string());
                assert_eq!(grammar, again, "{grammar}");
            }
            Err(_) => refused += 1,
        }
    }
    assert!(passed > 1000 && refused > 1000, "{passed}, {refused}");
}

/// A count is no reason to make room.
#[test]
fn huge_counts_end_with_the_bytes() {
    for at in 0..12 {
        let mut payload = read("a := 'x'; ").to_bytes().split_off(HEADER_BYTES);
        payload.truncate(at);
        payload.extend([252, 255, 255, 255, 255]);
        seal(&payload).unwrap_err();
        payload.extend([0; 1000]);
        seal(&payload).unwrap_err();
    }
}
