//! Running campaigns: which there are, which are done already, and several at a time.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, bail, ensure};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use pleach_core::Graph;

use crate::arguments::Run;
use crate::builds::{self, Builder, Programs, REPLAY, digest};
use crate::campaign::{Campaign, LIMITS};
use crate::dictionary::dictionary;
use crate::inputs::{self, Reader};
use crate::measure::{self, Corpus};
use crate::plan::{self, Arm, Build};
use crate::process::Interrupt;
use crate::results::{Store, Summary, Versions};
use crate::subject::{Checkout, Subject};

/// A subject, ready to be fuzzed.
#[derive(Debug)]
struct Ready {
    subject: Subject,
    graph: Arc<Graph>,
    programs: Programs,
    dictionary: String,
    /// Covering sets by k and whether they are texts.
    seeds: BTreeMap<(usize, bool), Vec<Vec<u8>>>,
    version: String,
}

/// A campaign that is to be run.
#[derive(Clone, Debug)]
struct Job {
    ready: Arc<Ready>,
    arm: Arm,
    seed: u64,
    digest: String,
}

/// `run`: builds the subjects and runs every campaign that is not done.
pub(crate) fn run(checkout: &Checkout, args: &Run, interrupt: &Interrupt) -> Result<()> {
    ensure!(
        args.seconds.is_finite() && args.seconds > 0.0,
        "--seconds: more than 0 is needed"
    );
    let arms = plan::choose(&args.arms, &args.variant)?;
    let subjects = checkout.choose(&args.subjects)?;
    let store = Store::new(&std::path::absolute(&args.results)?);
    let builder = Builder::new(checkout, &args.pleach)?;
    let mut ready = Vec::new();
    for subject in subjects {
        if interrupt.is_set() {
            bail!("interrupted");
        }
        eprintln!("building {}", subject.key);
        ready.push(Arc::new(Ready::new(subject, &arms, &builder)?));
    }

    let versions = common_versions(checkout)?;
    let mut jobs = VecDeque::new();
    let mut done = 0;
    // Seeds change slowest, so that what is there after some time is as good for all arms.
    for seed in 1..=args.seeds {
        for ready in &ready {
            for arm in &arms {
                let digest = ready.digest(arm, args.seconds);
                match store.find(&ready.subject.key, &arm.name, seed) {
                    Some(known) if known.digest == digest && !args.force => {
                        done += 1;
                        continue;
                    }
                    Some(_) if !args.force => eprintln!(
                        "{} {} {seed}: there is a result of other programs, another arm or another budget; it will be replaced",
                        ready.subject.key, arm.name
                    ),
                    _ => {}
                }
                jobs.push_back(Job {
                    ready: ready.clone(),
                    arm: arm.clone(),
                    seed,
                    digest,
                });
            }
        }
    }
    if done > 0 {
        eprintln!("{done} campaigns are done already (--force runs them again)");
    }
    work(jobs, args, &store, &versions, interrupt)?;
    eprintln!(
        "the results are in {}; read them by scripts/evaluate.sh report",
        args.results.display()
    );
    Ok(())
}

/// Runs jobs in several threads.
fn work(
    jobs: VecDeque<Job>,
    args: &Run,
    store: &Store,
    versions: &Versions,
    interrupt: &Interrupt,
) -> Result<()> {
    let bars = MultiProgress::new();
    let all = bars.add(bar(
        jobs.len() as u64,
        "{bar:30} {pos} / {len} campaigns, {eta} left",
    ));
    let jobs = Mutex::new(jobs);
    let next = || {
        jobs.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front()
    };
    let failed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| {
                while !interrupt.is_set()
                    && let Some(job) = next()
                {
                    let name = format!("{} {} {}", job.ready.subject.key, job.arm.name, job.seed);
                    let one = bars.add(bar((args.seconds * 1000.0) as u64, "{bar:30} {msg}"));
                    one.set_message(name.clone());
                    let outcome = job.run(args, store, versions, interrupt, &one);
                    one.finish_and_clear();
                    match outcome {
                        Ok(line) => {
                            bars.suspend(|| eprintln!("{name}: {line}"));
                            all.inc(1);
                        }
                        Err(_) if interrupt.is_set() => {}
                        // The others are worth having all the same.
                        Err(error) => {
                            failed.fetch_add(1, Ordering::Relaxed);
                            bars.suspend(|| eprintln!("error: {name}: {error:#}"));
                        }
                    }
                }
            });
        }
    });
    all.finish_and_clear();
    ensure!(!interrupt.is_set(), "interrupted");
    match failed.into_inner() {
        0 => Ok(()),
        failed => {
            bail!("{failed} campaigns have failed; see above why, and run the same command again")
        }
    }
}

