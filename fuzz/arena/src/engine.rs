//! What the engine says on standard error: how many inputs it has run, and why it has ended. Beside it, what pleach's mutator says.

use serde::{Deserialize, Serialize};

/// What one run of the engine has said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Reading {
    /// Runs of the target.
    pub executions: u64,
    /// Whether it came to its first mutation: the corpus has been read without a crash.
    pub started: bool,
    /// Why it has ended, if an input is to blame.
    pub crash: Option<Crash>,
    /// What all runs have covered, as of the mutator's last report.
    pub run_paths: Option<RunPaths>,
}

/// The k-paths of inputs that were run, kept by the engine or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RunPaths {
    /// The k that the mutator seeks.
    pub k: usize,
    /// The paths that some input has.
    pub covered: u64,
    /// The paths that there are.
    pub total: u64,
}

/// An input that ended the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Crash {
    /// What crashes are told apart by: the place of the panic, or what the engine calls it.
    pub place: String,
    /// The panic's message, in one line.
    pub message: String,
}

/// Reads all that a run has said.
pub(crate) fn read(text: &str) -> Reading {
    let mut reading = Reading {
        executions: executions(text).unwrap_or(0),
        ..Reading::default()
    };
    let mut panicked: Option<Crash> = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('#') && (line.contains("\tINITED ") || line.contains("\tpulse ")) {
            reading.started = true;
        } else if line.starts_with("thread '")
            && let Some((_, place)) = line.split_once(" panicked at ")
        {
            // The first one counts: others follow from it.
            if panicked.is_none() {
                panicked = Some(Crash {
                    place: place.trim_end_matches(':').to_owned(),
                    message: lines.next().unwrap_or_default().chars().take(300).collect(),
                });
            }
        } else if let Some(summary) = line.strip_prefix("SUMMARY: ") {
            // A run whose time is over says nothing here.
            let kind = summary.strip_prefix("libFuzzer: ").unwrap_or(summary);
            let other = Crash {
                place: kind.to_owned(),
                message: String::new(),
            };
            let crash = match kind {
                "timeout" | "out-of-memory" => other,
                _ => panicked.take().unwrap_or(other),
            };
            reading.crash = Some(crash);
        } else if let Some(counts) = line.strip_prefix("pleach: coverage: ") {
            reading.run_paths = run_paths(counts).or(reading.run_paths);
        }
    }
    reading
}

/// Reads `k: 4 covered: 3100 of: 4254`. Nothing if the line was cut when the process ended.
fn run_paths(counts: &str) -> Option<RunPaths> {
    let words: Vec<&str> = counts.split_ascii_whitespace().collect();
    let ["k:", k, "covered:", covered, "of:", total, ..] = words[..] else {
        return None;
    };
    Some(RunPaths {
        k: k.parse().ok()?,
        covered: covered.parse().ok()?,
        total: total.parse().ok()?,
    })
}

/// The runs as of the last line that tells.
pub(crate) fn executions(text: &str) -> Option<u64> {
    text.lines().rev().find_map(|line| {
        if let Some(number) = line.strip_prefix("stat::number_of_executed_units:") {
            return number.trim().parse().ok();
        }
        let status = line.strip_prefix('#')?;
        let number = status.split_ascii_whitespace().next()?;
        (line.contains(" exec/s: ")).then(|| number.parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::{Crash, Reading, RunPaths, executions, read};

    #[test]
    fn a_run_that_is_interrupted() {
        let text = "\
#2\tINITED cov: 3 ft: 4 corp: 1/1b exec/s: 0 rss: 30Mb
#65536\tpulse  cov: 1100 ft: 3301 corp: 700/12Kb lim: 80 exec/s: 32768 rss: 60Mb
==7== libFuzzer: run interrupted; exiting
stat::number_of_executed_units: 77123
stat::average_exec_per_sec:     0";
        let expected = Reading {
            executions: 77123,
            started: true,
            ..Reading::default()
        };
        assert_eq!(read(text), expected);
        let status = text.lines().take(2).collect::<Vec<_>>().join("\n");
        assert_eq!(executions(&status), Some(65536));
        assert_eq!(executions("#1 in a list\n# x"), None);
    }

    #[test]
    fn a_panic_has_a_place() {
        let text = "\
#2\tINITED cov: 3 ft: 4 corp: 1/1b exec/s: 0 rss: 30Mb
thread '<unnamed>' (123) panicked at /r/src/parser.rs:5:9:
index out of bounds: 3
thread 'main' panicked at src/lib.rs:1:1:
a calculation ends without panic
==7== ERROR: libFuzzer: deadly signal
SUMMARY: libFuzzer: deadly signal
stat::number_of_executed_units: 9";
        let crash = Crash {
            place: "/r/src/parser.rs:5:9".into(),
            message: "index out of bounds: 3".into(),
        };
        assert_eq!(read(text).crash, Some(crash));
    }

    #[test]
    fn the_mutator_says_what_was_run() {
        let text = "\
pleach: coverage: k: 4 covered: 2900 of: 4254
pleach: operator: seek tried: 10 kept: 1 new_paths: 4 microseconds: 30 share: 250
pleach: coverage: k: 4 covered: 3100 of: 4254
pleach: coverage: none
pleach: coverage: k: 4 covered: 3200 of: 4254==7== libFuzzer: run interrupted; exiting
pleach: coverage: k: 4 cov";
        let last = RunPaths {
            k: 4,
            covered: 3100,
            total: 4254,
        };
        assert_eq!(read(text).run_paths, Some(last));
        assert_eq!(read("#2\tINITED cov: 3 exec/s: 0").run_paths, None);
    }

    #[test]
    fn other_ends_have_names() {
        let place = |text: &str| read(text).crash.map(|it| it.place);
        assert_eq!(
            place("SUMMARY: libFuzzer: timeout").as_deref(),
            Some("timeout")
        );
        assert_eq!(
            place("SUMMARY: libFuzzer: out-of-memory").as_deref(),
            Some("out-of-memory")
        );
        assert_eq!(
            place("SUMMARY: libFuzzer: deadly signal").as_deref(),
            Some("deadly signal")
        );
        assert_eq!(place("Done 5 runs in 1 second(s)"), None);
    }
}
