//! The parser against facts of an independent reference, against brute force, and on strange grammars.

mod brute;
mod facts;
mod failures;
mod properties;
mod sizes;

use std::sync::Arc;

use crate::bitset::BitSet;
use crate::kpath::{Coverage, ExpansionCoverage, KPaths, WindowTable};

use super::{Budget, Derivations, Error, Parser, Workspace};

/// What the parser says of a text.
struct Verdict {
    derivations: Derivations,
    choices: Vec<u8>,
    coverage: Coverage,
    expansions: ExpansionCoverage,
}

impl Verdict {
    /// The covered k-paths of a level.
    fn at_level(&self, k: usize) -> BitSet {
        self.coverage.at_level(k)
    }
}

fn parse(
    parser: &Parser,
    text: &[u8],
    k: usize,
    workspace: &mut Workspace,
) -> Result<Verdict, Error> {
    let kpaths = KPaths::new(parser.graph(), k).unwrap();
    let windows: Arc<WindowTable> = WindowTable::new(&kpaths).unwrap();
    let mut verdict = Verdict {
        derivations: Derivations::default(),
        choices: Vec::new(),
        coverage: Coverage::new(&kpaths).unwrap(),
        expansions: ExpansionCoverage::new(parser.graph()),
    };
    let done = parser
        .parse(text, Budget::default(), workspace)
        .and_then(|mut forest| {
            forest.choices(&mut verdict.choices)?;
            verdict.derivations = forest.derivations()?;
            forest.cover(&windows, &mut verdict.coverage, &mut verdict.expansions)
        });
    match done {
        Ok(()) => Ok(verdict),
        Err(refusal) => Err(parser.explain(text, refusal)),
    }
}

fn parser(text: &str) -> Parser {
    Parser::new(&crate::tests::graph(text))
}
