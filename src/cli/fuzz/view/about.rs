//! What is said of a campaign besides what the engine reports: failures by their places, a sentence now and then, and silence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use pleach_core::{Codec, slip};

use crate::input::{is_hidden, read_input};
use crate::report::excerpt;
use crate::target::engine::Reading;
use crate::target::runs;

use super::block::clock;

/// Seconds without a new edge that are worth a word.
const LONG: u64 = 120;
/// Inputs that are run at once to find out where they fail, and the seconds that each may take.
const RUN_AGAIN: usize = 4;
const TIMEOUT: u32 = 2;
/// Places of failures that are shown.
const PLACES: usize = 4;
/// The characters of a sentence that are looked at; the window may show fewer.
const SAMPLE: usize = 400;

/// Where sentences are taken from.
#[derive(Debug)]
pub(in crate::fuzz) struct Sample {
    pub(in crate::fuzz) corpus: PathBuf,
    /// What decodes inputs, unless they are texts.
    pub(in crate::fuzz) codec: Option<Codec>,
}

impl Sample {
    /// The input that came last.
    pub(super) fn take(&self) -> Option<String> {
        let entries = fs::read_dir(&self.corpus).ok()?.flatten();
        let inputs = entries.filter(|entry| !is_hidden(&entry.file_name()));
        let newest = inputs.max_by_key(|entry| {
            let metadata = entry.metadata().ok();
            metadata.and_then(|it| it.modified().ok())
        });
        let mut bytes = Vec::new();
        read_input(&newest?.path(), &mut bytes).ok()?;
        let text = match &self.codec {
            Some(codec) => slip::text(codec, &bytes),
            None => bytes,
        };
        let text = excerpt(&text, SAMPLE);
        // In one line, whatever it has.
        Some(text.replace('\n', "\u{2424}").replace('\t', " "))
    }
}

/// The failures of a campaign that goes on behind them, by their places: what the target does with new artifacts.
#[derive(Debug, Default)]
pub(in crate::fuzz) struct Failures {
    pub(in crate::fuzz) program: Option<PathBuf>,
    pub(in crate::fuzz) artifacts: PathBuf,
    /// Files that are known, those of older campaigns among them.
    pub(in crate::fuzz) known: BTreeSet<PathBuf>,
    pub(in crate::fuzz) places: BTreeMap<String, u64>,
}

impl Failures {
    /// Runs a few of the inputs that have failed since.
    pub(super) fn look(&mut self) {
        let Some(program) = &self.program else { return };
        let new = crate::fuzz::files(&self.artifacts);
        let new = new.difference(&self.known).take(RUN_AGAIN).cloned();
        for file in new.collect::<Vec<_>>() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let place = match name.split('-').next() {
                Some("timeout") => Some("timeout".to_owned()),
                Some("crash") => {
                    let outcomes = runs::run(program, std::slice::from_ref(&file), TIMEOUT, |_| {});
                    let outcome = outcomes.ok().and_then(|it| it.into_iter().next());
                    Some(outcome.flatten().unwrap_or_else(|| "not again".into()))
                }
                Some("oom") => Some("out of memory".to_owned()),
                // What is slow is no failure.
                _ => None,
            };
            if let Some(place) = place {
                *self.places.entry(place).or_default() += 1;
            }
            self.known.insert(file);
        }
    }

    /// The places, the most frequent first.
    pub(super) fn rows(&self) -> Vec<String> {
        let mut places: Vec<_> = self.places.iter().collect();
        places.sort_by_key(|&(place, &count)| (std::cmp::Reverse(count), place));
        let row = |&(place, count): &(&String, &u64)| format!("{place} ({count})");
        let mut rows: Vec<String> = places.iter().take(PLACES).map(row).collect();
        if places.len() > PLACES {
            rows.push(format!("and {} other places", places.len() - PLACES));
        }
        rows
    }
}

/// What is said of a campaign besides what the engine reports.
#[derive(Debug)]
pub(in crate::fuzz) struct About {
    pub(in crate::fuzz) target: String,
    /// How long it is to take, if that is known.
    pub(in crate::fuzz) seconds: Option<u32>,
    pub(in crate::fuzz) sample: Sample,
    pub(in crate::fuzz) failures: Failures,
}

/// When an edge was covered first that nothing had covered before.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct News {
    pub(super) edges: u64,
    /// The seconds of the campaign.
    pub(super) at: u64,
}

impl News {
    pub(super) fn take(&mut self, reading: &Reading, seconds: u64) {
        if reading.edges > self.edges {
            *self = News {
                edges: reading.edges,
                at: seconds,
            };
        }
    }

    /// How long there has been none, if that is long, and what to do then.
    pub(super) fn silence(self, target: &str, seconds: u64) -> Option<String> {
        let silent = seconds - self.at;
        (silent >= LONG && 2 * silent > seconds).then(|| {
            format!(
                "no new edge for {}; `pleach stuck {target}` asks why",
                clock(silent)
            )
        })
    }
}
