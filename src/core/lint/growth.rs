//! k-paths whose number grows steeply with k, and the production that most of them pass through.
//!
//! A production to which many symbols refer and which refers to many multiplies the paths at every step. Its part is what is
//! missing when the paths are counted without its symbols: O(levels · symbols) for each of a few candidates, those with the
//! most pairs of a reference to them and one in them.

use crate::graph::Graph;
use crate::id::{Id as _, IdVec, ProductionId};
use crate::kpath;

use super::{Finding, Kind, Severity};

/// How far k-paths are counted.
const MAX_K: usize = 5;
/// The growth from one level to the next that is steep, and the number of paths that is many. Grammars of programming languages
/// grow twofold to fivefold.
const STEEP: u64 = 8;
const MANY: u64 = 10_000;
/// The productions whose part is counted.
const CANDIDATES: usize = 16;

pub(super) fn find(graph: &Graph) -> Vec<Finding> {
    let grammar = graph.grammar();
    let counts = kpath::counts(graph, MAX_K);
    let steep = (1..MAX_K).find_map(|k| {
        let (below, above) = (counts[k - 1]?, counts[k].unwrap_or(u64::MAX));
        (above >= MANY && above / STEEP >= below).then_some((k, below, above))
    });
    let Some((k, below, above)) = steep else {
        return Vec::new();
    };
    let mut uses: IdVec<ProductionId, u64> = IdVec::filled(grammar.productions().len(), 0);
    let mut goes_on: IdVec<ProductionId, u64> = uses.clone();
    for symbol in grammar.symbols().ids() {
        if let Some(target) = graph.target_of(symbol) {
            uses[target] += 1;
            goes_on[graph.production_of(symbol)] += 1;
        }
    }
    let mut candidates: Vec<ProductionId> = uses.ids().collect();
    candidates.sort_by_key(|&id| (std::cmp::Reverse(uses[id].saturating_mul(goes_on[id])), id));
    candidates.truncate(CANDIDATES);
    let without = |id: &ProductionId| count_without(graph, k + 1, *id);
    let Some((left, cause)) = candidates.iter().map(|id| (without(id), *id)).min() else {
        return Vec::new();
    };
    let share = (u128::from(above - left.min(above)) * 100 / u128::from(above.max(1))) as u64;
    let name = &grammar[cause].name;
    let more = if counts[k].is_none() {
        "more than "
    } else {
        ""
    };
    let message = format!(
        "there are {below} {k}-paths and {more}{above} {}-paths, {} times as many: {share} % of them pass through `{name}`, \
         with {} references in it and {} to it",
        k + 1,
        above / below.max(1),
        goes_on[cause],
        uses[cause],
    );
    let suggestion = format!(
        "keep to k = {k}, or put levels into `{name}`: alternatives that are used alike behind a nonterminal of their own"
    );
    vec![Finding::new(
        grammar,
        Kind::Growth,
        Severity::Info,
        cause,
        message,
        suggestion,
    )]
}

/// The number of k-paths without a symbol of a production; saturates.
fn count_without(graph: &Graph, k: usize, without: ProductionId) -> u64 {
    let productions = graph.grammar().productions();
    let mut below: Vec<u64> = Vec::new();
    for _ in 0..k {
        let totals = productions.ids().map(|production| {
            let symbols = graph.symbols_of(production);
            if production == without {
                0
            } else if below.is_empty() {
                symbols.len() as u64
            } else {
                Graph::ids(symbols)
                    .filter_map(|symbol| graph.target_of(symbol))
                    .fold(0, |sum: u64, target| {
                        sum.saturating_add(below[target.index()])
                    })
            }
        });
        below = totals.collect();
    }
    below
        .iter()
        .fold(0, |sum: u64, &more| sum.saturating_add(more))
}
