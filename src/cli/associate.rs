//! `pleach associate`: what in the input goes with what in the program, learned as a model, and the verbs that use it.

mod aim;
mod classes;
pub(super) mod explain;
mod inputs;
pub(super) mod lesson;
mod live;
mod page;
mod predict;
mod refute;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pleach_associate::features::{DEFAULT_K, greatest_k};
use pleach_associate::model::{Labeled, Of, Origin, Teacher};
use pleach_associate::words;
use pleach_associate::{Balance, Extractor, Features, Model};
use pleach_core::Grammar;
use pleach_probe::Table;
use serde::Serialize;

use super::args::{ForceArgs, JsonArgs, RandomArgs};
use super::failure::{Answer, Failure, note};
use super::input::read_input;
use super::output::{Output, write_file};
use super::parallel::{ONE, in_parallel};
use super::progress::Progress;
use super::report::{count, size, table};
use super::source::Source;
use super::target::{Subject, TargetArgs};
use super::text::BudgetArgs;

pub(super) use aim::AimVerb;
pub(super) use explain::Explain;
pub(super) use live::{AimArgs, Aimed};
pub(super) use predict::Predict;

use classes::{Classes, Stated};
use inputs::Observed;

/// How many random inputs are made unless told otherwise.
const DEFAULT_INPUTS: u64 = 1000;

/// Learn what in the input goes with what in the program
///
/// Runs inputs in a fuzz target, notes which functions each one reaches, and learns for every function a small decision tree over the k-paths
/// of the inputs. `pleach explain` shows the trees, `pleach predict` says what other inputs would reach, and `pleach aim` makes inputs that
/// reach a function. Trees ask five questions at the most; functions that all inputs reach, or none, have no tree.
///
/// Inputs are the files that are named, of the target's corpus or like them. Without any, they are made: -n random ones, a covering set of the
/// 2-paths, and what the corpus of the target has. The target is built as `pleach fuzz` builds it, or --program names one that is.
///
/// With --classes FILE nothing is run: FILE has a line for each input, its path and the names of what it reached, with tabs between. So any
/// program will do, in any language. TARGET is only a name then, and --grammar says what the inputs are.
///
/// Example: pleach associate json -o json.model
///
/// Example: pleach associate json fuzz/corpus/json --of verdict -o verdict.model
#[derive(Args, Debug)]
pub(super) struct Associate {
    /// The fuzz target
    target: String,
    /// Inputs: files, or directories of files [default: made]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the model to this file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What there is a tree for
    #[arg(long, value_enum, default_value_t = OfArg::Functions)]
    of: OfArg,
    /// How many random inputs to make
    #[arg(
        short,
        long = "count",
        value_name = "N",
        default_value_t = DEFAULT_INPUTS,
        conflicts_with = "paths"
    )]
    n: u64,
    /// Let trees ask for k-paths alone, and not how often, how deep, how long or how large
    #[arg(long)]
    k_paths_only: bool,
    /// How the inputs that are in a class and the others come to count alike
    #[arg(long, value_enum, default_value_t = BalanceArg::Weights)]
    balance: BalanceArg,
    /// The symbols of the longest k-paths [default: 4, or as many as there is room for]
    #[arg(short, long = "path-length", value_name = "K")]
    k: Option<usize>,
    /// Packages whose functions have trees; may be repeated [default: those that the target tests]
    #[arg(long, value_name = "NAME")]
    package: Vec<String>,
    /// Learn of the functions of all packages
    #[arg(long, conflicts_with = "package")]
    all_packages: bool,
    /// Take what inputs have reached from this file, instead of running a target
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "n", "of", "package", "program", "timeout", "features", "fuzz_dir"])]
    classes: Option<PathBuf>,
    #[command(flatten)]
    target_args: TargetArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    random: RandomArgs,
    #[command(flatten)]
    format: JsonArgs,
}

/// The classes by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum OfArg {
    /// Each function, of the inputs that reach it
    Functions,
    /// The inputs that the target rejects
    Verdict,
    /// Each place of a panic or another failure, of the inputs that fail there
    Crash,
    /// The slowest twentieth of the inputs
    Slow,
}

