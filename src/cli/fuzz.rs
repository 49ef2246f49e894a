//! `pleach fuzz`: `cargo fuzz run` with pleach left out of the instrumentation, sound defaults, and a summary.
//!
//! The target is built first, with Cargo's messages as they are, and run then: so a build that fails can be told from an input
//! that fails. What the engine prints passes through to standard error; the summary is read from it.

mod crash;
mod failures;
mod process;
mod ruler;
mod seeds;
mod summary;
mod view;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pleach_project::{CargoFuzz, Project, Sanitizer};

use super::args::{JsonArgs, NotationArgs};
use super::associate::{AimArgs, Aimed};
use super::failure::{Answer, Failure, note};
use super::init::{quoted, shown};
use super::input::is_hidden;
use super::output::Output;
use super::report::Canvas;
use super::target::build::cannot_run;
use super::target::engine::{FLAGS, Reading};
use super::target::{Build, Known, Stated, Target, TargetArgs, build};
use process::Ending;
use ruler::Ruler;
use summary::{AimSummary, GoalSummary, Summary};
use view::{About, Sample, View};

/// Lets a target say which k-paths its runs have covered, what the operators of its mutator have yielded, and with the text codec how
/// it has recognized texts.
const STATS_VARIABLE: &str = "PLEACH_STATS";
/// Lets a target report numbers that are features.
const GOAL_VARIABLE: &str = "PLEACH_GOAL";
/// Lets what a target makes of a seed depend on the clock, or not.
const CLOCK_VARIABLE: &str = "PLEACH_CLOCK";

/// No goal, not even one of the target's own.
const NO_GOAL: &str = "none";
/// The runs after which a goal that was never reported is taken for a mistake, as the target does.
const PATIENCE: u64 = 10_000;

/// Tells a target what it is aimed at.
const AIM_VARIABLE: &str = "PLEACH_AIM";

/// Seconds after which a campaign without news is asked why.
const LONG: f64 = 30.0;

