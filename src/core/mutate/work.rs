//! The workspace: one input under mutation, and what operators may do to it.
//!
//! What operators see is the parent, which they never change. They name a site of it and say what shall stand there, as choices or as a
//! chooser; the workspace derives that part under the site's own context, checks the budget, and adds an edit ([`super::edits`]).

use std::sync::Arc;

use super::aim::Aim;
use super::edits::Edits;
use super::engine::{ByteMutator, Readers};
use super::faults::Faults;
use super::guidance::Guidance;
use super::kinds::{Kind, Kinds};
use super::parent::{Census, Parent};
use super::pool::Pool;
use super::present::Shown;
use super::scalars::Scalars;
use super::slips;
use super::steering::Steering;
use crate::choice::{
    Chooser, ClassCode, Codec, MemberChoice, ROOT, Scratch, Site, SiteIndex, Span,
};
use crate::generate::{Drawn, Growth, Limits, PathChooser, RandomChooser, Routes, Stated};
use crate::grammar::NodeKind;
use crate::graph::Graph;
use crate::id::{NodeId, ProductionId, SymbolId};
use crate::kpath::Coverage;
use crate::lexicon::Lexicon;
use crate::rng::Rng;
use crate::slip::Slips;
use crate::weights::Weights;

/// How many sites are looked at before all are counted.
const TRIES: usize = 16;

/// How many edits a mutant has at most, before it is made a parent itself.
const MAX_EDITS: usize = 8;

/// One input under mutation.
#[derive(Debug)]
pub struct Workspace {
    pub(super) codec: Arc<Codec>,
    weights: Weights,
    /// What random derivations follow.
    pub(super) guidance: Option<Guidance>,
    kinds: Kinds,
    /// The bounds that edits keep.
    pub limits: Budget,
    pub(super) steering: Steering,
    /// What the campaign is aimed at, if it is.
    pub(super) aim: Option<Box<Aim>>,
    pub(super) rng: Rng,
    /// What is mutated, and what stands elsewhere instead.
    pub(super) parent: Box<Parent>,
    pub(super) edits: Edits,
    /// Another input, to take parts from.
    pub(super) donor: Option<Box<Parent>>,
    pub(super) routes: Routes,
    /// Reused by edits, so that they allocate nothing.
    pub(super) buffers: Buffers,
    pub(super) fragment: SiteIndex,
    /// Where the mutant departs from the grammar, by sites of the parent.
    pub(super) slips: Slips,
    /// Whether the mutant is a text of its own that does without choices.
    pub(super) is_bare: bool,
    pub(super) words: Vec<Box<[u8]>>,
    pub(super) scalars: Scalars,
    pub(super) faults: Faults,
    pub(super) engine: Option<ByteMutator>,
    pub(super) readers: Readers,
    pub(super) pool: Pool,
    /// Whether the same derivation can have several texts.
    pub(super) varies: bool,
    pub(super) scratch: Scratch,
    pub(super) shown: Shown,
    heads: Vec<u32>,
}

/// Memory of edits.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) choices: Vec<u8>,
    pub(super) other: Vec<u8>,
    pub(super) text: Vec<u8>,
    /// The text of the input with its slips, for what changes it as a whole.
    pub(super) whole: Vec<u8>,
    /// How long that may become.
    pub(super) room: usize,
    pub(super) composed: SiteIndex,
    pub(super) items: Vec<ItemSource>,
    pub(super) before: Vec<u32>,
    pub(super) path: Vec<SymbolId>,
    pub(super) target: Vec<SymbolId>,
}

/// Where an item of an edited repetition comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemSource {
    /// A site of the input, an item of the same repetition.
    Old(u32),
    /// A new random item.
    Random(Size),
}

/// Bounds of a mutated input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Choice bytes.
    pub max_choices: usize,
    /// Bytes of the sentence.
    pub max_len: usize,
    /// Sites.
    pub max_sites: usize,
    /// Nested references.
    pub max_depth: u32,
}

impl Default for Budget {
    /// A megabyte of choices, 64 KiB of text, a million sites, depth 96.
    fn default() -> Budget {
        Budget {
            max_choices: 1 << 20,
            max_len: 1 << 16,
            max_sites: 1 << 20,
            max_depth: 96,
        }
    }
}

