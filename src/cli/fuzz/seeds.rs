//! Adding texts to a corpus before a campaign: as they are, or as choice sequences.
//!
//! Files are named by what is in them, so that nothing is overwritten and adding the same texts again changes nothing.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use pleach::Parser;
use pleach::parse::{Budget, Workspace};

use super::super::failure::Failure;
use super::super::input::{collect, digest, read_input};
use super::super::measure::in_parallel;
use super::super::output::{Existing, write_file};

/// What parsing a text may cost: seconds, and memory for each thread.
pub(super) const BUDGET: Budget = Budget {
    steps: 200_000_000,
    bytes: 512 << 20,
};

/// What has become of the texts.
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
            write!(f, ", {invalid} left out, which are no sentences")?;
        }
        Ok(())
    }
}

/// Adds the texts to a corpus, with a parser as choice sequences.
pub(super) fn add(
    seeds: &[PathBuf],
    corpus: &Path,
    parser: Option<&Parser>,
) -> Result<Seeded, Failure> {
    let files = collect(seeds)?;
    fs::create_dir_all(corpus)
        .map_err(|error| Failure::file("make the directory", corpus, &error))?;
    let worker = || Ok((Workspace::new(), Vec::new(), Vec::new()));
    let task = |(workspace, text, choices): &mut (Workspace, Vec<u8>, Vec<u8>), at: usize| {
        read_input(&files[at].path, text)?;
        let Some(parser) = parser else {
            return write_new(corpus, text).map(Some);
        };
        choices.clear();
        let parsed = parser.parse(text, BUDGET, workspace);
        match parsed.and_then(|mut forest| forest.choices(choices)) {
            Ok(()) => write_new(corpus, choices).map(Some),
            Err(_) => Ok(None),
        }
    };
    let (written, _) = in_parallel(files.len(), worker, task)?;
    let mut seeded = Seeded::default();
    for written in written {
        match written {
            Some(true) => seeded.added += 1,
            Some(false) => seeded.present += 1,
            None => seeded.invalid += 1,
        }
    }
    Ok(seeded)
}

/// Writes an input unless it is there. Two threads with the same input write the same file.
fn write_new(corpus: &Path, input: &[u8]) -> Result<bool, Failure> {
    let path = corpus.join(format!("{:032x}", digest(input)));
    if path.exists() {
        return Ok(false);
    }
    write_file(&path, input, Existing::Replace).map(|()| true)
}
