//! Rules of a parser, as syntax over tokens.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Effect, Imported};
use super::analysis::{self, Facts, empty_nodes};
use super::body::{alternation, concatenation, text_expr};
use super::lexer::{Destiny, Lexer, Writer};
use super::model::{DEFAULT_MODE, Kind, NodeId, Rule, RuleId, System, local, parts};
use super::sets;
use pleach_core::grammar::Role;
use pleach_core::grammar::ast::{ExprId, NameId, Span};
use pleach_core::id::IdVec;

/// Writes a grammar.
pub(super) fn write(system: &System, lexer: &Lexer) -> Imported {
    let mut syntax = Syntax {
        writer: Writer::new(system, lexer),
        system,
        lexer,
        spelled: spelled(system, lexer),
        empty: &lexer.empty,
        is_tail: tails(system, &lexer.empty),
        aids: BTreeMap::new(),
        all: None,
    };
    syntax.rules();
    let mut writer = syntax.writer;
    writer.finish();
    for (name, span) in &system.super_classes {
        let what = format!("the class `{name}`, whose code may change what is read");
        writer.remark(*span, what, Effect::Other);
    }
    let mut rules = system.lexer_rules();
    if let Some((_, rule)) = rules.find(|(_, rule)| *rule.mode != *DEFAULT_MODE) {
        let what = "the modes of the lexer: a token is read where it is expected";
        writer.remark(rule.span, what, Effect::Other);
    }
    Imported {
        ast: writer.ast,
        remarks: writer.remarks,
    }
}

/// The tokens that are a single text.
fn spelled(system: &System, lexer: &Lexer) -> BTreeMap<Box<str>, Box<str>> {
    let mut spelled = BTreeMap::new();
    for (id, rule) in system.lexer_rules() {
        let is_token = !rule.is_fragment && !rule.is_made && !lexer.spellings[id].is_empty();
        if let ([only], true) = (&rule.alternatives[..], is_token)
            && let Kind::Text(text) = &system.nodes[only.node].kind
        {
            spelled
                .entry(text.clone())
                .or_insert_with(|| rule.name.clone());
        }
    }
    spelled
}

/// The texts in a rule of the parser, each a token.
fn texts<'s>(system: &'s System, rule: &Rule) -> impl Iterator<Item = (&'s str, Span)> {
    rule.node_ids()
        .filter_map(|id| match &system.nodes[id].kind {
            Kind::Text(text) if !text.is_empty() => Some((&**text, system.nodes[id].span)),
            _ => None,
        })
}

/// Whether nothing can come behind a rule, unless somebody begins with another one.
fn tails(system: &System, empty: &Facts) -> Facts {
    // Rules that something can come behind, as far as those that refer to them tell.
    let mut inner: Facts = IdVec::filled(system.rules.len(), false);
    let mut at_end: IdVec<RuleId, Vec<RuleId>> = IdVec::filled(system.rules.len(), Vec::new());
    for (id, rule) in system.parser_rules() {
        let tail = tail_nodes(system, rule, empty);
        for node in rule.node_ids() {
            if let Kind::Name(name) = &system.nodes[node].kind
                && let Some(target) = system.rule(name)
            {
                match tail[local(rule, node)] {
                    true => at_end[id].push(target),
                    false => inner[target] = true,
                }
            }
        }
    }
    let mut rest: Vec<RuleId> = inner.ids().filter(|&id| inner[id]).collect();
    while let Some(id) = rest.pop() {
        for &target in &at_end[id] {
            if !std::mem::replace(&mut inner[target], true) {
                rest.push(target);
            }
        }
    }
    inner.iter().map(|(_, &inner)| !inner).collect()
}

/// Whether nothing can come behind each node of a rule within the rule.
fn tail_nodes(system: &System, rule: &Rule, empty: &Facts) -> Vec<bool> {
    let is_empty = empty_nodes(system, rule, empty);
    let mut tail = vec![false; rule.nodes.len()];
    for alternative in &rule.alternatives {
        tail[local(rule, alternative.node)] = true;
    }
    for id in rule.node_ids().rev() {
        let here = tail[local(rule, id)];
        match &system.nodes[id].kind {
            Kind::All(parts) => {
                let mut here = here;
                for &part in parts.iter().rev() {
                    tail[local(rule, part)] = here;
                    here &= is_empty[local(rule, part)];
                }
            }
            Kind::Repeat { max: None, .. } => {}
            kind => {
                for &part in parts(kind) {
                    tail[local(rule, part)] = here;
                }
            }
        }
    }
    tail
}

/// A production that no rule is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Aid {
    /// A token with several spellings.
    Token(Box<str>),
    /// Any token but these.
    Not(Vec<Token>),
    /// A token that never comes.
    Never(Box<str>),
}

