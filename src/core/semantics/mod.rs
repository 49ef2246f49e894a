//! Semantics at nodes: what no context-free grammar can say, put right while a derivation becomes a text.
//!
//! Lengths, checksums and declared names depend on other parts of a sentence. A grammar derives something in their place (four
//! bytes, two hex digits, a name), and a *hook* replaces it: a function that runs when a production is entered or left. The node
//! that is left knows its text so far and the *parts* in it, so that the hook of a chunk can measure its data and overwrite its
//! length. Hooks share a *state*, which is fresh for every text: names that were declared, an offset, a depth. Derivations, choices
//! and coverage know nothing of it.
//!
//! ```
//! use pleach_core::semantics::{Error, Semantics, productions};
//! use pleach_core::{Codec, Grammar, Graph};
//!
//! fn lengths(grammar: &Grammar) -> Result<Semantics, Error> {
//!     let [record, length, data] = productions(grammar, ["Record", "Length", "Data"])?;
//!     Ok(Semantics::new(grammar).on_leave(record, move |node, ()| {
//!         let len = node.child_text(data).len() as u8;
//!         node.replace_child(length, &[b'0' + len % 10]);
//!     }))
//! }
//!
//! let grammar: Grammar = "File := Record*; Record := Length Data; Length := [0-9]; Data := [a-z]{0,9};".parse()?;
//! let semantics = lengths(&grammar)?;
//! let codec = Codec::new(&Graph::new(grammar)?);
//! let choices = [1, 7, 1, 0, 1, 1, 0, 1, 3, 0];
//! assert_eq!(codec.sentence(&choices), b"7ab3");
//! assert_eq!(semantics.text(&codec, &choices)?, b"2ab0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rules:
//!
//! * Nodes are entered in the order of the text and left from the inside out, each with what hooks have already made of the nodes
//!   in it. A reference is a node of the production that it names, and the whole text one of the start production.
//! * A hook sees the text, its parts and the state; it has nothing else to decide by, unless it brings that along. So the same
//!   choices give the same bytes.
//! * [Slips](crate::slip) come first: they are in the text that hooks see. A length counts data with something doubled or
//!   misspelled in it, and a checksum is right about it, so what lies behind the check is reached with slightly invalid data. What
//!   a slip has replaced by raw bytes is still a part, but no hook runs at it.
//! * In grammars with [tokens](crate::lexicon), hooks see the text as it was laid out. Separators stay, so a hook had better put a
//!   token of the same kind in the place of a token.
//! * No hook makes a text longer than [`Semantics::limit`] bytes: what would is not done ([`Node::replace`] says so). Beyond that
//!   it is the hook's to end, and not to panic.
//! * A text that is to be parsed again (the text codec, samples) needs a grammar that derives what hooks write. Where a hook leaves
//!   alone what is right already, a text that is parsed and rendered again stays what it is.
//!
//! Rendering takes O(sites + text), without native recursion, and what the hooks take: replacing bytes by as many is a copy,
//! by more or fewer moves what is behind in the node, its parts among them.
//!
//! Sources: the scripts of Nautilus (Aschermann et al., NDSS 2019), which make text of a nonterminal's subtrees; attribute grammars
//! (Knuth, 1968), whose synthesized attributes a hook computes on leaving, and inherited ones on entering. ISLa (Steinhöfel and
//! Zeller, ESEC/FSE 2022) states such properties as constraints and solves them. A function is less to learn and fast, but checks
//! nothing.

mod names;
mod node;
mod render;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::choice::{Codec, Scratch, SiteIndex};
use crate::grammar::{Grammar, closest};
use crate::id::{IdVec, ProductionId};
use crate::slip::{self, Slips};

pub use names::Names;
pub use node::{Node, Part};
pub use render::Workspace;

/// The bytes of a text that hooks may make it grow to, unless set otherwise.
pub const DEFAULT_LIMIT: usize = 1 << 20;

