//! Models in binary.
//!
//! ```text
//! magic  version  fingerprint  checksum  payload (bincode, numbers of variable length)
//! 8      4        8            8         grammar  origin  features  trees  classes  texts
//! ```
//!
//! What is read is not trusted: whatever a number names has to be there, and trees lead downward. Equal models give equal bytes.

use std::hash::Hasher as _;

use bincode::{Decode, Encode};
use pleach_core::grammar::binary;
use pleach_core::id::ProductionId;
use pleach_core::{Grammar, Graph, KPaths, graph, kpath};
use siphasher::sip::SipHasher13;

use crate::features::{Feature, Features, PathRank, Quantity};
use crate::model::{Asked, Class, Confusion, Known, Model, Of, Origin, Place, Taught};
use crate::tree::{Node, Question, Tree};

/// No UTF-8, so no text begins like this.
const MAGIC: &[u8; 8] = b"\xffpleachA";
/// The format that is written, and the only one that is read.
pub const VERSION: u32 = 1;
const HEADER_BYTES: usize = 8 + 4 + 8 + 8;
/// The most that a model may take.
const MAX_BYTES: usize = 1 << 30;

/// Why something is not a model, or not the one that is wanted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It does not begin as models do.
    #[error(
        "this is not a model of what inputs reach\nhelp: `pleach associate TARGET -o FILE` makes one"
    )]
    NoModel,
    /// It is of another version of the format.
    #[error(
        "this model is of format {found}, and this version of pleach reads format {VERSION}\n\
         help: make it again by `pleach associate`"
    )]
    Version {
        /// The version it is of.
        found: u32,
    },
    /// It is cut, or something else was written over it.
    #[error("this model is damaged: {what}\nhelp: make it again by `pleach associate`")]
    Damaged {
        /// What is wrong.
        what: String,
    },
    /// Its grammar cannot be read.
    #[error("the grammar in this model: {0}")]
    Grammar(#[from] binary::Error),
    /// No graph is made of its grammar.
    #[error("the grammar in this model: {0}")]
    Graph(#[from] graph::Error),
    /// Its k-paths cannot be numbered.
    #[error("the grammar in this model: {0}")]
    KPaths(#[from] kpath::Error),
    /// It was made with another grammar than that of the target.
    #[error(
        "this model is of the grammar with the fingerprint {found:016x}, and `{target}` has {wanted:016x} now\n\
         help: make it again by `pleach associate {target}`"
    )]
    OtherGrammar {
        /// The target.
        target: String,
        /// The fingerprint of its grammar.
        found: u64,
        /// That of the target's grammar.
        wanted: u64,
    },
    /// It was made with another build of the target.
    #[error(
        "this model is of another build of `{target}` ({found}) than the one at hand ({wanted})\n\
         help: make it again by `pleach associate {target}`"
    )]
    OtherBuild {
        /// The target.
        target: String,
        /// The build that it was made with.
        found: String,
        /// The build at hand.
        wanted: String,
    },
    /// It was made with another target.
    #[error(
        "this model is of the target `{found}`, not of `{wanted}`\nhelp: name the target `{found}`, or another model"
    )]
    OtherTarget {
        /// The target that it was made with.
        found: String,
        /// The target at hand.
        wanted: String,
    },
}

#[derive(Encode, Decode)]
struct Stored {
    grammar: Vec<u8>,
    open_tokens: bool,
    k: u32,
    quantities: bool,
    of: u8,
    target: String,
    build: String,
    is_text: bool,
    asked: Vec<(StoredFeature, Vec<StoredFeature>)>,
    taught: Vec<StoredTree>,
    known: Vec<(StoredClass, u32, u32)>,
    texts: Vec<Vec<u8>>,
    text_count: u32,
    always: Vec<StoredClass>,
    never: u32,
}

#[derive(Encode, Decode)]
enum StoredFeature {
    Path { len: u8, rank: u64 },
    Uses { production: u32, threshold: u64 },
    Nesting { production: u32, threshold: u64 },
    Length { production: u32, threshold: u64 },
    Value { production: u32, threshold: u64 },
}

#[derive(Encode, Decode)]
struct StoredClass {
    name: String,
    place: Option<(String, u32, u32)>,
    package: String,
    is_own: bool,
}

#[derive(Encode, Decode)]
struct StoredTree {
    nodes: Vec<StoredNode>,
    trial: [u64; 4],
}

#[derive(Encode, Decode)]
struct StoredNode {
    members: u32,
    others: u32,
    is_member: bool,
    question: Option<(u32, u32, u32)>,
    examples: [Option<u32>; 2],
}

const OF: [Of; 4] = [Of::Functions, Of::Verdict, Of::Crashes, Of::Slow];

