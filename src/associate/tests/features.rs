//! Features of texts, and their columns.

use std::collections::BTreeSet;

use pleach_core::kpath::{Coverage, ExpansionCoverage, WindowTable};
use pleach_core::parse::{Budget, Workspace};
use pleach_core::{KPaths, Parser};

use super::{columns, extractor, graph, vectors};
use crate::features::{PathRank, path_of};
use crate::{Feature, Quantity};

const LIST: &str =
    "list := '[' (item (',' item)*)? ']'; item := number | list; number := '-'? [0-9]+;";
/// Ambiguous, so that paths come from several derivations.
const SUM: &str = "sum := sum '+' sum | sum '*' sum | [0-9]+ | '(' sum ')';";

/// The paths that columns say a text has, and those that the coverage of its forest says.
#[test]
fn columns_say_what_coverage_says() {
    let cases: [(&str, &[&str]); 3] = [
        (LIST, &["[]", "[1]", "[[1,2],-3]", "[[[]]]", "[7,7,7]"]),
        (SUM, &["1", "1+2", "1+2*3+4", "(1)*2", "((1+2))"]),
        (
            "s := 'a'? t*; t := 'b' s | '';",
            &["", "a", "b", "ab", "abbab"],
        ),
    ];
    for (grammar, texts) in cases {
        for k in 1..=4 {
            let extractor = extractor(grammar, k);
            let columns = columns(&extractor, texts);
            let graph = graph(grammar);
            let kpaths = KPaths::new(&graph, k).unwrap();
            let windows = WindowTable::new(&kpaths).unwrap();
            let (parser, mut workspace) = (Parser::new(&graph), Workspace::new());
            let covered: Vec<BTreeSet<PathRank>> = texts
                .iter()
                .map(|text| {
                    let mut coverage = Coverage::new(&kpaths).unwrap();
                    let mut expansions = ExpansionCoverage::new(&graph);
                    let text = text.as_bytes();
                    let mut forest = parser
                        .parse(text, Budget::default(), &mut workspace)
                        .unwrap();
                    forest
                        .cover(&windows, &mut coverage, &mut expansions)
                        .unwrap();
                    let levels = (1..=k).flat_map(|len| {
                        let ranks: Vec<usize> = coverage.at_level(len).iter().collect();
                        ranks.into_iter().map(move |rank| PathRank {
                            len,
                            rank: rank as u64,
                        })
                    });
                    levels.collect()
                })
                .collect();
            let mut seen = 0;
            for column in 0..columns.len() {
                let merged = columns.merged(column).iter().copied();
                for feature in std::iter::once(columns.feature(column)).chain(merged) {
                    let Feature::Path(path) = feature else {
                        continue;
                    };
                    seen += 1;
                    for (text, covered) in covered.iter().enumerate() {
                        assert_eq!(
                            columns.has(column, text),
                            covered.contains(&path),
                            "{:?} of {path:?} in {}",
                            texts[text],
                            graph.grammar()
                        );
                    }
                }
            }
            let all: BTreeSet<PathRank> = covered.iter().flatten().copied().collect();
            let constant = |path: &&PathRank| covered.iter().all(|it| it.contains(path));
            assert_eq!(seen, all.len() - all.iter().filter(constant).count());
        }
    }
}

#[test]
fn the_shortest_path_stands_for_equal_columns() {
    let extractor = extractor(LIST, 3);
    let columns = columns(&extractor, &["[]", "[1]", "[[1]]"]);
    let grammar = extractor.graph().grammar();
    let name = |feature: Feature| match feature {
        Feature::Path(path) => {
            let path = path_of(extractor.kpaths(), path).unwrap();
            let names: Vec<String> = path.iter().map(|&s| grammar.symbol_name(s)).collect();
            names.join(">")
        }
        Feature::MoreThan(quantity, threshold) => format!("{quantity:?} > {threshold}"),
    };
    let shown: Vec<String> = (0..columns.len())
        .map(|column| {
            let merged: Vec<String> = columns.merged(column).iter().copied().map(name).collect();
            format!("{} = {}", name(columns.feature(column)), merged.join(", "))
        })
        .collect();
    expect_test::expect![[r#"
        list.1 = item.0, number.1, list.1>item.0, item.0>number.1, list.1>item.0>number.1
        item.1 = list.1>item.1, item.1>list.0, item.1>list.1, item.1>list.4, list.1>item.1>list.0, list.1>item.1>list.1, list.1>item.1>list.4, item.1>list.1>item.0, Uses(ProductionId(0)) > 1, Uses(ProductionId(1)) > 1, Nesting(ProductionId(0)) > 1, Nesting(ProductionId(1)) > 1"#]].assert_eq(&shown.join("\n"));
}

#[test]
fn quantities_of_a_text() {
    let extractor = extractor(LIST, 1);
    let grammar = extractor.graph().grammar();
    let shown = |text: &str| {
        let vector = &vectors(&extractor, &[text])[0];
        let shown: Vec<String> = vector
            .quantities
            .iter()
            .map(|&(quantity, value)| {
                let what = match quantity {
                    Quantity::Uses(_) => "uses",
                    Quantity::Nesting(_) => "nesting",
                    Quantity::Length(_) => "length",
                    Quantity::Value(_) => "value",
                };
                format!("{what} {} {value}", grammar[quantity.production()].name)
            })
            .collect();
        shown.join("; ")
    };
    assert_eq!(shown("[]"), "uses list 1; nesting list 1");
    assert_eq!(
        shown("[[],[-12,[7]],345]"),
        "uses list 4; uses item 6; uses number 3; nesting list 3; nesting item 3; nesting number 1; length number 3; value number 345"
    );
}

#[test]
fn what_is_no_sentence_has_no_features() {
    let extractor = extractor(LIST, 2);
    let refused = extractor.extract(b"[1,]", &mut Default::default());
    assert_eq!(refused.unwrap_err().offset(), 3);
}

/// Many values give few thresholds, and these lie where the texts are.
#[test]
fn thresholds_are_few_and_lie_between_values() {
    let extractor = extractor(LIST, 1);
    let texts: Vec<String> = (0..200)
        .map(|n| format!("[{}]", vec!["1"; n].join(",")))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let columns = columns(&extractor, &texts);
    let uses: Vec<f64> = (0..columns.len())
        .filter_map(|column| {
            let merged = columns.merged(column).iter().copied();
            let mut all = std::iter::once(columns.feature(column)).chain(merged);
            all.find_map(|feature| match feature {
                Feature::MoreThan(Quantity::Uses(production), threshold)
                    if &*extractor.graph().grammar()[production].name == "item" =>
                {
                    Some(threshold)
                }
                _ => None,
            })
        })
        .collect();
    assert!((20..=32).contains(&uses.len()), "{uses:?}");
    assert!(uses.iter().all(|threshold| threshold.fract() == 0.0));
    assert!(uses.iter().any(|&threshold| threshold > 180.0));
    assert!(uses.iter().any(|&threshold| threshold < 10.0));
}
