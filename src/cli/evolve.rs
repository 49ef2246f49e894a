//! `pleach evolve`: campaigns with goals.

mod curves;
mod engine;
mod journal;
mod report;
mod runner;
mod seeds;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use pleach_core::Codec;
use pleach_core::model::Model;
use pleach_evolve::goal::SINGLE;
use pleach_evolve::mapping::Structure;
use pleach_evolve::{Campaign, Generation, Goal, Journaled, Settings, Stopped, Strategy, Weights};

use super::args::{ForceArgs, JsonArgs, RandomArgs};
use super::failure::{Answer, Failure, note};
use super::folder::{Folder, name_of};
use super::interrupt::Interrupt;
use super::model;
use super::output::{Existing, Output, write_file};
use super::progress::Progress;
use super::suggest;
use super::target::{Subject, TargetArgs};
use super::text::BudgetArgs;

use engine::cpu_time;
use journal::{Identity, Journal};
use report::{EngineReport, Report};
use runner::{Probing, Stop};

/// The generations of a campaign, unless the user says otherwise: those of the article.
const GENERATIONS: u32 = 50;
/// The file of the evolved model.
const MODEL: &str = "evolved.model";
/// The file of the curves.
const CURVES: &str = "curves.svg";
/// The file with all numbers.
const REPORT: &str = "report.json";

/// Evolve inputs toward goals: coverage, failures, run time, or a number of your own
///
/// Makes inputs, runs them in a fuzz target, selects the fittest, learns from them how likely each choice of the grammar is to be, mutates, and
/// goes on, generation by generation. The goals are `coverage` (functions), `mappings` (pairs of a piece of the input's structure and
/// a function), `failures`, `distinct-failures` (by place), `time` (CPU time), `work` (edge counts), and every number that the
/// target reports by `pleach::goal!("name", number)`.
///
/// A goal that is named has the weight 10, and coverage, mappings, failures and time have 1 otherwise. Without --goal, the `goals:` of the
/// target are named; if it has none, these four count alike.
///
/// The directory gets the best inputs for each goal in a directory of its name, `evolved.model` for `pleach generate --model`, `curves.svg`, and
/// `report.json`, which has all numbers. Ctrl-C ends the campaign with what there is. Called again, with more generations or as
/// before, it goes on after the last one that is complete, as if it had never ended; --force begins anew.
///
/// Example: pleach evolve json --goal time -o slow
///
/// Example: pleach evolve json --goal failures=5 --ignore mappings --seeds samples -o failing
#[derive(Args, Debug)]
pub(super) struct Evolve {
    /// The fuzz target
    target: String,
    /// What is wanted, as NAME or NAME=WEIGHT; may be repeated
    #[arg(long, value_name = "NAME[=WEIGHT]", value_parser = wanted)]
    goal: Vec<(String, f64)>,
    /// A goal that does not count; may be repeated
    #[arg(long, value_name = "NAME")]
    ignore: Vec<String>,
    /// Begin with the distribution of these texts or choice sequences: files, or directories of files; may be repeated [default: what the grammar states]
    #[arg(long, value_name = "PATH")]
    seeds: Vec<PathBuf>,
    /// Begin with this model
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Write to this directory: a new or an empty one, or that of the same campaign, which goes on
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// How often to make, run, select and learn
    #[arg(long, value_name = "N", default_value_t = GENERATIONS, value_parser = clap::value_parser!(u32).range(1..))]
    generations: u32,
    /// The inputs of a generation [default: 200; of the preset, 10]
    #[arg(short, long = "count", value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    n: Option<u32>,
    /// The parameters of the article that the loop is from: five inputs and as many mutants, and nothing but the loop
    #[arg(long, value_enum)]
    preset: Option<Preset>,
    /// The most bytes of an input, unless the grammar needs more
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    max_len: u32,
    /// The share of mutants by operators that are made slightly invalid, from 0 to 1, for what programs do with errors [default: 0.1; of the preset, 0]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    errors: Option<f64>,
    /// What mappings pair with functions [default: k-paths; of the preset, subtrees]
    #[arg(long, value_enum, value_name = "WHAT")]
    structure: Option<StructureArg>,
    /// The symbols of such a path, or the nested nonterminals of such a subtree [default: 2; of the preset, 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    depth: Option<u8>,
    /// How many inputs to keep for a goal that has a greatest value
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    keep: u32,
    /// Packages whose functions count; may be repeated [default: those that the target tests]
    #[arg(long, value_name = "NAME")]
    package: Vec<String>,
    /// Afterwards, run the engine without pleach for as much CPU time, from the same seeds, and tell what it comes to
    #[arg(long)]
    against_engine: bool,
    /// How inputs come about: for comparisons
    #[arg(long, value_enum, hide = true, default_value_t = StrategyArg::Evolve)]
    strategy: StrategyArg,
    /// Do not mutate inputs
    #[arg(long, hide = true)]
    no_input_mutation: bool,
    /// Do not mutate the distribution
    #[arg(long, hide = true)]
    no_grammar_mutation: bool,
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

/// Parameters that go together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Preset {
    /// Those of the article
    Paper,
}