impl StoredFeature {
    fn new(feature: Feature) -> StoredFeature {
        match feature {
            Feature::Path(PathRank { len, rank }) => StoredFeature::Path {
                len: len as u8,
                rank,
            },
            Feature::MoreThan(quantity, threshold) => {
                let production = quantity.production().0;
                let threshold = threshold.to_bits();
                match quantity {
                    Quantity::Uses(_) => StoredFeature::Uses {
                        production,
                        threshold,
                    },
                    Quantity::Nesting(_) => StoredFeature::Nesting {
                        production,
                        threshold,
                    },
                    Quantity::Length(_) => StoredFeature::Length {
                        production,
                        threshold,
                    },
                    Quantity::Value(_) => StoredFeature::Value {
                        production,
                        threshold,
                    },
                }
            }
        }
    }

    fn feature(&self, kpaths: &KPaths) -> Option<Feature> {
        let productions = kpaths.graph().grammar().productions();
        let quantity = |of: fn(ProductionId) -> Quantity, production: u32, threshold: u64| {
            let id = ProductionId(production);
            productions.get(id)?;
            Some(Feature::MoreThan(of(id), f64::from_bits(threshold)))
        };
        match *self {
            StoredFeature::Path { len, rank } => {
                let len = usize::from(len);
                (rank < kpaths.len_at(len)).then_some(Feature::Path(PathRank { len, rank }))
            }
            StoredFeature::Uses {
                production,
                threshold,
            } => quantity(Quantity::Uses, production, threshold),
            StoredFeature::Nesting {
                production,
                threshold,
            } => quantity(Quantity::Nesting, production, threshold),
            StoredFeature::Length {
                production,
                threshold,
            } => quantity(Quantity::Length, production, threshold),
            StoredFeature::Value {
                production,
                threshold,
            } => quantity(Quantity::Value, production, threshold),
        }
    }
}

impl StoredClass {
    fn new(class: &Class) -> StoredClass {
        let place = class.place.as_ref();
        StoredClass {
            name: class.name.clone(),
            place: place.map(|it| (it.file.clone(), it.line, it.last_line)),
            package: class.package.clone(),
            is_own: class.is_own,
        }
    }

    fn class(self) -> Class {
        Class {
            name: self.name,
            place: self.place.map(|(file, line, last_line)| Place {
                file,
                line,
                last_line,
            }),
            package: self.package,
            is_own: self.is_own,
        }
    }
}

impl StoredTree {
    fn new(taught: &Taught) -> StoredTree {
        let Confusion {
            true_positives,
            false_positives,
            false_negatives,
            true_negatives,
        } = taught.trial;
        let nodes = taught.tree.nodes().iter().zip(&taught.examples);
        let nodes = nodes.map(|(node, &examples)| StoredNode {
            members: node.members,
            others: node.others,
            is_member: node.is_member,
            question: node.question.map(|it| (it.feature, it.yes, it.no)),
            examples,
        });
        StoredTree {
            nodes: nodes.collect(),
            trial: [
                true_positives,
                false_positives,
                false_negatives,
                true_negatives,
            ],
        }
    }

    /// The tree, if it leads downward, to what is there.
    fn taught(self, asked: usize, texts: usize) -> Option<Taught> {
        let count = self.nodes.len();
        let mut nodes = Vec::with_capacity(count);
        let mut examples = Vec::with_capacity(count);
        for (at, stored) in self.nodes.into_iter().enumerate() {
            let question = match stored.question {
                None => None,
                Some((feature, yes, no)) => {
                    let leads = |to: u32| (at + 1..count).contains(&(to as usize));
                    if feature as usize >= asked || !leads(yes) || !leads(no) || yes == no {
                        return None;
                    }
                    Some(Question { feature, yes, no })
                }
            };
            let shown = stored.examples.iter().flatten();
            if shown.into_iter().any(|&text| text as usize >= texts) {
                return None;
            }
            examples.push(stored.examples);
            nodes.push(Node {
                members: stored.members,
                others: stored.others,
                is_member: stored.is_member,
                question,
            });
        }
        let [
            true_positives,
            false_positives,
            false_negatives,
            true_negatives,
        ] = self.trial;
        (!nodes.is_empty()).then_some(Taught {
            tree: Tree { nodes },
            examples,
            trial: Confusion {
                true_positives,
                false_positives,
                false_negatives,
                true_negatives,
            },
        })
    }
}

fn checksum(payload: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(payload);
    hasher.finish()
}

fn damaged(what: impl Into<String>) -> Error {
    Error::Damaged { what: what.into() }
}

