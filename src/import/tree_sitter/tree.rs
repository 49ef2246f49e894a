//! A `grammar.json` as a tree of rules, each with its place.
//!
//! The parts of a rule stand one behind the other, a part before what is in it, so that passes over a rule are loops over a
//! range. What has no effect on the language (fields, aliases, precedence among rules) is gone here.

use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::json::{Members, Reader};
use crate::{Effect, Remark};
use pleach_core::grammar::Error;
use pleach_core::grammar::ast::Span;
use pleach_core::id::{Id as _, IdVec};

use super::pattern;
use super::scanners::{self, Form, Known};

pub(super) use ids::{PartId, RuleId};

mod ids {
    pleach_core::id::ids! {
        /// A part of a rule.
        PartId;
        /// A rule, or what may stand between tokens.
        RuleId;
    }
}

/// The deepest nesting of a rule. tree-sitter's own reader takes half of it.
const MAX_DEPTH: u32 = 128;

pub(super) const HELP: &str =
    "the form is that of a grammar.json, which `tree-sitter generate` writes beside parser.c";

/// A part of a rule, and where it stands.
pub(super) struct Part<'t> {
    pub(super) kind: Kind,
    pub(super) span: Span,
    /// Its text; what is written alike is the same token.
    pub(super) source: &'t str,
    /// What it is directly in.
    pub(super) parent: Option<PartId>,
    /// The number behind those of all that is in it.
    pub(super) end: usize,
}

/// The kinds of part.
pub(super) enum Kind {
    Blank,
    /// Text, and whether its letters may be in either case.
    Text(String, bool),
    Pattern {
        value: String,
        flags: String,
    },
    /// A use of a rule, by its name.
    Symbol(String),
    Sequence(Vec<PartId>),
    Choice(Vec<PartId>),
    Repeat {
        content: Option<PartId>,
        min: u32,
    },
    /// One token, however it is put together.
    Token {
        content: Option<PartId>,
        /// Nothing may be skipped before it.
        is_immediate: bool,
        precedence: i64,
    },
}

impl Kind {
    /// The parts directly in this one.
    pub(super) fn parts(&self) -> &[PartId] {
        match self {
            Kind::Sequence(parts) | Kind::Choice(parts) => parts,
            Kind::Repeat { content, .. } | Kind::Token { content, .. } => content.as_slice(),
            Kind::Blank | Kind::Text(..) | Kind::Pattern { .. } | Kind::Symbol(_) => &[],
        }
    }
}

/// A rule.
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) span: Span,
    /// Its parts, the first of which is all of it.
    pub(super) parts: Range<usize>,
}

impl Rule {
    pub(super) fn root(&self) -> PartId {
        PartId::from_index(self.parts.start)
    }

    pub(super) fn ids(&self) -> impl DoubleEndedIterator<Item = PartId> + use<> {
        self.parts.clone().map(PartId::from_index)
    }
}

/// A grammar.
pub(super) struct Tree<'t> {
    pub(super) parts: IdVec<PartId, Part<'t>>,
    /// The rules in their order, then a rule without a name for each of what may stand between tokens.
    pub(super) rules: IdVec<RuleId, Rule>,
    /// How many of the rules have names.
    pub(super) named: usize,
    pub(super) by_name: BTreeMap<String, RuleId>,
    /// The tokens of the scanner by their names.
    pub(super) externals: BTreeMap<String, Span>,
    /// The rules that derive nothing and are hardly ever meant.
    pub(super) rare: BTreeSet<RuleId>,
}

/// A value that has not been read: what it belongs to, how deep it is, the token whose content it is.
struct Task<'t> {
    value: &'t RawValue,
    parent: Option<PartId>,
    depth: u32,
    token: Option<PartId>,
}