impl Workspace {
    pub(super) fn new(codec: &Arc<Codec>, coverage: Coverage, rng: Rng) -> Workspace {
        let graph = codec.graph();
        let mut work = Workspace {
            weights: Weights::stated(graph.grammar()),
            guidance: None,
            kinds: Kinds::new(graph),
            codec: codec.clone(),
            limits: Budget::default(),
            steering: Steering::new(coverage),
            aim: None,
            rng,
            parent: Box::default(),
            edits: Edits::default(),
            donor: None,
            routes: Routes::new(),
            buffers: Buffers::default(),
            fragment: SiteIndex::new(),
            slips: Slips::new(),
            is_bare: false,
            words: slips::words(graph.grammar()),
            scalars: Scalars::new(graph.grammar()),
            faults: Faults::new(graph.grammar().nodes().len()),
            engine: None,
            readers: Readers::default(),
            pool: Pool::new(graph.grammar().productions().len()),
            varies: varies(graph),
            scratch: Scratch::default(),
            shown: Shown::default(),
            heads: Vec::new(),
        };
        work.parent.read(codec, &mut work.scratch, &[], false);
        work
    }

    /// Reads the derivation of the parent, if that was deferred.
    pub(super) fn settle(&mut self) {
        self.parent.settle(&self.codec, &mut self.scratch);
    }

    /// Reads another input, to take parts from.
    #[cfg(test)]
    pub(super) fn load_donor(&mut self, choices: &[u8]) {
        let donor = self.donor.get_or_insert_default();
        donor.read(&self.codec, &mut self.scratch, choices, false);
    }

    /// Takes all edits back.
    pub(super) fn reset(&mut self) {
        self.edits.clear();
        self.slips.clone_from(&self.parent.slips);
        self.is_bare = false;
    }

    /// Whether most of the mutant is new, or so many edits have come together that they take time.
    pub(super) fn is_mostly_new(&self) -> bool {
        let new: usize = self.edits.iter().map(|edit| edit.part.sites().len()).sum();
        4 * new > 3 * self.edits.extent(self.index()).sites || self.edits.len() >= MAX_EDITS
    }

    /// An operator is done.
    pub(super) fn commit(&mut self) {
        self.edits.commit();
        let edits = &self.edits;
        self.slips.retain(|site| edits.has(site));
    }

    /// Keeps some subtrees of the parent for other inputs.
    pub(super) fn collect(&mut self) {
        let (kinds, index) = (&self.kinds, &self.parent.index);
        let known = self.codec.graph().grammar().productions().len() as u32;
        self.pool.collect(index, &mut self.rng, |site| {
            let production = kinds.production(index.sites()[site as usize].node);
            (production < known).then_some(ProductionId(production))
        });
    }

    /// The parent's sites by their nodes. O(sites) for the first time.
    pub(super) fn census(&mut self) -> &Census {
        self.parent.census(&self.kinds, &mut self.heads)
    }

    /// The parent.
    pub fn index(&self) -> &SiteIndex {
        &self.parent.index
    }

    /// Another input, to take parts from.
    pub fn donor(&self) -> Option<&SiteIndex> {
        self.donor.as_ref().map(|donor| &donor.index)
    }

    /// The codec.
    pub fn codec(&self) -> &Arc<Codec> {
        &self.codec
    }

    /// The grammar graph.
    pub fn graph(&self) -> &Arc<Graph> {
        self.codec.graph()
    }

    /// What the campaign has covered.
    pub fn coverage(&self) -> &Coverage {
        self.steering.coverage()
    }

    /// The session's random numbers.
    pub fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// How many sites are of a kind. O(sites) for the first time, then O(1).
    pub fn count(&mut self, kind: Kind) -> usize {
        self.census().count_of(kind)
    }

    /// One of the sites of a kind. O(1) for a frequent kind; for others O(log nodes), and O(sites) for the first time.
    pub fn draw(&mut self, kind: Kind) -> Option<u32> {
        self.draw_one(kind).map(|drawn| drawn.0)
    }

