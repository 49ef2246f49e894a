//! What is present: a parent as it was handed in, or a mutant of it.
//!
//! ```text
//!          load                 an operator            encode, render
//! bytes ─────────▶ parent ──────────────────▶ edits ──────────────────▶ bytes and text ──▶ the engine
//!                    ▲                                                        │
//!                    └────────────────────────────────────────────────────────┘
//!                                       kept, and loaded again
//! ```
//!
//! [`Session::encode`] writes the bytes of a mutant, [`Session::render`] its text; both copy what the parent has. Text that
//! depends on what is elsewhere, of tokens or with hooks, takes the mutant's sites as well.

use std::ops::Range;

use super::parent::Parent;
use super::work::Workspace;
use super::{Session, yields};
use crate::choice::{Codec, Lexemes, Scratch, Site, SiteIndex};
use crate::kpath::NO_WINDOW;
use crate::semantics::{self, AnySemantics};
use crate::slip::{self, Change, Slips};

/// The sites of a parent that are looked at one by one for their features.
const FEW: usize = 32;

/// The bytes and the text of the present input.
#[derive(Debug, Default)]
pub(super) struct Present {
    /// As the engine has them.
    pub(super) input: Vec<u8>,
    /// Their hash, if it was asked for.
    hash: Option<u64>,
    /// The text of a mutant, once it is rendered.
    text: Vec<u8>,
    state: State,
}

/// How far a mutant has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    /// The parent, which has its text.
    #[default]
    Parent,
    /// A mutant with its bytes.
    Encoded,
    /// A mutant with its text, too.
    Rendered,
}

/// What rendering takes.
#[derive(Debug, Default)]
pub(super) struct Renderer {
    /// Hooks, and the memory of rendering with them.
    hooks: Option<(AnySemantics, semantics::Workspace)>,
    lexemes: Lexemes,
    scratch: Scratch,
    /// A mutant that was decoded, its slips, and its text without them.
    index: SiteIndex,
    slips: Slips,
    text: Vec<u8>,
}

impl Renderer {
    /// The text of a derivation with its slips.
    fn render(&mut self, codec: &Codec, index: &SiteIndex, slips: &Slips, text: &mut Vec<u8>) {
        text.clear();
        match (&mut self.hooks, slips.verbatim()) {
            (None, Some(raw)) => text.extend_from_slice(raw),
            (None, None) => slips.render(codec, index, &mut self.lexemes, text),
            (Some((hooks, workspace)), _) => {
                let done = hooks.render(codec, index, slips, workspace, text);
                // Hooks of another grammar are not taken in.
                debug_assert!(done.is_ok());
            }
        }
    }

    /// The text of an edited parent, whose bytes are `input`.
    fn render_mutant(&mut self, work: &Workspace, input: &[u8], text: &mut Vec<u8>) {
        let (codec, parent, slips) = (work.codec(), &work.parent, &work.slips);
        let edits = &work.edits;
        text.clear();
        // Two that change places need not be neighbors in the parent.
        let swaps = || slips.changes().any(|(_, change)| change == Change::Swap);
        let is_elsewhere = codec.graph().lexicon().is_some() || swaps();
        if self.hooks.is_some() || is_elsewhere && slips.verbatim().is_none() {
            let mut index = std::mem::take(&mut self.index);
            let mut moved = std::mem::take(&mut self.slips);
            match work.is_bare || parent.is_deferred() {
                true => codec.index(slip::split(input).0, &mut self.scratch, &mut index),
                false => edits.splice(&parent.index, &mut index),
            }
            moved.clone_from(slips);
            moved.move_to(|site| edits.place_of(site));
            self.render(codec, &index, &moved, text);
            (self.index, self.slips) = (index, moved);
        } else if let Some(raw) = slips.verbatim() {
            text.extend_from_slice(raw);
        } else if slips.is_empty() {
            edits.text(&parent.index, text);
        } else {
            self.text.clear();
            edits.text(&parent.index, &mut self.text);
            let range = |site| edits.text_of(&parent.index, site);
            slips.render_in(codec, &parent.index, &mut self.text, range, text);
        }
    }
}

impl Session {
    /// Makes `input` the present one, reading it unless it was read before.
    pub fn load(&mut self, input: &[u8]) {
        if self.present.input == input {
            return;
        }
        let hash = yields::hash(input);
        self.maker = None;
        if !self.enter(input, hash) {
            return;
        }
        if self.yields.came_back(hash) {
            self.length.progress();
            self.kept();
        }
        if !self.work.parent.is_deferred() {
            self.work.collect();
        }
    }

