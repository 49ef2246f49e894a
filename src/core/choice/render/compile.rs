//! Compiling a grammar for rendering: from right sides to operations that carry text.

use std::sync::Arc;

use super::{Act, ByteTable, Op, Renderer, TEXT};
use crate::choice::class::{ClassCode, MemberChoice};
use crate::choice::tape::reciprocal;
use crate::grammar::{Grammar, NodeKind};
use crate::graph::{Graph, Measure};
use crate::id::{ClassId, Id as _, IdVec, LiteralId, NodeId, ProductionId};

/// The most nodes of a production that is inlined at every use.
const INLINE_NODES: u32 = 48;
/// The most tables of alternations; half a kilobyte each.
const MAX_TABLES: usize = 4096;
/// The `a` of a loop whose body is still being compiled; such an operation must not be copied.
const UNFINISHED: u32 = u32::MAX;

enum Task {
    Node {
        node: NodeId,
        next: u32,
    },
    Sequence {
        node: NodeId,
        child: usize,
    },
    Alternatives {
        node: NodeId,
        child: usize,
        next: u32,
        collected: Vec<u32>,
    },
    Loop {
        node: NodeId,
        op: u32,
    },
    Repeated {
        node: NodeId,
        left: u32,
    },
    /// Say that a token begins.
    Begin {
        token: u32,
        node: NodeId,
    },
}

impl Renderer {
    pub(in crate::choice) fn new(
        graph: &Graph,
        classes: &Arc<IdVec<ClassId, ClassCode>>,
    ) -> Renderer {
        let grammar = graph.grammar();
        let mut renderer = Renderer {
            ops: Vec::new(),
            targets: Vec::new(),
            shortest: Vec::new(),
            bounds: Vec::new(),
            tables: Vec::new(),
            pool: Vec::new(),
            classes: classes.clone(),
            class_tables: IdVec::filled(classes.len(), None),
            start: 0,
        };
        let inlined = inlined(graph);
        let back = renderer.emit(Act::Return, 0);
        let mut bodies = IdVec::filled(grammar.productions().len(), u32::MAX);
        for (id, production) in grammar.productions().iter() {
            if !inlined[id] {
                bodies[id] = renderer.compile(graph, &inlined, production.root, back);
            }
        }
        renderer.start = bodies[grammar.start()];
        for op in &mut renderer.ops {
            if op.act == Act::Call {
                op.a = bodies[ProductionId::from_index(op.a as usize)];
                if op.next == back {
                    (op.act, op.next) = (Act::Jump, op.a);
                }
            }
        }
        renderer
    }

    fn emit(&mut self, act: Act, next: u32) -> u32 {
        let op = Op {
            text: [0; TEXT],
            act,
            len: 0,
            reciprocal: 0,
            next,
            a: 0,
            b: 0,
        };
        self.ops.push(op);
        self.ops.len() as u32 - 1
    }

    /// An operation that writes a literal and then does what `next` does.
    fn literal(&mut self, grammar: &Grammar, literal: LiteralId, next: u32) -> u32 {
        let text = &grammar[literal];
        if text.is_empty() {
            return next;
        }
        if text.len() > TEXT {
            let at = self.emit(Act::Long, next);
            self.ops[at as usize].a = self.pool.len() as u32;
            self.ops[at as usize].b = text.len() as u32;
            self.pool.extend_from_slice(text);
            return at;
        }
        let mut op = self.ops[next as usize];
        let own = usize::from(op.len);
        if text.len() + own > TEXT || op.a == UNFINISHED {
            let at = self.emit(Act::Jump, next);
            let op = &mut self.ops[at as usize];
            op.text[..text.len()].copy_from_slice(text);
            op.len = text.len() as u8;
            return at;
        }
        op.text.copy_within(..own, text.len());
        op.text[..text.len()].copy_from_slice(text);
        op.len = (text.len() + own) as u8;
        self.ops.push(op);
        self.ops.len() as u32 - 1
    }

    fn table(&mut self, table: ByteTable) -> u32 {
        self.tables.push(table);
        self.tables.len() as u32 - 1
    }

