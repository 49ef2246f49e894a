//! Covering sets: inputs that together cover every k-path (TOSEM article, algorithm 1; ASE article, figure 7).
//!
//! Each step takes an uncovered k-path, derives the cheapest way to it and the path itself, closes off what is open, and
//! strikes out everything that the input covers. Differences to the papers: the paths that need the longest sentences come
//! first, so that the short ones are mostly covered on the side; equally short close-offs are chosen by what they cover; and
//! when few inputs are wanted, inputs grow as long as they cover anything new within the limits.
//!
//! Besides k-paths the windows near the root are targets, so the smaller levels are covered as well. What no input within the
//! limits can contain is collected in [`Cover::forbidden`].

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::choice::{Chooser, Codec, ROOT, Scratch, SiteIndex};
use crate::graph::{Graph, Measure};
use crate::id::{IdVec, NodeId, SymbolId};
use crate::kpath::{Coverage, Error, HitCounts, KPaths, WindowStack, WindowTable};
use crate::rng::Rng;
use crate::weights::Weights;

use super::access::Access;
use super::batch::Batch;
use super::close_off::{Attitude, Seeking, first_symbols, terse_symbols};
use super::least_used::LeastUsed;
use super::lookahead::Lookahead;
use super::{Growth, Limits, PathChooser, RandomChooser};

/// How a partial tree is finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum CloseOff {
    /// By shortest derivations, choosing among equally short ones by what they cover.
    #[default]
    Shortest,
    /// At random, within the limits (TOSEM article, algorithm 2).
    BoundedRandom,
    /// By the least used k-paths (ASE article).
    CoverageSeeking,
}

/// How targets are spread over inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Packing {
    /// Short inputs: one target each, and what is covered on the side.
    #[default]
    Small,
    /// Few inputs: each grows as long as it covers more, whatever the close-off, and those are left out that the others make
    /// superfluous. Never more than [`Packing::Small`] makes.
    Few,
}

/// The most windows that are put in order before covering begins; larger sets are taken in order of rank.
const SORTED_WINDOWS: u64 = 1 << 22;
/// The bounds of inputs that shall be few: deep trees are rejected by many parsers, long sentences are not.
const FEW: Limits = Limits {
    max_depth: 30,
    max_len: 1 << 20,
    max_nodes: 1 << 18,
};
/// How often exploring is tried in vain before a target is forced.
const FRUITLESS_WALKS: u32 = 3;
/// The bounds of random close-off: the depth of the papers' evaluation (TOSEM article, section 4.3.2).
const RANDOM: Limits = Limits {
    max_depth: 30,
    max_len: 1 << 20,
    max_nodes: 1 << 14,
};

/// The same for close-off by the least used paths. Some path is always the least used, above all where the grammar recurs, so this
/// would go on for as many nodes as it gets; what it does not reach in so many, other inputs do.
const LEAST_USED: Limits = Limits {
    max_nodes: 1 << 9,
    ..RANDOM
};

/// Settings of a [`Cover`].
#[derive(Clone, Debug)]
pub struct CoverBuilder {
    close_off: CloseOff,
    packing: Packing,
    max_depth: Option<u32>,
    max_len: Option<u32>,
    all_levels: bool,
    texts: bool,
    seed: u64,
}

impl Default for CoverBuilder {
    fn default() -> CoverBuilder {
        CoverBuilder::new()
    }
}

impl CoverBuilder {
    /// Small inputs, shortest close-off, no limits.
    pub fn new() -> CoverBuilder {
        CoverBuilder {
            close_off: CloseOff::default(),
            packing: Packing::default(),
            max_depth: None,
            max_len: None,
            all_levels: false,
            texts: false,
            seed: 0,
        }
    }

    /// How partial trees are finished.
    pub fn close_off(mut self, close_off: CloseOff) -> CoverBuilder {
        self.close_off = close_off;
        self
    }

    /// How targets are spread over inputs.
    pub fn packing(mut self, packing: Packing) -> CoverBuilder {
        self.packing = packing;
        self
    }

    /// The most nested references of an input. A hard limit.
    pub fn max_depth(mut self, max_depth: Option<u32>) -> CoverBuilder {
        self.max_depth = max_depth;
        self
    }

    /// The most bytes of a sentence. A hard limit.
    pub fn max_len(mut self, max_len: Option<u32>) -> CoverBuilder {
        self.max_len = max_len;
        self
    }

    /// Whether shorter paths are covered too where they are not part of longer ones, as near the root.
    pub fn all_levels(mut self, all_levels: bool) -> CoverBuilder {
        self.all_levels = all_levels;
        self
    }

    /// Whether inputs of the same text count as one where few are wanted.
    pub fn texts(mut self, texts: bool) -> CoverBuilder {
        self.texts = texts;
        self
    }

