//! Counting the choices of samples: one walk each, or one for each derivation.

use crate::choice::{ClassCode, Codec, MemberChoice, ROOT, Scratch, Sink};
use crate::id::{NodeId, SymbolId};

use super::layout::Place;
use super::{Error, Model, ONE};

/// Counts samples into a model; keeps its stacks from sample to sample.
#[derive(Debug, Default)]
pub struct Learner {
    contexts: Vec<u32>,
    open: Vec<Open>,
    failure: Option<Error>,
}

/// A node with something below it that has begun.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Where a quantifier's repetitions are counted.
    quantifier: Option<u32>,
    repetitions: u32,
}

impl Learner {
    /// A learner with empty stacks.
    pub fn new() -> Learner {
        Learner::default()
    }

    /// Counts the choices of a sample, each as so much; with [`ONE`], each as one. O(choices).
    ///
    /// # Errors
    ///
    /// If there are too many contexts; then some of the sample's choices are counted.
    pub fn learn(
        &mut self,
        model: &mut Model,
        codec: &Codec,
        choices: &[u8],
        weight: u64,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        self.count(model, codec, choices, weight, scratch)?;
        if weight == ONE {
            model.samples = model.samples.saturating_add(1);
        }
        Ok(())
    }

    /// Counts several derivations of one sample, each with the same share of [`ONE`], to within a unit. O(choices).
    ///
    /// # Errors
    ///
    /// If there are too many contexts; then some of the sample's choices are counted.
    pub fn learn_derivations(
        &mut self,
        model: &mut Model,
        codec: &Codec,
        derivations: &[Vec<u8>],
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let count = derivations.len() as u64;
        for (at, choices) in (0u64..).zip(derivations) {
            // The first ones take what cannot be shared.
            let weight = ONE / count + u64::from(at < ONE % count);
            self.count(model, codec, choices, weight, scratch)?;
        }
        model.samples = model.samples.saturating_add(u64::from(count > 0));
        Ok(())
    }

    fn count(
        &mut self,
        model: &mut Model,
        codec: &Codec,
        choices: &[u8],
        weight: u64,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        self.contexts.clear();
        self.open.clear();
        self.failure = None;
        let mut counter = Counter {
            learner: self,
            model,
            weight,
            nodes: 0,
        };
        codec.walk(choices, scratch, &mut counter);
        let nodes = counter.nodes;
        model.largest = model.largest.max(nodes);
        self.failure.take().map_or(Ok(()), Err)
    }
}

struct Counter<'a> {
    learner: &'a mut Learner,
    model: &'a mut Model,
    weight: u64,
    nodes: u64,
}

impl Counter<'_> {
    /// The context at hand; none once counting has failed.
    #[inline]
    fn context(&self) -> Option<usize> {
        self.learner
            .contexts
            .last()
            .map(|&context| context as usize)
    }

    #[inline]
    fn count(&mut self, slot: u32) {
        if let Some(context) = self.context()
            && let Some(count) = self.model.contexts[context]
                .counts
                .slots
                .get_mut(slot as usize)
        {
            *count = count.saturating_add(self.weight);
        }
    }
}

impl Sink for Counter<'_> {
    fn open(&mut self, node: NodeId, symbol: Option<SymbolId>) {
        self.nodes += u64::from(node != ROOT);
        if node == ROOT || symbol.is_some() {
            let context = match (symbol, self.learner.contexts.last()) {
                (Some(symbol), Some(&from)) => self.model.step(from, symbol),
                _ => self.model.begin(),
            };
            match context {
                Ok(context) => self.learner.contexts.push(context),
                Err(error) => {
                    self.learner.failure.get_or_insert(error);
                    // What is below is counted nowhere that matters: the model is given up.
                    let last = self.learner.contexts.last().copied();
                    self.learner.contexts.extend(last);
                }
            }
        } else if let Place::Quantifier { index, min, .. } = self.model.layout.place(node) {
            self.learner.open.push(Open {
                quantifier: Some(index),
                repetitions: min,
            });
            return;
        }
        self.learner.open.push(Open {
            quantifier: None,
            repetitions: 0,
        });
    }

    fn close(&mut self, symbolic: bool) {
        let open = self.learner.open.pop();
        if symbolic {
            self.learner.contexts.pop();
            return;
        }
        if let Some(Open {
            quantifier: Some(index),
            repetitions,
        }) = open
            && let Some(context) = self.context()
        {
            let counts = &mut self.model.contexts[context].counts;
            if let Some(counts) = counts.repetitions.get_mut(index as usize) {
                let count = counts.entry(repetitions).or_default();
                *count = count.saturating_add(self.weight);
            }
        }
    }

    fn literal(&mut self, _: NodeId, _: Option<SymbolId>, _: &[u8]) {
        self.nodes += 1;
    }

    fn member(
        &mut self,
        node: NodeId,
        _: Option<SymbolId>,
        class: &ClassCode,
        choice: MemberChoice,
    ) {
        self.nodes += 1;
        if let Place::Class { slot, .. } = self.model.layout.place(node) {
            self.count(slot + choice.head);
        }
        if class.rest_count(choice.head) > 1
            && let Some(context) = self.context()
        {
            let rests = &mut self.model.contexts[context].counts.rests;
            let count = rests.entry((node, choice.head, choice.rest)).or_default();
            *count = count.saturating_add(self.weight);
        }
    }

    fn alternative(&mut self, node: NodeId, index: u32, _: u32, _: u32) {
        if let Place::Alternation { slot, .. } = self.model.layout.place(node) {
            self.count(slot + index);
        }
    }

    fn more(&mut self, _: NodeId, more: bool) {
        if more && let Some(open) = self.learner.open.last_mut() {
            open.repetitions += 1;
        }
    }
}
