//! `pleach coverage`: what a corpus covers of a grammar.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pleach::choice::Scratch;
use pleach::kpath::{KPaths, WindowTable};
use pleach::{Codec, Graph};
use serde::Serialize;

use super::Common;
use super::failure::{Answer, Failure, note};
use super::html;
use super::input::{Digest, InputFile, Source, collect, digest, read_input};
use super::measure::{Meter, in_parallel};
use super::output::{Existing, Output, write_file};
use super::progress::Progress;
use super::report::{PathView, Share, table};
use super::state::{Record, Stamp, State};

/// Report the k-path and expansion coverage of choice sequences
///
/// Directories stand for all files below them, hidden ones left out. With --state only files that are new or changed are
/// decoded; the report is the same with and without.
///
/// Example: pleach coverage json.ebnf corpus/json -k 3 --uncovered 10
#[derive(Args, Debug)]
#[command(name = "coverage")]
pub(super) struct CoverageVerb {
    /// The grammar; `-` reads standard input
    grammar: PathBuf,
    /// Files, or directories of files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Report k-paths for k from 1 to this
    #[arg(short, default_value_t = 3)]
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
    /// Replace the page if it exists
    #[arg(long)]
    force: bool,
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
    /// Every sequence of bytes is a choice sequence.
    pub(super) invalid: u64,
    pub(super) expansions: Share,
    pub(super) k_paths: Vec<Level>,
    pub(super) uncovered: Vec<Uncovered>,
}

/// The coverage of one level.
#[derive(Serialize)]
pub(super) struct Level {
    pub(super) k: usize,
    #[serde(flatten)]
    pub(super) share: Share,
}

/// A path that no input has.
#[derive(Serialize)]
pub(super) struct Uncovered {
    pub(super) k: usize,
    #[serde(flatten)]
    pub(super) view: PathView,
}

impl CoverageVerb {
    pub(super) fn run(self, common: &Common, out: &mut Output) -> Result<Answer, Failure> {
        let source = Source::load(&self.grammar)?;
        let refused = |error| Failure::of(&source.name, error);
        let kpaths = KPaths::new(&source.graph, self.k).map_err(refused)?;
        let windows = WindowTable::new(&kpaths).map_err(refused)?;
        let page_exists = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok();
        if let Some(path) = self
            .html
            .as_ref()
            .filter(|path| !self.force && page_exists(path))
        {
            return Err(Failure::new(
                format_args!("{}: it exists already", path.display()),
                "name another file, or replace it by --force",
            ));
        }
        let known = match &self.state {
            Some(path) => State::load(path, &windows)?,
            None => None,
        };
        let files = collect(&self.paths)?;
        let codec = Codec::new(&source.graph);
        let state = measure(&codec, &windows, &files, known, self.state.is_some())?;
        if let Some(path) = &self.state {
            state.save(path, &windows)?;
        }

        let shown = match self.html {
            Some(_) => self.uncovered.max(html::SHOWN_UNCOVERED),
            None => self.uncovered,
        };
        let mut report = report(&source.graph, &state.meter, files.len() as u64, shown);
        if let Some(path) = &self.html {
            let page = html::page(&source.name, &report);
            write_file(path, page.as_bytes(), Existing::forced(self.force))?;
        }
        report.uncovered.truncate(self.uncovered);
        if common.json {
            out.json(&report)?;
        } else {
            print(&report, out)?;
        }
        out.finish()?;
        Ok(self.answer(&report))
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

/// Measures all files, or with a known state those that it does not know.
///
/// What was covered cannot be taken back, so the known coverage counts only if everything that it came from is
/// still there; otherwise the files that were skipped are measured after all.
fn measure(
    codec: &Codec,
    windows: &Arc<WindowTable>,
    files: &[InputFile],
    known: Option<State>,
    stamps: bool,
) -> Result<State, Failure> {
    let begun = Stamp::now();
    let worker = || {
        let meter = Meter::new(windows).map_err(|error| Failure::Wrong(error.to_string()))?;
        Ok((meter, Scratch::default(), Vec::new()))
    };
    let progress = Progress::new(files.len() as u64, "files");
    let first = |(meter, scratch, bytes): &mut (Meter, Scratch, Vec<u8>), at: usize| {
        let path = &files[at].path;
        progress.add(1);
        let stamp = match stamps {
            true => Stamp::of(path)?,
            false => Stamp::default(),
        };
        if let Some(record) = known
            .as_ref()
            .and_then(|state| state.unchanged(path, &stamp))
        {
            return Ok((record.clone(), false));
        }
        read_input(path, bytes)?;
        let digest = match stamps {
            true => digest(bytes),
            false => 0,
        };
        let measured = known.as_ref().is_none_or(|state| !state.knows(digest));
        if measured {
            meter.measure(codec, bytes, scratch);
        }
        Ok((Record::new(path, stamp, digest, &begun), measured))
    };
    let (mut seen, mut workers) = in_parallel(files.len(), worker, first)?;
    drop(progress);

    let mut digests: Vec<Digest> = seen.iter().map(|(record, _)| record.digest()).collect();
    digests.sort_unstable();
    let mut meter = Meter::new(windows).map_err(|error| Failure::Wrong(error.to_string()))?;
    match known {
        Some(state) if state.is_within(&digests) => meter.union(&state.meter),
        Some(_) => {
            let skipped: Vec<usize> = (0..files.len()).filter(|&at| !seen[at].1).collect();
            let progress = Progress::new(skipped.len() as u64, "files");
            let again = |(meter, scratch, bytes): &mut (Meter, Scratch, Vec<u8>), at: usize| {
                let path = &files[skipped[at]].path;
                progress.add(1);
                let stamp = Stamp::of(path)?;
                read_input(path, bytes)?;
                meter.measure(codec, bytes, scratch);
                Ok(Record::new(path, stamp, digest(bytes), &begun))
            };
            let (records, more) = in_parallel(skipped.len(), worker, again)?;
            for (&at, record) in skipped.iter().zip(records) {
                seen[at].0 = record;
            }
            workers.extend(more);
        }
        None => {}
    }
    for (found, _, _) in &workers {
        meter.union(found);
    }
    Ok(State::new(
        meter,
        seen.into_iter().map(|(record, _)| record).collect(),
    ))
}

fn report(graph: &Graph, meter: &Meter, inputs: u64, shown: usize) -> Report {
    let coverage = &meter.coverage;
    let kpaths = coverage.kpaths();
    let mut levels = Vec::new();
    let mut uncovered = Vec::new();
    for k in 1..=kpaths.k() {
        let covered = coverage.at_level(k);
        levels.push(Level {
            k,
            share: Share {
                covered: covered.count_ones() as u64,
                total: kpaths.len_at(k),
            },
        });
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
        invalid: 0,
        expansions: Share {
            covered: meter.expansions.covered() as u64,
            total: meter.expansions.total() as u64,
        },
        k_paths: levels,
        uncovered,
    }
}

fn print(report: &Report, out: &mut Output) -> Result<(), Failure> {
    let mut rows = vec![
        vec!["inputs".into(), report.inputs.to_string()],
        vec!["expansions".into(), report.expansions.to_string()],
    ];
    for level in &report.k_paths {
        rows.push(vec![format!("{}-paths", level.k), level.share.to_string()]);
    }
    table(out, &rows)?;
    if !report.uncovered.is_empty() {
        writeln!(out, "\nnot covered:")?;
    }
    for path in &report.uncovered {
        writeln!(out, "{}\t{}", path.view.name(), path.view.pattern)?;
    }
    Ok(())
}