/// Reads a grammar. What is neither a rule nor between tokens is remarked if it has an effect on the language.
pub(super) fn read<'t>(reader: &mut Reader<'t>) -> Result<Tree<'t>, Error> {
    let mut tree = Tree {
        parts: IdVec::new(),
        rules: IdVec::new(),
        named: 0,
        by_name: BTreeMap::new(),
        externals: BTreeMap::new(),
        rare: BTreeSet::new(),
    };
    let Members(members) = reader.value(reader.text.trim_start_matches('\u{feff}'), HELP)?;
    let member = |name: &str| {
        let found = members.iter().find(|(it, _)| it == name);
        found.map(|&(_, value)| value)
    };
    let Some(rules) = member("rules") else {
        let span = Span::new(0, reader.text.lines().next().map_or(0, str::len));
        return Err(reader.error(span, "a grammar without `rules`", HELP));
    };
    if let Some(externals) = member("externals") {
        for external in reader.list(externals, HELP)? {
            let Members(members) = reader.value(external.get(), HELP)?;
            let name = members.into_iter().find(|(it, _)| it == "name");
            if let Some((_, name)) = name {
                let span = reader.span(external);
                let name = reader.string(name, HELP)?;
                tree.externals.entry(name).or_insert(span);
            }
        }
    }
    let grammar = match member("name") {
        Some(name) => reader.string(name, HELP)?,
        None => String::new(),
    };
    let Members(rules) = reader.value(rules.get(), HELP)?;
    let names: BTreeSet<&str> = rules.iter().map(|(name, _)| name.as_str()).collect();
    let is_missing = |name: &str| tree.externals.contains_key(name) && !names.contains(name);
    let known = scanners::known(&grammar).filter(|it| is_missing(it.within.unwrap_or(it.name)));
    let known: Vec<&Known> = known.collect();
    for (name, value) in &rules {
        let uses = |it: &&&Known| {
            let symbol = it.within.map(|it| format!("\"{it}\""));
            it.name == name && symbol.is_some_and(|it| value.get().contains(&it))
        };
        let id = match known.iter().find(uses) {
            Some(it) => {
                let span = reader.span(value);
                reader.remarks.push(Remark {
                    span,
                    what: format!("the scanner in `{name}`, for which a pattern stands"),
                    effect: Effect::Other,
                });
                tree.known(it, span)
            }
            None => tree.rule(reader, name.clone(), value)?,
        };
        tree.by_name.entry(name.clone()).or_insert(id);
    }
    for it in known.iter().filter(|it| it.within.is_none()) {
        if let Some(&span) = tree.externals.get(it.name) {
            let id = tree.known(it, span);
            tree.by_name.insert(it.name.to_owned(), id);
        }
    }
    tree.named = tree.rules.len();
    if let Some(extras) = member("extras") {
        for extra in reader.list(extras, HELP)? {
            tree.rule(reader, String::new(), extra)?;
        }
    }
    for &(ref name, value) in &members {
        let (what, effect) = match name.as_str() {
            "word" if value.get() != "null" => (
                "`word`: that a keyword ends where a word does".to_owned(),
                Effect::Larger,
            ),
            "reserved" if value.get().contains("\"type\"") => {
                ("the reserved words".to_owned(), Effect::Larger)
            }
            "$schema" | "name" | "inherits" | "word" | "rules" | "extras" | "conflicts"
            | "precedences" | "externals" | "inline" | "supertypes" | "reserved" => continue,
            _ => (format!("`{name}`"), Effect::Other),
        };
        reader.remarks.push(Remark {
            span: reader.span(value),
            what,
            effect,
        });
    }
    Ok(tree)
}

impl<'t> Tree<'t> {
    /// Adds a rule for what is known of a scanner.
    fn known(&mut self, known: &Known, span: Span) -> RuleId {
        let start = self.parts.len();
        let mut push = |kind: Kind, parent: Option<PartId>| {
            self.parts.push(Part {
                kind,
                span,
                source: known.name,
                parent,
                end: start + 1,
            })
        };
        let pattern = |value: &str| Kind::Pattern {
            value: value.to_owned(),
            flags: String::new(),
        };
        match known.form {
            Form::Mark | Form::RareMark => _ = push(Kind::Blank, None),
            Form::Text(text) => _ = push(Kind::Text(text.to_owned(), false), None),
            Form::Pattern(value) => _ = push(pattern(value), None),
            Form::Immediate(value) => {
                let token = |content| Kind::Token {
                    content,
                    is_immediate: true,
                    precedence: 0,
                };
                let root = push(token(None), None);
                let inside = push(pattern(value), Some(root));
                self.parts[root].kind = token(Some(inside));
                self.parts[root].end = start + 2;
                self.parts[inside].end = start + 2;
            }
        }
        let id = self.rules.push(Rule {
            name: known.name.to_owned(),
            span,
            parts: start..self.parts.len(),
        });
        if let Form::RareMark = known.form {
            self.rare.insert(id);
        }
        id
    }

    /// Reads a rule.
    fn rule(
        &mut self,
        reader: &Reader<'t>,
        name: String,
        value: &'t RawValue,
    ) -> Result<RuleId, Error> {
        let start = self.parts.len();
        let mut tasks = vec![Task {
            value,
            parent: None,
            depth: 0,
            token: None,
        }];
        while let Some(task) = tasks.pop() {
            self.part(reader, task, &mut tasks)?;
        }
        for at in (start..self.parts.len()).rev() {
            let part = &self.parts[PartId::from_index(at)];
            let (end, parent) = (part.end, part.parent);
            if let Some(parent) = parent {
                let parent = &mut self.parts[parent];
                parent.end = parent.end.max(end);
            }
        }
        Ok(self.rules.push(Rule {
            name,
            span: reader.span(value),
            parts: start..self.parts.len(),
        }))
    }

