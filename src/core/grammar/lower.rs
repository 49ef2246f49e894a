//! Syntax to a draft of the grammar graph: names resolved, regular expressions turned into nodes, bounds and
//! probabilities checked, literals and classes interned.
//!
//! A [`Draft`] has every node as it was written, productions one after the other and each in pre-order, with the end of
//! each node's subtree. So what passes over the tree is a loop over an array: upward passes run backward, downward
//! passes forward, and leaving a subtree out is a jump. Lowering is linear, up to the cost of hashing names and texts, and keeps
//! its own stack.

use crate::grammar::ast::{Ast, AstProduction, Expr, ExprId, ExprKind, NameId, Slice, Span};
use crate::grammar::intern::Interner;
use crate::grammar::notation::is_name;
use crate::grammar::regex::{self, Part};
use crate::grammar::{CharClass, Error, ErrorKind, NodeKind, Probability, Role};
use crate::id::{ClassId, Id, IdVec, LiteralId, ProductionId};
use std::ops::Range;

/// A grammar graph before pruning and simplification.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) productions: IdVec<ProductionId, DraftProduction>,
    pub(super) nodes: Vec<DraftNode>,
    pub(super) literals: IdVec<LiteralId, Literal>,
    pub(super) classes: IdVec<ClassId, CharClass>,
}

#[derive(Debug)]
pub(super) struct DraftProduction {
    pub(super) name: Box<str>,
    pub(super) name_span: Span,
    /// Its nodes; the first one is its root.
    pub(super) nodes: Range<u32>,
    pub(super) role: Role,
    pub(super) mode: Option<Box<str>>,
}

/// A literal: its text, and whether its letters may be in either case.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Literal {
    pub(super) text: Box<[u8]>,
    pub(super) is_caseless: bool,
}

/// A node as it was written. Unlike those of a grammar, concatenations may lie directly in one another and may, like alternations, have a
/// single child.
#[derive(Clone, Copy, Debug)]
pub(super) struct DraftNode {
    pub(super) kind: NodeKind,
    /// The node above; that of a root is itself.
    pub(super) parent: u32,
    /// The node after its subtree.
    pub(super) end: u32,
    /// The number of symbols of the production before it.
    pub(super) ordinal: u32,
    /// Its stated probability as a child of an alternation.
    pub(super) probability: Option<Probability>,
}

/// Lowers syntax that was read from `source` to a draft of at most `max_ids` nodes.
pub(super) fn lower(ast: &Ast, source: &[u8], max_ids: usize) -> Result<Draft, Error> {
    if ast.productions().is_empty() {
        return Err(Error::new(
            ErrorKind::NoProduction,
            source,
            Span::new(source.len(), source.len()),
            "a grammar without a production",
            "write at least one, as in `Start := \"a\";`",
        ));
    }
    let names = ast.names();
    let defined = define(ast, source, &names)?;
    let mut lowering = Lowering {
        ast,
        source,
        max_ids,
        names: &names,
        defined: &defined,
        nodes: Vec::new(),
        literals: Interner::default(),
        classes: Interner::default(),
        tasks: Vec::new(),
        open: Vec::new(),
        first_node: 0,
        ordinal: 0,
    };
    let mut productions = IdVec::new();
    for production in ast.productions() {
        let nodes = lowering.production(production)?;
        productions.push(DraftProduction {
            name: names[production.name].clone(),
            name_span: production.name_span,
            nodes,
            role: production.role,
            mode: production.mode.map(|mode| names[mode].clone()),
        });
    }
    Ok(Draft {
        productions,
        nodes: lowering.nodes,
        literals: lowering.literals.into_items(),
        classes: lowering.classes.into_items(),
    })
}

type Defined = IdVec<NameId, Option<ProductionId>>;

/// The production of each name.
fn define(ast: &Ast, source: &[u8], names: &IdVec<NameId, Box<str>>) -> Result<Defined, Error> {
    let mut defined: Defined = IdVec::filled(names.len(), None);
    for (index, production) in ast.productions().iter().enumerate() {
        let name = &names[production.name];
        if !is_name(name) {
            return Err(Error::new(
                ErrorKind::InvalidName,
                source,
                production.name_span,
                format!("`{}` is not a name", name.escape_debug()),
                "names start with a letter or `_` and go on with letters, digits, `_` and `-`",
            ));
        }
        if let Some(first) = defined[production.name] {
            let first = ast.productions()[first.index()].name_span;
            return Err(Error::new(
                ErrorKind::DuplicateProduction,
                source,
                production.name_span,
                format!("a second production of `{name}`"),
                "join both with `|`, or give one another name",
            )
            .with_related("the first one is here", source, first));
        }
        defined[production.name] = Some(ProductionId::from_index(index));
    }
    Ok(defined)
}

struct Lowering<'a> {
    ast: &'a Ast,
    source: &'a [u8],
    max_ids: usize,
    names: &'a IdVec<NameId, Box<str>>,
    defined: &'a Defined,
    nodes: Vec<DraftNode>,
    literals: Interner<LiteralId, Literal>,
    classes: Interner<ClassId, CharClass>,
    tasks: Vec<Task>,
    /// The nodes whose children are being added.
    open: Vec<u32>,
    first_node: u32,
    ordinal: u32,
}

