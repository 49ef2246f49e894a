//! Every operator at every site of its kind: an edited parent is what its bytes derive anew.

use super::{check, engine};
use crate::mutate::operators::{self, Bytes, Reword, Seek, Slip, Transplant};
use crate::mutate::{Operator, Session};
use crate::rng::Rng;
use crate::tests::{fixtures, graph, token_grammars};

/// Repetitions of all bounds, recursion, and items without choices.
const SMALL: &[&str] = &[
    "s := a* b+ (a | b){2,} 'x'{2,3} [a-c]{,2}; a := 'a' | '(' s ')'; b := [0-9];",
    "s := ('x' 'y'?)* | 'z'{3,} | s ',' s;",
    "s := i*; i := (j ';')*; j := 'j'* | '{' s '}';",
];

/// All short choices of three values, and some longer ones.
fn inputs(rng: &mut Rng) -> Vec<Vec<u8>> {
    let short = (0..3u8).flat_map(|a| (0..3).map(move |b| vec![1, a, b]));
    let long = (0..12).map(|len| (0..4 * len).map(|_| rng.below(7) as u8).collect());
    short.chain(long).collect()
}

/// The mutant as a parent: it encodes to the same bytes, and has the same text.
fn check_as_parent(session: &mut Session) {
    let (input, text) = (session.choices().to_vec(), session.sentence().to_vec());
    session.rebase();
    check(session);
    session.encode();
    session.render();
    assert_eq!(
        (session.choices(), session.sentence()),
        (&input[..], &text[..])
    );
}

#[test]
fn an_edited_parent_is_what_is_read_anew() {
    let mut operators = operators::all();
    let own: [Box<dyn Operator>; 5] = [
        Box::new(Bytes),
        Box::new(Reword),
        Box::new(Seek),
        Box::new(Slip),
        Box::new(Transplant),
    ];
    operators.extend(own);
    let mut graphs: Vec<_> = SMALL.iter().map(|text| graph(text)).collect();
    graphs.extend(fixtures().into_iter().map(|fixture| fixture.graph));
    graphs.extend(token_grammars());
    let (mut rng, mut applied) = (Rng::new(17), vec![0; operators.len()]);
    for graph in graphs {
        let mut session = Session::new(&graph, 3).unwrap();
        session.use_engine(engine, 100, 100);
        let inputs = inputs(&mut rng);
        for (input, donor) in inputs.iter().zip(inputs.iter().skip(1)) {
            // What other operators take from comes from parents that were loaded.
            session.load(input);
            session.work.load_donor(donor);
            for (operator, applied) in operators.iter().zip(&mut applied) {
                session.adopt(input);
                let sites: Vec<u32> = match operator.kind() {
                    None => vec![0],
                    Some(kind) => session.work.of_kind(kind).take(12).collect(),
                };
                for site in sites {
                    session.adopt(input);
                    session.seed(rng.bits());
                    if !session.apply_at(&**operator, site) {
                        continue;
                    }
                    *applied += 1;
                    check(&session);
                    // Another edit of the same parent.
                    let other = &operators[rng.index(operators.len())];
                    session.apply(&**other);
                    check(&session);
                    check_as_parent(&mut session);
                }
            }
        }
    }
    let rare = operators
        .iter()
        .zip(&applied)
        .find(|(_, count)| **count < 30);
    assert!(rare.is_none(), "{rare:?}");
}
