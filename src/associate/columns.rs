//! The features of many texts as columns of bits: one column a feature, one bit a text.
//!
//! A feature that all texts have, or none, tells nothing and is dropped. Features that the same texts have are one column: the first
//! of them in the order of [`Feature`] stands for all, so the shortest k-path, and the others are remembered. Quantities become
//! yes or no by thresholds between the values that occur. O(windows · k · log) time, and a bit for each text and kept feature.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use pleach_core::KPaths;

use crate::features::{Feature, FeatureVector, PathRank, Quantity};

/// The most thresholds of a quantity.
const MAX_THRESHOLDS: usize = 32;

/// The features of texts, by column.
#[derive(Clone, Debug)]
pub struct Columns {
    texts: usize,
    words: usize,
    features: Vec<Feature>,
    /// For each column, the other features that the same texts have, in order.
    merged: Vec<Vec<Feature>>,
    /// The columns one behind the other, `words` words each.
    bits: Vec<u64>,
    constant: usize,
}

impl Columns {
    /// The columns of these texts. The same vectors give the same columns.
    pub fn new(kpaths: &KPaths, vectors: &[FeatureVector]) -> Columns {
        let words = vectors.len().div_ceil(64);
        let mut builder = Builder {
            columns: Columns {
                texts: vectors.len(),
                words,
                features: Vec::new(),
                merged: Vec::new(),
                bits: Vec::new(),
                constant: 0,
            },
            known: BTreeMap::new(),
            full: full(vectors.len()),
        };
        builder.add_paths(kpaths, vectors);
        builder.add_quantities(vectors);
        builder.columns
    }

    /// The number of texts.
    pub fn texts(&self) -> usize {
        self.texts
    }

    /// The words of a column.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The number of columns.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there are no columns: all texts have the same features.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// The number of features that all texts have.
    pub fn constant(&self) -> usize {
        self.constant
    }

    /// The feature that a column stands for.
    pub fn feature(&self, column: usize) -> Feature {
        self.features[column]
    }

    /// The features that the same texts have as that of a column, without it.
    pub fn merged(&self, column: usize) -> &[Feature] {
        &self.merged[column]
    }

    /// The texts that have a feature: bit `i % 64` of word `i / 64` is that of text i.
    pub fn column(&self, column: usize) -> &[u64] {
        &self.bits[column * self.words..][..self.words]
    }

    /// Whether a text has the feature of a column.
    pub fn has(&self, column: usize, text: usize) -> bool {
        self.column(column)[text / 64] >> (text % 64) & 1 == 1
    }
}

/// The words of a set that has all of so many texts.
pub(crate) fn full(texts: usize) -> Vec<u64> {
    let mut words = vec![u64::MAX; texts.div_ceil(64)];
    if let (Some(last), rest @ 1..) = (words.last_mut(), texts % 64) {
        *last = (1 << rest) - 1;
    }
    words
}

struct Builder {
    columns: Columns,
    /// The columns by their bits.
    known: BTreeMap<Vec<u64>, usize>,
    full: Vec<u64>,
}

impl Builder {
    /// Adds a feature behind all those that are preferred to it.
    fn add(&mut self, feature: Feature, bits: Vec<u64>) {
        if bits == self.full {
            self.columns.constant += 1;
            return;
        }
        if bits.iter().all(|&word| word == 0) {
            return;
        }
        match self.known.entry(bits) {
            Entry::Occupied(known) => self.columns.merged[*known.get()].push(feature),
            Entry::Vacant(new) => {
                self.columns.bits.extend_from_slice(new.key());
                new.insert(self.columns.features.len());
                self.columns.features.push(feature);
                self.columns.merged.push(Vec::new());
            }
        }
    }

