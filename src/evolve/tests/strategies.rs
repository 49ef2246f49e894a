//! Campaigns by all strategies.

use std::collections::{BTreeMap, BTreeSet};

use super::{graph, program, run};
use crate::archive::Scale;
use crate::mapping::Structure;
use crate::{Feedback, Goal, Settings, Strategy, Totals, Weights};

/// Lists in lists, whose depth a program reports.
pub(super) const LISTS: &str = "list := '[' (list | item)* ']'; item := [a-z] | '7' | '!';";

pub(super) fn depth(text: &str) -> Feedback {
    let (mut depth, mut deepest) = (0i32, 0);
    for c in text.chars() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        deepest = deepest.max(depth);
    }
    Feedback {
        functions: (0..deepest.min(9) as u32).collect(),
        failure: text.contains("!!!").then(|| "three of them".into()),
        time: text.len() as u64,
        work: text.matches('7').count() as u64,
        numbers: BTreeMap::from([("depth".to_owned(), deepest.into())]),
    }
}

pub(super) fn settings(strategy: Strategy, goal: &str) -> Settings {
    Settings {
        strategy,
        weights: Weights::single(Goal::named(goal)),
        inputs: 20,
        selected: 3,
        max_len: 300,
        ..Settings::default()
    }
}

fn totals(settings: Settings) -> Totals {
    let mut program = program(10, depth);
    let seeds = ["[ab[c]]", "[x7]"];
    let campaign = run(&graph(LISTS), &seeds, settings, 30, &mut program);
    campaign.archive().totals().clone()
}

#[test]
fn a_number_of_the_program_is_driven_up() {
    let best = |strategy| totals(settings(strategy, "depth")).numbers["depth"];
    let evolved = best(Strategy::Evolve);
    for strategy in [Strategy::Random, Strategy::Probabilistic, Strategy::Inverse] {
        let other = best(strategy);
        assert!(evolved > other, "{evolved} to {other} of {strategy:?}");
    }
}

#[test]
fn each_goal_gets_more_than_by_chance() {
    for name in ["failures", "work", "time"] {
        let goal = Goal::named(name);
        let of = |strategy| totals(settings(strategy, name)).of(&goal).unwrap();
        let (evolved, other) = (of(Strategy::Evolve), of(Strategy::Probabilistic));
        assert!(evolved > other, "{name}: {evolved} to {other}");
    }
}

#[test]
fn a_goal_that_is_ignored_is_not_pursued() {
    let all = totals(Settings {
        weights: Weights::only(Goal::Work),
        ..settings(Strategy::Evolve, "work")
    });
    let other = totals(Settings {
        weights: Weights::only(Goal::Failures),
        ..settings(Strategy::Evolve, "work")
    });
    assert!(all.work > other.work, "{} to {}", all.work, other.work);
    assert!(
        all.failures < other.failures,
        "{} to {}",
        all.failures,
        other.failures
    );
}

#[test]
fn campaigns_with_the_same_seed_are_the_same() {
    let strategies = [
        Strategy::Evolve,
        Strategy::EvoGFuzz,
        Strategy::Random,
        Strategy::Probabilistic,
        Strategy::Inverse,
        Strategy::KPaths,
    ];
    for strategy in strategies {
        let once = totals(settings(strategy, "depth"));
        assert_eq!(once, totals(settings(strategy, "depth")), "{strategy:?}");
        assert_eq!(once.inputs, 600);
        let other = totals(Settings {
            seed: 1,
            ..settings(strategy, "depth")
        });
        // A covering set is the same whatever the seed, up to its close-off.
        assert!(
            strategy == Strategy::KPaths || once != other,
            "{strategy:?}"
        );
    }
}

#[test]
fn a_campaign_goes_on_from_its_model() {
    let graph = graph(LISTS);
    let mut program = program(10, depth);
    let settings = Settings {
        adapts: false,
        mutates_inputs: false,
        ..settings(Strategy::Evolve, "depth")
    };
    let first = run(&graph, &["[x]"], settings.clone(), 30, &mut program);
    let mut next = crate::Campaign::new(&graph, settings).unwrap();
    next.follow(first.model().clone());
    let generation = next.step(&mut program).unwrap();
    let plain = run(&graph, &["[x]"], next.settings().clone(), 1, &mut program);
    let (next, plain) = (&generation.totals, plain.archive().totals());
    assert!(next.numbers["depth"] > plain.numbers["depth"]);
}

#[test]
fn what_is_slow_by_chance_does_not_win() {
    let mut runs = 0u64;
    let mut noisy = program(1, |text: &str| {
        runs += 1;
        // Every 37th run is interrupted.
        let noise = if runs.is_multiple_of(37) {
            1_000_000
        } else {
            0
        };
        Feedback {
            time: text.len() as u64 + noise,
            ..Feedback::default()
        }
    });
    let settings = Settings {
        max_len: 100,
        inputs: 40,
        ..settings(Strategy::Random, "time")
    };
    let campaign = run(&graph(LISTS), &[], settings.clone(), 10, &mut noisy);
    assert!(campaign.archive().totals().time <= 100);
    let once = Settings {
        repeats: 1,
        ..settings
    };
    let campaign = run(&graph(LISTS), &[], once, 10, &mut noisy);
    assert!(campaign.archive().totals().time > 100);
}

#[test]
fn inputs_are_hardly_ever_run_twice_where_there_are_others() {
    let different = |redraws| {
        let mut texts = BTreeSet::new();
        let mut collecting = program(1, |text: &str| {
            texts.insert(text.to_owned());
            Feedback::default()
        });
        let settings = Settings {
            weights: Weights::only(Goal::Coverage),
            redraws,
            ..settings(Strategy::Evolve, "coverage")
        };
        run(&graph(LISTS), &["[]"], settings, 20, &mut collecting);
        assert_eq!(collecting.runs, 401);
        texts.len()
    };
    let (drawn_again, drawn_once) = (different(10), different(0));
    assert!(
        drawn_again >= 350 && drawn_once < 150,
        "{drawn_again} and {drawn_once}"
    );
}

#[test]
fn a_grammar_with_one_sentence_has_a_campaign() {
    for strategy in [Strategy::Evolve, Strategy::KPaths, Strategy::Inverse] {
        let settings = Settings {
            inputs: 4,
            weights: Weights::only(Goal::Coverage),
            ..settings(strategy, "coverage")
        };
        let mut program = program(1, |_: &str| Feedback::default());
        let campaign = run(&graph("s := 'one';"), &["one"], settings, 3, &mut program);
        assert_eq!(campaign.archive().totals().inputs, 12);
        assert_eq!(program.runs, 13);
    }
}

#[test]
fn mappings_are_pairs_of_features_and_functions() {
    // By nonterminals: list, item; list(list), list(item); list(list(item)).
    let table = [
        (Structure::KPaths(1), 5),
        (Structure::Subtrees(1), 2),
        (Structure::Subtrees(2), 4),
        (Structure::Subtrees(3), 5),
    ];
    for (structure, features) in table {
        let settings = Settings {
            structure,
            scale: Scale::Article,
            ..settings(Strategy::Random, "mappings")
        };
        let mut program = program(10, depth);
        let campaign = run(&graph(LISTS), &["[[7]]"], settings, 0, &mut program);
        // Two functions are covered.
        assert_eq!(
            campaign.seeds().totals().mappings,
            2 * features,
            "{structure:?}"
        );
    }
}
