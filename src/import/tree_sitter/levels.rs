//! Which rules of a tree-sitter grammar are tokens, and which cannot be had.
//!
//! tree-sitter makes a token of each string, each pattern and each `token(…)`, and skips the extras between any two tokens but
//! before a `token.immediate(…)`. So a rule in which every token but the first is immediate is a token itself, if it is regular:
//! nothing is ever skipped inside it. What needs a token of the external scanner cannot be derived; it is left out with
//! all that cannot do without it.

use std::collections::BTreeMap;

use super::tree::{Kind, PartId, Rule, RuleId, Tree};
use pleach_core::id::{Id as _, IdVec};

/// What a rule becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Becomes {
    /// It cannot do without an external token.
    Nothing,
    Syntax,
    Token,
    /// A part of tokens.
    Fragment,
    Skip,
}

/// What is known of a part, or of a whole rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// It may be empty.
    is_nullable: bool,
    has_token: bool,
    /// Each token that may come first is immediate.
    is_immediate: bool,
    /// Each token behind another one is immediate.
    pub(super) is_glued: bool,
    /// A token may stand behind another one.
    has_succession: bool,
}

const EMPTY: Facts = Facts {
    is_nullable: true,
    has_token: false,
    is_immediate: true,
    is_glued: true,
    has_succession: false,
};

/// What becomes of the parts and rules of a grammar.
pub(super) struct Levels {
    /// Parts that cannot be derived.
    pub(super) is_dead: IdVec<PartId, bool>,
    pub(super) rules: IdVec<RuleId, Becomes>,
    /// The facts of the rules that are regular.
    pub(super) facts: IdVec<RuleId, Option<Facts>>,
    /// Of what may be skipped, the rule that it is, if it has a name of its own.
    pub(super) skips: Vec<(RuleId, Option<RuleId>)>,
    /// The rules that stand for tokens which are written out elsewhere in just the same way, by their texts.
    tokens: BTreeMap<String, RuleId>,
    /// Whether anything is skipped at all.
    pub(super) has_extras: bool,
}

/// Whether a part is a token of its own where it stands in a rule of the syntax; a text is none, as a literal is its own token.
pub(super) fn is_token(tree: &Tree<'_>, part: PartId) -> bool {
    match &tree.parts[part].kind {
        Kind::Token { .. } => text(tree, part).is_none(),
        Kind::Pattern { .. } => true,
        _ => false,
    }
}

/// The text that a part is, if it is one, and whether its letters may be in either case.
pub(super) fn text<'a>(tree: &'a Tree<'_>, part: PartId) -> Option<(&'a str, bool)> {
    match &tree.parts[part].kind {
        Kind::Text(text, is_caseless) => Some((text, *is_caseless)),
        Kind::Token {
            content: Some(content),
            ..
        } => match &tree.parts[*content].kind {
            Kind::Text(text, is_caseless) => Some((text, *is_caseless)),
            _ => None,
        },
        _ => None,
    }
}

/// The rule of the name that a part is, if it is one.
pub(super) fn target(tree: &Tree<'_>, part: PartId) -> Option<RuleId> {
    match &tree.parts[part].kind {
        Kind::Symbol(name) => tree.by_name.get(name).copied(),
        _ => None,
    }
}

