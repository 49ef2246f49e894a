//! The paper's worked example, contexts, files, and that what is drawn follows what was counted.

use std::sync::Arc;

use super::{Error, Exponent, Model, ONE, Outcome, Reading, Tables, binary};
use crate::grammar::NodeKind;
use crate::id::NodeId;
use crate::rng::Rng;
use crate::{Codec, Grammar, Graph, Parser};

/// The grammar of *Inputs from Hell*, section 2.
const EXPRESSIONS: &str = r#"
    Expr := Term | Expr "+" Term | Expr "-" Term;
    Term := Factor | Term "*" Factor | Term "/" Factor;
    Factor := Int | "+" Factor | "-" Factor | "(" Expr ")";
    Int := Digit Int | Digit;
    Digit := "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9";
"#;

fn graph(grammar: &str) -> Arc<Graph> {
    Graph::new(grammar.parse::<Grammar>().unwrap()).unwrap()
}

fn learned(grammar: &str, order: usize, samples: &[&str]) -> Model {
    let graph = graph(grammar);
    let mut model = Model::new(&Arc::new(Codec::new(&graph)), order);
    let parser = Parser::new(&graph);
    for sample in samples {
        model
            .learn(&parser.encode(sample.as_bytes()).unwrap())
            .unwrap();
    }
    model
}

fn root(model: &Model, production: &str) -> NodeId {
    let grammar = model.graph().grammar();
    grammar[grammar.production_named(production).unwrap()].root
}

/// The first node of a kind.
fn node(model: &Model, is_it: impl Fn(NodeKind) -> bool) -> NodeId {
    let grammar = model.graph().grammar();
    grammar
        .nodes()
        .iter()
        .find(|(_, node)| is_it(node.kind))
        .unwrap()
        .0
}

fn weights(model: &Model, node: NodeId, reading: &Reading) -> Vec<u64> {
    model
        .outcomes(node, reading)
        .iter()
        .map(|it| it.weight)
        .collect()
}

/// Whether weights are in such proportions, exactly.
#[track_caller]
fn proportions(model: &Model, production: &str, reading: &Reading, expected: &[u64]) {
    let weights = weights(model, root(model, production), reading);
    let (sum, expected_sum): (u64, u64) = (weights.iter().sum(), expected.iter().sum());
    for (&weight, &expected) in weights.iter().zip(expected) {
        assert_eq!(
            u128::from(weight) * u128::from(expected_sum),
            u128::from(expected) * u128::from(sum),
            "{production}: {weights:?}"
        );
    }
    assert_eq!(weights.len(), expected.len(), "{production}");
}

#[test]
fn the_worked_example_of_the_paper() {
    let model = learned(EXPRESSIONS, 0, &["1+(2*3)"]);
    let common = Reading::COMMON;
    proportions(&model, "Expr", &common, &[2, 1, 0]);
    proportions(&model, "Term", &common, &[3, 1, 0]);
    proportions(&model, "Factor", &common, &[3, 0, 0, 1]);
    proportions(&model, "Int", &common, &[0, 1]);
    proportions(&model, "Digit", &common, &[0, 1, 1, 1, 0, 0, 0, 0, 0, 0]);

    let uncommon = Reading::UNCOMMON;
    proportions(&model, "Expr", &uncommon, &[0, 0, 1]);
    proportions(&model, "Term", &uncommon, &[0, 0, 1]);
    proportions(&model, "Factor", &uncommon, &[0, 1, 1, 0]);
    proportions(&model, "Int", &uncommon, &[1, 0]);
    proportions(&model, "Digit", &uncommon, &[1, 0, 0, 0, 1, 1, 1, 1, 1, 1]);

    assert_eq!(
        model.annotate(&common).to_string(),
        r#"Expr := 66.6666667% Term | 33.3333333% Expr "+" Term | 0% Expr "-" Term;
Term := 75% Factor | 25% Term "*" Factor | 0% Term "/" Factor;
Factor := 75% Int | 0% "+" Factor | 0% "-" Factor | 25% "(" Expr ")";
Int := 0% Digit Int | 100% Digit;
Digit := 0% "0"
       | 33.3333334% "1"
       | 33.3333333% "2"
       | 33.3333333% "3"
       | 0% "4"
       | 0% "5"
       | 0% "6"
       | 0% "7"
       | 0% "8"
       | 0% "9";
"#
    );
}

