//! Nonterminals whose shortest sentence is long, or whose lowest derivation is deep: whatever needs one of them pays for it.
//!
//! Of those that use one another only the lowest are named, those that do not owe it to another one.

use crate::grammar::NodeKind;
use crate::graph::{Graph, Measure};
use crate::id::{Id as _, ProductionId};

use super::{Finding, Kind, Severity};

/// The bytes that are many for a shortest sentence.
const LONG: u32 = 200;
/// The nested references that are many for a lowest derivation.
const DEEP: u32 = 30;

pub(super) fn find(graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    let grammar = graph.grammar();
    for id in lowest(graph, Measure::Length, LONG) {
        let length = graph.costs(grammar[id].root).length;
        findings.push(Finding::new(
            grammar,
            Kind::Long,
            Severity::Info,
            id,
            format!("the shortest sentence of `{}` has {length} bytes", grammar[id].name),
            "give it a shorter alternative, or lower the least number of repetitions in it, if the format allows it",
        ));
    }
    for id in lowest(graph, Measure::Depth, DEEP) {
        let depth = graph.costs(grammar[id].root).depth;
        findings.push(Finding::new(
            grammar,
            Kind::Deep,
            Severity::Info,
            id,
            format!(
                "the lowest derivation of `{}` nests {depth} references",
                grammar[id].name
            ),
            "give it an alternative that ends sooner; limits of depth below that cannot be kept",
        ));
    }
    findings
}

/// The productions whose shortest derivation comes to a limit although that of no production in their shortest derivation does.
fn lowest(graph: &Graph, measure: Measure, limit: u32) -> Vec<ProductionId> {
    let grammar = graph.grammar();
    let shortest = graph.shortest(measure);
    let mut found = Vec::new();
    for (id, production) in grammar.productions().iter() {
        if shortest.cost(production.root) < limit {
            continue;
        }
        let mut owes = false;
        let mut open = vec![production.root];
        while let Some(node) = open.pop() {
            let children = grammar.children(node);
            match grammar[node].kind {
                NodeKind::Reference(target) => {
                    owes |= shortest.cost(grammar[target].root) >= limit;
                }
                NodeKind::Alternation => {
                    let at = shortest.alternative(node) as usize;
                    open.extend(children.get(at));
                }
                NodeKind::Quantifier { min: 0, .. } => {}
                _ => open.extend(children),
            }
        }
        if !owes {
            found.push(id);
        }
    }
    found.sort_by_key(|id| id.index());
    found
}
