//! Models: how often each choice of a grammar was made, in which context, and what is drawn from that.
//!
//! A [`Model`] counts the choices of samples: for each alternation its alternatives, for each quantifier how many repetitions
//! there were, for each class its members (Soremekun et al., *Inputs from Hell*, section 3.2). With an *order* above 0 it counts them
//! apart for each context, that is the last so many references of the path from the root; where a context was seen too rarely,
//! shorter ones stand in for it. A [`Reading`] says what is made of the counts: their proportions, their inversion, or
//! anything between ([`Reading::weigh`]). [`Tables`] are a reading made ready for drawing.
//!
//! | step | module | cost |
//! |---|---|---|
//! | where choices are counted | `layout` | a slot for each alternative and each head of a class |
//! | samples to counts | `learn` | one walk a sample; a step along a context is an array access |
//! | counts to weights | `reading`, with `real` | whole numbers only, so that all machines agree |
//! | weights to tables | `tables`, with `alias` | a random number and a look-up a choice |
//! | files | [`binary`], `json` (feature `import`) | linear |
//! | the notation | `notation` | linear |
//!
//! ```
//! use std::sync::Arc;
//! use pleach_core::model::{Model, Reading};
//! use pleach_core::{Codec, Grammar, Graph, Parser};
//!
//! let grammar: Grammar = "sum := num | sum '+' num | sum '-' num; num := [0-9];".parse()?;
//! let graph = Graph::new(grammar)?;
//! let codec = Arc::new(Codec::new(&graph));
//! let mut model = Model::new(&codec, 0);
//! model.learn(&Parser::new(&graph).encode(b"1+2+3")?)?;
//! let root = graph.grammar()[graph.grammar().start()].root;
//! assert_eq!(model.shares(root, &Reading::COMMON), [1.0 / 3.0, 2.0 / 3.0, 0.0]);
//! assert_eq!(model.shares(root, &Reading::UNCOMMON), [0.0, 0.0, 1.0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alias;
#[cfg(feature = "compiled")]
pub mod binary;
#[cfg(feature = "tools")]
pub mod json;
mod layout;
mod learn;
mod notation;
mod reading;
mod real;
mod tables;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::choice::{Codec, Scratch};
use crate::grammar::NodeKind;
use crate::graph::Graph;
use crate::id::{NodeId, ProductionId, SymbolId};

pub use learn::Learner;
pub use reading::{Exponent, Outcome, Reading};
pub use tables::{State, Tables};

use layout::{Layout, Place};

/// What a choice that was made once counts. Fractions come from derivations that share a sample.
pub const ONE: u64 = 1_000_000_000;
/// The greatest order of a model.
pub const MAX_ORDER: usize = 8;
/// The most contexts that a model keeps.
pub const MAX_CONTEXTS: usize = 1 << 16;
/// How often a node must have been seen in a context, unless set otherwise, for the context to count.
pub const DEFAULT_LEAST: u64 = 5;

/// In the path of a context: where the derivation begins.
const BEGIN: u32 = u32::MAX;
/// No context yet.
const UNKNOWN: u32 = u32::MAX;

/// Why something cannot be learned or merged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are more contexts than a model keeps.
    #[error(
        "the samples have more than {MAX_CONTEXTS} contexts of {order} references\n\
         help: let the model look at fewer references of the path"
    )]
    TooManyContexts {
        /// The order.
        order: usize,
    },
    /// Models of different grammars.
    #[error("the models are of different grammars\nhelp: learn them with the same one")]
    OtherGrammar,
    /// Models of different orders.
    #[error(
        "one model has contexts of {one} references, the other of {other}\nhelp: learn them alike"
    )]
    OtherOrder {
        /// The order of one.
        one: usize,
        /// The order of the other.
        other: usize,
    },
}

/// Counted choices.
#[derive(Clone, Debug)]
pub struct Model {
    codec: Arc<Codec>,
    layout: Arc<Layout>,
    order: usize,
    /// What is added to each possible choice of a node that was seen.
    smoothing: u64,
    /// What a node must come to in a context for the context to count.
    least: u64,
    samples: u64,
    /// The nodes of the largest sample.
    largest: u64,
    contexts: Vec<Context>,
    by_path: BTreeMap<(ProductionId, Box<[u32]>), u32>,
}

