//! Running a fuzz target's program on files, and telling failures apart by their place.
//!
//! libFuzzer runs the files that it is given one after the other, names each before it runs it, and ends with the first that fails.
//! So many files take one process, and one more for each failure.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Failure, reason};

/// The files that one process gets.
const BATCH: usize = 256;

/// What became of a file: nothing, or the place where the target failed.
pub(crate) type Outcome = Option<String>;

/// Runs the program on each file.
pub(crate) fn run(
    program: &Path,
    files: &[PathBuf],
    timeout: u32,
    mut done: impl FnMut(u64),
) -> Result<Vec<Outcome>, Failure> {
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(files.len());
    while outcomes.len() < files.len() {
        let left = &files[outcomes.len()..];
        let batch = &left[..left.len().min(BATCH)];
        let output = Command::new(program)
            .arg(format!("-timeout={timeout}"))
            // A backtrace for every failure takes longer than the failure.
            .env("RUST_BACKTRACE", "0")
            .args(batch)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .map_err(|error| cannot_run(program, &error))?;
        let said = String::from_utf8_lossy(&output.stderr);
        let before = outcomes.len();
        if output.status.success() {
            outcomes.resize(before + batch.len(), None);
        } else {
            let (last, said) = last_run(&said, batch);
            let Some(last) = last else {
                let said = said.lines().next().unwrap_or("it says nothing");
                return Err(Failure::new(
                    format_args!(
                        "{}: it fails before it runs a file: {said}",
                        program.display()
                    ),
                    "name the program of a libFuzzer target",
                ));
            };
            outcomes.resize(before + last, None);
            outcomes.push(Some(place(said, output.status)));
        }
        done((outcomes.len() - before) as u64);
    }
    Ok(outcomes)
}

fn cannot_run(program: &Path, error: &io::Error) -> Failure {
    Failure::new(
        format_args!("{}: cannot run it: {}", program.display(), reason(error)),
        "name the program of a libFuzzer target",
    )
}

/// The number of the file that was run last, and what was said since.
fn last_run<'a>(said: &'a str, batch: &[PathBuf]) -> (Option<usize>, &'a str) {
    let (mut count, mut from) = (0usize, 0);
    let mut at = 0;
    for line in said.split_inclusive('\n') {
        let name = line.trim_end().strip_prefix("Running: ");
        if let Some(name) = name
            && batch.get(count).is_some_and(|path| Path::new(name) == path)
        {
            count += 1;
            from = at + line.len();
        }
        at += line.len();
    }
    (count.checked_sub(1), &said[from..])
}

/// Where a target has failed, by what it said: the place of a panic, else the engine's summary.
fn place(said: &str, status: std::process::ExitStatus) -> String {
    for line in said.lines() {
        if let Some((_, place)) = line.split_once("panicked at ") {
            let place = place.trim_end().trim_end_matches(':');
            // Older compilers put the message before the place.
            let place = place.rsplit_once("', ").map_or(place, |(_, place)| place);
            return format!("panic at {place}");
        }
    }
    for line in said.lines() {
        if let Some(summary) = line.strip_prefix("SUMMARY: ") {
            // Numbers of this process say nothing of the place.
            let words = summary
                .split_whitespace()
                .filter(|word| !word.starts_with("0x"));
            return words.collect::<Vec<_>>().join(" ");
        }
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "a signal".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{last_run, place};

    #[test]
    fn failures_are_told_apart_by_their_place() {
        let status = std::process::ExitStatus::default();
        let said = "thread 'main' (12) panicked at src/lib.rs:3:9:\nno digit\nnote: run\nSUMMARY: libFuzzer: deadly signal\n";
        assert_eq!(place(said, status), "panic at src/lib.rs:3:9");
        let older = "thread '<unnamed>' panicked at 'a', 'b', src/lib.rs:3:9\n";
        assert_eq!(place(older, status), "panic at src/lib.rs:3:9");
        let memory = "SUMMARY: AddressSanitizer: heap-buffer-overflow 0x12ab in read\n";
        assert_eq!(
            place(memory, status),
            "AddressSanitizer: heap-buffer-overflow in read"
        );
        assert_eq!(place("", status), "exit code 0");
    }

    #[test]
    fn the_last_file_is_the_one_that_failed() {
        let batch = ["/t/0", "/t/1", "/t/2"].map(PathBuf::from);
        let said = "INFO: Seed: 1\nRunning: /t/0\nExecuted /t/0 in 0 ms\nRunning: /t/1\npanicked at a:1:1:\n";
        assert_eq!(last_run(said, &batch), (Some(1), "panicked at a:1:1:\n"));
        assert_eq!(last_run("Running: /t/1\n", &batch).0, None);
    }
}
