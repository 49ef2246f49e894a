//! The summary of a campaign, as a table or as JSON.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::ruler::Level;
use crate::failure::Failure;
use crate::output::Output;
use crate::report::{Share, table};
use crate::target::engine::{AimCounts, OperatorCounts, PathCounts, TextCounts};

/// What has happened, for a reader.
#[derive(Serialize)]
pub(super) struct Summary<'a> {
    pub(super) target: &'a str,
    pub(super) seconds: f64,
    pub(super) executions: u64,
    pub(super) executions_per_second: u64,
    /// Nothing without status lines, as are features and corpus.
    pub(super) edges: Option<u64>,
    /// Edges that the target has.
    pub(super) edges_total: Option<u64>,
    pub(super) features: Option<u64>,
    /// Inputs that the engine keeps.
    pub(super) corpus: Option<u64>,
    pub(super) corpus_dir: &'a Path,
    /// Nothing without a grammar.
    pub(super) k_paths: Option<Vec<Level>>,
    /// Files of the corpus that are not sentences, of texts measured with a grammar.
    pub(super) invalid: Option<u64>,
    /// What all inputs have covered that were run, as the target's mutator counts, if it says so.
    pub(super) k_paths_run: Option<PathCounts>,
    /// How the target's mutator has recognized texts, if it says so.
    pub(super) texts: Option<TextCounts>,
    /// What the operators of the target's mutator have come to, if it says so.
    pub(super) operators: &'a [OperatorCounts],
    /// What the campaign was aimed at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) aim: Option<AimSummary<'a>>,
    /// The goals of the campaign.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) goals: Vec<GoalSummary<'a>>,
    pub(super) crashes: &'a [PathBuf],
    pub(super) interrupted: bool,
}

/// What a campaign was aimed at, and how often it got there, as far as the target has said.
#[derive(Serialize)]
pub(super) struct AimSummary<'a> {
    pub(super) function: &'a str,
    #[serde(flatten)]
    pub(super) counts: AimCounts,
}

/// A goal of a campaign, and the greatest number that a run has reported for it.
#[derive(Serialize)]
pub(super) struct GoalSummary<'a> {
    pub(super) name: &'a str,
    /// Nothing if no run has reported one.
    pub(super) greatest: Option<f64>,
}

pub(super) fn print(summary: &Summary, out: &mut Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let mut row = |name: String, value: String| rows.push(vec![name, value]);
    row("seconds".into(), format!("{:.1}", summary.seconds));
    let Summary {
        executions,
        executions_per_second,
        ..
    } = summary;
    row(
        "executions".into(),
        format!("{executions} ({executions_per_second} per second)"),
    );
    match (summary.edges, summary.edges_total) {
        (Some(covered), Some(total)) => row("edges".into(), Share { covered, total }.to_string()),
        (Some(covered), None) => row("edges".into(), covered.to_string()),
        (None, _) => {}
    }
    if let Some(features) = summary.features {
        row("features".into(), features.to_string());
    }
    let corpus_dir = summary.corpus_dir.display();
    row(
        "corpus".into(),
        match summary.corpus {
            Some(corpus) => format!("{corpus} in {corpus_dir}"),
            None => corpus_dir.to_string(),
        },
    );
    for Level { k, before, after } in summary.k_paths.iter().flatten() {
        let new = after.covered.saturating_sub(*before);
        row(
            format!("{k}-paths"),
            format!("{after}, {before} before, {new} new"),
        );
    }
    if let Some(invalid @ 1..) = summary.invalid {
        row("no sentences".into(), format!("{invalid} of the corpus"));
    }
    if let Some(PathCounts { k, covered, total }) = summary.k_paths_run {
        let share = Share { covered, total };
        row("k-paths run".into(), format!("{share}, k = {k}"));
    }
    if let Some(texts) = &summary.texts {
        let share = Share {
            covered: texts.hits,
            total: texts.hits + texts.misses,
        };
        row(
            "texts known".into(),
            format!(
                "{share} without parsing, {} refused, {} beyond the budget",
                texts.refused, texts.exhausted
            ),
        );
    }
    if let Some(AimSummary { function, counts }) = &summary.aim {
        let share = Share {
            covered: counts.reached,
            total: counts.runs,
        };
        row(
            "aim".into(),
            match counts.reached {
                0 => format!("no run has reached {function}"),
                _ => format!(
                    "{share} of the runs have reached {function}, the first one after {}",
                    counts.first
                ),
            },
        );
    }
    for GoalSummary { name, greatest } in &summary.goals {
        row(
            format!("goal {name}"),
            match greatest {
                Some(greatest) => greatest.to_string(),
                None => "never reported".into(),
            },
        );
    }
    for path in summary.crashes {
        row("failed".into(), path.display().to_string());
    }
    table(out, &rows)?;
    if summary.operators.is_empty() {
        return Ok(());
    }
    let heads = ["operator", "inputs", "kept", "new k-paths", "us", "share"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for counts in summary.operators {
        let time = counts.microseconds as f64 / counts.tried.max(1) as f64;
        rows.push(vec![
            counts.name.clone(),
            counts.tried.to_string(),
            counts.kept.to_string(),
            counts.new_paths.to_string(),
            format!("{time:.1}"),
            format!("{:.1} %", counts.share as f64 / 10.0),
        ]);
    }
    writeln!(out)?;
    table(out, &rows)
}
