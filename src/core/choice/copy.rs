//! Copies of subtrees: what is derived already is not derived again.
//!
//! A subtree is a range of sites, one of choices and one of text, so its copy is those three, with what sites refer to moved along.
//! What stands above it in its new place shows in the windows of its upper sites alone: those with fewer than k
//! references above them in the subtree. O(sites + choices + text), at a few instructions each.

use super::site::{NO_SITE, Site, SiteIndex, Span};
use super::{Codec, Scratch};
use crate::id::NodeId;
use crate::kpath::NO_WINDOW;
use std::ops::Range;

impl SiteIndex {
    /// Appends a choice of one byte that belongs to no subtree of its own: a repetition's, to go on or to stop.
    pub(crate) fn push_choice(&mut self, more: bool) {
        self.choices.push(u8::from(more));
        self.decided.push(more);
    }

    /// Appends the subtrees of a span directly below site `parent` of this index ([`NO_SITE`]: nothing), where the same stands
    /// above them as in their old place.
    pub(crate) fn append(&mut self, from: &SiteIndex, span: &Span, parent: u32) {
        let mut root = self.sites.len();
        self.append_run(from, span);
        while let Some(site) = self.sites.get_mut(root) {
            site.parent = parent;
            root = site.end as usize;
        }
    }

    /// Appends what a span has, sites that refer to others in it right already.
    pub(crate) fn append_run(&mut self, from: &SiteIndex, span: &Span) {
        let range = |range: &Range<u32>| range.start as usize..range.end as usize;
        // From where the span was to behind what there is, wrapping around.
        let by = |len: usize, start: u32| (len as u32).wrapping_sub(start);
        let sites = by(self.sites.len(), span.sites.start);
        let choices = by(self.choices.len(), span.choices.start);
        let text = by(self.text.len(), span.text.start);
        let moved = from.sites[range(&span.sites)].iter().map(|site| Site {
            parent: site.parent.wrapping_add(sites),
            end: site.end.wrapping_add(sites),
            choice_start: site.choice_start.wrapping_add(choices),
            choice_end: site.choice_end.wrapping_add(choices),
            text_start: site.text_start.wrapping_add(text),
            ..*site
        });
        self.sites.extend(moved);
        let (choices, text) = (range(&span.choices), range(&span.text));
        self.choices
            .extend_from_slice(&from.choices[choices.clone()]);
        self.decided.extend_from_slice(&from.decided[choices]);
        self.text.extend_from_slice(&from.text[text]);
    }

    /// The sites from one on, to be set right.
    pub(crate) fn sites_from(&mut self, site: usize) -> &mut [Site] {
        &mut self.sites[site..]
    }

    /// All of it.
    pub(crate) fn whole(&self) -> Span {
        Span {
            parent: NO_SITE,
            sites: 0..self.sites.len() as u32,
            choices: 0..self.choices.len() as u32,
            text: 0..self.text.len() as u32,
        }
    }

    /// Begins with a site of another index without what is below it; [`SiteIndex::finish_root`] ends it.
    pub(crate) fn begin_root(&mut self, from: &Site) {
        self.clear();
        self.sites.push(Site {
            parent: NO_SITE,
            choice_start: 0,
            text_start: 0,
            ..*from
        });
    }

    /// What was appended since belongs to the first site.
    pub(crate) fn finish_root(&mut self) {
        let (end, choice_end) = (self.sites.len() as u32, self.choices.len() as u32);
        if let Some(root) = self.sites.first_mut() {
            (root.end, root.choice_end) = (end, choice_end);
        }
    }
}

impl Codec {
    /// Copies the subtree of a site of `from` into `index`, as [`Codec::derive_under`] would derive it from its choices for
    /// `node`, directly below site `parent` of `host`. `node` is the site's, or a reference to the same production.
    pub(crate) fn copy_under(
        &self,
        (from, site): (&SiteIndex, u32),
        node: NodeId,
        (host, parent): (&[Site], u32),
        scratch: &mut Scratch,
        index: &mut SiteIndex,
    ) {
        index.clear();
        index.append(from, &from.span(site), NO_SITE);
        let Some(root) = index.sites.first_mut() else {
            return;
        };
        let is_same = std::mem::replace(&mut root.node, node) == node;
        let is_beside = std::ptr::eq(host, &from.sites[..]);
        if is_same && is_beside && from.sites[site as usize].parent == parent {
            return;
        }
        let top = root.depth;
        let deeper = self.depth_below(host, parent).wrapping_sub(top);
        if deeper != 0 {
            for site in &mut index.sites {
                site.depth = site.depth.wrapping_add(deeper);
            }
        }
        let Some(windows) = &self.windows else {
            return;
        };
        let states = &mut scratch.states;
        states.begin(windows, self.references_above(host, parent));
        // The root of all is on no path.
        let is_root = u32::from(self.symbol_of(node).is_none() && node == super::ROOT);
        let (top, k) = (top.wrapping_add(deeper), windows.k() as u32);
        let below = states.depth(windows);
        for site in &mut index.sites {
            let level = site.depth - top;
            if level >= k + is_root {
                continue;
            }
            match self.symbol_of(site.node) {
                None => site.window = NO_WINDOW,
                Some(symbol) => {
                    states.cut(windows, below + (level - is_root) as usize);
                    site.window = states.rank(windows, symbol);
                    states.push(windows, symbol);
                }
            }
        }
    }
}
