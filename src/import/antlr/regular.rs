//! Regular expressions of automata.
//!
//! An expression is built from its parts and shared where it is used more than once, so taking a state away costs a constant for each
//! pair of steps through it. As a tree it may be much larger, and what is larger than a limit is given up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::ClassUnicode;

use super::model::RuleId;
use super::sets;
use super::shortest::{Automaton, Symbol};
use pleach_core::grammar::ast::{Alternative, Ast, ExprId, Span};

/// The most parts of an expression, written out.
const MAX_SIZE: u64 = 4000;

/// An expression among others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Re(u32);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Empty,
    Set(ClassUnicode),
    Rule(RuleId),
    All(Vec<Re>),
    One(Vec<Re>),
    Many(Re),
    Maybe(Re),
}

/// Expressions, parts before what they are part of. Equal ones are the same.
#[derive(Default, Debug)]
pub(super) struct Regular {
    parts: Vec<Part>,
    /// Written out.
    sizes: Vec<u64>,
    sets: Vec<Re>,
    composed: BTreeMap<(u8, Vec<Re>), Re>,
}

impl Regular {
    fn add(&mut self, part: Part) -> Re {
        let next = Re(self.parts.len() as u32);
        let key = match &part {
            Part::Empty => (0, Vec::new()),
            Part::Set(set) => {
                let same = |re: &&Re| matches!(self.part(**re), Part::Set(other) if other == set);
                if let Some(&re) = self.sets.iter().find(same) {
                    return re;
                }
                self.sets.push(next);
                (1, vec![next])
            }
            Part::Rule(rule) => (6, vec![Re(rule.0)]),
            Part::All(parts) => (2, parts.clone()),
            Part::One(parts) => (3, parts.clone()),
            Part::Many(part) => (4, vec![*part]),
            Part::Maybe(part) => (5, vec![*part]),
        };
        if let Some(&re) = self.composed.get(&key) {
            return re;
        }
        let sizes = self.inner(&part).iter().map(|&re| self.size(re));
        let size = sizes.fold(1, u64::saturating_add);
        self.composed.insert(key, next);
        self.parts.push(part);
        self.sizes.push(size);
        next
    }

    fn size(&self, re: Re) -> u64 {
        self.sizes[re.0 as usize]
    }

    fn part(&self, re: Re) -> &Part {
        &self.parts[re.0 as usize]
    }

    fn all(&mut self, list: &[Re]) -> Re {
        let mut parts = Vec::new();
        for &re in list {
            match self.part(re) {
                Part::Empty => {}
                Part::All(inner) => parts.extend(inner),
                _ => parts.push(re),
            }
        }
        match parts[..] {
            [] => self.add(Part::Empty),
            [only] => only,
            _ => self.add(Part::All(parts)),
        }
    }

    fn one(&mut self, list: &[Re]) -> Re {
        let mut set: Option<ClassUnicode> = None;
        let mut parts: Vec<Re> = Vec::new();
        let mut has_empty = false;
        for &re in list {
            match self.part(re) {
                Part::Empty => has_empty = true,
                Part::Set(more) => match &mut set {
                    Some(set) => set.union(more),
                    None => set = Some(more.clone()),
                },
                Part::One(inner) => parts.extend(inner),
                Part::Maybe(inner) => {
                    has_empty = true;
                    parts.push(*inner);
                }
                _ => parts.push(re),
            }
        }
        // Sets that came out of an alternation.
        let mut others = Vec::new();
        for re in parts {
            match (self.part(re), &mut set) {
                (Part::Set(more), Some(set)) => set.union(more),
                (Part::Set(more), None) => set = Some(more.clone()),
                _ if !others.contains(&re) => others.push(re),
                _ => {}
            }
        }
        if let Some(set) = set {
            let set = self.add(Part::Set(set));
            others.insert(0, set);
        }
        self.factor(&mut others);
        let re = match others[..] {
            [] => return self.add(Part::Empty),
            [only] => only,
            _ => self.add(Part::One(others)),
        };
        match self.part(re) {
            _ if !has_empty => re,
            Part::Many(_) | Part::Maybe(_) => re,
            _ => self.maybe(re),
        }
    }