    /// Makes `input` the parent, without edits. True if it had to be read.
    fn enter(&mut self, input: &[u8], hash: u64) -> bool {
        let parent = &self.work.parent;
        let is_present = parent.hash == hash && parent.input == input;
        let mut is_new = false;
        if !is_present {
            let parent = self.fetch(input, hash);
            is_new = parent.1;
            self.replace_parent(parent.0);
        }
        self.work.reset();
        self.present.input.clear();
        self.present.input.extend_from_slice(input);
        self.present.hash = Some(hash);
        self.present.state = State::Parent;
        is_new
    }

    /// An input as a parent, and whether it had to be read.
    fn fetch(&mut self, input: &[u8], hash: u64) -> (Box<Parent>, bool) {
        if let Some(parent) = self.parents.take(hash, input) {
            return (parent, false);
        }
        let mut parent = self.parents.spare();
        let codec = self.work.codec().clone();
        let defers = self.renderer.hooks.is_none();
        parent.read(&codec, &mut self.work.scratch, input, defers);
        self.render_parent(&codec, &mut parent);
        (parent, true)
    }

    /// Gives a parent its text, where that is not the index's.
    fn render_parent(&mut self, codec: &Codec, parent: &mut Parent) {
        let has_own = codec.graph().lexicon().is_some() || self.renderer.hooks.is_some();
        parent.has_text = has_own || !parent.slips.is_empty();
        if parent.has_text {
            let renderer = &mut self.renderer;
            renderer.render(codec, &parent.index, &parent.slips, &mut parent.text);
            parent.is_misread = renderer.lexemes.is_misread();
        }
    }

    /// Makes another input the donor of parts.
    pub(super) fn enter_donor(&mut self, input: &[u8]) {
        let (mut donor, _) = self.fetch(input, yields::hash(input));
        let Workspace { codec, scratch, .. } = &mut self.work;
        donor.settle(codec, scratch);
        self.work.donor = Some(donor);
    }

    /// There is no donor any more.
    pub(super) fn leave_donor(&mut self) {
        if let Some(donor) = self.work.donor.take() {
            self.parents.put(donor);
        }
    }

    /// The present input was kept, so a model that learns learns it.
    fn kept(&mut self) {
        if self.work.parent.is_deferred() {
            return;
        }
        let codec = self.work.codec().clone();
        if let Some(guidance) = &mut self.work.guidance {
            guidance.kept(&codec, slip::split(&self.present.input).0);
        }
    }

    /// Makes the derivation of `input` the present one, in canonical form. False if it is the present one already.
    pub fn adopt(&mut self, input: &[u8]) -> bool {
        let before = self.present.input.clone();
        self.enter(input, yields::hash(input));
        self.encode();
        self.render();
        before != self.present.input
    }

    /// Makes what any choices derive the parent, in canonical form and without slips.
    pub(super) fn derive(&mut self, choices: &[u8]) {
        let codec = self.work.codec().clone();
        let mut parent = self.parents.spare();
        parent.derive(&codec, &mut self.work.scratch, choices);
        self.render_parent(&codec, &mut parent);
        self.replace_parent(parent);
        self.work.reset();
        self.encode();
        let hash = self.hash();
        self.work.parent.rename(&self.present.input, hash);
        self.work.parent.is_passing = true;
        self.present.state = State::Parent;
    }

    /// Makes the mutant a parent, so that what is mutated next may be what is new in it.
    pub(super) fn rebase(&mut self) {
        let is_read_anew = self.work.is_bare || self.work.parent.is_deferred();
        if self.present.state != State::Parent && is_read_anew {
            let input = std::mem::take(&mut self.present.input);
            let is_new = self.enter(&input, yields::hash(&input));
            self.work.parent.is_passing |= is_new;
        } else if self.present.state != State::Parent {
            let hash = self.hash();
            let codec = self.work.codec().clone();
            let mut parent = self.parents.spare();
            let Workspace {
                edits,
                parent: before,
                slips,
                ..
            } = &mut self.work;
            parent.splice(&before.index, edits, slips);
            parent.rename(&self.present.input, hash);
            parent.is_passing = true;
            self.render_parent(&codec, &mut parent);
            self.replace_parent(parent);
            self.work.reset();
            self.present.state = State::Parent;
        }
        self.work.settle();
    }

    /// Puts the parent away, to be found again if the engine may come back to it.
    fn replace_parent(&mut self, parent: Box<Parent>) {
        let before = std::mem::replace(&mut self.work.parent, parent);
        self.parents.put(before);
    }

