//! `pleach doctor`: what would go wrong with a fuzz target, or slow it down, and what to do about it.
//!
//! The checks go from the outside to the inside, and end where one cannot go on: the tools, the project, its settings; then, of one
//! target, its program, its grammar, its corpus, what it makes of sentences, what has counters, and two short campaigns, with pleach and
//! without. A check adds a [`Finding`], also where all is well.

mod project;
mod race;
mod target;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::args::JsonArgs;
use super::failure::{Answer, Failure};
use super::output::Output;

/// Find out what is wrong with a fuzz target, or slows it down
///
/// Looks at the tools, the project, and a target: whether its program has the hooks of a mutator, whether its grammar reads samples and its
/// corpus stands for more than the shortest sentence, what it makes of sentences, which packages have no counters, and how many edges a campaign
/// of ten seconds covers with pleach and without, from an empty corpus. What is wrong comes with what to do about it.
///
/// Without TARGET, the only target of the project is looked at; of several, none.
///
/// Its exit code is 1 if something is wrong. What is worth a note, but no more, does not count.
///
/// Example: pleach doctor json
///
/// Example: pleach doctor json --seconds 60 --seeds corpus/json
#[derive(Args, Debug)]
pub(super) struct Doctor {
    /// The fuzz target
    target: Option<String>,
    /// How long each of the two campaigns takes, as in `10`, `10s` or `1m`
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = super::duration::seconds)]
    seconds: u32,
    /// Leave out the campaigns
    #[arg(long, conflicts_with = "seconds")]
    no_campaigns: bool,
    /// Samples: texts, or directories of them, that the grammar should read
    #[arg(long, value_name = "PATH")]
    seeds: Vec<PathBuf>,
    /// Features of the fuzz package to build the target with, with commas between them, beside those that it needs by its manifest
    #[arg(long, value_name = "FEATURES")]
    features: Option<String>,
    /// The directory of the fuzz package [default: the nearest `fuzz`]
    #[arg(long, value_name = "DIR")]
    fuzz_dir: Option<PathBuf>,
    #[command(flatten)]
    format: JsonArgs,
}

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    /// Nothing is wrong.
    Ok,
    /// Worth knowing.
    Note,
    /// To be put right.
    Wrong,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Note => "note",
            Status::Wrong => "wrong",
        }
    }
}

/// What a check has found.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    status: Status,
    message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// All that was found.
#[derive(Debug, Serialize)]
struct Report {
    version: u32,
    target: Option<String>,
    findings: Vec<Finding>,
}

impl Report {
    fn ok(&mut self, check: &'static str, message: impl Into<String>) {
        self.add(check, Status::Ok, message.into(), None);
    }

    fn note(&mut self, check: &'static str, message: impl Into<String>, help: impl Into<String>) {
        self.add(check, Status::Note, message.into(), Some(help.into()));
    }

    fn wrong(&mut self, check: &'static str, message: impl Into<String>, help: impl Into<String>) {
        self.add(check, Status::Wrong, message.into(), Some(help.into()));
    }

    /// What another verb would stop at.
    fn stop(&mut self, check: &'static str, failure: impl Into<Failure>) {
        let message = match failure.into() {
            Failure::Wrong(message) => message,
            Failure::Pointed(diagnostic) => diagnostic.draw(false),
            Failure::Closed => return,
        };
        let (message, help) = match message.split_once("\nhelp: ") {
            Some((message, help)) => (message.to_owned(), Some(help.to_owned())),
            None => (message, None),
        };
        self.add(check, Status::Wrong, message, help);
    }

    fn add(&mut self, check: &'static str, status: Status, message: String, help: Option<String>) {
        self.findings.push(Finding {
            check,
            status,
            message,
            help,
        });
    }

    fn print(&self, out: &mut Output) -> Result<(), Failure> {
        let width = self.findings.iter().map(|it| it.check.len()).max();
        let width = width.unwrap_or(0);
        for finding in &self.findings {
            let Finding {
                check,
                status,
                message,
                help,
            } = finding;
            let (status, indent) = (status.name(), width + 9);
            let message = message
                .trim_end()
                .replace('\n', &format!("\n{:indent$}", ""));
            writeln!(out, "{status:5}  {check:width$}  {message}")?;
            if let Some(help) = help {
                let help = help.trim_end().replace('\n', &format!("\n{:indent$}", ""));
                writeln!(out, "{:indent$}help: {help}", "")?;
            }
        }
        Ok(())
    }
}

impl Doctor {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let mut report = Report {
            version: 1,
            target: None,
            findings: Vec::new(),
        };
        let cargo_fuzz = project::tools(&mut report);
        let project = project::find(self.fuzz_dir.as_deref(), &mut report);
        project::environment(&mut report);
        if let Some(project) = project {
            project::profile(&project, &mut report);
            report.target = self.chosen(&project, &mut report)?;
            if let (Some(cargo_fuzz), Some(name)) = (cargo_fuzz, report.target.clone()) {
                target::Patient {
                    name: &name,
                    args: &self,
                    project: &project,
                }
                .check(cargo_fuzz, &mut report);
            }
        }
        match self.format.json {
            true => out.json(&report)?,
            false => report.print(out)?,
        }
        let mut findings = report.findings.iter();
        Ok(match findings.any(|it| it.status == Status::Wrong) {
            true => Answer::No,
            false => Answer::Yes,
        })
    }

    /// The target that is meant.
    fn chosen(
        &self,
        project: &pleach_project::Project,
        report: &mut Report,
    ) -> Result<Option<String>, Failure> {
        if let Some(target) = &self.target {
            super::target::build::check_target(project, target)?;
            return Ok(Some(target.clone()));
        }
        Ok(match project.targets() {
            [] => {
                report.wrong(
                    "target",
                    "the fuzz package has no target",
                    "add one by `pleach init NAME --grammar GRAMMAR`",
                );
                None
            }
            [one] => Some(one.clone()),
            names => {
                report.note(
                    "target",
                    "no target is named, so none is looked at",
                    format!("name one of them: {}", names.join(", ")),
                );
                None
            }
        })
    }
}
