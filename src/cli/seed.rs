//! `pleach seed`: a directory of inputs that together have every k-path.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pleach_core::choice::{Lexemes, SiteIndex};
use pleach_core::generate::{CloseOff, Cover, CoverBuilder, Packing};
use pleach_core::kpath::WindowTable;
use serde::Serialize;

use super::args::{DirArgs, ForceArgs, GrammarArgs, JsonArgs, RandomArgs};
use super::failure::{Answer, Failure, note, warn};
use super::folder::Folder;
use super::input::{InputFile, collect};
use super::measure::{Form, Gauge, measure_files};
use super::output::Output;
use super::progress::Progress;
use super::recognize::{self, Kind};
use super::record::{Maker, Record};
use super::report::{PathView, Share, count, size, written};
use super::source::Source;
use super::target::Reader;
use super::text::{Tally, TextArgs};

mod name;

use name::Namer;

/// The forbidden paths that are shown.
const SHOWN_FORBIDDEN: usize = 5;
/// The bytes that a covering set may take. Those of sound grammars take kilobytes; where each of many paths needs a long input,
/// they could fill a disk.
const MOST_BYTES: u64 = 1 << 30;
/// After so many inputs the progress is shown.
const SHOWN_EVERY: u64 = 64;

/// Write a covering set: inputs that together have every k-path
///
/// Covers the paths of K symbols, and the shorter ones that are not part of one. Files are named by a path that the ones before
/// do not have. With --beyond only what the given inputs leave uncovered is covered.
///
/// If DIR is the corpus of a fuzz target that is built (`fuzz/corpus/TARGET`), the target says whether it reads texts or choice
/// sequences. Otherwise files are what DIR holds already, as a note in it says, and choice sequences if it has none. --text and
/// --choices settle it.
///
/// Example: pleach seed json -o fuzz/corpus/json -k 3
#[derive(Args, Debug)]
#[command(mut_group("LeftOutArgs", |args| args.requires("beyond")))]
#[command(mut_group("BudgetArgs", |args| args.requires("beyond")))]
#[command(mut_arg("output", |arg| arg.required_unless_present("dir")))]
pub(super) struct Seed {
    #[command(flatten)]
    grammar: GrammarArgs,
    #[command(flatten)]
    dir: DirArgs,
    /// How many symbols a path has
    #[arg(short, long = "path-length", value_name = "K", default_value_t = 2)]
    k: usize,
    /// Write texts, for a target with `codec: text`; what --beyond names are texts, too
    #[arg(long)]
    text: bool,
    /// Write choice sequences; what --beyond names are choice sequences, too
    #[arg(long, conflicts_with = "text")]
    choices: bool,
    /// Leave out what these inputs cover: a file, or a directory of files; can be given several times
    #[arg(long, value_name = "PATH")]
    beyond: Vec<PathBuf>,
    /// The most nested references of an input; paths that need more are left out
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// The most bytes of a sentence; paths that need more are left out
    #[arg(long, value_name = "BYTES")]
    max_len: Option<u32>,
    /// How the parts beside a path are finished
    #[arg(long, value_enum, default_value_t = Policy::Shortest, value_name = "POLICY")]
    close_off: Policy,
    /// Few inputs: each grows as long as it covers more, and those that the others make superfluous are left out
    #[arg(long, conflicts_with_all = ["small", "close_off"])]
    few: bool,
    /// Short inputs: one path each, and what is covered on the side (default)
    #[arg(long)]
    small: bool,
    /// Leave out the paths of fewer than K symbols that are not part of longer ones, as near the root
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    texts: TextArgs,
    #[command(flatten)]
    format: JsonArgs,
    #[command(flatten)]
    random: RandomArgs,
}

/// The close-off policies by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Policy {
    /// By shortest derivations
    Shortest,
    /// At random, as the grammar's probabilities say
    Random,
    /// By the least used k-paths
    Cover,
}

impl From<Policy> for CloseOff {
    fn from(policy: Policy) -> CloseOff {
        match policy {
            Policy::Shortest => CloseOff::Shortest,
            Policy::Random => CloseOff::BoundedRandom,
            Policy::Cover => CloseOff::CoverageSeeking,
        }
    }
}

#[derive(Serialize)]
struct Report {
    k: usize,
    inputs: u64,
    bytes: u64,
    #[serde(flatten)]
    share: Share,
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond: Option<Beyond>,
    forbidden: Vec<PathView>,
}

/// The inputs to go beyond.
#[derive(Serialize)]
struct Beyond {
    inputs: u64,
    #[serde(flatten)]
    left_out: Tally,
    /// How many of the k-paths they cover.
    covered: u64,
}

