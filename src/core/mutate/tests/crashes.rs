//! What has crashed is avoided.

use super::graph;
use crate::mutate::Session;
use crate::rng::Rng;

/// How many of 2000 mutants of `parent` have an exclamation mark.
fn marked(session: &mut Session, parent: &[u8]) -> usize {
    let mutants = (0..2000).map(|seed| {
        session.load(parent);
        session.seed(seed);
        match seed % 2 {
            0 => session.mutate(60),
            _ => session.cross(parent, 60),
        };
        usize::from(session.sentence().contains(&b'!'))
    });
    mutants.sum()
}

#[test]
fn what_has_crashed_is_avoided_until_it_survives() {
    let lists = graph("list := item+; item := 'a' | 'b' | '!' 'x' | '(' list ')';");
    let mut session = Session::new(&lists, 3).unwrap();
    let inputs: Vec<Vec<u8>> = {
        let mut made = Session::new(&lists, 3).unwrap();
        let inputs = (0..3000).map(|seed| {
            made.seed(seed);
            made.mutate(60);
            (made.choices().to_vec(), made.sentence().contains(&b'!'))
        });
        let (crashing, surviving): (Vec<_>, Vec<_>) = inputs.partition(|it| it.1);
        for (input, _) in surviving {
            session.load(&input);
            session.mark();
        }
        assert!(crashing.len() > 100);
        crashing.into_iter().map(|it| it.0).collect()
    };
    let parent = session.choices().to_vec();
    let before = marked(&mut session, &parent);
    assert!(before > 200, "{before}");

    session.shun(&inputs[0]);
    let once = marked(&mut session, &parent);
    assert!(
        once > before / 10 && once < before * 9 / 10,
        "{once} of {before}"
    );
    for input in &inputs[1..100] {
        session.shun(input);
    }
    let often = marked(&mut session, &parent);
    assert!(often < before / 10, "{often} of {before}");
    // One that crashes is mutated as ever.
    let longest = inputs.iter().max_by_key(|it| it.len()).unwrap();
    let minimized = marked(&mut session, longest);
    assert!(minimized > 600, "{minimized}");

    for input in &inputs {
        session.load(input);
        session.mark();
    }
    let after = marked(&mut session, &parent);
    assert!(after > before / 2, "{after} of {before}");
}

#[test]
fn paths_of_crashes_are_not_sought() {
    let lists = graph("list := item+; item := 'a' | 'b' | '!' 'x' | '(' list ')';");
    let mut session = Session::new(&lists, 2).unwrap();
    let mut crash = Vec::new();
    for seed in 0..200 {
        session.seed(seed);
        session.mutate(60);
        match session.sentence().contains(&b'!') {
            true => crash = session.choices().to_vec(),
            false => {
                session.mark();
            }
        }
    }
    session.shun(&crash);
    let mut path = Vec::new();
    let mut rng = Rng::new(1);
    let mark = |path: &[crate::id::SymbolId]| {
        path.iter()
            .any(|&symbol| lists.grammar().symbol_name(symbol).contains('!'))
    };
    for _ in 0..200 {
        session.work.steering.target(&mut rng, &mut path).unwrap();
        assert!(!mark(&path), "{path:?}");
    }
}
