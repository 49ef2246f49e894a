//! One campaign: the engine, on one subject, in one arm, for a budget of CPU time.
//!
//! CPU time is what the process and the children that it has waited for have spent in user and system mode, start-up included. A
//! campaign that stops because of an input goes on with the same corpus and what is left of the budget. The engine's flags are its
//! defaults, but for limits of time and memory and what the arm says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use crate::engine::{self, Reading, RunPaths};
use crate::monitor::{self, INTERVAL, Monitor, Tick};
use crate::plan::Arm;
use crate::process::{Interrupt, Running};
use crate::subject::Bug;

/// Between two looks at the process.
const POLL: Duration = Duration::from_millis(50);
/// How long the engine may take to end when it is asked to.
const PATIENCE: Duration = Duration::from_secs(5);
/// Inputs that are kept of each kind of crash, and kinds of which inputs are kept.
const KEPT: (usize, usize) = (3, 40);
/// Runs in a row that end before the first mutation, until the campaign is given up.
const FUTILE: u32 = 5;
/// Inputs that one start is given by name.
const NAMED: usize = 1000;
/// How long these may take.
const NAMED_SECONDS: f64 = 120.0;
/// Flags that all arms have.
pub(crate) const LIMITS: &[&str] = &["-timeout=10", "-rss_limit_mb=2048"];

/// What is to be run.
#[derive(Debug)]
pub(crate) struct Campaign<'a> {
    /// The arm.
    pub arm: &'a Arm,
    /// The program.
    pub program: &'a Path,
    /// Seeds the engine's random numbers.
    pub seed: u64,
    /// The budget, in CPU seconds.
    pub seconds: f64,
    /// What is looked for; the campaign ends when all of it has been found.
    pub bugs: &'a [Bug],
    /// A file of the grammar's literals.
    pub dictionary: Option<&'a Path>,
    /// A directory for the campaign alone, with a directory `corpus`.
    pub dir: &'a Path,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// What the corpus has had, and when.
    pub monitor: Monitor,
    /// Its size at the end.
    pub corpus: u64,
    /// CPU seconds.
    pub cpu: f64,
    /// Wall clock seconds.
    pub wall: f64,
    /// Runs of the target.
    pub executions: u64,
    /// How often the engine was started.
    pub starts: u32,
    /// Inputs that stopped it, by place.
    pub crashes: Vec<Crash>,
    /// When each of the bugs was found.
    pub bugs: Vec<Found>,
    /// What all runs have covered, if the mutator has said so.
    pub run_paths: Option<RunPaths>,
    /// Why it ended before its time, if it did.
    pub given_up: Option<String>,
}

/// Inputs that stop the engine in one place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Crash {
    /// The place of the panic, or what the engine calls it.
    pub place: String,
    /// The first message.
    pub message: String,
    /// How often.
    pub count: u64,
    /// CPU seconds until the first one.
    pub first: f64,
}

/// A known bug, and when it was found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The bug's name.
    pub name: String,
    /// CPU seconds until then; none if it was not found.
    pub cpu: Option<f64>,
}

