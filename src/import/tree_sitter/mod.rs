//! Grammars of tree-sitter, as `tree-sitter generate` writes them to `grammar.json` ("Creating Parsers" in its documentation).
//!
//! A rule of one pattern or token is a token; patterns and tokens within other rules become tokens with a name of their own; strings
//! stay literals. The extras are what may be skipped. The first rule is the start. Fields, aliases, conflicts, `inline`, and
//! precedence among rules have no effect on the language.
//!
//! For scanners of well-known languages, patterns stand.
//!
//! Left out, with a remark each: other tokens of an external scanner and what cannot do without them; that nothing may be skipped before
//! an immediate token, unless the whole rule is one token for it; precedence between tokens, except that of several longest
//! matches the higher one goes first; reserved words. What tree-sitter expects by the state of its
//! parser, pleach expects by its chart, so keywords are words where none of them can stand; that `ifx` is never cut behind the
//! keyword (`word`) is left out.

mod levels;
mod pattern;
mod scanners;
#[cfg(test)]
mod tests;
mod tree;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use self::levels::{Becomes, Levels};
use self::tree::{Kind, PartId, Rule, RuleId, Tree};
use super::build::any_case;
use super::json::Reader;
use super::{Effect, Imported, Remark};
use pleach_core::grammar::ast::{Alternative, ExprId, NameId, Span};
use pleach_core::grammar::{Error, ErrorKind, Probability, Role};
use pleach_core::id::{Id as _, IdVec};

/// How often something is made that is hardly ever meant.
const RARELY: Probability = Probability(1_000_000);

/// A production that waits for its place.
struct Waiting {
    role: Role,
    precedence: i64,
    name: NameId,
    span: Span,
    root: ExprId,
}

struct Writer<'r, 't> {
    reader: &'r mut Reader<'t>,
    tree: &'r Tree<'t>,
    levels: &'r Levels,
    names: IdVec<RuleId, Option<NameId>>,
    /// The tokens that are written in the middle of rules, by their texts.
    inline: BTreeMap<&'t str, NameId>,
    tokens: Vec<Waiting>,
    /// What has been remarked, so that it is only once.
    remarked: BTreeSet<String>,
}

/// A step of writing a part: it, or what follows once its parts are written.
enum Step {
    Open(PartId),
    Close(PartId, usize),
}

pub(super) fn read(text: &str) -> Result<Imported, Error> {
    let mut reader = Reader::new(text);
    let tree = tree::read(&mut reader)?;
    let levels = levels::levels(&tree);
    let mut writer = Writer {
        reader: &mut reader,
        tree: &tree,
        levels: &levels,
        names: IdVec::filled(tree.rules.len(), None),
        inline: BTreeMap::new(),
        tokens: Vec::new(),
        remarked: BTreeSet::new(),
    };
    writer.left_out()?;
    writer.productions();
    Ok(reader.finish())
}

