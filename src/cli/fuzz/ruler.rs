//! Measuring the k-paths of a corpus before and after a campaign.

use std::path::PathBuf;
use std::sync::Arc;

use pleach_core::kpath::{self, KPaths, WindowTable};
use pleach_core::parse::Budget;
use pleach_core::{Graph, Parser};
use serde::Serialize;

use super::super::failure::Failure;
use super::super::input::collect;
use super::super::measure::{Form, Meter, measure_files};
use super::super::record::has_files;
use super::super::report::Share;
use super::super::source::Source;
use super::super::text::{TextArgs, Texts};

/// What parsing a text may cost: seconds, and memory for each thread.
const BUDGET: Budget = Budget {
    steps: 200_000_000,
    bytes: 512 << 20,
};

/// The greatest k that is measured unless the user says.
const DEFAULT_K: usize = 3;

/// The coverage of one level.
#[derive(Serialize)]
pub(super) struct Level {
    pub(super) k: usize,
    pub(super) before: u64,
    #[serde(flatten)]
    pub(super) after: Share,
}

/// Measures the k-paths of a corpus.
pub(super) struct Ruler {
    graph: Arc<Graph>,
    windows: Arc<WindowTable>,
    form: Form,
}

impl Ruler {
    /// Files are texts if `text`, choice sequences otherwise. Without a k it is [`DEFAULT_K`], or less if that is too much for the
    /// grammar.
    pub(super) fn new(source: &Source, k: Option<usize>, text: bool) -> Result<Ruler, Failure> {
        let graph = source.graph.clone();
        let windows = match k {
            Some(k) => windows(&graph, k),
            None => (1..=DEFAULT_K)
                .rev()
                .map(|k| windows(&graph, k))
                .find(|windows| !matches!(windows, Err(kpath::Error::TooMany { .. })))
                .unwrap_or_else(|| windows(&graph, 1)),
        };
        let windows = windows.map_err(|error| Failure::of(&source.name, error))?;
        let form = Form::new(&graph, text, TextArgs::within(BUDGET));
        Ok(Ruler {
            graph,
            windows,
            form,
        })
    }

    /// Reads texts of the grammar.
    pub(super) fn texts(&self) -> Texts {
        Texts::new(Parser::new(&self.graph), TextArgs::within(BUDGET))
    }

    /// Which k-paths the files cover, and how many of them are not sentences. Directories that do not exist are empty, and empty ones
    /// are no news.
    pub(super) fn measure(&self, paths: &[PathBuf]) -> Result<(Meter, u64), Failure> {
        let is_there = |path: &&PathBuf| path.is_file() || has_files(path);
        let present: Vec<PathBuf> = paths.iter().filter(is_there).cloned().collect();
        let files = collect(&present)?;
        let (meter, left_out) = measure_files(&self.form, &self.windows, &files)?;
        Ok((meter, left_out.len() as u64))
    }
}

fn windows(graph: &Arc<Graph>, k: usize) -> Result<Arc<WindowTable>, kpath::Error> {
    WindowTable::new(&KPaths::new(graph, k)?)
}

/// The levels of two measurements.
pub(super) fn levels(before: &Meter, after: &Meter) -> Vec<Level> {
    let kpaths = after.coverage.kpaths();
    let covered = |meter: &Meter, k| meter.coverage.at_level(k).count_ones() as u64;
    (1..=kpaths.k())
        .map(|k| Level {
            k,
            before: covered(before, k),
            after: Share {
                covered: covered(after, k),
                total: kpaths.len_at(k),
            },
        })
        .collect()
}
