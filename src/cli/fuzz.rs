//! `pleach fuzz`: `cargo fuzz run` with pleach left out of the instrumentation, sound defaults, and a summary.
//!
//! The target is built first, with Cargo's messages as they are, and run then: so a build that fails can be told from an input
//! that fails. What the engine prints passes through to standard error; the summary is read from it.

mod engine;
mod process;
mod ruler;
mod runs;
mod seeds;
mod surround;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pleach_project::{CargoFuzz, Project, Sanitizer};
use serde::Serialize;

use super::args::Common;
use super::failure::{Answer, Failure, note, reason};
use super::output::Output;
use super::report::{Share, table};
use engine::{OperatorCounts, PathCounts, Reading, TextCounts};
use process::Ending;
use ruler::{Level, Ruler};
pub(super) use surround::Surround;

/// What the engine does otherwise than by its defaults. It pays for each feature of each run, and sentences have many: with a
/// feature for every count of every edge, and a schedule that keeps account of how rare each of them is, the engine takes more
/// time than an ordinary parser, and its corpus fills with inputs that repeat things. And by default it mutates what it has just made
/// up to four times more, as long as nothing is kept, where two in all find more: an operator of pleach changes more than a byte.
const ENGINE_FLAGS: [&str; 3] = ["-entropic=0", "-use_counters=0", "-mutate_depth=2"];

/// Lets a target say which k-paths its runs have covered, what the operators of its mutator have yielded, and with the text codec how
/// it has recognized texts.
const STATS_VARIABLE: &str = "PLEACH_STATS";
/// Lets what a target makes of a seed depend on the clock, or not.
const CLOCK_VARIABLE: &str = "PLEACH_CLOCK";

/// Run a fuzz target, with pleach left out of its instrumentation
///
/// Does what `cargo fuzz run` does, from anywhere in the project, with other defaults: no sanitizer, so that stable Rust will do,
/// and an engine that takes note of edges rather than of how often each is passed (-entropic=0 -use_counters=0), which
/// leaves more time for running inputs, and that goes on from a kept input after two mutations (-mutate_depth=2). Comparisons are not
/// traced (--no-trace-compares), which takes a third to a half of most runs, and a grammar has the words that it would tell. What is
/// built is kept apart from the builds of a plain `cargo fuzz run`, in `pleach` below the target directory.
///
/// Without --random-seed the engine chooses a seed of its own. With it, nothing that pleach does depends on the clock (PLEACH_CLOCK=0).
///
/// Ends after SECONDS, at the first input that fails, or by Ctrl-C, always with a summary. Its exit code is 1 if an input failed.
///
/// A target with `codec: text` takes --text, because its corpus holds texts instead of choice sequences. Texts to start from,
/// for either, are named by --seeds.
///
/// Example: pleach fuzz json 60 --grammar grammars/json.ebnf -- -max_len=1000
#[derive(Args, Debug)]
pub(super) struct Fuzz {
    /// The fuzz target
    target: String,
    /// How long to run; without it, until Ctrl-C or a failing input
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    seconds: Option<u32>,
    /// Flags of the engine, which win over the defaults (`-fork=2`, `-max_len=1000`, `-help=1` lists them)
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<OsString>,
    /// Report the k-paths of this grammar that the corpus covers, before and after
    #[arg(long)]
    grammar: Option<PathBuf>,
    /// Report k-paths for k from 1 to this
    #[arg(short, default_value_t = 3, value_name = "K")]
    k: usize,
    /// The target has `codec: text`: its corpus holds texts
    #[arg(long)]
    text: bool,
    /// Texts, or directories of them, to add to the corpus before the start: as choice sequences, which takes --grammar
    /// and leaves out what is no sentence, or as they are with --text
    #[arg(long, value_name = "PATH")]
    seeds: Vec<PathBuf>,
    /// The sanitizer to build with; all but none take nightly Rust
    #[arg(short, long, value_parser = sanitizer(), default_value_t = Sanitizer::None)]
    sanitizer: Sanitizer,
    /// Build the target with traced comparisons, from which the engine's mutations of bytes learn; slower
    #[arg(long)]
    trace_compares: bool,
    /// Build the target without debug assertions and overflow checks
    #[arg(short = 'O', long)]
    release: bool,
    /// Features of the fuzz package to build the target with, with commas between them
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

/// What has happened, for a reader.
#[derive(Serialize)]
struct Summary<'a> {
    target: &'a str,
    seconds: f64,
    executions: u64,
    executions_per_second: u64,
    /// Nothing without status lines, as are features and corpus.
    edges: Option<u64>,
    /// Edges that the target has.
    edges_total: Option<u64>,
    features: Option<u64>,
    /// Inputs that the engine keeps.
    corpus: Option<u64>,
    corpus_dir: &'a Path,
    /// Nothing without a grammar.
    k_paths: Option<Vec<Level>>,
    /// Files of the corpus that are no sentences, of texts measured with a grammar.
    invalid: Option<u64>,
    /// What all inputs have covered that were run, as the target's mutator counts, if it says so.
    k_paths_run: Option<PathCounts>,
    /// How the target's mutator has recognized texts, if it says so.
    texts: Option<TextCounts>,
    /// What the operators of the target's mutator have come to, if it says so.
    operators: &'a [OperatorCounts],
    crashes: &'a [PathBuf],
    interrupted: bool,
}

