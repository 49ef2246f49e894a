//! `pleach generate`: random sentences.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pleach::choice::{Lexemes, ROOT, Scratch, SiteIndex};
use pleach::generate::{Growth, Limits, RandomChooser};
use pleach::graph::Measure;
use pleach::rng::Rng;
use pleach::weights::Weights;
use pleach::{Codec, Graph};
use serde::Serialize;

use super::Common;
use super::failure::{Answer, Failure};
use super::folder::Folder;
use super::input::Source;
use super::output::Output;
use super::progress::Progress;
use super::report::count;

/// How often in a row a sentence may miss the limits before they are called unsatisfiable.
const TRIES: u32 = 1000;
/// The nodes per step of the budget that strategy `shortest` draws on top of what any sentence needs.
const BUDGET_STEP: u32 = 4;

/// Write random sentences
///
/// Files are choice sequences unless --text is given, and are named by their contents, so that the same sentence is written
/// once only. With `-`, sentences go to standard output, each with a line break behind it if --text is given.
///
/// Example: pleach generate json.ebnf - -n 10 --text
#[derive(Args, Debug)]
pub(super) struct Generate {
    /// The grammar; `-` reads standard input
    grammar: PathBuf,
    /// The directory to fill, a new or an empty one; `-` is standard output
    dir: PathBuf,
    /// How many sentences
    #[arg(short, value_name = "N", default_value_t = 1)]
    n: u64,
    /// How alternatives are chosen
    #[arg(long, value_enum, default_value_t = Strategy::Random)]
    strategy: Strategy,
    /// The most nested references [default: 30, or what the grammar needs]
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// The most bytes of a sentence [default: 4096, or what the grammar needs]
    #[arg(long, value_name = "BYTES")]
    max_len: Option<u32>,
    /// Write sentences instead of choice sequences
    #[arg(long)]
    text: bool,
    /// Add to a directory that is not empty
    #[arg(long)]
    force: bool,
}

/// The strategies by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Strategy {
    /// At random, as the grammar's probabilities say
    Random,
    /// A few random choices, then the shortest way to an end
    Shortest,
}

#[derive(Serialize)]
struct Report {
    inputs: u64,
    bytes: u64,
    duplicates: u64,
}

impl Generate {
    pub(super) fn run(self, common: &Common, out: &mut Output) -> Result<Answer, Failure> {
        let source = Source::load(&self.grammar, common)?;
        let mut sentences = Sentences::new(&source.graph, &self, common.random_seed)?;
        if self.dir == Path::new("-") {
            self.print(common, &mut sentences, out)?;
            return Ok(Answer::Yes);
        }
        let mut folder = Folder::open(&self.dir, self.force)?;
        let progress = Progress::new(self.n, "sentences");
        for _ in 0..self.n {
            sentences.next()?;
            folder.add(if self.text {
                sentences.text()
            } else {
                sentences.index.canonical()
            })?;
            progress.add(1);
        }
        drop(progress);
        let report = Report {
            inputs: folder.inputs(),
            bytes: folder.bytes(),
            duplicates: self.n - folder.inputs(),
        };
        if common.json {
            out.json(&report)?;
        } else {
            let (inputs, bytes) = (count(report.inputs, "input"), count(report.bytes, "byte"));
            let duplicates = count(report.duplicates, "duplicate");
            writeln!(out, "{inputs}, {bytes} ({duplicates} left out)")?;
        }
        Ok(Answer::Yes)
    }

    fn print(
        &self,
        common: &Common,
        sentences: &mut Sentences<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        if common.json {
            return Err(Failure::new(
                "standard output cannot take both the sentences and the JSON report",
                "name a directory for the sentences, or leave out --json",
            ));
        }
        if !self.text && self.n != 1 {
            return Err(Failure::new(
                format_args!(
                    "{} choice sequences on standard output could not be told apart",
                    self.n
                ),
                "print sentences by --text, print one sequence by -n 1, or name a directory",
            ));
        }
        for _ in 0..self.n {
            sentences.next()?;
            if self.text {
                out.bytes(sentences.text())?;
                out.bytes(b"\n")?;
            } else {
                out.bytes(sentences.index.canonical())?;
            }
        }
        Ok(())
    }
}

