//! A campaign while it runs: one block that is drawn again and again in a terminal, a line a minute elsewhere.
//!
//! The engine says thousands of lines, nearly all of them about itself. Those are read and not shown, unless the user wants the raw
//! stream; all else passes through, since it is what Cargo, the target and a failure say. The block has a thread of its own, so that
//! it goes on while the engine is silent, and begins with the engine's first status line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pleach_core::{Codec, slip};

use crate::failure::{Failure, note};
use crate::input::{is_hidden, read_input};
use crate::report::{Canvas, Share, excerpt};
use crate::target::engine::{Lines, PathCounts, Reading};
use crate::target::runs;

/// How often the block is drawn.
const REDRAWN: Duration = Duration::from_secs(1);
/// After so many times another sentence is shown.
const SAMPLED: u64 = 5;
/// How often there is a line where there is no terminal.
const SAID: Duration = Duration::from_secs(60);
/// Seconds without a new edge that are worth a word.
const LONG: u64 = 120;
/// Inputs that are run at once to find out where they fail, and the seconds that each may take.
const RUN_AGAIN: usize = 4;
const TIMEOUT: u32 = 2;
/// Places of failures that are shown.
const PLACES: usize = 4;
/// The characters of a sentence that are looked at; the window may show fewer.
const SAMPLE: usize = 400;

/// Where the engine's own lines go.
#[derive(Debug)]
enum Log {
    /// Nowhere.
    None,
    /// To standard error, and there is no view.
    Raw,
    /// To a file.
    File(File),
}

/// What is shown of a campaign.
#[derive(Debug)]
pub(super) struct View {
    log: Log,
    lines: Lines,
    /// Whether what was taken in last does not end with a line.
    is_in_line: bool,
    shown: Arc<Mutex<Reading>>,
    bar: Option<ProgressBar>,
    /// Tells the thread to end, by being dropped.
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Where sentences are taken from.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) corpus: PathBuf,
    /// What decodes inputs, unless they are texts.
    pub(super) codec: Option<Codec>,
}

impl Sample {
    /// The input that came last.
    fn take(&self) -> Option<String> {
        let entries = fs::read_dir(&self.corpus).ok()?.flatten();
        let inputs = entries.filter(|entry| !is_hidden(&entry.file_name()));
        let newest = inputs.max_by_key(|entry| {
            let metadata = entry.metadata().ok();
            metadata.and_then(|it| it.modified().ok())
        });
        let mut bytes = Vec::new();
        read_input(&newest?.path(), &mut bytes).ok()?;
        let text = match &self.codec {
            Some(codec) => slip::text(codec, &bytes),
            None => bytes,
        };
        let text = excerpt(&text, SAMPLE);
        // In one line, whatever it has.
        Some(text.replace('\n', "\u{2424}").replace('\t', " "))
    }
}

/// The failures of a campaign that goes on behind them, by their places: what the target does with new artifacts.
#[derive(Debug, Default)]
pub(super) struct Failures {
    pub(super) program: Option<PathBuf>,
    pub(super) artifacts: PathBuf,
    /// Files that are known, those of older campaigns among them.
    pub(super) known: BTreeSet<PathBuf>,
    pub(super) places: BTreeMap<String, u64>,
}

impl Failures {
    /// Runs a few of the inputs that have failed since.
    fn look(&mut self) {
        let Some(program) = &self.program else { return };
        let new = super::files(&self.artifacts);
        let new = new.difference(&self.known).take(RUN_AGAIN).cloned();
        for file in new.collect::<Vec<_>>() {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let place = match name.split('-').next() {
                Some("timeout") => Some("timeout".to_owned()),
                Some("crash") => {
                    let outcomes = runs::run(program, std::slice::from_ref(&file), TIMEOUT, |_| {});
                    let outcome = outcomes.ok().and_then(|it| it.into_iter().next());
                    Some(outcome.flatten().unwrap_or_else(|| "not again".into()))
                }
                Some("oom") => Some("out of memory".to_owned()),
                // What is slow is no failure.
                _ => None,
            };
            if let Some(place) = place {
                *self.places.entry(place).or_default() += 1;
            }
            self.known.insert(file);
        }
    }

    /// The places, the most frequent first.
    fn rows(&self) -> Vec<String> {
        let mut places: Vec<_> = self.places.iter().collect();
        places.sort_by_key(|&(place, &count)| (std::cmp::Reverse(count), place));
        let row = |&(place, count): &(&String, &u64)| format!("{place} ({count})");
        let mut rows: Vec<String> = places.iter().take(PLACES).map(row).collect();
        if places.len() > PLACES {
            rows.push(format!("and {} other places", places.len() - PLACES));
        }
        rows
    }
}