/// Decides what becomes of everything. Linear, up to looking up names.
pub(super) fn levels(tree: &Tree<'_>) -> Levels {
    let is_dead = dead(tree);
    let mut levels = Levels {
        rules: IdVec::filled(tree.rules.len(), Becomes::Nothing),
        facts: IdVec::filled(tree.rules.len(), None),
        skips: Vec::new(),
        tokens: BTreeMap::new(),
        has_extras: false,
        is_dead,
    };
    if tree.named == 0 {
        return levels;
    }
    levels.find_facts(tree);
    let has_name = |id: RuleId| id.index() < tree.named;
    // What is skipped.
    for (id, rule) in tree.rules.iter().filter(|&(id, _)| !has_name(id)) {
        if levels.is_dead[rule.root()] {
            continue;
        }
        let named = target(tree, rule.root());
        let is_regular = levels.facts[named.unwrap_or(id)].is_some_and(|it| it.has_token);
        if is_regular {
            levels.skips.push((id, named));
        }
    }
    levels.has_extras = !levels.skips.is_empty();
    let forced: Vec<RuleId> = levels
        .skips
        .iter()
        .filter_map(|&(_, named)| named)
        .collect();
    // Tokens by themselves, and by what is between their tokens.
    let start = RuleId::from_index(0);
    for (id, rule) in tree.rules.iter().take(tree.named) {
        if levels.is_dead[rule.root()] {
            continue;
        }
        let is_merged = levels.has_extras
            && levels.facts[id]
                .is_some_and(|it| it.is_glued && it.has_succession && !it.is_nullable);
        levels.rules[id] = match id != start && (is_token(tree, rule.root()) || is_merged) {
            true => Becomes::Token,
            false => Becomes::Syntax,
        };
        if levels.rules[id] == Becomes::Token && !is_merged && !forced.contains(&id) {
            let source = tree.parts[rule.root()].source.to_owned();
            levels.tokens.entry(source).or_insert(id);
        }
    }
    for &id in &forced {
        if id != start {
            levels.rules[id] = Becomes::Token;
        }
    }
    // What only tokens refer to is a part of tokens; what both refer to has to be a token.
    let (in_syntax, in_tokens) = levels.uses(tree);
    for (id, rule) in tree.rules.iter().take(tree.named).skip(1) {
        let is_literal = text(tree, rule.root()).is_some();
        levels.rules[id] = match (levels.rules[id], in_syntax[id], in_tokens[id]) {
            (Becomes::Nothing, _, _) => Becomes::Nothing,
            (_, false, _) if forced.contains(&id) => Becomes::Skip,
            (_, false, true) => Becomes::Fragment,
            (_, true, true) => Becomes::Token,
            (_, _, false) if is_literal && !forced.contains(&id) => Becomes::Syntax,
            (becomes, _, false) => becomes,
        };
    }
    for (id, rule) in tree.rules.iter().skip(tree.named) {
        if !levels.is_dead[rule.root()] && levels.skips.iter().any(|&(skip, _)| skip == id) {
            levels.rules[id] = Becomes::Skip;
        }
    }
    levels
}

impl Levels {
    /// The rule that a part stands for: that of its name, or the token that is written just as it is.
    pub(super) fn rule_of(&self, tree: &Tree<'_>, part: PartId) -> Option<RuleId> {
        match is_token(tree, part) {
            true => self.tokens.get(tree.parts[part].source).copied(),
            false => target(tree, part),
        }
    }

    /// Whether no token of a rule may have anything skipped before it.
    pub(super) fn is_immediate(&self, rule: RuleId) -> bool {
        self.facts[rule].is_some_and(|it| it.has_token && it.is_immediate)
    }

    /// The facts of all regular rules: those that do not contain themselves, nor what does. The start is none.
    fn find_facts(&mut self, tree: &Tree<'_>) {
        let mut users: IdVec<RuleId, Vec<RuleId>> = IdVec::filled(tree.rules.len(), Vec::new());
        let mut missing: IdVec<RuleId, u32> = IdVec::filled(tree.rules.len(), 0);
        for (id, rule) in tree.rules.iter() {
            for part in rule.ids().filter(|&part| !self.is_dead[part]) {
                if let Kind::Symbol(_) = tree.parts[part].kind {
                    missing[id] += 1;
                    if let Some(target) = target(tree, part) {
                        users[target].push(id);
                    }
                }
            }
        }
        // Nothing waits for the start to be known, so that it is part of no token.
        users[RuleId::from_index(0)].clear();
        let mut known: Vec<RuleId> = tree.rules.ids().filter(|&id| missing[id] == 0).collect();
        let mut facts: IdVec<PartId, Facts> = IdVec::filled(tree.parts.len(), EMPTY);
        while let Some(id) = known.pop() {
            let rule = &tree.rules[id];
            if self.is_dead[rule.root()] {
                continue;
            }
            self.find_part_facts(tree, rule, &mut facts);
            self.facts[id] = Some(facts[rule.root()]);
            for &user in &users[id] {
                missing[user] -= 1;
                if missing[user] == 0 {
                    known.push(user);
                }
            }
        }
    }

    /// The facts of the parts of a rule, from the inside.
    fn find_part_facts(&self, tree: &Tree<'_>, rule: &Rule, facts: &mut IdVec<PartId, Facts>) {
        for part in rule.ids().rev().filter(|&part| !self.is_dead[part]) {
            let kind = &tree.parts[part].kind;
            let inside = kind.parts().iter().filter(|&&part| !self.is_dead[part]);
            let mut inside = inside.map(|&part| facts[part]);
            facts[part] = match kind {
                Kind::Blank => EMPTY,
                Kind::Text(..) | Kind::Pattern { .. } => token(false),
                Kind::Token { is_immediate, .. } => token(*is_immediate),
                Kind::Symbol(_) => target(tree, part)
                    .and_then(|target| self.facts[target])
                    .unwrap_or(EMPTY),
                Kind::Sequence(_) => inside.fold(EMPTY, |before, next| before.then(next)),
                Kind::Choice(_) => {
                    let first = inside.next().unwrap_or(EMPTY);
                    inside.fold(first, Facts::or)
                }
                Kind::Repeat { min, .. } => {
                    let once = inside.next().unwrap_or(EMPTY);
                    let more = once.then(once);
                    Facts {
                        is_nullable: *min == 0 || once.is_nullable,
                        ..more
                    }
                }
            };
        }
    }

