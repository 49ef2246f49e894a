//! `cargo xtask judge`: how well imported grammars fit, in the eyes of the tools that they are written for.
//!
//! A grammar is judged both ways. Sentences that pleach makes of it are shown to the real parser, and texts of public packages that the
//! real parser accepts are parsed by pleach. Half of the texts, told by a hash of their names, may be looked at: what is wrong with them is
//! reported. The others are only counted.
//!
//! What a build of this tool has found out is kept in `target/judge`, so a run that was stopped goes on where it was.

mod antlr;
mod pest;
mod report;
mod system;
#[cfg(test)]
mod tests;
mod tree_sitter;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context as _, Result, ensure};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::fetch::{self, Package, Registry};
use super::files::{File, files_below};
use super::{print, root};
use report::Report;

/// Texts that are larger are left out.
const MAX_TEXT_BYTES: u64 = 100 << 10;
/// The most texts of one package.
const MAX_TEXTS: usize = 40;

/// Compare imported grammars with the real ANTLR, tree-sitter or pest
///
/// Sentences that pleach makes are shown to the real parser, and texts that the real parser accepts are parsed by pleach. Half of the
/// texts may be looked at, told by the SHA-256 of their names; the details have nothing of the others. What was found is kept in
/// target/judge/BUILD: a run that was stopped goes on, and a new build of this tool begins anew.
///
/// Needs cargo, npm and tar; for ANTLR, a Java development kit.
///
/// Example: cargo xtask judge tree-sitter json css
#[derive(Args)]
pub(crate) struct Judge {
    #[command(subcommand)]
    tool: Tool,
    /// How many sentences of each grammar are shown
    #[arg(
        short,
        long = "count",
        value_name = "N",
        default_value_t = 100,
        global = true
    )]
    n: u64,
    /// Fix all randomness; the same number gives the same sentences
    #[arg(long, value_name = "N", default_value_t = 0, global = true)]
    random_seed: u64,
}

#[derive(Subcommand)]
enum Tool {
    Antlr(antlr::Antlr),
    Pest(pest::Pest),
    TreeSitter(tree_sitter::TreeSitter),
}

/// A grammar with the tool that judges it, and texts for both.
struct Subject {
    name: String,
    grammar: PathBuf,
    /// The nonterminal to start at, if not the first.
    start: Option<String>,
    texts: Vec<File>,
    /// The tool, except for the directory that it may write to, which is put in the place of [`SCRATCH`].
    tool: Vec<String>,
}

/// Stands for a new directory in the arguments of a tool.
const SCRATCH: &str = "{scratch}";

/// What was found out about a subject.
#[derive(Serialize, Deserialize, Default, Clone, Debug, PartialEq)]
struct Finding {
    name: String,
    /// Why there is nothing else: pleach does not read the grammar, or the tool does not.
    failed: Option<String>,
    /// What the importer says that it leaves out, by kinds.
    left_out: Vec<String>,
    /// Sentences that the tool has judged, and accepted.
    sentences: Share,
    /// Texts that the tool accepts, and pleach parses: those that may be looked at, and the others.
    seen: Share,
    unseen: Share,
    /// What is wrong with sentences and with texts that may be looked at.
    details: Vec<String>,
}

/// A part of a whole.
#[derive(Serialize, Deserialize, Default, Clone, Copy, Debug, PartialEq)]
struct Share {
    part: u64,
    whole: u64,
}

impl Share {
    fn count(&mut self, is_in: bool) {
        self.part += u64::from(is_in);
        self.whole += 1;
    }
}

