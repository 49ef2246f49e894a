//! What a campaign is like: the article's parameters, and others that have turned out better.

use crate::archive::Scale;
use crate::goal::Weights;
use crate::mapping::Structure;

/// How the inputs of a campaign come about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// By the loop.
    Evolve,
    /// By the loop without mutation of inputs, for failures alone, as EvoGFuzz does it.
    EvoGFuzz,
    /// By the grammar's own probabilities.
    Random,
    /// By the distribution of the seeds.
    Probabilistic,
    /// By the opposite of the distribution of the seeds.
    Inverse,
    /// To cover k-paths, short ones first.
    KPaths,
}

/// What a campaign is like.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// How inputs come about.
    pub strategy: Strategy,
    /// How much each goal counts.
    pub weights: Weights,
    /// What fitness is of.
    pub scale: Scale,
    /// The inputs of a generation; half of them are mutants.
    pub inputs: usize,
    /// How many are selected to learn from.
    pub selected: usize,
    /// The longest texts, unless the grammar needs longer ones.
    pub max_len: u32,
    /// How many of 1000 mutants by operators are made slightly invalid.
    pub errors: u32,
    /// Whether half of the inputs are mutants.
    pub mutates_inputs: bool,
    /// Whether a production is made uniform in each generation.
    pub mutates_grammar: bool,
    /// Whether the best inputs have mutants, too, some inputs are made without what was learned, and the ways in which inputs come about are
    /// taken as often as they have been worth it.
    pub adapts: bool,
    /// How many of 65 536 choices of what is made are uniform.
    pub uniform: u16,
    /// How often another input is made in the place of one that was run before.
    pub redraws: u32,
    /// How often the slowest inputs of a generation are run; the shortest time counts.
    pub repeats: u32,
    /// How many inputs are kept for a goal.
    pub kept: usize,
    /// What mappings are of.
    pub structure: Structure,
    /// Fixes all randomness.
    pub seed: u64,
}

impl Settings {
    /// The article's parameters: five inputs a generation and as many mutants by flips and swaps.
    pub fn article() -> Settings {
        Settings {
            scale: Scale::Article,
            inputs: 10,
            selected: 5,
            adapts: false,
            errors: 0,
            uniform: 0,
            redraws: 0,
            structure: Structure::Subtrees(3),
            ..Settings::default()
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            strategy: Strategy::Evolve,
            weights: Weights::all(),
            scale: Scale::Generation,
            inputs: 200,
            selected: 20,
            max_len: 4096,
            errors: 100,
            mutates_inputs: true,
            mutates_grammar: true,
            adapts: true,
            uniform: 3000,
            redraws: 10,
            repeats: 3,
            kept: 20,
            structure: Structure::default(),
            seed: 0,
        }
    }
}
