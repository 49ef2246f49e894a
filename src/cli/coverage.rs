//! `pleach coverage`: what a corpus covers of a grammar.

mod baseline;
mod diff;
mod facts;
mod functions;
mod gaps;
mod look;
mod page;
mod railroad;
mod survey;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use pleach_core::Graph;
use pleach_core::kpath::{KPaths, WindowTable};
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure, note};
use super::input::collect;
use super::measure::{Form, Meter};
use super::output::{Output, write_file};
use super::recognize::{Kind, KindArgs};
use super::report::{Canvas, Level, PathView, Share, coverage_rows, table};
use super::state::State;
use super::text::{Tally, TextArgs};

use baseline::Change;
pub(super) use diff::Diff;
use facts::{Facts, Sources};
use look::{Found, Look};
use survey::Survey;

/// Report the k-path and expansion coverage of choice sequences, or of texts
///
/// Directories stand for all files below them, hidden ones left out. Whether the inputs are choice sequences or texts is found out
/// from some of them, unless --choices or --text says so. A text covers what any of its derivations covers; one that is not a
/// sentence is left out and counted. With --state only files that are new or changed are decoded or parsed; the
/// report is the same with and without. Ctrl-C ends with a report on what was measured.
///
/// Example: pleach coverage json fuzz/corpus/json -k 3 --uncovered 10
#[derive(Args, Debug)]
#[command(name = "coverage")]
pub(super) struct CoverageVerb {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Files, or directories of files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    kind: KindArgs,
    /// Report k-paths for k from 1 to this
    #[arg(short, long = "path-length", value_name = "K", default_value_t = 3)]
    k: usize,
    /// List the first N paths that are not covered, short ones first
    #[arg(long, value_name = "N", default_value_t = 0)]
    uncovered: usize,
    /// Exit with 1 if less of the k-paths (of the greatest k) is covered
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min: Option<f64>,
    /// Write a page, too: the grammar by use, what is missing, what each input adds
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Show functions beside the symbols of the page, by this model of `pleach associate`
    #[arg(long, value_name = "MODEL", requires = "html")]
    associations: Option<PathBuf>,
    /// Keep what was measured in this file, and measure only what is new
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Say what was covered when --state kept this file and is no more, and exit with 1 if there is such a path
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    texts: TextArgs,
    #[command(flatten)]
    format: JsonArgs,
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim_end().parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("a number from 0 to 100 is needed".into()),
    }
}

/// What is covered, for a reader.
#[derive(Serialize)]
pub(super) struct Report {
    /// Of the form that the report has in JSON, which `schema/coverage.json` describes.
    pub(super) version: u32,
    pub(super) inputs: u64,
    /// Whether Ctrl-C came before all inputs were measured.
    #[serde(rename = "interrupted", skip_serializing_if = "std::ops::Not::not")]
    is_interrupted: bool,
    #[serde(flatten)]
    pub(super) left_out: Tally,
    pub(super) expansions: Share,
    pub(super) k_paths: Vec<Level>,
    pub(super) uncovered: Vec<Uncovered>,
    /// What has changed since the baseline, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<Change>,
    pub(super) codec: Kind,
}

/// A path that no input has.
#[derive(Serialize)]
pub(super) struct Uncovered {
    pub(super) k: usize,
    #[serde(flatten)]
    pub(super) view: PathView,
}

impl CoverageVerb {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load()?;
        let refused = |error| Failure::of(&source.name, error);
        let kpaths = KPaths::new(&source.graph, self.k).map_err(refused)?;
        let windows = WindowTable::new(&kpaths).map_err(refused)?;
        let page_exists = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok();
        if let Some(path) = self
            .html
            .as_ref()
            .filter(|path| !self.force.force && page_exists(path))
        {
            return Err(Failure::new(
                format_args!("{}: it exists already", path.display()),
                "name another file, or replace it by --force",
            ));
        }
        let beside = match &self.associations {
            Some(model) => functions::beside(model, &source.graph)?,
            None => Vec::new(),
        };
        let files = collect(&self.paths)?;
        let kind = self.kind.of_files(&source.graph, &files)?;
        self.texts.check(kind)?;
        let known = match &self.state {
            Some(path) => State::load(path, &windows, kind.is_text())?,
            None => None,
        };
        // Before --state, which may name the same file, puts another in its place.
        let baseline = match &self.baseline {
            Some(path) => Some(load_baseline(path, &windows, kind)?),
            None => None,
        };
        let form = Form::new(&source.graph, kind.is_text(), self.texts);
        let survey = match &self.html {
            Some(_) => Some(Survey::new(&windows, &files)?),
            None => None,
        };
        let look = Look {
            form: &form,
            windows: &windows,
            files: &files,
            survey: survey.as_ref(),
            records: self.state.is_some(),
        };
        let Found {
            state,
            left_out,
            notes,
            inputs,
        } = look.run(known)?;
        let is_cut = inputs < files.len() as u64;
        if let Some(path) = &self.state {
            state.save(path, &windows, kind.is_text())?;
            if is_cut {
                note(format_args!(
                    "{} has what was measured; the same command goes on from there",
                    path.display()
                ));
            }
        }

