//! `pleach migrate`: a corpus of choice sequences follows its grammar through a change.

use std::path::{Path, PathBuf};

use clap::Args;
use pleach_core::{Codec, Parser};

use super::args::{ForceArgs, JsonArgs, NotationArgs};
use super::encode::{finish, write_encoded};
use super::failure::{Answer, Failure};
use super::input::collect;
use super::mirror::Mirror;
use super::output::Output;
use super::recognize::Kind;
use super::source::Source;
use super::target::Reader;
use super::text::{Tally, TextArgs, Texts};

/// Rewrite choice sequences of an old grammar as ones of a new grammar
///
/// Every input becomes a file of the same name, below directories too: it is decoded by the old grammar, and the sentence is
/// parsed and encoded by the new one. What is not a sentence any more is left out and counted; its places are those in the
/// sentence, which `pleach decode OLD FILE` prints.
///
/// Example: pleach migrate json-v1.ebnf json.ebnf fuzz/corpus/json -o migrated
#[derive(Args, Debug)]
pub(super) struct Migrate {
    /// The grammar that the choice sequences were made with; a file, the name of one of the library, or `-`
    old: PathBuf,
    /// The grammar to make choice sequences of; a file, the name of one of the library, or `-`
    new: PathBuf,
    #[command(flatten)]
    notation: NotationArgs,
    /// Files, or directories of files
    #[arg(required = true, value_name = "PATH")]
    corpus: Vec<PathBuf>,
    /// Write files to this directory
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    texts: TextArgs,
    #[command(flatten)]
    format: JsonArgs,
}

impl Migrate {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let migration = Migration {
            old: &self.old,
            new: &self.new,
            notation: &self.notation,
            corpus: &self.corpus,
            output: &self.output,
            force: self.force,
            texts: self.texts,
            format: self.format,
        };
        migration.run(out)
    }
}

/// What is to be rewritten, and how.
pub(super) struct Migration<'a> {
    pub(super) old: &'a Path,
    pub(super) new: &'a Path,
    pub(super) notation: &'a NotationArgs,
    pub(super) corpus: &'a [PathBuf],
    pub(super) output: &'a Path,
    pub(super) force: ForceArgs,
    pub(super) texts: TextArgs,
    pub(super) format: JsonArgs,
}

impl Migration<'_> {
    pub(super) fn run(&self, out: &mut Output) -> Result<Answer, Failure> {
        if [self.old, self.new]
            .iter()
            .all(|path| *path == Path::new("-"))
        {
            return Err(Failure::new(
                "standard input cannot be both grammars",
                "name a file for one of them",
            ));
        }
        let old = Source::load(self.old, self.notation)?;
        let new = Source::load(self.new, self.notation)?;
        let files = collect(self.corpus)?;
        let mirror = Mirror::open(self.output, &files, self.force.force)?;
        if let Some(reader) = Reader::of(self.output) {
            reader.warn(&new, Kind::Choices);
        }
        let texts = Texts::new(Parser::new(&new.graph), self.texts);
        let left_out = write_encoded(&texts, Some(&Codec::new(&old.graph)), &files, &mirror)?;
        let tally = Tally::new(self.texts, left_out);
        finish(self.format, out, &new, files.len() as u64, &tally)?;
        Ok(self.texts.answer(&tally, Answer::Yes))
    }
}