/// What mappings are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum StructureArg {
    /// k-paths of the input
    KPaths,
    /// Its subtrees to a depth
    Subtrees,
}

/// The strategies by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum StrategyArg {
    Evolve,
    Evogfuzz,
    Random,
    Probabilistic,
    Inverse,
    KPaths,
}

impl StrategyArg {
    fn strategy(self) -> Strategy {
        match self {
            StrategyArg::Evolve => Strategy::Evolve,
            StrategyArg::Evogfuzz => Strategy::EvoGFuzz,
            StrategyArg::Random => Strategy::Random,
            StrategyArg::Probabilistic => Strategy::Probabilistic,
            StrategyArg::Inverse => Strategy::Inverse,
            StrategyArg::KPaths => Strategy::KPaths,
        }
    }
}

/// A goal with its weight.
fn wanted(text: &str) -> Result<(String, f64), String> {
    let (name, weight) = match text.rsplit_once('=') {
        None => (text, SINGLE),
        Some((name, weight)) => match weight.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => (name, number),
            _ => {
                return Err(format!(
                    "`{weight}` is not a weight: write a number of at least 0"
                ));
            }
        },
    };
    match name.is_empty() {
        true => Err("a goal has a name".into()),
        false => Ok((name.to_owned(), weight)),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("write a number from 0 to 1".into()),
    }
}

/// A campaign before its first step.
struct Prepared<'a> {
    subject: &'a Subject,
    campaign: Campaign,
    seeds: Vec<Vec<u8>>,
    /// How many seeds were left out.
    left_out: u64,
    model: Option<Model>,
    journal: Journal,
}

