//! One walk for everything: from a source of choices to the events of a derivation.
//!
//! [`walk`] runs a compiled grammar from any node. A [`Chooser`] decides (a tape decodes, random numbers generate, a
//! path steers), a [`Sink`] receives what happens (an index, a tree, an encoder). The walk has no opinion of its own, keeps its
//! stacks in a reused [`Stacks`], and never recurses natively.

use super::class::{ClassCode, MemberChoice};
use super::program::{Code, HALT, Program, ROOT};
use super::tape::{Tape, modulo};
use crate::id::{ClassId, Id as _, NodeId, SymbolId};

/// Decides a derivation, in pre-order.
pub trait Chooser {
    /// One of `count` alternatives of an alternation; must be below `count`.
    fn alternative(&mut self, node: NodeId, count: u32) -> u32;
    /// The same, where `reciprocal` helps to take a byte modulo `count`, if that is at most 256.
    #[inline(always)]
    fn alternative_by_byte(&mut self, node: NodeId, count: u32, _reciprocal: u32) -> u32 {
        self.alternative(node, count)
    }
    /// Whether a quantifier goes on; asked only between its bounds.
    fn more(&mut self, node: NodeId) -> bool;
    /// A member of a class; must be one of it.
    fn member(&mut self, node: NodeId, class: &ClassCode) -> MemberChoice;
    /// Another chooser, in charge of this one, has taken an alternative.
    #[inline(always)]
    fn forced_alternative(&mut self, _node: NodeId, _index: u32) {}
    /// Another chooser, in charge of this one, goes on with a quantifier.
    #[inline(always)]
    fn forced_more(&mut self, _node: NodeId) {}
    /// A reference (or the root) begins.
    #[inline(always)]
    fn enter(&mut self, _symbol: Option<SymbolId>) {}
    /// A literal or class is derived.
    #[inline(always)]
    fn terminal(&mut self, _symbol: Option<SymbolId>) {}
    /// The reference that began last is derived.
    #[inline(always)]
    fn leave(&mut self) {}
}

/// Receives a derivation.
pub trait Sink {
    /// A node with something below it begins: a reference, or an opened synthetic node.
    fn open(&mut self, node: NodeId, symbol: Option<SymbolId>);
    /// The node that was opened last ends; `symbolic` says whether it is a reference (or the root).
    fn close(&mut self, symbolic: bool);
    /// A literal.
    fn literal(&mut self, node: NodeId, symbol: Option<SymbolId>, text: &[u8]);
    /// A class member.
    fn member(
        &mut self,
        node: NodeId,
        symbol: Option<SymbolId>,
        class: &ClassCode,
        choice: MemberChoice,
    );
    /// An alternation's choice among `count`; `default` is close-off's.
    fn alternative(&mut self, node: NodeId, index: u32, count: u32, default: u32);
    /// A quantifier's choice.
    fn more(&mut self, node: NodeId, more: bool);
}

/// The stacks of a walk, kept between walks so that they are allocated once.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    returns: Vec<u32>,
    counts: Vec<u32>,
}

#[inline(always)]
fn symbol(id: u32) -> Option<SymbolId> {
    (id != u32::MAX).then_some(SymbolId(id))
}