    fn class(&mut self, class: ClassId, next: u32) -> u32 {
        let code = &self.classes[class];
        if !(2..=256).contains(&code.head_count()) {
            let at = self.emit(Act::Class, next);
            self.ops[at as usize].a = class.0;
            return at;
        }
        let mut text = [0; 4];
        let choice = MemberChoice {
            head: code.default_head(),
            rest: 0,
        };
        let one = code.write(choice, &mut text) == 1;
        let bytes = *code.one_byte();
        if !one {
            let at = self.emit(Act::Class, next);
            self.ops[at as usize].a = class.0;
            return at;
        }
        let table = match self.class_tables[class] {
            Some(table) => table,
            None => self.table(ByteTable {
                bytes,
                default: text[0],
                class: Some(class),
            }),
        };
        self.class_tables[class] = Some(table);
        let at = self.emit(Act::Byte, next);
        self.ops[at as usize].a = table;
        at
    }

    /// The table of an alternation whose alternatives are single bytes.
    fn byte_alternation(&self, graph: &Graph, node: NodeId) -> Option<ByteTable> {
        let grammar = graph.grammar();
        let children = grammar.children(node);
        if !(2..=256).contains(&children.len()) || self.tables.len() >= MAX_TABLES {
            return None;
        }
        // Tokens are told apart.
        let is_token = |&child: &NodeId| token(graph, child).is_some();
        if children.iter().any(is_token) {
            return None;
        }
        let alternatives: Option<Vec<u8>> = children
            .iter()
            .map(|&child| match grammar[child].kind {
                NodeKind::Literal(literal) => match grammar[literal] {
                    [byte] => Some(byte),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let alternatives = alternatives?;
        let default = graph.shortest(Measure::Nodes).alternative(node);
        Some(ByteTable {
            bytes: std::array::from_fn(|byte| u16::from(alternatives[byte % alternatives.len()])),
            default: alternatives[default as usize],
            class: None,
        })
    }

    fn compile(
        &mut self,
        graph: &Graph,
        inlined: &IdVec<ProductionId, bool>,
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
            if let Task::Node { node, .. } = task
                && let Some(token) = token(graph, node)
            {
                tasks.push(Task::Begin { token, node });
            }
            match task {
                Task::Begin { token, node } => {
                    first = self.emit(Act::Begin, first);
                    self.ops[first as usize].a = token;
                    self.ops[first as usize].b = node.0;
                }
                Task::Node { node, next } => match grammar[node].kind {
                    NodeKind::Reference(production) if inlined[production] => {
                        tasks.push(Task::Node {
                            node: grammar[production].root,
                            next,
                        });
                    }
                    NodeKind::Reference(production) => {
                        first = self.emit(Act::Call, next);
                        self.ops[first as usize].a = production.0;
                    }
                    NodeKind::Literal(literal) => first = self.literal(grammar, literal, next),
                    NodeKind::Class(class) => first = self.class(class, next),
                    NodeKind::Alternation => match self.byte_alternation(graph, node) {
                        Some(table) => {
                            let table = self.table(table);
                            first = self.emit(Act::Byte, next);
                            self.ops[first as usize].a = table;
                        }
                        None => {
                            let collected = Vec::new();
                            tasks.push(Task::Alternatives {
                                node,
                                child: 0,
                                next,
                                collected,
                            });
                        }
                    },
                    NodeKind::Concatenation => {
                        first = next;
                        let child = grammar.children(node).len();
                        tasks.push(Task::Sequence { node, child });
                    }
                    NodeKind::Quantifier { min, max } => {
                        let Some(&subject) = grammar.children(node).first() else {
                            continue;
                        };
                        let small =
                            graph.contains(node, subject) && grammar.children(subject).is_empty();
                        if max == Some(min) && min <= 4 && small {
                            first = next;
                            tasks.push(Task::Repeated {
                                node: subject,
                                left: min,
                            });
                            continue;
                        }
                        let act = if max.is_none() && min <= 1 {
                            Act::Star
                        } else {
                            Act::Repeat
                        };
                        let op = self.emit(act, next);
                        self.ops[op as usize].a = UNFINISHED;
                        self.ops[op as usize].b = self.bounds.len() as u32;
                        self.bounds.push((min, max.unwrap_or(u32::MAX)));
                        tasks.push(Task::Loop { node, op });
                        tasks.push(Task::Node {
                            node: subject,
                            next: op,
                        });
                    }
                },
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
                Task::Repeated { node, left } => {
                    if let Some(left) = left.checked_sub(1) {
                        let next = first;
                        tasks.push(Task::Repeated { node, left });
                        tasks.push(Task::Node { node, next });
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
                        first = self.emit(Act::Choose, next);
                        let default = graph.shortest(Measure::Nodes).alternative(node);
                        let op = &mut self.ops[first as usize];
                        op.a = self.targets.len() as u32;
                        op.b = collected.len() as u32;
                        op.reciprocal = reciprocal(op.b);
                        self.shortest.resize(self.targets.len() + 1, 0);
                        self.shortest[op.a as usize] = collected[default as usize];
                        self.targets.append(&mut collected);
                    }
                }
                Task::Loop { node, op } => first = self.close_loop(grammar, node, op, first),
            }
        }
        first
    }

    /// Closes a loop over its compiled body and returns where to enter it.
    fn close_loop(&mut self, grammar: &Grammar, node: NodeId, op: u32, body: u32) -> u32 {
        let NodeKind::Quantifier { min, .. } = grammar[node].kind else {
            return body;
        };
        let inner = self.ops[body as usize];
        let own = &mut self.ops[op as usize];
        own.a = body;
        match own.act {
            Act::Star => {
                match inner.act {
                    Act::Byte if inner.next == op && inner.len == 0 => {
                        (own.act, own.a) = (Act::Bytes, inner.a);
                    }
                    Act::Choose if inner.len == 0 && inner.b <= 256 => {
                        (own.act, own.a, own.b) = (Act::StarChoose, inner.a, inner.b);
                        own.reciprocal = inner.reciprocal;
                    }
                    _ => {}
                }
                if min == 0 { op } else { body }
            }
            _ => self.emit(Act::Count, op),
        }
    }
}

/// The token that a node is, if there are tokens.
fn token(graph: &Graph, node: NodeId) -> Option<u32> {
    graph.lexicon()?.token_of(node)
}

/// Which productions are inlined where they are used: those used once, and small ones that reach no recursion.
fn inlined(graph: &Graph) -> IdVec<ProductionId, bool> {
    let grammar = graph.grammar();
    let count = grammar.productions().len();
    let mut uses: IdVec<ProductionId, u32> = IdVec::filled(count, 0);
    let mut waits: IdVec<ProductionId, u32> = IdVec::filled(count, 0);
    let mut users: IdVec<ProductionId, Vec<ProductionId>> = IdVec::filled(count, Vec::new());
    for symbol in Graph::ids(0..graph.symbol_count() as u32) {
        if let Some(target) = graph.target_of(symbol) {
            let user = graph.production_of(symbol);
            uses[target] += 1;
            waits[user] += 1;
            users[target].push(user);
        }
    }
    let start = grammar.start();
    let mut inlined: IdVec<ProductionId, bool> = uses
        .iter()
        .map(|(id, &uses)| uses == 1 && id != start)
        .collect();
    // Leaves first: a production is finished when all that it refers to is small enough to be inlined.
    let mut sizes: IdVec<ProductionId, u32> = grammar
        .productions()
        .iter()
        .map(|(_, production)| production.node_count)
        .collect();
    let mut ready: Vec<ProductionId> = waits.ids().filter(|&id| waits[id] == 0).collect();
    while let Some(production) = ready.pop() {
        if sizes[production] > INLINE_NODES || production == start {
            continue;
        }
        inlined[production] = true;
        for at in 0..users[production].len() {
            let user = users[production][at];
            sizes[user] = sizes[user].saturating_add(sizes[production]);
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(user);
            }
        }
    }
    inlined
}
