//! Adding texts to a corpus before a campaign: as they are, or as choice sequences.
//!
//! Files are named by what is in them, so that nothing is overwritten and adding the same texts again changes nothing.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pleach_core::parse::Workspace;

use super::super::failure::Failure;
use super::super::input::{Digest, collect, digest, read_input};
use super::super::output::{Existing, write_file};
use super::super::parallel::{ONE, in_parallel};
use super::super::progress::Progress;
use super::super::record::Record;
use super::super::text::Texts;

/// What has become of the texts: those that were left out are not sentences, or beyond the budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Seeded {
    added: u64,
    present: u64,
    invalid: u64,
}

impl fmt::Display for Seeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Seeded {
            added,
            present,
            invalid,
        } = self;
        write!(f, "seeds: {added} added, {present} there already")?;
        if *invalid > 0 {
            write!(f, ", {invalid} left out, which are not sentences")?;
        }
        Ok(())
    }
}

/// Adds the texts to a corpus: as choice sequences if they are read, else as they are.
pub(super) fn add(
    seeds: &[PathBuf],
    corpus: &Path,
    texts: Option<&Texts>,
) -> Result<Seeded, Failure> {
    let files = collect(seeds)?;
    fs::create_dir_all(corpus)
        .map_err(|error| Failure::file("make the directory", corpus, &error))?;
    let corpus = Corpus {
        path: corpus,
        met: Mutex::new(BTreeSet::new()),
    };
    let progress = Progress::new(files.len() as u64, "seeds");
    let worker = || Ok((Workspace::new(), Vec::new(), Vec::new()));
    let task = |(workspace, text, choices): &mut (Workspace, Vec<u8>, Vec<u8>), at: usize| {
        let path = &files[at].path;
        read_input(path, text)?;
        progress.add(1);
        let Some(texts) = texts else {
            return corpus.add(text).map(Some);
        };
        choices.clear();
        match texts.read(path, text, workspace, |forest| forest.choices(choices)) {
            Ok(()) => corpus.add(choices).map(Some),
            Err(_) => Ok(None),
        }
    };
    let (written, _) = in_parallel(files.len(), ONE, worker, task)?;
    let mut seeded = Seeded::default();
    for written in written {
        match written {
            Some(true) => seeded.added += 1,
            Some(false) => seeded.present += 1,
            None => seeded.invalid += 1,
        }
    }
    // If an older grammar has made files of these names, they are this one's from now on.
    Record::read(corpus.path).written(corpus.names())?;
    Ok(seeded)
}

/// Adds inputs to a corpus as they are.
pub(super) fn add_inputs(inputs: &[Vec<u8>], corpus: &Path) -> Result<(), Failure> {
    fs::create_dir_all(corpus)
        .map_err(|error| Failure::file("make the directory", corpus, &error))?;
    let corpus = Corpus {
        path: corpus,
        met: Mutex::new(BTreeSet::new()),
    };
    for input in inputs {
        corpus.add(input)?;
    }
    Record::read(corpus.path).written(corpus.names())
}

/// A directory that several threads add to.
struct Corpus<'a> {
    path: &'a Path,
    /// What was added or found there.
    met: Mutex<BTreeSet<Digest>>,
}

impl Corpus<'_> {
    /// The files that were added or found there.
    fn names(&self) -> Vec<String> {
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        met.iter().map(|&digest| name(digest)).collect()
    }

    /// Writes an input unless it is there, and says whether it was new.
    fn add(&self, input: &[u8]) -> Result<bool, Failure> {
        let digest = digest(input);
        let path = self.path.join(name(digest));
        let is_first = {
            let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
            met.insert(digest)
        };
        if !is_first || path.exists() {
            return Ok(false);
        }
        write_file(&path, input, Existing::Keep).map(|()| true)
    }
}

/// How a file is named.
fn name(digest: Digest) -> String {
    format!("{digest:032x}")
}