        let tally = Tally::new(self.texts, left_out);
        let mut report = report(
            &source.graph,
            &state.meter,
            inputs,
            tally,
            self.uncovered,
            kind,
        );
        if let (Some(baseline), false) = (&baseline, is_cut) {
            report.baseline = Some(Change::new(&kpaths, &baseline.meter, &state.meter)?);
        }
        report.is_interrupted = is_cut;
        if is_cut && (self.html.is_some() || self.baseline.is_some() || self.min.is_some()) {
            note("--html, --baseline and --min are about all inputs, and are left out");
        }
        if let (Some(path), Some(survey), false) = (&self.html, survey, is_cut) {
            let sources = Sources {
                grammar: &source.name,
                kpaths: &kpaths,
                expansions: &state.meter.expansions,
                levels: &report.k_paths,
                files: &files,
                is_text: kind.is_text(),
                beside,
            };
            let facts = Facts::new(sources, &survey.finish(notes)?)?;
            write_file(path, page::page(&facts)?.as_bytes(), self.force.existing())?;
        }
        if self.format.json {
            out.json(&report)?;
        } else {
            self.print(&report, out)?;
        }
        out.finish()?;
        report.left_out.warn(inputs, &source.name);
        if is_cut {
            note(format_args!(
                "{inputs} of {} inputs were measured",
                files.len()
            ));
            return Ok(Answer::Interrupted);
        }
        Ok(self.texts.answer(&report.left_out, self.answer(&report)))
    }

    fn print(&self, report: &Report, out: &mut Output) -> Result<(), Failure> {
        let mut rows = vec![vec!["inputs".into(), report.inputs.to_string()]];
        if report.codec.is_text() {
            rows.push(vec!["invalid".into(), report.left_out.invalid.to_string()]);
        }
        if report.left_out.out_of_budget > 0 {
            let count = report.left_out.out_of_budget.to_string();
            rows.push(vec!["out of budget".into(), count]);
        }
        let canvas = Canvas::of_stdout();
        rows.extend(match canvas {
            Some(canvas) => canvas.coverage_rows(report.expansions, &report.k_paths),
            None => coverage_rows(report.expansions, &report.k_paths),
        });
        if let Some(change) = &report.baseline {
            let levels = rows.len() - report.k_paths.len();
            for (row, cell) in rows[levels..].iter_mut().zip(change.cells()) {
                row.push(cell);
            }
        }
        table(out, &rows)?;
        if let Some(change) = &report.baseline {
            change.print(out, canvas, self.uncovered)?;
        }
        if !report.uncovered.is_empty() {
            writeln!(out, "\nnot covered:")?;
        }
        // Paths that stand for the same texts follow each other.
        let same = |a: &Uncovered, b: &Uncovered| a.k == b.k && a.view.pattern == b.view.pattern;
        for paths in report.uncovered.chunk_by(same) {
            let Some(path) = paths.first() else { continue };
            let times = match paths.len() {
                1 => String::new(),
                count => format!("{count} paths"),
            };
            let (name, pattern) = (path.view.name(), &path.view.pattern);
            let line = match canvas {
                Some(canvas) if times.is_empty() => format!("  {}", canvas.cut(pattern, 2)),
                Some(canvas) => {
                    let pattern = canvas.cut(pattern, times.len() + 4);
                    format!("  {pattern}  {}", canvas.dim(&times))
                }
                None if times.is_empty() => format!("{name}\t{pattern}"),
                None => format!("{name}\t{pattern}\t{times}"),
            };
            writeln!(out, "{line}")?;
        }
        report.left_out.print(out)
    }

    fn answer(&self, report: &Report) -> Answer {
        let mut answer = Answer::Yes;
        if let (Some(change), Some(path)) = (&report.baseline, &self.baseline)
            && change.is_loss()
        {
            change.warn(&path.display().to_string());
            answer = Answer::No;
        }
        let (Some(min), Some(level)) = (self.min, report.k_paths.last()) else {
            return answer;
        };
        if level.share.percent() >= min {
            return answer;
        }
        note(format_args!(
            "{} {}-paths are covered, less than {min} %",
            level.share, level.k
        ));
        Answer::No
    }
}

/// The state to compare with, which has to be there.
fn load_baseline(path: &Path, windows: &Arc<WindowTable>, kind: Kind) -> Result<State, Failure> {
    State::load(path, windows, kind.is_text())?.ok_or_else(|| {
        Failure::new(
            format_args!("{}: there is no such file", path.display()),
            format_args!(
                "make one by `pleach coverage … -k {} --state {}` with the corpus to compare with",
                windows.k(),
                path.display()
            ),
        )
    })
}

fn report(
    graph: &Graph,
    meter: &Meter,
    inputs: u64,
    left_out: Tally,
    shown: usize,
    codec: Kind,
) -> Report {
    let coverage = &meter.coverage;
    let kpaths = coverage.kpaths();
    let mut levels = Vec::new();
    let mut uncovered = Vec::new();
    for k in 1..=kpaths.k() {
        let covered = coverage.at_level(k);
        levels.push(Level::new(kpaths, k, &covered));
        let mut next = 0;
        while uncovered.len() < shown
            && let Some(rank) = covered.next_zero(next)
        {
            next = rank + 1;
            if let Some(path) = kpaths.unrank_at(k, rank as u64) {
                let view = PathView::new(graph, &path);
                uncovered.push(Uncovered { k, view });
            }
        }
    }
    Report {
        version: 1,
        inputs,
        is_interrupted: false,
        left_out,
        expansions: Share::of(&meter.expansions),
        k_paths: levels,
        uncovered,
        baseline: None,
        codec,
    }
}
