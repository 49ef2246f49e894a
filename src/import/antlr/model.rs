//! An ANTLR grammar as written: rules over an arena of nodes.
//!
//! Parts come before the whole they are part of, and the nodes of a rule are consecutive. So whatever is found out about nodes
//! from their parts is a loop over the arena, and whatever they hand down to their parts a loop backward; nothing
//! recurses.

use std::collections::BTreeMap;
use std::ops::Range;

use regex_syntax::hir::ClassUnicode;

use pleach_core::grammar::ast::Span;
use pleach_core::id::{Id as _, IdVec, ids};

ids! {
    /// A node of the right side of a rule.
    NodeId;
    /// A rule.
    RuleId;
}

/// The name of the mode in which a lexer begins.
pub(super) const DEFAULT_MODE: &str = "DEFAULT_MODE";

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A rule or a token.
    Name(Box<str>),
    Text(Box<str>),
    Set(ClassUnicode),
    /// `.`
    Any,
    /// `~x`
    Not(NodeId),
    Eof,
    /// `{…}?`
    Predicate {
        /// Whether it holds at the beginning of the input alone, as its name says.
        is_start: bool,
    },
    All(Vec<NodeId>),
    One(Vec<NodeId>),
    Repeat {
        subject: NodeId,
        min: u32,
        max: Option<u32>,
        is_lazy: bool,
    },
}

pub(super) type Nodes = IdVec<NodeId, Node>;

/// What an alternative of a lexer rule does besides matching.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Command {
    Skip,
    More,
    Channel(Box<str>),
    Type(Box<str>),
    /// `mode(X)` and `pushMode(X)`.
    Mode(Box<str>),
    PopMode,
}

#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) node: NodeId,
    pub(super) commands: Vec<Command>,
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) name: Box<str>,
    pub(super) span: Span,
    pub(super) is_fragment: bool,
    /// The mode of a lexer rule.
    pub(super) mode: Box<str>,
    /// Whether letters match in either case.
    pub(super) is_caseless: bool,
    pub(super) alternatives: Vec<Alternative>,
    /// All its nodes.
    pub(super) nodes: Range<u32>,
    /// Whether nothing refers to it by its name: it was put together from others, or its token has another rule in another mode.
    pub(super) is_made: bool,
}

impl Rule {
    pub(super) fn is_lexical(&self) -> bool {
        is_token(&self.name)
    }

    pub(super) fn node_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        self.nodes.clone().map(NodeId)
    }
}

/// Whether a name is that of a token: it begins with a capital.
pub(super) fn is_token(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnitKind {
    Combined,
    Parser,
    Lexer,
}

/// What one file says.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) kind: UnitKind,
    pub(super) name: Box<str>,
    pub(super) name_span: Span,
    /// `options { tokenVocab = X; }`
    pub(super) vocabulary: Option<(Box<str>, Span)>,
    /// `options { superClass = X; }`
    pub(super) super_class: Option<(Box<str>, Span)>,
    pub(super) is_caseless: bool,
    pub(super) imports: Vec<(Box<str>, Span)>,
    /// `tokens { A, B }`
    pub(super) tokens: Vec<(Box<str>, Span)>,
    pub(super) rules: Vec<Rule>,
}

/// All that belongs together: a grammar with what it imports, and its lexer.
#[derive(Debug)]
pub(super) struct System {
    pub(super) nodes: Nodes,
    /// Rules of the parser in written order, then those of the lexer, mode by mode.
    pub(super) rules: IdVec<RuleId, Rule>,
    pub(super) by_name: BTreeMap<Box<str>, RuleId>,
    /// The declared tokens.
    pub(super) tokens: Vec<(Box<str>, Span)>,
    /// The classes of the host language that the parser and the lexer extend.
    pub(super) super_classes: Vec<(Box<str>, Span)>,
    /// Whether the literals of the parser match in either case.
    pub(super) is_caseless: bool,
    /// The grammar's name.
    pub(super) name: Box<str>,
    pub(super) name_span: Span,
}

impl System {
    /// The rule of a name.
    pub(super) fn rule(&self, name: &str) -> Option<RuleId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn parser_rules(&self) -> impl Iterator<Item = (RuleId, &Rule)> {
        self.rules.iter().filter(|(_, rule)| !rule.is_lexical())
    }

    pub(super) fn lexer_rules(&self) -> impl Iterator<Item = (RuleId, &Rule)> {
        self.rules.iter().filter(|(_, rule)| rule.is_lexical())
    }
}

/// The parts of a node.
pub(super) fn parts(kind: &Kind) -> &[NodeId] {
    match kind {
        Kind::Not(part) | Kind::Repeat { subject: part, .. } => std::slice::from_ref(part),
        Kind::All(parts) | Kind::One(parts) => parts,
        _ => &[],
    }
}

/// The position of a node among those of its rule.
pub(super) fn local(rule: &Rule, node: NodeId) -> usize {
    node.index() - rule.nodes.start as usize
}
