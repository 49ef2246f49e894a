//! `pleach check`: is the grammar right, and how large is what follows from it?

use clap::Args;
use pleach_core::grammar::WarningKind;
use pleach_core::kpath::{self, Coverage, KPaths, MAX_BITMAP_BYTES, MAX_K};
use serde::Serialize;

use super::args::{GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure};
use super::input::Source;
use super::output::Output;
use super::report::{size, table};

/// Validate a grammar and count its k-paths
///
/// Example: pleach check json.ebnf --max-k 6
#[derive(Args, Debug)]
pub(super) struct Check {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Count k-paths for k from 1 to this
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=MAX_K as u64))]
    max_k: u64,
    #[command(flatten)]
    format: JsonArgs,
}

#[derive(Serialize)]
struct Report {
    productions: usize,
    nodes: usize,
    symbols: usize,
    alternatives: usize,
    /// `None` for 2^64 and more.
    k_paths: Vec<Option<u64>>,
    coverage_bytes: Vec<Option<u64>>,
    warnings: Vec<WarningReport>,
}

#[derive(Serialize)]
struct WarningReport {
    kind: &'static str,
    production: String,
    message: String,
    line: u32,
    column: u32,
}

impl Check {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load_quietly()?;
        let report = self.report(&source);
        if self.format.json {
            out.json(&report)?;
            return Ok(Answer::Yes);
        }
        let figures = [
            ("productions", report.productions),
            ("nodes", report.nodes),
            ("symbols", report.symbols),
            ("alternatives", report.alternatives),
        ];
        let rows: Vec<Vec<String>> = figures
            .iter()
            .map(|(name, count)| vec![(*name).into(), count.to_string()])
            .collect();
        table(out, &rows)?;
        writeln!(out)?;
        let mut rows = vec![vec![
            "k".into(),
            "k-paths".into(),
            "memory of coverage".into(),
        ]];
        for (k, (count, bytes)) in (1..).zip(report.k_paths.iter().zip(&report.coverage_bytes)) {
            let count = count.map_or_else(|| "more than 2^64".into(), |count| count.to_string());
            let bytes = match *bytes {
                Some(bytes) if bytes <= MAX_BITMAP_BYTES => size(bytes),
                Some(bytes) => format!(
                    "{} (beyond the limit of {})",
                    size(bytes),
                    size(MAX_BITMAP_BYTES)
                ),
                None => "beyond all limits".into(),
            };
            rows.push(vec![k.to_string(), count, bytes]);
        }
        table(out, &rows)?;
        let warnings = source.graph.grammar().warnings();
        for warning in warnings {
            writeln!(out)?;
            out.diagnostic(&source.warning(warning))?;
        }
        Ok(Answer::Yes)
    }

    fn report(&self, source: &Source) -> Report {
        let graph = &source.graph;
        let grammar = graph.grammar();
        let max_k = self.max_k as usize;
        let coverage_bytes = (1..=max_k).map(|k| {
            let kpaths = KPaths::new(graph, k).ok()?;
            Some(Coverage::bytes(&kpaths))
        });
        let warnings = grammar.warnings().iter().map(|warning| WarningReport {
            kind: match warning.kind {
                WarningKind::Unreachable => "unreachable",
                WarningKind::Unproductive => "unproductive",
                _ => "other",
            },
            production: warning.production.to_string(),
            message: warning.to_string(),
            line: warning.line,
            column: warning.column,
        });
        Report {
            productions: grammar.productions().len(),
            nodes: grammar.nodes().len(),
            symbols: graph.symbol_count(),
            alternatives: grammar.alternative_count(),
            k_paths: kpath::counts(graph, max_k),
            coverage_bytes: coverage_bytes.collect(),
            warnings: warnings.collect(),
        }
    }
}
