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
            show(&source.remark(remark));
        }
        let effort = Effort {
            steps: self.max_steps,
            seed: self.random.random_seed,
        };
        let mut findings = lint(&source.graph, effort);
        findings.retain(|finding| !self.allow.contains(&finding.kind));
        let place = |finding: &Finding| source.definition(&finding.production);
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
                line: place(finding).map(|it| it.position.line),
                column: place(finding).map(|it| it.position.column),
            });
            out.json(&Report {
                findings: findings.collect(),
            })?;
        } else {
            for finding in &findings {
                let severity = match finding.severity {
                    Severity::Warning => diagnostic::Severity::Warning,
                    Severity::Info => diagnostic::Severity::Info,
                };
                let place = place(finding);
                let diagnostic = source
                    .diagnostic(severity, &*finding.message, place.as_ref())
                    .of_kind(finding.kind.name())
                    .help(&*finding.suggestion);
                out.diagnostic(&diagnostic)?;
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