    fn add_paths(&mut self, kpaths: &KPaths, vectors: &[FeatureVector]) {
        // Which texts have a path, path by path: the pairs of path and text, sorted.
        let mut windows: Vec<u32> = vectors
            .iter()
            .flat_map(|vector| vector.windows.iter().copied())
            .collect();
        windows.sort_unstable();
        windows.dedup();
        let mut texts_of: Vec<Vec<u32>> = vec![Vec::new(); windows.len()];
        for (text, vector) in (0u32..).zip(vectors) {
            for window in &vector.windows {
                if let Ok(at) = windows.binary_search(window) {
                    texts_of[at].push(text);
                }
            }
        }
        let mut ends: Vec<(PathRank, u32)> = Vec::new();
        let mut path = Vec::new();
        for (at, &window) in (0u32..).zip(&windows) {
            if kpaths.window_into(u64::from(window), &mut path) {
                let paths = (0..path.len()).filter_map(|start| path_rank(kpaths, &path[start..]));
                ends.extend(paths.map(|path| (path, at)));
            }
        }
        ends.sort_unstable();
        for ends in ends.chunk_by(|one, other| one.0 == other.0) {
            let mut bits = vec![0u64; self.columns.words];
            for &(_, window) in ends {
                for &text in &texts_of[window as usize] {
                    bits[text as usize / 64] |= 1 << (text % 64);
                }
            }
            self.add(Feature::Path(ends[0].0), bits);
        }
    }

    fn add_quantities(&mut self, vectors: &[FeatureVector]) {
        let mut by_quantity: BTreeMap<Quantity, Vec<(f64, u32)>> = BTreeMap::new();
        for (text, vector) in (0u32..).zip(vectors) {
            for &(quantity, value) in &vector.quantities {
                by_quantity.entry(quantity).or_default().push((value, text));
            }
        }
        for (quantity, mut values) in by_quantity {
            values.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
            let absent = self.columns.texts - values.len();
            for threshold in thresholds(&values, absent) {
                let start = values.partition_point(|&(value, _)| value <= threshold);
                let mut bits = vec![0u64; self.columns.words];
                for &(_, text) in &values[start..] {
                    bits[text as usize / 64] |= 1 << (text % 64);
                }
                self.add(Feature::MoreThan(quantity, threshold), bits);
            }
        }
    }
}

/// The rank of a path of at most k symbols.
pub(crate) fn path_rank(kpaths: &KPaths, path: &[pleach_core::id::SymbolId]) -> Option<PathRank> {
    let rank = kpaths.rank(path)?;
    Some(PathRank {
        len: path.len(),
        rank,
    })
}

/// Thresholds between values that ascend: between each two, or as many as are allowed, so that about as many texts lie between each two of them.
/// Texts that do not have the quantity lie below all.
fn thresholds(values: &[(f64, u32)], absent: usize) -> Vec<f64> {
    // Where a new value begins, with what lies halfway below it.
    let mut cuts: Vec<(usize, f64)> = Vec::new();
    for at in 1..values.len() {
        let (below, above) = (values[at - 1].0, values[at].0);
        if below < above {
            cuts.push((at, between(below, above)));
        }
    }
    if cuts.len() > MAX_THRESHOLDS {
        let texts = values.len() + absent;
        let mut kept = Vec::new();
        for wanted in 1..=MAX_THRESHOLDS {
            // By the share of texts, as far as there are values.
            let at = (texts * wanted / (MAX_THRESHOLDS + 1)).saturating_sub(absent);
            let cut = cuts.partition_point(|&(start, _)| start < at);
            kept.extend(cuts.get(cut));
        }
        kept.dedup();
        cuts = kept;
    }
    cuts.into_iter().map(|(_, threshold)| threshold).collect()
}

/// A number halfway between two, a whole one if they are whole.
fn between(below: f64, above: f64) -> f64 {
    let middle = below + (above - below) / 2.0;
    if !middle.is_finite() {
        return below;
    }
    match below.fract() == 0.0 && above.fract() == 0.0 {
        true => middle.floor().max(below),
        false if middle < above => middle,
        false => below,
    }
}