impl<'t> Writer<'_, 't> {
    fn remark(&mut self, span: Span, what: String, effect: Effect) {
        if self.remarked.insert(what.clone()) {
            self.reader.remarks.push(Remark { span, what, effect });
        }
    }

    /// Remarks what the scanner and the extras have.
    fn left_out(&mut self) -> Result<(), Error> {
        let tree = self.tree;
        for (_, part) in tree.parts.iter() {
            let Kind::Symbol(name) = &part.kind else {
                continue;
            };
            let Some(&span) = tree.externals.get(name) else {
                continue;
            };
            let (what, effect) = match tree.by_name.contains_key(name) {
                true => (
                    format!("the scanner of `{name}`, for which a rule stands"),
                    Effect::Other,
                ),
                false => (
                    format!("the external `{name}`; give it a rule in `rules` to have it"),
                    Effect::Smaller,
                ),
            };
            self.remark(span, what, effect);
        }
        for (id, rule) in tree.rules.iter() {
            let is_dead = self.levels.is_dead[rule.root()];
            let is_skipped = self.levels.skips.iter().any(|&(skip, _)| skip == id);
            let what = match (id.index() < tree.named, is_dead) {
                (true, true) => format!("`{}`, which cannot do without an external", rule.name),
                (false, true) => {
                    "one of the extras, which cannot do without an external".to_owned()
                }
                (false, false) if !is_skipped => {
                    "one of the extras, which is not a token: it contains itself".to_owned()
                }
                _ => continue,
            };
            if id.index() == 0 {
                return Err(Error::new(
                    ErrorKind::UnproductiveStart,
                    self.reader.text.as_bytes(),
                    rule.span,
                    what,
                    "give the externals rules in `rules`, or start at a rule that needs none",
                ));
            }
            self.reader.remarks.push(Remark {
                span: rule.span,
                what,
                effect: Effect::Smaller,
            });
        }
        Ok(())
    }

    /// Writes the productions: the syntax, then tokens and their parts, then what is skipped.
    fn productions(&mut self) {
        let (tree, levels) = (self.tree, self.levels);
        for (id, rule) in tree.rules.iter().take(tree.named) {
            let name = self.reader.names.id_as(
                &mut self.reader.ast,
                // A second rule of one name is an error of lowering's.
                &rule.name,
                &rule.name,
            );
            self.names[id] = Some(name);
        }
        for (id, rule) in tree.rules.iter().take(tree.named) {
            let Some(name) = self.names[id] else {
                continue;
            };
            let role = match levels.rules[id] {
                Becomes::Nothing => continue,
                Becomes::Syntax => {
                    let root = self.expression(rule, rule.root(), true);
                    self.reader.ast.production(name, rule.span, root);
                    continue;
                }
                Becomes::Token => Role::Token,
                Becomes::Fragment => Role::Syntax,
                Becomes::Skip => Role::Skip,
            };
            let root = self.expression(rule, rule.root(), false);
            let precedence = match tree.parts[rule.root()].kind {
                Kind::Token { precedence, .. } => precedence,
                _ => 0,
            };
            if role == Role::Token {
                self.token_remarks(&rule.name, precedence, rule.span, levels.is_immediate(id));
            }
            if role != Role::Syntax
                && levels.has_extras
                && levels.facts[id].is_some_and(|it| !it.is_glued)
            {
                let what = format!("what may be skipped within `{}`", rule.name);
                self.remark(rule.span, what, Effect::Smaller);
            }
            self.tokens.push(Waiting {
                role,
                precedence,
                name,
                span: rule.span,
                root,
            });
        }
        for &(id, named) in &levels.skips {
            let rule = &tree.rules[id];
            if named.is_some_and(|named| levels.rules[named] == Becomes::Skip) {
                continue;
            }
            let name = match named {
                Some(named) => format!("{}_skipped", tree.rules[named].name),
                None => "extra".to_owned(),
            };
            let (name, _) = self.reader.names.fresh(&mut self.reader.ast, &name);
            let root = self.expression(rule, rule.root(), false);
            self.tokens.push(Waiting {
                role: Role::Skip,
                precedence: 0,
                name,
                span: rule.span,
                root,
            });
        }
        let mut tokens = std::mem::take(&mut self.tokens);
        // Of several longest matches, the first one is read.
        tokens.sort_by_key(|it| (it.role == Role::Skip, Reverse(it.precedence)));
        for it in tokens {
            let ast = &mut self.reader.ast;
            ast.lexical_production(it.role, None, it.name, it.span, it.root);
        }
    }

    fn token_remarks(&mut self, name: &str, precedence: i64, span: Span, is_immediate: bool) {
        if precedence != 0 {
            let what = format!("the precedence of the token `{name}` over longer ones");
            self.remark(span, what, Effect::Other);
        }
        if is_immediate && self.levels.has_extras {
            let what = format!("that nothing may be skipped before `{name}`");
            self.remark(span, what, Effect::Larger);
        }
    }

    /// Writes a part of a rule, as syntax or as a part of a token.
    fn expression(&mut self, rule: &Rule, root: PartId, is_syntax: bool) -> ExprId {
        let tree = self.tree;
        let mut steps = vec![Step::Open(root)];
        let mut done: Vec<ExprId> = Vec::new();
        while let Some(step) = steps.pop() {
            let (part, from) = match step {
                Step::Open(id) => {
                    if let Some(leaf) = self.leaf(rule, id, is_syntax) {
                        done.push(leaf);
                        continue;
                    }
                    steps.push(Step::Close(id, done.len()));
                    let inside = tree.parts[id].kind.parts().iter().rev();
                    let inside = inside.filter(|&&part| {
                        let is_blank = matches!(tree.parts[part].kind, Kind::Blank);
                        !is_blank && !self.levels.is_dead[part]
                    });
                    steps.extend(inside.map(|&part| Step::Open(part)));
                    continue;
                }
                Step::Close(id, from) => (&tree.parts[id], from),
            };
            let ast = &mut self.reader.ast;
            let inside = done.split_off(from);
            let span = part.span;
            let single = match inside[..] {
                [single] => Some(single),
                _ => None,
            };
            done.push(match (&part.kind, single) {
                (Kind::Choice(parts), single) => {
                    let is_blank = |&part: &PartId| matches!(tree.parts[part].kind, Kind::Blank);
                    let is_rare = |&part: &PartId| {
                        levels::target(tree, part).is_some_and(|it| tree.rare.contains(&it))
                    };
                    let written = parts
                        .iter()
                        .filter(|&part| !is_blank(part) && !self.levels.is_dead[*part]);
                    let has_usual = written.clone().any(|part| !is_rare(part));
                    let alternatives =
                        inside.iter().zip(written).map(|(&expr, part)| Alternative {
                            expr,
                            probability: (has_usual && is_rare(part)).then_some((RARELY, span)),
                        });
                    let choice = match single {
                        Some(single) => single,
                        None if inside.is_empty() => ast.concatenation(&[], span),
                        None => ast.alternation(&alternatives.collect::<Vec<_>>(), span),
                    };
                    match parts.iter().any(is_blank) && !inside.is_empty() {
                        true => ast.quantifier(choice, 0, Some(1), span),
                        false => choice,
                    }
                }
                (Kind::Repeat { min, .. }, Some(content)) => {
                    ast.quantifier(content, *min, None, span)
                }
                (_, Some(single)) => single,
                (_, None) => ast.concatenation(&inside, span),
            });
        }
        match done.pop() {
            Some(expr) => expr,
            None => self.reader.ast.concatenation(&[], rule.span),
        }
    }

    /// Writes a part that has nothing in it, or that is a token on its own.
    fn leaf(&mut self, rule: &Rule, id: PartId, is_syntax: bool) -> Option<ExprId> {
        let tree = self.tree;
        let part = &tree.parts[id];
        let span = part.span;
        if let Some((text, is_caseless)) = levels::text(tree, id) {
            if let (
                true,
                Kind::Token {
                    is_immediate,
                    precedence,
                    ..
                },
            ) = (is_syntax, &part.kind)
            {
                self.token_remarks(text, *precedence, span, *is_immediate);
            }
            return Some(match is_caseless {
                true => any_case(&mut self.reader.ast, text, span),
                false => self.reader.ast.literal(text.as_bytes(), span),
            });
        }
        if is_syntax && levels::is_token(tree, id) {
            let name = match self.levels.rule_of(tree, id) {
                Some(token) => self.names[token]?,
                None => self.inline_token(rule, id),
            };
            return Some(self.reader.ast.reference(name, span));
        }
        match &part.kind {
            Kind::Blank => Some(self.reader.ast.concatenation(&[], span)),
            Kind::Symbol(symbol) => {
                let known = tree.by_name.get(symbol).and_then(|&rule| self.names[rule]);
                let reader = &mut self.reader;
                let name = known.unwrap_or_else(|| reader.names.id(&mut reader.ast, symbol));
                Some(reader.ast.reference(name, span))
            }
            Kind::Pattern { value, flags } => {
                let translated = pattern::translate(value, flags);
                for dropped in translated.dropped {
                    let what = format!("{dropped} in a pattern of `{}`", rule.name);
                    self.remark(span, what, Effect::Larger);
                }
                // Where it stands letter by letter, errors can point into it.
                let at = part.source.find(&format!("\"{}\"", translated.pattern));
                let offset = at.map(|at| span.range().start + at + 1);
                Some(self.reader.ast.regex(&translated.pattern, offset, span))
            }
            _ => None,
        }
    }

    /// The name of a token in the middle of a rule, which is written once.
    fn inline_token(&mut self, rule: &Rule, id: PartId) -> NameId {
        let part = &self.tree.parts[id];
        if let Some(&name) = self.inline.get(part.source) {
            return name;
        }
        let spelled = format!("{}_token", rule.name);
        let (name, spelled) = self.reader.names.fresh(&mut self.reader.ast, &spelled);
        self.inline.insert(part.source, name);
        let root = self.expression(rule, id, false);
        let precedence = match part.kind {
            Kind::Token {
                is_immediate,
                precedence,
                ..
            } => {
                self.token_remarks(&spelled, precedence, part.span, is_immediate);
                precedence
            }
            _ => 0,
        };
        self.tokens.push(Waiting {
            role: Role::Token,
            precedence,
            name,
            span: part.span,
            root,
        });
        name
    }
}
