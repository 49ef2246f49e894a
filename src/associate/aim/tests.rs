//! Inputs for constraints: that the costs are those of the least derivations, and that what is drawn satisfies the constraint.

use std::collections::BTreeSet;

use pleach_core::choice::{ROOT, Scratch, SiteIndex};
use pleach_core::generate::{Generator, Limits};
use pleach_core::id::SymbolId;
use pleach_core::rng::Rng;
use pleach_core::weights::Weights;
use pleach_core::{Codec, KPaths, Tree};

use super::Constraint;
use super::costs::{Costs, NEVER};
use super::sample::{Sampler, Style};
use crate::tests::graph;

const GRAMMARS: [&str; 4] = [
    "list := '[' (item (',' item)*)? ']'; item := number | list; number := '-'? [0-9]+;",
    "add := mul | add ('+' | '-') mul; mul := atom | mul ('*' | '/') atom; atom := [0-9]+ | '(' add ')';",
    "s := a{2,3} b?; a := 'x' b | b b{1,2} | ''; b := 'y' | c{,2} | '(' s ')'; c := 'z' | a 'w';",
    "e := e 'o' e | n n*; n := 'p' | 'q' e 'r' | m; m := 'u' m? | 'v';",
];

/// The paths of a derivation, by ending symbol and length.
fn paths_of(tree: &Tree, kpaths: &KPaths) -> BTreeSet<Vec<SymbolId>> {
    let grammar = tree.graph().grammar();
    let mut paths = BTreeSet::new();
    for (at, _) in tree.nodes().iter().enumerate() {
        let mut branch = Vec::new();
        let mut here = at;
        loop {
            let node = &tree.nodes()[here];
            if let Some(symbol) = node.node.and_then(|it| grammar.symbol_of(it)) {
                branch.insert(0, symbol);
            }
            // Only the nearest symbols, from a symbolic node on.
            if here == 0 || branch.is_empty() || branch.len() == kpaths.k() {
                break;
            }
            here = node.parent as usize;
        }
        for start in 0..branch.len() {
            if kpaths.rank(&branch[start..]).is_some() {
                paths.insert(branch[start..].to_vec());
            }
        }
    }
    paths
}

fn satisfies(paths: &BTreeSet<Vec<SymbolId>>, constraint: &Constraint) -> bool {
    constraint.required.iter().all(|it| paths.contains(it))
        && !constraint.forbidden.iter().any(|it| paths.contains(it))
}

/// Costs beside the smallest of many random derivations; and every derivation that is drawn satisfies the constraint.
#[test]
fn costs_are_those_of_the_least_derivation() {
    let mut rng = Rng::new(11);
    let (mut satisfiable, mut unsatisfiable) = (0, 0);
    for grammar in GRAMMARS {
        let graph = graph(grammar);
        let kpaths = KPaths::new(&graph, 3).unwrap();
        let codec = std::sync::Arc::new(Codec::new(&graph));
        let limits = Limits {
            max_nodes: 60,
            ..Limits::default()
        };
        let mut generator = Generator::new(&codec, limits, Rng::new(3));
        let mut index = SiteIndex::new();
        let mut derivations = Vec::new();
        for _ in 0..1500 {
            generator.generate(&mut index);
            let tree = Tree::decode(&codec, index.choices());
            derivations.push((tree.nodes().len() as u32 - 1, paths_of(&tree, &kpaths)));
        }
        let weights = Weights::stated(graph.grammar());
        for _ in 0..40 {
            let path = |rng: &mut Rng| {
                let len = 1 + rng.index(3);
                let rank = rng.bits() % kpaths.len_at(len);
                kpaths.unrank_at(len, rank).unwrap()
            };
            let constraint = Constraint {
                required: (0..rng.index(4)).map(|_| path(&mut rng)).collect(),
                forbidden: (0..rng.index(4)).map(|_| path(&mut rng)).collect(),
                ..Constraint::default()
            };
            let costs = Costs::new(&graph, &constraint, u64::MAX).unwrap();
            let fitting = derivations
                .iter()
                .filter(|(_, paths)| satisfies(paths, &constraint));
            let least = fitting.map(|&(nodes, _)| nodes).min();
            let total = costs.total();
            if let Some(least) = least {
                assert!(
                    total <= least,
                    "{grammar}: {constraint:?}: {total} > {least}"
                );
            }
            if total == NEVER {
                unsatisfiable += 1;
                continue;
            }
            satisfiable += 1;
            for extra in [0, 0, 3, 10, 30] {
                let style = Style {
                    extra,
                    drawn: 500,
                    more: 500,
                };
                let mut sampler = Sampler::new(&codec, &costs, &weights, style, &mut rng);
                codec.derive(ROOT, &mut sampler, &mut Scratch::default(), &mut index);
                let tree = Tree::decode(&codec, index.choices());
                let nodes = tree.nodes().len() as u32 - 1;
                let paths = paths_of(&tree, &kpaths);
                let text = String::from_utf8_lossy(tree.sentence()).into_owned();
                assert!(
                    satisfies(&paths, &constraint),
                    "{grammar}: {constraint:?}: {text}"
                );
                assert!((total..=total + extra).contains(&nodes), "{text}");
            }
        }
    }
    // Both kinds have occurred.
    assert!(satisfiable > 60 && unsatisfiable > 20);
}

#[test]
fn contradictions_are_unsatisfiable() {
    let graph = graph(GRAMMARS[0]);
    let symbol = |name: &str| {
        let mut symbols = graph.grammar().symbols().ids();
        let found = symbols.find(|&it| graph.grammar().symbol_name(it) == name);
        found.unwrap()
    };
    let [first, nested, open] = ["list.1", "item.1", "list.0"].map(symbol);
    let total = |required: &[&[SymbolId]], forbidden: &[&[SymbolId]]| {
        let constraint = Constraint {
            required: required.iter().map(|it| it.to_vec()).collect(),
            forbidden: forbidden.iter().map(|it| it.to_vec()).collect(),
            ..Constraint::default()
        };
        let costs = Costs::new(&graph, &constraint, u64::MAX).unwrap();
        (costs.total(), constraint.is_contradictory())
    };
    // "[[]]" needs a list within a list.
    assert!(total(&[&[first, nested]], &[]).0 < NEVER);
    // A path whose end is refused.
    assert_eq!(total(&[&[first, nested]], &[&[nested]]), (NEVER, true));
    // What every sentence has is refused.
    assert_eq!(total(&[], &[&[open]]), (NEVER, false));
    // A list has an item, and none of the kinds of item.
    let number = symbol("item.0");
    assert_eq!(total(&[&[first]], &[&[number], &[nested]]), (NEVER, false));
}