/// A context, for looking at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextView {
    /// The production whose choices are counted.
    pub production: ProductionId,
    /// The references above by name, the nearest last; `^` is where derivations begin.
    pub path: Vec<String>,
    at: u32,
}

/// What was chosen in a production below some references.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Context {
    production: ProductionId,
    /// The last references, the nearest last; [`BEGIN`] where the derivation begins.
    path: Box<[u32]>,
    counts: Counts,
    /// The context behind each symbol of the production, as far as it is known.
    next: Vec<u32>,
}

/// Counts by the places of a production.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Counts {
    /// Alternatives, and heads of classes.
    slots: Vec<u64>,
    /// How many repetitions there were, by quantifier.
    repetitions: Vec<BTreeMap<u32, u64>>,
    /// Members behind an escape: node, head, number.
    rests: BTreeMap<(NodeId, u32, u32), u64>,
}

impl Counts {
    fn new(layout: &Layout, production: ProductionId) -> Counts {
        let extent = layout.extent(production);
        Counts {
            slots: vec![0; extent.slots as usize],
            repetitions: vec![BTreeMap::new(); extent.quantifiers as usize],
            rests: BTreeMap::new(),
        }
    }

    fn add(&mut self, other: &Counts) {
        for (count, more) in self.slots.iter_mut().zip(&other.slots) {
            *count = count.saturating_add(*more);
        }
        for (counts, more) in self.repetitions.iter_mut().zip(&other.repetitions) {
            for (&times, &more) in more {
                let count = counts.entry(times).or_default();
                *count = count.saturating_add(more);
            }
        }
        for (&member, &more) in &other.rests {
            let count = self.rests.entry(member).or_default();
            *count = count.saturating_add(more);
        }
    }
}

impl Model {
    /// A model that has seen nothing and looks at so many references of the path, at most [`MAX_ORDER`].
    pub fn new(codec: &Arc<Codec>, order: usize) -> Model {
        Model {
            layout: Arc::new(Layout::new(codec)),
            codec: codec.clone(),
            order: order.min(MAX_ORDER),
            smoothing: 0,
            least: DEFAULT_LEAST * ONE,
            samples: 0,
            largest: 0,
            contexts: Vec::new(),
            by_path: BTreeMap::new(),
        }
    }

    /// The model that the grammar states by its probabilities. What it does not state is not specified.
    pub fn stated(codec: &Arc<Codec>) -> Model {
        let mut model = Model::new(codec, 0);
        let graph = codec.graph().clone();
        let grammar = graph.grammar();
        for (id, node) in grammar.nodes().iter() {
            let Place::Alternation { slot, .. } = model.layout.place(id) else {
                continue;
            };
            let children = grammar.children(id);
            let stated =
                |&child: &NodeId| grammar.stated_probability(child).map(|it| u64::from(it.0));
            let unstated = children.iter().filter(|&it| stated(it).is_none()).count() as u64;
            let sum: u64 = children.iter().filter_map(stated).sum();
            let share = ONE.saturating_sub(sum).checked_div(unstated).unwrap_or(0);
            if unstated == children.len() as u64 || sum + share * unstated == 0 {
                continue;
            }
            // An order of 0 has few contexts: one a production.
            let Ok(context) = model.context(node.production, &[]) else {
                continue;
            };
            let slots = &mut model.contexts[context as usize].counts.slots;
            for (child, slot) in children.iter().zip(&mut slots[slot as usize..]) {
                *slot = stated(child).unwrap_or(share);
            }
        }
        model
    }

    /// Adds so much to each possible choice of what was seen at all; [`ONE`] counts as one more sample of each.
    pub fn set_smoothing(&mut self, smoothing: u64) {
        self.smoothing = smoothing;
    }

    /// What is added to each possible choice.
    pub fn smoothing(&self) -> u64 {
        self.smoothing
    }

    /// Sets how often a node must have been seen in a context for the context to count.
    pub fn set_least(&mut self, least: u64) {
        self.least = least.saturating_mul(ONE);
    }

    /// How often a node must have been seen in a context for the context to count.
    pub fn least(&self) -> u64 {
        self.least / ONE
    }

    /// How many references of the path make a context.
    pub fn order(&self) -> usize {
        self.order
    }

    /// How many samples were learned.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The nodes of the largest sample, symbolic and synthetic.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// How many contexts were seen; with an order of 0, how many productions.
    pub fn context_count(&self) -> usize {
        self.contexts.len()
    }

