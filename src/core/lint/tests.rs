//! Findings of small grammars, and what must hold for all.

use std::sync::Arc;

use super::{Effort, Finding, Kind, Severity, lint};
use crate::grammar::Grammar;
use crate::graph::Graph;
use crate::parse::{Budget, Parser, Workspace};
use crate::rng::Rng;
use crate::tests::{graph, random_grammar};

fn findings(text: &str) -> Vec<Finding> {
    lint(&graph(text), Effort::default())
}

/// The findings of one kind: nonterminals and messages.
fn messages(text: &str, kind: Kind) -> Vec<String> {
    let findings = findings(text).into_iter();
    let findings = findings.filter(|finding| finding.kind == kind);
    findings.map(|finding| finding.message).collect()
}

fn example(text: &str, kind: Kind) -> Option<String> {
    let finding = findings(text).into_iter().find(|it| it.kind == kind)?;
    String::from_utf8(finding.example?).ok()
}

#[test]
fn what_is_fine_has_no_findings() {
    let fine = "value := object | array | number; object := '{' (member (',' member)*)? '}'; \
                member := '\"' [a-z]* '\"' ':' value; array := '[' (value (',' value)*)? ']'; \
                number := '-'? ('0' | [1-9] [0-9]*) ('.' [0-9]+)?;";
    assert_eq!(findings(fine), []);
    let sums =
        "sum := sum '+' term | term; term := term '*' atom | atom; atom := [0-9] | '(' sum ')';";
    assert_eq!(findings(sums), []);
}

#[test]
fn what_was_pruned_is_found_with_its_place() {
    let found = findings("a := 'x';\nb := 'y';\nc := c;");
    let seen: Vec<_> = (found.iter().map(|it| (it.kind, &*it.production, it.place))).collect();
    assert_eq!(seen[0].0, Kind::Unreachable);
    assert_eq!((seen[1].0, seen[1].1), (Kind::Unproductive, "c"));
    assert_eq!(seen[1].2.unwrap().line, 3);
}

#[test]
fn cycles_are_found_whole() {
    let text = "a := b 'x' | 'y'; b := c d; c := d b | 'z' | e; d := '' | 'w'; e := 'e' e | 'e';";
    assert_eq!(
        messages(text, Kind::Cyclic),
        [
            "`b` derives itself and nothing else (`b` => `c` => `b`), so \"e\" has infinitely many derivations"
        ]
    );
    assert_eq!(
        messages("a := a | 'x';", Kind::Cyclic),
        [
            "`a` derives itself and nothing else (`a` => `a`), so \"x\" has infinitely many derivations"
        ]
    );
    // By a mandatory repetition of nothing besides.
    assert_eq!(
        messages("a := (b a){2} | 'x' | ''; b := 'b'?;", Kind::Cyclic).len(),
        1
    );
    for fine in [
        "a := 'x' a | 'y';",
        "a := a{2} | 'x';",
        "a := ('(' a ')')?;",
        "a := a?;",
    ] {
        assert_eq!(messages(fine, Kind::Cyclic), [""; 0], "{fine}");
    }
}

#[test]
fn ambiguity_is_found_where_it_is_with_a_short_example() {
    let dangling = "program := '{' (stmt ';')* '}'; stmt := 'if(' c ')' stmt ('else ' stmt)? | 'f()'; c := 'x' | c '<' 'y';";
    let found = findings(dangling);
    assert_eq!(
        (found[0].kind, &*found[0].production),
        (Kind::Ambiguous, "stmt")
    );
    assert_eq!(
        found[0].example.as_deref(),
        Some(&b"if(x)if(x)f()else f()"[..])
    );
    assert_eq!(found[0].severity, Severity::Info);
    assert_eq!(found.len(), 1);

    let words = "text := word (' ' word)*; word := keyword | name; keyword := 'if' | 'else'; name := [a-z]+;";
    assert_eq!(example(words, Kind::Ambiguous).as_deref(), Some("if"));
    let sum = findings("e := '(' e ')' | e '+' e | e '*' e | [0-9]+;");
    assert_eq!(sum[0].severity, Severity::Warning);
    assert_eq!(sum[0].example.as_ref().map(Vec::len), Some(5));
    let blanks = "list := '[' ws (item ws)* ws ']'; item := [0-9]; ws := ' '*;";
    assert_eq!(example(blanks, Kind::Ambiguous).as_deref(), Some("[ ]"));
    // Of nothing.
    assert_eq!(
        example("s := 'x' a; a := b | c; b := ''; c := '';", Kind::Ambiguous).as_deref(),
        Some("")
    );
}

