//! Results on disk: a directory for each subject, arm and seed, with a summary, whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::campaign::{Crash, Found};
use crate::engine::RunPaths;
use crate::measure::Measured;
use crate::plan::Arm;
use crate::subject::About;

/// The format of summaries; others are not read.
const FORMAT: u32 = 1;
const NAME: &str = "summary.json";

/// What a campaign has come to, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// `FORMAT`.
    pub format: u32,
    /// What the result depends on, apart from chance: the same digest is not run again.
    pub digest: String,
    /// The subject's key.
    pub subject: String,
    /// What the subject says of itself.
    pub about: About,
    /// How it was fuzzed.
    pub arm: Arm,
    /// Seed of the engine's random numbers.
    pub seed: u64,
    /// The budget, in CPU seconds.
    pub seconds: f64,
    /// With what.
    pub versions: Versions,
    /// CPU seconds.
    pub cpu: f64,
    /// Wall clock seconds.
    pub wall: f64,
    /// Runs of the target.
    pub executions: u64,
    /// How often the engine was started.
    pub starts: u32,
    /// Inputs in the corpus at the end.
    pub corpus: u64,
    /// Why the campaign ended before its time, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_up: Option<String>,
    /// Inputs that stopped the engine, by place.
    pub crashes: Vec<Crash>,
    /// The subject's known bugs.
    pub bugs: Vec<Found>,
    /// What all runs have covered, kept by the engine or not, if the mutator has said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_paths: Option<RunPaths>,
    /// What the corpus is worth.
    pub measured: Measured,
}

/// With what a result was made.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct Versions {
    /// The package under test.
    pub subject: String,
    /// The revision of pleach, with a mark if files were changed.
    pub pleach: String,
    /// The compiler.
    pub rustc: String,
    /// Whose flags the binaries are compiled with.
    pub cargo_fuzz: String,
    /// These flags.
    pub flags: String,
    /// The processor.
    pub cpu: String,
}

/// A directory of results.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    dir: PathBuf,
}

impl Store {
    /// Results in this directory.
    pub(crate) fn new(dir: &Path) -> Store {
        Store {
            dir: dir.to_owned(),
        }
    }

    /// Where a result is or will be.
    fn place(&self, subject: &str, arm: &str, seed: u64) -> PathBuf {
        self.dir.join(subject).join(arm).join(seed.to_string())
    }

    /// A finished result, if there is one that can be read.
    pub(crate) fn find(&self, subject: &str, arm: &str, seed: u64) -> Option<Summary> {
        let text = fs::read(self.place(subject, arm, seed).join(NAME)).ok()?;
        let summary: Summary = serde_json::from_slice(&text).ok()?;
        (summary.format == FORMAT).then_some(summary)
    }

    /// A directory to work in, removed if it is not finished.
    pub(crate) fn begin(&self) -> Result<tempfile::TempDir> {
        fs::create_dir_all(&self.dir).with_context(|| format!("{}", self.dir.display()))?;
        let dir = tempfile::Builder::new()
            .prefix(".unfinished-")
            .tempdir_in(&self.dir);
        dir.with_context(|| format!("{}", self.dir.display()))
    }

    /// Puts a finished result in its place, in the place of another one that is there.
    pub(crate) fn finish(&self, work: tempfile::TempDir, summary: &Summary) -> Result<()> {
        let text = serde_json::to_string_pretty(summary)?;
        fs::write(work.path().join(NAME), text + "\n")?;
        let place = self.place(&summary.subject, &summary.arm.name, summary.seed);
        if let Some(above) = place.parent() {
            fs::create_dir_all(above)?;
        }
        if place.exists() {
            fs::remove_dir_all(&place).with_context(|| format!("{}", place.display()))?;
        }
        fs::rename(work.keep(), &place).with_context(|| format!("{}", place.display()))
    }

    /// All results, sorted by subject, arm and seed.
    pub(crate) fn all(&self) -> Result<Vec<Summary>> {
        let mut summaries = Vec::new();
        for subject in folders(&self.dir)? {
            for arm in folders(&subject)? {
                for seed in folders(&arm)? {
                    let file = seed.join(NAME);
                    if !file.is_file() {
                        continue;
                    }
                    let text = fs::read(&file)?;
                    let summary: Summary = serde_json::from_slice(&text).with_context(|| {
                        format!("{}: no result of this version", file.display())
                    })?;
                    ensure!(
                        summary.format == FORMAT,
                        "{}: a result of another version of the arena",
                        file.display()
                    );
                    summaries.push(summary);
                }
            }
        }
        summaries.sort_by(|a, b| {
            (&a.subject, &a.arm.name, a.seed).cmp(&(&b.subject, &b.arm.name, b.seed))
        });
        Ok(summaries)
    }
}

impl Summary {
    /// The current format.
    pub(crate) fn format() -> u32 {
        FORMAT
    }
}

fn folders(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).with_context(|| format!("{}", dir.display()))?;
    let mut folders = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && !name.as_encoded_bytes().starts_with(b".") {
            folders.push(path);
        }
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::{NAME, Store};
    use crate::fixtures::results;
    use std::fs;

    #[test]
    fn results_are_read_again_even_those_of_earlier_versions() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(dir.path());
        let results = results();
        for result in &results {
            store.finish(store.begin().unwrap(), result).unwrap();
        }
        assert_eq!(store.all().unwrap(), results);

        let file = store.place("program", "pleach", 1).join(NAME);
        let mut summary: serde_json::Value =
            serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let fields = summary.as_object_mut().unwrap();
        assert!(fields.remove("run_paths").is_some());
        fs::write(&file, summary.to_string()).unwrap();
        let read = store.find("program", "pleach", 1).unwrap();
        assert_eq!((read.run_paths, read.bugs), (None, results[0].bugs.clone()));
    }
}
