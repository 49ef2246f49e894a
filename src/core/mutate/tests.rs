//! Every operator leaves an input that decodes to what the session says it is.

mod crashes;
mod edits;
mod faults;
mod limits;
mod meaning;
mod models;
mod verbatim;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Heuristic, Operator, Outcome, Session, Workspace, operators};
use crate::choice::{Scratch, Site, SiteIndex};
use crate::grammar::Grammar;
use crate::graph::Graph;
use crate::kpath::KPaths;
use crate::parse::Parser;
use crate::rng::Rng;
use crate::slip;
use crate::tests::{fixtures, graph, random_grammar, random_token_grammar, token_grammars};

/// The graph of a fixture.
fn fixture(name: &str) -> Arc<Graph> {
    let mut all = fixtures().into_iter();
    all.find(|fixture| fixture.name == name).unwrap().graph
}

/// The session's input, decoded anew, is what the session says of it.
fn check(session: &Session) {
    let (codec, input) = (session.codec(), session.choices());
    let grammar = codec.graph().grammar();
    assert!(!input.is_empty());
    assert_eq!(session.sentence(), slip::text(codec, input), "{grammar}");
    let (choices, script) = slip::split(input);
    let Workspace {
        edits,
        parent,
        slips,
        is_bare,
        ..
    } = &session.work;
    assert_eq!(script.is_empty(), slips.is_empty());
    if parent.is_deferred() || *is_bare {
        return;
    }
    let mut anew = SiteIndex::new();
    codec.index(choices, &mut Scratch::default(), &mut anew);
    let (mut full, mut text) = (Vec::new(), Vec::new());
    let kept = edits.choices(&parent.index, &mut full);
    edits.text(&parent.index, &mut text);
    assert_eq!(
        (&full[..], &text[..]),
        (anew.choices(), anew.text()),
        "{grammar}"
    );
    assert_eq!(kept, anew.canonical().len());
    let extent = edits.extent(&parent.index);
    assert_eq!(
        (extent.text, extent.sites),
        (text.len(), anew.sites().len())
    );
    let mut spliced = SiteIndex::new();
    edits.splice(&parent.index, &mut spliced);
    assert_eq!(spliced, anew, "{grammar}");
    // Run by run, the sites are those of the whole.
    let known = |site: &Site| (site.node, site.window, site.depth);
    let runs = edits.runs(&parent.index).flatten().map(known);
    assert!(runs.eq(anew.sites().iter().map(known)), "{grammar}");
    // What the parent has left is where it is said to be.
    for site in 0..parent.index.sites().len() as u32 {
        let is_left = edits.iter().all(|edit| !edit.span.sites.contains(&site));
        assert!(!is_left || edits.has(site));
        if is_left {
            let place = edits.place_of(site);
            let range = anew.text_range(place);
            assert_eq!(
                anew.sites()[place as usize].node,
                parent.index.sites()[site as usize].node
            );
            let range = range.start as usize..range.end as usize;
            assert_eq!(edits.text_of(&parent.index, site), range, "{grammar}");
        }
    }
}

#[test]
fn mutations_of_random_grammars_keep_index_text_and_choices_together() {
    let mut rng = Rng::new(31);
    let mut graphs: Vec<_> = fixtures()
        .into_iter()
        .map(|fixture| fixture.graph)
        .collect();
    graphs.extend(token_grammars());
    while graphs.len() < 140 {
        let text = match rng.below(4) {
            0 => random_token_grammar(&mut rng),
            _ => random_grammar(&mut rng),
        };
        if let Ok(grammar) = text.parse::<Grammar>() {
            graphs.push(Graph::new(grammar).unwrap());
        }
    }
    for (seed, graph) in (0..).zip(graphs) {
        let mut session = Session::new(&graph, 1 + seed as usize % 4).unwrap();
        session.seed(seed);
        session.use_engine(engine, 150, 150);
        session.set_errors([0, 300][seed as usize / 4 % 2]);
        session.set_verbatim([0, 300][seed as usize / 8 % 2]);
        for round in 0..150 {
            let max_size = [4096, 64, 1, 7, 300][round % 5];
            if rng.below(4) == 0 {
                let choices: Vec<u8> = (0..rng.below(80)).map(|_| rng.below(256) as u8).collect();
                session.load(&choices);
            }
            if rng.below(5) == 0 {
                let donor: Vec<u8> = (0..rng.below(80)).map(|_| rng.below(256) as u8).collect();
                session.cross(&donor, max_size);
            } else {
                session.mutate(max_size);
            }
            assert!(session.choices().len() <= max_size);
            check(&session);
            session.mark();
        }
    }
}

