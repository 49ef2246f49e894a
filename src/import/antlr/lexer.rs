//! Rules of a lexer, as tokens and what is skipped between them.
//!
//! An alternative of a rule is a *spelling* of a token: the rule's own, another one's (`-> type(T)`), none at all (`-> skip` and channels
//! other than the default one), or the beginning of one (`-> more`). Spellings of one kind are a production. A token with several of
//! them is an alternation in the syntax.
//!
//! A rule that contains itself is written out to a depth of [`MAX_DEPTH`]: tokens are regular.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::ClassUnicode;

use super::super::names::Names;
use super::super::{Effect, Remark};
use super::analysis::{self, Facts};
use super::model::{Command, DEFAULT_MODE, Kind, NodeId, Rule, RuleId, System};
use super::{MAX_DEPTH, sets};
use pleach_core::grammar::Role;
use pleach_core::grammar::ast::{Ast, ExprId, NameId, Span};
use pleach_core::id::IdVec;

/// What a spelling is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Destiny {
    /// A token of this name.
    Token(Box<str>),
    /// Nothing that the parser sees.
    Hidden,
    /// The beginning of another token.
    More,
    /// A part of tokens.
    Fragment,
}

/// The spellings of one kind of a rule.
#[derive(Clone, Debug)]
pub(super) struct Spelling {
    pub(super) destiny: Destiny,
    /// The alternatives of the rule.
    pub(super) alternatives: Vec<usize>,
    /// The mode that it leads to; `None` for where it is.
    pub(super) mode: Option<Box<str>>,
}

/// A production of the lexer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Variant {
    pub(super) rule: RuleId,
    pub(super) spelling: u32,
    /// How often the rule contains itself here.
    pub(super) depth: u32,
    /// Whether it derives no empty text.
    pub(super) is_some: bool,
}

/// What is known of the rules of a lexer.
#[derive(Debug)]
pub(super) struct Lexer {
    pub(super) spellings: IdVec<RuleId, Vec<Spelling>>,
    /// Which rules derive the empty text.
    pub(super) empty: Facts,
    pub(super) lazy: Facts,
    /// Which rules have the end of the file in them.
    ends: Facts,
    pub(super) cycles: IdVec<RuleId, Option<u32>>,
    /// Rules that are a letter in either case, in lower case.
    pub(super) letters: IdVec<RuleId, Option<char>>,
    /// The spellings of each token that has any.
    pub(super) tokens: BTreeMap<Box<str>, Vec<(RuleId, u32)>>,
}

impl Lexer {
    pub(super) fn new(system: &System) -> Lexer {
        let spellings: IdVec<RuleId, Vec<Spelling>> = system
            .rules
            .iter()
            .map(|(_, rule)| match rule.is_lexical() {
                true => spellings(rule),
                false => Vec::new(),
            })
            .collect();
        let mut tokens: BTreeMap<Box<str>, Vec<(RuleId, u32)>> = BTreeMap::new();
        for (id, spellings) in spellings.iter() {
            for (number, spelling) in spellings.iter().enumerate() {
                if let Destiny::Token(name) = &spelling.destiny {
                    tokens
                        .entry(name.clone())
                        .or_default()
                        .push((id, number as u32));
                }
            }
        }
        let letters = system
            .rules
            .iter()
            .map(|(id, rule)| match rule.alternatives[..] {
                _ if !rule.is_lexical() => None,
                [ref only] => set_of(system, id, only.node).and_then(|set| sets::letter(&set)),
                _ => {
                    let sets = rule.alternatives.iter();
                    let sets = sets.map(|it| set_of(system, id, it.node));
                    let mut all = ClassUnicode::empty();
                    for set in sets {
                        all.union(&set?);
                    }
                    sets::letter(&all)
                }
            });
        Lexer {
            letters: letters.collect(),
            spellings,
            empty: analysis::empty_rules(system),
            lazy: analysis::lazy_rules(system),
            ends: analysis::ending_rules(system),
            cycles: analysis::cycles(system),
            tokens,
        }
    }

    /// How deep a rule is in itself where a production refers to it; `None` if that is too deep. References to rules that are written
    /// later go no deeper, so that those that stay at a depth end.
    pub(super) fn depth(&self, of: Variant, target: RuleId) -> Option<u32> {
        if self.cycles[target].is_none() || self.cycles[target] != self.cycles[of.rule] {
            return Some(0);
        }
        let depth = of.depth + u32::from(target <= of.rule);
        (depth <= self.max_depth(target)).then_some(depth)
    }

    /// How deep a rule may be in itself. With a loop that is not greedy it is used at several places of its own, so that the automaton of
    /// the tokens would become too large soon.
    pub(super) fn max_depth(&self, rule: RuleId) -> u32 {
        if self.lazy[rule] { 1 } else { MAX_DEPTH }
    }

