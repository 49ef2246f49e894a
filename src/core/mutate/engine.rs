//! The engine's own mutations of bytes, put to use on what pleach holds: on choices, and on the text of subtrees.
//!
//! Changed text is read back by a parser of the subtree's nonterminal, made when it is first needed. Most changes of short
//! texts still parse; what does not is tried again, a few times.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::work::{Part, Workspace};
use crate::grammar::Role;
use crate::graph::Graph;
use crate::id::ProductionId;
use crate::parse::{self, Parser};
use crate::slip::Change;

/// The engine's mutation: changes the first `size` bytes of a buffer and returns the new size, at most `max_size`.
pub type ByteMutator = fn(data: &mut [u8], size: usize, max_size: usize) -> usize;

/// The longest text of a subtree that is given to the engine.
const LONGEST: usize = 256;
/// How often the engine is asked before its text is not looked at any more.
const TRIES: usize = 3;
/// The productions that get a parser, and the nodes that all of those may have together: tables take time and memory.
const MAX_READERS: usize = 64;
const MAX_NODES: usize = 400_000;
/// What reading one text may take.
const BUDGET: parse::Budget = parse::Budget {
    steps: 20_000,
    bytes: 4 << 20,
};

/// The parsers of subtrees.
#[derive(Debug, Default)]
pub(super) struct Readers {
    readers: BTreeMap<ProductionId, (Parser, parse::Workspace)>,
}

impl Readers {
    /// The choices of a text of a production, into `choices`. False if it is none, or if that takes too long to find out.
    pub(super) fn read(
        &mut self,
        graph: &Arc<Graph>,
        production: ProductionId,
        text: &[u8],
        choices: &mut Vec<u8>,
    ) -> bool {
        let nodes = graph.grammar().nodes().len();
        if !self.readers.contains_key(&production) {
            let count = self.readers.len();
            if count == MAX_READERS || (count + 1) * nodes > MAX_NODES {
                return false;
            }
            let parser = Parser::of(graph, production);
            self.readers
                .insert(production, (parser, parse::Workspace::new()));
        }
        let Some((parser, workspace)) = self.readers.get_mut(&production) else {
            return false;
        };
        choices.clear();
        let parsed = parser.parse(text, BUDGET, workspace);
        parsed
            .and_then(|mut forest| forest.choices(choices))
            .is_ok()
    }
}

impl Workspace {
    /// The engine's mutation, if there is one.
    pub fn engine(&self) -> Option<ByteMutator> {
        self.engine
    }

    /// Lets the engine change the choice bytes. False, and nothing changed, if that changes no choice or breaks the budget.
    pub(super) fn mutate_bytes(&mut self) -> bool {
        let Some(engine) = self.engine else {
            return false;
        };
        let mut old = std::mem::take(&mut self.buffers.choices);
        let mut new = std::mem::take(&mut self.buffers.other);
        old.clear();
        old.extend_from_slice(self.index.canonical());
        let len = old.len();
        // Room for the engine's longest insertions.
        let room = (2 * len + 128).min(self.limits.max_choices).max(len);
        new.clear();
        new.extend_from_slice(&old);
        new.resize(room, 0);
        let new_len = engine(&mut new, len, room).min(room);
        new.truncate(new_len);
        let (old_text, old_sites) = (self.index.text().len(), self.index.sites().len());
        let old_depth = self.index.depth() as usize;
        let mut changed = false;
        if new != old {
            self.load(&new);
            let index = &self.index;
            let grows = |new: usize, old: usize, max: usize| new > max && new > old;
            let limits = &self.limits;
            changed = index.canonical() != old
                && !grows(index.text().len(), old_text, limits.max_len)
                && !grows(index.sites().len(), old_sites, limits.max_sites)
                && !grows(index.depth() as usize, old_depth, limits.max_depth as usize);
            if changed {
                self.slips.fit(self.index.sites().len());
            } else {
                self.load(&old);
            }
        }
        (self.buffers.choices, self.buffers.other) = (old, new);
        changed
    }

    /// Lets the engine change the text of the nearest nonterminal from a site upward, and derives that instead. False, and
    /// nothing changed, if none of a few changes can be derived.
    pub(super) fn reword(&mut self, site: u32) -> bool {
        let Some((site, production)) = self.nonterminal_at(site) else {
            return false;
        };
        let mut text = std::mem::take(&mut self.buffers.text);
        let mut choices = std::mem::take(&mut self.buffers.choices);
        let graph = self.graph().clone();
        let reworded = (0..TRIES).any(|_| {
            self.engine_text(site, &mut text)
                && self.readers.read(&graph, production, &text, &mut choices)
                && self.replace(site, Part::Choices(&choices))
        });
        (self.buffers.text, self.buffers.choices) = (text, choices);
        reworded
    }

    /// Lets the engine change the text of a site, which is put there as raw bytes.
    pub(super) fn garble(&mut self, site: u32) -> bool {
        let mut text = std::mem::take(&mut self.buffers.text);
        let garbled = self.engine_text(site, &mut text)
            && !text.is_empty()
            && self.slips.push(site, Change::Raw(&text));
        self.buffers.text = text;
        garbled
    }

    /// The nearest site from one upward that stands for a production.
    fn nonterminal_at(&self, site: u32) -> Option<(u32, ProductionId)> {
        let mut at = site;
        loop {
            let found = self.index.sites().get(at as usize)?;
            if let Some(production) = self.production_of(found.node)
                && self.is_read_in_bytes(production)
            {
                return Some((at, production));
            }
            at = found.parent;
        }
    }

    /// Whether the text of a production is read byte by byte: how one of the syntax is cut into tokens depends on what comes before.
    pub(super) fn is_read_in_bytes(&self, production: ProductionId) -> bool {
        let grammar = self.graph().grammar();
        !grammar.has_tokens() || grammar[production].role != Role::Syntax
    }

    /// What the engine makes of the text of a site. False if it is too long or comes out as it was.
    fn engine_text(&mut self, site: u32, text: &mut Vec<u8>) -> bool {
        let Some(engine) = self.engine else {
            return false;
        };
        let range = self.index.text_range(site);
        let old = range.start as usize..range.end as usize;
        let others = self.index.text().len() - old.len();
        let room = (old.len() + 64).min(self.limits.max_len.saturating_sub(others));
        if old.is_empty() || old.len() > LONGEST || room < old.len() {
            return false;
        }
        text.clear();
        text.extend_from_slice(&self.index.text()[old.clone()]);
        text.resize(room, 0);
        let len = engine(text, old.len(), room).min(room);
        text.truncate(len);
        *text != self.index.text()[old]
    }
}
