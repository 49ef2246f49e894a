//! Changes of inputs: bit flips in leaves, and swaps of subtrees (FdLoop, section 3.5).
//!
//! A flip changes one bit of a character in a leaf that is a number or a string: a member of a class, or a letter or a digit on its own.
//! What comes out is read again and has to be a sentence; if it is none, other bits are tried, a few times. A swap lets two uses
//! of one nonterminal change places, of which neither is part of the other; it always gives a sentence. Where the article's mutator
//! changes a share of all leaves, this one changes one or two.
//!
//! A flip costs a parse; a swap is linear.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use pleach_core::choice::{Lexemes, ROOT, Scratch, SiteIndex};
use pleach_core::grammar::{Member, NodeKind};
use pleach_core::id::ProductionId;
use pleach_core::parse::{Budget, Workspace};
use pleach_core::rng::Rng;
use pleach_core::{Codec, Parser};

use crate::runner::Input;

/// How many bits are tried for a flip.
const TRIES: u32 = 8;
/// What a flip may take to read again.
const BUDGET: u64 = 2_000_000;

/// Changes inputs.
pub struct Mutator {
    codec: Arc<Codec>,
    parser: Parser,
    budget: Budget,
    workspace: Workspace,
    scratch: Scratch,
    index: SiteIndex,
    lexemes: Lexemes,
}

impl fmt::Debug for Mutator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mutator({:?})", self.parser)
    }
}

impl Mutator {
    /// A mutator for the inputs of a grammar.
    pub fn new(codec: &Arc<Codec>) -> Mutator {
        Mutator {
            parser: Parser::new(codec.graph()),
            codec: codec.clone(),
            budget: Budget {
                steps: BUDGET,
                ..Budget::default()
            },
            workspace: Workspace::new(),
            scratch: Scratch::default(),
            index: SiteIndex::new(),
            lexemes: Lexemes::default(),
        }
    }

    /// The input of a choice sequence, in its canonical form.
    pub fn input(&mut self, choices: &[u8]) -> Input {
        self.codec
            .index(choices, &mut self.scratch, &mut self.index);
        Input {
            choices: self.index.canonical().to_vec(),
            text: self.codec.text(&self.index, &mut self.lexemes).to_vec(),
        }
    }

    /// Changes an input by a flip or a swap, as likely as each other where both are possible. Nothing if neither is.
    pub fn mutate(&mut self, input: &Input, rng: &mut Rng) -> Option<Input> {
        match rng.below(2) {
            0 => self.flip(input, rng).or_else(|| self.swap(input, rng)),
            _ => self.swap(input, rng).or_else(|| self.flip(input, rng)),
        }
    }

