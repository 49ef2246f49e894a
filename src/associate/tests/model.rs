//! Models of classes that are about quantities and about ambiguous texts: what they say, and what is aimed by them.

use std::sync::Arc;

use pleach_core::Codec;
use pleach_core::choice::{Lexemes, SiteIndex};
use pleach_core::generate::{Generator, Limits};
use pleach_core::rng::Rng;

use super::{graph, vectors};
use crate::aim::{Aim, Bounds};
use crate::features::Reader;
use crate::model::{Class, Labeled, Of, Origin, Place, Teacher};
use crate::{Balance, Extractor, Features, Model};

const LIST: &str =
    "list := '[' (item (',' item)*)? ']'; item := 50% number | list; number := '-'? [0-9]+;";

/// Random texts of a grammar.
fn texts(grammar: &str, count: usize) -> Vec<String> {
    let codec = Arc::new(Codec::new(&graph(grammar)));
    let mut generator = Generator::new(&codec, Limits::default(), Rng::new(5));
    let (mut index, mut lexemes) = (SiteIndex::new(), Lexemes::default());
    let mut text = || {
        generator.generate(&mut index);
        String::from_utf8(codec.text(&index, &mut lexemes).to_vec()).expect("a text")
    };
    (0..count).map(|_| text()).collect()
}

type Belongs = fn(&str) -> bool;

/// The model of classes that texts belong to.
fn model(grammar: &str, classes: &[(&str, Belongs)]) -> Model {
    let texts = texts(grammar, 600);
    let extractor = Extractor::new(&graph(grammar), 3, Features::All).unwrap();
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = vectors(&extractor, &borrowed);
    let labeled = classes.iter().enumerate().map(|(at, (name, belongs))| {
        let mut members = vec![0u64; texts.len().div_ceil(64)];
        for (text, _) in texts.iter().enumerate().filter(|(_, text)| belongs(text)) {
            members[text / 64] |= 1 << (text % 64);
        }
        let place = Place {
            file: "src/list.rs".into(),
            line: 10 * at as u32 + 1,
            last_line: 10 * at as u32 + 9,
        };
        let class = Class {
            name: (*name).to_owned(),
            place: Some(place),
            ..Class::default()
        };
        Labeled { class, members }
    });
    let labeled = labeled.collect();
    let teacher = Teacher::new(&extractor, &vectors, labeled, Balance::default(), 0);
    let lessons = (0..teacher.trees()).map(|at| teacher.teach(at)).collect();
    let origin = Origin {
        of: Of::Functions,
        target: "list".into(),
        build: String::new(),
        is_text: true,
    };
    let texts: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
    teacher.finish(lessons, origin, &texts)
}

fn depth(text: &str) -> usize {
    let (mut open, mut deepest) = (0usize, 0);
    for c in text.chars() {
        match c {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

fn numbers(text: &str) -> impl Iterator<Item = f64> + '_ {
    let parts = text.split(['[', ']', ',']).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().expect("a number"))
}

const CLASSES: [(&str, Belongs); 6] = [
    ("list::deep", |text| depth(text) > 5),
    ("list::shallow", |text| depth(text) < 2),
    ("list::many", |text| numbers(text).count() > 8),
    ("list::large", |text| numbers(text).any(|it| it > 2000.0)),
    ("list::long", |text| {
        text.split(['[', ']', ',']).any(|part| part.len() > 5)
    }),
    ("list::some", |text| {
        (2..6).contains(&numbers(text).count()) && depth(text) > 2
    }),
];

#[test]
fn quantities_are_learned_said_and_aimed() {
    let model = model(LIST, &CLASSES);
    let mut said = String::new();
    let mut aim = Aim::new(&model, Bounds::default(), Rng::new(2)).unwrap();
    let extractor = model.extractor().unwrap();
    let mut reader = Reader::default();
    for (class, (name, belongs)) in CLASSES.iter().enumerate() {
        assert_eq!(model.named(name), [class]);
        let rules = model.rules(class);
        let first = rules.iter().find(|rule| rule.is_member).expect("a rule");
        said += &format!("{name}: {}\n", first.conditions.join(" and "));
        let trial = model.tree_of(class).trial;
        assert!(trial.accuracy() > Some(0.9), "{name}: {trial:?}");
        let outcome = aim.aim(class, 20);
        assert_eq!(outcome.inputs.len(), 20, "{name}: {outcome:?}");
        let texts = outcome.inputs.iter().map(|it| &it.text);
        for text in texts.clone() {
            let vector = extractor.extract(text, &mut reader).unwrap();
            assert!(model.predicts(class, &model.answers(&vector)), "{name}");
        }
        let fitting = texts
            .filter(|text| belongs(std::str::from_utf8(text).unwrap()))
            .count();
        assert!(fitting >= 15, "{name}: {fitting} of 20");
        // What is written is what was made.
        let codec = extractor.codec();
        let of_choices = outcome.inputs.iter().map(|it| codec.sentence(&it.choices));
        assert!(of_choices.eq(outcome.inputs.iter().map(|it| it.text.clone())));
    }
    expect_test::expect![[r#"
        list::deep: nests `list` more than 5 deep
        list::shallow: does not have item: <list>
        list::many: uses `number` more than 8 times
        list::large: has a `number` of more than 3 bytes and has a `number` greater than 175317
        list::long: has a `number` of more than 5 bytes
        list::some: uses `number` more than once and nests `list` more than 2 deep and uses `item` at most 14 times and uses `number` at most 4 times
    "#]].assert_eq(&said);
}

/// A sum may be read in two ways, and a path of either way is in the text: so that what is refused has to be refused in all.
#[test]
fn what_is_refused_is_in_no_derivation() {
    const SUM: &str = "sum := sum '+' sum | '(' sum ')' | 'a' | 'b';";
    let classes: [(&str, Belongs); 2] = [
        ("flat", |text| text.contains('+') && !text.contains('(')),
        ("group", |text| text.contains('(') && !text.contains('b')),
    ];
    let model = model(SUM, &classes);
    let mut aim = Aim::new(&model, Bounds::default(), Rng::new(2)).unwrap();
    for (class, (name, belongs)) in classes.iter().enumerate() {
        let outcome = aim.aim(class, 12);
        assert_eq!(outcome.inputs.len(), 12, "{name}");
        for input in &outcome.inputs {
            let text = std::str::from_utf8(&input.text).unwrap();
            assert!(belongs(text), "{name}: {text}");
        }
    }
}

#[test]
fn classes_are_found_by_the_end_of_their_names_and_by_lines() {
    let model = model(LIST, &CLASSES);
    assert_eq!(model.named("deep"), [0]);
    assert_eq!(model.named("list::long"), [4]);
    assert_eq!(model.named("l").len(), 6);
    assert_eq!(model.named("src/list.rs:11"), [1]);
    assert_eq!(model.named("list.rs:25"), [2]);
    assert_eq!(model.named("ist.rs:25"), [] as [usize; 0]);
    assert_eq!(model.named("list.rs:10"), [] as [usize; 0]);
    assert_eq!(model.named("nothing"), [] as [usize; 0]);
}
