//! `pleach aim`: inputs that reach a function, by a model.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pleach_associate::aim::{Aimed, Bounds, Outcome};
use pleach_associate::{Aim, Model};
use pleach_core::Codec;
use pleach_core::rng::Rng;
use serde::Serialize;

use crate::args::{ForceArgs, JsonArgs, RandomArgs};
use crate::failure::{Answer, Failure, note};
use crate::folder::Folder;
use crate::output::Output;
use crate::parallel::{ONE, in_parallel};
use crate::progress::Progress;
use crate::report::{count, table};
use crate::target::Subject;

use super::classes::Classes;
use super::predict::CheckArgs;
use super::{check, inputs, load, median, named, noun, percent};

/// Make inputs that reach a function, as a model says
///
/// Each input satisfies the function's tree: it has the k-paths that the way to a leaf demands, and none that it refuses. Where one of the demands
/// cannot hold together with another, the leaf is left out. If no input is found within the bound, the exit code is 1.
///
/// Inputs are written as the target's corpus has them, choice sequences or texts; without -o, texts are printed, one a line. With --check, the
/// target is built, and the report says how many inputs reach what they were made for, and how many of as many random inputs do.
///
/// Example: pleach aim json.model parse_object -n 5
///
/// Example: pleach aim json.model --all -o aimed --check json
#[derive(Args, Debug)]
pub(crate) struct AimVerb {
    /// The model
    model: PathBuf,
    /// Functions, or FILE:LINE
    #[arg(value_name = "FUNCTION", required_unless_present = "all")]
    functions: Vec<String>,
    /// Make inputs for each function of the model
    #[arg(long, conflicts_with = "functions")]
    all: bool,
    /// How many inputs to make for a function
    #[arg(short, long = "count", value_name = "N", default_value_t = 10)]
    n: usize,
    /// Write files to this directory, a new or an empty one
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Write texts, even if the inputs of the target are choice sequences
    #[arg(long, requires = "output")]
    text: bool,
    /// Candidates that are tried for an input at the most
    #[arg(long, value_name = "N", default_value_t = Bounds::default().tries)]
    tries: u32,
    /// Run the inputs in this target, and say how many do what they were made for
    #[arg(long, value_name = "TARGET")]
    check: Option<String>,
    #[command(flatten)]
    target_args: CheckArgs,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    random: RandomArgs,
    #[command(flatten)]
    format: JsonArgs,
}

#[derive(Serialize)]
struct Report {
    functions: Vec<FunctionReport>,
    /// Different inputs.
    inputs: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<CheckReport>,
}

#[derive(Serialize)]
struct FunctionReport {
    name: String,
    inputs: u64,
    /// Leaves of the tree that say yes.
    leaves: u32,
    unsatisfiable: u32,
    given_up: u32,
    /// The inputs that do what they were made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    reaching: Option<u64>,
    /// As many random inputs: those of them that do.
    #[serde(skip_serializing_if = "Option::is_none")]
    random_reaching: Option<u64>,
}

/// The fractions of the article's section 5.4.2, and the extent of 5.4.4.
#[derive(Serialize)]
struct CheckReport {
    /// The share of a function's inputs that reach it, median over functions.
    relative: Option<f64>,
    relative_mean: Option<f64>,
    /// The share of functions that an input made for them reaches.
    absolute: Option<f64>,
    random_relative: Option<f64>,
    random_relative_mean: Option<f64>,
    random_absolute: Option<f64>,
    /// What an input is in, of the classes of the model: median and mean.
    reached: [Option<f64>; 2],
    random_reached: [Option<f64>; 2],
    /// The mean length of texts.
    bytes: Option<f64>,
    random_bytes: Option<f64>,
}

/// For each class of a model, which texts are in it.
pub(super) fn truth(
    model: &Model,
    subject: &Subject,
    texts: &[Vec<u8>],
) -> Result<Vec<Vec<u64>>, Failure> {
    let probed = subject.probe(texts)?;
    let of = model.origin().of;
    let symbols = match of {
        pleach_associate::model::Of::Functions => Some(subject.symbols(&probed.table, &[])?),
        _ => None,
    };
    let classes = Classes {
        of,
        probed: &probed,
        symbols: symbols.as_ref(),
        every_package: true,
    };
    let classes = classes.of_all();
    let mut found: BTreeMap<(&str, &str, u32), &Vec<u64>> = BTreeMap::new();
    let key = |class: &'_ pleach_associate::model::Class| {
        let place = class.place.as_ref();
        (
            place.map_or(String::new(), |it| it.file.clone()),
            place.map_or(0, |it| it.line),
        )
    };
    let keys: Vec<(String, u32)> = classes.iter().map(|it| key(&it.class)).collect();
    for (labeled, (file, line)) in classes.iter().zip(&keys) {
        found.insert((&labeled.class.name, file, *line), &labeled.members);
    }
    let none = vec![0; texts.len().div_ceil(64)];
    let known = model.known().iter().map(|known| {
        let (file, line) = key(&known.class);
        let members = found.get(&(known.class.name.as_str(), file.as_str(), line));
        members.map_or_else(|| none.clone(), |&members| members.clone())
    });
    Ok(known.collect())
}

