//! `pleach diff`: what either of two corpora covers that the other does not.
//!
//! What only one of them has is shown as patterns, each with the first input that has it. A pattern is shown only if the other corpus has
//! all of its parts, so that a symbol that is missing is shown once, and not again with everything that can stand around it.

use std::path::PathBuf;

use clap::Args;
use pleach_core::KPaths;
use pleach_core::kpath::WindowTable;
use serde::Serialize;

use crate::args::{GrammarArgs, JsonArgs};
use crate::diagnostic::visible;
use crate::failure::{Answer, Failure};
use crate::input::{InputFile, collect};
use crate::measure::Form;
use crate::output::Output;
use crate::recognize::{Kind, KindArgs};
use crate::report::{Canvas, PathView, table};
use crate::text::{Tally, TextArgs};

use super::gaps::gaps;
use super::look::Look;
use super::survey::{Survey, Surveyed};

/// Say what either of two corpora covers that the other does not
///
/// Shows how many k-paths each of them has alone, and as patterns what that comes from, each with an input that has it. With
/// --strict the exit code is 1 if texts are left out; otherwise it is 0, whatever the difference.
///
/// Example: pleach diff json monday/corpus tuesday/corpus
///
/// Example: pleach diff json fuzz/corpus/json samples -k 4 -n 50
#[derive(Args, Debug)]
#[command(name = "diff")]
pub(crate) struct Diff {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// A file, or a directory of files
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Another file or directory
    #[arg(value_name = "B")]
    b: PathBuf,
    #[command(flatten)]
    kind: KindArgs,
    /// Compare k-paths for k from 1 to this
    #[arg(short, long = "path-length", value_name = "K", default_value_t = 3)]
    k: usize,
    /// Show at most N patterns of each
    #[arg(short, long = "number", value_name = "N", default_value_t = 10)]
    number: usize,
    #[command(flatten)]
    texts: TextArgs,
    #[command(flatten)]
    format: JsonArgs,
}

/// Both corpora, beside each other.
#[derive(Serialize)]
struct Report {
    version: u32,
    codec: Kind,
    a: Side,
    b: Side,
    k_paths: Vec<LevelReport>,
}

/// One of the two.
#[derive(Serialize)]
struct Side {
    inputs: u64,
    #[serde(flatten)]
    left_out: Tally,
    /// How many patterns the other lacks.
    patterns: u64,
    /// The first of them.
    only: Vec<Only>,
}

/// A path that only one of them has.
#[derive(Serialize)]
struct Only {
    k: usize,
    #[serde(flatten)]
    view: PathView,
    /// The first input that has it.
    file: String,
}

/// The paths of one level.
#[derive(Serialize)]
struct LevelReport {
    k: usize,
    total: u64,
    a: u64,
    b: u64,
    only_a: u64,
    only_b: u64,
}

/// A corpus that was measured.
struct Measured {
    files: Vec<InputFile>,
    surveyed: Surveyed,
}

