//! Every error as it is shown. `errors.txt` has one case after the other: `=== ` and a name, the grammar, `---`, the kind
//! and the error. Running with `BLESS=1` writes what is shown now.

use super::super::ast::{Ast, Span};
use super::super::{Error, ErrorKind, Grammar, lower};
use crate::id::MAX_IDS;
use std::fmt::Write;

const CASES: &str = include_str!("errors.txt");

#[test]
fn errors_point_at_what_is_wrong_and_say_what_to_do() {
    let mut blessed = String::new();
    let mut failed = Vec::new();
    let mut kinds = Vec::new();
    for case in CASES.split("=== ").skip(1) {
        let (name, rest) = case.split_once('\n').unwrap();
        let (text, expected) = rest.split_once("\n---\n").unwrap();
        let shown = match text.parse::<Grammar>() {
            Ok(grammar) => format!("no error\n{grammar}"),
            Err(error) => {
                kinds.push(error.kind());
                format!(
                    "{:?} {:?}\n{}\n",
                    error.kind(),
                    error.span(),
                    error.with_path("x.ebnf")
                )
            }
        };
        if shown.trim_end() != expected.trim_end() {
            failed.push(format!("{name}: expected\n{expected}\nbut got\n{shown}"));
        }
        write!(blessed, "=== {name}\n{text}\n---\n{}\n\n", shown.trim_end()).unwrap();
    }
    if std::env::var_os("BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/grammar/tests/errors.txt");
        std::fs::write(path, blessed.trim_end().to_owned() + "\n").unwrap();
        return;
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    use ErrorKind as Kind;
    for kind in [
        Kind::UnexpectedCharacter,
        Kind::UnexpectedToken,
        Kind::EmptyAlternative,
        Kind::Unterminated,
        Kind::InvalidEscape,
        Kind::InvalidRange,
        Kind::EmptyClass,
        Kind::NegatedByte,
        Kind::InvalidBounds,
        Kind::RepeatedQuantifier,
        Kind::InvalidProbability,
        Kind::ProbabilitySum,
        Kind::InvalidRegex,
        Kind::UnsupportedRegex,
        Kind::UndefinedNonterminal,
        Kind::DuplicateProduction,
        Kind::NoProduction,
        Kind::UnproductiveStart,
    ] {
        assert!(kinds.contains(&kind), "no case of {kind:?}");
    }
}

#[test]
fn a_text_that_is_not_utf8_is_pointed_at() {
    let error = Grammar::parse(b"\xef\xbb\xbfa := \"x\";\nb := \"\xc3\xa9\xff\";\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "2:8: the text is not UTF-8\n\
         help: save it as UTF-8; a raw byte is written as an escape, as in \"\\xff\""
    );
    assert_eq!(
        (error.kind(), error.span()),
        (ErrorKind::InvalidUtf8, 21..22)
    );
    let cut = Grammar::parse(b"a := \"x\"; # \xe2\x82").unwrap_err();
    assert_eq!((cut.line(), cut.column(), cut.span()), (1, 13, 12..14));
}

#[test]
fn more_nodes_than_ids_are_refused() {
    let text = "a := \"x\" | \"y\" a;";
    let ast = super::super::notation::parse(text).unwrap();
    let lowered = |limit| lower::lower(&ast, text.as_bytes(), limit).map(|draft| draft.nodes.len());
    assert_eq!(lowered(5).unwrap(), 5);
    let error = lowered(4).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::TooLarge, 16));
    assert_eq!(error.message(), "a grammar of more than 4 nodes");
    assert!(lowered(MAX_IDS).is_ok());
}

#[test]
fn names_that_cannot_be_written_are_refused() {
    let mut ast = Ast::new();
    let name = ast.name("a b");
    let root = ast.literal(b"x", Span::new(6, 9));
    ast.production(name, Span::new(0, 5), root);
    let error: Error = Grammar::from_ast(&ast, "<a b> \"x\"").unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::InvalidName, "`a b` is not a name")
    );
}
