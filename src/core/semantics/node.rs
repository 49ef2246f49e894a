//! What a hook sees: a node with its text, the parts in it, and ways to replace them.

use std::ops::Range;

use crate::id::ProductionId;

/// A node that was entered, and where its text is. In pre-order, so what is in a node follows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// None for what is no more, because something around it was replaced.
    pub(super) production: Option<ProductionId>,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The record behind those of what is in it.
    pub(super) behind: u32,
}

/// A node of a production in the node that a hook runs at. It belongs to that node, and means nothing anywhere else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part(u32);

/// A node of a production, while a text is being made.
///
/// On entering there is not text of it yet; on leaving it is the end of the text so far.
#[derive(Debug)]
pub struct Node<'a> {
    pub(super) text: &'a mut Vec<u8>,
    pub(super) records: &'a mut Vec<Record>,
    pub(super) production: ProductionId,
    /// Its own record.
    pub(super) own: u32,
    /// The records of the open nodes, its own last.
    pub(super) open: &'a [u32],
    pub(super) limit: usize,
}

impl Node<'_> {
    /// Its production. A hook that stands at several tells them apart by it.
    pub fn production(&self) -> ProductionId {
        self.production
    }

    /// Its first byte in the whole text.
    pub fn start(&self) -> usize {
        let own = self.records.get(self.own as usize);
        own.map_or(0, |record| record.start as usize)
            .min(self.text.len())
    }

    /// Its text.
    pub fn text(&self) -> &[u8] {
        &self.text[self.start()..]
    }

    /// The whole text so far, that of the node included.
    pub fn output(&self) -> &[u8] {
        self.text
    }

    /// The productions of the nodes around it, the nearest first.
    pub fn above(&self) -> impl Iterator<Item = ProductionId> + '_ {
        let open = self.open.iter().rev().skip(1);
        open.filter_map(|&at| self.records.get(at as usize)?.production)
    }

    /// The nodes directly in it, in order: those of references written in its production.
    pub fn children(&self) -> impl Iterator<Item = Part> + '_ {
        let mut next = self.own + 1;
        std::iter::from_fn(move || {
            let record = self.records.get(next as usize)?;
            let child = Part(next);
            next = record.behind.max(next + 1);
            Some(child)
        })
        .filter(|&part| self.production_of(part).is_some())
    }

    /// All nodes of a production in it, however deep, in order of the text.
    pub fn inside(&self, production: ProductionId) -> impl Iterator<Item = Part> + '_ {
        (self.own + 1..self.records.len() as u32)
            .map(Part)
            .filter(move |&part| self.production_of(part) == Some(production))
    }

    /// The first node of a production directly in it.
    pub fn child(&self, production: ProductionId) -> Option<Part> {
        self.children()
            .find(|&part| self.production_of(part) == Some(production))
    }

    /// The production of a part; none once something around it was replaced.
    pub fn production_of(&self, part: Part) -> Option<ProductionId> {
        self.part(part)?.production
    }

    /// Where a part is in the whole text; empty for what is no part.
    pub fn span_of(&self, part: Part) -> Range<usize> {
        let live = self.part(part).filter(|it| it.production.is_some());
        live.map_or(0..0, |it| it.start as usize..it.end as usize)
    }

    /// The text of a part; empty for what is no part.
    pub fn text_of(&self, part: Part) -> &[u8] {
        self.text.get(self.span_of(part)).unwrap_or(&[])
    }

    /// The text of the first node of a production directly in it; empty if there is none.
    pub fn child_text(&self, production: ProductionId) -> &[u8] {
        self.child(production)
            .map_or(&[], |part| self.text_of(part))
    }

    fn part(&self, part: Part) -> Option<&Record> {
        let record = self.records.get(part.0 as usize)?;
        (part.0 > self.own).then_some(record)
    }

    /// Replaces the text. What was in it is no part any more. False, and nothing changed, if the whole text would get longer than
    /// [the limit](super::Semantics::limit).
    pub fn replace(&mut self, bytes: &[u8]) -> bool {
        let done = self.splice(self.start()..self.text.len(), bytes);
        if done {
            self.records.truncate(self.own as usize + 1);
        }
        done
    }

    /// Replaces the text of a part; what is in that is no part any more. False, and nothing changed, if the whole text would get
    /// longer than [the limit](super::Semantics::limit), or if there is no such part.
    pub fn replace_part(&mut self, part: Part, bytes: &[u8]) -> bool {
        let Some(&Record { behind, .. }) = self.part(part).filter(|it| it.production.is_some())
        else {
            return false;
        };
        let span = self.span_of(part);
        let old_len = span.len() as u32;
        if !self.splice(span, bytes) {
            return false;
        }
        let new_len = bytes.len() as u32;
        let moved = |offset: u32| offset - old_len + new_len;
        for (at, record) in (0u32..)
            .zip(self.records.iter_mut())
            .skip(self.own as usize + 1)
        {
            if at > part.0 && at < behind {
                record.production = None;
            } else if at >= behind {
                record.start = moved(record.start);
                record.end = moved(record.end);
            } else if record.behind > part.0 {
                // The part, and what it is in.
                record.end = moved(record.end);
            }
        }
        true
    }

    /// Replaces the text of the first node of a production directly in it, as [`Node::replace_part`].
    pub fn replace_child(&mut self, production: ProductionId, bytes: &[u8]) -> bool {
        self.child(production)
            .is_some_and(|part| self.replace_part(part, bytes))
    }

    fn splice(&mut self, span: Range<usize>, bytes: &[u8]) -> bool {
        if bytes.len() == span.len() {
            if let Some(place) = self.text.get_mut(span) {
                place.copy_from_slice(bytes);
            }
            return true;
        }
        let new_len = self.text.len() - span.len() + bytes.len();
        let fits = bytes.len() < span.len() || new_len <= self.limit;
        if fits {
            self.text.splice(span, bytes.iter().copied());
        }
        fits
    }
}
