//! Learning a tree: CART over columns of bits.
//!
//! From the root on, each set of texts is split by the feature that leaves the least Gini impurity, until it is pure or the tree is as
//! deep as it may be (article, section 5.4.1). How many texts with a feature are in a class is a matter of and and count, 64 texts at a time, so a
//! split costs O(columns · words). Features that all texts of a node have, or none, are not asked for below it.
//!
//! Among equal splits, the first column wins, which is that of the shortest k-path. Everything is deterministic.
//!
//! Many classes are small, and a tree that is learned from all texts hardly cares for them. The article leaves texts out until members and
//! others are equally many ([`Balance::Subsample`]). But then the others that remain are too few to say what a class is not: on 1000
//! texts of JSON, trees were right about 89.8 % of others in serde_json, with a precision of 63 % and a recall of 91 %. Weights forget no text.
//! Weights that make both sides equal came to 96.9 %, 86 % and 96 %, and those by the square root of the shares to 97.6 %, 91 % and 95 %,
//! with like differences in url and fend; so these are the default ([`Balance::Weights`]).

use std::sync::Arc;

use pleach_core::rng::Rng;

use crate::columns::{Columns, full};
use crate::tree::{Node, Question, Tree};

/// The questions asked of a text at the most, unless somebody says otherwise.
pub const DEFAULT_DEPTH: usize = 5;

/// Of words that are empty but for one in so many, the others alone are kept: looking each up costs more than skipping a few.
const SPARSE: usize = 3;

/// How members and others come to count alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Balance {
    /// Of those that are more, as many are drawn as there are of the fewer.
    Subsample,
    /// Of members and others, the fewer ones weigh more: by the square root of how many times more the others are.
    #[default]
    Weights,
}

/// Learns trees for classes of the same texts. Immutable: threads share it.
#[derive(Clone, Copy, Debug)]
pub struct Learner<'a> {
    columns: &'a Columns,
    balance: Balance,
    max_depth: usize,
    seed: u64,
}

/// Texts by words of 64, those that are members among them. Where many words are empty, only the others are kept.
#[derive(Clone)]
struct Set {
    /// The words of columns that these are; all of them, if none is left out.
    at: Option<Vec<u32>>,
    all: Vec<u64>,
    members: Vec<u64>,
}

/// A set of texts that is to be split, or is a leaf.
struct Open {
    set: Set,
    /// Texts by which nothing is learned, but that are counted.
    every: Vec<u64>,
    candidates: Arc<Vec<u32>>,
    depth: usize,
    above: Option<(usize, bool)>,
}

/// How many texts of a node, members and others.
#[derive(Clone, Copy)]
struct Counts {
    members: u32,
    others: u32,
}

/// What a text counts for.
#[derive(Clone, Copy)]
struct Weight {
    member: f64,
    other: f64,
}

impl Weight {
    /// Twice this is the Gini impurity of a set, times its weight.
    fn impurity(self, counts: Counts) -> f64 {
        let (members, others) = self.of(counts);
        match members + others {
            0.0 => 0.0,
            sum => members * others / sum,
        }
    }

    fn of(self, counts: Counts) -> (f64, f64) {
        (
            f64::from(counts.members) * self.member,
            f64::from(counts.others) * self.other,
        )
    }
}

impl<'a> Learner<'a> {
    /// Learns trees of at most [`DEFAULT_DEPTH`] questions.
    pub fn new(columns: &'a Columns, balance: Balance, seed: u64) -> Learner<'a> {
        Learner {
            columns,
            balance,
            max_depth: DEFAULT_DEPTH,
            seed,
        }
    }

    /// The same with another bound.
    pub fn with_depth(mut self, max_depth: usize) -> Learner<'a> {
        self.max_depth = max_depth;
        self
    }

    /// The tree of a class: bit `i % 64` of word `i / 64` says whether text i is in it. Words that are missing are empty.
    /// O(columns · texts / 64) for each node of the tree.
    pub fn learn(&self, members: &[u64]) -> Tree {
        self.learn_from(members, &full(self.columns.texts()))
    }

    /// The same from some of the texts.
    pub fn learn_from(&self, members: &[u64], texts: &[u64]) -> Tree {
        let (set, weight) = self.sample(members, texts);
        let candidates = (0..self.columns.len() as u32).collect();
        let mut open = vec![Open {
            set,
            every: texts.to_vec(),
            candidates: Arc::new(candidates),
            depth: 0,
            above: None,
        }];
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(part) = open.pop() {
            let here = nodes.len();
            if let Some((above, holds)) = part.above
                && let Some(question) = nodes[above].question.as_mut()
            {
                match holds {
                    true => question.yes = here as u32,
                    false => question.no = here as u32,
                }
            }
            let counts = part.set.count();
            let (own, rest) = weight.of(counts);
            let every = count_all(members, &part.every);
            let mut node = Node {
                members: every.members,
                others: every.others,
                is_member: own > rest,
                question: None,
            };
            let is_pure = counts.members == 0 || counts.others == 0;
            if !is_pure
                && part.depth < self.max_depth
                && let Some((column, candidates)) = self.split(&part, counts, weight)
            {
                node.question = Some(Question {
                    feature: column,
                    yes: 0,
                    no: 0,
                });
                for holds in [false, true] {
                    open.push(self.side(&part, column, holds, &candidates, here));
                }
            }
            nodes.push(node);
        }
        Tree { nodes }.pruned()
    }

