//! Texts of grammars with tokens: cut into tokens, which the chart then reads as a text of their own.
//!
//! Each token becomes a few bytes, its *code*, and the machines of the syntax read codes where they would read literals, so
//! that everything else works as it does on bytes. A text is scanned by what comes behind each token; where that leads nowhere, and
//! only there, it is cut once more by what the chart expects at each place. What a token derives does not depend on where it stands; its choices are
//! found by a parser of its production and put in where its code has been read. Linear in the text, but for what ambiguous
//! tokens take.

use std::sync::{Arc, OnceLock};

#[cfg(feature = "tools")]
use num_bigint::BigUint;

use crate::choice::Encoder;
use crate::grammar::{Grammar, NodeKind, Role};
use crate::graph::Graph;
use crate::id::{Id as _, IdVec, NodeId, ProductionId};
use crate::lexicon::{Lexeme, Lexicon, Origin, Reader};

#[cfg(feature = "tools")]
use super::Derivations;
use super::canonical::encode_member;
use super::chart::Chart;
use super::machine::Reads;
use super::subset::Subsets;
use super::tables::Tables;
use super::{Budget, Parser, Refusal, Workspace};

/// The bits of a code's byte: codes are ASCII.
const BITS: u32 = 7;

/// The codes of tokens, and their parsers.
#[derive(Debug)]
pub(super) struct Codes {
    /// The bytes of each code.
    pub(super) width: usize,
    /// What each token takes to parse, made when it is first needed.
    inner: Vec<OnceLock<Inner>>,
}

/// What derives a token.
#[derive(Debug)]
enum Inner {
    /// Nothing chooses.
    Fixed,
    /// A class.
    Class,
    /// A production.
    Production(Parser),
}

impl Codes {
    /// The codes for texts of a production; none if it derives bytes.
    pub(super) fn new(graph: &Graph, start: ProductionId) -> Option<Codes> {
        let lexicon = graph.lexicon()?;
        (graph.grammar()[start].role == Role::Syntax).then(|| {
            let mut width = 1;
            while lexicon.tokens().len() >> (BITS * width as u32) > 0 {
                width += 1;
            }
            Codes {
                width,
                inner: lexicon.tokens().iter().map(|_| OnceLock::new()).collect(),
            }
        })
    }

    /// The code of a token.
    pub(super) fn code(
        &self,
        token: u32,
    ) -> impl DoubleEndedIterator<Item = u8> + ExactSizeIterator {
        (0..self.width).map(move |at| (token >> (BITS * at as u32)) as u8 & 0x7f)
    }

    /// What derives a token.
    fn inner(&self, graph: &Arc<Graph>, lexicon: &Lexicon, token: u32) -> &Inner {
        self.inner[token as usize].get_or_init(|| {
            let grammar = graph.grammar();
            match lexicon.tokens()[token as usize].origin {
                Origin::Literal(_) => Inner::Fixed,
                Origin::Class(_) => Inner::Class,
                Origin::Production(production) if is_fixed(grammar, production) => Inner::Fixed,
                Origin::Production(production) => Inner::Production(Parser::of(graph, production)),
            }
        })
    }
}

/// Whether nothing in a token or a part of one chooses.
fn is_fixed(grammar: &Grammar, production: ProductionId) -> bool {
    let mut seen: IdVec<ProductionId, bool> = IdVec::filled(grammar.productions().len(), false);
    let mut rest = vec![production];
    while let Some(id) = rest.pop() {
        let own = &grammar[id];
        let first = own.first_node.index();
        for at in first..first + own.node_count as usize {
            match grammar[NodeId::from_index(at)].kind {
                NodeKind::Literal(_) | NodeKind::Concatenation => {}
                NodeKind::Quantifier { min, max } if max == Some(min) => {}
                NodeKind::Alternation | NodeKind::Class(_) | NodeKind::Quantifier { .. } => {
                    return false;
                }
                NodeKind::Reference(target) => {
                    if !std::mem::replace(&mut seen[target], true) {
                        rest.push(target);
                    }
                }
            }
        }
    }
    true
}

/// What came of cutting a text by what the chart expects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cut {
    /// There is no other way than the one that was scanned.
    NoOther,
    /// It was cut, as far as the chart goes.
    Whole,
    /// It was cut up to this offset, where nothing matches that is expected.
    UpTo(usize),
}

/// Finds out which tokens a set of states reads, unless that is known.
fn tokens_of(
    tables: &Tables,
    lexicon: &Lexicon,
    subsets: &Subsets,
    subset: u32,
    readers: &mut Vec<Option<Box<[u64]>>>,
) {
    let at = subset as usize;
    if readers.len() <= at {
        readers.resize(at + 1, None);
    }
    if readers[at].is_none() {
        let mut set = Vec::new();
        for &reader in subsets.readers(subset) {
            let state = &tables.machines.states[reader as usize];
            if !matches!(state.reads, Reads::Nothing | Reads::Call(_)) {
                lexicon.insert(state.node, &mut set);
            }
        }
        readers[at] = Some(set.into());
    }
}

