//! Slips one by one, and the trailer.

use super::{Change, MAGIC, MAX_RAW, MAX_SLIPS, Slips, split};
use crate::choice::{Codec, Lexemes, Scratch, SiteIndex};
use crate::parse::Parser;
use crate::rng::Rng;
use crate::tests::graph;

fn codec() -> Codec {
    Codec::new(&graph("list := '[' item (',' item)* ']'; item := [a-c];"))
}

fn index(choices: &[u8]) -> SiteIndex {
    let mut index = SiteIndex::new();
    codec().index(choices, &mut Scratch::default(), &mut index);
    index
}

/// The first site of a text that begins with these bytes there.
fn site(index: &SiteIndex, text: &[u8]) -> u32 {
    let has = |&site: &u32| {
        let range = index.text_range(site);
        &index.text()[range.start as usize..range.end as usize] == text
    };
    (0..index.sites().len() as u32).find(has).unwrap()
}

#[test]
fn each_change_shows_in_the_text() {
    let index = index(&[0, 1, 1, 1, 2]);
    assert_eq!(index.text(), b"[a,b,c]");
    let table: &[(&[u8], Change<'_>, &[u8])] = &[
        (b"b", Change::Drop, b"[a,,c]"),
        (b"b", Change::Double, b"[a,bb,c]"),
        (b",b", Change::Swap, b"[a,c,b]"),
        (b"]", Change::Swap, b"[a,b,c]"),
        (b"b", Change::Cut, b"[a,"),
        (b"[", Change::Raw(b"\xff{"), b"\xff{a,b,c]"),
        (b"[a,b,c]", Change::Raw(b"x"), b"x"),
    ];
    for &(at, change, expected) in table {
        let mut slips = Slips::new();
        assert!(slips.push(site(&index, at), change));
        let mut text = Vec::new();
        slips.render(&codec(), &index, &mut Lexemes::default(), &mut text);
        assert_eq!(text, expected, "{change:?}");
    }
}

#[test]
fn tokens_are_glued_together() {
    let graph = graph("s := Word+; token Word := [a-z]+; skip Space := ' ';");
    let codec = Codec::new(&graph);
    let choices = Parser::new(&graph).encode(b"ab cd ef").unwrap();
    let mut index = SiteIndex::new();
    codec.index(&choices, &mut Scratch::default(), &mut index);
    for (at, expected) in [(b"ab", "ab cd ef"), (b"cd", "abcd ef"), (b"ef", "ab cdef")] {
        let mut slips = Slips::new();
        slips.push(site(&index, at), Change::Glue);
        let mut text = Vec::new();
        slips.render(&codec, &index, &mut Lexemes::default(), &mut text);
        assert_eq!(text, expected.as_bytes());
    }
}

#[test]
fn what_lies_within_a_slip_is_not_looked_at() {
    let index = index(&[0, 1, 1]);
    let mut slips = Slips::new();
    slips.push(site(&index, b",b"), Change::Raw(b";"));
    slips.push(site(&index, b"b"), Change::Double);
    slips.push(site(&index, b"]"), Change::Drop);
    slips.push(1000, Change::Cut);
    let mut text = Vec::new();
    slips.render(&codec(), &index, &mut Lexemes::default(), &mut text);
    assert_eq!(text, b"[a;");
}

#[test]
fn encoding_and_decoding_are_inverse() {
    let mut rng = Rng::new(1);
    for _ in 0..500 {
        let mut slips = Slips::new();
        for _ in 0..1 + rng.below(12) {
            let raw = vec![7; rng.heavy_tail().min(300) as usize];
            let change = match rng.below(6) {
                0 => Change::Drop,
                1 => Change::Double,
                2 => Change::Swap,
                3 => Change::Cut,
                4 => Change::Glue,
                _ => Change::Raw(&raw),
            };
            slips.push(rng.heavy_tail() % (1 << 20), change);
        }
        assert!((1..=MAX_SLIPS).contains(&slips.len()));
        let choices: Vec<u8> = (0..rng.below(9)).map(|_| rng.bits() as u8).collect();
        let mut input = choices.clone();
        slips.encode(&mut input);
        let (found, script) = split(&input);
        assert_eq!(found, choices);
        let mut again = Slips::new();
        again.read(script);
        let mut copy = choices.clone();
        again.encode(&mut copy);
        assert_eq!(copy, input);
    }
}

#[test]
fn what_is_no_canonical_trailer_is_choices() {
    let with = |script: &[u8]| {
        let mut input = vec![1, 2];
        input.extend_from_slice(script);
        input.extend_from_slice(&(script.len() as u16).to_le_bytes());
        input.extend_from_slice(&MAGIC);
        input
    };
    let good = with(&[0, 5, 4, 6, 1, b'x']);
    assert_eq!(split(&good), (&[1, 2][..], &[0, 5, 4, 6, 1, b'x'][..]));
    let bad: &[&[u8]] = &[
        // None, an unknown kind, a place cut off, padding.
        &[],
        &[8, 1],
        &[0],
        &[0, 0x80],
        &[0, 0x81, 0x00],
        // No bytes, too few, a descending and a repeated place.
        &[4, 1, 0],
        &[4, 1, 2, b'x'],
        &[0, 2, 0, 1],
        &[0, 2, 1, 2],
        // A place too high.
        &[0, 0xff, 0xff, 0xff, 0xff, 1],
        // Too many.
        &[0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8],
    ];
    for script in bad {
        let input = with(script);
        assert_eq!(split(&input), (&input[..], &[][..]), "{script:?}");
    }
    for cut in 1..good.len() {
        assert!(split(&good[..cut]).1.is_empty());
        assert!(split(&good[cut..]).1.is_empty() || cut <= 2);
    }
    let mut slips = Slips::new();
    assert!(!slips.push(0, Change::Raw(&[0; MAX_RAW + 1])));
    assert!(slips.is_empty() && !slips.push(1 << 28, Change::Drop));
}

#[test]
fn bytes_of_slips_that_are_gone_take_no_room() {
    let mut slips = Slips::new();
    assert!(slips.push(7, Change::Raw(b"kept")));
    for round in 0..100u8 {
        let bytes = vec![round; MAX_RAW / 4];
        assert!(slips.push(3, Change::Raw(&bytes)), "{round}");
        let changes: Vec<_> = slips.changes().collect();
        assert_eq!(
            changes,
            [(3, Change::Raw(&bytes)), (7, Change::Raw(b"kept"))]
        );
    }
    assert!(!slips.push(5, Change::Raw(&[0; MAX_RAW])));
}

#[test]
fn places_follow_edits() {
    let mut slips = Slips::new();
    for place in [1, 4, 5, 9] {
        slips.push(place, Change::Drop);
    }
    slips.move_to(|place| if place > 4 { place + 7 } else { place });
    assert_eq!(slips.places().collect::<Vec<_>>(), [1, 4, 12, 16]);
    slips.retain(|place| place != 12);
    assert_eq!(slips.places().collect::<Vec<_>>(), [1, 4, 16]);
    slips.fit(14);
    assert_eq!(slips.places().collect::<Vec<_>>(), [1, 4]);
}
