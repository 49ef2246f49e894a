//! Flips and swaps.

use std::collections::BTreeSet;
use std::sync::Arc;

use pleach_core::rng::Rng;
use pleach_core::{Codec, Parser};

use super::graph;
use crate::Input;
use crate::mutator::Mutator;

type Change = fn(&mut Mutator, &Input, &mut Rng) -> Option<Input>;

/// All texts that come of a text.
fn all(grammar: &str, text: &str, change: Change) -> BTreeSet<String> {
    let graph = graph(grammar);
    let mut mutator = Mutator::new(&Arc::new(Codec::new(&graph)));
    let parser = Parser::new(&graph);
    let input = mutator.input(&parser.encode(text.as_bytes()).unwrap());
    assert_eq!(input.text, text.as_bytes());
    let mut rng = Rng::new(1);
    let changed = (0..500).filter_map(|_| change(&mut mutator, &input, &mut rng));
    let text = |input: Input| {
        // The choices are those of the text.
        assert_eq!(mutator_text(&graph, &input.choices), input.text);
        String::from_utf8(input.text).unwrap()
    };
    changed.collect::<Vec<_>>().into_iter().map(text).collect()
}

fn mutator_text(graph: &Arc<pleach_core::Graph>, choices: &[u8]) -> Vec<u8> {
    Codec::new(graph).sentence(choices)
}

#[test]
fn a_flip_changes_one_bit_of_a_leaf_and_a_swap_two_subtrees() {
    let table: [(&str, &str, Change, &[&str]); 8] = [
        // Into another class, or a literal.
        (
            "s := d; d := '0' | [1-9];",
            "4",
            Mutator::flip,
            &["0", "5", "6"],
        ),
        (
            "s := d; d := '0' | [1-9];",
            "0",
            Mutator::flip,
            &["1", "2", "4", "8"],
        ),
        // Neither punctuation nor a keyword is a leaf.
        ("s := '(' [a-b] ')' | 'if';", "(a)", Mutator::flip, &[]),
        ("s := 'if' | 'hf';", "if", Mutator::flip, &[]),
        ("s := p ',' p; p := [a-z];", "x,y", Mutator::swap, &["y,x"]),
        // A subtree that is part of another does not change places with it.
        (
            "s := e; e := '1' | '2' | '(' e e ')';",
            "((12)2)",
            Mutator::swap,
            &["((21)2)", "((22)1)", "(2(12))"],
        ),
        // What is the same stays where it is.
        ("s := p ',' p; p := [a-z];", "x,x", Mutator::swap, &[]),
        // Where there are tokens, the text is laid out.
        (
            "s := n n; token n := [0-9]+; skip w := ' ';",
            "12 4",
            Mutator::swap,
            &["4 12"],
        ),
    ];
    for (grammar, text, change, expected) in table {
        let expected: BTreeSet<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(all(grammar, text, change), expected, "{grammar} {text}");
    }
}

#[test]
fn a_flip_in_a_token_stays_in_its_class() {
    let grammar = "s := n n; token n := [0-9]+; skip w := ' ';";
    let texts = all(grammar, "1 4", Mutator::flip);
    let expected = ["0 4", "1 0", "1 5", "1 6", "3 4", "5 4", "9 4"];
    assert_eq!(texts, expected.map(str::to_owned).into());
}
