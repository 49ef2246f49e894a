//! What a corpus is worth: edges in the plain program, and k-paths of the grammar, over CPU time.
//!
//! Every file that a corpus has ever had is measured, in the order in which the files came, as a text, and each text once.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use pleach_core::kpath::{ExpansionCoverage, KPaths, WindowTable};
use pleach_core::parse::{Budget, Refusal, Workspace};
use pleach_core::{Coverage, Graph, Parser};
use serde::{Deserialize, Serialize};

use crate::builds::digest;
use crate::inputs::Reader;
use crate::monitor::Tick;
use crate::process::Interrupt;
use crate::replay::{self, Verdict};

/// The k of the k-paths that are reported.
pub(crate) const LEVELS: [usize; 3] = [2, 3, 4];
/// Parsing a text may take this; who takes more counts as no sentence, and is counted.
const BUDGET: Budget = Budget {
    steps: 3_000_000,
    bytes: 256 << 20,
};
/// The most memory of a coverage table; a greater k is left out.
const TABLE: u64 = 256 << 20;

/// What a corpus has reached.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Edges of the plain program.
    pub edges_total: u64,
    /// Those that some text has reached.
    pub edges: u64,
    /// Those that some accepted text has reached.
    pub edges_accepted: u64,
    /// k-paths.
    pub k_paths: Vec<Level>,
    /// The texts.
    pub texts: Texts,
    /// All of it, as it grew.
    pub curve: Vec<Point>,
}

/// Coverage for one k.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Level {
    /// The symbols of a path.
    pub k: usize,
    /// The paths that some text has.
    pub covered: u64,
    /// The paths that there are.
    pub total: u64,
}

/// Numbers of texts.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Texts {
    /// Files, before equal texts are left out.
    pub files: u64,
    /// Different texts.
    pub texts: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Accepted by the program.
    pub accepted: u64,
    /// Those with a panic in the replay.
    pub panicked: u64,
    /// Those that ended the replay or did not end.
    pub lost: u64,
    /// Sentences of the grammar.
    pub sentences: u64,
    /// Those whose parse takes more than the budget.
    pub out_of_budget: u64,
}

/// A point of the curves.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Point {
    /// CPU seconds of the campaign.
    pub cpu: f64,
    /// Runs of the target.
    pub executions: u64,
    /// Edges until then.
    pub edges: u64,
    /// By accepted texts.
    pub edges_accepted: u64,
    /// k-paths, for each of the levels.
    pub k_paths: Vec<u64>,
}

/// What is measured.
#[derive(Debug)]
pub(crate) struct Corpus<'a> {
    /// The files with their CPU times, in the order of these.
    pub files: &'a [(f64, PathBuf)],
    /// When somebody looked.
    pub ticks: &'a [Tick],
    /// How the files are read.
    pub reader: Reader,
}

/// The state of a measurement after some text.
#[derive(Clone, Debug, Default)]
struct Reach {
    edges: u64,
    edges_accepted: u64,
    k_paths: Vec<u64>,
}

/// Measures a corpus. `dir` is for texts, and is left to whoever made it.
pub(crate) fn measure(
    corpus: &Corpus<'_>,
    graph: &Arc<Graph>,
    program: &Path,
    dir: &Path,
    interrupt: &Interrupt,
) -> Result<Measured> {
    let mut texts = Texts {
        files: corpus.files.len() as u64,
        ..Texts::default()
    };
    let mut digests = BTreeSet::new();
    let mut times = Vec::new();
    let mut paths = Vec::new();
    let mut meter = Meter::new(graph)?;
    let mut levels = Vec::new();
    let folder = dir.join("texts");
    fs::create_dir(&folder)?;
    for (cpu, path) in corpus.files {
        if interrupt.is_set() {
            anyhow::bail!("interrupted");
        }
        let input = fs::read(path).with_context(|| format!("{}", path.display()))?;
        let text = corpus.reader.text(input);
        if !digests.insert(digest([text.as_slice()])) {
            continue;
        }
        texts.texts += 1;
        texts.bytes += text.len() as u64;
        match meter.add(&text) {
            Ok(()) => texts.sentences += 1,
            Err(Refusal::NoSentence { .. }) => {}
            Err(_) => texts.out_of_budget += 1,
        }
        levels.push(meter.covered());
        let path = folder.join(times.len().to_string());
        fs::write(&path, &text)?;
        times.push(*cpu);
        paths.push(path);
    }

    let mut reach: Vec<Reach> = Vec::with_capacity(paths.len());
    let list = dir.join("list");
    let reached = replay::replay(program, &paths, &list, interrupt, |index, verdict, now| {
        match verdict {
            Verdict::Accepted => texts.accepted += 1,
            Verdict::Rejected => {}
            Verdict::Panicked => texts.panicked += 1,
            Verdict::Lost => texts.lost += 1,
        }
        reach.push(Reach {
            edges: now.all.count(),
            edges_accepted: now.accepted.count(),
            k_paths: levels[index].clone(),
        });
    })?;
    Ok(Measured {
        edges_total: reached.total,
        edges: reached.all.count(),
        edges_accepted: reached.accepted.count(),
        k_paths: meter.levels(),
        texts,
        curve: curve(corpus.ticks, &times, &reach),
    })
}