impl Model {
    /// Whether bytes begin as those of a model do.
    pub fn is_model(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// The model in binary.
    pub fn to_bytes(&self) -> Vec<u8> {
        let stored = Stored {
            grammar: self.grammar().to_bytes(),
            open_tokens: self.graph().has_open_tokens(),
            k: self.kpaths.k() as u32,
            quantities: self.features == Features::All,
            of: OF.iter().position(|&of| of == self.origin.of).unwrap_or(0) as u8,
            target: self.origin.target.clone(),
            build: self.origin.build.clone(),
            is_text: self.origin.is_text,
            asked: self
                .asked
                .iter()
                .map(|asked| {
                    let merged = asked.merged.iter().copied().map(StoredFeature::new);
                    (StoredFeature::new(asked.feature), merged.collect())
                })
                .collect(),
            taught: self.taught.iter().map(StoredTree::new).collect(),
            known: self
                .known
                .iter()
                .map(|known| (StoredClass::new(&known.class), known.members, known.tree))
                .collect(),
            texts: self.texts.clone(),
            text_count: self.text_count,
            always: self.always.iter().map(StoredClass::new).collect(),
            never: self.never,
        };
        // Writing to memory cannot fail.
        let payload =
            bincode::encode_to_vec(&stored, bincode::config::standard()).unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(self.grammar().fingerprint().to_le_bytes());
        bytes.extend(checksum(&payload).to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    /// Reads a model.
    ///
    /// # Errors
    ///
    /// An [`enum@Error`] that says what is wrong with the bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, Error> {
        if !Model::is_model(bytes) {
            return Err(Error::NoModel);
        }
        let (Some(version), Some(sum), Some(payload)) = (
            bytes.get(8..12).and_then(|it| it.try_into().ok()),
            bytes.get(20..28).and_then(|it| it.try_into().ok()),
            bytes.get(HEADER_BYTES..),
        ) else {
            return Err(damaged("it ends in its first line"));
        };
        let found = u32::from_le_bytes(version);
        if found != VERSION {
            return Err(Error::Version { found });
        }
        if u64::from_le_bytes(sum) != checksum(payload) {
            return Err(damaged("it is not what was written"));
        }
        let config = bincode::config::standard().with_limit::<MAX_BYTES>();
        let (stored, _): (Stored, usize) = bincode::decode_from_slice(payload, config)
            .map_err(|error| damaged(error.to_string()))?;
        let grammar = Grammar::from_bytes(&stored.grammar)?;
        let graph = match stored.open_tokens {
            true => Graph::with_open_tokens(grammar)?,
            false => Graph::new(grammar)?,
        };
        let kpaths = KPaths::new(&graph, stored.k as usize)?;
        let feature = |stored: StoredFeature| {
            let feature = stored.feature(&kpaths);
            feature.ok_or_else(|| damaged("a feature is not of its grammar"))
        };
        let asked = stored.asked.into_iter().map(|(own, merged)| {
            Ok(Asked {
                feature: feature(own)?,
                merged: merged
                    .into_iter()
                    .map(feature)
                    .collect::<Result<_, Error>>()?,
            })
        });
        let asked = asked.collect::<Result<Vec<Asked>, Error>>()?;
        let taught = stored.taught.into_iter().map(|tree| {
            let taught = tree.taught(asked.len(), stored.texts.len());
            taught.ok_or_else(|| damaged("a tree leads nowhere"))
        });
        let taught = taught.collect::<Result<Vec<Taught>, Error>>()?;
        let known = stored.known.into_iter().map(|(class, members, tree)| {
            let class = class.class();
            match (tree as usize) < taught.len() {
                true => Ok(Known {
                    class,
                    members,
                    tree,
                }),
                false => Err(damaged(format!("`{}` has no tree", class.name))),
            }
        });
        let of = OF.get(usize::from(stored.of)).copied();
        Ok(Model {
            known: known.collect::<Result<_, Error>>()?,
            features: match stored.quantities {
                true => Features::All,
                false => Features::KPaths,
            },
            origin: Origin {
                of: of.ok_or_else(|| damaged("it is of unknown classes"))?,
                target: stored.target,
                build: stored.build,
                is_text: stored.is_text,
            },
            asked,
            taught,
            texts: stored.texts,
            text_count: stored.text_count,
            always: stored.always.into_iter().map(StoredClass::class).collect(),
            never: stored.never,
            kpaths,
        })
    }

    /// Fails unless the model is of this target, with this grammar and in this build.
    ///
    /// # Errors
    ///
    /// [`Error::OtherTarget`], [`Error::OtherGrammar`] or [`Error::OtherBuild`].
    pub fn check(&self, target: &str, grammar: &Grammar, build: &str) -> Result<(), Error> {
        let Origin {
            target: own,
            build: own_build,
            ..
        } = &self.origin;
        let (found, wanted) = (self.grammar().fingerprint(), grammar.fingerprint());
        if own != target {
            return Err(Error::OtherTarget {
                found: own.clone(),
                wanted: target.to_owned(),
            });
        }
        let target = target.to_owned();
        if found != wanted {
            return Err(Error::OtherGrammar {
                target,
                found,
                wanted,
            });
        }
        if own_build != build {
            return Err(Error::OtherBuild {
                target,
                found: own_build.clone(),
                wanted: build.to_owned(),
            });
        }
        Ok(())
    }
}
