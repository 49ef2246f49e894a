//! `pleach parse`: is a text in the language, in how many ways, and what does it cover?

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use pleach_core::kpath::{KPaths, WindowTable};
use pleach_core::parse::{Derivations, Error};
use pleach_core::{Parser, slip};
use serde::Serialize;

use super::args::{GrammarArgs, JsonArgs};
use super::failure::{self, Answer, Failure, note};
use super::input::read_named;
use super::measure::{Meter, insides};
use super::output::Output;
use super::recognize::{Kind, KindArgs, is_choice_sequence};
use super::record::Codecs;
use super::report::{Level, Share, coverage_rows, table};
use super::show::{Form, Input, print_tree};
use super::text::{BudgetArgs, parse_one, refused_text};

/// The levels of k-paths that are reported, unless told otherwise.
const LEVELS: usize = 4;
/// The greatest number that all readers of JSON keep exactly.
const MAX_JSON_NUMBER: u64 = 1 << 53;

/// Tell whether a text is in the language, and if not, where it fails; or print its tree
///
/// Counts the derivations exactly, and the k-paths that any of them has. The exit code is 1 if the text is not a sentence.
///
/// With --tree, prints the derivation tree instead, one symbol a line: that of a text, or that which a choice sequence stands for,
/// as in a corpus or a crash. Of a text with several derivations it is the canonical one, which `pleach encode` writes, too. --dot
/// prints it for Graphviz. With --tree --json come nested objects: name, kind, start and end in the sentence, text (null where it
/// is longer than 4096 bytes, except at the root) and children; `hex` besides where the text is not UTF-8.
///
/// Example: pleach parse json sample.json -k 2
///
/// Example: pleach parse json crash-1234 --dot | dot -Tsvg -o tree.svg
#[derive(Args, Debug)]
pub(super) struct Parse {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// The text, or with --tree or --choices the choice sequence; `-` reads standard input
    file: PathBuf,
    /// Print the derivation tree
    #[arg(long)]
    tree: bool,
    /// Print the derivation tree for Graphviz
    #[arg(long, conflicts_with = "json")]
    dot: bool,
    #[command(flatten)]
    kind: KindArgs,
    /// Report k-paths for k from 1 to this [default: 4]
    #[arg(short, long = "path-length", value_name = "K", conflicts_with_all = ["tree", "dot"])]
    k: Option<usize>,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    format: JsonArgs,
}

#[derive(Serialize)]
struct Report {
    accepted: bool,
    derivations: Count,
    error: Option<ErrorView>,
    expansions: Share,
    k_paths: Vec<Level>,
}

/// A number of derivations: a number, a string of digits where that is not exact, or null.
#[derive(Serialize)]
#[serde(untagged)]
enum Count {
    Number(u64),
    Digits(String),
    Infinite(()),
}

impl Count {
    fn of(derivations: &Derivations) -> Count {
        match derivations.to_u64() {
            _ if derivations.is_infinite() => Count::Infinite(()),
            Some(number) if number <= MAX_JSON_NUMBER => Count::Number(number),
            _ => Count::Digits(derivations.to_string()),
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Count::Number(number) => number.fmt(f),
            Count::Digits(digits) => f.write_str(digits),
            Count::Infinite(()) => f.write_str("infinite"),
        }
    }
}

/// Why a text is not a sentence.
#[derive(Serialize)]
struct ErrorView {
    offset: usize,
    line: u32,
    column: u32,
    message: String,
    expected: Vec<Expected>,
    /// The length of the longest prefix that is a sentence.
    longest_prefix: Option<usize>,
}

#[derive(Serialize)]
struct Expected {
    terminal: String,
    productions: Vec<String>,
}

impl ErrorView {
    fn new(error: &Error) -> ErrorView {
        let expected = error.expected().iter().map(|expected| Expected {
            terminal: expected.terminal.clone(),
            productions: expected.productions.clone(),
        });
        ErrorView {
            offset: error.offset(),
            line: error.line(),
            column: error.column(),
            message: error.message(),
            expected: expected.collect(),
            longest_prefix: error.longest_prefix(),
        }
    }
}

impl Parse {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let mut text = Vec::new();
        let source = self.grammar.load()?;
        let name = read_named(&self.file, &self.grammar.grammar, &mut text)?;
        if self.tree || self.dot {
            let input = Input {
                kind: self.kind.of_file(&source.graph, &self.file, &name, &text)?,
                path: &self.file,
                name: &name,
                bytes: text,
            };
            let form = Form::new(self.format, self.dot);
            return print_tree(&source, input, self.budget, form, out);
        }
        if self.kind.stated() == Some(Kind::Choices) {
            let mut codecs = Codecs::new(&source.graph);
            text = slip::text(codecs.of(&self.file), &text);
            codecs.tell(&source.name);
        }
        let k = self.k.unwrap_or(LEVELS);
        let refused = |error| Failure::of(&source.name, error);
        let kpaths = KPaths::new(&source.graph, k).map_err(refused)?;
        let windows = WindowTable::new(&kpaths).map_err(refused)?;
        let mut meter = Meter::new(&windows).map_err(refused)?;
        let insides = insides(&source.graph);

        let parser = Parser::new(&source.graph);
        let parsed = parse_one(&parser, &name, &text, self.budget, |forest| {
            meter.measure_text(forest, insides.as_deref())?;
            forest.derivations()
        })?;
        let report = Report {
            accepted: parsed.is_ok(),
            derivations: parsed.as_ref().map_or(Count::Number(0), Count::of),
            error: parsed.as_ref().err().map(ErrorView::new),
            expansions: Share::of(&meter.expansions),
            k_paths: (1..=k)
                .map(|k| Level::new(&kpaths, k, &meter.coverage.at_level(k)))
                .collect(),
        };
        if self.format.json {
            out.json(&report)?;
        } else {
            print(&report, out)?;
        }
        out.finish()?;
        Ok(match parsed {
            Ok(_) => Answer::Yes,
            Err(error) => {
                failure::show(&refused_text(&error, &name, &text));
                if self.kind.stated().is_none() && is_choice_sequence(&source.graph, &text) {
                    note(
                        "note: this looks like a choice sequence; --choices parses the text that it stands for",
                    );
                }
                Answer::No
            }
        })
    }
}

fn print(report: &Report, out: &mut Output) -> Result<(), Failure> {
    if !report.accepted {
        return writeln!(out, "accepted  no");
    }
    let mut rows = vec![
        vec!["accepted".into(), "yes".into()],
        vec!["derivations".into(), report.derivations.to_string()],
    ];
    rows.extend(coverage_rows(report.expansions, &report.k_paths));
    table(out, &rows)
}
