//! One walk over the sites of a derivation, with hooks.
//!
//! What lies between two hooks is copied from the text that slips and layout have placed. Open nodes are on a stack of their own,
//! and a record of each node that was entered is kept, for the hooks that look for parts. A doubled or swapped subtree is walked
//! where it stands, by a second walk within the first; slips within slips are not looked at, so that is as deep as it gets.

use std::ops::Range;

use super::node::{Node, Record};
use super::{Hook, Render, Semantics};
use crate::choice::{Codec, Lexemes, ROOT, SiteIndex};
use crate::grammar::{Grammar, NodeKind};
use crate::id::{NodeId, ProductionId};
use crate::slip::{Change, Placed, Slips};

/// Buffers of rendering, kept so that nothing is allocated once they have grown.
#[derive(Debug, Default)]
pub struct Workspace {
    lexemes: Lexemes,
    spelled: Vec<u8>,
    records: Vec<Record>,
    /// The open nodes, the outermost first: sites, ...
    sites: Vec<u32>,
    /// ... and records.
    open: Vec<u32>,
}

impl<S: Default + 'static> Render for Semantics<S> {
    fn render_checked(
        &self,
        codec: &Codec,
        index: &SiteIndex,
        slips: &Slips,
        workspace: &mut Workspace,
        text: &mut Vec<u8>,
    ) {
        let Workspace {
            lexemes,
            spelled,
            records,
            sites,
            open,
        } = workspace;
        text.clear();
        records.clear();
        sites.clear();
        open.clear();
        let changes: Vec<(u32, Change<'_>)> = slips.changes().collect();
        let mut walk = Walk {
            semantics: self,
            grammar: codec.graph().grammar(),
            index,
            placed: slips.place(codec, index, spelled, lexemes),
            at: 0,
            state: S::default(),
            text,
            records,
            sites,
            open,
        };
        let count = index.sites().len() as u32;
        if walk.walk(0..count, &changes) {
            walk.copy_to(usize::MAX);
        } else {
            // The text ends here.
            walk.at = usize::MAX;
            walk.leave(0, count);
        }
    }
}

struct Walk<'a, S> {
    semantics: &'a Semantics<S>,
    grammar: &'a Grammar,
    index: &'a SiteIndex,
    placed: Placed<'a>,
    /// What is copied next.
    at: usize,
    state: S,
    text: &'a mut Vec<u8>,
    records: &'a mut Vec<Record>,
    sites: &'a mut Vec<u32>,
    open: &'a mut Vec<u32>,
}

