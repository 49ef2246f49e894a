//! Unrolls a recursion 2^n times: what lies between a subtree and one above it that derives the same nonterminal.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::Workspace;

/// The choices that there is always room for.
const LEAST: usize = 192;

/// Unrolls a recursion 2^n times: what lies between a subtree and one above it that derives the same nonterminal.
#[derive(Clone, Copy, Debug)]
pub struct Unroll;

impl Operator for Unroll {
    fn name(&self) -> &'static str {
        "unroll"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Recursive)
    }

    fn weight(&self) -> u32 {
        4
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        let Some((site, above)) = work.recursion(site) else {
            return false;
        };
        let doublings = 1 + work.rng().heavy_tail().ilog2().min(9);
        let rounds = 1usize << doublings;
        // Mostly a little growth, rarely as much as the budget allows.
        let most = work.rng().heavy_tail().saturating_mul(48) as usize;
        let most = most.min(work.limits.max_choices);
        let sites = work.index().sites();
        let (inner, outer) = (sites[site as usize], sites[above as usize]);
        let before = outer.choice_start as usize..inner.choice_start as usize;
        let after = inner.choice_end as usize..outer.choice_end as usize;
        let around = (before.len() + after.len()).max(1);
        // What takes long to derive, twice what is already there, is as rare as much growth is.
        if 2 * around > most.max(LEAST) {
            return false;
        }
        work.replace_by_copy(above, |index, choices| {
            // At least once more, then as often as there is room.
            let rounds = rounds.min(most / around).max(2);
            for _ in 0..rounds {
                choices.extend_from_slice(&index.choices()[before.clone()]);
            }
            choices.extend_from_slice(index.choices_of(site));
            for _ in 0..rounds {
                choices.extend_from_slice(&index.choices()[after.clone()]);
            }
        })
    }
}