/// What is said of a campaign besides what the engine reports.
#[derive(Debug)]
pub(super) struct About {
    pub(super) target: String,
    /// How long it is to take, if that is known.
    pub(super) seconds: Option<u32>,
    pub(super) sample: Sample,
    pub(super) failures: Failures,
}

/// When an edge was covered first that nothing had covered before.
#[derive(Clone, Copy, Default, Debug)]
struct News {
    edges: u64,
    /// The seconds of the campaign.
    at: u64,
}

impl News {
    fn take(&mut self, reading: &Reading, seconds: u64) {
        if reading.edges > self.edges {
            *self = News {
                edges: reading.edges,
                at: seconds,
            };
        }
    }

    /// How long there has been none, if that is long, and what to do then.
    fn silence(self, target: &str, seconds: u64) -> Option<String> {
        let silent = seconds - self.at;
        (silent >= LONG && 2 * silent > seconds).then(|| {
            format!(
                "no new edge for {}; `pleach stuck {target}` asks why",
                clock(silent)
            )
        })
    }
}

impl View {
    /// Shows what fits standard error: `log` is what the user wants to be done with what the engine says.
    pub(super) fn new(log: Option<Option<&Path>>, mut about: About) -> Result<View, Failure> {
        let log = match log {
            None => Log::None,
            Some(None) => Log::Raw,
            Some(Some(path)) => {
                let made = OpenOptions::new().write(true).create_new(true).open(path);
                Log::File(made.map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => Failure::new(
                        format_args!("{}: it exists already", path.display()),
                        "name another file for what the engine says",
                    ),
                    _ => Failure::file("write", path, &error),
                })?)
            }
        };
        let shown = Arc::new(Mutex::new(Reading::default()));
        let mut view = View {
            log,
            lines: Lines::default(),
            is_in_line: false,
            shown: shown.clone(),
            bar: None,
            end: None,
            thread: None,
        };
        if matches!(view.log, Log::Raw) {
            return Ok(view);
        }
        let canvas = Canvas::of_stderr();
        if canvas.is_some() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            view.bar = Some(bar);
        }
        let bar = view.bar.clone();
        let (end, ended) = channel();
        view.end = Some(end);
        let pause = if canvas.is_some() { REDRAWN } else { SAID };
        let thread = std::thread::Builder::new().name("view".into());
        let spawned = thread.spawn(move || {
            let (mut sample, mut ticks, mut news) = (None, 0, News::default());
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                ticks += 1;
                let reading = shown.lock().unwrap_or_else(PoisonError::into_inner);
                let reading = reading.clone();
                if !reading.started {
                    continue;
                }
                let seconds = ticks * pause.as_secs();
                news.take(&reading, seconds);
                if bar.is_none() || ticks.is_multiple_of(SAMPLED) {
                    about.failures.look();
                }
                let (Some(bar), Some(canvas)) = (&bar, canvas) else {
                    note(line(&reading, &about, news, seconds));
                    continue;
                };
                if sample.is_none() || ticks.is_multiple_of(SAMPLED) {
                    sample = about.sample.take().or(sample);
                }
                let block = block(&reading, &about, news, seconds, sample.as_deref(), canvas);
                if bar.is_hidden() {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
                bar.set_message(block.join("\n"));
            }
        });
        view.thread = spawned.ok();
        Ok(view)
    }

    /// Takes in that nothing more will be said.
    pub(super) fn end(&mut self, reading: &mut Reading) {
        if self.is_in_line {
            self.feed(b"\n", reading);
        }
    }

    /// Takes in what the engine and others say.
    pub(super) fn feed(&mut self, block: &[u8], reading: &mut Reading) {
        let mut passed = Vec::new();
        self.is_in_line = block.last().is_some_and(|&byte| byte != b'\n');
        self.lines.feed(block, |line| {
            reading.line(line);
            if !is_about_the_engine(line) {
                passed.extend_from_slice(line.as_bytes());
                passed.push(b'\n');
            }
        });
        match &mut self.log {
            Log::Raw => passed = block.to_vec(),
            // What cannot be written there is no reason to end a campaign.
            Log::File(file) => drop(file.write_all(block)),
            Log::None => {}
        }
        reading.clone_into(&mut self.shown.lock().unwrap_or_else(PoisonError::into_inner));
        if passed.is_empty() {
            return;
        }
        // Whoever has closed standard error may still want the summary.
        let pass = || drop(io::stderr().write_all(&passed));
        match &self.bar {
            Some(bar) => bar.suspend(pass),
            None => pass(),
        }
    }

    /// Takes the block away.
    pub(super) fn finish(mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            // A view that has gone wrong takes nothing with it.
            let _ = thread.join();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Whether a line is what the engine, or the mutator in it, says of itself: status, numbers, settings.
fn is_about_the_engine(line: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "INFO: ",
        "stat::",
        "\tNEW_FUNC",
        "pleach: coverage: ",
        "pleach: runs: ",
        "pleach: operator: ",
        "pleach: aim: ",
        "WARNING: Failed to find function \"__sanitizer_",
        "###### Recommended dictionary. ######",
        "###### End of recommended dictionary. ######",
    ];
    if BEGINNINGS.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    if let Some((_, uses)) = line.split_once("\" # Uses: ") {
        return line.starts_with('"') && uses.parse::<u64>().is_ok();
    }
    if let Some(status) = line.strip_prefix('#') {
        let is_number = status.starts_with(|c: char| c.is_ascii_digit());
        return is_number && line.contains(" exec/s: ");
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    matches!(words[..], ["Done", runs, "runs", "in", _, "second(s)"] if runs.parse::<u64>().is_ok())
}

/// A number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1:02:03`, or `2:03`.
fn clock(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// The edges as a share, if it is known how many there are.
fn edges(reading: &Reading) -> String {
    match reading.counters {
        Some(total) => Share {
            covered: reading.edges,
            total,
        }
        .to_string(),
        None => reading.edges.to_string(),
    }
}

fn share(paths: PathCounts) -> Share {
    Share {
        covered: paths.covered,
        total: paths.total,
    }
}

/// How many inputs have failed: in fork mode the engine does not name them.
fn failures(reading: &Reading, about: &About) -> u64 {
    let found: u64 = about.failures.places.values().sum();
    found.max(reading.artifacts.len() as u64)
}

/// What there is to say, in one line.
fn line(reading: &Reading, about: &About, news: News, seconds: u64) -> String {
    let mut line = format!(
        "{}  {} runs, {} per second; edges {}",
        clock(seconds),
        grouped(reading.executions),
        grouped(reading.rate),
        edges(reading)
    );
    if let Some(paths) = reading.paths {
        line += &format!("; {}-paths {}", paths.k, share(paths));
    }
    line += &format!("; corpus {}", grouped(reading.corpus));
    let failures = failures(reading, about);
    if failures > 0 {
        line += &format!("; failures {failures}");
    }
    let rows = about.failures.rows();
    if !rows.is_empty() {
        line += &format!(": {}", rows.join(", "));
    }
    if let Some(silence) = news.silence(&about.target, seconds) {
        line += &format!("; {silence}");
    }
    line
}

/// The same in a block of lines, each of which fits.
fn block(
    reading: &Reading,
    about: &About,
    news: News,
    seconds: u64,
    sample: Option<&str>,
    canvas: Canvas,
) -> Vec<String> {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let time = match about.seconds {
        Some(all) => format!("{} of {}", clock(seconds), clock(all.into())),
        None => format!("{}, until Ctrl-C", clock(seconds)),
    };
    rows.push(("time", time));
    let runs = grouped(reading.executions);
    let rate = grouped(reading.rate);
    rows.push(("runs", format!("{runs}, {rate} per second")));
    rows.push(("edges", edges(reading)));
    let name;
    if let Some(paths) = reading.paths {
        name = format!("{}-paths", paths.k);
        rows.push((&name, share(paths).to_string()));
    }
    rows.push(("corpus", grouped(reading.corpus)));
    rows.push(("failures", failures(reading, about).to_string()));
    rows.extend(about.failures.rows().into_iter().map(|row| ("", row)));
    // What has brought most of late, as far as the mutator tells.
    let mut operators: Vec<_> = reading.operators.iter().collect();
    operators.sort_by_key(|counts| std::cmp::Reverse(counts.share));
    let operators: Vec<String> = operators
        .iter()
        .take(3)
        .map(|counts| format!("{} {:.0} %", counts.name, counts.share as f64 / 10.0))
        .collect();
    if !operators.is_empty() {
        rows.push(("mutations", operators.join(", ")));
    }
    if let Some(sample) = sample {
        rows.push(("as in", sample.to_owned()));
    }
    rows.extend(news.silence(&about.target, seconds).map(|it| ("", it)));
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut lines = vec![canvas.cut(&about.target, 0)];
    for (name, value) in rows {
        let value = canvas.cut(&value, width + 4);
        lines.push(format!(
            "  {}  {value}",
            canvas.dim(&format!("{name:width$}"))
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn reading() -> Reading {
        let mut reading = Reading::default();
        for line in [
            "INFO: Loaded 1 modules   (8421 inline 8-bit counters): 8421 [0x5589d2a1b2f0, 0x5589d2a1d3d5), ",
            "#1065536\tpulse  cov: 1100 ft: 3301 corp: 700/12Kb lim: 80 exec/s: 32768 rss: 60Mb",
            "pleach: coverage: k: 4 covered: 2900 of: 4254",
            "pleach: operator: seek tried: 10 kept: 1 new_paths: 4 microseconds: 30 share: 250",
            "pleach: operator: swap tried: 5 kept: 0 new_paths: 0 microseconds: 9 share: 300",
        ] {
            assert!(is_about_the_engine(line), "{line}");
            reading.line(line);
        }
        reading
    }

    #[test]
    fn a_campaign_is_shown_in_a_block_that_fits() {
        let about = |seconds| About {
            target: "json".into(),
            seconds,
            sample: Sample {
                corpus: PathBuf::new(),
                codec: None,
            },
            failures: Failures {
                places: [("panic at src/lib.rs:3:9", 7), ("timeout", 12)]
                    .map(|(place, count)| (place.to_owned(), count))
                    .into(),
                ..Failures::default()
            },
        };
        let news = News {
            edges: 1100,
            at: 60,
        };
        let mut drawn = String::new();
        let sample = "{\"a rather long key\": [1, 2, 3], \"日本語\": null}";
        for (width, seconds) in [(60, Some(7200)), (24, None)] {
            let canvas = Canvas {
                width,
                is_colored: false,
                is_unicode: true,
            };
            let about = about(seconds);
            let block = block(&reading(), &about, news, 3723, Some(sample), canvas);
            for line in &block {
                assert_eq!(canvas.cut(line, 0), *line);
            }
            drawn += &(block.join("\n") + "\n");
        }
        drawn += &line(&reading(), &about(None), news, 60);
        expect![[r#"
            json
              time       1:02:03 of 2:00:00
              runs       1 065 536, 32 768 per second
              edges      1100 / 8421 (13 %)
              4-paths    2900 / 4254 (68.1 %)
              corpus     700
              failures   19
                         timeout (12)
                         panic at src/lib.rs:3:9 (7)
              mutations  swap 30 %, seek 25 %
              as in      {"a rather long key": [1, 2, 3], "日本語": nul…
                         no new edge for 1:01:03; `pleach stuck json` a…
            json
              time       1:02:03, u…
              runs       1 065 536,…
              edges      1100 / 842…
              4-paths    2900 / 425…
              corpus     700
              failures   19
                         timeout (1…
                         panic at s…
              mutations  swap 30 %,…
              as in      {"a rather…
                         no new edg…
            1:00  1 065 536 runs, 32 768 per second; edges 1100 / 8421 (13 %); 4-paths 2900 / 4254 (68.1 %); corpus 700; failures 19: timeout (12), panic at src/lib.rs:3:9 (7)"#]].assert_eq(&drawn);
    }

    #[test]
    fn what_others_say_passes_through() {
        for line in [
            "thread '<unnamed>' panicked at fuzz_targets/t.rs:5:9:",
            "#1 in this list",
            "#12 cov: 99",
            "==7== ERROR: libFuzzer: deadly signal",
            "    #0 0x55 in __sanitizer_print_stack_trace",
            "MS: 1 Custom-; base unit: adc83b19e793491b1c6ea0fd8b46cd9f32e592fc",
            "artifact_prefix='/p/'; Test unit written to /p/crash-0a",
            "SUMMARY: libFuzzer: deadly signal",
            "   Compiling json v0.1.0",
            "warning: unused variable",
            "Done reading 12 files",
            "pleach: no grammar",
            "",
        ] {
            assert!(!is_about_the_engine(line), "{line}");
        }
        for line in [
            "#128\tINITED cov: 911 ft: 1520 corp: 101/1029b exec/s: 0 rss: 40Mb",
            "#40960: cov: 311 ft: 420 corp: 65 exec/s: 20480 oom/timeout/crash: 0/0/0 time: 2s job: 1 dft_time: 0",
            "\tNEW_FUNC[1/1]: 0x55d in f",
            "Done 98304 runs in 4 second(s)",
            "stat::peak_rss_mb:              61",
            "###### Recommended dictionary. ######",
            "\"\\001\\000\" # Uses: 11438",
        ] {
            assert!(is_about_the_engine(line), "{line}");
        }
    }

    #[test]
    fn numbers_are_grouped_and_times_are_clocks() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1 000"),
            (1234567, "1 234 567"),
        ] {
            assert_eq!(grouped(number), text);
        }
        for (seconds, text) in [
            (0, "0:00"),
            (59, "0:59"),
            (61, "1:01"),
            (3600, "1:00:00"),
            (36_061, "10:01:01"),
        ] {
            assert_eq!(clock(seconds), text);
        }
    }
}