impl<S> Walk<'_, S> {
    /// Walks sites, of which the first stands above or before all others. False if a slip ends the text.
    fn walk(&mut self, sites: Range<u32>, mut changes: &[(u32, Change<'_>)]) -> bool {
        let (base, index) = (self.open.len(), self.index);
        let mut next = sites.start;
        while next < sites.end {
            let Some(site) = index.sites().get(next as usize) else {
                break;
            };
            self.leave(base, next);
            // Those before this site stood within the site of a slip.
            while let Some((_, rest)) = changes.split_first().filter(|it| it.0.0 < next) {
                changes = rest;
            }
            if let Some((place, change)) = changes.first().copied()
                && place == next
            {
                let range = self.placed.range(next);
                if range.start >= self.at {
                    let gone = match change {
                        Change::Glue => self.placed.separator_before(next),
                        _ => 0,
                    };
                    self.copy_to(range.start.saturating_sub(gone).max(self.at));
                    self.at = range.start;
                    match self.slip(next, site.end, range.end, change) {
                        Some(behind) => next = behind,
                        None => return false,
                    }
                    continue;
                }
            }
            if let Some(production) = self.production(site.node) {
                self.enter(production, next);
            }
            next += 1;
        }
        self.leave(base, sites.end);
        true
    }

    /// Does what a slip does to a site, and gives the site to go on with; nothing if the text ends.
    fn slip(&mut self, site: u32, behind: u32, end: usize, change: Change<'_>) -> Option<u32> {
        match change {
            Change::Drop | Change::Separator(_) | Change::Spelling(_) => {}
            Change::Glue => self.subtree(site, behind),
            Change::Double => {
                self.subtree(site, behind);
                self.subtree(site, behind);
            }
            Change::Swap => {
                let sites = self.index.sites();
                let (own, next) = (sites.get(site as usize), sites.get(behind as usize));
                let Some(next) = next.filter(|it| own.is_some_and(|own| own.parent == it.parent))
                else {
                    self.subtree(site, behind);
                    return Some(behind);
                };
                let other = self.placed.range(behind);
                let (between, last) = (other.start.max(end), other.end.max(end));
                self.subtree(behind, next.end);
                self.at = end;
                self.copy_to(between);
                self.subtree(site, behind);
                self.at = last;
                return Some(next.end);
            }
            Change::Cut => return None,
            Change::Raw(bytes) => {
                let start = self.text.len() as u32;
                self.text.extend_from_slice(bytes);
                let node = self.index.sites().get(site as usize).map(|it| it.node);
                self.records.push(Record {
                    production: node.and_then(|node| self.production(node)),
                    start,
                    end: self.text.len() as u32,
                    behind: self.records.len() as u32 + 1,
                });
            }
        }
        self.at = end;
        Some(behind)
    }

    /// Renders a subtree wherever the text stands.
    fn subtree(&mut self, site: u32, behind: u32) {
        let Range { start, end } = self.placed.range(site);
        self.at = start;
        self.walk(site..behind, &[]);
        self.copy_to(end);
    }

    fn production(&self, node: NodeId) -> Option<ProductionId> {
        if node == ROOT {
            return Some(self.grammar.start());
        }
        match self.grammar[node].kind {
            NodeKind::Reference(production) => Some(production),
            _ => None,
        }
    }

    /// Copies what lies before a place and was not copied yet.
    fn copy_to(&mut self, place: usize) {
        let end = place.min(self.placed.text().len());
        if let Some(bytes) = self.placed.text().get(self.at..end) {
            self.text.extend_from_slice(bytes);
            self.at = end;
        }
    }

    /// Where what is at a place goes, once what lies before it is copied.
    fn offset(&self, place: usize) -> u32 {
        let place = place.min(self.placed.text().len());
        (self.text.len() + place.saturating_sub(self.at)) as u32
    }

    fn enter(&mut self, production: ProductionId, site: u32) {
        let place = self.placed.range(site).start;
        let (record, start) = (self.records.len() as u32, self.offset(place));
        self.records.push(Record {
            production: Some(production),
            start,
            end: start,
            behind: record + 1,
        });
        self.sites.push(site);
        self.open.push(record);
        let semantics = self.semantics;
        if let Some(hooks) = semantics.hooks.get(production)
            && !hooks.enter.is_empty()
        {
            self.copy_to(place);
            self.run(record, production, &hooks.enter);
        }
    }

    /// Leaves the open nodes that end before a site, but for the first `base`.
    fn leave(&mut self, base: usize, next: u32) {
        while self.open.len() > base {
            let (Some(&record), Some(&site)) = (self.open.last(), self.sites.last()) else {
                return;
            };
            let end = self.index.sites().get(site as usize).map_or(0, |it| it.end);
            if end > next {
                return;
            }
            let place = self.placed.range(site).end;
            let own = self.records.get(record as usize);
            let semantics = self.semantics;
            if let Some(production) = own.and_then(|it| it.production)
                && let Some(hooks) = semantics.hooks.get(production)
                && !hooks.leave.is_empty()
            {
                self.copy_to(place);
                self.close(record, place);
                self.run(record, production, &hooks.leave);
            }
            self.close(record, place);
            self.open.pop();
            self.sites.pop();
        }
    }

    /// Notes that a node ends where the text does, once what lies before a place is copied.
    fn close(&mut self, record: u32, place: usize) {
        let (end, behind) = (self.offset(place), self.records.len() as u32);
        if let Some(record) = self.records.get_mut(record as usize) {
            record.end = end;
            record.behind = behind;
        }
    }

    fn run(&mut self, record: u32, production: ProductionId, hooks: &[Hook<S>]) {
        for hook in hooks {
            let mut node = Node {
                text: self.text,
                records: self.records,
                production,
                own: record,
                open: self.open,
                limit: self.semantics.limit,
            };
            hook(&mut node, &mut self.state);
        }
    }
}
