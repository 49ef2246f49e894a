//! The loop (FdLoop, figure 3).
//!
//! ```text
//! seeds ── learn ──▶ distribution ──▶ make ──▶ inputs ──┬─────────▶ run ──▶ fitness ──▶ select
//!                        ▲                              └─ mutate ──▲                      │
//!                        └── one production made uniform ◀── learn ◀───────────────────────┘
//! ```
//!
//! By the default settings there are more ways to an input: mutants have parents among the best inputs so far as well, the operators
//! of [`pleach_core::mutate`] join flips and swaps, and some inputs are made by what there was at the beginning. A way is taken
//! as often as its inputs were selected, and never given up. The other strategies are what to compare with: they make inputs in one way
//! and learn nothing, but what is EvoGFuzz's.

use std::collections::BTreeSet;
use std::hash::Hasher as _;
use std::sync::Arc;

use pleach_core::choice::{Scratch, SiteIndex};
use pleach_core::grammar::NodeKind;
use pleach_core::id::ProductionId;
use pleach_core::kpath;
use pleach_core::model::{Learner, Model, ONE, Reading};
use pleach_core::mutate::{Outcome, Session};
use pleach_core::rng::Rng;
use pleach_core::{Codec, Graph, slip};
use siphasher::sip::SipHasher13;

use crate::archive::{Archive, Totals, Tried};
use crate::goal::{Goal, Weights};
use crate::mapping::Features;
use crate::mutator::Mutator;
use crate::runner::{Feedback, Input, Runner};
use crate::settings::{Settings, Strategy};
use crate::source::Source;

/// A way in which an input comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// By the distribution as it is now.
    Learned,
    /// By what there was at the beginning: the number of a source.
    Fresh(usize),
    /// By a flip or a swap, from an input that was made.
    MutantOfMade,
    /// By a flip or a swap, from one of the best inputs.
    MutantOfBest,
    /// By some of all operators, from one of the best inputs.
    Operators,
}

/// A way, and what it was worth.
#[derive(Clone, Copy, Debug)]
struct Worth {
    way: Way,
    /// How many inputs it had lately, and how many of them were selected.
    inputs: f64,
    selected: f64,
}

impl Worth {
    fn new(way: Way) -> Worth {
        // As if it had been tried a little, with success.
        Worth {
            way,
            inputs: 4.0,
            selected: 1.0,
        }
    }

    fn share(self) -> f64 {
        (self.selected / self.inputs).max(LEAST_WORTH)
    }
}

/// What a way counts for at the least.
const LEAST_WORTH: f64 = 0.01;
/// How much of what a way was worth counts in the next generation.
const MEMORY: f64 = 0.8;

/// What a generation has come to.
#[derive(Clone, PartialEq, Debug)]
pub struct Generation {
    /// Its number, from 0 on.
    pub number: u32,
    /// What all inputs so far have come to.
    pub totals: Totals,
    /// The greatest fitness of an input, and the mean.
    pub fitness: [f64; 2],
}

/// A campaign that goes on by generations.
#[derive(Debug)]
pub struct Campaign {
    settings: Settings,
    features: Features,
    codec: Arc<Codec>,
    rng: Rng,
    scratch: Scratch,
    index: SiteIndex,
    mutator: Mutator,
    session: Session,
    learner: Learner,
    /// The distribution at the beginning, and now.
    first: Model,
    model: Model,
    /// What inputs are made by without what was learned.
    fresh: Vec<Source>,
    /// What the seeds and what the inputs since have come to.
    seeds: Archive,
    archive: Archive,
    generation: u32,
    /// Hashes of texts that were run.
    known: BTreeSet<u64>,
    /// The productions that choose.
    choosing: Vec<ProductionId>,
    /// What is made of the model; nothing once the model has changed.
    made_by: Option<Source>,
    /// The ways to an input.
    ways: Vec<Worth>,
}

/// How many changes a mutant has at the most.
const MOST_CHANGES: u32 = 8;
/// Of so many inputs of a generation one is run again for its time.
const LEADERS: usize = 20;

