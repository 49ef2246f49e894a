//! Pleach itself.

use std::sync::Arc;

use pleach_core::choice::Scratch;
use pleach_core::kpath::{ExpansionCoverage, WindowTable};
use pleach_core::parse::{Budget, Derivations, Refusal, Workspace};
use pleach_core::{Codec, Coverage, Grammar, Graph, KPaths, Parser};

/// The k of k-paths.
const K: usize = 3;

/// The grammar that JSON is parsed with.
pub const JSON: &str = include_str!("../../../../grammars/json/json.ebnf");

/// A compiled grammar.
#[derive(Debug)]
pub struct Subject {
    parser: Parser,
    codec: Codec,
    windows: Arc<WindowTable>,
    coverage: Coverage,
    expansions: ExpansionCoverage,
    budget: Budget,
}

impl Subject {
    /// Compiles a grammar.
    ///
    /// # Panics
    ///
    /// If it is not one.
    pub fn new(grammar: &str) -> Subject {
        let grammar: Grammar = grammar.parse().expect("the grammar is right");
        let graph = Graph::new(grammar).expect("the grammar has short sentences");
        let kpaths = KPaths::new(&graph, K).expect("few k-paths");
        Subject {
            parser: Parser::new(&graph),
            codec: Codec::new(&graph),
            windows: WindowTable::new(&kpaths).expect("few windows"),
            coverage: Coverage::new(&kpaths).expect("few k-paths"),
            expansions: ExpansionCoverage::new(&graph),
            budget: Budget::default(),
        }
    }

    /// The same with at most so many steps for a parse.
    pub fn with_steps(mut self, steps: u64) -> Subject {
        self.budget.steps = steps;
        self
    }

    /// Whether a text is a sentence.
    pub fn accepts(&self, text: &[u8], workspace: &mut Workspace) -> Result<(), Refusal> {
        self.parser.parse(text, self.budget, workspace).map(|_| ())
    }

    /// The choice sequence of a text's canonical derivation, in place of what is in `choices`.
    pub fn encode(
        &self,
        text: &[u8],
        workspace: &mut Workspace,
        choices: &mut Vec<u8>,
    ) -> Result<(), Refusal> {
        choices.clear();
        self.parser
            .parse(text, self.budget, workspace)?
            .choices(choices)
    }

    /// Adds the k-paths of all derivations of a text to what is covered.
    pub fn cover(&mut self, text: &[u8], workspace: &mut Workspace) -> Result<(), Refusal> {
        self.parser.parse(text, self.budget, workspace)?.cover(
            &self.windows,
            &mut self.coverage,
            &mut self.expansions,
        )
    }

    /// The number of derivations of a text.
    pub fn derivations(
        &self,
        text: &[u8],
        workspace: &mut Workspace,
    ) -> Result<Derivations, Refusal> {
        self.parser
            .parse(text, self.budget, workspace)?
            .derivations()
    }

    /// Whether decoding gives the text back.
    pub fn decodes_to(&self, choices: &[u8], text: &[u8]) -> bool {
        let mut decoded = Vec::with_capacity(text.len());
        self.codec
            .decode(choices, &mut Scratch::default(), &mut decoded);
        decoded == text
    }

    /// How many k-paths are covered.
    pub fn covered(&self) -> u64 {
        self.coverage.covered()
    }
}
