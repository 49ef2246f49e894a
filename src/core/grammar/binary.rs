//! Grammars in binary, so that a program that has a large one in it links no reader and starts at once.
//!
//! What is written is the canonical form alone: names, distinct literals and classes, and the nodes of each production in
//! pre-order. What is read is not trusted: it becomes a draft, as syntax does when it is lowered, and goes the same way from there,
//! through `prune`, `levels` and `assemble`, which derive the ids, the tables and the normal form anew. So whatever the bytes
//! say, what comes out is a valid grammar or an [`enum@Error`].
//!
//! ```text
//! magic  version  fingerprint  checksum  payload (bincode, numbers of variable length)
//! 8      4        8            8         literals  classes  heads  nodes of each production
//! ```
//!
//! Reading is linear but for a hash of each literal and class. No number in the bytes is trusted with an allocation: everything
//! that is kept takes a byte of input at least, so memory is bounded by the length of the input. Warnings are not written, for they
//! tell of the text.
//!
//! ```
//! use pleach_core::Grammar;
//!
//! let grammar: Grammar = "sum := num ('+' num)*; num := [1-9] [0-9]*;".parse()?;
//! let bytes = grammar.to_bytes();
//! assert!(Grammar::is_compiled(&bytes));
//! assert_eq!(Grammar::from_bytes(&bytes)?, grammar);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::grammar::ast::Span;
use crate::grammar::intern::Interner;
use crate::grammar::lower::{Draft, DraftNode, DraftProduction, Literal};
use crate::grammar::notation::is_name;
use crate::grammar::{CharClass, Grammar, MAGIC, NodeKind, Probability, Role};
use crate::grammar::{assemble, levels, prune};
use crate::id::{ClassId, Id, IdVec, LiteralId, MAX_IDS, NodeId, ProductionId};
use bincode::config::Configuration;
use bincode::{BorrowDecode, Encode};
use siphasher::sip::SipHasher13;
use std::hash::Hasher as _;

/// No UTF-8, so no text in a notation begins like this.
/// The format that is written, and the only one that is read.
pub const VERSION: u32 = 1;
pub(super) const HEADER_BYTES: usize = 8 + 4 + 8 + 8;
const CONFIG: Configuration = bincode::config::standard();

/// Why bytes are no grammar.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// They do not begin as compiled grammars do.
    #[error("this is not a compiled grammar\nhelp: `pleach compile GRAMMAR -o FILE` makes one")]
    NotCompiled,
    /// They are of another version of the format.
    #[error(
        "this grammar was compiled in format {found}, and this version of pleach reads format {VERSION}\n\
         help: compile it again by the version that is to read it"
    )]
    Version {
        /// The version they are of.
        found: u32,
    },
    /// They are cut, or something else was written over them.
    #[error("this compiled grammar is damaged: byte {offset}: {what}\nhelp: compile it again")]
    Damaged {
        /// The bytes before the place.
        offset: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// They are a grammar of another fingerprint than they say, so corpora and states would not fit.
    #[error(
        "this compiled grammar has the fingerprint {found:016x} and says {stated:016x}\n\
         help: compile it again by the version that is to read it"
    )]
    Fingerprint {
        /// The fingerprint that is stated.
        stated: u64,
        /// The fingerprint of what was read.
        found: u64,
    },
}

/// What stands before the nodes of a production.
#[derive(Encode, BorrowDecode)]
struct Head<'b> {
    name: &'b str,
    role: WrittenRole,
    mode: Option<&'b str>,
}

/// What the notation says of a production; fragments follow from it.
#[derive(Encode, BorrowDecode)]
enum WrittenRole {
    Syntax,
    Token,
    Skip,
}

/// A node. Symbols say how many symbols of the production were pruned since the one before, for their names.
#[derive(Encode, BorrowDecode)]
enum Part {
    Reference { to: u32, pruned: u32 },
    Literal { text: u32, pruned: u32 },
    Class { class: u32, pruned: u32 },
    Alternation { children: u32 },
    Concatenation { children: u32 },
    Quantifier { min: u32, max: Option<u32> },
}

