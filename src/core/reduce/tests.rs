//! Reductions that are known, and properties of all.

use std::sync::Arc;

use super::{Candidate, Reducer, reduce};
use crate::choice::{Codec, ROOT, Scratch, SiteIndex};
use crate::generate::{Growth, Limits, RandomChooser};
use crate::grammar::Grammar;
use crate::graph::Graph;
use crate::parse::Parser;
use crate::rng::Rng;
use crate::tests::{graph, random_grammar};
use crate::weights::Weights;

/// More tests than any of these inputs should take.
const MOST: u64 = 20_000;

const JSON: &str = include_str!("../../../grammars/json/json.ebnf");
const EXPRESSION: &str = "
    start := sum; sum := product ('+' product)*; product := unary ('*' unary)*; unary := '-' unary | atom;
    atom := '(' sum ')' | name '(' (sum (',' sum)*)? ')' | number | name;
    name := [a-z] [a-z0-9]*; number := [0-9]+ ('.' [0-9]+)?;
";
const STATEMENTS: &str = "
    program := statement*; statement := 'let ' name '=' expression ';' | 'if(' expression ')' block | expression ';';
    block := '{' statement* '}'; expression := term ('+' term)*; term := name | [0-9]+ | '(' expression ')'; name := [a-z]+;
";

fn has(part: &str) -> impl Fn(&[u8]) -> bool + '_ {
    move |text| text.windows(part.len()).any(|it| it == part.as_bytes())
}

fn reduced(graph: &Arc<Graph>, text: &str, holds: impl Fn(&[u8]) -> bool) -> (String, u64) {
    let mut reducer = Reducer::of_text(graph, text.as_bytes());
    let reduced = reduce(&mut reducer, MOST, |it| holds(it.text()));
    let text = String::from_utf8_lossy(reduced.text()).into_owned();
    (text, reducer.tests())
}

