//! Fitness and what is kept.

use std::sync::Arc;

use crate::archive::{Scale, Tried};
use crate::mapping::Pairs;
use crate::{Archive, Feedback, Goal, Input, Weights};

fn tried(text: &str, feedback: Feedback) -> Tried {
    Tried {
        input: Arc::new(Input {
            choices: text.into(),
            text: text.into(),
        }),
        feedback,
        features: vec![1, 2],
    }
}

fn covers(functions: &[u32]) -> Feedback {
    Feedback {
        functions: functions.to_vec(),
        ..Feedback::default()
    }
}

fn fails(place: &str) -> Feedback {
    Feedback {
        failure: Some(place.to_owned()),
        ..Feedback::default()
    }
}

fn fitness(archive: &mut Archive, goal: Goal, generation: u32, tried: &[Tried]) -> Vec<f64> {
    let fitness = archive.take(tried, generation, &Weights::only(goal), 10, 1000);
    // To compare with numbers that are written down.
    fitness.iter().map(|it| (it * 1e6).round() / 1e6).collect()
}

fn takes(time: u64) -> Feedback {
    Feedback {
        time,
        work: 2 * time,
        ..Feedback::default()
    }
}

#[test]
fn shares_of_the_article_are_of_bounds_that_are_known() {
    use Goal::{Coverage, DistinctFailures, Failures, Mappings, Time};

    let table: [(Goal, &[Feedback], &[f64]); 5] = [
        // New functions of all ten.
        (Coverage, &[covers(&[0, 1, 2]), covers(&[2])], &[0.3, 0.1]),
        // Of the most new ones: tanh 1 and tanh 0.5.
        (
            Mappings,
            &[covers(&[0, 1]), covers(&[4])],
            &[0.761594, 0.462117],
        ),
        (Time, &[takes(500), takes(2000)], &[0.5, 1.0]),
        (
            Failures,
            &[fails("a"), fails("a"), covers(&[1]), fails("b")],
            &[1.0, 0.1, 0.0, 1.0],
        ),
        (
            DistinctFailures,
            &[fails("a"), fails("a"), fails("b")],
            &[1.0, 0.0, 1.0],
        ),
    ];
    for (goal, feedback, expected) in table {
        let mut archive = Archive::new(Scale::Article, 3);
        let inputs: Vec<Tried> = feedback.iter().map(|it| tried("x", it.clone())).collect();
        assert_eq!(
            fitness(&mut archive, goal.clone(), 0, &inputs),
            expected,
            "{goal}"
        );
    }
    // What an earlier generation has covered is not new.
    let mut archive = Archive::new(Scale::Article, 3);
    fitness(&mut archive, Coverage, 0, &[tried("x", covers(&[0, 1]))]);
    let later = fitness(&mut archive, Coverage, 1, &[tried("y", covers(&[1, 2]))]);
    assert_eq!(later, [0.1]);
}

#[test]
fn the_best_of_a_generation_has_a_share_of_one() {
    use Goal::{Coverage, DistinctFailures, Time};

    let table: [(Goal, &[Feedback], &[f64]); 3] = [
        (Time, &[takes(5), takes(20)], &[0.25, 1.0]),
        // One and a half to a half.
        (Coverage, &[covers(&[0, 1]), covers(&[1])], &[1.0, 0.333333]),
        // The first of a place is new, the second is one of three.
        (
            DistinctFailures,
            &[fails("a"), fails("a"), fails("a")],
            &[1.0, 0.333333, 0.333333],
        ),
    ];
    for (goal, feedback, expected) in table {
        let mut archive = Archive::new(Scale::Generation, 3);
        let inputs: Vec<Tried> = feedback.iter().map(|it| tried("x", it.clone())).collect();
        assert_eq!(
            fitness(&mut archive, goal.clone(), 0, &inputs),
            expected,
            "{goal}"
        );
    }
}

