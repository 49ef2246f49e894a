//! Short sentences of every production, all at once: a few for each node, made of those of its parts.
//!
//! Nodes are visited from the last to the first, again and again, until nothing new comes or the bound is met. A node takes a few
//! sentences of each part rather than many of the first: alternations take turns among their alternatives, concatenations
//! combine what comes early in the lists of their parts, and quantifiers repeat as often as they must, and once and twice more.
//! So what is combined in one place is soon together in a sentence. O(rounds · nodes · kept²) at worst.

use crate::grammar::{CharClass, NodeKind};
use crate::graph::Graph;
use crate::id::{IdVec, NodeId, ProductionId};

/// The sentences that are kept of a node, and of a whole right side.
const KEPT: usize = 10;
const KEPT_OF_PRODUCTION: usize = 40;
/// Longer sentences are left out.
const LONGEST: usize = 40;
/// How often nodes are visited: what is combined grows with every round.
const ROUNDS: usize = 6;
/// More repetitions than a quantifier demands.
const MORE: u32 = 2;

/// Sentences, without repetition.
pub(super) type Sentences = Vec<Vec<u8>>;

/// Short sentences of each production, shortest first.
pub(super) fn sentences(graph: &Graph, mut steps: u64) -> IdVec<ProductionId, Sentences> {
    let grammar = graph.grammar();
    let mut lists: IdVec<NodeId, Sentences> = IdVec::filled(grammar.nodes().len(), Vec::new());
    'rounds: for _ in 0..ROUNDS {
        let mut is_new = false;
        for (id, node) in grammar.nodes().iter().rev() {
            let list = of_node(graph, &lists, id);
            let cost: usize = list.iter().map(Vec::len).sum();
            steps = steps.saturating_sub((list.len() + cost) as u64 + 1);
            if steps == 0 {
                break 'rounds;
            }
            // What a node has stays, so that every round adds.
            let is_root = node.parent.is_none();
            let kept = if is_root { KEPT_OF_PRODUCTION } else { KEPT };
            is_new |= merge(&mut lists[id], list, kept);
        }
        if !is_new {
            break;
        }
    }
    let roots = grammar.productions().iter();
    roots
        .map(|(_, production)| {
            let mut list = std::mem::take(&mut lists[production.root]);
            list.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
            list
        })
        .collect()
}

/// Adds what is new as long as there is room. True if there was something.
fn merge(list: &mut Sentences, more: Sentences, kept: usize) -> bool {
    let before = list.len();
    for sentence in more {
        if list.len() < kept && !list.contains(&sentence) {
            list.push(sentence);
        }
    }
    list.len() > before
}

/// Sentences of a node by those that its parts have now.
fn of_node(graph: &Graph, lists: &IdVec<NodeId, Sentences>, id: NodeId) -> Sentences {
    let grammar = graph.grammar();
    let node = &grammar[id];
    let children = grammar.children(id);
    match node.kind {
        NodeKind::Literal(literal) => match grammar[literal].len() {
            ..=LONGEST => vec![grammar[literal].to_vec()],
            _ => Vec::new(),
        },
        NodeKind::Class(class) => members(&grammar[class]),
        NodeKind::Reference(production) => {
            let list = &lists[grammar[production].root];
            list.iter().take(KEPT).cloned().collect()
        }
        NodeKind::Alternation => {
            let mut list = Vec::new();
            let most = children.iter().map(|&child| lists[child].len()).max();
            for rank in 0..most.unwrap_or(0) {
                let more = children.iter().filter_map(|&child| lists[child].get(rank));
                list.extend(more.cloned());
                if list.len() >= KEPT_OF_PRODUCTION {
                    break;
                }
            }
            list
        }
        NodeKind::Concatenation => {
            let mut list = vec![Vec::new()];
            for &child in children {
                list = combine(&list, &lists[child]);
            }
            list
        }
        NodeKind::Quantifier { min, max } => {
            let Some(subjects) = children.first().map(|&child| &lists[child]) else {
                return Vec::new();
            };
            let mut list = vec![Vec::new()];
            for _ in 0..min {
                list = combine(&list, subjects);
                if list.is_empty() {
                    return list;
                }
                // Whatever is repeated so often is long, or empty.
                if list.iter().all(Vec::is_empty) {
                    break;
                }
            }
            let mut all = list.clone();
            let room = max.map_or(MORE, |max| (max - min).min(MORE));
            for _ in 0..room {
                list = combine(&list, subjects);
                all.extend(list.iter().cloned());
            }
            // Turns among the numbers of repetitions.
            all.sort_by_key(Vec::len);
            all
        }
    }
}

/// Pairs of sentences, one behind the other: those early in both lists first.
fn combine(left: &Sentences, right: &Sentences) -> Sentences {
    let mut pairs = Vec::new();
    let last = (left.len() + right.len()).saturating_sub(1);
    for sum in 0..last {
        let first = (sum + 1).saturating_sub(right.len());
        for at in first..left.len().min(sum + 1) {
            let mut pair = left[at].clone();
            pair.extend_from_slice(&right[sum - at]);
            if pair.len() <= LONGEST && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        if pairs.len() >= KEPT_OF_PRODUCTION {
            break;
        }
    }
    pairs
}

/// One member or two, such as people would write.
pub(super) fn members(class: &CharClass) -> Sentences {
    use crate::grammar::Member;
    let liked = ['a', '0', 'x', '1', 'A', '_', '-', ' '];
    let liked = liked.into_iter();
    let mut members: Sentences = liked
        .filter(|&c| class.contains(Member::Char(c)))
        .take(2)
        .map(|c| c.to_string().into_bytes())
        .collect();
    if members.is_empty() {
        let visible = class.chars().iter().find(|range| range.1 > ' ');
        let first = visible.or(class.chars().first());
        members.extend(first.map(|&(low, high)| {
            let c = if high > ' ' { low.max('!') } else { low };
            c.to_string().into_bytes()
        }));
        members.extend(class.bytes().first().map(|&(low, _)| vec![low]));
        members.truncate(1);
    }
    members
}
