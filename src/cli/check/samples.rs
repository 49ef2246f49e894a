//! `pleach check --samples`: which texts of others a grammar does not read, and where they stop.

use std::path::PathBuf;

use pleach_core::Parser;
use pleach_core::parse::{Budget, Refusal, Workspace};
use serde::Serialize;

use crate::args::JsonArgs;
use crate::failure::{Answer, Failure, note};
use crate::gaps::{Gap, Refused, gaps};
use crate::input::{collect, read_input};
use crate::output::Output;
use crate::parallel::{ONE, in_parallel, most_threads};
use crate::progress::Progress;
use crate::report::{Share, count, table};
use crate::source::Source;

/// How many places are shown.
const SHOWN: usize = 5;
/// Of how many texts the place is looked for.
const PLACED: usize = 10_000;

#[derive(Serialize)]
struct Report {
    samples: u64,
    sentences: u64,
    /// Texts that take more than the budget.
    beyond_budget: u64,
    gaps: Vec<Gap>,
}

/// Parses samples, and says where those stop that are not sentences. The answer is yes if all are.
pub(super) fn check(
    source: &Source,
    paths: &[PathBuf],
    format: JsonArgs,
    out: &mut Output,
) -> Result<Answer, Failure> {
    let files = collect(paths)?;
    if files.is_empty() {
        return Err(Failure::new(
            "there are no samples",
            "name files, or directories that have some",
        ));
    }
    let parser = Parser::new(&source.graph);
    let budget = Budget::default();
    // Threads share the memory.
    let mut share = budget;
    share.bytes /= most_threads() as u64;
    let progress = Progress::new(files.len() as u64, "samples");
    let task = |workspace: &mut Workspace, at: usize| {
        let mut text = Vec::new();
        read_input(&files[at].path, &mut text)?;
        let refusal = parser.parse(&text, share, workspace).err();
        progress.add(1);
        Ok(refusal.map(|refusal| (text, refusal)))
    };
    let (read, _) = in_parallel(files.len(), ONE, || Ok(Workspace::new()), task)?;
    drop(progress);
    let refused = || {
        let refused = files.iter().zip(&read);
        refused.filter_map(|(file, read)| Some((file, read.as_ref()?)))
    };
    let is_gap = |refusal: Refusal| matches!(refusal, Refusal::NoSentence { .. });
    let beyond_budget = refused()
        .filter(|(_, (_, refusal))| !is_gap(*refusal))
        .count();
    let places = refused().filter(|(_, (_, refusal))| is_gap(*refusal));
    let places = places.take(PLACED).map(|(file, (text, refusal))| Refused {
        text,
        refusal: *refusal,
        shown: None,
        file: Some(file.path.display().to_string()),
    });
    let gaps = gaps(&parser, budget, places);
    let report = Report {
        samples: files.len() as u64,
        sentences: (files.len() - refused().count()) as u64,
        beyond_budget: beyond_budget as u64,
        gaps,
    };
    match format.json {
        true => out.json(&report)?,
        false => print(&report, out)?,
    }
    Ok(match report.sentences == report.samples {
        true => Answer::Yes,
        false => Answer::No,
    })
}

fn print(report: &Report, out: &mut Output) -> Result<(), Failure> {
    let share = Share {
        covered: report.sentences,
        total: report.samples,
    };
    let mut rows = vec![vec!["sentences".to_owned(), share.to_string()]];
    if report.beyond_budget > 0 {
        let beyond = format!(
            "{} (--max-steps and --max-memory allow more)",
            report.beyond_budget
        );
        rows.push(vec!["beyond the budget".to_owned(), beyond]);
    }
    table(out, &rows)?;
    if report.gaps.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nno sentences, by where they stop:")?;
    for gap in report.gaps.iter().take(SHOWN) {
        gap.print(out)?;
    }
    if let Some(more @ 1..) = report.gaps.len().checked_sub(SHOWN) {
        out.finish()?;
        let more = count(more as u64, "place");
        note(format_args!(
            "note: {more} more, of fewer texts each; --json lists all"
        ));
    }
    Ok(())
}
