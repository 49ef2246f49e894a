//! Reading text: any context-free grammar, any text, into the packed forest of all its derivations.
//!
//! ```
//! use pleach_core::parse::{Budget, Parser, Workspace};
//! use pleach_core::{Codec, Grammar, Graph};
//!
//! let grammar: Grammar = "sum := sum '+' sum | [0-9]+;".parse()?;
//! let graph = Graph::new(grammar)?;
//! let (parser, mut workspace) = (Parser::new(&graph), Workspace::new());
//!
//! let mut forest = parser.parse(b"1+22+3", Budget::default(), &mut workspace).unwrap();
//! assert_eq!(forest.derivations().unwrap().to_u64(), Some(2));
//! let mut choices = Vec::new();
//! forest.choices(&mut choices).unwrap();
//! assert_eq!(Codec::new(&graph).sentence(&choices), b"1+22+3");
//!
//! let error = parser.encode(b"1+*3").unwrap_err();
//! assert_eq!((error.offset(), error.longest_prefix()), (2, Some(1)));
//! assert_eq!(error.expected()[0].terminal, "[0-9]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How
//!
//! | step | module | idea |
//! |---|---|---|
//! | what derives nothing | `empty` | known before any text is read |
//! | tokens, if the grammar has any | `lexed` | cut off by the [lexicon](crate::lexicon); the chart reads a code for each |
//! | automata | `inline`, `machine` | a production is an automaton; what is not recursive is copied into its users |
//! | sets of states | `subset` | made when first needed, kept from text to text |
//! | chart | `chart`, `late` | Earley's algorithm on those sets, with Leo's right recursion and a byte of lookahead |
//! | one derivation | `canonical` | back through the chart, by fixed rules |
//! | all derivations | `forest`, `packed`, `count`, `cover`, `numbered` | the forest spelled out: vertices are states behind items |
//! | failures | `explain`, `error` | what was expected, and the longest prefix |
//!
//! Time and memory are linear in the text for grammars that are LR-regular, and cubic at worst. Nothing recurses on
//! the text or the grammar, and a [`Budget`] bounds both.
//!
//! A derivation here never makes an optional repetition that derives nothing: there would be infinitely many.

mod alphabet;
mod canonical;
mod chart;
mod contexts;
#[cfg(feature = "tools")]
mod count;
mod cover;
mod empty;
#[cfg(feature = "tools")]
mod empty_count;
mod error;
mod explain;
mod forest;
mod inline;
mod late;
mod lexed;
mod machine;
mod map;
mod memo;
mod numbered;
mod packed;
mod subset;
mod tables;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::graph::Graph;
use crate::id::ProductionId;

#[cfg(feature = "tools")]
pub use count::Derivations;
pub use error::{Error, Expected};
pub use forest::Forest;

use canonical::{Canonical, Ground};
use chart::{Chart, Pruning};
use late::Late;
use lexed::{Codes, Lexed};
use memo::Memo;
use packed::Packed;
use subset::Subsets;
use tables::Tables;

/// The bytes of state sets that a workspace keeps for the next text.
const KEPT_BYTES: usize = 64 << 20;

/// What parsing a text may spend, and then each question to its forest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Steps: items of the chart, ways that they came about, parts of the forest. Some three to thirty million take a
    /// second. What a text takes does not depend on the texts before.
    pub steps: u64,
    /// Bytes of memory, roughly: what holds the forest. Vectors that grow may take a quarter more.
    pub bytes: u64,
}

impl Default for Budget {
    /// Four thousand million steps, which are some minutes, and 2 GiB.
    fn default() -> Budget {
        Budget {
            steps: 4_000_000_000,
            bytes: 2 << 30,
        }
    }
}

