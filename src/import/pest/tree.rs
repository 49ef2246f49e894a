//! A pest grammar as a tree of expressions, each with its place.
//!
//! The parser of pest's own meta-grammar reads the text, once it is known to be no trouble for it. Expressions stand behind those that
//! are in them, as they do in the text.

use pest::error::InputLocation;
use pest::iterators::{Pair, Pairs};
use pest_meta::parser::{self, Rule as Form};
use std::collections::BTreeMap;

use pleach_core::grammar::ast::Span;
use pleach_core::grammar::{CharClass, Error, ErrorKind};
use pleach_core::id::IdVec;

use super::builtin::{Builtin, property};
use super::{measure, mixed, tail};

pub(super) use ids::{PartId, RuleId};

mod ids {
    pleach_core::id::ids! {
        /// An expression of a rule.
        PartId;
        /// A rule.
        RuleId;
    }
}

/// The name of the rule for what has been pushed; no other rule can have it.
pub(super) const PEEK: &str = "pushed before";

/// An expression.
pub(super) struct Part {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// The kinds of expression.
pub(super) enum Kind {
    /// Text, and whether its letters may be in either case.
    Text(String, bool),
    Range(char, char),
    /// A rule, or something built in.
    Name(String),
    Class(CharClass),
    Sequence(Vec<PartId>),
    Choice(Vec<PartId>),
    Repeat {
        content: PartId,
        min: u32,
        max: Option<u32>,
    },
    /// `!x`, or else `&x`.
    Predicate {
        content: PartId,
        is_not: bool,
    },
}

impl Kind {
    /// The expressions directly in this one.
    pub(super) fn parts(&self) -> &[PartId] {
        match self {
            Kind::Sequence(parts) | Kind::Choice(parts) => parts,
            Kind::Repeat { content, .. } | Kind::Predicate { content, .. } => {
                std::slice::from_ref(content)
            }
            Kind::Text(..) | Kind::Range(..) | Kind::Name(_) | Kind::Class(_) => &[],
        }
    }
}

/// What is skipped within a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spacing {
    /// What is skipped where the rule is used.
    Inherited,
    /// Nothing, nor within the rules that it uses.
    Atomic,
    /// White space and comments, wherever the rule is used.
    NonAtomic,
}

/// A rule.
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) spacing: Spacing,
    pub(super) root: PartId,
    /// Nobody has written it: a property of Unicode, or what is pushed.
    pub(super) is_implied: bool,
}

/// A grammar.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) parts: IdVec<PartId, Part>,
    pub(super) rules: IdVec<RuleId, Rule>,
    pub(super) by_name: BTreeMap<String, RuleId>,
}

impl Tree {
    pub(super) fn push(&mut self, kind: Kind, span: Span) -> PartId {
        self.parts.push(Part { kind, span })
    }

    /// What is in an expression, itself last, each behind what is in it; what is in predicates is left out.
    pub(super) fn read_inside(&self, root: PartId) -> Vec<PartId> {
        let mut all = Vec::new();
        let mut rest = vec![root];
        while let Some(part) = rest.pop() {
            if !matches!(self.parts[part].kind, Kind::Predicate { .. }) {
                all.push(part);
                rest.extend(self.parts[part].kind.parts());
            }
        }
        all.reverse();
        all
    }

    /// What is in an expression, itself last, each behind what is in it.
    pub(super) fn inside(&self, root: PartId) -> Vec<PartId> {
        let mut all = Vec::new();
        let mut rest = vec![root];
        while let Some(part) = rest.pop() {
            all.push(part);
            rest.extend(self.parts[part].kind.parts());
        }
        all.reverse();
        all
    }
}

/// Something that is being read.
enum Frame<'t> {
    /// Alternatives of elements.
    Expression {
        pairs: Pairs<'t, Form>,
        span: Span,
        alternatives: Vec<PartId>,
        elements: Vec<PartId>,
    },
    /// One element with its operators.
    Term {
        pairs: Pairs<'t, Form>,
        /// The predicates before it that are `!`.
        predicates: Vec<(bool, Span)>,
        part: Option<PartId>,
    },
    /// What is pushed.
    Push {
        pairs: Pairs<'t, Form>,
        span: Span,
        part: Option<PartId>,
    },
}

