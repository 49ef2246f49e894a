//! A campaign that is aimed at a function: what `pleach fuzz --aim` tells the target.
//!
//! The target is told where the function's counters are, and the constraints of its tree ([`pleach::libfuzzer`] has the rest). Some inputs that
//! satisfy the tree join the corpus, so that the campaign begins where inputs have got before.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pleach_associate::aim::{Aim, Bounds, Constraint};
use pleach_associate::model::{Class, Of};
use pleach_associate::words;
use pleach_associate::{Balance, Features, Model};
use pleach_core::id::{Id as _, SymbolId};
use pleach_core::rng::Rng;
use pleach_probe::{Function, Symbols, Table};
use tempfile::TempDir;

use super::classes::class_of;
use super::{Wanted, check, load};
use crate::failure::{Failure, note, warn};
use crate::report::count;
use crate::target::Subject;
use crate::text::BudgetArgs;

/// Inputs that join the corpus.
const SEEDS: usize = 20;

// Where a campaign is aimed at.
#[derive(Args, Clone, Debug)]
pub(crate) struct AimArgs {
    /// Aim at a function, by its name or as FILE:LINE: inputs that reach it, or are like those that do, are made more often
    #[arg(long, value_name = "FUNCTION")]
    aim: Option<String>,
    /// What in the input goes with the function, by `pleach associate` [default: learned from 1000 random inputs and the corpus]
    #[arg(long, value_name = "FILE", requires = "aim")]
    associations: Option<PathBuf>,
    /// The share of mutations that begin with an input that has reached the function; with 0 nothing is done but to count
    #[arg(long, value_name = "SHARE", requires = "aim", default_value_t = 0.5, value_parser = share)]
    aim_share: f64,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|it| (0.0..=1.0).contains(it));
    share.ok_or_else(|| "a share is a number from 0 to 1".to_owned())
}

/// A campaign's aim.
pub(crate) struct Aimed {
    /// The function, as it was named.
    pub(crate) name: String,
    /// Inputs for the corpus, as the target has them.
    pub(crate) seeds: Vec<Vec<u8>>,
    folder: TempDir,
}

impl AimArgs {
    /// Whether there is an aim.
    pub(crate) fn is_some(&self) -> bool {
        self.aim.is_some()
    }

    /// Finds out what the target has to know; nothing without an aim.
    pub(crate) fn prepare(&self, subject: &Subject, seed: u64) -> Result<Option<Aimed>, Failure> {
        let Some(name) = &self.aim else {
            return Ok(None);
        };
        let (model, table) = match &self.associations {
            _ if self.aim_share == 0.0 => (None, subject.probe(&[[]])?.table),
            Some(file) => {
                let model = load(file)?;
                check(&model, subject)?;
                if model.origin().of != Of::Functions {
                    return Err(Failure::new(
                        format_args!("{}: its trees are not of functions", file.display()),
                        "learn those by `pleach associate TARGET -o MODEL`",
                    ));
                }
                (Some(model), subject.probe(&[[]])?.table)
            }
            None => learned(subject, name, seed)?,
        };
        let symbols = subject.symbols(&table, &[])?;
        let functions = named(&symbols, name)?;
        let points = points(&symbols, &table, &functions);
        let (constraints, seeds) = match &model {
            None => (Vec::new(), Vec::new()),
            Some(model) => ways(model, name, seed)?,
        };
        let what = count(functions.len() as u64, "function");
        match (seeds.len(), constraints.len()) {
            (0, 0) if self.aim_share == 0.0 => {}
            (0, 0) => warn(format_args!(
                "no input that was learned from tells how to reach `{name}` ({what}): inputs that happen to are mutated more often"
            )),
            (seeds, ways) => note(format_args!(
                "aim: `{name}` ({what}): {} of k-paths, {} for the corpus",
                count(ways as u64, "constraint"),
                count(seeds as u64, "input")
            )),
        }
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::file("make a directory for", Path::new("aim"), &error))?;
        let aimed = Aimed {
            name: name.clone(),
            seeds,
            folder,
        };
        let request = request(subject, &points, &constraints, self.aim_share);
        fs::write(aimed.file(), request)
            .map_err(|error| Failure::file("write", &aimed.file(), &error))?;
        Ok(Some(aimed))
    }
}

impl Aimed {
    /// The file that the target reads.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("aim")
    }
}