/// Derives `node` (or everything, from [`ROOT`]).
///
/// Ends as soon as the choices do: a chooser that reads a tape ends because the tape does, any other must see to it.
pub(super) fn walk<C: Chooser + ?Sized, S: Sink + ?Sized>(
    program: &Program,
    stacks: &mut Stacks,
    node: NodeId,
    chooser: &mut C,
    sink: &mut S,
) {
    let mut at = match node {
        ROOT => 0,
        node => program.entries.get(node).copied().unwrap_or(HALT),
    };
    stacks.returns.clear();
    stacks.counts.clear();
    let mut open = 0usize;
    // What leads from a leaf out of a finished right side, and from a reference into an alternation, happens at once:
    // the fewer operations are looked up, the fewer of them the processor mispredicts.
    macro_rules! after_leaf {
        ($next:expr) => {
            match program.ops.get($next as usize) {
                Some(next) if next.code == Code::Return && open > 0 => {
                    open -= 1;
                    chooser.leave();
                    sink.close(true);
                    stacks.returns.pop().unwrap_or(HALT)
                }
                _ => $next,
            }
        };
    }
    macro_rules! choose {
        ($op:expr) => {{
            let op = $op;
            let index = chooser
                .alternative_by_byte(op.node, op.b, op.symbol)
                .min(op.b - 1);
            sink.alternative(op.node, index, op.b, op.next);
            match program.targets.get((op.a + index) as usize) {
                Some(&target) => target,
                None => HALT,
            }
        }};
    }
    while let Some(op) = program.ops.get(at as usize) {
        at = match op.code {
            Code::Literal => {
                let text = &program.pool[op.a as usize..][..op.b as usize];
                chooser.terminal(symbol(op.symbol));
                sink.literal(op.node, symbol(op.symbol), text);
                after_leaf!(op.next)
            }
            Code::Class => {
                let class = &program.classes[ClassId::from_index(op.a as usize)];
                chooser.terminal(symbol(op.symbol));
                let choice = chooser.member(op.node, class);
                sink.member(op.node, symbol(op.symbol), class, choice);
                after_leaf!(op.next)
            }
            Code::Call => {
                open += 1;
                chooser.enter(symbol(op.symbol));
                sink.open(op.node, symbol(op.symbol));
                stacks.returns.push(op.next);
                match program.ops.get(op.a as usize) {
                    Some(body) if body.code == Code::Choose => choose!(body),
                    _ => op.a,
                }
            }
            Code::Return => {
                open -= 1;
                chooser.leave();
                sink.close(true);
                stacks.returns.pop().unwrap_or(HALT)
            }
            Code::Open => {
                open += 1;
                sink.open(op.node, None);
                op.next
            }
            Code::Close => {
                open -= 1;
                sink.close(false);
                op.next
            }
            Code::Choose => choose!(op),
            Code::Star => {
                let more = chooser.more(op.node);
                sink.more(op.node, more);
                if more { op.a } else { op.next }
            }
            Code::Count => {
                stacks.counts.push(0);
                op.next
            }
            Code::Repeat => {
                let (min, max) = program.bounds[op.b as usize];
                let Some(count) = stacks.counts.last_mut() else {
                    return;
                };
                let more = if *count < min {
                    true
                } else if *count >= max {
                    false
                } else {
                    let more = chooser.more(op.node);
                    sink.more(op.node, more);
                    more
                };
                if more {
                    *count = count.saturating_add(1);
                    op.a
                } else {
                    stacks.counts.pop();
                    op.next
                }
            }
        };
        if open == 0 {
            return;
        }
    }
}

/// Decodes: reads choices from a tape, and closes off once it has run out.
#[derive(Debug)]
pub struct TapeChooser<'a> {
    tape: Tape<'a>,
    shortest: &'a crate::id::IdVec<NodeId, u32>,
}

impl<'a> TapeChooser<'a> {
    pub(super) fn new(program: &'a Program, choices: &'a [u8]) -> TapeChooser<'a> {
        TapeChooser {
            tape: Tape::new(choices),
            shortest: &program.shortest,
        }
    }

    /// The bytes that were not needed.
    pub fn remaining(&self) -> usize {
        self.tape.remaining()
    }
}

impl<C: Chooser + ?Sized> Chooser for &mut C {
    fn alternative(&mut self, node: NodeId, count: u32) -> u32 {
        (**self).alternative(node, count)
    }
    fn more(&mut self, node: NodeId) -> bool {
        (**self).more(node)
    }
    fn member(&mut self, node: NodeId, class: &ClassCode) -> MemberChoice {
        (**self).member(node, class)
    }
    fn forced_alternative(&mut self, node: NodeId, index: u32) {
        (**self).forced_alternative(node, index);
    }
    fn forced_more(&mut self, node: NodeId) {
        (**self).forced_more(node);
    }
    fn enter(&mut self, symbol: Option<SymbolId>) {
        (**self).enter(symbol);
    }
    fn terminal(&mut self, symbol: Option<SymbolId>) {
        (**self).terminal(symbol);
    }
    fn leave(&mut self) {
        (**self).leave();
    }
}

impl Chooser for TapeChooser<'_> {
    #[inline(always)]
    fn alternative(&mut self, node: NodeId, count: u32) -> u32 {
        match self.tape.take(count) {
            Some(index) => index,
            None => self.shortest[node],
        }
    }

    #[inline(always)]
    fn alternative_by_byte(&mut self, node: NodeId, count: u32, reciprocal: u32) -> u32 {
        if count > 256 {
            return self.alternative(node, count);
        }
        match self.tape.byte() {
            Some(byte) => modulo(byte, count, reciprocal),
            None => self.shortest[node],
        }
    }

    #[inline(always)]
    fn more(&mut self, _node: NodeId) -> bool {
        self.tape.byte().is_some_and(|byte| byte & 1 == 1)
    }

    #[inline(always)]
    fn member(&mut self, _node: NodeId, class: &ClassCode) -> MemberChoice {
        let head = match class.head_count() {
            2..=256 => self.tape.byte().map(|byte| class.head_of(byte)),
            count => self.tape.take(count),
        };
        let head = head.unwrap_or_else(|| class.default_head());
        let rest = match class.rest_count(head) {
            1 => 0,
            count => self.tape.take(count).unwrap_or(0),
        };
        MemberChoice { head, rest }
    }
}
