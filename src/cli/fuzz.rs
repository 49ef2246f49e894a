//! `pleach fuzz`: `cargo fuzz run` with pleach left out of the instrumentation, sound defaults, and a summary.
//!
//! The target is built first, with Cargo's messages as they are, and run then: so a build that fails can be told from an input
//! that fails. What the engine prints passes through to standard error; the summary is read from it.

mod engine;
mod process;
mod project;
pub(super) mod wrapper;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use pleach::Codec;
use pleach::kpath::{KPaths, WindowTable};
use serde::Serialize;

use super::Common;
use super::failure::{Answer, Failure, note, reason};
use super::input::{Source, collect};
use super::measure::{Form, Meter, measure_files};
use super::output::Output;
use super::report::{Share, table};
use engine::Reading;
use process::Ending;
use project::{CargoFuzz, Project};

/// How slowly the engine raises the length of inputs; its own default of 100 is meant for text, of which choices take
/// two or three bytes a character, and would keep inputs of slow targets at a few characters for minutes.
const LENGTH_CONTROL: &str = "-len_control=20";

/// Run a fuzz target, with pleach left out of its instrumentation
///
/// Does what `cargo fuzz run` does, from anywhere in the project, with other defaults: no sanitizer, so that stable Rust
/// will do, and libFuzzer's control of lengths (-len_control=20), which custom mutators otherwise switch off. What is built is
/// kept apart from the builds of a plain `cargo fuzz run`, in `pleach` below the target directory.
///
/// Without --random-seed the engine chooses a seed of its own.
///
/// Ends after SECONDS, at the first input that fails, or by Ctrl-C, always with a summary. Its exit code is 1 if an input failed.
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
    /// The sanitizer to build with; all but none take nightly Rust
    #[arg(short, long, value_enum, default_value_t = Sanitizer::None)]
    sanitizer: Sanitizer,
    /// Build the target without debug assertions and overflow checks
    #[arg(short = 'O', long)]
    release: bool,
    /// The directory of the fuzz package [default: the nearest `fuzz`]
    #[arg(long, value_name = "DIR")]
    fuzz_dir: Option<PathBuf>,
    /// A directory of inputs, the first one for new inputs, too; or files to run once [default: `corpus/TARGET` in the
    /// fuzz package]
    #[arg(long, value_name = "PATH")]
    corpus: Vec<PathBuf>,
}

/// The sanitizers of cargo-fuzz.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Sanitizer {
    /// Fastest, and enough for safe code
    None,
    /// Wrong accesses to memory
    Address,
    /// Memory that is never freed
    Leak,
    /// Reads of memory that nobody has written
    Memory,
    /// Data races
    Thread,
}

impl fmt::Display for Sanitizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sanitizer::None => "none",
            Sanitizer::Address => "address",
            Sanitizer::Leak => "leak",
            Sanitizer::Memory => "memory",
            Sanitizer::Thread => "thread",
        })
    }
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
    crashes: &'a [PathBuf],
    interrupted: bool,
}

/// The coverage of one level.
#[derive(Serialize)]
struct Level {
    k: usize,
    before: u64,
    #[serde(flatten)]
    after: Share,
}

impl Fuzz {
    pub(super) fn run(self, common: &Common, out: &mut Output) -> Result<Answer, Failure> {
        let ruler = match &self.grammar {
            Some(grammar) => Some(Ruler::new(grammar, self.k)?),
            None => None,
        };
        let project = Project::find(self.fuzz_dir.as_deref())?;
        project.check_target(&self.target)?;
        let mut cargo_fuzz = CargoFuzz::find(self.sanitizer)?;
        for path in &self.corpus {
            fs::metadata(path).map_err(|error| Failure::file("read", path, &error))?;
        }
        let corpus = self.corpus(&project);
        let artifacts = project.dir.join("artifacts").join(&self.target);

        cargo_fuzz.prepare(&project)?;
        self.build(&cargo_fuzz, &project)?;
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

        let k_paths = match (&ruler, before) {
            (Some(ruler), Some(before)) => Some(ruler.levels(&before, &ruler.measure(&corpus)?)),
            _ => None,
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

    fn options(&self, command: &mut Command, project: &Project) {
        command.arg("--fuzz-dir").arg(&project.dir);
        command.arg("--sanitizer").arg(self.sanitizer.to_string());
        if self.release {
            command.arg("--release");
        }
        command.arg(&self.target);
    }

    fn build(&self, cargo_fuzz: &CargoFuzz, project: &Project) -> Result<(), Failure> {
        let mut command = cargo_fuzz.command();
        command.arg("build");
        self.options(&mut command, project);
        command.stdin(Stdio::null()).stdout(std::io::stderr());
        let status = command.status().map_err(|error| cannot_run(&error))?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(
            format_args!("the fuzz target `{}` does not build", self.target),
            "see the messages above",
        ))
    }

    fn run_command(&self, common: &Common, cargo_fuzz: &CargoFuzz, project: &Project) -> Command {
        let mut command = cargo_fuzz.command();
        command.arg("run");
        self.options(&mut command, project);
        command.args(&self.corpus);
        command.args(["--", LENGTH_CONTROL, "-print_final_stats=1"]);
        if let Some(seconds) = self.seconds {
            command.arg(format!("-max_total_time={seconds}"));
        }
        // To the engine, 0 means a seed of its own choice; it takes half as many bits as other verbs do.
        let seed = common.random_seed & u64::from(u32::MAX);
        if seed != 0 {
            command.arg(format!("-seed={seed}"));
        }
        command.args(&self.flags);
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
                note(format_args!(
                    "\nan input failed: {file}\n  its text: pleach decode {grammar} {file}\n  its tree: pleach show {grammar} {file}"
                ));
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

/// Measures the k-paths of a corpus.
struct Ruler {
    source: Source,
    windows: Arc<WindowTable>,
}

impl Ruler {
    fn new(grammar: &Path, k: usize) -> Result<Ruler, Failure> {
        let source = Source::load(grammar)?;
        let refused = |error| Failure::of(&source.name, error);
        let kpaths = KPaths::new(&source.graph, k).map_err(refused)?;
        let windows = WindowTable::new(&kpaths).map_err(refused)?;
        Ok(Ruler { source, windows })
    }

    /// Which k-paths the files cover. Directories that do not exist are empty.
    fn measure(&self, paths: &[PathBuf]) -> Result<Meter, Failure> {
        let present: Vec<PathBuf> = paths.iter().filter(|it| it.exists()).cloned().collect();
        let files = collect(&present)?;
        let form = Form::Choices(Box::new(Codec::new(&self.source.graph)));
        let (meter, _) = measure_files(&form, &self.windows, &files)?;
        Ok(meter)
    }

    fn levels(&self, before: &Meter, after: &Meter) -> Vec<Level> {
        let kpaths = after.coverage.kpaths();
        let covered = |meter: &Meter, k| meter.coverage.at_level(k).count_ones() as u64;
        (1..=kpaths.k())
            .map(|k| Level {
                k,
                before: covered(before, k),
                after: Share {
                    covered: covered(after, k),
                    total: kpaths.len_at(k),
                },
            })
            .collect()
    }
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
    for path in summary.crashes {
        row("failed".into(), path.display().to_string());
    }
    table(out, &rows)
}