/// Run a fuzz target, with pleach left out of its instrumentation
///
/// Does what `cargo fuzz run` does, from anywhere in the project, with other defaults: no sanitizer, so that stable Rust will do,
/// and an engine that takes note of edges rather than of how often each is passed (-entropic=0 -use_counters=0), which
/// leaves more time for running inputs, and that goes on from a kept input after two mutations (-mutate_depth=2). Comparisons are not
/// traced (--no-trace-compares), which takes a third to a half of most runs, and a grammar has the words that it would tell. What is
/// built is kept apart from the builds of a plain `cargo fuzz run`, in `pleach` below the target directory.
///
/// Without --random-seed the engine chooses a seed of its own. With it, 0 included, nothing that pleach does depends on the clock
/// (PLEACH_CLOCK=0).
///
/// While it runs, a terminal shows how it is getting on; elsewhere there is a line a minute. What the engine says of itself is shown by
/// --engine-log only.
///
/// Ends after TIME, at the first input that fails, or by Ctrl-C, always with a summary. Its exit code is 1 if an input failed.
///
/// What failed is reduced, for a few seconds: of the inputs that fail in one place, the smallest that still does is shown, and written beside
/// them (--no-reduce leaves that out; `pleach reduce` does it later).
///
/// If the second half of the runs has covered nothing new, and there was half a minute for it, what keeps it from going on is looked for, as
/// `pleach stuck` does.
///
/// The target says what its grammar and its codec are. So the summary has the k-paths that the corpus covers, and texts to start
/// from, which --seeds names, come in as what the target reads. A note in the corpus (`.pleach`, which engines pass over) says by which
/// grammar it was made, so that a change of the grammar is noticed.
///
/// With --aim FUNCTION the campaign turns to that function: what goes with it in the input is learned first (`pleach associate`), inputs that
/// should reach it join the corpus, and half of the mutations begin with inputs that have reached it. Coverage stays the engine's
/// business.
///
/// Example: pleach fuzz json 60s -- -max_len=1000
///
/// Example: pleach fuzz json 60s --aim parse_exponent
#[derive(Args, Debug)]
pub(super) struct Fuzz {
    /// The fuzz target
    target: String,
    /// How long to run, as in `60`, `60s`, `2m` or `1h30m`; without it, until Ctrl-C or a failing input
    #[arg(value_name = "TIME", value_parser = super::duration::seconds)]
    seconds: Option<u32>,
    /// Flags of the engine, which win over the defaults (`-fork=2`, `-max_len=1000`, `-help=1` lists them)
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<OsString>,
    /// The grammar of a target that cannot say what it is, because it does not call `load()`; another target's own is refused
    #[arg(long)]
    grammar: Option<PathBuf>,
    /// Report k-paths for k from 1 to this [default: 3, or less if the grammar has too many]
    #[arg(short, long = "depth", value_name = "K")]
    k: Option<usize>,
    /// A target that cannot say what it is has `codec: text`: its corpus holds texts
    #[arg(long)]
    text: bool,
    /// Texts, or directories of them, to add to the corpus before the start: as choice sequences, without those that are no
    /// sentences, or as they are if the target has `codec: text`
    #[arg(long, value_name = "PATH")]
    seeds: Vec<PathBuf>,
    /// Let the campaign begin with this number, so that nothing pleach does is left to chance or to the clock
    #[arg(long, value_name = "N")]
    random_seed: Option<u64>,
    /// Print all that the engine says, instead of a view of it; or write it to a file, as in --engine-log=FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    engine_log: Option<Option<PathBuf>>,
    #[command(flatten)]
    aim: AimArgs,
    #[command(flatten)]
    format: JsonArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Keep inputs for a greater number than any before: `time`, `work` (edge counts), `allocated`, or one that the target reports by
    /// `pleach::goal!`; may be repeated. In place of the `goals:` of the target, which `none` leaves out
    #[arg(long, value_name = "NAME", value_parser = goal)]
    goal: Vec<String>,
    /// Tell of inputs that failed as they are, without making them smaller
    #[arg(long)]
    no_reduce: bool,
    /// The sanitizer to build with; all but none take nightly Rust
    #[arg(short, long, value_parser = sanitizer(), default_value_t = Sanitizer::None)]
    sanitizer: Sanitizer,
    /// Build the target with traced comparisons, from which the engine's mutations of bytes learn; slower
    #[arg(long)]
    trace_compares: bool,
    /// Build the target without debug assertions and overflow checks
    #[arg(short = 'O', long)]
    release: bool,
    /// Features of the fuzz package to build the target with, with commas between them, beside those that it needs by its manifest
    #[arg(long, value_name = "FEATURES")]
    features: Option<String>,
    /// The directory of the fuzz package [default: the nearest `fuzz`]
    #[arg(long, value_name = "DIR")]
    fuzz_dir: Option<PathBuf>,
    /// A directory of inputs, the first one for new inputs, too; or files to run once [default: `corpus/TARGET` in the
    /// fuzz package]
    #[arg(long, value_name = "PATH")]
    corpus: Vec<PathBuf>,
}

/// Sanitizers by their names.
fn sanitizer() -> impl TypedValueParser<Value = Sanitizer> {
    let help = |sanitizer| match sanitizer {
        Sanitizer::None => "Fastest, and enough for safe code",
        Sanitizer::Address => "Wrong accesses to memory",
        Sanitizer::Leak => "Memory that is never freed",
        Sanitizer::Memory => "Reads of memory that nobody has written",
        Sanitizer::Thread => "Data races",
    };
    let values = Sanitizer::ALL.map(|it| PossibleValue::new(it.name()).help(help(it)));
    PossibleValuesParser::new(values).map(|name| {
        let named = Sanitizer::ALL.into_iter().find(|it| it.name() == name);
        named.unwrap_or(Sanitizer::None)
    })
}

/// The name of a goal.
fn goal(name: &str) -> Result<String, String> {
    if let Some((goal, weight)) = name.rsplit_once('=')
        && weight.parse::<f64>().is_ok()
    {
        return Err(format!(
            "goals of a campaign of the engine have no weights: write `{goal}`, or use `pleach evolve`"
        ));
    }
    match name.trim() {
        "" => Err("a goal has a name".into()),
        name if name.contains(',') => Err("a name has no comma: write --goal for each goal".into()),
        name => Ok(name.to_owned()),
    }
}

