//! Campaigns that go on after an end.

use std::convert::Infallible;

use super::strategies::{LISTS, depth, settings};
use super::{graph, program};
use crate::{
    Call, Campaign, Feedback, Generation, Input, Journaled, Runner, Settings, Stopped, Strategy,
};

/// Runs inputs until it has run so many.
struct Ending<R> {
    runner: R,
    left: usize,
}

impl<R: Runner<Error = Infallible>> Runner for Ending<R> {
    type Error = ();

    fn run(&mut self, inputs: &[Input]) -> Result<Vec<Feedback>, ()> {
        self.left = self.left.checked_sub(inputs.len()).ok_or(())?;
        self.runner.run(inputs).map_err(|never| match never {})
    }

    fn function_count(&self) -> usize {
        self.runner.function_count()
    }

    fn timeout(&self) -> u64 {
        self.runner.timeout()
    }
}

/// A campaign that has run, or has stopped.
struct Done {
    campaign: Campaign,
    generations: Vec<Generation>,
    /// The calls of the generations that are complete, those of the seeds among the first one's.
    calls: Vec<Call>,
    stopped: Option<Stopped<()>>,
    runs: usize,
}

fn run(settings: &Settings, past: &[Call], generations: u32, most_runs: usize) -> Done {
    let graph = graph(LISTS);
    let runner = Ending {
        runner: program(10, depth),
        left: most_runs,
    };
    let mut runner = Journaled::new(runner, past.to_vec());
    let mut done = Done {
        campaign: Campaign::new(&graph, settings.clone()).unwrap(),
        generations: Vec::new(),
        calls: past.to_vec(),
        stopped: None,
        runs: 0,
    };
    let parser = pleach_core::Parser::new(&graph);
    let seeds: Vec<Vec<u8>> = ["[ab[c]]", "[x7]"]
        .iter()
        .map(|seed| parser.encode(seed.as_bytes()).unwrap())
        .collect();
    let mut go = || {
        done.campaign.seed(&mut runner, &seeds)?;
        for _ in 0..generations {
            done.generations.push(done.campaign.step(&mut runner)?);
            done.calls.extend(runner.take());
        }
        Ok(())
    };
    done.stopped = go().err();
    done.runs = most_runs - runner.into_runner().left;
    done
}

#[test]
fn a_campaign_that_goes_on_is_the_one_that_did_not_end() {
    let strategies = [
        Strategy::Evolve,
        Strategy::EvoGFuzz,
        Strategy::Random,
        Strategy::KPaths,
    ];
    let of = |strategy| settings(strategy, "depth");
    let article = Settings {
        inputs: 20,
        selected: 3,
        ..Settings::article()
    };
    for settings in strategies.map(of).into_iter().chain([article]) {
        let whole = run(&settings, &[], 12, usize::MAX);
        assert_eq!(whole.stopped, None);
        // In the first generation, within a later one, and after the last.
        for most in [15, 110, whole.runs] {
            let first = run(&settings, &[], 12, most);
            let is_whole = most == whole.runs;
            assert_eq!(first.stopped.is_none(), is_whole, "{most}");
            let second = run(&settings, &first.calls, 12, usize::MAX);
            assert_eq!(second.stopped, None);
            assert_eq!(second.generations, whole.generations, "{most}");
            assert_eq!(second.calls, whole.calls, "{most}");
            assert_eq!(second.runs == 0, is_whole);
            let [one, other] = [&second, &whole].map(|it| {
                let archive = it.campaign.archive();
                let best = settings.weights.iter().map(|(goal, _)| {
                    let best = archive.best(goal).iter();
                    best.map(|it| it.input.clone()).collect::<Vec<_>>()
                });
                (
                    best.collect::<Vec<_>>(),
                    format!("{:?}", it.campaign.model()),
                )
            });
            assert_eq!(one, other);
        }
    }
}

#[test]
fn a_journal_of_another_campaign_is_noticed() {
    let settings = settings(Strategy::Evolve, "depth");
    let first = run(&settings, &[], 3, usize::MAX);
    let other = Settings {
        seed: 9,
        ..settings
    };
    let second = run(&other, &first.calls, 3, usize::MAX);
    assert_eq!(second.stopped, Some(Stopped::OtherInputs));
    assert_eq!(second.runs, 0);
}
