//! Parents: inputs that were read, each once.
//!
//! The engine mutates the same few hundred inputs over and over. To read one, decoding its choices into sites, takes many times what a
//! mutation takes. So what was read is kept, within a bound on the memory of all, and found again by the hash of its bytes. What
//! only some mutations ask for, which nodes occur where and which features there are, is worked out when it is asked for first. A
//! parent never changes; its mutants are edits ([`super::edits`]).

use super::edits::Edits;
use super::kinds::{KINDS, Kind, Kinds};
use super::yields::{hash, place_of};
use crate::choice::{Codec, Scratch, SiteIndex};
use crate::id::{Id as _, NodeId};
use crate::slip::{self, Slips};

/// An input that was read.
#[derive(Debug, Default)]
pub(super) struct Parent {
    /// As it was handed in, and its hash.
    pub(super) input: Vec<u8>,
    pub(super) hash: u64,
    /// Its derivation; empty while that is deferred.
    pub(super) index: SiteIndex,
    pub(super) slips: Slips,
    /// Its text, if that is not the index's.
    pub(super) text: Vec<u8>,
    pub(super) has_text: bool,
    /// Whether it is of tokens, and the text reads as other ones.
    pub(super) is_misread: bool,
    /// Whether nothing of it is new to the campaign.
    pub(super) is_marked: bool,
    /// Whether it is a mutant that the engine may not have kept.
    pub(super) is_passing: bool,
    /// Whether it is a text of its own, whose derivation nobody has asked for.
    is_deferred: bool,
    census: Census,
    /// The features of its windows, and how many sites have each; none before somebody asks.
    pub(super) features: Vec<(u32, u32)>,
}

impl Parent {
    /// Reads an input, but not the derivation of a text of its own, if `defers`.
    pub(super) fn read(
        &mut self,
        codec: &Codec,
        scratch: &mut Scratch,
        input: &[u8],
        defers: bool,
    ) {
        let (choices, script) = slip::split(input);
        self.rename(input, hash(input));
        self.slips.read(script);
        self.is_deferred = defers && self.slips.verbatim().is_some();
        match self.is_deferred {
            true => self.index.clear(),
            false => {
                codec.index(choices, scratch, &mut self.index);
                self.slips.fit(self.index.sites().len());
            }
        }
        self.forget();
    }

    /// Reads choices that have no slips, whatever they end like; it has no name then.
    pub(super) fn derive(&mut self, codec: &Codec, scratch: &mut Scratch, choices: &[u8]) {
        self.slips.clear();
        self.is_deferred = false;
        codec.index(choices, scratch, &mut self.index);
        self.forget();
    }

    /// Becomes what edits make of another parent, with its slips; it has no name then.
    pub(super) fn splice(&mut self, before: &SiteIndex, edits: &mut Edits, slips: &Slips) {
        self.slips.clone_from(slips);
        self.slips.move_to(|site| edits.place_of(site));
        self.is_deferred = false;
        if !edits.take_whole(before, &mut self.index) {
            edits.splice(before, &mut self.index);
        }
        self.forget();
    }

    /// Says which input it is.
    pub(super) fn rename(&mut self, input: &[u8], hash: u64) {
        self.input.clear();
        self.input.extend_from_slice(input);
        self.hash = hash;
    }

    /// What was worked out is no more.
    fn forget(&mut self) {
        self.census.clear();
        self.features.clear();
        self.is_marked = false;
        self.is_misread = false;
        self.is_passing = false;
    }

    pub(super) fn is_deferred(&self) -> bool {
        self.is_deferred
    }

    /// Reads the derivation that was deferred.
    pub(super) fn settle(&mut self, codec: &Codec, scratch: &mut Scratch) {
        if std::mem::take(&mut self.is_deferred) {
            codec.index(slip::split(&self.input).0, scratch, &mut self.index);
            self.forget();
        }
    }

    /// Its text.
    pub(super) fn text(&self) -> &[u8] {
        match self.has_text {
            true => &self.text,
            false => self.index.text(),
        }
    }

    /// The choices: canonical ones, unless the derivation is deferred.
    pub(super) fn choices(&self) -> &[u8] {
        match self.is_deferred {
            true => slip::split(&self.input).0,
            false => self.index.canonical(),
        }
    }

    /// The sites by their nodes. O(sites) for the first time.
    pub(super) fn census(&mut self, kinds: &Kinds, heads: &mut Vec<u32>) -> &Census {
        if self.census.sites.is_empty() {
            self.census.count(&self.index, kinds, heads);
        }
        &self.census
    }

    /// The census, if it was taken.
    pub(super) fn counted(&self) -> &Census {
        &self.census
    }

    /// About the bytes that it takes.
    fn size(&self) -> usize {
        let sites =
            self.index.sites().len() * (size_of::<crate::choice::Site>() + size_of::<u32>());
        let texts = self.input.len() + self.index.choices().len() + self.index.text().len();
        size_of::<Parent>() + sites + texts + self.text.len()
    }
}

/// The sites of a derivation by their nodes.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// The nodes, in the order in which they occur, and where their sites end among all.
    nodes: Vec<(NodeId, u32)>,
    /// Node by node, in order.
    sites: Vec<u32>,
    /// Of each kind, the numbers of its nodes, with how many sites those up to it have.
    kinds: [Vec<(u32, u32)>; KINDS],
}