    /// The codec of the grammar.
    pub fn codec(&self) -> &Arc<Codec> {
        &self.codec
    }

    /// The graph of the grammar.
    pub fn graph(&self) -> &Arc<Graph> {
        self.codec.graph()
    }

    /// What ties a model to its grammar: the grammar's fingerprint without probabilities, so that an annotated grammar has the
    /// models of the plain one.
    pub fn fingerprint(&self) -> u64 {
        self.layout.fingerprint()
    }

    /// A model of the same kind that has seen nothing, to learn in another thread.
    pub fn fork(&self) -> Model {
        Model {
            samples: 0,
            largest: 0,
            contexts: Vec::new(),
            by_path: BTreeMap::new(),
            ..self.clone()
        }
    }

    /// Counts the choices of a sample. The bytes of a choice sequence without slips; see [`Learner`] for many of them.
    ///
    /// # Errors
    ///
    /// If there are more than [`MAX_CONTEXTS`] contexts; then some of the sample's choices are counted.
    pub fn learn(&mut self, choices: &[u8]) -> Result<(), Error> {
        let codec = self.codec.clone();
        let mut learner = Learner::new();
        learner.learn(self, &codec, choices, ONE, &mut Scratch::default())
    }

    /// Adds what another model has counted. O(contexts).
    ///
    /// # Errors
    ///
    /// If the other one is of another grammar or order, or if there are too many contexts.
    pub fn merge(&mut self, other: &Model) -> Result<(), Error> {
        if self.fingerprint() != other.fingerprint() {
            return Err(Error::OtherGrammar);
        }
        if self.order != other.order {
            return Err(Error::OtherOrder {
                one: self.order,
                other: other.order,
            });
        }
        for context in &other.contexts {
            let at = self.context(context.production, &context.path)?;
            self.contexts[at as usize].counts.add(&context.counts);
        }
        self.samples = self.samples.saturating_add(other.samples);
        self.largest = self.largest.max(other.largest);
        Ok(())
    }

