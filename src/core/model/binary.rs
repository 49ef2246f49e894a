//! Models in binary.
//!
//! ```text
//! magic  version  fingerprint  checksum  payload (bincode, numbers of variable length)
//! 8      4        8            8         settings  contexts, sorted: production  path  counts
//! ```
//!
//! What is read is not trusted: counts have to fit the grammar of the codec that is given, and paths have to lead where they say. Zeros
//! are not written. Equal models give equal bytes, whatever the order in which samples came.

use std::hash::Hasher as _;
use std::sync::Arc;

use bincode::{Decode, Encode};
use siphasher::sip::SipHasher13;

use crate::choice::Codec;
use crate::id::{NodeId, ProductionId, SymbolId};

use super::layout::Place;
use super::{BEGIN, Counts, MAX_CONTEXTS, MAX_ORDER, Model};

/// No UTF-8, so no text begins like this.
const MAGIC: &[u8; 8] = b"\xffpleachM";
/// The format that is written, and the only one that is read.
pub const VERSION: u32 = 1;
const HEADER_BYTES: usize = 8 + 4 + 8 + 8;
/// The most that a model may take.
const MAX_BYTES: usize = 1 << 28;

/// Why something is not a model of a grammar.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It does not begin as models do.
    #[error("this is not a model\nhelp: `pleach learn GRAMMAR SAMPLES -o FILE` makes one")]
    NoModel,
    /// It is of another version of the format.
    #[error(
        "this model is of format {found}, and this version of pleach reads format {VERSION}\n\
         help: learn it again, or write it as JSON by the version that made it"
    )]
    Version {
        /// The version it is of.
        found: u32,
    },
    /// It is cut, or something else was written over it.
    #[error("this model is damaged: {what}\nhelp: correct it if it is JSON, or learn it again")]
    Damaged {
        /// What is wrong.
        what: String,
    },
    /// It was learned with another grammar.
    #[error(
        "this is a model of the grammar with the fingerprint {found:016x}, and this one has {wanted:016x}\n\
         help: name the grammar that it was learned with, or learn it again; probabilities do not count for this fingerprint"
    )]
    OtherGrammar {
        /// The fingerprint of its grammar.
        found: u64,
        /// That of the grammar at hand.
        wanted: u64,
    },
}

pub(super) fn damaged(what: impl Into<String>) -> Error {
    Error::Damaged { what: what.into() }
}

/// A model without its grammar.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
pub(super) struct Stored {
    pub(super) order: u32,
    pub(super) smoothing: u64,
    pub(super) least: u64,
    pub(super) samples: u64,
    pub(super) largest: u64,
    pub(super) contexts: Vec<StoredContext>,
}

/// A context with what was counted in it.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
pub(super) struct StoredContext {
    pub(super) production: u32,
    pub(super) path: Vec<u32>,
    /// By node of the production.
    pub(super) nodes: Vec<StoredNode>,
}

/// What was counted at a node: its number in the production, and counts by head, number behind the head or of repetitions.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
pub(super) struct StoredNode {
    pub(super) node: u32,
    pub(super) counts: Vec<(u32, u32, u64)>,
}

impl Model {
    /// What is kept of a model, sorted.
    pub(super) fn store(&self) -> Stored {
        let mut contexts = Vec::with_capacity(self.contexts.len());
        for (&(production, ref path), &at) in &self.by_path {
            let counts = &self.contexts[at as usize].counts;
            let written = &self.graph().grammar()[production];
            let mut nodes = Vec::new();
            for node in 0..written.node_count {
                let id = NodeId(written.first_node.0 + node);
                let counts = self.counts_of(id, counts);
                if !counts.is_empty() {
                    nodes.push(StoredNode { node, counts });
                }
            }
            contexts.push(StoredContext {
                production: production.0,
                path: path.to_vec(),
                nodes,
            });
        }
        Stored {
            order: self.order as u32,
            smoothing: self.smoothing,
            least: self.least,
            samples: self.samples,
            largest: self.largest,
            contexts,
        }
    }

    /// What was counted at a node, without zeros. Of a class with members behind a head, these.
    pub(super) fn counts_of(&self, node: NodeId, counts: &Counts) -> Vec<(u32, u32, u64)> {
        let seen = |&(_, _, count): &(u32, u32, u64)| count > 0;
        let heads = |slot: u32, heads: u32| {
            let slots = counts.slots.get(slot as usize..(slot + heads) as usize);
            (0u32..)
                .zip(slots.unwrap_or_default())
                .map(|(head, &count)| (head, 0, count))
        };
        match self.layout.place(node) {
            Place::None => Vec::new(),
            Place::Alternation { slot, count } => heads(slot, count).filter(seen).collect(),
            Place::Class { slot, class } => {
                let class = self.codec.class(class);
                let mut all = Vec::new();
                for one in heads(slot, class.head_count()) {
                    match class.rest_count(one.0) {
                        1 => all.push(one),
                        _ => {
                            let rests = (node, one.0, 0)..=(node, one.0, u32::MAX);
                            let rests = counts.rests.range(rests);
                            all.extend(rests.map(|(&(_, head, rest), &count)| (head, rest, count)));
                        }
                    }
                }
                all.retain(seen);
                all
            }
            Place::Quantifier { index, .. } => {
                let counts = counts.repetitions.get(index as usize).into_iter().flatten();
                counts
                    .map(|(&times, &count)| (0, times, count))
                    .filter(seen)
                    .collect()
            }
        }
    }