/// A source of sentences within the limits.
struct Sentences<'a> {
    graph: &'a Graph,
    codec: Codec,
    weights: Weights,
    strategy: Strategy,
    limits: Limits,
    /// The nodes of the shortest sentence.
    needed_nodes: u32,
    /// The limits that the user set, which no sentence may miss.
    max_depth: Option<u32>,
    max_len: Option<u32>,
    rng: Rng,
    scratch: Scratch,
    index: SiteIndex,
    lexemes: Lexemes,
}

impl<'a> Sentences<'a> {
    fn new(
        graph: &'a std::sync::Arc<Graph>,
        options: &Generate,
        seed: u64,
    ) -> Result<Sentences<'a>, Failure> {
        let grammar = graph.grammar();
        let root = grammar[grammar.start()].root;
        let needed = |measure| graph.shortest(measure).cost(root);
        let unmet = |flag: &str, limit: Option<u32>, needed: u32, what: &str| match limit {
            Some(limit) if limit < needed => Err(Failure::new(
                format_args!("no sentence keeps {flag} {limit}"),
                format_args!("the grammar needs {}", count(needed.into(), what)),
            )),
            _ => Ok(()),
        };
        let (depth, len) = (needed(Measure::Depth), needed(Measure::Length));
        unmet("--max-depth", options.max_depth, depth, "nested reference")?;
        unmet("--max-len", options.max_len, len, "byte")?;
        let usual = Limits::default();
        Ok(Sentences {
            graph,
            codec: Codec::new(graph),
            weights: Weights::stated(grammar),
            strategy: options.strategy,
            limits: Limits {
                max_depth: options.max_depth.unwrap_or(usual.max_depth.max(depth)),
                max_len: options.max_len.unwrap_or(usual.max_len.max(len)),
                max_nodes: usual.max_nodes.max(needed(Measure::Nodes)),
            },
            needed_nodes: needed(Measure::Nodes),
            max_depth: options.max_depth,
            max_len: options.max_len,
            rng: Rng::new(seed),
            scratch: Scratch::default(),
            index: SiteIndex::new(),
            lexemes: Lexemes::default(),
        })
    }

    /// The sentence that was derived last.
    fn text(&mut self) -> &[u8] {
        self.codec.text(&self.index, &mut self.lexemes)
    }

    /// Derives the next sentence.
    fn next(&mut self) -> Result<(), Failure> {
        for _ in 0..TRIES {
            self.derive();
            let len = self.text().len();
            let keeps = self.max_len.is_none_or(|limit| len <= limit as usize)
                && self
                    .max_depth
                    .is_none_or(|limit| self.index.depth() <= limit);
            if keeps {
                return Ok(());
            }
        }
        Err(Failure::new(
            format_args!("none of {TRIES} sentences keeps both limits"),
            "raise --max-depth or --max-len",
        ))
    }

    fn derive(&mut self) {
        let mut limits = self.limits;
        if self.strategy == Strategy::Shortest {
            // Nothing but the shortest fits once the nodes are used up.
            let budget = self.rng.heavy_tail().saturating_mul(BUDGET_STEP);
            let budget = self.needed_nodes.saturating_add(budget);
            limits.max_nodes = limits.max_nodes.min(budget);
        }
        let growth = Growth::draw(&mut self.rng);
        let mut chooser =
            RandomChooser::new(self.graph, &self.weights, limits, growth, &mut self.rng);
        chooser.begin(ROOT, 0);
        self.codec
            .derive(ROOT, &mut chooser, &mut self.scratch, &mut self.index);
    }
}