/// Stands in for the engine: changes, adds or takes away a byte, by what the bytes are.
fn engine(data: &mut [u8], size: usize, max_size: usize) -> usize {
    let sum = data[..size]
        .iter()
        .fold(7u32, |sum, &byte| sum.wrapping_mul(31) ^ u32::from(byte));
    let at = sum as usize % size.max(1);
    match sum % 3 {
        0 if size > 1 => {
            data.copy_within(at + 1..size, at);
            size - 1
        }
        1 if size < max_size => {
            data.copy_within(at..size, at + 1);
            data[at] = sum as u8 & 0x7f;
            size + 1
        }
        _ => {
            data[at] = b'0' + (sum >> 8) as u8 % 10;
            size
        }
    }
}

#[test]
fn what_is_left_out_does_nothing() {
    let graph = fixture("json_tight");
    for &left_out in Heuristic::ALL {
        let mut session = Session::new(&graph, 2).unwrap();
        session.leave_out([left_out].into_iter().collect());
        let (mut inputs, mut opened) = (vec![vec![0]], 0);
        for seed in 0..4000 {
            session.seed(seed);
            session.load(&inputs[seed as usize * 7 % inputs.len()]);
            opened += u32::from(session.mutate(200) == Outcome::Mutated("opening"));
            if seed % 10 == 0 {
                inputs.push(session.choices().to_vec());
            }
            session.mark();
        }
        let made = |name| {
            let mut tallies = session.tallies();
            tallies.any(|tally| tally.name == name && tally.tried > 0)
        };
        let is_left_out = [
            session.yields.is_level,
            session.yields.places.is_level,
            opened == 0,
            session.work.scalars.is_off,
            !made("borrow"),
            !made("absorb"),
            // The session has no part in the schedule.
            left_out == Heuristic::Schedule,
        ];
        let expected: Vec<_> = Heuristic::ALL.iter().map(|&it| it == left_out).collect();
        assert_eq!(is_left_out[..], expected, "{left_out:?}");
        assert!(made("seek") && made("swap"));
    }
}

#[test]
fn an_input_departs_from_the_grammar_only_on_demand() {
    let graph = fixture("json_tight");
    // Shares are as asked for, not as they pay.
    let level = [Heuristic::Operators, Heuristic::Opening];
    let slipped = |per_mille: u32, first: &[u8]| {
        let mut session = Session::new(&graph, 2).unwrap();
        session.leave_out(level.into_iter().collect());
        session.use_engine(engine, 100, 100);
        session.set_errors(per_mille);
        session.load(first);
        let (mut slipped, mut kinds) = (Vec::new(), 0);
        for seed in 0..3000 {
            session.seed(seed);
            session.mutate(400);
            check(&session);
            if session.has_slips() {
                slipped.push(session.choices().to_vec());
                assert_eq!(session.windows().count(), 0);
                assert_eq!(session.mark(), 0);
            }
            kinds += usize::from(session.has_slips());
            if seed % 5 == 0 {
                session.load(&[]);
            }
        }
        (kinds, slipped)
    };
    assert_eq!(slipped(0, &[]).0, 0);
    let (some, inputs) = slipped(100, &[]);
    // One in ten of those without slips, and three in four of those that follow: 0.1, 0.165, … 0.253 of the five on top of each
    // other, 576 of 3000. Six standard deviations, if all five depended on each other wholly, are 290.
    assert!((576 - 290..576 + 290).contains(&some), "{some}");
    assert!(slipped(300, &[]).0 > some);
    // One that comes from elsewhere, where errors are not asked for.
    assert_eq!(slipped(0, inputs.last().unwrap()).0, 0);
    // Shrinking ends, and nothing is ever longer than it may be.
    let mut session = Session::new(&graph, 2).unwrap();
    for input in inputs.iter().take(50) {
        session.load(input);
        while session.choices().len() > 1 {
            let size = session.choices().len();
            session.mutate(size - 1);
            assert!(session.choices().len() < size);
            check(&session);
        }
    }
}

