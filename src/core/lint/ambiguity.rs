//! Sentences with more than one derivation.
//!
//! Whether a grammar is ambiguous cannot be decided (Hopcroft, Motwani, Ullman: *Introduction to Automata Theory*, section 9.5),
//! so sentences are tried: the short ones of every production, then whole ones, from covering sets of the k-paths and at random,
//! which combine what the short ones do not.
//!
//! An ambiguous sentence is followed down to where its ambiguity comes from: among the subtrees of its canonical derivation, those
//! whose text has several derivations although none of the texts below has. Their texts are then made shorter, first by trying
//! what is inside them, then by leaving parts out, as long as they stay ambiguous. Every production is reported once. So that an
//! ambiguous number does not hide that sums are ambiguous, an unambiguous text of its production takes its place, and
//! what is left is followed down, too.
//! What has infinitely many derivations tells nothing here, so nonterminals that derive themselves come first.
//!
//! Ambiguity is often meant in a grammar for fuzzing, as where a keyword stands beside names to be drawn more often. It is a warning
//! where a production begins and ends with itself: then the derivations multiply with every repetition.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::choice::{Codec, ROOT, Scratch, SiteIndex};
use crate::generate::{CoverBuilder, Generator, Limits};
use crate::grammar::{Grammar, NodeKind};
use crate::id::{IdVec, NodeId, ProductionId};
use crate::kpath;
use crate::rng::Rng;

use super::counting::{Count, Counting};
use super::short::Sentences;
use super::{Finding, Kind, Severity, shown};

/// The greatest k whose covering set is tried, how many paths that may be, and how long its sentences.
const MAX_K: usize = 3;
const MAX_PATHS: u64 = 20_000;
const COVER_LEN: u32 = 200;
/// The steps that the derivation of a sentence counts, for each byte of it.
const STEPS_A_BYTE: u64 = 20;
/// The random sentences that are tried, and how long they are.
const RANDOM: usize = 1000;
const RANDOM_LIMITS: Limits = Limits {
    max_depth: 40,
    max_len: 60,
    max_nodes: 1 << 12,
};
/// The texts of which every part is tried, and how many parts.
const MAX_PARTS: usize = 1200;
/// How often a text is made shorter and followed down again.
const TURNS: usize = 8;

/// An ambiguous text of a production, and how many derivations it has.
type Found = BTreeMap<ProductionId, (Vec<u8>, String)>;

/// Looks for ambiguous productions until the steps are spent.
pub(super) fn find(
    sentences: &IdVec<ProductionId, Sentences>,
    seed: u64,
    counting: &mut Counting<'_>,
) -> Vec<Finding> {
    let graph = counting.graph.clone();
    let codec = Arc::new(Codec::new(&graph));
    let mut search = Search {
        codec: &codec,
        sentences,
        references: references(graph.grammar()),
        scratch: Scratch::default(),
        found: Found::new(),
        counting,
    };
    // A part of what is left for each way to sentences.
    let reserve = search.counting.left() / 2;
    for (production, texts) in sentences.iter() {
        for text in texts {
            if search.counting.left() < reserve || search.found.contains_key(&production) {
                break;
            }
            search.try_text(production, text);
        }
    }
    let start = graph.grammar().start();
    let mut index = SiteIndex::new();
    let counts = kpath::counts(&graph, MAX_K);
    let levels = (1..=MAX_K).take_while(|k| counts[k - 1].is_some_and(|it| it <= MAX_PATHS));
    let reserve = search.counting.left() / 4;
    for k in levels {
        let builder = CoverBuilder::new().max_len(Some(COVER_LEN));
        let Ok(mut cover) = builder.build(&graph, k) else {
            break;
        };
        while search.counting.left() > reserve && cover.next_input(&mut index) {
            search.try_whole(start, &index);
        }
    }
    let mut generator = Generator::new(&codec, RANDOM_LIMITS, Rng::new(seed));
    for _ in 0..RANDOM {
        if search.counting.left() == 0 {
            break;
        }
        generator.generate(&mut index);
        search.try_whole(start, &index);
    }
    let found = std::mem::take(&mut search.found);
    let finding = |(id, (text, count)): (ProductionId, (Vec<u8>, String))| {
        let grammar = graph.grammar();
        let message = format!(
            "`{}` has {count} derivations of {}",
            grammar[id].name,
            shown(&text)
        );
        let (severity, suggestion) = match is_two_sided(grammar, id) {
            true => (
                Severity::Warning,
                "let it stand at one end only, the other operand being a nonterminal below it, as in \
                 `sum := sum \"+\" term | term`",
            ),
            false => (
                Severity::Info,
                "let its alternatives and repetitions exclude each other; or leave it: each derivation is an input \
                 of its own, and parsing takes the same one each time",
            ),
        };
        Finding::new(grammar, Kind::Ambiguous, severity, id, message, suggestion).with_example(text)
    };
    found.into_iter().map(finding).collect()
}

