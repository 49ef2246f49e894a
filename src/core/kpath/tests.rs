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

/// The symbols of these names.
fn named(graph: &Graph, names: &[&str]) -> Vec<SymbolId> {
    let symbols = || Graph::ids(0..graph.symbol_count() as u32);
    let find = |name: &&str| {
        symbols()
            .find(|&s| graph.grammar().symbol_name(s) == *name)
            .unwrap()
    };
    names.iter().map(find).collect()
}

#[test]
fn a_pattern_is_the_partial_sentence_of_its_path() {
    let expr = fixtures()
        .into_iter()
        .find(|fixture| fixture.name == "expr")
        .unwrap()
        .graph;
    // The example of the TOSEM article, section 5.2, with the symbols of the path in angle brackets.
    let path = named(&expr, &["MultExpr.5", "UnaryExpr.10", "AddExpr.3"]);
    assert_eq!(
        pattern(&expr, &path),
        r#"MultExpr: MultExpr ("*"|"/"|"%") <UnaryExpr: "(" <AddExpr: AddExpr <"-"> MultExpr> ")">"#
    );
    assert_eq!(pattern(&expr, &[]), "");
    // What is not a path is printed as far as it is one.
    let path = named(&expr, &["MultExpr.5", "AddExpr.3"]);
    assert_eq!(
        pattern(&expr, &path),
        r#"MultExpr: MultExpr ("*"|"/"|"%") <UnaryExpr>"#
    );

    let grammar = r#"s := ("x" t{2,})? [a-z]* ((s "y")+ | "z"?); t := "t";
        r := (t | "u"){3} ("a" t?){,4}  ((("b"))+){2} s;"#;
    let grammar = format!("start := s r; {grammar}");
    let other = graph(&grammar);
    for (path, expected) in [
        (&["s.2"][..], r#"s: ("x" t{2,})? <[a-z]>+ ((s "y")+|"z"?)"#),
        (
            &["s.3", "s.1", "t.0"],
            r#"s: ("x" t{2,})? [a-z]* (<s: "x" <t: <"t">>{2,} [a-z]* ((s "y")+|"z"?)> "y")+"#,
        ),
        (&["s.5"], r#"s: ("x" t{2,})? [a-z]* <"z">"#),
        // A repetition keeps its bounds, but takes place.
        (&["r.0"], r#"r: <t>{3} ("a" t?){,4} ("b"+){2} s"#),
        (&["r.1"], r#"r: <"u">{3} ("a" t?){,4} ("b"+){2} s"#),
        (&["r.2"], r#"r: (t|"u"){3} (<"a"> t?){1,4} ("b"+){2} s"#),
        (&["r.3"], r#"r: (t|"u"){3} ("a" <t>){1,4} ("b"+){2} s"#),
        (&["r.4"], r#"r: (t|"u"){3} ("a" t?){,4} (<"b">+){2} s"#),
    ] {
        assert_eq!(pattern(&other, &named(&other, path)), expected);
    }
}

#[test]
fn a_pattern_tells_its_path_from_all_others() {
    for fixture in fixtures() {
        for k in 1..=4 {
            let kpaths = KPaths::new(&fixture.graph, k).unwrap();
            let mut patterns: Vec<String> = kpaths
                .iter()
                .map(|path| pattern(&fixture.graph, &path))
                .collect();
            let count = patterns.len();
            patterns.sort();
            patterns.dedup();
            assert_eq!(patterns.len(), count, "{} for k = {k}", fixture.name);
        }
    }
    // Only what is written twice in a production is not told apart.
    let twice = graph(r#"s := "a" | "a" | "b" "a";"#);
    let patterns = ["s.0", "s.1", "s.3"].map(|name| pattern(&twice, &named(&twice, &[name])));
    assert_eq!(patterns, [r#"s: <"a">"#, r#"s: <"a">"#, r#"s: "b" <"a">"#]);
}

#[test]
fn what_is_long_in_a_pattern_is_cut() {
    let names: Vec<String> = (10..60).map(|at| format!("\"{at}\"")).collect();
    let nested = format!("{}\"z\"{}", "(\"a\" ".repeat(40), ")*".repeat(40));
    let long = "l".repeat(70);
    let text = format!(
        "s := ({}) x; x := {}; y := {nested}; z := \"{long}\" [{}] x y;",
        names.join(" | "),
        names.join(" "),
        ('A'..='ſ')
            .filter(|c| c.is_alphabetic())
            .step_by(2)
            .collect::<String>(),
    );
    let graph = graph(&format!("start := s x z; {text}"));
    let shown = |name: &str| pattern(&graph, &named(&graph, &[name]));
    expect_test::expect![[
        r#"s: ("10"|"11"|"12"|"13"|"14"|"15"|"16"|"17"|"18"|"19"|"20"|"21"|...) <x>"#
    ]]
    .assert_eq(&shown("s.50"));
    expect_test::expect![[r#"x: ... "23" "24" "25" "26" "27" "28" "29" "30" "31" "32" "33" "34" <"35"> "36" "37" "38" "39" "40" "41" "42" "43" "44" "45" "46" "47" ..."#]].assert_eq(&shown("x.25"));
    expect_test::expect![[r#"y: ... ("a" ("a" ("a" ("a" ("a" ("a" ("a" ("a" ("a" ("a" ("a" ("a" ("a" ("a" ("a" ("a" <"z">)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+ ..."#]].assert_eq(&shown("y.40"));
    expect_test::expect![[r#"z: "llllllllllllllllllllllllllllllllllllllllllllllllllllllllllll"... [ACEGIKMOQSUWYacegikmoqsuwyªºÁÃÅÇÉËÍÏÑÓÕØÚÜÞàâäæèêìîðòôöùûýÿ...] <x> y"#]].assert_eq(&shown("z.2"));
}