fn bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Ready {
    fn new(subject: Subject, arms: &[Arm], builder: &Builder) -> Result<Ready> {
        let mut builds: Vec<Build> = arms.iter().map(Arm::build).collect();
        builds.push(REPLAY);
        builds.sort_unstable();
        builds.dedup();
        let graph = subject.graph()?;
        let mut seeds = BTreeMap::new();
        for arm in arms {
            if let Some(k) = arm.seeds {
                let text = arm.binary.is_text();
                seeds.insert((k, text), inputs::covering_set(&graph, k, text)?);
            }
        }
        Ok(Ready {
            programs: builder.build(&subject, &builds)?,
            dictionary: dictionary(graph.grammar()),
            seeds,
            version: subject.version(),
            graph,
            subject,
        })
    }

    fn seeds(&self, arm: &Arm) -> &[Vec<u8>] {
        let seeds = arm
            .seeds
            .and_then(|k| self.seeds.get(&(k, arm.binary.is_text())));
        seeds.map_or(&[], Vec::as_slice)
    }

    /// What a result depends on: programs, grammar, arm, budget.
    fn digest(&self, arm: &Arm, seconds: f64) -> String {
        let program = &self.programs.get(arm.build()).digest;
        let arm_text = serde_json::to_string(arm).unwrap_or_default();
        let bugs = serde_json::to_string(&self.subject.about.bugs).unwrap_or_default();
        let grammar = self.graph.grammar().to_string();
        let mut parts = vec![
            program.as_bytes(),
            self.programs.get(REPLAY).digest.as_bytes(),
            arm_text.as_bytes(),
            bugs.as_bytes(),
            grammar.as_bytes(),
        ];
        let seconds = seconds.to_string();
        parts.push(seconds.as_bytes());
        parts.extend(self.seeds(arm).iter().map(Vec::as_slice));
        parts.extend(LIMITS.iter().map(|it| it.as_bytes()));
        digest(parts)
    }
}

impl Job {
    /// Runs the campaign and measures it; gives what to say about it.
    fn run(
        &self,
        args: &Run,
        store: &Store,
        versions: &Versions,
        interrupt: &Interrupt,
        bar: &ProgressBar,
    ) -> Result<String> {
        let Job {
            ready, arm, seed, ..
        } = self;
        let work = store.begin()?;
        let dir = work.path();
        fs::create_dir(dir.join("corpus"))?;
        inputs::write(&dir.join("corpus"), ready.seeds(arm))?;
        let words = dir.join("dictionary");
        if arm.dictionary {
            fs::write(&words, &ready.dictionary)?;
        }
        let campaign = Campaign {
            arm,
            program: &ready.programs.get(arm.build()).path,
            seed: *seed,
            seconds: args.seconds,
            bugs: &ready.subject.about.bugs,
            dictionary: arm.dictionary.then_some(words.as_path()),
            dir,
        };
        let outcome = campaign.run(interrupt, |cpu| bar.set_position((cpu * 1000.0) as u64))?;
        let corpus = Corpus {
            files: &outcome.monitor.files,
            ticks: &outcome.monitor.ticks,
            reader: Reader::new(&ready.graph, arm.binary.is_text()),
        };
        let replay = &ready.programs.get(REPLAY).path;
        let measured = measure::measure(&corpus, &ready.graph, replay, dir, interrupt)?;
        let line = format!(
            "{} edges, {} by accepted, {} runs, {} inputs{}",
            measured.edges,
            measured.edges_accepted,
            outcome.executions,
            outcome.corpus,
            remarks(&outcome)
        );
        let summary = Summary {
            format: Summary::format(),
            digest: self.digest.clone(),
            subject: ready.subject.key.clone(),
            about: ready.subject.about.clone(),
            arm: arm.clone(),
            seed: *seed,
            seconds: args.seconds,
            versions: Versions {
                subject: ready.version.clone(),
                ..versions.clone()
            },
            cpu: outcome.cpu,
            wall: outcome.wall,
            executions: outcome.executions,
            starts: outcome.starts,
            corpus: outcome.corpus,
            given_up: outcome.given_up,
            crashes: outcome.crashes,
            bugs: outcome.bugs,
            run_paths: outcome.run_paths,
            measured,
        };
        for name in ["texts", "list", "artifacts"] {
            remove(&dir.join(name))?;
        }
        if !args.keep {
            for name in ["corpus", "seen"] {
                remove(&dir.join(name))?;
            }
        }
        store.finish(work, &summary)?;
        Ok(line)
    }
}

fn remarks(outcome: &crate::campaign::Outcome) -> String {
    let mut text = String::new();
    let crashes: u64 = outcome.crashes.iter().map(|it| it.count).sum();
    if crashes > 0 {
        text += &format!(", {crashes} crashes in {} places", outcome.crashes.len());
    }
    for bug in &outcome.bugs {
        if let Some(cpu) = bug.cpu {
            text += &format!(", {} after {cpu:.1} s", bug.name);
        }
    }
    if let Some(reason) = &outcome.given_up {
        text += &format!(", given up: {reason}");
    }
    text
}

fn remove(path: &Path) -> Result<()> {
    let removed = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
    removed.with_context(|| format!("{}", path.display()))
}

/// The versions that all subjects share.
fn common_versions(checkout: &Checkout) -> Result<Versions> {
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&checkout.root).args(args);
        builds::output(&mut command).ok()
    };
    let revision = git(&["rev-parse", "--short=12", "HEAD"]);
    let dirty = git(&["status", "--porcelain", "--untracked-files=no"]);
    let mut pleach = revision.map_or("unknown".into(), |it| it.trim().to_owned());
    if dirty.is_some_and(|it| !it.trim().is_empty()) {
        pleach += ", changed";
    }
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .and_then(|it| it.split_once(':'))
        .map_or("unknown", |it| it.1.trim());
    Ok(Versions {
        subject: String::new(),
        pleach,
        rustc: builds::output(Command::new("rustc").arg("--version"))?
            .trim()
            .to_owned(),
        cargo_fuzz: builds::CARGO_FUZZ.to_owned(),
        flags: builds::flags(),
        cpu: model.to_owned(),
    })
}
