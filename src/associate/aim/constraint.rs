//! Constraints: what a text has to have to come to a leaf.

use pleach_core::KPaths;
use pleach_core::id::SymbolId;

use crate::features::{Feature, FeatureVector, PathRank, Quantity, path_of};
use crate::model::Model;
use crate::tree::Step;

/// The paths that have to occur at most: each doubles the tables of the search.
pub(super) const MAX_REQUIRED: usize = 6;

/// A conjunction of demands on a text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Constraint {
    /// Paths that occur in a derivation.
    pub required: Vec<Vec<SymbolId>>,
    /// Paths that occur in none.
    pub forbidden: Vec<Vec<SymbolId>>,
    /// Quantities that are more than a number.
    pub more: Vec<(Quantity, f64)>,
    /// Quantities that are not, if the text has them.
    pub at_most: Vec<(Quantity, f64)>,
}

/// Whether one path is a part of another.
fn is_within(part: &[SymbolId], whole: &[SymbolId]) -> bool {
    whole.windows(part.len().max(1)).any(|it| it == part)
}

impl Constraint {
    /// What the answers on the way to a leaf demand, without what follows from the rest. With `merged`, features that could not be told
    /// from those that are asked for are demanded like them.
    pub fn new(model: &Model, way: &[Step], merged: bool) -> Constraint {
        let mut constraint = Constraint::default();
        for step in way {
            let Some(asked) = model.asked().get(step.feature as usize) else {
                continue;
            };
            constraint.add(model.kpaths(), asked.feature, step.holds);
        }
        constraint.simplify();
        if merged {
            for step in way {
                let Some(asked) = model.asked().get(step.feature as usize) else {
                    continue;
                };
                let paths = asked.merged.iter().rev();
                let paths = paths.filter(|feature| matches!(feature, Feature::Path(_)));
                for &feature in paths {
                    let mut with = constraint.clone();
                    with.add(model.kpaths(), feature, step.holds);
                    with.simplify();
                    if with.required.len() <= MAX_REQUIRED {
                        constraint = with;
                    }
                }
            }
        }
        constraint
    }

    fn add(&mut self, kpaths: &KPaths, feature: Feature, holds: bool) {
        match (feature, holds) {
            (Feature::Path(path), true) => self.required.extend(path_of(kpaths, path)),
            (Feature::Path(path), false) => self.forbidden.extend(path_of(kpaths, path)),
            (Feature::MoreThan(quantity, number), true) => self.more.push((quantity, number)),
            (Feature::MoreThan(quantity, number), false) => self.at_most.push((quantity, number)),
        }
    }

    /// Takes away what follows from the rest.
    fn simplify(&mut self) {
        let all = std::mem::take(&mut self.required);
        for (at, path) in all.iter().enumerate() {
            let follows = all.iter().enumerate().any(|(other, longer)| {
                is_within(path, longer) && (longer.len() > path.len() || other < at)
            });
            if !follows {
                self.required.push(path.clone());
            }
        }
        let all = std::mem::take(&mut self.forbidden);
        for (at, path) in all.iter().enumerate() {
            let follows = all.iter().enumerate().any(|(other, shorter)| {
                is_within(shorter, path) && (shorter.len() < path.len() || other < at)
            });
            if !follows {
                self.forbidden.push(path.clone());
            }
        }
        tightest(&mut self.more, f64::max);
        tightest(&mut self.at_most, f64::min);
    }

    /// Whether two demands contradict each other at first sight: a path is forbidden and part of one that is required, or a
    /// quantity has to be more than it may be.
    pub fn is_contradictory(&self) -> bool {
        let forbids = |path: &Vec<SymbolId>| self.required.iter().any(|it| is_within(path, it));
        self.forbidden.iter().any(forbids)
            || self.more.iter().any(|&(quantity, more)| {
                let mut bounds = self.at_most.iter();
                bounds.any(|&(other, most)| other == quantity && most <= more)
            })
    }

    /// The number of demands.
    pub fn len(&self) -> usize {
        self.required.len() + self.forbidden.len() + self.more.len() + self.at_most.len()
    }

    /// Whether everything satisfies it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How far a text is from satisfying the constraint: the number of demands that it does not meet, where a quantity counts less than one
    /// that is nearer. 0 if it satisfies all.
    pub(super) fn distance(&self, kpaths: &KPaths, vector: &FeatureVector) -> f64 {
        let mut has = Vec::new();
        let mut path = Vec::new();
        for &window in &vector.windows {
            kpaths.window_into(u64::from(window), &mut path);
            has.extend((0..path.len()).filter_map(|at| rank(kpaths, &path[at..])));
        }
        has.sort_unstable();
        let occurs = |path: &Vec<SymbolId>| {
            rank(kpaths, path).is_some_and(|rank| has.binary_search(&rank).is_ok())
        };
        let missing = self.required.iter().filter(|path| !occurs(path)).count();
        let present = self.forbidden.iter().filter(|path| occurs(path)).count();
        (missing + present) as f64 + self.quantity_distance(vector)
    }

    /// The part of the distance that quantities have.
    fn quantity_distance(&self, vector: &FeatureVector) -> f64 {
        let more = self.more.iter().map(|&(quantity, number)| {
            match vector.quantity(quantity) {
                Some(value) if value > number => 0.0,
                // The logarithm keeps the gradient where there is far to go.
                Some(value) => {
                    let [value, number] = [value, number].map(|it| (it.max(0.0) + 2.0).ln());
                    1.0 - 0.9 * (value / (number + 0.1)).clamp(0.0, 1.0)
                }
                None => 1.0,
            }
        });
        let at_most =
            self.at_most
                .iter()
                .map(|&(quantity, number)| match vector.quantity(quantity) {
                    Some(value) if value > number => {
                        let [value, number] = [value, number].map(|it| (it.max(0.0) + 2.0).ln());
                        1.0 - 0.9 * (number / (value + 0.1)).clamp(0.0, 1.0)
                    }
                    _ => 0.0,
                });
        more.sum::<f64>() + at_most.sum::<f64>()
    }
}

fn rank(kpaths: &KPaths, path: &[SymbolId]) -> Option<PathRank> {
    crate::columns::path_rank(kpaths, path)
}

/// Keeps one bound of each quantity.
fn tightest(bounds: &mut Vec<(Quantity, f64)>, tighter: fn(f64, f64) -> f64) {
    bounds.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut kept: Vec<(Quantity, f64)> = Vec::new();
    for &(quantity, number) in bounds.iter() {
        match kept.last_mut().filter(|(known, _)| *known == quantity) {
            Some((_, bound)) => *bound = tighter(*bound, number),
            None => kept.push((quantity, number)),
        }
    }
    *bounds = kept;
}