/// A text cut into tokens.
#[derive(Default)]
pub(super) struct Lexed {
    lexemes: Vec<Lexeme>,
    /// Their codes.
    pub(super) coded: Vec<u8>,
    /// By set of states, the tokens that it reads; made when needed, and of one generation of such sets.
    readers: Vec<Option<Box<[u64]>>>,
    generation: u64,
    /// The bytes of the text.
    len: usize,
    /// The choices of all tokens, in full.
    choices: Vec<u8>,
    /// By token in the text: the end of its choices, and how many bytes of them close-off would not make.
    parts: Vec<(u32, u32)>,
    /// By token: where its texts are parsed.
    workspaces: Vec<Option<Box<Workspace>>>,
}

impl Lexed {
    /// Reads a text into a chart: cut by scanning, or by what the chart expects where that leads nowhere. If it is refused, the
    /// tokens are those of the way that went further.
    pub(super) fn read(
        &mut self,
        tables: &Tables,
        codes: &Codes,
        subsets: &mut Subsets,
        chart: &mut Chart,
        text: &[u8],
        budget: Budget,
    ) -> Result<(), Refusal> {
        let scanned = self.scan(tables, codes, text);
        let read = super::read(tables, subsets, chart, &self.coded, budget);
        let Err(refusal) = self.earlier(codes, scanned, read) else {
            return Ok(());
        };
        if !matches!(refusal, Refusal::NoSentence { .. }) {
            return Err(refusal);
        }
        let failed = chart.reached / codes.width;
        let cut = self.cut(tables, codes, subsets, chart, text, failed, budget);
        let cut = cut.map_err(|refusal| refusal.of_text(self, codes))?;
        let stopped = match cut {
            Cut::NoOther => return Err(refusal),
            Cut::Whole => Ok(()),
            Cut::UpTo(offset) => Err(offset),
        };
        let read = super::read(tables, subsets, chart, &self.coded, budget);
        self.earlier(codes, stopped, read)
    }

    /// Where scanning and reading codes both fail, what comes first counts.
    fn earlier(
        &self,
        codes: &Codes,
        scanned: Result<(), usize>,
        read: Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let read = read.map_err(|refusal| refusal.of_text(self, codes));
        match scanned {
            Err(offset) if read.is_ok() || read.is_err_and(|it| it.offset() >= offset) => {
                Err(Refusal::NoSentence { offset })
            }
            _ => read,
        }
    }

    /// Cuts a text into tokens, as far as it goes, and says where it does not.
    fn scan(&mut self, tables: &Tables, codes: &Codes, text: &[u8]) -> Result<(), usize> {
        self.len = text.len();
        self.choices.clear();
        self.parts.clear();
        self.coded.clear();
        self.lexemes.clear();
        let Some(lexicon) = tables.graph.lexicon() else {
            return Ok(());
        };
        let scanned = lexicon.scan(text, &mut self.lexemes);
        for lexeme in &self.lexemes {
            self.coded.extend(codes.code(lexeme.token));
        }
        scanned
    }

    /// Cuts a text into tokens by what the chart expects, where scanning or reading what was scanned has failed behind the first
    /// tokens, `read` of them. Says that there is no other way, or where it ends, if it does before the text's end.
    #[expect(clippy::too_many_arguments, reason = "all that a chart is made of")]
    fn cut(
        &mut self,
        tables: &Tables,
        codes: &Codes,
        subsets: &mut Subsets,
        chart: &mut Chart,
        text: &[u8],
        read: usize,
        budget: Budget,
    ) -> Result<Cut, Refusal> {
        let Some(lexicon) = tables.graph.lexicon() else {
            return Ok(Cut::NoOther);
        };
        if !lexicon.has_other(text, &self.lexemes, read) {
            return Ok(Cut::NoOther);
        }
        if self.generation != subsets.generation {
            self.generation = subsets.generation;
            self.readers.clear();
        }
        let (lexemes, coded, readers) = (&mut self.lexemes, &mut self.coded, &mut self.readers);
        lexemes.clear();
        coded.clear();
        let mut reader = Reader::new(lexicon, text);
        let mut stopped = None;
        let mut passed = 0;
        let most = text.len().saturating_mul(codes.width);
        chart.read_on(tables, subsets, most, budget, |chart, subsets, set| {
            if passed == coded.len() {
                for at in set.clone() {
                    tokens_of(tables, lexicon, subsets, chart.items[at].subset, readers);
                }
                let expected = set.filter_map(|at| {
                    let subset = chart.items[at].subset;
                    readers.get(subset as usize)?.as_deref()
                });
                match reader.next(expected) {
                    Ok(Some(lexeme)) => {
                        coded.extend(codes.code(lexeme.token));
                        lexemes.push(lexeme);
                    }
                    Ok(None) => return None,
                    Err(offset) => {
                        stopped = Some(offset);
                        return None;
                    }
                }
            }
            passed += 1;
            coded.get(passed - 1).copied()
        })?;
        Ok(match stopped {
            Some(offset) => Cut::UpTo(offset),
            None => Cut::Whole,
        })
    }