/// What is wrong with hooks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The grammar has no production of a name.
    #[error("the grammar has no production `{name}`\nhelp: {help}")]
    UnknownProduction {
        /// The name.
        name: String,
        /// What to do about it.
        help: String,
    },
    /// The hooks were made for another grammar.
    #[error(
        "the hooks are those of another grammar\nhelp: make them with the grammar whose sentences they are for"
    )]
    OtherGrammar,
}

/// The productions of names, for [`Semantics::on_enter`], [`Semantics::on_leave`] and the parts of a [`Node`].
///
/// # Errors
///
/// [`Error::UnknownProduction`] for the first name that the grammar has no production of, or none that is left after pruning.
///
/// ```
/// use pleach_core::semantics::productions;
///
/// let grammar: pleach_core::Grammar = "Chunk := Length; Length := [0-9]; Spare := 'x';".parse()?;
/// let [chunk, length] = productions(&grammar, ["Chunk", "Length"])?;
/// assert_eq!(&*grammar.productions()[length].name, "Length");
/// let error = productions(&grammar, ["Lenght"]).unwrap_err().to_string();
/// assert_eq!(error, "the grammar has no production `Lenght`\nhelp: there is `Length`");
/// # assert_eq!(chunk, grammar.start());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn productions<const N: usize>(
    grammar: &Grammar,
    names: [&str; N],
) -> Result<[ProductionId; N], Error> {
    let mut found = [grammar.start(); N];
    for (place, name) in found.iter_mut().zip(names) {
        *place = grammar.production_named(name).ok_or_else(|| {
            let dropped = grammar.warnings().iter().find(|it| &*it.production == name);
            let there = grammar.productions().iter().map(|(_, it)| &*it.name);
            let help = match (dropped, closest(name, there)) {
                (Some(warning), _) => format!("it was dropped: {warning}"),
                (None, Some(close)) => format!("there is `{close}`"),
                (None, None) => "write the name as the grammar does, or define it there".to_owned(),
            };
            Error::UnknownProduction {
                name: name.to_owned(),
                help,
            }
        })?;
    }
    Ok(found)
}

type Hook<S> = Box<dyn Fn(&mut Node<'_>, &mut S) + Send + Sync>;

/// The hooks of a production.
struct Hooks<S> {
    enter: Vec<Hook<S>>,
    leave: Vec<Hook<S>>,
}

/// The hooks of a grammar, with a state `S` that is `S::default()` at the beginning of every text.
pub struct Semantics<S = ()> {
    fingerprint: u64,
    hooks: IdVec<ProductionId, Hooks<S>>,
    limit: usize,
}

impl<S: Default + 'static> Semantics<S> {
    /// No hooks yet.
    pub fn new(grammar: &Grammar) -> Semantics<S> {
        let hooks = grammar.productions().iter().map(|_| Hooks {
            enter: Vec::new(),
            leave: Vec::new(),
        });
        Semantics {
            fingerprint: grammar.fingerprint(),
            hooks: hooks.collect(),
            limit: DEFAULT_LIMIT,
        }
    }

    /// Adds a hook that runs before what a production derives; the text of the node is empty, and what the hook puts there stands
    /// before it.
    #[must_use]
    pub fn on_enter(
        mut self,
        production: ProductionId,
        hook: impl Fn(&mut Node<'_>, &mut S) + Send + Sync + 'static,
    ) -> Semantics<S> {
        if let Some(hooks) = self.hooks.get_mut(production) {
            hooks.enter.push(Box::new(hook));
        }
        self
    }

    /// Adds a hook that runs behind what a production derives.
    #[must_use]
    pub fn on_leave(
        mut self,
        production: ProductionId,
        hook: impl Fn(&mut Node<'_>, &mut S) + Send + Sync + 'static,
    ) -> Semantics<S> {
        if let Some(hooks) = self.hooks.get_mut(production) {
            hooks.leave.push(Box::new(hook));
        }
        self
    }

    /// Sets the bytes that hooks may make a text grow to, [`DEFAULT_LIMIT`] without this call and 2^30 at most. What the grammar
    /// derives has no limit here.
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Semantics<S> {
        self.limit = bytes.min(1 << 30);
        self
    }

    /// The text of an input, choices with the trailer of its slips if it has one. Allocates; [`Semantics::render`] does not.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGrammar`] if the codec is that of another grammar.
    pub fn text(&self, codec: &Codec, input: &[u8]) -> Result<Vec<u8>, Error> {
        check(codec, self.fingerprint)?;
        Ok(text(self, codec, input))
    }

    /// Renders a derivation with its slips, replacing what is in `text`.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGrammar`] if the codec is that of another grammar.
    pub fn render(
        &self,
        codec: &Codec,
        index: &SiteIndex,
        slips: &Slips,
        workspace: &mut Workspace,
        text: &mut Vec<u8>,
    ) -> Result<(), Error> {
        check(codec, self.fingerprint)?;
        self.render_checked(codec, index, slips, workspace, text);
        Ok(())
    }
}

impl<S> fmt::Debug for Semantics<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks = self.hooks.iter();
        let hooks = hooks.map(|(_, it)| it.enter.len() + it.leave.len());
        f.debug_struct("Semantics")
            .field("hooks", &hooks.sum::<usize>())
            .field("limit", &self.limit)
            .finish()
    }
}