impl Fuzz {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        if self.goal.len() > 1 && self.goal.iter().any(|it| it == NO_GOAL) {
            return Err(Failure::new(
                "`--goal none` is no goal, and others are named",
                "leave out `--goal none`, or the others",
            ));
        }
        let stated = Stated {
            target: &self.target,
            grammar: self.grammar.as_deref(),
            notation: &self.notation,
            is_text: self.text,
        };
        let source = stated.source()?;
        let project = Project::find(self.fuzz_dir.as_deref())?;
        build::check_target(&project, &self.target)?;
        let features = project.features(&self.target, self.features.as_deref());
        let build = Build {
            target: &self.target,
            sanitizer: self.sanitizer,
            release: self.release,
            trace_compares: self.trace_compares,
            features: features.as_deref(),
        };
        let mut cargo_fuzz = CargoFuzz::find(self.sanitizer)?;
        for path in self.corpus.iter().chain(&self.seeds) {
            fs::metadata(path).map_err(|error| Failure::file("read", path, &error))?;
        }
        let corpus = self.corpus(&project);
        let artifacts = project.dir.join("artifacts").join(&self.target);

        cargo_fuzz.prepare(&project, build.features, |it| note(it))?;
        build.run(&cargo_fuzz, &project)?;
        let program = build.program(&project);
        let target = match &program {
            Some(program) => Target::ask(program, &project.dir, self.notation.open_tokens)?,
            None => None,
        };
        if target.as_ref().is_some_and(|it| it.is_instrumented) {
            build::warn_of_instrumentation(&project);
        }
        let mut known = stated.known(source, target)?;
        known.mention_no_grammar(&self.target);
        let outdated = known.record(&self.target, &corpus[0], &artifacts)?;
        if let Some(outdated) = &outdated {
            outdated.warn();
        }
        let ruler = known.source.as_ref();
        let ruler = ruler.map(|source| Ruler::new(source, self.k, known.is_text));
        let ruler = ruler.transpose()?;
        if !self.seeds.is_empty() {
            let texts = match (&ruler, known.is_text) {
                (_, true) => None,
                (Some(ruler), false) => Some(ruler.texts()),
                (None, false) => {
                    return Err(Failure::new(
                        "--seeds takes a grammar to turn texts into choice sequences",
                        "name it by --grammar, or add --text if the target has `codec: text`",
                    ));
                }
            };
            note(seeds::add(&self.seeds, &corpus[0], texts.as_ref())?);
        }
        let aimed = match &program {
            Some(program) if self.aim.is_some() => self.prepare_aim(program)?,
            _ => None,
        };
        if let Some(aimed) = &aimed {
            seeds::add_inputs(&aimed.seeds, &corpus[0])?;
        }
        let before = match &ruler {
            Some(ruler) => Some(ruler.measure(&corpus)?),
            None => None,
        };
        let old_artifacts = files(&artifacts);
        let mut reading = Reading::default();
        let failures = view::Failures {
            program: program.clone(),
            artifacts: artifacts.clone(),
            known: old_artifacts.clone(),
            ..view::Failures::default()
        };
        let view = self.view(&known, &corpus[0], failures)?;
        let (ending, seconds) = timed(|| {
            let mut command = self.run_command(&build, &cargo_fuzz, &project);
            if let Some(aimed) = &aimed {
                command.env(AIM_VARIABLE, aimed.file());
            }
            process::run(&mut command, &mut reading, view)
        });
        let ending = ending.map_err(|error| cannot_run(&error))?;
        // In fork mode the engine does not name them.
        for path in files(&artifacts).difference(&old_artifacts) {
            reading.artifact(path.clone());
        }