impl AimVerb {
    pub(crate) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let model = load(&self.model)?;
        let classes: Vec<usize> = match self.all {
            true => (0..model.known().len()).collect(),
            false => {
                let named = self.functions.iter().map(|name| named(&model, name));
                named.collect::<Result<Vec<_>, _>>()?.concat()
            }
        };
        let subject = match &self.check {
            Some(target) => {
                let subject = self.target_args.target_args().open(target)?;
                check(&model, &subject)?;
                Some(subject)
            }
            None => None,
        };
        let mut folder = match &self.output {
            Some(dir) => Some(Folder::open(dir, self.force.force)?),
            None => None,
        };
        let outcomes = self.aim(&model, &classes)?;
        for Outcome { inputs, .. } in &outcomes {
            for Aimed { choices, text, .. } in inputs {
                match &mut folder {
                    Some(folder) if self.text || model.origin().is_text => folder.add(text)?,
                    Some(folder) => folder.add(choices)?,
                    None if self.format.json || self.check.is_some() => continue,
                    None => {
                        out.bytes(text)?;
                        out.bytes(b"\n")?;
                        true
                    }
                };
            }
        }
        let mut report = Report {
            functions: classes
                .iter()
                .zip(&outcomes)
                .map(|(&class, outcome)| FunctionReport {
                    name: model.known()[class].class.name.clone(),
                    inputs: outcome.inputs.len() as u64,
                    leaves: outcome.leaves,
                    unsatisfiable: outcome.unsatisfiable,
                    given_up: outcome.given_up,
                    reaching: None,
                    random_reaching: None,
                })
                .collect(),
            inputs: outcomes.iter().map(|it| it.inputs.len() as u64).sum(),
            check: None,
        };
        if let Some(subject) = &subject {
            self.compare(&model, subject, &classes, &outcomes, &mut report)?;
        }
        self.print(&model, &report, folder.is_some(), out)?;
        let is_any = outcomes.iter().any(|outcome| !outcome.inputs.is_empty());
        Ok(match is_any {
            true => Answer::Yes,
            false => Answer::No,
        })
    }

    /// Makes the inputs of all classes; those of classes with the same tree are made once.
    fn aim(&self, model: &Model, classes: &[usize]) -> Result<Vec<Outcome>, Failure> {
        let mut trees: Vec<(u32, usize)> = classes
            .iter()
            .map(|&class| (model.known()[class].tree, class))
            .collect();
        trees.sort_unstable();
        trees.dedup_by_key(|&mut (tree, _)| tree);
        let progress = Progress::new(trees.len() as u64, "trees");
        let bounds = Bounds {
            tries: self.tries,
            ..Bounds::default()
        };
        let worker = || {
            let aim = Aim::new(model, bounds, Rng::new(0));
            aim.map_err(|error| Failure::of(self.model.display(), error))
        };
        let task = |aim: &mut Aim<'_>, at: usize| {
            let (tree, class) = trees[at];
            // The same inputs whichever thread makes them.
            aim.restart(Rng::new(self.random.random_seed ^ u64::from(tree) << 32));
            let outcome = aim.aim(class, self.n);
            progress.add(1);
            Ok(outcome)
        };
        let (outcomes, _) = in_parallel(trees.len(), ONE, worker, task)?;
        drop(progress);
        let of_tree: BTreeMap<u32, Outcome> = trees
            .into_iter()
            .map(|(tree, _)| tree)
            .zip(outcomes)
            .collect();
        let outcomes = classes.iter().map(|&class| {
            let outcome = of_tree.get(&model.known()[class].tree);
            outcome.cloned().unwrap_or_default()
        });
        Ok(outcomes.collect())
    }

    /// Runs what was made, and as many random inputs.
    fn compare(
        &self,
        model: &Model,
        subject: &Subject,
        classes: &[usize],
        outcomes: &[Outcome],
        report: &mut Report,
    ) -> Result<(), Failure> {
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let mut numbers: BTreeMap<&[u8], usize> = BTreeMap::new();
        for input in outcomes.iter().flat_map(|outcome| &outcome.inputs) {
            numbers.entry(&input.text).or_insert_with(|| {
                texts.push(input.text.clone());
                texts.len() - 1
            });
        }
        let most = outcomes.iter().map(|it| it.inputs.len()).max().unwrap_or(0);
        let codec = Arc::new(Codec::new(model.graph()));
        // Each function has random inputs of its own, from a pool that is large enough to differ.
        let pool = (most * classes.len()).clamp(most, 2000.max(most)) as u64;
        let seed = self.random.random_seed.wrapping_add(1);
        let random = inputs::random(subject, &codec, pool, seed)?;
        let aimed = texts.len();
        texts.extend(random);
        let truth = truth(model, subject, &texts)?;
        let is_in = |class: usize, at: usize| truth[class][at / 64] >> (at % 64) & 1 == 1;
        let (mut relative, mut of_random) = (Vec::new(), Vec::new());
        let (mut absolute, mut random_absolute) = (0u64, 0u64);
        let mut rng = Rng::new(seed);
        let pool = texts.len() - aimed;
        for ((&class, outcome), row) in classes.iter().zip(outcomes).zip(&mut report.functions) {
            let made = outcome.inputs.iter();
            let reach = made.filter(|it| is_in(class, numbers[&*it.text])).count();
            let draws = (0..outcome.inputs.len()).map(|_| aimed + rng.index(pool));
            let by_chance = draws.filter(|&at| is_in(class, at)).count();
            row.reaching = Some(reach as u64);
            row.random_reaching = Some(by_chance as u64);
            absolute += u64::from(reach > 0);
            random_absolute += u64::from(by_chance > 0);
            let all = outcome.inputs.len().max(1) as f64;
            relative.push(reach as f64 / all);
            of_random.push(by_chance as f64 / all);
        }
        let functions = classes.len() as f64;
        let mean = |shares: &[f64]| {
            (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
        };
        let reached = |range: std::ops::Range<usize>| {
            let of_input = range.map(|at| {
                let classes = 0..model.known().len();
                classes.filter(|&class| is_in(class, at)).count() as f64
            });
            let mut of_input: Vec<f64> = of_input.collect();
            let mean = mean(&of_input);
            [median(&mut of_input), mean]
        };
        let bytes = |texts: &[Vec<u8>]| {
            let lengths: Vec<f64> = texts.iter().map(|text| text.len() as f64).collect();
            mean(&lengths)
        };
        report.check = Some(CheckReport {
            relative_mean: mean(&relative),
            relative: median(&mut relative),
            absolute: Some(absolute as f64 / functions.max(1.0)),
            random_relative_mean: mean(&of_random),
            random_relative: median(&mut of_random),
            random_absolute: Some(random_absolute as f64 / functions.max(1.0)),
            reached: reached(0..aimed),
            random_reached: reached(aimed..texts.len()),
            bytes: bytes(&texts[..aimed]),
            random_bytes: bytes(&texts[aimed..]),
        });
        Ok(())
    }

    fn print(
        &self,
        model: &Model,
        report: &Report,
        is_written: bool,
        out: &mut Output,
    ) -> Result<(), Failure> {
        if self.format.json {
            return out.json(report);
        }
        let missing = report.functions.iter().filter(|it| it.inputs == 0);
        for function in missing {
            let name = &function.name;
            note(match function.leaves == function.unsatisfiable {
                true => format!("{name}: no input satisfies the tree"),
                false => format!("{name}: no input found within the bound; --tries raises it"),
            });
        }
        if report.check.is_none() && !is_written {
            return Ok(());
        }
        if report.functions.len() <= 40 || report.check.is_none() {
            let mut head = vec!["inputs".to_owned()];
            if report.check.is_some() {
                head.extend(["reaching".to_owned(), "by chance".to_owned()]);
            }
            head.push(noun(model.origin().of).to_owned());
            let mut rows = vec![head];
            for function in &report.functions {
                let mut row = vec![function.inputs.to_string()];
                row.extend(function.reaching.map(|it| it.to_string()));
                row.extend(function.random_reaching.map(|it| it.to_string()));
                row.push(function.name.clone());
                rows.push(row);
            }
            table(out, &rows)?;
        }
        if let Some(check) = &report.check {
            let share = |share: Option<f64>| share.map_or_else(|| "-".into(), percent);
            let rows = [
                vec![String::new(), "aimed".into(), "random".into()],
                vec![
                    "of a function's inputs, those that reach it (median)".into(),
                    share(check.relative),
                    share(check.random_relative),
                ],
                vec![
                    "functions that one of their inputs reaches".into(),
                    share(check.absolute),
                    share(check.random_absolute),
                ],
            ];
            writeln!(out)?;
            table(out, &rows)?;
        }
        let (inputs, functions) = (
            count(report.inputs, "input"),
            count(report.functions.len() as u64, noun(model.origin().of)),
        );
        writeln!(out, "\n{inputs} for {functions}")
    }
}