    /// Makes the choices of a production as likely as each other wherever they were seen, as if each alternative and each member of a
    /// class had been chosen once (FdLoop, *Directed Grammar-Based Test Generation*, section 3.4.1). Numbers of repetitions are no
    /// longer specified. O(contexts).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use pleach_core::model::{Model, Reading};
    /// # use pleach_core::{Codec, Grammar, Graph, Parser};
    /// let grammar: Grammar = "sum := num | sum '+' num | sum '-' num; num := [0-9];".parse()?;
    /// let graph = Graph::new(grammar)?;
    /// let mut model = Model::new(&Arc::new(Codec::new(&graph)), 0);
    /// model.learn(&Parser::new(&graph).encode(b"1+2+3")?)?;
    /// let grammar = graph.grammar();
    /// model.make_uniform(grammar.start());
    /// let root = grammar[grammar.start()].root;
    /// assert_eq!(model.shares(root, &Reading::COMMON), [1.0 / 3.0; 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn make_uniform(&mut self, production: ProductionId) {
        let Some(data) = self.graph().grammar().productions().get(production) else {
            return;
        };
        let nodes = data.first_node.0..data.first_node.0 + data.node_count;
        let mut counts = Counts::new(&self.layout, production);
        for node in nodes.map(NodeId) {
            let (slot, members) = match self.layout.place(node) {
                Place::Alternation { slot, count } => (slot, vec![1; count as usize]),
                Place::Class { slot, class } => {
                    let class = self.codec.class(class);
                    let heads = 0..class.head_count();
                    (slot, heads.map(|head| class.rest_count(head)).collect())
                }
                Place::None | Place::Quantifier { .. } => continue,
            };
            for (count, members) in counts.slots[slot as usize..].iter_mut().zip(members) {
                *count = ONE.saturating_mul(members.into());
            }
        }
        for context in &mut self.contexts {
            if context.production == production {
                context.counts = counts.clone();
            }
        }
    }

    /// The context of a path, made if need be.
    fn context(&mut self, production: ProductionId, path: &[u32]) -> Result<u32, Error> {
        if let Some(&known) = self.by_path.get(&(production, path.into())) {
            return Ok(known);
        }
        if self.contexts.len() >= MAX_CONTEXTS {
            return Err(Error::TooManyContexts { order: self.order });
        }
        let at = self.contexts.len() as u32;
        let symbols = self.graph().grammar()[production].symbol_count;
        self.contexts.push(Context {
            production,
            path: path.into(),
            counts: Counts::new(&self.layout, production),
            next: vec![UNKNOWN; symbols as usize],
        });
        self.by_path.insert((production, path.into()), at);
        Ok(at)
    }

    /// The context in which derivations begin.
    fn begin(&mut self) -> Result<u32, Error> {
        let start = self.graph().grammar().start();
        match self.order {
            0 => self.context(start, &[]),
            _ => self.context(start, &[BEGIN]),
        }
    }

    /// The context behind a reference. O(1) once it is known.
    #[inline]
    fn step(&mut self, from: u32, symbol: SymbolId) -> Result<u32, Error> {
        let graph = self.codec.graph();
        let context = &self.contexts[from as usize];
        let first = graph.grammar()[context.production].first_symbol;
        let at = symbol.0.wrapping_sub(first.0) as usize;
        match context.next.get(at) {
            Some(&UNKNOWN) => self.new_step(from, symbol, at),
            Some(&known) => Ok(known),
            // What is written elsewhere; a walk never goes there.
            None => Ok(from),
        }
    }

    #[cold]
    fn new_step(&mut self, from: u32, symbol: SymbolId, at: usize) -> Result<u32, Error> {
        let Some(target) = self.codec.graph().target_of(symbol) else {
            return Ok(from);
        };
        let mut path = self.contexts[from as usize].path.to_vec();
        path.push(symbol.0);
        let path = &path[path.len().saturating_sub(self.order)..];
        let to = self.context(target, path)?;
        self.contexts[from as usize].next[at] = to;
        Ok(to)
    }

    /// All counts, whatever their contexts: of each production and each end of a path. Sorted.
    fn pooled(&self) -> BTreeMap<(ProductionId, Box<[u32]>), Counts> {
        let mut pooled = BTreeMap::new();
        for context in &self.contexts {
            for from in 0..=context.path.len() {
                let key = (context.production, context.path[from..].into());
                let counts = pooled.entry(key);
                let counts: &mut Counts =
                    counts.or_insert_with(|| Counts::new(&self.layout, context.production));
                counts.add(&context.counts);
            }
        }
        pooled
    }

    /// The contexts that were seen, sorted.
    pub fn contexts(&self) -> Vec<ContextView> {
        let grammar = self.graph().grammar();
        let name = |&symbol: &u32| match symbol {
            BEGIN => "^".to_owned(),
            symbol => grammar.symbol_name(SymbolId(symbol)),
        };
        let view =
            |(&(production, ref path), &at): (&(ProductionId, Box<[u32]>), &u32)| ContextView {
                production,
                path: path.iter().map(name).collect(),
                at,
            };
        self.by_path.iter().map(view).collect()
    }

    /// The outcomes of a node of a context's production in that context; nothing if none is specified.
    pub fn outcomes_in(
        &self,
        context: &ContextView,
        node: NodeId,
        reading: &Reading,
    ) -> Vec<Outcome> {
        let context = self.contexts.get(context.at as usize);
        context.map_or_else(Vec::new, |it| self.read(node, &it.counts, reading))
    }

    /// The outcomes of a node that chooses, over all contexts; nothing if none is specified.
    pub fn outcomes(&self, node: NodeId, reading: &Reading) -> Vec<Outcome> {
        let Some(data) = self.graph().grammar().nodes().get(node) else {
            return Vec::new();
        };
        let mut counts = Counts::new(&self.layout, data.production);
        for context in &self.contexts {
            if context.production == data.production {
                counts.add(&context.counts);
            }
        }
        self.read(node, &counts, reading)
    }

    /// The probabilities of an alternation's alternatives, over all contexts; nothing if none is specified. For looking at:
    /// drawing does not use such numbers.
    pub fn shares(&self, alternation: NodeId, reading: &Reading) -> Vec<f64> {
        match self.graph().grammar()[alternation].kind {
            NodeKind::Alternation => {
                let outcomes = self.outcomes(alternation, reading);
                let total: u128 = outcomes.iter().map(|it| u128::from(it.weight)).sum();
                let share = |it: &Outcome| it.weight as f64 / total as f64;
                outcomes.iter().map(share).collect()
            }
            _ => Vec::new(),
        }
    }
}
