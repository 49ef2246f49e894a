//! `pleach reduce`: the smallest input that still fails.

mod drive;
mod test;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use pleach_core::parse::Workspace;
use pleach_core::reduce::{Candidate, Reducer};
use pleach_core::{Codec, Graph, Parser, Tree, slip};
use pleach_probe::{Probe, Verdict};
use regex_lite::{Regex, RegexBuilder};
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs, NotationArgs};
use super::failure::{Answer, Failure, note, warn};
use super::input::read_named;
use super::output::{Output, write_file};
use super::parallel::most_threads;
use super::recognize::{Kind, KindArgs};
use super::record::Codecs;
use super::report::count;
use super::target::TargetArgs;

pub(crate) use drive::{Bounds, End, Reduced, drive};
use test::{Ending, Program, Wanted};
pub(crate) use test::{Failing, Test};

/// Seconds that a run may take unless the user says so, and what an input that times out is reduced with.
const TIMEOUT: u32 = 10;
const TIMEOUT_OF_HANGS: u32 = 1;

/// Find the smallest input that still fails
///
/// Of an artifact of a fuzz target, or any input that fails in it, finds a small one that fails in the same way: panics in the same place, or
/// dies of the same. It is reduced by its derivation: parts are left out, nested ones take the place of what is around them, names and numbers
/// become plain, in single steps until none leads to a smaller input that fails. A sentence of the grammar stays one, unless --bytes allows more.
/// What is not a sentence is reduced by its brackets, words and bytes.
///
/// The text goes to standard output, what was done to standard error. The target is built as `pleach fuzz` builds it, and runs many
/// inputs in a process. Ctrl-C ends with the smallest input so far.
///
/// With a command behind `--`, a grammar is named instead of a target, and the test is what the command does with the input, in the place of `{}`
/// as a file, or else on standard input: that it ends with the same exit code or by the same signal as with the artifact, and panics, if it does, in
/// the same place; or with --matching, what it prints.
///
/// Example: pleach reduce json fuzz/artifacts/json/crash-0a4d55
///
/// Example: pleach reduce lua crash.lua -o small.lua -- luac -p {}
///
/// Example: pleach reduce json crash.json --matching 'index out of (range|bounds)' -- ./parse
#[derive(Args, Debug)]
pub(super) struct Reduce {
    /// The fuzz target; with a command, the grammar: a file in any notation, or the name of a grammar of the library
    #[arg(value_name = "TARGET|GRAMMAR")]
    subject: PathBuf,
    /// The input; `-` reads standard input
    #[arg(value_name = "ARTIFACT")]
    artifact: PathBuf,
    /// What to run instead of a target, with `{}` for the file of an input
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Write the text to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write to the file of -o what the target reads, and not the text: a choice sequence, if its corpus has them
    #[arg(long, requires = "output")]
    as_artifact: bool,
    /// Print the derivation tree instead of the text
    #[arg(long, conflicts_with = "json")]
    tree: bool,
    #[command(flatten)]
    kind: KindArgs,
    /// Go on by bytes where the grammar allows nothing smaller; the result may be no sentence
    #[arg(long)]
    bytes: bool,
    /// Seconds that a run may take, as in `10`, `10s` or `2m` [default: 10; 1 for inputs that take longer than 10]
    #[arg(long, value_name = "TIME", value_parser = super::duration::seconds)]
    timeout: Option<u32>,
    /// Runs at the most
    #[arg(long, value_name = "N")]
    max_runs: Option<u64>,
    /// Processes side by side [default: 1 of a target, one a core of a command]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// Of a command: what its output has where an input fails, a regular expression, in which `^` and `$` are the ends of a line
    #[arg(long, value_name = "REGEX", requires = "command", conflicts_with = "exit_code", value_parser = regex)]
    matching: Option<Regex>,
    /// Of a command: its exit code where an input fails
    #[arg(long, value_name = "CODE", requires = "command")]
    exit_code: Option<i32>,
    /// The grammar of a target that cannot say what it is, because it does not call `load()`
    #[arg(long, conflicts_with = "command")]
    grammar: Option<PathBuf>,
    /// Run this program instead of building the target
    #[arg(long, value_name = "FILE", conflicts_with = "command")]
    program: Option<PathBuf>,
    /// Features of the fuzz package to build the target with, with commas between them, beside those that it needs by its manifest
    #[arg(long, value_name = "FEATURES", conflicts_with = "command")]
    features: Option<String>,
    /// The directory of the fuzz package [default: the nearest `fuzz`]
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    fuzz_dir: Option<PathBuf>,
    #[command(flatten)]
    notation: NotationArgs,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    format: JsonArgs,
}

