//! API DRAFT of the parser: signatures are final enough to write against; bodies are placeholders on this branch.
//!
//! Reading text: any context-free grammar, any text, into a packed forest of derivations.

use std::fmt;
use std::sync::Arc;

use crate::caret::Position;
use crate::graph::Graph;
use crate::kpath::{Coverage, ExpansionCoverage, WindowTable};

/// What a parse may spend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Steps: items, links, and visits of forest nodes. Some 10 to 50 million a second.
    pub steps: u64,
    /// Bytes of memory.
    pub bytes: u64,
}

impl Default for Budget {
    /// Four thousand million steps, which is about two minutes, and 2 GiB.
    fn default() -> Budget {
        Budget {
            steps: 4_000_000_000,
            bytes: 2 << 30,
        }
    }
}

/// Why there is no forest; cheap to make. [`Parser::explain`] says more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is no sentence: no sentence begins with more than its first `offset` bytes.
    NoSentence { offset: usize },
    /// [`Budget::steps`] were spent when `offset` bytes had been read.
    OutOfSteps { offset: usize },
    /// [`Budget::bytes`] were needed when `offset` bytes had been read.
    OutOfMemory { offset: usize },
}

/// Parses the texts of a grammar. Immutable; threads share it and bring a [`Workspace`] each.
#[derive(Debug)]
pub struct Parser {
    graph: Arc<Graph>,
}

/// Chart, automaton and buffers, kept between parses so that little is allocated. One per thread. Any parser may use it; it
/// is cheapest with the same parser again and again.
#[derive(Debug, Default)]
pub struct Workspace {}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Workspace {
        Workspace::default()
    }
}

impl Parser {
    /// Compiles the graph.
    pub fn new(graph: &Arc<Graph>) -> Parser {
        Parser {
            graph: graph.clone(),
        }
    }
    /// The graph.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }
    /// Parses `text`; the forest borrows the workspace.
    pub fn parse<'a>(
        &'a self,
        text: &'a [u8],
        budget: Budget,
        workspace: &'a mut Workspace,
    ) -> Result<Forest<'a>, Refusal> {
        let _ = (text, budget, workspace);
        Err(Refusal::NoSentence { offset: 0 })
    }
    /// The canonical choice sequence of a text, with default budget and a workspace of its own.
    pub fn encode(&self, text: &[u8]) -> Result<Vec<u8>, Error> {
        let mut workspace = Workspace::new();
        match self.parse(text, Budget::default(), &mut workspace) {
            Ok(mut forest) => {
                let mut out = Vec::new();
                forest
                    .choices(&mut out)
                    .map_err(|r| self.explain(text, r))?;
                Ok(out)
            }
            Err(refusal) => Err(self.explain(text, refusal)),
        }
    }
    /// Says where and why: parses again as far as needed for what was expected and for the longest prefix.
    pub fn explain(&self, text: &[u8], refusal: Refusal) -> Error {
        Error {
            refusal,
            position: Position::of(text, 0),
            expected: Vec::new(),
            longest_prefix: None,
        }
    }
}

/// All derivations of a text, packed.
#[derive(Debug)]
pub struct Forest<'a> {
    parser: &'a Parser,
}

impl Forest<'_> {
    /// Appends the canonical derivation's choice sequence (canonical and minimal) to `out`.
    pub fn choices(&mut self, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let _ = out;
        Ok(())
    }
    /// The number of derivations.
    pub fn derivations(&mut self) -> Result<Derivations, Refusal> {
        let _ = self.parser;
        Ok(Derivations(Some("1".into())))
    }
    /// Adds the windows and expansions of *all* derivations. `windows` must be of the same graph; `coverage` of the same k-paths.
    pub fn cover(
        &mut self,
        windows: &Arc<WindowTable>,
        coverage: &mut Coverage,
        expansions: &mut ExpansionCoverage,
    ) -> Result<(), Refusal> {
        let _ = (windows, coverage, expansions);
        Ok(())
    }
}

/// A number of derivations, exact or infinite. `Display` prints the digits, or `infinite`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derivations(Option<String>);

impl Derivations {
    /// Whether there are infinitely many: some derivation contains itself.
    pub fn is_infinite(&self) -> bool {
        self.0.is_none()
    }
    /// The number, if it is finite and fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.0.as_ref()?.parse().ok()
    }
}

impl fmt::Display for Derivations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("infinite"))
    }
}

/// What could have come next.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Expected {
    /// The terminal in the notation (`"null"`, `[0-9]`), or `end of text`.
    pub terminal: String,
    /// The productions that wanted it, sorted; empty for the end of the text.
    pub productions: Vec<String>,
}

/// A text that is not parsed: why, where, what was expected there. `Display` prints one sentence (without place, caret or file name:
/// see [`Error::with_path`], which prints `FILE:LINE:COLUMN: …` with the snippet and help like `grammar::Error` does).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    refusal: Refusal,
    position: Position,
    expected: Vec<Expected>,
    longest_prefix: Option<usize>,
}

impl Error {
    /// Why, in short.
    pub fn refusal(&self) -> Refusal {
        self.refusal
    }
    /// Where: the first byte that no sentence can have after those before it (the text's length: it ends too early).
    pub fn offset(&self) -> usize {
        0
    }
    /// Line, from 1.
    pub fn line(&self) -> u32 {
        self.position.line
    }
    /// Column in characters, from 1.
    pub fn column(&self) -> u32 {
        self.position.column
    }
    /// What was expected at the offset.
    pub fn expected(&self) -> &[Expected] {
        &self.expected
    }
    /// The length of the longest prefix that is a sentence, if there is one (and it was found within the budget).
    pub fn longest_prefix(&self) -> Option<usize> {
        self.longest_prefix
    }
    /// The same error, displayed with the file's name in front.
    pub fn with_path(self, path: impl fmt::Display) -> Error {
        let _ = path.to_string();
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unexpected")
    }
}

impl std::error::Error for Error {}
