//! Grammars of pest, read by the parser of its own meta-grammar (<https://pest.rs/book>, "Grammar syntax").
//!
//! `WHITESPACE` and `COMMENT` are what may be skipped, and atomic rules are tokens; without these two, all is syntax. `(!end ~ ANY)*`
//! becomes any text without the end in it, and `!set ~ ANY` another set. Parsing expressions try alternatives in order and repeat
//! as often as they can; here any alternative and any number will do. The start is
//! a rule that no other one uses, one with `SOI` or `EOI` before others, and of these the one that reaches the most.
//!
//! Left out, with a remark each: other predicates; that nothing is skipped in an atomic rule which contains itself; that what is popped
//! is what was pushed.

mod builtin;
mod levels;
mod measure;
mod mixed;
mod tail;
#[cfg(test)]
mod tests;
mod tree;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use self::builtin::Builtin;
use self::levels::{Element, Levels, Place};
use self::tree::{Kind, PEEK, PartId, RuleId, Spacing, Tree};
use super::build::any_case;
use super::names::Names;
use super::until::until;
use super::{Effect, Imported, Remark};
use pleach_core::grammar::ast::{Alternative, Ast, ExprId, NameId, Span};
use pleach_core::grammar::{CharClass, Error, Role};
use pleach_core::id::IdVec;

struct Writer<'a> {
    text: &'a str,
    tree: &'a Tree,
    levels: &'a Levels,
    ast: Ast,
    names: Names,
    /// The production of each rule, and that for tokens if it is another one.
    productions: IdVec<RuleId, (NameId, NameId)>,
    /// Tokens of repetitions in the syntax.
    texts: Vec<(NameId, Span, ExprId)>,
    remarks: Vec<Remark>,
    /// The remarks that are there once.
    remarked: BTreeSet<&'static str>,
    /// Parts of repetitions that are written as a whole.
    worked_in: BTreeSet<PartId>,
}

/// A step of writing an expression: it, or what follows once its parts are written.
enum Step {
    Open(PartId),
    Class(CharClass, Span),
    Close(PartId, usize),
}

pub(super) fn read(text: &str) -> Result<Imported, Error> {
    let tree = tree::read(text)?;
    let start = start(&tree);
    let levels = levels::levels(&tree, start);
    let mut ast = Ast::new();
    let mut names = Names::new();
    let mut productions = IdVec::new();
    for (_, rule) in tree.rules.iter() {
        let spelled = match rule.name.split_once(' ') {
            Some(("pushed", _)) => "pushed".to_owned(),
            Some((rule, _)) => format!("{rule}_pushed"),
            None => rule.name.clone(),
        };
        let name = match rule.is_implied {
            true => names.fresh(&mut ast, &spelled).0,
            // A second rule of one name is an error of lowering's.
            false => names.id(&mut ast, &spelled),
        };
        productions.push((name, name));
    }
    for id in tree.rules.ids().filter(|&id| levels.is_twice(&tree, id)) {
        let spelled = format!("{}_atomic", tree.rules[id].name);
        productions[id].1 = names.fresh(&mut ast, &spelled).0;
    }
    let mut writer = Writer {
        text,
        tree: &tree,
        levels: &levels,
        ast,
        names,
        productions,
        texts: Vec::new(),
        remarks: Vec::new(),
        remarked: BTreeSet::new(),
        worked_in: BTreeSet::new(),
    };
    writer.rules(start);
    writer.predicates();
    Ok(Imported {
        ast: writer.ast,
        remarks: writer.remarks,
    })
}

