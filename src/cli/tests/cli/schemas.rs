//! What `--json` prints fits the schemas of `schema/`, and a schema refuses what does not.

use std::fs;

use boon::{Compiler, Schemas};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

pub(crate) const ALL: &[(&str, fn())] = &[("json_reports_fit_their_schemas", fit)];

const COVERAGE: &str = include_str!("../../schema/coverage.json");
const DIFF: &str = include_str!("../../schema/diff.json");

fn fits(schema: &str, report: &Value) -> bool {
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    let schema = serde_json::from_str(schema).unwrap();
    compiler.add_resource("schema.json", schema).unwrap();
    let index = compiler.compile("schema.json", &mut schemas).unwrap();
    schemas.validate(report, index).is_ok()
}

fn fit() {
    let sandbox = Sandbox::new();
    sandbox.succeed("generate expr.ebnf -o a -n 20 --max-depth 6");
    sandbox.succeed("generate expr.ebnf -o b -n 3 --max-depth 4 --random-seed 7");
    fs::write(sandbox.path("b/broken"), "1+").unwrap();
    sandbox.succeed("coverage expr.ebnf a --text --state before");
    for (schema, arguments) in [
        (COVERAGE, "coverage expr.ebnf a --text"),
        (
            COVERAGE,
            "coverage expr.ebnf b --text -k 4 --uncovered 9 --list-invalid",
        ),
        (COVERAGE, "coverage expr.ebnf a b --text --baseline before"),
        (COVERAGE, "coverage quantifiers.ebnf a --choices -k 5"),
        (DIFF, "diff expr.ebnf a b --text"),
        (DIFF, "diff expr.ebnf a b --text -k 2 -n 1 --list-invalid"),
        (DIFF, "diff quantifiers.ebnf b a --choices"),
    ] {
        let report = sandbox.json(arguments);
        assert!(fits(schema, &report), "{arguments}: {report}");
        // Each key is described, and those of the first level are all needed but those that options ask for.
        let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
        for key in keys {
            let mut without = report.clone();
            without.as_object_mut().unwrap().remove(key);
            let is_optional = ["left_out", "baseline"].contains(&key.as_str());
            assert_eq!(fits(schema, &without), is_optional, "{arguments}: {key}");
            let mut other = report.clone();
            other[key] = json!({"unknown": -1});
            assert!(!fits(schema, &other), "{arguments}: {key}");
        }
        let mut more = report;
        more["more"] = json!(1);
        assert!(!fits(schema, &more));
    }
}
