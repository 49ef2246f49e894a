//! Ranks against enumeration, windows against ranks.

use super::{Coverage, KPaths, WindowStack, WindowTable, pattern};
use crate::graph::Graph;
use crate::id::SymbolId;
use crate::rng::Rng;
use crate::tests::{fixtures, graph, random_grammar};

/// All paths of `k` symbols that begin with one of `first`, in lexicographic order.
fn enumerate(graph: &Graph, first: std::ops::Range<u32>, k: usize) -> Vec<Vec<SymbolId>> {
    let mut paths: Vec<Vec<SymbolId>> = Graph::ids(first).map(|symbol| vec![symbol]).collect();
    for _ in 1..k {
        paths = paths
            .into_iter()
            .flat_map(|path| {
                Graph::ids(graph.successors(path[path.len() - 1]))
                    .map(move |next| [&path[..], &[next]].concat())
            })
            .collect();
    }
    paths
}

#[test]
fn rank_and_unrank_agree_with_enumeration() {
    let mut rng = Rng::new(1);
    let mut graphs: Vec<_> = fixtures()
        .into_iter()
        .map(|fixture| fixture.graph)
        .collect();
    while graphs.len() < 150 {
        if let Ok(grammar) = random_grammar(&mut rng).parse::<crate::grammar::Grammar>() {
            graphs.push(Graph::new(grammar).unwrap());
        }
    }
    for graph in graphs {
        for k in 1..=4 {
            let kpaths = KPaths::new(&graph, k).unwrap();
            if kpaths.len() > 4000 {
                continue;
            }
            for level in 1..=k {
                let all = enumerate(&graph, 0..graph.symbol_count() as u32, level);
                assert_eq!(all.len() as u64, kpaths.len_at(level));
                for (rank, path) in all.iter().enumerate() {
                    assert_eq!(kpaths.rank(path), Some(rank as u64));
                    assert_eq!(kpaths.unrank_at(level, rank as u64).as_ref(), Some(path));
                }
                assert_eq!(kpaths.unrank_at(level, all.len() as u64), None);
            }
            // Windows: the k-paths, then the paths from the root that are shorter, long ones first.
            let mut windows = enumerate(&graph, 0..graph.symbol_count() as u32, k);
            for level in (1..k).rev() {
                windows.extend(enumerate(&graph, graph.start_symbols(), level));
            }
            assert_eq!(windows.len() as u64, kpaths.window_count());
            let table = WindowTable::new(&kpaths).unwrap();
            for (rank, path) in windows.iter().enumerate() {
                assert_eq!(kpaths.window(rank as u64).as_ref(), Some(path));
                let (last, above) = path.split_last().unwrap();
                let mut stack = WindowStack::default();
                stack.begin(&table, above.iter().rev().copied());
                if path.len() == k || graph.start_symbols().contains(&path[0].0) {
                    assert_eq!(stack.rank(&table, *last), rank as u32, "{path:?} of {k}");
                }
            }
            assert_eq!(kpaths.window(windows.len() as u64), None);
        }
    }
}

#[test]
fn what_is_no_path_has_no_rank() {
    let graph = graph(r#"a := b "x"; b := "y" | "(" a ")";"#);
    let kpaths = KPaths::new(&graph, 2).unwrap();
    assert_eq!(kpaths.rank(&[]), None);
    assert_eq!(kpaths.rank(&[SymbolId(1), SymbolId(2)]), None);
    assert_eq!(kpaths.rank(&[SymbolId(99)]), None);
    assert_eq!(kpaths.rank(&[SymbolId(0); 3]), None);
    assert!(KPaths::new(&graph, 0).is_err());
    assert!(KPaths::new(&graph, 33).is_err());
}

#[test]
fn counts_beyond_64_bits_are_refused_not_wrapped() {
    let alternatives: Vec<String> = (0..3000).map(|at| format!("\"{at}\" s")).collect();
    let graph = graph(&format!("s := \"x\" | {};", alternatives.join(" | ")));
    assert!(KPaths::new(&graph, 4).is_ok());
    assert!(matches!(
        KPaths::new(&graph, 8),
        Err(super::Error::Unrankable { k: 8 })
    ));
    assert_eq!(super::counts(&graph, 8)[6..], [None, None]);
    let kpaths = KPaths::new(&graph, 4).unwrap();
    assert!(matches!(
        Coverage::new(&kpaths),
        Err(super::Error::TooMany { k: 4, .. })
    ));
}

#[test]
fn coverage_of_smaller_levels_follows_from_the_windows() {
    let graph = graph(r#"s := "a" | b s; b := "(" b ")" | "c";"#);
    let kpaths = KPaths::new(&graph, 3).unwrap();
    let mut coverage = Coverage::new(&kpaths).unwrap();
    assert_eq!(
        coverage.add(0..kpaths.window_count() as u32),
        kpaths.window_count() as usize
    );
    for level in 1..=3 {
        assert_eq!(
            coverage.at_level(level).count_ones() as u64,
            kpaths.len_at(level)
        );
    }
    assert_eq!(coverage.covered(), kpaths.len());
    assert_eq!(coverage.sample_uncovered(&mut Rng::new(0)), None);
    assert_eq!(coverage.ratio(), 1.0);
}

#[test]
fn a_pattern_is_the_partial_sentence_of_its_path() {
    let expr = fixtures()
        .into_iter()
        .find(|fixture| fixture.name == "expr")
        .unwrap()
        .graph;
    let named = |graph: &Graph, names: &[&str]| -> Vec<SymbolId> {
        let symbols = || Graph::ids(0..graph.symbol_count() as u32);
        let find = |name: &&str| {
            symbols()
                .find(|&s| graph.grammar().symbol_name(s) == *name)
                .unwrap()
        };
        names.iter().map(find).collect()
    };
    // The example of the TOSEM article, section 5.2.
    let path = named(&expr, &["MultExpr.5", "UnaryExpr.10", "AddExpr.3"]);
    assert_eq!(
        pattern(&expr, &path),
        r#"MultExpr ("*"|"/"|"%") "(" AddExpr "-" MultExpr ")""#
    );
    let path = named(&expr, &["UnaryExpr.12", "DecDigits.0", "DecDigit.7"]);
    assert_eq!(pattern(&expr, &path), r#""7""#);
    let other = graph(r#"s := ("x" t{2,})? [a-z]* ((s "y")+ | "z"?); t := "t";"#);
    let path = named(&other, &["s.2"]);
    assert_eq!(
        pattern(&other, &path),
        r#"("x" t{2,})? [a-z] ((s "y")+|"z"?)"#
    );
    let path = named(&other, &["s.3", "s.1", "t.0"]);
    assert_eq!(
        pattern(&other, &path),
        r#"("x" t{2,})? [a-z]* "x" "t" [a-z]* ((s "y")+|"z"?) "y""#
    );
    assert_eq!(pattern(&other, &[]), "");
}