fn regex(text: &str) -> Result<Regex, regex_lite::Error> {
    RegexBuilder::new(text).multi_line(true).build()
}

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    /// How it fails.
    failure: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    /// The smallest input.
    text: String,
    /// Its bytes, where they are no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    /// The bytes of the text that it began with, and of this one.
    from: usize,
    to: usize,
    runs: u64,
    /// Whether it is a sentence of the grammar.
    is_sentence: bool,
    /// Whether no single step leads to a smaller one.
    is_minimal: bool,
}

/// An artifact that fails, and how.
struct Begun {
    /// The text that the artifact stands for.
    text: Vec<u8>,
    failure: String,
    message: Option<String>,
}

/// What there is in the end.
struct Ended {
    reducer: Reducer,
    reduced: Reduced,
    runs: u64,
    /// The text of the best input, as the target makes it.
    text: Vec<u8>,
}

impl Reduce {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        // Better before than after all the work.
        if let Some(path) = self.output.as_ref().filter(|it| it.is_file())
            && !self.force.force
        {
            let error = io::Error::from(io::ErrorKind::AlreadyExists);
            return Err(Failure::file("write", path, &error));
        }
        match self.command.is_empty() {
            true => self.of_target(out),
            false => self.of_command(out),
        }
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            runs: self.max_runs,
            time: None,
        }
    }

    fn of_target(&self, out: &mut Output) -> Result<Answer, Failure> {
        let mut bytes = Vec::new();
        let name = read_named(&self.artifact, Path::new(""), &mut bytes)?;
        let args = TargetArgs::of_artifacts(
            self.grammar.clone(),
            self.kind.stated() == Some(Kind::Texts) && self.grammar.is_some(),
            self.program.clone(),
            self.features.clone(),
            self.fuzz_dir.clone(),
            self.notation.clone(),
        );
        let target = self.subject.to_string_lossy();
        let subject = args.open(&target)?;
        let graph = &subject.source.graph;
        let kind = match (self.kind.stated(), subject.is_text) {
            (None, true) => Kind::Texts,
            _ => self.kind.of_file(graph, &self.artifact, &name, &bytes)?,
        };
        let codec = Codec::new(graph);
        let text = match kind {
            Kind::Texts => bytes.clone(),
            Kind::Choices => subject
                .texts_of(&codec, std::slice::from_ref(&bytes))?
                .remove(0),
        };
        let timeout = self.timeout.unwrap_or(TIMEOUT);
        let probe = Probe::new(&subject.program).timeout(Duration::from_secs(timeout.into()));
        let probed = probe.clone().texts().run(&[&text], |_| {})?;
        let verdict = probed.runs.first().map(|run| run.verdict.clone());
        let Some(verdict) = verdict.filter(Verdict::is_failure) else {
            return Err(Failure::new(
                format_args!("{name} does not fail in `{target}`"),
                "name an input that fails in this target, as `pleach fuzz` builds it now",
            ));
        };
        let probe = match (&verdict, self.timeout) {
            (Verdict::TimedOut, None) => {
                note(format_args!(
                    "{name} takes longer than {TIMEOUT} s; smaller inputs may take {TIMEOUT_OF_HANGS} s, or what --timeout allows"
                ));
                probe.timeout(Duration::from_secs(TIMEOUT_OF_HANGS.into()))
            }
            _ => probe,
        };
        let begun = Begun {
            text,
            failure: verdict.to_string(),
            message: message(verdict),
        };
        let message = begun.message.as_ref().and_then(|it| it.lines().next());
        let message = message.map_or_else(String::new, |it| format!(": {it}"));
        note(format_args!("{name}: {}{message}", begun.failure));
        let jobs = self.jobs.map_or(1, usize::from);
        let mut ended = None;
        if kind == Kind::Choices {
            let by_choices = subject.renders_choices();
            let test = Failing::new(probe.clone(), by_choices, begun.failure.clone(), jobs);
            let reducer = Reducer::of_choices(graph, &bytes);
            let done = self.reduce(reducer, test, &begun)?;
            // What a target makes of slips, only the target knows.
            ended = Some(done).filter(|it| it.reduced.best.is_some() || !by_choices);
        }
        let mut ended = match ended {
            Some(ended) => ended,
            None => {
                let test = Failing::new(probe, false, begun.failure.clone(), jobs);
                self.reduce(Reducer::of_text(graph, &begun.text), test, &begun)?
            }
        };
        if let Some(choices) = ended.reduced.best.as_ref().and_then(Candidate::choices)
            && subject.renders_choices()
        {
            ended.text = subject.texts_of(&codec, &[choices.to_vec()])?.remove(0);
        }
        self.tell(graph, &begun, &ended, !subject.is_text, out)
    }

    fn of_command(&self, out: &mut Output) -> Result<Answer, Failure> {
        let grammar = GrammarArgs {
            grammar: self.subject.clone(),
            notation: self.notation.clone(),
        };
        let source = grammar.load()?;
        let graph = &source.graph;
        let mut bytes = Vec::new();
        let name = read_named(&self.artifact, &self.subject, &mut bytes)?;
        let kind = self.kind.of_file(graph, &self.artifact, &name, &bytes)?;
        let mut codecs = Codecs::new(graph);
        let text = match kind {
            Kind::Texts => bytes.clone(),
            Kind::Choices => slip::text(codecs.of(&self.artifact), &bytes),
        };
        codecs.tell(&source.name);
        let timeout = Duration::from_secs(self.timeout.unwrap_or(TIMEOUT).into());
        let jobs = self.jobs.map_or_else(most_threads, usize::from);
        let mut program = Program::new(self.command.clone(), timeout, jobs);
        let outcome = program.run(&text)?;
        let ending = outcome.ending.clone();
        let place = outcome.panic();
        let failure = match &place {
            Some(place) => format!("panic at {place}"),
            None => ending.to_string(),
        };
        let wanted = match (&self.matching, self.exit_code) {
            (Some(regex), _) => Wanted::Output(regex.clone()),
            (None, Some(code)) => Wanted::Ending(Ending::Code(code), place),
            (None, None) => Wanted::Ending(ending.clone(), place),
        };
        if !outcome.is(&wanted) || self.exit_code.is_none() && is_success(&wanted) {
            let (matter, help) = match &wanted {
                Wanted::Output(regex) => (
                    format!("nothing that the command prints matches {regex}"),
                    "try the command by hand, with the input in the place of `{}`",
                ),
                Wanted::Ending(..) => (
                    format!("the command does not fail: it ends with {ending}"),
                    "say what to look for by --exit-code, or in its output by --matching",
                ),
            };
            return Err(Failure::new(format_args!("{name}: {matter}"), help));
        }
        let failure = match &wanted {
            Wanted::Output(regex) => format!("output with {regex}"),
            Wanted::Ending(..) => failure,
        };
        program.wanted = Some(wanted);
        let begun = Begun {
            text,
            failure,
            message: None,
        };
        note(format_args!("{name}: {}", begun.failure));
        let own = slip::text(&Codec::new(graph), &bytes);
        let reducer = match kind {
            Kind::Choices if own == begun.text => Reducer::of_choices(graph, &bytes),
            _ => Reducer::of_text(graph, &begun.text),
        };
        let ended = self.reduce(reducer, program, &begun)?;
        self.tell(graph, &begun, &ended, kind == Kind::Choices, out)
    }

    fn reduce(
        &self,
        reducer: Reducer,
        mut test: impl Test,
        begun: &Begun,
    ) -> Result<Ended, Failure> {
        let mut reducer = match self.bytes {
            true => reducer.beyond_grammar(),
            false => reducer,
        };
        let reduced = drive(&mut reducer, &mut test, self.bounds(), true)?;
        let best = reduced.best.as_ref();
        Ok(Ended {
            text: best.map_or_else(|| begun.text.clone(), |it| it.text().to_vec()),
            reducer,
            runs: test.runs(),
            reduced,
        })
    }

    fn tell(
        &self,
        graph: &Arc<Graph>,
        begun: &Begun,
        ended: &Ended,
        is_choices: bool,
        out: &mut Output,
    ) -> Result<Answer, Failure> {
        let Ended {
            reducer,
            reduced,
            runs,
            text,
        } = ended;
        let Some(best) = &reduced.best else {
            if reduced.end == End::Interrupted {
                return Ok(Answer::Interrupted);
            }
            return Err(Failure::new(
                "the input fails now and then only, so that nothing can be found out by running smaller ones",
                "see that the target does the same each time: no threads that race, no random numbers, no state that stays",
            ));
        };
        if let Some(path) = &self.output {
            let bytes = match (self.as_artifact && is_choices, best.choices()) {
                (false, _) => text.clone(),
                (true, Some(choices)) => choices.to_vec(),
                (true, None) => slip::of_text(text).ok_or_else(|| {
                    Failure::new(
                        "the result is not a sentence, and too long for a choice sequence with slips",
                        "leave out --as-artifact, which writes the text",
                    )
                })?,
            };
            write_file(path, &bytes, self.force.existing())?;
        }
        let is_sentence = reducer.is_sentence();
        if self.format.json {
            let is_utf8 = str::from_utf8(text).is_ok();
            out.json(&Report {
                version: 1,
                failure: &begun.failure,
                message: begun.message.as_deref(),
                text: String::from_utf8_lossy(text).into_owned(),
                hex: (!is_utf8).then(|| text.iter().map(|byte| format!("{byte:02x}")).collect()),
                from: begun.text.len(),
                to: text.len(),
                runs: *runs,
                is_sentence,
                is_minimal: reduced.end == End::Minimal,
            })?;
        } else if self.tree {
            match choices(graph, best) {
                Some(choices) => write!(out, "{}", Tree::decode(&Codec::new(graph), &choices))?,
                None => {
                    warn("the result is not a sentence, so it has no tree");
                    out.bytes(text)?;
                }
            }
        } else if self.output.is_none() || self.as_artifact {
            out.bytes(text)?;
        }
        out.finish()?;
        let how = match (reduced.end, is_sentence) {
            (End::Minimal, true) => "",
            (End::Minimal, false) => "; it is not a sentence",
            (End::Bounded, _) => "; more runs may find a smaller one",
            (End::Interrupted, _) => "; interrupted",
        };
        // On a terminal, what is said comes behind the text.
        let is_open = io::stdout().is_terminal() && self.output.is_none() && !self.format.json;
        let line = match is_open && !text.ends_with(b"\n") {
            true => "\n",
            false => "",
        };
        note(format_args!(
            "{line}reduced from {} to {} in {}{how}",
            count(begun.text.len() as u64, "byte"),
            text.len(),
            count(*runs, "run"),
        ));
        Ok(match reduced.end {
            End::Interrupted => Answer::Interrupted,
            _ => Answer::Yes,
        })
    }
}

/// Whether what is wanted is that nothing happens.
fn is_success(wanted: &Wanted) -> bool {
    matches!(wanted, Wanted::Ending(Ending::Code(0), _))
}

/// The message of a panic.
fn message(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Panicked { message, .. } => Some(message).filter(|it| !it.is_empty()),
        _ => None,
    }
}

/// The choices of a sentence.
fn choices(graph: &Arc<Graph>, best: &Candidate) -> Option<Vec<u8>> {
    if let Some(choices) = best.choices() {
        return Some(choices.to_vec());
    }
    let parser = Parser::new(graph);
    let mut choices = Vec::new();
    let (budget, mut workspace) = (Default::default(), Workspace::new());
    let mut forest = parser.parse(best.text(), budget, &mut workspace).ok()?;
    forest.choices(&mut choices).ok()?;
    Some(choices)
}
