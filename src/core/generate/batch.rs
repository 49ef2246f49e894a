//! Inputs that are kept until it is known which of them the others make superfluous.
//!
//! How many inputs have a window is counted, so that an input is known to be superfluous by a look at its own windows: pruning is linear
//! in the windows of all inputs, but for putting the inputs in order.

use std::collections::BTreeSet;

use crate::choice::SiteIndex;
use crate::kpath::Coverage;

/// Inputs, with the windows that they are there for.
pub(super) struct Batch {
    /// How many of the inputs have a window; none for windows that do not count.
    counts: Vec<Option<u32>>,
    inputs: Vec<Packed>,
    /// The texts of the inputs, if those of the same text count as one.
    texts: Option<BTreeSet<Vec<u8>>>,
}

/// An input.
struct Packed {
    choices: Vec<u8>,
    /// Empty unless texts count.
    text: Vec<u8>,
    windows: Vec<u32>,
}

impl Batch {
    /// No inputs yet. Windows do not count that are covered or that steering does not look for.
    pub(super) fn new(coverage: &Coverage, steering: &Coverage, texts: bool) -> Batch {
        let counts = (0..coverage.windows().len() as u32).map(|window| {
            let counts = !coverage.contains(window) && !steering.contains(window);
            counts.then_some(0)
        });
        Batch {
            counts: counts.collect(),
            inputs: Vec::new(),
            texts: texts.then(BTreeSet::new),
        }
    }

    /// How many inputs there are, or texts of them if those count.
    pub(super) fn len(&self) -> usize {
        self.texts.as_ref().map_or(self.inputs.len(), BTreeSet::len)
    }

    /// Adds an input, and counts its windows.
    pub(super) fn push(&mut self, index: &SiteIndex) {
        let mut windows: Vec<u32> = index.windows().collect();
        windows.sort_unstable();
        windows.dedup();
        for &window in &windows {
            if let Some(Some(count)) = self.counts.get_mut(window as usize) {
                *count += 1;
            }
        }
        let mut text = Vec::new();
        if let Some(texts) = &mut self.texts {
            text.extend_from_slice(index.text());
            texts.insert(text.clone());
        }
        self.inputs.push(Packed {
            choices: index.canonical().to_vec(),
            text,
            windows,
        });
    }

    /// Drops inputs that the others cover, those with the fewest windows first, until `least` are left.
    pub(super) fn prune(&mut self, least: usize) {
        let mut order: Vec<usize> = (0..self.inputs.len()).collect();
        order.sort_by_key(|&at| self.inputs[at].windows.len());
        let mut left = order.len();
        let mut is_dropped = vec![false; left];
        for at in order {
            let windows = &self.inputs[at].windows;
            let count = |window: u32| self.counts.get(window as usize).copied().flatten();
            if left <= least || windows.iter().any(|&window| count(window) == Some(1)) {
                continue;
            }
            for &window in windows {
                if let Some(Some(count)) = self.counts.get_mut(window as usize) {
                    *count -= 1;
                }
            }
            is_dropped[at] = true;
            left -= 1;
        }
        let mut dropped = is_dropped.into_iter();
        self.inputs.retain(|_| !dropped.next().unwrap_or(false));
        if let Some(texts) = &mut self.texts {
            *texts = self.inputs.iter().map(|input| input.text.clone()).collect();
        }
    }

    /// The windows of each input, sorted.
    pub(super) fn windows(&self) -> impl Iterator<Item = &[u32]> {
        self.inputs.iter().map(|input| &*input.windows)
    }

    /// The choice sequences of the inputs, in the order in which they came.
    pub(super) fn into_choices(self) -> Vec<Vec<u8>> {
        self.inputs.into_iter().map(|input| input.choices).collect()
    }
}
