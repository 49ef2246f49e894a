//! Tests of several modules.

mod calculator;
mod features;
mod learn;
mod model;

use std::sync::Arc;

use pleach_core::{Grammar, Graph};

use crate::features::Reader;
use crate::{Columns, Extractor, FeatureVector, Features};

/// The graph of a grammar in a test.
pub(crate) fn graph(grammar: &str) -> Arc<Graph> {
    let grammar: Grammar = grammar.parse().expect("a grammar");
    Graph::new(grammar).expect("a graph")
}

/// What finds all features of a grammar's texts.
fn extractor(grammar: &str, k: usize) -> Extractor {
    Extractor::new(&graph(grammar), k, Features::All).expect("few k-paths")
}

/// The features of texts that are sentences.
fn vectors(extractor: &Extractor, texts: &[&str]) -> Vec<FeatureVector> {
    let mut reader = Reader::default();
    let extract = |text: &&str| extractor.extract(text.as_bytes(), &mut reader);
    texts
        .iter()
        .map(extract)
        .collect::<Result<_, _>>()
        .expect("sentences")
}

fn columns(extractor: &Extractor, texts: &[&str]) -> Columns {
    Columns::new(extractor.kpaths(), &vectors(extractor, texts))
}
