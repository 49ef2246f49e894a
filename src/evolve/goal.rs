//! What is wanted, and how much.
//!
//! Each goal gives an input a share from 0 to 1, and the fitness is their sum by weight (FdLoop, section 3.3.1). A *single* goal has the
//! weight 10 where others have 1, *all* goals have 1, and an *ignored* one has 0 (section 4.2).

use std::collections::BTreeMap;
use std::fmt;

/// What a campaign wants of its inputs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Goal {
    /// Functions that others do not cover.
    Coverage,
    /// Failures, above all where none was before.
    Failures,
    /// Failures at places where there are few or none: the number of the others does not count.
    DistinctFailures,
    /// CPU time.
    Time,
    /// The sum of the sanitizer's edge counts: a measure of work without noise. A counter has 8 bits and wraps around, so loops of
    /// many rounds count for less than they are.
    Work,
    /// Pairs of a feature of the input and a function that it covers.
    Mappings,
    /// A number that the program reports under this name.
    Number(String),
}

impl Goal {
    /// The goals that every program has, in the order of reports.
    pub const COMMON: [Goal; 6] = [
        Goal::Coverage,
        Goal::Mappings,
        Goal::Failures,
        Goal::DistinctFailures,
        Goal::Time,
        Goal::Work,
    ];
    /// The article's four goals, which count unless they are ignored.
    pub const USUAL: [Goal; 4] = [Goal::Coverage, Goal::Mappings, Goal::Failures, Goal::Time];

    /// The goal of a name: one that every program has, else a number that the program is to report.
    ///
    /// ```
    /// use pleach_evolve::Goal;
    ///
    /// assert_eq!(Goal::named("time"), Goal::Time);
    /// assert_eq!(Goal::named("tree depth"), Goal::Number("tree depth".into()));
    /// ```
    pub fn named(name: &str) -> Goal {
        let common = Goal::COMMON.into_iter().find(|goal| goal.name() == name);
        common.unwrap_or_else(|| Goal::Number(name.to_owned()))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Goal::Coverage => "coverage",
            Goal::Failures => "failures",
            Goal::DistinctFailures => "distinct-failures",
            Goal::Time => "time",
            Goal::Work => "work",
            Goal::Mappings => "mappings",
            Goal::Number(name) => name,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much each goal counts.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Weights(BTreeMap<Goal, f64>);

/// The weight of a goal that is named.
pub const SINGLE: f64 = 10.0;
/// The weight of a goal that nobody has named.
pub const OTHER: f64 = 1.0;

impl Weights {
    /// The article's goals alike.
    pub fn all() -> Weights {
        Goal::USUAL.into_iter().map(|goal| (goal, OTHER)).collect()
    }

    /// One goal ten times as much as each of the article's others.
    ///
    /// ```
    /// use pleach_evolve::{Goal, Weights};
    ///
    /// let weights = Weights::single(Goal::Time).ignoring(Goal::Coverage);
    /// let of = |goal| weights.of(&goal);
    /// assert_eq!((of(Goal::Time), of(Goal::Mappings)), (10.0, 1.0));
    /// assert_eq!((of(Goal::Coverage), of(Goal::Work)), (0.0, 0.0));
    /// ```
    pub fn single(goal: Goal) -> Weights {
        Weights::all().with(goal, SINGLE)
    }

    /// One goal and nothing else.
    pub fn only(goal: Goal) -> Weights {
        Weights::default().with(goal, OTHER)
    }

    /// The same with another weight of a goal. What is not a finite number above 0 counts as 0.
    #[must_use]
    pub fn with(mut self, goal: Goal, weight: f64) -> Weights {
        let weight = if weight.is_finite() {
            weight.max(0.0)
        } else {
            0.0
        };
        self.0.insert(goal, weight);
        self
    }

    /// The same without a goal.
    #[must_use]
    pub fn ignoring(self, goal: Goal) -> Weights {
        self.with(goal, 0.0)
    }

    /// The weight of a goal; 0 for one that is not there.
    pub fn of(&self, goal: &Goal) -> f64 {
        self.0.get(goal).copied().unwrap_or(0.0)
    }

    /// The goals that count, with their weights, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Goal, f64)> {
        let counting = self.0.iter().filter(|&(_, &weight)| weight > 0.0);
        counting.map(|(goal, &weight)| (goal, weight))
    }
}

impl FromIterator<(Goal, f64)> for Weights {
    fn from_iter<I: IntoIterator<Item = (Goal, f64)>>(weights: I) -> Weights {
        weights
            .into_iter()
            .fold(Weights::default(), |all, (goal, weight)| {
                all.with(goal, weight)
            })
    }
}