impl Census {
    pub(super) fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.sites.clear();
        self.kinds.iter_mut().for_each(Vec::clear);
    }

    /// Counting sort. `heads` is zero everywhere, before and afterwards.
    fn count(&mut self, index: &SiteIndex, kinds: &Kinds, heads: &mut Vec<u32>) {
        // The root's node has the last place.
        heads.resize(kinds.len() + 1, 0);
        let head = |node: NodeId| node.index().min(kinds.len());
        for site in index.sites() {
            let at = &mut heads[head(site.node)];
            if *at == 0 {
                self.nodes.push((site.node, 0));
                *at = self.nodes.len() as u32;
            }
            self.nodes[*at as usize - 1].1 += 1;
        }
        let mut start = 0;
        for (number, (node, end)) in (0..).zip(&mut self.nodes) {
            let count = std::mem::replace(end, start);
            start += count;
            for (kind, list) in self.kinds.iter_mut().enumerate() {
                if kinds.of(*node) >> kind & 1 != 0 {
                    let before = list.last().map_or(0, |it| it.0);
                    list.push((before + count, number));
                }
            }
        }
        self.sites.resize(index.sites().len(), 0);
        for (at, site) in (0..).zip(index.sites()) {
            let (_, next) = &mut self.nodes[heads[head(site.node)] as usize - 1];
            self.sites[*next as usize] = at;
            *next += 1;
        }
        for &(node, _) in &self.nodes {
            heads[head(node)] = 0;
        }
    }

    /// How many sites are of a kind.
    pub(super) fn count_of(&self, kind: Kind) -> usize {
        self.kinds[kind as usize]
            .last()
            .map_or(0, |it| it.0 as usize)
    }

    /// The `i`-th site of a kind, node by node, and its node. O(log nodes).
    pub(super) fn nth(&self, kind: Kind, i: usize) -> Option<(u32, NodeId)> {
        let list = &self.kinds[kind as usize];
        let at = list.partition_point(|it| it.0 as usize <= i);
        let &(end, number) = list.get(at)?;
        let (node, last) = self.nodes[number as usize];
        Some((self.sites[last as usize - (end as usize - i)], node))
    }

    /// The nodes, each with its sites in order.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (NodeId, &[u32])> {
        let mut start = 0;
        self.nodes.iter().map(move |&(node, end)| {
            let sites = start..end as usize;
            start = end as usize;
            (node, &self.sites[sites])
        })
    }

    /// The sites of a node, in order.
    pub(super) fn of_node(&self, node: NodeId) -> &[u32] {
        let mut nodes = self.nodes();
        nodes.find(|it| it.0 == node).map_or(&[], |it| it.1)
    }
}

/// The bytes of all parents that are kept.
const MAX_BYTES: usize = 64 << 20;
/// How many there may be, and among how many places one is looked for.
const PLACES: usize = 1 << 13;
const WAYS: usize = 4;

/// The bytes of an input that is worth to be kept: shorter ones are read as quickly as they are found.
const SHORT: usize = 4;
/// How many are kept to be read anew: the parent before, and a donor.
const SPARES: usize = 2;

/// The parents that are kept, each at one of the places that its hash names.
#[derive(Debug)]
pub(super) struct Parents {
    places: Vec<Option<Box<Parent>>>,
    bytes: usize,
    /// Where to make room next.
    hand: usize,
    /// To be read anew.
    #[expect(clippy::vec_box, reason = "parents go in and out as they are")]
    spares: Vec<Box<Parent>>,
}

impl Default for Parents {
    fn default() -> Parents {
        Parents {
            places: std::iter::repeat_with(|| None).take(PLACES).collect(),
            bytes: 0,
            hand: 0,
            spares: Vec::new(),
        }
    }
}

impl Parents {
    fn places_of(hash: u64) -> std::ops::Range<usize> {
        let first = place_of(hash, PLACES / WAYS) * WAYS;
        first..first + WAYS
    }

    /// Takes a parent out.
    pub(super) fn take(&mut self, hash: u64, input: &[u8]) -> Option<Box<Parent>> {
        if input.len() < SHORT {
            return None;
        }
        let mut places = self.places[Parents::places_of(hash)].iter_mut();
        let is_it = |parent: &Parent| parent.hash == hash && parent.input == input;
        let found = places.find_map(|place| place.take_if(|parent| is_it(parent)))?;
        self.bytes -= found.size();
        Some(found)
    }

    /// Puts a parent in, and gives up others where there is no room. Those that are read as quickly as they are found are not kept.
    pub(super) fn put(&mut self, parent: Box<Parent>) {
        let size = parent.size();
        if parent.is_passing || parent.input.len() < SHORT || size > MAX_BYTES {
            return self.reuse(parent);
        }
        let places = Parents::places_of(parent.hash);
        let is_free = |at: &usize| self.places[*at].is_none();
        let at = places.clone().find(is_free).unwrap_or_else(|| {
            self.hand += 1;
            places.start + self.hand % WAYS
        });
        self.drop_at(at);
        while self.bytes + size > MAX_BYTES {
            self.hand += 1;
            self.drop_at(self.hand % PLACES);
        }
        self.bytes += size;
        self.places[at] = Some(parent);
    }

    fn drop_at(&mut self, at: usize) {
        if let Some(parent) = self.places[at].take() {
            self.bytes -= parent.size();
            self.reuse(parent);
        }
    }

    /// Takes the memory of a parent that nobody needs.
    fn reuse(&mut self, parent: Box<Parent>) {
        if self.spares.len() < SPARES {
            self.spares.push(parent);
        }
    }

    /// One whose memory may be used again.
    pub(super) fn spare(&mut self) -> Box<Parent> {
        self.spares.pop().unwrap_or_default()
    }
}
