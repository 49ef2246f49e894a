//! Which rules of a pest grammar are tokens.
//!
//! pest skips `WHITESPACE` and `COMMENT` between the elements of rules, but not within atomic ones and what these use. So where
//! an atomic rule is used in another one, a token stands, if the rule is regular. A rule that is used in both ways is two
//! productions, unless it is one token for itself. A grammar in which nothing is skipped has no tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::builtin::Builtin;
use super::tree::{Kind, PartId, RuleId, Spacing, Tree};
use crate::until::{Terminators, Until, intersection, minus};
use pleach_core::grammar::CharClass;
use pleach_core::id::{Id as _, IdVec};

/// What is known of an expression, or of a whole rule.
#[derive(Clone, Default)]
pub(super) struct Facts {
    /// It is one character of a set.
    pub(super) set: Option<Rc<CharClass>>,
    /// What it stands for as the end of a text, if that is more than one character.
    ends: Option<Terminators>,
    /// It is this text.
    pub(super) text: Option<String>,
    /// Something may be skipped within it.
    has_spacing: bool,
    /// It has something to read in it, unlike predicates and the ends of the text.
    is_element: bool,
}

impl Facts {
    /// What it stands for as the end of a text.
    fn ends(&self) -> Option<Terminators> {
        let of_set = |set: &Rc<CharClass>| Terminators {
            chars: Some((**set).clone()),
            ..Terminators::default()
        };
        self.ends.clone().or_else(|| self.set.as_ref().map(of_set))
    }
}

/// Whether a class is worth keeping at hand. No property of Unicode has as many ranges.
fn is_small(class: &CharClass) -> bool {
    class.chars().len() <= 1000
}

/// An element of a sequence whose predicates have been worked into what is behind them.
#[derive(Clone)]
pub(super) enum Element {
    Part(PartId),
    Class(CharClass),
}

/// What is known of a grammar.
pub(super) struct Levels {
    pub(super) facts: IdVec<PartId, Facts>,
    /// Whether each rule contains neither itself nor one that skips on its own.
    pub(super) is_regular: IdVec<RuleId, bool>,
    /// Rules of one number contain one another.
    components: IdVec<RuleId, u32>,
    /// Sequences of which predicates have been worked in.
    pub(super) elements: BTreeMap<PartId, Vec<Element>>,
    pub(super) untils: BTreeMap<PartId, Until>,
    /// Predicates that have not been worked in.
    pub(super) lost: BTreeSet<PartId>,
    /// Whether there is a lexical level.
    pub(super) is_lexical: bool,
    pub(super) uses: IdVec<RuleId, Uses>,
}

/// How a rule is used.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Uses {
    /// In the syntax.
    pub(super) in_syntax: bool,
    /// As a token.
    pub(super) as_token: bool,
    /// Within tokens.
    pub(super) in_tokens: bool,
}

/// Where an expression stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Place {
    /// Where something may be skipped.
    Spaced,
    /// In an atomic rule that is not a token.
    Atomic,
    /// In a token.
    Token,
}

/// Finds everything out for a grammar that starts at a rule. Linear, up to looking up names and classes.
pub(super) fn levels(tree: &Tree, start: Option<RuleId>) -> Levels {
    let mut levels = Levels {
        facts: IdVec::filled(tree.parts.len(), Facts::default()),
        is_regular: IdVec::filled(tree.rules.len(), false),
        components: components(tree),
        elements: BTreeMap::new(),
        untils: BTreeMap::new(),
        lost: BTreeSet::new(),
        is_lexical: false,
        uses: IdVec::filled(tree.rules.len(), Uses::default()),
    };
    levels.find_facts(tree);
    if let Some(start) = start {
        levels.find_uses(tree, start);
    }
    levels
}

/// The rules that are skipped where something may be.
pub(super) fn skipped(tree: &Tree) -> impl Iterator<Item = RuleId> + '_ {
    ["WHITESPACE", "COMMENT"]
        .into_iter()
        .filter_map(|name| tree.by_name.get(name).copied())
}