    /// One of a few sites of a kind, which `choose` picks by their nonterminals, and that nonterminal.
    pub(super) fn draw_by<const N: usize>(
        &mut self,
        kind: Kind,
        choose: impl FnOnce(&[ProductionId; N], &mut Rng) -> usize,
    ) -> Option<(u32, ProductionId)> {
        let mut drawn = [(0, ROOT); N];
        for one in &mut drawn {
            *one = self.draw_one(kind)?;
        }
        let nonterminals = drawn.map(|(_, node)| self.kinds.nonterminal(node));
        let chosen = choose(&nonterminals, &mut self.rng);
        Some((drawn.get(chosen)?.0, nonterminals[chosen]))
    }

    /// One of the sites of a kind, and its node. It is looked for before the sites are counted.
    fn draw_one(&mut self, kind: Kind) -> Option<(u32, NodeId)> {
        let sites = self.parent.index.sites();
        let tries = match self.parent.counted().is_empty() {
            true => TRIES,
            false => 0,
        };
        for _ in 0..tries {
            let at = self.rng.index(sites.len());
            let node = sites.get(at)?.node;
            if self.kinds.is(node, kind) {
                return Some((at as u32, node));
            }
        }
        let count = self.count(kind);
        let i = self.rng.index(count);
        self.parent.counted().nth(kind, i)
    }