/// What is left to do, the next one on top.
enum Task {
    Add(ExprId, Option<Probability>),
    /// All children of the innermost open node have been added.
    Close,
}

impl Lowering<'_> {
    fn production(&mut self, production: &AstProduction) -> Result<Range<u32>, Error> {
        self.first_node = self.nodes.len() as u32;
        self.ordinal = 0;
        self.tasks.push(Task::Add(production.root, None));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Close => self.close(),
                Task::Add(expr, probability) => self.add(self.ast.expr(expr), probability)?,
            }
        }
        Ok(self.first_node..self.nodes.len() as u32)
    }

    fn add(&mut self, expr: Expr, probability: Option<Probability>) -> Result<(), Error> {
        let span = expr.span;
        match expr.kind {
            ExprKind::Reference(name) => match self.defined[name] {
                Some(production) => self.symbol(NodeKind::Reference(production), probability, span),
                None => Err(self.undefined(name, span)),
            },
            ExprKind::Literal(text) => {
                let text = self.ast.bytes(text);
                self.literal(text, false, probability, span)
            }
            ExprKind::AnyCase(text) => {
                let text = self.ast.bytes(text);
                let has_letters = text.iter().any(u8::is_ascii_alphabetic);
                self.literal(text, has_letters, probability, span)
            }
            ExprKind::Class(index) => {
                let class = self.classes.intern_owned(self.ast.class(index).clone());
                self.symbol(NodeKind::Class(class), probability, span)
            }
            ExprKind::Regex { pattern, offset } => self.regex(pattern, offset, probability, span),
            ExprKind::Alternation(slice) => {
                self.check_probabilities(slice)?;
                self.open(NodeKind::Alternation, probability, span)?;
                self.tasks.push(Task::Close);
                let alternatives = self.ast.alternatives(slice).iter().rev();
                self.tasks.extend(alternatives.map(|alternative| {
                    let probability = alternative.probability.map(|(probability, _)| probability);
                    Task::Add(alternative.expr, probability)
                }));
                Ok(())
            }
            ExprKind::Concatenation(slice) => {
                self.open(NodeKind::Concatenation, probability, span)?;
                self.tasks.push(Task::Close);
                let elements = self.ast.elements(slice).iter().rev();
                self.tasks
                    .extend(elements.map(|&element| Task::Add(element, None)));
                Ok(())
            }
            ExprKind::Quantifier { subject, min, max } => {
                self.check_bounds(min, max, span)?;
                self.open(NodeKind::Quantifier { min, max }, probability, span)?;
                self.tasks.push(Task::Close);
                self.tasks.push(Task::Add(subject, None));
                Ok(())
            }
        }
    }

    fn literal(
        &mut self,
        text: &[u8],
        is_caseless: bool,
        probability: Option<Probability>,
        span: Span,
    ) -> Result<(), Error> {
        let literal = self.literals.intern_owned(Literal {
            text: text.into(),
            is_caseless,
        });
        self.symbol(NodeKind::Literal(literal), probability, span)
    }

    fn symbol(
        &mut self,
        kind: NodeKind,
        probability: Option<Probability>,
        span: Span,
    ) -> Result<(), Error> {
        self.push(kind, probability, span)?;
        self.ordinal += 1;
        Ok(())
    }

    fn open(
        &mut self,
        kind: NodeKind,
        probability: Option<Probability>,
        span: Span,
    ) -> Result<(), Error> {
        let node = self.push(kind, probability, span)?;
        self.open.push(node);
        Ok(())
    }

    fn close(&mut self) {
        let end = self.nodes.len() as u32;
        if let Some(node) = self.open.pop() {
            self.nodes[node as usize].end = end;
        }
    }

    fn push(
        &mut self,
        kind: NodeKind,
        probability: Option<Probability>,
        span: Span,
    ) -> Result<u32, Error> {
        if self.nodes.len() >= self.max_ids {
            return Err(Error::new(
                ErrorKind::TooLarge,
                self.source,
                span,
                format!("a grammar of more than {} nodes", self.max_ids),
                "split it, or leave parts out",
            ));
        }
        let node = self.nodes.len() as u32;
        self.nodes.push(DraftNode {
            kind,
            parent: self.open.last().copied().unwrap_or(node),
            end: node + 1,
            ordinal: self.ordinal,
            probability,
        });
        Ok(node)
    }

    /// Adds the nodes of a regular expression.
    fn regex(
        &mut self,
        pattern: Slice,
        offset: Option<u32>,
        probability: Option<Probability>,
        span: Span,
    ) -> Result<(), Error> {
        let mut probability = probability;
        let text = self.ast.bytes(pattern);
        let hir = regex::parse(text).map_err(|error| error.at(self.source, offset, span))?;
        for part in regex::parts(&hir) {
            let kind = match part {
                Part::Close => {
                    self.close();
                    continue;
                }
                Part::Literal(text) => {
                    self.literal(text, false, probability.take(), span)?;
                    continue;
                }
                Part::Class(class) => {
                    let class = self.classes.intern_owned(class);
                    self.symbol(NodeKind::Class(class), probability.take(), span)?;
                    continue;
                }
                Part::Alternation => NodeKind::Alternation,
                Part::Concatenation => NodeKind::Concatenation,
                Part::Quantifier { min, max } => NodeKind::Quantifier { min, max },
            };
            self.open(kind, probability.take(), span)?;
        }
        Ok(())
    }

    fn check_bounds(&self, min: u32, max: Option<u32>, span: Span) -> Result<(), Error> {
        let (message, help) = match max {
            Some(0) => (
                "a quantifier that allows no repetition",
                "take away what it repeats; the empty text is written `\"\"`",
            ),
            Some(max) if max < min => (
                "a quantifier whose upper bound is below its lower bound",
                "write the lower bound first",
            ),
            _ => return Ok(()),
        };
        Err(Error::new(
            ErrorKind::InvalidBounds,
            self.source,
            span,
            message,
            help,
        ))
    }

    fn check_probabilities(&self, slice: Slice) -> Result<(), Error> {
        let alternatives = self.ast.alternatives(slice);
        let mut total = 0_u64;
        for (probability, span) in alternatives
            .iter()
            .filter_map(|alternative| alternative.probability)
        {
            total += u64::from(probability.0);
            if total > u64::from(Probability::CERTAIN.0) {
                return Err(Error::new(
                    ErrorKind::ProbabilitySum,
                    self.source,
                    span,
                    "the probabilities of this alternation sum up to more than 100%",
                    "lower them, or leave one out: the unstated ones share the rest",
                ));
            }
            if alternatives.len() == 1 && probability != Probability::CERTAIN {
                return Err(Error::new(
                    ErrorKind::InvalidProbability,
                    self.source,
                    span,
                    "a probability where there is no other alternative",
                    "take it away, or write the other alternative, as in `40% \"a\" | \"b\"`",
                ));
            }
        }
        Ok(())
    }

    fn undefined(&self, name: NameId, span: Span) -> Error {
        let text = &self.names[name];
        let defined = self.ast.productions().iter();
        let close = closest(
            text,
            defined.map(|production| &*self.names[production.name]),
        );
        let help = match (close, built_in(text)) {
            (Some(close), _) => format!("there is `{close}`; otherwise define it: `{text} := …;`"),
            (None, Some(help)) => help.to_owned(),
            (None, None) => format!("define it (`{text} := …;`) or correct the name"),
        };
        Error::new(
            ErrorKind::UndefinedNonterminal,
            self.source,
            span,
            format!("undefined nonterminal `{text}`"),
            help,
        )
    }
}