impl Levels {
    /// The place of a rule that is used at a place: as syntax or as a token.
    pub(super) fn place(&self, tree: &Tree, rule: RuleId, at: Place) -> Place {
        if at == Place::Token {
            return Place::Token;
        }
        let spacing = tree.rules[rule].spacing;
        let is_spaced = match spacing {
            Spacing::Inherited => at == Place::Spaced,
            Spacing::Atomic => false,
            Spacing::NonAtomic => true,
        };
        match (is_spaced, self.is_regular[rule]) {
            (true, _) => Place::Spaced,
            (false, true) => Place::Token,
            // A rule of both kinds of place is one; what is skipped in it is remarked.
            (false, false) if spacing == Spacing::Inherited => Place::Spaced,
            (false, false) => Place::Atomic,
        }
    }

    /// Whether a rule is one token wherever it is used.
    pub(super) fn is_one_token(&self, tree: &Tree, rule: RuleId) -> bool {
        self.is_regular[rule] && !self.facts[tree.rules[rule].root].has_spacing
    }

    /// Whether a rule is a production twice: as syntax, and as a token or a part of tokens.
    pub(super) fn is_twice(&self, tree: &Tree, rule: RuleId) -> bool {
        let uses = self.uses[rule];
        uses.in_syntax && (uses.as_token || uses.in_tokens) && !self.is_one_token(tree, rule)
    }

    fn find_facts(&mut self, tree: &Tree) {
        let mut users: IdVec<RuleId, Vec<RuleId>> = IdVec::filled(tree.rules.len(), Vec::new());
        let mut missing: IdVec<RuleId, u32> = IdVec::filled(tree.rules.len(), 0);
        for (id, rule) in tree.rules.iter() {
            for part in tree.inside(rule.root) {
                if let Some(used) = used(tree, part) {
                    users[used].push(id);
                    missing[id] += 1;
                }
            }
        }
        let mut known: Vec<RuleId> = tree.rules.ids().filter(|&id| missing[id] == 0).collect();
        let mut is_known = IdVec::filled(tree.rules.len(), false);
        while let Some(id) = known.pop() {
            is_known[id] = true;
            let mut is_regular = tree.rules[id].spacing != Spacing::NonAtomic;
            for part in tree.inside(tree.rules[id].root) {
                self.find_part(tree, part);
                is_regular &= used(tree, part).is_none_or(|used| self.is_regular[used]);
            }
            self.is_regular[id] = is_regular;
            for &user in &users[id] {
                missing[user] -= 1;
                if missing[user] == 0 {
                    known.push(user);
                }
            }
        }
        for (id, rule) in tree.rules.iter().filter(|&(id, _)| !is_known[id]) {
            debug_assert!(!self.is_regular[id]);
            for part in tree.inside(rule.root) {
                self.find_part(tree, part);
            }
        }
    }

