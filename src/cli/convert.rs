//! `pleach convert`: a grammar of another notation in pleach's own.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use pleach_core::Grammar;
use pleach_import::{Notation, comments_before};
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure, show};
use super::input::Source;
use super::output::{Output, write_file};

/// Write a grammar of another notation in the notation of pleach
///
/// Notations: pleach (.ebnf), abnf (.abnf), w3c (.w3c, .bnf), tribble (.tribble), pest (.pest), fuzzingbook,
/// grammar-mutator, nautilus and tree-sitter (.json), antlr (.g4; a parser finds its lexer and what it imports beside it).
/// Whatever the notation has and a context-free grammar cannot keep is named on standard error, with its place and what leaving it
/// out does to the language. Comments before a production stay with it. Every other verb reads these files as well. A compiled
/// grammar becomes text again, without its comments.
///
/// Example: pleach convert rfc5322.abnf --start address -o address.ebnf
#[derive(Args, Debug)]
pub(super) struct Convert {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Write to this file rather than to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Write nothing, and exit with 1, if anything is left out
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    format: JsonArgs,
}

#[derive(Serialize)]
struct Report {
    notation: &'static str,
    productions: usize,
    left_out: Vec<LeftOut>,
    /// Nonterminals that cannot be reached from the start symbol, or derive nothing.
    pruned: Vec<String>,
    /// Unless it went to a file.
    grammar: Option<String>,
}

#[derive(Serialize)]
struct LeftOut {
    /// The file, where it is not the one that was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    line: u32,
    column: u32,
    what: String,
    effect: String,
}

impl Convert {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load_quietly()?;
        let remarks = &source.imported.remarks;
        for remark in remarks {
            show(&source.remark(remark));
        }
        let grammar = source.graph.grammar();
        for warning in grammar.warnings() {
            show(&source.warning(warning));
        }
        source.mention_unread();
        source.mention_roots(&self.grammar.notation);
        let refused = self.strict && !remarks.is_empty();
        let text = text(&source, grammar);
        if let (Some(path), false) = (&self.output, refused) {
            write_file(path, text.as_bytes(), self.force.existing())?;
        }
        if self.format.json {
            out.json(&Report {
                notation: source.notation.map_or("compiled", Notation::name),
                productions: grammar.productions().len(),
                left_out: remarks
                    .iter()
                    .map(|remark| {
                        let (file, position) = source.place(remark);
                        LeftOut {
                            file: (file != source.name).then(|| file.to_owned()),
                            line: position.line,
                            column: position.column,
                            what: remark.what.clone(),
                            effect: remark.effect.to_string(),
                        }
                    })
                    .collect(),
                pruned: grammar
                    .warnings()
                    .iter()
                    .map(|warning| warning.production.to_string())
                    .collect(),
                grammar: (self.output.is_none() && !refused).then_some(text),
            })?;
        } else if self.output.is_none() && !refused {
            out.bytes(text.as_bytes())?;
        }
        Ok(if refused { Answer::No } else { Answer::Yes })
    }
}

/// A grammar with the comments of the source that it was made of.
pub(super) fn text(source: &Source, grammar: &Grammar) -> String {
    let Some(notation) = source.notation else {
        return grammar.to_string();
    };
    let ast = &source.imported.ast;
    let names = ast.production_names();
    let mut written = ast.productions().iter().zip(&names);
    let mut text = String::new();
    // What a notation has built in stands where it is first used, and the comments there are those of another production.
    let mut commented = BTreeSet::new();
    for (id, production) in grammar.productions().iter() {
        // Productions keep their order; those that were pruned are passed over with their comments.
        for (place, name) in written.by_ref() {
            if **name == *production.name {
                let start = place.name_span.range().start;
                let line_start = source.files.text()[..start].rfind('\n');
                if !commented.insert(line_start) {
                    break;
                }
                for line in comments_before(source.files.text(), notation, start) {
                    text += match line {
                        "" => "//",
                        _ => "// ",
                    };
                    text += line;
                    text.push('\n');
                }
                break;
            }
        }
        text += &grammar.production_text(id);
    }
    text
}
