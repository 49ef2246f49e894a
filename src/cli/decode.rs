//! `pleach decode`: choice sequences to sentences.

use std::path::{Path, PathBuf};

use clap::Args;
use pleach_core::slip;
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure};
use super::input::{collect, read_input};
use super::mirror::Mirror;
use super::output::Output;
use super::progress::Progress;
use super::recognize::{Kind, KindArgs};
use super::record::Codecs;
use super::report::count;

/// Turn choice sequences into the sentences they stand for
///
/// A single input is printed as it is; of several, each has a line break behind it. With -o every input becomes a file
/// of the same name, below directories too. Inputs that are texts already stay as they are. Inputs that `pleach fuzz` has noted as made
/// with another version of the grammar are read by that one.
///
/// Example: pleach decode json.ebnf crash-1234
#[derive(Args, Debug)]
pub(super) struct Decode {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Files, or directories of files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    kind: KindArgs,
    /// Write files to this directory
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    format: JsonArgs,
}

#[derive(Serialize)]
struct Report {
    inputs: u64,
    /// Every sequence of bytes is a choice sequence.
    invalid: u64,
}

impl Decode {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load()?;
        let mut codecs = Codecs::new(&source.graph);
        let files = collect(&self.paths)?;
        let kind = self.kind.of_files(&source.graph, &files)?;
        let mut text = |file: &Path, input: Vec<u8>| match kind {
            Kind::Texts => input,
            Kind::Choices => slip::text(codecs.of(file), &input),
        };

        let Some(dir) = &self.output else {
            if self.format.json {
                return Err(Failure::new(
                    "standard output cannot take both the sentences and the JSON report",
                    "write the sentences to a directory by -o DIR, or leave out --json",
                ));
            }
            for file in &files {
                let mut input = Vec::new();
                read_input(&file.path, &mut input)?;
                out.bytes(&text(&file.path, input))?;
                if files.len() > 1 {
                    out.bytes(b"\n")?;
                }
            }
            codecs.tell(&source.name);
            return Ok(Answer::Yes);
        };

        let mirror = Mirror::open(dir, &files, self.force.force)?;
        let progress = Progress::new(files.len() as u64, "files");
        for file in &files {
            let mut input = Vec::new();
            read_input(&file.path, &mut input)?;
            mirror.write(file, &text(&file.path, input))?;
            progress.add(1);
        }
        drop(progress);
        codecs.tell(&source.name);
        let inputs = files.len() as u64;
        if self.format.json {
            out.json(&Report { inputs, invalid: 0 })?;
        } else {
            writeln!(out, "{}", count(inputs, "input"))?;
        }
        Ok(Answer::Yes)
    }
}