/// Why there is no forest. [`Parser::explain`] says more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is not a sentence.
    NoSentence {
        /// The bytes that some sentence begins with; none begins with those and the next byte, or where a class reads a whole
        /// character, the next character.
        offset: usize,
    },
    /// [`Budget::steps`] are spent.
    OutOfSteps {
        /// The bytes read until then.
        offset: usize,
    },
    /// [`Budget::bytes`] do not suffice.
    OutOfMemory {
        /// The bytes read until then.
        offset: usize,
    },
}

impl Refusal {
    /// The same, of a text that may be shorter than the one that was refused.
    fn within(self, len: usize) -> Refusal {
        let mut refusal = self;
        match &mut refusal {
            Refusal::NoSentence { offset }
            | Refusal::OutOfSteps { offset }
            | Refusal::OutOfMemory { offset } => *offset = (*offset).min(len),
        }
        refusal
    }

    /// The same, of a text that begins further on in another.
    fn moved(self, by: usize) -> Refusal {
        let mut refusal = self;
        match &mut refusal {
            Refusal::NoSentence { offset }
            | Refusal::OutOfSteps { offset }
            | Refusal::OutOfMemory { offset } => *offset += by,
        }
        refusal
    }

    /// The same, of the text whose codes were refused.
    fn of_text(self, lexed: &Lexed, codes: &Codes) -> Refusal {
        let mut refusal = self;
        match &mut refusal {
            Refusal::NoSentence { offset }
            | Refusal::OutOfSteps { offset }
            | Refusal::OutOfMemory { offset } => *offset = lexed.offset(codes, *offset),
        }
        refusal
    }

    /// The bytes of the text that were read.
    pub fn offset(self) -> usize {
        match self {
            Refusal::NoSentence { offset }
            | Refusal::OutOfSteps { offset }
            | Refusal::OutOfMemory { offset } => offset,
        }
    }
}

/// Parses the texts of a grammar. Immutable: threads share it and bring a [`Workspace`] each.
#[derive(Clone)]
pub struct Parser {
    tables: Arc<Tables>,
}

impl fmt::Debug for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parser")
            .field("machines", &self.tables.machines.machines.len())
            .field("states", &self.tables.machines.states.len())
            .finish()
    }
}

/// The chart and everything else that parsing needs, kept between texts so that little is allocated. Any parser may use it;
/// it is cheapest with the same one again and again.
#[derive(Default)]
pub struct Workspace {
    tables: Option<Arc<Tables>>,
    subsets: Subsets,
    chart: Chart,
    late: Late,
    canonical: Canonical,
    packed: Packed,
    cover: Memo,
    lexed: Lexed,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace")
            .field("subsets", &self.subsets)
            .field("chart", &self.chart)
            .finish()
    }
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Workspace {
        Workspace::default()
    }

    /// Gives back what the last text has left if that takes more bytes.
    pub fn keep_at_most(&mut self, bytes: usize) {
        if self.chart.bytes() + self.packed.bytes() > bytes {
            self.chart = Chart::default();
            self.late = Late::default();
            self.canonical = Canonical::default();
            self.packed = Packed::default();
        }
    }

    /// Gets ready for a text of a grammar. What is kept from earlier texts may take a part of the budget only.
    fn begin(&mut self, tables: &Arc<Tables>, budget: Budget) {
        let is_ready = self
            .tables
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, tables));
        let kept = (KEPT_BYTES as u64).min(budget.bytes / 8);
        self.subsets.most_bytes = budget.bytes;
        if !is_ready || self.subsets.bytes() as u64 > kept {
            self.subsets.reset(tables);
            self.tables = Some(tables.clone());
        }
        self.late.clear();
    }

    /// The chart of a text to search, and what searches leave.
    fn split<'a>(
        &'a mut self,
        tables: &'a Tables,
        text: &'a [u8],
    ) -> (Ground<'a>, &'a mut Canonical, &'a mut Packed) {
        let lexed = tables.codes.as_ref().map(|codes| (&self.lexed, codes));
        let ground = Ground {
            tables,
            subsets: &mut self.subsets,
            chart: &mut self.chart,
            late: &mut self.late,
            text: lexed.map_or(text, |(lexed, _)| &lexed.coded),
            lexed,
        };
        (ground, &mut self.canonical, &mut self.packed)
    }
}