fn span(pair: &Pair<'_, Form>) -> Span {
    let span = pair.as_span();
    Span::new(span.start(), span.end())
}

/// Reads a grammar.
pub(super) fn read(text: &str) -> Result<Tree, Error> {
    measure::measure(text)?;
    let rules = parser::parse(Form::grammar_rules, text).map_err(|error| {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let len = text[at..].chars().next().map_or(0, char::len_utf8);
        let error = error.renamed_rules(parser::rename_meta_rule);
        Error::new(
            ErrorKind::UnexpectedToken,
            text.as_bytes(),
            Span::new(at, at + len),
            error.variant.message(),
            "a rule is written `name = { \"a\" ~ (b | c)* }`",
        )
    })?;
    let mut reader = Reader {
        text,
        tree: Tree::default(),
        pushed: Vec::new(),
    };
    for rule in rules.filter(|pair| pair.as_rule() == Form::grammar_rule) {
        reader.rule(rule)?;
    }
    reader.imply();
    tail::unroll(&mut reader.tree);
    mixed::reorder(&mut reader.tree);
    Ok(reader.tree)
}

struct Reader<'t> {
    text: &'t str,
    tree: Tree,
    /// What is pushed, which becomes rules.
    pushed: Vec<(String, Span, PartId)>,
}

impl<'t> Reader<'t> {
    fn error(&self, kind: ErrorKind, span: Span, message: &str, help: &str) -> Error {
        Error::new(kind, self.text.as_bytes(), span, message, help)
    }

    fn rule(&mut self, pair: Pair<'t, Form>) -> Result<(), Error> {
        let (mut name, mut spacing, mut root) = (None, Spacing::Inherited, None);
        for pair in pair.into_inner() {
            match pair.as_rule() {
                Form::identifier => name = Some((pair.as_str().to_owned(), span(&pair))),
                Form::atomic_modifier | Form::compound_atomic_modifier => {
                    spacing = Spacing::Atomic;
                }
                Form::non_atomic_modifier => spacing = Spacing::NonAtomic,
                Form::expression => {
                    let name = name.as_ref().map_or("", |(name, _)| name);
                    root = self.expression(name, pair)?;
                }
                _ => {}
            }
        }
        // Otherwise it is a comment.
        if let (Some((name, span)), Some(root)) = (name, root) {
            // What is skipped is not looked for within itself.
            if matches!(&*name, "WHITESPACE" | "COMMENT") {
                spacing = Spacing::Atomic;
            }
            let id = self.tree.rules.push(Rule {
                name: name.clone(),
                span,
                spacing,
                root,
                is_implied: false,
            });
            self.tree.by_name.entry(name).or_insert(id);
        }
        Ok(())
    }