    /// Reads a part but for what is in it, which is left to do.
    fn part(
        &mut self,
        reader: &Reader<'t>,
        task: Task<'t>,
        tasks: &mut Vec<Task<'t>>,
    ) -> Result<(), Error> {
        let span = reader.span(task.value);
        if task.depth > MAX_DEPTH {
            let message = format!("a rule that nests more than {MAX_DEPTH} deep");
            return Err(reader.error(span, message, "name its inner parts as rules of their own"));
        }
        let Members(members) = reader.value(task.value.get(), HELP)?;
        let member = |name: &str| {
            let found = members.iter().find(|(it, _)| it == name);
            found.map(|&(_, value)| value)
        };
        let missing = |name: &str| reader.error(span, format!("a part without `{name}`"), HELP);
        let needed = |name: &str| member(name).ok_or_else(|| missing(name));
        let text = |name: &str| reader.string(needed(name)?, HELP);
        let form = text("type")?;
        let (kind, contents) = match form.as_str() {
            "BLANK" => (Kind::Blank, Vec::new()),
            "STRING" => match text("value")? {
                empty if empty.is_empty() => (Kind::Blank, Vec::new()),
                value => (Kind::Text(value, false), Vec::new()),
            },
            "PATTERN" => {
                let value = text("value")?;
                let flags = match member("flags") {
                    Some(flags) if flags.get() != "null" => reader.string(flags, HELP)?,
                    _ => String::new(),
                };
                let kind = match pattern::word(&value, &flags) {
                    Some((word, is_caseless)) => Kind::Text(word, is_caseless),
                    None => Kind::Pattern { value, flags },
                };
                (kind, Vec::new())
            }
            "SYMBOL" => (Kind::Symbol(text("name")?), Vec::new()),
            "SEQ" | "CHOICE" => {
                let members = reader.list(needed("members")?, HELP)?;
                if members.is_empty() && form == "CHOICE" {
                    return Err(reader.error(span, "a choice of nothing", HELP));
                }
                let kind = match form.as_str() {
                    "SEQ" => Kind::Sequence(Vec::new()),
                    _ => Kind::Choice(Vec::new()),
                };
                (kind, members)
            }
            "REPEAT" | "REPEAT1" => {
                let min = u32::from(form == "REPEAT1");
                let content = None;
                (Kind::Repeat { content, min }, vec![needed("content")?])
            }
            "TOKEN" | "IMMEDIATE_TOKEN" => {
                let kind = Kind::Token {
                    content: None,
                    is_immediate: form == "IMMEDIATE_TOKEN",
                    precedence: 0,
                };
                (kind, vec![needed("content")?])
            }
            "ALIAS" | "FIELD" | "PREC" | "PREC_LEFT" | "PREC_RIGHT" | "PREC_DYNAMIC"
            | "RESERVED" => {
                // Only between tokens does precedence matter.
                if let (Some(token), "PREC") = (task.token, form.as_str())
                    && let Kind::Token { precedence, .. } = &mut self.parts[token].kind
                    && let Some(value) = member("value")
                {
                    *precedence = value.get().parse().unwrap_or(0);
                }
                tasks.push(Task {
                    value: needed("content")?,
                    depth: task.depth + 1,
                    ..task
                });
                return Ok(());
            }
            _ => {
                let message = format!("a part of the unknown type `{form}`");
                return Err(reader.error(span, message, HELP));
            }
        };
        let is_token = matches!(kind, Kind::Token { .. });
        let id = self.parts.push(Part {
            kind,
            span,
            source: task.value.get(),
            parent: task.parent,
            end: self.parts.len() + 1,
        });
        if let Some(parent) = task.parent {
            match &mut self.parts[parent].kind {
                Kind::Sequence(parts) | Kind::Choice(parts) => parts.push(id),
                Kind::Repeat { content, .. } | Kind::Token { content, .. } => *content = Some(id),
                Kind::Blank | Kind::Text(..) | Kind::Pattern { .. } | Kind::Symbol(_) => {}
            }
        }
        // The last one on top is the first one to be read.
        tasks.extend(contents.into_iter().rev().map(|value| Task {
            value,
            parent: Some(id),
            depth: task.depth + 1,
            token: is_token.then_some(id),
        }));
        Ok(())
    }
}