    /// The sites of a kind, in order.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = u32> + '_ {
        self.of_kind_from(kind, 0)
    }

    /// The sites of a kind from one on, in order, and then those before it.
    pub fn of_kind_from(&self, kind: Kind, site: u32) -> impl Iterator<Item = u32> + '_ {
        let sites = self.index().sites();
        let site = site.min(sites.len() as u32);
        let of_kind = move |&at: &u32| self.kinds.is(sites[at as usize].node, kind);
        (site..sites.len() as u32).chain(0..site).filter(of_kind)
    }

    /// The production that a reference of this node derives; `None` for other nodes.
    pub fn production_of(&self, node: NodeId) -> Option<ProductionId> {
        let production = self.kinds.production(node);
        let known = (production as usize) < self.graph().grammar().productions().len();
        known.then_some(ProductionId(production))
    }

    /// The nonterminal of a site: the one that it derives, else the one in whose right side it is written.
    pub fn nonterminal(&self, site: u32) -> ProductionId {
        let node = self.index().sites().get(site as usize);
        self.kinds.nonterminal(node.map_or(ROOT, |site| site.node))
    }

    /// Whether what stands at one node may stand at the other: the same node, or references to one production.
    pub fn is_compatible(&self, one: NodeId, other: NodeId) -> bool {
        one == other || {
            let production = self.production_of(one);
            production.is_some() && production == self.production_of(other)
        }
    }

    /// The node that a site chooses at first: the right side of a reference, else its own.
    pub fn choice_node(&self, site: u32) -> Option<NodeId> {
        let node = self.parent.index.sites().get(site as usize)?.node;
        match self.production_of(node) {
            Some(production) => Some(self.graph().grammar()[production].root),
            None => Some(node),
        }
    }

    /// The bounds of a quantifier's site.
    pub fn bounds(&self, site: u32) -> Option<(u32, u32)> {
        match self.graph().grammar()[self.choice_node(site)?].kind {
            NodeKind::Quantifier { min, max } => Some((min, max.unwrap_or(u32::MAX))),
            _ => None,
        }
    }

    /// The nearest site above with the same production.
    pub fn same_above(&self, site: u32) -> Option<u32> {
        let sites = self.parent.index.sites();
        let node = sites.get(site as usize)?.node;
        let mut above = sites[site as usize].parent;
        while let Some(candidate) = sites.get(above as usize) {
            if self.is_compatible(candidate.node, node) {
                return Some(above);
            }
            above = candidate.parent;
        }
        None
    }

    /// Derives a part for a place directly below site `parent`, into the fragment.
    pub(super) fn fragment(&mut self, node: NodeId, parent: u32, part: Part<'_>) {
        let sites = self.parent.index.sites();
        let (codec, scratch, fragment) = (&self.codec, &mut self.scratch, &mut self.fragment);
        let graph: &Graph = codec.graph();
        // References open above the part, the root not counted.
        let depth = sites.get(parent as usize).map_or(0, |host| {
            (host.depth + u32::from(self.kinds.is_reference(host.node))).saturating_sub(1)
        });
        let (weights, guidance) = (&self.weights, self.guidance.as_mut());
        let max_depth = self.limits.max_depth;
        let random = move |size: Size, rng| {
            let limits = Limits {
                // Always room for something, also where the input is as deep as it may be.
                max_depth: max_depth.max(depth + 2).min(depth + 24),
                max_len: size.max_len,
                max_nodes: size.max_len.saturating_mul(4).saturating_add(64),
            };
            let otherwise = Stated::new(weights, size.growth);
            let draw = match guidance {
                Some(guidance) => guidance.draw(codec, node, (sites, parent), otherwise),
                None => Drawn::Stated(otherwise),
            };
            let mut chooser = RandomChooser::drawing(graph, draw, limits, rng);
            chooser.begin(node, depth);
            chooser
        };
        match part {
            Part::Copy(site) => {
                let from = (&self.parent.index, site);
                codec.copy_under(from, node, (sites, parent), scratch, fragment);
            }
            Part::Donated(site) => {
                fragment.clear();
                if let Some(donor) = &self.donor {
                    let from = (&donor.index, site);
                    codec.copy_under(from, node, (sites, parent), scratch, fragment);
                }
            }
            Part::Choices(choices) => {
                let mut tape = codec.tape(choices);
                codec.derive_under(node, &mut tape, sites, parent, scratch, fragment);
            }
            Part::Random(size) => {
                let mut chooser = random(size, &mut self.rng);
                codec.derive_under(node, &mut chooser, sites, parent, scratch, fragment);
            }
            Part::Alternative(index, size) => {
                let mut chooser = First {
                    index: Some(index),
                    then: random(size, &mut self.rng),
                };
                codec.derive_under(node, &mut chooser, sites, parent, scratch, fragment);
            }
            Part::Path(path, size) => {
                let below = node == ROOT || self.kinds.is_reference(node);
                let close_off = random(size, &mut self.rng);
                let mut chooser = PathChooser::new(graph, path, below, close_off);
                codec.derive_under(node, &mut chooser, sites, parent, scratch, fragment);
            }
        }
    }

    /// Replaces a site's subtree. False, and nothing changed, if there is only one, or if the budget forbids it.
    pub fn replace(&mut self, site: u32, part: Part<'_>) -> bool {
        let Some(&at) = self.index().sites().get(site as usize) else {
            return false;
        };
        if at.choice_start == at.choice_end {
            return false;
        }
        self.fragment(at.node, at.parent, part);
        let span = self.index().span(site);
        self.put(span, false, true)
    }

    /// Puts an item before item `before` of a quantifier's site, or behind all items. Only where items are optional from
    /// there on and unbounded in number. False, and nothing changed, if the budget forbids it.
    pub fn insert_item(&mut self, quantifier: u32, before: Option<u32>, part: Part<'_>) -> bool {
        let Some(subject) = self.subject(quantifier) else {
            return false;
        };
        self.fragment(subject, quantifier, part);
        let span = self.gap(quantifier, before);
        self.put(span, true, true)
    }

    /// The quantified node of a quantifier's site.
    pub fn subject(&self, quantifier: u32) -> Option<NodeId> {
        let node = self.choice_node(quantifier)?;
        let grammar = self.graph().grammar();
        match grammar[node].kind {
            NodeKind::Quantifier { .. } => grammar.children(node).first().copied(),
            _ => None,
        }
    }

    /// The empty span before an item, its decision to go on included, or behind the last one.
    pub(super) fn gap(&self, quantifier: u32, before: Option<u32>) -> Span {
        let sites = self.parent.index.sites();
        let host = &sites[quantifier as usize];
        let (site, choice, text) = match before {
            Some(item) => {
                let item_site = &sites[item as usize];
                (item, item_site.choice_start - 1, item_site.text_start)
            }
            None => match self.parent.index.children(quantifier).last() {
                Some(last) => (
                    sites[last as usize].end,
                    sites[last as usize].choice_end,
                    self.parent.index.text_range(last).end,
                ),
                None => (quantifier + 1, host.choice_start, host.text_start),
            },
        };
        Span {
            parent: quantifier,
            sites: site..site,
            choices: choice..choice,
            text: text..text,
        }
    }

    /// Puts the derived fragment, or nothing, in the place of a span. False, and nothing changed, if the budget forbids it.
    pub(super) fn put(&mut self, span: Span, leads: bool, with_fragment: bool) -> bool {
        if !with_fragment {
            self.fragment.clear();
        }
        self.put_fragment(span, leads, false)
    }

    /// Puts the derived fragment in the place of a span, and takes all other edits back. False, and nothing changed, if the budget
    /// forbids it.
    pub(super) fn put_alone(&mut self, span: Span) -> bool {
        self.put_fragment(span, false, true)
    }

    fn put_fragment(&mut self, span: Span, leads: bool, alone: bool) -> bool {
        let parent = &self.parent.index;
        let deepest = |sites: &[Site]| sites.iter().map(|site| site.depth).max().unwrap_or(0);
        let most = self.limits.max_depth.saturating_add(1);
        let new = self.fragment.sites();
        // A few sites cannot get as deep.
        let first = new.first().map_or(0, |site| site.depth as usize);
        if first + new.len() > most as usize {
            let depth = deepest(new);
            // Too deep already is no reason to stay so, but none to get deeper.
            let old = &parent.sites()[span.sites.start as usize..span.sites.end as usize];
            if depth > most && depth > deepest(old) {
                return false;
            }
        }
        let budget = &self.limits;
        let before = self.edits.extent(parent);
        // What counts is the canonical sequence; choices that close-off makes anyway are free.
        let most = self.edits.most_choices(parent) + self.fragment.choices().len();
        let kept = (most >= budget.max_choices).then(|| self.edits.kept(parent));
        self.edits.put(span, leads, &mut self.fragment, alone);
        let after = self.edits.extent(parent);
        let fits = |new: usize, old: usize, max: usize| new <= max || new <= old;
        let fits = fits(after.sites, before.sites, budget.max_sites)
            && fits(after.text, before.text, budget.max_len)
            && kept.is_none_or(|kept| fits(self.edits.kept(parent), kept, budget.max_choices));
        if !fits {
            self.edits.undo();
        }
        fits
    }
}

