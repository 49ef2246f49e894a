//! Watching a corpus grow.
//!
//! The engine replaces inputs by smaller ones, and what it has deleted cannot be measured. So new files are linked into
//! another directory about every half second of CPU time, which also gives every file a time. Between two looks nothing is done
//! but reading `/proc`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::engine;

/// CPU seconds between two looks at the corpus.
pub(crate) const INTERVAL: f64 = 0.5;
/// The end of what the engine has said, for its last status line. Between two of them there is room for what pleach's mutator
/// reports, about 2 KiB each time that the runs have grown by a quarter: the engine tells at least when they have doubled.
const TAIL: u64 = 1 << 14;

/// A look at a campaign under way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Tick {
    /// CPU seconds since the beginning.
    pub cpu: f64,
    /// Wall clock seconds since the beginning.
    pub wall: f64,
    /// Runs of the target, as far as the engine has said.
    pub executions: u64,
}

/// Keeps what a corpus has had.
#[derive(Debug)]
pub(crate) struct Monitor {
    corpus: PathBuf,
    seen: PathBuf,
    names: BTreeSet<OsString>,
    /// The files in `seen` with their CPU times, in the order in which they came.
    pub files: Vec<(f64, PathBuf)>,
    /// The looks.
    pub ticks: Vec<Tick>,
}

impl Monitor {
    /// Watches `corpus`; `seen` is a directory on the same file system.
    pub(crate) fn new(corpus: &Path, seen: &Path) -> Monitor {
        Monitor {
            corpus: corpus.to_owned(),
            seen: seen.to_owned(),
            names: BTreeSet::new(),
            files: Vec::new(),
            ticks: Vec::new(),
        }
    }

    /// The CPU time of the last look.
    pub(crate) fn last(&self) -> f64 {
        self.ticks.last().map_or(0.0, |it| it.cpu)
    }

    /// Takes what is new.
    pub(crate) fn look(&mut self, tick: Tick) -> Result<()> {
        let mut new = Vec::new();
        let entries =
            fs::read_dir(&self.corpus).with_context(|| format!("{}", self.corpus.display()))?;
        for entry in entries {
            let name = entry?.file_name();
            if !self.names.contains(&name) {
                new.push(name);
            }
        }
        new.sort();
        for name in new {
            let to = self.seen.join(&name);
            match fs::hard_link(self.corpus.join(&name), &to) {
                Ok(()) => self.files.push((tick.cpu, to)),
                // Deleted since it was listed: something smaller is there instead.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error).with_context(|| format!("{}", to.display())),
            }
            self.names.insert(name);
        }
        // The engine says nothing of its runs before the first status line.
        let executions = self
            .ticks
            .last()
            .map_or(0, |it| it.executions)
            .max(tick.executions);
        self.ticks.push(Tick { executions, ..tick });
        Ok(())
    }

    /// How many files the corpus has now.
    pub(crate) fn corpus_size(&self) -> Result<u64> {
        Ok(fs::read_dir(&self.corpus)?.count() as u64)
    }
}

/// The runs that the engine has told of so far in its messages; none if it has not.
pub(crate) fn executions(messages: &Path) -> u64 {
    let read = || -> std::io::Result<String> {
        let mut file = fs::File::open(messages)?;
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(end.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    // The first line may be a part of one, and a number in it too, but the last one is whole or does not count.
    let text = read().unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let from = whole.find('\n').unwrap_or(0);
    engine::executions(&whole[from..]).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Monitor, Tick, executions};
    use std::fs;

    #[test]
    fn the_last_status_line_is_found_behind_reports_of_the_mutator() {
        let dir = tempfile::tempdir().unwrap();
        let messages = dir.path().join("messages");
        let operator = "pleach: operator: transplant tried: 1000000 kept: 10000 new_paths: 1000 microseconds: 99999999 share: 250\n";
        let text = format!(
            "#2\tINITED cov: 3 exec/s: 0 rss: 30Mb\n#65536\tpulse  cov: 1100 ft: 3301 exec/s: 32768 rss: 60Mb\n{}",
            operator.repeat(4 * 20)
        );
        fs::write(&messages, text).unwrap();
        assert_eq!(executions(&messages), 65536);
    }

    #[test]
    fn what_is_deleted_later_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (corpus, seen) = (dir.path().join("corpus"), dir.path().join("seen"));
        fs::create_dir(&corpus).unwrap();
        fs::create_dir(&seen).unwrap();
        let mut monitor = Monitor::new(&corpus, &seen);
        let tick = |cpu| Tick {
            cpu,
            wall: cpu,
            executions: 10,
        };
        fs::write(corpus.join("b"), "long").unwrap();
        monitor.look(tick(0.5)).unwrap();
        fs::remove_file(corpus.join("b")).unwrap();
        fs::write(corpus.join("a"), "s").unwrap();
        monitor.look(tick(1.0)).unwrap();
        let files: Vec<_> = monitor
            .files
            .iter()
            .map(|(cpu, path)| (*cpu, fs::read_to_string(path).unwrap()))
            .collect();
        assert_eq!(files, [(0.5, "long".into()), (1.0, "s".into())]);
        assert_eq!(monitor.corpus_size().unwrap(), 1);
        assert_eq!(monitor.last(), 1.0);
    }
}
