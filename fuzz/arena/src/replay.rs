//! Replaying texts in a program with counters and no engine, which tells the edges of each (`harness/replay.rs`).
//!
//! A text that ends the program or takes too long is lost, and nothing else: another process goes on behind it. What is new to
//! a process may be known from the one before, so edges are collected here.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use crate::process::{Interrupt, Running};

/// How long a text may take, on a machine that has other work.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a text ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The program under test has accepted it.
    Accepted,
    /// It has not.
    Rejected,
    /// It has panicked.
    Panicked,
    /// It has ended the process, or did not end.
    Lost,
}

/// A set of edges that counts its members.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Edges {
    seen: Vec<bool>,
    count: u64,
}

impl Edges {
    fn with_total(total: usize) -> Edges {
        Edges {
            seen: vec![false; total],
            count: 0,
        }
    }

    fn insert(&mut self, edge: usize) -> Result<()> {
        let seen = self.seen.get_mut(edge).context("an edge beyond the last")?;
        self.count += u64::from(!*seen);
        *seen = true;
        Ok(())
    }

    fn contains(&self, edge: usize) -> bool {
        self.seen.get(edge).is_some_and(|&seen| seen)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }
}

/// What is reached so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached {
    /// Edges that the program has.
    pub total: u64,
    /// By all texts.
    pub all: Edges,
    /// By accepted ones.
    pub accepted: Edges,
}

/// Replays texts, in files, and tells of each what is reached then. `list` is a file to write.
pub(crate) fn replay(
    program: &Path,
    texts: &[PathBuf],
    list: &Path,
    interrupt: &Interrupt,
    mut each: impl FnMut(usize, Verdict, &Reached),
) -> Result<Reached> {
    let mut reached = Reached::default();
    let mut next = 0;
    loop {
        let mut paths = Vec::new();
        for path in &texts[next..] {
            paths.extend_from_slice(path.as_os_str().as_encoded_bytes());
            paths.push(b'\n');
        }
        fs::write(list, paths)?;
        let mut running = Running::start(
            Command::new(program)
                .stdin(fs::File::open(list)?)
                .stdout(Stdio::piped())
                .stderr(Stdio::null()),
        )?;
        let output = running.child().stdout.take().context("a pipe was made")?;
        let (send, lines) = mpsc::channel();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let before = next;
        let mut begun = false;
        while let Ok(line) = lines.recv_timeout(PATIENCE) {
            if interrupt.is_set() {
                bail!("interrupted");
            }
            if let Some(total) = line.strip_prefix("edges ") {
                let total: usize = total.parse().context("a number of edges")?;
                if reached.total == 0 {
                    reached = Reached {
                        total: total as u64,
                        all: Edges::with_total(total),
                        accepted: Edges::with_total(total),
                    };
                }
                begun = true;
                continue;
            }
            let verdict = take(&line, next - before, &mut reached)
                .with_context(|| format!("{}: `{line}`", program.display()))?;
            each(next, verdict, &reached);
            next += 1;
        }
        // Ends the process if it has not ended, and with it the reader.
        drop(running);
        let _ = reader.join();
        ensure!(begun, "{} does not start", program.display());
        if next == texts.len() {
            return Ok(reached);
        }
        each(next, Verdict::Lost, &reached);
        next += 1;
    }
}

/// Takes in a line about the text of this number.
fn take(line: &str, number: usize, reached: &mut Reached) -> Result<Verdict> {
    let words: Vec<&str> = line.split(' ').collect();
    let &[index, verdict, all, accepted] = words.as_slice() else {
        bail!("four words are expected");
    };
    ensure!(index.parse() == Ok(number), "text {number} is expected");
    let numbers = |list: &str| -> Result<Vec<usize>> {
        let list = list.split(',').filter(|_| list != "-");
        list.map(|edge| Ok(edge.parse()?)).collect()
    };
    for edge in numbers(all)? {
        reached.all.insert(edge)?;
    }
    for edge in numbers(accepted)? {
        ensure!(
            reached.all.contains(edge),
            "no text has reached edge {edge}"
        );
        reached.accepted.insert(edge)?;
    }
    Ok(match verdict {
        "a" => Verdict::Accepted,
        "r" => Verdict::Rejected,
        "p" => Verdict::Panicked,
        _ => bail!("the file cannot be read"),
    })
}

#[cfg(test)]
mod tests {
    use super::{Edges, Reached, Verdict, replay, take};
    use crate::fixtures;
    use crate::process::Interrupt;
    use std::fs;

    fn empty(total: usize) -> Reached {
        Reached {
            total: total as u64,
            all: Edges::with_total(total),
            accepted: Edges::with_total(total),
        }
    }

    #[test]
    fn edges_are_counted_once() {
        let mut reached = empty(10);
        assert_eq!(
            take("0 a 1,2,9 1,2,9", 0, &mut reached).unwrap(),
            Verdict::Accepted
        );
        assert_eq!(
            take("1 r 2,3 -", 1, &mut reached).unwrap(),
            Verdict::Rejected
        );
        assert_eq!((reached.all.count(), reached.accepted.count()), (4, 3));
        for line in [
            "3 r - -", "2 r -", "2 x - -", "2 r 10 -", "2 r 1, -", "2 a 4 5",
        ] {
            assert!(take(line, 2, &mut reached).is_err(), "{line}");
        }
    }

    /// A program that ends at the text that says so.
    #[test]
    fn a_text_that_ends_the_program_is_the_only_one_lost() {
        let dir = tempfile::tempdir().unwrap();
        let program = fixtures::script(
            dir.path(),
            "#!/bin/sh\necho edges 5\ni=0\nwhile read f; do t=$(cat \"$f\"); [ \"$t\" = end ] && exit 1\necho $i a $t $t; i=$((i+1)); done\n",
        );
        let texts: Vec<_> = ["0,1", "end", "1,2", "end"]
            .iter()
            .enumerate()
            .map(|(index, text)| {
                let path = dir.path().join(index.to_string());
                fs::write(&path, text).unwrap();
                path
            })
            .collect();
        let mut seen = Vec::new();
        let reached = replay(
            &program,
            &texts,
            &dir.path().join("list"),
            &Interrupt::default(),
            |index, verdict, reached| seen.push((index, verdict, reached.all.count())),
        )
        .unwrap();
        let expected = [
            (0, Verdict::Accepted, 2),
            (1, Verdict::Lost, 2),
            (2, Verdict::Accepted, 3),
            (3, Verdict::Lost, 3),
        ];
        assert_eq!(seen, expected);
        assert_eq!((reached.total, reached.all.count()), (5, 3));
    }
}
