//! What right recursion left out of the chart, made when a derivation needs it.
//!
//! Where a completion led straight to the top of a chain of items that each wait for the one below, the chart has the
//! top and the bottom only. This makes the items and completions between, once, and links them as if they had been there
//! all along. Linear in the length of the chains that are asked for.

use super::chart::{Chart, Link, NONE};
use super::map::Map;
use super::subset::Subsets;
use super::tables::Tables;

/// What was made for a chart.
#[derive(Default)]
pub(super) struct Late {
    /// Completions by machine, start and end.
    completions: Map<(u32, u32, u32), u32>,
    /// Items by subset, origin and end.
    items: Map<(u32, u32, u32), u32>,
    /// The number of completions that the chart itself made.
    own: Option<usize>,
}

impl Late {
    /// Begins with a new chart.
    pub(super) fn clear(&mut self) {
        self.completions.clear();
        self.items.clear();
        self.own = None;
    }

    /// The bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        (self.completions.len() + self.items.len()) * 32
    }

    /// Makes all items that a completion consists of, as far as they are missing.
    pub(super) fn complete(
        &mut self,
        tables: &Tables,
        subsets: &mut Subsets,
        chart: &mut Chart,
        completion: u32,
    ) {
        let sources = &mut chart.completions[completion as usize].sources;
        let mut chain = std::mem::replace(sources, NONE);
        let own = *self.own.get_or_insert(chart.completions.len());
        let top = chart.completions[completion as usize];
        while let Some((source, rest)) = chart.chained(chain) {
            chain = rest;
            let mut below = source;
            loop {
                let known = chart.completions[below as usize];
                let Some((waiting, subset)) =
                    chart.only_waiting(tables, subsets, known.start, known.machine)
                else {
                    break;
                };
                chart.steps += 1;
                let origin = chart.items[waiting as usize].origin;
                let link = Link {
                    pred: waiting,
                    child: below,
                };
                let key = (subset, origin, top.end);
                if let Some(&item) = self.items.get(&key) {
                    // Somebody came this way before: from here on everything is there.
                    if chart.links(item).all(|known| known != link) {
                        chart.link(item, link);
                    }
                    break;
                }
                let item = chart.push_item(subset, origin, link);
                self.items.insert(key, item);
                let machine = subsets.get(subset).machine;
                let above = match (machine, origin) == (top.machine, top.start) {
                    true => completion,
                    false => self.find(chart, own, machine, origin, top.end),
                };
                chart.add_final(above, item);
                if above == completion {
                    break;
                }
                below = above;
            }
        }
    }

    /// The completion of a machine between two offsets, made if it is not there.
    fn find(&mut self, chart: &mut Chart, own: usize, machine: u32, start: u32, end: u32) -> u32 {
        let key = (machine, start, end);
        if let Some(&known) = self.completions.get(&key) {
            return known;
        }
        // The chart's own completions ascend by their ends.
        let completions = &chart.completions[..own];
        let first = completions.partition_point(|known| known.end < end);
        let same_end = completions[first..].iter();
        let found = same_end
            .take_while(|known| known.end == end)
            .position(|known| known.machine == machine && known.start == start);
        let id = match found {
            Some(at) => (first + at) as u32,
            None => chart.push_completion(machine, start, end),
        };
        self.completions.insert(key, id);
        id
    }
}
