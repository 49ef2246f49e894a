//! `pleach learn`: samples to a model.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pleach_core::choice::Scratch;
use pleach_core::model::{DEFAULT_LEAST, Learner, MAX_ORDER, Model, ONE};
use pleach_core::parse::Workspace;
use pleach_core::rng::Rng;
use pleach_core::{Codec, Parser, slip};
use serde::Serialize;

use super::args::{ForceArgs, GrammarArgs, JsonArgs, RandomArgs};
use super::failure::{Answer, Failure, note};
use super::input::{InputFile, collect, read_input};
use super::interrupt::Interrupt;
use super::model::{amount, load, write};
use super::output::{Existing, Output};
use super::parallel::{MANY, ONE as EACH, in_parallel};
use super::progress::Progress;
use super::recognize::{Kind, KindArgs};
use super::report::{count, size};
use super::source::Source;
use super::text::{LeftOut, Tally, TextArgs, Texts, only_for_texts};

/// Learn how often samples make each choice of a grammar
///
/// The model says how often each alternative, each number of repetitions and each member of a class was chosen; `generate --model`
/// makes more of the same, or the opposite. Samples are texts, or choice sequences as in a corpus: of an ambiguous text
/// the canonical derivation counts, or by --all-derivations each one its share. With --context K, choices are counted apart for the
/// last K references above them; where such a context was seen too rarely, shorter ones stand in.
///
/// A FILE that ends in .json is written as JSON. With --update, samples are added to the model that is there.
///
/// Example: pleach model learn json samples -o json.model
#[derive(Args, Debug)]
#[command(mut_arg("force", |arg| arg.conflicts_with("update")))]
pub(super) struct Learn {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// Samples: files, or directories of files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the model to this file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    kind: KindArgs,
    /// Count an ambiguous text by all its derivations, each as likely as the others: exactly up to 256 of them, else by 256 that are drawn;
    /// of infinitely many the canonical one counts
    #[arg(long)]
    all_derivations: bool,
    /// Tell choices apart by so many references above them, at most 8 [default: 0]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(..=MAX_ORDER as i64))]
    context: Option<u8>,
    /// Add so much to each choice that was possible where one was made [default: 0]
    #[arg(long, value_name = "COUNT", value_parser = amount)]
    smoothing: Option<u64>,
    /// Heed a context where a choice was made so often in it [default: 5]
    #[arg(long, value_name = "COUNT")]
    least: Option<u64>,
    /// Add to the model in the file
    #[arg(long)]
    update: bool,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    texts: TextArgs,
    #[command(flatten)]
    format: JsonArgs,
    #[command(flatten)]
    random: RandomArgs,
}

/// How many derivations of a text are counted at most.
const DERIVATIONS: usize = 256;

#[derive(Serialize)]
struct Report<'a> {
    inputs: u64,
    /// All samples of the model, with those that it had.
    samples: u64,
    contexts: usize,
    /// Of the file.
    bytes: u64,
    #[serde(flatten)]
    tally: &'a Tally,
    codec: Kind,
}

