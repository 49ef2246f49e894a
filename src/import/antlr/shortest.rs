//! Loops of a lexer that are not greedy: `'/*' .*? '*/'`.
//!
//! Such a loop ends as soon as what follows can begin, and once the whole rule has matched, whatever would go on in the loop is
//! given up. That is no property of a context-free grammar, but of the way a lexer reads: it goes through the
//! characters with a list of places in the rule, the preferred ones first. When a place behind the rule is reached, all later
//! ones on the list that came through such a loop are struck off. There are finitely many such lists, so what the rule
//! matches is regular: here the lists become an automaton, and the automaton a regular expression (by taking away its
//! states one by one). So `.*? '*/'` becomes `([^*] | "*"+ [^*/])* "*"+ "/"`.
//!
//! References are replaced by the rules they stand for, except for those that contain themselves (`'/*' (Comment | .)*? '*/'`): these are
//! read as if each were a character of its own. What such a rule begins with then begins one and is not text of the loop, so
//! that there is one way to read it. Automata and expressions that become too large are given up.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::lexer::{Lexer, Variant, set_of};
use super::model::{Kind, NodeId, RuleId, System};
use super::regular::{self, Re, Regular};
use super::sets;

/// The most places in a rule with all that it refers to.
const MAX_PLACES: usize = 4000;
/// The most states of an automaton.
const MAX_STATES: usize = 300;
/// The most characters that a list of places tells apart, as ranges.
const MAX_RANGES: usize = 4000;
/// The most steps in making all automata of a grammar: places, and for each state and symbol the places of the state.
pub(super) const MAX_STEPS: usize = 100_000_000;

/// What a sequence of elements of a production's rule matches, as a regular expression; without the empty text if `is_some`. `None` if that
/// would become too large, nothing inside if it matches no text.
pub(super) fn shortest(
    system: &System,
    lexer: &Lexer,
    variant: Variant,
    elements: &[NodeId],
    is_some: bool,
    budget: &mut usize,
) -> Option<(Regular, Option<Re>)> {
    let mut machine = Machine {
        system,
        lexer,
        places: vec![Place::default(); 2],
        sets: Vec::new(),
        rules: Vec::new(),
        openings: Vec::new(),
        budget: *budget,
    };
    let automaton = machine.build(variant, elements);
    let automaton = automaton.and_then(|()| machine.determinize());
    *budget = machine.budget;
    let automaton = automaton?;
    regular::eliminate(&automaton.minimal(), is_some)
}

#[derive(Clone, Default, Debug)]
struct Place {
    /// Where it leads without a character, the preferred one first.
    free: Vec<u32>,
    /// Where it leads by a character of a set.
    by: Option<(u32, u32)>,
    /// Whether it decides on a loop that is not greedy.
    is_lazy: bool,
}

struct Machine<'s> {
    system: &'s System,
    lexer: &'s Lexer,
    places: Vec<Place>,
    sets: Vec<Symbol>,
    /// The rules that are read as characters.
    rules: Vec<RuleId>,
    openings: Vec<Opening>,
    /// The steps that are left.
    budget: usize,
}

/// What an automaton reads at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Set(ClassUnicode),
    Rule(RuleId),
}

/// The text that a rule begins with.
struct Opening {
    /// The sets of its characters.
    sets: Vec<u32>,
    /// By length of a part of it that has been read: how much of that is the beginning of another one.
    back: Vec<u32>,
}

impl Opening {
    /// The length of what has been read of it, behind a character of some sets.
    fn step(&self, mut read: u32, members: &[u32]) -> u32 {
        let is_next = |read: u32| {
            let set = self.sets.get(read as usize);
            set.is_some_and(|set| members.binary_search(set).is_ok())
        };
        while read > 0 && !is_next(read) {
            read = self.back[read as usize - 1];
        }
        read + u32::from(is_next(read))
    }
}

const START: u32 = 0;
const END: u32 = 1;

/// A part of a rule to be laid between two places.
struct Task {
    node: NodeId,
    rule: RuleId,
    from: u32,
    to: u32,
}

