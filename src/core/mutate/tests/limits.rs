//! Bounds hold, outlive mutations, and what is refused leaves no trace.

use super::{check, fixture};
use crate::choice::{Scratch, SiteIndex};
use crate::mutate::{Budget, Operator, Session, operators};
use crate::slip;
use crate::tests::graph;

/// Stands in for the engine: repeats a byte, as its `InsertRepeatedBytes` does.
fn repeat(data: &mut [u8], size: usize, max_size: usize) -> usize {
    let count = (max_size - size).min(40);
    let at = size / 2;
    data.copy_within(at..size, at + count);
    let byte = data.get(at + count).copied().unwrap_or(1);
    data[at..at + count].fill(byte);
    size + count
}

#[test]
fn budgets_hold_for_what_grows() {
    for name in ["json_tight", "expr", "ambiguous", "fb_url"] {
        let graph = fixture(name);
        let mut session = Session::new(&graph, 2).unwrap();
        session.use_engine(repeat, 300, 0);
        let budget = Budget {
            max_len: 300,
            max_sites: 900,
            max_depth: 25,
            ..Budget::default()
        };
        session.limit(budget);
        let mut deepest = 0;
        for seed in 0..4000 {
            session.seed(seed);
            session.mutate(200);
            let mut index = SiteIndex::new();
            let codec = session.codec();
            codec.index(session.choices(), &mut Scratch::default(), &mut index);
            assert!(
                index.text().len() <= 300
                    && index.sites().len() <= 900
                    && session.choices().len() <= 200
            );
            // A part is as deep as its shortest derivation at the least.
            assert!(index.depth() <= 25 + 8, "{name}: {}", index.depth());
            deepest = deepest.max(index.depth());
        }
        assert!(deepest > 8 || name == "fb_url", "{name}: {deepest}");
    }
}

#[test]
fn a_budget_outlives_mutations() {
    let mut session = Session::new(&fixture("json_tight"), 2).unwrap();
    session.steer(0);
    session.control_length(5);
    let budget = Budget {
        max_choices: 40,
        ..Budget::default()
    };
    session.limit(budget);
    for seed in 0..2000 {
        session.seed(seed);
        match seed % 3 {
            0 => session.cross(&[1; 60], 4096),
            1 => session.mutate_text(4096),
            _ => session.mutate(4096),
        };
        assert_eq!(session.work.limits, budget);
        assert!(session.choices().len() <= 40);
    }
}

#[test]
fn a_campaign_begins_with_whole_inputs_only() {
    let mut session = Session::new(&fixture("json_tight"), 2).unwrap();
    let mut opened = 0;
    for seed in 0..300 {
        session.seed(seed);
        let outcome = session.mutate(12);
        opened += usize::from(outcome == super::Outcome::Mutated("opening"));
        assert!(session.longest.choices <= 12);
        check(&session);
    }
    assert!(opened > 0);
}

#[test]
fn what_cannot_be_swapped_stays() {
    let pair = graph("pair := '[' word ',' word ']'; word := 'a'+;");
    let mut session = Session::new(&pair, 2).unwrap();
    session.load(&[0, 1, 1, 1, 1]);
    assert_eq!(session.sentence(), b"[a,aaaaa]");
    let work = &mut session.work;
    let word = work.graph().grammar().production_named("word");
    let is_word =
        |&site: &u32| work.production_of(work.index().sites()[site as usize].node) == word;
    let words: Vec<u32> = (0..work.index().sites().len() as u32)
        .filter(is_word)
        .collect();
    let &[short, long] = &words[..] else {
        panic!("{words:?}")
    };
    // Too long already: the first half of the swap shortens it, the second would lengthen it.
    work.limits.max_len = 6;
    assert!(!work.swap_sites(short, long));
    work.edits.roll_back();
    session.encode();
    session.render();
    assert_eq!(session.sentence(), b"[a,aaaaa]");
    check(&session);
    session.work.limits.max_len = 9;
    assert!(session.work.swap_sites(short, long));
    session.work.commit();
    session.encode();
    session.render();
    assert_eq!(session.sentence(), b"[aaaaa,a]");
}

#[test]
fn an_applied_operator_shows_in_choices_and_sentence() {
    let mut session = Session::new(&fixture("json_tight"), 2).unwrap();
    for seed in 0..200 {
        session.seed(seed);
        let before = session.choices().to_vec();
        let applied = session.apply(&operators::Regenerate as &dyn Operator);
        assert!(applied || session.choices() == before);
        check(&session);
    }
}

/// Choices of the grammar below that look like a slip: drop the site 0.
const LOOKS_LIKE_SLIP: [u8; 8] = [0, 0, 2, 0, 0xfe, b's', b'l', 0xfe];

#[test]
fn choices_that_end_like_slips_stay_what_they_are() {
    let bytes = graph(r"bytes := [\x00-\xff]{8};");
    let mut session = Session::new(&bytes, 2).unwrap();
    session.derive(&LOOKS_LIKE_SLIP);
    assert_eq!(session.sentence(), LOOKS_LIKE_SLIP);
    assert!(slip::split(session.choices()).1.is_empty());
    assert_eq!(session.text_of(session.choices()), LOOKS_LIKE_SLIP);

    // With a slip behind them, cutting comes to an end.
    session.load(&[LOOKS_LIKE_SLIP, LOOKS_LIKE_SLIP].concat());
    assert!(session.has_slips());
    assert!(!session.cut(7));
    session.load(&[LOOKS_LIKE_SLIP, LOOKS_LIKE_SLIP].concat());
    assert!(session.cut(8) && session.sentence() == LOOKS_LIKE_SLIP);
}