impl OfArg {
    fn of(self) -> Of {
        match self {
            OfArg::Functions => Of::Functions,
            OfArg::Verdict => Of::Verdict,
            OfArg::Crash => Of::Crashes,
            OfArg::Slow => Of::Slow,
        }
    }
}

/// The ways to balance by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum BalanceArg {
    /// The fewer ones weigh more
    Weights,
    /// Of those that are more, as many are drawn as there are of the others
    Subsample,
}

#[derive(Serialize)]
struct Report {
    /// Different texts that were learned from.
    inputs: u64,
    /// Those that are not sentences, or take too much to parse.
    left_out: u64,
    /// The symbols of the longest k-paths.
    k: usize,
    /// Different columns of features.
    features: u64,
    /// Classes with a tree.
    classes: u64,
    /// Different trees.
    trees: u64,
    /// Classes of all inputs.
    always: u64,
    /// Classes of none.
    never: u64,
    /// How often trees were right about every fourth input that was learned from the others: the median over classes.
    accuracy: Option<f64>,
    model: String,
    bytes: u64,
}

/// What is learned from: texts with what they reached.
struct Material {
    observed: Observed,
    classes: Vec<Labeled>,
    origin: Origin,
    extractor: Extractor,
}

impl Associate {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        if !self.force.force && self.output.is_file() {
            // Before anything is built and run.
            return Err(Failure::new(
                format_args!("{}: the file exists", self.output.display()),
                "name another one, or replace it by --force",
            ));
        }
        let material = match &self.classes {
            Some(list) => self.listed(list)?,
            None => self.probed()?,
        };
        let seed = self.random.random_seed;
        let balance = match self.balance {
            BalanceArg::Weights => Balance::Weights,
            BalanceArg::Subsample => Balance::Subsample,
        };
        let (teacher, rest) = material.teacher(balance, seed);
        if teacher.trees() == 0 {
            let texts = rest.observed.texts.len();
            return Err(nothing_to_learn(&rest.origin, &teacher, texts));
        }
        let features = teacher.columns().len() as u64;
        let (inputs, left_out) = (rest.observed.texts.len() as u64, rest.observed.left_out);
        let model = teach(teacher, rest)?;
        let bytes = model.to_bytes();
        write_file(&self.output, &bytes, self.force.existing())?;
        let mut accuracies: Vec<f64> = (0..model.known().len())
            .filter_map(|class| model.tree_of(class).trial.accuracy())
            .collect();
        let report = Report {
            inputs,
            left_out,
            k: model.kpaths().k(),
            features,
            classes: model.known().len() as u64,
            trees: model.taught().len() as u64,
            always: model.always().len() as u64,
            never: u64::from(model.never()),
            accuracy: median(&mut accuracies),
            model: self.output.display().to_string(),
            bytes: bytes.len() as u64,
        };
        match self.format.json {
            true => out.json(&report)?,
            false => print(&report, &model, out)?,
        }
        Ok(Answer::Yes)
    }

    /// Runs inputs in the target.
    fn probed(&self) -> Result<Material, Failure> {
        let subject = self.target_args.open(&self.target)?;
        let extractor = extractor(&subject.source, self.k, self.features())?;
        let texts = match self.paths.is_empty() {
            true => inputs::make(&subject, self.n, self.random.random_seed)?,
            false => inputs::read(&subject, &self.paths)?,
        };
        let wanted = Wanted {
            of: self.of.of(),
            packages: &self.package,
            every_package: self.all_packages,
            name: None,
        };
        observe(&subject, extractor, texts, self.budget, wanted).map(|it| it.0)
    }

    /// Reads what inputs have reached.
    fn listed(&self, list: &Path) -> Result<Material, Failure> {
        let Some(source) = self.target_args.source(&self.target)? else {
            return Err(Failure::new(
                "--classes needs the grammar of the inputs",
                "name it by --grammar",
            ));
        };
        let extractor = extractor(&source, self.k, self.features())?;
        let stated = Stated::read(list)?;
        let is_text = self.target_args.text || stated.kind(&source.graph)?.is_text();
        let texts = stated.texts(&source.graph, is_text)?;
        let mut observed = inputs::observe_all(&extractor, texts, self.budget)?;
        observed.check(&source.name)?;
        let classes = stated.classes(&observed);
        observed.finish();
        Ok(Material {
            observed,
            classes,
            origin: Origin {
                of: Of::Functions,
                target: self.target.clone(),
                build: String::new(),
                is_text,
            },
            extractor,
        })
    }

    fn features(&self) -> Features {
        match self.k_paths_only {
            true => Features::KPaths,
            false => Features::All,
        }
    }
}