impl Seed {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let dir = self.dir.path().unwrap_or(Path::new("."));
        let source = self.grammar.load()?;
        let kind = self.kind(dir, &source);
        let packing = if self.few {
            Packing::Few
        } else {
            Packing::Small
        };
        let mut cover = CoverBuilder::new()
            .close_off(self.close_off.into())
            .packing(packing)
            .all_levels(!self.exact)
            .texts(kind.is_text())
            .max_depth(self.max_depth)
            .max_len(self.max_len)
            .seed(self.random.random_seed)
            .build(&source.graph, self.k)
            .map_err(|error| Failure::of(&source.name, error))?;
        // Before the directory is opened, which may be among those to go beyond, and need not be there yet.
        let given = collect(&self.beyond)?;
        let mut folder = Folder::open(dir, self.force.force)?;
        let record = Record::begin(dir, source.graph.grammar(), kind)?;
        let beyond = self.assume(&source, &given, &mut cover)?;
        let codec = cover.codec().clone();
        let as_texts = kind.is_text() && codec.has_hollow_repetitions();
        let form = as_texts.then(|| Form::new(&source.graph, true, self.texts));
        let mut gauge = None;
        if let Some(form) = &form {
            let windows = WindowTable::new(cover.coverage().kpaths())
                .map_err(|error| Failure::of(&source.name, error))?;
            let mut of_texts = Gauge::new(form, &windows)?;
            of_texts.meter.coverage.union(cover.coverage());
            gauge = Some(of_texts);
        }

        let mut namer = Namer::new(cover.coverage().clone(), kind, &source.name);
        let filled = fill(
            &mut folder,
            &mut cover,
            kind,
            &mut namer,
            gauge.as_mut(),
            MOST_BYTES,
        );
        record.finish(folder.names())?;
        filled?;

        let forbidden = forbidden(&cover);
        let report = Report {
            k: self.k,
            inputs: folder.inputs(),
            bytes: folder.bytes(),
            share: Share {
                covered: cover.coverage().covered(),
                total: cover.coverage().total(),
            },
            beyond,
            forbidden: forbidden
                .iter()
                .take(if self.format.json {
                    usize::MAX
                } else {
                    SHOWN_FORBIDDEN
                })
                .filter_map(|&window| {
                    let path = cover.coverage().path(window)?;
                    Some(PathView::new(&source.graph, &path))
                })
                .collect(),
        };
        if self.format.json {
            out.json(&report)?;
        } else {
            let inputs = written(report.inputs, kind);
            let bytes = count(report.bytes, "byte");
            write!(out, "{inputs}, {bytes}, {} {}-paths", report.share, self.k)?;
            match &report.beyond {
                Some(beyond) => writeln!(out, ", {} before", beyond.covered)?,
                None => writeln!(out)?,
            }
            if let Some(beyond) = &report.beyond {
                beyond.left_out.print(out)?;
            }
        }
        out.finish()?;
        self.explain(&forbidden, &report);
        let shown = gauge.map_or(u64::MAX, |gauge| gauge.meter.coverage.covered());
        if shown < report.share.covered {
            warn(format_args!(
                "the texts themselves show {shown} of these k-paths: the others are in optional repetitions that derive nothing, \
                 which only choice sequences have"
            ));
        }
        let Some(beyond) = &report.beyond else {
            return Ok(Answer::Yes);
        };
        beyond.left_out.warn(beyond.inputs, &source.name);
        Ok(self.texts.answer(&beyond.left_out, Answer::Yes))
    }

    /// What the user says.
    fn stated(&self) -> Option<Kind> {
        match (self.text, self.choices) {
            (true, _) => Some(Kind::Texts),
            (_, true) => Some(Kind::Choices),
            _ => None,
        }
    }

    /// What is written: what the user says; otherwise what the target reads whose corpus this is, or what the directory holds.
    fn kind(&self, dir: &Path, source: &Source) -> Kind {
        let stated = self.stated();
        if let Some(reader) = Reader::of(dir) {
            let Reader { target, kind, .. } = &reader;
            if stated.is_none() {
                note(format_args!(
                    "note: {kind} are written, which the target `{target}` reads"
                ));
            }
            let kind = stated.unwrap_or(*kind);
            reader.warn(source, kind);
            return kind;
        }
        if let Some(kind) = stated {
            return kind;
        }
        let maker = Record::read(dir).maker();
        let kind = maker.map_or(Kind::Choices, Maker::kind);
        let dir = dir.display();
        match maker {
            Some(_) => note(format_args!("note: {kind} are written, as before in {dir}")),
            None => note(
                "note: choice sequences are written, which targets read unless they have `codec: text`; --text writes texts",
            ),
        }
        kind
    }

    /// Takes what the inputs cover that the user wants to go beyond, if there are any.
    fn assume(
        &self,
        source: &Source,
        files: &[InputFile],
        cover: &mut Cover,
    ) -> Result<Option<Beyond>, Failure> {
        if self.beyond.is_empty() {
            return Ok(None);
        }
        let refused = |error| Failure::of(&source.name, error);
        let windows = WindowTable::new(cover.coverage().kpaths()).map_err(refused)?;
        let kind = match self.stated() {
            Some(kind) => kind,
            None => recognize::of_files(&source.graph, files)?,
        };
        self.texts.check(kind)?;
        let form = Form::new(&source.graph, kind.is_text(), self.texts);
        let (meter, left_out) = measure_files(&form, &windows, files)?;
        cover.assume(meter.coverage.windows().iter().map(|window| window as u32));
        Ok(Some(Beyond {
            inputs: files.len() as u64,
            left_out: Tally::new(self.texts, left_out),
            covered: meter.coverage.covered(),
        }))
    }

    /// Says on standard error what is not covered, and why.
    fn explain(&self, forbidden: &[u32], report: &Report) {
        if forbidden.is_empty() {
            return;
        }
        let limits = [("--max-depth", self.max_depth), ("--max-len", self.max_len)];
        let limits: Vec<String> = limits
            .iter()
            .filter_map(|(flag, limit)| Some(format!("{flag} {}", (*limit)?)))
            .collect();
        if limits.is_empty() {
            warn(format_args!(
                "{} could not be covered; please report this, with the grammar",
                count(forbidden.len() as u64, "path")
            ));
        } else {
            note(format_args!(
                "{} left out, which no input within {} has:",
                count(forbidden.len() as u64, "path"),
                limits.join(" and ")
            ));
        }
        for view in report.forbidden.iter().take(SHOWN_FORBIDDEN) {
            note(format_args!("  {}  {}", view.name(), view.pattern));
        }
        if forbidden.len() > SHOWN_FORBIDDEN {
            note(format_args!("  … (--json lists all of them)"));
        }
    }
}

