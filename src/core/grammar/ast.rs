//! Syntax of a grammar as it was written, in whatever notation, with the place of everything.
//!
//! A notation turns text into an [`Ast`]; lowering turns that into a [`Grammar`](crate::grammar::Grammar). An `Ast` may
//! still be wrong: names may lack a production, regular expressions may not be readable, bounds may be impossible. All
//! that is checked by lowering, once for all notations.
//!
//! Expressions live in an arena and name their parts by id. So a tree of any depth is built, read and dropped without
//! recursion, and costs a few words for each expression.

mod complete;

pub use complete::Copied;

use crate::grammar::class::CharClass;
use crate::grammar::intern::Interner;
use crate::grammar::{Probability, Role};
use crate::id::{Id as _, IdVec, ids};
use std::ops::Range;

ids! {
    /// An expression of an [`Ast`].
    ExprId;
    /// A distinct name in an [`Ast`].
    NameId;
}

/// A part of a source text, in bytes. Texts are shorter than 4 GiB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from one offset to another. Offsets beyond 4 GiB, which no accepted text has, are cut to that.
    pub fn new(start: usize, end: usize) -> Span {
        let cut = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span {
            start: cut(start),
            end: cut(end),
        }
    }

    /// From the start of one span to the end of another.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start,
            end: other.end,
        }
    }

    /// The span as a range of offsets.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A part of one of the tables of an [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    start: u32,
    end: u32,
}

impl Slice {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A production as written.
#[derive(Clone, Copy, Debug)]
pub struct AstProduction {
    /// The nonterminal that it defines.
    pub name: NameId,
    /// Where that name stands.
    pub name_span: Span,
    /// Its right side.
    pub root: ExprId,
    /// What it is for the lexical level; [`Role::Fragment`] is found out by lowering.
    pub role: Role,
    /// The lexical mode of a token or of what is skipped.
    pub mode: Option<NameId>,
}

/// An expression and its place. The place of a quantifier is that of its operator.
#[derive(Clone, Copy, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expression.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    /// A use of a nonterminal: `A`.
    Reference(NameId),
    /// Fixed text, read with [`Ast::bytes`]: `"a"`.
    Literal(Slice),
    /// Fixed text whose ASCII letters may be in either case, read with [`Ast::bytes`]: `"a"i`.
    AnyCase(Slice),
    /// A character class, read with [`Ast::class`]: `[a-z]`.
    Class(u32),
    /// A regular expression: `/a+/`.
    Regex {
        /// The expression itself, read with [`Ast::bytes`].
        pattern: Slice,
        /// Where it starts in the source, if it stands there letter by letter.
        offset: Option<u32>,
    },
    /// One of several, read with [`Ast::alternatives`]: `A | B`.
    Alternation(Slice),
    /// All of several in order, read with [`Ast::elements`]: `A B`.
    Concatenation(Slice),
    /// A repetition: `A?`, `A*`, `A+`, `A{2,5}`.
    Quantifier {
        /// What is repeated.
        subject: ExprId,
        /// The least number of repetitions.
        min: u32,
        /// The greatest number of repetitions, if there is one.
        max: Option<u32>,
    },
}

/// An alternative of an alternation.
#[derive(Clone, Copy, Debug)]
pub struct Alternative {
    /// What it derives.
    pub expr: ExprId,
    /// Its stated probability and the place of that.
    pub probability: Option<(Probability, Span)>,
}

/// The syntax of a grammar.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    productions: Vec<AstProduction>,
    exprs: IdVec<ExprId, Expr>,
    alternatives: Vec<Alternative>,
    elements: Vec<ExprId>,
    bytes: Vec<u8>,
    classes: Vec<CharClass>,
    names: Interner<NameId, Box<str>>,
}

impl Ast {
    /// Syntax without a production.
    pub fn new() -> Ast {
        Ast::default()
    }

