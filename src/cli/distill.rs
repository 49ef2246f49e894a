//! `pleach distill`: a small part of a corpus that does all that the corpus does.
//!
//! What an input does is a set of things: the k-paths that it has, the edges of the target that it covers, and its verdict. The target is run
//! once on every input, by the probe; what is kept is chosen by [`cover`].
//!
//! An edge is covered or not, however often: what libFuzzer has kept for another number of rounds of a loop alone is not kept. Inputs that fail are
//! left out, since a campaign ends at the first one that it reads.

mod cover;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use pleach_core::KPaths;
use pleach_core::bitset::BitSet;
use pleach_core::kpath::WindowTable;
use pleach_probe::{Probed, Verdict};
use serde::Serialize;

use super::args::{ForceArgs, JsonArgs};
use super::diagnostic::visible;
use super::failure::{Answer, Failure, note};
use super::folder::Folder;
use super::input::{InputFile, collect, read_input};
use super::measure::{Form, Gauge};
use super::output::Output;
use super::parallel::in_parallel;
use super::progress::Progress;
use super::recognize::Kind;
use super::record::Record;
use super::report::{count, size, table};
use super::target::{Subject, TargetArgs};
use super::text::{BudgetArgs, TextArgs};

/// Keep few and short inputs of a corpus that together do what all of them do
///
/// What is kept has every k-path of the inputs, covers every edge of the target that they cover, and has every verdict. Of inputs that do the same,
/// the shortest stays. Inputs that fail are left out and named, as no campaign gets past them.
///
/// The inputs go to a new directory as they are, under names by their contents; the corpus stays as it is. Without PATH the corpus of the target is
/// read.
///
/// Example: pleach distill json -o small
///
/// Example: pleach distill json fuzz/corpus/json nightly -o small -k 3
#[derive(Args, Debug)]
pub(super) struct Distill {
    /// The fuzz target
    #[arg(value_name = "TARGET")]
    name: String,
    /// Files, or directories of files [default: the corpus of the target]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the inputs to this directory, a new or an empty one
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Keep all k-paths for k up to this; 0 keeps edges and verdicts alone
    #[arg(short, long = "path-length", value_name = "K", default_value_t = 2)]
    k: usize,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    format: JsonArgs,
}

/// What a corpus comes to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Debug)]
struct Totals {
    inputs: u64,
    bytes: u64,
    k_paths: u64,
    edges: u64,
    verdicts: u64,
}

#[derive(Serialize)]
struct Report {
    version: u32,
    k: usize,
    before: Totals,
    after: Totals,
    /// Inputs that fail, by how they do.
    failures: BTreeMap<String, u64>,
}

/// What all inputs do, as numbers: windows of k-paths, then edges, then verdicts.
struct Things {
    of_inputs: Vec<Vec<u32>>,
    first_edge: u32,
    first_verdict: u32,
    count: usize,
}

