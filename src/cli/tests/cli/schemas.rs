//! What `--json` prints fits the schemas of `schema/`, and a schema refuses what does not.

use std::collections::BTreeSet;
use std::fs;

use boon::{Compiler, Schemas};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

pub(crate) const ALL: &[(&str, fn())] = &[
    ("json_reports_fit_their_schemas", fit),
    ("json_reports_of_the_cases_fit_their_schemas", cases_fit),
];

const COVERAGE: &str = include_str!("../../schema/coverage.json");
const DIFF: &str = include_str!("../../schema/diff.json");
/// The others, by their verbs.
const OTHERS: [(&str, &str); 4] = [
    ("distill", include_str!("../../schema/distill.json")),
    ("doctor", include_str!("../../schema/doctor.json")),
    ("reduce", include_str!("../../schema/reduce.json")),
    ("stuck", include_str!("../../schema/stuck.json")),
];

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
        judge(schema, &sandbox.json(arguments), arguments);
    }
}

/// A report fits its schema. Each key is described, and those of the first level are all needed but those that options or outcomes bring.
fn judge(schema: &str, report: &Value, arguments: &str) {
    assert!(fits(schema, report), "{arguments}: {report}");
    for key in report.as_object().unwrap().keys() {
        let mut without = report.clone();
        without.as_object_mut().unwrap().remove(key);
        let is_optional = ["left_out", "baseline", "message", "hex"].contains(&key.as_str());
        assert_eq!(fits(schema, &without), is_optional, "{arguments}: {key}");
        let mut other = report.clone();
        other[key] = json!({"unknown": -1});
        assert!(!fits(schema, &other), "{arguments}: {key}");
    }
    let mut unknown = report.clone();
    unknown["unknown"] = json!(1);
    assert!(!fits(schema, &unknown));
}

/// What verbs print that need a target, as the cases have it.
fn cases_fit() {
    let mut judged = BTreeSet::new();
    for path in crate::cases() {
        let text = fs::read_to_string(path).unwrap();
        let mut command = "";
        for line in text.lines() {
            if let Some(next) = line.strip_prefix("$ ") {
                command = next;
            }
            let (Some(report), true) = (line.strip_prefix("| {"), command.contains("--json"))
            else {
                continue;
            };
            for (verb, schema) in OTHERS {
                if command.contains(&format!("{verb} ")) {
                    let report = serde_json::from_str(&format!("{{{report}")).unwrap();
                    judge(schema, &report, command);
                    judged.insert(verb);
                }
            }
        }
    }
    assert!(judged.into_iter().eq(OTHERS.map(|(verb, _)| verb)));
}
