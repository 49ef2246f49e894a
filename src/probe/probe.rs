//! Asking a target: its processes, from the first input to the last.
//!
//! A process runs the inputs one after the other. If it dies with a record that says why, the next process begins at the input behind
//! it. If it dies without one (it was killed, or ended itself where no handler sees it), records may be missing that were not
//! written yet: then the next process begins where the records end, and writes each at once, so that the input that kills it
//! can be named. A process that neither dies nor writes anything for much longer than an input may take is killed.

#![expect(
    clippy::disallowed_types,
    reason = "a process that hangs can be told by the clock only"
)]

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::records::{Numbers, Reader, Record};
use crate::run::{Sets, name_index};
use crate::{Error, Points, Probed, Run, Table, Verdict};

/// Makes a target a probe.
const VARIABLE: &str = "PLEACH_PROBE";
/// What the target itself does not notice within this time beyond its timeout, is ended from here.
const GRACE: Duration = Duration::from_secs(10);
/// How long to wait between two looks at a process, at least and at most.
const NAPS: [Duration; 2] = [Duration::from_micros(500), Duration::from_millis(20)];
/// Bytes of what a process says that are kept.
const SAID: usize = 1 << 14;

/// Asks a target what inputs reach.
#[derive(Clone, Debug)]
pub struct Probe {
    program: PathBuf,
    is_text: bool,
    timeout: Duration,
    /// How much longer than that a process may be silent.
    grace: Duration,
    memory: u64,
    numbers: bool,
}

/// How a process ended.
#[derive(Debug)]
struct Ending {
    status: ExitStatus,
    /// What it said last on standard error.
    said: String,
    /// Whether it was killed because it did nothing.
    has_hung: bool,
    /// Whether it ran all inputs.
    is_done: bool,
}

impl Probe {
    /// A probe of a fuzz target's program, whose inputs are files of its corpus and may take ten seconds and 2 GiB each.
    pub fn new(program: impl Into<PathBuf>) -> Probe {
        Probe {
            program: program.into(),
            is_text: false,
            timeout: Duration::from_secs(10),
            grace: GRACE,
            memory: 2048,
            numbers: false,
        }
    }

    /// The same with texts as inputs, whatever the codec of the target is: they reach its body as they are.
    pub fn texts(mut self) -> Probe {
        self.is_text = true;
        self
    }

    /// The same with another limit of time for an input, by the wall clock. It is noticed a twentieth of a second late, or less.
    pub fn timeout(mut self, timeout: Duration) -> Probe {
        self.timeout = timeout;
        self
    }

    /// The same with another limit of memory for the target's process, in MiB.
    pub fn memory(mut self, mebibytes: u64) -> Probe {
        self.memory = mebibytes;
        self
    }

    /// The same with edge counts, and with the numbers that the target reports by `pleach::goal!`. A target of an older version gives neither.
    pub fn numbers(mut self) -> Probe {
        self.numbers = true;
        self
    }

    /// Runs inputs, and says now and then how many of them have been run.
    ///
    /// The target should do the same on an input whatever it has run before; what it covers otherwise depends on the order.
    ///
    /// # Errors
    ///
    /// If the target is none, or cannot be a probe: it has no counters, it never calls `load()`, it dies at its start. If files cannot be
    /// written. Inputs that fail are no errors.
    pub fn run<I: AsRef<[u8]>>(
        &self,
        inputs: &[I],
        progress: impl FnMut(usize),
    ) -> Result<Probed, Error> {
        self.run_until(inputs, progress, |_| false)
    }

