//! Small inputs are as short as their paths ask, and sets of few inputs are near the fewest.

use std::sync::Arc;

use super::{CloseOff, CoverBuilder, Measure, Packing, fixtures, inputs, random_grammar};
use crate::choice::SiteIndex;
use crate::generate::access::Access;
use crate::grammar::{Grammar, NodeKind};
use crate::graph::Graph;
use crate::id::{NodeId, ProductionId};
use crate::kpath::KPaths;
use crate::rng::Rng;

/// All grammars of `X` with up to three of the alternatives, beside each of the `Y`: all that empty sentences and references to
/// oneself can do to each other.
fn small_grammars() -> Vec<Arc<Graph>> {
    let alternatives = [
        r#""""#,
        r#""a""#,
        "X",
        "X X",
        "X X X",
        r#""(" X ")""#,
        "Y",
        "Y Y X",
    ];
    let others = [r#""""#, r#""" | X"#, r#""b" | X X"#, r#"X? "c""#, "X* Y*"];
    let mut graphs = Vec::new();
    for set in 1u32..1 << alternatives.len() {
        if set.count_ones() > 3 {
            continue;
        }
        let chosen = (0..alternatives.len()).filter(|at| set >> at & 1 == 1);
        let chosen: Vec<&str> = chosen.map(|at| alternatives[at]).collect();
        for other in others {
            let text = format!("X := {}; Y := {other};", chosen.join(" | "));
            if let Ok(grammar) = text.parse::<Grammar>() {
                graphs.push(Graph::new(grammar).unwrap());
            }
        }
    }
    graphs
}

#[test]
fn a_small_set_is_no_larger_than_its_paths_ask() {
    let graphs = small_grammars();
    assert!(graphs.len() > 300, "{}", graphs.len());
    for graph in graphs {
        let grammar = graph.grammar();
        let access = Access::new(&graph, Measure::Length);
        for k in 1..=3 {
            let mut cover = CoverBuilder::new().build(&graph, k).unwrap();
            let mut index = SiteIndex::new();
            let (mut inputs, mut bytes) = (0, 0);
            let mut before = cover.coverage().clone();
            while cover.next_input(&mut index) {
                inputs += 1;
                bytes += index.canonical().len() as u64;
                // No sentence that has this path is shorter.
                let length = index.text().len() as u64;
                let new = cover.coverage().windows().iter().map(|it| it as u32);
                let mut asked = new.filter(|&it| !before.contains(it)).map(|window| {
                    let path = before.path(window).unwrap();
                    match path.len() == k {
                        true => access.cost_with_route(&graph, &path),
                        false => access.cost_of(&graph, &path),
                    }
                });
                assert!(
                    before.total() == 0 || asked.any(|it| it == length),
                    "k = {k}, {length} bytes\n{grammar}"
                );
                before = cover.coverage().clone();
            }
            // An input has the right sides on the way to its path and on the path, and what is larger beside them than the
            // shortest covers something for it. Here a right side takes seven choices at the most: one, and two for each `X` in it.
            let steps = inputs * (grammar.productions().len() + k) as u64;
            let bound = 7 * (steps + before.kpaths().window_count());
            assert!(
                bytes <= bound,
                "k = {k}: {bytes} bytes of {bound}\n{grammar}"
            );
        }
    }
}

/// The least inputs that can have all paths of up to k symbols that begin at the root, as far as these cannot share one. Where
/// nothing refers to the start, this bounds any covering set from below: an input has but one root, so the alternatives at the same
/// place add up; what is written side by side shares inputs, and the items of a repetition do.
fn least_inputs(graph: &Graph, k: usize) -> u64 {
    fn of(graph: &Graph, node: NodeId, below: &[u64]) -> u64 {
        let grammar = graph.grammar();
        let children = grammar.children(node).iter();
        let mut parts = children.map(|&child| of(graph, child, below));
        match grammar[node].kind {
            NodeKind::Alternation => parts.sum(),
            NodeKind::Quantifier { max, .. } => {
                let part = parts.next().unwrap_or(1);
                max.map_or(1, |max| part.div_ceil(max.into()))
            }
            NodeKind::Reference(target) if !below.is_empty() && graph.is_in_paths(target) => {
                below[target.0 as usize]
            }
            _ => parts.max().unwrap_or(1),
        }
    }
    let grammar = graph.grammar();
    let start = Some(grammar.start());
    assert!(Graph::ids(0..graph.symbol_count() as u32).all(|it| graph.target_of(it) != start));
    let mut below: Vec<u64> = Vec::new();
    for _ in 0..k {
        let productions = 0..grammar.productions().len() as u32;
        let roots = productions.map(|id| grammar[ProductionId(id)].root);
        below = roots.map(|root| of(graph, root, &below)).collect();
    }
    below[grammar.start().0 as usize]
}

/// JSON as json.org draws it: lists refer to themselves.
const LISTS_BY_RECURSION: &str = r#"
    start := object | array;
    object := "{" members? "}"; members := pair | pair "," members; pair := string ":" value;
    array := "[" elements? "]"; elements := value | value "," elements;
    value := string | number | object | array | "true" | "false" | "null";
    string := "\"" chars? "\""; chars := char | char chars;
    char := [^"\\] | "\\\"" | "\\\\" | "\\/" | "\\b" | "\\f" | "\\n" | "\\r" | "\\t" | "\\u" [0-9A-Fa-f]{4};
    number := int | int frac | int exp | int frac exp;
    int := digit | [1-9] digits | "-" digit | "-" [1-9] digits;
    frac := "." digits; exp := e digits; digits := digit | digit digits; digit := [0-9];
    e := "e" | "e+" | "e-" | "E" | "E+" | "E-";
"#;

fn few() -> CoverBuilder {
    CoverBuilder::new().packing(Packing::Few).all_levels(true)
}

#[test]
fn few_inputs_are_near_the_fewest() {
    let json = fixtures().into_iter().find(|it| it.name == "json_tight");
    let lists = super::graph(LISTS_BY_RECURSION);
    for (graph, least) in [
        (json.unwrap().graph, [1, 7, 7, 14, 20]),
        (lists, [2, 2, 4, 17, 38]),
    ] {
        for (k, least) in (1..).zip(least) {
            assert_eq!(least_inputs(&graph, k), least, "k = {k}");
            let count = inputs(&graph, k, few()).0.len() as u64;
            assert!(
                (least..=2 * least).contains(&count),
                "{count} of {least}, k = {k}"
            );
        }
    }
}

#[test]
fn no_few_inputs_are_superfluous_or_more_than_small_ones() {
    let mut graphs: Vec<_> = fixtures().into_iter().map(|it| it.graph).collect();
    graphs.extend(small_grammars().into_iter().step_by(5));
    let mut rng = Rng::new(47);
    while graphs.len() < 240 {
        if let Ok(grammar) = random_grammar(&mut rng).parse::<Grammar>() {
            graphs.push(Graph::new(grammar).unwrap());
        }
    }
    for graph in graphs {
        let k = 1 + rng.below(3) as usize;
        if KPaths::new(&graph, k).unwrap().window_count() > 2000 {
            continue;
        }
        let case = format!("k = {k}\n{}", graph.grammar());
        let (few_inputs, _) = inputs(&graph, k, few());
        let (small, _) = inputs(&graph, k, CoverBuilder::new().all_levels(true));
        assert!(few_inputs.len() <= small.len(), "{case}");
        for left_out in 0..few_inputs.len() {
            let mut others = few_inputs.clone();
            others.remove(left_out);
            let covered = super::coverage(&graph, k, &others);
            let is_needed = covered.windows().count_zeros() > 0;
            assert!(is_needed || few_inputs.len() == 1, "{left_out}, {case}");
        }
        // The same for texts, of which several inputs may be one.
        let texts = |builder: CoverBuilder| {
            let mut cover = builder.build(&graph, k).unwrap();
            let mut index = SiteIndex::new();
            let mut texts = std::collections::BTreeSet::new();
            while cover.next_input(&mut index) {
                texts.insert(index.text().to_vec());
            }
            texts.len()
        };
        assert!(
            texts(few().texts(true)) <= texts(CoverBuilder::new().all_levels(true)),
            "{case}"
        );
    }
}

#[test]
fn a_wide_alternation_costs_no_look_at_all_of_it_for_each_input() {
    let looks = |count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!("a{at}")).collect();
        let mut text = format!("s := {};", names.join(" | "));
        for name in &names {
            text += &format!(r#" {name} := "{name}" b;"#);
        }
        text += r#"b := "1" | "2" | "3";"#;
        let mut cover = few().build(&super::graph(&text), 2).unwrap();
        let mut index = SiteIndex::new();
        let mut inputs = 0;
        while cover.next_input(&mut index) {
            inputs += 1;
        }
        assert_eq!(inputs, 3 * count);
        cover.looks()
    };
    let (narrow, wide) = (looks(500), looks(4000));
    assert!(wide < 10 * narrow, "{narrow} {wide}");
}

#[test]
fn beyond_what_is_covered_there_are_no_inputs() {
    let json = fixtures().into_iter().find(|it| it.name == "json").unwrap();
    for packing in [Packing::Small, Packing::Few] {
        let builder = CoverBuilder::new().packing(packing);
        let (whole, _) = inputs(&json.graph, 2, builder.clone());
        let mut index = SiteIndex::new();
        let covered = super::coverage(&json.graph, 2, &whole);
        let mut cover = builder.clone().build(&json.graph, 2).unwrap();
        cover.assume(covered.windows().iter().map(|it| it as u32));
        assert!(!cover.next_input(&mut index));
        // Of half of it, the other half is left.
        let half = super::coverage(&json.graph, 2, &whole[..whole.len() / 2]);
        let mut cover = builder.build(&json.graph, 2).unwrap();
        cover.assume(half.windows().iter().map(|it| it as u32));
        let mut rest = whole[..whole.len() / 2].to_vec();
        while cover.next_input(&mut index) {
            rest.push(index.canonical().to_vec());
        }
        assert!(rest.len() > whole.len() / 2);
        let all = super::coverage(&json.graph, 2, &rest);
        assert_eq!(all.covered(), all.total());
    }
}

#[test]
fn close_off_by_the_least_used_paths_ends() {
    // Every alternative recurs but one, and each is the least used by turns.
    let graph = super::graph(r#"e := e "+" e | e "*" e | "(" e ")" | "-" e | [0-9];"#);
    for k in 1..=4 {
        let builder = CoverBuilder::new().close_off(CloseOff::CoverageSeeking);
        for input in inputs(&graph, k, builder).0 {
            assert!(input.len() <= 600, "{} bytes, k = {k}", input.len());
        }
    }
}