/// Hooks whose state nobody needs to know any more.
#[derive(Debug)]
pub struct AnySemantics {
    fingerprint: u64,
    hooks: Box<dyn Render>,
}

impl AnySemantics {
    /// Whether a codec is that of the grammar of the hooks.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGrammar`] if it is not.
    pub fn check(&self, codec: &Codec) -> Result<(), Error> {
        check(codec, self.fingerprint)
    }

    /// As [`Semantics::text`].
    ///
    /// # Errors
    ///
    /// [`Error::OtherGrammar`] if the codec is that of another grammar.
    pub fn text(&self, codec: &Codec, input: &[u8]) -> Result<Vec<u8>, Error> {
        self.check(codec)?;
        Ok(text(&*self.hooks, codec, input))
    }

    /// As [`Semantics::render`].
    ///
    /// # Errors
    ///
    /// [`Error::OtherGrammar`] if the codec is that of another grammar.
    pub fn render(
        &self,
        codec: &Codec,
        index: &SiteIndex,
        slips: &Slips,
        workspace: &mut Workspace,
        text: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.check(codec)?;
        let hooks = &self.hooks;
        hooks.render_checked(codec, index, slips, workspace, text);
        Ok(())
    }
}

impl<S: Default + 'static> From<Semantics<S>> for AnySemantics {
    fn from(semantics: Semantics<S>) -> AnySemantics {
        AnySemantics {
            fingerprint: semantics.fingerprint,
            hooks: Box::new(semantics),
        }
    }
}

/// [`Semantics`] without its type.
trait Render: fmt::Debug + Send + Sync {
    /// Renders with hooks of the codec's grammar.
    fn render_checked(
        &self,
        codec: &Codec,
        index: &SiteIndex,
        slips: &Slips,
        workspace: &mut Workspace,
        text: &mut Vec<u8>,
    );
}

fn check(codec: &Codec, fingerprint: u64) -> Result<(), Error> {
    match codec.graph().grammar().fingerprint() == fingerprint {
        true => Ok(()),
        false => Err(Error::OtherGrammar),
    }
}

fn text(hooks: &dyn Render, codec: &Codec, input: &[u8]) -> Vec<u8> {
    let (mut index, mut slips, mut text) = (SiteIndex::new(), Slips::new(), Vec::new());
    let (choices, script) = slip::split(input);
    codec.index(choices, &mut Scratch::default(), &mut index);
    slips.read(script);
    hooks.render_checked(codec, &index, &slips, &mut Workspace::default(), &mut text);
    text
}
