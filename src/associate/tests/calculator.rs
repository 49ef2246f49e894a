//! The example of the article (section 5, figures 7 and 8): a small calculator that applies the distributive rule.

use std::collections::BTreeMap;

use pleach_core::generate::{Generator, Limits};
use pleach_core::kpath::pattern;
use pleach_core::rng::Rng;

use super::{columns, graph, vectors};
use crate::aim::{Aim, Bounds};
use crate::features::{Reader, path_of};
use crate::model::{Class, Labeled, Of, Origin, Teacher};
use crate::{Balance, Extractor, Feature, Features, Learner, Model};

/// The article's figure 1 without assignments, and with an alternative for each operator of multiplication: k-paths do not tell what stands
/// beside an operand, so that only then do they tell what is multiplied from what is divided.
const GRAMMAR: &str = r#"
    Expr := AddExpr;
    AddExpr := MultExpr | AddExpr ("+" | "-") MultExpr;
    MultExpr := UnaryExpr | MultExpr "*" UnaryExpr | MultExpr ("/" | "%") UnaryExpr;
    UnaryExpr := Identifier | "+" UnaryExpr | "-" UnaryExpr | "++" UnaryExpr | "--" UnaryExpr | "(" AddExpr ")" | DecDigits;
    Identifier := [a-z];
    DecDigits := [0-9]{1,3};
"#;

/// A term of the calculator.
enum Term {
    Leaf,
    Sum,
    Product,
    Unary,
}

/// Evaluates as the grammar says and counts how often a multiplication has a sum in parentheses as an operand: what the distributive rule
/// applies to. A stack of operators and operands, and no recursion.
fn distributive_rule(text: &str) -> u32 {
    // For each open parenthesis: the operators and the terms since.
    let mut open: Vec<(Vec<&str>, Vec<Term>)> = vec![(Vec::new(), Vec::new())];
    let mut applied = 0;
    let mut at = 0;
    let mut is_operand_next = true;
    let reduce = |operators: &mut Vec<&str>, terms: &mut Vec<Term>, applied: &mut u32| {
        let operator = operators.pop().expect("an operator");
        match operator {
            "unary" => {
                terms.pop();
                terms.push(Term::Unary);
            }
            _ => {
                let right = terms.pop().expect("an operand");
                let left = terms.pop().expect("an operand");
                if operator == "*" {
                    // Whatever is in a group that is a sum is one here; a sum without parentheses cannot be an operand.
                    *applied += u32::from(matches!(left, Term::Sum) || matches!(right, Term::Sum));
                }
                terms.push(match operator {
                    "+" | "-" => Term::Sum,
                    _ => Term::Product,
                });
            }
        }
    };
    let rank = |operator: &str| match operator {
        "+" | "-" => 1,
        "unary" => 3,
        _ => 2,
    };
    while at < text.len() {
        let here = &text[at..];
        let (operators, terms) = open.last_mut().expect("an open group");
        let token = match &here[..1] {
            "+" | "-" if is_operand_next => {
                operators.push("unary");
                // "++" and "--" are one operator, which is unary as well.
                let doubled = here.starts_with("++") || here.starts_with("--");
                &here[..1 + usize::from(doubled)]
            }
            "(" => {
                open.push((Vec::new(), Vec::new()));
                "("
            }
            ")" => {
                let (mut operators, mut terms) = open.pop().expect("an open group");
                while !operators.is_empty() {
                    reduce(&mut operators, &mut terms, &mut applied);
                }
                let (_, above) = open.last_mut().expect("an open group");
                above.push(terms.pop().expect("a term"));
                is_operand_next = false;
                ")"
            }
            operator @ ("+" | "-" | "*" | "/" | "%") => {
                let waits = |operators: &Vec<&str>| {
                    let last = operators.last();
                    last.is_some_and(|last| rank(last) >= rank(operator))
                };
                while waits(operators) {
                    reduce(operators, terms, &mut applied);
                }
                operators.push(operator);
                is_operand_next = true;
                operator
            }
            _ => {
                let is_part = |c: char| c.is_ascii_digit();
                let end = here.find(|c| !is_part(c)).unwrap_or(here.len()).max(1);
                terms.push(Term::Leaf);
                is_operand_next = false;
                &here[..end]
            }
        };
        at += token.len();
    }
    let (mut operators, mut terms) = open.pop().expect("the whole");
    while !operators.is_empty() {
        reduce(&mut operators, &mut terms, &mut applied);
    }
    applied
}

/// The article's table 6: which inputs apply the rule.
#[test]
fn the_calculator_applies_the_rule_as_in_the_article() {
    let cases = [
        ("1", 0),
        ("1+2", 0),
        ("(1+2)", 0),
        ("1*2", 0),
        ("1+2*3", 0),
        ("(1+2)*3", 1),
        ("1*(2+3)", 1),
        ("(1+2)*(3+4)", 1),
        ("(x*2)", 0),
        ("-(1+2)*3", 0),
        ("(1*(2-3))*4", 1),
        ("((1+2))*4", 1),
        ("1/(2+3)", 0),
        ("1*2*(3--4)", 1),
    ];
    for (text, wanted) in cases {
        assert_eq!(distributive_rule(text), wanted, "{text}");
    }
}

fn class_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<u64> {
    let mut members = Vec::new();
    for (at, text) in texts.into_iter().enumerate() {
        members.resize(at / 64 + 1, 0u64);
        members[at / 64] |= u64::from(distributive_rule(text) > 0) << (at % 64);
    }
    members
}