impl Campaign {
    /// A campaign without seeds yet: its distribution is what the grammar states.
    ///
    /// # Errors
    ///
    /// If there are too many k-paths for mappings of the structure: fewer symbols help.
    pub fn new(graph: &Arc<Graph>, settings: Settings) -> Result<Campaign, kpath::Error> {
        let (features, codec) = Features::new(graph, settings.structure)?;
        let mut session = Session::new(graph, 1)?;
        session.steer(0);
        session.set_errors(settings.errors);
        session.seed(settings.seed);
        let model = Model::stated(&codec);
        let grammar = graph.grammar();
        let mut choosing: Vec<ProductionId> = grammar
            .nodes()
            .iter()
            .filter(|(_, node)| match node.kind {
                NodeKind::Alternation | NodeKind::Class(_) => true,
                NodeKind::Quantifier { min, max } => max != Some(min),
                _ => false,
            })
            .map(|(_, node)| node.production)
            .collect();
        choosing.sort_unstable();
        choosing.dedup();
        let mut campaign = Campaign {
            features,
            rng: Rng::new(settings.seed),
            scratch: Scratch::default(),
            index: SiteIndex::new(),
            mutator: Mutator::new(&codec),
            session,
            learner: Learner::new(),
            first: model.clone(),
            model,
            fresh: Vec::new(),
            seeds: Archive::new(settings.scale, settings.kept),
            archive: Archive::new(settings.scale, settings.kept),
            generation: 0,
            known: BTreeSet::new(),
            choosing,
            made_by: None,
            ways: Vec::new(),
            codec,
            settings,
        };
        campaign.begin();
        Ok(campaign)
    }

    /// What the campaign is like.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The distribution as it is now.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What the seeds have come to.
    pub fn seeds(&self) -> &Archive {
        &self.seeds
    }

    /// What all inputs but the seeds have come to.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Begins with another distribution: a model of the same grammar.
    pub fn follow(&mut self, model: Model) {
        self.first = model.clone();
        self.model = model;
        self.begin();
    }

    /// Runs seeds, and begins with their distribution. Choice sequences; slips are left out of what is learned.
    ///
    /// # Errors
    ///
    /// Those of the runner.
    pub fn seed<R: Runner>(&mut self, runner: &mut R, seeds: &[Vec<u8>]) -> Result<(), R::Error> {
        let inputs: Vec<Input> = seeds.iter().map(|seed| self.input(seed)).collect();
        let feedback = runner.run(&inputs)?;
        let tried = self.tried(inputs, feedback);
        let weights = &self.settings.weights;
        let (count, timeout) = (runner.function_count(), runner.timeout());
        self.seeds.take(&tried, 0, weights, count, timeout);
        for it in &tried {
            self.known.insert(hash(&it.input.text));
        }
        let choices: Vec<&[u8]> = tried.iter().map(|it| &*it.input.choices).collect();
        if let Some(model) = self.learned(&choices) {
            self.follow(model);
        }
        Ok(())
    }

    /// What inputs that others have made come to, run by whomever, to compare with: texts, with their choice sequences if they are sentences, and what
    /// came of them. The campaign is the same afterwards.
    pub fn compare(
        &mut self,
        inputs: Vec<(Vec<u8>, Option<Vec<u8>>, Feedback)>,
        function_count: usize,
        timeout: u64,
    ) -> Totals {
        let tried = inputs.into_iter().map(|(text, choices, feedback)| {
            // A text that is not a sentence has no features, and covers functions nevertheless.
            let features = choices.as_ref().map(|choices| {
                let choices = slip::split(choices).0;
                self.codec
                    .index(choices, &mut self.scratch, &mut self.index);
                self.features.of(&self.codec, &self.index)
            });
            Tried {
                input: Arc::new(Input {
                    choices: choices.unwrap_or_default(),
                    text,
                }),
                feedback,
                features: features.unwrap_or_default(),
            }
        });
        let tried: Vec<Tried> = tried.collect();
        let mut archive = Archive::new(self.settings.scale, 1);
        archive.take(&tried, 0, &self.settings.weights, function_count, timeout);
        archive.totals().clone()
    }

    /// Makes the sources that do without what was learned.
    fn begin(&mut self) {
        let Settings {
            max_len,
            seed,
            strategy,
            ..
        } = self.settings;
        let by = |reading: &Reading| Source::model(&self.codec, &self.first, reading, max_len);
        let grammar = || Source::grammar(&self.codec, max_len, seed);
        self.fresh = match strategy {
            Strategy::Evolve if self.settings.adapts => vec![
                Source::cover(&self.codec, max_len, seed),
                by(&Reading::COMMON),
                grammar(),
                by(&Reading::UNCOMMON),
            ],
            Strategy::Evolve | Strategy::EvoGFuzz => Vec::new(),
            Strategy::Random => vec![grammar()],
            Strategy::Probabilistic => vec![by(&Reading::COMMON)],
            Strategy::Inverse => vec![by(&Reading::UNCOMMON)],
            Strategy::KPaths => vec![Source::cover(&self.codec, max_len, seed)],
        };
        let mut ways: Vec<Way> = (0..self.fresh.len()).map(Way::Fresh).collect();
        if self.fresh.is_empty() || strategy == Strategy::Evolve {
            ways.insert(0, Way::Learned);
        }
        if strategy == Strategy::Evolve && self.settings.mutates_inputs {
            ways.push(Way::MutantOfMade);
            if self.settings.adapts {
                ways.extend([Way::MutantOfBest, Way::Operators]);
            }
        }
        self.ways = ways.into_iter().map(Worth::new).collect();
        self.made_by = None;
    }

