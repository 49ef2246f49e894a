//! Leaving out the optional repetitions that derive nothing.
//!
//! They change neither the sentence nor what a parser may find, since a parser takes them for no derivation: there would be
//! infinitely many. One walk: an item whose text has not grown when the next one begins is taken back. O(choices).

use super::class::{ClassCode, MemberChoice};
use super::encode::{Encoder, Mark};
use super::walk::Sink;
use crate::grammar::{Grammar, NodeKind};
use crate::graph::Graph;
use crate::id::{NodeId, SymbolId};

/// Encodes a derivation without its optional repetitions of nothing.
pub(super) struct Condenser<'g> {
    grammar: &'g Grammar,
    encoder: Encoder,
    /// The bytes of the sentence so far.
    len: u64,
    open: Vec<Open>,
}

/// A node that has begun.
struct Open {
    /// How many optional repetitions a quantifier may have; `None` for what is no such quantifier.
    most: Option<u32>,
    /// Those that it has and that derive something.
    kept: u32,
    /// Where the last one began, in the choices and in the sentence.
    item: Option<(Mark, u64)>,
    has_stopped: bool,
}

impl<'g> Condenser<'g> {
    pub(super) fn new(grammar: &'g Grammar) -> Condenser<'g> {
        Condenser {
            grammar,
            encoder: Encoder::new(),
            len: 0,
            open: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.encoder.finish()
    }

    /// Keeps the item that is complete now, or takes it back.
    fn settle(&mut self) {
        if let Some(open) = self.open.last_mut()
            && let Some((mark, len)) = open.item.take()
        {
            if len == self.len {
                self.encoder.reset(mark);
            } else {
                open.kept += 1;
            }
        }
    }
}

impl Sink for Condenser<'_> {
    fn open(&mut self, node: NodeId, symbol: Option<SymbolId>) {
        let most = match (symbol, self.grammar.nodes().get(node)) {
            (None, Some(node)) => match node.kind {
                NodeKind::Quantifier { min, max } => {
                    Some(max.map_or(u32::MAX, |max| max - min)).filter(|&most| most > 0)
                }
                _ => None,
            },
            _ => None,
        };
        self.open.push(Open {
            most,
            kept: 0,
            item: None,
            has_stopped: false,
        });
    }

    fn close(&mut self, _: bool) {
        self.settle();
        if let Some(open) = self.open.pop()
            && open.most.is_some_and(|most| open.kept < most)
            && !open.has_stopped
        {
            self.encoder.more(false);
        }
    }

    fn literal(&mut self, _: NodeId, _: Option<SymbolId>, text: &[u8]) {
        self.len += text.len() as u64;
    }

    fn member(&mut self, _: NodeId, _: Option<SymbolId>, class: &ClassCode, choice: MemberChoice) {
        self.len += 1;
        self.encoder.member(class, choice);
    }

    fn alternative(&mut self, _: NodeId, index: u32, count: u32, default: u32) {
        self.encoder.alternative(index, count, default);
    }

    fn more(&mut self, _: NodeId, more: bool) {
        self.settle();
        if let Some(open) = self.open.last_mut() {
            match more {
                true => open.item = Some((self.encoder.mark(), self.len)),
                false => open.has_stopped = true,
            }
        }
        self.encoder.more(more);
    }
}

/// Whether a grammar has an optional repetition that can derive nothing.
pub(super) fn has_hollow(graph: &Graph) -> bool {
    let grammar = graph.grammar();
    grammar.nodes().iter().any(|(id, node)| match node.kind {
        NodeKind::Quantifier { min, max } => {
            let mut subjects = grammar.children(id).iter();
            max != Some(min) && subjects.any(|&subject| graph.costs(subject).length == 0)
        }
        _ => false,
    })
}