impl Campaign<'_> {
    /// Runs it. `progress` gets CPU seconds.
    #[expect(
        clippy::disallowed_types,
        reason = "what the wall clock shows is reported beside the CPU time"
    )]
    pub(crate) fn run(&self, interrupt: &Interrupt, progress: impl Fn(f64)) -> Result<Outcome> {
        let begun = std::time::Instant::now();
        let wall = || begun.elapsed().as_secs_f64();
        let (corpus, seen) = (self.dir.join("corpus"), self.dir.join("seen"));
        for name in ["seen", "artifacts", "crashes"] {
            fs::create_dir(self.dir.join(name))?;
        }
        let mut monitor = Monitor::new(&corpus, &seen);
        let mut tally = Tally::new(self);
        let messages = self.dir.join("messages");
        let (mut spent, mut executions, mut starts, mut futile) = (0.0, 0, 0, 0);
        let mut run_paths: Option<RunPaths> = None;
        let mut given_up = None;
        let tick = |cpu, executions| Tick {
            cpu,
            wall: wall(),
            executions,
        };
        monitor.look(tick(0.0, 0))?;
        while spent + 0.02 < self.seconds {
            let running = Running::start(&mut self.command(starts, &messages)?)?;
            starts += 1;
            let mut asked = None;
            let look = loop {
                let look = running.look()?;
                progress((spent + look.cpu).min(self.seconds));
                if look.ended {
                    break look;
                }
                if interrupt.is_set() {
                    bail!("interrupted");
                }
                let left = self.seconds - spent - look.cpu;
                match asked {
                    None if left <= 0.0 || wall() > self.wall_limit() => {
                        running.interrupt();
                        asked = Some(wall());
                    }
                    Some(since) if wall() - since > PATIENCE.as_secs_f64() => break look,
                    _ => {}
                }
                if spent + look.cpu >= monitor.last() + INTERVAL {
                    let executions = executions + monitor::executions(&messages);
                    monitor.look(tick(spent + look.cpu, executions))?;
                }
                std::thread::sleep(POLL.min(Duration::from_secs_f64(left.max(0.005))));
            };
            spent += look.cpu;
            // One that does not end when it is asked to is ended here.
            let status = match look.ended {
                true => Some(running.wait()?),
                false => None,
            };
            let said = fs::read(&messages).unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            let mut reading = engine::read(&said);
            executions += reading.executions;
            // Another start knows no more of what was run before than the corpus tells.
            let known = run_paths.into_iter().chain(reading.run_paths);
            run_paths = known.max_by_key(|it| it.covered);
            monitor.look(tick(spent, executions))?;
            if wall() > self.wall_limit() {
                given_up = Some("the wall clock's limit".into());
                break;
            }
            if asked.is_some() {
                continue;
            }
            let mut freed = false;
            if let (None, Some(signal)) = (&reading.crash, status.and_then(|it| it.signal())) {
                // The engine's handler needs stack, too, so where that has overflowed it can name no input.
                if !reading.started {
                    freed = self.drop_first_fatal(interrupt)?;
                }
                reading.crash = Some(engine::Crash {
                    place: format!("signal {signal}"),
                    message: "the process was ended, and no input is to blame".into(),
                });
            }
            let Some(_) = &reading.crash else {
                let end: Vec<&str> = said.lines().rev().take(12).collect();
                let end: Vec<&str> = end.into_iter().rev().collect();
                let status = status.map_or("an unknown status".into(), |it| it.to_string());
                bail!(
                    "the engine has ended by itself with {status}, and no input is to blame:\n{}",
                    end.join("\n")
                );
            };
            freed |= tally.take(&reading, &said, spent)?;
            if !self.bugs.is_empty() && tally.bugs.iter().all(|it| it.cpu.is_some()) {
                break;
            }
            futile = if reading.started || freed {
                0
            } else {
                futile + 1
            };
            if futile == FUTILE {
                given_up = Some("every run crashes before the first mutation".into());
                break;
            }
        }
        Ok(Outcome {
            corpus: monitor.corpus_size()?,
            monitor,
            cpu: spent,
            wall: wall(),
            executions,
            starts,
            crashes: tally.crashes.into_values().collect(),
            bugs: tally.bugs,
            run_paths,
            given_up,
        })
    }

    /// A process that waits instead of working must not go on forever.
    fn wall_limit(&self) -> f64 {
        self.seconds * 20.0 + 120.0
    }

    /// Takes the first input out of the corpus that ends the program by a signal, as a user would whose campaign does not start any
    /// more; not in the campaign's time. Gives whether there is one.
    ///
    /// The engine says the name of each input that is given by name before it runs it.
    #[expect(
        clippy::disallowed_types,
        reason = "a program that hangs has to be ended"
    )]
    fn drop_first_fatal(&self, interrupt: &Interrupt) -> Result<bool> {
        let messages = self.dir.join("messages-named");
        let corpus = files(&self.dir.join("corpus"))?;
        let mut rest = &corpus[..];
        while !rest.is_empty() {
            let part = &rest[..rest.len().min(NAMED)];
            let mut command = Command::new(self.program);
            command
                .args(LIMITS)
                .args(part)
                .current_dir(self.dir)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(fs::File::create(&messages)?);
            let mut running = Running::start(&mut command)?;
            let begun = std::time::Instant::now();
            while !running.look()?.ended {
                if interrupt.is_set() {
                    bail!("interrupted");
                }
                if begun.elapsed().as_secs_f64() > NAMED_SECONDS {
                    running.child().kill()?;
                }
                std::thread::sleep(POLL);
            }
            let status = running.wait()?;
            let said = fs::read(&messages)?;
            fs::remove_file(&messages)?;
            let said = String::from_utf8_lossy(&said);
            let last = said
                .lines()
                .rev()
                .find_map(|it| it.strip_prefix("Running: "));
            let at = part
                .iter()
                .position(|it| Some(it.as_path()) == last.map(Path::new));
            match at {
                Some(at) if status.signal().is_some() => {
                    fs::remove_file(&part[at]).with_context(|| part[at].display().to_string())?;
                    return Ok(true);
                }
                // What crashes with a file is told by that file when its turn comes.
                Some(at) if !status.success() => rest = &rest[at + 1..],
                _ => rest = &rest[part.len()..],
            }
        }
        Ok(false)
    }

    fn command(&self, starts: u32, messages: &Path) -> Result<Command> {
        let mut command = Command::new(self.program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PLEACH_") {
                command.env_remove(name);
            }
        }
        // Each start has random numbers of its own, or it would do what the last one did. To the engine, 0 is none.
        let seed = (self.seed as u32).wrapping_mul(10_007).wrapping_add(starts) | 1 << 31;
        command
            .args(LIMITS)
            .arg("-print_final_stats=1")
            .arg(format!("-seed={seed}"))
            // Should this program be ended by force.
            .arg(format!("-max_total_time={}", self.wall_limit() as u64 + 60))
            .arg(format!(
                "-artifact_prefix={}/",
                self.dir.join("artifacts").display()
            ));
        if let Some(dictionary) = self.dictionary {
            command.arg(format!("-dict={}", dictionary.display()));
        }
        // What is mutated and run is the same with it, so it is no setting of the arm.
        if self.arm.binary.has_mutator() {
            command.env("PLEACH_STATS", "1");
        }
        command
            .args(&self.arm.flags)
            .arg(self.dir.join("corpus"))
            .envs(&self.arm.environment)
            .env("RUST_BACKTRACE", "0")
            .current_dir(self.dir)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(messages).with_context(|| format!("{}", messages.display()))?);
        Ok(command)
    }
}