    fn maybe(&mut self, re: Re) -> Re {
        match self.part(re) {
            // At least one or none is any number.
            Part::All(parts) => match parts[..] {
                [first, many] if *self.part(many) == Part::Many(first) => many,
                _ => self.add(Part::Maybe(re)),
            },
            _ => self.add(Part::Maybe(re)),
        }
    }

    /// Writes `x | y x` as `y? x`, where x may be several of the alternatives. Without that, what is nested in x would double with each
    /// level.
    fn factor(&mut self, list: &mut Vec<Re>) {
        let mut at = 0;
        while at < list.len() {
            let Part::All(parts) = self.part(list[at]) else {
                at += 1;
                continue;
            };
            let Some((&last, before)) = parts.split_last() else {
                at += 1;
                continue;
            };
            let members = match self.part(last) {
                Part::One(members) => members.clone(),
                _ => vec![last],
            };
            if !members.iter().all(|member| list.contains(member)) {
                at += 1;
                continue;
            }
            let before = before.to_vec();
            let before = self.all(&before);
            let before = self.maybe(before);
            let whole = self.all(&[before, last]);
            list.remove(at);
            list.retain(|re| !members.contains(re));
            list.push(whole);
            at = 0;
        }
    }

    fn many(&mut self, re: Re) -> Re {
        match self.part(re) {
            Part::Empty | Part::Many(_) => re,
            Part::Maybe(inner) => {
                let inner = *inner;
                self.add(Part::Many(inner))
            }
            _ => self.add(Part::Many(re)),
        }
    }

    /// The rules in an expression.
    pub(super) fn rules(&self) -> impl Iterator<Item = RuleId> {
        self.parts.iter().filter_map(|part| match part {
            Part::Rule(rule) => Some(*rule),
            _ => None,
        })
    }

    /// The expression in a grammar, all of it at one place, given those for the rules in it.
    pub(super) fn write(
        &self,
        root: Re,
        rules: &BTreeMap<RuleId, ExprId>,
        ast: &mut Ast,
        span: Span,
    ) -> ExprId {
        let nothing = ast.concatenation(&[], span);
        let mut needed = vec![false; root.0 as usize + 1];
        needed[root.0 as usize] = true;
        for at in (0..needed.len()).rev() {
            if needed[at] {
                for part in self.inner(&self.parts[at]) {
                    needed[part.0 as usize] = true;
                }
            }
        }
        let mut exprs = vec![nothing; needed.len()];
        for at in 0..needed.len() {
            if !needed[at] {
                continue;
            }
            let of = |re: &Re| exprs[re.0 as usize];
            exprs[at] = match &self.parts[at] {
                Part::Empty => nothing,
                Part::Rule(rule) => rules.get(rule).copied().unwrap_or(nothing),
                Part::Set(set) => match sets::class(set) {
                    Some(class) => match only(set) {
                        Some(c) => ast.literal(c.to_string().as_bytes(), span),
                        None => ast.char_class(class, span),
                    },
                    None => nothing,
                },
                Part::All(parts) => {
                    let elements = self.elements(parts, &exprs, ast, span);
                    match elements[..] {
                        [only] => only,
                        _ => ast.concatenation(&elements, span),
                    }
                }
                Part::One(parts) => {
                    let parts = parts.iter().map(|re| Alternative {
                        expr: of(re),
                        probability: None,
                    });
                    ast.alternation(&parts.collect::<Vec<_>>(), span)
                }
                Part::Many(part) => ast.quantifier(of(part), 0, None, span),
                Part::Maybe(part) => ast.quantifier(of(part), 0, Some(1), span),
            };
        }
        exprs[root.0 as usize]
    }

