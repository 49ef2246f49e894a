//! `pleach surround`: the surroundings of failures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use pleach_core::choice::{Lexemes, SiteIndex};
use pleach_core::generate::{Limits, Sampler};
use pleach_core::model::{Model, Tables};
use pleach_core::rng::Rng;
use pleach_core::{Codec, Parser, slip};
use serde::Serialize;

use crate::args::{JsonArgs, RandomArgs};
use crate::failure::{Answer, Failure, warn};
use crate::folder::Folder;
use crate::input::{collect, read_input};
use crate::model::{Mode, ReadingArgs};
use crate::output::{Existing, Output, write_file};
use crate::progress::Progress;
use crate::report::{count, table};
use crate::source::Source;
use crate::target::runs;
use crate::target::{Subject, TargetArgs};
use crate::text::{BudgetArgs, parse_one};

/// Make inputs like those that failed, and see what they do
///
/// Runs the ARTIFACTS of a fuzz target, learns a model from those that fail, generates inputs that follow it, no larger than the
/// largest of them, and runs these. Failures are told apart by where they panic, so the report says how often the same failure
/// comes back, which is a measure for how well the artifacts describe it, and which new ones are near: run it on the fixed program
/// to see whether the fix is complete.
///
/// The target is built as `pleach fuzz` builds it, or --program names one that is. Its exit code is 1 if no failure comes back.
///
/// Example: pleach surround json fuzz/artifacts/json -n 1000
#[derive(Args, Debug)]
pub(crate) struct Surround {
    /// The fuzz target
    target: String,
    /// Inputs that fail: files, or directories of files
    #[arg(required = true, value_name = "ARTIFACT")]
    artifacts: Vec<PathBuf>,
    /// How many inputs to make
    #[arg(short, value_name = "N", default_value_t = 1000)]
    n: u64,
    /// Tell choices apart by so many references above them, at most 8
    #[arg(long, value_name = "K", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=8))]
    context: u8,
    #[command(flatten)]
    reading: ReadingArgs,
    /// The nodes of a derivation that follow the model [default: those of the largest artifact]
    #[arg(long, value_name = "N")]
    max_nodes: Option<u32>,
    /// Keep the generated inputs that fail in this directory, a new or an empty one
    #[arg(short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Add to a directory that is not empty
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    random: RandomArgs,
    #[command(flatten)]
    format: JsonArgs,
    #[command(flatten)]
    subject: TargetArgs,
}

/// A failure by its place.
#[derive(Default, Serialize)]
struct Failing {
    place: String,
    /// The artifacts that fail there.
    artifacts: u64,
    /// The generated inputs that do.
    generated: u64,
}

#[derive(Serialize)]
struct Report {
    artifacts: u64,
    /// Artifacts that do not fail.
    passing: u64,
    /// Different inputs that were made.
    generated: u64,
    /// Those that fail.
    failing: u64,
    /// Failures of artifacts that came back.
    reproduced: u64,
    /// Failures of no artifact.
    new: u64,
    failures: Vec<Failing>,
}