/// The rule that a grammar starts at, as far as that can be told: of those that no other one uses, of these, of those with `SOI` or
/// `EOI`, the first one that reaches the most rules.
fn start(tree: &Tree) -> Option<RuleId> {
    /// How many rules are compared.
    const COMPARED: usize = 32;
    let mut uses: IdVec<RuleId, Vec<RuleId>> = IdVec::filled(tree.rules.len(), Vec::new());
    let mut is_used = IdVec::filled(tree.rules.len(), false);
    let mut has_ends = IdVec::filled(tree.rules.len(), false);
    for (id, rule) in tree.rules.iter() {
        for part in tree.inside(rule.root) {
            if let Some(used) = levels::used(tree, part) {
                uses[id].push(used);
                is_used[used] |= used != id;
            }
            has_ends[id] |= matches!(&tree.parts[part].kind, Kind::Name(name) if matches!(&**name, "SOI" | "EOI"));
        }
    }
    let is_skipped = |id| levels::skipped(tree).any(|it| it == id);
    let rules = || {
        let written = tree.rules.iter().filter(|(_, rule)| !rule.is_implied);
        written.map(|(id, _)| id).filter(|&id| !is_skipped(id))
    };
    let reach = |from: RuleId| {
        let mut is_reached = IdVec::filled(tree.rules.len(), false);
        let (mut rest, mut count) = (vec![from], 0_usize);
        while let Some(id) = rest.pop() {
            if !std::mem::replace(&mut is_reached[id], true) {
                count += 1;
                rest.extend(&uses[id]);
            }
        }
        count
    };
    let best = |candidates: &mut dyn Iterator<Item = RuleId>| {
        let compared = candidates.take(COMPARED);
        compared.min_by_key(|&id| Reverse(reach(id)))
    };
    best(&mut rules().filter(|&id| !is_used[id] && has_ends[id]))
        .or_else(|| best(&mut rules().filter(|&id| !is_used[id])))
        .or_else(|| rules().find(|&id| has_ends[id]))
        .or_else(|| rules().next())
}