        let (k_paths, invalid) = match (&ruler, before) {
            (Some(ruler), Some((before, _))) => {
                let (after, invalid) = ruler.measure(&corpus)?;
                let levels = ruler::levels(&before, &after);
                (Some(levels), known.is_text.then_some(invalid))
            }
            _ => (None, None),
        };
        let summary = Summary {
            target: &self.target,
            seconds,
            executions: reading.executions,
            executions_per_second: match reading.rate {
                // The engine counts whole seconds; what ends within the first has none.
                0 => (reading.executions as f64 / seconds).round() as u64,
                rate => rate,
            },
            edges: reading.started.then_some(reading.edges),
            edges_total: reading.counters,
            features: reading.started.then_some(reading.features),
            corpus: reading.started.then_some(reading.corpus),
            corpus_dir: &corpus[0],
            k_paths,
            invalid,
            k_paths_run: reading.paths,
            texts: reading.texts,
            operators: &reading.operators,
            aim: aimed.as_ref().map(|aimed| AimSummary {
                function: &aimed.name,
                counts: reading.aim.unwrap_or_default(),
            }),
            goals: self.goals(&known, &reading),
            crashes: &reading.artifacts,
            interrupted: ending.interrupted,
        };
        // An engine that did not get as far as its first line has nothing to sum up.
        if reading.started || reading.finished || reading.failed {
            match self.format.json {
                true => out.json(&summary)?,
                false => summary::print(&summary, out)?,
            }
        }
        out.finish()?;
        // The engine has said much since.
        if let Some(outdated) = &outdated {
            outdated.warn();
        }
        if !reading.failed
            && reading.started
            && known.source.is_some()
            && Canvas::of_stderr().is_some()
        {
            let (grammar, corpus) = (known.grammar(), quoted(&shown(&corpus[0])));
            note(format_args!(
                "\nwhat the corpus covers, and what it lacks: pleach coverage {grammar} {corpus} --html coverage.html"
            ));
        }
        if let Some(program) = &program
            && known.source.is_some()
            && !reading.failed
            && reading.is_stuck()
            && seconds >= LONG
        {
            self.say_why(program, ending, &corpus);
        }
        self.answer(&reading, ending, &known, program.as_deref())
    }

    /// The goals of the campaign: those that were named, or the target's own, and what else was reported.
    fn goals<'a>(&'a self, known: &'a Known, reading: &'a Reading) -> Vec<GoalSummary<'a>> {
        let wanted = match self.goal.is_empty() {
            true => &known.goals,
            false => &self.goal,
        };
        let wanted = wanted.iter().filter(|it| *it != NO_GOAL);
        let names: BTreeSet<&String> = wanted.chain(reading.goals.keys()).collect();
        let goal = |name: &'a String| GoalSummary {
            name,
            greatest: reading.goals.get(name).copied(),
        };
        names.into_iter().map(goal).collect()
    }

    /// Fails if a goal that was named was never reported, though there was time for it.
    fn check_goals(&self, reading: &Reading) -> Result<(), Failure> {
        let is_missing = |name: &&String| *name != NO_GOAL && !reading.goals.contains_key(*name);
        let missing = self.goal.iter().find(is_missing);
        let Some(name) = missing.filter(|_| reading.executions >= PATIENCE) else {
            return Ok(());
        };
        let runs = reading.executions;
        Err(Failure::new(
            format_args!("none of {runs} runs has reported a number `{name}`"),
            format_args!(
                "see above for the numbers that the target reports, or let it report this one by `pleach::goal!(\"{name}\", …)`"
            ),
        ))
    }

    /// Says why the campaign has found nothing new for long. Whoever has interrupted it does not wait for that.
    fn say_why(&self, program: &Path, ending: Ending, corpus: &[PathBuf]) {
        let target = &self.target;
        if ending.interrupted {
            note(format_args!(
                "\nthe second half of the runs has covered nothing new; to find out why: pleach stuck {target}"
            ));
            return;
        }
        note("\nthe second half of the runs has covered nothing new; finding out why");
        let args = TargetArgs::of_program(
            Some(program.to_owned()),
            self.features.clone(),
            self.fuzz_dir.clone(),
        );
        let subject = args.open(target);
        let lines = subject.and_then(|it| super::stuck::of_campaign(it, corpus));
        // What cannot be found out is no reason to fail.
        for line in lines.unwrap_or_default() {
            note(line);
        }
    }

    /// Finds out what the target has to know of the function that it is aimed at.
    fn prepare_aim(&self, program: &Path) -> Result<Option<Aimed>, Failure> {
        let args = TargetArgs::of_program(
            Some(program.to_owned()),
            self.features.clone(),
            self.fuzz_dir.clone(),
        );
        let subject = args.open(&self.target)?;
        self.aim.prepare(&subject, self.random_seed.unwrap_or(0))
    }

    /// What is shown while the campaign runs.
    fn view(
        &self,
        known: &Known,
        corpus: &Path,
        failures: view::Failures,
    ) -> Result<View, Failure> {
        let codec = known.source.as_ref().filter(|_| !known.is_text);
        let sample = Sample {
            corpus: corpus.to_owned(),
            codec: codec.map(|source| pleach_core::Codec::new(&source.graph)),
        };
        let log = self.engine_log.as_ref();
        let about = About {
            target: self.target.clone(),
            seconds: self.seconds,
            sample,
            failures,
        };
        View::new(log.map(Option::as_deref), about)
    }

    /// Where inputs are, the place for new ones first, in the order in which the engine is told.
    fn corpus(&self, project: &Project) -> Vec<PathBuf> {
        let is_flag = |flag: &&OsString| flag.as_encoded_bytes().starts_with(b"-");
        let mut corpus: Vec<PathBuf> = self
            .flags
            .iter()
            .filter(|flag| !is_flag(flag))
            .map(PathBuf::from)
            .collect();
        if self.corpus.is_empty() {
            corpus.push(project.dir.join("corpus").join(&self.target));
        } else {
            corpus.extend(self.corpus.iter().cloned());
        }
        corpus
    }

    fn run_command(&self, build: &Build<'_>, cargo_fuzz: &CargoFuzz, project: &Project) -> Command {
        let mut command = cargo_fuzz.command();
        command.arg("run");
        build.options(&mut command, project);
        command.args(&self.corpus);
        command.args(["--", "-print_final_stats=1"]);
        command.args(FLAGS);
        if let Some(seconds) = self.seconds {
            command.arg(format!("-max_total_time={seconds}"));
        }
        if let Some(seed) = self.random_seed {
            command.arg(format!("-seed={}", engine_seed(seed)));
            set_default(&mut command, CLOCK_VARIABLE, "0");
        }
        command.args(&self.flags);
        set_default(&mut command, STATS_VARIABLE, "1");
        if !self.goal.is_empty() {
            command.env(GOAL_VARIABLE, self.goal.join(","));
        }
        command
    }

    fn answer(
        &self,
        reading: &Reading,
        ending: Ending,
        known: &Known,
        program: Option<&Path>,
    ) -> Result<Answer, Failure> {
        if reading.failed {
            let reader = crash::Reader {
                graph: known.source.as_ref().map(|source| &source.graph),
                grammar: &known.grammar(),
                is_text: known.is_text,
                renderer: program.filter(|_| known.has_hooks),
            };
            match (&known.source, program) {
                (Some(source), Some(program)) if !self.no_reduce => {
                    let failures = failures::Failures {
                        target: &self.target,
                        program,
                        graph: &source.graph,
                        reader,
                    };
                    failures.tell(&reading.artifacts);
                }
                _ => reading.artifacts.iter().for_each(|it| reader.tell(it)),
            }
            return Ok(Answer::No);
        }
        if ending.interrupted {
            return Ok(Answer::Interrupted);
        }
        if ending.status.success() {
            return self.check_goals(reading).map(|()| Answer::Yes);
        }
        Err(Failure::new(
            "the engine stopped early, and not because of an input",
            "see the messages above",
        ))
    }
}