    /// Makes a model of what was kept.
    pub(super) fn restore(codec: &Arc<Codec>, stored: Stored) -> Result<Model, Error> {
        if stored.order as usize > MAX_ORDER || stored.contexts.len() > MAX_CONTEXTS {
            return Err(damaged("more contexts than models have"));
        }
        let mut model = Model::new(codec, stored.order as usize);
        model.smoothing = stored.smoothing;
        model.least = stored.least;
        model.samples = stored.samples;
        model.largest = stored.largest;
        for context in stored.contexts {
            let id = ProductionId(context.production);
            let grammar = codec.graph().grammar().clone();
            let Some(production) = grammar.productions().get(id) else {
                return Err(damaged("a production that the grammar does not have"));
            };
            model.check_path(id, &context.path)?;
            if model
                .by_path
                .contains_key(&(id, context.path.as_slice().into()))
            {
                return Err(damaged("a context twice"));
            }
            let mut counts = Counts::new(&model.layout, id);
            for StoredNode { node, counts: them } in context.nodes {
                if node >= production.node_count {
                    return Err(damaged("a node that its production does not have"));
                }
                let node = NodeId(production.first_node.0 + node);
                for (head, number, count) in them {
                    model.put(node, (head, number), count, &mut counts)?;
                }
            }
            let at = model
                .context(id, &context.path)
                .map_err(|_| damaged("more contexts than models have"))?;
            model.contexts[at as usize].counts = counts;
        }
        Ok(model)
    }

    /// Whether a path leads to a production.
    fn check_path(&self, production: ProductionId, path: &[u32]) -> Result<(), Error> {
        let graph = self.graph();
        let wrong = || damaged("a path that leads elsewhere");
        let mut here = None;
        for (at, &symbol) in path.iter().enumerate() {
            if at == 0 && symbol == BEGIN {
                here = Some(graph.grammar().start());
                continue;
            }
            let symbol = SymbolId(symbol);
            if symbol.0 as usize >= graph.symbol_count()
                || here.is_some_and(|here| graph.production_of(symbol) != here)
            {
                return Err(wrong());
            }
            here = Some(graph.target_of(symbol).ok_or_else(wrong)?);
        }
        let is_whole = path.len() == self.order || path.first() == Some(&BEGIN);
        match path.len() <= self.order && is_whole && here.is_none_or(|here| here == production) {
            true => Ok(()),
            false => Err(wrong()),
        }
    }

    /// Enters a count.
    fn put(
        &self,
        node: NodeId,
        (head, number): (u32, u32),
        count: u64,
        counts: &mut Counts,
    ) -> Result<(), Error> {
        let beyond = || damaged("a choice that its node does not have");
        let mut add = |slot: u32| {
            let slot = counts.slots.get_mut(slot as usize).ok_or_else(beyond)?;
            *slot = slot.saturating_add(count);
            Ok(())
        };
        match self.layout.place(node) {
            Place::None => Err(beyond()),
            Place::Alternation { slot, count } => match head < count && number == 0 {
                true => add(slot + head),
                false => Err(beyond()),
            },
            Place::Class { slot, class } => {
                let class = self.codec.class(class);
                if head >= class.head_count() || number >= class.rest_count(head) {
                    return Err(beyond());
                }
                add(slot + head)?;
                if class.rest_count(head) > 1 {
                    let rest = counts.rests.entry((node, head, number)).or_default();
                    *rest = rest.saturating_add(count);
                }
                Ok(())
            }
            Place::Quantifier { index, min, max } => {
                let counts = counts
                    .repetitions
                    .get_mut(index as usize)
                    .ok_or_else(beyond)?;
                if head != 0 || number < min || number > max {
                    return Err(beyond());
                }
                let entry = counts.entry(number).or_default();
                *entry = entry.saturating_add(count);
                Ok(())
            }
        }
    }

    /// The model in binary.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Writing to a vector cannot fail.
        let payload = bincode::encode_to_vec(self.store(), configuration()).unwrap_or_default();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.fingerprint().to_le_bytes());
        bytes.extend_from_slice(&checksum(&payload).to_le_bytes());
        bytes.extend_from_slice(&payload);
        bytes
    }

    /// Whether bytes begin as those of [`Model::to_bytes`] do. No text does.
    pub fn is_binary(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Reads what [`Model::to_bytes`] has written. Safe on any bytes.
    ///
    /// # Errors
    ///
    /// An [`enum@Error`] that says what to do, if the bytes are anything else, no longer what was written, or a model of another
    /// grammar.
    pub fn from_bytes(codec: &Arc<Codec>, bytes: &[u8]) -> Result<Model, Error> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(Error::NoModel)?;
        let cut = || damaged("it ends too early");
        let found = u32::from_le_bytes(take(&mut rest).ok_or_else(cut)?);
        if found != VERSION {
            return Err(Error::Version { found });
        }
        let found = u64::from_le_bytes(take(&mut rest).ok_or_else(cut)?);
        let sum = u64::from_le_bytes(take(&mut rest).ok_or_else(cut)?);
        if checksum(rest) != sum {
            return Err(damaged("the checksum is another one"));
        }
        let (stored, read): (Stored, usize) = bincode::decode_from_slice(rest, configuration())
            .map_err(|_| damaged("it ends too early, or has no such value"))?;
        if read != rest.len() {
            return Err(damaged("something behind the model"));
        }
        let wanted = Model::new(codec, 0).fingerprint();
        match found == wanted {
            true => Model::restore(codec, stored),
            false => Err(Error::OtherGrammar { found, wanted }),
        }
    }
}

/// Equal settings and counts, of grammars with the same fingerprint.
impl PartialEq for Model {
    fn eq(&self, other: &Model) -> bool {
        self.fingerprint() == other.fingerprint() && self.store() == other.store()
    }
}

fn configuration() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<MAX_BYTES>()
}

pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    hasher.finish()
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}