    /// Which rules the syntax refers to, and which ones tokens refer to.
    fn uses(&self, tree: &Tree<'_>) -> (IdVec<RuleId, bool>, IdVec<RuleId, bool>) {
        let mut in_syntax = IdVec::filled(tree.rules.len(), false);
        let mut in_tokens = IdVec::filled(tree.rules.len(), false);
        let start = RuleId::from_index(0);
        in_syntax[start] = true;
        let mut syntax = vec![start];
        let mut tokens: Vec<RuleId> = Vec::new();
        for &(skip, named) in &self.skips {
            tokens.push(named.unwrap_or(skip));
        }
        while let Some(id) = syntax.pop() {
            if self.rules[id] == Becomes::Token {
                tokens.push(id);
                continue;
            }
            let parts = tree.rules[id].parts.clone();
            let mut at = parts.start;
            while at < parts.end {
                let part = PartId::from_index(at);
                if !self.is_dead[part]
                    && let Some(rule) = self.rule_of(tree, part)
                    && !std::mem::replace(&mut in_syntax[rule], true)
                {
                    syntax.push(rule);
                }
                // Within a token, nothing is syntax.
                at = match is_token(tree, part) {
                    true => tree.parts[part].end,
                    false => at + 1,
                };
            }
        }
        let mut seen = IdVec::filled(tree.rules.len(), false);
        while let Some(id) = tokens.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            for part in tree.rules[id].ids().filter(|&part| !self.is_dead[part]) {
                if let Some(rule) = target(tree, part) {
                    in_tokens[rule] = true;
                    tokens.push(rule);
                }
            }
        }
        (in_syntax, in_tokens)
    }
}

/// The facts of one token.
fn token(is_immediate: bool) -> Facts {
    Facts {
        is_nullable: false,
        has_token: true,
        is_immediate,
        ..EMPTY
    }
}

impl Facts {
    /// One behind the other.
    fn then(self, next: Facts) -> Facts {
        let is_behind = self.has_token && next.has_token;
        Facts {
            is_nullable: self.is_nullable && next.is_nullable,
            has_token: self.has_token || next.has_token,
            is_immediate: self.is_immediate && (!self.is_nullable || next.is_immediate),
            is_glued: self.is_glued && next.is_glued && (!is_behind || next.is_immediate),
            has_succession: self.has_succession || next.has_succession || is_behind,
        }
    }

    /// Either of them.
    fn or(self, other: Facts) -> Facts {
        Facts {
            is_nullable: self.is_nullable || other.is_nullable,
            has_token: self.has_token || other.has_token,
            is_immediate: self.is_immediate && other.is_immediate,
            is_glued: self.is_glued && other.is_glued,
            has_succession: self.has_succession || other.has_succession,
        }
    }
}

/// Which parts need a token of the scanner that has no rule, spread from the inside to the outside and from rules to their uses.
fn dead(tree: &Tree<'_>) -> IdVec<PartId, bool> {
    let mut is_dead = IdVec::filled(tree.parts.len(), false);
    let mut users: IdVec<RuleId, Vec<PartId>> = IdVec::filled(tree.rules.len(), Vec::new());
    let mut rest = Vec::new();
    // By choice, how many of its members may be had.
    let mut left: IdVec<PartId, usize> = IdVec::filled(tree.parts.len(), 0);
    let mut rules: IdVec<PartId, Option<RuleId>> = IdVec::filled(tree.parts.len(), None);
    for (id, rule) in tree.rules.iter() {
        rules[rule.root()] = Some(id);
    }
    for (id, part) in tree.parts.iter() {
        match &part.kind {
            Kind::Choice(parts) => left[id] = parts.len(),
            Kind::Symbol(name) => match tree.by_name.get(name) {
                Some(&rule) => users[rule].push(id),
                None if tree.externals.contains_key(name) => rest.push(id),
                None => {}
            },
            _ => {}
        }
    }
    while let Some(part) = rest.pop() {
        if std::mem::replace(&mut is_dead[part], true) {
            continue;
        }
        let Some(parent) = tree.parts[part].parent else {
            if let Some(rule) = rules[part] {
                rest.append(&mut users[rule]);
            }
            continue;
        };
        match tree.parts[parent].kind {
            Kind::Choice(_) => {
                left[parent] -= 1;
                if left[parent] == 0 {
                    rest.push(parent);
                }
            }
            Kind::Repeat { min: 0, .. } => {}
            _ => rest.push(parent),
        }
    }
    is_dead
}
