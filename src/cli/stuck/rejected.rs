//! What the target always rejects: productions, k-paths, and what rejected sentences have in common.

use std::collections::BTreeMap;

use pleach_associate::features::Quantity;
use pleach_associate::{Extractor, FeatureVector};
use pleach_core::bitset::BitSet;
use pleach_core::id::ProductionId;
use pleach_core::parse::Refusal;
use pleach_probe::Verdict;
use serde::Serialize;

use super::{Asked, Ran, place};
use crate::associate::lesson::{self, Way, clause, shown};
use crate::report::{PathView, count};

/// Fewer rejected sentences say nothing.
const LEAST: usize = 5;

/// A production that no accepted input uses.
#[derive(Debug, Serialize)]
struct Never {
    production: String,
    /// Where it is, as `file:line:column`.
    place: Option<String>,
    /// Rejected inputs that use it, and the shortest of them.
    rejected: usize,
    text: String,
}

/// A k-path that no accepted input has.
#[derive(Serialize)]
struct Path {
    #[serde(flatten)]
    path: PathView,
    rejected: usize,
    text: String,
}

/// What the target always rejects.
#[derive(Serialize)]
pub(super) struct Rejected {
    productions: Vec<Never>,
    k_paths: Vec<Path>,
    /// What rejected sentences have in common.
    ways: Vec<Way>,
    /// The inputs that are rejected for their productions.
    #[serde(skip)]
    pub(super) explained: BitSet,
}

/// Of something that inputs have: which rejected ones do, and whether any accepted one does.
#[derive(Default)]
struct Use {
    rejected: Vec<usize>,
    is_accepted: bool,
}

impl Use {
    fn add(&mut self, at: usize, is_rejected: bool) {
        match is_rejected {
            true => self.rejected.push(at),
            false => self.is_accepted = true,
        }
    }
}

impl Rejected {
    /// Nothing, of so many inputs.
    pub(super) fn none(inputs: usize) -> Rejected {
        Rejected {
            productions: Vec::new(),
            k_paths: Vec::new(),
            ways: Vec::new(),
            explained: BitSet::new(inputs),
        }
    }

    pub(super) fn find(
        asked: &Asked<'_>,
        ran: &Ran,
        extractor: &Extractor,
        vectors: &[Result<FeatureVector, Refusal>],
    ) -> Rejected {
        let mut productions: BTreeMap<ProductionId, Use> = BTreeMap::new();
        let mut windows: BTreeMap<u32, Use> = BTreeMap::new();
        // Those that count, with whether they are rejected.
        let mut sentences: Vec<(usize, bool)> = Vec::new();
        for (at, vector) in vectors.iter().enumerate() {
            let is_rejected = ran.is(at, &Verdict::Rejected);
            let (Ok(vector), true) = (vector, is_rejected || ran.is(at, &Verdict::Kept)) else {
                continue;
            };
            sentences.push((at, is_rejected));
            for (quantity, number) in &vector.quantities {
                if let (Quantity::Uses(production), true) = (quantity, *number > 0.0) {
                    productions
                        .entry(*production)
                        .or_default()
                        .add(at, is_rejected);
                }
            }
            for &window in &vector.windows {
                windows.entry(window).or_default().add(at, is_rejected);
            }
        }
        let of_productions = outermost(productions, ran.texts.len());
        let mut explained = BitSet::new(ran.texts.len());
        let grammar = extractor.graph().grammar();
        let mut rejected = Rejected::none(0);
        for (production, texts) in of_productions {
            texts.iter().for_each(|&at| {
                explained.insert(at);
            });
            let name = &*grammar[production].name;
            rejected.productions.push(Never {
                production: name.to_owned(),
                place: place(asked.subject, name),
                rejected: texts.len(),
                text: shortest(ran, &texts),
            });
        }
        // What is rejected for its production needs no other reason.
        let is_open = |at: &usize| !explained.contains(*at);
        let open = windows.into_iter().filter_map(|(window, mut it)| {
            it.rejected.retain(is_open);
            (!it.is_accepted).then_some((window, it))
        });
        let mut has_path = BitSet::new(ran.texts.len());
        for (window, texts) in outermost(open.collect(), ran.texts.len()) {
            texts.iter().for_each(|&at| {
                has_path.insert(at);
            });
            if let Some(path) = extractor.kpaths().window(window.into()) {
                rejected.k_paths.push(Path {
                    path: PathView::new(extractor.graph(), &path),
                    rejected: texts.len(),
                    text: shortest(ran, &texts),
                });
            }
        }
        let left = sentences
            .into_iter()
            .filter(|(at, _)| is_open(at) && !has_path.contains(*at));
        rejected.ways = ways(asked, ran, extractor, vectors, &left.collect::<Vec<_>>());
        rejected.productions.truncate(asked.limit);
        rejected.k_paths.truncate(asked.limit);
        rejected.ways.truncate(asked.limit);
        rejected.explained = explained;
        rejected
    }

