//! Covering sets cover, limits hold, and streams repeat.

use std::sync::Arc;

use super::{CloseOff, CoverBuilder, Generator, Limits, Packing};
use crate::choice::{Codec, SiteIndex};
use crate::grammar::Grammar;
use crate::graph::{Graph, Measure};
use crate::kpath::{Coverage, KPaths, WindowTable};
use crate::rng::Rng;
use crate::tests::{fixtures, graph, random_grammar};

mod expander;
mod sizes;

/// The canonical inputs of a covering set.
fn inputs(graph: &Arc<Graph>, k: usize, builder: CoverBuilder) -> (Vec<Vec<u8>>, usize) {
    let mut cover = builder.build(graph, k).unwrap();
    let mut index = SiteIndex::new();
    let mut inputs = Vec::new();
    while cover.next_input(&mut index) {
        inputs.push(index.canonical().to_vec());
    }
    (inputs, cover.forbidden().len())
}

/// The coverage of inputs, decoded anew.
fn coverage(graph: &Arc<Graph>, k: usize, inputs: &[Vec<u8>]) -> Coverage {
    let kpaths = KPaths::new(graph, k).unwrap();
    let codec = Codec::new(graph).with_windows(&WindowTable::new(&kpaths).unwrap());
    let mut coverage = Coverage::new(&kpaths).unwrap();
    let mut index = SiteIndex::new();
    for input in inputs {
        codec.index(input, &mut Default::default(), &mut index);
        coverage.add(index.windows());
    }
    coverage
}

const ALL: [(CloseOff, Packing); 4] = [
    (CloseOff::Shortest, Packing::Small),
    (CloseOff::BoundedRandom, Packing::Small),
    (CloseOff::CoverageSeeking, Packing::Small),
    (CloseOff::Shortest, Packing::Few),
];

#[test]
fn every_policy_covers_every_path_of_every_fixture() {
    for fixture in fixtures() {
        for k in 1..=4 {
            for (close_off, packing) in ALL {
                let builder = CoverBuilder::new().close_off(close_off).packing(packing);
                let (inputs, forbidden) = inputs(&fixture.graph, k, builder);
                let coverage = coverage(&fixture.graph, k, &inputs);
                assert_eq!(
                    forbidden, 0,
                    "{} k = {k} {close_off:?} {packing:?}",
                    fixture.name
                );
                assert_eq!(
                    coverage.covered(),
                    coverage.total(),
                    "{} k = {k} {close_off:?} {packing:?}",
                    fixture.name
                );
                assert!(!inputs.is_empty());
            }
        }
    }
}

#[test]
fn every_policy_covers_random_grammars_on_all_levels() {
    let mut rng = Rng::new(41);
    let mut covered = 0;
    while covered < 400 {
        let Ok(grammar) = random_grammar(&mut rng).parse::<Grammar>() else {
            continue;
        };
        let graph = Graph::new(grammar).unwrap();
        let k = 1 + rng.below(4) as usize;
        if KPaths::new(&graph, k).unwrap().window_count() > 3000 {
            continue;
        }
        for (close_off, packing) in ALL {
            let builder = CoverBuilder::new()
                .close_off(close_off)
                .packing(packing)
                .all_levels(true);
            let (inputs, forbidden) = inputs(&graph, k, builder);
            let coverage = coverage(&graph, k, &inputs);
            assert_eq!(
                coverage.windows().count_zeros(),
                0,
                "k = {k} {close_off:?} {packing:?}\n{}",
                graph.grammar()
            );
            assert_eq!(forbidden, 0);
        }
        covered += 1;
    }
}