impl Fuzz {
    pub(super) fn run(self, common: &Common, out: &mut Output) -> Result<Answer, Failure> {
        let ruler = match &self.grammar {
            Some(grammar) => Some(Ruler::new(grammar, self.k, self.text, common)?),
            None if !self.seeds.is_empty() && !self.text => {
                return Err(Failure::new(
                    "--seeds takes a grammar to turn texts into choice sequences",
                    "name it by --grammar, or add --text if the target has `codec: text`",
                ));
            }
            None => None,
        };
        let project = Project::find(self.fuzz_dir.as_deref())?;
        project.check_target(&self.target)?;
        let mut cargo_fuzz = CargoFuzz::find(self.sanitizer)?;
        for path in self.corpus.iter().chain(&self.seeds) {
            fs::metadata(path).map_err(|error| Failure::file("read", path, &error))?;
        }
        let corpus = self.corpus(&project);
        let artifacts = project.dir.join("artifacts").join(&self.target);

        cargo_fuzz.prepare(&project, self.features.as_deref(), |it| note(it))?;
        self.build().run(&cargo_fuzz, &project)?;
        if !self.seeds.is_empty() {
            let texts = ruler.as_ref().filter(|_| !self.text).map(Ruler::texts);
            note(seeds::add(&self.seeds, &corpus[0], texts.as_ref())?);
        }
        let before = match &ruler {
            Some(ruler) => Some(ruler.measure(&corpus)?),
            None => None,
        };
        let old_artifacts = files(&artifacts);
        let mut reading = Reading::default();
        let (ending, seconds) = timed(|| {
            let mut command = self.run_command(common, &cargo_fuzz, &project);
            process::run(&mut command, &mut reading)
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
                (Some(levels), self.text.then_some(invalid))
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
            crashes: &reading.artifacts,
            interrupted: ending.interrupted,
        };
        // An engine that did not get as far as its first line has nothing to sum up.
        if reading.started || reading.finished || reading.failed {
            match common.json {
                true => out.json(&summary)?,
                false => print(&summary, out)?,
            }
        }
        out.finish()?;
        self.answer(&reading, ending)
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

    fn build(&self) -> Build<'_> {
        Build {
            target: &self.target,
            sanitizer: self.sanitizer,
            release: self.release,
            trace_compares: self.trace_compares,
            features: self.features.as_deref(),
        }
    }

    fn run_command(&self, common: &Common, cargo_fuzz: &CargoFuzz, project: &Project) -> Command {
        let mut command = cargo_fuzz.command();
        command.arg("run");
        self.build().options(&mut command, project);
        command.args(&self.corpus);
        command.args(["--", "-print_final_stats=1"]);
        command.args(ENGINE_FLAGS);
        if let Some(seconds) = self.seconds {
            command.arg(format!("-max_total_time={seconds}"));
        }
        // To the engine, 0 means a seed of its own choice; it takes half as many bits as other verbs do.
        let seed = common.random_seed & u64::from(u32::MAX);
        if seed != 0 {
            command.arg(format!("-seed={seed}"));
            set_default(&mut command, CLOCK_VARIABLE, "0");
        }
        command.args(&self.flags);
        set_default(&mut command, STATS_VARIABLE, "1");
        command
    }

    fn answer(&self, reading: &Reading, ending: Ending) -> Result<Answer, Failure> {
        if reading.failed {
            let grammar = match &self.grammar {
                Some(grammar) => grammar.display().to_string(),
                None => "GRAMMAR".into(),
            };
            for artifact in &reading.artifacts {
                let file = artifact.display();
                match self.text {
                    true => note(format_args!(
                        "\nan input failed: {file}\n  it is the text itself\n  its tree: pleach show {grammar} {file} --text"
                    )),
                    false => note(format_args!(
                        "\nan input failed: {file}\n  its text: pleach decode {grammar} {file}\n  its tree: pleach show {grammar} {file}"
                    )),
                }
            }
            return Ok(Answer::No);
        }
        if ending.interrupted {
            return Ok(Answer::Interrupted);
        }
        if ending.status.success() {
            return Ok(Answer::Yes);
        }
        Err(Failure::new(
            "the engine stopped early, and not because of an input",
            "see the messages above",
        ))
    }
}

/// How a target is built.
struct Build<'a> {
    target: &'a str,
    sanitizer: Sanitizer,
    release: bool,
    trace_compares: bool,
    features: Option<&'a str>,
}