impl Diff {
    pub(crate) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load()?;
        let refused = |error| Failure::of(&source.name, error);
        let kpaths = KPaths::new(&source.graph, self.k).map_err(refused)?;
        let windows = WindowTable::new(&kpaths).map_err(refused)?;
        let files_a = collect(std::slice::from_ref(&self.a))?;
        let files_b = collect(std::slice::from_ref(&self.b))?;
        let all = [files_a.as_slice(), files_b.as_slice()].concat();
        let kind = self.kind.of_files(&source.graph, &all)?;
        self.texts.check(kind)?;
        let form = Form::new(&source.graph, kind.is_text(), self.texts);
        let measure = |files: Vec<InputFile>| -> Result<(Measured, Tally), Failure> {
            let survey = Survey::new(&windows, &files)?;
            let look = Look {
                form: &form,
                windows: &windows,
                files: &files,
                survey: Some(&survey),
                records: false,
            };
            let found = look.run(None)?;
            let surveyed = survey.finish(found.notes)?;
            let tally = Tally::new(self.texts, found.left_out);
            Ok((Measured { files, surveyed }, tally))
        };
        let ((a, tally_a), (b, tally_b)) = (measure(files_a)?, measure(files_b)?);
        let levels = (1..=self.k).map(|level| level_report(&kpaths, level, &a, &b));
        let levels = levels.collect();
        let report = Report {
            version: 1,
            codec: kind,
            k_paths: levels,
            a: self.side(&kpaths, &a, &b, tally_a)?,
            b: self.side(&kpaths, &b, &a, tally_b)?,
        };
        match self.format.json {
            true => out.json(&report)?,
            false => self.print(&report, out)?,
        }
        out.finish()?;
        let mut answer = Answer::Yes;
        for side in [&report.a, &report.b] {
            side.left_out.warn(side.inputs, &source.name);
            answer = self.texts.answer(&side.left_out, answer);
        }
        Ok(answer)
    }

    /// What one has and the other does not.
    fn side(
        &self,
        kpaths: &KPaths,
        one: &Measured,
        other: &Measured,
        left_out: Tally,
    ) -> Result<Side, Failure> {
        let is_in = |side: &Measured, level, rank| side.surveyed.span(level, rank).is_some();
        let only = gaps(
            kpaths,
            |level, rank| is_in(one, level, rank),
            |level, rank| is_in(other, level, rank),
        )?;
        let mut shown: Vec<Only> = Vec::new();
        let mut patterns = 0;
        for gap in only {
            let k = gap.path.len();
            let Some(span) = one.surveyed.span(k, gap.rank) else {
                continue;
            };
            let view = PathView::new(kpaths.graph(), &gap.path);
            let last = shown
                .last()
                .map(|last| (last.k, last.view.pattern.as_str()));
            if last == Some((k, view.pattern.as_str())) {
                continue;
            }
            patterns += 1;
            if shown.len() < self.number {
                let file = &one.files[one.surveyed.files[span.first as usize] as usize];
                let file = file.path.display().to_string();
                shown.push(Only { k, view, file });
            }
        }
        Ok(Side {
            inputs: one.files.len() as u64,
            left_out,
            patterns,
            only: shown,
        })
    }

    fn print(&self, report: &Report, out: &mut Output) -> Result<(), Failure> {
        let (a, b) = (&report.a, &report.b);
        let mut rows = vec![
            ["", "A", "B", "only A", "only B", "of"]
                .map(String::from)
                .to_vec(),
            vec!["inputs".into(), a.inputs.to_string(), b.inputs.to_string()],
        ];
        for level in &report.k_paths {
            let numbers = [level.a, level.b, level.only_a, level.only_b, level.total];
            let mut row = vec![format!("{}-paths", level.k)];
            row.extend(numbers.map(|number| number.to_string()));
            rows.push(row);
        }
        table(out, &rows)?;
        let canvas = Canvas::of_stdout();
        for (name, path, side) in [("A", &self.a, a), ("B", &self.b, b)] {
            if side.only.is_empty() {
                continue;
            }
            let path = path.display().to_string();
            writeln!(out, "\nonly in {name}, {}:", visible(&path))?;
            for only in &side.only {
                let file = visible(&only.file);
                match canvas {
                    Some(canvas) => {
                        writeln!(out, "  {}", canvas.cut(&only.view.pattern, 2))?;
                        writeln!(out, "    {}", canvas.dim(&canvas.cut(&file, 4)))?;
                    }
                    None => writeln!(out, "{}\t{file}", only.view.pattern)?,
                }
            }
            if let Some(more @ 1..) = side.patterns.checked_sub(side.only.len() as u64) {
                writeln!(out, "... and {more} more; -n shows them")?;
            }
        }
        for side in [a, b] {
            side.left_out.print(out)?;
        }
        Ok(())
    }
}

fn level_report(kpaths: &KPaths, level: usize, a: &Measured, b: &Measured) -> LevelReport {
    let mut report = LevelReport {
        k: level,
        total: kpaths.len_at(level),
        a: 0,
        b: 0,
        only_a: 0,
        only_b: 0,
    };
    for rank in 0..report.total {
        let in_a = a.surveyed.span(level, rank).is_some();
        let in_b = b.surveyed.span(level, rank).is_some();
        report.a += u64::from(in_a);
        report.b += u64::from(in_b);
        report.only_a += u64::from(in_a && !in_b);
        report.only_b += u64::from(in_b && !in_a);
    }
    report
}
