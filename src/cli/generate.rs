//! `pleach generate`: random sentences.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use pleach_core::choice::{Lexemes, ROOT, Scratch, SiteIndex};
use pleach_core::generate::{
    DRAWN_AGAIN, Expander, Growth, Limits, Preference, RandomChooser, Sampler,
};
use pleach_core::model::Tables;
use pleach_core::rng::Rng;
use pleach_core::weights::Weights;
use pleach_core::{Codec, Graph};
use serde::Serialize;

use super::args::{DirArgs, ForceArgs, GrammarArgs, JsonArgs, RandomArgs};
use super::failure::{Answer, Failure, note};
use super::folder::Folder;
use super::model::{self, Mode, ReadingArgs};
use super::output::Output;
use super::progress::Progress;
use super::recognize::Kind;
use super::record::Record;
use super::report::{Share, count, written};

/// How often in a row a sentence may miss the limits before they are called unsatisfiable.
const TRIES: u32 = 1000;
/// The nodes per step of the budget that strategy `shortest` draws on top of what any sentence needs.
const BUDGET_STEP: u32 = 4;
/// The sentences after which --until-covered gives up.
const MANY: u64 = 100_000;
/// The nodes that follow a model at the least, unless told otherwise: models of small samples make larger ones, too.
const MODEL_NODES: u32 = 1000;

/// Write random sentences
///
/// Prints the sentences, one a line. With -o DIR each becomes a file, named by its contents, so that the same sentence is written
/// only once. With --choices, choice sequences are written instead of sentences.
///
/// Expansions are the alternatives of alternations, and right sides without any. The strategies tracking, simple and foresight
/// count which of them are covered and say so in the end. They expand open references in random order, and close a sentence
/// once --max-open references are open.
///
/// With --model, choices follow what `pleach learn` has learned until a sentence has --max-nodes, and are the shortest from there
/// on; --max-depth and --max-len then have no defaults.
///
/// Example: pleach generate json -n 10
///
/// Example: pleach generate json -o seeds --strategy foresight --until-covered
#[derive(Args, Debug)]
#[command(mut_group("ReadingArgs", |args| args.requires("model")))]
pub(super) struct Generate {
    #[command(flatten)]
    grammar: GrammarArgs,
    #[command(flatten)]
    dir: DirArgs,
    /// How many sentences; with --until-covered, how many at the most [default: 1; with --until-covered, 100000]
    #[arg(short, long = "count", value_name = "N")]
    n: Option<u64>,
    /// How alternatives are chosen
    #[arg(long, value_enum, default_value_t = Strategy::Random)]
    strategy: Strategy,
    /// Stop when all expansions are covered; exit with 1 if they are not in the end
    #[arg(long)]
    until_covered: bool,
    /// The open references from which on a sentence is closed by as few as possible [default: 10, or one more than a right side has]
    #[arg(long, value_name = "N")]
    max_open: Option<u32>,
    /// The most nested references [default: 30, or what the grammar needs]
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
    /// The most bytes of a sentence [default: 4096, or what the grammar needs]
    #[arg(long, value_name = "BYTES")]
    max_len: Option<u32>,
    /// Follow this model, in binary or JSON
    #[arg(long, value_name = "FILE", conflicts_with = "strategy")]
    model: Option<PathBuf>,
    /// The nodes of a derivation that follow the model [default: those of the largest sample, or 1000 if it has fewer; of failure, those of the largest sample]
    #[arg(long, value_name = "N", requires = "model")]
    max_nodes: Option<u32>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Write choice sequences instead of sentences
    #[arg(long)]
    choices: bool,
    /// Write sentences, as is usual
    #[arg(long, hide = true, conflicts_with = "choices")]
    text: bool,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    format: JsonArgs,
    #[command(flatten)]
    random: RandomArgs,
}

/// The strategies by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Strategy {
    /// At random, as the grammar's probabilities say
    Random,
    /// A few random choices, then the shortest way to an end
    Shortest,
    /// At random, counting the expansions that are covered
    Tracking,
    /// Alternatives that are not covered yet, where there are any
    Simple,
    /// Alternatives under which an uncovered expansion lies nearest
    Foresight,
}

impl Strategy {
    /// What is preferred by a strategy that counts expansions.
    fn preference(self) -> Option<Preference> {
        match self {
            Strategy::Random | Strategy::Shortest => None,
            Strategy::Tracking => Some(Preference::Any),
            Strategy::Simple => Some(Preference::Uncovered),
            Strategy::Foresight => Some(Preference::Nearest),
        }
    }
}