    pub(super) fn say(&self, lines: &mut Vec<String>) {
        if !self.productions.is_empty() {
            lines.push(String::new());
            lines.push("the target rejects every input with one of these productions".into());
            for it in &self.productions {
                let place = it
                    .place
                    .as_ref()
                    .map_or_else(String::new, |it| format!(" ({it})"));
                let inputs = count(it.rejected as u64, "input");
                lines.push(format!(
                    "  {}{place}, {inputs}, as in: {}",
                    it.production, it.text
                ));
            }
            lines.push(
                "  take out of the grammar what the program has not, or let the target allow it"
                    .into(),
            );
        }
        if !self.k_paths.is_empty() {
            lines.push(String::new());
            lines.push(
                "the target rejects every input with one of these k-paths, so they are run and never kept".into(),
            );
            for it in &self.k_paths {
                let inputs = count(it.rejected as u64, "input");
                lines.push(format!(
                    "  {}, {inputs}, as in: {}",
                    it.path.pattern, it.text
                ));
            }
        }
        if !self.ways.is_empty() {
            lines.push(String::new());
            lines.push(
                "of the other inputs, it rejects those of which this is true, or most of them"
                    .into(),
            );
            for it in &self.ways {
                let Way {
                    members, inputs, ..
                } = it;
                let clause = clause(&it.conditions);
                lines.push(format!("  the input {clause} ({members} of {inputs})"));
                lines.extend(it.member.iter().map(|it| format!("    rejected: {it}")));
                lines.extend(it.other.iter().map(|it| format!("    accepted: {it}")));
            }
        }
    }
}

/// Those that only rejected inputs have, the most frequent first, without what lies in another one: what only inputs have that have that one,
/// too.
fn outermost<K: Copy + Ord>(uses: BTreeMap<K, Use>, texts: usize) -> Vec<(K, Vec<usize>)> {
    let never = uses
        .into_iter()
        .filter(|(_, it)| !it.is_accepted && it.rejected.len() >= LEAST);
    let mut never: Vec<(K, Vec<usize>)> = never.map(|(key, it)| (key, it.rejected)).collect();
    never.sort_by_key(|(key, texts)| (std::cmp::Reverse(texts.len()), *key));
    let mut covered = BitSet::new(texts);
    never.retain(|(_, texts)| {
        let is_new = texts.iter().any(|&at| !covered.contains(at));
        texts.iter().for_each(|&at| {
            covered.insert(at);
        });
        is_new
    });
    never
}

fn shortest(ran: &Ran, texts: &[usize]) -> String {
    let texts = texts.iter().map(|&at| &ran.texts[at]);
    let shortest = texts.min_by_key(|it| (it.len(), *it));
    shortest.map_or_else(String::new, |it| shown(it))
}

/// What rejected sentences have in common, of those that are given.
fn ways(
    asked: &Asked<'_>,
    ran: &Ran,
    extractor: &Extractor,
    vectors: &[Result<FeatureVector, Refusal>],
    sentences: &[(usize, bool)],
) -> Vec<Way> {
    let rejected = sentences.iter().filter(|it| it.1).count();
    if rejected < LEAST || sentences.len() - rejected < LEAST {
        return Vec::new();
    }
    let none = FeatureVector::default();
    let known = sentences.iter().map(|&(at, is_rejected)| {
        let vector = vectors[at].as_ref().unwrap_or(&none);
        (&*ran.texts[at], vector, is_rejected)
    });
    lesson::ways_to_be_rejected(extractor, known, asked.seed)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Use, outermost};

    #[test]
    fn what_lies_in_something_rejected_is_not_named_again() {
        let of = |rejected: &[usize], is_accepted| Use {
            rejected: rejected.to_vec(),
            is_accepted,
        };
        let uses = BTreeMap::from([
            ('a', of(&[1, 2, 3, 4, 5], false)),
            ('b', of(&[1, 2, 3, 4, 5, 6], false)),
            ('c', of(&[0, 1, 2, 3, 4, 5, 6], true)),
            ('d', of(&[7, 8], false)),
            ('e', of(&[5, 6, 7, 8, 9], false)),
        ]);
        let found = outermost(uses, 10).into_iter().map(|it| it.0);
        assert_eq!(found.collect::<String>(), "be");
    }
}