    /// The same, but ends behind the first input that fails as it is asked for. What comes behind that is not run, and has no
    /// [`Run`](crate::Run).
    ///
    /// # Errors
    ///
    /// Those of [`Probe::run`].
    pub fn run_until<I: AsRef<[u8]>>(
        &self,
        inputs: &[I],
        mut progress: impl FnMut(usize),
        mut is_it: impl FnMut(&Verdict) -> bool,
    ) -> Result<Probed, Error> {
        let folder = tempfile::tempdir().map_err(|source| Error::File {
            path: std::env::temp_dir(),
            source,
        })?;
        let at = |name: &str| folder.path().join(name);
        write_inputs(&at("inputs"), inputs)?;
        let (request, records) = (at("request"), at("records"));
        let mut probed = Probed::default();
        let (mut runs, mut table) = (Vec::with_capacity(inputs.len()), Table::default());
        let mut sets = Sets::of(&mut probed.sets);
        let mut names = Vec::new();
        let mut is_careful = false;
        // One process even for no inputs, because of the table.
        while runs.len() < inputs.len() || table.places.is_empty() {
            let first = runs.len();
            let text = self.request(first, is_careful);
            in_file(&request, fs::write(&request, text))?;
            let mut this = This {
                reader: Reader::new(first as u32),
                sets: Vec::new(),
                names: Vec::new(),
                numbers: Numbers::default(),
                table: None,
                is_done: false,
            };
            let ending = self.run_once(folder.path(), &records, |bytes| {
                this.reader.feed(bytes);
                while let Some(record) = this.reader.next()? {
                    this.take(record, &mut sets, &mut names, &mut runs);
                }
                progress(runs.len());
                Ok(())
            })?;
            let Ending {
                is_done, has_hung, ..
            } = ending;
            let is_done = is_done && this.is_done;
            match this.table {
                None => return Err(self.no_answer(ending)),
                Some(new) => table = new,
            }
            if runs.len() > inputs.len() || is_done && runs.len() < inputs.len() {
                return Err(Error::Damaged {
                    offset: 0,
                    what: "there are not as many runs as inputs",
                });
            }
            let is_told = runs.len() > first && runs.last().is_some_and(is_failure);
            if is_told {
                let last = runs.len() - 1;
                complete(&mut runs[last], &ending);
                if is_it(&runs[last].verdict) {
                    break;
                }
            } else if !is_done && runs.len() < inputs.len() {
                if ending.status.code() == Some(2)
                    && let Some(message) = refusal(&ending.said)
                {
                    return Err(Error::Refused { message });
                }
                if is_careful {
                    let verdict = match has_hung {
                        true => Verdict::TimedOut,
                        false => Verdict::Killed {
                            what: how(ending.status),
                        },
                    };
                    let is_found = is_it(&verdict);
                    runs.push(Run {
                        verdict,
                        cpu: Duration::ZERO,
                        reached: sets.add(Points::default()),
                        count: None,
                        numbers: Vec::new(),
                    });
                    if is_found {
                        break;
                    }
                    is_careful = false;
                } else {
                    is_careful = true;
                }
                continue;
            }
            is_careful = false;
        }
        progress(runs.len());
        Ok(Probed {
            runs,
            table,
            names,
            ..probed
        })
    }

    fn request(&self, first: usize, is_careful: bool) -> String {
        let yes_or_no = |it| if it { "yes" } else { "no" };
        format!(
            "pleach-probe 1\nfirst {first}\ntexts {}\ntimeout {}\nmemory {}\nflush {}\nnumbers {}\n",
            yes_or_no(self.is_text),
            self.timeout.as_millis().max(1),
            self.memory,
            yes_or_no(is_careful),
            yes_or_no(self.numbers),
        )
    }

    /// Runs one process to its end, and hands on its records as they come.
    fn run_once(
        &self,
        folder: &Path,
        records: &Path,
        mut take: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<Ending, Error> {
        match fs::remove_file(records) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return in_file(records, Err(error));
            }
            _ => {}
        }
        let mut process = Process::start(&self.program, folder)?;
        let mut tail = Tail::default();
        let mut nap = NAPS[0];
        let mut changed = Instant::now();
        let mut has_hung = false;
        let status = loop {
            // First this, so that nothing is written behind what is read last.
            let status = process.child.try_wait();
            let status = in_file(&self.program, status)?;
            if tail.read(records, &mut take)? {
                changed = Instant::now();
            } else if !has_hung && changed.elapsed() > self.timeout + self.grace {
                has_hung = true;
                // One that has ended meanwhile is not to be killed.
                let _ = process.child.kill();
            }
            if let Some(status) = status {
                break status;
            }
            thread::sleep(nap);
            nap = (nap * 2).min(NAPS[1]);
        };
        Ok(Ending {
            status,
            said: process.said(),
            has_hung,
            is_done: status.success(),
        })
    }

    /// Why a process has written nothing.
    fn no_answer(&self, ending: Ending) -> Error {
        let program = self.program.clone();
        let said = ending.said;
        match (ending.status.code(), refusal(&said)) {
            (Some(2), Some(message)) => Error::Refused { message },
            // The end of an engine that has printed its help, with flags that it knows or not.
            (Some(0 | 1), _) => Error::NoAnswer { program },
            _ => Error::Died {
                program,
                how: match ending.has_hung {
                    true => "it hangs".into(),
                    false => how(ending.status),
                },
                said: last_lines(&said),
            },
        }
    }
}

/// What is known of one process.
struct This {
    reader: Reader,
    /// Where its sets are.
    sets: Vec<usize>,
    /// Where its names are.
    names: Vec<usize>,
    /// Those of the run that comes next.
    numbers: Numbers,
    table: Option<Table>,
    is_done: bool,
}

impl This {
    fn take(
        &mut self,
        record: Record,
        sets: &mut Sets<'_>,
        names: &mut Vec<String>,
        runs: &mut Vec<Run>,
    ) {
        match record {
            Record::Name(name) => self.names.push(name_index(names, name)),
            Record::Numbers(numbers) => self.numbers = numbers,
            Record::Table(table) => self.table = Some(table),
            Record::Set(points) => self.sets.push(sets.add(points)),
            Record::Run(run) => runs.push(Run {
                verdict: run.verdict,
                cpu: run.cpu,
                reached: self.sets[run.set],
                count: self.numbers.count.take(),
                numbers: std::mem::take(&mut self.numbers.of_names)
                    .into_iter()
                    .map(|(name, number)| (self.names[name], number))
                    .collect(),
            }),
            Record::End => self.is_done = true,
        }
    }
}