#[test]
fn weights_decide_between_goals() {
    let slow_and_wide = [tried("s", takes(100)), tried("w", covers(&[0, 1]))];
    for (weights, expected) in [
        (Weights::single(Goal::Time), [10.0, 2.0]),
        (Weights::single(Goal::Coverage), [1.0, 11.0]),
        (Weights::all().ignoring(Goal::Time), [0.0, 2.0]),
        (Weights::all().with(Goal::Time, 0.5), [0.5, 2.0]),
    ] {
        let mut archive = Archive::new(Scale::Generation, 3);
        assert_eq!(
            archive.take(&slow_and_wide, 0, &weights, 10, 1000),
            expected
        );
    }
}

fn texts(archive: &Archive, goal: &Goal) -> Vec<(String, f64)> {
    let best = archive.best(goal).iter();
    best.map(|it| {
        (
            String::from_utf8_lossy(&it.input.text).into_owned(),
            it.value,
        )
    })
    .collect()
}

fn pairs(expected: &[(&str, f64)]) -> Vec<(String, f64)> {
    expected
        .iter()
        .map(|&(text, value)| (text.to_owned(), value))
        .collect()
}

#[test]
fn the_best_are_kept_each_text_once() {
    let mut archive = Archive::new(Scale::Generation, 3);
    let times = [("a", 5), ("b", 9), ("a", 7), ("c", 1), ("d", 8), ("e", 2)];
    let inputs: Vec<Tried> = times
        .iter()
        .map(|&(text, time)| tried(text, takes(time)))
        .collect();
    archive.take(&inputs, 0, &Weights::all(), 10, 1000);
    assert_eq!(
        texts(&archive, &Goal::Time),
        pairs(&[("b", 9.0), ("d", 8.0), ("a", 7.0)])
    );
    assert_eq!(
        texts(&archive, &Goal::Work),
        pairs(&[("b", 18.0), ("d", 16.0), ("a", 14.0)])
    );
    assert_eq!(
        (archive.totals().time, archive.totals().total_time),
        (9, 32)
    );
}

#[test]
fn of_each_failure_the_shortest_input_is_kept() {
    let mut archive = Archive::new(Scale::Generation, 3);
    let failing = [("long a", "a"), ("b", "b"), ("a", "a"), ("longest a", "a")];
    let inputs: Vec<Tried> = failing
        .iter()
        .map(|&(text, place)| tried(text, fails(place)))
        .collect();
    archive.take(&inputs, 0, &Weights::all(), 10, 1000);
    let expected = pairs(&[("a", 3.0), ("b", 1.0)]);
    assert_eq!(texts(&archive, &Goal::DistinctFailures), expected);
    let last = pairs(&[("longest a", 3.0), ("a", 3.0), ("b", 1.0)]);
    assert_eq!(texts(&archive, &Goal::Failures), last);
    assert_eq!(
        (
            archive.totals().failures,
            archive.totals().distinct_failures
        ),
        (4, 2)
    );
}

#[test]
fn what_covers_something_first_is_kept() {
    let mut archive = Archive::new(Scale::Generation, 1);
    let inputs = [("a", &[0, 1][..]), ("b", &[0]), ("c", &[1, 130])];
    let inputs: Vec<Tried> = inputs
        .iter()
        .map(|&(text, it)| tried(text, covers(it)))
        .collect();
    archive.take(&inputs, 0, &Weights::all(), 200, 1000);
    assert_eq!(
        texts(&archive, &Goal::Coverage),
        pairs(&[("a", 2.0), ("c", 1.0)])
    );
    assert_eq!(archive.totals().functions, 3);
}

#[test]
fn pairs_are_counted_once_however_functions_are_numbered() {
    let mut pairs = Pairs::default();
    assert_eq!(pairs.add(&[7, 9], &[0, 3]), 4);
    assert_eq!(pairs.add(&[9], &[3, 64, 700]), 2);
    assert_eq!(pairs.add(&[7, 9, 11], &[700]), 2);
    assert_eq!(pairs.add(&[7, 9, 11], &[700]), 0);
    assert_eq!(pairs.add(&[7], &[]), 0);
    assert_eq!(pairs.count(), 8);
}