    fn inner<'p>(&self, part: &'p Part) -> &'p [Re] {
        match part {
            Part::Empty | Part::Set(_) | Part::Rule(_) => &[],
            Part::All(parts) | Part::One(parts) => parts,
            Part::Many(part) | Part::Maybe(part) => std::slice::from_ref(part),
        }
    }

    /// The parts of a concatenation: characters one after the other are a text, and `x x*` is `x+`.
    fn elements(&self, parts: &[Re], exprs: &[ExprId], ast: &mut Ast, span: Span) -> Vec<ExprId> {
        let mut elements = Vec::new();
        let mut text = String::new();
        let mut rest = parts;
        while let [first, others @ ..] = rest {
            let many = |re: &Re| matches!(self.part(*re), Part::Many(inner) if inner == first);
            let plus = others.first().is_some_and(many);
            let character = match self.part(*first) {
                Part::Set(set) if !plus => only(set),
                _ => None,
            };
            if character.is_none() && !text.is_empty() {
                elements.push(ast.literal(text.as_bytes(), span));
                text.clear();
            }
            rest = others;
            match character {
                Some(c) => text.push(c),
                None if plus => {
                    rest = &others[1..];
                    elements.push(ast.quantifier(exprs[first.0 as usize], 1, None, span));
                }
                None => elements.push(exprs[first.0 as usize]),
            }
        }
        if !text.is_empty() {
            elements.push(ast.literal(text.as_bytes(), span));
        }
        elements
    }
}

/// The only character of a set.
fn only(set: &ClassUnicode) -> Option<char> {
    match set.ranges() {
        [range] if range.start() == range.end() => Some(range.start()),
        _ => None,
    }
}

/// What an automaton accepts, without the empty text if `is_some`; nothing at all is `None` inside. `None` outside if it becomes too large.
pub(super) fn eliminate(automaton: &Automaton, is_some: bool) -> Option<(Regular, Option<Re>)> {
    /// The most expressions on the way.
    const MAX_PARTS: usize = 200_000;
    let mut regular = Regular::default();
    let empty = regular.add(Part::Empty);
    // The states, then a start that nothing leads to and an end that nothing leaves.
    let count = automaton.steps.len();
    let (start, end) = (count, count + 1);
    let mut out: Vec<BTreeMap<usize, Re>> = vec![BTreeMap::new(); count + 2];
    for (state, steps) in automaton.steps.iter().enumerate() {
        for (to, symbol) in steps.iter().zip(&automaton.symbols) {
            let Some(to) = to else {
                continue;
            };
            let mut re = regular.add(match symbol {
                Symbol::Set(set) => Part::Set(set.clone()),
                Symbol::Rule(rule) => Part::Rule(*rule),
            });
            if let Some(&other) = out[state].get(&(*to as usize)) {
                re = regular.one(&[other, re]);
            }
            out[state].insert(*to as usize, re);
        }
    }
    let is_empty = automaton.ends.first() == Some(&true);
    match is_empty && is_some {
        true => out[start] = out[0].clone(),
        false if count > 0 => drop(out[start].insert(0, empty)),
        false => {}
    }
    for (steps, &ends) in out.iter_mut().zip(&automaton.ends) {
        if ends {
            steps.insert(end, empty);
        }
    }
    let mut into: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count + 2];
    for (from, steps) in out.iter().enumerate() {
        for &to in steps.keys() {
            into[to].insert(from);
        }
    }
    let mut left: Vec<usize> = (0..count).collect();
    while !left.is_empty() {
        // The state that costs least goes first, and of several the one that lies deepest.
        let cost = |state: usize| {
            let others = |it: &&usize| **it != state;
            let before = into[state].iter().filter(others).count();
            let behind = out[state].keys().filter(others).count();
            (before * behind, Reverse(state))
        };
        let Some(at) = (0..left.len()).min_by_key(|&at| cost(left[at])) else {
            break;
        };
        let state = left.remove(at);
        let around = out[state].remove(&state);
        into[state].remove(&state);
        let around = around.map(|re| regular.many(re));
        let before: Vec<usize> = std::mem::take(&mut into[state]).into_iter().collect();
        let behind: Vec<(usize, Re)> = std::mem::take(&mut out[state]).into_iter().collect();
        for &from in &before {
            let Some(first) = out[from].remove(&state) else {
                continue;
            };
            for &(to, last) in &behind {
                let through = match around {
                    Some(around) => regular.all(&[first, around, last]),
                    None => regular.all(&[first, last]),
                };
                let joined = match out[from].get(&to) {
                    Some(&other) => regular.one(&[other, through]),
                    None => through,
                };
                out[from].insert(to, joined);
                into[to].insert(from);
                if regular.parts.len() > MAX_PARTS || regular.size(joined) > MAX_SIZE {
                    return None;
                }
            }
        }
        for (to, _) in behind {
            into[to].remove(&state);
        }
    }
    let re = out[start].get(&end).copied();
    Some((regular, re))
}