/// From the article's eight inputs: a multiplication and parentheses (figure 7).
#[test]
fn few_inputs_give_the_first_model_of_the_article() {
    let texts = [
        "1",
        "1+2",
        "(1+2)",
        "1*2",
        "1+2*3",
        "(1+2)*3",
        "1*(2+3)",
        "(1+2)*(3+4)",
    ];
    let extractor = Extractor::new(&graph(GRAMMAR), 1, Features::KPaths).unwrap();
    let columns = columns(&extractor, &texts);
    let tree = Learner::new(&columns, Balance::default(), 0).learn(&class_of(texts));
    let has = |text: &str| {
        let vector = &vectors(&extractor, &[text])[0];
        tree.predicts(|column| {
            let Feature::Path(path) = columns.feature(column as usize) else {
                return false;
            };
            vector.windows.contains(&(path.rank as u32))
        })
    };
    assert!(
        texts
            .iter()
            .all(|text| has(text) == (distributive_rule(text) > 0))
    );
    // As the article notes, it is wrong about what it has not seen.
    assert!(has("(2*3)"));
}

/// The model of 1000 random inputs.
fn model() -> Model {
    let graph = graph(GRAMMAR);
    let codec = std::sync::Arc::new(pleach_core::Codec::new(&graph));
    let mut generator = Generator::new(&codec, Limits::default(), Rng::new(1));
    let mut index = pleach_core::choice::SiteIndex::new();
    let texts: Vec<String> = (0..1000)
        .map(|_| {
            generator.generate(&mut index);
            String::from_utf8(index.text().to_vec()).unwrap()
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let extractor = Extractor::new(&graph, 4, Features::KPaths).unwrap();
    let vectors = vectors(&extractor, &texts);
    let class = Class {
        name: "distributive_rule".into(),
        ..Class::default()
    };
    let members = class_of(texts.iter().copied());
    let classes = vec![Labeled { class, members }];
    let teacher = Teacher::new(&extractor, &vectors, classes, Balance::default(), 0);
    let lessons = (0..teacher.trees()).map(|at| teacher.teach(at)).collect();
    let origin = Origin {
        of: Of::Functions,
        target: "calculator".into(),
        build: "test".into(),
        is_text: true,
    };
    let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    teacher.finish(lessons, origin, &texts)
}

#[test]
fn the_tree_names_a_sum_in_parentheses_as_operand_of_a_multiplication() {
    let model = model();
    let taught = model.tree_of(0);
    assert!(taught.tree.depth() <= 5);
    let asked = taught.tree.nodes().iter().filter_map(|node| node.question);
    let shown: Vec<String> = asked
        .map(
            |question| match model.asked()[question.feature as usize].feature {
                Feature::Path(path) => {
                    pattern(model.graph(), &path_of(model.kpaths(), path).unwrap())
                }
                Feature::MoreThan(..) => "a quantity".into(),
            },
        )
        .collect();
    expect_test::expect![[r#"
        MultExpr: MultExpr "*" <UnaryExpr: "(" <AddExpr: <AddExpr> ("+"|"-") MultExpr> ")">
        MultExpr: <MultExpr: <UnaryExpr: "(" <AddExpr: <AddExpr> ("+"|"-") MultExpr> ")">> "*" UnaryExpr
        MultExpr: MultExpr "*" <UnaryExpr: "--" <UnaryExpr: "+" <UnaryExpr: <Identifier>>>>
        MultExpr: <MultExpr: <MultExpr> "*" UnaryExpr> "*" UnaryExpr
        UnaryExpr: "--" <UnaryExpr: "+" <UnaryExpr: "--" <UnaryExpr: <"("> AddExpr ")">>>
        AddExpr: AddExpr ("+"|"-") <MultExpr: MultExpr <"%"> UnaryExpr>"#]].assert_eq(&shown.join("\n"));
    let trial = taught.trial;
    assert!(trial.accuracy() > Some(0.97), "{trial:?}");
}

#[test]
fn every_input_that_is_aimed_applies_the_rule() {
    let model = model();
    let mut aim = Aim::new(&model, Bounds::default(), Rng::new(7)).unwrap();
    let outcome = aim.aim(0, 50);
    assert_eq!(outcome.inputs.len(), 50);
    let texts = outcome.inputs.iter();
    let texts: Vec<&str> = texts
        .map(|it| std::str::from_utf8(&it.text).unwrap())
        .collect();
    let missed: Vec<&&str> = texts
        .iter()
        .filter(|text| distributive_rule(text) == 0)
        .collect();
    assert!(missed.is_empty(), "{missed:?} of {texts:?}");
    // What the model says of them is what they were made for.
    let extractor = model.extractor().unwrap();
    let mut reader = Reader::default();
    for text in &texts {
        let vector = extractor.extract(text.as_bytes(), &mut reader).unwrap();
        assert!(model.predicts(0, &model.answers(&vector)), "{text}");
    }
    let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
    for input in &outcome.inputs {
        *counts.entry(input.leaf).or_default() += 1;
    }
    assert!(counts.len() as u32 <= outcome.leaves);
}

#[test]
fn a_model_survives_being_written() {
    let model = model();
    let bytes = model.to_bytes();
    let read = Model::from_bytes(&bytes).unwrap();
    assert_eq!(read.to_bytes(), bytes);
    assert_eq!(read.taught(), model.taught());
    for cut in (0..bytes.len()).step_by(97) {
        assert!(Model::from_bytes(&bytes[..cut]).is_err());
    }
    let mut damaged = bytes.clone();
    damaged[40] ^= 1;
    assert!(Model::from_bytes(&damaged).is_err());
    let refused = read
        .check("calculator", model.grammar(), "other")
        .unwrap_err();
    assert!(refused.to_string().contains("another build"), "{refused}");
    assert!(read.check("calculator", model.grammar(), "test").is_ok());
    assert!(read.check("other", model.grammar(), "test").is_err());
}