#[test]
fn an_ambiguity_does_not_hide_the_one_above_it() {
    let table = [
        (
            "e := e '+' e | n; n := [0-9]+ | [0-9]{2};",
            vec![("e", Severity::Warning, 5), ("n", Severity::Info, 2)],
        ),
        (
            "lines := (sum ';')*; sum := sum '-' sum | call; call := name | name '(' (sum (',' sum)*)? ')'; \
             name := [a-z]+ | 'of' | 'to';",
            vec![("sum", Severity::Warning, 5), ("name", Severity::Info, 2)],
        ),
    ];
    for (text, expected) in table {
        let found = findings(text).into_iter();
        let found = found.filter(|it| it.kind == Kind::Ambiguous);
        let mut found: Vec<_> = found
            .map(|it| {
                (
                    it.production.to_string(),
                    it.severity,
                    it.example.unwrap().len(),
                )
            })
            .collect();
        found.sort_by_key(|it| std::cmp::Reverse(it.2));
        let expected = expected.into_iter();
        let expected: Vec<_> = expected
            .map(|(name, severity, len)| (name.to_owned(), severity, len))
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn repetitions_of_nothing_are_found() {
    assert_eq!(
        messages("a := ('x'?)* b? 'y'; b := 'z'*;", Kind::NullableRepetition),
        [
            "`a` repeats what can be nothing: `(\"x\"?)*`",
            "`a` makes optional what can be nothing anyway: `b?`"
        ]
    );
}

#[test]
fn alternatives_that_derive_nothing_new_are_found() {
    assert_eq!(
        messages(
            "a := 'x' b* | [a-f] | 'x' b* | 'c' | [b-d] | b+ | b | b{2,3} | '\\xff' | [\\x80-\\xff] | 'é'; b := 'bb';",
            Kind::DuplicateAlternative
        ),
        [
            "`a` has the alternative `\"x\" b*` twice",
            "`a` has the alternative `\"c\"`, which `[a-f]` beside it derives, too",
            "`a` has the alternative `[b-d]`, which `[a-f]` beside it derives, too",
            "`a` has the alternative `b`, which `b+` beside it derives, too",
            "`a` has the alternative `b{2,3}`, which `b+` beside it derives, too",
            "`a` has the alternative `\"\\xff\"`, which `[\\x80-\\xff]` beside it derives, too",
        ]
    );
    assert_eq!(
        messages("a := '' | 'x'? | 'y';", Kind::DuplicateAlternative).len(),
        1
    );
    for fine in [
        "a := 'x' | 'x' 'y' | [yz];",
        "a := 'A'i | [a];",
        "a := 'x'? | 'y'+;",
    ] {
        assert_eq!(
            messages(fine, Kind::DuplicateAlternative),
            [""; 0],
            "{fine}"
        );
    }
}

#[test]
fn the_cause_of_steep_growth_is_named() {
    let mut text = "start := hub; hub := ".to_owned();
    for at in 0..30 {
        text += &format!("'a{at}' hub other '{at}' hub | ");
    }
    text += "'end'; other := 'o' | '[' hub ']';";
    let found = messages(&text, Kind::Growth);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].contains(" % of them pass through `hub`, with 90 references in it and 62 to it"),
        "{}",
        found[0]
    );
}

