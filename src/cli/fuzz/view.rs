//! A campaign while it runs: one block that is drawn again and again in a terminal, a line a minute elsewhere.
//!
//! The engine says thousands of lines, nearly all of them about itself. Those are read and not shown, unless the user wants the raw
//! stream; all else passes through, since it is what Cargo, the target and a failure say. The block has a thread of its own, so that
//! it goes on while the engine is silent, and begins with the engine's first status line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::{Failure, note};
use crate::report::Canvas;
use crate::target::engine::{Lines, Reading};

mod about;
mod block;

use about::News;
pub(super) use about::{About, Failures, Sample};
use block::{block, line};

/// How often the block is drawn.
const REDRAWN: Duration = Duration::from_secs(1);
/// After so many times another sentence is shown.
const SAMPLED: u64 = 5;
/// How often there is a line where there is no terminal.
const SAID: Duration = Duration::from_secs(60);

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

#[cfg(test)]
mod tests {
    use super::is_about_the_engine;

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
}