impl Judge {
    pub(crate) fn run(self) -> Result<()> {
        let subjects = match &self.tool {
            Tool::Antlr(tool) => tool.subjects()?,
            Tool::Pest(tool) => tool.subjects()?,
            Tool::TreeSitter(tool) => tool.subjects()?,
        };
        ensure!(!subjects.is_empty(), "there is no grammar to judge");
        let build = Sha256::digest(fs::read(std::env::current_exe()?)?);
        let build: String = build[..6].iter().map(|it| format!("{it:02x}")).collect();
        let dir = root().join("target/judge").join(build);
        fs::create_dir_all(&dir).with_context(|| dir.display().to_string())?;
        let findings = self.findings(&subjects, &dir)?;
        print(format_args!(
            "{}",
            Report {
                findings: &findings
            }
        ));
        print(format_args!("\nThe details are in {}.\n", dir.display()));
        Ok(())
    }

    /// What is found out about all subjects, on all cores.
    fn findings(&self, subjects: &[Subject], dir: &Path) -> Result<Vec<Finding>> {
        let progress = ProgressBar::new(subjects.len() as u64);
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || -> Result<()> {
            while let Some(subject) = subjects.get(next.fetch_add(1, Ordering::Relaxed)) {
                let finding = self.kept(subject, dir)?;
                found.lock().expect("nobody panics with it").push(finding);
                progress.inc(1);
            }
            Ok(())
        };
        thread::scope(|scope| {
            let threads = thread::available_parallelism().map_or(1, usize::from);
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            threads
                .into_iter()
                .try_for_each(|it| it.join().expect("it does not panic"))
        })?;
        progress.finish_and_clear();
        let mut found = found.into_inner().expect("nobody panics with it");
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// What is known about a subject, or is found out now and kept.
    fn kept(&self, subject: &Subject, dir: &Path) -> Result<Finding> {
        let name = subject.name.replace(['/', '\\'], "__");
        let path = dir.join(format!("{name}-{}-{}.json", self.n, self.random_seed));
        if let Ok(text) = fs::read(&path) {
            return serde_json::from_slice(&text).with_context(|| path.display().to_string());
        }
        let mut finding = Finding {
            name: subject.name.clone(),
            ..Finding::default()
        };
        if let Err(reason) = self.find(subject, &mut finding) {
            finding.failed = Some(format!("{reason:#}"));
        }
        fs::write(&path, serde_json::to_vec_pretty(&finding)?)
            .with_context(|| path.display().to_string())?;
        Ok(finding)
    }

    fn find(&self, subject: &Subject, finding: &mut Finding) -> Result<()> {
        let system = system::load(&subject.grammar, subject.start.as_deref(), finding)?;
        let folder = tempfile::tempdir()?;
        let mut sentences = Vec::new();
        for (at, text) in system
            .sentences(self.n, self.random_seed)
            .into_iter()
            .enumerate()
        {
            let path = folder.path().join(at.to_string());
            fs::write(&path, &text)?;
            sentences.push(File {
                path,
                name: String::from_utf8_lossy(&text).into_owned(),
            });
        }
        let all = sentences.iter().chain(&subject.texts);
        let verdicts = subject.verdicts(all.map(|file| file.path.as_path()))?;
        let (of_sentences, of_texts) = verdicts.split_at(sentences.len());
        for (sentence, verdict) in sentences.iter().zip(of_sentences) {
            let Some(is_accepted) = *verdict else {
                continue;
            };
            finding.sentences.count(is_accepted);
            if !is_accepted {
                finding
                    .details
                    .push(format!("refused: {:?}", sentence.name));
            }
        }
        for (text, verdict) in subject.texts.iter().zip(of_texts) {
            if *verdict != Some(true) {
                continue;
            }
            let refusal = system.refusal(&fs::read(&text.path)?);
            if is_seen(&text.name) {
                finding.seen.count(refusal.is_none());
                finding
                    .details
                    .extend(refusal.map(|it| format!("{}: {it}", text.name)));
            } else {
                finding.unseen.count(refusal.is_none());
            }
        }
        Ok(())
    }
}

impl Subject {
    /// What the tool says of files: accepted or refused, or nothing where it cannot tell.
    fn verdicts<'f>(&self, files: impl Iterator<Item = &'f Path>) -> Result<Vec<Option<bool>>> {
        let folder = tempfile::tempdir()?;
        let mut names = tempfile::tempfile()?;
        let mut count = 0;
        for file in files {
            writeln!(names, "{}", file.display())?;
            count += 1;
        }
        std::io::Seek::rewind(&mut names)?;
        let scratch = folder.path().display().to_string();
        let arguments = self.tool.iter().map(|it| it.replace(SCRATCH, &scratch));
        let arguments: Vec<String> = arguments.collect();
        let (program, rest) = arguments.split_first().context("there is no tool")?;
        let mut command = Command::new(program);
        let output = command
            .args(rest)
            .stdin(names)
            .stderr(Stdio::null())
            .output();
        let output = output.with_context(|| format!("cannot run {program}"))?;
        ensure!(
            output.status.success(),
            "the tool does not take the grammar: {}",
            output.status
        );
        let lines = String::from_utf8(output.stdout)?;
        let verdicts: Vec<Option<bool>> = lines.lines().filter_map(verdict).collect();
        ensure!(
            verdicts.len() == count,
            "the tool judges {} files of {count}",
            verdicts.len()
        );
        Ok(verdicts)
    }
}