/// A reference to each production; [`ROOT`] for the start symbol.
fn references(grammar: &Grammar) -> IdVec<ProductionId, NodeId> {
    let mut references = IdVec::filled(grammar.productions().len(), ROOT);
    for (id, node) in grammar.nodes().iter().rev() {
        if let NodeKind::Reference(production) = node.kind {
            references[production] = id;
        }
    }
    references[grammar.start()] = ROOT;
    references
}

/// Whether a production begins and ends with itself somewhere.
fn is_two_sided(grammar: &Grammar, production: ProductionId) -> bool {
    let own = NodeKind::Reference(production);
    let first = grammar[production].first_node.0;
    (first..first + grammar[production].node_count).any(|id| {
        let children = grammar.children(NodeId(id));
        grammar[NodeId(id)].kind == NodeKind::Concatenation
            && [children.first(), children.last()]
                .iter()
                .all(|end| end.is_some_and(|&end| grammar[end].kind == own))
    })
}

/// A part of a text that an ambiguity comes from.
struct Origin {
    range: Range<usize>,
    production: ProductionId,
    text: Vec<u8>,
}

fn shortest_first(one: &Origin, other: &Origin) -> Ordering {
    let key = |it: &'_ Origin| (it.text.len(), it.production);
    key(one)
        .cmp(&key(other))
        .then_with(|| one.text.cmp(&other.text))
}

/// What was followed down: the text as it is derived, and where its ambiguities come from.
struct Origins {
    text: Vec<u8>,
    list: Vec<Origin>,
}

struct Search<'a, 'g> {
    codec: &'a Codec,
    /// Short ones of every production.
    sentences: &'a IdVec<ProductionId, Sentences>,
    references: IdVec<ProductionId, NodeId>,
    scratch: Scratch,
    found: Found,
    counting: &'a mut Counting<'g>,
}

impl Search<'_, '_> {
    /// Notes where the ambiguities of a text come from, if it has any.
    fn try_text(&mut self, production: ProductionId, text: &[u8]) {
        self.counting.spend(text.len() as u64 * STEPS_A_BYTE);
        let mut text = text.to_vec();
        for _ in 0..TURNS {
            if !self.is_ambiguous(production, &text) {
                return;
            }
            let origins = self.origins(production, &text);
            let Some(plain) = self.without(&text, &origins) else {
                self.note_all(origins.list);
                return;
            };
            self.note_all(origins.list);
            text = plain;
        }
    }

    fn note_all(&mut self, mut origins: Vec<Origin>) {
        origins.sort_by(shortest_first);
        for origin in origins {
            if !self.found.contains_key(&origin.production) {
                self.note(origin.production, origin.text);
            }
        }
    }

    /// A text with an unambiguous one in each place that an ambiguity comes from; nothing if that is the whole text, or there is none.
    fn without(&mut self, whole: &[u8], origins: &Origins) -> Option<Vec<u8>> {
        let mut text = origins.text.clone();
        // From the back, so that places in front stay.
        let mut by_place: Vec<&Origin> = origins.list.iter().collect();
        by_place.sort_by_key(|it| std::cmp::Reverse(it.range.start));
        for origin in by_place {
            let sentences = self.sentences;
            let mut plain = sentences[origin.production].iter();
            let is_plain = |it: &&Vec<u8>| self.counting.count(origin.production, it) == Count::One;
            let plain = plain.find(is_plain)?;
            text.splice(origin.range.clone(), plain.iter().copied());
        }
        (text != whole && text != origins.text).then_some(text)
    }

