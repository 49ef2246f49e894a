//! The site index: what a choice sequence derives, as a flat table.
//!
//! A *site* is an occurrence of a node that can be replaced on its own: of every symbolic node, and of every alternation,
//! quantifier and quantified group that is not a whole right side (for a whole right side, the reference stands). Sites
//! are in pre-order, 32 bytes each; a subtree is a range of sites, a range of choices and a range of text. So a subtree is replaced by
//! copying what stands before and behind it ([`crate::mutate`]).
//!
//! ```text
//! sites    root ─ object ─ member ─ string … value ─ number …
//! choices  03     01       …                 05
//! text            {        "a"               : 1  }
//! ```
//!
//! Choices are kept in full (no trailing choice dropped), so that every subtree's slice is complete. The canonical sequence
//! ends behind the last choice that close-off would not have made.

use super::class::{ClassCode, MemberChoice};
use super::program::ROOT;
use super::tape::put;
use super::walk::Sink;
use crate::id::{NodeId, SymbolId};
use crate::kpath::{NO_WINDOW, WindowStack, WindowTable};
use std::ops::Range;

/// The parent of the root site.
pub const NO_SITE: u32 = u32::MAX;

/// An occurrence of a node in a derivation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Site {
    /// The node; [`ROOT`] for the whole.
    pub node: NodeId,
    /// The site above; [`NO_SITE`] for the whole.
    pub parent: u32,
    /// The site behind the subtree.
    pub end: u32,
    /// The first choice byte of the subtree.
    pub choice_start: u32,
    /// The choice byte behind the subtree.
    pub choice_end: u32,
    /// The first byte of the subtree's text.
    pub text_start: u32,
    /// The window that the site ends, as a rank; [`NO_WINDOW`] for synthetic nodes and the root.
    pub window: u32,
    /// The references above, the root included.
    pub depth: u32,
}

/// A decoded choice sequence with all its sites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteIndex {
    pub(super) choices: Vec<u8>,
    /// Of each byte of the choices, whether a choice ends with it that close-off would not have made.
    pub(super) decided: Vec<bool>,
    pub(super) sites: Vec<Site>,
    pub(super) text: Vec<u8>,
}

/// A place between two items of a quantifier, or around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The site that the items belong to.
    pub parent: u32,
    /// Their sites.
    pub sites: Range<u32>,
    /// Their choices, the decisions to go on included.
    pub choices: Range<u32>,
    /// Their text.
    pub text: Range<u32>,
}

impl SiteIndex {
    /// An empty index, to be filled by decoding or generating.
    pub fn new() -> SiteIndex {
        SiteIndex::default()
    }

    /// Forgets everything but the memory.
    pub fn clear(&mut self) {
        self.choices.clear();
        self.decided.clear();
        self.sites.clear();
        self.text.clear();
    }

    /// The sites, in pre-order; the first one is the whole.
    #[inline]
    pub fn sites(&self) -> &[Site] {
        &self.sites
    }

    /// The sentence; in a grammar with tokens, their texts side by side ([`super::Codec::text`] lays them out).
    #[inline]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The choices in full, with those that close-off would make.
    #[inline]
    pub fn choices(&self) -> &[u8] {
        &self.choices
    }

    /// The canonical choice sequence: minimal, and decoded to the same derivation.
    pub fn canonical(&self) -> &[u8] {
        &self.choices[..self.kept(0..self.choices.len() as u32).unwrap_or(0) as usize]
    }

    /// The end of the last choice in a range that close-off would not have made.
    pub(crate) fn kept(&self, range: Range<u32>) -> Option<u32> {
        let decided = &self.decided[range.start as usize..range.end as usize];
        let last = decided.iter().rposition(|&is_decided| is_decided)?;
        Some(range.start + last as u32 + 1)
    }

    /// The windows of the derivation, one a symbolic site, repeated where they occur again.
    pub fn windows(&self) -> impl Iterator<Item = u32> + '_ {
        self.sites
            .iter()
            .map(|site| site.window)
            .filter(|&window| window != NO_WINDOW)
    }

    /// The choices of a site's subtree.
    pub fn choices_of(&self, site: u32) -> &[u8] {
        let site = &self.sites[site as usize];
        &self.choices[site.choice_start as usize..site.choice_end as usize]
    }

    /// The text range of a site's subtree.
    pub fn text_range(&self, site: u32) -> Range<u32> {
        let site = &self.sites[site as usize];
        site.text_start..self.text_at(site.end)
    }

    /// Where the text of the sites from `site` on begins.
    fn text_at(&self, site: u32) -> u32 {
        self.sites
            .get(site as usize)
            .map_or(self.text.len() as u32, |site| site.text_start)
    }

    /// The sites directly below a site, in order.
    pub fn children(&self, site: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.sites.get(site as usize).map_or(0, |site| site.end);
        let mut next = site + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.sites[child as usize].end;
                child
            })
        })
    }

    /// The site of a node directly below a site, if there is one.
    pub(crate) fn child_of_node(&self, site: u32, node: NodeId) -> Option<u32> {
        self.children(site)
            .find(|&child| self.sites[child as usize].node == node)
    }

    /// The greatest number of nested references.
    pub fn depth(&self) -> u32 {
        self.sites
            .iter()
            .map(|site| site.depth)
            .max()
            .map_or(0, |depth| depth.saturating_sub(1))
    }

    /// A site as a span of its own.
    pub fn span(&self, site: u32) -> Span {
        let at = &self.sites[site as usize];
        Span {
            parent: at.parent,
            sites: site..at.end,
            choices: at.choice_start..at.choice_end,
            text: self.text_range(site),
        }
    }
}