/// A verdict; nothing if a line has none, as what the code in a grammar prints.
fn verdict(line: &str) -> Option<Option<bool>> {
    match line {
        "accepted" => Some(Some(true)),
        "refused" => Some(Some(false)),
        "undecided" => Some(None),
        _ => None,
    }
}

/// Whether a text may be looked at: the SHA-256 of its name is even.
fn is_seen(name: &str) -> bool {
    Sha256::digest(name)[31].is_multiple_of(2)
}

/// The texts of packages, by the extension of their names; of each package a sample that hashes of names choose.
fn texts(packages: &[Package], extensions: &[&str]) -> Result<Vec<File>> {
    let mut all = Vec::new();
    for package in packages {
        let dir = package.fetch(&root().join("target/samples"))?;
        let mut files = files_below(&dir)?;
        files.retain(|file| {
            let extension = file.path.extension().and_then(|it| it.to_str());
            let size = fs::metadata(&file.path).map_or(u64::MAX, |it| it.len());
            extension.is_some_and(|it| extensions.contains(&it)) && size <= MAX_TEXT_BYTES
        });
        for file in &mut files {
            file.name = format!("{}/{}", package.name, file.name);
        }
        files.sort_by_cached_key(|file| Sha256::digest(&file.name));
        files.truncate(MAX_TEXTS);
        all.append(&mut files);
    }
    Ok(all)
}

/// The program with the parsers of tree-sitter and pest, built with optimization, and where the packages are that it is made of, by name.
fn parsers() -> Result<(PathBuf, Vec<(String, PathBuf)>)> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Found>,
    }
    #[derive(Deserialize)]
    struct Found {
        name: String,
        manifest_path: PathBuf,
    }
    let dir = root().join("fuzz/judge");
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--locked", "--quiet", "--target-dir"]);
    fetch::run(build.arg(dir.join("target")).current_dir(&dir))?;
    let mut metadata = Command::new("cargo");
    metadata.args(["metadata", "--locked", "--format-version", "1"]);
    let metadata = metadata
        .current_dir(&dir)
        .stderr(Stdio::inherit())
        .output()?;
    let metadata: Metadata =
        serde_json::from_slice(&metadata.stdout).context("cargo metadata has failed")?;
    let packages = metadata
        .packages
        .into_iter()
        .filter_map(|it| Some((it.name, it.manifest_path.parent()?.to_owned())));
    Ok((dir.join("target/release/pleach-judge"), packages.collect()))
}

const fn npm(name: &'static str, version: &'static str, sum: &'static str) -> Package {
    Package {
        registry: Registry::Npm,
        name,
        version,
        sum,
    }
}

const fn of_crate(name: &'static str, version: &'static str, sum: &'static str) -> Package {
    Package {
        registry: Registry::Crates,
        name,
        version,
        sum,
    }
}