/// Writes the inputs of a covering set, and has a gauge measure their texts. Gives up beyond so many bytes, and leaves what is written.
fn fill(
    folder: &mut Folder,
    cover: &mut Cover,
    kind: Kind,
    namer: &mut Namer,
    mut gauge: Option<&mut Gauge<'_>>,
    most: u64,
) -> Result<(), Failure> {
    let codec = cover.codec().clone();
    let progress = Progress::new(cover.coverage().kpaths().window_count(), "paths");
    let (mut index, mut lexemes) = (SiteIndex::new(), Lexemes::default());
    while cover.next_input(&mut index) {
        if let Some(gauge) = &mut gauge {
            // What takes more than the budget shows nothing, for all that is known.
            let _ = gauge.measure(folder.path(), codec.text(&index, &mut lexemes));
        }
        let input = match kind {
            Kind::Texts => codec.text(&index, &mut lexemes),
            Kind::Choices => index.canonical(),
        };
        let name = namer.name(codec.graph(), index.windows(), input);
        folder.add_named(input, name)?;
        // Counting what is covered is a look at all paths.
        if folder.inputs().is_multiple_of(SHOWN_EVERY) {
            progress.set(cover.coverage().windows().count_ones() as u64);
        }
        if folder.bytes() > most {
            return Err(too_large(cover, folder, most));
        }
    }
    Ok(())
}

/// Why a covering set is given up.
fn too_large(cover: &Cover, folder: &Folder, most: u64) -> Failure {
    let coverage = cover.coverage();
    let message = format!(
        "the covering set takes more than {}: {} cover {} of {} {}-paths, and are left as they are",
        size(most),
        count(folder.inputs(), "input"),
        coverage.covered(),
        coverage.total(),
        coverage.kpaths().k()
    );
    Failure::new(
        message,
        "choose a smaller -k, or bound the inputs by --max-len or --max-depth",
    )
}

/// The windows that stayed uncovered: a path given up first may have been met by a later input.
fn forbidden(cover: &Cover) -> Vec<u32> {
    let given_up = cover.forbidden().iter().copied();
    given_up
        .filter(|&window| !cover.coverage().contains(window))
        .collect()
}

#[cfg(test)]
mod tests {
    use pleach_core::generate::CoverBuilder;
    use pleach_core::{Grammar, Graph};

    use super::{Namer, fill};
    use crate::failure::Failure;
    use crate::folder::Folder;
    use crate::recognize::Kind;

    #[test]
    fn a_covering_set_that_is_too_large_is_given_up_and_left() {
        let grammar: Grammar = "s := a s? a; a := [0-9] | '(' a ')' | 'x' s 'y';"
            .parse()
            .unwrap();
        let graph = Graph::new(grammar).unwrap();
        let make = |most: u64| {
            let dir = tempfile::tempdir().unwrap();
            let mut folder = Folder::open(dir.path(), false).unwrap();
            let mut cover = CoverBuilder::new().build(&graph, 3).unwrap();
            let mut namer = Namer::new(cover.coverage().clone(), Kind::Texts, "a");
            let made = fill(&mut folder, &mut cover, Kind::Texts, &mut namer, None, most);
            let files = std::fs::read_dir(dir.path()).unwrap().count() as u64;
            assert_eq!(files, folder.inputs());
            (made, folder.bytes(), cover.coverage().ratio())
        };
        let (made, all, ratio) = make(u64::MAX);
        assert!(made.is_ok() && ratio == 1.0);
        // What is as large as the bound is whole.
        assert!(make(all).0.is_ok());
        let (made, bytes, ratio) = make(20);
        assert!(bytes > 20 && bytes < all && ratio < 1.0);
        let Err(Failure::Wrong(message)) = made else {
            panic!("{made:?}");
        };
        expect_test::expect![[r#"
            the covering set takes more than 20 bytes: 3 inputs cover 24 of 64 3-paths, and are left as they are
            help: choose a smaller -k, or bound the inputs by --max-len or --max-depth"#]].assert_eq(&message);
    }
}
