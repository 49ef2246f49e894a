//! `pleach coverage`: what a corpus covers of a grammar.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use pleach_core::Graph;
use pleach_core::kpath::{KPaths, WindowTable};
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure, note};
use super::html;
use super::input::{Digest, InputFile, collect, digest, read_input};
use super::measure::{Form, Gauge, Meter};
use super::output::{Output, write_file};
use super::parallel::in_parallel;
use super::progress::Progress;
use super::recognize::{Kind, KindArgs};
use super::report::{Level, PathView, Share, coverage_rows, table};
use super::state::{Record, Stamp, State};
use super::text::{LeftOut, Tally, TextArgs, Texts};

/// Report the k-path and expansion coverage of choice sequences, or of texts
///
/// Directories stand for all files below them, hidden ones left out. Whether the inputs are choice sequences or texts is found out
/// from some of them, unless --choices or --text says so. A text covers what any of its derivations covers; one that is not a
/// sentence is left out and counted. With --state only files that are new or changed are decoded or parsed; the
/// report is the same with and without.
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
    /// Write a report as a page, too
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Keep what was measured in this file, and measure only what is new
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
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
    pub(super) inputs: u64,
    #[serde(flatten)]
    pub(super) left_out: Tally,
    pub(super) expansions: Share,
    pub(super) k_paths: Vec<Level>,
    pub(super) uncovered: Vec<Uncovered>,
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
        let files = collect(&self.paths)?;
        let kind = self.kind.of_files(&source.graph, &files)?;
        self.texts.check(kind)?;
        let known = match &self.state {
            Some(path) => State::load(path, &windows, kind.is_text())?,
            None => None,
        };
        let form = Form::new(&source.graph, kind.is_text(), self.texts);
        let (state, left_out) = measure(&form, &windows, &files, known, self.state.is_some())?;
        if let Some(path) = &self.state {
            state.save(path, &windows, kind.is_text())?;
        }

        let shown = match self.html {
            Some(_) => self.uncovered.max(html::SHOWN_UNCOVERED),
            None => self.uncovered,
        };
        let inputs = files.len() as u64;
        let tally = Tally::new(self.texts, left_out);
        let mut report = report(&source.graph, &state.meter, inputs, tally, shown, kind);
        if let Some(path) = &self.html {
            let page = html::page(&source.name, &report);
            write_file(path, page.as_bytes(), self.force.existing())?;
        }
        report.uncovered.truncate(self.uncovered);
        if self.format.json {
            out.json(&report)?;
        } else {
            self.print(&report, out)?;
        }
        out.finish()?;
        report.left_out.warn(inputs, &source.name);
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
        rows.extend(coverage_rows(report.expansions, &report.k_paths));
        table(out, &rows)?;
        if !report.uncovered.is_empty() {
            writeln!(out, "\nnot covered:")?;
        }
        for path in &report.uncovered {
            writeln!(out, "{}\t{}", path.view.name(), path.view.pattern)?;
        }
        report.left_out.print(out)
    }

    fn answer(&self, report: &Report) -> Answer {
        let (Some(min), Some(level)) = (self.min, report.k_paths.last()) else {
            return Answer::Yes;
        };
        if level.share.percent() >= min {
            return Answer::Yes;
        }
        note(format_args!(
            "{} {}-paths are covered, less than {min} %",
            level.share, level.k
        ));
        Answer::No
    }
}

/// A file that was looked at.
struct Seen {
    /// What to keep of it: nothing of one that takes more than the budget, which may be more the next time.
    record: Option<Record>,
    /// Whether it was measured, and not known before.
    measured: bool,
    left_out: Option<LeftOut>,
}

/// How files are looked at.
struct Look<'a> {
    known: Option<&'a State>,
    /// When looking began.
    begun: &'a Stamp,
    /// Whether records are kept, which takes stamps and digests.
    records: bool,
    /// Whether the user wants to know why texts are invalid. That is not recorded, so they are parsed again.
    lists: bool,
}

