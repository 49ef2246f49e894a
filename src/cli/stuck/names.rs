//! Names that a grammar draws freely where the program wants them to agree: found by an experiment.
//!
//! Of each production that derives many different texts and nothing recursive, sentences that use it more than once are run again, with
//! the first use in the place of all others. If the target then accepts twice as many, or reaches functions that nothing else has reached, the
//! uses have to agree, and free ones hardly ever do. Sentences that have another reason to be rejected are left out.

use std::collections::{BTreeMap, BTreeSet};

use pleach_associate::FeatureVector;
use pleach_associate::features::Quantity;
use pleach_core::bitset::BitSet;
use pleach_core::choice::{ROOT, Scratch, SiteIndex};
use pleach_core::grammar::NodeKind;
use pleach_core::id::ProductionId;
use pleach_core::parse::Refusal;
use pleach_core::{Codec, Grammar};
use pleach_probe::{FunctionId, Verdict};
use serde::Serialize;

use super::{Asked, Ran, place};
use crate::failure::Failure;
use crate::report::Share;

/// Productions that are tried at the most.
const TRIED: usize = 6;
/// Sentences that use a production more than once, below which nothing can be said.
const LEAST: usize = 10;
/// So many more have to be accepted.
const MORE: usize = 5;
/// Different texts of a production, below which it is not a name.
const DIFFERENT: usize = 8;

/// What it changes that all uses of a production are the same.
#[derive(Debug, Serialize)]
pub(super) struct Renamed {
    production: String,
    place: Option<String>,
    /// Sentences that use it more than once.
    sentences: usize,
    /// Those of them that are accepted, as they are and with equal uses.
    before: usize,
    after: usize,
    /// Functions that nothing else has reached.
    functions: Vec<String>,
}

/// The uses of productions in a sentence.
#[derive(Default)]
struct Uses {
    /// For each production its uses, the outermost only, as ranges of the choices in full, with their text.
    of: BTreeMap<ProductionId, Vec<(usize, usize, Vec<u8>)>>,
    choices: Vec<u8>,
}

pub(super) fn find(
    asked: &Asked<'_>,
    ran: &Ran,
    vectors: &[Result<FeatureVector, Refusal>],
    explained: &BitSet,
) -> Result<Vec<Renamed>, Failure> {
    let subject = asked.subject;
    let graph = &subject.source.graph;
    let grammar = graph.grammar();
    let codec = Codec::new(graph);
    let (mut scratch, mut index) = (Scratch::default(), SiteIndex::new());
    let uses: Vec<Uses> = ran
        .choices
        .iter()
        .map(|choices| {
            codec.index(choices, &mut scratch, &mut index);
            uses(grammar, &index)
        })
        .collect();
    // Only those without recursion have a length.
    let mut leaves: BTreeSet<ProductionId> = BTreeSet::new();
    for vector in vectors.iter().flatten() {
        for (quantity, _) in &vector.quantities {
            if let Quantity::Length(production) = quantity {
                leaves.insert(*production);
            }
        }
    }
    // What derives many texts, with the sentences where its uses differ.
    let mut candidates: BTreeMap<ProductionId, (BTreeSet<&[u8]>, Vec<usize>)> = BTreeMap::new();
    for (at, uses) in uses
        .iter()
        .enumerate()
        .filter(|(at, _)| !explained.contains(*at))
    {
        let of = uses
            .of
            .iter()
            .filter(|(production, _)| leaves.contains(production));
        for (&production, uses) in of {
            let (texts, sentences) = candidates.entry(production).or_default();
            texts.extend(uses.iter().map(|it| &*it.2));
            if uses.iter().any(|it| it.2 != uses[0].2) {
                sentences.push(at);
            }
        }
    }
    let mut candidates: Vec<_> = candidates
        .into_iter()
        .filter(|(_, (texts, sentences))| texts.len() >= DIFFERENT && sentences.len() >= LEAST)
        .collect();
    // A name is short: the shorter its longest use, the earlier it is tried.
    candidates.sort_by_key(|(production, (texts, _))| {
        let longest = texts.iter().map(|it| it.len()).max();
        (longest, *production)
    });
    let mut reached: BTreeSet<FunctionId> = BTreeSet::new();
    for set in &ran.probed.sets {
        reached.extend(ran.symbols.reached(set));
    }
    let mut found: Vec<Renamed> = Vec::new();
    for (production, (_, sentences)) in candidates.into_iter().take(TRIED) {
        let changed = sentences.iter().map(|&at| same(&uses[at], production));
        let texts = subject.texts_of(&codec, &changed.collect::<Vec<_>>())?;
        let probed = subject.probe(&texts)?;
        let before = sentences.iter().filter(|&&at| ran.is(at, &Verdict::Kept));
        let before = before.count();
        let after = probed.runs.iter().filter(|it| it.verdict == Verdict::Kept);
        let after = after.count();
        let mut functions = BTreeSet::new();
        for set in &probed.sets {
            let ids = ran.symbols.reached(set).into_iter();
            functions.extend(ids.filter(|id| ran.symbols[*id].is_own && !reached.contains(id)));
        }
        let is_better = after >= MORE + before && after >= 2 * before;
        if !is_better && functions.is_empty() {
            continue;
        }
        let name = &*grammar[production].name;
        found.push(Renamed {
            production: name.to_owned(),
            place: place(asked.subject, name),
            sentences: sentences.len(),
            before,
            after,
            functions: functions
                .iter()
                .map(|&id| ran.symbols[id].name.clone())
                .collect(),
        });
    }
    found.sort_by_key(|it| {
        std::cmp::Reverse((it.after.saturating_sub(it.before), it.functions.len()))
    });
    found.truncate(asked.limit);
    Ok(found)
}

