//! The single steps by which a derivation gets smaller.
//!
//! | step | what becomes of a site |
//! |---|---|
//! | shortest | its shortest derivation |
//! | hoist | a descendant of the same nonterminal, or of the same node |
//! | wrap | a descendant of another nonterminal, in the shortest surroundings that allow it |
//! | rewrap | a descendant of the same nonterminal, in the shortest surroundings that there are: `{"key":1}` becomes `[1]` |
//! | alternative | another alternative, with the parts of the present one that it can have |
//! | items | some neighboring items of a repetition are left out |
//! | together | all subtrees with the same text become the same shorter one: a name, wherever it is used |
//! | plain | all its characters become the plainest of their classes |
//! | character | one character becomes a plainer one |
//!
//! A step is a splice of choices, so it always makes a sentence, and takes no parser; in a grammar with tokens, unless these read
//! differently beside each other.

use std::collections::BTreeMap;

use crate::choice::{Chooser, Lexemes, MemberChoice, ROOT, Scratch, SiteIndex, Tape, put};
use crate::grammar::{Member, NodeKind};
use crate::id::{ClassId, NodeId, ProductionId};

use super::derive::{Graft, Knowledge, Part, Plain};
use super::level::Scale;
use super::simple::plainness;

/// How far above a site the sites are that it may be hoisted to, where all are tried; beyond, at every doubled distance.
const NEAR: usize = 64;
/// How many different texts of a nonterminal are remembered to be shortened together.
const REPEATED: usize = 256;

/// A derivation and its text.
#[derive(Debug, Default)]
pub(super) struct Sentence {
    pub(super) index: SiteIndex,
    pub(super) text: Vec<u8>,
}

/// What a step does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Items { first: u32, count: u32 },
    Hoist { from: u32 },
    Wrap { from: u32 },
    Rewrap { from: u32 },
    Shortest,
    Alternative { index: u32 },
    Together { short: Short },
    Plain,
    Character { head: u32, rest: u32 },
}

/// What repeated texts become.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Short {
    /// The shortest derivation.
    Least,
    /// Without the items of its last repetition.
    Head,
}

/// A step. The order is that in which steps of a level are tried: from the end of the text to its beginning, since what comes later mostly
/// depends on what was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// Where the text that it changes ends.
    pub(super) end: u32,
    pub(super) gain: u32,
    pub(super) site: u32,
    pub(super) kind: Kind,
}

impl Step {
    fn key(&self) -> (std::cmp::Reverse<u32>, std::cmp::Reverse<u32>, Kind, u32) {
        let reverse = std::cmp::Reverse;
        (reverse(self.end), reverse(self.gain), self.kind, self.site)
    }
}

/// Which steps are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// Those that make the text shorter, of one level.
    Shorter(Scale, u32),
    /// Those that make it plainer.
    Plainer,
}

impl Sentence {
    /// Derives choices anew.
    pub(super) fn read(
        knowledge: &Knowledge,
        choices: &[u8],
        scratch: &mut Scratch,
        lexemes: &mut Lexemes,
    ) -> Sentence {
        let mut index = SiteIndex::new();
        knowledge.codec.index(choices, scratch, &mut index);
        let text = knowledge.codec.text(&index, lexemes).to_vec();
        Sentence { index, text }
    }

    fn node(&self, site: u32) -> NodeId {
        self.index.sites()[site as usize].node
    }

    fn len(&self, site: u32) -> usize {
        self.index.text_range(site).len()
    }

    fn bytes(&self, site: u32) -> &[u8] {
        let range = self.index.text_range(site);
        &self.index.text()[range.start as usize..range.end as usize]
    }

