//! Texts that are changed as a whole.

use std::cell::Cell;

use super::{check, fixture};
use crate::mutate::{Outcome, Session, operators};
use crate::parse::Parser;
use crate::slip::{self, Change, Slips};

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Stands in for the engine: puts another character in the place of one, each time elsewhere.
fn engine(data: &mut [u8], size: usize, _: usize) -> usize {
    let calls = CALLS.get();
    CALLS.set(calls + 1);
    data[calls % size] = b'0' + (calls / size % 70) as u8;
    size
}

/// An input whose text is nothing of its choices'.
fn verbatim(choices: &[u8], text: &[u8]) -> Vec<u8> {
    let mut slips = Slips::new();
    assert!(slips.push(0, Change::Raw(text)));
    let mut input = choices.to_vec();
    slips.encode(&mut input);
    input
}

fn choices_of(text: &[u8]) -> Vec<u8> {
    Parser::new(&fixture("json_tight")).encode(text).unwrap()
}

fn session(errors: u32, verbatim: u32) -> Session {
    let mut session = Session::new(&fixture("json_tight"), 2).unwrap();
    session.use_engine(engine, 0, 0);
    session.steer(0);
    session.set_errors(errors);
    session.set_verbatim(verbatim);
    session
}

/// Mutates an input once with each of many seeds.
fn mutants(mut session: Session, input: &[u8], mut take: impl FnMut(&mut Session, Outcome)) {
    for seed in 0..1000 {
        session.seed(seed);
        session.load(input);
        let outcome = session.mutate(4096);
        check(&session);
        take(&mut session, outcome);
    }
}

#[test]
fn a_share_of_texts_is_changed_as_a_whole() {
    let parent = choices_of(br#"[120,{"ab":"cd","ef":[null,true]},"gh",-5.25]"#);
    let count = |errors, share| {
        let (mut count, mut same) = (0, 0);
        mutants(session(errors, share), &parent, |session, outcome| {
            if outcome == Outcome::Mutated("verbatim") {
                count += 1;
                assert!(session.has_slips());
                same += u32::from(slip::split(session.choices()).0 == parent);
            }
        });
        // What it has come from is still there: mostly the parent, and another mutant where the first was made before.
        assert!(same * 2 >= count, "{same} {count}");
        count
    };
    assert_eq!((count(0, 200), count(100, 0)), (0, 0));
    let some = count(100, 200);
    assert!((120..280).contains(&some), "{some}");
}

#[test]
fn such_a_text_is_mutated_on_or_forgotten() {
    let input = verbatim(&[], b"[ 12, nul");
    let (mut on, mut forgotten) = (0, 0);
    mutants(session(100, 100), &input, |session, _| {
        match session.has_slips() {
            true => on += u32::from(session.sentence().starts_with(b"[ 1")),
            false => forgotten += 1,
        }
    });
    assert!(on > 400 && forgotten > 150, "{on} {forgotten}");
    // Without leave to be invalid it is not a sentence's parent but the derivation's.
    mutants(session(0, 0), &input, |session, _| {
        assert!(!session.has_slips());
    });
}

#[test]
fn a_sentence_becomes_a_derivation() {
    let derived = |text: &[u8]| {
        let mut count = 0;
        mutants(session(100, 100), &verbatim(&[], text), |session, _| {
            let text = session.sentence();
            let has_name = text.windows(5).any(|part| part == b"qzvxk");
            count += u32::from(has_name && !session.has_slips());
        });
        count
    };
    let count = derived(br#"[12,{"ab":"qzvxk","ef":[null,true]},"gh"]"#);
    assert!(count > 10, "{count}");
    assert_eq!(derived(br#"[12,{"ab":"qzvxk","ef":[null,true]},"gh""#), 0);
}

#[test]
fn parts_of_other_texts_are_put_in() {
    let mut session = session(100, 100);
    let (one, other) = (verbatim(&[], b"[[[[[[[["), verbatim(&[], b"}}}}}}}}"));
    let mut mixed = 0;
    for seed in 0..500 {
        session.seed(seed);
        session.load(&one);
        session.cross(&other, 4096);
        check(&session);
        let text = session.sentence();
        mixed += u32::from(text.starts_with(b"[[") && text.contains(&b'}'));
    }
    assert!(mixed > 200, "{mixed}");
}

#[test]
fn shrinking_gives_up_the_derivation_before_the_text() {
    let mut session = session(0, 0);
    let choices = choices_of(b"[120,{}]");
    let text = b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[";
    let input = verbatim(&choices, text);
    session.load(&input);
    session.mutate(input.len() - 1);
    assert_eq!(session.sentence(), text);
    assert!(session.choices().len() < input.len());
    // It goes on with the text, of which a part is left out.
    let (mut shorter, mut size) = (0, session.choices().len());
    for seed in 0..200 {
        session.seed(seed);
        session.mutate(size - 1);
        check(&session);
        let text = session.sentence();
        if !session.has_slips() {
            break;
        }
        shorter += u32::from(text.iter().all(|&byte| byte == b'['));
        assert!(session.choices().len() < size);
        size = session.choices().len();
    }
    assert!(shorter > 0);
}

#[test]
fn the_operator_changes_the_present_text() {
    let mut session = session(0, 0);
    for text in [&b"[120,{}]"[..], b"\"gh\""] {
        session.load(&choices_of(text));
        assert!(session.apply(&operators::Verbatim));
        check(&session);
        assert!(session.has_slips());
        let is_of_text = |letter: &&u8| text.contains(letter);
        let kept = session.sentence().iter().filter(is_of_text).count();
        assert!(kept + 2 >= text.len(), "{:?}", session.sentence());
    }
}
