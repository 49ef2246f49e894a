//! The programs under test: directories with a package and a `subject.toml`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use pleach_core::{Grammar, Graph};
use serde::{Deserialize, Serialize};

/// A program under test.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// The name of its directory, by which it is chosen.
    pub key: String,
    /// Its package.
    pub dir: PathBuf,
    /// The grammar's file.
    pub grammar: PathBuf,
    /// What it says of itself.
    pub about: About,
}

/// `subject.toml`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct About {
    /// The program, in a table.
    pub name: String,
    /// What is done with a text.
    pub does: String,
    /// The grammar's file, from the repository's root.
    pub grammar: String,
    /// Whether much of the program lies behind its parser.
    #[serde(default)]
    pub deep: bool,
    /// Whether it takes minutes to build, so that it runs only by name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub heavy: bool,
    /// Which sentences of the grammar the program refuses, and why, for a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuses: Option<String>,
    /// The package under test, if its name differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The version with the bugs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The version without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<String>,
    /// What is known to be wrong with this version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bugs: Vec<Bug>,
}

/// A known bug.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Bug {
    /// Unique within the subject.
    pub name: String,
    /// The public report.
    pub url: String,
    /// A file in the subject's directory: the public input, as a text.
    pub input: String,
    /// What of the crash's messages identifies it.
    pub panic: String,
}

/// The tree that all paths are relative to.
#[derive(Clone, Debug)]
pub(crate) struct Checkout {
    /// The repository's root.
    pub root: PathBuf,
}

impl Checkout {
    /// `fuzz/arena`.
    pub(crate) fn arena(&self) -> PathBuf {
        self.root.join("fuzz/arena")
    }

    /// What is built and measured, none of it in the repository.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.join("fuzz/target/arena")
    }

    /// All subjects: those of `subjects` and those of `bugs`, each in the order of their names.
    pub(crate) fn subjects(&self) -> Result<[Vec<Subject>; 2]> {
        let mut seen = BTreeMap::new();
        let mut groups = [Vec::new(), Vec::new()];
        for (group, folder) in groups.iter_mut().zip(["subjects", "bugs"]) {
            let folder = self.arena().join(folder);
            if !folder.is_dir() {
                continue;
            }
            let entries = fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))?;
            let mut dirs: Vec<PathBuf> = entries
                .map(|entry| entry.map(|it| it.path()))
                .collect::<Result<_, _>>()?;
            dirs.sort();
            for dir in dirs {
                if !dir.join("subject.toml").is_file() {
                    continue;
                }
                let subject = self.load(&dir)?;
                if let Some(other) = seen.insert(subject.key.clone(), dir.clone()) {
                    bail!(
                        "{} and {} have one name; rename one",
                        other.display(),
                        dir.display()
                    );
                }
                group.push(subject);
            }
        }
        Ok(groups)
    }

    fn load(&self, dir: &Path) -> Result<Subject> {
        let file = dir.join("subject.toml");
        let text = fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
        let about: About = toml::from_str(&text).with_context(|| format!("{}", file.display()))?;
        let grammar = self.root.join(&about.grammar);
        ensure!(
            grammar.is_file(),
            "{}: there is no grammar {}; the path is relative to the repository's root",
            file.display(),
            about.grammar
        );
        for bug in &about.bugs {
            ensure!(
                dir.join(&bug.input).is_file(),
                "{}: there is no file {}, the input of {}",
                file.display(),
                bug.input,
                bug.name
            );
            ensure!(
                !bug.panic.is_empty(),
                "{}: an empty `panic` would match every crash",
                file.display()
            );
        }
        let key = dir
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Subject {
            key,
            dir: dir.to_owned(),
            grammar,
            about,
        })
    }

    /// The subjects that are asked for: by name, `all` for those of `subjects` but the heavy ones, `bugs` for those of `bugs`.
    pub(crate) fn choose(&self, names: &[String]) -> Result<Vec<Subject>> {
        let [plain, bugs] = self.subjects()?;
        let mut chosen: Vec<Subject> = Vec::new();
        for name in names {
            let found: Vec<&Subject> = match name.as_str() {
                "all" => plain.iter().filter(|it| !it.about.heavy).collect(),
                "bugs" => bugs.iter().collect(),
                name => plain
                    .iter()
                    .chain(&bugs)
                    .filter(|it| it.key == name)
                    .collect(),
            };
            if found.is_empty() {
                let all: Vec<&str> = plain
                    .iter()
                    .chain(&bugs)
                    .map(|it| it.key.as_str())
                    .collect();
                bail!(
                    "there is no subject `{name}`; there are {}, and the words all and bugs",
                    all.join(", ")
                );
            }
            for subject in found {
                if chosen.iter().all(|it| it.key != subject.key) {
                    chosen.push(subject.clone());
                }
            }
        }
        Ok(chosen)
    }
}

impl Subject {
    /// The grammar, ready to use.
    pub(crate) fn graph(&self) -> Result<Arc<Graph>> {
        let name = self.grammar.display();
        let text = fs::read(&self.grammar).with_context(|| format!("{name}"))?;
        let grammar = Grammar::parse(&text).map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
        Graph::new(grammar).map_err(|error| anyhow::anyhow!("{name}: {error}"))
    }

    /// The package under test with its version, as the lock file has it.
    pub(crate) fn version(&self) -> String {
        #[derive(Deserialize)]
        struct Lock {
            #[serde(default)]
            package: Vec<Locked>,
        }
        #[derive(Deserialize)]
        struct Locked {
            name: String,
            version: String,
        }
        let name = self.about.package.as_ref().unwrap_or(&self.about.name);
        let lock = fs::read_to_string(self.dir.join("Cargo.lock")).unwrap_or_default();
        let lock: Option<Lock> = toml::from_str(&lock).ok();
        let mut versions = lock
            .into_iter()
            .flat_map(|lock| lock.package)
            .filter(|it| it.name == *name)
            .map(|it| it.version);
        match versions.next() {
            Some(version) => format!("{name} {version}"),
            None => format!("{name} of unknown version"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[&str]) -> Vec<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
        let chosen = Checkout { root }.choose(&names).expect("there are such");
        chosen.into_iter().map(|it| it.key).collect()
    }

    #[test]
    fn heavy_subjects_run_by_name_only() {
        let all = keys(&["all"]);
        assert!(all.contains(&"json".into()), "{all:?}");
        assert!(!all.contains(&"naga".into()), "{all:?}");
        assert_eq!(keys(&["naga", "json"]), ["naga", "json"]);
    }
}
