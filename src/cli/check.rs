//! `pleach check`: is the grammar right, and how large is what follows from it?

mod samples;

use std::path::PathBuf;

use clap::Args;
use pleach_core::grammar::WarningKind;
use pleach_core::kpath::{self, Coverage, KPaths, MAX_BITMAP_BYTES, MAX_K};
use pleach_core::lint::{Finding, Severity};
use serde::Serialize;

use super::args::{GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure, note};
use super::lint::{self, FindingReport, SearchArgs};
use super::output::Output;
use super::paths;
use super::report::{count, size, table};
use super::source::Source;

/// Validate a grammar, count its k-paths, and find likely mistakes
///
/// Warns of what is legal but hardly meant, or costs more than it brings: what cannot be reached or derives nothing, nonterminals
/// that derive themselves, ambiguity with a sentence that shows it, k-paths that grow too fast, and more. Ambiguity is sought by
/// parsing short sentences, so none found does not mean that there is none. --infos prints what is merely good to know.
///
/// With --paths, lists the k-paths of K symbols instead: rank, names of the symbols, pattern, set apart by tabs. A symbol's name is
/// its production, a dot, and its place among the symbols of that.
///
/// With --samples, says instead how many texts of others the grammar reads, and where the rest stop: the places that stop most texts come
/// first. The exit code is 1 if one is not a sentence.
///
/// Example: pleach check json.ebnf --deny-warnings
///
/// Example: pleach check json.ebnf --samples tests/data
///
/// Example: pleach check json --paths -k 2 --limit 10
#[derive(Args, Debug)]
pub(super) struct Check {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Count k-paths for k from 1 to this [default: 5]; with --paths, how many symbols a path has
    #[arg(short, long = "path-length", alias = "max-k", value_name = "K", value_parser = clap::value_parser!(u64).range(1..=MAX_K as u64))]
    k: Option<u64>,
    /// List the k-paths one by one
    #[arg(long, requires = "k", conflicts_with_all = ["infos", "deny_warnings", "SearchArgs"])]
    paths: bool,
    /// List only the first N
    #[arg(long, value_name = "N", requires = "paths")]
    limit: Option<u64>,
    /// Parse these texts, files or directories of files, and say where they stop; may be repeated
    #[arg(long, value_name = "PATH", conflicts_with_all = ["k", "paths", "infos", "deny_warnings"])]
    samples: Vec<PathBuf>,
    /// Print all findings, not only warnings
    #[arg(long)]
    infos: bool,
    /// Exit with 1 if there is a warning
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    format: JsonArgs,
}

/// The levels of k-paths that are counted, unless told otherwise.
const LEVELS: u64 = 5;
/// Grammars with more nodes are looked through only if the user says how long.
const MANY_NODES: usize = 50_000;

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
    /// Nothing of a grammar that is too large to be looked through.
    findings: Option<Vec<FindingReport>>,
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
        if !self.samples.is_empty() {
            return samples::check(&source, &self.samples, self.format, out);
        }
        if self.paths {
            let k = self.k.unwrap_or(LEVELS) as usize;
            return paths::list(&source, k, self.limit, self.format, out);
        }
        let is_small = source.graph.grammar().nodes().len() <= MANY_NODES;
        let findings =
            (is_small || self.search.is_asked_for()).then(|| self.search.findings(&source));
        let warnings = lint::warning_count(findings.as_deref().unwrap_or_default());
        let answer = match self.deny_warnings && warnings > 0 {
            true => Answer::No,
            false => Answer::Yes,
        };
        let report = self.report(&source, findings.as_deref());
        if self.format.json {
            out.json(&report)?;
            return Ok(answer);
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
        let Some(findings) = findings else {
            for warning in source.graph.grammar().warnings() {
                writeln!(out)?;
                out.diagnostic(&source.warning(warning))?;
            }
            out.finish()?;
            note(format_args!(
                "note: a grammar of {} nodes is looked through for what is hardly meant only if --max-steps says how long",
                report.nodes
            ));
            return Ok(answer);
        };
        let is_shown = |it: &&Finding| self.infos || it.severity == Severity::Warning;
        for finding in findings.iter().filter(is_shown) {
            writeln!(out)?;
            lint::print(&source, finding, out)?;
        }
        let hidden = findings.iter().filter(|it| !is_shown(it)).count() as u64;
        if hidden > 0 {
            out.finish()?;
            let hidden = count(hidden, "info");
            note(format_args!(
                "note: {hidden} left out; --infos prints all findings"
            ));
        }
        Ok(answer)
    }

    fn report(&self, source: &Source, findings: Option<&[Finding]>) -> Report {
        let graph = &source.graph;
        let grammar = graph.grammar();
        let max_k = self.k.unwrap_or(LEVELS) as usize;
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
            findings: findings.map(|it| lint::reports(source, it)),
        }
    }
}
