//! Tests of several modules: the loop on programs that are closures.

mod archive;
mod euclid;
mod journal;
mod mutator;
mod strategies;

use std::convert::Infallible;
use std::sync::Arc;

use pleach_core::{Grammar, Graph, Parser};

use crate::{Campaign, Feedback, Input, Runner, Settings};

/// A program that is a function of the text, with so many functions of its own.
pub(super) struct Program<F> {
    pub(super) functions: usize,
    pub(super) body: F,
    /// How many inputs were run.
    pub(super) runs: usize,
    pub(super) timeout: u64,
}

pub(super) fn program<F: FnMut(&str) -> Feedback>(functions: usize, body: F) -> Program<F> {
    Program {
        functions,
        body,
        runs: 0,
        timeout: 1_000_000,
    }
}

impl<F: FnMut(&str) -> Feedback> Runner for Program<F> {
    type Error = Infallible;

    fn run(&mut self, inputs: &[Input]) -> Result<Vec<Feedback>, Infallible> {
        self.runs += inputs.len();
        let text = |input: &Input| String::from_utf8_lossy(&input.text).into_owned();
        Ok(inputs
            .iter()
            .map(|input| (self.body)(&text(input)))
            .collect())
    }

    fn function_count(&self) -> usize {
        self.functions
    }

    fn timeout(&self) -> u64 {
        self.timeout
    }
}

pub(super) fn graph(grammar: &str) -> Arc<Graph> {
    let grammar: Grammar = grammar.parse().unwrap();
    Graph::new(grammar).unwrap()
}

/// A campaign of so many generations from these seeds.
pub(super) fn run<F: FnMut(&str) -> Feedback>(
    graph: &Arc<Graph>,
    seeds: &[&str],
    settings: Settings,
    generations: u32,
    program: &mut Program<F>,
) -> Campaign {
    let mut campaign = Campaign::new(graph, settings).unwrap();
    if !seeds.is_empty() {
        let parser = Parser::new(graph);
        let seeds = seeds.iter().map(|seed| parser.encode(seed.as_bytes()));
        let seeds: Vec<Vec<u8>> = seeds.map(Result::unwrap).collect();
        campaign.seed(program, &seeds).unwrap();
    }
    for _ in 0..generations {
        campaign.step(program).unwrap();
    }
    campaign
}