/// What has stopped the engine so far.
#[derive(Debug)]
struct Tally<'a> {
    dir: &'a Path,
    looked_for: &'a [Bug],
    /// The artifacts that were there before: they stay, as they would for a user, and pleach looks at them.
    artifacts: BTreeSet<PathBuf>,
    crashes: BTreeMap<String, Crash>,
    bugs: Vec<Found>,
}

impl<'a> Tally<'a> {
    fn new(campaign: &Campaign<'a>) -> Tally<'a> {
        let not_yet = |bug: &Bug| Found {
            name: bug.name.clone(),
            cpu: None,
        };
        Tally {
            dir: campaign.dir,
            looked_for: campaign.bugs,
            artifacts: BTreeSet::new(),
            crashes: BTreeMap::new(),
            bugs: campaign.bugs.iter().map(not_yet).collect(),
        }
    }

    /// Takes in a crash. Gives whether something was taken out of the corpus because of it.
    fn take(&mut self, reading: &Reading, said: &str, cpu: f64) -> Result<bool> {
        for (bug, found) in self.looked_for.iter().zip(&mut self.bugs) {
            if found.cpu.is_none() && said.contains(&bug.panic) {
                found.cpu = Some(cpu);
            }
        }
        let kinds = self.crashes.len();
        let Some(crash) = &reading.crash else {
            return Ok(false);
        };
        let place = short(&crash.place);
        let known = self.crashes.entry(place.clone()).or_insert_with(|| Crash {
            place,
            message: crash.message.clone(),
            count: 0,
            first: cpu,
        });
        known.count += 1;
        let kept = known.count <= KEPT.0 as u64 && kinds < KEPT.1;
        let mut freed = false;
        for artifact in files(&self.dir.join("artifacts"))? {
            let name = artifact.file_name().unwrap_or_default().to_owned();
            if name.to_string_lossy().starts_with("slow-unit-") {
                fs::remove_file(&artifact)?;
                continue;
            }
            if !self.artifacts.insert(artifact.clone()) {
                continue;
            }
            // What crashes while the corpus is read would do so again at every start.
            if !reading.started {
                let input = fs::read(&artifact)?;
                for file in files(&self.dir.join("corpus"))? {
                    if fs::read(&file).is_ok_and(|it| it == input) {
                        fs::remove_file(&file)?;
                        freed = true;
                    }
                }
            }
            if kept {
                fs::copy(&artifact, self.dir.join("crashes").join(name))?;
            }
        }
        Ok(freed)
    }
}

/// A place without the path to the packages, which differs from machine to machine.
fn short(place: &str) -> String {
    let in_registry = place
        .split_once("/registry/src/")
        .and_then(|it| it.1.split_once('/'));
    match in_registry {
        Some((_, place)) => place.to_owned(),
        None => place.to_owned(),
    }
}

fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).with_context(|| format!("{}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.map(|it| it.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Campaign, FUTILE, short};
    use crate::engine::RunPaths;
    use crate::fixtures;
    use crate::plan;
    use crate::process::Interrupt;

    /// Stands in for a program with pleach that crashes at once. Each start covers less than the one before, as where the corpus
    /// lacks what was run; the first one ends before it has anything to report.
    const PROGRAM: &str = "\
#!/bin/sh
echo >> starts
n=$(wc -l < starts)
if [ \"$PLEACH_STATS\" = 1 ] && [ $n -gt 1 ]; then
    echo \"pleach: coverage: k: 4 covered: 7 of: 4254\" >&2
    echo \"pleach: coverage: k: 4 covered: $((900 / n)) of: 4254\" >&2
fi
echo 'SUMMARY: libFuzzer: deadly signal' >&2
exit 77
";

    #[test]
    fn of_all_starts_the_one_counts_that_has_covered_most() {
        let covered = |arm: &str| {
            let dir = tempfile::tempdir().unwrap();
            let program = fixtures::script(dir.path(), PROGRAM);
            fs::create_dir(dir.path().join("corpus")).unwrap();
            let arms = plan::arms();
            let campaign = Campaign {
                arm: arms.iter().find(|it| it.name == arm).unwrap(),
                program: &program,
                seed: 1,
                seconds: 10.0,
                bugs: &[],
                dictionary: None,
                dir: dir.path(),
            };
            let outcome = campaign.run(&Interrupt::default(), |_| {}).unwrap();
            assert_eq!(outcome.starts, FUTILE);
            outcome.run_paths
        };
        let most = RunPaths {
            k: 4,
            covered: 450,
            total: 4254,
        };
        for arm in ["pleach", "text-errors"] {
            assert_eq!(covered(arm), Some(most), "{arm}");
        }
        for arm in ["raw", "engine"] {
            assert_eq!(covered(arm), None, "{arm}");
        }
    }

    /// Stands in for a program whose stack two inputs of its corpus overflow, and which another one crashes in its own way.
    const FATAL: &str = "\
#!/bin/sh
for path; do
    case $path in
    -*) continue ;;
    */corpus) path=$(grep -lr fatal \"$path\" | head -n 1) ;;
    *) echo \"Running: $path\" >&2 ;;
    esac
    if [ -f \"$path\" ] && grep -q fatal \"$path\"; then kill -SEGV $$; fi
    if [ -f \"$path\" ] && grep -q panic \"$path\"; then exit 77; fi
done
echo 'SUMMARY: libFuzzer: deadly signal' >&2
exit 77
";

    #[test]
    fn inputs_that_end_the_program_without_a_file_leave_the_corpus() {
        let dir = tempfile::tempdir().unwrap();
        let program = fixtures::script(dir.path(), FATAL);
        let corpus = dir.path().join("corpus");
        fs::create_dir(&corpus).unwrap();
        for (name, text) in [
            ("a", "panic"),
            ("b", "fatal"),
            ("c", "fine"),
            ("d", "fatal"),
        ] {
            fs::write(corpus.join(name), text).unwrap();
        }
        let arms = plan::arms();
        let campaign = Campaign {
            arm: arms.iter().find(|it| it.name == "raw").unwrap(),
            program: &program,
            seed: 1,
            seconds: 10.0,
            bugs: &[],
            dictionary: None,
            dir: dir.path(),
        };
        let outcome = campaign.run(&Interrupt::default(), |_| {}).unwrap();
        let place = |place: &str| outcome.crashes.iter().find(|it| it.place == place);
        assert_eq!(place("signal 11").map(|it| it.count), Some(2));
        assert_eq!(
            place("deadly signal").map(|it| it.count),
            Some(FUTILE.into())
        );
        let left: Vec<_> = super::files(&corpus).unwrap();
        assert_eq!(left, [corpus.join("a"), corpus.join("c")]);
    }

    #[test]
    fn places_are_the_same_everywhere() {
        assert_eq!(
            short("/h/.cargo/registry/src/index.crates.io-19/url-2.2.1/src/lib.rs:5:1"),
            "url-2.2.1/src/lib.rs:5:1"
        );
        assert_eq!(short("src/lib.rs:5:1"), "src/lib.rs:5:1");
    }
}
