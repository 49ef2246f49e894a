//! The texts that are learned from, with their features.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use pleach_associate::features::Reader;
use pleach_associate::{Extractor, FeatureVector};
use pleach_core::Codec;
use pleach_core::choice::SiteIndex;
use pleach_core::generate::{CoverBuilder, Generator, Limits, Packing};
use pleach_core::parse::{Budget, Refusal};
use pleach_core::rng::Rng;

use crate::failure::{Failure, warn};
use crate::input::collect;
use crate::parallel::{ONE, in_parallel, most_threads};
use crate::progress::Progress;
use crate::report::count;
use crate::target::Subject;
use crate::text::BudgetArgs;

/// The symbols of the paths that made inputs cover.
const COVERED: usize = 2;
/// The inputs of a covering set at the most: grammars of thousands of nodes have many paths.
const MOST_COVERING: usize = 2000;

/// Texts and their features.
pub(super) struct Observed {
    pub(super) texts: Vec<Vec<u8>>,
    pub(super) vectors: Vec<FeatureVector>,
    /// For each of all texts, its place among those that are left.
    pub(super) places: Vec<Option<usize>>,
    /// Texts without features.
    pub(super) left_out: u64,
    /// Those of them whose parse takes more than the budget.
    out_of_budget: u64,
}

/// Makes inputs for a target: random ones, a covering set, and those of its corpus.
pub(super) fn make(subject: &Subject, n: u64, seed: u64) -> Result<Vec<Vec<u8>>, Failure> {
    let graph = &subject.source.graph;
    let codec = Arc::new(Codec::new(graph));
    let mut made = random(subject, &codec, n, seed)?;
    let cover = CoverBuilder::new()
        .packing(Packing::Small)
        .texts(true)
        .seed(seed)
        .build(graph, COVERED);
    let mut choices = Vec::new();
    // Without a covering set, if there are too many paths.
    if let Ok(mut cover) = cover {
        let mut index = SiteIndex::new();
        while choices.len() < MOST_COVERING && cover.next_input(&mut index) {
            choices.push(index.canonical().to_vec());
        }
    }
    made.extend(subject.texts_of(&codec, &choices)?);
    if let Some(corpus) = subject.corpus() {
        made.extend(subject.texts(&collect(&[corpus])?)?);
    }
    Ok(made)
}

/// Random sentences, no deeper than usual.
pub(super) fn random(
    subject: &Subject,
    codec: &Arc<Codec>,
    n: u64,
    seed: u64,
) -> Result<Vec<Vec<u8>>, Failure> {
    let mut generator = Generator::new(codec, Limits::default(), Rng::new(seed));
    let mut index = SiteIndex::new();
    let mut choices = Vec::new();
    for _ in 0..n {
        generator.generate(&mut index);
        choices.push(index.canonical().to_vec());
    }
    subject.texts_of(codec, &choices)
}

/// The texts of files.
pub(super) fn read(subject: &Subject, paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, Failure> {
    subject.texts(&collect(paths)?)
}

/// The features of different texts.
pub(super) fn observe(
    extractor: &Extractor,
    texts: Vec<Vec<u8>>,
    budget: BudgetArgs,
) -> Result<Observed, Failure> {
    let mut known = BTreeSet::new();
    let texts = texts.into_iter().filter(|text| known.insert(text.clone()));
    observe_all(extractor, texts.collect(), budget)
}

/// The features of texts, the same ones again and again if they are there so often.
pub(super) fn observe_all(
    extractor: &Extractor,
    texts: Vec<Vec<u8>>,
    budget: BudgetArgs,
) -> Result<Observed, Failure> {
    let vectors = extract(extractor, &texts, budget.budget())?;
    let mut observed = Observed {
        texts: Vec::new(),
        vectors: Vec::new(),
        places: Vec::new(),
        left_out: 0,
        out_of_budget: 0,
    };
    for (text, vector) in texts.into_iter().zip(vectors) {
        match vector {
            Ok(vector) => {
                observed.places.push(Some(observed.texts.len()));
                observed.texts.push(text);
                observed.vectors.push(vector);
            }
            Err(refusal) => {
                observed.places.push(None);
                observed.left_out += 1;
                let is_unknown = !matches!(refusal, Refusal::NoSentence { .. });
                observed.out_of_budget += u64::from(is_unknown);
            }
        }
    }
    Ok(observed)
}

/// The features of each text that is a sentence.
pub(super) fn extract(
    extractor: &Extractor,
    texts: &[Vec<u8>],
    budget: Budget,
) -> Result<Vec<Result<FeatureVector, Refusal>>, Failure> {
    let progress = Progress::new(texts.len() as u64, "texts");
    // Threads share the memory.
    let share = Budget {
        bytes: budget.bytes / most_threads() as u64,
        ..budget
    };
    let task = |reader: &mut Reader, at: usize| {
        let vector = extractor.extract_within(&texts[at], share, reader);
        progress.add(1);
        Ok(vector)
    };
    let (vectors, _) = in_parallel(texts.len(), ONE, || Ok(Reader::default()), task)?;
    Ok(vectors)
}

impl Observed {
    /// Fails if there are no texts, and warns if most are left out.
    pub(super) fn check(&self, grammar: &str) -> Result<(), Failure> {
        let all = self.places.len() as u64;
        if self.texts.is_empty() {
            return Err(match all {
                0 => Failure::new(
                    "there are no inputs",
                    "name files, or directories that have some",
                ),
                _ => Failure::new(
                    format_args!("none of {} is a sentence of {grammar}", count(all, "input")),
                    "name the grammar that the inputs follow by --grammar, or other inputs",
                ),
            });
        }
        if self.left_out > 0 {
            let why = match self.out_of_budget {
                0 => String::new(),
                some => format!("; {some} of them take more than --max-steps or --max-memory"),
            };
            warn(format_args!(
                "{} of {} left out: not sentences of {grammar}{why}",
                self.left_out,
                count(all, "input")
            ));
        }
        Ok(())
    }

    /// Keeps only some of the texts that are left.
    pub(super) fn retain(&mut self, is_kept: impl Fn(usize) -> bool) {
        let kept: Vec<usize> = (0..self.texts.len()).filter(|&at| is_kept(at)).collect();
        let mut texts = std::mem::take(&mut self.texts);
        let mut vectors = std::mem::take(&mut self.vectors);
        for at in kept {
            self.texts.push(std::mem::take(&mut texts[at]));
            self.vectors.push(std::mem::take(&mut vectors[at]));
        }
        self.places.clear();
    }

    /// Forgets which texts were left out.
    pub(super) fn finish(&mut self) {
        self.places = Vec::new();
    }
}