#[test]
fn everything_seen_is_inverted_in_proportion() {
    let model = learned("a := ('x' | 'y' | 'z')*;", 0, &["xyyzzzz"]);
    let node = node(&model, |kind| kind == NodeKind::Alternation);
    let inverted = weights(&model, node, &Reading::UNCOMMON);
    assert_eq!(inverted, [4, 2, 1]);
    // So it is where the least common multiple is too great, but for the last digits.
    let primes: Vec<(u64, u64)> = (0..20).map(|at| (1_000_003 + 2 * at * at, 1)).collect();
    let inverted = Reading::UNCOMMON.weigh(&primes);
    for (&(count, _), &weight) in primes.iter().zip(&inverted) {
        let product = count as f64 * weight as f64;
        assert!((product / (primes[0].0 as f64 * inverted[0] as f64) - 1.0).abs() < 1e-15);
    }
}

#[test]
fn dampings_and_exponents_lie_between() {
    let reading = |damping, exponent| Reading {
        damping,
        exponent: Exponent::new(exponent).unwrap(),
        uniform: 0,
    };
    let counts = [(16, 1), (4, 1), (0, 1)];
    let ratio = |reading: Reading| {
        let weights = reading.weigh(&counts);
        let ratio = |at: usize| weights[0] as f64 / weights[at] as f64;
        (ratio(1), ratio(2))
    };
    // Half the exponent is the square root; none makes all alike; unseen ones stay unseen.
    assert_eq!(ratio(reading(0, 128)), (2.0, f64::INFINITY));
    assert_eq!(ratio(reading(0, 512)), (16.0, f64::INFINITY));
    assert_eq!(ratio(reading(0, 0)), (1.0, 1.0));
    assert_eq!(reading(0, -128).weigh(&counts), [0, 0, 1]);
    // p = 0.8, 0.2, 0 and d = 0.2 give 1, 0.4, 0.2, and inverted 1, 2.5, 5.
    let close = |(a, b): (f64, f64), c: f64, d: f64| (a - c).abs() < 1e-9 && (b - d).abs() < 1e-9;
    assert!(close(ratio(reading(200_000_000, 256)), 2.5, 5.0));
    assert!(close(ratio(reading(200_000_000, -256)), 0.4, 0.2));
    assert_eq!(Exponent::new(2049), None);
}

#[test]
fn what_was_never_seen_is_not_specified() {
    let model = learned("a := b | c; b := 'x' | 'y'; c := 'z' | 'w';", 0, &["x"]);
    assert!(model.shares(root(&model, "c"), &Reading::COMMON).is_empty());
    assert_eq!(
        model.shares(root(&model, "b"), &Reading::COMMON),
        [1.0, 0.0]
    );
    let mut smoothed = model.clone();
    smoothed.set_smoothing(ONE / 2);
    assert!(
        smoothed
            .shares(root(&model, "c"), &Reading::COMMON)
            .is_empty()
    );
    assert_eq!(
        smoothed.shares(root(&model, "b"), &Reading::COMMON),
        [0.75, 0.25]
    );
}

#[test]
fn numbers_of_repetitions_are_counted_and_inverted_by_magnitude() {
    let model = learned("a := 'x'{1,20} ('y' 'x'{1,20})*;", 0, &["xxyxxyxxxxx"]);
    let quantifier = node(&model, |kind| {
        matches!(kind, NodeKind::Quantifier { min: 1, .. })
    });
    let runs = |reading: &Reading, model: &Model| -> Vec<(u32, u32, u64)> {
        let outcomes = model.outcomes(quantifier, reading);
        outcomes
            .iter()
            .map(|it| (it.low, it.high, it.weight))
            .collect()
    };
    assert_eq!(runs(&Reading::COMMON, &model), [(2, 2, ONE)]);
    // 2 to 3 was seen; 1 and 4 to 7 were not, and what is longer is too far away.
    assert_eq!(runs(&Reading::UNCOMMON, &model), [(1, 1, 1), (4, 7, 1)]);
    let mut smoothed = model.clone();
    smoothed.set_smoothing(ONE);
    let runs = runs(&Reading::COMMON, &smoothed);
    assert_eq!(runs, [(1, 1, ONE), (2, 2, ONE), (2, 3, ONE), (4, 7, ONE)]);
}