impl Surround {
    pub(crate) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let files = collect(&self.artifacts)?;
        let mut kept = match &self.output {
            Some(path) => Some(Folder::open(path, self.force)?),
            None => None,
        };
        let Subject {
            program,
            source,
            is_text,
            ..
        } = &self.subject.open(&self.target)?;
        let (is_text, timeout) = (*is_text, self.subject.timeout);
        let paths: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
        let outcomes = runs::run(program, &paths, timeout, |_| {})?;
        let mut failures: BTreeMap<String, Failing> = BTreeMap::new();
        let mut failing = Vec::new();
        for (path, place) in paths.iter().zip(&outcomes) {
            if let Some(place) = place {
                failures.entry(place.clone()).or_default().artifacts += 1;
                failing.push(path);
            }
        }
        if failing.is_empty() {
            return Err(Failure::new(
                format_args!("none of {} fails", count(paths.len() as u64, "artifact")),
                "name inputs that fail in this target, as it is built now",
            ));
        }
        let model = self.learn(source, &failing, is_text)?;
        let inputs = self.generate(model, is_text);
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::file("make a directory for", Path::new("inputs"), &error))?;
        let mut paths = Vec::with_capacity(inputs.len());
        for (at, input) in inputs.iter().enumerate() {
            let path = folder.path().join(at.to_string());
            write_file(&path, input, Existing::Keep)?;
            paths.push(path);
        }
        let progress = Progress::new(paths.len() as u64, "inputs");
        let found = runs::run(program, &paths, timeout, |done| progress.add(done))?;
        drop(progress);
        for (input, place) in inputs.iter().zip(found) {
            if let Some(place) = place {
                failures.entry(place).or_default().generated += 1;
                if let Some(kept) = &mut kept {
                    kept.add(input)?;
                }
            }
        }
        let mut failures: Vec<Failing> = failures
            .into_iter()
            .map(|(place, failing)| Failing { place, ..failing })
            .collect();
        failures.sort_by_key(|it| std::cmp::Reverse((it.artifacts, it.generated)));
        let number = |is_it: fn(&&Failing) -> bool| failures.iter().filter(is_it).count() as u64;
        let report = Report {
            artifacts: files.len() as u64,
            passing: (files.len() - failing.len()) as u64,
            generated: inputs.len() as u64,
            failing: failures.iter().map(|it| it.generated).sum(),
            reproduced: number(|it| it.artifacts > 0 && it.generated > 0),
            new: number(|it| it.artifacts == 0),
            failures,
        };
        match self.format.json {
            true => out.json(&report)?,
            false => print(&report, out)?,
        }
        Ok(match report.reproduced {
            0 => Answer::No,
            _ => Answer::Yes,
        })
    }

    fn learn(
        &self,
        source: &Source,
        artifacts: &[&PathBuf],
        is_text: bool,
    ) -> Result<Model, Failure> {
        let codec = Arc::new(Codec::new(&source.graph));
        let mut model = Model::new(&codec, usize::from(self.context));
        let parser = is_text.then(|| Parser::new(&source.graph));
        let (mut input, mut refused) = (Vec::new(), 0u64);
        for path in artifacts {
            read_input(path, &mut input)?;
            let choices = match &parser {
                None => slip::split(&input).0.to_vec(),
                Some(parser) => {
                    let name = path.display().to_string();
                    let mut choices = Vec::new();
                    let parsed = parse_one(parser, &name, &input, self.budget, |forest| {
                        forest.choices(&mut choices)
                    });
                    if parsed?.is_err() {
                        refused += 1;
                        continue;
                    }
                    choices
                }
            };
            let learned = model.learn(&choices);
            learned.map_err(|error| Failure::of(path.display(), error))?;
        }
        if refused > 0 {
            warn(format_args!(
                "{refused} of {} left out: not sentences of {}",
                count(artifacts.len() as u64, "artifact"),
                source.name
            ));
        }
        match model.samples() {
            0 => Err(Failure::new(
                "no artifact that fails is a sentence",
                "name others, or another grammar",
            )),
            _ => Ok(model),
        }
    }

    /// Makes different inputs.
    fn generate(&self, model: Model, is_text: bool) -> Vec<Vec<u8>> {
        let largest = u32::try_from(model.largest()).unwrap_or(u32::MAX);
        let nodes = match self.reading.mode {
            Some(Mode::Failure) | None => largest,
            Some(_) => largest.max(1000),
        };
        let nodes = self.max_nodes.unwrap_or(nodes).min(Limits::NONE.max_nodes);
        let tables = Tables::new(&model, &self.reading.reading());
        let codec = model.codec().clone();
        let mut sampler = Sampler::new(&codec, tables, Limits::NONE, nodes);
        let (mut rng, mut index) = (Rng::new(self.random.random_seed), SiteIndex::new());
        let mut lexemes = Lexemes::default();
        let mut inputs = Vec::new();
        let mut known = std::collections::BTreeSet::new();
        for _ in 0..self.n {
            sampler.sample(&mut rng, &mut index);
            let input = match is_text {
                true => codec.text(&index, &mut lexemes),
                false => index.canonical(),
            };
            if known.insert(input.to_vec()) {
                inputs.push(input.to_vec());
            }
        }
        inputs
    }
}

fn print(report: &Report, out: &mut Output) -> Result<(), Failure> {
    let Report {
        artifacts,
        passing,
        generated,
        failing,
        reproduced,
        new,
        ..
    } = report;
    let share = |number: u64, of: u64| {
        format!(
            "{number} / {of} ({:.1} %)",
            number as f64 * 100.0 / of.max(1) as f64
        )
    };
    let known = report.failures.iter().filter(|it| it.artifacts > 0).count() as u64;
    let rows = [
        (
            "artifacts that fail",
            share(artifacts - passing, *artifacts),
        ),
        ("inputs that fail", share(*failing, *generated)),
        ("failures reproduced", share(*reproduced, known)),
        ("new failures", new.to_string()),
    ];
    table(out, &rows.map(|(name, value)| vec![name.to_owned(), value]))?;
    writeln!(out)?;
    let mut rows = vec![
        ["artifacts", "inputs", "failure"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for failure in &report.failures {
        rows.push(vec![
            failure.artifacts.to_string(),
            failure.generated.to_string(),
            failure.place.clone(),
        ]);
    }
    table(out, &rows)
}