    /// Makes, runs, selects and learns once.
    ///
    /// # Errors
    ///
    /// Those of the runner. Then nothing was learned, and the next step makes other inputs.
    pub fn step<R: Runner>(&mut self, runner: &mut R) -> Result<Generation, R::Error> {
        let (inputs, ways) = self.inputs();
        let mut feedback = runner.run(&inputs)?;
        self.measure_again(runner, &inputs, &mut feedback)?;
        let tried = self.tried(inputs, feedback);
        let weights = match self.settings.strategy {
            Strategy::EvoGFuzz => Weights::only(Goal::Failures),
            _ => self.settings.weights.clone(),
        };
        let (count, timeout) = (runner.function_count(), runner.timeout());
        let fitness = self
            .archive
            .take(&tried, self.generation, &weights, count, timeout);
        let selected = self.select(&tried, &fitness);
        self.judge(&ways, &selected);
        let learns = [Strategy::Evolve, Strategy::EvoGFuzz].contains(&self.settings.strategy);
        if learns {
            let choices: Vec<&[u8]> = selected
                .iter()
                .map(|&at| &*tried[at].input.choices)
                .collect();
            self.learn(&choices);
        }
        let number = self.generation;
        self.generation += 1;
        let best = fitness.iter().copied().fold(0.0, f64::max);
        let mean = fitness.iter().sum::<f64>() / fitness.len().max(1) as f64;
        Ok(Generation {
            number,
            totals: self.archive.totals().clone(),
            fitness: [best, mean],
        })
    }

    /// The inputs of the next generation, with the ways in which they came about.
    fn inputs(&mut self) -> (Vec<Input>, Vec<usize>) {
        let count = self.settings.inputs;
        let mut inputs: Vec<Input> = Vec::with_capacity(count);
        let mut ways = Vec::with_capacity(count);
        for at in 0..count {
            let way = match self.settings.adapts {
                true => self.draw_way(),
                // One half is kept as it is made, the other is mutated.
                false => (self.ways.len() - 1) * usize::from(at >= count - count / 2),
            };
            let original = inputs.get(at.wrapping_sub(count - count / 2));
            let original = original.or(inputs.last()).cloned();
            let input = self.by(way, original.as_ref());
            inputs.push(input);
            ways.push(way);
        }
        (inputs, ways)
    }

    /// Draws a way by what it was worth.
    fn draw_way(&mut self) -> usize {
        let total: f64 = self.ways.iter().map(|it| it.share()).sum();
        let mut left = self.rng.bits() as f64 / u64::MAX as f64 * total;
        let found = self.ways.iter().position(|it| {
            left -= it.share();
            left <= 0.0
        });
        found.unwrap_or(0)
    }

    /// An input that comes about in a way, and was not run before, if one comes up within the bound. After some attempts, it comes about
    /// as chance will have it.
    fn by(&mut self, way: usize, original: Option<&Input>) -> Input {
        let redraws = self.settings.redraws;
        let mut input = self.make(self.ways[way].way, original);
        for again in 1..=redraws {
            if self.known.insert(hash(&input.text)) {
                break;
            }
            let way = match again > redraws / 2 && self.settings.adapts {
                true => self.rng.index(self.ways.len()),
                false => way,
            };
            input = self.make(self.ways[way].way, original);
        }
        input
    }

    fn make(&mut self, way: Way, original: Option<&Input>) -> Input {
        match way {
            Way::Learned => {
                let Settings {
                    max_len, uniform, ..
                } = self.settings;
                let reading = Reading {
                    uniform,
                    ..Reading::COMMON
                };
                let source = self.made_by.get_or_insert_with(|| {
                    Source::model(&self.codec, &self.model, &reading, max_len)
                });
                source.next(&mut self.rng, &mut self.index);
                let choices = self.index.canonical().to_vec();
                self.mutator.input(&choices)
            }
            Way::Fresh(source) => {
                self.fresh[source].next(&mut self.rng, &mut self.index);
                let choices = self.index.canonical().to_vec();
                self.mutator.input(&choices)
            }
            Way::MutantOfMade => {
                let original = match original {
                    Some(original) => original.clone(),
                    None => self.make(Way::Learned, None),
                };
                let mutant = self.mutator.mutate(&original, &mut self.rng);
                mutant.unwrap_or(original)
            }
            Way::MutantOfBest => match self.parent() {
                Some(parent) => {
                    let mutant = self.mutator.mutate(&parent, &mut self.rng);
                    mutant.unwrap_or_else(|| (*parent).clone())
                }
                None => self.make(Way::MutantOfMade, original),
            },
            Way::Operators => match self.parent() {
                Some(parent) => self.operate(&parent),
                None => self.make(Way::MutantOfMade, original),
            },
        }
    }