impl Writer<'_> {
    fn remark(&mut self, span: Span, what: impl Into<String>, effect: Effect) {
        let what = what.into();
        self.remarks.push(Remark { span, what, effect });
    }

    /// A remark of which one tells all.
    fn remark_once(&mut self, span: Span, what: &'static str, effect: Effect) {
        if self.remarked.insert(what) {
            self.remark(span, what, effect);
        }
    }

    /// Remarks the predicates that are left out.
    fn predicates(&mut self) {
        for &part in self.levels.lost.difference(&self.worked_in.clone()) {
            const SHOWN: usize = 40;
            let span = self.tree.parts[part].span;
            let written = self.text.get(span.range()).unwrap_or_default();
            let shown: String = written.chars().take(SHOWN).collect();
            let rest = if shown.len() < written.len() {
                "…"
            } else {
                ""
            };
            self.remark(
                span,
                format!("the predicate `{shown}{rest}`"),
                Effect::Larger,
            );
        }
    }

    /// Writes all productions, that of the start first.
    fn rules(&mut self, start: Option<RuleId>) {
        let (tree, levels) = (self.tree, self.levels);
        let mut skipped = Vec::new();
        let others = tree.rules.ids().filter(|&id| Some(id) != start);
        for id in start.into_iter().chain(others) {
            let rule = &tree.rules[id];
            let (name, token) = self.productions[id];
            let uses = levels.uses[id];
            if !levels.is_lexical {
                if let Some(root) = self.expression(id, Place::Atomic) {
                    self.ast.production(name, rule.span, root);
                }
                continue;
            }
            if levels::skipped(tree).any(|it| it == id) {
                if let Some(root) = self.expression(id, Place::Token) {
                    let is_token = uses.in_syntax || uses.as_token;
                    match is_token {
                        true => {
                            self.ast
                                .lexical_production(Role::Token, None, name, rule.span, root);
                            skipped.push((name, rule.span));
                        }
                        false => {
                            self.ast
                                .lexical_production(Role::Skip, None, name, rule.span, root);
                        }
                    }
                }
                continue;
            }
            let is_literal = levels.facts[rule.root].text.is_some() && !uses.in_tokens;
            let is_unused = !(uses.in_syntax || uses.as_token || uses.in_tokens);
            if is_unused
                || uses.in_syntax && !(uses.as_token && levels.is_one_token(tree, id))
                || Some(id) == start
            {
                let place = match rule.spacing {
                    Spacing::Atomic => Place::Atomic,
                    Spacing::Inherited | Spacing::NonAtomic => Place::Spaced,
                };
                if let Some(root) = self.expression(id, place) {
                    self.ast.production(name, rule.span, root);
                }
                if place == Place::Atomic {
                    let what = format!(
                        "that nothing is skipped in `{}`, which contains itself",
                        rule.name
                    );
                    self.remark(rule.span, what, Effect::Larger);
                }
                if token == name {
                    continue;
                }
            }
            let role = match uses.as_token && !is_literal {
                true => Role::Token,
                false => Role::Syntax,
            };
            if let Some(root) = self.expression(id, Place::Token) {
                self.ast
                    .lexical_production(role, None, token, rule.span, root);
            }
        }
        for (name, span, root) in std::mem::take(&mut self.texts) {
            self.ast
                .lexical_production(Role::Token, None, name, span, root);
        }
        for (name, span) in skipped {
            let root = self.ast.reference(name, span);
            let (name, _) = self.names.fresh(&mut self.ast, "skipped");
            self.ast
                .lexical_production(Role::Skip, None, name, span, root);
        }
    }

    /// Writes the expression of a rule for a place. `None` if it derives nothing there.
    fn expression(&mut self, id: RuleId, at: Place) -> Option<ExprId> {
        let (tree, levels) = (self.tree, self.levels);
        let mut steps = vec![Step::Open(tree.rules[id].root)];
        let mut done: Vec<Option<ExprId>> = Vec::new();
        while let Some(step) = steps.pop() {
            let (part, from) = match step {
                Step::Class(class, span) => {
                    done.push(Some(self.ast.char_class(class, span)));
                    continue;
                }
                Step::Open(part) => {
                    if let Some(leaf) = self.leaf(id, part, at) {
                        done.push(leaf);
                        continue;
                    }
                    steps.push(Step::Close(part, done.len()));
                    match levels.elements.get(&part) {
                        Some(elements) => steps.extend(elements.iter().rev().map(|it| match it {
                            Element::Part(part) => Step::Open(*part),
                            Element::Class(class) => {
                                Step::Class(class.clone(), tree.parts[part].span)
                            }
                        })),
                        None => {
                            let parts = tree.parts[part].kind.parts().iter().rev();
                            steps.extend(parts.map(|&part| Step::Open(part)));
                        }
                    }
                    continue;
                }
                Step::Close(part, from) => (&tree.parts[part], from),
            };
            let inside = done.split_off(from);
            let span = part.span;
            done.push(match &part.kind {
                Kind::Choice(_) => self.choice(inside, span),
                Kind::Repeat { min, max, .. } => match inside.first().copied().flatten() {
                    Some(content) => Some(match (*min, *max) {
                        (1, Some(1)) => content,
                        (min, max) => {
                            if max != Some(min) {
                                self.remark_once(span, ORDER, Effect::Larger);
                            }
                            self.ast.quantifier(content, min, max, span)
                        }
                    }),
                    None if *min == 0 => Some(self.ast.concatenation(&[], span)),
                    None => None,
                },
                _ => inside
                    .into_iter()
                    .collect::<Option<Vec<_>>>()
                    .map(|all| match all[..] {
                        [only] => only,
                        _ => self.ast.concatenation(&all, span),
                    }),
            });
        }
        done.pop().flatten()
    }

    /// What is left of alternatives, some of which may derive nothing.
    fn choice(&mut self, inside: Vec<Option<ExprId>>, span: Span) -> Option<ExprId> {
        self.remark_once(span, ORDER, Effect::Larger);
        let alternatives = inside.into_iter().flatten().map(|expr| Alternative {
            expr,
            probability: None,
        });
        let alternatives: Vec<Alternative> = alternatives.collect();
        match alternatives[..] {
            [] => None,
            [only] => Some(only.expr),
            _ => Some(self.ast.alternation(&alternatives, span)),
        }
    }

    /// Writes an expression that is written whole: `Some(None)` if it derives nothing, `None` if it has parts to write.
    fn leaf(&mut self, rule: RuleId, id: PartId, at: Place) -> Option<Option<ExprId>> {
        let (tree, levels) = (self.tree, self.levels);
        let part = &tree.parts[id];
        let span = part.span;
        Some(match &part.kind {
            Kind::Text(text, true) => Some(any_case(&mut self.ast, text, span)),
            Kind::Text(text, false) => Some(self.ast.literal(text.as_bytes(), span)),
            Kind::Range(low, high) => {
                let class = CharClass::new(&[(*low, *high)], &[]);
                class.map(|class| self.ast.char_class(class, span))
            }
            Kind::Class(class) => Some(self.ast.char_class(class.clone(), span)),
            // What is left of predicates has been worked in, or remarked.
            Kind::Predicate { .. } => Some(self.ast.concatenation(&[], span)),
            Kind::Name(name) => {
                if name == PEEK {
                    let what = "that what is popped is what was pushed";
                    self.remark_once(span, what, Effect::Other);
                }
                match levels::used(tree, id) {
                    Some(used) => self.reference(rule, used, at, span),
                    None => Some(self.builtin(rule, id, name)),
                }
            }
            Kind::Repeat { content, min, max } => {
                let idiom = levels.untils.get(&id);
                let is_long = matches!((*min, *max), (0 | 1, None));
                let written = match idiom.filter(|_| is_long) {
                    Some(it) => {
                        let is_nonempty = *min == 1 || at == Place::Spaced && levels.is_lexical;
                        let ast = &mut self.ast;
                        until(ast, it, is_nonempty, span)
                    }
                    None => None,
                };
                if idiom.is_some() && written.is_none() {
                    let what = "the predicate before what is repeated";
                    self.remark(tree.parts[*content].span, what, Effect::Larger);
                }
                let written = written?;
                self.worked_in.extend(tree.inside(*content));
                // Between its characters, nothing is skipped that it could not read itself.
                match at == Place::Spaced && levels.is_lexical {
                    true => {
                        let spelled = format!("{}_text", tree.rules[rule].name);
                        let (name, _) = self.names.fresh(&mut self.ast, &spelled);
                        self.texts.push((name, span, written));
                        let reference = self.ast.reference(name, span);
                        Some(match *min {
                            0 => self.ast.quantifier(reference, 0, Some(1), span),
                            _ => reference,
                        })
                    }
                    false => Some(written),
                }
            }
            Kind::Sequence(_) | Kind::Choice(_) => return None,
        })
    }

    /// A use of a rule. `None` for one that contains the rule which uses it, within a token.
    fn reference(&mut self, rule: RuleId, used: RuleId, at: Place, span: Span) -> Option<ExprId> {
        let (tree, levels) = (self.tree, self.levels);
        let (name, token) = self.productions[used];
        if !levels.is_lexical {
            return Some(self.ast.reference(name, span));
        }
        if at == Place::Token && levels.is_cyclic(rule, used) {
            let what = format!(
                "`{}` within itself, where tokens are",
                tree.rules[used].name
            );
            self.remark(span, what, Effect::Smaller);
            return None;
        }
        let is_token = levels.place(tree, used, at) == Place::Token;
        Some(
            self.ast
                .reference(if is_token { token } else { name }, span),
        )
    }

    /// A use of what is built in, or of what nobody has defined.
    fn builtin(&mut self, rule: RuleId, id: PartId, name: &str) -> ExprId {
        let span = self.tree.parts[id].span;
        match Builtin::of(name) {
            Some(Builtin::Nothing) => {
                if matches!(name, "SOI" | "EOI") && !self.is_at_end(rule, id) {
                    let does = if name == "SOI" { "begins" } else { "ends" };
                    let what = format!("that the text {does} at this `{name}`");
                    self.remark(span, what, Effect::Larger);
                }
                self.ast.concatenation(&[], span)
            }
            Some(Builtin::Newline) => {
                let ends = ["\n", "\r\n", "\r"].map(|text| Alternative {
                    expr: self.ast.literal(text.as_bytes(), span),
                    probability: None,
                });
                self.ast.alternation(&ends, span)
            }
            Some(Builtin::Class(class)) => self.ast.char_class(class, span),
            None => {
                let name = self.names.id(&mut self.ast, name);
                self.ast.reference(name, span)
            }
        }
    }

    /// Whether `SOI` or `EOI` stands at the beginning or the end of a rule.
    fn is_at_end(&self, rule: RuleId, id: PartId) -> bool {
        let root = self.tree.rules[rule].root;
        match &self.tree.parts[root].kind {
            Kind::Sequence(parts) => parts.first() == Some(&id) || parts.last() == Some(&id),
            _ => root == id,
        }
    }
}

/// What is left out of every choice and repetition.
const ORDER: &str = "the order of alternatives, and that repetitions take all they can";