    /// The steps that are wanted, in their order. O(sites · depth).
    pub(super) fn steps(&self, knowledge: &mut Knowledge, wanted: Wanted) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut add = |site: u32, end: u32, gain: usize, kind: Kind| {
            let is_wanted = match wanted {
                Wanted::Shorter(scale, level) => gain > 0 && scale.level(gain) == level,
                Wanted::Plainer => gain == 0,
            };
            if is_wanted {
                let gain = u32::try_from(gain).unwrap_or(u32::MAX);
                steps.push(Step {
                    end,
                    gain,
                    site,
                    kind,
                });
            }
        };
        let is_plainer = wanted == Wanted::Plainer;
        let graph = knowledge.graph.clone();
        for site in 0..self.index.sites().len() as u32 {
            let (node, end, len) = (
                self.node(site),
                self.index.text_range(site).end,
                self.len(site),
            );
            let choice_node = choice_node(knowledge, node);
            let least = graph.costs(choice_node).length as usize;
            match graph.grammar()[choice_node].kind {
                NodeKind::Class(class) => {
                    if is_plainer {
                        for MemberChoice { head, rest } in self.plainer(knowledge, site, class) {
                            add(site, end, 0, Kind::Character { head, rest });
                        }
                    }
                    continue;
                }
                NodeKind::Literal(_) => continue,
                NodeKind::Quantifier { min, .. } => self.items(site, min, &mut add),
                NodeKind::Alternation => {
                    let count = graph.grammar().children(choice_node).len() as u32;
                    let present = self.alternative(site, count);
                    let parts = self.parts(knowledge, site);
                    for index in (0..count).filter(|&index| index != present) {
                        let child = graph.grammar().children(choice_node)[index as usize];
                        let gain = len.saturating_sub(self.grafted(knowledge, child, &parts));
                        add(site, end, gain, Kind::Alternative { index });
                    }
                }
                _ => {}
            }
            add(site, end, len.saturating_sub(least), Kind::Shortest);
            if is_plainer && (node == ROOT || production_of(knowledge, node).is_some()) {
                add(site, end, 0, Kind::Plain);
            }
        }
        if let Wanted::Shorter(scale, level) = wanted {
            let most = |gain: usize| scale.level(gain) == level;
            self.hoists(knowledge, most, &mut add);
            self.repeated(knowledge, &mut add);
        }
        steps.sort_unstable_by_key(Step::key);
        steps.dedup();
        steps
    }

    /// Runs of neighboring items, aligned, of every power of two.
    fn items(&self, site: u32, min: u32, add: &mut impl FnMut(u32, u32, usize, Kind)) {
        let items: Vec<u32> = self.index.children(site).collect();
        let Some(spare) = items.len().checked_sub(min as usize) else {
            return;
        };
        let mut count = spare;
        while count > 0 {
            // From the end, as everything else.
            let mut behind = items.len();
            while behind > 0 {
                let first = behind.saturating_sub(count);
                let run = &items[first..behind];
                let (start, end) = (
                    self.index.text_range(run[0]).start,
                    self.index.text_range(run[run.len() - 1]).end,
                );
                let kind = Kind::Items {
                    first: first as u32,
                    count: run.len() as u32,
                };
                add(site, end, (end - start) as usize, kind);
                behind = first;
            }
            count /= 2;
        }
    }

    /// Pairs of a site and one below it that can take its place.
    fn hoists(
        &self,
        knowledge: &mut Knowledge,
        is_wanted: impl Fn(usize) -> bool,
        add: &mut impl FnMut(u32, u32, usize, Kind),
    ) {
        let sites = self.index.sites();
        let mut production: Vec<Option<ProductionId>> = Vec::with_capacity(sites.len());
        for site in sites {
            production.push(production_of(knowledge, site.node));
        }
        for from in 1..sites.len() as u32 {
            let at = &sites[from as usize];
            let inner = production[from as usize];
            let is_leaf = at.end == from + 1 && inner.is_none();
            if is_leaf {
                continue;
            }
            let len = self.len(from);
            let (mut above, mut distance, mut next) = (at.parent, 0, 0);
            while let Some(outer) = sites.get(above as usize) {
                distance += 1;
                let site = above;
                above = outer.parent;
                if distance > NEAR {
                    // Of the farther ones a few.
                    if distance < next && above as usize <= sites.len() {
                        continue;
                    }
                    next = distance * 2;
                }
                let outer_len = self.len(site);
                if outer_len <= len {
                    continue;
                }
                let end = self.index.text_range(site).end;
                let pair = (production[site as usize], inner);
                if outer.node == at.node || pair.0.is_some() && pair.0 == pair.1 {
                    add(site, end, outer_len - len, Kind::Hoist { from });
                    if let Some(production) = inner
                        && let Some((around, _)) = knowledge.cycle(production)
                        && around < (outer_len - len) as u64
                    {
                        let gain = outer_len - len - around as usize;
                        add(site, end, gain, Kind::Rewrap { from });
                    }
                } else if let (Some(outer), Some(inner)) = pair
                    && is_wanted(outer_len - len)
                        | (0..=16).any(|by| is_wanted((outer_len - len).saturating_sub(by)))
                    && let Some(around) = knowledge.around(outer, inner)
                    && around < (outer_len - len) as u64
                {
                    let gain = outer_len - len - around as usize;
                    add(site, end, gain, Kind::Wrap { from });
                }
            }
        }
    }

    /// Small subtrees that occur several times.
    fn repeated(&self, knowledge: &Knowledge, add: &mut impl FnMut(u32, u32, usize, Kind)) {
        const MOST: usize = 64;
        let mut known: BTreeMap<(ProductionId, &[u8]), (u32, usize)> = BTreeMap::new();
        for site in 1..self.index.sites().len() as u32 {
            let len = self.len(site);
            if !(2..=MOST).contains(&len) {
                continue;
            }
            let Some(production) = production_of(knowledge, self.node(site)) else {
                continue;
            };
            let times = known.entry((production, self.bytes(site))).or_default();
            *times = (site, times.1 + 1);
        }
        let repeated = known.iter().filter(|(_, it)| it.1 > 1).take(REPEATED);
        for ((production, text), &(site, times)) in repeated {
            let root = knowledge.graph.grammar()[*production].root;
            let least = knowledge.graph.costs(root).length as usize;
            let end = self.index.text_range(site).end;
            let gain = text.len().saturating_sub(least) * times;
            for short in [Short::Least, Short::Head] {
                add(site, end, gain, Kind::Together { short });
            }
        }
    }

    /// The bytes of an alternative that takes parts to its references.
    fn grafted(&self, knowledge: &Knowledge, node: NodeId, parts: &[(ProductionId, u32)]) -> usize {
        let graph = &knowledge.graph;
        let mut length = graph.costs(node).length as usize;
        let mut left: Vec<_> = parts.to_vec();
        let end = graph.subtree_end(node);
        for id in node.0..end.0 {
            if let NodeKind::Reference(production) = graph.grammar()[NodeId(id)].kind
                && let Some(at) = left.iter().position(|part| part.0 == production)
            {
                let (_, site) = left.remove(at);
                let least = graph.costs(NodeId(id)).length as usize;
                length = length.saturating_sub(least) + self.len(site);
            }
        }
        length
    }

    /// The references directly below a site: their productions and sites.
    fn parts(&self, knowledge: &Knowledge, site: u32) -> Vec<(ProductionId, u32)> {
        const MOST: usize = 16;
        let sites = self.index.sites();
        let mut parts = Vec::new();
        let mut at = site + 1;
        while at < sites[site as usize].end && parts.len() < MOST {
            match production_of(knowledge, self.node(at)) {
                Some(production) => {
                    parts.push((production, at));
                    at = sites[at as usize].end;
                }
                None => at += 1,
            }
        }
        parts
    }

    fn alternative(&self, site: u32, count: u32) -> u32 {
        let mut tape = Tape::new(self.index.choices_of(site));
        tape.take(count).unwrap_or(0)
    }

    /// Members of a class that are plainer than the present one: the plainest, the plainest of its kind, and near ones.
    fn plainer(&self, knowledge: &Knowledge, site: u32, class: ClassId) -> Vec<MemberChoice> {
        let code = knowledge.codec.class(class);
        let present = self.bytes(site);
        let mut members = vec![knowledge.plainest[class]];
        if let Some(c) = str::from_utf8(present)
            .ok()
            .and_then(|it| it.chars().next())
        {
            let of_kind: &[char] = match c {
                '0'..='9' => &['0', '1', '2', '3', '4', '5', '6', '7', '8'],
                'a'..='z' => &['a', 'b', 'c'],
                'A'..='Z' => &['a', 'b', 'A', 'B', c.to_ascii_lowercase()],
                _ => &['a', 'A', ' ', '\n', '!', '.'],
            };
            let of_kind = of_kind.iter().map(|&c| Member::Char(c));
            members.extend(of_kind.filter_map(|member| code.choice(member)));
        }
        let key = |&choice: &MemberChoice| {
            let mut text = [0; 4];
            let len = code.write(choice, &mut text);
            plainness(&text[..len])
        };
        members.retain(|choice| key(choice) < plainness(present));
        members.sort_unstable_by_key(key);
        members.dedup();
        members
    }

    /// The choices after a step, in full.
    pub(super) fn after(
        &self,
        knowledge: &mut Knowledge,
        step: &Step,
        scratch: &mut Scratch,
    ) -> Option<Vec<u8>> {
        let Step { site, kind, .. } = *step;
        let node = self.node(site);
        match kind {
            Kind::Items { first, count } => self.without_items(knowledge, site, first, count),
            Kind::Hoist { from } => Some(self.splice(site, self.index.choices_of(from))),
            Kind::Wrap { from } => {
                let (outer, inner) = (
                    production_of(knowledge, node)?,
                    production_of(knowledge, self.node(from))?,
                );
                let path = knowledge.way(outer, inner);
                let part: Part<'_> = (inner, self.index.choices_of(from));
                let graft = Graft::way(knowledge, &path, part);
                Some(self.splice(site, &derive(knowledge, node, graft, scratch)))
            }
            Kind::Rewrap { from } => {
                let production = production_of(knowledge, node)?;
                let (_, path) = knowledge.cycle(production)?;
                let part: Part<'_> = (production, self.index.choices_of(from));
                let graft = Graft::way(knowledge, &path, part);
                Some(self.splice(site, &derive(knowledge, node, graft, scratch)))
            }
            Kind::Shortest => {
                let least = knowledge.least();
                Some(self.splice(site, &derive(knowledge, node, least, scratch)))
            }
            Kind::Alternative { index } => {
                let parts = self.parts(knowledge, site).into_iter();
                let parts = parts.map(|(production, at)| (production, self.index.choices_of(at)));
                let is_reference = production_of(knowledge, node).is_some();
                let graft = Graft::alternative(knowledge, index, is_reference, parts.collect());
                Some(self.splice(site, &derive(knowledge, node, graft, scratch)))
            }
            Kind::Together { short } => self.together(knowledge, site, short, scratch),
            Kind::Plain => {
                let plain = Plain {
                    tape: knowledge.codec.tape(self.index.choices_of(site)),
                    least: knowledge.least(),
                };
                Some(self.splice(site, &derive(knowledge, node, plain, scratch)))
            }
            Kind::Character { head, rest } => {
                let NodeKind::Class(class) =
                    knowledge.graph.grammar()[choice_node(knowledge, node)].kind
                else {
                    return None;
                };
                let class = knowledge.codec.class(class);
                let mut choices = Vec::new();
                put(&mut choices, head, class.head_count());
                put(&mut choices, rest, class.rest_count(head));
                Some(self.splice(site, &choices))
            }
        }
    }

    /// Replaces the choices of a site.
    fn splice(&self, site: u32, part: &[u8]) -> Vec<u8> {
        let at = &self.index.sites()[site as usize];
        let choices = self.index.choices();
        let (before, behind) = (
            &choices[..at.choice_start as usize],
            &choices[at.choice_end as usize..],
        );
        [before, part, behind].concat()
    }

    /// Leaves out neighboring items of a repetition.
    fn without_items(
        &self,
        knowledge: &Knowledge,
        site: u32,
        first: u32,
        count: u32,
    ) -> Option<Vec<u8>> {
        let quantifier = choice_node(knowledge, self.node(site));
        let NodeKind::Quantifier { min, max } = knowledge.graph.grammar()[quantifier].kind else {
            return None;
        };
        let mut part = Vec::new();
        let mut kept = 0;
        for (at, item) in self.index.children(site).enumerate() {
            if (first..first + count).contains(&(at as u32)) {
                continue;
            }
            if kept >= min {
                part.push(1);
            }
            part.extend_from_slice(self.index.choices_of(item));
            kept += 1;
        }
        if max.is_none_or(|max| kept < max) {
            part.push(0);
        }
        (kept >= min).then(|| self.splice(site, &part))
    }

    /// Replaces all subtrees of the production and the text of a site.
    fn together(
        &self,
        knowledge: &Knowledge,
        site: u32,
        short: Short,
        scratch: &mut Scratch,
    ) -> Option<Vec<u8>> {
        let production = production_of(knowledge, self.node(site))?;
        let text = self.bytes(site);
        let part = match short {
            Short::Least => derive(knowledge, self.node(site), knowledge.least(), scratch),
            Short::Head => self.head(knowledge, site)?,
        };
        let (mut choices, mut at) = (Vec::new(), 0);
        let sites = self.index.sites();
        let mut next = 1;
        while let Some(other) = sites.get(next as usize) {
            let is_same = production_of(knowledge, other.node) == Some(production)
                && self.bytes(next) == text;
            if !is_same {
                next += 1;
                continue;
            }
            choices.extend_from_slice(&self.index.choices()[at..other.choice_start as usize]);
            choices.extend_from_slice(&part);
            at = other.choice_end as usize;
            next = other.end;
        }
        choices.extend_from_slice(&self.index.choices()[at..]);
        Some(choices)
    }

    /// The choices of a site without the items of its last repetition that may go.
    fn head(&self, knowledge: &Knowledge, site: u32) -> Option<Vec<u8>> {
        let sites = self.index.sites();
        let base = sites[site as usize].choice_start as usize;
        let last = (site..sites[site as usize].end).rev().find(|&at| {
            let node = choice_node(knowledge, self.node(at));
            let kind = knowledge.graph.grammar()[node].kind;
            matches!(kind, NodeKind::Quantifier { .. }) && self.len(at) > 0
        })?;
        let quantifier = choice_node(knowledge, self.node(last));
        let NodeKind::Quantifier { min, .. } = knowledge.graph.grammar()[quantifier].kind else {
            return None;
        };
        let items = self.index.children(last).count() as u32;
        let whole = self.without_items(knowledge, last, min, items.checked_sub(min)?)?;
        let behind = self.index.choices().len() - sites[site as usize].choice_end as usize;
        Some(whole[base..whole.len() - behind].to_vec())
    }
}

/// The choices of a node that a chooser derives.
fn derive(
    knowledge: &Knowledge,
    node: NodeId,
    mut chooser: impl Chooser,
    scratch: &mut Scratch,
) -> Vec<u8> {
    let mut part = SiteIndex::new();
    knowledge
        .codec
        .derive(node, &mut chooser, scratch, &mut part);
    part.choices().to_vec()
}

/// The production that a reference, or the root, derives.
fn production_of(knowledge: &Knowledge, node: NodeId) -> Option<ProductionId> {
    let grammar = knowledge.graph.grammar();
    if node == ROOT {
        return Some(grammar.start());
    }
    match grammar[node].kind {
        NodeKind::Reference(production) => Some(production),
        _ => None,
    }
}

/// The node that a site chooses at first: the right side of a reference, else its own.
fn choice_node(knowledge: &Knowledge, node: NodeId) -> NodeId {
    match production_of(knowledge, node) {
        Some(production) => knowledge.graph.grammar()[production].root,
        None => node,
    }
}
