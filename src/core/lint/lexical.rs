//! Tokens that are taken for one another: keywords that are names, too, tokens that never win, and pairs that nothing can keep
//! apart.
//!
//! The short sentences of each token are read as the scanner would read them, in every context, that is behind every token. O(tokens²)
//! reads, within the bound.

use std::collections::BTreeMap;

use crate::id::{IdVec, ProductionId};
use crate::lexicon::{Context, Lexicon, Origin};

use super::counting::{Count, Counting};
use super::short::{Sentences, members};
use super::{Finding, Kind, Severity, shown};

/// The sentences of a token that are read, and those that are put beside others.
const KEPT: usize = 40;
const PAIRED: usize = 3;
/// The names that a finding shows.
const NAMES: usize = 4;

pub(super) fn find(
    sentences: &IdVec<ProductionId, Sentences>,
    counting: &mut Counting<'_>,
) -> Vec<Finding> {
    let graph = counting.graph.clone();
    let Some(lexicon) = graph.lexicon() else {
        return Vec::new();
    };
    let tokens = Tokens::new(lexicon, sentences, counting);
    let mut findings = tokens.overlaps(counting);
    findings.extend(tokens.shadowed(counting));
    findings.extend(tokens.glued(counting));
    findings
}

/// The tokens that are not skipped.
struct Tokens<'a> {
    lexicon: &'a Lexicon,
    /// By number; none for what is skipped.
    all: Vec<Option<Known>>,
}

struct Known {
    name: String,
    /// The token itself, or the first production that it is written in.
    production: ProductionId,
    is_production: bool,
    texts: Sentences,
}