    /// The offset in the text of an offset among the codes: where the token there begins.
    pub(super) fn offset(&self, codes: &Codes, coded: usize) -> usize {
        match self.lexemes.get(coded / codes.width) {
            Some(lexeme) => lexeme.start as usize,
            None => self.len,
        }
    }

    /// The codes of the tokens that begin before an offset in the text.
    pub(super) fn coded_before(&self, codes: &Codes, offset: usize) -> &[u8] {
        let count = self
            .lexemes
            .partition_point(|lexeme| (lexeme.start as usize) < offset);
        &self.coded[..count * codes.width]
    }

    /// The offset in the text behind the tokens whose codes come before an offset.
    pub(super) fn end(&self, codes: &Codes, coded: usize) -> usize {
        match (coded / codes.width).checked_sub(1) {
            Some(last) => self
                .lexemes
                .get(last)
                .map_or(self.len, |it| it.end as usize),
            None => 0,
        }
    }

    /// Finds the choices of all tokens. Again is for nothing.
    pub(super) fn derive(
        &mut self,
        tables: &Tables,
        codes: &Codes,
        text: &[u8],
        budget: Budget,
    ) -> Result<(), Refusal> {
        if self.parts.len() == self.lexemes.len() {
            return Ok(());
        }
        self.choices.clear();
        self.parts.clear();
        let Some(lexicon) = tables.graph.lexicon() else {
            return Ok(());
        };
        self.workspaces.resize_with(lexicon.tokens().len(), || None);
        let mut steps = budget.steps;
        for at in 0..self.lexemes.len() {
            let lexeme = self.lexemes[at];
            let own = &text[lexeme.start as usize..lexeme.end as usize];
            let kept = match codes.inner(&tables.graph, lexicon, lexeme.token) {
                Inner::Fixed => 0,
                Inner::Class => {
                    let mut encoder = Encoder::new();
                    if let Origin::Class(class) = lexicon.tokens()[lexeme.token as usize].origin {
                        encode_member(tables, class, own, &mut encoder);
                    }
                    let (choices, kept) = encoder.into_parts();
                    self.choices.extend_from_slice(&choices);
                    kept
                }
                Inner::Production(parser) => {
                    let workspace = self.workspaces[lexeme.token as usize].get_or_insert_default();
                    let offset = lexeme.start as usize;
                    let budget = Budget { steps, ..budget };
                    let found = parser
                        .parse(own, budget, workspace)
                        .and_then(|mut forest| {
                            let (choices, kept) = forest.full_choices()?;
                            Ok((choices, kept, forest.steps()))
                        })
                        .map_err(|refusal| refusal.moved(offset))?;
                    let (choices, kept, spent) = found;
                    steps = steps.saturating_sub(spent);
                    self.choices.extend_from_slice(&choices);
                    kept
                }
            };
            self.parts.push((self.choices.len() as u32, kept as u32));
        }
        Ok(())
    }

    /// The choices of a token of the text, and how many bytes of them close-off would not make.
    pub(super) fn choices(&self, at: usize) -> (&[u8], usize) {
        let start = at.checked_sub(1).map_or(0, |before| self.parts[before].0);
        let (end, kept) = self.parts[at];
        (&self.choices[start as usize..end as usize], kept as usize)
    }

    /// The number of ways in which the tokens can be derived.
    #[cfg(feature = "tools")]
    pub(super) fn derivations(
        &mut self,
        tables: &Tables,
        codes: &Codes,
        text: &[u8],
        budget: Budget,
    ) -> Result<Derivations, Refusal> {
        let mut product = Derivations::from(BigUint::from(1u32));
        let Some(lexicon) = tables.graph.lexicon() else {
            return Ok(product);
        };
        self.workspaces.resize_with(lexicon.tokens().len(), || None);
        let mut steps = budget.steps;
        for lexeme in &self.lexemes {
            let Inner::Production(parser) = codes.inner(&tables.graph, lexicon, lexeme.token)
            else {
                continue;
            };
            let own = &text[lexeme.start as usize..lexeme.end as usize];
            let workspace = self.workspaces[lexeme.token as usize].get_or_insert_default();
            let budget = Budget { steps, ..budget };
            let (number, spent) = parser
                .parse(own, budget, workspace)
                .and_then(|mut forest| Ok((forest.derivations()?, forest.steps())))
                .map_err(|refusal| refusal.moved(lexeme.start as usize))?;
            steps = steps.saturating_sub(spent);
            product = product.times(&number);
        }
        Ok(product)
    }
}