impl Grammar {
    /// The grammar in binary. Equal grammars give equal bytes, but where one was pruned.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        put(&mut payload, self.literals.len() as u32);
        for (id, text) in self.literals.iter() {
            put(&mut payload, (&**text, self.caseless[id]));
        }
        put(&mut payload, self.classes.len() as u32);
        for (_, class) in self.classes.iter() {
            put(&mut payload, class.chars().len() as u32);
            for range in class.chars() {
                put(&mut payload, range);
            }
            put(&mut payload, class.bytes().len() as u32);
            for range in class.bytes() {
                put(&mut payload, range);
            }
        }
        put(&mut payload, !self.probabilities.is_empty());
        put(&mut payload, self.productions.len() as u32);
        for (_, production) in self.productions.iter() {
            let role = match production.role {
                Role::Syntax | Role::Fragment => WrittenRole::Syntax,
                Role::Token => WrittenRole::Token,
                Role::Skip => WrittenRole::Skip,
            };
            let (name, mode) = (&*production.name, production.mode.as_deref());
            put(&mut payload, Head { name, role, mode });
        }
        for id in self.productions.ids() {
            self.put_nodes(id, &mut payload);
        }
        let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.fingerprint.to_le_bytes());
        bytes.extend_from_slice(&checksum(&payload).to_le_bytes());
        bytes.extend_from_slice(&payload);
        bytes
    }

    fn put_nodes(&self, production: ProductionId, payload: &mut Vec<u8>) {
        let production = &self.productions[production];
        let mut next_ordinal = 0;
        for at in 0..production.node_count {
            let id = NodeId(production.first_node.0 + at);
            let node = &self.nodes[id];
            let is_alternative = node
                .parent
                .is_some_and(|parent| self.nodes[parent].kind == NodeKind::Alternation);
            if is_alternative && !self.probabilities.is_empty() {
                put(payload, self.stated_probability(id).map(|it| it.0));
            }
            let pruned = self.symbol_of[id].map_or(0, |symbol| {
                let ordinal = self.symbols[symbol].ordinal;
                let pruned = ordinal - next_ordinal;
                next_ordinal = ordinal + 1;
                pruned
            });
            let children = node.child_count;
            let part = match node.kind {
                NodeKind::Reference(ProductionId(to)) => Part::Reference { to, pruned },
                NodeKind::Literal(LiteralId(text)) => Part::Literal { text, pruned },
                NodeKind::Class(ClassId(class)) => Part::Class { class, pruned },
                NodeKind::Alternation => Part::Alternation { children },
                NodeKind::Concatenation => Part::Concatenation { children },
                NodeKind::Quantifier { min, max } => Part::Quantifier { min, max },
            };
            put(payload, part);
        }
    }

    /// Reads what [`Grammar::to_bytes`] has written. Safe on any bytes; O(bytes), but for hashing.
    ///
    /// # Errors
    ///
    /// An [`enum@Error`] that says what to do, if the bytes are anything else or no longer what was written.
    ///
    /// ```
    /// use pleach_core::grammar::{Grammar, binary::Error};
    ///
    /// let mut bytes = "a := 'x' | 'y';".parse::<Grammar>().unwrap().to_bytes();
    /// bytes.pop();
    /// let error = Grammar::from_bytes(&bytes).unwrap_err();
    /// assert!(matches!(error, Error::Damaged { .. }));
    /// assert!(error.to_string().ends_with("\nhelp: compile it again"));
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Grammar, Error> {
        if !Grammar::is_compiled(bytes) {
            return Err(Error::NotCompiled);
        }
        let mut input = Input {
            len: bytes.len(),
            rest: &bytes[MAGIC.len()..],
        };
        let found = u32::from_le_bytes(input.array()?);
        if found != VERSION {
            return Err(Error::Version { found });
        }
        let stated = u64::from_le_bytes(input.array()?);
        let sum = u64::from_le_bytes(input.array()?);
        if bytes.len() > MAX_IDS {
            return Err(input.damaged("more than a grammar can take"));
        }
        let payload = input.rest;
        let draft = input.draft()?;
        if !input.rest.is_empty() {
            return Err(input.damaged("something behind the grammar"));
        }
        if checksum(payload) != sum {
            return Err(input.damaged("the checksum is another one"));
        }
        let wrong = |_| input.damaged("this grammar would have been refused");
        let live = prune::prune(&draft, b"").map_err(wrong)?;
        if !live.warnings.is_empty() {
            return Err(input.damaged("a nonterminal that would have been left out"));
        }
        let roles = levels::roles(&draft, &live, b"").map_err(wrong)?;
        let grammar = assemble::assemble(draft, live, &roles);
        let name = |id: &ProductionId| &grammar.productions[*id].name;
        if grammar.by_name.is_sorted_by(|a, b| name(a) < name(b)) {
            match grammar.fingerprint {
                found if found == stated => Ok(grammar),
                found => Err(Error::Fingerprint { stated, found }),
            }
        } else {
            Err(input.damaged("two productions of one name"))
        }
    }
}