    /// The same of a whole sentence, with the separators that its tokens need.
    fn try_whole(&mut self, start: ProductionId, index: &SiteIndex) {
        match self.counting.graph.lexicon() {
            Some(_) => self.try_text(start, &self.codec.sentence(index.canonical())),
            None => self.try_text(start, index.text()),
        }
    }

    /// Infinitely many derivations are another matter.
    fn is_ambiguous(&mut self, production: ProductionId, text: &[u8]) -> bool {
        matches!(self.counting.count(production, text), Count::Several(_))
    }

    /// Whether a text is ambiguous, and not because a part of it is.
    fn is_origin(&mut self, production: ProductionId, text: &[u8]) -> bool {
        self.is_ambiguous(production, text) && {
            let origins = self.origins(production, text).list;
            origins.len() == 1
                && origins[0].production == production
                && origins[0].range == (0..text.len())
        }
    }

    /// Makes a text that an ambiguity comes from as short as it gets, and notes that.
    fn note(&mut self, production: ProductionId, mut text: Vec<u8>) {
        for _ in 0..TURNS {
            let shorter = self.shortened(production, &text);
            if shorter == text {
                break;
            }
            text = shorter;
        }
        if let Count::Several(count) = self.counting.count(production, &text) {
            self.found.insert(production, (text, count));
        }
    }

    /// Where an ambiguity comes from: the parts below which there is none, from the back to the front.
    fn origins(&mut self, production: ProductionId, text: &[u8]) -> Origins {
        let whole = Origin {
            range: 0..text.len(),
            production,
            text: text.to_vec(),
        };
        let Some(choices) = self.counting.choices(production, text) else {
            return Origins {
                text: text.to_vec(),
                list: vec![whole],
            };
        };
        let mut index = SiteIndex::new();
        let node = self.references[production];
        let mut tape = self.codec.tape(&choices);
        self.codec
            .derive(node, &mut tape, &mut self.scratch, &mut index);
        let graph = self.counting.graph.clone();
        let mut list: Vec<Origin> = Vec::new();
        // The first site of the last origin.
        let mut last = u32::MAX;
        // What lies below comes behind in the index, so backward it is seen first.
        for (at, site) in index.sites().iter().enumerate().skip(1).rev() {
            let NodeKind::Reference(target) = graph.grammar()[site.node].kind else {
                continue;
            };
            if last < site.end {
                continue;
            }
            let range = index.text_range(at as u32);
            let range = range.start as usize..range.end as usize;
            let part = &index.text()[range.clone()];
            if self.is_ambiguous(target, part) {
                last = at as u32;
                list.push(Origin {
                    text: part.to_vec(),
                    range,
                    production: target,
                });
            }
        }
        if list.is_empty() {
            list.push(whole);
        }
        Origins {
            text: index.text().to_vec(),
            list,
        }
    }

    /// A shorter text that an ambiguity comes from, too, if there is one.
    fn shortened(&mut self, production: ProductionId, text: &[u8]) -> Vec<u8> {
        let len = text.len();
        let mut tried = 0;
        for part in 0..len {
            for start in 0..=len - part {
                tried += 1;
                if tried > MAX_PARTS {
                    break;
                }
                if self.is_origin(production, &text[start..start + part]) {
                    return text[start..start + part].to_vec();
                }
            }
        }
        let mut text = text.to_vec();
        let mut part = text.len() / 2;
        while part > 0 {
            let mut start = 0;
            while start + part <= text.len() {
                let mut without = text[..start].to_vec();
                without.extend_from_slice(&text[start + part..]);
                match self.is_origin(production, &without) {
                    true => text = without,
                    false => start += 1,
                }
            }
            part /= 2;
        }
        text
    }
}