    /// The id of a name. Names that the notation of pleach cannot write
    /// ([`is_name`](crate::grammar::notation::is_name)) are refused by lowering.
    pub fn name(&mut self, name: &str) -> NameId {
        self.names.intern(name)
    }

    /// Adds a production. The first one is that of the start symbol.
    pub fn production(&mut self, name: NameId, name_span: Span, root: ExprId) {
        self.lexical_production(Role::Syntax, None, name, name_span, root);
    }

    /// Adds a production of the lexical level: a token, or what is skipped between tokens.
    pub fn lexical_production(
        &mut self,
        role: Role,
        mode: Option<NameId>,
        name: NameId,
        name_span: Span,
        root: ExprId,
    ) {
        self.productions.push(AstProduction {
            name,
            name_span,
            root,
            role,
            mode,
        });
    }

    /// Makes the production of this name the first one, so that it is that of the start symbol. False if there is none.
    pub fn set_start(&mut self, name: &str) -> bool {
        let name = self.names.intern(name);
        let at = self.productions.iter().position(|it| it.name == name);
        if let Some(at) = at {
            self.productions[..=at].rotate_right(1);
        }
        at.is_some()
    }

    /// Makes the first production that nothing refers to the first of all, if there is one; tokens and what is skipped do not
    /// count.
    pub fn start_at_root(&mut self) {
        let mut referred = vec![false; self.names.len()];
        for (_, expr) in self.exprs.iter() {
            if let ExprKind::Reference(name) = expr.kind {
                referred[name.index()] = true;
            }
        }
        let root = |it: &AstProduction| it.role == Role::Syntax && !referred[it.name.index()];
        if let Some(at) = self.productions.iter().position(root) {
            self.productions[..=at].rotate_right(1);
        }
    }

    /// The names of the productions that the grammar may start at: syntax that no other production refers to, in their order.
    /// Linear, up to copying the names.
    pub fn roots(&self) -> Vec<Box<str>> {
        let mut referred = vec![false; self.names.len()];
        // By expression, the number of the last production that it was seen in.
        let mut seen_in = vec![0; self.exprs.len()];
        let mut rest = Vec::new();
        for (number, production) in (1_usize..).zip(&self.productions) {
            rest.push(production.root);
            while let Some(expr) = rest.pop() {
                if std::mem::replace(&mut seen_in[expr.index()], number) == number {
                    continue;
                }
                match self.exprs[expr].kind {
                    ExprKind::Reference(name) => referred[name.index()] |= name != production.name,
                    ExprKind::Alternation(slice) => {
                        rest.extend(self.alternatives(slice).iter().map(|it| it.expr));
                    }
                    ExprKind::Concatenation(slice) => rest.extend(self.elements(slice)),
                    ExprKind::Quantifier { subject, .. } => rest.push(subject),
                    ExprKind::Literal(_)
                    | ExprKind::AnyCase(_)
                    | ExprKind::Class(_)
                    | ExprKind::Regex { .. } => {}
                }
            }
        }
        let names = self.names();
        let is_root = |it: &&AstProduction| it.role == Role::Syntax && !referred[it.name.index()];
        let roots = self.productions.iter().filter(is_root);
        roots.map(|it| names[it.name].clone()).collect()
    }

    /// Makes the uses of a nonterminal within some productions derive nothing, so that what needs them is left out.
    pub fn forbid(&mut self, name: &str, within: impl Fn(&str) -> bool) {
        let forbidden = self.names.intern(name);
        let names = self.names();
        let users = self.productions.iter();
        let users = users.filter(|user| within(&names[user.name]));
        let mut rest: Vec<ExprId> = users.map(|user| user.root).collect();
        while let Some(id) = rest.pop() {
            match self.exprs[id].kind {
                ExprKind::Reference(name) if name == forbidden => {
                    self.exprs[id].kind = ExprKind::Alternation(Slice { start: 0, end: 0 });
                }
                ExprKind::Alternation(slice) => {
                    rest.extend(self.alternatives(slice).iter().map(|it| it.expr));
                }
                ExprKind::Concatenation(slice) => rest.extend(self.elements(slice)),
                ExprKind::Quantifier { subject, .. } => rest.push(subject),
                ExprKind::Reference(_)
                | ExprKind::Literal(_)
                | ExprKind::AnyCase(_)
                | ExprKind::Class(_)
                | ExprKind::Regex { .. } => {}
            }
        }
    }

