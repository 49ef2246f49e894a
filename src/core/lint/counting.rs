//! Counting the derivations of the texts of any production, within a bound.
//!
//! A production gets its parser when the first of its texts is counted, and what was counted once is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::graph::Graph;
use crate::id::ProductionId;
use crate::parse::{Budget, Parser, Workspace};

/// What a text may take.
const STEPS_A_TEXT: u64 = 200_000;
const BYTES_A_TEXT: u64 = 64 << 20;
/// What a text takes besides its steps.
const STEPS_TO_BEGIN: u64 = 100;
/// The nodes whose states become a set in the time of a step, as far as they do.
const NODES_A_STEP: u64 = 64;
/// What a parser takes for each node of the grammar.
const STEPS_A_NODE: u64 = 16;
/// The nodes of grammars that parsers are kept of.
const MAX_NODES: usize = 1 << 22;
/// The texts that are known.
const MAX_KNOWN: usize = 1 << 16;

/// How many derivations a text has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Count {
    /// None, or finding out takes too much.
    None,
    One,
    /// All digits.
    Several(String),
    Infinite,
}

/// The parsers of productions, and what is left to spend.
pub(super) struct Counting<'g> {
    pub(super) graph: &'g Arc<Graph>,
    steps: u64,
    parsers: BTreeMap<ProductionId, Parser>,
    known: BTreeMap<(ProductionId, Vec<u8>), Count>,
    workspace: Workspace,
}

impl<'g> Counting<'g> {
    pub(super) fn new(graph: &'g Arc<Graph>, steps: u64) -> Counting<'g> {
        Counting {
            graph,
            steps,
            parsers: BTreeMap::new(),
            known: BTreeMap::new(),
            workspace: Workspace::new(),
        }
    }

    /// The steps that are left.
    pub(super) fn left(&self) -> u64 {
        self.steps
    }

    /// Counts other work.
    pub(super) fn spend(&mut self, steps: u64) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// The number of derivations of a text of a production.
    pub(super) fn count(&mut self, production: ProductionId, text: &[u8]) -> Count {
        let key = (production, text.to_vec());
        if let Some(count) = self.known.get(&key) {
            return count.clone();
        }
        let count = self.parse(production, text, None);
        if self.known.len() < MAX_KNOWN {
            self.known.insert(key, count.clone());
        }
        count
    }

    /// The choices of a derivation of a text of a production, if it is a sentence.
    pub(super) fn choices(&mut self, production: ProductionId, text: &[u8]) -> Option<Vec<u8>> {
        let mut choices = Vec::new();
        match self.parse(production, text, Some(&mut choices)) {
            Count::None => None,
            _ => Some(choices),
        }
    }

    /// Parses a text, for its choices or for their number.
    fn parse(
        &mut self,
        production: ProductionId,
        text: &[u8],
        choices: Option<&mut Vec<u8>>,
    ) -> Count {
        if self.steps == 0 {
            return Count::None;
        }
        if !self.parsers.contains_key(&production) {
            let nodes = self.graph.grammar().nodes().len();
            if (self.parsers.len() + 1).saturating_mul(nodes) > MAX_NODES {
                self.parsers.clear();
            }
            self.spend(nodes as u64 * STEPS_A_NODE);
            let parser = Parser::of(self.graph, production);
            self.parsers.insert(production, parser);
        }
        let Some(parser) = self.parsers.get(&production) else {
            return Count::None;
        };
        let budget = Budget {
            steps: STEPS_A_TEXT.min(self.steps),
            bytes: BYTES_A_TEXT,
        };
        // Sets of states may be made at every place of the text, of as much as the whole grammar, and no budget counts that.
        let nodes = self.graph.grammar().nodes().len() as u64;
        let mut spent = STEPS_TO_BEGIN + (text.len() as u64 + 1) * (nodes / NODES_A_STEP);
        let count = match parser.parse(text, budget, &mut self.workspace) {
            Ok(mut forest) => {
                spent += forest.steps();
                let count = match choices {
                    Some(choices) => match forest.choices(choices) {
                        Ok(()) => Count::One,
                        Err(_) => Count::None,
                    },
                    None => match forest.derivations() {
                        Ok(number) if number.is_infinite() => Count::Infinite,
                        Ok(number) if number.to_u64() == Some(1) => Count::One,
                        Ok(number) => Count::Several(number.to_string()),
                        Err(_) => Count::None,
                    },
                };
                spent += forest.steps();
                count
            }
            Err(refusal) => {
                spent += refusal.offset() as u64;
                Count::None
            }
        };
        self.spend(spent);
        count
    }
}
