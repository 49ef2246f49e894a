//! `pleach convert`: a grammar of another notation in pleach's own.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use pleach_core::Grammar;
use pleach_import::{Notation, comments_before};
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs};
use super::compile;
use super::failure::{Answer, Failure, show};
use super::output::{Output, write_file};
use super::source::Source;
use super::transform::{duplicated, mention_removed};

/// Write a grammar in the notation of pleach, or compiled
///
/// Reads the notations pleach (.ebnf), abnf (.abnf), w3c (.w3c, .bnf), tribble (.tribble), pest (.pest), fuzzingbook,
/// grammar-mutator, nautilus and tree-sitter (.json), antlr (.g4; a parser finds its lexer and what it imports beside it).
/// Whatever the notation has and a context-free grammar cannot keep is named on standard error, with its place and what leaving it
/// out does to the language. Comments before a production stay with it. Every other verb reads these files as well.
///
/// --to compiled, or an output that ends in .pleach, writes the grammar in binary, for fuzz targets that start at once: grammar:
/// "json.pleach". Every verb reads it, whatever its name. It has the grammar's fingerprint, so corpora and states fit both. Another
/// version of pleach may refuse it, so keep the grammar. Converting it makes text again, without comments.
///
/// --duplicate-context writes another grammar of the same language, of which more can be covered: an alternative gets copies of
/// everything that it refers to, one for each reference in it, so that what is derived there is covered apart from what is derived
/// elsewhere. Copies are named after what they copy, with a number behind it. What nothing refers to any more is removed. Copies can
/// become many: --depth bounds them, and one alternative takes fewer than all.
///
/// Example: pleach convert rfc5322.abnf --start address -o address.ebnf
///
/// Example: pleach convert json -o json.pleach
///
/// Example: pleach convert expr.ebnf --duplicate-context Factor.3 --depth 1 -o factors.ebnf
#[derive(Args, Debug)]
pub(super) struct Convert {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// What to write [default: pleach; compiled if the output ends in .pleach]
    #[arg(long, value_enum, value_name = "FORM")]
    to: Option<To>,
    #[command(flatten)]
    force: ForceArgs,
    /// Exit with 1 if anything is left out, and write nothing then
    #[arg(long)]
    strict: bool,
    /// Copy what this production, or its alternative of this number, from 0, refers to; may be repeated, one after the other
    #[arg(long, value_name = "PRODUCTION[.ALTERNATIVE]")]
    duplicate_context: Vec<String>,
    /// Copy only what is so many references away [default: all]
    #[arg(long, value_name = "N", requires = "duplicate_context", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    #[command(flatten)]
    format: JsonArgs,
}

/// What a grammar is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum To {
    /// The notation of pleach
    Pleach,
    /// Binary, for fuzz targets
    Compiled,
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
        for warning in source.graph.grammar().warnings() {
            show(&source.warning(warning));
        }
        source.mention_unread();
        source.mention_roots(&self.grammar.notation);
        let refused = self.strict && !remarks.is_empty();
        let (grammar, removed) = duplicated(&source, &self.duplicate_context, self.depth)?;
        mention_removed(&removed);
        let ends_in_pleach = |path: &PathBuf| path.extension().is_some_and(|it| it == "pleach");
        let is_compiled = match self.to {
            Some(to) => to == To::Compiled,
            None => self.output.as_ref().is_some_and(ends_in_pleach),
        };
        if is_compiled && !refused {
            let Some(path) = &self.output else {
                return Err(Failure::new(
                    "a compiled grammar is binary, and standard output takes text",
                    "name a file by -o FILE",
                ));
            };
            compile::write(&grammar, path, self.force, self.format, out)?;
            return Ok(Answer::Yes);
        }
        let text = text(&source, &grammar);
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
                pruned: source
                    .graph
                    .grammar()
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
