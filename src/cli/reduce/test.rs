//! What must hold of a smaller input: that it fails in the target as the artifact does, or that a command does with it what it did
//! before.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use pleach_core::reduce::Candidate;
use pleach_probe::{Probe, Verdict};
use regex_lite::Regex;

use crate::failure::{Failure, reason};

/// Inputs that a process of the target gets at once, at first and at most: more as long as none fails.
const BATCH: usize = 8;
const MOST: usize = 256;
/// Bytes that a command prints of which more are not looked at.
const SAID: usize = 1 << 20;
/// How long to wait between two looks at a command, at least and at most.
const NAPS: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(10)];

/// Says of which candidates it holds.
pub(crate) trait Test {
    /// How many candidates to ask about at once.
    fn batch(&self) -> usize;
    /// The answers for the first candidates, at least for one. None comes behind the first that holds.
    fn ask(&mut self, candidates: &[Candidate]) -> Result<Vec<bool>, Failure>;
    /// How often something was run.
    fn runs(&self) -> u64;
}

/// Whether an input fails in a target as the artifact does.
pub(crate) struct Failing {
    probe: Probe,
    /// Whether the target makes the texts of choices itself.
    by_choices: bool,
    /// The failure, by its place.
    failure: String,
    jobs: usize,
    batch: usize,
    runs: u64,
}

impl Failing {
    /// A test for this failure. With `by_choices`, candidates are run as files of the target's corpus.
    pub(crate) fn new(probe: Probe, by_choices: bool, failure: String, jobs: usize) -> Failing {
        let probe = match by_choices {
            true => probe,
            false => probe.texts(),
        };
        Failing {
            probe,
            by_choices,
            failure,
            jobs,
            batch: BATCH,
            runs: 0,
        }
    }

    /// Runs inputs in one process, up to the first that fails in this way.
    fn run(&self, inputs: &[&[u8]]) -> Result<Vec<bool>, Failure> {
        let is_it = |verdict: &Verdict| verdict.to_string() == self.failure;
        let probed = self.probe.run_until(inputs, |_| {}, is_it)?;
        let runs = probed.runs.iter();
        Ok(runs.map(|run| is_it(&run.verdict)).collect())
    }
}

impl Test for Failing {
    fn batch(&self) -> usize {
        self.batch * self.jobs
    }

    fn ask(&mut self, candidates: &[Candidate]) -> Result<Vec<bool>, Failure> {
        let inputs = candidates.iter().map(|it| match it.choices() {
            Some(choices) if self.by_choices => choices,
            _ => it.text(),
        });
        let inputs: Vec<&[u8]> = inputs.collect();
        let share = inputs.len().div_ceil(self.jobs).max(1);
        let this = &*self;
        let shares: Vec<Result<Vec<bool>, Failure>> = match share == inputs.len() {
            true => vec![this.run(&inputs)],
            false => thread::scope(|scope| {
                let runs = inputs.chunks(share);
                let runs: Vec<_> = runs.map(|it| scope.spawn(|| this.run(it))).collect();
                runs.into_iter().map(joined).collect()
            }),
        };
        let mut answers = Vec::new();
        for share in shares {
            let share = share?;
            self.runs += share.len() as u64;
            if !answers.contains(&true) {
                answers.extend(share);
            }
        }
        self.batch = match answers.contains(&true) {
            true => BATCH,
            false => (self.batch * 2).min(MOST),
        };
        Ok(answers)
    }

    fn runs(&self) -> u64 {
        self.runs
    }
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// How a command ends, and what it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Code(i32),
    Signal(i32),
    TimedOut,
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Code(code) => write!(f, "exit code {code}"),
            Ending::Signal(signal) => write!(f, "signal {signal}"),
            Ending::TimedOut => f.write_str("timeout"),
        }
    }
}

/// What is wanted of a command.
#[derive(Debug)]
pub(crate) enum Wanted {
    /// That it ends like this, and panics, if it does, in this place.
    Ending(Ending, Option<String>),
    /// That something like this is in what it prints.
    Output(Regex),
}

/// Whether a command does with an input what it did with the artifact.
pub(crate) struct Program {
    command: Vec<OsString>,
    pub(crate) wanted: Option<Wanted>,
    timeout: Duration,
    jobs: usize,
    runs: u64,
}

/// What came of a command.
pub(crate) struct Outcome {
    pub(crate) ending: Ending,
    output: Vec<u8>,
}

impl Outcome {
    /// Where it says that it panicked, as Rust's programs do.
    pub(crate) fn panic(&self) -> Option<String> {
        let output = String::from_utf8_lossy(&self.output);
        let (_, place) = output.rsplit_once("panicked at ")?;
        let place = place.lines().next()?.trim_end_matches(':');
        // Of old, the message came first.
        let place = place.rsplit_once("', ").map_or(place, |it| it.1);
        Some(place.to_owned())
    }

    /// Whether it is what is wanted.
    pub(crate) fn is(&self, wanted: &Wanted) -> bool {
        match wanted {
            Wanted::Ending(ending, panic) => self.ending == *ending && self.panic() == *panic,
            Wanted::Output(regex) => regex.is_match(&String::from_utf8_lossy(&self.output)),
        }
    }
}

