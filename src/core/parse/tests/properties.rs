//! Properties on random grammars and texts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::brute::{self, Brute, Unknown};
use super::{Verdict, Workspace, parse, parser};
use crate::choice::{Codec, SiteIndex};
use crate::generate::{Generator, Limits};
use crate::grammar::Grammar;
use crate::graph::Graph;
use crate::kpath::{Coverage, ExpansionCoverage, KPaths, WindowTable};
use crate::parse::{Budget, Parser};
use crate::rng::Rng;
use crate::tests::random_grammar;

/// Random graphs: small, strange, productive.
fn random_graphs(count: u64) -> impl Iterator<Item = (u64, Arc<Graph>)> {
    (0..count).filter_map(|seed| {
        let text = random_grammar(&mut Rng::new(seed));
        let grammar: Grammar = text.parse().ok()?;
        Some((seed, Graph::new(grammar).ok()?))
    })
}

/// What brute force says must be what the parser says.
fn compare(
    graph: &Arc<Graph>,
    verdict: Result<Verdict, super::Error>,
    text: &[u8],
    what: &str,
) -> bool {
    let derivations = match Brute::new(graph, text).derivations() {
        Ok(derivations) => derivations,
        Err(Unknown::TooMany | Unknown::Cyclic) => return false,
    };
    assert_eq!(verdict.is_ok(), !derivations.is_empty(), "{what}");
    let Ok(verdict) = verdict else { return true };
    assert_eq!(
        verdict.derivations.to_string(),
        derivations.len().to_string(),
        "{what}"
    );
    let encoded: Vec<Vec<u8>> = derivations
        .iter()
        .map(|d| brute::encode(graph, d))
        .collect();
    assert!(
        encoded.contains(&verdict.choices),
        "{what}: {:?} not in {encoded:?}",
        verdict.choices
    );
    let kpaths = verdict.coverage.kpaths();
    let windows = WindowTable::new(kpaths).unwrap();
    let mut coverage = Coverage::new(kpaths).unwrap();
    let mut expansions = ExpansionCoverage::new(graph);
    for derivation in &derivations {
        brute::cover(graph, &windows, derivation, &mut coverage, &mut expansions);
    }
    assert_eq!(verdict.coverage.windows(), coverage.windows(), "{what}");
    assert_eq!(verdict.expansions.words(), expansions.words(), "{what}");
    true
}

#[test]
fn generated_sentences_have_the_derivations_of_brute_force() {
    let mut compared = 0;
    for (seed, graph) in random_graphs(900) {
        let codec = Codec::new(&graph);
        let parser = Parser::new(&graph);
        let mut workspace = Workspace::new();
        let mut rng = Rng::new(seed + 1_000_000);
        for _ in 0..6 {
            let choices: Vec<u8> = (0..rng.below(12)).map(|_| rng.below(256) as u8).collect();
            let text = codec.sentence(&choices);
            if text.len() > 60 {
                continue;
            }
            let what = format!(
                "seed {seed}\n{}\n{:?}",
                graph.grammar(),
                String::from_utf8_lossy(&text)
            );
            let verdict = parse(&parser, &text, 3, &mut workspace);
            let verdict = verdict.unwrap_or_else(|error| panic!("{what}\n{error}"));
            assert_eq!(codec.sentence(&verdict.choices), text, "{what}");
            assert_eq!(
                codec.canonicalize(&verdict.choices),
                verdict.choices,
                "{what}"
            );
            if text.len() <= 12 {
                compared += usize::from(compare(&graph, Ok(verdict), &text, &what));
            }
        }
    }
    assert!(compared > 900, "{compared}");
}