impl Build<'_> {
    fn options(&self, command: &mut Command, project: &Project) {
        command.arg("--fuzz-dir").arg(&project.dir);
        command.arg("--sanitizer").arg(self.sanitizer.to_string());
        if self.release {
            command.arg("--release");
        }
        if !self.trace_compares {
            command.arg("--no-trace-compares");
        }
        if let Some(features) = self.features {
            command.arg("--features").arg(features);
        }
        command.arg(self.target);
    }

    fn run(&self, cargo_fuzz: &CargoFuzz, project: &Project) -> Result<(), Failure> {
        let mut command = cargo_fuzz.command();
        command.arg("build");
        self.options(&mut command, project);
        command.stdin(Stdio::null()).stdout(std::io::stderr());
        let status = command.status().map_err(|error| cannot_run(&error))?;
        match status.success() {
            true => Ok(()),
            false => Err(Failure::new(
                format_args!("the fuzz target `{}` does not build", self.target),
                "see the messages above",
            )),
        }
    }
}

/// Sets a variable of a target, unless the user has set it. To targets, one that is empty is unset.
fn set_default(command: &mut Command, name: &str, value: &str) {
    if std::env::var_os(name).is_none_or(|it| it.is_empty()) {
        command.env(name, value);
    }
}

fn cannot_run(error: &std::io::Error) -> Failure {
    Failure::Wrong(format!("cannot run `cargo fuzz`: {}", reason(error)))
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
    entries.map(|entry| entry.path()).collect()
}

fn print(summary: &Summary, out: &mut Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let mut row = |name: String, value: String| rows.push(vec![name, value]);
    row("seconds".into(), format!("{:.1}", summary.seconds));
    let Summary {
        executions,
        executions_per_second,
        ..
    } = summary;
    row(
        "executions".into(),
        format!("{executions} ({executions_per_second} per second)"),
    );
    match (summary.edges, summary.edges_total) {
        (Some(covered), Some(total)) => row("edges".into(), Share { covered, total }.to_string()),
        (Some(covered), None) => row("edges".into(), covered.to_string()),
        (None, _) => {}
    }
    if let Some(features) = summary.features {
        row("features".into(), features.to_string());
    }
    let corpus_dir = summary.corpus_dir.display();
    row(
        "corpus".into(),
        match summary.corpus {
            Some(corpus) => format!("{corpus} in {corpus_dir}"),
            None => corpus_dir.to_string(),
        },
    );
    for Level { k, before, after } in summary.k_paths.iter().flatten() {
        let new = after.covered.saturating_sub(*before);
        row(
            format!("{k}-paths"),
            format!("{after}, {before} before, {new} new"),
        );
    }
    if let Some(invalid @ 1..) = summary.invalid {
        row("no sentences".into(), format!("{invalid} of the corpus"));
    }
    if let Some(PathCounts { k, covered, total }) = summary.k_paths_run {
        let share = Share { covered, total };
        row("k-paths run".into(), format!("{share}, k = {k}"));
    }
    if let Some(texts) = &summary.texts {
        let share = Share {
            covered: texts.hits,
            total: texts.hits + texts.misses,
        };
        row(
            "texts known".into(),
            format!(
                "{share} without parsing, {} refused, {} beyond the budget",
                texts.refused, texts.exhausted
            ),
        );
    }
    for path in summary.crashes {
        row("failed".into(), path.display().to_string());
    }
    table(out, &rows)?;
    if summary.operators.is_empty() {
        return Ok(());
    }
    let heads = ["operator", "inputs", "kept", "new k-paths", "us", "share"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for counts in summary.operators {
        let time = counts.microseconds as f64 / counts.tried.max(1) as f64;
        rows.push(vec![
            counts.name.clone(),
            counts.tried.to_string(),
            counts.kept.to_string(),
            counts.new_paths.to_string(),
            format!("{time:.1}"),
            format!("{:.1} %", counts.share as f64 / 10.0),
        ]);
    }
    writeln!(out)?;
    table(out, &rows)
}
