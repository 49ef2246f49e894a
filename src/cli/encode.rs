//! `pleach encode`: sentences to choice sequences.

use std::path::PathBuf;

use clap::Args;
use pleach_core::choice::Scratch;
use pleach_core::parse::Workspace;
use pleach_core::{Codec, Parser, slip};
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure, warn};
use super::input::{InputFile, collect, read_input};
use super::migrate::Migration;
use super::mirror::Mirror;
use super::output::Output;
use super::parallel::{ONE, in_parallel};
use super::progress::Progress;
use super::recognize::{self, Kind};
use super::report::count;
use super::source::Source;
use super::target::Reader;
use super::text::{LeftOut, Tally, TextArgs, Texts};

/// Turn texts into choice sequences, for a corpus of a fuzz target
///
/// Every text becomes a file of the same name, below directories too: the choices of its canonical derivation, which decode to
/// the same text; between tokens, only the first separators that are not the shortest are kept. A text that is not a sentence is
/// left out and counted. A note in the directory (`.pleach`) says which grammar they are of.
///
/// With --from-grammar OLD the inputs are choice sequences of another grammar, that of before a change: they are decoded by that
/// one, and parsed and encoded by the new one. What is not a sentence any more is left out and counted; its places are those in the
/// sentence, which `pleach decode OLD FILE` prints.
///
/// Example: pleach encode json samples -o fuzz/corpus/json --list-invalid
///
/// Example: pleach encode json.ebnf --from-grammar json-v1.ebnf fuzz/corpus/json -o migrated
#[derive(Args, Debug)]
pub(super) struct Encode {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Files, or directories of files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write files to this directory
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// The inputs are choice sequences of this grammar: a file, the name of one of the library, or `-`
    #[arg(long, value_name = "OLD")]
    from_grammar: Option<PathBuf>,
    #[command(flatten)]
    texts: TextArgs,
    #[command(flatten)]
    format: JsonArgs,
}

#[derive(Serialize)]
struct Report<'a> {
    inputs: u64,
    #[serde(flatten)]
    tally: &'a Tally,
}

impl Encode {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        if let Some(old) = &self.from_grammar {
            let migration = Migration {
                old,
                new: &self.grammar.grammar,
                notation: &self.grammar.notation,
                corpus: &self.paths,
                output: &self.output,
                force: self.force,
                texts: self.texts,
                format: self.format,
            };
            return migration.run(out);
        }
        let source = self.grammar.load()?;
        let files = collect(&self.paths)?;
        let mirror = Mirror::open(&self.output, &files, self.force.force)?;
        if let Some(reader) = Reader::of(&self.output) {
            reader.warn(&source, Kind::Choices);
        }
        let texts = Texts::new(Parser::new(&source.graph), self.texts);
        let left_out = write_encoded(&texts, None, &files, &mirror)?;
        let tally = Tally::new(self.texts, left_out);
        finish(self.format, out, &source, files.len() as u64, &tally)?;
        if tally.count() == files.len() as u64 && recognize::are_choices(&source.graph, &files) {
            warn("these look like choice sequences already; `pleach decode` prints their texts");
        }
        Ok(self.texts.answer(&tally, Answer::Yes))
    }
}

/// Writes the choice sequence of each file's text; the text of a choice sequence of `old`, if there is one.
pub(super) fn write_encoded(
    texts: &Texts,
    old: Option<&Codec>,
    files: &[InputFile],
    mirror: &Mirror<'_>,
) -> Result<Vec<LeftOut>, Failure> {
    #[derive(Default)]
    struct Buffers {
        input: Vec<u8>,
        text: Vec<u8>,
        choices: Vec<u8>,
        scratch: Scratch,
        workspace: Workspace,
    }
    let new = Codec::new(texts.graph());
    mirror.begin(files, texts.graph().grammar())?;
    let progress = Progress::new(files.len() as u64, "files");
    let task = |buffers: &mut Buffers, at: usize| {
        let file = &files[at];
        read_input(&file.path, &mut buffers.input)?;
        let text = match old {
            Some(codec) => {
                buffers.text.clear();
                // Slips have no place in another grammar.
                let (choices, _) = slip::split(&buffers.input);
                codec.decode(choices, &mut buffers.scratch, &mut buffers.text);
                &buffers.text
            }
            None => &buffers.input,
        };
        let choices = &mut buffers.choices;
        choices.clear();
        let encoded = texts.read(&file.path, text, &mut buffers.workspace, |forest| {
            forest.choices(choices)
        });
        if encoded.is_ok() {
            slip::keep_variations(&new, choices, text);
            mirror.write(file, choices)?;
        }
        progress.add(1);
        Ok(encoded.err())
    };
    let worker = || Ok(Buffers::default());
    let (left_out, _) = in_parallel(files.len(), ONE, worker, task)?;
    let written = files.iter().zip(&left_out);
    let written = written.filter(|(_, left_out)| left_out.is_none());
    mirror.finish(written.map(|(file, _)| file))?;
    Ok(left_out.into_iter().flatten().collect())
}

/// Reports what was written and what was left out.
pub(super) fn finish(
    format: JsonArgs,
    out: &mut Output,
    source: &Source,
    inputs: u64,
    tally: &Tally,
) -> Result<(), Failure> {
    if format.json {
        out.json(&Report { inputs, tally })?;
    } else {
        writeln!(out, "{}", count(inputs, "input"))?;
        tally.print(out)?;
    }
    out.finish()?;
    tally.warn(inputs, &source.name);
    Ok(())
}
