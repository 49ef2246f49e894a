//! What reports of several verbs have in common: paths, shares, levels, sizes, aligned columns.

use std::fmt;

use pleach_core::bitset::BitSet;
use pleach_core::id::SymbolId;
use pleach_core::kpath::{ExpansionCoverage, pattern};
use pleach_core::{Graph, KPaths};
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::recognize::Kind;

/// A k-path for a reader.
#[derive(Serialize)]
pub(super) struct PathView {
    /// The name of each symbol.
    pub(super) path: Vec<String>,
    pub(super) pattern: String,
}

impl PathView {
    pub(super) fn new(graph: &Graph, path: &[SymbolId]) -> PathView {
        let grammar = graph.grammar();
        PathView {
            path: path
                .iter()
                .map(|&symbol| grammar.symbol_name(symbol))
                .collect(),
            pattern: pattern(graph, path),
        }
    }

    /// The names in one word.
    pub(super) fn name(&self) -> String {
        self.path.join(">")
    }
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Share {
    pub(super) covered: u64,
    pub(super) total: u64,
}

impl Share {
    /// The covered alternatives.
    pub(super) fn of(expansions: &ExpansionCoverage) -> Share {
        Share {
            covered: expansions.covered() as u64,
            total: expansions.total() as u64,
        }
    }

    /// In percent; 0 of 0 is everything.
    pub(super) fn percent(self) -> f64 {
        match self.total {
            0 => 100.0,
            total => self.covered as f64 * 100.0 / total as f64,
        }
    }
}

/// `12 / 125 (9.6 %)`. Rounded down, so that 100 % means all.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = (self.percent() * 10.0).floor() / 10.0;
        write!(f, "{} / {} ({percent} %)", self.covered, self.total)
    }
}

/// The coverage of one level.
#[derive(Serialize)]
pub(super) struct Level {
    pub(super) k: usize,
    #[serde(flatten)]
    pub(super) share: Share,
}

impl Level {
    /// The coverage of paths of k symbols, of which these ranks are covered.
    pub(super) fn new(kpaths: &KPaths, k: usize, covered: &BitSet) -> Level {
        let share = Share {
            covered: covered.count_ones() as u64,
            total: kpaths.len_at(k),
        };
        Level { k, share }
    }
}

/// The rows of a table that say what is covered.
pub(super) fn coverage_rows(expansions: Share, levels: &[Level]) -> Vec<Vec<String>> {
    let mut rows = vec![vec!["expansions".into(), expansions.to_string()]];
    for level in levels {
        rows.push(vec![format!("{}-paths", level.k), level.share.to_string()]);
    }
    rows
}

/// A number of bytes with a unit that keeps it short.
pub(super) fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} {}", units[0]),
        _ => format!("{size:.1} {}", units[unit]),
    }
}

/// `1 input`, `2 inputs`.
pub(super) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// How many inputs were written, and what they are.
pub(super) fn written(number: u64, kind: Kind) -> String {
    let noun = match kind {
        Kind::Texts => "text",
        Kind::Choices => "choice sequence",
    };
    count(number, noun)
}

/// Prints rows in columns; the last one is not padded.
pub(super) fn table(out: &mut Output, rows: &[Vec<String>]) -> Result<(), Failure> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            match at + 1 == row.len() {
                true => writeln!(out, "{cell}")?,
                false => write!(out, "{cell:width$}  ", width = widths[at])?,
            }
        }
    }
    Ok(())
}