#[derive(Serialize)]
struct Report {
    inputs: u64,
    bytes: u64,
    duplicates: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    expansions: Option<Share>,
}

impl Generate {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        self.check()?;
        let source = self.grammar.load()?;
        let mut sentences = Sentences::new(&source.graph, &self, self.random.random_seed)?;
        let Some(dir) = self.dir.path().filter(|&dir| dir != Path::new("-")) else {
            return self.print(&mut sentences, out);
        };
        let mut folder = Folder::open(dir, self.force.force)?;
        // Texts are the same whatever grammar has made them.
        let kind = Kind::of(!self.choices);
        let record = self
            .choices
            .then(|| Record::begin(dir, source.graph.grammar(), kind));
        let record = record.transpose()?;
        let progress = Progress::new(self.count(), "sentences");
        while self.goes_on(&sentences) {
            sentences.next()?;
            folder.add(match self.choices {
                true => sentences.index.canonical(),
                false => sentences.text(),
            })?;
            progress.add(1);
        }
        drop(progress);
        if let Some(record) = record {
            record.finish(folder.names())?;
        }
        let report = Report {
            inputs: folder.inputs(),
            bytes: folder.bytes(),
            duplicates: sentences.made - folder.inputs(),
            expansions: sentences.expansions(),
        };
        if self.format.json {
            out.json(&report)?;
        } else {
            let inputs = written(report.inputs, kind);
            let bytes = count(report.bytes, "byte");
            let duplicates = count(report.duplicates, "duplicate");
            write!(out, "{inputs}, {bytes} ({duplicates} left out)")?;
            match report.expansions {
                Some(expansions) => writeln!(out, ", {expansions} expansions")?,
                None => writeln!(out)?,
            }
        }
        Ok(self.answer(&sentences))
    }

    /// Whether the options go together.
    fn check(&self) -> Result<(), Failure> {
        let flag = match (self.until_covered, self.max_open) {
            (true, _) => "--until-covered",
            (false, Some(_)) => "--max-open",
            (false, None) => return Ok(()),
        };
        match self.strategy.preference() {
            Some(_) => Ok(()),
            None => Err(Failure::new(
                format_args!("{flag} needs a strategy that counts expansions"),
                "add --strategy tracking, --strategy simple or --strategy foresight",
            )),
        }
    }

    fn count(&self) -> u64 {
        self.n.unwrap_or(if self.until_covered { MANY } else { 1 })
    }

    fn goes_on(&self, sentences: &Sentences<'_>) -> bool {
        sentences.made < self.count() && !(self.until_covered && sentences.covers_all())
    }

    fn answer(&self, sentences: &Sentences<'_>) -> Answer {
        match self.until_covered && !sentences.covers_all() {
            true => Answer::No,
            false => Answer::Yes,
        }
    }

    fn print(&self, sentences: &mut Sentences<'_>, out: &mut Output) -> Result<Answer, Failure> {
        if self.format.json {
            return Err(Failure::new(
                "standard output cannot take both the sentences and the JSON report",
                "name a directory for the sentences by -o DIR, or leave out --json",
            ));
        }
        if self.choices && self.count() != 1 {
            return Err(Failure::new(
                format_args!(
                    "{} choice sequences on standard output could not be told apart",
                    self.count()
                ),
                "leave out --choices, print one sequence by -n 1, or name a directory by -o DIR",
            ));
        }
        while self.goes_on(sentences) {
            sentences.next()?;
            if self.choices {
                out.bytes(sentences.index.canonical())?;
            } else {
                out.bytes(sentences.text())?;
                out.bytes(b"\n")?;
            }
        }
        out.finish()?;
        if let Some(expansions) = sentences.expansions() {
            let made = count(sentences.made, "sentence");
            note(format_args!("{made}, {expansions} expansions"));
        }
        Ok(self.answer(sentences))
    }
}

/// A source of sentences within the limits.
struct Sentences<'a> {
    graph: &'a Graph,
    codec: Arc<Codec>,
    weights: Weights,
    /// With a model.
    sampler: Option<Sampler>,
    strategy: Strategy,
    /// What derives them by a strategy that counts expansions.
    expander: Option<Expander>,
    /// How many there were.
    made: u64,
    limits: Limits,
    /// What the shortest sentence needs.
    needed: Limits,
    /// The limits that the user set, which no sentence may miss.
    max_depth: Option<u32>,
    max_len: Option<u32>,
    rng: Rng,
    scratch: Scratch,
    index: SiteIndex,
    lexemes: Lexemes,
}

