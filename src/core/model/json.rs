//! Models as JSON, to be read and written by people and other programs.
//!
//! ```json
//! {"pleach": "model", "version": 1, "fingerprint": "…", "context": 1, "smoothing": 0, "least": 5, "samples": 3, "largest": 41,
//!  "contexts": [{"production": "list", "path": ["item.1"], "nodes": [
//!    {"node": 1, "at": "[0-9] | list", "alternatives": [2, 0.5]},
//!    {"node": 3, "at": "[0-9]", "members": {"7": 2}},
//!    {"node": 5, "at": "(\",\" item)*", "repetitions": {"0": 1, "3": 1}}]}]}
//! ```
//!
//! A `path` names references as k-paths do, the nearest one last; `^` is where derivations begin. A `node` is numbered in its
//! production, in pre-order; `at` is for readers and may be left out. A member is the character itself, or `0x` and two hexadecimal
//! digits for a byte that is none. Counts have nine decimals at most.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::choice::{ClassCode, Codec, MemberChoice};
use crate::grammar::{Grammar, Member};
use crate::id::{NodeId, ProductionId, SymbolId};

use super::binary::{Error, Stored, StoredContext, StoredNode, VERSION, damaged};
use super::layout::Place;
use super::{BEGIN, Model, ONE};

#[derive(Serialize, Deserialize)]
struct Document {
    pleach: String,
    version: u32,
    fingerprint: String,
    context: u32,
    smoothing: Number,
    least: Number,
    samples: u64,
    largest: u64,
    contexts: Vec<Context>,
}

#[derive(Serialize, Deserialize)]
struct Context {
    production: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    path: Vec<String>,
    nodes: Vec<Node>,
}

#[derive(Serialize, Deserialize)]
struct Node {
    node: u32,
    #[serde(default)]
    at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alternatives: Option<Vec<Number>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    members: Option<BTreeMap<String, Number>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repetitions: Option<BTreeMap<u32, Number>>,
}

/// A count, out of [`ONE`], that is written with its decimals and read without rounding.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Number(u64);

impl Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (whole, decimals) = (self.0 / ONE, self.0 % ONE);
        if decimals == 0 {
            return whole.serialize(serializer);
        }
        let decimals = format!("{decimals:09}");
        let text = format!("{whole}.{}", decimals.trim_end_matches('0'));
        let raw = RawValue::from_string(text).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text = raw.get();
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let number = || {
            let digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
            let padded = format!("{decimals:0<9}");
            if !digits(whole) || !digits(&padded) || padded.len() > 9 {
                return None;
            }
            let whole: u64 = whole.parse().ok()?;
            whole.checked_mul(ONE)?.checked_add(padded.parse().ok()?)
        };
        number().map(Number).ok_or_else(|| {
            serde::de::Error::custom(format_args!(
                "{text} is not a count: it takes a number from 0 to 18446744073 with at most nine decimals"
            ))
        })
    }
}

/// A member by name.
fn member_name(class: &ClassCode, head: u32, rest: u32) -> String {
    let mut text = [0; 4];
    let len = class.write(MemberChoice { head, rest }, &mut text);
    match std::str::from_utf8(&text[..len]) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("0x{:02x}", text[0]),
    }
}

fn member_named(class: &ClassCode, name: &str) -> Option<MemberChoice> {
    let mut chars = name.chars();
    let member = match (chars.next(), chars.next()) {
        (Some(char), None) => Member::Char(char),
        _ => {
            let digits = name.strip_prefix("0x").filter(|it| it.len() == 2)?;
            Member::Byte(u8::from_str_radix(digits, 16).ok()?)
        }
    };
    class.choice(member)
}

impl Model {
    /// The model as JSON, with a line break behind it.
    pub fn to_json(&self) -> String {
        let grammar = self.graph().grammar();
        let stored = self.store();
        let contexts = stored.contexts.iter();
        let document = Document {
            pleach: "model".into(),
            version: VERSION,
            fingerprint: format!("{:016x}", self.fingerprint()),
            context: stored.order,
            smoothing: Number(stored.smoothing),
            least: Number(stored.least),
            samples: stored.samples,
            largest: stored.largest,
            contexts: contexts
                .map(|it| self.context_to_json(grammar, it))
                .collect(),
        };
        // There is nothing in it that JSON cannot have.
        let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
        text.push('\n');
        text
    }

    fn context_to_json(&self, grammar: &Grammar, context: &StoredContext) -> Context {
        let production = &grammar[ProductionId(context.production)];
        let name = |&symbol: &u32| match symbol {
            BEGIN => "^".to_owned(),
            symbol => grammar.symbol_name(SymbolId(symbol)),
        };
        let node = |stored: &StoredNode| {
            let id = NodeId(production.first_node.0 + stored.node);
            let mut node = Node {
                node: stored.node,
                at: grammar.display(id).to_string(),
                alternatives: None,
                members: None,
                repetitions: None,
            };
            let counts = stored.counts.iter();
            match self.layout.place(id) {
                Place::None => {}
                Place::Alternation { count, .. } => {
                    let mut all = vec![Number(0); count as usize];
                    for &(head, _, count) in counts {
                        all[head as usize] = Number(count);
                    }
                    node.alternatives = Some(all);
                }
                Place::Class { class, .. } => {
                    let class = self.codec.class(class);
                    let member = |&(head, rest, count): &(u32, u32, u64)| {
                        (member_name(class, head, rest), Number(count))
                    };
                    node.members = Some(counts.map(member).collect());
                }
                Place::Quantifier { .. } => {
                    let times = |&(_, times, count): &(u32, u32, u64)| (times, Number(count));
                    node.repetitions = Some(counts.map(times).collect());
                }
            }
            node
        };
        Context {
            production: production.name.to_string(),
            path: context.path.iter().map(name).collect(),
            nodes: context.nodes.iter().map(node).collect(),
        }
    }