impl Parser {
    /// Compiles a graph. Linear in the grammar, but for its classes, which are compared with each other.
    pub fn new(graph: &Arc<Graph>) -> Parser {
        Parser::of(graph, graph.grammar().start())
    }

    /// Compiles a graph for the texts of one production. Their choices are those of a subtree; coverage, which depends on what
    /// is above, cannot be asked for.
    pub(crate) fn of(graph: &Arc<Graph>, production: ProductionId) -> Parser {
        Parser {
            tables: Arc::new(Tables::new(graph, production)),
        }
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.tables.graph
    }

    /// Parses a text into the forest of all its derivations, which lies in the workspace.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if the text is not a sentence, or if the budget does not suffice.
    pub fn parse<'a>(
        &'a self,
        text: &'a [u8],
        budget: Budget,
        workspace: &'a mut Workspace,
    ) -> Result<Forest<'a>, Refusal> {
        workspace.begin(&self.tables, budget);
        let Workspace {
            subsets,
            chart,
            lexed,
            ..
        } = workspace;
        let tables = &*self.tables;
        match &tables.codes {
            None => read(tables, subsets, chart, text, budget)?,
            Some(codes) => lexed.read(tables, codes, subsets, chart, text, budget)?,
        }
        Ok(Forest::new(&self.tables, text, budget, workspace))
    }

    /// The canonical choice sequence of a text, with the default budget and a workspace of its own.
    ///
    /// # Errors
    ///
    /// An [`Error`] that says where the text is not a sentence and what was expected there, or that the budget is spent.
    pub fn encode(&self, text: &[u8]) -> Result<Vec<u8>, Error> {
        let mut workspace = Workspace::new();
        let mut choices = Vec::new();
        let done = self
            .parse(text, Budget::default(), &mut workspace)
            .and_then(|mut forest| forest.choices(&mut choices));
        match done {
            Ok(()) => Ok(choices),
            Err(refusal) => Err(self.explain(text, refusal)),
        }
    }

    /// Says where and why a text was refused, with the default budget and a workspace of its own.
    pub fn explain(&self, text: &[u8], refusal: Refusal) -> Error {
        self.explain_in(text, refusal, Budget::default(), &mut Workspace::new())
    }

    /// Says where and why a text was refused. Reads the text up to there twice more, for what was expected and
    /// for the longest prefix that is a sentence; what the budget does not allow to find out is left out.
    pub fn explain_in(
        &self,
        text: &[u8],
        refusal: Refusal,
        budget: Budget,
        workspace: &mut Workspace,
    ) -> Error {
        workspace.begin(&self.tables, budget);
        let Workspace {
            subsets,
            chart,
            lexed,
            ..
        } = workspace;
        let (tables, codes) = (&self.tables, self.tables.codes.as_ref());
        explain::explain(
            tables,
            subsets,
            chart,
            text,
            refusal,
            budget,
            codes.map(|codes| (lexed, codes)),
        )
    }
}

/// Reads a text, or codes, into a chart.
fn read(
    tables: &Tables,
    subsets: &mut Subsets,
    chart: &mut Chart,
    text: &[u8],
    budget: Budget,
) -> Result<(), Refusal> {
    let mut read = chart.read(tables, subsets, text, Pruning::Full, budget);
    if matches!(read, Err(Refusal::OutOfMemory { .. })) {
        // Not for the memory of earlier texts.
        subsets.reset(tables);
        read = chart.read(tables, subsets, text, Pruning::Full, budget);
    }
    read?;
    match chart.accepted == Some(text.len()) {
        true => Ok(()),
        false => Err(Refusal::NoSentence {
            offset: chart.reached,
        }),
    }
}