impl<'a> Sentences<'a> {
    fn new(graph: &'a Arc<Graph>, options: &Generate, seed: u64) -> Result<Sentences<'a>, Failure> {
        let grammar = graph.grammar();
        let needed = Limits::needed_by(graph);
        let unmet = |flag: &str, limit: Option<u32>, needed: u32, what: &str| match limit {
            Some(limit) if limit < needed => Err(Failure::new(
                format_args!("no sentence keeps {flag} {limit}"),
                format_args!("the grammar needs {}", count(needed.into(), what)),
            )),
            _ => Ok(()),
        };
        let (depth, len) = (needed.max_depth, needed.max_len);
        unmet("--max-depth", options.max_depth, depth, "nested reference")?;
        unmet("--max-len", options.max_len, len, "byte")?;
        let usual = match options.model {
            Some(_) => Limits::NONE,
            None => Limits::default(),
        };
        let usual = usual.at_least(needed);
        let limits = Limits {
            max_depth: options.max_depth.unwrap_or(usual.max_depth),
            max_len: options.max_len.unwrap_or(usual.max_len),
            ..usual
        };
        let codec = Arc::new(Codec::new(graph));
        let expander = options.strategy.preference().map(|preference| {
            let expander = Expander::new(&codec, limits, Rng::new(seed)).prefer(preference);
            match options.max_open {
                Some(max_open) => expander.max_open(max_open),
                None => expander,
            }
        });
        let sampler = match &options.model {
            Some(path) => {
                let model = model::load(path, &codec)?;
                let largest = u32::try_from(model.largest()).unwrap_or(u32::MAX);
                let budget = match options.reading.mode {
                    Some(Mode::Failure) => largest,
                    _ => largest.max(MODEL_NODES),
                };
                let budget = options.max_nodes.unwrap_or(budget).min(limits.max_nodes);
                let tables = Tables::new(&model, &options.reading.reading());
                Some(Sampler::new(&codec, tables, limits, budget))
            }
            None => None,
        };
        Ok(Sentences {
            graph,
            codec,
            expander,
            made: 0,
            weights: Weights::stated(grammar),
            sampler,
            strategy: options.strategy,
            limits,
            needed,
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

    /// Derives the next sentence. One that reads as other tokens than its own is drawn again, a few times.
    fn next(&mut self) -> Result<(), Failure> {
        // What a sentence covers that is not kept has to be covered again.
        let has_limit = self.max_len.or(self.max_depth).is_some();
        let may_miss = has_limit || self.graph.lexicon().is_some();
        let before = self.expander.as_ref().filter(|_| may_miss);
        let before = before.map(|expander| expander.expansions().clone());
        let mut misread = 0;
        for _ in 0..TRIES {
            self.derive(misread);
            let len = self.text().len();
            misread += u32::from(self.lexemes.is_misread());
            let is_done = !self.lexemes.is_misread() || misread >= DRAWN_AGAIN;
            let keeps = is_done
                && self.max_len.is_none_or(|limit| len <= limit as usize)
                && self
                    .max_depth
                    .is_none_or(|limit| self.index.depth() <= limit);
            if keeps {
                self.made += 1;
                return Ok(());
            }
            if let (Some(expander), Some(before)) = (&mut self.expander, &before) {
                expander.set_expansions(before.clone());
            }
        }
        Err(Failure::new(
            format_args!("none of {TRIES} sentences keeps both limits"),
            "raise --max-depth or --max-len",
        ))
    }

    /// What the sentences cover, if that was counted.
    fn expansions(&self) -> Option<Share> {
        let expander = self.expander.as_ref()?;
        Some(Share::of(expander.expansions()))
    }

    fn covers_all(&self) -> bool {
        let share = self.expansions();
        share.is_some_and(|share| share.covered == share.total)
    }

    fn derive(&mut self, misread: u32) {
        if let Some(expander) = &mut self.expander {
            return expander.generate(&mut self.index);
        }
        if let Some(sampler) = &mut self.sampler {
            return sampler.sample(&mut self.rng, &mut self.index);
        }
        let mut limits = self.limits.tightened(misread).at_least(self.needed);
        if self.strategy == Strategy::Shortest {
            // Nothing but the shortest fits once the nodes are used up.
            let budget = self.rng.heavy_tail().saturating_mul(BUDGET_STEP);
            let budget = self.needed.max_nodes.saturating_add(budget);
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
