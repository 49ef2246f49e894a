//! Choice sequences: derivation trees as bytes.
//!
//! A derivation tree is its pre-order sequence of choices. Alternations choose among their alternatives, quantifiers choose
//! before each repetition between their bounds whether to go on (even: stop, odd: go on), classes choose a member
//! ([`class`]); nothing else chooses. Decoding is total: a choice takes the bytes it needs modulo what it is among, and
//! once a choice had to read past the end, every alternation takes its shortest alternative, every quantifier stops as soon as
//! it may, and every class takes its default member. Encoding is the exact inverse, and minimal.
//!
//! `n` bytes derive at most `n` choices, and between two choices a derivation grows by no more than a constant of the
//! grammar, so sentences are linear in the choices; `graph` refuses grammars for which the constant would be huge.

pub mod class;
mod condense;
mod copy;
mod encode;
mod lexemes;
mod program;
mod render;
mod site;
mod tape;
mod walk;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::graph::Graph;
use crate::id::{ClassId, IdVec, NodeId, SymbolId};
use crate::kpath::{WindowStack, WindowTable};

pub use class::{ClassCode, MemberChoice};
pub use encode::Encoder;
pub(crate) use encode::SHORT;
pub use lexemes::{Lexemes, Misread};
pub use program::ROOT;
pub(crate) use program::is_site;
pub use site::{NO_SITE, Site, SiteIndex, Span};
pub use tape::{Tape, put, width};
use walk::Stacks;
pub use walk::{Chooser, Sink, TapeChooser};

use condense::Condenser;
use program::{Detail, Program};
use render::Renderer;
use site::IndexSink;

/// Buffers of a codec's calls, kept so that nothing is allocated once they have grown.
#[derive(Debug, Default)]
pub struct Scratch {
    stacks: Stacks,
    states: WindowStack,
    returns: Vec<u32>,
    counts: Vec<u32>,
    lexemes: Lexemes,
}

/// Decodes and encodes the choice sequences of a grammar. Immutable; calls share it and bring their [`Scratch`].
#[derive(Debug)]
pub struct Codec {
    graph: Arc<Graph>,
    classes: Arc<IdVec<ClassId, ClassCode>>,
    sites: Program,
    nodes: Program,
    renderer: Renderer,
    windows: Option<Arc<WindowTable>>,
    has_hollow: bool,
}

impl Codec {
    /// Compiles the graph. O(nodes + 256 · classes).
    pub fn new(graph: &Arc<Graph>) -> Codec {
        let classes = graph
            .grammar()
            .classes()
            .iter()
            .map(|(_, class)| ClassCode::new(class));
        let classes = Arc::new(classes.collect::<IdVec<_, _>>());
        Codec {
            sites: Program::new(graph, &classes, Detail::Sites),
            nodes: Program::new(graph, &classes, Detail::Nodes),
            renderer: Renderer::new(graph, &classes),
            graph: graph.clone(),
            classes,
            windows: None,
            has_hollow: condense::has_hollow(graph),
        }
    }

    /// The same codec, whose indexes also have the window of each site.
    pub fn with_windows(mut self, windows: &Arc<WindowTable>) -> Codec {
        self.windows = Some(windows.clone());
        self
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The windows that indexes are made with.
    pub fn windows(&self) -> Option<&Arc<WindowTable>> {
        self.windows.as_ref()
    }

    /// A class, ready for choosing.
    pub fn class(&self, id: ClassId) -> &ClassCode {
        &self.classes[id]
    }

    /// The alternative that close-off takes.
    pub(crate) fn shortest_alternative(&self, alternation: NodeId) -> u32 {
        self.sites.shortest[alternation]
    }

    /// Decodes any bytes and appends the sentence to `text`. The fastest way, without sites: O(choices + text).
    pub fn decode(&self, choices: &[u8], scratch: &mut Scratch, text: &mut Vec<u8>) {
        let Scratch {
            returns,
            counts,
            lexemes,
            ..
        } = scratch;
        let Some(lexicon) = self.graph.lexicon() else {
            let begins = &mut lexemes.lexemes;
            self.renderer
                .render::<false>(choices, returns, counts, text, begins);
            return;
        };
        lexemes.decode(&self.renderer, lexicon, choices, returns, counts);
        text.extend_from_slice(lexemes.layout.text());
    }

    /// Lays out the tokens of an index, whose texts stand side by side in `glued`: that is the text of the index, or one that
    /// differs in the case of letters. Before the token of a site, `wanted` may name a separator that is preferred to the shortest
    /// one. Nothing if the grammar has no tokens. O(text).
    pub(crate) fn lay_out<'w>(
        &self,
        index: &SiteIndex,
        glued: &[u8],
        mut wanted: impl FnMut(u32) -> Option<&'w [u8]>,
        lexemes: &mut Lexemes,
    ) {
        if let Some(lexicon) = self.graph.lexicon() {
            lexemes.collect(lexicon, index);
            let sites = &lexemes.sites;
            let wanted = |at: usize| wanted(*sites.get(at)?);
            lexicon.lay_out(glued, &lexemes.lexemes, wanted, &mut lexemes.layout);
        }
    }