impl<'a> Tokens<'a> {
    fn new(
        lexicon: &'a Lexicon,
        sentences: &IdVec<ProductionId, Sentences>,
        counting: &Counting<'_>,
    ) -> Tokens<'a> {
        let grammar = counting.graph.grammar();
        let mut users: BTreeMap<u32, ProductionId> = BTreeMap::new();
        for (id, node) in grammar.nodes().iter() {
            if let Some(token) = lexicon.token_of(id) {
                users.entry(token).or_insert(node.production);
            }
        }
        let known = |(at, token): (usize, &crate::lexicon::Token)| {
            let user = users.get(&(at as u32)).copied();
            let user = user.unwrap_or(grammar.start());
            let (production, mut texts) = match token.origin {
                Origin::Literal(id) => (user, vec![grammar[id].to_vec()]),
                Origin::Class(id) => (user, members(&grammar[id])),
                Origin::Production(id) => {
                    let texts = sentences[id].iter().take(KEPT).cloned();
                    (id, texts.collect())
                }
            };
            texts.retain(|text| !text.is_empty());
            (!token.is_skipped).then_some(Known {
                name: token.name(grammar),
                production,
                is_production: matches!(token.origin, Origin::Production(_)),
                texts,
            })
        };
        Tokens {
            lexicon,
            all: lexicon.tokens().iter().enumerate().map(known).collect(),
        }
    }

    fn known(&self) -> impl Iterator<Item = (u32, &Known)> {
        let all = (0..).zip(&self.all);
        all.filter_map(|(at, known)| Some((at, known.as_ref()?)))
    }

    fn contexts(&self) -> impl Iterator<Item = Context> + '_ {
        let behind = self.known().map(|(at, _)| self.lexicon.behind(at));
        std::iter::once(self.lexicon.start()).chain(behind)
    }

    /// Tokens that match what is the only text of another one.
    fn overlaps(&self, counting: &mut Counting<'_>) -> Vec<Finding> {
        let grammar = counting.graph.grammar().clone();
        let mut findings = Vec::new();
        for (at, token) in self.known().filter(|(_, token)| token.is_production) {
            let mut names: Vec<&str> = Vec::new();
            let mut example = None;
            for (_, other) in self.known().filter(|&(other, _)| other != at) {
                if let [text] = &*other.texts
                    && counting.count(token.production, text) != Count::None
                {
                    names.push(&other.name);
                    example.get_or_insert_with(|| text.clone());
                }
            }
            // What has a single text itself is found from the other side, or is shadowed.
            if token.texts.len() < 2 || names.is_empty() {
                continue;
            }
            let mut list = names[..names.len().min(NAMES)].join(", ");
            if let Some(more @ 1..) = names.len().checked_sub(NAMES) {
                list += &format!(" and {more} more");
            }
            let message = format!("the token {} matches {list}, too", token.name);
            let suggestion = "nothing, if they may stand for it where they are not expected themselves; otherwise put all into \
                              one mode, as in `token(word) name := …`";
            let mut finding = Finding::new(
                &grammar,
                Kind::Overlap,
                Severity::Info,
                token.production,
                message,
                suggestion,
            );
            finding.example = example;
            findings.push(finding);
        }
        findings
    }

    /// Tokens whose sentences are taken for others wherever they are expected.
    fn shadowed(&self, counting: &mut Counting<'_>) -> Vec<Finding> {
        let grammar = counting.graph.grammar().clone();
        let mut findings = Vec::new();
        for (at, token) in self.known() {
            let mut lost = None;
            let mut is_won = token.texts.is_empty();
            let contexts = self.contexts();
            for context in contexts.filter(|&it| self.lexicon.is_expected(at, it)) {
                for text in &token.texts {
                    counting.spend(text.len() as u64);
                    match self.lexicon.longest(text, context) {
                        Some((winner, len)) if winner != at && len == text.len() => {
                            lost.get_or_insert((text, winner));
                        }
                        _ => is_won = true,
                    }
                }
                if is_won || counting.left() == 0 {
                    break;
                }
            }
            let Some((text, winner)) = lost.filter(|_| !is_won && counting.left() > 0) else {
                continue;
            };
            let winner = self.all[winner as usize].as_ref();
            let winner = winner.map_or("what is skipped", |it| &it.name);
            let message = format!(
                "the token {} never wins: {} is read as {winner} wherever it is expected",
                token.name,
                shown(text)
            );
            let finding = Finding::new(
                &grammar,
                Kind::Shadowed,
                Severity::Warning,
                token.production,
                message,
                "write it before the other one, or take one of them away; literals of the syntax go before all tokens",
            );
            findings.push(finding.with_example(text.clone()));
        }
        findings
    }

    /// Tokens that cannot stand beside each other, where nothing is skipped.
    fn glued(&self, counting: &mut Counting<'_>) -> Vec<Finding> {
        let grammar = counting.graph.grammar().clone();
        let mut findings = Vec::new();
        if !self.lexicon.separators().is_empty() {
            return findings;
        }
        for (at, token) in self.known() {
            let mut contexts = self.contexts();
            let Some(context) = contexts.find(|&it| self.lexicon.is_expected(at, it)) else {
                continue;
            };
            let behind = self.lexicon.behind(at);
            let followers = self.known();
            let mut followers =
                followers.filter(|&(next, _)| self.lexicon.is_expected(next, behind));
            let glued = followers.find_map(|(_, next)| {
                for text in token.texts.iter().take(PAIRED) {
                    for follower in next.texts.iter().take(PAIRED) {
                        let both = [&text[..], follower].concat();
                        counting.spend(both.len() as u64);
                        let read = self.lexicon.longest(&both, context);
                        if counting.left() > 0 && read.is_some_and(|(_, len)| len > text.len()) {
                            return Some((next, both));
                        }
                    }
                }
                None
            });
            let Some((next, both)) = glued else {
                continue;
            };
            let message = format!(
                "the tokens {} and {} may follow each other, {} is read otherwise, and nothing is skipped that could keep them apart",
                token.name,
                next.name,
                shown(&both)
            );
            let finding = Finding::new(
                &grammar,
                Kind::Glue,
                Severity::Info,
                token.production,
                message,
                "let something be skipped, as by `skip blank := [ \\t\\n]+;`, or put a separator between them",
            );
            findings.push(finding.with_example(both));
        }
        findings
    }
}