/// What finds the features of texts.
fn extractor(source: &Source, k: Option<usize>, features: Features) -> Result<Extractor, Failure> {
    let k = k.unwrap_or_else(|| {
        let k = greatest_k(&source.graph, DEFAULT_K);
        if k < DEFAULT_K {
            note(format_args!(
                "note: k-paths of up to {k} symbols are features; there are too many longer ones"
            ));
        }
        k
    });
    Extractor::new(&source.graph, k, features).map_err(|error| Failure::of(&source.name, error))
}

/// What to learn of.
struct Wanted<'a> {
    of: Of,
    packages: &'a [String],
    every_package: bool,
    /// Functions that this stands for alone.
    name: Option<&'a str>,
}

/// Runs texts in a target.
fn observe(
    subject: &Subject,
    extractor: Extractor,
    texts: Vec<Vec<u8>>,
    budget: BudgetArgs,
    wanted: Wanted<'_>,
) -> Result<(Material, Table), Failure> {
    let mut observed = inputs::observe(&extractor, texts, budget)?;
    observed.check(&subject.source.name)?;
    let probed = subject.probe(&observed.texts)?;
    let symbols = match wanted.of {
        Of::Functions => Some(subject.symbols(&probed.table, wanted.packages)?),
        _ => None,
    };
    let classes = Classes {
        of: wanted.of,
        probed: &probed,
        symbols: symbols.as_ref(),
        every_package: wanted.every_package,
    };
    let build = subject.build_id()?;
    let mut classes = classes.of(&mut observed)?;
    if let Some(name) = wanted.name {
        let found = words::named(name, classes.iter().map(|it| &it.class));
        let mut at = 0..;
        classes.retain(|_| at.next().is_some_and(|at| found.contains(&at)));
    }
    let material = Material {
        observed,
        classes,
        origin: Origin {
            of: wanted.of,
            target: subject.name.clone(),
            build,
            is_text: subject.is_text,
        },
        extractor,
    };
    Ok((material, probed.table))
}

/// What is left of material while its classes are taught.
struct Rest {
    observed: Observed,
    origin: Origin,
}

impl Material {
    /// What teaches its classes.
    fn teacher(self, balance: Balance, seed: u64) -> (Teacher, Rest) {
        let Material {
            observed,
            classes,
            origin,
            extractor,
        } = self;
        let teacher = Teacher::new(&extractor, &observed.vectors, classes, balance, seed);
        (teacher, Rest { observed, origin })
    }
}

/// Teaches all trees.
fn teach(teacher: Teacher, rest: Rest) -> Result<Model, Failure> {
    let progress = Progress::new(teacher.trees() as u64, "trees");
    let task = |(): &mut (), at: usize| {
        let lesson = teacher.teach(at);
        progress.add(1);
        Ok(lesson)
    };
    let (lessons, _) = in_parallel(teacher.trees(), ONE, || Ok(()), task)?;
    drop(progress);
    Ok(teacher.finish(lessons, rest.origin, &rest.observed.texts))
}

