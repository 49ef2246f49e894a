//! `pleach predict`: what inputs would reach, by a model.

use std::path::PathBuf;

use clap::Args;
use pleach_associate::Model;
use pleach_associate::model::Confusion;
use pleach_core::{Codec, slip};
use serde::Serialize;

use crate::args::JsonArgs;
use crate::failure::{Answer, Failure, warn};
use crate::input::{InputFile, collect, read_input};
use crate::output::Output;
use crate::recognize::KindArgs;
use crate::report::{count, table};
use crate::target::TargetArgs;
use crate::text::BudgetArgs;

use super::explain::Trial;
use super::inputs::extract;
use super::{check, load, median, named, noun, percent};

/// Say what inputs would reach, without running them
///
/// Prints for each input the functions of the model that it would reach, as the trees say. With --reaching, lists only the inputs that would reach
/// one of the functions that are named, and exits with 1 if there is none: the tests to run for a change. With --check, the target is built and run,
/// and the report says how often the trees are right.
///
/// Example: pleach predict json.model fuzz/corpus/json --reaching parse_object
///
/// Example: pleach predict json.model fuzz/corpus/json --check json
#[derive(Args, Debug)]
pub(crate) struct Predict {
    /// The model
    model: PathBuf,
    /// Files, or directories of files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    kind: KindArgs,
    /// List the inputs that would reach this function, or FILE:LINE; may be repeated
    #[arg(long, value_name = "FUNCTION")]
    reaching: Vec<String>,
    /// Run the inputs in this target, and say how often the trees are right
    #[arg(long, value_name = "TARGET", conflicts_with = "reaching")]
    check: Option<String>,
    #[command(flatten)]
    target_args: CheckArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    format: JsonArgs,
}

// How the target of --check is found and built.
#[derive(Args, Clone, Debug)]
pub(super) struct CheckArgs {
    /// Run this program instead of building the target
    #[arg(long, value_name = "FILE", requires = "check")]
    program: Option<PathBuf>,
    /// Features of the fuzz package to build the target with, with commas between them
    #[arg(long, value_name = "FEATURES", requires = "check")]
    features: Option<String>,
    /// The directory of the fuzz package [default: the nearest `fuzz`]
    #[arg(long, value_name = "DIR", requires = "check")]
    fuzz_dir: Option<PathBuf>,
}

impl CheckArgs {
    /// What finds a target.
    pub(super) fn target_args(&self) -> TargetArgs {
        TargetArgs::of_program(
            self.program.clone(),
            self.features.clone(),
            self.fuzz_dir.clone(),
        )
    }
}

/// An input and what it would reach.
#[derive(Serialize)]
struct Predicted {
    file: String,
    functions: Vec<String>,
}

#[derive(Serialize)]
struct Report {
    inputs: Vec<Predicted>,
    left_out: u64,
}

/// How often trees are right.
#[derive(Serialize)]
struct CheckReport {
    inputs: u64,
    left_out: u64,
    classes: u64,
    /// Over all classes and inputs.
    #[serde(flatten)]
    pooled: Trial,
    /// The means over classes.
    mean: Trial,
    /// The medians over classes.
    median: Trial,
}

/// The inputs that are sentences.
struct Inputs {
    files: Vec<InputFile>,
    texts: Vec<Vec<u8>>,
    answers: Vec<Vec<bool>>,
    left_out: u64,
}