fn is_failure(run: &Run) -> bool {
    run.verdict.is_failure()
}

/// Says more of a failure, where only what the process said and how it ended can tell.
fn complete(run: &mut Run, ending: &Ending) {
    if let Verdict::Killed { what } = &mut run.verdict
        && what == "sanitizer"
        && let Some(summary) = summary(&ending.said)
    {
        *what = summary;
    }
}

/// The process of a target; killed if it is left.
struct Process {
    child: Child,
    said: Option<JoinHandle<Vec<u8>>>,
}

impl Process {
    fn start(program: &Path, folder: &Path) -> Result<Process, Error> {
        let mut command = Command::new(program);
        // What cannot answer is an engine, which prints its help and ends.
        command.arg("-help=1").env(VARIABLE, folder);
        // Nor does a panic need a backtrace.
        command.env("RUST_BACKTRACE", "0");
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| Error::Start {
                program: program.to_owned(),
                source,
            })?;
        let stderr = child.stderr.take();
        let said = stderr.map(|stderr| thread::spawn(move || read_end(stderr)));
        Ok(Process { child, said })
    }

    /// What it has said last, once it has ended.
    fn said(&mut self) -> String {
        let said = self.said.take().and_then(|it| it.join().ok());
        String::from_utf8_lossy(&said.unwrap_or_default()).into_owned()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Reads to the end and keeps what came last.
fn read_end(mut from: ChildStderr) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut block = [0; 1 << 12];
    loop {
        match from.read(&mut block) {
            Ok(0) => return kept,
            Ok(len) => {
                kept.extend_from_slice(&block[..len]);
                if kept.len() > 2 * SAID {
                    kept.drain(..kept.len() - SAID);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return kept,
        }
    }
}

/// A file that grows.
#[derive(Default)]
struct Tail {
    file: Option<File>,
}

impl Tail {
    /// Hands on what is new. False if nothing is.
    fn read(
        &mut self,
        path: &Path,
        take: &mut impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let file = match &mut self.file {
            Some(file) => file,
            None => match File::open(path) {
                Ok(file) => self.file.insert(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return in_file(path, Err(error)),
            },
        };
        let mut is_new = false;
        let mut block = vec![0; 1 << 16];
        loop {
            let len = in_file(path, file.read(&mut block))?;
            if len == 0 {
                return Ok(is_new);
            }
            is_new = true;
            take(&block[..len])?;
        }
    }
}

fn write_inputs<I: AsRef<[u8]>>(path: &Path, inputs: &[I]) -> Result<(), Error> {
    let mut file = io::BufWriter::new(in_file(path, File::create_new(path))?);
    for (number, input) in inputs.iter().enumerate() {
        let input = input.as_ref();
        let len = u32::try_from(input.len()).map_err(|_| Error::TooLong {
            number,
            len: input.len(),
        })?;
        in_file(path, file.write_all(&len.to_le_bytes()))?;
        in_file(path, file.write_all(input))?;
    }
    in_file(path, file.flush())
}

fn in_file<T>(path: &Path, done: io::Result<T>) -> Result<T, Error> {
    done.map_err(|source| Error::File {
        path: path.to_owned(),
        source,
    })
}

/// What a target says that ends because something is wrong with it, or with what it is asked.
fn refusal(said: &str) -> Option<String> {
    let at = match said.starts_with("error: ") {
        true => 0,
        false => said.rfind("\nerror: ")? + 1,
    };
    let message = said[at..].trim_start_matches("error: ").trim_end();
    Some(message.to_owned())
}

/// A sanitizer's own words for what it has found.
fn summary(said: &str) -> Option<String> {
    let line = said
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("SUMMARY: "))?;
    // Numbers of this process say nothing of the place.
    let words = line.split_whitespace().filter(|it| !it.starts_with("0x"));
    Some(words.collect::<Vec<_>>().join(" "))
}

/// The last lines of what a process says, which mostly are what it died of.
fn last_lines(said: &str) -> String {
    const LINES: usize = 5;
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// How a process ended.
fn how(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        // The numbers that are the same on all systems.
        let name = match signal {
            2 => "SIGINT",
            4 => "SIGILL",
            6 => "SIGABRT",
            8 => "SIGFPE",
            9 => "SIGKILL",
            11 => "SIGSEGV",
            13 => "SIGPIPE",
            15 => "SIGTERM",
            number => return format!("signal {number}"),
        };
        return name.into();
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "unknown".into(),
    }
}

#[cfg(all(test, unix))]
mod tests;