/// Why there is no class with a tree.
fn nothing_to_learn(origin: &Origin, teacher: &Teacher, texts: usize) -> Failure {
    let inputs = count(texts as u64, "input");
    let more = "more inputs may do: raise -n, or name a larger corpus";
    match origin.of {
        _ if teacher.columns().is_empty() => Failure::new(
            format_args!("{inputs}, all with the same features"),
            "name different inputs",
        ),
        Of::Functions => Failure::new(
            format_args!("all of {inputs} reach the same functions"),
            more,
        ),
        Of::Verdict => Failure::new(
            format_args!(
                "{} of {inputs} is rejected, so there is nothing to tell apart",
                if teacher.all() { "each" } else { "none" }
            ),
            "let the target return `Corpus::Reject` for what it refuses, or name inputs of both kinds",
        ),
        Of::Crashes => Failure::new(
            format_args!(
                "{} of {inputs} fails, so there is nothing to tell apart",
                if teacher.all() { "each" } else { "none" }
            ),
            "name inputs of both kinds",
        ),
        Of::Slow => Failure::new(format_args!("{inputs} take the same time"), more),
    }
}

fn print(report: &Report, model: &Model, out: &mut Output) -> Result<(), Failure> {
    let left_out = match report.left_out {
        0 => String::new(),
        left_out => format!(" ({left_out} left out, which are not sentences)"),
    };
    let what = noun(model.origin().of);
    let features = format!("{}, k-paths of up to {} symbols", report.features, report.k);
    let mut rows = vec![
        vec!["inputs".into(), format!("{}{left_out}", report.inputs)],
        vec!["features".into(), features],
        vec![
            format!("{what}s"),
            format!(
                "{} with a tree, {} of all inputs, {} of none",
                report.classes, report.always, report.never
            ),
        ],
    ];
    if let Some(accuracy) = report.accuracy {
        rows.push(vec![
            "right".into(),
            format!(
                "{} of inputs that a tree was not learned from, in the median",
                percent(accuracy)
            ),
        ]);
    }
    rows.push(vec![
        "model".into(),
        format!("{}, {}", report.model, size(report.bytes)),
    ]);
    table(out, &rows)
}

/// What a class is.
fn noun(of: Of) -> &'static str {
    match of {
        Of::Functions => "function",
        Of::Verdict => "verdict",
        Of::Crashes => "failure",
        Of::Slow => "class",
    }
}

/// A share in percent.
fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// The middle one of numbers.
fn median(numbers: &mut [f64]) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let upper = *numbers.get(numbers.len() / 2)?;
    let lower = numbers[(numbers.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// Reads a model.
pub(crate) fn load(path: &Path) -> Result<Model, Failure> {
    let mut bytes = Vec::new();
    read_input(path, &mut bytes)?;
    Model::from_bytes(&bytes).map_err(|error| Failure::of(path.display(), error))
}

/// The classes that names stand for; fails if one stands for none.
fn named(model: &Model, name: &str) -> Result<Vec<usize>, Failure> {
    let found = model.named(name);
    if !found.is_empty() {
        return Ok(found);
    }
    let what = noun(model.origin().of);
    if model.always().iter().any(|class| class.name == name) {
        return Err(Failure::new(
            format_args!(
                "all inputs that the model was learned from are in `{name}`, so it has no tree"
            ),
            "any input will do",
        ));
    }
    let names = model.known().iter().map(|it| it.class.name.as_str());
    let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
    let near = super::suggest::nearest(name, names.clone()).map(str::to_owned);
    let near = near.or_else(|| {
        let ends: Vec<String> = names.clone().map(last).collect();
        super::suggest::nearest(name, ends.iter().map(String::as_str)).map(str::to_owned)
    });
    let help = match near {
        Some(near) => format!("did you mean `{near}`? `pleach explain MODEL` lists all"),
        None => "`pleach explain MODEL` lists all; one that no input has reached is not among them"
            .into(),
    };
    Err(Failure::new(
        format_args!("the model has no tree for a {what} `{name}`"),
        help,
    ))
}

/// Fails unless the model was made with this target as it is built.
fn check(model: &Model, subject: &Subject) -> Result<(), Failure> {
    let grammar: &Grammar = subject.source.graph.grammar();
    let checked = model.check(&subject.name, grammar, &subject.build_id()?);
    checked.map_err(|error| Failure::Wrong(error.to_string()))
}
