//! `pleach decode`: choice sequences to sentences.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use pleach::Codec;
use pleach::choice::Scratch;
use serde::Serialize;

use super::Common;
use super::failure::{Answer, Failure};
use super::input::{InputFile, Source, collect, read_input};
use super::output::{Existing, Output, write_file};
use super::progress::Progress;
use super::report::count;

/// Turn choice sequences into the sentences they stand for
///
/// A single input is printed as it is; of several, each has a line break behind it. With -o every input becomes a file
/// of the same name, below directories too.
///
/// Example: pleach decode json.ebnf crash-1234
#[derive(Args, Debug)]
pub(super) struct Decode {
    /// The grammar; `-` reads standard input
    grammar: PathBuf,
    /// Files, or directories of files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write files to this directory
    #[arg(short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Report {
    inputs: u64,
    /// Every sequence of bytes is a choice sequence.
    invalid: u64,
}

impl Decode {
    pub(super) fn run(self, common: &Common, out: &mut Output) -> Result<Answer, Failure> {
        let source = Source::load(&self.grammar)?;
        let codec = Codec::new(&source.graph);
        let files = collect(&self.paths)?;
        let mut scratch = Scratch::default();
        let (mut choices, mut text) = (Vec::new(), Vec::new());

        let Some(dir) = &self.output else {
            if common.json {
                return Err(Failure::new(
                    "standard output cannot take both the sentences and the JSON report",
                    "write the sentences to a directory by -o DIR, or leave out --json",
                ));
            }
            for file in &files {
                read_input(&file.path, &mut choices)?;
                text.clear();
                codec.decode(&choices, &mut scratch, &mut text);
                out.bytes(&text)?;
                if files.len() > 1 {
                    out.bytes(b"\n")?;
                }
            }
            return Ok(Answer::Yes);
        };

        self.check_targets(dir, &files)?;
        fs::create_dir_all(dir)
            .map_err(|error| Failure::file("make the directory", dir, &error))?;
        let progress = Progress::new(files.len() as u64, "files");
        for file in &files {
            read_input(&file.path, &mut choices)?;
            text.clear();
            codec.decode(&choices, &mut scratch, &mut text);
            let target = dir.join(&file.name);
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)
                    .map_err(|error| Failure::file("make the directory", folder, &error))?;
            }
            write_file(&target, &text, Existing::forced(self.force))?;
            progress.add(1);
        }
        drop(progress);
        let inputs = files.len() as u64;
        if common.json {
            out.json(&Report { inputs, invalid: 0 })?;
        } else {
            writeln!(out, "{}", count(inputs, "input"))?;
        }
        Ok(Answer::Yes)
    }

    /// Before anything is written: no two inputs of one name, and nothing in the way.
    fn check_targets(&self, dir: &Path, files: &[InputFile]) -> Result<(), Failure> {
        let mut sources: BTreeMap<&Path, &Path> = BTreeMap::new();
        for file in files {
            let target = dir.join(&file.name);
            if let Some(other) = sources.insert(&file.name, &file.path) {
                return Err(Failure::new(
                    format_args!(
                        "{} and {} would both become {}",
                        other.display(),
                        file.path.display(),
                        target.display()
                    ),
                    "decode them to different directories",
                ));
            }
            if !self.force && fs::symlink_metadata(&target).is_ok() {
                return Err(Failure::new(
                    format_args!("{}: it exists already", target.display()),
                    "name another directory, or replace files by --force",
                ));
            }
        }
        Ok(())
    }
}
