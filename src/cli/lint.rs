//! `pleach lint`: what is legal in a grammar and hardly meant, or costs more than it brings.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pleach::caret::Position;
use pleach::lint::{Effort, Finding, Kind, Severity, lint};
use serde::Serialize;
use std::collections::BTreeMap;

use super::args::{GrammarArgs, JsonArgs, RandomArgs};
use super::failure::{Answer, Failure, warn};
use super::input::Source;
use super::output::Output;
use super::report::count;

/// Look for what is hardly meant in a grammar, or costs more than it brings
///
/// Ambiguity is sought by parsing short sentences, so none found does not mean that there is none. The exit code is 1 if there is a
/// warning, 0 if there is nothing, or nothing but information.
///
/// Example: pleach lint json.ebnf --allow ambiguous
#[derive(Args, Debug)]
pub(super) struct Lint {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Leave findings of this kind out; may be given several times
    #[arg(long, value_name = "KIND", value_parser = kind())]
    allow: Vec<Kind>,
    /// The most steps that the search for ambiguity may take
    #[arg(long, value_name = "N", default_value_t = Effort::default().steps)]
    max_steps: u64,
    #[command(flatten)]
    format: JsonArgs,
    #[command(flatten)]
    random: RandomArgs,
}

/// Kinds by their names.
fn kind() -> impl TypedValueParser<Value = Kind> {
    let parser = PossibleValuesParser::new(Kind::ALL.map(Kind::name));
    parser.map(|name| {
        Kind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .unwrap_or(Kind::ALL[0])
    })
}

#[derive(Serialize)]
struct Report {
    findings: Vec<FindingReport>,
}

#[derive(Serialize)]
struct FindingReport {
    kind: &'static str,
    severity: &'static str,
    production: String,
    message: String,
    suggestion: String,
    /// Bytes that are no UTF-8 are replaced.
    example: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

impl Lint {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load_quietly()?;
        for remark in &source.imported.remarks {
            warn(source.remark_line(remark));
        }
        let effort = Effort {
            steps: self.max_steps,
            seed: self.random.random_seed,
        };
        let mut findings = lint(&source.graph, effort);
        findings.retain(|finding| !self.allow.contains(&finding.kind));
        let places = places(&source);
        let place = |finding: &Finding| {
            let known = finding.place;
            known.or_else(|| places.get(&finding.production).copied())
        };
        let warnings = findings
            .iter()
            .filter(|it| it.severity == Severity::Warning);
        let warnings = warnings.count() as u64;
        if self.format.json {
            let findings = findings.iter().map(|finding| FindingReport {
                kind: finding.kind.name(),
                severity: finding.severity.name(),
                production: finding.production.to_string(),
                message: finding.message.clone(),
                suggestion: finding.suggestion.clone(),
                example: finding
                    .example
                    .as_ref()
                    .map(|it| String::from_utf8_lossy(it).into_owned()),
                line: place(finding).map(|it| it.line),
                column: place(finding).map(|it| it.column),
            });
            out.json(&Report {
                findings: findings.collect(),
            })?;
        } else {
            for finding in &findings {
                let (severity, kind) = (finding.severity.name(), finding.kind);
                match place(finding) {
                    Some(Position { line, column }) => {
                        let (file, line) = source.files.line(line);
                        let file = file.unwrap_or(&source.name);
                        write!(out, "{file}:{line}:{column}")?;
                    }
                    None => write!(out, "{}", source.name)?,
                }
                writeln!(out, ": {severity}: {kind}: {}", finding.message)?;
                writeln!(out, "    help: {}", finding.suggestion)?;
            }
            let others = findings.len() as u64 - warnings;
            let warnings = count(warnings, "warning");
            writeln!(out, "{warnings}, {}", count(others, "info"))?;
        }
        Ok(match warnings {
            0 => Answer::Yes,
            _ => Answer::No,
        })
    }
}

/// Where the productions of a text are.
fn places(source: &Source) -> BTreeMap<Box<str>, Position> {
    let ast = &source.imported.ast;
    let productions = ast.productions().iter();
    let places = productions.zip(ast.production_names());
    let text = source.files.text().as_bytes();
    // A place is counted from the start of its line, not from that of the text: there may be many.
    let breaks = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    let breaks: Vec<usize> = breaks.map(|(at, _)| at).collect();
    places
        .map(|(production, name)| {
            let offset = production.name_span.range().start;
            let above = breaks.partition_point(|&at| at < offset);
            let start = above.checked_sub(1).map_or(0, |at| breaks[at] + 1);
            let Position { column, .. } = Position::of(&text[start..], offset - start);
            let line = above as u32 + 1;
            (name, Position { line, column })
        })
        .collect()
}
