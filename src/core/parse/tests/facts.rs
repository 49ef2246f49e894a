//! The fixtures' texts: accepted or not, derivations, and covered k-paths.

use serde_json::Value;

use super::{Workspace, parse};
use crate::choice::Codec;
use crate::kpath::KPaths;
use crate::parse::Parser;
use crate::tests::{digest, fixtures};

#[test]
fn texts_have_the_derivations_and_k_paths_of_the_reference() {
    let mut seen = 0;
    for fixture in fixtures() {
        let parser = Parser::new(&fixture.graph);
        let codec = Codec::new(&fixture.graph);
        let mut workspace = Workspace::new();
        for text in fixture.facts["texts"].as_array().unwrap() {
            seen += 1;
            let string = text["text"].as_str().unwrap();
            let what = format!("{} {string:?}", fixture.name);
            let verdict = parse(&parser, string.as_bytes(), 4, &mut workspace);
            assert_eq!(verdict.is_ok(), text["ok"].as_bool().unwrap(), "{what}");
            let Ok(verdict) = verdict else { continue };
            // Where it differs, ours is the reading in which an optional repetition derives something.
            let facts = match &text["no_empty"] {
                Value::Null => text,
                other => other,
            };
            let derivations = match &facts["derivations"] {
                Value::Null => "infinite".to_owned(),
                number => number.to_string(),
            };
            assert_eq!(verdict.derivations.to_string(), derivations, "{what}");
            assert_eq!(
                codec.sentence(&verdict.choices),
                string.as_bytes(),
                "{what}"
            );
            assert_eq!(
                codec.canonicalize(&verdict.choices),
                verdict.choices,
                "{what}"
            );
            for k in 1..=4 {
                let kpaths = KPaths::new(&fixture.graph, k).unwrap();
                let covered = verdict.at_level(k);
                let names: Vec<String> = covered
                    .iter()
                    .map(|rank| kpaths.name(&kpaths.unrank(rank as u64).unwrap()))
                    .collect();
                assert_eq!(facts["counts"][k - 1], names.len(), "{what} k = {k}");
                assert_eq!(facts["digests"][k - 1], digest(names), "{what} k = {k}");
            }
        }
    }
    assert!(seen > 100, "{seen}");
}
