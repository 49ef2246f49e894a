//! Measuring the k-paths of a corpus before and after a campaign.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pleach_core::Parser;
use pleach_core::kpath::{KPaths, WindowTable};
use pleach_core::parse::Budget;
use serde::Serialize;

use super::super::args::Common;
use super::super::failure::Failure;
use super::super::input::{Source, collect};
use super::super::measure::{Form, Meter, measure_files};
use super::super::report::Share;
use super::super::text::{TextArgs, Texts};

/// What parsing a text may cost: seconds, and memory for each thread.
const BUDGET: Budget = Budget {
    steps: 200_000_000,
    bytes: 512 << 20,
};

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
    source: Source,
    windows: Arc<WindowTable>,
    form: Form,
}

impl Ruler {
    /// Files are texts if `text`, choice sequences otherwise.
    pub(super) fn new(
        grammar: &Path,
        k: usize,
        text: bool,
        common: &Common,
    ) -> Result<Ruler, Failure> {
        let source = Source::load(grammar, common)?;
        let refused = |error| Failure::of(&source.name, error);
        let kpaths = KPaths::new(&source.graph, k).map_err(refused)?;
        let windows = WindowTable::new(&kpaths).map_err(refused)?;
        let form = Form::new(&source.graph, text, TextArgs::within(BUDGET));
        Ok(Ruler {
            source,
            windows,
            form,
        })
    }

    /// Reads texts of the grammar.
    pub(super) fn texts(&self) -> Texts {
        Texts::new(Parser::new(&self.source.graph), TextArgs::within(BUDGET))
    }

    /// Which k-paths the files cover, and how many of them are no sentences. Directories that do not exist are empty.
    pub(super) fn measure(&self, paths: &[PathBuf]) -> Result<(Meter, u64), Failure> {
        let present: Vec<PathBuf> = paths.iter().filter(|it| it.exists()).cloned().collect();
        let files = collect(&present)?;
        let (meter, left_out) = measure_files(&self.form, &self.windows, &files)?;
        Ok((meter, left_out.len() as u64))
    }
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