/// What to write for a name that other notations have and that no grammar need define.
fn built_in(name: &str) -> Option<&'static str> {
    Some(match name {
        "ε" | "ϵ" | "λ" | "epsilon" | "EPSILON" | "Epsilon" | "lambda" | "empty" | "EMPTY" => {
            "the empty text is written `\"\"`"
        }
        "EOF" | "SOI" | "EOI" => "a sentence begins and ends with the start symbol: take it away",
        "ANY" | "any" => "any character is written `/(?s:.)/`, any byte `[\\x00-\\xff]`",
        "DIGIT" | "ASCII_DIGIT" => {
            "nothing is built in: write `[0-9]`, or define it: `DIGIT := [0-9];`"
        }
        "HEXDIG" | "ASCII_HEX_DIGIT" => "nothing is built in: write `[0-9A-Fa-f]`",
        "ALPHA" | "ASCII_ALPHA" | "LETTER" => "nothing is built in: write `[A-Za-z]`",
        "ASCII_ALPHANUMERIC" | "ALNUM" => "nothing is built in: write `[0-9A-Za-z]`",
        "SP" | "SPACE" => "nothing is built in: write `\" \"`",
        "WSP" | "WHITESPACE" | "WS" => {
            "nothing is built in: write `[ \\t\\r\\n]*`, or let it be skipped: `skip WS := [ \\t\\r\\n]+;`"
        }
        "CRLF" | "NEWLINE" | "NL" => "nothing is built in: write `\"\\r\\n\"` or `\"\\n\"`",
        _ => return None,
    })
}

/// The first of the names nearest to `name`, if one is near enough to be meant: at most a third of its letters differ,
/// upper and lower case aside.
pub(crate) fn closest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// Longer names are not compared: the cost is the product of the lengths.
    const LONGEST: usize = 40;
    let letters = |name: &str| -> Vec<char> { name.chars().flat_map(char::to_lowercase).collect() };
    if name.len() > LONGEST {
        return None;
    }
    let wanted = letters(name);
    let limit = ((wanted.len() + 1) / 3).max(1);
    names
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (edit_distance(&wanted, &letters(candidate)), candidate))
        .filter(|&(distance, _)| distance <= limit && distance < wanted.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The number of letters to insert, delete or replace (Levenshtein). O(|a| · |b|).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