#[test]
fn members_of_classes_are_counted_one_by_one() {
    let model = learned("a := [^b]*;", 0, &["aaéé€"]);
    let class = node(&model, |kind| matches!(kind, NodeKind::Class(_)));
    let common = model.outcomes(class, &Reading::COMMON);
    let seen: Vec<&Outcome> = common.iter().filter(|it| it.weight > 0).collect();
    assert_eq!(
        seen.iter().map(|it| it.weight / ONE).collect::<Vec<_>>(),
        [2, 2, 1]
    );
    assert!(seen.iter().all(|it| it.low == it.high));
    // 127 ASCII characters and three lengths; of these heads, one character and two lengths were seen.
    let uncommon = model.outcomes(class, &Reading::UNCOMMON);
    assert_eq!(
        uncommon.iter().filter(|it| it.weight > 0).count(),
        127 - 1 + 3 - 2
    );
}

#[test]
fn contexts_tell_places_apart_and_back_off() {
    let grammar = r#"s := e; e := t ("+" t)*; t := n | "(" e ")"; n := [0-9];"#;
    let sample = "1+(2)+(3)+(4)+(5)+6+7";
    let model = learned(grammar, 2, &[sample]);
    let tables = Tables::new(&model, &Reading::COMMON);
    let repeat = node(&model, |kind| matches!(kind, NodeKind::Quantifier { .. }));
    let grammar = model.graph().grammar();
    let symbol = |name: &str| {
        let mut symbols = grammar.symbols().ids();
        symbols.find(|&id| grammar.symbol_name(id) == name).unwrap()
    };
    let mut rng = Rng::new(3);
    let outside = tables.step(tables.begin(), symbol("s.0"));
    // Seen once only, so the shorter contexts count: `s.0`, then any.
    let mut drawn: Vec<u32> = (0..100)
        .map(|_| tables.repetitions(outside, repeat, &mut rng).unwrap())
        .collect();
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn, [0, 6]);
    // Four times below parentheses is still too few; five are enough.
    let mut often = model.clone();
    often.merge(&model).unwrap();
    let tables = Tables::new(&often, &Reading::COMMON);
    let outside = tables.step(tables.begin(), symbol("s.0"));
    let inside = tables.step(tables.step(outside, symbol("e.0")), symbol("t.2"));
    let later = tables.step(tables.step(outside, symbol("e.2")), symbol("t.2"));
    assert_eq!(
        tables.state_below(
            [symbol("t.2"), symbol("e.2")].into_iter(),
            grammar[repeat].production
        ),
        later
    );
    for _ in 0..100 {
        assert_eq!(tables.repetitions(later, repeat, &mut rng), Some(0));
        // Never seen behind `e.0`: as behind `t.2` at all.
        assert_eq!(tables.repetitions(inside, repeat, &mut rng), Some(0));
    }
    // With an order of 0 both are mixed.
    let flat = Tables::new(
        &learned(
            r#"s := e; e := t ("+" t)*; t := n | "(" e ")"; n := [0-9];"#,
            0,
            &[sample],
        ),
        &Reading::COMMON,
    );
    assert_eq!(
        flat.step(flat.begin(), symbol("s.0")),
        flat.step(flat.step(flat.begin(), symbol("e.2")), symbol("t.2"))
    );
}

#[test]
fn what_is_drawn_has_the_weights() {
    let model = learned(EXPRESSIONS, 0, &["1+(2*3)", "4/5-6", "7*8*9", "-0"]);
    let tables = Tables::new(&model, &Reading::COMMON);
    for name in ["Expr", "Term", "Factor", "Digit"] {
        let node = root(&model, name);
        let production = model.graph().grammar()[node].production;
        let state = tables.state_below(std::iter::empty(), production);
        let expected = model.shares(node, &Reading::COMMON);
        let mut rng = Rng::new(5);
        let mut drawn = vec![0u32; expected.len()];
        const DRAWS: u32 = 100_000;
        for _ in 0..DRAWS {
            drawn[tables.alternative(state, node, &mut rng).unwrap() as usize] += 1;
        }
        let mut chi_square = 0.0;
        for (&drawn, &share) in drawn.iter().zip(&expected) {
            let mean = share * f64::from(DRAWS);
            match share > 0.0 {
                true => chi_square += (f64::from(drawn) - mean).powi(2) / mean,
                false => assert_eq!(drawn, 0),
            }
        }
        // The quantile of 0.999 for nine degrees of freedom, the most here.
        assert!(chi_square < 27.9, "{name}: {chi_square}");
    }
}