    /// The texts to learn from, and what they count for.
    fn sample(&self, members: &[u64], texts: &[u64]) -> (Set, Weight) {
        let Counts {
            members: own,
            others,
        } = count_all(members, texts);
        let mut weight = Weight {
            member: 1.0,
            other: 1.0,
        };
        let mut left_out = Vec::new();
        match self.balance {
            // Nothing to balance.
            _ if own == 0 || others == 0 => {}
            Balance::Weights => {
                weight = Weight {
                    member: f64::from(others).sqrt(),
                    other: f64::from(own).sqrt(),
                };
            }
            Balance::Subsample => {
                // Texts of the larger side are drawn without replacement, by one pass over them.
                let (mut wanted, larger_is_members) = (own.min(others), own > others);
                let mut left = own.max(others);
                let mut rng = Rng::new(self.seed);
                left_out = vec![0u64; texts.len()];
                for text in 0..self.columns.texts() {
                    let bit = |words: &[u64]| bit(words, text);
                    if bit(texts) && bit(members) == larger_is_members {
                        match rng.index(left as usize) < wanted as usize {
                            true => wanted -= 1,
                            false => left_out[text / 64] |= 1 << (text % 64),
                        }
                        left -= 1;
                    }
                }
            }
        }
        let all = texts.iter().enumerate();
        let all = all.map(|(at, &all)| all & !left_out.get(at).copied().unwrap_or(0));
        let own = members.iter().copied().chain(std::iter::repeat(0));
        let own = texts.iter().zip(own).map(|(_, own)| own);
        (Set::new(all.collect(), own.collect()), weight)
    }

    /// The column that splits a set best, and those that may split its parts; nothing if none does.
    fn split(&self, part: &Open, counts: Counts, weight: Weight) -> Option<(u32, Arc<Vec<u32>>)> {
        let total = counts.members + counts.others;
        let mut best = None;
        // What is no less impure than the whole is no split; rounding is not to make one.
        let mut least = weight.impurity(counts) * (1.0 - 1e-9);
        let mut candidates = Vec::new();
        for &column in &*part.candidates {
            let (with, members) = part.set.with(self.columns.column(column as usize));
            if with == 0 || with == total {
                continue;
            }
            candidates.push(column);
            let yes = Counts {
                members,
                others: with - members,
            };
            let no = Counts {
                members: counts.members - yes.members,
                others: counts.others - yes.others,
            };
            let impurity = weight.impurity(yes) + weight.impurity(no);
            if impurity < least {
                // Rounding is not to make one split better than an equal one before it.
                least = impurity * (1.0 - 1e-9);
                best = Some(column);
            }
        }
        best.map(|column| (column, Arc::new(candidates)))
    }

    /// The texts of a set that give an answer.
    fn side(
        &self,
        part: &Open,
        column: u32,
        holds: bool,
        candidates: &Arc<Vec<u32>>,
        above: usize,
    ) -> Open {
        let bits = self.columns.column(column as usize);
        let of = |at: usize| if holds { bits[at] } else { !bits[at] };
        let every = part.every.iter().enumerate();
        Open {
            set: part.set.filtered(of),
            every: every.map(|(at, &word)| word & of(at)).collect(),
            candidates: candidates.clone(),
            depth: part.depth + 1,
            above: Some((above, holds)),
        }
    }
}

impl Set {
    /// The texts of a set, and those that are members, of these or not.
    fn new(all: Vec<u64>, members: Vec<u64>) -> Set {
        let set = Set {
            at: None,
            all,
            members,
        };
        set.filtered(|_| u64::MAX)
    }

    /// The texts that are in these words, too.
    fn filtered(&self, of: impl Fn(usize) -> u64) -> Set {
        let place = |index: usize| self.at.as_ref().map_or(index, |at| at[index] as usize);
        let words = self.all.iter().enumerate();
        let all: Vec<u64> = words
            .map(|(index, &word)| word & of(place(index)))
            .collect();
        let filled = all.iter().filter(|&&word| word != 0).count();
        let is_kept = |index: usize| filled * SPARSE > all.len() || all[index] != 0;
        let kept: Vec<usize> = (0..all.len()).filter(|&index| is_kept(index)).collect();
        Set {
            at: match kept.len() == all.len() {
                true => self.at.clone(),
                false => Some(kept.iter().map(|&index| place(index) as u32).collect()),
            },
            members: kept
                .iter()
                .map(|&index| self.members[index] & all[index])
                .collect(),
            all: kept.iter().map(|&index| all[index]).collect(),
        }
    }

    /// How many of the texts have a feature, and how many members have it.
    fn with(&self, column: &[u64]) -> (u32, u32) {
        let (mut with, mut members) = (0, 0);
        let words = self.all.iter().zip(&self.members);
        match &self.at {
            // Words side by side are counted several at a time.
            None => {
                for ((&all, &own), &bits) in words.zip(column) {
                    with += (bits & all).count_ones();
                    members += (bits & own).count_ones();
                }
            }
            Some(at) => {
                for ((&all, &own), &at) in words.zip(at) {
                    let bits = column[at as usize];
                    with += (bits & all).count_ones();
                    members += (bits & own).count_ones();
                }
            }
        }
        (with, members)
    }

    fn count(&self) -> Counts {
        count_all(&self.members, &self.all)
    }
}

/// Whether a text is in a set.
pub(crate) fn bit(words: &[u64], text: usize) -> bool {
    words
        .get(text / 64)
        .is_some_and(|word| word >> (text % 64) & 1 == 1)
}

fn count_all(members: &[u64], texts: &[u64]) -> Counts {
    let (mut own, mut all) = (0, 0);
    for (at, &texts) in texts.iter().enumerate() {
        all += texts.count_ones();
        own += (texts & members.get(at).copied().unwrap_or(0)).count_ones();
    }
    Counts {
        members: own,
        others: all - own,
    }
}