    /// One of the best inputs, seeds among them; nothing before there are any.
    fn parent(&mut self) -> Option<Arc<Input>> {
        // The seeds are as good as others at first, and are outdone soon.
        let of_seeds = self.rng.below(self.generation + 2) == 0;
        let lists = match of_seeds {
            true => [&self.seeds, &self.archive],
            false => [&self.archive, &self.seeds],
        };
        let mut parents = lists.iter();
        let weights = &self.settings.weights;
        let parent = parents.find_map(|list| list.parent(weights, &mut self.rng));
        parent.cloned()
    }

    /// Changes an input by one operator or several.
    fn operate(&mut self, parent: &Input) -> Input {
        self.session.adopt(&parent.choices);
        let changes = self.rng.heavy_tail().min(MOST_CHANGES);
        for _ in 0..changes {
            let outcome = self.session.mutate_text(self.settings.max_len as usize);
            if outcome == Outcome::Exhausted {
                break;
            }
        }
        let choices = self.session.choices().to_vec();
        self.input(&choices)
    }

    /// An input of choices with slips or variations, or without.
    fn input(&mut self, choices: &[u8]) -> Input {
        match slip::split(choices).0.len() == choices.len() {
            true => self.mutator.input(choices),
            false => Input {
                text: slip::text(&self.codec, choices),
                choices: choices.to_vec(),
            },
        }
    }

    /// Inputs with what came of them, and their features.
    fn tried(&mut self, inputs: Vec<Input>, feedback: Vec<Feedback>) -> Vec<Tried> {
        let tried = inputs.into_iter().zip(feedback);
        let tried = tried.map(|(input, feedback)| {
            let choices = slip::split(&input.choices).0;
            self.codec
                .index(choices, &mut self.scratch, &mut self.index);
            Tried {
                features: self.features.of(&self.codec, &self.index),
                input: Arc::new(input),
                feedback,
            }
        });
        tried.collect()
    }

    /// Runs the slowest inputs again, if time counts, so that what was slow by chance does not win.
    fn measure_again<R: Runner>(
        &self,
        runner: &mut R,
        inputs: &[Input],
        feedback: &mut [Feedback],
    ) -> Result<(), R::Error> {
        if self.settings.weights.of(&Goal::Time) == 0.0 || self.settings.repeats < 2 {
            return Ok(());
        }
        let passed = |&at: &usize| feedback[at].failure.is_none();
        let mut slowest: Vec<usize> = (0..feedback.len()).filter(passed).collect();
        slowest.sort_by_key(|&at| std::cmp::Reverse(feedback[at].time));
        slowest.truncate(inputs.len().div_ceil(LEADERS));
        let again: Vec<Input> = slowest.iter().map(|&at| inputs[at].clone()).collect();
        for _ in 1..self.settings.repeats {
            let measured = runner.run(&again)?;
            for (&at, measured) in slowest.iter().zip(measured) {
                feedback[at].time = feedback[at].time.min(measured.time);
            }
        }
        Ok(())
    }

    /// The fittest inputs of a generation, the best ones first; of equals the shorter ones.
    fn select(&self, tried: &[Tried], fitness: &[f64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..tried.len()).collect();
        order.sort_by(|&one, &other| {
            let by_fitness = fitness[other].total_cmp(&fitness[one]);
            by_fitness.then_with(|| {
                let len = |at: usize| tried[at].input.text.len();
                len(one).cmp(&len(other))
            })
        });
        order.truncate(self.settings.selected);
        order
    }

    /// Notes what the ways were worth.
    fn judge(&mut self, ways: &[usize], selected: &[usize]) {
        for it in &mut self.ways {
            it.inputs *= MEMORY;
            it.selected *= MEMORY;
        }
        for &way in ways {
            self.ways[way].inputs += 1.0;
        }
        for &at in selected {
            self.ways[ways[at]].selected += 1.0;
        }
    }

    /// Learns from inputs, and makes a production uniform.
    fn learn(&mut self, selected: &[&[u8]]) {
        let Some(mut model) = self.learned(selected) else {
            return;
        };
        if self.settings.mutates_grammar && !self.choosing.is_empty() {
            let production = self.choosing[self.rng.index(self.choosing.len())];
            model.make_uniform(production);
        }
        self.model = model;
        self.made_by = None;
    }

    /// The distribution of some inputs; nothing if there are none.
    fn learned(&mut self, inputs: &[&[u8]]) -> Option<Model> {
        let mut model = Model::new(&self.codec, 0);
        for input in inputs {
            let choices = slip::split(input).0;
            // With one context a production there are never too many.
            let learned =
                self.learner
                    .learn(&mut model, &self.codec, choices, ONE, &mut self.scratch);
            learned.ok()?;
        }
        (!inputs.is_empty()).then_some(model)
    }
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(text);
    hasher.finish()
}
