//! `pleach compile`: a grammar in binary, for fuzz targets that shall link no reader of texts and start at once.

use std::path::{Path, PathBuf};

use clap::Args;
use pleach_core::Grammar;
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure};
use super::output::{Output, write_file};
use super::report::{count, size};

/// Write a grammar in binary, for fuzz targets that start at once
///
/// Every verb reads the file as it reads the grammar, whatever its name, and so does a fuzz target: grammar: "json.pleach". It has the
/// grammar's fingerprint, so corpora and states fit both. `pleach convert` makes text of it again. Another version of pleach may
/// refuse it, so keep the grammar.
///
/// Example: pleach compile json.ebnf -o json.pleach
#[derive(Args, Debug)]
pub(super) struct Compile {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    format: JsonArgs,
}

#[derive(Serialize)]
struct Report {
    productions: usize,
    bytes: usize,
    /// In hexadecimal digits, for not every reader of JSON has numbers of 64 bits.
    fingerprint: String,
}

impl Compile {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load()?;
        write(
            source.graph.grammar(),
            &self.output,
            self.force,
            self.format,
            out,
        )?;
        Ok(Answer::Yes)
    }
}

/// Writes a grammar in binary, and reports it.
pub(super) fn write(
    grammar: &Grammar,
    path: &Path,
    force: ForceArgs,
    format: JsonArgs,
    out: &mut Output,
) -> Result<(), Failure> {
    let bytes = grammar.to_bytes();
    write_file(path, &bytes, force.existing())?;
    let report = Report {
        productions: grammar.productions().len(),
        bytes: bytes.len(),
        fingerprint: format!("{:016x}", grammar.fingerprint()),
    };
    if format.json {
        return out.json(&report);
    }
    let productions = count(report.productions as u64, "production");
    let Report { fingerprint, .. } = &report;
    let size = size(report.bytes as u64);
    writeln!(out, "{productions}, {size}, fingerprint {fingerprint}")
}