    /// The facts of an expression, once those of what is in it are known.
    fn find_part(&mut self, tree: &Tree, id: PartId) {
        let element = Facts {
            is_element: true,
            ..Facts::default()
        };
        let set = |class: Option<CharClass>| Facts {
            set: class.filter(is_small).map(Rc::new),
            ..element.clone()
        };
        let facts = match &tree.parts[id].kind {
            Kind::Text(text, is_caseless) => {
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => {
                        let ranges = match is_caseless {
                            true => [c.to_ascii_lowercase(), c.to_ascii_uppercase()],
                            false => [c, c],
                        };
                        let class = CharClass::new(&ranges.map(|c| (c, c)), &[]);
                        Facts {
                            text: (!is_caseless).then(|| text.clone()),
                            ..set(class)
                        }
                    }
                    (Some(_), Some(_)) if !is_caseless => {
                        let mut ends = Terminators::default();
                        ends.words.insert(text.clone());
                        Facts {
                            ends: Some(ends),
                            text: Some(text.clone()),
                            ..element
                        }
                    }
                    (None, _) => Facts::default(),
                    _ => element,
                }
            }
            Kind::Range(low, high) => set(CharClass::new(&[(*low, *high)], &[])),
            Kind::Class(class) => set(Some(class.clone())),
            Kind::Name(name) => match tree.by_name.get(name) {
                Some(&rule) => {
                    let facts = self.facts[tree.rules[rule].root].clone();
                    Facts {
                        is_element: true,
                        has_spacing: facts.has_spacing
                            && tree.rules[rule].spacing != Spacing::Atomic,
                        ..facts
                    }
                }
                None => match Builtin::of(name) {
                    Some(Builtin::Nothing) => Facts {
                        ends: Some(Terminators::default()),
                        ..Facts::default()
                    },
                    Some(Builtin::Newline) => Facts {
                        ends: Some(Terminators {
                            chars: CharClass::new(&[('\n', '\n'), ('\r', '\r')], &[]),
                            ..Terminators::default()
                        }),
                        ..element
                    },
                    Some(Builtin::Class(class)) => set(Some(class)),
                    None => element,
                },
            },
            Kind::Sequence(parts) => self.sequence(tree, id, parts),
            Kind::Choice(parts) => {
                let facts = || parts.iter().map(|&part| &self.facts[part]);
                let is_set = facts().all(|it| it.set.is_some());
                let mut ends = (!is_set).then(Terminators::default);
                let mut ranges = Vec::new();
                for one in facts() {
                    ranges.extend(one.set.iter().flat_map(|set| set.chars()));
                    if one.set.is_none() {
                        match (&mut ends, &one.ends) {
                            (Some(ends), Some(more)) => ends.extend(more),
                            _ => ends = None,
                        }
                    }
                }
                let class = CharClass::new(&ranges, &[]);
                // More words are no terminators that could be worked in.
                ends = ends.filter(|ends| ends.words.len() <= 64);
                if let Some(ends) = &mut ends {
                    ends.extend(&Terminators {
                        chars: class.clone(),
                        ..Terminators::default()
                    });
                }
                let ends = ends.filter(|ends| ends.chars.as_ref().is_none_or(is_small));
                Facts {
                    ends,
                    has_spacing: facts().any(|it| it.has_spacing),
                    ..set(class.filter(|_| is_set))
                }
            }
            Kind::Repeat { content, max, .. } => {
                if let Some(until) = self.until(tree, *content) {
                    for part in tree.parts[*content].kind.parts() {
                        self.lost.remove(part);
                    }
                    self.untils.insert(id, until);
                }
                Facts {
                    has_spacing: *max != Some(1) || self.facts[*content].has_spacing,
                    ..element
                }
            }
            Kind::Predicate { .. } => {
                // A sequence takes back those that it can work in.
                self.lost.insert(id);
                Facts::default()
            }
        };
        self.facts[id] = facts;
    }

    /// Works the predicates of a sequence into the sets of characters behind them.
    fn sequence(&mut self, tree: &Tree, id: PartId, parts: &[PartId]) -> Facts {
        for pair in parts.windows(2) {
            if let (Some(until), Some(text)) =
                (self.untils.get_mut(&pair[0]), &self.facts[pair[1]].text)
            {
                until.follow = Some(text.clone());
            }
        }
        let mut elements = Vec::new();
        // Negative predicates of which all terminators are known.
        let mut waiting: Vec<PartId> = Vec::new();
        let mut ends = Terminators::default();
        // Positive predicates of which the characters are known, and those that all of them take.
        let mut asking: Vec<PartId> = Vec::new();
        let mut asked: Option<CharClass> = None;
        for &part in parts {
            if let Kind::Predicate {
                content,
                is_not: false,
            } = tree.parts[part].kind
                && let Some(set) = self.facts[content].set.as_deref()
            {
                let both = match &asked {
                    Some(before) => intersection(before, set),
                    None => Some(set.clone()),
                };
                if both.is_some() {
                    asked = both;
                    asking.push(part);
                }
                continue;
            }
            if let Kind::Predicate {
                content,
                is_not: true,
            } = tree.parts[part].kind
                && let Some(more) = self.facts[content].ends()
            {
                match more.chars.is_none() && more.words.is_empty() {
                    // Not the end of the text: there is more to read anyway.
                    true => {
                        self.lost.remove(&part);
                    }
                    false => waiting.push(part),
                }
                ends.extend(&more);
                continue;
            }
            let has_ends = !waiting.is_empty() && ends.chars.is_some();
            let set = self.facts[part].set.as_deref();
            let set = set.filter(|_| has_ends || asked.is_some());
            let class = set.and_then(|set| match &asked {
                Some(asked) => minus(&intersection(set, asked)?, ends.chars.as_ref()),
                None => minus(set, ends.chars.as_ref()),
            });
            match class {
                Some(class) => {
                    let waiting = waiting.iter().filter(|_| ends.words.is_empty());
                    for part in waiting.chain(&asking) {
                        self.lost.remove(part);
                    }
                    elements.push(Element::Class(class));
                }
                None => elements.push(Element::Part(part)),
            }
            waiting.clear();
            asking.clear();
            (ends, asked) = (Terminators::default(), None);
        }
        let read = elements.iter().filter(|element| match element {
            Element::Part(part) => self.facts[*part].is_element,
            Element::Class(_) => true,
        });
        let read: Vec<Element> = read.cloned().collect();
        let facts = match &read[..] {
            [] => Facts::default(),
            [Element::Class(class)] => Facts {
                set: Some(Rc::new(class.clone())),
                is_element: true,
                ..Facts::default()
            },
            [Element::Part(part)] => Facts {
                ends: None,
                ..self.facts[*part].clone()
            },
            _ => Facts {
                has_spacing: true,
                is_element: true,
                ..Facts::default()
            },
        };
        self.elements.insert(id, elements);
        facts
    }

    /// Whether a rule that another one uses contains that one.
    pub(super) fn is_cyclic(&self, user: RuleId, used: RuleId) -> bool {
        self.components[user] == self.components[used] && !self.is_regular[used]
    }

    /// What `(!end ~ any)` is, of which a repetition is a text up to the end.
    fn until(&self, tree: &Tree, content: PartId) -> Option<Until> {
        let Kind::Sequence(parts) = &tree.parts[content].kind else {
            return None;
        };
        let (&last, predicates) = parts.split_last()?;
        let mut ends = Terminators::default();
        for &part in predicates {
            let Kind::Predicate {
                content,
                is_not: true,
            } = tree.parts[part].kind
            else {
                return None;
            };
            ends.extend(&self.facts[content].ends()?);
        }
        let base = (**self.facts[last].set.as_ref()?).clone();
        (!ends.words.is_empty()).then_some(Until {
            base,
            ends,
            follow: None,
        })
    }

    /// How each rule is used.
    fn find_uses(&mut self, tree: &Tree, start: RuleId) {
        let at = match tree.rules[start].spacing {
            Spacing::Atomic => Place::Atomic,
            Spacing::Inherited | Spacing::NonAtomic => Place::Spaced,
        };
        let mut seen: IdVec<RuleId, Vec<Place>> = IdVec::filled(tree.rules.len(), Vec::new());
        let mut rest = vec![(start, at)];
        let mut is_lexical = false;
        while let Some((rule, at)) = rest.pop() {
            if seen[rule].contains(&at) {
                continue;
            }
            seen[rule].push(at);
            let root = tree.rules[rule].root;
            is_lexical |= at == Place::Spaced && self.facts[root].has_spacing;
            for used in references(tree, root) {
                rest.push((used, self.place(tree, used, at)));
            }
        }
        let is_skipped = skipped(tree).next().is_some();
        self.is_lexical = is_lexical && is_skipped;
        if !self.is_lexical {
            return;
        }
        for (id, places) in seen.iter() {
            let is_one_token = self.is_one_token(tree, id) && id != start;
            let uses = &mut self.uses[id];
            uses.in_syntax = places.iter().any(|&place| place != Place::Token);
            // Within a token or as one: which, is seen from outside.
            uses.as_token = places.contains(&Place::Token) && is_one_token && uses.in_syntax;
        }
        // What the syntax uses as tokens, and then what is in tokens.
        let mut tokens: Vec<RuleId> = skipped(tree).collect();
        for (id, places) in seen.iter() {
            for &at in places.iter().filter(|&&at| at != Place::Token) {
                for used in references(tree, tree.rules[id].root) {
                    if self.place(tree, used, at) == Place::Token {
                        self.uses[used].as_token = true;
                        tokens.push(used);
                    }
                }
            }
        }
        let mut is_done = IdVec::filled(tree.rules.len(), false);
        while let Some(id) = tokens.pop() {
            if std::mem::replace(&mut is_done[id], true) {
                continue;
            }
            for used in references(tree, tree.rules[id].root) {
                if !self.is_cyclic(id, used) {
                    self.uses[used].in_tokens = true;
                    tokens.push(used);
                }
            }
        }
        // One production serves both, if it is a token.
        for id in tree.rules.ids() {
            let uses = self.uses[id];
            if uses.in_syntax && uses.in_tokens && self.is_one_token(tree, id) && id != start {
                self.uses[id].as_token = true;
            }
        }
    }
}

