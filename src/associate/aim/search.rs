//! The outer search: leaf by leaf, candidate by candidate.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use pleach_core::choice::{Lexemes, ROOT, Scratch, SiteIndex};
use pleach_core::generate::Routes;
use pleach_core::kpath;
use pleach_core::parse::Budget;
use pleach_core::rng::Rng;
use pleach_core::weights::Weights;

use crate::features::{Extractor, FeatureVector, Reader};
use crate::model::Model;

use super::constraint::Constraint;
use super::costs::{Costs, NEVER};
use super::repair::Repairer;
use super::sample::{Sampler, Style};

/// What the search may spend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// Steps for the table of a leaf's costs: some fifty million take a second.
    pub steps: u64,
    /// Texts that are tried for each input.
    pub tries: u32,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            steps: 1 << 28,
            tries: 300,
        }
    }
}

/// An input that satisfies the constraint of a leaf.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aimed {
    /// Its canonical choice sequence.
    pub choices: Vec<u8>,
    /// Its text.
    pub text: Vec<u8>,
    /// The leaf, a node of the tree.
    pub leaf: usize,
}

/// What became of the leaves of a class.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// The inputs, all different.
    pub inputs: Vec<Aimed>,
    /// The leaves that say yes.
    pub leaves: u32,
    /// Those that no derivation satisfies.
    pub unsatisfiable: u32,
    /// Those for which no input was found within the bounds, or not as many as were wanted.
    pub given_up: u32,
}

/// A leaf to be satisfied.
struct Goal {
    leaf: usize,
    members: u32,
    constraint: Constraint,
    costs: Costs,
    found: u32,
}

/// A candidate, with its distance from the goal.
struct Candidate {
    distance: f64,
    /// Of equally near ones, the first.
    number: u32,
    index: SiteIndex,
    vector: FeatureVector,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        // The heap gives the greatest first.
        let by_distance = other.distance.total_cmp(&self.distance);
        by_distance.then(other.number.cmp(&self.number))
    }
}

/// Candidates that are kept for being changed further.
const KEPT: usize = 32;
/// The bound of what parsing a candidate may take: they are small.
const BUDGET: Budget = Budget {
    steps: 20_000_000,
    bytes: 256 << 20,
};

/// Makes inputs for the classes of a model.
#[derive(Debug)]
pub struct Aim<'m> {
    model: &'m Model,
    extractor: Extractor,
    weights: Weights,
    bounds: Bounds,
    rng: Rng,
    reader: Reader,
    scratch: Scratch,
    lexemes: Lexemes,
    routes: Routes,
}

