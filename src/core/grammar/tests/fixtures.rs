//! The grammars and counts of an independent reference.

use super::super::{Grammar, NodeKind, WarningKind};
use super::{print_and_read, read};
use serde_json::Value;

const FACTS: &str = include_str!("../../tests/fixtures/fixtures.json");

macro_rules! fixtures {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../tests/fixtures/", $name, ".ebnf")))),*]
    };
}

const GRAMMARS: [(&str, &str); 13] = fixtures![
    "ambiguous" "cgi" "config" "csv" "epsilon" "expr" "fb_expr" "fb_url" "json" "json_tight" "quantifiers" "url" "useless"
];

#[test]
fn symbols_are_those_of_the_reference() {
    let facts: Value = serde_json::from_str(FACTS).unwrap();
    let facts = facts["grammars"].as_object().unwrap();
    assert_eq!(facts.len(), GRAMMARS.len());
    for (name, text) in GRAMMARS {
        let grammar = read(text);
        let pruned = name == "useless";
        let expected: Vec<(String, String, String)> = facts[name]["symbols"]
            .as_array()
            .unwrap()
            .iter()
            .map(|symbol| {
                let part = |index: usize| symbol[index].as_str().unwrap().to_owned();
                (part(0), part(1), normal(&part(1), &part(2)))
            })
            .collect();
        let actual: Vec<(String, String, String)> = grammar
            .symbols()
            .iter()
            .map(|(id, symbol)| {
                let kind = match grammar[symbol.node].kind {
                    NodeKind::Reference(_) => "ref",
                    NodeKind::Literal(_) => "lit",
                    _ => "cls",
                };
                let text = grammar.display(symbol.node).to_string();
                (grammar.symbol_name(id), kind.to_owned(), text)
            })
            .collect();
        if pruned {
            assert!(
                actual.iter().all(|symbol| expected.contains(symbol)),
                "{actual:?}"
            );
        } else {
            assert_eq!(actual, expected, "{name}");
        }
        assert_eq!(facts[name]["k_paths"][0], actual.len(), "{name}");
        assert_eq!(facts[name]["start"], *grammar[grammar.start()].name);
    }
}

/// A symbol's text as this library prints it: classes can be written in several ways.
fn normal(kind: &str, text: &str) -> String {
    if kind == "ref" {
        return text.to_owned();
    }
    let grammar = read(&format!("x := {text};"));
    grammar.display(grammar[grammar.start()].root).to_string()
}

#[test]
fn fixtures_print_and_read_back() {
    for (_, text) in GRAMMARS {
        print_and_read(text);
    }
}

#[test]
fn the_fixtures_of_the_papers_are_printed_as_they_are_written() {
    for (name, text) in GRAMMARS {
        if ["ambiguous", "config", "fb_expr"].contains(&name) {
            let written = text.split_once('\n').unwrap().1;
            assert_eq!(read(text).to_string(), written, "{name}");
        }
    }
}

#[test]
fn useless_parts_are_pruned_with_one_warning_each() {
    let (_, text) = GRAMMARS[12];
    let grammar = print_and_read(text);
    assert_eq!(
        grammar.to_string(),
        "top := item (\",\" item)*;\nitem := \"x\" | \"w\";\n"
    );
    assert_eq!(grammar.symbols().len(), 5);
    let names: Vec<String> = grammar
        .symbols()
        .ids()
        .map(|id| grammar.symbol_name(id))
        .collect();
    assert_eq!(names, ["top.0", "top.1", "top.2", "item.0", "item.8"]);
    let warnings: Vec<_> = grammar
        .warnings()
        .iter()
        .map(|warning| {
            (
                warning.kind,
                &*warning.production,
                warning.line,
                warning.column,
            )
        })
        .collect();
    assert_eq!(
        warnings,
        [
            (WarningKind::Unproductive, "Loop", 4, 1),
            (WarningKind::Unproductive, "Half", 5, 1),
            (WarningKind::Unreachable, "Island", 6, 1),
            (WarningKind::Unreachable, "Atoll", 7, 1),
        ]
    );
}

#[test]
fn alternatives_are_counted_for_expansion_coverage() {
    let count = |name: &str| {
        let (_, text) = GRAMMARS.iter().find(|(other, _)| *other == name).unwrap();
        text.parse::<Grammar>().unwrap().alternative_count()
    };
    assert_eq!(count("ambiguous"), 2);
    assert_eq!(count("config"), 1 + 2 + 1 + 2 + 1 + 2);
    // Expr 1, AddExpr 2 + 2, MultExpr 2 + 3, UnaryExpr 7, DecDigits 1, DecDigit 10, Identifier 3.
    assert_eq!(count("expr"), 31);
    assert_eq!(count("useless"), 1 + 2);
}