impl Predict {
    pub(crate) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let model = load(&self.model)?;
        let wanted = self.reaching.iter().map(|name| named(&model, name));
        let wanted: Vec<usize> = wanted.collect::<Result<Vec<_>, _>>()?.concat();
        let inputs = self.read(&model)?;
        if let Some(target) = &self.check {
            return self.compare(&model, &inputs, target, out);
        }
        let predicted = |input: usize, classes: &mut dyn Iterator<Item = usize>| {
            let answers = &inputs.answers[input];
            let reached = classes.filter(|&class| model.predicts(class, answers));
            let names = reached.map(|class| model.known()[class].class.name.clone());
            Predicted {
                file: inputs.files[input].path.display().to_string(),
                functions: names.collect(),
            }
        };
        let mut all: Vec<Predicted> = (0..inputs.files.len())
            .map(|input| match wanted.is_empty() {
                true => predicted(input, &mut (0..model.known().len())),
                false => predicted(input, &mut wanted.iter().copied()),
            })
            .collect();
        if !wanted.is_empty() {
            all.retain(|it| !it.functions.is_empty());
        }
        let is_none = all.is_empty();
        if self.format.json {
            out.json(&Report {
                inputs: all,
                left_out: inputs.left_out,
            })?;
        } else {
            for Predicted { file, functions } in &all {
                if !wanted.is_empty() {
                    writeln!(out, "{file}")?;
                    continue;
                }
                let number = count(functions.len() as u64, noun(model.origin().of));
                writeln!(out, "{file}: {number}")?;
                for function in functions {
                    writeln!(out, "  {function}")?;
                }
            }
        }
        Ok(match is_none && !wanted.is_empty() {
            true => Answer::No,
            false => Answer::Yes,
        })
    }

    fn read(&self, model: &Model) -> Result<Inputs, Failure> {
        let files = collect(&self.paths)?;
        let graph = model.graph();
        let is_text = self.kind.of_files(graph, &files)?.is_text();
        let codec = Codec::new(graph);
        let texts = files.iter().map(|file| {
            let mut input = Vec::new();
            read_input(&file.path, &mut input)?;
            Ok(match is_text {
                true => input,
                false => slip::text(&codec, &input),
            })
        });
        let texts = texts.collect::<Result<Vec<_>, Failure>>()?;
        let extractor = model.extractor();
        let extractor = extractor.map_err(|error| Failure::of(self.model.display(), error))?;
        let vectors = extract(&extractor, &texts, self.budget.budget())?;
        let mut inputs = Inputs {
            files: Vec::new(),
            texts: Vec::new(),
            answers: Vec::new(),
            left_out: 0,
        };
        for ((file, text), vector) in files.into_iter().zip(texts).zip(vectors) {
            match vector {
                Ok(vector) => {
                    inputs.files.push(file);
                    inputs.texts.push(text);
                    inputs.answers.push(model.answers(&vector));
                }
                Err(_) => inputs.left_out += 1,
            }
        }
        if inputs.files.is_empty() {
            return Err(Failure::new(
                format_args!(
                    "none of {} is a sentence of the model's grammar",
                    count(inputs.left_out, "input")
                ),
                "name other inputs, or a model of their grammar",
            ));
        }
        if inputs.left_out > 0 {
            warn(format_args!(
                "{} left out: not sentences of the model's grammar",
                count(inputs.left_out, "input")
            ));
        }
        Ok(inputs)
    }

    fn compare(
        &self,
        model: &Model,
        inputs: &Inputs,
        target: &str,
        out: &mut Output,
    ) -> Result<Answer, Failure> {
        let subject = self.target_args.target_args().open(target)?;
        check(model, &subject)?;
        let truth = super::aim::truth(model, &subject, &inputs.texts)?;
        let mut pooled = Confusion::default();
        let mut each: Vec<Confusion> = Vec::new();
        for (class, members) in truth.iter().enumerate() {
            let mut confusion = Confusion::default();
            for (input, answers) in inputs.answers.iter().enumerate() {
                let is_member = members[input / 64] >> (input % 64) & 1 == 1;
                confusion.add(is_member, model.predicts(class, answers));
            }
            pooled.union(&confusion);
            each.push(confusion);
        }
        let over = |of: fn(&Confusion) -> Option<f64>, is_median: bool| {
            let mut shares: Vec<f64> = each.iter().filter_map(of).collect();
            match is_median {
                true => median(&mut shares),
                false => {
                    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
                }
            }
        };
        let trial = |is_median: bool| Trial {
            accuracy: over(Confusion::accuracy, is_median),
            precision: over(Confusion::precision, is_median),
            recall: over(Confusion::recall, is_median),
        };
        let report = CheckReport {
            inputs: inputs.files.len() as u64,
            left_out: inputs.left_out,
            classes: each.len() as u64,
            pooled: Trial::of(&pooled),
            mean: trial(false),
            median: trial(true),
        };
        if self.format.json {
            out.json(&report)?;
            return Ok(Answer::Yes);
        }
        let share = |share: Option<f64>| share.map_or_else(|| "-".into(), percent);
        let of = noun(model.origin().of);
        let row = |name: &str, of: fn(&Trial) -> Option<f64>| {
            vec![
                name.to_owned(),
                share(of(&report.pooled)),
                share(of(&report.mean)),
                share(of(&report.median)),
            ]
        };
        let rows = [
            vec![
                String::new(),
                "in all".into(),
                format!("mean {of}"),
                format!("median {of}"),
            ],
            row("accuracy", |it| it.accuracy),
            row("precision", |it| it.precision),
            row("recall", |it| it.recall),
        ];
        table(out, &rows)?;
        let inputs = count(report.inputs, "input");
        writeln!(out, "\n{inputs}, {}", count(report.classes, of))?;
        Ok(Answer::Yes)
    }
}