impl Machine<'_> {
    fn build(&mut self, variant: Variant, elements: &[NodeId]) -> Option<()> {
        let (system, cycles) = (self.system, &self.lexer.cycles);
        let mut tasks: Vec<Task> = Vec::new();
        let root = variant.rule;
        self.lay(elements, root, START, END, &mut tasks);
        while let Some(task) = tasks.pop() {
            let Task {
                node,
                rule,
                from,
                to,
            } = task;
            self.budget = self.budget.checked_sub(10)?;
            if self.places.len() > MAX_PLACES {
                return None;
            }
            let is_caseless = system.rules[rule].is_caseless;
            match &system.nodes[node].kind {
                Kind::Name(name) => {
                    let target = system
                        .rule(name)
                        .filter(|&it| system.rules[it].is_lexical())?;
                    if let Some(cycle) = cycles[target] {
                        let is_inner = cycles[root] == Some(cycle);
                        if self.lexer.depth(variant, target).is_none() {
                            continue;
                        }
                        self.step(from, Symbol::Rule(target), to);
                        if !self.rules.contains(&target) {
                            self.rules.push(target);
                            if is_inner {
                                self.open(target);
                            }
                        }
                        continue;
                    }
                    for alternative in &system.rules[target].alternatives {
                        let start = self.place();
                        self.places[from as usize].free.push(start);
                        tasks.push(Task {
                            node: alternative.node,
                            rule: target,
                            from: start,
                            to,
                        });
                    }
                }
                Kind::Text(text) => {
                    let mut at = from;
                    for c in text.chars() {
                        let mut set = sets::single(c);
                        if is_caseless {
                            set = sets::caseless(&set);
                        }
                        let next = self.place();
                        self.step(at, Symbol::Set(set), next);
                        at = next;
                    }
                    self.places[at as usize].free.push(to);
                }
                Kind::Set(_) | Kind::Any | Kind::Not(_) => {
                    let set = set_of(system, rule, node)?;
                    self.step(from, Symbol::Set(set), to);
                }
                Kind::Eof | Kind::Predicate { .. } => self.places[from as usize].free.push(to),
                Kind::All(parts) => self.lay(parts, rule, from, to, &mut tasks),
                Kind::One(parts) => {
                    for &part in parts {
                        let start = self.place();
                        self.places[from as usize].free.push(start);
                        tasks.push(Task {
                            node: part,
                            rule,
                            from: start,
                            to,
                        });
                    }
                }
                Kind::Repeat {
                    subject,
                    min,
                    max,
                    is_lazy,
                } => {
                    let (body, decision) = (self.place(), self.place());
                    let first = if *min == 0 { decision } else { body };
                    self.places[from as usize].free.push(first);
                    let back = if max.is_none() { decision } else { to };
                    let decide = &mut self.places[decision as usize];
                    decide.is_lazy = *is_lazy;
                    decide.free = match is_lazy {
                        true => vec![to, body],
                        false => vec![body, to],
                    };
                    tasks.push(Task {
                        node: *subject,
                        rule,
                        from: body,
                        to: back,
                    });
                }
            }
        }
        Some(())
    }

    /// What a rule begins with, if all its alternatives begin with a text.
    fn open(&mut self, rule: RuleId) {
        let system = self.system;
        let is_caseless = system.rules[rule].is_caseless;
        for alternative in &system.rules[rule].alternatives {
            let first = match &system.nodes[alternative.node].kind {
                Kind::All(parts) => parts.first().map(|&part| &system.nodes[part].kind),
                kind => Some(kind),
            };
            let Some(Kind::Text(text)) = first else {
                continue;
            };
            let chars: Vec<char> = text.chars().collect();
            let mut opening = Opening {
                sets: Vec::new(),
                back: vec![0; chars.len()],
            };
            for &c in &chars {
                let mut set = sets::single(c);
                if is_caseless {
                    set = sets::caseless(&set);
                }
                self.sets.push(Symbol::Set(set));
                opening.sets.push(self.sets.len() as u32 - 1);
            }
            for at in 1..chars.len() {
                let mut read = opening.back[at - 1] as usize;
                while read > 0 && chars[read] != chars[at] {
                    read = opening.back[read - 1] as usize;
                }
                opening.back[at] = read as u32 + u32::from(chars[read] == chars[at]);
            }
            if !chars.is_empty() {
                self.openings.push(opening);
            }
        }
    }

    fn place(&mut self) -> u32 {
        self.places.push(Place::default());
        self.places.len() as u32 - 1
    }

    fn step(&mut self, from: u32, set: Symbol, to: u32) {
        self.sets.push(set);
        self.places[from as usize].by = Some((self.sets.len() as u32 - 1, to));
    }

    /// One element after the other.
    fn lay(
        &mut self,
        elements: &[NodeId],
        rule: RuleId,
        from: u32,
        to: u32,
        tasks: &mut Vec<Task>,
    ) {
        let mut at = from;
        for (left, &node) in (0..elements.len()).rev().zip(elements) {
            let next = if left == 0 { to } else { self.place() };
            tasks.push(Task {
                node,
                rule,
                from: at,
                to: next,
            });
            at = next;
        }
        if elements.is_empty() {
            self.places[from as usize].free.push(to);
        }
    }

    /// Adds a place to a list, and all that it leads to without a character. Says whether the end of the rule is among them or had been
    /// reached before.
    fn close(
        &self,
        place: u32,
        is_lazy: bool,
        mut has_ended: bool,
        list: &mut List,
        seen: &mut BTreeSet<(u32, bool)>,
    ) -> bool {
        let mut rest = vec![(place, is_lazy)];
        while let Some((at, is_lazy)) = rest.pop() {
            let place = &self.places[at as usize];
            let is_lazy = is_lazy || place.is_lazy;
            if !seen.insert((at, is_lazy)) {
                continue;
            }
            if at == END {
                list.push((at, is_lazy));
                has_ended = true;
            } else if place.by.is_some() && !(has_ended && is_lazy) {
                list.push((at, is_lazy));
            }
            rest.extend(place.free.iter().rev().map(|&next| (next, is_lazy)));
        }
        has_ended
    }

    fn determinize(&mut self) -> Option<Automaton> {
        let classes = self.classes()?;
        let mut first = List::new();
        self.close(START, false, false, &mut first, &mut BTreeSet::new());
        let first = (first, vec![0; self.openings.len()]);
        // States: the places, and how much has been read of each opening.
        let mut ids: BTreeMap<(List, Vec<u32>), u32> = BTreeMap::new();
        let mut states = vec![first.clone()];
        ids.insert(first, 0);
        let mut automaton = Automaton {
            symbols: classes.iter().map(|(_, symbol)| symbol.clone()).collect(),
            steps: Vec::new(),
            ends: Vec::new(),
        };
        while let Some((list, read)) = states.get(automaton.steps.len()).cloned() {
            automaton.ends.push(list.iter().any(|&(at, _)| at == END));
            let mut steps = Vec::with_capacity(classes.len());
            for (members, symbol) in &classes {
                let read: Vec<u32> = match symbol {
                    Symbol::Rule(_) => vec![0; read.len()],
                    Symbol::Set(_) => {
                        let openings = self.openings.iter().zip(&read);
                        openings.map(|(it, &read)| it.step(read, members)).collect()
                    }
                };
                let mut openings = self.openings.iter().zip(&read);
                if openings.any(|(it, &read)| read as usize == it.sets.len()) {
                    steps.push(None);
                    continue;
                }
                let mut next = List::new();
                let mut seen = BTreeSet::new();
                let mut has_ended = false;
                self.budget = self.budget.checked_sub(list.len() + 1)?;
                for &(at, is_lazy) in &list {
                    if has_ended && is_lazy {
                        continue;
                    }
                    if let Some((set, to)) = self.places[at as usize].by
                        && members.binary_search(&set).is_ok()
                    {
                        has_ended = self.close(to, is_lazy, has_ended, &mut next, &mut seen);
                    }
                }
                self.budget = self.budget.checked_sub(seen.len())?;
                if next.is_empty() {
                    steps.push(None);
                    continue;
                }
                let state = (next, read);
                let count = ids.len() as u32;
                let id = *ids.entry(state.clone()).or_insert(count);
                if id == count {
                    states.push(state);
                }
                steps.push(Some(id));
            }
            automaton.steps.push(steps);
            if states.len() > MAX_STATES {
                return None;
            }
            // What it costs to make an expression of it.
            self.budget = self.budget.checked_sub(10 * states.len())?;
        }
        Some(automaton)
    }

    /// What need not be told apart: characters that belong to the same sets, and rules; each with the numbers of the sets.
    fn classes(&mut self) -> Option<Vec<(Vec<u32>, Symbol)>> {
        // Where characters begin to be, or cease to be, in a set.
        let mut cuts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut rules: Vec<(Vec<u32>, Symbol)> = Vec::new();
        for (id, symbol) in (0..).zip(&self.sets) {
            let set = match symbol {
                Symbol::Set(set) => set,
                Symbol::Rule(_) => {
                    match rules.iter_mut().find(|(_, it)| it == symbol) {
                        Some((members, _)) => members.push(id),
                        None => rules.push((vec![id], symbol.clone())),
                    }
                    continue;
                }
            };
            for range in set.iter() {
                for cut in [u32::from(range.start()), u32::from(range.end()) + 1] {
                    cuts.entry(cut).or_default().push(id);
                }
            }
            if cuts.len() > MAX_RANGES {
                return None;
            }
        }
        let mut classes: BTreeMap<Vec<u32>, Vec<ClassUnicodeRange>> = BTreeMap::new();
        let mut members: BTreeSet<u32> = BTreeSet::new();
        let ends: Vec<u32> = cuts.keys().copied().skip(1).collect();
        for ((start, changes), end) in cuts.iter().zip(ends) {
            for set in changes {
                if !members.remove(set) {
                    members.insert(*set);
                }
            }
            self.budget = self.budget.checked_sub(members.len())?;
            if !members.is_empty() {
                let ranges = sets::range(*start, end - 1);
                let key = members.iter().copied().collect();
                classes.entry(key).or_default().extend(ranges.iter());
            }
        }
        let classes = classes.into_iter();
        let classes = classes.map(|(key, ranges)| (key, Symbol::Set(ClassUnicode::new(ranges))));
        Some(classes.chain(rules).collect())
    }
}