impl Learn {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load()?;
        let codec = Arc::new(Codec::new(&source.graph));
        let files = collect(&self.paths)?;
        let kind = self.kind.of_files(&source.graph, &files)?;
        self.texts.check(kind)?;
        only_for_texts(kind, &[("--all-derivations", self.all_derivations)])?;
        let mut model = self.begin(&codec)?;
        let (parts, read) = self.count(&source, &model, &files, kind)?;
        let inputs = read.len() as u64;
        let left_out: Vec<LeftOut> = read.into_iter().flatten().collect();
        let is_cut = inputs < files.len() as u64;
        if is_cut && self.update {
            note(format_args!(
                "{} is left as it was: what is added to it could not be told from what is not",
                self.output.display()
            ));
            return Ok(Answer::Interrupted);
        }
        for part in parts {
            let merged = model.merge(&part);
            merged.map_err(|error| Failure::of(self.output.display(), error))?;
        }
        let tally = Tally::new(self.texts, left_out);
        let existing = Existing::forced(self.force.force || self.update);
        let report = Report {
            inputs,
            samples: model.samples(),
            contexts: model.context_count(),
            bytes: write(&self.output, &model, existing)?,
            tally: &tally,
            codec: kind,
        };
        if self.format.json {
            out.json(&report)?;
        } else {
            let (samples, contexts) = (report.samples, report.contexts as u64);
            let (samples, contexts) = (count(samples, "sample"), count(contexts, "context"));
            writeln!(out, "{samples}, {contexts}, {}", size(report.bytes))?;
            tally.print(out)?;
        }
        out.finish()?;
        tally.warn(report.inputs, &source.name);
        if is_cut {
            let all = files.len();
            note(format_args!("{inputs} of {all} samples were read"));
            return Ok(Answer::Interrupted);
        }
        Ok(self.texts.answer(&tally, Answer::Yes))
    }

    /// The model to add to.
    fn begin(&self, codec: &Arc<Codec>) -> Result<Model, Failure> {
        let file = self.output.display();
        if !self.update && !self.force.force && self.output.is_file() {
            return Err(Failure::new(
                format_args!("{file}: it exists already"),
                "add to it by --update, replace it by --force, or choose another name",
            ));
        }
        let mut model = match self.update {
            true => load(&self.output, codec)?,
            false => {
                let mut model = Model::new(codec, usize::from(self.context.unwrap_or(0)));
                model.set_least(DEFAULT_LEAST);
                model
            }
        };
        if let Some(context) = self.context
            && model.order() != usize::from(context)
        {
            return Err(Failure::new(
                format_args!("{file}: the model has --context {}", model.order()),
                "ask for the same, or learn all samples anew",
            ));
        }
        if let Some(smoothing) = self.smoothing {
            model.set_smoothing(smoothing);
        }
        if let Some(least) = self.least {
            model.set_least(least);
        }
        Ok(model)
    }

    /// Counts samples in several threads. Counts are sums, so it does not matter who counts what. Gives what came of each sample that was
    /// read: of all, unless there is an interrupt.
    fn count(
        &self,
        source: &Source,
        model: &Model,
        files: &[InputFile],
        kind: Kind,
    ) -> Result<(Vec<Model>, Vec<Option<LeftOut>>), Failure> {
        struct Worker {
            model: Model,
            learner: Learner,
            scratch: Scratch,
            workspace: Workspace,
            input: Vec<u8>,
            derivations: Vec<Vec<u8>>,
        }
        let codec = model.codec();
        let seed = self.random.random_seed;
        let texts = kind
            .is_text()
            .then(|| Texts::new(Parser::new(&source.graph), self.texts));
        let most = match self.all_derivations {
            true => DERIVATIONS,
            false => 1,
        };
        let _interrupt = Interrupt::listen();
        let progress = Progress::new(files.len() as u64, "samples");
        let task = |worker: &mut Worker, at: usize| {
            if Interrupt::is_set() {
                return Ok(None);
            }
            let file = &files[at];
            progress.add(1);
            read_input(&file.path, &mut worker.input)?;
            let Worker {
                model,
                learner,
                scratch,
                workspace,
                input,
                derivations,
            } = worker;
            let learned = match &texts {
                Some(texts) => {
                    let read = texts.read(&file.path, input, workspace, |forest| {
                        derivations.clear();
                        // Any thread draws the same.
                        let mut rng = Rng::new(seed.wrapping_add(at as u64));
                        forest.each_derivation(most, &mut rng, |choices| derivations.push(choices))
                    });
                    if let Err(left_out) = read {
                        return Ok(Some(Some(left_out)));
                    }
                    learner.learn_derivations(model, codec, derivations, scratch)
                }
                // What is slightly invalid counts as the sentence that it was made of.
                None => learner.learn(model, codec, slip::split(input).0, ONE, scratch),
            };
            learned.map_err(|error| Failure::of(file.path.display(), error))?;
            Ok(Some(None))
        };
        let worker = || {
            Ok(Worker {
                model: model.fork(),
                learner: Learner::new(),
                scratch: Scratch::default(),
                workspace: Workspace::new(),
                input: Vec::new(),
                derivations: Vec::new(),
            })
        };
        let block = if kind.is_text() { EACH } else { MANY };
        let (read, workers) = in_parallel(files.len(), block, worker, task)?;
        let models = workers.into_iter().map(|worker| worker.model).collect();
        Ok((models, read.into_iter().flatten().collect()))
    }
}