    /// The seed of random close-off.
    pub fn seed(mut self, seed: u64) -> CoverBuilder {
        self.seed = seed;
        self
    }

    /// Begins covering the k-paths of a graph.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] and its kin if coverage for this k cannot be kept.
    pub fn build(self, graph: &Arc<Graph>, k: usize) -> Result<Cover, Error> {
        let kpaths = KPaths::new(graph, k)?;
        let windows = WindowTable::new(&kpaths)?;
        let codec = Arc::new(Codec::new(graph).with_windows(&windows));
        let coverage = Coverage::new(&kpaths)?;
        let mut steering = coverage.clone();
        if !self.all_levels {
            steering.add(kpaths.len() as u32..kpaths.window_count() as u32);
        }
        let by_length = Access::new(graph, Measure::Length);
        let by_depth = Access::new(graph, Measure::Depth);
        let count = kpaths.window_count();
        let mut order = Vec::new();
        if count <= SORTED_WINDOWS {
            let mut keyed: Vec<(u64, u32)> = (0..count as u32)
                .filter_map(|window| {
                    let path = kpaths.window(u64::from(window))?;
                    Some((
                        Target::new(&kpaths, window, path).length(graph, &by_length),
                        window,
                    ))
                })
                .collect();
            keyed.sort_unstable_by_key(|&(length, window)| (std::cmp::Reverse(length), window));
            order = keyed.into_iter().map(|(_, window)| window).collect();
        }
        let shortest = graph.shortest(Measure::Depth);
        let productions = graph.grammar().productions().iter();
        let margin = productions
            .map(|(_, production)| shortest.cost(production.root))
            .max()
            .unwrap_or(0);
        let terse = match self.packing {
            Packing::Small => Some(terse_symbols(graph)),
            Packing::Few => None,
        };
        let rival = match self.packing {
            Packing::Small => None,
            Packing::Few => {
                let small = self.clone().packing(Packing::Small);
                Some(Box::new(small.build(graph, k)?))
            }
        };
        Ok(Cover {
            rival,
            packed: None,
            lookahead: Lookahead::new(&windows, terse)?,
            hits: HitCounts::new(&coverage),
            weights: Weights::stated(graph.grammar()),
            first_symbols: first_symbols(graph),
            rng: Rng::new(self.seed),
            settings: self,
            graph: graph.clone(),
            windows,
            codec,
            coverage,
            steering,
            inputs: 0,
            has_assumed: false,
            by_length,
            by_depth,
            order,
            margin,
            next: 0,
            begun: 0,
            forbidden: Vec::new(),
            stack: WindowStack::default(),
            scratch: Scratch::default(),
        })
    }
}

/// A covering set in the making: ask [`Cover::next_input`] until there is none.
#[derive(Debug)]
pub struct Cover {
    settings: CoverBuilder,
    graph: Arc<Graph>,
    windows: Arc<WindowTable>,
    codec: Arc<Codec>,
    /// What the inputs cover.
    coverage: Coverage,
    /// The same, and what need not be covered.
    steering: Coverage,
    inputs: usize,
    /// Whether other inputs are there already.
    has_assumed: bool,
    hits: HitCounts,
    lookahead: Lookahead,
    weights: Weights,
    first_symbols: IdVec<NodeId, u32>,
    by_length: Access,
    by_depth: Access,
    /// The windows, those of long sentences first; empty if there are too many to be put in order.
    order: Vec<u32>,
    margin: u32,
    next: u32,
    /// All windows below this one are covered.
    begun: u32,
    forbidden: Vec<u32>,
    /// What small inputs come to, where few are wanted.
    rival: Option<Box<Cover>>,
    /// The few inputs that are left to hand out, the last one first.
    packed: Option<Vec<Vec<u8>>>,
    rng: Rng,
    stack: WindowStack,
    scratch: Scratch,
}

/// A window to cover: its symbols, and whether they must begin at the root.
struct Target {
    path: Vec<SymbolId>,
    rooted: bool,
}

impl Target {
    fn new(kpaths: &KPaths, window: u32, path: Vec<SymbolId>) -> Target {
        Target {
            path,
            rooted: u64::from(window) >= kpaths.len(),
        }
    }

    /// The length of the shortest sentence that has the target.
    fn length(&self, graph: &Graph, by_length: &Access) -> u64 {
        if self.rooted {
            by_length.cost_of(graph, &self.path)
        } else {
            by_length.cost_with_route(graph, &self.path)
        }
    }

    /// The whole path from the root, by the ways of `access`.
    fn path_from_root(&self, graph: &Graph, access: &Access) -> Vec<SymbolId> {
        let mut path = Vec::new();
        if let (false, Some(&first)) = (self.rooted, self.path.first()) {
            path = access.route(graph, graph.production_of(first));
        }
        path.extend_from_slice(&self.path);
        path
    }
}