#[test]
fn long_and_deep_shortest_derivations_are_found_at_the_bottom() {
    let text = format!(
        "a := b b; b := '{}' | c 'x'; c := '{}'{{2}};",
        "x".repeat(300),
        "y".repeat(120)
    );
    assert_eq!(
        messages(&text, Kind::Long),
        ["the shortest sentence of `c` has 240 bytes"]
    );
    let chain: String = (0..40)
        .map(|at| format!("n{at} := '(' n{} ')';", at + 1))
        .collect();
    let deep = messages(&format!("{chain} n40 := 'x';"), Kind::Deep);
    assert_eq!(deep, ["the lowest derivation of `n10` nests 30 references"]);
}

#[test]
fn tokens_that_are_taken_for_one_another_are_found() {
    let words = "s := ('if' name | 'do' | KEY | number)*; token name := [a-z]+; token KEY := 'key'; \
                 token number := [0-9]+; skip blank := ' '+;";
    assert_eq!(
        messages(words, Kind::Overlap),
        ["the token `name` matches `\"if\"`, `\"do\"`, `KEY`, too"]
    );
    assert_eq!(messages(words, Kind::Glue), [""; 0]);
    let late = "s := (name | KEY)*; token name := [a-z]+; token KEY := 'key'; skip blank := ' '+;";
    assert_eq!(
        messages(late, Kind::Shadowed),
        ["the token `KEY` never wins: \"key\" is read as `name` wherever it is expected"]
    );
    let glued = "s := (name | number)+; token name := [a-z] [a-z0-9]*; token number := [0-9]+;";
    let found = messages(glued, Kind::Glue);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].starts_with("the tokens `name` and `name` may follow each other"),
        "{found:?}"
    );
}

#[test]
fn large_grammars_and_small_bounds_come_to_an_end() {
    let text: String = (0..5000)
        .map(|at| {
            format!(
                "n{at} := 'k{at}' n{} | n{}? '{at}' [a-z]*;",
                (at + 1) % 5000,
                at * 7919 % 5000
            )
        })
        .collect();
    let graph = graph(&text);
    for steps in [0, 1, 1000, 100_000] {
        lint(&graph, Effort { steps, seed: 0 });
    }
    let deep = format!(
        "a := {}'x'{};",
        "(".repeat(20_000) + "'y' ",
        ")*".repeat(20_000)
    );
    findings(&deep);
}

/// Every example is what it is said to be, and the same effort gives the same.
#[test]
fn examples_of_random_grammars_hold() {
    let mut rng = Rng::new(5);
    let (mut ambiguous, mut cyclic) = (0, 0);
    for _ in 0..300 {
        let text = random_grammar(&mut rng);
        let Ok(grammar) = text.parse::<Grammar>() else {
            continue;
        };
        let graph: Arc<Graph> = Graph::new(grammar).unwrap();
        let effort = Effort {
            steps: 200_000,
            seed: 1,
        };
        let found = lint(&graph, effort);
        assert_eq!(found, lint(&graph, effort));
        assert!(found.is_sorted_by_key(|finding| finding.kind), "{found:?}");
        for finding in found {
            let Some(example) = finding.example else {
                continue;
            };
            let production = graph
                .grammar()
                .production_named(&finding.production)
                .unwrap();
            let parser = Parser::of(&graph, production);
            let mut workspace = Workspace::new();
            let mut forest = parser
                .parse(&example, Budget::default(), &mut workspace)
                .unwrap();
            let count = forest.derivations().unwrap();
            match finding.kind {
                Kind::Cyclic => {
                    assert!(count.is_infinite(), "{text}\n{}", finding.message);
                    cyclic += 1;
                }
                _ => {
                    assert!(!count.is_infinite() && count.to_u64() != Some(1), "{text}");
                    ambiguous += 1;
                }
            }
        }
    }
    assert!(ambiguous > 50 && cyclic > 20, "{ambiguous}, {cyclic}");
}