impl Default for Site {
    fn default() -> Site {
        Site {
            node: ROOT,
            parent: NO_SITE,
            end: 0,
            choice_start: 0,
            choice_end: 0,
            text_start: 0,
            window: NO_WINDOW,
            depth: 0,
        }
    }
}

/// Builds an index while a derivation is walked.
pub(super) struct IndexSink<'a> {
    pub(super) index: &'a mut SiteIndex,
    pub(super) windows: Option<&'a WindowTable>,
    pub(super) states: &'a mut WindowStack,
    pub(super) open: u32,
    pub(super) depth: u32,
}

impl IndexSink<'_> {
    #[inline(always)]
    fn window(&self, symbol: Option<SymbolId>) -> u32 {
        match (self.windows, symbol) {
            (Some(windows), Some(symbol)) => self.states.rank(windows, symbol),
            _ => NO_WINDOW,
        }
    }

    #[inline(always)]
    fn site(&self, node: NodeId, symbol: Option<SymbolId>, choice_start: usize) -> Site {
        Site {
            node,
            parent: self.open,
            end: self.index.sites.len() as u32 + 1,
            choice_start: choice_start as u32,
            choice_end: self.index.choices.len() as u32,
            text_start: self.index.text.len() as u32,
            window: self.window(symbol),
            depth: self.depth,
        }
    }

    #[inline(always)]
    fn choice(&mut self, value: u32, count: u32, strong: bool) {
        let SiteIndex {
            choices, decided, ..
        } = &mut *self.index;
        if (2..=256).contains(&count) {
            choices.push(value as u8);
            decided.push(strong);
        } else if count > 256 {
            put(choices, value, count);
            decided.resize(choices.len() - 1, false);
            decided.push(strong);
        }
    }
}

impl Sink for IndexSink<'_> {
    #[inline(always)]
    fn open(&mut self, node: NodeId, symbol: Option<SymbolId>) {
        let site = self.site(node, symbol, self.index.choices.len());
        self.open = self.index.sites.len() as u32;
        self.index.sites.push(site);
        if symbol.is_some() || node == ROOT {
            self.depth += 1;
            if let (Some(windows), Some(symbol)) = (self.windows, symbol) {
                self.states.push(windows, symbol);
            }
        }
    }

    #[inline(always)]
    fn close(&mut self, symbolic: bool) {
        let end = self.index.sites.len() as u32;
        let choice_end = self.index.choices.len() as u32;
        let Some(site) = self.index.sites.get_mut(self.open as usize) else {
            return;
        };
        site.end = end;
        site.choice_end = choice_end;
        self.open = site.parent;
        if symbolic {
            self.depth -= 1;
            if let (Some(windows), true) = (self.windows, site.node != ROOT) {
                self.states.pop(windows);
            }
        }
    }

    #[inline(always)]
    fn literal(&mut self, node: NodeId, symbol: Option<SymbolId>, text: &[u8]) {
        let site = self.site(node, symbol, self.index.choices.len());
        self.index.sites.push(site);
        match *text {
            [byte] => self.index.text.push(byte),
            _ => self.index.text.extend_from_slice(text),
        }
    }

    #[inline(always)]
    fn member(
        &mut self,
        node: NodeId,
        symbol: Option<SymbolId>,
        class: &ClassCode,
        choice: MemberChoice,
    ) {
        let start = self.index.choices.len();
        self.choice(
            choice.head,
            class.head_count(),
            choice.head != class.default_head(),
        );
        let rest = class.rest_count(choice.head);
        if rest > 1 {
            self.choice(choice.rest, rest, choice.rest != 0);
        }
        let site = self.site(node, symbol, start);
        self.index.sites.push(site);
        let mut text = [0; 4];
        match class.write(choice, &mut text) {
            1 => self.index.text.push(text[0]),
            len => self.index.text.extend_from_slice(&text[..len]),
        }
    }

    #[inline(always)]
    fn alternative(&mut self, _node: NodeId, index: u32, count: u32, default: u32) {
        self.choice(index, count, index != default);
    }

    #[inline(always)]
    fn more(&mut self, _node: NodeId, more: bool) {
        self.choice(u32::from(more), 2, more);
    }
}