impl Evolve {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        self.weights(&[])?;
        // Before anything is built and run.
        let journal = Journal::find(&self.output);
        match &journal {
            None => drop(Folder::open(&self.output, self.force.force)?),
            Some(_) if self.against_engine && !self.force.force => {
                return Err(Failure::new(
                    format_args!(
                        "{}: a campaign that goes on has not taken all of its time now, so the engine cannot have as much",
                        self.output.display()
                    ),
                    "leave out --against-engine, name a new directory, or begin anew by --force",
                ));
            }
            Some(_) => {}
        }
        let subject = self.target_args.open(&self.target)?;
        let mut prepared = self.prepare(&subject, journal.is_some())?;
        if let (Some(path), true) = (&journal, self.force.force) {
            journal::delete(path)?;
        }
        let interrupt = Interrupt::listen();
        let ended = self.go_on(&mut prepared);
        drop(interrupt);
        let (done, engine) = match ended {
            Ok(done) => done,
            Err(Stop::Failed(failure)) => return Err(failure),
            Err(Stop::Interrupted) => return Ok(Answer::Interrupted),
        };
        let Prepared {
            campaign,
            seeds,
            left_out,
            ..
        } = prepared;
        let mut report = Report::new(&self, &campaign, &done, seeds.len(), left_out);
        report.engine = engine;
        self.write(&subject, &campaign, &report, journal.is_some())?;
        match self.format.json {
            true => out.json(&report)?,
            false => report.print(out)?,
        }
        if !Interrupt::is_set() {
            return Ok(Answer::Yes);
        }
        let (made, all) = (done.len(), self.generations);
        match self.against_engine {
            _ if made >= all as usize => {
                note("the campaign is complete, but the engine has not had its time");
            }
            true => note(format_args!(
                "ended after generation {made} of {all}; the same call without --against-engine goes on from there"
            )),
            false => note(format_args!(
                "ended after generation {made} of {all}; the same call goes on from there"
            )),
        }
        Ok(Answer::Interrupted)
    }

    /// Reads what the campaign begins with, and the journal, if there is one.
    fn prepare<'a>(&self, subject: &'a Subject, is_there: bool) -> Result<Prepared<'a>, Failure> {
        let graph = &subject.source.graph;
        // The target's own goals, unless others are named.
        let weights = match self.goal.is_empty() {
            true => self.weights(&subject.goals)?,
            false => self.weights(&[])?,
        };
        let settings = self.settings(weights);
        let (seeds, left_out) = self.seeds(subject)?;
        let codec = Arc::new(Codec::new(graph));
        let model = self.model.as_ref();
        let model = model.map(|path| model::load(path, &codec)).transpose()?;
        let identity = self.identity(subject, &settings, &seeds, model.as_ref())?;
        let campaign = Campaign::new(graph, settings).map_err(|error| {
            let help = "a smaller --depth helps";
            Failure::new(format_args!("{}: {error}", subject.source.name), help)
        })?;
        let journal = match is_there && !self.force.force {
            true => Journal::resume(&self.output, identity)?,
            false => Journal::begin(&self.output, identity),
        };
        Ok(Prepared {
            subject,
            campaign,
            seeds,
            left_out,
            model,
            journal,
        })
    }

    /// What the campaign depends on, but for how long it goes on. What is known without looking into files comes first.
    fn identity(
        &self,
        subject: &Subject,
        settings: &Settings,
        seeds: &[Vec<u8>],
        model: Option<&Model>,
    ) -> Result<Identity, Failure> {
        let goals = settings.weights.iter();
        let goals: Vec<String> = goals.map(|(goal, it)| format!("{goal}={it}")).collect();
        let preset = match self.preset {
            Some(Preset::Paper) => "paper",
            None => "the default",
        };
        let seeds: Vec<String> = seeds.iter().map(|it| name_of(it)).collect();
        let model = model.map_or_else(String::new, |it| name_of(&it.to_bytes()));
        let program = fs::read(&subject.program)
            .map_err(|error| Failure::file("read", &subject.program, &error))?;
        let fingerprint = subject.source.graph.grammar().fingerprint();
        let pairs = [
            ("target", self.target.clone()),
            ("list of goals", goals.join(" ")),
            ("random seed", settings.seed.to_string()),
            ("preset", preset.to_owned()),
            ("strategy", format!("{:?}", settings.strategy)),
            ("number of inputs", settings.inputs.to_string()),
            ("--max-len", settings.max_len.to_string()),
            (
                "--errors",
                (f64::from(settings.errors) / 1000.0).to_string(),
            ),
            ("--structure", format!("{:?}", settings.structure)),
            ("--keep", settings.kept.to_string()),
            ("--timeout", self.target_args.timeout.to_string()),
            ("--package", self.package.join(" ")),
            ("mutation of inputs", settings.mutates_inputs.to_string()),
            ("mutation of grammars", settings.mutates_grammar.to_string()),
            ("the set of seeds", name_of(seeds.join(" ").as_bytes())),
            ("the model", model),
            ("the grammar", format!("{fingerprint:016x}")),
            ("the program of the target", name_of(&program)),
            (
                "the version of pleach",
                env!("CARGO_PKG_VERSION").to_owned(),
            ),
        ];
        let owned = pairs.map(|(name, value)| (name.to_owned(), value));
        Ok(owned.into())
    }

    /// Goes through the generations, first those that the journal has.
    fn go_on(
        &self,
        prepared: &mut Prepared<'_>,
    ) -> Result<(Vec<Generation>, Option<EngineReport>), Stop> {
        let begin = cpu_time();
        let Prepared {
            subject,
            campaign,
            seeds,
            model,
            journal,
            ..
        } = prepared;
        // What was done already is not undone.
        let known = journal.generations();
        let generations = known.max(self.generations as usize);
        if known > 0 {
            let dir = self.output.display();
            note(format_args!("{dir}: going on after generation {known}"));
        }
        let probing = Probing::new(subject, &self.package);
        let mut runner = Journaled::new(probing, journal.past());
        if let Some(model) = model {
            campaign.follow(model.clone());
        }
        if !seeds.is_empty() {
            campaign
                .seed(&mut runner, seeds)
                .map_err(|it| self.stop(it))?;
            if let Some(model) = model {
                campaign.follow(model.clone());
            }
        }
        let inputs = campaign.settings().inputs as u64;
        let progress = Progress::new(generations as u64 * inputs, "inputs");
        let mut done = Vec::new();
        for _ in 0..generations {
            let is_past = runner.is_past();
            match campaign.step(&mut runner).map_err(|it| self.stop(it)) {
                Ok(generation) => done.push(generation),
                Err(Stop::Interrupted) if !done.is_empty() => break,
                Err(stop) => return Err(stop),
            }
            if done.len() == 1 {
                self.check(campaign).map_err(Stop::Failed)?;
            }
            if !is_past {
                journal.add(&runner.take()).map_err(Stop::Failed)?;
            }
            progress.add(inputs);
        }
        drop(progress);
        let is_wanted = self.against_engine && !Interrupt::is_set();
        let time = cpu_time().saturating_sub(begin);
        let engine = is_wanted.then(|| {
            let mut runner = runner.into_runner();
            self.against_engine(subject, campaign, &mut runner, seeds, time)
        });
        // What the campaign has come to counts without it.
        match engine.transpose() {
            Err(Stop::Interrupted) => Ok((done, None)),
            engine => Ok((done, engine?)),
        }
    }

    /// Why a campaign stops, for a user.
    fn stop(&self, stopped: Stopped<Stop>) -> Stop {
        match stopped {
            Stopped::Runner(stop) => stop,
            Stopped::OtherInputs => Stop::Failed(Failure::new(
                format_args!(
                    "{}: the campaign there was made by another version of pleach",
                    self.output.display()
                ),
                "name a new directory, or begin anew by --force",
            )),
        }
    }

    /// How much each goal counts, with the target's own, but for those that are ignored.
    fn weights(&self, own: &[String]) -> Result<Weights, Failure> {
        let mut weights = Weights::all();
        for name in own {
            weights = weights.with(Goal::named(name), SINGLE);
        }
        for (name, weight) in &self.goal {
            if self.ignore.contains(name) {
                return Err(Failure::new(
                    format_args!("the goal `{name}` is both wanted and ignored"),
                    "leave out --goal or --ignore",
                ));
            }
            weights = weights.with(Goal::named(name), *weight);
        }
        for name in &self.ignore {
            let goal = Goal::named(name);
            if weights.of(&goal) == 0.0 {
                let usual = Goal::USUAL.map(|goal| goal.to_string()).join(", ");
                return Err(Failure::new(
                    format_args!("the goal `{name}` does not count anyway"),
                    format_args!("those that count unless they are ignored are {usual}"),
                ));
            }
            weights = weights.ignoring(goal);
        }
        let is_any = weights.iter().next().is_some();
        match is_any {
            true => Ok(weights),
            false => Err(Failure::new(
                "no goal counts",
                "name one by --goal, or ignore fewer",
            )),
        }
    }

    fn settings(&self, weights: Weights) -> Settings {
        let preset = match self.preset {
            Some(Preset::Paper) => Settings::article(),
            None => Settings::default(),
        };
        let inputs = self.n.map_or(preset.inputs, |n| n as usize);
        let (usual, depth) = match preset.structure {
            Structure::KPaths(k) => (StructureArg::KPaths, k as u8),
            Structure::Subtrees(depth) => (StructureArg::Subtrees, depth as u8),
        };
        let depth = self.depth.unwrap_or(depth);
        Settings {
            strategy: self.strategy.strategy(),
            weights,
            inputs,
            // As many of them as the preset has.
            selected: (preset.selected * inputs).div_ceil(preset.inputs),
            max_len: self.max_len,
            errors: self
                .errors
                .map_or(preset.errors, |share| (share * 1000.0).round() as u32),
            mutates_inputs: !self.no_input_mutation,
            mutates_grammar: !self.no_grammar_mutation,
            structure: match self.structure.unwrap_or(usual) {
                StructureArg::KPaths => Structure::KPaths(depth.into()),
                StructureArg::Subtrees => Structure::Subtrees(depth.into()),
            },
            kept: self.keep as usize,
            seed: self.random.random_seed,
            ..preset
        }
    }

    /// Fails if a goal is a number that no input has reported.
    fn check(&self, campaign: &Campaign) -> Result<(), Failure> {
        let totals = [campaign.seeds().totals(), campaign.archive().totals()];
        let reported = |name: &str| totals.iter().any(|it| it.numbers.contains_key(name));
        for (goal, _) in campaign.settings().weights.iter() {
            let Goal::Number(name) = goal else { continue };
            if reported(name) {
                continue;
            }
            let common = Goal::COMMON.map(|goal| goal.to_string());
            let numbers = totals.iter().flat_map(|it| it.numbers.keys());
            let mut known: Vec<&str> = numbers.map(String::as_str).collect();
            known.extend(common.iter().map(String::as_str));
            known.sort_unstable();
            known.dedup();
            let message = format!("no input has reported a number `{name}`");
            let help = match suggest::nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "let the target report it by `pleach::goal!(\"{name}\", …)`; the goals that it has are {}",
                    known.join(", ")
                ),
            };
            return Err(Failure::new(message, help));
        }
        Ok(())
    }

    /// Writes the best inputs for each goal, the model, the curves and the report. With `again` in the place of those of an earlier call.
    fn write(
        &self,
        subject: &Subject,
        campaign: &Campaign,
        report: &Report,
        again: bool,
    ) -> Result<(), Failure> {
        let force = again || self.force.force;
        let existing = Existing::forced(force);
        for (goal, _) in campaign.settings().weights.iter() {
            let best = campaign.archive().best(goal);
            if best.is_empty() {
                continue;
            }
            let dir = self.output.join(report::file_name(goal.name()));
            let mut folder = Folder::open(&dir, force)?;
            let choices: Vec<Vec<u8>> = best.iter().map(|it| it.input.choices.clone()).collect();
            let inputs = match subject.is_text {
                true => subject.texts_of(campaign.model().codec(), &choices)?,
                false => choices,
            };
            for input in &inputs {
                folder.add(input)?;
            }
            if again {
                folder.delete_others()?;
            }
        }
        model::write(&self.output.join(MODEL), campaign.model(), existing)?;
        if let Some(curves) = curves::draw(report) {
            write_file(&self.output.join(CURVES), curves.as_bytes(), existing)?;
        }
        let json = serde_json::to_vec(report)
            .map_err(|error| Failure::Wrong(format!("cannot write the report: {error}")))?;
        write_file(&self.output.join(REPORT), &json, existing)
    }
}
