//! Regeneration that draws from a model: one that was learned before, or one that learns from what the engine keeps.
//!
//! A model that learns is read anew each time that what it has learned has grown by a quarter, so reading costs a constant share.
//! Some of its choices stay uniform, so that nothing starves.

use std::sync::Arc;

use crate::choice::{Codec, ROOT, Scratch, Site};
use crate::generate::{Drawn, Guide, GuideStack, Stated};
use crate::id::NodeId;
use crate::model::{Learner, Model, ONE, Reading, Tables};

/// The share of uniform choices of a model that learns, out of 2^16: an eighth.
const UNIFORM: u16 = 1 << 13;
/// What a model that learns has learned before it is drawn from.
const FIRST: u64 = 16;

/// A model in use.
#[derive(Debug)]
pub(super) struct Guidance {
    model: Model,
    reading: Reading,
    tables: Tables,
    stack: GuideStack,
    /// Where it learns, and how many samples it takes to be read anew.
    lessons: Option<(Learner, Scratch)>,
    next: u64,
}

impl Guidance {
    /// Draws from a model.
    pub(super) fn new(model: Model, reading: Reading) -> Guidance {
        Guidance {
            tables: Tables::new(&model, &reading),
            next: u64::MAX,
            model,
            reading,
            stack: GuideStack::default(),
            lessons: None,
        }
    }

    /// Draws from a model that learns on.
    pub(super) fn learning(model: Model) -> Guidance {
        let reading = Reading {
            uniform: UNIFORM,
            ..Reading::COMMON
        };
        let next = model.samples().saturating_add(FIRST);
        Guidance {
            next,
            lessons: Some((Learner::new(), Scratch::default())),
            ..Guidance::new(model, reading)
        }
    }

    /// An input was kept.
    pub(super) fn kept(&mut self, codec: &Codec, choices: &[u8]) {
        let Some((learner, scratch)) = &mut self.lessons else {
            return;
        };
        // With an order of 0 there are never too many contexts; a given model that has too many learns no more.
        if learner
            .learn(&mut self.model, codec, choices, ONE, scratch)
            .is_err()
        {
            self.lessons = None;
            return;
        }
        let samples = self.model.samples();
        if samples >= self.next {
            self.next = samples + (samples / 4).max(FIRST);
            self.tables = Tables::new(&self.model, &self.reading);
        }
    }

    /// How many inputs the model has learned.
    pub(super) fn samples(&self) -> u64 {
        self.model.samples()
    }

    /// Draws for a node directly below site `parent` of `host`.
    pub(super) fn draw<'a>(
        &'a mut self,
        codec: &'a Arc<Codec>,
        node: NodeId,
        (host, parent): (&'a [Site], u32),
        otherwise: Stated<'a>,
    ) -> Drawn<'a> {
        let graph = codec.graph();
        let state = match node {
            ROOT => self.tables.begin(),
            node => {
                let production = graph.grammar()[node].production;
                self.tables
                    .state_below(codec.references_above(host, parent), production)
            }
        };
        Drawn::Guided(Guide::new(
            graph,
            &self.tables,
            otherwise,
            &mut self.stack,
            state,
        ))
    }
}