/// Whether the same derivation can have several texts: by other separators, or by letters in another case.
fn varies(graph: &Graph) -> bool {
    let grammar = graph.grammar();
    let has_separators = |lexicon: &Lexicon| !lexicon.separators().is_empty();
    let mut literals = grammar.literals().ids();
    graph.lexicon().is_some_and(has_separators) || literals.any(|id| grammar.is_caseless(id))
}

/// What is put somewhere.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// A copy of another site's subtree, of the same node or of the same production.
    Copy(u32),
    /// The same of a site of the donor.
    Donated(u32),
    /// What choices derive, closed off where they end: none for the shortest derivation.
    Choices(&'a [u8]),
    /// A random derivation.
    Random(Size),
    /// A random derivation that begins with an alternative.
    Alternative(u32, Size),
    /// A random derivation with a path in it.
    Path(&'a [SymbolId], Size),
}

/// How large a random derivation may get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// How readily its quantifiers go on.
    pub growth: Growth,
    /// Its bytes, at most (its shortest derivation, if that is longer).
    pub max_len: u32,
}

impl Size {
    /// No more than the shortest derivation.
    pub const SHORTEST: Size = Size {
        growth: Growth(1),
        max_len: 0,
    };

    /// As small as random gets.
    pub const SMALL: Size = Size {
        growth: Growth(1),
        max_len: 32,
    };

    /// Mostly small, with a heavy tail.
    pub fn draw(rng: &mut Rng) -> Size {
        let growth = Growth::draw(rng);
        Size {
            growth,
            max_len: rng.heavy_tail().saturating_mul(24).min(4096),
        }
    }
}

/// Takes an alternative first and leaves the rest to another chooser.
struct First<C> {
    index: Option<u32>,
    then: C,
}

impl<C: Chooser> Chooser for First<C> {
    fn alternative(&mut self, node: NodeId, count: u32) -> u32 {
        match self.index.take() {
            Some(index) => {
                self.then.forced_alternative(node, index);
                index
            }
            None => self.then.alternative(node, count),
        }
    }
    fn more(&mut self, node: NodeId) -> bool {
        self.then.more(node)
    }
    fn member(&mut self, node: NodeId, class: &ClassCode) -> MemberChoice {
        self.then.member(node, class)
    }
    fn enter(&mut self, symbol: Option<SymbolId>) {
        self.then.enter(symbol);
    }
    fn leave(&mut self) {
        self.then.leave();
    }
}
