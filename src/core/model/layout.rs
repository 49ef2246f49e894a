//! Where the choices of a grammar are counted: slots, production by production.

use crate::choice::Codec;
use crate::grammar::NodeKind;
use crate::id::{ClassId, IdVec, NodeId, ProductionId};

/// What a node counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// Nothing: it never chooses.
    None,
    /// Alternatives, one a slot.
    Alternation { slot: u32, count: u32 },
    /// Heads of a class, one a slot.
    Class { slot: u32, class: ClassId },
    /// Repetitions.
    Quantifier { index: u32, min: u32, max: u32 },
}

/// How much a production counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Extent {
    pub(super) slots: u32,
    pub(super) quantifiers: u32,
}

/// The places of a grammar.
#[derive(Debug)]
pub(super) struct Layout {
    places: IdVec<NodeId, Place>,
    extents: IdVec<ProductionId, Extent>,
    fingerprint: u64,
}

impl Layout {
    /// O(nodes), and O(grammar) for the fingerprint.
    pub(super) fn new(codec: &Codec) -> Layout {
        let grammar = codec.graph().grammar();
        let mut layout = Layout {
            places: IdVec::new(),
            extents: IdVec::filled(grammar.productions().len(), Extent::default()),
            fingerprint: grammar.with_probabilities(|_| None).fingerprint(),
        };
        for (id, node) in grammar.nodes().iter() {
            let extent = &mut layout.extents[node.production];
            let (slot, index) = (extent.slots, extent.quantifiers);
            let place = match node.kind {
                NodeKind::Alternation => {
                    let count = grammar.children(id).len() as u32;
                    extent.slots += count;
                    Place::Alternation { slot, count }
                }
                NodeKind::Class(class) => {
                    extent.slots += codec.class(class).head_count();
                    Place::Class { slot, class }
                }
                NodeKind::Quantifier { min, max } if max != Some(min) => {
                    extent.quantifiers += 1;
                    let max = max.unwrap_or(u32::MAX);
                    Place::Quantifier { index, min, max }
                }
                _ => Place::None,
            };
            layout.places.push(place);
        }
        layout
    }

    #[inline]
    pub(super) fn place(&self, node: NodeId) -> Place {
        self.places.get(node).copied().unwrap_or(Place::None)
    }

    pub(super) fn extent(&self, production: ProductionId) -> Extent {
        self.extents[production]
    }

    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}