/// What had been reached at each look.
fn curve(ticks: &[Tick], times: &[f64], reach: &[Reach]) -> Vec<Point> {
    let point = |tick: &Tick| {
        let texts = times.partition_point(|&time| time <= tick.cpu);
        let reach = match texts {
            0 => Reach {
                k_paths: reach
                    .first()
                    .map_or(Vec::new(), |it| vec![0; it.k_paths.len()]),
                ..Reach::default()
            },
            texts => reach[texts - 1].clone(),
        };
        Point {
            cpu: tick.cpu,
            executions: tick.executions,
            edges: reach.edges,
            edges_accepted: reach.edges_accepted,
            k_paths: reach.k_paths,
        }
    };
    ticks.iter().map(point).collect()
}

/// Collects the k-paths of texts.
struct Meter {
    parser: Parser,
    workspace: Workspace,
    windows: Arc<WindowTable>,
    coverage: Coverage,
    expansions: ExpansionCoverage,
    covered: Vec<u64>,
    windows_covered: usize,
}

impl Meter {
    fn new(graph: &Arc<Graph>) -> Result<Meter> {
        let fits = |k: &usize| {
            let kpaths = KPaths::new(graph, *k).ok()?;
            if Coverage::bytes(&kpaths) > TABLE {
                return None;
            }
            let windows = WindowTable::new(&kpaths).ok()?;
            Some((windows, Coverage::new(&kpaths).ok()?))
        };
        let (windows, coverage) = (1..=LEVELS[LEVELS.len() - 1])
            .rev()
            .find_map(|k| fits(&k))
            .ok_or_else(|| anyhow!("the grammar has more k-paths than fit into memory"))?;
        Ok(Meter {
            parser: Parser::new(graph),
            workspace: Workspace::new(),
            windows,
            coverage,
            expansions: ExpansionCoverage::new(graph),
            covered: Vec::new(),
            windows_covered: usize::MAX,
        })
    }

    fn add(&mut self, text: &[u8]) -> Result<(), Refusal> {
        let mut forest = self.parser.parse(text, BUDGET, &mut self.workspace)?;
        forest.cover(&self.windows, &mut self.coverage, &mut self.expansions)
    }

    fn levels(&self) -> Vec<Level> {
        let kpaths = self.coverage.kpaths();
        let levels = LEVELS.into_iter().filter(|&k| k <= kpaths.k());
        levels
            .map(|k| Level {
                k,
                covered: self.coverage.at_level(k).count_ones() as u64,
                total: kpaths.len_at(k),
            })
            .collect()
    }

    /// The paths covered so far, for each level.
    fn covered(&mut self) -> Vec<u64> {
        let now = self.coverage.windows().count_ones();
        if now != self.windows_covered {
            self.windows_covered = now;
            self.covered = self.levels().into_iter().map(|it| it.covered).collect();
        }
        self.covered.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::{Meter, Reach, Tick, curve};
    use pleach_core::{Grammar, Graph};

    #[test]
    fn a_curve_has_what_came_until_then() {
        let tick = |cpu| Tick {
            cpu,
            wall: cpu,
            executions: (cpu * 10.0) as u64,
        };
        let reach = |edges| Reach {
            edges,
            edges_accepted: edges / 2,
            k_paths: vec![edges * 3],
        };
        let points = curve(
            &[tick(0.0), tick(0.5), tick(1.0), tick(1.5)],
            &[0.5, 0.5, 1.5],
            &[reach(2), reach(4), reach(6)],
        );
        let edges: Vec<_> = points
            .iter()
            .map(|it| (it.edges, it.edges_accepted, it.k_paths[0], it.executions))
            .collect();
        assert_eq!(
            edges,
            [(0, 0, 0, 0), (4, 2, 12, 5), (4, 2, 12, 10), (6, 3, 18, 15)]
        );
    }

    #[test]
    fn k_paths_are_those_of_sentences() {
        let grammar: Grammar = "a := 'x' | '(' a ')';".parse().unwrap();
        let graph = Graph::new(grammar).unwrap();
        let mut meter = Meter::new(&graph).unwrap();
        assert!(meter.add(b"((").is_err());
        assert_eq!(meter.covered(), [0, 0, 0]);
        meter.add(b"(x)").unwrap();
        // a / x; of a / (, a / a, a / ) only what is below the inner a.
        assert_eq!(meter.covered(), [1, 0, 0]);
        let totals: Vec<_> = meter.levels().iter().map(|it| it.total).collect();
        assert_eq!(totals, [4, 4, 4]);
    }
}