/// Appends a value.
fn put(out: &mut Vec<u8>, value: impl Encode) {
    // Writing to a vector cannot fail.
    let _ = bincode::encode_into_std_write(value, out, CONFIG);
}

pub(super) fn checksum(payload: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(payload);
    hasher.finish()
}

/// Bytes that are being read.
struct Input<'b> {
    /// Of all.
    len: usize,
    rest: &'b [u8],
}

/// A node whose children are being read.
struct Open {
    node: usize,
    /// The children that are still to come.
    left: u32,
    is_alternation: bool,
    /// What the alternatives read so far have been given of 100 %.
    probability: u64,
}

impl<'b> Input<'b> {
    /// What is wrong at this place.
    fn damaged(&self, what: &'static str) -> Error {
        Error::Damaged {
            offset: self.len - self.rest.len(),
            what,
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (array, rest) = self
            .rest
            .split_first_chunk()
            .ok_or_else(|| self.damaged("it ends too early"))?;
        self.rest = rest;
        Ok(*array)
    }

    /// The next value. No value that is read this way allocates.
    fn take<T: BorrowDecode<'b, ()>>(&mut self) -> Result<T, Error> {
        let (value, read) = bincode::borrow_decode_from_slice(self.rest, CONFIG)
            .map_err(|_| self.damaged("it ends too early, or has no such value"))?;
        self.rest = &self.rest[read..];
        Ok(value)
    }

    fn draft(&mut self) -> Result<Draft, Error> {
        let mut literals: Interner<LiteralId, Literal> = Interner::default();
        let count: u32 = self.take()?;
        for at in 0..count as usize {
            let (text, is_caseless): (&[u8], bool) = self.take()?;
            if is_caseless && !text.iter().any(u8::is_ascii_alphabetic) {
                return Err(self.damaged("a literal in either case without a letter"));
            }
            let text = text.into();
            if literals.intern_owned(Literal { text, is_caseless }).index() != at {
                return Err(self.damaged("a literal twice"));
            }
        }
        let mut classes: Interner<ClassId, CharClass> = Interner::default();
        let count: u32 = self.take()?;
        for at in 0..count as usize {
            let class = self.class()?;
            if classes.intern_owned(class).index() != at {
                return Err(self.damaged("a class twice"));
            }
        }
        let has_probabilities: bool = self.take()?;
        let mut draft = Draft {
            productions: self.heads()?,
            nodes: Vec::new(),
            literals: literals.into_items(),
            classes: classes.into_items(),
        };
        for id in draft.productions.ids() {
            let first = draft.nodes.len() as u32;
            self.nodes(&mut draft, has_probabilities)?;
            draft.productions[id].nodes = first..draft.nodes.len() as u32;
        }
        Ok(draft)
    }

    fn class(&mut self) -> Result<CharClass, Error> {
        let mut chars: Vec<(char, char)> = Vec::new();
        for _ in 0..self.take::<u32>()? {
            chars.push(self.take()?);
        }
        let mut bytes: Vec<(u8, u8)> = Vec::new();
        for _ in 0..self.take::<u32>()? {
            bytes.push(self.take()?);
        }
        CharClass::from_normal(chars, bytes).ok_or_else(|| self.damaged("a class out of order"))
    }

