//! Depth and size: nothing recurses, everything is linear.

use super::super::{ErrorKind, Grammar, NodeKind};
use super::{check, read};

const DEEP: usize = 100_000;

/// Reads, prints and reads again on a small stack.
fn deep(text: String) -> Grammar {
    let thread = std::thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(move || {
            let grammar = read(&text);
            check(&grammar);
            let again = read(&grammar.to_string());
            assert!(grammar == again);
            assert!(format!("{grammar:?}").lines().count() > grammar.nodes().len());
            drop(again);
            grammar.clone()
        });
    thread.unwrap().join().unwrap()
}

#[test]
fn parentheses_nest_as_deep_as_they_like() {
    let grammar = deep(format!(
        "a := {}\"x\"{};",
        "(".repeat(DEEP),
        ")".repeat(DEEP)
    ));
    assert_eq!(grammar.nodes().len(), 1);
    let grammar = deep(format!(
        "a := {}\"x\"{};",
        "(\"a\" | ".repeat(DEEP),
        ")".repeat(DEEP)
    ));
    assert_eq!(grammar.nodes().len(), 2 * DEEP + 1);
    assert_eq!(grammar.alternative_count(), 2 * DEEP);
    let grammar = deep(format!(
        "a := {}\"x\"{};",
        "(".repeat(DEEP),
        ")*".repeat(DEEP)
    ));
    assert_eq!(grammar.nodes().len(), DEEP + 1);
    let grammar = deep(format!(
        "a := {}\"x\"{};",
        "(\"b\" ".repeat(DEEP),
        ")".repeat(DEEP)
    ));
    assert_eq!(grammar.nodes().len(), DEEP + 2);
    let grammar =
        deep(format!("a := {}\"x\"{};", "(b | ".repeat(DEEP), ")".repeat(DEEP)) + "b := b;");
    assert_eq!(grammar.nodes().len(), 1);
    let grammar = deep(
        format!(
            "a := \"y\" | {}b{};",
            "(c? ".repeat(DEEP),
            ")?".repeat(DEEP)
        ) + "b := b; c := b;",
    );
    assert_eq!(grammar.to_string(), "a := \"y\" | ();\n");
}

#[test]
fn open_parentheses_without_end_are_an_error() {
    let error = format!("a := {}", "(".repeat(DEEP))
        .parse::<Grammar>()
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.column()),
        (ErrorKind::UnexpectedToken, DEEP as u32 + 6)
    );
}

#[test]
fn chains_of_nonterminals_may_be_long() {
    let mut text = String::new();
    for index in 0..DEEP {
        text.push_str(&format!("n{index} := n{};\n", index + 1));
    }
    let grammar = read(&format!("{text}n{DEEP} := \"x\";"));
    assert_eq!(grammar.productions().len(), DEEP + 1);
    let error = format!("{text}n{DEEP} := n0;")
        .parse::<Grammar>()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnproductiveStart);
    let grammar = read(&format!("s := \"x\";\n{text}n{DEEP} := \"x\";"));
    assert_eq!(grammar.warnings().len(), DEEP + 1);
    assert_eq!(grammar.warnings()[DEEP].line, DEEP as u32 + 2);
}

#[test]
fn nested_regular_expressions_stay_small_or_are_refused() {
    let grammar = read("a := /((a{1000}){1000}){1000}/;");
    assert_eq!(grammar.nodes().len(), 4);
    let nested = format!("a := /{}a{}/;", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(
        nested.parse::<Grammar>().unwrap_err().kind(),
        ErrorKind::InvalidRegex
    );
    assert_eq!(read("a := /\\w/;").nodes().len(), 1);
}

#[test]
fn ten_megabytes_are_read_at_once() {
    let mut text = String::new();
    let mut index = 0;
    while text.len() < 10 << 20 {
        text.push_str(&format!(
            "rule_{index} := \"keyword{index}\" (rule_{} | [a-z0-9]+ rule_0)* | 12.5% \"\\\"\" /[0-9]+x/;\n",
            index + 1
        ));
        index += 1;
    }
    text.push_str(&format!("rule_{index} := \"end\";\n"));
    let grammar = read(&text);
    assert_eq!(grammar.productions().len(), index + 1);
    assert_eq!(grammar.symbols().len(), 7 * index + 1);
    let alternations = grammar
        .nodes()
        .iter()
        .filter(|(_, node)| node.kind == NodeKind::Alternation);
    assert_eq!(alternations.count(), 2 * index);
    assert!(grammar == read(&grammar.to_string()));
    let misspelt = text + "last := rule_x;";
    assert_eq!(misspelt.parse::<Grammar>().unwrap_err().column(), 9);
}