impl Cover {
    /// What is covered so far; where few inputs are wanted, by all of them as soon as one was asked for.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// How many symbols were looked at.
    #[cfg(test)]
    pub(super) fn looks(&self) -> u64 {
        self.lookahead.looks.get()
    }

    /// The codec of the inputs.
    pub fn codec(&self) -> &Arc<Codec> {
        &self.codec
    }

    /// The windows that no input within the limits has, as far as inputs were asked for.
    pub fn forbidden(&self) -> &[u32] {
        &self.forbidden
    }

    /// Takes what other inputs cover as covered. To be called before inputs are asked for; if everything is covered then, there are
    /// none.
    pub fn assume(&mut self, windows: impl IntoIterator<Item = u32>) {
        self.has_assumed = true;
        for window in windows {
            self.coverage.insert(window);
            self.steering.insert(window);
            if let Some(rival) = &mut self.rival {
                rival.coverage.insert(window);
                rival.steering.insert(window);
            }
        }
    }

    /// Derives the next input into `index`; false when everything is covered or forbidden.
    ///
    /// Where there is nothing to cover, as in a grammar shallower than k, there is still one input, unless others are there already.
    pub fn next_input(&mut self, index: &mut SiteIndex) -> bool {
        if self.settings.packing == Packing::Small {
            return self.advance(index);
        }
        if self.packed.is_none() {
            self.pack(index);
        }
        let next = self.packed.as_mut().and_then(Vec::pop);
        if let Some(choices) = &next {
            self.codec.index(choices, &mut self.scratch, index);
        }
        next.is_some()
    }

    /// Makes all inputs where few are wanted. Linear in the windows that they have.
    fn pack(&mut self, index: &mut SiteIndex) {
        let assumed = self.coverage.clone();
        let least = usize::from(!self.has_assumed);
        let mut few = Batch::new(&assumed, &self.steering, self.settings.texts);
        while self.advance(index) {
            few.push(index);
        }
        few.prune(least);
        // Where growing has not paid, small inputs may be fewer; no more of them are made than it takes to know.
        if let Some(mut rival) = self.rival.take() {
            let mut small = Batch::new(&assumed, &rival.steering, self.settings.texts);
            while small.len() < few.len() && rival.advance(index) {
                small.push(index);
            }
            if small.len() < few.len() {
                small.prune(least);
                self.forbidden = rival.forbidden;
                few = small;
            }
        }
        self.coverage = assumed;
        for windows in few.windows() {
            self.coverage.add(windows.iter().copied());
        }
        let mut choices = few.into_choices();
        choices.reverse();
        self.packed = Some(choices);
    }

    /// Derives the next input of one sweep over the targets.
    fn advance(&mut self, index: &mut SiteIndex) -> bool {
        if self.settings.packing == Packing::Few && self.keeps_limits(&[]) {
            // A walk that finds nothing corrects the distances that misled it, so a few more may find something.
            for _ in 0..FRUITLESS_WALKS {
                match self.steering.next_uncovered(self.begun) {
                    Some(window) => self.begun = window,
                    None => break,
                }
                self.derive(&[], index);
                if self.note(index) > 0 {
                    return true;
                }
            }
        }
        while let Some(window) = self.next_target() {
            let Some(path) = self.steering.path(window) else {
                continue;
            };
            let target = Target::new(self.steering.kpaths(), window, path);
            if let Some(path) = self.allowed_path(&target) {
                self.derive(&path, index);
                self.note(index);
                if self.coverage.contains(window) {
                    return true;
                }
            }
            self.forbidden.push(window);
        }
        if self.inputs == 0 && self.forbidden.is_empty() && !self.has_assumed {
            let mut shortest = self.codec.tape(&[]);
            self.codec
                .derive(ROOT, &mut shortest, &mut self.scratch, index);
            self.note(index);
            return true;
        }
        false
    }

    fn next_target(&mut self) -> Option<u32> {
        if self.order.is_empty() {
            let window = self.steering.next_uncovered(self.next)?;
            self.next = window + 1;
            return Some(window);
        }
        loop {
            let &window = self.order.get(self.next as usize)?;
            self.next += 1;
            if !self.steering.contains(window) {
                return Some(window);
            }
        }
    }

    /// The path from the root to a target that keeps the limits, if there is one.
    fn allowed_path(&self, target: &Target) -> Option<Vec<SymbolId>> {
        [&self.by_length, &self.by_depth]
            .into_iter()
            .map(|access| target.path_from_root(&self.graph, access))
            .find(|path| self.keeps_limits(path))
    }

