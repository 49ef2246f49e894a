//! Tokens that are read in steps: `-> more`.
//!
//! What such a rule has read is the beginning of the token that is read next, mostly in a mode of its own: strings of which the
//! opening quote changes the mode, each character is more of it, and the closing quote makes the token. Such rules become
//! one: the beginning, as often as need be one of the rules of the mode that are more, and one that ends it.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::ClassUnicode;

use super::super::{Effect, Remark};
use super::model::{Alternative, Command, Kind, Node, NodeId, Nodes, Rule};
use super::sets;

/// Puts a rule before each that begins a token in steps, for each rule that can end it.
pub(super) fn join(nodes: &mut Nodes, rules: &mut Vec<Rule>, remarks: &mut Vec<Remark>) {
    if !rules.iter().any(has_more) {
        return;
    }
    let mut modes: BTreeMap<Box<str>, Vec<usize>> = BTreeMap::new();
    for (at, rule) in rules.iter().enumerate() {
        if rule.is_lexical() && !rule.is_fragment {
            modes.entry(rule.mode.clone()).or_default().push(at);
        }
    }
    // Modes that something else leads to.
    let entered: BTreeSet<Box<str>> = rules
        .iter()
        .filter(|rule| !has_more(rule))
        .flat_map(|rule| &rule.alternatives)
        .filter_map(|it| leads_to(&it.commands).map(Box::from))
        .collect();
    let mut joined: Vec<(usize, Rule)> = Vec::new();
    let mut ends: BTreeSet<usize> = BTreeSet::new();
    let mut loops: BTreeSet<usize> = BTreeSet::new();
    let mut begun: BTreeSet<usize> = BTreeSet::new();
    for (at, rule) in rules.iter().enumerate() {
        let [only] = &rule.alternatives[..] else {
            continue;
        };
        let mode = leads_to(&only.commands).filter(|mode| *mode != &*rule.mode);
        let (true, Some(members)) = (has_more(rule), mode.and_then(|mode| modes.get(mode))) else {
            continue;
        };
        begun.insert(at);
        let (more, last): (Vec<usize>, Vec<usize>) = members
            .iter()
            .partition(|&&member| has_more(&rules[member]));
        let more: Vec<usize> = more
            .into_iter()
            .filter(|&member| stays(&rules[member]))
            .collect();
        for end in last {
            let rule = joint(nodes, rules, at, &more, end);
            joined.push((at, rule));
            if mode.is_some_and(|mode| !entered.contains(mode)) {
                ends.insert(end);
            }
        }
        loops.extend(more);
    }
    for (at, rule) in rules.iter_mut().enumerate() {
        rule.is_fragment |= ends.contains(&at);
        if has_more(rule) && !loops.contains(&at) && !begun.contains(&at) {
            remarks.push(Remark {
                span: rule.span,
                what: format!("the tokens that begin with `{}`", rule.name),
                effect: Effect::Smaller,
            });
        }
    }
    for (at, rule) in joined.into_iter().rev() {
        rules.insert(at, rule);
    }
}

fn has_more(rule: &Rule) -> bool {
    let mut alternatives = rule.alternatives.iter();
    !rule.is_fragment && alternatives.any(|it| it.commands.contains(&Command::More))
}

/// Whether a rule that is more leaves the mode as it is.
fn stays(rule: &Rule) -> bool {
    rule.alternatives.iter().all(|it| {
        let commands = &it.commands;
        commands.contains(&Command::More)
            && !commands.contains(&Command::PopMode)
            && leads_to(commands).is_none_or(|mode| mode == &*rule.mode)
    })
}

fn leads_to(commands: &[Command]) -> Option<&str> {
    commands.iter().find_map(|command| match command {
        Command::Mode(mode) => Some(&**mode),
        _ => None,
    })
}

/// A token from its beginning to its end, as a rule of the mode in which it begins.
fn joint(nodes: &mut Nodes, rules: &[Rule], begin: usize, more: &[usize], end: usize) -> Rule {
    let (begin, end) = (&rules[begin], &rules[end]);
    let span = begin.span;
    let first = nodes.len() as u32;
    let add = |nodes: &mut Nodes, kind: Kind| nodes.push(Node { kind, span });
    let beginning = add(nodes, Kind::Name(begin.name.clone()));
    let mut parts = Vec::new();
    for &at in more {
        parts.push(match single(nodes, &rules[at]) {
            // What begins a longer one is not more by itself.
            Some(mut set) => {
                for &other in more {
                    if let Some(longer) = first_of_longer(nodes, &rules[other]) {
                        set.difference(&longer);
                    }
                }
                add(nodes, Kind::Set(set))
            }
            None => add(nodes, Kind::Name(rules[at].name.clone())),
        });
    }
    let inside = add(nodes, Kind::One(parts));
    let many = add(
        nodes,
        Kind::Repeat {
            subject: inside,
            min: 0,
            max: None,
            is_lazy: true,
        },
    );
    let ending = add(nodes, Kind::Name(end.name.clone()));
    let node = add(nodes, Kind::All(vec![beginning, many, ending]));
    let mut commands = end
        .alternatives
        .first()
        .map_or(Vec::new(), |it| it.commands.clone());
    if !commands.iter().any(|it| matches!(it, Command::Type(_))) {
        commands.push(Command::Type(end.name.clone()));
    }
    Rule {
        name: end.name.clone(),
        span,
        is_fragment: false,
        mode: begin.mode.clone(),
        is_caseless: begin.is_caseless,
        alternatives: vec![Alternative { node, commands }],
        nodes: first..nodes.len() as u32,
        is_made: true,
    }
}

/// The set that a rule of a single character is.
fn single(nodes: &Nodes, rule: &Rule) -> Option<ClassUnicode> {
    match rule.alternatives[..] {
        [ref only] => character(nodes, only.node, rule.is_caseless),
        _ => None,
    }
}

/// The first characters of a rule of several characters.
fn first_of_longer(nodes: &Nodes, rule: &Rule) -> Option<ClassUnicode> {
    let [only] = &rule.alternatives[..] else {
        return None;
    };
    match &nodes[only.node].kind {
        Kind::All(parts) => character(nodes, *parts.first()?, rule.is_caseless),
        Kind::Text(text) => {
            let mut chars = text.chars();
            let first = chars.next()?;
            chars.next().map(|_| sets::single(first))
        }
        _ => None,
    }
}

fn character(nodes: &Nodes, node: NodeId, is_caseless: bool) -> Option<ClassUnicode> {
    let set = match &nodes[node].kind {
        Kind::Any => return Some(sets::universe()),
        Kind::Not(inner) => {
            let parts = match &nodes[*inner].kind {
                Kind::One(parts) => parts,
                _ => &vec![*inner],
            };
            let mut set = ClassUnicode::empty();
            for &part in parts {
                set.union(&plain(nodes, part)?);
            }
            let set = if is_caseless {
                sets::caseless(&set)
            } else {
                set
            };
            return Some(sets::negated(&set));
        }
        _ => plain(nodes, node)?,
    };
    Some(if is_caseless {
        sets::caseless(&set)
    } else {
        set
    })
}

fn plain(nodes: &Nodes, node: NodeId) -> Option<ClassUnicode> {
    match &nodes[node].kind {
        Kind::Set(set) => Some(set.clone()),
        Kind::Text(text) => {
            let mut chars = text.chars();
            let first = chars.next()?;
            chars.next().is_none().then(|| sets::single(first))
        }
        _ => None,
    }
}