#[test]
fn mutants_are_made_again_that_read_as_other_tokens() {
    // No text has `=` before `*`, or `*` twice.
    let graph = graph("s := (\"=\" | \"*\" | \"=*\" | \"**\" | Name)+; token Name := [a-z]{1,3};");
    let parser = Parser::new(&graph);
    let mut session = Session::new(&graph, 2).unwrap();
    let (mut read, mut all) = (0, 0);
    for seed in 0..400 {
        session.seed(seed);
        session.load(b"");
        for _ in 0..5 {
            session.mutate(100);
            if !session.has_slips() {
                all += 1;
                read += u32::from(parser.encode(session.sentence()).is_ok());
            }
            check(&session);
        }
    }
    assert!(all > 1500 && read * 100 > all * 97, "{read} of {all}");
}

#[test]
fn rewording_gives_sentences_that_other_operators_would_not() {
    let graph = graph(r#"list := word (" " word)*; word := [a-z] [a-z0-9]* | [0-9]{2};"#);
    let mut session = Session::new(&graph, 2).unwrap();
    session.use_engine(engine, 0, 1000);
    let mut reworded = 0;
    for seed in 0..300 {
        session.seed(seed);
        session.load(&[
            0,
            (seed % 26) as u8,
            1,
            2,
            1,
            3,
            0,
            1,
            1,
            (seed % 10) as u8,
            4,
        ]);
        let before = session.sentence().to_vec();
        if session.apply(&operators::Reword) {
            check(&session);
            assert_ne!(session.sentence(), before);
            reworded += 1;
        }
    }
    assert!(reworded > 30, "{reworded}");
}

#[test]
fn all_levels_follow_the_windows() {
    let graph = fixture("expr");
    let mut session = Session::new(&graph, 4).unwrap();
    session.set_feature_level(3);
    let mut features = BTreeMap::new();
    for seed in 0..400 {
        session.seed(seed);
        session.mutate(100);
        session.mark();
        let shown: BTreeSet<u32> = session.features().iter().copied().collect();
        let feature = |window| session.work.steering.feature(window);
        assert_eq!(shown, session.windows().map(feature).collect());
        for window in session.windows() {
            let feature = feature(window);
            let path = session.coverage().path(window).unwrap();
            let path = path[path.len().saturating_sub(3)..].to_vec();
            assert_eq!(features.entry(feature).or_insert(path.clone()), &path);
        }
    }
    let coverage = session.coverage();
    for level in 1..4 {
        assert_eq!(
            session.work.steering.at_level(level),
            &coverage.at_level(level)
        );
    }
    assert_eq!(features.len() as u64, {
        let three = KPaths::new(&graph, 3).unwrap();
        let short = |window: &u32| coverage.path(*window).unwrap().len() < 3;
        let windows = (coverage.kpaths().len()..coverage.kpaths().window_count())
            .map(|window| window as u32)
            .filter(|window| coverage.contains(*window) && short(window))
            .count() as u64;
        assert!(three.len() > 500);
        coverage.at_level(3).count_ones() as u64 + windows
    });
}

#[test]
fn every_operator_changes_json() {
    // With words in either case, so that there is something to vary.
    let text = fixture("json_tight").grammar().to_string();
    let json = graph(
        &text
            .replace("\"true\"", "\"true\"i")
            .replace("\"null\"", "\"null\"i"),
    );
    let mut session = Session::new(&json, 3).unwrap();
    let mut applied: BTreeMap<&str, u32> = BTreeMap::new();
    let mut all = operators::all();
    all.push(Box::new(operators::Seek));
    let mut rng = Rng::new(8);
    for _ in 0..300 {
        // Arrays in arrays, with some random content.
        let mut choices = vec![0, 4, 0, 1, 4, 0, 1, 4, 0, 1];
        choices.extend((0..200).map(|_| rng.below(256) as u8 | 1));
        let donor: Vec<u8> = (0..200).map(|_| rng.below(256) as u8).collect();
        for operator in &all {
            session.load(&choices);
            session.work.load_donor(&donor);
            let before = session.sentence().to_vec();
            if session.apply(operator.as_ref()) {
                check(&session);
                *applied.entry(operator.name()).or_default() +=
                    u32::from(session.sentence() != before);
            }
        }
    }
    for operator in &all {
        assert!(
            applied
                .get(operator.name())
                .is_some_and(|&times| times > 20),
            "{operator:?}: {applied:?}"
        );
    }
}

#[test]
fn seeking_covers_what_random_mutation_would_not() {
    // 40 alternatives within 40 alternatives: a plain mutator meets the last pairs late.
    let wide: Vec<String> = (0..40).map(|at| format!("\"{at:02}\" next")).collect();
    let text = format!(
        "s := a; a := ({}) | \"\"; next := (\"<\" a \">\")?;",
        wide.join("|")
    );
    let graph = graph(&text);
    let covered = |steering: u32| {
        let mut session = Session::new(&graph, 3).unwrap();
        session.steer(steering);
        for _ in 0..4000 {
            session.mutate(4096);
            session.mark();
            if session.sentence().len() > 200 {
                session.load(&[]);
            }
        }
        session.coverage().ratio()
    };
    let (with, without) = (covered(500), covered(0));
    assert!(with > 0.9, "{with}");
    assert!(with > without, "{with} {without}");
}

#[test]
fn one_seek_covers_its_path_where_nothing_is_in_the_way() {
    let json = fixture("json");
    let mut session = Session::new(&json, 3).unwrap();
    session.mark();
    let mut steps = 0;
    while session.coverage().windows().count_zeros() > 0 {
        let before = session.coverage().windows().count_ones();
        assert!(session.apply(&operators::Seek));
        session.mark();
        assert!(
            session.coverage().windows().count_ones() > before,
            "a seek covers something new"
        );
        steps += 1;
        if session.sentence().len() > 500 {
            session.load(&[]);
        }
    }
    assert!(steps <= session.coverage().windows().len());
}

#[test]
fn shrinking_ends_at_the_size_asked_for() {
    let json = fixture("json_tight");
    let mut session = Session::new(&json, 3).unwrap();
    let choices: Vec<u8> = (0..3000u32).map(|at| (at * 7 % 251) as u8 | 1).collect();
    session.load(&choices);
    session.mutate(4096);
    let mut size = session.choices().len();
    while size > 1 {
        session.mutate(size - 1);
        assert!(session.choices().len() < size && !session.choices().is_empty());
        check(&session);
        size = session.choices().len();
    }
}

#[test]
fn the_same_seed_gives_the_same_mutants() {
    let expr = fixture("expr");
    let run = || {
        let mut session = Session::new(&expr, 3).unwrap();
        let mut all = Vec::new();
        for seed in 0..500 {
            session.seed(seed);
            session.mutate(256);
            session.mark();
            all.extend_from_slice(session.choices());
        }
        all
    };
    assert_eq!(run(), run());
}

#[test]
fn a_single_sentence_is_exhausted_but_never_empty() {
    let mut session = Session::new(&graph(r#"s := "only" t; t := "this";"#), 2).unwrap();
    assert_eq!(session.mutate(10), Outcome::Exhausted);
    assert_eq!(session.choices(), [0]);
    assert_eq!(session.sentence(), b"onlythis");
}

#[derive(Debug)]
struct Never;

impl Operator for Never {
    fn name(&self) -> &'static str {
        "never"
    }
    fn kind(&self) -> Option<super::Kind> {
        None
    }
    fn apply(&self, _: &mut super::Workspace, _: u32) -> bool {
        false
    }
}

#[test]
fn an_operator_that_does_not_apply_gives_way() {
    let mut session = Session::new(&graph(r#"s := [a-z]*;"#), 2).unwrap();
    for _ in 0..50 {
        session.register(Box::new(Never));
    }
    for _ in 0..100 {
        assert!(matches!(session.mutate(64), Outcome::Mutated(name) if name != "never"));
    }
}
