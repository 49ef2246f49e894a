//! Measuring the k-paths of a corpus before and after a campaign.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pleach::choice::Scratch;
use pleach::kpath::{KPaths, WindowTable};
use pleach::parse::Workspace;
use pleach::{Codec, Parser};
use serde::Serialize;

use super::super::failure::Failure;
use super::super::input::{Source, collect, read_input};
use super::super::measure::{Meter, in_parallel};
use super::super::report::Share;
use super::seeds::BUDGET;

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
    codec: Codec,
    windows: Arc<WindowTable>,
    parser: Parser,
    /// Whether files are texts.
    text: bool,
}

impl Ruler {
    pub(super) fn new(grammar: &Path, k: usize, text: bool) -> Result<Ruler, Failure> {
        let source = Source::load(grammar)?;
        let refused = |error| Failure::of(&source.name, error);
        let kpaths = KPaths::new(&source.graph, k).map_err(refused)?;
        let windows = WindowTable::new(&kpaths).map_err(refused)?;
        Ok(Ruler {
            codec: Codec::new(&source.graph),
            windows,
            parser: Parser::new(&source.graph),
            text,
        })
    }

    /// The parser of the grammar.
    pub(super) fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Which k-paths the files cover, and how many of them are no sentences. Directories that do not exist are empty.
    pub(super) fn measure(&self, paths: &[PathBuf]) -> Result<(Meter, u64), Failure> {
        let present: Vec<PathBuf> = paths.iter().filter(|it| it.exists()).cloned().collect();
        let files = collect(&present)?;
        let meter = || Meter::new(&self.windows).map_err(|e| Failure::Wrong(e.to_string()));
        let worker = || {
            Ok(Worker {
                meter: meter()?,
                scratch: Scratch::default(),
                workspace: Workspace::new(),
                bytes: Vec::new(),
            })
        };
        let task = |worker: &mut Worker, at: usize| {
            read_input(&files[at].path, &mut worker.bytes)?;
            Ok(self.add(worker))
        };
        let (valid, workers) = in_parallel(files.len(), worker, task)?;
        let mut all = meter()?;
        for worker in &workers {
            all.union(&worker.meter);
        }
        let invalid = valid.into_iter().filter(|valid| !valid).count();
        Ok((all, invalid as u64))
    }

    /// Adds what an input covers. False if it is a text and no sentence.
    fn add(&self, worker: &mut Worker) -> bool {
        let Worker {
            meter,
            scratch,
            workspace,
            bytes,
        } = worker;
        if !self.text {
            meter.measure(&self.codec, bytes, scratch);
            return true;
        }
        let parsed = self.parser.parse(bytes, BUDGET, workspace);
        parsed
            .and_then(|mut forest| {
                forest.cover(&self.windows, &mut meter.coverage, &mut meter.expansions)
            })
            .is_ok()
    }
}

/// What a thread works with.
struct Worker {
    meter: Meter,
    scratch: Scratch,
    workspace: Workspace,
    bytes: Vec<u8>,
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
