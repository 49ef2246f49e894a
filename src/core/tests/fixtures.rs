//! Facts from an independent reference: k-path counts and digests of small grammars.

use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::graph::Graph;
use crate::kpath::{KPaths, counts};

/// One grammar with its facts.
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) graph: Arc<Graph>,
    pub(crate) facts: Value,
}

macro_rules! texts {
    ($($file:literal),*) => { [$(($file, include_str!(concat!("fixtures/", $file)))),*] };
}

/// All fixtures.
pub(crate) fn fixtures() -> Vec<Fixture> {
    let texts = texts![
        "ambiguous.ebnf",
        "cgi.ebnf",
        "config.ebnf",
        "csv.ebnf",
        "epsilon.ebnf",
        "expr.ebnf",
        "fb_expr.ebnf",
        "fb_url.ebnf",
        "json.ebnf",
        "json_tight.ebnf",
        "quantifiers.ebnf",
        "url.ebnf",
        "useless.ebnf"
    ];
    let facts: Value = serde_json::from_str(include_str!("fixtures/fixtures.json")).unwrap();
    let grammars = facts["grammars"].as_object().unwrap();
    assert_eq!(grammars.len(), texts.len());
    grammars
        .iter()
        .map(|(name, facts)| {
            let (_, text) = texts
                .iter()
                .find(|(file, _)| facts["grammar"] == *file)
                .unwrap();
            Fixture {
                name: name.clone(),
                graph: super::graph(text),
                facts: facts.clone(),
            }
        })
        .collect()
}

#[test]
fn k_paths_are_counted_as_the_reference_counts_them() {
    for fixture in fixtures() {
        let expected: Vec<Option<u64>> = fixture.facts["k_paths"]
            .as_array()
            .unwrap()
            .iter()
            .map(Value::as_u64)
            .collect();
        assert_eq!(counts(&fixture.graph, 5), expected, "{}", fixture.name);
        for (k, &count) in (1..).zip(&expected) {
            let kpaths = KPaths::new(&fixture.graph, k).unwrap();
            assert_eq!(Some(kpaths.len()), count, "{} k = {k}", fixture.name);
            assert_eq!(kpaths.iter().count() as u64, kpaths.len());
        }
    }
}

/// The digest of a set of paths as the fixtures define it.
pub(crate) fn digest(mut names: Vec<String>) -> String {
    names.sort();
    let hash = Sha256::digest(names.join("\n").as_bytes());
    hash.iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn the_paths_are_those_of_the_reference() {
    for fixture in fixtures() {
        if fixture.facts["k_paths"] != fixture.facts["k_paths_written"] {
            continue; // The digests are those of the unpruned grammar.
        }
        for (k, expected) in (1..).zip(fixture.facts["digests"].as_array().unwrap()) {
            let kpaths = KPaths::new(&fixture.graph, k).unwrap();
            let names = kpaths.iter().map(|path| kpaths.name(&path)).collect();
            assert_eq!(
                &digest(names),
                expected.as_str().unwrap(),
                "{} k = {k}",
                fixture.name
            );
        }
    }
}