    /// The names of the productions, in their order. O(n log n).
    pub fn production_names(&self) -> Vec<Box<str>> {
        let names = self.names();
        let of = |production: &AstProduction| names[production.name].clone();
        self.productions.iter().map(of).collect()
    }

    /// A use of a nonterminal, whether it has a production already or not.
    pub fn reference(&mut self, name: NameId, span: Span) -> ExprId {
        self.push(ExprKind::Reference(name), span)
    }

    /// Fixed text.
    pub fn literal(&mut self, text: &[u8], span: Span) -> ExprId {
        let text = self.text(text);
        self.push(ExprKind::Literal(text), span)
    }

    /// Fixed text whose ASCII letters may be in either case.
    pub fn any_case(&mut self, text: &[u8], span: Span) -> ExprId {
        let text = self.text(text);
        self.push(ExprKind::AnyCase(text), span)
    }

    /// A character class.
    pub fn char_class(&mut self, class: CharClass, span: Span) -> ExprId {
        let index = self.classes.len() as u32;
        self.classes.push(class);
        self.push(ExprKind::Class(index), span)
    }

    /// A regular expression. `offset` says where the pattern starts in the source, if it stands there letter by letter.
    pub fn regex(&mut self, pattern: &str, offset: Option<usize>, span: Span) -> ExprId {
        let pattern = self.text(pattern.as_bytes());
        let offset = offset.and_then(|offset| u32::try_from(offset).ok());
        self.push(ExprKind::Regex { pattern, offset }, span)
    }

    /// One of several; one alternative is as good as no alternation.
    pub fn alternation(&mut self, alternatives: &[Alternative], span: Span) -> ExprId {
        let slice = append(&mut self.alternatives, alternatives);
        self.push(ExprKind::Alternation(slice), span)
    }

    /// All of several in order; of none, what derives nothing and has no symbol.
    pub fn concatenation(&mut self, elements: &[ExprId], span: Span) -> ExprId {
        let slice = append(&mut self.elements, elements);
        self.push(ExprKind::Concatenation(slice), span)
    }

    /// A repetition; `span` is that of the operator.
    pub fn quantifier(
        &mut self,
        subject: ExprId,
        min: u32,
        max: Option<u32>,
        span: Span,
    ) -> ExprId {
        self.push(ExprKind::Quantifier { subject, min, max }, span)
    }

    /// The productions in written order.
    pub fn productions(&self) -> &[AstProduction] {
        &self.productions
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id]
    }

    /// The text of a literal or a regular expression.
    pub fn bytes(&self, text: Slice) -> &[u8] {
        &self.bytes[text.range()]
    }

    /// A character class.
    pub fn class(&self, index: u32) -> &CharClass {
        &self.classes[index as usize]
    }

    /// The alternatives of an alternation.
    pub fn alternatives(&self, slice: Slice) -> &[Alternative] {
        &self.alternatives[slice.range()]
    }

    /// The elements of a concatenation.
    pub fn elements(&self, slice: Slice) -> &[ExprId] {
        &self.elements[slice.range()]
    }

    /// The names by id.
    pub(super) fn names(&self) -> IdVec<NameId, Box<str>> {
        self.names.clone().into_items()
    }

    fn push(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, span })
    }

    fn text(&mut self, text: &[u8]) -> Slice {
        append(&mut self.bytes, text)
    }
}

fn append<T: Copy>(table: &mut Vec<T>, items: &[T]) -> Slice {
    let start = table.len() as u32;
    table.extend_from_slice(items);
    Slice {
        start,
        end: table.len() as u32,
    }
}