    pub(super) fn spelling(&self, variant: Variant) -> &Spelling {
        &self.spellings[variant.rule][variant.spelling as usize]
    }
}

/// The alternatives of a rule by what they are for.
fn spellings(rule: &Rule) -> Vec<Spelling> {
    let mut spellings: Vec<Spelling> = Vec::new();
    for (number, alternative) in rule.alternatives.iter().enumerate() {
        let mut destiny = Destiny::Token(rule.name.clone());
        let mut mode = None;
        let mut is_hidden = false;
        for command in &alternative.commands {
            match command {
                Command::Skip => is_hidden = true,
                Command::More => destiny = Destiny::More,
                Command::Channel(channel) => {
                    is_hidden = !matches!(
                        &**channel,
                        "DEFAULT_TOKEN_CHANNEL" | "DEFAULT_CHANNEL" | "0"
                    );
                }
                Command::Type(token) if destiny != Destiny::More => {
                    destiny = Destiny::Token(token.clone());
                }
                Command::Mode(name) => mode = Some(name.clone()),
                Command::Type(_) | Command::PopMode => {}
            }
        }
        if rule.is_fragment {
            destiny = Destiny::Fragment;
        } else if is_hidden {
            destiny = Destiny::Hidden;
        }
        let same = |it: &&mut Spelling| it.destiny == destiny && it.mode == mode;
        match spellings.iter_mut().find(same) {
            Some(spelling) => spelling.alternatives.push(number),
            None => spellings.push(Spelling {
                destiny,
                alternatives: vec![number],
                mode,
            }),
        }
    }
    spellings
}

/// The set of characters that a node is, if it is one; of `~x`, what is not in it.
pub(super) fn set_of(system: &System, rule: RuleId, node: NodeId) -> Option<ClassUnicode> {
    /// Parts that are looked at: sets are small.
    const MAX_PARTS: usize = 1000;
    let mut set = ClassUnicode::empty();
    let (mut negated, mut node) = (false, node);
    if let Kind::Not(inner) = system.nodes[node].kind {
        (negated, node) = (true, inner);
    }
    let mut rest = vec![(rule, node)];
    let mut looked = 0;
    while let Some((rule, node)) = rest.pop() {
        looked += 1;
        if looked > MAX_PARTS {
            return None;
        }
        let is_caseless = system.rules[rule].is_caseless;
        let add = |more: &ClassUnicode, set: &mut ClassUnicode| match is_caseless {
            true => set.union(&sets::caseless(more)),
            false => set.union(more),
        };
        match &system.nodes[node].kind {
            Kind::Set(more) => add(more, &mut set),
            Kind::Text(text) => {
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => add(&sets::single(c), &mut set),
                    _ => return None,
                }
            }
            Kind::Any => set.union(&sets::universe()),
            Kind::One(parts) => rest.extend(parts.iter().map(|&part| (rule, part))),
            Kind::Name(name) => {
                let target = system
                    .rule(name)
                    .filter(|&it| system.rules[it].is_lexical())?;
                let alternatives = system.rules[target].alternatives.iter();
                rest.extend(alternatives.map(|it| (target, it.node)));
            }
            _ => return None,
        }
    }
    Some(if negated { sets::negated(&set) } else { set })
}

/// The productions of a lexer, as they are asked for.
#[derive(Debug)]
pub(super) struct Writer<'s> {
    pub(super) system: &'s System,
    pub(super) lexer: &'s Lexer,
    pub(super) ast: Ast,
    pub(super) names: Names,
    pub(super) remarks: Vec<Remark>,
    /// The names of those that have been asked for.
    variants: BTreeMap<Variant, NameId>,
    /// Those of them that nothing refers to, and that compete nowhere.
    unused: BTreeSet<Variant>,
    /// Those that have not been written.
    rest: Vec<Variant>,
    written: Vec<(Variant, Production)>,
    /// The rules of which it has been said that they contain themselves.
    cut: BTreeSet<RuleId>,
    /// What loops that are not greedy may still cost.
    pub(super) budget: usize,
}

/// A production that is not in the grammar yet.
#[derive(Debug)]
pub(super) struct Production {
    role: Role,
    mode: Option<NameId>,
    name: NameId,
    span: Span,
    root: ExprId,
}