#[test]
fn sentences_become_what_the_test_needs() {
    let table: [(&str, &str, &str, &str); 13] = [
        // What is around, what is beside, and what is in the way.
        (
            JSON,
            r#"{"a": [1, 2, {"b": null}], "c": "x"}"#,
            "null",
            "null",
        ),
        (
            JSON,
            r#"[1, [22, [333, {"k": [true]}]], 4]"#,
            "[true",
            "[true]",
        ),
        (JSON, r#"[1, 2, 3, 4, 5, 6]"#, "5", "5"),
        (
            JSON,
            r#"{"first": 1, "second": 22, "third": 3}"#,
            ":",
            r#"{"":0}"#,
        ),
        (JSON, r#"[10, -20.5e7, 30]"#, "e", "0e0"),
        (JSON, r#""abc\ndef""#, r"\n", r#""\n""#),
        (EXPRESSION, "foo(1,bar(2*(3+4)),5)+7", "+", "0+0"),
        (EXPRESSION, "foo(1,bar(2*(3+4)),5)+7", ",", "a(0,0)"),
        (EXPRESSION, "a*b*c*d*zeta*f*g", "zeta", "zeta"),
        // An expression becomes a statement of its own, and a condition a statement.
        (STATEMENTS, "if(a+b){let c=d;if(e){(f)+g;}}", "(f", "(f);"),
        (STATEMENTS, "let a=b;if(c){let d=e+f;}", "if", "if(0){}"),
        (STATEMENTS, "x;let verbose=1;verbose+verbose;", "+", "0+0;"),
        (
            STATEMENTS,
            "let a=(((((((((((((((((7)))))))))))))))));",
            "7",
            "7;",
        ),
    ];
    for (grammar, text, part, expected) in table {
        let (found, _) = reduced(&graph(grammar), text, has(part));
        assert_eq!(found, expected, "{text} with {part}");
    }
}

#[test]
fn large_inputs_take_few_tests() {
    let graph = graph(JSON);
    let item = |at: usize| format!(r#"{{"id": {at}, "tags": ["a", "b{at}"], "next": [[{at}]]}}"#);
    let items: Vec<String> = (0..200).map(item).collect();
    let text = format!("[{}]", items.join(", "));
    let (found, tests) = reduced(&graph, &text, has("b117"));
    assert_eq!(found, r#""b117""#);
    assert!(tests < 150, "{tests} tests for {} bytes", text.len());
}

#[test]
fn what_is_used_twice_is_renamed_in_both_places() {
    let graph = graph(STATEMENTS);
    let holds = |text: &[u8]| {
        let text = str::from_utf8(text).unwrap();
        let name = text.strip_prefix("let ").and_then(|it| it.split_once('='));
        name.is_some_and(|(name, rest)| rest.contains(&format!("{name};")))
    };
    let (found, _) = reduced(&graph, "let counter=100;x;1+counter;", holds);
    assert_eq!(found, "let a=a;");
}

#[test]
fn texts_that_are_no_sentences_are_reduced_by_their_brackets_and_bytes() {
    let graph = graph(JSON);
    let table = [
        (r#"{"a": [1, 2, {"b": nul}], "c": "x"}"#, "nul", "nul"),
        ("{{{[[[1, 22, 3]]]}}", "22", "22"),
        (
            "some words, and (more (words)) here\nand there\n",
            "(words)",
            "(words)",
        ),
        ("[1, 2", "[", "["),
    ];
    for (text, part, expected) in table {
        let (found, _) = reduced(&graph, text, has(part));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn sentences_stay_sentences_unless_they_need_not() {
    let graph = graph(JSON);
    let text = br#"{"a": [1, 2, {"b": [{}]}], "c": "x"}"#;
    let holds = |candidate: &Candidate| has("{}")(candidate.text()) && has("[")(candidate.text());
    let mut inside = Reducer::of_text(&graph, text);
    assert_eq!(reduce(&mut inside, MOST, holds).text(), b"[{}]");
    assert!(inside.is_sentence());
    let mut beyond = Reducer::of_text(&graph, text).beyond_grammar();
    assert_eq!(reduce(&mut beyond, MOST, holds).text(), b"[{}");
    assert!(!beyond.is_sentence());
}

#[test]
fn slips_are_forgotten_if_they_do_not_matter() {
    use crate::slip::{Change, Slips};
    let graph = graph("list := '[' item* ']'; item := [0-9] ',';");
    let choices = [1, 4, 1, 5, 1, 6];
    let mut slips = Slips::new();
    slips.push(1, Change::Raw(b"<"));
    let mut input = choices.to_vec();
    slips.encode(&mut input);
    let run = |part: &str| {
        let mut reducer = Reducer::of_choices(&graph, &input);
        let reduced = reduce(&mut reducer, MOST, |it| has(part)(it.text()));
        (
            String::from_utf8(reduced.text().to_vec()).unwrap(),
            reducer.is_sentence(),
        )
    };
    assert_eq!(run("5"), ("[5,]".to_owned(), true));
    assert_eq!(run("<4"), ("<4".to_owned(), false));
}

#[test]
fn what_is_around_becomes_the_shortest_that_can_be() {
    let deep = |text: &[u8]| {
        let mut depth = 0;
        let depths = text.iter().map(|byte| {
            depth += i32::from(matches!(byte, b'[' | b'{'));
            depth -= i32::from(matches!(byte, b']' | b'}'));
            depth
        });
        depths.max() >= Some(3)
    };
    let text = r#"{"a": [1, 2, {"b": [null, "xyz", [1, 2]]}], "c": "x"}"#;
    assert_eq!(reduced(&graph(JSON), text, deep).0, "[[[]]]");
}

/// In a grammar with tokens, separators are only kept where they matter.
#[test]
fn separators_go_with_what_they_separate() {
    let grammar = "
        start := word+; token word := [a-z]+; skip space := [ \\n]+; skip comment := '#' [^\\n]* '\\n';
    ";
    let graph = graph(grammar);
    let text = "one two  # a comment\n three   four\n";
    assert_eq!(reduced(&graph, text, has("three")).0, "three");
    assert_eq!(reduced(&graph, text, has("#")).0, "a#\n");
    assert_eq!(reduced(&graph, "one\n two", has("\n")).0, "a\n");
    let two = |text: &[u8]| text.split(|&it| it == b' ' || it == b'\n').count() > 1;
    assert_eq!(reduced(&graph, "one\n two", two).0, "a a");
}

#[test]
fn an_input_that_never_held_stays_what_it_is() {
    let graph = graph(JSON);
    let mut reducer = Reducer::of_text(&graph, b"[1]");
    let reduced = reduce(&mut reducer, MOST, |_| false);
    assert_eq!(reduced.text(), b"[1]");
    assert!(reducer.best().is_none() && reducer.next(4).is_empty());
    let mut reducer = Reducer::of_text(&graph, b"[1]");
    assert_eq!(reduce(&mut reducer, MOST, |_| true).text(), b"0");
}

/// Answers that come in batches, in which later candidates are run for nothing, lead to the same end.
#[test]
fn batches_lead_to_the_same_end() {
    let graph = graph(EXPRESSION);
    let text = b"foo(1,bar(2*(3+4)),5)+7*(a+b*(c+d(e)))";
    let holds = |text: &[u8]| has("+")(text) && has("(")(text) && has("*")(text);
    let mut one = Reducer::of_text(&graph, text);
    let expected = reduce(&mut one, MOST, |it| holds(it.text()));
    for size in [2, 3, 7, 64] {
        let mut reducer = Reducer::of_text(&graph, text);
        loop {
            let batch = reducer.next(size);
            let mut answers: Vec<bool> = batch.iter().map(|it| holds(it.text())).collect();
            if answers.is_empty() {
                break;
            }
            // Not all have to be answered.
            answers.truncate(size.div_ceil(2));
            reducer.tell(&answers);
        }
        assert_eq!(reducer.best(), Some(&expected), "{size}");
        assert_eq!(reducer.tests(), one.tests(), "{size}");
    }
}

/// A random sentence of some length.
fn sentence(graph: &Arc<Graph>, codec: &Codec, rng: &mut Rng) -> Vec<u8> {
    let weights = Weights::stated(graph.grammar());
    let limits = Limits {
        max_depth: 12,
        max_len: 200,
        max_nodes: 300,
    };
    let growth = Growth::draw(rng);
    let mut index = SiteIndex::new();
    let mut chooser = RandomChooser::new(graph, &weights, limits, growth, rng);
    chooser.begin(ROOT, 0);
    codec.derive(ROOT, &mut chooser, &mut Scratch::default(), &mut index);
    index.canonical().to_vec()
}

/// Of random grammars, sentences and tests: the result is a sentence for which the test holds, no larger than what it comes from; nothing
/// that is left out of it leaves a sentence for which the test holds; and no more tests are run than it has bytes, and then some.
#[test]
fn results_are_sentences_that_cannot_be_reduced_by_a_step() {
    let mut rng = Rng::new(26);
    let mut shrunk = 0;
    for round in 0..400 {
        let text = random_grammar(&mut rng);
        let Ok(grammar) = text.parse::<Grammar>() else {
            continue;
        };
        let Ok(graph) = Graph::new(grammar) else {
            continue;
        };
        let codec = Codec::new(&graph);
        let choices = sentence(&graph, &codec, &mut rng);
        let input = codec.sentence(&choices);
        if input.is_empty() {
            continue;
        }
        // Needs some bytes in this order.
        let mut wanted: Vec<usize> = (0..rng.index(4)).map(|_| rng.index(input.len())).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let wanted: Vec<u8> = wanted.into_iter().map(|at| input[at]).collect();
        let holds = |text: &[u8]| {
            let mut bytes = text.iter();
            wanted.iter().all(|it| bytes.any(|byte| byte == it))
        };
        let mut reducer = Reducer::of_choices(&graph, &choices);
        let reduced = reduce(&mut reducer, MOST, |it| {
            assert_eq!(codec.sentence(it.choices().unwrap()), it.text());
            holds(it.text())
        });
        let parser = Parser::new(&graph);
        let result = reduced.text();
        let context = || format!("round {round}: {text}\n{input:?}\n{result:?}");
        assert!(
            holds(result) && parser.encode(result).is_ok(),
            "{}",
            context()
        );
        assert!(result.len() <= input.len(), "{}", context());
        for start in 0..result.len() {
            for end in start + 1..=result.len().min(start + 6) {
                let less = [&result[..start], &result[end..]].concat();
                let is_smaller = holds(&less) && parser.encode(&less).is_ok();
                assert!(!is_smaller, "{} {start}..{end}", context());
            }
        }
        // Nor does reducing again find anything.
        let mut again = Reducer::of_choices(&graph, reduced.choices().unwrap());
        let same = reduce(&mut again, MOST, |it| holds(it.text()));
        assert_eq!(same.text(), result, "{}", context());
        let bound = 60 + 12 * input.len() as u64;
        assert!(
            reducer.tests() <= bound,
            "{} tests: {}",
            reducer.tests(),
            context()
        );
        shrunk += usize::from(result.len() < input.len());
    }
    assert!(shrunk > 100, "{shrunk}");
}
