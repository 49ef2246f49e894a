//! `pleach parse`: is a text in the language, in how many ways, and what does it cover?

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use pleach_core::Parser;
use pleach_core::kpath::{KPaths, WindowTable};
use pleach_core::parse::{Derivations, Error};
use serde::Serialize;

use super::args::{GrammarArgs, JsonArgs};
use super::failure::{self, Answer, Failure};
use super::input::read_named;
use super::measure::{Meter, insides};
use super::output::Output;
use super::report::{Level, Share, coverage_rows, table};
use super::text::{BudgetArgs, parse_one, refused_text};

/// The greatest number that all readers of JSON keep exactly.
const MAX_JSON_NUMBER: u64 = 1 << 53;

/// Tell whether a text is in the language, and if not, where and why
///
/// Counts the derivations, exactly, and the k-paths that any of them has. Exits with 1 if the text is no sentence.
///
/// Example: pleach parse json.ebnf sample.json -k 2
#[derive(Args, Debug)]
pub(super) struct Parse {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// The text; `-` reads standard input
    file: PathBuf,
    /// Report k-paths for k from 1 to this
    #[arg(short, long = "path-length", value_name = "K", default_value_t = 4)]
    k: usize,
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

/// Why a text is no sentence.
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
        let refused = |error| Failure::of(&source.name, error);
        let kpaths = KPaths::new(&source.graph, self.k).map_err(refused)?;
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
            k_paths: (1..=self.k)
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