impl Program {
    pub(crate) fn new(command: Vec<OsString>, timeout: Duration, jobs: usize) -> Program {
        Program {
            command,
            wanted: None,
            timeout,
            jobs,
            runs: 0,
        }
    }

    /// Runs the command with a text: `{}` is a file with it, and where none is named, standard input has it.
    pub(crate) fn run(&self, text: &[u8]) -> Result<Outcome, Failure> {
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::file("make a directory for", Path::new("inputs"), &error))?;
        let file = folder.path().join("input");
        fs::write(&file, text).map_err(|error| Failure::file("write", &file, &error))?;
        let [program, arguments @ ..] = &self.command[..] else {
            return Err(Failure::new("no command is named", "name one behind `--`"));
        };
        let mut command = Command::new(program);
        let mut names_file = false;
        for argument in arguments {
            let named = argument.to_string_lossy();
            match named.contains("{}") {
                true => {
                    names_file = true;
                    command.arg(named.replace("{}", &file.to_string_lossy()));
                }
                false => {
                    command.arg(argument);
                }
            }
        }
        let stdin = match names_file {
            true => Stdio::null(),
            false => fs::File::open(&file)
                .map_err(|error| Failure::file("read", &file, &error))?
                .into(),
        };
        let mut child = command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let program = program.display();
                Failure::new(
                    format_args!("{program}: cannot run it: {}", reason(&error)),
                    "behind `--` comes a program with its arguments",
                )
            })?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let readers = [
            stdout.map(|it| thread::spawn(move || read_all(it))),
            stderr.map(|it| thread::spawn(move || read_all(it))),
        ];
        let ending = wait(&mut child, self.timeout)
            .map_err(|error| Failure::file("wait for", Path::new(program), &error))?;
        let mut output = Vec::new();
        // What a command that was ended has left running may hold its streams.
        if ending != Ending::TimedOut {
            for reader in readers.into_iter().flatten() {
                output.extend(reader.join().unwrap_or_default());
                output.push(b'\n');
            }
        }
        Ok(Outcome { ending, output })
    }
}

impl Test for Program {
    fn batch(&self) -> usize {
        self.jobs
    }

    fn ask(&mut self, candidates: &[Candidate]) -> Result<Vec<bool>, Failure> {
        self.runs += candidates.len() as u64;
        let this = &*self;
        let holds = |candidate: &Candidate| -> Result<bool, Failure> {
            let outcome = this.run(candidate.text())?;
            Ok(this.wanted.as_ref().is_some_and(|it| outcome.is(it)))
        };
        let answers: Vec<Result<bool, Failure>> = match candidates {
            [candidate] => vec![holds(candidate)],
            _ => thread::scope(|scope| {
                let runs = candidates.iter();
                let runs: Vec<_> = runs.map(|it| scope.spawn(|| holds(it))).collect();
                runs.into_iter().map(joined).collect()
            }),
        };
        let mut answers = answers
            .into_iter()
            .collect::<Result<Vec<bool>, Failure>>()?;
        if let Some(first) = answers.iter().position(|it| *it) {
            answers.truncate(first + 1);
        }
        Ok(answers)
    }

    fn runs(&self) -> u64 {
        self.runs
    }
}

fn read_all(from: impl Read) -> Vec<u8> {
    let mut said = Vec::new();
    let mut from = from;
    // The rest is read, too, so that the command can write it.
    let _ = from.by_ref().take(SAID as u64).read_to_end(&mut said);
    let _ = io::copy(&mut from, &mut io::sink());
    said
}

#[expect(
    clippy::disallowed_types,
    reason = "a command that hangs can be told by the clock only"
)]
fn wait(child: &mut Child, timeout: Duration) -> io::Result<Ending> {
    let begun = std::time::Instant::now();
    let mut nap = NAPS[0];
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(ending(status));
        }
        if begun.elapsed() > timeout {
            // One that has ended meanwhile is not to be killed.
            let _ = child.kill();
            child.wait()?;
            return Ok(Ending::TimedOut);
        }
        thread::sleep(nap);
        nap = (nap * 2).min(NAPS[1]);
    }
}

fn ending(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signal(signal);
    }
    Ending::Code(status.code().unwrap_or(-1))
}

#[cfg(test)]
mod tests {
    use super::{Ending, Outcome, Wanted};

    #[test]
    fn a_panic_is_told_by_its_place() {
        let outcome = |output: &str| Outcome {
            ending: Ending::Code(101),
            output: output.as_bytes().to_vec(),
        };
        let table = [
            (
                "thread 'main' panicked at src/main.rs:3:5:\nno\n",
                Some("src/main.rs:3:5"),
            ),
            (
                "thread 'main' panicked at 'no', src/main.rs:3:5\nnote: run with",
                Some("src/main.rs:3:5"),
            ),
            ("error: no\n", None),
        ];
        for (output, place) in table {
            assert_eq!(outcome(output).panic().as_deref(), place, "{output}");
        }
        let wanted = Wanted::Ending(Ending::Code(101), Some("a.rs:1:2".into()));
        assert!(outcome("panicked at a.rs:1:2:\n").is(&wanted));
        assert!(!outcome("panicked at a.rs:1:3:\n").is(&wanted));
        assert!(!outcome("").is(&wanted));
    }
}
