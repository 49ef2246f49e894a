//! The packed forest of a text, spelled out: all derivations, each part once.
//!
//! The chart is the forest already, but with sets of states where a derivation has one. Here a *vertex* is a state of a
//! machine behind an item, an *edge* leads to a vertex before it by a step (and a *family* of derivations: what was called
//! there), and a completion has one edge for each way to end. Paths from the end to the entry, with a path for each
//! call, are the derivations. Only what is part of a derivation of the whole text is made.

use std::ops::Range;

use super::Refusal;
use super::canonical::Ground;
use super::chart::{Link, NONE, push};
use super::subset::EXIT;

/// An edge: what comes before, what was called in between, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    /// The vertex before.
    pub(super) vertex: u32,
    /// The node of the completion in between, or [`NONE`].
    pub(super) child: u32,
    /// The step from the one to the other.
    pub(super) step: u32,
}

#[derive(Clone, Copy, Debug)]
struct Vertex {
    item: u32,
    state: u32,
    offset: u32,
    /// The next vertex of the same item.
    next: u32,
    families: (u32, u32),
}

/// A completion of the forest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) completion: u32,
    families: (u32, u32),
}

/// The forest.
#[derive(Default)]
pub(super) struct Packed {
    vertices: Vec<Vertex>,
    nodes: Vec<Node>,
    families: Vec<Family>,
    /// The first vertex of each item.
    of_item: Vec<u32>,
    /// The node of each completion.
    of_completion: Vec<u32>,
}

impl Packed {
    /// Spells out the forest of the chart. The first node is the whole text.
    pub(super) fn build(&mut self, ground: &mut Ground<'_>) -> Result<(), Refusal> {
        self.vertices.clear();
        self.nodes.clear();
        self.families.clear();
        self.of_item.clear();
        self.of_completion.clear();
        let root = ground.root();
        self.node(root);
        let (mut vertex, mut node) = (0, 0);
        let mut links: Vec<Link> = Vec::new();
        let mut finals: Vec<u32> = Vec::new();
        loop {
            ground.chart.steps += 1;
            if (vertex + node) & 0xff == 0 || links.len() > 0xff {
                self.check(ground)?;
            }
            if let Some(&known) = self.vertices.get(vertex) {
                links.clear();
                links.extend(ground.chart.links(known.item));
                let first = self.families.len() as u32;
                for &link in &links {
                    let (label, before) = ground.label(link, known.offset as usize);
                    let subset = ground.chart.items[link.pred as usize].subset;
                    let steps = ground
                        .subsets
                        .steps(ground.tables, subset, label, known.state);
                    let child = match link.child {
                        NONE => NONE,
                        completion => self.node(completion),
                    };
                    for step in steps {
                        let from = ground.subsets.step(step as u32).from;
                        let vertex = self.vertex(link.pred, from, before);
                        push(
                            &mut self.families,
                            Family {
                                vertex,
                                child,
                                step: step as u32,
                            },
                        );
                    }
                }
                ground.chart.steps += links.len() as u64;
                self.vertices[vertex].families = (first, self.families.len() as u32);
                vertex += 1;
            } else if let Some(&known) = self.nodes.get(node) {
                ground.late.complete(
                    ground.tables,
                    ground.subsets,
                    ground.chart,
                    known.completion,
                );
                finals.clear();
                finals.extend(ground.chart.finals(known.completion));
                let completion = ground.chart.completions[known.completion as usize];
                let exit = ground.tables.machines.machines[completion.machine as usize].exit;
                let first = self.families.len() as u32;
                for &item in &finals {
                    let subset = ground.chart.items[item as usize].subset;
                    for step in ground.subsets.steps(ground.tables, subset, EXIT, exit) {
                        let from = ground.subsets.step(step as u32).from;
                        let vertex = self.vertex(item, from, completion.end as usize);
                        push(
                            &mut self.families,
                            Family {
                                vertex,
                                child: NONE,
                                step: step as u32,
                            },
                        );
                    }
                }
                self.nodes[node].families = (first, self.families.len() as u32);
                node += 1;
            } else {
                return self.check(ground);
            }
        }
    }

    fn check(&self, ground: &Ground<'_>) -> Result<(), Refusal> {
        let offset = ground.text.len();
        ground.chart.check(ground.subsets, offset)?;
        ground
            .chart
            .check_bytes(ground.subsets, self.bytes(), offset)
    }

    /// The bytes that the forest takes.
    pub(super) fn bytes(&self) -> usize {
        self.vertices.len() * size_of::<Vertex>()
            + self.nodes.len() * size_of::<Node>()
            + self.families.len() * size_of::<Family>()
            + (self.of_item.len() + self.of_completion.len()) * 4
    }

    fn node(&mut self, completion: u32) -> u32 {
        let at = completion as usize;
        if self.of_completion.len() <= at {
            self.of_completion.resize(at + 1, NONE);
        }
        if self.of_completion[at] == NONE {
            self.of_completion[at] = self.nodes.len() as u32;
            push(
                &mut self.nodes,
                Node {
                    completion,
                    families: (0, 0),
                },
            );
        }
        self.of_completion[at]
    }

    fn vertex(&mut self, item: u32, state: u32, offset: usize) -> u32 {
        if self.of_item.len() <= item as usize {
            self.of_item.resize(item as usize + 1, NONE);
        }
        let head = self.of_item[item as usize];
        let mut at = head;
        while let Some(vertex) = self.vertices.get(at as usize) {
            if vertex.state == state {
                return at;
            }
            at = vertex.next;
        }
        let id = self.vertices.len() as u32;
        push(
            &mut self.vertices,
            Vertex {
                item,
                state,
                offset: offset as u32,
                next: head,
                families: (0, 0),
            },
        );
        self.of_item[item as usize] = id;
        id
    }

    /// The number of vertices.
    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Where in the text a vertex is.
    pub(super) fn offset(&self, vertex: u32) -> usize {
        self.vertices[vertex as usize].offset as usize
    }

    /// The item that a vertex is behind.
    pub(super) fn item(&self, vertex: u32) -> u32 {
        self.vertices[vertex as usize].item
    }

    /// The completions of the forest.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The edges from a vertex; none from the entry of a machine.
    pub(super) fn families_of_vertex(&self, vertex: u32) -> Range<usize> {
        let (first, end) = self.vertices[vertex as usize].families;
        first as usize..end as usize
    }

    /// The edges from a completion to the vertices that it ends with.
    pub(super) fn families_of_node(&self, node: u32) -> Range<usize> {
        let (first, end) = self.nodes[node as usize].families;
        first as usize..end as usize
    }

    /// An edge.
    #[inline]
    pub(super) fn family(&self, at: usize) -> Family {
        self.families[at]
    }
}
