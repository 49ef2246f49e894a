//! `pleach transform`: another grammar of the same language.

use std::path::PathBuf;

use clap::Args;
use pleach_core::Grammar;
use pleach_core::grammar::notation::is_name;
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs};
use super::convert;
use super::failure::{Answer, Failure, note};
use super::output::{Output, write_file};
use super::report::count;
use super::source::{Source, list};

/// Write another grammar of the same language, of which more can be covered
///
/// --duplicate-context gives an alternative copies of everything that it refers to, one for each reference in it, so that they are
/// covered apart: what is derived there is told from what is derived elsewhere. Copies are named after what they copy, with a
/// number behind it. What nothing refers to any more is removed. Copies can become many: --depth bounds them, and one alternative
/// takes fewer than all.
///
/// Example: pleach transform expr.ebnf --duplicate-context Factor.3 --depth 1 -o factors.ebnf
#[derive(Args, Debug)]
pub(super) struct Transform {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// The production, and the number of one of its alternatives, from 0; if given again, done one after the other
    #[arg(long, value_name = "PRODUCTION[.ALTERNATIVE]", required = true)]
    duplicate_context: Vec<String>,
    /// Copy only what is so many references away [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Write to this file rather than to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    format: JsonArgs,
}

#[derive(Serialize)]
struct Report {
    productions: usize,
    expansions: usize,
    /// What nothing refers to any more.
    removed: Vec<Box<str>>,
    /// Unless it went to a file.
    grammar: Option<String>,
}

impl Transform {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load()?;
        let (grammar, removed) = duplicated(&source, &self.duplicate_context, self.depth)?;
        let text = convert::text(&source, &grammar);
        if let Some(path) = &self.output {
            write_file(path, text.as_bytes(), self.force.existing())?;
        }
        let report = Report {
            productions: grammar.productions().len(),
            expansions: grammar.alternative_count(),
            removed,
            grammar: self.output.is_none().then_some(text),
        };
        if self.format.json {
            out.json(&report)?;
        } else if let Some(text) = &report.grammar {
            out.bytes(text.as_bytes())?;
        } else {
            let productions = count(report.productions as u64, "production");
            let expansions = count(report.expansions as u64, "expansion");
            writeln!(out, "{productions}, {expansions}")?;
        }
        if !self.format.json {
            out.finish()?;
            mention_removed(&report.removed);
        }
        Ok(Answer::Yes)
    }
}

/// Says what nothing refers to any more.
pub(super) fn mention_removed(removed: &[Box<str>]) {
    if !removed.is_empty() {
        note(format_args!(
            "removed, for nothing refers to it any more: {}",
            removed.join(", ")
        ));
    }
}

/// The grammar with contexts duplicated, and what nothing refers to any more.
pub(super) fn duplicated(
    source: &Source,
    contexts: &[String],
    depth: Option<u32>,
) -> Result<(Grammar, Vec<Box<str>>), Failure> {
    let mut grammar = Grammar::clone(source.graph.grammar());
    let mut removed = Vec::new();
    for context in contexts {
        grammar = duplicate(&grammar, context, depth, &source.name)?;
        let warnings = grammar.warnings().iter();
        removed.extend(warnings.map(|warning| warning.production.clone()));
    }
    Ok((grammar, removed))
}

fn duplicate(
    grammar: &Grammar,
    context: &str,
    depth: Option<u32>,
    source: &str,
) -> Result<Grammar, Failure> {
    let (name, alternative) = match context.split_once('.') {
        Some((name, number)) => (name, Some(number)),
        None => (context, None),
    };
    let number = alternative.map(str::parse::<u32>);
    let number = match number.transpose() {
        Ok(number) if is_name(name) => number,
        _ => {
            return Err(Failure::new(
                format_args!("--duplicate-context {context}: this is not a place in a grammar"),
                "name a production, or one with the number of an alternative, as in `Factor.3`",
            ));
        }
    };
    let Some(production) = grammar.production_named(name) else {
        let productions = grammar.productions().iter();
        let names: Vec<Box<str>> = productions.map(|(_, it)| it.name.clone()).collect();
        return Err(Failure::new(
            format_args!("{source}: there is no nonterminal `{name}`"),
            format_args!("there are {}", list(&names)),
        ));
    };
    let depth = depth.unwrap_or(u32::MAX);
    let duplicated = grammar.duplicate_context(production, number, depth);
    duplicated.map_err(|error| Failure::of(source, error))
}