    /// Takes all edits of the parent back.
    pub(super) fn go_back(&mut self) {
        let Parent { input, hash, .. } = &*self.work.parent;
        self.present.input.clone_from(input);
        self.present.hash = Some(*hash);
        self.present.state = State::Parent;
        self.work.reset();
    }

    /// Writes the bytes of the mutant: canonical choices, and the trailer of its slips.
    pub(super) fn encode(&mut self) {
        let Session {
            present,
            work,
            renderer,
            ..
        } = self;
        present.hash = None;
        present.state = State::Encoded;
        let input = &mut present.input;
        input.clear();
        let parent = &work.parent;
        if work.is_bare && work.slips.verbatim().is_some() {
            // Its text is all that there is.
        } else if parent.is_deferred() {
            input.extend_from_slice(parent.choices());
        } else {
            let kept = work.edits.choices(&parent.index, input);
            // The engine must not see an empty result, and any first choice in full decodes to the same.
            let next = input.get(kept).copied().unwrap_or(0);
            input.truncate(kept);
            // Choices that end like slips get one more: what close-off would choose, or one that nothing reads.
            if kept == 0 || work.slips.is_empty() && !slip::split(input).1.is_empty() {
                input.push(next);
            }
        }
        if !work.slips.is_empty() {
            renderer.slips.clone_from(&work.slips);
            renderer.slips.move_to(|site| work.edits.place_of(site));
            renderer.slips.encode(input);
        }
    }

    /// Puts the text of the mutant together, unless it is already.
    pub(super) fn render(&mut self) {
        let Session {
            present,
            work,
            renderer,
            ..
        } = self;
        if present.state == State::Encoded {
            present.state = State::Rendered;
            renderer.render_mutant(work, &present.input, &mut present.text);
        }
    }

    /// Whether the present input is of tokens that its text reads as.
    pub(super) fn is_read(&mut self) -> bool {
        if self.work.graph().lexicon().is_none() {
            return false;
        }
        self.render();
        match self.present.state {
            State::Parent => !self.work.parent.is_misread,
            _ => !self.renderer.lexemes.is_misread(),
        }
    }

    pub(super) fn hash(&mut self) -> u64 {
        let present = &mut self.present;
        *present
            .hash
            .get_or_insert_with(|| yields::hash(&present.input))
    }

    /// The present input: canonical choices, and the trailer of its slips if it has any.
    pub fn choices(&self) -> &[u8] {
        &self.present.input
    }

    /// The text of the present input: a sentence unless it has slips.
    pub fn sentence(&self) -> &[u8] {
        match self.present.state {
            State::Parent => self.work.parent.text(),
            State::Rendered => &self.present.text,
            State::Encoded => {
                debug_assert!(false, "what is given out is rendered");
                &[]
            }
        }
    }

    /// The text of an input, whatever the present one is.
    pub fn text_of(&self, input: &[u8]) -> Vec<u8> {
        let hooked = self.renderer.hooks.as_ref();
        let hooked = hooked.and_then(|(hooks, _)| hooks.text(self.codec(), input).ok());
        hooked.unwrap_or_else(|| slip::text(self.codec(), input))
    }

    /// Lets hooks have a say in every text: what [`Session::sentence`] and [`Session::text_of`] give is what they have made of it.
    ///
    /// # Errors
    ///
    /// [`semantics::Error::OtherGrammar`] for hooks of another grammar.
    pub fn attach(&mut self, semantics: impl Into<AnySemantics>) -> Result<(), semantics::Error> {
        let semantics = semantics.into();
        semantics.check(self.codec())?;
        self.renderer.hooks = Some((semantics, semantics::Workspace::default()));
        // Texts that were put together before are others now.
        self.parents = Default::default();
        *self.work.parent = Default::default();
        let input = std::mem::take(&mut self.present.input);
        self.enter(&input, yields::hash(&input));
        Ok(())
    }

    /// Whether the present input departs from the grammar.
    pub fn has_slips(&self) -> bool {
        !self.work.slips.is_sentence()
    }

