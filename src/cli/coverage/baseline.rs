//! What has changed since a state was kept: paths that were covered and are no more, and the other way round.

use pleach_core::KPaths;
use serde::Serialize;

use crate::failure::{Failure, note};
use crate::measure::Meter;
use crate::output::Output;
use crate::report::{Canvas, PathView, count};

use super::gaps::gaps;

/// The lost paths that are shown if the user does not say how many.
const SHOWN: usize = 10;

/// What has changed.
#[derive(Serialize)]
pub(super) struct Change {
    k_paths: Vec<LevelChange>,
    /// What was lost for itself, and not because a part of it was.
    lost: Vec<PathView>,
}

/// What has changed at one level.
#[derive(Serialize)]
struct LevelChange {
    k: usize,
    lost: u64,
    gained: u64,
}

impl Change {
    /// What is different between a meter of earlier and one of now, of the same grammar and k.
    pub(super) fn new(kpaths: &KPaths, before: &Meter, now: &Meter) -> Result<Change, Failure> {
        let levels = |meter: &Meter| -> Vec<_> {
            let levels = 1..=kpaths.k();
            levels.map(|level| meter.coverage.at_level(level)).collect()
        };
        let (before, now) = (levels(before), levels(now));
        let k_paths = (1..)
            .zip(before.iter().zip(&now))
            .map(|(k, (before, now))| LevelChange {
                k,
                lost: before.iter().filter(|&rank| !now.contains(rank)).count() as u64,
                gained: now.iter().filter(|&rank| !before.contains(rank)).count() as u64,
            })
            .collect();
        let had = |level: usize, rank: u64| before[level - 1].contains(rank as usize);
        let has = |level: usize, rank: u64| now[level - 1].contains(rank as usize);
        let lost = gaps(kpaths, had, has)?;
        let view = |gap: &super::gaps::Gap| PathView::new(kpaths.graph(), &gap.path);
        Ok(Change {
            k_paths,
            lost: lost.iter().map(view).collect(),
        })
    }

    /// Whether anything was lost.
    pub(super) fn is_loss(&self) -> bool {
        self.k_paths.iter().any(|level| level.lost > 0)
    }

    /// How many paths of each level came and went, as a row's last cell.
    pub(super) fn cells(&self) -> impl Iterator<Item = String> {
        let cell = |level: &LevelChange| format!("+{} -{}", level.gained, level.lost);
        self.k_paths.iter().map(cell)
    }

    /// Prints what was lost: so many patterns, below a blank line and a heading.
    pub(super) fn print(
        &self,
        out: &mut Output,
        canvas: Option<Canvas>,
        most: usize,
    ) -> Result<(), Failure> {
        if self.lost.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nlost:")?;
        let most = if most == 0 { SHOWN } else { most };
        let mut patterns: Vec<&str> = self.lost.iter().map(|view| view.pattern.as_str()).collect();
        patterns.dedup();
        for pattern in patterns.iter().take(most) {
            match canvas {
                Some(canvas) => writeln!(out, "  {}", canvas.cut(pattern, 2))?,
                None => writeln!(out, "{pattern}")?,
            }
        }
        if let Some(more @ 1..) = patterns.len().checked_sub(most) {
            writeln!(out, "... and {more} more; --uncovered N shows N")?;
        }
        Ok(())
    }

    /// Says on standard error that something was lost.
    pub(super) fn warn(&self, baseline: &str) {
        let Some(level) = self.k_paths.last() else {
            return;
        };
        note(format_args!(
            "{} covered before, as {baseline} says, {} lost",
            count(level.lost, &format!("{}-path", level.k)),
            if level.lost == 1 { "is" } else { "are" }
        ));
    }
}