impl<'s> Writer<'s> {
    pub(super) fn new(system: &'s System, lexer: &'s Lexer) -> Writer<'s> {
        Writer {
            system,
            lexer,
            ast: Ast::new(),
            names: Names::new(),
            remarks: Vec::new(),
            variants: BTreeMap::new(),
            unused: BTreeSet::new(),
            rest: Vec::new(),
            written: Vec::new(),
            cut: BTreeSet::new(),
            budget: super::shortest::MAX_STEPS,
        }
    }

    pub(super) fn remark(&mut self, span: Span, what: impl Into<String>, effect: Effect) {
        self.remarks.push(Remark {
            span,
            what: what.into(),
            effect,
        });
    }

    /// The name of a production of the lexer, which is thereby asked for.
    pub(super) fn variant(&mut self, variant: Variant) -> NameId {
        if let Some(&name) = self.variants.get(&variant) {
            return name;
        }
        let rule = &self.system.rules[variant.rule];
        let key = format!(
            " {} {} {} {}",
            variant.rule.0, variant.spelling, variant.depth, variant.is_some
        );
        let token = match &self.lexer.spelling(variant).destiny {
            Destiny::Token(name) if self.lexer.tokens[name].len() == 1 => name,
            _ => &rule.name,
        };
        let name = self.names.id_as(&mut self.ast, &key, token);
        self.variants.insert(variant, name);
        self.rest.push(variant);
        name
    }

    /// The production that a spelling is as a token, or between tokens.
    pub(super) fn outer(&mut self, rule: RuleId, spelling: u32) -> NameId {
        let is_some = self.lexer.empty[rule];
        self.variant(Variant {
            rule,
            spelling,
            depth: 0,
            is_some,
        })
    }

    /// The production of a token, whether anything refers to it or not: it competes with the others. In a lexer of several modes it
    /// does not, as which of them is in force is only known by what may come.
    pub(super) fn competing(&mut self, rule: RuleId, spelling: u32) {
        let before = self.variants.len();
        self.outer(rule, spelling);
        let is_new = self.variants.len() > before;
        let is_token = matches!(
            self.lexer.spellings[rule][spelling as usize].destiny,
            Destiny::Token(_)
        );
        if is_new && is_token && self.has_modes() {
            self.unused.extend(self.rest.last());
        }
    }

    fn has_modes(&self) -> bool {
        let mut rules = self.system.lexer_rules();
        rules.any(|(_, rule)| *rule.mode != *DEFAULT_MODE)
    }

    /// Writes all productions that have been asked for, and all that they ask for.
    pub(super) fn finish(&mut self) {
        while let Some(variant) = self.rest.pop() {
            let rule = &self.system.rules[variant.rule];
            let Some(&name) = self.variants.get(&variant) else {
                continue;
            };
            let is_outer = variant.depth == 0 && variant.is_some == self.lexer.empty[variant.rule];
            let role = match self.lexer.spelling(variant).destiny {
                Destiny::Token(_) if is_outer => Role::Token,
                Destiny::Hidden if is_outer => Role::Skip,
                _ => Role::Syntax,
            };
            let root = match self.body(variant) {
                Some(root) => root,
                // What contains itself and nothing else derives no text.
                None => self.ast.reference(name, rule.span),
            };
            if role == Role::Token && variant.is_some && self.ends_somehow(variant) {
                let what = format!("that the token `{}` may be empty", rule.name);
                self.remark(rule.span, what, Effect::Smaller);
            }
            let competes = role.is_lexical() && !self.unused.contains(&variant);
            let mode = competes.then(|| self.mode(&rule.mode));
            let production = Production {
                role,
                mode,
                name,
                span: rule.span,
                root,
            };
            self.written.push((variant, production));
        }
        self.written.sort_by_key(|&(variant, _)| variant);
        for (_, it) in std::mem::take(&mut self.written) {
            self.ast
                .lexical_production(it.role, it.mode, it.name, it.span, it.root);
        }
    }

    /// Whether an empty token would be the last one of its kind: it changes the mode, or is the end of the file. Any other would be read
    /// at the same place for ever, so that no text has one.
    fn ends_somehow(&self, variant: Variant) -> bool {
        let rule = &self.system.rules[variant.rule];
        let is_mode = |it: &Command| matches!(it, Command::Mode(_) | Command::PopMode);
        let mut alternatives = rule.alternatives.iter();
        self.lexer.ends[variant.rule] || alternatives.any(|it| it.commands.iter().any(is_mode))
    }

    /// Says that a rule contains itself more often than its production does, once for each rule.
    pub(super) fn cut(&mut self, rule: RuleId) {
        if !self.cut.insert(rule) {
            return;
        }
        let depth = self.lexer.max_depth(rule);
        let rule = &self.system.rules[rule];
        let what = format!(
            "what `{}` has of itself beyond a depth of {depth}",
            rule.name
        );
        self.remark(rule.span, what, Effect::Smaller);
    }

    /// Modes have names of their own, apart from those of rules.
    fn mode(&mut self, mode: &str) -> NameId {
        self.ast.name(mode)
    }
}