#[test]
fn the_derivation_of_a_generated_sentence_is_in_its_forest() {
    let mut compared = 0;
    for (seed, graph) in random_graphs(600) {
        let codec = Arc::new(Codec::new(&graph));
        let parser = Parser::new(&graph);
        let mut workspace = Workspace::new();
        let limits = Limits {
            max_len: 30,
            ..Limits::default()
        };
        let mut generator = Generator::new(&codec, limits, Rng::new(seed));
        let mut index = SiteIndex::default();
        for _ in 0..5 {
            generator.generate(&mut index);
            let text = codec.sentence(index.canonical());
            let what = format!("seed {seed}\n{}\n{text:?}", graph.grammar());
            let verdict = parse(&parser, &text, 3, &mut workspace)
                .unwrap_or_else(|error| panic!("{what}\n{error}"));
            if verdict.derivations.to_u64() == Some(1) {
                assert_eq!(verdict.choices, index.canonical(), "{what}");
            }
            if text.len() <= 16
                && let Ok(derivations) = Brute::new(&graph, &text).derivations()
            {
                let mut encoded = derivations.iter().map(|known| brute::encode(&graph, known));
                assert!(encoded.any(|known| known == index.canonical()), "{what}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn broken_sentences_are_judged_as_brute_force_judges_them() {
    let mut compared = 0;
    for (seed, graph) in random_graphs(700) {
        let codec = Codec::new(&graph);
        let parser = Parser::new(&graph);
        let mut workspace = Workspace::new();
        let mut rng = Rng::new(seed + 2_000_000);
        for _ in 0..4 {
            let choices: Vec<u8> = (0..rng.below(8)).map(|_| rng.below(256) as u8).collect();
            let mut text = codec.sentence(&choices);
            if text.len() > 14 {
                continue;
            }
            match rng.below(3) {
                0 if !text.is_empty() => {
                    text.remove(rng.index(text.len()));
                }
                1 if !text.is_empty() => {
                    let (a, b) = (rng.index(text.len()), rng.index(text.len()));
                    text.swap(a, b);
                }
                _ => text.insert(rng.index(text.len() + 1), b'a' + rng.below(6) as u8),
            }
            let what = format!(
                "seed {seed}\n{}\n{:?}",
                graph.grammar(),
                String::from_utf8_lossy(&text)
            );
            let verdict = parse(&parser, &text, 3, &mut workspace);
            compared += usize::from(compare(&graph, verdict, &text, &what));
        }
    }
    assert!(compared > 700, "{compared}");
}

#[test]
fn strange_grammars_have_the_derivations_of_brute_force() {
    let cases: &[(&str, &[&str])] = &[
        // Right recursion that lookahead does not decide.
        ("S := 'a' S | 'a';", &["a", "aaaaaaa", "b", ""]),
        ("S := 'a' S 'b'? | 'a';", &["aab", "aaaabbb", "aabbb"]),
        (
            "S := T; T := 'a' S | 'a' | U; U := 'a' 'a' S;",
            &["aaaa", "aaaaaa"],
        ),
        (
            "S := 'x' T | 'y'; T := S 'a'? | 'b' T;",
            &["xxyaa", "xbxya", "xbby"],
        ),
        // Hidden left recursion.
        (
            "S := A S 'b' | 'a'; A := 'c'?;",
            &["abb", "cab", "ccabb", "cabb"],
        ),
        ("S := ('' | 'x')* S 'y' | 'z';", &["zyy", "xzy", "xxzyy"]),
        // Nothing in many ways.
        ("S := ('' | A) ('' | A); A := '' | 'a';", &["", "a", "aa"]),
        (
            "S := (A | B)* 'c'; A := 'a'?; B := 'a' | 'b';",
            &["c", "abc", "aac"],
        ),
        (
            "S := (A{2}){0,2}; A := 'a' | '';",
            &["", "a", "aa", "aaa", "aaaa"],
        ),
        // Bounds.
        ("S := 'a'{3}; ", &["aa", "aaa", "aaaa"]),
        (
            "S := ('a' | 'aa'){2,4};",
            &["aa", "aaa", "aaaaaaaa", "aaaaaaaaa", "a"],
        ),
        // Characters and bytes.
        ("S := [é-ü]+ | '\\xc3' [\\x80-\\xff]+;", &["é", "éü", "e"]),
        (
            "S := ([\\x80-\\xff] | [\\u{80}-\\u{ffff}])+;",
            &["é", "€", "é€"],
        ),
        // A class with a character and the byte that it begins with.
        ("S := [\\xc3é] '\\xa9' [\\xc3é] 'x';", &["ééx", "éx"]),
        ("S := [\\xc3é] [\\xa9é]*;", &["é", "éé", "ééé"]),
    ];
    for (grammar, texts) in cases {
        let parser = parser(grammar);
        let mut workspace = Workspace::new();
        for text in *texts {
            let verdict = parse(&parser, text.as_bytes(), 3, &mut workspace);
            let what = format!("{grammar} {text:?}");
            assert!(
                compare(parser.graph(), verdict, text.as_bytes(), &what),
                "{what}"
            );
        }
    }
}

#[test]
fn a_production_that_derives_itself_has_infinitely_many_derivations() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("A := A | 'a';", &[("a", "infinite"), ("b", "refused")]),
        (
            "A := B | 'a'; B := A | 'b';",
            &[("a", "infinite"), ("b", "infinite")],
        ),
        (
            "A := A A | '' | 'a';",
            &[("", "infinite"), ("a", "infinite"), ("aa", "infinite")],
        ),
        (
            "A := A 'x' | B; B := 'b' | C; C := 'c' | B;",
            &[("bxx", "infinite"), ("c", "infinite")],
        ),
        (
            "A := 'a' | B 'b'; B := B | 'c';",
            &[("a", "1"), ("cb", "infinite")],
        ),
        (
            "A := 'x'? N 'z'; N := '' N | '';",
            &[("z", "infinite"), ("xz", "infinite")],
        ),
    ];
    for (grammar, texts) in cases {
        let parser = parser(grammar);
        let codec = Codec::new(parser.graph());
        let mut workspace = Workspace::new();
        for (text, expected) in *texts {
            let found = match parse(&parser, text.as_bytes(), 3, &mut workspace) {
                Ok(verdict) => {
                    assert_eq!(codec.sentence(&verdict.choices), text.as_bytes());
                    verdict.derivations.to_string()
                }
                Err(_) => "refused".to_owned(),
            };
            assert_eq!(&found, expected, "{grammar} {text:?}");
        }
    }
}

#[test]
fn a_cycle_covers_its_k_paths_on_every_round() {
    let parser = parser("A := B | 'a'; B := A 'x'?;");
    let verdict = parse(&parser, b"a", 3, &mut Workspace::new()).ok().unwrap();
    let kpaths = KPaths::new(parser.graph(), 3).unwrap();
    let names: Vec<String> = verdict
        .at_level(3)
        .iter()
        .map(|rank| kpaths.name(&kpaths.unrank(rank as u64).unwrap()))
        .collect();
    assert_eq!(names, ["A.0>B.0>A.0", "A.0>B.0>A.1", "B.0>A.0>B.0"]);
}

#[test]
fn what_a_text_covers_does_not_depend_on_the_texts_before() {
    let mut shared = Workspace::new();
    let mut compared = 0;
    for (seed, graph) in random_graphs(150) {
        let codec = Codec::new(&graph);
        let parser = Parser::new(&graph);
        let tables = [2, 3].map(|k| WindowTable::new(&KPaths::new(&graph, k).unwrap()).unwrap());
        let mut rng = Rng::new(seed + 3_000_000);
        for round in 0..12 {
            let choices: Vec<u8> = (0..rng.below(12)).map(|_| rng.below(256) as u8).collect();
            let text = codec.sentence(&choices);
            if text.len() > 40 {
                continue;
            }
            // Mostly the same k, so that something is there to be kept.
            let windows = &tables[usize::from(round % 5 > 0)];
            let cover = |workspace: &mut Workspace| {
                let mut coverage = Coverage::new(windows.kpaths()).unwrap();
                let mut expansions = ExpansionCoverage::new(&graph);
                let mut forest = parser.parse(&text, Budget::default(), workspace).unwrap();
                forest
                    .cover(windows, &mut coverage, &mut expansions)
                    .unwrap();
                (coverage.windows().clone(), expansions.words().to_vec())
            };
            let what = format!("seed {seed}\n{}\n{text:?}", graph.grammar());
            assert_eq!(cover(&mut shared), cover(&mut Workspace::new()), "{what}");
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// The derivations that a parser gives of a text.
fn given(parser: &Parser, text: &[u8], most: usize, rng: &mut Rng) -> Vec<Vec<u8>> {
    let mut workspace = Workspace::new();
    let mut forest = parser
        .parse(text, Budget::default(), &mut workspace)
        .unwrap();
    let mut given = Vec::new();
    forest
        .each_derivation(most, rng, |choices| given.push(choices))
        .unwrap();
    given
}

#[test]
fn all_derivations_are_those_of_brute_force() {
    let (mut several, mut all) = (0, 0);
    for (seed, graph) in random_graphs(900) {
        let codec = Codec::new(&graph);
        let parser = Parser::new(&graph);
        let mut rng = Rng::new(seed + 3_000_000);
        for _ in 0..6 {
            let choices: Vec<u8> = (0..rng.below(12)).map(|_| rng.below(256) as u8).collect();
            let text = codec.sentence(&choices);
            let what = format!("seed {seed}\n{}\n{text:?}", graph.grammar());
            if text.len() > 12 {
                continue;
            }
            let Ok(derivations) = Brute::new(&graph, &text).derivations() else {
                continue;
            };
            let mut brute: Vec<Vec<u8>> = derivations
                .iter()
                .map(|known| brute::encode(&graph, known))
                .collect();
            let mut given = given(&parser, &text, 400, &mut rng);
            let canonical = parser.encode(&text).unwrap();
            assert!(given.contains(&canonical), "{what}");
            given.sort();
            brute.sort();
            let is_all = given == brute;
            given.dedup();
            // Brute force tells apart how nothing is derived, too.
            assert!(is_all || given.len() < brute.len(), "{what}");
            assert!(given.iter().all(|it| brute.contains(it)), "{what}");
            several += usize::from(given.len() > 1);
            all += usize::from(is_all && given.len() > 1);
        }
    }
    assert!(all > 150 && all * 10 > several * 9, "{all} of {several}");
}

#[test]
fn drawn_derivations_are_all_alike() {
    let parser = parser("sum := sum '+' sum | '1';");
    let mut rng = Rng::new(1);
    let mut drawn: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    for _ in 0..100 {
        // Of 14.
        for choices in given(&parser, b"1+1+1+1+1", 13, &mut rng) {
            *drawn.entry(choices).or_default() += 1;
        }
    }
    assert_eq!(drawn.len(), 14);
    let expected = 1300.0 / 14.0;
    let distance = |&count: &u32| (f64::from(count) - expected).powi(2) / expected;
    let chi_square: f64 = drawn.values().map(distance).sum();
    // Of 13 degrees of freedom, with a probability of 0.001.
    assert!(chi_square < 34.5, "{drawn:?}");
}

#[test]
fn more_derivations_than_any_number_holds_are_drawn_from() {
    let parser = parser("sum := sum '+' sum | '1';");
    let text = vec![b"1".as_slice(); 200].join(b"+".as_slice());
    let given = given(&parser, &text, 8, &mut Rng::new(1));
    let codec = Codec::new(parser.graph());
    let distinct: BTreeSet<&Vec<u8>> = given.iter().collect();
    assert_eq!((given.len(), distinct.len()), (8, 8));
    assert!(given.iter().all(|choices| codec.sentence(choices) == text));
}

#[test]
fn of_infinitely_many_derivations_the_canonical_one_is_given() {
    let parser = parser("a := a | a 'x' | 'x';");
    let canonical = parser.encode(b"xxx").unwrap();
    assert_eq!(given(&parser, b"xxx", 99, &mut Rng::new(1)), [canonical]);
}

#[test]
fn tokens_are_derived_alike_in_all_derivations() {
    let parser = parser("sum := sum '+' sum | Word; token Word := [a-z]+; skip Space := ' '+;");
    let given = given(&parser, b"ab + c+def", 9, &mut Rng::new(1));
    let mut texts = given.iter().map(|choices| {
        let tree = Codec::new(parser.graph()).sentence(choices);
        String::from_utf8(tree).unwrap()
    });
    assert_eq!(given.len(), 2);
    assert!(texts.all(|text| text.replace(' ', "") == "ab+c+def"));
}
