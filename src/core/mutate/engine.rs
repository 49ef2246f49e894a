//! The engine's own mutations of bytes, put to use on what pleach holds: on choices, and on the text of subtrees.
//!
//! Changed text is read back by a parser of the subtree's nonterminal, made when it is first needed. Most changes of short
//! texts still parse; what does not is tried again, a few times.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::work::{Part, Workspace};
use crate::choice::Site;
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
        let len = self.edits.choices(&self.parent.index, &mut old);
        old.truncate(len);
        // Room for the engine's longest insertions.
        let room = (2 * len + 128).min(self.limits.max_choices).max(len);
        new.clear();
        new.extend_from_slice(&old);
        new.resize(room, 0);
        let new_len = engine(&mut new, len, room).min(room);
        new.truncate(new_len);
        let changed = new != old && self.take_choices(&new);
        (self.buffers.choices, self.buffers.other) = (old, new);
        changed
    }

    /// Takes other choices in place of the mutant's: an edit of a small site whose choices differ from the parent's and behind
    /// which they are read as before. False, and nothing changed, if they mean the same or break the budget. O(choices) for
    /// comparing them, and what the edit takes.
    fn take_choices(&mut self, new: &[u8]) -> bool {
        let parent = &self.parent.index;
        let same = |(one, other): &(&u8, &u8)| one == other;
        let old = parent.canonical();
        let head = old.iter().zip(new).take_while(same).count();
        let rest = (&old[head..], &new[head..]);
        let tail = rest.0.iter().rev().zip(rest.1.iter().rev());
        let end = old.len() - tail.take_while(same).count();
        let behind = |site: &Site| site.choice_start as usize <= head;
        let mut site = parent.sites().partition_point(behind) as u32;
        site = site.saturating_sub(1);
        let mut least = 0;
        loop {
            let Some(&at) = self.index().sites().get(site as usize) else {
                return false;
            };
            let (first, last) = (at.choice_start as usize, at.choice_end as usize);
            if last > head && last >= end && last - first >= least {
                let part = Part::Choices(new.get(first..).unwrap_or(&[]));
                self.fragment(at.node, at.parent, part);
                let read = first + self.fragment.choices().len();
                let old = self.index().canonical().len();
                let is_whole = match last < old {
                    true => read + old == last + new.len(),
                    // Nothing but close-off is behind it, and must not find anything to read.
                    false => read >= new.len(),
                };
                if is_whole || site == 0 {
                    let is_same = self.fragment.choices() == self.index().choices_of(site);
                    let is_new = !is_same || !self.edits.is_empty();
                    let span = self.index().span(site);
                    return is_new && self.put_alone(span);
                }
                // All that is derived in vain comes to no more than what is put at last.
                least = 2 * (last - first);
            } else if site == 0 {
                // Behind all choices.
                return false;
            }
            site = match at.parent {
                // The root has to do, however little it is larger.
                0 => {
                    least = 0;
                    0
                }
                above => above,
            };
        }
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
            let found = self.index().sites().get(at as usize)?;
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
        let range = self.index().text_range(site);
        let old = range.start as usize..range.end as usize;
        let others = self.index().text().len() - old.len();
        let room = (old.len() + 64).min(self.limits.max_len.saturating_sub(others));
        if old.is_empty() || old.len() > LONGEST || room < old.len() {
            return false;
        }
        text.clear();
        text.extend_from_slice(&self.index().text()[old.clone()]);
        text.resize(room, 0);
        let len = engine(text, old.len(), room).min(room);
        text.truncate(len);
        *text != self.index().text()[old]
    }
}