impl Distill {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let subject = self.target.open(&self.name)?;
        let paths = match (self.paths.is_empty(), subject.corpus()) {
            (false, _) => self.paths.clone(),
            (true, Some(corpus)) => vec![corpus],
            (true, None) => {
                return Err(Failure::new(
                    format_args!("`{}` has no corpus", self.name),
                    "name the inputs, files or directories",
                ));
            }
        };
        let files = collect(&paths)?;
        if files.is_empty() {
            return Err(Failure::new("there are no inputs", "name others"));
        }
        // Before the work, so that a directory in the way is known at once.
        let mut folder = Folder::open(&self.output, self.force.force)?;
        let inputs = subject.read(&files)?;
        let bytes: Vec<u64> = inputs.iter().map(|input| input.len() as u64).collect();
        let probed = subject.probe(&subject.texts(&files)?)?;
        let mut failures: BTreeMap<String, u64> = BTreeMap::new();
        let mut failing = BTreeMap::new();
        for (run, file) in probed.runs.iter().zip(&files) {
            if run.verdict.is_failure() {
                let failure = run.verdict.to_string();
                *failures.entry(failure.clone()).or_default() += 1;
                failing.entry(failure).or_insert(&file.path);
            }
        }
        let mut things = self.paths_of(&subject, &files)?;
        things.add_runs(&probed);
        let kept = cover::cover(&things.of_inputs, &bytes, things.count);
        let kind = match subject.is_text {
            true => Kind::Texts,
            false => Kind::Choices,
        };
        let record = Record::begin(folder.path(), subject.source.graph.grammar(), kind)?;
        for &input in &kept {
            folder.add(&inputs[input])?;
        }
        record.finish(folder.names())?;
        let passing = (0..files.len()).filter(|&it| !probed.runs[it].verdict.is_failure());
        let report = Report {
            version: 1,
            k: self.k,
            before: things.totals(passing, &bytes),
            after: things.totals(kept.iter().copied(), &bytes),
            failures,
        };
        match self.format.json {
            true => out.json(&report)?,
            false => self.print(&report, out)?,
        }
        out.finish()?;
        for (failure, file) in failing {
            let more = match report.failures[&failure] {
                1 => String::new(),
                number => format!(" and {} more", number - 1),
            };
            let file = file.display().to_string();
            note(format_args!(
                "left out, since it fails: {}{more}: {failure}",
                visible(&file)
            ));
        }
        Ok(Answer::Yes)
    }

    /// The k-paths of each input; of one that is not a sentence, none.
    fn paths_of(&self, subject: &Subject, files: &[InputFile]) -> Result<Things, Failure> {
        if self.k == 0 {
            return Ok(Things {
                of_inputs: vec![Vec::new(); files.len()],
                first_edge: 0,
                first_verdict: 0,
                count: 0,
            });
        }
        let graph = &subject.source.graph;
        let refused = |error| Failure::of(&subject.source.name, error);
        let kpaths = KPaths::new(graph, self.k).map_err(refused)?;
        let windows = WindowTable::new(&kpaths).map_err(refused)?;
        let form = Form::new(
            graph,
            subject.is_text,
            TextArgs::within(self.budget.budget()),
        );
        let progress = Progress::new(files.len() as u64, "files");
        let worker = || Ok((Gauge::tracing(&form, &windows)?, Vec::new()));
        let task = |(gauge, bytes): &mut (Gauge<'_>, Vec<u8>), at: usize| {
            let mut met = Vec::new();
            read_input(&files[at].path, bytes)?;
            let is_sentence = gauge.measure(&files[at].path, bytes).is_ok();
            gauge.windows(&mut met);
            progress.add(1);
            Ok(is_sentence.then_some(met))
        };
        let (met, _) = in_parallel(files.len(), form.block(), worker, task)?;
        let others = met.iter().filter(|it| it.is_none()).count();
        if others > 0 {
            let name = &subject.source.name;
            note(format_args!(
                "of {others} of {} only edges and verdicts count: they are not sentences of {name}, or take too long to parse",
                count(files.len() as u64, "input")
            ));
        }
        let count = kpaths.window_count();
        let first_edge = u32::try_from(count).map_err(|_| {
            Failure::new(
                format_args!("{count} {}-paths are too many to be kept", self.k),
                "choose a smaller -k",
            )
        })?;
        Ok(Things {
            of_inputs: met.into_iter().map(Option::unwrap_or_default).collect(),
            first_edge,
            first_verdict: first_edge,
            count: first_edge as usize,
        })
    }

    fn print(&self, report: &Report, out: &mut Output) -> Result<(), Failure> {
        let Report { before, after, .. } = report;
        let row = |name: &str, before: String, after: String| vec![name.to_owned(), before, after];
        let numbers =
            |name: &str, before: u64, after: u64| row(name, before.to_string(), after.to_string());
        let mut rows = vec![
            row("", "before".into(), "after".into()),
            numbers("inputs", before.inputs, after.inputs),
            row("bytes", size(before.bytes), size(after.bytes)),
        ];
        if self.k > 0 {
            rows.push(numbers("k-paths", before.k_paths, after.k_paths));
        }
        rows.push(numbers("edges", before.edges, after.edges));
        rows.push(numbers("verdicts", before.verdicts, after.verdicts));
        table(out, &rows)?;
        let dir = self.output.display().to_string();
        writeln!(
            out,
            "wrote {} to {}",
            count(after.inputs, "input"),
            visible(&dir)
        )?;
        Ok(())
    }
}

impl Things {
    /// Adds edges and verdicts. An input that fails does nothing that is to be kept.
    fn add_runs(&mut self, probed: &Probed) {
        let edges = probed.table.places.len() as u32;
        self.first_edge = self.count as u32;
        self.first_verdict = self.first_edge + edges;
        self.count = self.first_verdict as usize + 2;
        for (input, things) in self.of_inputs.iter_mut().enumerate() {
            let verdict = &probed.runs[input].verdict;
            if verdict.is_failure() {
                things.clear();
                continue;
            }
            let points = probed.points(input).as_slice();
            things.extend(points.iter().map(|point| self.first_edge + point));
            things.push(self.first_verdict + u32::from(*verdict == Verdict::Rejected));
        }
    }

    /// What some of the inputs come to.
    fn totals(&self, inputs: impl Iterator<Item = usize>, bytes: &[u64]) -> Totals {
        let mut totals = Totals::default();
        let mut covered = BitSet::new(self.count);
        for input in inputs {
            totals.inputs += 1;
            totals.bytes += bytes[input];
            for &thing in &self.of_inputs[input] {
                if covered.insert(thing as usize) {
                    *match thing {
                        it if it < self.first_edge => &mut totals.k_paths,
                        it if it < self.first_verdict => &mut totals.edges,
                        _ => &mut totals.verdicts,
                    } += 1;
                }
            }
        }
        totals
    }
}
