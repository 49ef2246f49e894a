//! What right recursion left out of the chart, made when a derivation needs it.
//!
//! Where a completion led straight to the top of a chain of items that each wait for the one below, the chart has the
//! top and the bottom only. This makes the items and completions between, once, and links them as if they had been there
//! all along. Each of them belongs to one top: the way up is the same for all. Linear in the length of the chains.

use std::ops::Range;

use super::chart::{Chart, Link, NONE};
use super::map::Map;
use super::subset::Subsets;
use super::tables::Tables;

/// More completions of one end are searched by a table.
const FEW: usize = 12;

/// What is made for a chart.
#[derive(Default)]
pub(super) struct Late {
    /// Completions by machine and start, where several ways up may meet.
    completions: Map<(u32, u32), u32>,
    /// Items by subset and origin, likewise.
    items: Map<(u32, u32), u32>,
    /// The number of completions that the chart itself made.
    own: Option<usize>,
    /// Those of them that end at `ended_at`, by machine and start, if they are many.
    ended: Map<(u32, u32), u32>,
    ended_at: Option<u32>,
}

impl Late {
    /// Begins with a new chart.
    pub(super) fn clear(&mut self) {
        self.own = None;
        self.ended_at = None;
    }

    /// Makes all items that a completion consists of, as far as they are missing.
    pub(super) fn complete(
        &mut self,
        tables: &Tables,
        subsets: &mut Subsets,
        chart: &mut Chart,
        completion: u32,
    ) {
        let top = chart.completions[completion as usize];
        let mut chain = chart.take_sources(completion);
        if chain == NONE {
            return;
        }
        let own = *self.own.get_or_insert(chart.completions.len());
        // The chart's own completions ascend by their ends.
        let known = &chart.completions[..own];
        let first = known.partition_point(|known| known.end < top.end);
        let last = known.partition_point(|known| known.end <= top.end);
        if last - first > FEW && self.ended_at != Some(top.end) {
            self.ended.clear();
            let same_end = (first as u32..).zip(&known[first..last]);
            self.ended
                .extend(same_end.map(|(id, known)| ((known.machine, known.start), id)));
            self.ended_at = Some(top.end);
        }
        let is_only = chart.chained(chain).is_some_and(|(_, rest)| rest == NONE);
        self.completions.clear();
        self.items.clear();
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
                if !is_only && let Some(&item) = self.items.get(&(subset, origin)) {
                    // Somebody came this way before: from here on everything is there.
                    if chart.links(item).all(|known| known != link) {
                        chart.link_late(item, link);
                    }
                    break;
                }
                let item = chart.push_item(subset, origin, link);
                if !is_only {
                    self.items.insert((subset, origin), item);
                }
                let machine = subsets.get(subset).machine;
                let above = match (machine, origin) == (top.machine, top.start) {
                    true => completion,
                    false => self.find(chart, first..last, (machine, origin), top.end, is_only),
                };
                chart.add_final(above, item);
                if above == completion {
                    break;
                }
                below = above;
            }
        }
    }

    /// The completion of a machine that began at an offset, made if it is not there.
    fn find(
        &mut self,
        chart: &mut Chart,
        same_end: Range<usize>,
        key: (u32, u32),
        end: u32,
        is_only: bool,
    ) -> u32 {
        if !is_only && let Some(&known) = self.completions.get(&key) {
            return known;
        }
        let found = if same_end.len() > FEW {
            self.ended.get(&key).copied()
        } else {
            let mut few = (same_end.start as u32..).zip(&chart.completions[same_end]);
            few.find(|(_, known)| (known.machine, known.start) == key)
                .map(|(id, _)| id)
        };
        let id = match found {
            Some(id) => id,
            None => chart.push_completion(key.0, key.1, end),
        };
        if !is_only {
            self.completions.insert(key, id);
        }
        id
    }
}