fn uses(grammar: &Grammar, index: &SiteIndex) -> Uses {
    let mut found = Uses {
        choices: index.choices().to_vec(),
        ..Uses::default()
    };
    // Where the outermost use of a production ends: what recurs lies within that.
    let mut ends: BTreeMap<ProductionId, u32> = BTreeMap::new();
    for (at, site) in (0u32..).zip(index.sites()) {
        if site.node == ROOT {
            continue;
        }
        let NodeKind::Reference(production) = grammar[site.node].kind else {
            continue;
        };
        let end = ends.entry(production).or_default();
        if at < *end {
            continue;
        }
        *end = site.end;
        let text = index.text_range(at);
        found.of.entry(production).or_default().push((
            site.choice_start as usize,
            site.choice_end as usize,
            index.text()[text.start as usize..text.end as usize].to_vec(),
        ));
    }
    found
}

/// The choices with the first use of a production in the place of all.
fn same(uses: &Uses, production: ProductionId) -> Vec<u8> {
    let choices = &uses.choices;
    let mut of = uses.of.get(&production).into_iter().flatten();
    let Some(&(start, end, _)) = of.next() else {
        return choices.clone();
    };
    let first = &choices[start..end];
    let (mut made, mut done) = (choices[..end].to_vec(), end);
    for &(start, end, _) in of {
        made.extend_from_slice(&choices[done..start]);
        made.extend_from_slice(first);
        done = end;
    }
    made.extend_from_slice(&choices[done..]);
    made
}

impl Renamed {
    pub(super) fn say(&self, lines: &mut Vec<String>) {
        let Renamed {
            production,
            sentences,
            before,
            after,
            functions,
            ..
        } = self;
        let place = self
            .place
            .as_ref()
            .map_or_else(String::new, |it| format!(" ({it})"));
        lines.push(String::new());
        lines.push(format!("the program wants uses of `{production}`{place} to agree, and the grammar draws each freely"));
        let share = |covered: usize| Share {
            covered: covered as u64,
            total: *sentences as u64,
        };
        if after != before {
            lines.push(format!(
                "  with all the same in a sentence, it accepts {} instead of {before}",
                share(*after)
            ));
        }
        if !functions.is_empty() {
            const SHOWN: usize = 5;
            let more = match functions.len() {
                len if len > SHOWN => format!(", and {} more", len - SHOWN),
                _ => String::new(),
            };
            let shown = functions[..functions.len().min(SHOWN)].join(", ");
            lines.push(format!(
                "  and reaches what nothing else does: {shown}{more}"
            ));
        }
        lines.push(format!(
            "  let few names be likely, as in {production} := 90% (\"a\" | \"b\" | \"c\") | …; or let hooks choose a declared one (`semantics::Names`)"
        ));
    }
}

#[cfg(test)]
mod tests {
    use pleach_core::choice::{Scratch, SiteIndex};
    use pleach_core::{Codec, Grammar, Graph};

    use super::{same, uses};

    #[test]
    fn all_uses_become_the_first() {
        let grammar = "list := (pair ';')*; pair := name '=' (name | '(' pair ')'); name := [a-z]{1,9} | '<' name '>';";
        let grammar: Grammar = grammar.parse().unwrap();
        let graph = Graph::new(grammar).unwrap();
        let codec = Codec::new(&graph);
        let parser = pleach_core::Parser::new(&graph);
        let name = graph.grammar().production_named("name").unwrap();
        let mut workspace = pleach_core::parse::Workspace::new();
        for (text, expected) in [
            ("", ""),
            ("a=b;", "a=a;"),
            ("ab=(c=<d>);e=f;", "ab=(ab=ab);ab=ab;"),
            ("<x>=y;", "<x>=<x>;"),
        ] {
            let mut choices = Vec::new();
            let mut forest = parser
                .parse(text.as_bytes(), Default::default(), &mut workspace)
                .unwrap();
            forest.choices(&mut choices).unwrap();
            let mut index = SiteIndex::new();
            codec.index(&choices, &mut Scratch::default(), &mut index);
            let made = same(&uses(graph.grammar(), &index), name);
            assert_eq!(codec.sentence(&made), expected.as_bytes(), "{text}");
        }
    }
}