/// The seed of the engine: a number of 32 bits, and not 0, which means one of the engine's own choice.
fn engine_seed(seed: u64) -> u32 {
    let folded = (seed ^ seed >> 32) as u32;
    match folded {
        0 => u32::MAX,
        seed => seed,
    }
}

/// Sets a variable of a target, unless the user has set it. To targets, one that is empty is unset.
fn set_default(command: &mut Command, name: &str, value: &str) {
    if std::env::var_os(name).is_none_or(|it| it.is_empty()) {
        command.env(name, value);
    }
}

#[expect(
    clippy::disallowed_types,
    reason = "the time that a campaign took is part of the report"
)]
fn timed<T>(task: impl FnOnce() -> T) -> (T, f64) {
    let begun = std::time::Instant::now();
    let result = task();
    (result, begun.elapsed().as_secs_f64())
}

/// The files in a directory; none if it does not exist.
fn files(dir: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let inputs = entries.filter(|entry| !is_hidden(&entry.file_name()));
    inputs.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::engine_seed;

    #[test]
    fn every_seed_is_one_of_the_engine() {
        let table = [
            (1, 1),
            (7, 7),
            (0, u32::MAX),
            (1 << 32, 1),
            (0x1_0000_0001, u32::MAX),
        ];
        for (seed, expected) in table {
            assert_eq!(engine_seed(seed), expected);
        }
    }
}
