//! What a campaign is aimed at: inputs that have some k-paths and do without others.
//!
//! A [`Constraint`] is a leaf of a decision tree that says which inputs reach a function. Every demand has a bit, and every window, for
//! each demand that its path ends with, that bit; so what an input has is the union of its windows' bits, and whether it satisfies a constraint
//! is two comparisons. O(k) for a window that is met for the first time, O(1) then.

use crate::bitset::BitSet;
use crate::id::SymbolId;
use crate::kpath::{KPaths, NO_WINDOW};
use crate::rng::Rng;

/// One way to be where the campaign is aimed at: k-paths that an input has, and k-paths that it has not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Constraint {
    /// Those that occur.
    pub required: Vec<Vec<SymbolId>>,
    /// Those that do not.
    pub forbidden: Vec<Vec<SymbolId>>,
}

/// Bits of a word.
const MOST_DEMANDS: usize = 64;

/// The constraints, any of which will do.
#[derive(Debug)]
pub(super) struct Aim {
    /// Paths, each for a bit.
    demands: Vec<Vec<SymbolId>>,
    /// The bits that have to be there and those that must not.
    constraints: Vec<[u64; 2]>,
    /// Of windows that were met.
    bits: Vec<u64>,
    met: BitSet,
    path: Vec<SymbolId>,
}

/// What is missing in an input, or too much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unmet {
    /// The path of this number.
    Missing(usize),
    /// The path of this number.
    Present(usize),
}

impl Aim {
    /// Aims at constraints, without those that have more demands than there is room for. Of a path that is longer than k, its end counts.
    pub(super) fn new(kpaths: &KPaths, constraints: &[Constraint]) -> Aim {
        let mut aim = Aim {
            demands: Vec::new(),
            constraints: Vec::new(),
            bits: vec![0; kpaths.window_count() as usize],
            met: BitSet::new(kpaths.window_count() as usize),
            path: Vec::new(),
        };
        for constraint in constraints {
            let before = aim.demands.len();
            let mut bits = [0; 2];
            let all = [&constraint.required, &constraint.forbidden];
            let mut fits = true;
            for (bits, paths) in bits.iter_mut().zip(all) {
                for path in paths.iter().filter(|path| !path.is_empty()) {
                    let end = &path[path.len().saturating_sub(kpaths.k())..];
                    match aim.bit(end) {
                        Some(bit) => *bits |= 1 << bit,
                        None => fits = false,
                    }
                }
            }
            match fits {
                true => aim.constraints.push(bits),
                false => aim.demands.truncate(before),
            }
        }
        aim
    }

    /// The bit of a path, a new one if need be.
    fn bit(&mut self, path: &[SymbolId]) -> Option<usize> {
        let known = self.demands.iter().position(|it| it == path);
        known.or_else(|| {
            self.demands.push(path.to_vec());
            (self.demands.len() <= MOST_DEMANDS).then(|| self.demands.len() - 1)
        })
    }

    /// The path of a number.
    pub(super) fn demand(&self, number: usize) -> &[SymbolId] {
        &self.demands[number]
    }

    /// What a window has.
    pub(super) fn has(&mut self, kpaths: &KPaths, window: u32) -> u64 {
        if window == NO_WINDOW {
            return 0;
        }
        let at = window as usize;
        if self.met.insert(at) {
            kpaths.window_into(u64::from(window), &mut self.path);
            let ends = self.demands.iter().enumerate();
            let ends = ends.filter(|(_, demand)| self.path.ends_with(demand));
            self.bits[at] = ends.fold(0, |bits, (number, _)| bits | 1 << number);
        }
        self.bits[at]
    }