/// The functions of a target that a name stands for.
fn named<'s>(symbols: &'s Symbols, name: &str) -> Result<Vec<&'s Function>, Failure> {
    let (own, others): (Vec<_>, Vec<_>) = symbols.functions().iter().partition(|it| it.is_own);
    for functions in [own, others] {
        let classes: Vec<Class> = functions.iter().map(|it| class_of(it)).collect();
        let found = words::named(name, classes.iter());
        if !found.is_empty() {
            return Ok(found.into_iter().map(|at| functions[at]).collect());
        }
    }
    let names = symbols.functions().iter().map(|it| it.name.as_str());
    let last = |name: &str| name.rsplit("::").next().unwrap_or_default().to_owned();
    let ends: Vec<String> = names.clone().map(last).collect();
    let near = crate::suggest::nearest(name, names)
        .or_else(|| crate::suggest::nearest(name, ends.iter().map(String::as_str)));
    Err(Failure::new(
        format_args!("the target has no function `{name}`"),
        match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`pleach associate` and `pleach explain` list the functions that inputs reach"
                .into(),
        },
    ))
}

/// The counters of functions.
fn points(symbols: &Symbols, table: &Table, functions: &[&Function]) -> Vec<u32> {
    let is_wanted = |point: &u32| {
        let here = symbols.of_point(*point).iter();
        here.map(|&id| &symbols[id])
            .any(|it| functions.iter().any(|wanted| std::ptr::eq(*wanted, it)))
    };
    (0..table.places.len() as u32).filter(is_wanted).collect()
}

/// What has to hold for a function by its tree, k-paths only, and inputs that satisfy the tree.
fn ways(model: &Model, name: &str, seed: u64) -> Result<(Vec<Constraint>, Vec<Vec<u8>>), Failure> {
    let mut aim = Aim::new(model, Bounds::default(), Rng::new(seed))
        .map_err(|error| Failure::of(name, error))?;
    let (mut constraints, mut seeds) = (Vec::new(), Vec::new());
    for class in model.named(name) {
        let tree = &model.tree_of(class).tree;
        let leaves = tree.leaves();
        for (leaf, way) in leaves {
            let constraint = Constraint::new(model, &way, false);
            let has_paths = constraint.required.len() + constraint.forbidden.len() > 0;
            if tree.nodes()[leaf].is_member && has_paths && !constraint.is_contradictory() {
                constraints.push(constraint);
            }
        }
        let inputs = aim.aim(class, SEEDS).inputs;
        seeds.extend(inputs.into_iter().map(|it| match model.origin().is_text {
            true => it.text,
            false => it.choices,
        }));
    }
    Ok((constraints, seeds))
}

/// What the target reads.
fn request(subject: &Subject, points: &[u32], constraints: &[Constraint], share: f64) -> String {
    let fingerprint = subject.source.graph.grammar().fingerprint();
    let mut text = format!("pleach-aim 1\nfingerprint {fingerprint:016x}\npoints");
    for point in points {
        let _ = write!(text, " {point}");
    }
    let _ = write!(text, "\nparents {:.0}\n", share * 1000.0);
    let path = |path: &Vec<SymbolId>| {
        let numbers: Vec<String> = path.iter().map(|it| it.index().to_string()).collect();
        numbers.join(".")
    };
    for constraint in constraints {
        text.push_str("constraint");
        for required in &constraint.required {
            let _ = write!(text, " +{}", path(required));
        }
        for forbidden in &constraint.forbidden {
            let _ = write!(text, " -{}", path(forbidden));
        }
        text.push('\n');
    }
    text
}

/// What is learned of functions by a campaign itself, from random inputs and the corpus; no model if there is nothing to learn.
fn learned(subject: &Subject, name: &str, seed: u64) -> Result<(Option<Model>, Table), Failure> {
    let extractor = super::extractor(&subject.source, None, Features::All)?;
    let texts = super::inputs::make(subject, super::DEFAULT_INPUTS, seed)?;
    let wanted = Wanted {
        of: Of::Functions,
        packages: &[],
        every_package: true,
        name: Some(name),
    };
    let budget = BudgetArgs::default();
    let (material, table) = super::observe(subject, extractor, texts, budget, wanted)?;
    let (teacher, rest) = material.teacher(Balance::Weights, seed);
    let model = match teacher.trees() {
        0 => None,
        _ => Some(super::teach(teacher, rest)?),
    };
    Ok((model, table))
}