    /// Reads the expression of a rule, or a group in it.
    fn expression(&mut self, rule: &str, pair: Pair<'t, Form>) -> Result<Option<PartId>, Error> {
        let open = |pair: Pair<'t, Form>| Frame::Expression {
            span: span(&pair),
            pairs: pair.into_inner(),
            alternatives: Vec::new(),
            elements: Vec::new(),
        };
        let mut frames = vec![open(pair)];
        loop {
            let next = match frames.last_mut() {
                Some(
                    Frame::Expression { pairs, .. }
                    | Frame::Term { pairs, .. }
                    | Frame::Push { pairs, .. },
                ) => pairs.next(),
                None => return Ok(None),
            };
            let Some(pair) = next else {
                let done = frames.pop().map(|frame| self.close(rule, frame));
                let Some(Some(done)) = done else {
                    return Ok(None);
                };
                match frames.last_mut() {
                    Some(Frame::Expression { elements, .. }) => elements.push(done),
                    Some(Frame::Term { part, .. } | Frame::Push { part, .. }) => *part = Some(done),
                    None => return Ok(Some(done)),
                }
                continue;
            };
            match pair.as_rule() {
                Form::expression => frames.push(open(pair)),
                Form::term => frames.push(Frame::Term {
                    pairs: pair.into_inner(),
                    predicates: Vec::new(),
                    part: None,
                }),
                Form::_push => frames.push(Frame::Push {
                    span: span(&pair),
                    pairs: pair.into_inner(),
                    part: None,
                }),
                _ => match frames.last_mut() {
                    Some(Frame::Expression {
                        alternatives,
                        elements,
                        ..
                    }) => {
                        if pair.as_rule() == Form::choice_operator && !elements.is_empty() {
                            let elements = std::mem::take(elements);
                            alternatives.push(self.tree.sequence(elements));
                        }
                    }
                    Some(Frame::Term {
                        predicates, part, ..
                    }) => match pair.as_rule() {
                        Form::positive_predicate_operator => predicates.push((false, span(&pair))),
                        Form::negative_predicate_operator => predicates.push((true, span(&pair))),
                        _ => {
                            let before = part.take();
                            let after = self.terminal(rule, before, pair)?;
                            if let Some(Frame::Term { part, .. }) = frames.last_mut() {
                                *part = after;
                            }
                        }
                    },
                    Some(Frame::Push { .. }) | None => {}
                },
            }
        }
    }

    /// Adds the rules that the others imply: properties of Unicode, what is pushed, and what has been pushed before.
    fn imply(&mut self) {
        let mut properties: BTreeMap<String, (CharClass, Span)> = BTreeMap::new();
        for (_, part) in self.tree.parts.iter() {
            if let Kind::Name(name) = &part.kind
                && !self.tree.by_name.contains_key(name)
                && !properties.contains_key(name)
                && Builtin::of(name).is_none()
                && let Some(class) = property(name)
            {
                properties.insert(name.clone(), (class, part.span));
            }
        }
        for (name, (class, span)) in properties {
            let root = self.tree.push(Kind::Class(class), span);
            self.implied(name, span, root);
        }
        let pushed = std::mem::take(&mut self.pushed);
        let Some(&(_, span, _)) = pushed.first() else {
            return;
        };
        let mut choice = Vec::new();
        for (name, span, root) in pushed {
            choice.push(self.tree.push(Kind::Name(name.clone()), span));
            self.implied(name, span, root);
        }
        let root = self.tree.push(Kind::Choice(choice), span);
        self.implied(PEEK.to_owned(), span, root);
    }

    fn implied(&mut self, name: String, span: Span, root: PartId) {
        let id = self.tree.rules.push(Rule {
            name: name.clone(),
            span,
            spacing: Spacing::Inherited,
            root,
            is_implied: true,
        });
        self.tree.by_name.insert(name, id);
    }

    /// What has been read when nothing is left of it.
    fn close(&mut self, rule: &str, frame: Frame<'t>) -> Option<PartId> {
        match frame {
            Frame::Expression {
                span,
                mut alternatives,
                elements,
                ..
            } => {
                if !elements.is_empty() {
                    alternatives.push(self.tree.sequence(elements));
                }
                Some(match alternatives[..] {
                    [only] => only,
                    _ => self.tree.push(Kind::Choice(alternatives), span),
                })
            }
            Frame::Term {
                predicates, part, ..
            } => {
                let mut part = part?;
                for (is_not, span) in predicates.into_iter().rev() {
                    let span = span.to(self.tree.parts[part].span);
                    let content = part;
                    part = self.tree.push(Kind::Predicate { content, is_not }, span);
                }
                Some(part)
            }
            Frame::Push { span, part, .. } => {
                let part = part?;
                Some(self.pushed(rule, part, span))
            }
        }
    }

    /// A use of a rule of its own for what is pushed.
    fn pushed(&mut self, rule: &str, part: PartId, span: Span) -> PartId {
        // No rule has such a name, so that it is taken for none of them.
        let name = format!("{rule} {}", self.pushed.len());
        self.pushed.push((name.clone(), span, part));
        self.tree.push(Kind::Name(name), span)
    }

    /// Reads an element, or an operator behind `part`.
    fn terminal(
        &mut self,
        rule: &str,
        part: Option<PartId>,
        pair: Pair<'t, Form>,
    ) -> Result<Option<PartId>, Error> {
        let at = span(&pair);
        let kind = match pair.as_rule() {
            Form::identifier => match pair.as_str() {
                "PEEK" | "PEEK_ALL" | "POP" | "POP_ALL" => Kind::Name(PEEK.to_owned()),
                name => Kind::Name(name.to_owned()),
            },
            Form::peek_slice => Kind::Name(PEEK.to_owned()),
            Form::string => Kind::Text(self.text(pair.as_str(), at)?, false),
            Form::insensitive_string => Kind::Text(self.text(pair.as_str(), at)?, true),
            Form::range => {
                let mut ends = Vec::new();
                for pair in pair.into_inner() {
                    if pair.as_rule() == Form::character {
                        ends.extend(self.text(pair.as_str(), span(&pair))?.chars());
                    }
                }
                match ends[..] {
                    [low, high] if low <= high => Kind::Range(low, high),
                    _ => {
                        let (message, help) = (
                            "a range without a member",
                            "write the smaller character first",
                        );
                        return Err(self.error(ErrorKind::InvalidRange, at, message, help));
                    }
                }
            }
            Form::_push_literal => {
                for pair in pair.into_inner() {
                    if pair.as_rule() == Form::string {
                        let text = self.text(pair.as_str(), span(&pair))?;
                        let part = self.tree.push(Kind::Text(text, false), at);
                        self.pushed(rule, part, at);
                    }
                }
                Kind::Sequence(Vec::new())
            }
            Form::optional_operator
            | Form::repeat_operator
            | Form::repeat_once_operator
            | Form::repeat_exact
            | Form::repeat_min
            | Form::repeat_max
            | Form::repeat_min_max => {
                let Some(content) = part else {
                    return Ok(None);
                };
                let (min, max) = self.bounds(pair)?;
                Kind::Repeat { content, min, max }
            }
            // Parentheses and names of parts.
            _ => return Ok(part),
        };
        Ok(Some(self.tree.push(kind, at)))
    }

    fn bounds(&self, pair: Pair<'t, Form>) -> Result<(u32, Option<u32>), Error> {
        let (form, at) = (pair.as_rule(), span(&pair));
        let mut numbers = Vec::new();
        for pair in pair.into_inner() {
            if pair.as_rule() == Form::number {
                numbers.push(pair.as_str().parse::<u32>().ok());
            }
        }
        let bounds = match (form, &numbers[..]) {
            (Form::optional_operator, _) => Some((0, Some(1))),
            (Form::repeat_operator, _) => Some((0, None)),
            (Form::repeat_once_operator, _) => Some((1, None)),
            (Form::repeat_exact, &[Some(count)]) => Some((count, Some(count))),
            (Form::repeat_min, &[Some(min)]) => Some((min, None)),
            (Form::repeat_max, &[Some(max)]) => Some((0, Some(max))),
            (Form::repeat_min_max, &[Some(min), Some(max)]) => Some((min, Some(max))),
            _ => None,
        };
        bounds
            .filter(|&(min, max)| max.is_none_or(|max| max > 0 && min <= max))
            .ok_or_else(|| {
                let (message, help) = (
                    "a repetition whose bounds cannot be",
                    "write the smaller number first, and none above 4294967295",
                );
                self.error(ErrorKind::InvalidBounds, at, message, help)
            })
    }

    /// The text between the quotes of a string or a character.
    fn text(&self, written: &str, at: Span) -> Result<String, Error> {
        let written = written.trim_start_matches('^').trim_start();
        let inside = written.get(1..written.len().saturating_sub(1));
        unescaped(inside.unwrap_or_default()).ok_or_else(|| {
            let help = "write a character as \\u{e9}; they go up to \\u{10ffff}";
            self.error(
                ErrorKind::InvalidEscape,
                at,
                "the number of no character",
                help,
            )
        })
    }
}

impl Tree {
    fn sequence(&mut self, elements: Vec<PartId>) -> PartId {
        match elements[..] {
            [only] => only,
            [first, .., last] => {
                let span = self.parts[first].span.to(self.parts[last].span);
                self.push(Kind::Sequence(elements), span)
            }
            [] => self.push(Kind::Sequence(elements), Span::new(0, 0)),
        }
    }
}

/// A text without its escapes.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let sign = rest.chars().next()?;
        rest = &rest[sign.len_utf8()..];
        let (digits, len) = match sign {
            'x' => (rest.get(..2)?, 2),
            'u' => {
                let end = rest.find('}')?;
                (rest.get(1..end)?, end + 1)
            }
            _ => {
                plain.push(match sign {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    '0' => '\0',
                    other => other,
                });
                continue;
            }
        };
        plain.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
        rest = &rest[len..];
    }
    plain.push_str(rest);
    Some(plain)
}