/// A token, for what is not one of several.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Token {
    Named(Box<str>),
    Text(Box<str>),
}

struct Syntax<'s> {
    writer: Writer<'s>,
    system: &'s System,
    lexer: &'s Lexer,
    /// The tokens that are a single text.
    spelled: BTreeMap<Box<str>, Box<str>>,
    empty: &'s Facts,
    is_tail: Facts,
    aids: BTreeMap<Aid, (NameId, Span)>,
    /// All tokens in order, once they have been asked for.
    all: Option<Vec<Token>>,
}

impl Syntax<'_> {
    fn rules(&mut self) {
        let system = self.system;
        let rules: Vec<(RuleId, &Rule)> = system.parser_rules().collect();
        for (_, rule) in &rules {
            self.writer.names.id(&mut self.writer.ast, &rule.name);
        }
        if rules.is_empty() {
            self.tokens_alone();
        }
        for &(id, rule) in &rules {
            let root = self.rule(id, rule);
            let name = self.writer.names.id(&mut self.writer.ast, &rule.name);
            let root = match root {
                Some(root) => root,
                None => self.writer.ast.reference(name, rule.span),
            };
            self.writer.ast.production(name, rule.span, root);
        }
        self.write_aids();
        if let Some((id, start)) = self.start(&rules) {
            let name = self.writer.names.spelled(&start.name).map(str::to_owned);
            if let Some(name) = name {
                self.writer.ast.set_start(&name);
            }
            self.unused_texts(id, &rules);
        }
        // Tokens that nothing refers to compete all the same.
        for (id, spellings) in self.lexer.spellings.iter() {
            for (number, spelling) in spellings.iter().enumerate() {
                if matches!(spelling.destiny, Destiny::Token(_) | Destiny::Hidden) {
                    self.writer.competing(id, number as u32);
                }
            }
        }
    }

    /// The rule to start with: the first that no other refers to, and of several one that ends with the end of the file.
    fn start<'r>(&self, rules: &[(RuleId, &'r Rule)]) -> Option<(RuleId, &'r Rule)> {
        let mut referred: Facts = IdVec::filled(self.system.rules.len(), false);
        for &(id, _) in rules {
            for target in analysis::references(self.system, id) {
                referred[target] |= target != id;
            }
        }
        let ends = |rule: &Rule| {
            let mut nodes = rule.node_ids();
            nodes.any(|node| matches!(self.system.nodes[node].kind, Kind::Eof))
        };
        let free = || rules.iter().filter(|(id, _)| !referred[*id]);
        let ending = free().find(|(_, rule)| ends(rule));
        let start = ending.or_else(|| free().next()).or(rules.first());
        start.copied()
    }

    /// Texts in rules that the start does not reach are tokens all the same, before those of the lexer.
    fn unused_texts(&mut self, start: RuleId, rules: &[(RuleId, &Rule)]) {
        let system = self.system;
        let mut is_reached: Facts = IdVec::filled(system.rules.len(), false);
        let mut rest = vec![start];
        while let Some(id) = rest.pop() {
            if !std::mem::replace(&mut is_reached[id], true) {
                rest.extend(analysis::references(system, id));
            }
        }
        let (used, unused): (Vec<_>, Vec<_>) = rules.iter().partition(|(id, _)| is_reached[*id]);
        let mut known: BTreeSet<&str> = self.spelled.keys().map(|text| &**text).collect();
        known.extend(
            used.iter()
                .flat_map(|(_, rule)| texts(system, rule))
                .map(|(text, _)| text),
        );
        for (_, rule) in unused {
            for (text, span) in texts(system, rule).filter(|&(text, _)| known.insert(text)) {
                let ast = &mut self.writer.ast;
                let (name, _) = self.writer.names.fresh(ast, "unused_text");
                let root = text_expr(ast, text, rule.is_caseless, span);
                let mode = ast.name(DEFAULT_MODE);
                ast.lexical_production(Role::Token, Some(mode), name, span, root);
            }
        }
    }

    /// All sequences of the tokens of a lexer.
    fn tokens_alone(&mut self) {
        let (name, span) = (&self.system.name, self.system.name_span);
        let id = self
            .writer
            .names
            .id_as(&mut self.writer.ast, " start", name);
        let tokens = self.tokens();
        let mut exprs = Vec::with_capacity(tokens.len());
        for token in tokens {
            exprs.push(self.token(&token, span));
        }
        let ast = &mut self.writer.ast;
        let root = match alternation(ast, &exprs, span) {
            Some(any) => ast.quantifier(any, 0, None, span),
            None => ast.concatenation(&[], span),
        };
        ast.production(id, span, root);
    }

    fn rule(&mut self, id: RuleId, rule: &Rule) -> Option<ExprId> {
        let system = self.system;
        let mut tail = tail_nodes(system, rule, self.empty);
        if !self.is_tail[id] {
            tail.fill(false);
        }
        // Nodes that stand for themselves among several.
        let mut is_choice = vec![false; rule.nodes.len()];
        let mut exprs: Vec<Option<ExprId>> = Vec::with_capacity(rule.nodes.len());
        for node in rule.node_ids() {
            match &system.nodes[node].kind {
                Kind::One(parts) => parts
                    .iter()
                    .for_each(|&it| is_choice[local(rule, it)] = true),
                Kind::Repeat {
                    subject, min: 0, ..
                } => {
                    // Nothing may stand here anyway.
                    tail[local(rule, *subject)] |= matches!(system.nodes[*subject].kind, Kind::Eof);
                }
                _ => {}
            }
        }
        if rule.alternatives.len() > 1 {
            for it in &rule.alternatives {
                is_choice[local(rule, it.node)] = true;
            }
        }
        for node in rule.node_ids() {
            let at = local(rule, node);
            let expr = match system.nodes[node].kind {
                Kind::Eof => self.end_of_file(node, rule, tail[at], is_choice[at]),
                _ => self.node(rule, node, &exprs),
            };
            exprs.push(expr);
        }
        let roots = rule.alternatives.iter();
        let roots: Vec<ExprId> = roots.filter_map(|it| exprs[local(rule, it.node)]).collect();
        alternation(&mut self.writer.ast, &roots, rule.span)
    }

    fn end_of_file(
        &mut self,
        node: NodeId,
        rule: &Rule,
        is_tail: bool,
        is_choice: bool,
    ) -> Option<ExprId> {
        let span = self.system.nodes[node].span;
        if !is_tail {
            let (what, effect) = match is_choice {
                true => ("as the end of", Effect::Smaller),
                false => ("behind", Effect::Larger),
            };
            let what = format!("the end of the file {what} `{}`", rule.name);
            self.writer.remark(span, what, effect);
        }
        (is_tail || !is_choice).then(|| self.writer.ast.concatenation(&[], span))
    }

    fn node(&mut self, rule: &Rule, id: NodeId, exprs: &[Option<ExprId>]) -> Option<ExprId> {
        let system = self.system;
        let span = system.nodes[id].span;
        let of = |part: &NodeId| exprs[local(rule, *part)];
        let ast = &mut self.writer.ast;
        match &system.nodes[id].kind {
            Kind::Name(name) => Some(match system.rule(name) {
                Some(rule) if !system.rules[rule].is_lexical() => {
                    let name = self.writer.names.id(ast, name);
                    ast.reference(name, span)
                }
                None if !super::model::is_token(name) => {
                    // Lowering says that it is not there.
                    let name = self.writer.names.id(ast, name);
                    ast.reference(name, span)
                }
                _ => self.token(&Token::Named(name.clone()), span),
            }),
            Kind::Text(text) => Some(self.token(&self.text_token(text), span)),
            Kind::Set(set) => {
                let class = sets::class(set)?;
                Some(ast.char_class(class, span))
            }
            Kind::Any => Some(self.aid(Aid::Not(Vec::new()), "any_token", span)),
            Kind::Not(inner) => Some(self.not(*inner, span)),
            Kind::Eof => None,
            Kind::Predicate { .. } => {
                let expr = ast.concatenation(&[], span);
                self.writer.remark(span, "a predicate", Effect::Larger);
                Some(expr)
            }
            Kind::All(parts) => {
                let parts: Option<Vec<ExprId>> = parts.iter().map(of).collect();
                Some(concatenation(ast, &parts?, span))
            }
            Kind::One(parts) => {
                let parts: Vec<ExprId> = parts.iter().filter_map(of).collect();
                alternation(ast, &parts, span)
            }
            Kind::Repeat {
                subject, min, max, ..
            } => match of(subject) {
                Some(expr) => Some(ast.quantifier(expr, *min, *max, span)),
                None if *min == 0 => Some(ast.concatenation(&[], span)),
                None => None,
            },
        }
    }

    fn text_token(&self, text: &str) -> Token {
        match self.spelled.get(text) {
            Some(name) => Token::Named(name.clone()),
            None => Token::Text(text.into()),
        }
    }

    /// A use of a token.
    fn token(&mut self, token: &Token, span: Span) -> ExprId {
        let name = match token {
            Token::Named(name) => name,
            Token::Text(text) => {
                let is_caseless = self.system.is_caseless;
                return text_expr(&mut self.writer.ast, text, is_caseless, span);
            }
        };
        let lexer = self.lexer;
        let id = match lexer.tokens.get(name).map(Vec::as_slice) {
            Some(&[(rule, spelling)]) => self.writer.outer(rule, spelling),
            Some(_) => return self.aid(Aid::Token(name.clone()), name, span),
            None => {
                return self.aid(Aid::Never(name.clone()), name, span);
            }
        };
        self.writer.ast.reference(id, span)
    }

    /// Any token but those of a node.
    fn not(&mut self, inner: NodeId, span: Span) -> ExprId {
        let system = self.system;
        let list = match &system.nodes[inner].kind {
            Kind::One(parts) => parts.clone(),
            _ => vec![inner],
        };
        let mut tokens = Vec::new();
        for part in list {
            match &system.nodes[part].kind {
                Kind::Name(name) if super::model::is_token(name) => {
                    tokens.push(Token::Named(name.clone()));
                }
                Kind::Text(text) => tokens.push(self.text_token(text)),
                Kind::Eof => {}
                _ => {
                    let what = "what `~` takes away: it is not a set of tokens";
                    self.writer
                        .remark(system.nodes[part].span, what, Effect::Larger);
                }
            }
        }
        tokens.sort();
        tokens.dedup();
        let name = match tokens.first() {
            Some(Token::Named(name)) => format!("not_{name}"),
            _ => "not_text".to_owned(),
        };
        self.aid(Aid::Not(tokens), &name, span)
    }

    /// All tokens, as a parser may name them: texts of its own, then those of the lexer.
    fn tokens(&mut self) -> Vec<Token> {
        if let Some(all) = &self.all {
            return all.clone();
        }
        let mut known = BTreeMap::new();
        let mut all = Vec::new();
        let mut add = |token: Token| {
            if known.insert(token.clone(), ()).is_none() {
                all.push(token);
            }
        };
        for (_, rule) in self.system.parser_rules() {
            for node in rule.node_ids() {
                if let Kind::Text(text) = &self.system.nodes[node].kind {
                    let token = self.text_token(text);
                    if matches!(token, Token::Text(_)) && !text.is_empty() {
                        add(token);
                    }
                }
            }
        }
        for (_, spellings) in self.lexer.spellings.iter() {
            for spelling in spellings {
                if let Destiny::Token(name) = &spelling.destiny {
                    add(Token::Named(name.clone()));
                }
            }
        }
        self.all = Some(all.clone());
        all
    }

    /// A use of a production that no rule is.
    fn aid(&mut self, aid: Aid, name: &str, span: Span) -> ExprId {
        let ast = &mut self.writer.ast;
        let id = match self.aids.get(&aid) {
            Some(&(id, _)) => id,
            None => {
                let id = self.writer.names.id_as(ast, &format!(" {aid:?}"), name);
                self.aids.insert(aid, (id, span));
                id
            }
        };
        ast.reference(id, span)
    }

    fn write_aids(&mut self) {
        let mut written: BTreeMap<Aid, ()> = BTreeMap::new();
        // Writing one may ask for others.
        while let Some((aid, (id, span))) = self
            .aids
            .iter()
            .find(|(aid, _)| !written.contains_key(*aid))
            .map(|(aid, place)| (aid.clone(), *place))
        {
            let mut exprs = Vec::new();
            match &aid {
                Aid::Token(name) => {
                    let lexer = self.lexer;
                    for &(rule, spelling) in lexer.tokens.get(name).into_iter().flatten() {
                        let name = self.writer.outer(rule, spelling);
                        exprs.push(self.writer.ast.reference(name, span));
                    }
                }
                Aid::Not(tokens) => {
                    for token in self.tokens() {
                        if tokens.binary_search(&token).is_err() {
                            exprs.push(self.token(&token, span));
                        }
                    }
                }
                Aid::Never(name) => self.never(name, span),
            }
            let ast = &mut self.writer.ast;
            let root = alternation(ast, &exprs, span);
            let root = root.unwrap_or_else(|| ast.reference(id, span));
            ast.production(id, span, root);
            written.insert(aid, ());
        }
    }

    /// Says why a token never comes, unless its lexer does.
    fn never(&mut self, name: &str, span: Span) {
        let rule = self.system.rule(name).map(|rule| &self.system.rules[rule]);
        if rule.is_some_and(|rule| !rule.is_fragment) {
            return;
        }
        let declared = self.system.tokens.iter().find(|(it, _)| **it == *name);
        let span = declared.map_or(span, |(_, span)| *span);
        let what = format!("the token `{name}`, which no rule makes");
        self.writer.remark(span, what, Effect::Smaller);
    }
}
