//! Trees: that they separate what can be separated, by the first of equal questions, and that nothing is left to chance.

use pleach_core::KPaths;
use pleach_core::rng::Rng;

use super::graph;
use crate::features::PathRank;
use crate::tree::Node;
use crate::{Balance, Columns, Feature, FeatureVector, Learner, Tree};

const FEATURES: u32 = 12;

/// Texts with these features each, numbered from 0.
fn columns(texts: &[Vec<u32>]) -> Columns {
    let letters: Vec<String> = (0..FEATURES).map(|n| format!("'{n}'")).collect();
    let graph = graph(&format!("s := ({})*;", letters.join("|")));
    let kpaths = KPaths::new(&graph, 1).unwrap();
    let vectors: Vec<FeatureVector> = texts
        .iter()
        .map(|windows| FeatureVector {
            windows: windows.clone(),
            quantities: Vec::new(),
        })
        .collect();
    Columns::new(&kpaths, &vectors)
}

fn class(texts: usize, of: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut words = vec![0; texts.div_ceil(64)];
    for text in (0..texts).filter(|&text| of(text)) {
        words[text / 64] |= 1 << (text % 64);
    }
    words
}

fn random_texts(rng: &mut Rng, count: usize) -> Vec<Vec<u32>> {
    let text = |rng: &mut Rng| (0..FEATURES).filter(|_| rng.per_mille(300)).collect();
    (0..count).map(|_| text(rng)).collect()
}

/// Whether a tree says of each text what it is.
fn right(tree: &Tree, columns: &Columns, members: &[u64]) -> usize {
    (0..columns.texts())
        .filter(|&text| {
            let said = tree.predicts(|column| columns.has(column as usize, text));
            said == (members[text / 64] >> (text % 64) & 1 == 1)
        })
        .count()
}

#[test]
fn conjunctions_and_disjunctions_are_learned() {
    let mut rng = Rng::new(1);
    let texts = random_texts(&mut rng, 700);
    let columns = columns(&texts);
    let has = |text: usize, feature: u32| texts[text].contains(&feature);
    let classes = [
        class(700, |text| has(text, 3)),
        class(700, |text| !has(text, 3)),
        class(700, |text| has(text, 1) && has(text, 2)),
        class(700, |text| has(text, 1) || has(text, 2) || has(text, 5)),
        class(700, |text| has(text, 1) && !(has(text, 2) && has(text, 3))),
    ];
    for balance in [Balance::Weights, Balance::Subsample] {
        for (at, members) in classes.iter().enumerate() {
            let tree = Learner::new(&columns, balance, 7).learn(members);
            let right = right(&tree, &columns, members);
            assert_eq!(right, 700, "class {at} by {balance:?}: {tree:?}");
            assert!(tree.depth() <= 5);
            let leaves = tree.leaves();
            assert_eq!(leaves.len(), tree.nodes().len().div_ceil(2));
        }
    }
}

/// The root asks what leaves the least impurity, found by trying each column on lists of texts; of equal ones, the first.
#[test]
fn a_split_is_the_best_and_the_first_of_the_best() {
    let mut rng = Rng::new(5);
    for _ in 0..200 {
        let count = 2 + rng.index(130);
        let texts = random_texts(&mut rng, count);
        let columns = columns(&texts);
        let wanted: Vec<bool> = (0..count).map(|_| rng.per_mille(300)).collect();
        let members = class(count, |text| wanted[text]);
        let own = wanted.iter().filter(|&&it| it).count() as f64;
        let rest = count as f64 - own;
        if own == 0.0 || rest == 0.0 {
            continue;
        }
        let tree = Learner::new(&columns, Balance::Weights, 0)
            .with_depth(1)
            .learn(&members);
        let gini = |with: bool, column: usize| {
            let mut sums = (0.0, 0.0);
            for (text, &is_member) in wanted.iter().enumerate() {
                if columns.has(column, text) == with {
                    match is_member {
                        true => sums.0 += rest.sqrt(),
                        false => sums.1 += own.sqrt(),
                    }
                }
            }
            sums.0 * sums.1 / (sums.0 + sums.1)
        };
        let best = (0..columns.len())
            .map(|column| (gini(true, column) + gini(false, column), column))
            .fold(None, |best: Option<(f64, usize)>, it| match best {
                Some(best) if best.0 * (1.0 - 1e-9) <= it.0 => Some(best),
                _ => Some(it),
            });
        let Some((_, best)) = best else { continue };
        // A question may be left out since both answers come to the same.
        if let Some(question) = tree.nodes()[0].question {
            assert_eq!(question.feature as usize, best);
        }
    }
}

#[test]
fn a_tree_counts_every_text_once() {
    let mut rng = Rng::new(9);
    let texts = random_texts(&mut rng, 300);
    let columns = columns(&texts);
    let members = class(300, |text| texts[text].len() > 3);
    for balance in [Balance::Weights, Balance::Subsample] {
        let tree = Learner::new(&columns, balance, 3).learn(&members);
        let leaves = tree.leaves();
        let leaves: Vec<Node> = leaves.iter().map(|&(at, _)| tree.nodes()[at]).collect();
        let sum = |of: fn(&Node) -> u32| leaves.iter().map(of).sum::<u32>();
        assert_eq!(sum(|node| node.members) + sum(|node| node.others), 300);
        assert_eq!(sum(|node| node.members), tree.nodes()[0].members);
        // The ways to the leaves part the texts.
        for text in 0..300 {
            let fits = tree.leaves().into_iter().filter(|(_, way)| {
                way.iter()
                    .all(|step| columns.has(step.feature as usize, text) == step.holds)
            });
            assert_eq!(fits.count(), 1);
        }
        assert_eq!(tree, Learner::new(&columns, balance, 3).learn(&members));
    }
}

#[test]
fn a_rare_class_is_learned_from_all_others() {
    // Feature 1 is in the 3 members, and in 2 of 400 others; feature 0 in the members and in 100 others.
    let texts: Vec<Vec<u32>> = (0..403)
        .map(|text| match text {
            0..3 => vec![0, 1],
            3..5 => vec![1],
            5..105 => vec![0],
            _ => vec![2],
        })
        .collect();
    let columns = columns(&texts);
    let members = class(403, |text| text < 3);
    let tree = Learner::new(&columns, Balance::Weights, 0).learn(&members);
    assert_eq!(right(&tree, &columns, &members), 403);
    let feature = |column: u32| columns.feature(column as usize);
    let asked = tree.nodes()[0].question.map(|it| feature(it.feature));
    assert_eq!(asked, Some(Feature::Path(PathRank { len: 1, rank: 1 })));
}

#[test]
fn a_class_of_all_or_none_needs_no_question() {
    let texts = random_texts(&mut Rng::new(2), 100);
    let columns = columns(&texts);
    for (all, members) in [(true, class(100, |_| true)), (false, Vec::new())] {
        let tree = Learner::new(&columns, Balance::default(), 0).learn(&members);
        assert_eq!(tree.nodes().len(), 1);
        assert_eq!(tree.predicts(|_| true), all);
    }
}
