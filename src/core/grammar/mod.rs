//! What a grammar is: an immutable, validated arena of productions and nodes.
//!
//! A text in the notation becomes an [`ast::Ast`] (faithful, with spans, possibly wrong), and four passes turn that into a
//! [`Grammar`], each linear or nearly so and none recursive:
//!
//! 1. `notation`: text to syntax;
//! 2. `lower`: syntax to a draft of the nodes, names resolved, regular expressions (`regex`) turned into nodes;
//! 3. `prune`: which nodes of the draft can matter, and a [`Warning`] for each nonterminal that cannot; `levels`: which
//!    productions are syntax and which are tokens;
//! 4. `assemble`: those nodes in normal form, counted anew.
//!
//! No half-built state is a `Grammar`. [`mod@print`] is the way back to text, and reading that gives an equal grammar;
//! `binary` (feature `compiled`) is the way to bytes and back, without the first two passes. `duplicate` (feature `tools`) makes another grammar of the same language.
//!
//! ```
//! let grammar: pleach_core::Grammar = "sum := num ('+' num)*; num := [1-9] [0-9]*;".parse()?;
//! assert_eq!(grammar.productions().len(), 2);
//! assert_eq!(grammar.to_string(), "sum := num (\"+\" num)*;\nnum := [1-9] [0-9]*;\n");
//! # Ok::<(), pleach_core::grammar::Error>(())
//! ```
//!
//! The nodes of the arena are those of the grammar graph (TOSEM article, section 2.2). They are numbered production by
//! production, each in pre-order, so the symbolic nodes of a production are consecutive [`SymbolId`]s in written order;
//! everything above relies on that.

mod access;
mod assemble;
pub mod ast;
#[cfg(feature = "compiled")]
pub mod binary;
pub mod class;
#[cfg(feature = "tools")]
pub mod duplicate;
pub mod error;
mod intern;
mod levels;
mod lower;
pub mod notation;
pub mod print;
mod prune;
mod regex;
#[cfg(test)]
mod tests;

use crate::id::{ClassId, IdVec, LiteralId, MAX_IDS, NodeId, ProductionId, SymbolId};
use std::fmt;
use std::str::FromStr;

pub use class::{CharClass, Member};
pub use error::{Error, ErrorKind};
pub(crate) use lower::closest;

/// A validated context-free grammar.
#[derive(Clone)]
pub struct Grammar {
    productions: IdVec<ProductionId, Production>,
    nodes: IdVec<NodeId, Node>,
    children: Vec<NodeId>,
    symbols: IdVec<SymbolId, Symbol>,
    symbol_of: IdVec<NodeId, Option<SymbolId>>,
    literals: IdVec<LiteralId, Box<[u8]>>,
    /// Those whose letters may be in either case.
    caseless: IdVec<LiteralId, bool>,
    /// Whether a production is a token or skipped.
    has_tokens: bool,
    classes: IdVec<ClassId, CharClass>,
    /// By node; empty if none is stated.
    probabilities: Vec<Option<Probability>>,
    /// Sorted by name.
    by_name: Vec<ProductionId>,
    warnings: Vec<Warning>,
    fingerprint: u64,
}

/// What compiled grammars begin with. No text does.
const MAGIC: &[u8; 8] = b"\xffpleach\0";

impl Grammar {
    /// Whether bytes begin as those of a compiled grammar do (feature `compiled`). No text does.
    pub const fn is_compiled(bytes: &[u8]) -> bool {
        // In constants there are no loops over iterators.
        let mut at = 0;
        while at < MAGIC.len() {
            if at >= bytes.len() || bytes[at] != MAGIC[at] {
                return false;
            }
            at += 1;
        }
        true
    }

    /// Reads a grammar in the [`notation`] of pleach from bytes, which may not be UTF-8.
    ///
    /// ```
    /// let error = pleach_core::Grammar::parse(b"a := \"\xff\";").unwrap_err();
    /// assert_eq!((error.kind(), error.column()), (pleach_core::grammar::ErrorKind::InvalidUtf8, 7));
    /// ```
    pub fn parse(text: &[u8]) -> Result<Grammar, Error> {
        if text.len() > MAX_IDS {
            return Err(Error::new(
                ErrorKind::TooLarge,
                b"",
                ast::Span::new(0, 0),
                format!("a grammar of more than {MAX_IDS} bytes"),
                "split it, or leave parts out",
            ));
        }
        match std::str::from_utf8(text) {
            Ok(text) => Grammar::from_ast(&notation::parse(text)?, text),
            Err(error) => {
                let start = error.valid_up_to();
                let end = error
                    .error_len()
                    .map_or(text.len(), |length| start + length);
                Err(Error::new(
                    ErrorKind::InvalidUtf8,
                    text,
                    ast::Span::new(start, end),
                    "the text is not UTF-8",
                    match text {
                        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                            "it is UTF-16, as some editors call Unicode: save it as UTF-8"
                        }
                        _ if text.contains(&0) => "this is not text: name a grammar file",
                        _ => {
                            "save it as UTF-8; a raw byte is written as an escape, as in \"\\xff\""
                        }
                    },
                ))
            }
        }
    }

    /// Makes a grammar of syntax that was read from `source`, in whatever notation. Errors show lines of `source`.
    pub fn from_ast(ast: &ast::Ast, source: &str) -> Result<Grammar, Error> {
        let source = source.as_bytes();
        let draft = lower::lower(ast, source, MAX_IDS)?;
        let live = prune::prune(&draft, source)?;
        let roles = levels::roles(&draft, &live, source)?;
        Ok(assemble::assemble(draft, live, &roles))
    }
}

