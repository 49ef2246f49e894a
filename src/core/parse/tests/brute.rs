//! Derivations by brute force: every way to split a text among the parts of a node, written down from the definition.

use std::collections::BTreeSet;

use crate::choice::{ClassCode, Encoder, MemberChoice};
use crate::grammar::{Grammar, Member, NodeKind};
use crate::graph::{Graph, Measure};
use crate::id::{NodeId, ProductionId, SymbolId};
use crate::kpath::{Coverage, ExpansionCoverage, WindowStack, WindowTable};

/// What a derivation does, in pre-order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Event {
    Alternative(NodeId, u32),
    More(bool),
    Member(NodeId, Member),
    Open(SymbolId),
    Close,
    Terminal(SymbolId),
}

pub(super) type Derivation = Vec<Event>;

/// More than this many derivations, or steps, and a text is given up.
const MOST: usize = 400;
const STEPS: usize = 50_000;

/// Why there is no list of derivations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unknown {
    TooMany,
    /// A node derives itself on the same text.
    Cyclic,
}

pub(super) struct Brute<'a> {
    graph: &'a Graph,
    text: &'a [u8],
    open: BTreeSet<(NodeId, usize, usize)>,
    steps: usize,
}

impl<'a> Brute<'a> {
    pub(super) fn new(graph: &'a Graph, text: &'a [u8]) -> Brute<'a> {
        Brute {
            graph,
            text,
            open: BTreeSet::new(),
            steps: 0,
        }
    }

    fn grammar(&self) -> &'a Grammar {
        self.graph.grammar()
    }

    /// All derivations of the text.
    pub(super) fn derivations(&mut self) -> Result<Vec<Derivation>, Unknown> {
        let grammar = self.grammar();
        self.node(grammar[grammar.start()].root, 0, self.text.len())
    }

    fn node(&mut self, node: NodeId, i: usize, j: usize) -> Result<Vec<Derivation>, Unknown> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(Unknown::TooMany);
        }
        let grammar = self.grammar();
        if self.graph.costs(node).length as usize > j - i {
            return Ok(vec![]);
        }
        let found = match grammar[node].kind {
            NodeKind::Literal(literal) => {
                let symbol = grammar.symbol_of(node).unwrap();
                match grammar[literal] == self.text[i..j] {
                    true => vec![vec![Event::Terminal(symbol)]],
                    false => vec![],
                }
            }
            NodeKind::Class(class) => {
                let symbol = grammar.symbol_of(node).unwrap();
                let text = &self.text[i..j];
                let member = match std::str::from_utf8(text) {
                    Ok(text) if text.chars().count() == 1 => text.chars().next().map(Member::Char),
                    Err(_) if text.len() == 1 => Some(Member::Byte(text[0])),
                    _ => None,
                };
                match member.filter(|&member| grammar[class].contains(member)) {
                    Some(member) => {
                        vec![vec![Event::Terminal(symbol), Event::Member(node, member)]]
                    }
                    None => vec![],
                }
            }
            NodeKind::Reference(production) => {
                if !self.open.insert((node, i, j)) {
                    // Only a derivation that comes to an end makes it a cycle; the callers find out.
                    return Err(Unknown::Cyclic);
                }
                let below = self.node(grammar[production].root, i, j);
                self.open.remove(&(node, i, j));
                let symbol = grammar.symbol_of(node).unwrap();
                below?
                    .into_iter()
                    .map(|below| {
                        let mut events = vec![Event::Open(symbol)];
                        events.extend(below);
                        events.push(Event::Close);
                        events
                    })
                    .collect()
            }
            NodeKind::Alternation => {
                let mut all = Vec::new();
                for (index, &child) in grammar.children(node).iter().enumerate() {
                    for below in self.node(child, i, j)? {
                        let mut events = vec![Event::Alternative(node, index as u32)];
                        events.extend(below);
                        all.push(events);
                    }
                }
                all
            }
            NodeKind::Concatenation => self.sequence(grammar.children(node), i, j)?,
            NodeKind::Quantifier { min, max } => {
                self.repetitions(grammar.children(node)[0], min, max, 0, i, j)?
            }
        };
        match found.len() > MOST {
            true => Err(Unknown::TooMany),
            false => Ok(found),
        }
    }

    fn sequence(
        &mut self,
        parts: &[NodeId],
        i: usize,
        j: usize,
    ) -> Result<Vec<Derivation>, Unknown> {
        let Some((&first, rest)) = parts.split_first() else {
            return Ok(if i == j { vec![vec![]] } else { vec![] });
        };
        let mut all = Vec::new();
        for middle in i..=j {
            // What is too short for its part is no cycle.
            let needed = |node: &NodeId| self.graph.costs(*node).length as usize;
            let behind: usize = rest.iter().map(needed).sum();
            if needed(&first) > middle - i || behind > j - middle {
                continue;
            }
            let rest = self.sequence(rest, middle, j)?;
            if rest.is_empty() {
                continue;
            }
            for head in self.node(first, i, middle)? {
                for tail in &rest {
                    all.push([head.clone(), tail.clone()].concat());
                }
            }
            if all.len() > MOST {
                return Err(Unknown::TooMany);
            }
        }
        Ok(all)
    }

    fn repetitions(
        &mut self,
        child: NodeId,
        min: u32,
        max: Option<u32>,
        done: u32,
        i: usize,
        j: usize,
    ) -> Result<Vec<Derivation>, Unknown> {
        let mut all = Vec::new();
        if Some(done) == max {
            return Ok(if i == j { vec![vec![]] } else { vec![] });
        }
        let is_optional = done >= min;
        if is_optional && i == j {
            all.push(vec![Event::More(false)]);
        }
        for middle in i..=j {
            let behind = min.saturating_sub(done + 1) as usize;
            let needed = self.graph.costs(child).length as usize;
            if is_optional && middle == i || needed > middle - i || behind * needed > j - middle {
                continue;
            }
            let rest = self.repetitions(child, min, max, done + 1, middle, j)?;
            if rest.is_empty() {
                continue;
            }
            for head in self.node(child, i, middle)? {
                for tail in &rest {
                    let mut events = Vec::new();
                    if is_optional {
                        events.push(Event::More(true));
                    }
                    events.extend(head.clone());
                    events.extend(tail.clone());
                    all.push(events);
                }
            }
            if all.len() > MOST {
                return Err(Unknown::TooMany);
            }
        }
        Ok(all)
    }
}

