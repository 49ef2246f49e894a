//! `pleach lint`: what is legal in a grammar and hardly meant, or costs more than it brings.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pleach_core::lint::{Effort, Finding, Kind, Severity, lint};
use serde::Serialize;

use super::args::{GrammarArgs, JsonArgs, RandomArgs};
use super::diagnostic;
use super::failure::{Answer, Failure, show};
use super::output::Output;
use super::report::count;
use super::source::Source;

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
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    format: JsonArgs,
}

// What is looked for.
#[derive(Args, Debug)]
pub(super) struct SearchArgs {
    /// Leave out findings of this kind; may be repeated
    #[arg(long, value_name = "KIND", value_parser = kind())]
    allow: Vec<Kind>,
    /// The most steps that the search for ambiguity may take [default: 20000000]
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    #[command(flatten)]
    random: RandomArgs,
}

impl SearchArgs {
    /// Whether the user says how much the search may take.
    pub(super) fn is_asked_for(&self) -> bool {
        self.max_steps.is_some()
    }

    /// What is found.
    pub(super) fn findings(&self, source: &Source) -> Vec<Finding> {
        let effort = Effort {
            steps: self.max_steps.unwrap_or(Effort::default().steps),
            seed: self.random.random_seed,
        };
        let mut findings = lint(&source.graph, effort);
        findings.retain(|finding| !self.allow.contains(&finding.kind));
        findings
    }
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
pub(super) struct FindingReport {
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
            show(&source.remark(remark));
        }
        let findings = self.search.findings(&source);
        let warnings = warning_count(&findings);
        if self.format.json {
            out.json(&Report {
                findings: reports(&source, &findings),
            })?;
        } else {
            for finding in &findings {
                print(&source, finding, out)?;
                writeln!(out)?;
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

/// How many of the findings are warnings.
pub(super) fn warning_count(findings: &[Finding]) -> u64 {
    let warnings = findings
        .iter()
        .filter(|it| it.severity == Severity::Warning);
    warnings.count() as u64
}

/// The findings for JSON.
pub(super) fn reports(source: &Source, findings: &[Finding]) -> Vec<FindingReport> {
    let report = |finding: &Finding| {
        let place = source.definition(&finding.production);
        FindingReport {
            kind: finding.kind.name(),
            severity: finding.severity.name(),
            production: finding.production.to_string(),
            message: finding.message.clone(),
            suggestion: finding.suggestion.clone(),
            example: finding
                .example
                .as_ref()
                .map(|it| String::from_utf8_lossy(it).into_owned()),
            line: place.as_ref().map(|it| it.position.line),
            column: place.as_ref().map(|it| it.position.column),
        }
    };
    findings.iter().map(report).collect()
}

/// Prints a finding with its place.
pub(super) fn print(source: &Source, finding: &Finding, out: &mut Output) -> Result<(), Failure> {
    let severity = match finding.severity {
        Severity::Warning => diagnostic::Severity::Warning,
        Severity::Info => diagnostic::Severity::Info,
    };
    let place = source.definition(&finding.production);
    let diagnostic = source
        .diagnostic(severity, &*finding.message, place.as_ref())
        .of_kind(finding.kind.name())
        .help(&*finding.suggestion);
    out.diagnostic(&diagnostic)
}