impl<'m> Aim<'m> {
    /// Gets ready.
    ///
    /// # Errors
    ///
    /// None that did not come up when the model was learned.
    pub fn new(model: &'m Model, bounds: Bounds, rng: Rng) -> Result<Aim<'m>, kpath::Error> {
        Ok(Aim {
            extractor: model.extractor()?.with_budget(BUDGET),
            weights: Weights::stated(model.grammar()),
            model,
            bounds,
            rng,
            reader: Reader::default(),
            scratch: Scratch::default(),
            lexemes: Lexemes::default(),
            routes: Routes::new(),
        })
    }

    /// Goes on as if it were new, with this randomness: what is made then does not depend on what was made before.
    pub fn restart(&mut self, rng: Rng) {
        self.rng = rng;
    }

    /// Makes at most `count` different inputs that the tree of a class says are in it, from all its leaves as members came from them.
    pub fn aim(&mut self, class: usize, count: usize) -> Outcome {
        let mut outcome = Outcome::default();
        let taught = self.model.tree_of(class);
        let mut goals: Vec<Goal> = Vec::new();
        for (leaf, way) in taught.tree.leaves() {
            let node = taught.tree.nodes()[leaf];
            if !node.is_member {
                continue;
            }
            outcome.leaves += 1;
            // What could not be told from what is asked for may as well be the reason.
            let goal = [true, false].into_iter().find_map(|merged| {
                let constraint = Constraint::new(self.model, &way, merged);
                if constraint.is_contradictory() {
                    return None;
                }
                let costs = Costs::new(self.model.graph(), &constraint, self.bounds.steps)?;
                (costs.total() < NEVER).then_some(Goal {
                    leaf,
                    members: node.members,
                    constraint,
                    costs,
                    found: 0,
                })
            });
            match goal {
                Some(goal) => goals.push(goal),
                None => outcome.unsatisfiable += 1,
            }
        }
        let mut texts = BTreeSet::new();
        while outcome.inputs.len() < count && !goals.is_empty() {
            // The leaf that has the least of what is due to it; of equal ones, the first.
            let share = |goal: &Goal| f64::from(goal.members.max(1)) / f64::from(goal.found + 1);
            let next = (0..goals.len()).fold(0, |best, at| {
                match share(&goals[at]) > share(&goals[best]) {
                    true => at,
                    false => best,
                }
            });
            match self.satisfy(&goals[next], &mut texts) {
                Some(aimed) => {
                    goals[next].found += 1;
                    outcome.inputs.push(aimed);
                }
                None => {
                    goals.remove(next);
                    outcome.given_up += 1;
                }
            }
        }
        outcome
    }

    /// How the next derivation is drawn: the smallest first, then of all sizes.
    fn style(&mut self, goal: &Goal, attempt: u32) -> Style {
        if goal.found == 0 && attempt == 0 {
            return Style {
                extra: 0,
                drawn: 0,
                more: 0,
            };
        }
        let size = 1 + self.rng.below(6);
        Style {
            extra: self.rng.below(1 << size) + self.rng.below(1 + goal.costs.total() / 2),
            drawn: [0, 300, 1000][self.rng.index(3)],
            more: 200 + self.rng.below(500),
        }
    }

    fn satisfy(&mut self, goal: &Goal, texts: &mut BTreeSet<Vec<u8>>) -> Option<Aimed> {
        let mut candidates: BinaryHeap<Candidate> = BinaryHeap::new();
        let has_bounds = !goal.constraint.more.is_empty() || !goal.constraint.at_most.is_empty();
        for attempt in 0..self.bounds.tries {
            let mut index = SiteIndex::new();
            // Every other candidate is new, so that a dead end does not hold the search.
            match candidates.peek().filter(|_| attempt % 8 != 0) {
                Some(near) => {
                    index.clone_from(&near.index);
                    let mut repairer = Repairer {
                        codec: self.extractor.codec(),
                        weights: &self.weights,
                        routes: &mut self.routes,
                        scratch: &mut self.scratch,
                        rng: &mut self.rng,
                    };
                    if !repairer.repair(&mut index, &near.vector, &goal.constraint) {
                        candidates.pop();
                        continue;
                    }
                }
                None => {
                    let style = self.style(goal, attempt);
                    let codec = self.extractor.codec();
                    let mut sampler =
                        Sampler::new(codec, &goal.costs, &self.weights, style, &mut self.rng);
                    codec.derive(ROOT, &mut sampler, &mut self.scratch, &mut index);
                }
            }
            let codec = self.extractor.codec();
            let text = codec.text(&index, &mut self.lexemes).to_vec();
            if texts.contains(&text) {
                continue;
            }
            // Tokens may be read otherwise than they were derived.
            let Ok(vector) = self.extractor.extract(&text, &mut self.reader) else {
                continue;
            };
            let distance = goal.constraint.distance(self.model.kpaths(), &vector);
            if distance == 0.0 {
                texts.insert(text.clone());
                return Some(Aimed {
                    choices: index.canonical().to_vec(),
                    text,
                    leaf: goal.leaf,
                });
            }
            if has_bounds
                && candidates
                    .peek()
                    .is_none_or(|near| distance <= near.distance)
            {
                if candidates.len() >= KEPT {
                    candidates.clear();
                }
                candidates.push(Candidate {
                    distance,
                    number: attempt,
                    index,
                    vector,
                });
            }
        }
        None
    }
}
