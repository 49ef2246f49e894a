//! Right recursion in one step, and who waits for a completion.
//!
//! Where exactly one item waits for a machine and would be complete with it, whoever waits for the machine of *that* item is
//! advanced at once, and so on up to the top (Leo, 1991). Tops are kept by where the machine began, so that each
//! step up is taken once.

use super::super::subset::{DEAD, Subsets};
use super::super::tables::Tables;
use super::{Chart, SMALL, push};

/// Where right recursion leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Top {
    /// Nowhere: the completion is treated as any other.
    Here,
    /// To the completion of a machine that began at an offset.
    At { machine: u32, origin: u32 },
}

impl Chart {
    /// The items of a big finished set that wait for a machine; `None` for a small set.
    pub(super) fn waiting(
        &mut self,
        subsets: &Subsets,
        origin: u32,
        machine: u32,
    ) -> Option<(u32, u32)> {
        let set = self.set(origin);
        if set.len() <= SMALL {
            return None;
        }
        if self.indexed.insert(origin) {
            let mut calls: Vec<(u32, u32)> = Vec::new();
            for at in set {
                let called = subsets.calls(self.items[at].subset);
                calls.extend(called.map(|call| (subsets.call(call), at as u32)));
            }
            calls.sort_unstable();
            for same in calls.chunk_by(|a, b| a.0 == b.0) {
                let start = self.waiters.len() as u32;
                same.iter().for_each(|&(_, at)| push(&mut self.waiters, at));
                let range = (start, self.waiters.len() as u32);
                self.waiting.insert((origin, same[0].0), range);
            }
        }
        Some(
            self.waiting
                .get(&(origin, machine))
                .copied()
                .unwrap_or((0, 0)),
        )
    }

    /// The only item that waits for a machine in a finished set, with the subset behind it, if that is complete.
    pub(in crate::parse) fn only_waiting(
        &self,
        tables: &Tables,
        subsets: &mut Subsets,
        origin: u32,
        machine: u32,
    ) -> Option<(u32, u32)> {
        let label = tables.alphabet.count() + machine;
        let mut only = None;
        let mut consider = |at: u32| -> bool {
            let subset = subsets.next(tables, self.items[at as usize].subset, label);
            if subset == DEAD {
                return true;
            }
            let fits = only.is_none() && subsets.get(subset).is_complete;
            only = fits.then_some((at, subset));
            fits
        };
        match self.waiting.get(&(origin, machine)) {
            Some(&(start, end)) => {
                let waiters = &self.waiters[start as usize..end as usize];
                let _ = waiters.iter().all(|&at| consider(at));
            }
            None => {
                let _ = self.set(origin).all(|at| consider(at as u32));
            }
        }
        only
    }

    /// Where right recursion leads from a completion.
    pub(super) fn top(
        &mut self,
        tables: &Tables,
        subsets: &mut Subsets,
        machine: u32,
        origin: u32,
    ) -> Top {
        let begin = (origin, machine);
        let mut at = begin;
        self.path.clear();
        let mut steps_here = 0;
        let top = loop {
            if let Some(&known) = self.tops.get(&at) {
                break known;
            }
            let next = match at {
                (0, 0) => None,
                (origin, machine) => {
                    // Indexes the set if it is big.
                    self.waiting(subsets, origin, machine);
                    self.only_waiting(tables, subsets, origin, machine)
                }
            };
            let Some((item, subset)) = next else {
                if self.path.is_empty() {
                    return Top::Here;
                }
                break Top::At {
                    machine: at.1,
                    origin: at.0,
                };
            };
            let above = (
                self.items[item as usize].origin,
                subsets.get(subset).machine,
            );
            if above.0 == at.0 {
                // The same text again: a cycle of such steps leads nowhere.
                steps_here += 1;
                if steps_here > tables.machines.machines.len() {
                    return Top::Here;
                }
            } else {
                steps_here = 0;
            }
            self.steps += 1;
            self.path.push(at);
            at = above;
        };
        for &passed in &self.path {
            self.tops.insert(passed, top);
        }
        match top {
            Top::At { machine, origin } if (origin, machine) == begin => Top::Here,
            top => top,
        }
    }
}