    /// Reads what [`Model::to_json`] has written, or somebody else.
    ///
    /// # Errors
    ///
    /// An [`enum@Error`] that says what to do, if the text is anything else, or a model of another grammar.
    pub fn from_json(codec: &Arc<Codec>, text: &str) -> Result<Model, Error> {
        let value: Document = serde_json::from_str(text).map_err(|error| Error::Damaged {
            what: error.to_string(),
        })?;
        if value.pleach != "model" {
            return Err(Error::NoModel);
        }
        if value.version != VERSION {
            return Err(Error::Version {
                found: value.version,
            });
        }
        let model = Model::new(codec, 0);
        let wanted = model.fingerprint();
        match u64::from_str_radix(&value.fingerprint, 16) {
            Ok(found) if found == wanted => {}
            Ok(found) => return Err(Error::OtherGrammar { found, wanted }),
            Err(_) => return Err(damaged("the fingerprint is no hexadecimal number")),
        }
        let contexts = value.contexts.into_iter();
        let contexts = contexts
            .map(|it| model.context_from_json(it))
            .collect::<Result<_, _>>()?;
        let stored = Stored {
            order: value.context,
            smoothing: value.smoothing.0,
            least: value.least.0,
            samples: value.samples,
            largest: value.largest,
            contexts,
        };
        Model::restore(codec, stored)
    }

    fn context_from_json(&self, context: Context) -> Result<StoredContext, Error> {
        let grammar = self.graph().grammar();
        let name = &context.production;
        let id = grammar.production_named(name);
        let id = id.ok_or_else(|| damaged(format!("there is no nonterminal `{name}`")))?;
        let production = &grammar[id];
        let symbol = |name: &String| match name.as_str() {
            "^" => Ok(BEGIN),
            name => symbol_named(grammar, name)
                .ok_or_else(|| damaged(format!("there is no symbol `{name}`"))),
        };
        let path = context.path.iter().map(symbol).collect::<Result<_, _>>()?;
        let mut nodes = Vec::new();
        for node in context.nodes {
            let number = node.node;
            let at = || format!("node {number} of `{name}`");
            if number >= production.node_count {
                return Err(damaged(format!("there is no {}", at())));
            }
            let place = self.layout.place(NodeId(production.first_node.0 + number));
            let counts = match (place, node.alternatives, node.members, node.repetitions) {
                (Place::Alternation { count, .. }, Some(all), None, None)
                    if all.len() == count as usize =>
                {
                    (0u32..)
                        .zip(all)
                        .map(|(head, it)| (head, 0, it.0))
                        .collect()
                }
                (Place::Alternation { count, .. }, ..) => {
                    let what = format!("{} takes {count} `alternatives`", at());
                    return Err(damaged(what));
                }
                (Place::Class { class, .. }, None, Some(members), None) => {
                    let class = self.codec.class(class);
                    let member = |(name, it): (String, Number)| {
                        let choice = member_named(class, &name);
                        let what = || damaged(format!("{} has no member `{name}`", at()));
                        choice
                            .map(|it_is| (it_is.head, it_is.rest, it.0))
                            .ok_or_else(what)
                    };
                    members.into_iter().map(member).collect::<Result<_, _>>()?
                }
                (Place::Class { .. }, ..) => {
                    return Err(damaged(format!("{} takes `members`", at())));
                }
                (Place::Quantifier { .. }, None, None, Some(repetitions)) => {
                    let times = repetitions.into_iter();
                    times.map(|(times, it)| (0, times, it.0)).collect()
                }
                (Place::Quantifier { .. }, ..) => {
                    return Err(damaged(format!("{} takes `repetitions`", at())));
                }
                (Place::None, ..) => return Err(damaged(format!("{} chooses nothing", at()))),
            };
            nodes.push(StoredNode {
                node: number,
                counts,
            });
        }
        Ok(StoredContext {
            production: id.0,
            path,
            nodes,
        })
    }
}

fn symbol_named(grammar: &Grammar, name: &str) -> Option<u32> {
    let (production, ordinal) = name.rsplit_once('.')?;
    let production = &grammar[grammar.production_named(production)?];
    let ordinal: u32 = ordinal.parse().ok()?;
    let first = production.first_symbol.0;
    let mut symbols = first..first + production.symbol_count;
    symbols.find(|&symbol| grammar[SymbolId(symbol)].ordinal == ordinal)
}
