//! The grammar graph, compiled for walking.
//!
//! A right side becomes a run of small operations; each names the next one, so that concatenations cost nothing and the
//! ends of alternatives need no jumps. Which synthetic nodes are opened and closed on the way depends on the
//! [`Detail`] asked for; what choices are made, and in which order, does not.

use std::sync::Arc;

use crate::choice::class::ClassCode;
use crate::choice::tape::reciprocal;
use crate::grammar::NodeKind;
use crate::graph::{Graph, Measure};
use crate::id::{ClassId, Id as _, IdVec, NodeId};

/// The node above the start production: what a whole derivation stands for. It is none of the grammar's nodes.
pub const ROOT: NodeId = NodeId(u32::MAX);

/// The end of an operation's run.
pub(super) const HALT: u32 = u32::MAX;

/// Which nodes a walk opens and closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    /// Those that are sites: symbolic nodes, and synthetic nodes that can be replaced on their own.
    Sites,
    /// All nodes.
    Nodes,
}

/// What an operation does. `next` is the operation after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Code {
    /// Writes a literal: `a` is its offset in the pool, `b` its length.
    Literal,
    /// Chooses and writes a member of class `a`.
    Class,
    /// Opens a reference and goes on at `a`, to come back to `next`.
    Call,
    /// Closes the reference that was opened last and goes back.
    Return,
    /// Opens a synthetic node.
    Open,
    /// Closes the synthetic node that was opened last.
    Close,
    /// Chooses among `b` alternatives, whose operations are `targets[a..]`; close-off's is `next`.
    Choose,
    /// Asks whether to go on with `a`, without bound.
    Star,
    /// Begins counting repetitions.
    Count,
    /// Goes on with `a`, asking between the bounds of quantifier `b`.
    Repeat,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub(super) code: Code,
    pub(super) node: NodeId,
    /// The symbol of a symbolic node; the reciprocal of `b` for [`Code::Choose`].
    pub(super) symbol: u32,
    pub(super) next: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// A compiled grammar graph.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) ops: Vec<Op>,
    pub(super) targets: Vec<u32>,
    pub(super) bounds: Vec<(u32, u32)>,
    pub(super) pool: Vec<u8>,
    /// Where the operations of a node begin; [`ROOT`] has the first operation.
    pub(super) entries: IdVec<NodeId, u32>,
    pub(super) classes: Arc<IdVec<ClassId, ClassCode>>,
    /// Close-off's alternative of each alternation.
    pub(super) shortest: IdVec<NodeId, u32>,
}

/// What the compiler still has to do; an explicit stack, since right sides nest as deep as the user likes.
enum Task {
    /// Compile `node` so that it goes on at `next`; its first operation becomes the value of the task.
    Node { node: NodeId, next: u32 },
    /// Compile the child before the ones whose first operation is the last value.
    Sequence { node: NodeId, child: usize },
    /// Collect one alternative's first operation.
    Alternatives {
        node: NodeId,
        child: usize,
        next: u32,
        collected: Vec<u32>,
    },
    /// Put `Open` in front.
    Open { node: NodeId },
    /// Close a loop over its compiled body.
    Loop { op: u32 },
}

impl Program {
    pub(super) fn new(
        graph: &Graph,
        classes: &Arc<IdVec<ClassId, ClassCode>>,
        detail: Detail,
    ) -> Program {
        let grammar = graph.grammar();
        let shortest = grammar.nodes().ids();
        let mut program = Program {
            ops: Vec::new(),
            targets: Vec::new(),
            bounds: Vec::new(),
            pool: Vec::new(),
            entries: IdVec::filled(grammar.nodes().len(), HALT),
            classes: classes.clone(),
            shortest: shortest
                .map(|id| graph.shortest(Measure::Nodes).alternative(id))
                .collect(),
        };
        let mut literals = Vec::with_capacity(grammar.literals().len());
        for (_, text) in grammar.literals().iter() {
            literals.push((program.pool.len() as u32, text.len() as u32));
            program.pool.extend_from_slice(text);
        }
        program.emit(Code::Call, ROOT, HALT);
        let mut bodies = Vec::with_capacity(grammar.productions().len());
        for (_, production) in grammar.productions().iter() {
            let end = program.emit(Code::Return, production.root, HALT);
            bodies.push(program.compile(graph, detail, &literals, production.root, end));
        }
        for op in &mut program.ops {
            if op.code == Code::Call {
                let target = match op.node {
                    ROOT => grammar.start(),
                    node => match grammar[node].kind {
                        NodeKind::Reference(target) => target,
                        _ => continue,
                    },
                };
                op.a = bodies[target.index()];
            }
        }
        program
    }

    fn emit(&mut self, code: Code, node: NodeId, next: u32) -> u32 {
        let op = Op {
            code,
            node,
            symbol: u32::MAX,
            next,
            a: 0,
            b: 0,
        };
        self.ops.push(op);
        self.ops.len() as u32 - 1
    }