/// The rule that an expression is a use of.
pub(super) fn used(tree: &Tree, part: PartId) -> Option<RuleId> {
    match &tree.parts[part].kind {
        Kind::Name(name) => tree.by_name.get(name).copied(),
        _ => None,
    }
}

/// The rules that an expression uses.
fn references(tree: &Tree, root: PartId) -> impl Iterator<Item = RuleId> + '_ {
    let inside = tree.read_inside(root).into_iter();
    inside.filter_map(|part| used(tree, part))
}

/// A number for each rule, the same for rules that contain one another (Tarjan: *Depth-first search and linear graph algorithms*,
/// 1972).
fn components(tree: &Tree) -> IdVec<RuleId, u32> {
    let len = tree.rules.len();
    let uses: Vec<Vec<RuleId>> = tree
        .rules
        .iter()
        .map(|(_, rule)| references(tree, rule.root).collect())
        .collect();
    const NEW: u32 = u32::MAX;
    let mut component = IdVec::filled(len, NEW);
    // When each rule was found, and the earliest rule that is open and that it leads back to.
    let mut found: IdVec<RuleId, u32> = IdVec::filled(len, NEW);
    let mut lowest: IdVec<RuleId, u32> = IdVec::filled(len, NEW);
    let mut open: Vec<RuleId> = Vec::new();
    let mut path: Vec<(RuleId, usize)> = Vec::new();
    let mut clock = 0;
    for root in tree.rules.ids() {
        if found[root] == NEW {
            path.push((root, 0));
        }
        while let Some(&mut (rule, ref mut next)) = path.last_mut() {
            if *next == 0 {
                (found[rule], lowest[rule]) = (clock, clock);
                clock += 1;
                open.push(rule);
            }
            let used = uses[rule.index()].get(*next).copied();
            *next += 1;
            match used {
                Some(used) if found[used] == NEW => path.push((used, 0)),
                Some(used) if component[used] == NEW => {
                    lowest[rule] = lowest[rule].min(found[used]);
                }
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some(&(user, _)) = path.last() {
                        lowest[user] = lowest[user].min(lowest[rule]);
                    }
                    if lowest[rule] == found[rule] {
                        while let Some(member) = open.pop() {
                            component[member] = found[rule];
                            if member == rule {
                                break;
                            }
                        }
                    }
                }
            }
        }
    }
    component
}
