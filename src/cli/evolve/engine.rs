//! The engine alone, for as much CPU time as a campaign has taken: what to compare a campaign with.
//!
//! It runs the same program without pleach, begins with the texts of the same seeds, and has the grammar's literals as a dictionary. Where
//! it ends at an input that fails, it begins again with what it has found. Then its corpus, and what failed, are run as a campaign's
//! inputs are; what else it has run, nobody knows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{io, thread};

use pleach_evolve::{Campaign, Runner as _};

use crate::failure::{Failure, note};
use crate::input::collect;
use crate::interrupt::Interrupt;
use crate::output::{Existing, write_file};
use crate::target::Subject;
use crate::target::engine::{OFF, dictionary};

use super::Evolve;
use super::report::EngineReport;
use super::runner::{Probing, Stop};

/// How often the engine is started at the most: a seed may fail at once.
const STARTS: u64 = 500;
/// Between two looks at the time.
const NAP: Duration = Duration::from_millis(10);
/// What is left of the time is not worth a start.
const REST: Duration = Duration::from_millis(100);

impl Evolve {
    /// Runs the engine for so much CPU time, and says what it comes to.
    pub(super) fn against_engine(
        &self,
        subject: &Subject,
        campaign: &mut Campaign,
        runner: &mut Probing<'_>,
        seeds: &[Vec<u8>],
        time: Duration,
    ) -> Result<EngineReport, Stop> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| Stop::Failed(Failure::file("make", &path, &error))
        };
        let folder = tempfile::tempdir().map_err(failed(Path::new("a directory")))?;
        let [corpus, artifacts] = ["corpus", "failed"].map(|it| folder.path().join(it));
        for dir in [&corpus, &artifacts] {
            fs::create_dir(dir).map_err(failed(dir))?;
        }
        let seeds = subject.texts_of(campaign.model().codec(), seeds);
        let words = folder.path().join("words");
        let written = seeds.and_then(|seeds| {
            for (at, text) in seeds.iter().enumerate() {
                write_file(&corpus.join(at.to_string()), text, Existing::Keep)?;
            }
            let dictionary = dictionary(subject.source.graph.grammar());
            write_file(&words, dictionary.as_bytes(), Existing::Keep)
        });
        written.map_err(Stop::Failed)?;
        note(format_args!(
            "running the engine without pleach for {:.1} s of CPU time, as much as the campaign has taken",
            time.as_secs_f64()
        ));
        let begin = cpu_time();
        for start in 1..=STARTS {
            let left = time.saturating_sub(cpu_time().saturating_sub(begin));
            if left < REST {
                break;
            }
            let mut command = Command::new(&subject.program);
            command
                .env(OFF, "1")
                .arg(format!(
                    "-seed={}",
                    self.random.random_seed % 1_000_000 * STARTS + start
                ))
                .arg(format!("-max_len={}", self.max_len))
                .arg(format!("-timeout={}", subject.timeout().as_secs().max(1)))
                .arg(format!("-dict={}", words.display()))
                .arg(format!("-artifact_prefix={}/", artifacts.display()))
                .arg(&corpus);
            run_for(&mut command, left)
                .map_err(|error| Stop::Failed(Failure::file("run", &subject.program, &error)))?;
            if Interrupt::is_set() {
                return Err(Stop::Interrupted);
            }
        }
        let time = cpu_time().saturating_sub(begin);
        self.measured(subject, campaign, runner, &[corpus, artifacts], time)
    }

    /// Runs what the engine has kept.
    fn measured(
        &self,
        subject: &Subject,
        campaign: &mut Campaign,
        runner: &mut Probing<'_>,
        dirs: &[PathBuf],
        time: Duration,
    ) -> Result<EngineReport, Stop> {
        let is_used = |dir: &&PathBuf| fs::read_dir(dir).is_ok_and(|mut it| it.next().is_some());
        let dirs: Vec<PathBuf> = dirs.iter().filter(is_used).cloned().collect();
        let read = collect(&dirs).and_then(|files| {
            let choices = self.choices(subject, &files, true)?;
            Ok((subject.read(&files)?, choices))
        });
        let (texts, choices) = read.map_err(Stop::Failed)?;
        let feedback = runner.measure(&texts, campaign.settings().repeats)?;
        let sentences = choices.iter().flatten().count() as u64;
        let inputs = texts.into_iter().zip(choices).zip(feedback);
        let inputs = inputs.map(|((text, choices), feedback)| (text, choices, feedback));
        let totals = campaign.compare(inputs.collect(), runner.function_count(), runner.timeout());
        Ok(EngineReport::new(&totals, sentences, time))
    }
}

/// Runs a process to its end, or until it has taken so much CPU time.
#[expect(
    clippy::disallowed_types,
    reason = "where nobody tells the CPU time of another process, the time that has passed is the next best"
)]
fn run_for(command: &mut Command, time: Duration) -> io::Result<()> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut process = command.stderr(Stdio::null()).spawn()?;
    let begin = std::time::Instant::now();
    while process.try_wait()?.is_none() {
        if Interrupt::is_set() || cpu_time_of(&process).unwrap_or_else(|| begin.elapsed()) >= time {
            // One that has ended meanwhile is not to be killed.
            let _ = process.kill();
            process.wait()?;
            break;
        }
        thread::sleep(NAP);
    }
    Ok(())
}

/// The CPU time of a process that runs, where the system tells.
#[cfg(target_os = "linux")]
fn cpu_time_of(process: &Child) -> Option<Duration> {
    let id = i32::try_from(process.id()).ok()?;
    let clock = nix::time::clock_getcpuclockid(nix::unistd::Pid::from_raw(id)).ok()?;
    Some(nix::time::clock_gettime(clock).ok()?.into())
}

#[cfg(not(target_os = "linux"))]
fn cpu_time_of(_: &Child) -> Option<Duration> {
    None
}

/// The CPU time of this process so far, and of those that it has waited for.
#[cfg(unix)]
pub(super) fn cpu_time() -> Duration {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike as _;
    let of = |who| {
        let Ok(usage) = getrusage(who) else {
            return Duration::ZERO;
        };
        let time = usage.user_time() + usage.system_time();
        Duration::from_micros(time.num_microseconds().try_into().unwrap_or(0))
    };
    of(UsageWho::RUSAGE_SELF) + of(UsageWho::RUSAGE_CHILDREN)
}

/// The time that has passed since the first call.
#[cfg(not(unix))]
#[expect(clippy::disallowed_types, reason = "there is no CPU time to be had")]
pub(super) fn cpu_time() -> Duration {
    static BEGIN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    BEGIN.elapsed()
}