    /// Compiles one right side and returns its first operation.
    fn compile(
        &mut self,
        graph: &Graph,
        detail: Detail,
        literals: &[(u32, u32)],
        root: NodeId,
        end: u32,
    ) -> u32 {
        let grammar = graph.grammar();
        let mut first = end;
        let mut tasks = vec![Task::Node {
            node: root,
            next: end,
        }];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Node { node, next } => {
                    let kind = grammar[node].kind;
                    let opened = !is_symbolic(kind)
                        && match detail {
                            Detail::Nodes => true,
                            Detail::Sites => is_site(graph, node),
                        };
                    let next = if opened {
                        tasks.push(Task::Open { node });
                        self.emit(Code::Close, node, next)
                    } else {
                        next
                    };
                    match kind {
                        NodeKind::Reference(_) => {
                            first = self.emit(Code::Call, node, next);
                        }
                        NodeKind::Literal(literal) => {
                            first = self.emit(Code::Literal, node, next);
                            let (offset, len) = literals[literal.index()];
                            (self.ops[first as usize].a, self.ops[first as usize].b) =
                                (offset, len);
                        }
                        NodeKind::Class(class) => {
                            first = self.emit(Code::Class, node, next);
                            self.ops[first as usize].a = class.0;
                        }
                        NodeKind::Alternation => tasks.push(Task::Alternatives {
                            node,
                            child: 0,
                            next,
                            collected: Vec::new(),
                        }),
                        NodeKind::Concatenation => {
                            first = next;
                            let child = grammar.children(node).len();
                            tasks.push(Task::Sequence { node, child });
                        }
                        NodeKind::Quantifier { min, max } => {
                            let Some(&subject) = grammar.children(node).first() else {
                                continue;
                            };
                            let code = if max.is_none() && min <= 1 {
                                Code::Star
                            } else {
                                Code::Repeat
                            };
                            let op = self.emit(code, node, next);
                            self.ops[op as usize].b = self.bounds.len() as u32;
                            self.bounds.push((min, max.unwrap_or(u32::MAX)));
                            tasks.push(Task::Loop { op });
                            tasks.push(Task::Node {
                                node: subject,
                                next: op,
                            });
                        }
                    }
                    if let Some(symbol) = graph.symbol_of(node) {
                        self.ops[first as usize].symbol = symbol.0;
                        self.entries[node] = first;
                    }
                }
                Task::Sequence { node, child } => {
                    if let Some(child) = child.checked_sub(1) {
                        let next = first;
                        tasks.push(Task::Sequence { node, child });
                        tasks.push(Task::Node {
                            node: grammar.children(node)[child],
                            next,
                        });
                    }
                }
                Task::Alternatives {
                    node,
                    child,
                    next,
                    mut collected,
                } => {
                    if child > 0 {
                        collected.push(first);
                    }
                    if let Some(&alternative) = grammar.children(node).get(child) {
                        tasks.push(Task::Alternatives {
                            node,
                            child: child + 1,
                            next,
                            collected,
                        });
                        tasks.push(Task::Node {
                            node: alternative,
                            next,
                        });
                    } else {
                        first = self.emit(Code::Choose, node, next);
                        let default = self.shortest[node];
                        let op = &mut self.ops[first as usize];
                        op.a = self.targets.len() as u32;
                        op.b = collected.len() as u32;
                        op.symbol = reciprocal(op.b);
                        op.next = default;
                        self.targets.append(&mut collected);
                    }
                }
                Task::Open { node } => {
                    let next = first;
                    first = self.emit(Code::Open, node, next);
                    self.entries[node] = first;
                }
                Task::Loop { op } => {
                    let (min, _) = self.bounds[self.ops[op as usize].b as usize];
                    self.ops[op as usize].a = first;
                    first = match (self.ops[op as usize].code, min) {
                        (Code::Star, 0) => op,
                        // At least one repetition: begin with the body, which comes back to the question.
                        (Code::Star, _) => first,
                        _ => self.emit(Code::Count, self.ops[op as usize].node, op),
                    };
                }
            }
        }
        first
    }
}

fn is_symbolic(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_)
    )
}

/// Whether the occurrences of a node are sites: those of symbolic nodes are, and those of alternations, quantifiers and
/// quantified groups, unless the node is a whole right side, for which the reference stands.
pub(crate) fn is_site(graph: &Graph, node: NodeId) -> bool {
    let grammar = graph.grammar();
    let Some(data) = grammar.nodes().get(node) else {
        return node == ROOT;
    };
    let quantified = |parent: NodeId| matches!(grammar[parent].kind, NodeKind::Quantifier { .. });
    match data.kind {
        NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_) => true,
        NodeKind::Concatenation => data.parent.is_some_and(quantified),
        NodeKind::Alternation | NodeKind::Quantifier { .. } => data.parent.is_some(),
    }
}