    /// The productions without their nodes.
    fn heads(&mut self) -> Result<IdVec<ProductionId, DraftProduction>, Error> {
        let mut productions = IdVec::new();
        let count: u32 = self.take()?;
        for _ in 0..count {
            let head: Head<'_> = self.take()?;
            let role = match head.role {
                WrittenRole::Syntax => Role::Syntax,
                WrittenRole::Token => Role::Token,
                WrittenRole::Skip => Role::Skip,
            };
            if !is_name(head.name) || !head.mode.is_none_or(is_name) {
                return Err(self.damaged("a name that is none"));
            }
            if head.mode.is_some() && !role.is_lexical() {
                return Err(self.damaged("a mode of what is not a token"));
            }
            productions.push(DraftProduction {
                name: head.name.into(),
                name_span: Span::new(0, 0),
                nodes: 0..0,
                role,
                mode: head.mode.map(Into::into),
            });
        }
        match productions.is_empty() {
            true => Err(self.damaged("no production")),
            false => Ok(productions),
        }
    }

    /// Appends the nodes of a production.
    fn nodes(&mut self, draft: &mut Draft, has_probabilities: bool) -> Result<(), Error> {
        let mut open: Vec<Open> = Vec::new();
        let mut ordinal = 0_u32;
        loop {
            let node = draft.nodes.len();
            let probability = match open.last_mut() {
                Some(above) if above.is_alternation && has_probabilities => {
                    let stated: Option<u32> = self.take()?;
                    above.probability += u64::from(stated.unwrap_or(0));
                    if above.probability > u64::from(Probability::CERTAIN.0) {
                        return Err(self.damaged("more than 100 %"));
                    }
                    stated.map(Probability)
                }
                _ => None,
            };
            let (kind, children) = self.part(draft, &mut ordinal)?;
            draft.nodes.push(DraftNode {
                kind,
                parent: open.last().map_or(node, |above| above.node) as u32,
                end: node as u32 + 1,
                ordinal,
                probability,
            });
            if kind.is_symbolic() {
                ordinal = ordinal.saturating_add(1);
            }
            open.push(Open {
                node,
                left: children,
                is_alternation: kind == NodeKind::Alternation,
                probability: 0,
            });
            // What is complete ends here, and so may what is above.
            while let Some(complete) = open.pop_if(|it| it.left == 0) {
                draft.nodes[complete.node].end = draft.nodes.len() as u32;
                match open.last_mut() {
                    Some(above) => above.left -= 1,
                    None => return Ok(()),
                }
            }
        }
    }

    /// The next node, and how many children it has. `ordinal` passes over what was pruned before it.
    fn part(&mut self, draft: &Draft, ordinal: &mut u32) -> Result<(NodeKind, u32), Error> {
        let part: Part = self.take()?;
        let mut symbol = |kind, at: u32, len: usize, pruned: u32| {
            *ordinal = ordinal.saturating_add(pruned);
            match (at as usize) < len && *ordinal < MAX_IDS as u32 {
                true => Ok((kind, 0)),
                false => Err(self.damaged("a symbol beyond its table")),
            }
        };
        match part {
            Part::Reference { to, pruned } => {
                let kind = NodeKind::Reference(ProductionId(to));
                symbol(kind, to, draft.productions.len(), pruned)
            }
            Part::Literal { text, pruned } => {
                let kind = NodeKind::Literal(LiteralId(text));
                symbol(kind, text, draft.literals.len(), pruned)
            }
            Part::Class { class, pruned } => {
                let kind = NodeKind::Class(ClassId(class));
                symbol(kind, class, draft.classes.len(), pruned)
            }
            Part::Alternation { children } if children >= 2 => {
                Ok((NodeKind::Alternation, children))
            }
            Part::Concatenation { children } if children != 1 => {
                Ok((NodeKind::Concatenation, children))
            }
            Part::Quantifier { min, max } if max.is_none_or(|max| max >= min.max(1)) => {
                Ok((NodeKind::Quantifier { min, max }, 1))
            }
            Part::Alternation { .. } | Part::Concatenation { .. } => {
                Err(self.damaged("too few children"))
            }
            Part::Quantifier { .. } => Err(self.damaged("bounds that nothing meets")),
        }
    }
}