/// A model with contexts, fractions, and all kinds of choices.
fn rich() -> Model {
    let mut model = learned(
        r#"list := "[" (item ("," item)*)? "]"; item := [^\[\],] | "\xff" [\x80-\xff] | list;"#,
        2,
        &["[a,é,[b,[]]]", "[[€]]"],
    );
    model.learn(b"\x01\x01\x41\x01\x02").unwrap();
    let codec = model.codec().clone();
    let mut learner = super::Learner::new();
    let scratch = &mut crate::choice::Scratch::default();
    learner
        .learn(&mut model, &codec, b"\x01\x01\x41", ONE / 3, scratch)
        .unwrap();
    model.set_smoothing(ONE / 4);
    model.set_least(2);
    model
}

#[test]
fn files_give_the_same_model_back() {
    let model = rich();
    let codec = model.codec();
    let bytes = model.to_bytes();
    assert_eq!(Model::from_bytes(codec, &bytes).unwrap(), model);
    assert_eq!(Model::from_bytes(codec, &bytes).unwrap().to_bytes(), bytes);
    #[cfg(feature = "tools")]
    {
        let json = model.to_json();
        let back = Model::from_json(codec, &json).unwrap();
        assert_eq!((&back, back.to_json()), (&model, json));
    }
}

#[test]
fn damaged_files_are_refused_and_never_panic() {
    let model = rich();
    let codec = model.codec();
    let bytes = model.to_bytes();
    for len in 0..bytes.len() {
        assert!(Model::from_bytes(codec, &bytes[..len]).is_err());
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            assert!(
                Model::from_bytes(codec, &bytes).is_err(),
                "byte {at}, bit {bit}"
            );
            // With a checksum that fits, what is read has to fit the grammar.
            let sum = binary::checksum(&bytes[28..]);
            bytes[20..28].copy_from_slice(&sum.to_le_bytes());
            if let Ok(model) = Model::from_bytes(codec, &bytes) {
                Tables::new(&model, &Reading::UNCOMMON);
                Tables::new(&model, &Reading::COMMON);
            }
        }
    }
    let other = learned("a := 'x' | 'y';", 0, &["x"]);
    let error = Model::from_bytes(other.codec(), &bytes).unwrap_err();
    assert!(matches!(error, binary::Error::OtherGrammar { .. }));
    assert_eq!(other.clone().merge(&model), Err(Error::OtherGrammar));
    let error = Model::from_bytes(codec, b"list := 1").unwrap_err();
    assert_eq!(error, binary::Error::NoModel);
}

#[test]
fn samples_may_come_in_any_order_and_in_parts() {
    let grammar = r#"list := "[" (item ("," item)*)? "]"; item := [a-z] | list;"#;
    let samples = ["[a,[b]]", "[]", "[[[c]],d]"];
    let all = learned(grammar, 1, &samples);
    let mut parts = learned(grammar, 1, &samples[2..]);
    parts.merge(&learned(grammar, 1, &samples[..2])).unwrap();
    assert_eq!(parts, all);
    assert_eq!(parts.to_bytes(), all.to_bytes());
    assert_eq!((all.samples(), all.order()), (3, 1));
    assert_eq!(all.fork().samples(), 0);
    let flat = learned(grammar, 0, &samples);
    assert_eq!(
        parts.merge(&flat),
        Err(Error::OtherOrder { one: 1, other: 0 })
    );
}

#[test]
fn the_grammar_states_a_model_and_a_model_states_a_grammar() {
    let stated = graph("a := 40% 'x' | 'y' | b; b := 'z' | 'w';");
    let model = Model::stated(&Arc::new(Codec::new(&stated)));
    assert_eq!(
        model.shares(root(&model, "a"), &Reading::COMMON),
        [0.4, 0.3, 0.3]
    );
    assert!(model.shares(root(&model, "b"), &Reading::COMMON).is_empty());
    let annotated = model.annotate(&Reading::COMMON);
    assert_eq!(
        annotated.to_string(),
        "a := 40% \"x\" | 30% \"y\" | 30% b;\nb := \"z\" | \"w\";\n"
    );
    // The probabilities are not a part of what ties a model to its grammar.
    let plain = graph("a := 'x' | 'y' | b; b := 'z' | 'w';");
    let again = Model::stated(&Arc::new(Codec::new(&Graph::new(annotated).unwrap())));
    assert_eq!(again, model);
    let codec = Arc::new(Codec::new(&plain));
    assert_eq!(Model::from_bytes(&codec, &model.to_bytes()).unwrap(), model);
}
