//! Where inputs come from.
//!
//! A model gives what it was told is common, or the opposite (Soremekun et al., *Inputs from Hell*); the grammar gives what its
//! probabilities say; covering sets give k-paths one after the other, for k from 1 on.

use std::sync::Arc;

use pleach_core::Codec;
use pleach_core::choice::SiteIndex;
use pleach_core::generate::{Cover, CoverBuilder, Generator, Limits, Packing, Sampler};
use pleach_core::model::{Model, Reading, Tables};
use pleach_core::rng::Rng;

/// The longest paths that covering sets are made for.
const MAX_K: usize = 5;
/// The nodes that follow a model at the least: models of small inputs make larger ones, too.
const MODEL_NODES: u32 = 1000;

/// An endless source of derivations.
#[derive(Debug)]
pub enum Source {
    /// By a model, of which a reading was made.
    Model(Box<Sampler>),
    /// By the probabilities that the grammar states.
    Grammar(Box<Generator>),
    /// Covering sets, and when all are used up, by the grammar.
    Cover(Box<Covering>),
}

/// Covering sets, one after the other.
#[derive(Debug)]
pub struct Covering {
    codec: Arc<Codec>,
    k: usize,
    cover: Option<Cover>,
    max_len: u32,
    seed: u64,
    otherwise: Generator,
}

/// Bounds of inputs of so many bytes, or of as many as the grammar needs.
fn limits(codec: &Codec, max_len: u32, usual: Limits) -> Limits {
    let limits = Limits { max_len, ..usual };
    limits.at_least(Limits::needed_by(codec.graph()))
}

impl Source {
    /// Inputs by a reading of a model. O(grammar · contexts).
    pub fn model(codec: &Arc<Codec>, model: &Model, reading: &Reading, max_len: u32) -> Source {
        let largest = u32::try_from(model.largest()).unwrap_or(u32::MAX);
        let limits = limits(codec, max_len, Limits::NONE);
        let budget = largest.max(MODEL_NODES).min(limits.max_nodes);
        let tables = Tables::new(model, reading);
        Source::Model(Box::new(Sampler::new(codec, tables, limits, budget)))
    }

    /// Inputs by the grammar's own probabilities.
    pub fn grammar(codec: &Arc<Codec>, max_len: u32, seed: u64) -> Source {
        let limits = limits(codec, max_len, Limits::default());
        Source::Grammar(Box::new(Generator::new(codec, limits, Rng::new(seed))))
    }

    /// Inputs that cover k-paths.
    pub fn cover(codec: &Arc<Codec>, max_len: u32, seed: u64) -> Source {
        let limits = limits(codec, max_len, Limits::default());
        Source::Cover(Box::new(Covering {
            codec: codec.clone(),
            k: 0,
            cover: None,
            max_len: limits.max_len,
            seed,
            otherwise: Generator::new(codec, limits, Rng::new(seed)),
        }))
    }

    /// Derives an input into `index`.
    pub fn next(&mut self, rng: &mut Rng, index: &mut SiteIndex) {
        match self {
            Source::Model(sampler) => sampler.sample(rng, index),
            Source::Grammar(generator) => generator.generate(index),
            Source::Cover(covering) => covering.next(index),
        }
    }
}

impl Covering {
    fn next(&mut self, index: &mut SiteIndex) {
        loop {
            if let Some(cover) = &mut self.cover
                && cover.next_input(index)
            {
                return;
            }
            if self.k >= MAX_K {
                return self.otherwise.generate(index);
            }
            self.k += 1;
            let cover = CoverBuilder::new()
                .packing(Packing::Small)
                .max_len(Some(self.max_len))
                .seed(self.seed)
                .build(self.codec.graph(), self.k);
            match cover {
                Ok(cover) => self.cover = Some(cover),
                // There are too many paths, and of longer ones even more.
                Err(_) => self.k = MAX_K,
            }
        }
    }
}
