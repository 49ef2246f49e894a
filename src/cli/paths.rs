//! `pleach paths`: the k-paths one by one. They are unranked as they are printed, so memory does not grow with them.

use clap::Args;
use pleach_core::KPaths;
use serde::Serialize;

use super::args::{GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure, note};
use super::output::Output;
use super::report::PathView;
use super::source::Source;

/// List the k-paths of a grammar: rank, names of the symbols, pattern
///
/// Columns are set apart by tabs. A symbol's name is its production, a dot, and its place among the symbols of that.
///
/// Example: pleach paths json.ebnf -k 2 --limit 10
#[derive(Args, Debug)]
pub(super) struct Paths {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// How many symbols a path has
    #[arg(short, long = "path-length", value_name = "K")]
    k: usize,
    /// List only the first N
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    #[command(flatten)]
    format: JsonArgs,
}

#[derive(Serialize)]
struct Ranked {
    rank: u64,
    #[serde(flatten)]
    view: PathView,
}

impl Paths {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load()?;
        list(&source, self.k, self.limit, self.format, out)
    }
}

/// Lists the k-paths, or the first of them.
pub(super) fn list(
    source: &Source,
    k: usize,
    limit: Option<u64>,
    format: JsonArgs,
    out: &mut Output,
) -> Result<Answer, Failure> {
    let graph = &source.graph;
    let kpaths = KPaths::new(graph, k).map_err(|error| Failure::of(&source.name, error))?;
    let total = kpaths.len();
    let listed = limit.unwrap_or(total).min(total);
    let ranked = (0..listed).filter_map(|rank| {
        let view = PathView::new(graph, &kpaths.unrank(rank)?);
        Some(Ranked { rank, view })
    });
    if format.json {
        write!(out, "{{\"k\":{k},\"total\":{total},\"paths\":[")?;
        for (at, path) in ranked.enumerate() {
            out.bytes(if at == 0 { b"\n" } else { b",\n" })?;
            out.value(&path)?;
        }
        writeln!(out, "]}}")?;
        return Ok(Answer::Yes);
    }
    for Ranked { rank, view } in ranked {
        writeln!(out, "{rank}\t{}\t{}", view.name(), view.pattern)?;
    }
    if listed < total {
        out.finish()?;
        note(format_args!("{listed} of {total} {k}-paths"));
    }
    Ok(Answer::Yes)
}