    /// Whether a derivation through `path` from the root can keep each of the limits.
    fn keeps_limits(&self, path: &[SymbolId]) -> bool {
        let keeps = |access: &Access, limit: Option<u32>| {
            limit.is_none_or(|limit| access.cost_of(&self.graph, path) <= u64::from(limit))
        };
        keeps(&self.by_length, self.settings.max_len)
            && keeps(&self.by_depth, self.settings.max_depth)
    }

    fn limits(&self, otherwise: Limits) -> Limits {
        Limits {
            max_depth: self.settings.max_depth.unwrap_or(otherwise.max_depth),
            max_len: self.settings.max_len.unwrap_or(otherwise.max_len),
            max_nodes: otherwise.max_nodes,
        }
    }

    /// Counts an input and says how many windows it covers first.
    fn note(&mut self, index: &SiteIndex) -> usize {
        let mut new = 0;
        for window in index.windows() {
            new += usize::from(self.coverage.insert(window));
            self.steering.insert(window);
        }
        self.inputs += 1;
        new
    }

    /// Derives an input with a path, closed off as the settings say.
    fn derive(&mut self, path: &[SymbolId], index: &mut SiteIndex) {
        let detour = self.detour(path);
        match self.settings.close_off {
            _ if self.settings.packing == Packing::Few => {
                let limits = self.at_least(path, self.limits(FEW));
                self.seek(path, Attitude::Exploring, limits, index);
            }
            CloseOff::Shortest => {
                let limits = self.limits(Limits::NONE);
                self.seek(path, Attitude::Terse, limits, index);
            }
            CloseOff::BoundedRandom => {
                let limits = self.at_least(path, self.limits(RANDOM));
                let graph = &self.graph;
                let growth = Growth(1);
                let mut random =
                    RandomChooser::new(graph, &self.weights, limits, growth, &mut self.rng);
                random.begin(ROOT, 0);
                random.set_aside(detour);
                let mut chooser = PathChooser::new(graph, path, true, random);
                self.codec
                    .derive(ROOT, &mut chooser, &mut self.scratch, index);
            }
            CloseOff::CoverageSeeking => {
                let limits = self.at_least(path, self.limits(LEAST_USED));
                let graph = &self.graph;
                let mut random =
                    RandomChooser::new(graph, &self.weights, limits, Growth(1), &mut self.rng);
                random.begin(ROOT, 0);
                random.set_aside(detour);
                self.stack.begin(&self.windows, std::iter::empty());
                let least_used = LeastUsed {
                    graph,
                    windows: &self.windows,
                    first_symbols: &self.first_symbols,
                    hits: &mut self.hits,
                    stack: &mut self.stack,
                    random,
                };
                let mut chooser = PathChooser::new(graph, path, true, least_used);
                self.codec
                    .derive(ROOT, &mut chooser, &mut self.scratch, index);
            }
        }
    }

    /// Limits that a path fits into, where the user set none.
    fn at_least(&self, path: &[SymbolId], mut limits: Limits) -> Limits {
        let needed = self.by_depth.cost_of(&self.graph, path) as u32;
        if self.settings.max_depth.is_none() {
            limits.max_depth = limits.max_depth.max(needed.saturating_add(self.margin));
        }
        limits
    }

    /// How many bytes the shortest sentence with a path has more than the shortest of all.
    fn detour(&self, path: &[SymbolId]) -> u64 {
        let shortest = self.by_length.cost_of(&self.graph, &[]);
        let with_path = self.by_length.cost_of(&self.graph, path);
        with_path.saturating_sub(shortest)
    }

    fn seek(
        &mut self,
        path: &[SymbolId],
        attitude: Attitude,
        limits: Limits,
        index: &mut SiteIndex,
    ) {
        let graph = &self.graph;
        let root = graph.grammar()[graph.grammar().start()].root;
        self.lookahead.begin();
        let owed = self.detour(path);
        let seeking = Seeking {
            graph,
            first_symbols: &self.first_symbols,
            coverage: &mut self.steering,
            lookahead: &mut self.lookahead,
            attitude,
            limits,
            depth: 0,
            length: u64::from(graph.shortest(Measure::Length).cost(root)) + owed,
            owed,
            nodes: u64::from(graph.shortest(Measure::Nodes).cost(root)),
            margin: match attitude {
                Attitude::Terse => 0,
                Attitude::Exploring => self.margin,
            },
            gained: 0,
            repeated: Vec::new(),
            hope: None,
            opened: BTreeMap::new(),
        };
        let mut chooser = PathChooser::new(graph, path, true, seeking);
        let chooser: &mut dyn Chooser = &mut chooser;
        self.codec.derive(ROOT, chooser, &mut self.scratch, index);
    }
}