    /// Flips a bit of a leaf.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pleach_core::rng::Rng;
    /// use pleach_core::{Codec, Grammar, Graph, Parser};
    /// use pleach_evolve::mutator::Mutator;
    ///
    /// let grammar: Grammar = "call := 'f(' digit ')'; digit := '0' | [1-9];".parse()?;
    /// let graph = Graph::new(grammar)?;
    /// let mut mutator = Mutator::new(&Arc::new(Codec::new(&graph)));
    /// let four = mutator.input(&Parser::new(&graph).encode(b"f(4)")?);
    /// let flipped = mutator.flip(&four, &mut Rng::new(0)).ok_or("no flip")?;
    /// // 4 is 110100 in bits; one of them makes it 0, 5 or 6.
    /// assert!(["f(0)", "f(5)", "f(6)"].map(|it| it.as_bytes()).contains(&&flipped.text[..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn flip(&mut self, input: &Input, rng: &mut Rng) -> Option<Input> {
        self.codec
            .index(&input.choices, &mut self.scratch, &mut self.index);
        let leaves = self.leaves();
        if leaves.is_empty() {
            return None;
        }
        for _ in 0..TRIES {
            let site = leaves[rng.index(leaves.len())];
            let range = self.index.text_range(site);
            let range = range.start as usize..range.end as usize;
            let byte = range.start + rng.index(range.len());
            let bit = 1u8 << rng.below(8);
            let flipped = match self.codec.graph().lexicon() {
                // The text is laid out: only what stays in its class keeps its place.
                Some(_) => self.flip_member(site, byte - range.start, bit),
                None => self.flip_text(byte, bit),
            };
            if flipped.is_some() {
                return flipped;
            }
        }
        None
    }

    /// The sites of leaves that are numbers or strings, with some text.
    fn leaves(&self) -> Vec<u32> {
        let grammar = self.codec.graph().grammar();
        let is_leaf = |site: u32| {
            let node = self.index.sites()[site as usize].node;
            if node == ROOT {
                return false;
            }
            let range = self.index.text_range(site);
            let text = &self.index.text()[range.start as usize..range.end as usize];
            match grammar[node].kind {
                NodeKind::Class(_) => !text.is_empty(),
                NodeKind::Literal(_) => matches!(text, [byte] if byte.is_ascii_alphanumeric()),
                _ => false,
            }
        };
        (0..self.index.sites().len() as u32)
            .filter(|&site| is_leaf(site))
            .collect()
    }

    fn flip_text(&mut self, byte: usize, bit: u8) -> Option<Input> {
        let mut text = self.index.text().to_vec();
        text[byte] ^= bit;
        let mut choices = Vec::new();
        let forest = self.parser.parse(&text, self.budget, &mut self.workspace);
        forest.ok()?.choices(&mut choices).ok()?;
        Some(Input { choices, text })
    }

    fn flip_member(&mut self, site: u32, byte: usize, bit: u8) -> Option<Input> {
        let grammar = self.codec.graph().grammar();
        let NodeKind::Class(class) = grammar[self.index.sites()[site as usize].node].kind else {
            return None;
        };
        let range = self.index.text_range(site);
        let mut text = self.index.text()[range.start as usize..range.end as usize].to_vec();
        text[byte] ^= bit;
        let member = match std::str::from_utf8(&text) {
            Ok(text) => Member::Char(text.chars().next()?),
            Err(_) => Member::Byte(*text.first()?),
        };
        let class = self.codec.class(class);
        let choice = class.choice(member)?;
        let mut new = Vec::new();
        pleach_core::choice::put(&mut new, choice.head, class.head_count());
        if class.rest_count(choice.head) > 1 {
            pleach_core::choice::put(&mut new, choice.rest, class.rest_count(choice.head));
        }
        let at = self.index.span(site).choices;
        let choices = self.spliced(&[(at, &new)]);
        Some(self.input(&choices))
    }

    /// Lets two uses of a nonterminal change places.
    pub fn swap(&mut self, input: &Input, rng: &mut Rng) -> Option<Input> {
        self.codec
            .index(&input.choices, &mut self.scratch, &mut self.index);
        let (one, other) = self.pair(rng)?;
        let (one, other) = (one.min(other), one.max(other));
        let (before, behind) = (self.index.span(one), self.index.span(other));
        let (first, second) = (
            self.index.choices_of(one).to_vec(),
            self.index.choices_of(other).to_vec(),
        );
        let choices = self.spliced(&[(before.choices, &second), (behind.choices, &first)]);
        Some(self.input(&choices))
    }

    /// Two uses of a nonterminal with different texts, of which neither is part of the other.
    fn pair(&self, rng: &mut Rng) -> Option<(u32, u32)> {
        let codec = &self.codec;
        let nonterminal = |site: u32| -> Option<ProductionId> {
            let node = self.index.sites()[site as usize].node;
            codec.graph().target_of(codec.symbol_of(node)?)
        };
        let mut uses: Vec<(ProductionId, u32)> = (1..self.index.sites().len() as u32)
            .filter_map(|site| Some((nonterminal(site)?, site)))
            .collect();
        uses.sort_unstable();
        if uses.is_empty() {
            return None;
        }
        for _ in 0..TRIES {
            let (production, one) = uses[rng.index(uses.len())];
            let from = uses.partition_point(|it| it.0 < production);
            let to = uses.partition_point(|it| it.0 <= production);
            let (_, other) = uses[from + rng.index(to - from)];
            let is_apart = |one: u32, other: u32| self.index.sites()[one as usize].end <= other;
            let is_other = self.index.choices_of(one) != self.index.choices_of(other);
            if is_other && (is_apart(one, other) || is_apart(other, one)) {
                return Some((one, other));
            }
        }
        None
    }

    /// The choices of the index with others in the place of some, which are in ascending order.
    fn spliced(&self, changes: &[(Range<u32>, &[u8])]) -> Vec<u8> {
        let choices = self.index.choices();
        let mut new = Vec::with_capacity(choices.len());
        let mut at = 0;
        for (range, replacement) in changes {
            new.extend_from_slice(&choices[at..range.start as usize]);
            new.extend_from_slice(replacement);
            at = range.end as usize;
        }
        new.extend_from_slice(&choices[at..]);
        new
    }
}
