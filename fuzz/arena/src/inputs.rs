//! Inputs of the library's making: covering sets to begin with, and texts of choice sequences.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use pleach_core::choice::{Lexemes, SiteIndex};
use pleach_core::generate::{CoverBuilder, Packing};
use pleach_core::{Codec, Graph, slip};

use crate::builds::digest;

/// The covering set of k-paths, as `pleach seed -k K` writes it, as texts or as choice sequences.
pub(crate) fn covering_set(graph: &Arc<Graph>, k: usize, text: bool) -> Result<Vec<Vec<u8>>> {
    let mut cover = CoverBuilder::new()
        .packing(Packing::Small)
        .all_levels(true)
        .build(graph, k)
        .map_err(|error| anyhow!("{error}"))?;
    let mut inputs = BTreeSet::new();
    let codec = Codec::new(graph);
    let (mut index, mut lexemes) = (SiteIndex::new(), Lexemes::default());
    while cover.next_input(&mut index) {
        inputs.insert(match text {
            true => codec.text(&index, &mut lexemes).to_vec(),
            false => index.canonical().to_vec(),
        });
    }
    Ok(inputs.into_iter().collect())
}

/// Writes inputs to files that are named by their contents.
pub(crate) fn write(dir: &Path, inputs: &[Vec<u8>]) -> Result<()> {
    for input in inputs {
        fs::write(dir.join(digest([input.as_slice()])), input)?;
    }
    Ok(())
}

/// Turns corpus files into the texts that the subject gets.
#[derive(Debug)]
pub(crate) struct Reader(Option<Codec>);

impl Reader {
    /// A reader of texts, or of choice sequences of a grammar.
    pub(crate) fn new(graph: &Arc<Graph>, text: bool) -> Reader {
        Reader((!text).then(|| Codec::new(graph)))
    }

    /// The text of an input.
    pub(crate) fn text(&self, input: Vec<u8>) -> Vec<u8> {
        match &self.0 {
            // What the target saw, slips included.
            Some(codec) => slip::text(codec, &input),
            None => input,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Reader, covering_set};
    use pleach_core::Graph;

    #[test]
    fn a_covering_set_is_the_same_in_both_forms() {
        let graph = Graph::new(
            "a := '[' (b (',' b)*)? ']'; b := a | [0-9];"
                .parse::<pleach_core::Grammar>()
                .unwrap(),
        )
        .unwrap();
        let texts = covering_set(&graph, 2, true).unwrap();
        let reader = Reader::new(&graph, false);
        let choices = covering_set(&graph, 2, false).unwrap();
        let mut decoded: Vec<_> = choices.into_iter().map(|it| reader.text(it)).collect();
        decoded.sort();
        assert!(texts.len() > 1);
        assert_eq!(decoded, texts);
    }
}