#[test]
fn what_limits_forbid_is_exactly_what_no_input_has() {
    // Depth 2 reaches "c" and "(", but not what is inside the parentheses' reference.
    let graph = graph(r#"s := a | "0"; a := b | "a"; b := "(" a ")" | "bbbb";"#);
    for (depth, len) in [
        (Some(1), None),
        (Some(2), None),
        (None, Some(2)),
        (None, Some(4)),
        (Some(3), Some(3)),
    ] {
        for (close_off, packing) in ALL {
            let builder = CoverBuilder::new()
                .close_off(close_off)
                .packing(packing)
                .max_depth(depth)
                .max_len(len);
            let mut cover = builder.build(&graph, 2).unwrap();
            let mut index = SiteIndex::new();
            while cover.next_input(&mut index) {
                assert!(
                    depth.is_none_or(|depth| index.depth() <= depth),
                    "{depth:?} {close_off:?} {packing:?}"
                );
                assert!(
                    len.is_none_or(|len| index.text().len() <= len as usize),
                    "{len:?} {close_off:?} {packing:?}"
                );
            }
            // All derivations within the limits, by brute force over choice sequences.
            let mut possible = Coverage::new(cover.coverage().kpaths()).unwrap();
            for choices in 0..4096u32 {
                let bytes: Vec<u8> = (0..12).map(|bit| (choices >> bit & 1) as u8).collect();
                cover
                    .codec()
                    .index(&bytes, &mut Default::default(), &mut index);
                let fits = depth.is_none_or(|depth| index.depth() <= depth)
                    && len.is_none_or(|len| index.text().len() <= len as usize);
                if fits {
                    possible.add(index.windows());
                }
            }
            let total = possible.kpaths().len();
            for path in 0..total as u32 {
                let covered = cover.coverage().contains(path);
                assert_eq!(
                    covered,
                    possible.contains(path),
                    "{depth:?} {len:?} {close_off:?} {packing:?}"
                );
                assert_eq!(cover.forbidden().contains(&path), !covered);
            }
        }
    }
}

#[test]
fn few_inputs_are_fewer_and_small_ones_no_longer_than_their_target_asks() {
    // The reference tool's numbers of files for the papers' expression grammar, shortest close-off, k = 1, 2, 3, 5.
    let expr = fixtures()
        .into_iter()
        .find(|fixture| fixture.name == "expr")
        .unwrap()
        .graph;
    for (k, files) in [(1, 21), (2, 49), (3, 193), (5, 3922)] {
        let (small, _) = inputs(&expr, k, CoverBuilder::new());
        let (few, _) = inputs(&expr, k, CoverBuilder::new().packing(Packing::Few));
        assert!(
            small.len() < files,
            "{} of {files} for k = {k}",
            small.len()
        );
        assert!(few.len() < small.len());
    }
    // For JSON, and few inputs against its random close-off.
    let json = fixtures()
        .into_iter()
        .find(|fixture| fixture.name == "json_tight")
        .unwrap()
        .graph;
    for (k, files) in [(1, 8), (2, 15), (3, 18), (5, 54)] {
        let (few, _) = inputs(&json, k, CoverBuilder::new().packing(Packing::Few));
        assert!(few.len() < files, "{} of {files} for k = {k}", few.len());
    }
}

#[test]
fn random_sentences_keep_limits_wherever_the_grammar_can() {
    let mut rng = Rng::new(43);
    let mut index = SiteIndex::new();
    let mut bounded = 0;
    for round in 0..300 {
        let Ok(grammar) = random_grammar(&mut rng).parse::<Grammar>() else {
            continue;
        };
        let graph = Graph::new(grammar).unwrap();
        let root = graph.grammar()[graph.grammar().start()].root;
        let least = |measure| graph.shortest(measure).cost(root);
        let codec = Arc::new(Codec::new(&graph));
        for (max_depth, max_len) in [
            (0, 4000),
            (3, 4000),
            (9, 4000),
            (30, 0),
            (30, 20),
            (1 << 16, 300),
        ] {
            let limits = Limits {
                max_depth,
                max_len,
                max_nodes: 1 << 12,
            };
            let mut generator = Generator::new(&codec, limits, Rng::new(round));
            for _ in 0..10 {
                generator.generate(&mut index);
                assert!(
                    index.depth() <= max_depth.max(least(Measure::Depth)),
                    "{}",
                    graph.grammar()
                );
                // Depth and nodes go first; where they do not bind, length holds. Nodes that are left out again because they
                // derive nothing have bound all the same.
                let nodes = crate::Tree::decode(&codec, index.canonical()).nodes().len();
                let is_whole = !codec.has_hollow_repetitions();
                if max_depth == 1 << 16 && nodes <= 1 << 12 && is_whole {
                    let bound = max_len.max(least(Measure::Length)) as usize;
                    assert!(index.text().len() <= bound, "{}", graph.grammar());
                    bounded += 1;
                }
            }
        }
    }
    assert!(bounded > 1000);
}

#[test]
fn the_same_seed_gives_the_same_sentences() {
    let expr = fixtures()
        .into_iter()
        .find(|fixture| fixture.name == "expr")
        .unwrap()
        .graph;
    let codec = Arc::new(Codec::new(&expr));
    let run = || {
        let mut generator = Generator::new(&codec, Limits::default(), Rng::new(9));
        let mut index = SiteIndex::new();
        (0..100)
            .flat_map(|_| {
                generator.generate(&mut index);
                index.text().to_vec()
            })
            .collect::<Vec<u8>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn stated_probabilities_are_kept() {
    let graph = graph(r#"s := 90% "a" | 0% "b" | "c";"#);
    let codec = Arc::new(Codec::new(&graph));
    let mut generator = Generator::new(&codec, Limits::default(), Rng::new(5));
    let mut index = SiteIndex::new();
    let mut counts = [0; 3];
    for _ in 0..10_000 {
        generator.generate(&mut index);
        counts[usize::from(index.text()[0] - b'a')] += 1;
    }
    assert!((8800..9200).contains(&counts[0]), "{counts:?}");
    assert_eq!(counts[1], 0);
}

#[test]
fn no_close_off_takes_the_room_that_a_path_needs() {
    for fixture in fixtures() {
        for max_len in [1, 3, 5, 8, 15] {
            for (close_off, packing) in ALL {
                let mut cover = CoverBuilder::new()
                    .close_off(close_off)
                    .packing(packing)
                    .max_len(Some(max_len))
                    .all_levels(true)
                    .build(&fixture.graph, 3)
                    .unwrap();
                let mut index = SiteIndex::new();
                while cover.next_input(&mut index) {
                    let length = index.text().len();
                    assert!(
                        length <= max_len as usize,
                        "{} {close_off:?} {packing:?}: {length} > {max_len}",
                        fixture.name
                    );
                }
            }
        }
    }
}

/// A model of some texts.
fn model_of(grammar: &str, order: usize, texts: &[&str]) -> crate::model::Model {
    let graph = Graph::new(grammar.parse::<crate::Grammar>().unwrap()).unwrap();
    let parser = crate::Parser::new(&graph);
    let mut model = crate::model::Model::new(&Arc::new(Codec::new(&graph)), order);
    for text in texts {
        model
            .learn(&parser.encode(text.as_bytes()).unwrap())
            .unwrap();
    }
    model
}

/// The statistic of what was counted in one model by the shares of another, and its degrees of freedom.
fn chi_square(counted: &crate::model::Model, by: &crate::model::Model) -> (f64, f64) {
    use crate::model::Reading;

    let (mut statistic, mut freedom) = (0.0, 0.0);
    for (node, _) in by.graph().grammar().nodes().iter() {
        let expected = by.outcomes(node, &Reading::COMMON);
        let found = counted.outcomes(node, &Reading::COMMON);
        let sum = |of: &[crate::model::Outcome]| of.iter().map(|it| it.weight as f64).sum::<f64>();
        let (whole, all) = (sum(&expected), sum(&found) / crate::model::ONE as f64);
        let same = |a: &crate::model::Outcome, b: &crate::model::Outcome| {
            (a.head, a.low, a.high) == (b.head, b.low, b.high)
        };
        for one in &found {
            // Nothing comes out that has no weight.
            let known = expected.iter().find(|it| same(it, one));
            assert!(
                one.weight == 0 || known.is_some_and(|it| it.weight > 0),
                "{one:?}"
            );
        }
        for one in expected.iter().filter(|it| it.weight > 0) {
            let mean = one.weight as f64 / whole * all;
            let seen = found.iter().find(|it| same(it, one));
            let seen = seen.map_or(0.0, |it| it.weight as f64 / crate::model::ONE as f64);
            assert!(mean >= 5.0, "too few samples for {one:?}");
            statistic += (seen - mean).powi(2) / mean;
            freedom += 1.0;
        }
        freedom -= f64::from(u8::from(!expected.is_empty()));
    }
    (statistic, freedom)
}

const LISTS: &str = r#"
    file := (list "\n")+; list := "[" (item ("," item)*)? "]" | "(" item{1,4} ")";
    item := number | list | name; number := [0-9]+; name := [a-zé-€];
"#;

#[test]
fn sentences_under_the_budget_follow_the_model() {
    let samples = [
        "[1,22,(a)]\n[]\n",
        "(é€3)\n",
        "[[1],b,c,1,2,(11)]\n",
        "[a]\n(7)\n[]\n",
    ];
    let model = model_of(LISTS, 0, &samples);
    let codec = model.codec().clone();
    let tables = crate::model::Tables::new(&model, &crate::model::Reading::COMMON);
    let mut sampler = super::Sampler::new(&codec, tables, Limits::NONE, 1 << 18);
    let mut counted = crate::model::Model::new(&codec, 0);
    let (mut rng, mut index) = (Rng::new(11), SiteIndex::new());
    for _ in 0..4000 {
        sampler.sample(&mut rng, &mut index);
        counted.learn(index.choices()).unwrap();
    }
    assert_eq!(sampler.spent(), 0);
    let (statistic, freedom) = chi_square(&counted, &model);
    // Some six standard deviations above the mean.
    assert!(
        freedom == 18.0 && statistic < freedom + 6.0 * (2.0 * freedom).sqrt(),
        "{statistic} of {freedom}"
    );
}

#[test]
fn contexts_are_followed_too() {
    // Lists in lists are longer than lists, which flat counts would blur.
    let grammar = "file := list; list := '[' (list* | 'x'*) ']';";
    let samples = [
        "[[xxxx][xxxx]]",
        "[[xxxx]]",
        "[[xxxx][xxxx][xxxx]]",
        "[[xxxx][xxxx]]",
        "[[xxxx][xxxx]]",
    ];
    let model = model_of(grammar, 2, &samples);
    let codec = model.codec().clone();
    let tables = crate::model::Tables::new(&model, &crate::model::Reading::COMMON);
    let mut sampler = super::Sampler::new(&codec, tables, Limits::NONE, 1 << 16);
    let (mut rng, mut index) = (Rng::new(2), SiteIndex::new());
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..2000 {
        sampler.sample(&mut rng, &mut index);
        *seen
            .entry(String::from_utf8(index.text().to_vec()).unwrap())
            .or_insert(0u32) += 1;
    }
    let texts: Vec<&str> = seen.keys().map(|it| &**it).collect();
    assert_eq!(
        texts,
        ["[[xxxx][xxxx][xxxx]]", "[[xxxx][xxxx]]", "[[xxxx]]"]
    );
    assert!(
        seen.values().all(|&count| (300..1300).contains(&count)),
        "{seen:?}"
    );
}

#[test]
fn a_budget_that_is_spent_is_spread_over_the_tree() {
    let grammar = r#"
        Expr := Term | Expr "+" Term | Expr "-" Term; Term := Factor | Term "*" Factor | Term "/" Factor;
        Factor := Int | "+" Factor | "-" Factor | "(" Expr ")"; Int := Digit Int | Digit; Digit := [0-9];
    "#;
    let model = model_of(grammar, 0, &["1+(2*3)"]);
    let codec = model.codec().clone();
    // Inverted, nothing ever ends by itself.
    let tables = || crate::model::Tables::new(&model, &crate::model::Reading::UNCOMMON);
    let (mut rng, mut index) = (Rng::new(4), SiteIndex::new());
    let mut used = std::collections::BTreeSet::new();
    for budget in [1, 50, 200, 1000] {
        let mut sampler = super::Sampler::new(&codec, tables(), Limits::NONE, budget);
        for _ in 0..50 {
            sampler.sample(&mut rng, &mut index);
            let mut counted = crate::model::Model::new(&codec, 0);
            counted.learn(index.choices()).unwrap();
            // What is decided last may go past the budget by its own shortest derivation.
            assert!(
                counted.largest() <= u64::from(budget.max(9)) + 40,
                "{budget}: {}",
                counted.largest()
            );
            assert!(
                counted.largest() + 40 >= u64::from(budget),
                "{budget}: {}",
                counted.largest()
            );
            used.extend(index.text().iter().copied());
        }
        assert_eq!(sampler.spent(), 50);
    }
    // What is shortest follows the model where it can.
    for byte in *b"-/0456789" {
        assert!(used.contains(&byte), "{}", char::from(byte));
    }
    assert!(!used.contains(&b'*') && !used.contains(&b'('));
}

#[test]
fn the_same_seed_gives_the_same_sentences_whatever_came_before() {
    let model = model_of(LISTS, 1, &["[1,22,(a)]\n[]\n", "(é€3)\n"]);
    let codec = model.codec().clone();
    let texts = |seed: u64, warm: usize| {
        let tables = crate::model::Tables::new(&model, &crate::model::Reading::COMMON);
        let mut sampler = super::Sampler::new(&codec, tables, Limits::NONE, 60);
        let mut index = SiteIndex::new();
        (0..warm).for_each(|_| sampler.sample(&mut Rng::new(99), &mut index));
        let mut rng = Rng::new(seed);
        let mut next = || {
            sampler.sample(&mut rng, &mut index);
            index.text().to_vec()
        };
        (0..20).map(|_| next()).collect::<Vec<_>>()
    };
    assert_eq!(texts(1, 0), texts(1, 7));
    assert_ne!(texts(1, 0), texts(2, 0));
}