impl Look<'_> {
    fn at(&self, path: &Path, gauge: &mut Gauge<'_>, bytes: &mut Vec<u8>) -> Result<Seen, Failure> {
        let (mut stamp, mut content) = (Stamp::default(), 0);
        if self.records {
            stamp = Stamp::of(path)?;
        }
        let unchanged = self.known.and_then(|state| state.unchanged(path, &stamp));
        if let Some(record) = unchanged
            && self.believes(record.is_valid())
        {
            return Ok(Seen::known(record.clone()));
        }
        read_input(path, bytes)?;
        if self.records {
            content = digest(bytes);
        }
        let record = |valid| Record::new(path, stamp, content, valid, self.begun);
        if let Some(valid) = self.known.and_then(|state| state.verdict(content))
            && self.believes(valid)
        {
            return Ok(Seen::known(record(valid)));
        }
        let left_out = gauge.measure(path, bytes).err();
        let is_settled = left_out.as_ref().is_none_or(|text| !text.out_of_budget);
        Ok(Seen {
            record: is_settled.then(|| record(left_out.is_none())),
            measured: true,
            left_out,
        })
    }

    /// Whether a verdict of an earlier run is enough.
    fn believes(&self, valid: bool) -> bool {
        valid || !self.lists
    }
}

impl Seen {
    fn known(record: Record) -> Seen {
        Seen {
            left_out: (!record.is_valid()).then(LeftOut::known),
            record: Some(record),
            measured: false,
        }
    }

    fn digest(&self) -> Option<Digest> {
        self.record.as_ref().map(Record::digest)
    }
}

/// Measures all files, or with a known state those that it does not know; gives what was left out besides.
///
/// What was covered cannot be taken back, so the known coverage counts only if everything that it came from is
/// still there; otherwise the files that were skipped are measured after all.
fn measure(
    form: &Form,
    windows: &Arc<WindowTable>,
    files: &[InputFile],
    known: Option<State>,
    records: bool,
) -> Result<(State, Vec<LeftOut>), Failure> {
    let look = Look {
        known: known.as_ref(),
        begun: &Stamp::now(),
        records,
        lists: form.texts().is_some_and(Texts::lists),
    };
    let worker = || Ok((Gauge::new(form, windows)?, Vec::new()));
    let progress = Progress::new(files.len() as u64, "files");
    let first = |(gauge, bytes): &mut (Gauge<'_>, Vec<u8>), at: usize| {
        progress.add(1);
        look.at(&files[at].path, gauge, bytes)
    };
    let (mut seen, mut workers) = in_parallel(files.len(), form.block(), worker, first)?;
    drop(progress);

    let mut digests: Vec<Digest> = seen.iter().filter_map(Seen::digest).collect();
    digests.sort_unstable();
    let mut meter = Gauge::new(form, windows)?.meter;
    match &known {
        Some(state) if state.is_within(&digests) => meter.union(&state.meter),
        Some(_) => {
            let look = Look {
                known: None,
                ..look
            };
            let skipped: Vec<usize> = (0..files.len()).filter(|&at| !seen[at].measured).collect();
            let progress = Progress::new(skipped.len() as u64, "files");
            let again = |(gauge, bytes): &mut (Gauge<'_>, Vec<u8>), at: usize| {
                progress.add(1);
                look.at(&files[skipped[at]].path, gauge, bytes)
            };
            let (again, more) = in_parallel(skipped.len(), form.block(), worker, again)?;
            for (&at, again) in skipped.iter().zip(again) {
                seen[at] = again;
            }
            workers.extend(more);
        }
        None => {}
    }
    for (gauge, _) in &workers {
        meter.union(&gauge.meter);
    }
    let (mut records, mut left_out) = (Vec::new(), Vec::new());
    for seen in seen {
        records.extend(seen.record);
        left_out.extend(seen.left_out);
    }
    Ok((State::new(meter, records), left_out))
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
        inputs,
        left_out,
        expansions: Share::of(&meter.expansions),
        k_paths: levels,
        uncovered,
        codec,
    }
}