    /// The windows of the present input; none if it has slips.
    pub fn windows(&self) -> impl Iterator<Item = u32> + '_ {
        let work = (!self.has_slips()).then_some(&self.work);
        work.into_iter().flat_map(Workspace::windows)
    }

    /// Marks the present input's windows as covered and says how many were new. O(edits), once the parent is marked.
    pub fn mark(&mut self) -> usize {
        if !self.has_begun {
            self.begin_with();
        }
        let maker = self.maker.take();
        if self.has_slips() {
            return 0;
        }
        let new = self.work.mark();
        if new > 0 {
            self.length.progress();
        }
        if let Some(maker) = maker {
            self.yields.covered(maker.operator, new);
        }
        new
    }

    /// The windows of the present input as features for the engine, once it is marked: fewer levels, so fewer numbers. O(edits and
    /// features), once the parent is marked.
    pub fn features(&mut self) -> &[u32] {
        match self.has_slips() {
            true => &[],
            false => self.work.features(),
        }
    }
}

impl Workspace {
    fn windows(&self) -> impl Iterator<Item = u32> + '_ {
        let sites = self.edits.runs(&self.parent.index).flatten();
        sites.filter_map(window)
    }

    /// Takes in that the present input crashes.
    pub(super) fn shun(&mut self) {
        let sites = self.edits.runs(&self.parent.index).flatten();
        self.steering.shun(sites.filter_map(window));
    }

    /// The most crashes that had something of the present input's which no input has survived.
    pub(super) fn crashes(&mut self) -> u16 {
        let sites = self.edits.runs(&self.parent.index).flatten();
        let crashes = sites
            .filter_map(window)
            .map(|window| self.steering.crashes(window));
        crashes.max().unwrap_or(0)
    }

    fn mark(&mut self) -> usize {
        let Workspace {
            parent,
            edits,
            steering,
            ..
        } = self;
        if parent.is_marked && !edits.is_empty() {
            return steering.mark(edits.iter().flat_map(|edit| edit.part.windows()));
        }
        let sites = edits.runs(&parent.index).flatten();
        let new = steering.mark(sites.filter_map(window));
        let covered = steering.coverage();
        parent.is_marked = parent
            .index
            .windows()
            .all(|window| covered.contains(window));
        new
    }

    fn features(&mut self) -> &[u32] {
        let Workspace {
            parent,
            edits,
            steering,
            shown,
            ..
        } = self;
        shown.list.clear();
        if !steering.has_features() {
            return &shown.list;
        }
        let feature = |site: &Site| Some(steering.feature(window(site)?));
        // Where there are few sites, counting what is gone would take longer.
        let is_small = parent.index.sites().len() <= FEW;
        if is_small || !parent.is_marked || edits.is_empty() {
            let sites = edits.runs(&parent.index).flatten();
            sites.filter_map(feature).for_each(|it| shown.list.push(it));
            return &shown.list;
        }
        if parent.features.is_empty() {
            parent.features = shown.counted(parent.index.sites().iter().filter_map(feature));
        }
        // What the parent has, but for features of which all sites are gone; and what has come.
        let sites = parent.index.sites();
        let gone = edits.iter().flat_map(|edit| {
            let Range { start, end } = edit.span.sites;
            &sites[start as usize..end as usize]
        });
        shown.count(gone.clone().filter_map(feature));
        let left = parent
            .features
            .iter()
            .filter(|it| it.1 > shown.counts.get(it.0 as usize).map_or(0, |&it| it));
        shown.list.extend(left.map(|it| it.0));
        shown.forget(gone.filter_map(feature));
        let come = edits.iter().flat_map(|edit| edit.part.sites());
        shown.list.extend(come.filter_map(feature));
        &shown.list
    }
}

/// Features that are given out, and memory for counting them.
#[derive(Debug, Default)]
pub(super) struct Shown {
    list: Vec<u32>,
    /// By feature; all 0 between uses.
    counts: Vec<u32>,
}

impl Shown {
    fn count(&mut self, features: impl Iterator<Item = u32>) {
        for feature in features {
            let at = feature as usize;
            if at >= self.counts.len() {
                self.counts.resize(at + 1, 0);
            }
            self.counts[at] += 1;
        }
    }

    fn forget(&mut self, features: impl Iterator<Item = u32>) {
        for feature in features {
            self.counts[feature as usize] = 0;
        }
    }

    /// Each feature with how often it comes.
    fn counted(&mut self, features: impl Iterator<Item = u32> + Clone) -> Vec<(u32, u32)> {
        self.count(features.clone());
        let take = |feature: u32| {
            let count = std::mem::take(&mut self.counts[feature as usize]);
            (count > 0).then_some((feature, count))
        };
        features.filter_map(take).collect()
    }
}

/// The window that a site ends.
fn window(site: &Site) -> Option<u32> {
    Some(site.window).filter(|&window| window != NO_WINDOW)
}