/// Places in the order of preference, each with whether a loop that is not greedy led there.
type List = Vec<(u32, bool)>;

/// An automaton that is in one state at a time. It begins in the first.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    pub(super) symbols: Vec<Symbol>,
    /// By state and symbol.
    pub(super) steps: Vec<Vec<Option<u32>>>,
    pub(super) ends: Vec<bool>,
}

impl Automaton {
    /// The automaton with states that cannot be told apart as one (Moore's algorithm): O(n²) for each symbol. There are few states.
    fn minimal(&self) -> Automaton {
        let mut block: Vec<u32> = self.ends.iter().map(|&ends| u32::from(ends)).collect();
        let mut count = 0;
        loop {
            let mut blocks: BTreeMap<(u32, Vec<Option<u32>>), u32> = BTreeMap::new();
            let mut refined = Vec::with_capacity(block.len());
            for (state, steps) in self.steps.iter().enumerate() {
                let steps = steps.iter().map(|it| it.map(|to| block[to as usize]));
                let next = blocks.len() as u32;
                let key = (block[state], steps.collect());
                refined.push(*blocks.entry(key).or_insert(next));
            }
            block = refined;
            if blocks.len() == count {
                break;
            }
            count = blocks.len();
        }
        // Blocks are numbered by their first state, so the first one keeps the start.
        let mut steps = vec![Vec::new(); count];
        let mut ends = vec![false; count];
        for (state, &number) in block.iter().enumerate() {
            let moved = self.steps[state].iter();
            steps[number as usize] = moved.map(|it| it.map(|to| block[to as usize])).collect();
            ends[number as usize] = self.ends[state];
        }
        Automaton {
            symbols: self.symbols.clone(),
            steps,
            ends,
        }
    }
}
