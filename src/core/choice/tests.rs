//! Totality, canonicity, agreement of the two decoders, and depth.

use std::sync::Arc;

use super::{Codec, ROOT, Scratch, SiteIndex};
use crate::grammar::Grammar;
use crate::graph::Graph;
use crate::kpath::{KPaths, WindowTable};
use crate::rng::Rng;
use crate::tests::{fixtures, graph, random_grammar};

fn codec(graph: &Arc<Graph>, k: usize) -> Codec {
    let kpaths = KPaths::new(graph, k).unwrap();
    Codec::new(graph).with_windows(&WindowTable::new(&kpaths).unwrap())
}

fn graphs(count: usize, seed: u64) -> Vec<Arc<Graph>> {
    let mut rng = Rng::new(seed);
    let mut graphs: Vec<_> = fixtures()
        .into_iter()
        .map(|fixture| fixture.graph)
        .collect();
    while graphs.len() < count {
        if let Ok(grammar) = random_grammar(&mut rng).parse::<Grammar>() {
            graphs.push(Graph::new(grammar).unwrap());
        }
    }
    graphs
}

/// Everything that must hold for any bytes.
fn check(codec: &Codec, choices: &[u8], scratch: &mut Scratch, index: &mut SiteIndex) {
    codec.index(choices, scratch, index);
    let mut text = b"kept".to_vec();
    codec.decode(choices, scratch, &mut text);
    assert_eq!(
        &text[4..],
        index.text(),
        "the renderer and the index agree on {choices:?}\n{}",
        codec.graph().grammar()
    );
    let canonical = index.canonical().to_vec();
    assert!(canonical.len() <= choices.len());
    assert_eq!(codec.canonicalize(choices), canonical);
    let mut again = SiteIndex::new();
    codec.index(&canonical, scratch, &mut again);
    assert_eq!(
        &again,
        index,
        "decode(encode(t)) = t for {choices:?}\n{}",
        codec.graph().grammar()
    );
    if let Some(shorter) = canonical.len().checked_sub(1) {
        codec.index(&canonical[..shorter], scratch, &mut again);
        assert_ne!(&again, index, "the canonical sequence is minimal");
    }
    invariants(index);
}

fn invariants(index: &SiteIndex) {
    let sites = index.sites();
    assert_eq!(sites[0].node, ROOT);
    assert_eq!(sites[0].end as usize, sites.len());
    assert_eq!(sites[0].choice_end as usize, index.choices().len());
    for (at, site) in (0u32..).zip(sites) {
        assert!(site.end > at && site.end as usize <= sites.len());
        assert!(
            site.choice_start <= site.choice_end
                && site.choice_end as usize <= index.choices().len()
        );
        for child in index.children(at) {
            let below = &sites[child as usize];
            assert_eq!(below.parent, at);
            assert!(
                below.end <= site.end
                    && below.choice_start >= site.choice_start
                    && below.choice_end <= site.choice_end
            );
        }
    }
}

#[test]
fn all_byte_strings_up_to_three_bytes_decode_and_encode() {
    // Exhaustive on the bytes that make a difference: choices among small numbers, and the extremes.
    let bytes = [
        0u8, 1, 2, 3, 4, 5, 7, 10, 64, 65, 95, 96, 97, 127, 128, 200, 254, 255,
    ];
    let (mut scratch, mut index) = (Scratch::default(), SiteIndex::new());
    for graph in graphs(120, 11) {
        let codec = codec(&graph, 3);
        check(&codec, &[], &mut scratch, &mut index);
        for &a in &bytes {
            check(&codec, &[a], &mut scratch, &mut index);
            for &b in &bytes {
                check(&codec, &[a, b], &mut scratch, &mut index);
                for &c in &bytes {
                    check(&codec, &[a, b, c], &mut scratch, &mut index);
                }
            }
        }
    }
}

#[test]
fn every_single_byte_and_pair_decodes_in_small_grammars() {
    let (mut scratch, mut index) = (Scratch::default(), SiteIndex::new());
    for graph in graphs(20, 12) {
        let codec = codec(&graph, 2);
        for a in 0..=255u8 {
            check(&codec, &[a], &mut scratch, &mut index);
            for b in 0..=255u8 {
                codec.index(&[a, b], &mut scratch, &mut index);
                let text = codec.sentence(&[a, b]);
                assert_eq!(text, index.text());
            }
        }
    }
}

#[test]
fn long_random_bytes_decode_and_encode_with_linear_text() {
    let (mut scratch, mut index) = (Scratch::default(), SiteIndex::new());
    let mut rng = Rng::new(5);
    for graph in graphs(200, 13) {
        let codec = codec(&graph, 1 + rng.below(4) as usize);
        // What one choice can add: the shortest text of everything that one right side leaves open.
        let grammar = graph.grammar();
        let shortest = graph.shortest(crate::graph::Measure::Length);
        let most: usize = grammar
            .nodes()
            .ids()
            .map(|id| shortest.cost(id) as usize + 4)
            .sum();
        for len in [10usize, 100, 1000, 4000] {
            let choices: Vec<u8> = (0..len).map(|_| rng.below(256) as u8).collect();
            check(&codec, &choices, &mut scratch, &mut index);
            assert!(
                index.text().len() <= most * (len + 2),
                "{} bytes of {len}",
                index.text().len()
            );
        }
    }
}

#[test]
fn a_cut_sequence_decodes_to_a_closed_off_prefix() {
    let graph = graph(r#"list := "[" (item ("," item)*)? "]"; item := [0-9]+ | list;"#);
    let codec = codec(&graph, 2);
    let whole = [1, 0, 4, 1, 2, 0, 1, 1, 1, 0, 7, 0, 0, 0];
    let cut: Vec<String> = (0..=whole.len())
        .map(|len| String::from_utf8(codec.sentence(&whole[..len])).unwrap())
        .collect();
    expect_test::expect![[r#"
        [
            "[]",
            "[0]",
            "[0]",
            "[4]",
            "[40]",
            "[42]",
            "[42]",
            "[42,0]",
            "[42,[]]",
            "[42,[0]]",
            "[42,[0]]",
            "[42,[7]]",
            "[42,[7]]",
            "[42,[7]]",
            "[42,[7]]",
        ]
    "#]]
    .assert_debug_eq(&cut);
}

#[test]
fn deep_derivations_need_no_native_stack() {
    let graph = graph(r#"a := "(" a ")" | "x";"#);
    let codec = codec(&graph, 3);
    let choices = vec![0u8; 300_000];
    let (mut scratch, mut index) = (Scratch::default(), SiteIndex::new());
    codec.index(&choices, &mut scratch, &mut index);
    assert_eq!(index.depth(), 300_000);
    assert_eq!(index.text().len(), 600_001);
    assert_eq!(codec.sentence(&choices), index.text());
}