    /// The sentence of any bytes. Allocates; [`Codec::decode`] does not.
    pub fn sentence(&self, choices: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        self.decode(choices, &mut Scratch::default(), &mut text);
        text
    }

    /// Decodes any bytes into an index, replacing what is in it.
    pub fn index(&self, choices: &[u8], scratch: &mut Scratch, index: &mut SiteIndex) {
        let mut tape = TapeChooser::new(&self.sites, choices);
        self.derive(ROOT, &mut tape, scratch, index);
    }

    /// Lets `chooser` derive `node` ([`ROOT`]: everything) as a tree of its own, replacing what is in `index`.
    pub fn derive<C: Chooser + ?Sized>(
        &self,
        node: NodeId,
        chooser: &mut C,
        scratch: &mut Scratch,
        index: &mut SiteIndex,
    ) {
        self.derive_under(node, chooser, &[], NO_SITE, scratch, index);
    }

    /// Lets `chooser` derive `node` for a place directly below site `parent` of `host`, to be spliced in there.
    pub fn derive_under<C: Chooser + ?Sized>(
        &self,
        node: NodeId,
        chooser: &mut C,
        host: &[Site],
        parent: u32,
        scratch: &mut Scratch,
        index: &mut SiteIndex,
    ) {
        index.clear();
        if let Some(windows) = &self.windows {
            scratch
                .states
                .begin(windows, self.references_above(host, parent));
        }
        let mut sink = IndexSink {
            index,
            windows: self.windows.as_deref(),
            states: &mut scratch.states,
            open: NO_SITE,
            depth: self.depth_below(host, parent),
        };
        walk::walk(&self.sites, &mut scratch.stacks, node, chooser, &mut sink);
    }

    /// The references above what stands directly below site `parent` of `host`, the root included.
    fn depth_below(&self, host: &[Site], parent: u32) -> u32 {
        host.get(parent as usize).map_or(0, |site| {
            let is_reference = site.node == ROOT || self.is_reference(site.node);
            site.depth + u32::from(is_reference)
        })
    }

    /// The references from site `parent` of `host` up to the root, nearest first.
    pub(crate) fn references_above<'a>(
        &'a self,
        host: &'a [Site],
        parent: u32,
    ) -> impl Iterator<Item = SymbolId> + 'a {
        let mut above = parent;
        std::iter::from_fn(move || {
            let site = host.get(above as usize)?;
            above = site.parent;
            // What has sites below and is symbolic is a reference.
            Some(self.symbol_of(site.node))
        })
        .flatten()
    }

    /// A chooser that reads `choices` and closes off behind them.
    pub fn tape<'a>(&'a self, choices: &'a [u8]) -> TapeChooser<'a> {
        TapeChooser::new(&self.sites, choices)
    }

    fn is_reference(&self, node: NodeId) -> bool {
        matches!(
            self.graph.grammar()[node].kind,
            crate::grammar::NodeKind::Reference(_)
        )
    }

    /// Decodes any bytes and tells `sink` of every node and choice.
    pub fn walk<S: Sink + ?Sized>(&self, choices: &[u8], scratch: &mut Scratch, sink: &mut S) {
        let mut tape = TapeChooser::new(&self.nodes, choices);
        walk::walk(&self.nodes, &mut scratch.stacks, ROOT, &mut tape, sink);
    }

    /// The canonical form of any bytes: the shortest sequence that decodes to the same derivation.
    pub fn canonicalize(&self, choices: &[u8]) -> Vec<u8> {
        let mut encoder = Encoder::new();
        self.walk(choices, &mut Scratch::default(), &mut encoder);
        encoder.finish()
    }

    /// Whether the grammar has an optional repetition that can derive nothing: [`Codec::condense`] has something to do.
    pub fn has_hollow_repetitions(&self) -> bool {
        self.has_hollow
    }

    /// The canonical form of any bytes without the optional repetitions that derive nothing. The sentence is the same.
    ///
    /// ```
    /// use pleach_core::{Codec, Grammar, Graph};
    ///
    /// let grammar: Grammar = "list := ('a'? ',')* end*; end := '' | '!';".parse()?;
    /// let codec = Codec::new(&Graph::new(grammar)?);
    /// let choices = [1, 0, 0, 1, 0, 1, 1, 0];
    /// assert_eq!(codec.sentence(&choices), b",!");
    /// assert_eq!(codec.condense(&choices), [1, 0, 0, 1, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn condense(&self, choices: &[u8]) -> Vec<u8> {
        let mut condenser = Condenser::new(self.graph.grammar());
        self.walk(choices, &mut Scratch::default(), &mut condenser);
        condenser.finish()
    }

    /// The sentence of an index: its text, laid out if the grammar has tokens.
    pub fn text<'a>(&self, index: &'a SiteIndex, lexemes: &'a mut Lexemes) -> &'a [u8] {
        if self.graph.lexicon().is_none() {
            return index.text();
        }
        self.lay_out(index, index.text(), |_| None, lexemes);
        lexemes.layout.text()
    }

    /// The symbol of a node, if it is symbolic; [`ROOT`] is not.
    pub fn symbol_of(&self, node: NodeId) -> Option<SymbolId> {
        if node == ROOT {
            None
        } else {
            self.graph.symbol_of(node)
        }
    }
}