    /// Something that keeps an input that has `bits` from satisfying the constraint that it is nearest to, at random; nothing if it
    /// satisfies one.
    pub(super) fn unmet(&self, bits: u64, rng: &mut Rng) -> Option<Unmet> {
        let wrong = |&[required, forbidden]: &[u64; 2]| [required & !bits, forbidden & bits];
        let distance = |[missing, present]: [u64; 2]| missing.count_ones() + present.count_ones();
        let nearest = self
            .constraints
            .iter()
            .map(|it| distance(wrong(it)))
            .min()?;
        if nearest == 0 {
            return None;
        }
        let near = self.constraints.iter().map(wrong);
        let near: Vec<[u64; 2]> = near.filter(|&it| distance(it) == nearest).collect();
        let [missing, present] = near[rng.index(near.len())];
        let nth = |mut bits: u64, n: usize| {
            for _ in 0..n {
                bits &= bits - 1;
            }
            bits.trailing_zeros() as usize
        };
        let at = rng.index(nearest as usize);
        Some(match at.checked_sub(missing.count_ones() as usize) {
            None => Unmet::Missing(nth(missing, at)),
            Some(at) => Unmet::Present(nth(present, at)),
        })
    }

    /// Whether there is nothing to aim at.
    pub(super) fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Aim, Constraint, Unmet};
    use crate::graph::Graph;
    use crate::id::SymbolId;
    use crate::kpath::KPaths;
    use crate::mutate::{Session, operators};
    use crate::rng::Rng;
    use crate::tests::fixtures;

    /// The paths of `k` symbols that the present input has, from its tree.
    fn paths(session: &Session, k: usize) -> Vec<Vec<SymbolId>> {
        let codec = session.codec();
        let index = session.work.index();
        let above = |mut at: u32| {
            let mut symbols = Vec::new();
            while let Some(site) = index.sites().get(at as usize) {
                symbols.extend(codec.symbol_of(site.node));
                at = site.parent;
            }
            symbols.reverse();
            symbols
        };
        let sites = 0..index.sites().len() as u32;
        let ends = sites.filter(|&at| codec.symbol_of(index.sites()[at as usize].node).is_some());
        let chains = ends.map(above).filter(|chain| chain.len() >= k);
        chains
            .map(|chain| chain[chain.len() - k..].to_vec())
            .collect()
    }

    /// Makes a random sentence a parent.
    fn renew(session: &mut Session, seed: u64, max_len: usize) {
        session.seed(seed);
        session.renew(max_len);
        adopt(session);
    }

    /// Makes the mutant a parent.
    fn adopt(session: &mut Session) {
        let choices = session.choices().to_vec();
        session.load(b"another");
        session.load(&choices);
    }

    fn random_path(kpaths: &KPaths, rng: &mut Rng) -> Option<Vec<SymbolId>> {
        let level = 1 + rng.index(kpaths.k());
        let count = kpaths.len_at(level);
        (count > 0).then(|| kpaths.unrank_at(level, u64::from(rng.below(count as u32))))?
    }

    fn graphs() -> Vec<Arc<Graph>> {
        fixtures().into_iter().map(|it| it.graph).collect()
    }

    #[test]
    fn what_an_input_has_is_what_its_tree_has() {
        let mut rng = Rng::new(3);
        let (mut present, mut absent) = (0, 0);
        for graph in graphs() {
            let mut session = Session::new(&graph, 3).unwrap();
            let kpaths = session.coverage().kpaths().clone();
            for seed in 0..60 {
                renew(&mut session, seed, 200);
                let drawn = (0..3).filter_map(|_| random_path(&kpaths, &mut rng));
                let required: Vec<_> = drawn.collect();
                let constraint = Constraint {
                    required: required.clone(),
                    forbidden: vec![],
                };
                let mut aim = Aim::new(&kpaths, &[constraint]);
                session.work.settle();
                let sites = session.work.index().sites();
                let bits = sites
                    .iter()
                    .fold(0, |it, site| it | aim.has(&kpaths, site.window));
                for path in required {
                    let number = (0..).find(|&at| aim.demand(at) == path).unwrap();
                    let has = paths(&session, path.len()).contains(&path);
                    assert_eq!(bits >> number & 1 == 1, has, "{}", kpaths.name(&path));
                    (present, absent) = (present + u32::from(has), absent + u32::from(!has));
                }
            }
        }
        assert!(present > 300 && absent > 300, "{present} {absent}");
    }

    #[test]
    fn the_nearest_constraint_counts() {
        let path = |symbol: u32| vec![SymbolId(symbol)];
        let fixtures = fixtures();
        let json = fixtures.iter().find(|it| it.name == "json").unwrap();
        let kpaths = KPaths::new(&json.graph, 2).unwrap();
        let constraint = |required: &[u32], forbidden: &[u32]| Constraint {
            required: required.iter().map(|&it| path(it)).collect(),
            forbidden: forbidden.iter().map(|&it| path(it)).collect(),
        };
        // Bits: 1 and 2 are 0 and 1, 3 is 2, 4 is 3.
        let aim = Aim::new(
            &kpaths,
            &[constraint(&[1, 2], &[3]), constraint(&[4], &[1])],
        );
        let mut rng = Rng::new(1);
        let table = [
            (0b1000, None),
            (0b0011, None),
            (0b1011, None),
            (0b0111, Some(Unmet::Present(2))),
            (0b0010, Some(Unmet::Missing(3))),
            (0b1001, Some(Unmet::Present(0))),
        ];
        for (bits, expected) in table {
            let found = (0..20).map(|_| aim.unmet(bits, &mut rng));
            let found: Vec<_> = found.collect();
            // Of equally near ones, any.
            assert!(found.contains(&expected), "{bits:b} {found:?}");
        }
        // Of a long path, the end counts.
        let long = Constraint {
            required: vec![vec![SymbolId(9), SymbolId(1), SymbolId(2)]],
            ..Constraint::default()
        };
        assert_eq!(
            Aim::new(&kpaths, &[long]).demand(0),
            [SymbolId(1), SymbolId(2)]
        );
        // What has too many is left out.
        let many: Vec<u32> = (0..65).collect();
        let aim = Aim::new(&kpaths, &[constraint(&many, &[]), constraint(&[7], &[])]);
        assert_eq!((aim.constraints.len(), aim.demand(0)), (1, &path(7)[..]));
    }

    #[test]
    fn an_aimed_input_gets_what_is_missing_and_loses_what_must_not_be_there() {
        let mut rng = Rng::new(8);
        let (mut added, mut taken, mut tried) = (0, 0, 0);
        for graph in graphs() {
            let mut session = Session::new(&graph, 3).unwrap();
            let kpaths = session.coverage().kpaths().clone();
            for seed in 0..60 {
                let Some(path) = random_path(&kpaths, &mut rng) else {
                    continue;
                };
                // Some paths are in every sentence.
                let is_optional = (0..20).any(|seed| {
                    renew(&mut session, seed, 100);
                    !paths(&session, path.len()).contains(&path)
                });
                renew(&mut session, seed, 100);
                let before = paths(&session, path.len()).contains(&path);
                let mut constraint = Constraint::default();
                let demands = match before {
                    true => &mut constraint.forbidden,
                    false => &mut constraint.required,
                };
                demands.push(path.clone());
                session.aim(&[constraint]);
                let mut changed = false;
                for _ in 0..30 {
                    if !session.apply(&operators::Approach) {
                        continue;
                    }
                    changed = true;
                    adopt(&mut session);
                    let after = paths(&session, path.len()).contains(&path);
                    if !before {
                        // One step adds it.
                        assert!(after, "{} in {:?}", kpaths.name(&path), session.sentence());
                        added += 1;
                    }
                    if before != after {
                        taken += u32::from(before);
                        assert!(!session.apply(&operators::Approach), "it is there");
                        break;
                    }
                }
                tried += u32::from(changed && before && is_optional);
            }
        }
        // Some paths are in every input.
        assert!(
            added > 200 && 3 * taken > 2 * tried && taken > 100,
            "{added} {taken} {tried}"
        );
    }
}