/// The canonical choice sequence of a derivation.
pub(super) fn encode(graph: &Graph, derivation: &Derivation) -> Vec<u8> {
    let grammar = graph.grammar();
    let mut encoder = Encoder::new();
    for event in derivation {
        match *event {
            Event::Alternative(node, index) => {
                let count = grammar.children(node).len() as u32;
                let default = graph.shortest(Measure::Nodes).alternative(node);
                encoder.alternative(index, count, default);
            }
            Event::More(more) => encoder.more(more),
            Event::Member(node, member) => {
                let NodeKind::Class(class) = grammar[node].kind else {
                    unreachable!()
                };
                let code = ClassCode::new(&grammar[class]);
                let choice: MemberChoice = code.choice(member).unwrap();
                encoder.member(&code, choice);
            }
            Event::Open(_) | Event::Close | Event::Terminal(_) => {}
        }
    }
    encoder.finish()
}

/// Adds what a derivation covers.
pub(super) fn cover(
    graph: &Graph,
    windows: &WindowTable,
    derivation: &Derivation,
    coverage: &mut Coverage,
    expansions: &mut ExpansionCoverage,
) {
    let grammar = graph.grammar();
    let mut stack = WindowStack::default();
    stack.begin(windows, std::iter::empty());
    let expand = |production: ProductionId, expansions: &mut ExpansionCoverage| {
        let root = grammar[production].root;
        if grammar[root].kind != NodeKind::Alternation {
            expansions.insert(root, 0);
        }
    };
    expand(grammar.start(), expansions);
    for event in derivation {
        match *event {
            Event::Alternative(node, index) => {
                expansions.insert(node, index);
            }
            Event::Terminal(symbol) => {
                coverage.insert(stack.rank(windows, symbol));
            }
            Event::Open(symbol) => {
                coverage.insert(stack.rank(windows, symbol));
                stack.push(windows, symbol);
                expand(graph.target_of(symbol).unwrap(), expansions);
            }
            Event::Close => stack.pop(windows),
            Event::More(_) | Event::Member(..) => {}
        }
    }
}