impl FromStr for Grammar {
    type Err = Error;

    fn from_str(text: &str) -> Result<Grammar, Error> {
        Grammar::parse(text.as_bytes())
    }
}

/// A production: a nonterminal and its right side.
#[derive(Clone, Debug)]
pub struct Production {
    /// The nonterminal's name.
    pub name: Box<str>,
    /// The root of the right side.
    pub root: NodeId,
    /// The first symbol of the right side; the symbols of a production are consecutive.
    pub first_symbol: SymbolId,
    /// The number of symbols in the right side.
    pub symbol_count: u32,
    /// The first node of the right side (its root); the nodes of a production are consecutive, in pre-order.
    pub first_node: NodeId,
    /// The number of nodes in the right side.
    pub node_count: u32,
    /// What it is for the lexical level.
    pub role: Role,
    /// The lexical mode of a token or of what is skipped: the tokens of a mode compete wherever one of them is expected.
    pub mode: Option<Box<str>>,
}

/// What a production is for the lexical level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Role {
    /// It derives tokens; in a grammar without a lexical level, text.
    #[default]
    Syntax,
    /// A token: the longest match of the tokens expected at a place is read there.
    Token,
    /// Between tokens it is skipped.
    Skip,
    /// A part of tokens, to which nothing else refers.
    Fragment,
}

impl Role {
    /// Whether the notation says so: a token, or what is skipped.
    pub fn is_lexical(self) -> bool {
        matches!(self, Role::Token | Role::Skip)
    }
}

/// A node of the grammar graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// What the node is.
    pub kind: NodeKind,
    /// The production whose right side it is written in.
    pub production: ProductionId,
    /// The node above it in the same right side; `None` for the root.
    pub parent: Option<NodeId>,
    first_child: u32,
    child_count: u32,
}

/// The kinds of node. The first three are symbolic, the others synthetic: transparent to k-paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A use of a nonterminal.
    Reference(ProductionId),
    /// Fixed text, possibly empty.
    Literal(LiteralId),
    /// One character or byte out of a set.
    Class(ClassId),
    /// One of at least two children.
    Alternation,
    /// All children in order: none (what pruning can leave), or at least two.
    Concatenation,
    /// Its only child between `min` and `max` times; `max` is at least 1 and at least `min`, `None` means without bound.
    Quantifier {
        /// The least number of repetitions.
        min: u32,
        /// The greatest number of repetitions.
        max: Option<u32>,
    },
}

impl NodeKind {
    /// Whether a node of this kind is symbolic: it counts for k-paths.
    pub fn is_symbolic(self) -> bool {
        matches!(
            self,
            NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_)
        )
    }
}

/// A symbolic node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The node.
    pub node: NodeId,
    /// Its place among the symbols of the production as it was written, before pruning: the number in its name.
    pub ordinal: u32,
}

/// A stated probability of an alternative, in billionths (40 % is 400 000 000).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Probability(pub u32);

impl Probability {
    /// 100 %.
    pub const CERTAIN: Probability = Probability(1_000_000_000);
}

/// Something in a grammar that was dropped because it cannot matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// What is the matter.
    pub kind: WarningKind,
    /// The nonterminal concerned.
    pub production: Box<str>,
    /// Line of its definition, from 1.
    pub line: u32,
    /// Column of its definition, in characters, from 1.
    pub column: u32,
}

impl Warning {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self.kind {
            WarningKind::Unreachable => {
                "refer to it, or take it away: a grammar starts at its first production"
            }
            WarningKind::Unproductive => {
                "give it an alternative that ends, one without an endless recursion"
            }
        }
    }
}

/// The kinds of warning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WarningKind {
    /// No derivation of the start symbol contains the nonterminal.
    Unreachable,
    /// The nonterminal derives no finite sentence.
    Unproductive,
}

/// One sentence without the place.
///
/// ```
/// let grammar: pleach_core::Grammar = "a := 'x'; b := 'y';".parse().unwrap();
/// let warning = &grammar.warnings()[0];
/// assert_eq!(warning.to_string(), "the nonterminal `b` cannot be reached from the start symbol");
/// ```
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let matter = match self.kind {
            WarningKind::Unreachable => "cannot be reached from the start symbol",
            WarningKind::Unproductive => "derives no finite sentence",
        };
        write!(f, "the nonterminal `{}` {matter}", self.production)
    }
}
