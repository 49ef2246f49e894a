//! Random derivations follow models.

use super::{check, fixture};
use crate::grammar::Grammar;
use crate::graph::Graph;
use crate::mutate::Session;

#[test]
fn random_derivations_follow_a_model() {
    use crate::model::{Model, Reading};
    use crate::mutate::work::{Part, Size};

    let grammar: Grammar = "file := item*; item := 'a' | 'b' | '(' file ')';"
        .parse()
        .unwrap();
    let graph = Graph::new(grammar).unwrap();
    let parser = crate::Parser::new(&graph);
    let mut session = Session::new(&graph, 2).unwrap();
    let mut model = Model::new(session.codec(), 1);
    model.learn(&parser.encode(b"aa(aa)aa").unwrap()).unwrap();
    let bytes = |session: &mut Session| {
        let mut bytes = std::collections::BTreeSet::new();
        for seed in 0..200 {
            session.seed(seed);
            session.adopt(b"\x01\x02\x01\x00");
            for site in (0..session.work.index().sites().len() as u32).rev() {
                let size = Size::draw(session.work.rng());
                session.work.replace(site, Part::Random(size));
            }
            let mut text = Vec::new();
            session.work.edits.text(session.work.index(), &mut text);
            bytes.extend(text);
        }
        bytes.into_iter().map(char::from).collect::<String>()
    };
    assert_eq!(bytes(&mut session), "()ab");
    assert_eq!(session.learned(), None);
    session.follow(model.clone(), Reading::COMMON);
    assert_eq!(
        (bytes(&mut session), session.learned()),
        ("()a".into(), Some(1))
    );
    session.follow(model.clone(), Reading::UNCOMMON);
    assert_eq!(bytes(&mut session), "b");
    // What learns keeps a share of uniform choices.
    session.follow_kept(model);
    assert_eq!(bytes(&mut session), "()ab");
}

#[test]
fn a_model_learns_what_comes_back() {
    use crate::model::Model;

    let run = || {
        let graph = fixture("json");
        let mut session = Session::new(&graph, 2).unwrap();
        let model = Model::new(session.codec(), 1);
        session.follow_kept(model);
        session.seed(5);
        let mut kept: Vec<Vec<u8>> = vec![vec![1, 2, 3]];
        for step in 0..400usize {
            let parent = kept[step % kept.len()].clone();
            session.load(&parent);
            session.mutate(300);
            session.mark();
            check(&session);
            if step % 4 == 0 {
                kept.push(session.choices().to_vec());
            }
        }
        (session.learned(), session.choices().to_vec())
    };
    let (learned, choices) = run();
    // Each of the hundred that were kept comes back, and is learned once.
    assert!((50..=100).contains(&learned.unwrap()), "{learned:?}");
    assert_eq!(run(), (learned, choices));
}
