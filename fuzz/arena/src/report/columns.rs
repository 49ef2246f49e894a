//! The columns of a subject's table that describe an arm by itself.

use std::collections::BTreeSet;

use super::{Group, Subject, accepted, edges, number};
use crate::measure::LEVELS;
use crate::results::Summary;
use crate::statistics::{Spread, spread};

/// A value of a result; nothing if the result does not tell.
type Value = Box<dyn Fn(&Summary) -> Option<f64>>;
/// The k of k-paths, and how many there are.
type Scale = (usize, u64);

/// A column of a subject's table.
pub(super) struct Column {
    /// Its head.
    pub(super) name: String,
    value: Value,
    /// Whether more is better.
    is_ranked: bool,
    /// What the values are parts of, where it depends on the arm.
    scale: fn(&Summary) -> Option<Scale>,
}

impl Column {
    fn new(name: impl Into<String>, value: impl Fn(&Summary) -> f64 + 'static) -> Column {
        Column {
            name: name.into(),
            value: Box::new(move |it| Some(value(it))),
            is_ranked: true,
            scale: |_| None,
        }
    }

    /// Those of a subject, in order.
    pub(super) fn all(subject: &Subject<'_>) -> Vec<Column> {
        let mut columns = vec![
            Column::new("edges", edges),
            Column::new("by accepted", accepted),
        ];
        let levels = &subject.first().measured.k_paths;
        for (index, (k, level)) in LEVELS.into_iter().zip(levels).enumerate() {
            let covered = move |it: &Summary| {
                let level = it.measured.k_paths.get(index);
                level.map_or(0.0, |it| it.covered as f64)
            };
            let name = format!("{k}-paths of {}", number(level.total as f64));
            columns.push(Column::new(name, covered));
        }
        let mut results = subject.arms.iter().flat_map(|it| &it.results);
        // No program without pleach's mutator counts what it runs, and results of earlier versions do not say it.
        if results.any(|it| it.run_paths.is_some()) {
            columns.push(Column {
                name: "k-paths run".into(),
                value: Box::new(|it| it.run_paths.map(|it| it.covered as f64)),
                is_ranked: true,
                scale: |it| it.run_paths.map(|it| (it.k, it.total)),
            });
        }
        columns.push(Column::new("runs/s", rate));
        columns.push(Column {
            // A small corpus or a big one is neither good nor bad.
            is_ranked: false,
            ..Column::new("corpus", |it| it.corpus as f64)
        });
        columns
    }

    fn sample(&self, arm: &Group<'_>) -> Vec<f64> {
        let values = arm.results.iter().filter_map(|it| (self.value)(it));
        values.collect()
    }

    /// All that the values of these arms are parts of. A setting changes the mutator's k.
    fn scales(&self, arms: &[Group<'_>]) -> BTreeSet<Scale> {
        let results = arms.iter().flat_map(|it| &it.results);
        results.filter_map(|it| (self.scale)(it)).collect()
    }

    /// What the table says of an arm.
    pub(super) fn cell(&self, subject: &Subject<'_>, arm: &Group<'_>) -> String {
        let sample = self.sample(arm);
        let scales = self.scales(std::slice::from_ref(arm));
        let Some(ours) = spread(&sample).filter(|_| scales.len() < 2) else {
            return "–".into();
        };
        let medians = subject
            .arms
            .iter()
            .filter_map(|it| spread(&self.sample(it)));
        let best = medians.map(|it| it.median).fold(f64::MIN, f64::max);
        let is_comparable = self.is_ranked && self.scales(&subject.arms).len() < 2;
        let mut text = cell(ours, is_comparable && ours.median == best);
        if let Some((k, total)) = scales.first() {
            text += &format!(" of {total} (k = {k})");
        }
        if sample.len() < arm.results.len() {
            text += &format!(", {}/{}", sample.len(), arm.results.len());
        }
        text
    }
}

fn rate(result: &Summary) -> f64 {
    result.executions as f64 / result.cpu.max(0.01)
}

fn cell(spread: Spread, marked: bool) -> String {
    let Spread {
        median,
        least,
        most,
    } = spread;
    let mark = if marked { "**" } else { "" };
    let median = format!("{mark}{}{mark}", number(median));
    match least < most {
        true => format!("{median} ({} – {})", number(least), number(most)),
        false => median,
    }
}
