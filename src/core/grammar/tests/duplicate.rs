//! Duplicated context: counts of the Fuzzing Book, and the same sentences with the same derivations.

use std::sync::Arc;

use crate::choice::{Codec, SiteIndex};
use crate::generate::{Generator, Limits};
use crate::grammar::Grammar;
use crate::grammar::duplicate::Error;
use crate::graph::Graph;
use crate::parse::{Budget, Parser, Workspace};
use crate::rng::Rng;
use crate::tests::{fixtures, random_grammar};

fn expressions() -> Grammar {
    let found = fixtures().into_iter().find(|it| it.name == "fb_expr");
    Grammar::clone(found.unwrap().graph.grammar())
}

fn duplicate(grammar: &Grammar, name: &str, alternative: Option<u32>, depth: u32) -> Grammar {
    let production = grammar.production_named(name).unwrap();
    grammar
        .duplicate_context(production, alternative, depth)
        .unwrap()
}

fn counts(grammar: &Grammar) -> (usize, usize) {
    (grammar.productions().len(), grammar.alternative_count())
}

/// The chapter *Grammar Coverage* duplicates the context of expressions, and that of one of the copies again.
#[test]
fn copies_are_as_many_as_in_the_fuzzing_book() {
    let once = duplicate(&expressions(), "expr", None, u32::MAX);
    assert_eq!(counts(&once), (292, 1981));
    let twice = duplicate(&once, "expr-1", None, u32::MAX);
    assert_eq!(counts(&twice), (594, 3994));
    for (name, text) in [
        (
            "expr",
            r#"expr := term-1 " + " expr-4 | term-5 " - " expr-8 | term-9;"#,
        ),
        (
            "factor-1-1",
            r#"factor-1-1 := "+" factor-1-1 | "-" factor-1-1 | "(" expr-1-1 ")" | integer-1-1 "." integer-2-1 | integer-3-1;"#,
        ),
    ] {
        let id = twice.production_named(name).unwrap();
        let words: Vec<String> = twice
            .production_text(id)
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        let expected: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(words, expected);
    }
}

#[test]
fn depth_ends_the_copies() {
    let added = |depth| {
        let duplicated = duplicate(&expressions(), "factor", Some(3), depth);
        let names = duplicated.productions().iter().skip(6);
        let names: Vec<String> = names.map(|(_, it)| it.name.to_string()).collect();
        names.join(" ")
    };
    assert_eq!(added(0), "");
    assert_eq!(added(1), "integer-1 integer-2");
    assert_eq!(
        added(2),
        "integer-1 digit-1 digit-2 integer-2 digit-3 digit-4"
    );
    assert_eq!(added(u32::MAX), added(2));
}

#[test]
fn what_nothing_refers_to_any_more_is_removed() {
    let duplicated = duplicate(&expressions(), "expr", None, u32::MAX);
    let removed: Vec<&str> = duplicated
        .warnings()
        .iter()
        .map(|warning| &*warning.production)
        .collect();
    assert_eq!(removed, ["term", "factor", "integer", "digit"]);
    assert!(duplicated.production_named("expr").is_some());
}

#[test]
fn names_that_are_taken_are_passed_over() {
    let grammar: Grammar = r#"s := n n n-2; n := "1"; n-2 := "2";"#.parse().unwrap();
    assert_eq!(
        duplicate(&grammar, "s", None, 1).to_string(),
        "s := n-1 n-3 n-2-1;\nn-1 := \"1\";\nn-3 := \"1\";\nn-2-1 := \"2\";\n"
    );
}

#[test]
fn everything_else_of_a_grammar_stays() {
    let text = "s := 40% (a \"x\"i){2,3} | [a-z\\xff]+ Name | a;\n\
                a := \"\" | 0.5% \"y\"? | \"z\" Name;\n\
                token(main) Name := Letter+;\nLetter := [A-Z];\nskip Space := \" \";\n";
    let grammar: Grammar = text.parse().unwrap();
    let expected =
        text.replace("(a \"x\"i)", "(a-1 \"x\"i)") + "a-1 := \"\" | 0.5% \"y\"? | \"z\" Name;\n";
    assert_eq!(
        duplicate(&grammar, "s", Some(0), u32::MAX).to_string(),
        expected.parse::<Grammar>().unwrap().to_string()
    );
}

#[test]
fn what_is_no_context_is_refused() {
    let grammar: Grammar = "s := a Name | a; a := 'a'; token Name := [a-z] Rest; Rest := [0-9]*;"
        .parse()
        .unwrap();
    let refused = |name: &str, alternative| {
        let production = grammar.production_named(name).unwrap();
        let error = grammar.duplicate_context(production, alternative, 1);
        error.unwrap_err().to_string()
    };
    assert_eq!(
        refused("s", Some(2)),
        "`s` has no alternative 2\nhelp: they are numbered from 0 to 1"
    );
    assert_eq!(
        refused("a", Some(1)),
        "`a` has no alternative 1\nhelp: it has one only, 0"
    );
    for name in ["Name", "Rest"] {
        assert!(refused(name, None).starts_with(&format!("`{name}` belongs to tokens")));
    }
}

#[test]
fn too_many_copies_are_refused() {
    // Two references each, thirty deep.
    let mut text = String::new();
    for level in 0..30 {
        text += &format!("p{level} := p{} p{};\n", level + 1, level + 1);
    }
    text += "p30 := 'x';\n";
    let grammar: Grammar = text.parse().unwrap();
    let error = grammar.duplicate_context(grammar.start(), None, u32::MAX);
    assert!(matches!(error, Err(Error::TooLarge)));
    let some = grammar
        .duplicate_context(grammar.start(), None, 10)
        .unwrap();
    assert_eq!(some.productions().len(), 31 - 10 + (1 << 11) - 2);
}

#[test]
fn texts_have_as_many_derivations_as_before() {
    let mut rng = Rng::new(61);
    let (mut changed, mut compared) = (0, 0);
    while compared < 4000 {
        let Ok(grammar) = random_grammar(&mut rng).parse::<Grammar>() else {
            continue;
        };
        let place = rng.index(grammar.productions().len());
        let production = grammar.productions().ids().nth(place).unwrap();
        let Ok(duplicated) = grammar.duplicate_context(production, None, 1 + rng.below(4)) else {
            continue;
        };
        changed += usize::from(duplicated != grammar);
        if duplicated.nodes().len() > 2000 {
            continue;
        }
        let graphs = [grammar, duplicated].map(|grammar| Graph::new(grammar).unwrap());
        let parsers = graphs.each_ref().map(Parser::new);
        let limits = Limits {
            max_len: 12,
            ..Limits::default()
        };
        for graph in &graphs {
            let codec = Arc::new(Codec::new(graph));
            let mut generator = Generator::new(&codec, limits, Rng::new(rng.bits()));
            let mut index = SiteIndex::new();
            for _ in 0..5 {
                generator.generate(&mut index);
                let counted = parsers.each_ref().map(|parser| {
                    let mut workspace = Workspace::new();
                    let mut forest = parser
                        .parse(index.text(), Budget::default(), &mut workspace)
                        .unwrap();
                    forest.derivations().unwrap().to_string()
                });
                assert_eq!(counted[0], counted[1], "{:?}", index.text());
                compared += 1;
            }
        }
    }
    assert!(changed > 50, "{changed}");
}
