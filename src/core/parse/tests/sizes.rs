//! Long, deep and very ambiguous texts, and bounds of quantifiers that nobody writes out.

use super::{Workspace, parse, parser};
use crate::choice::Codec;
use crate::kpath::{Coverage, ExpansionCoverage, KPaths, WindowTable};
use crate::parse::Budget;

#[test]
fn recursion_of_every_kind_is_deep() {
    let n = 100_000;
    let cases: &[(&str, Vec<u8>)] = &[
        (
            "L := L ',' 'a' | 'a';",
            [b"a,".repeat(n), b"a".to_vec()].concat(),
        ),
        (
            "R := 'a' ',' R | 'a';",
            [b"a,".repeat(n), b"a".to_vec()].concat(),
        ),
        ("S := 'a' S | 'a';", b"a".repeat(n)),
        (
            "S := A | B; A := 'a' A | 'x'; B := 'a' B | 'y';",
            [b"a".repeat(n), b"y".to_vec()].concat(),
        ),
        (
            "N := '[' N* ']';",
            [b"[".repeat(n), b"]".repeat(n)].concat(),
        ),
        (
            "P := 'a' P 'b' | 'c'?;",
            [b"a".repeat(n), b"b".repeat(n)].concat(),
        ),
        // Many completions end where right recursion does.
        (
            "T := 'c' T | S; S := 'a' S 'b'? | 'x';",
            [b"c".repeat(n), b"a".repeat(n), b"x".to_vec()].concat(),
        ),
    ];
    let budget = Budget {
        // A constant for each byte: nothing here is quadratic.
        steps: 30 * 2 * n as u64,
        ..Budget::default()
    };
    for (grammar, text) in cases {
        let parser = parser(grammar);
        let codec = Codec::new(parser.graph());
        let mut workspace = Workspace::new();
        let mut forest = parser
            .parse(text, budget, &mut workspace)
            .unwrap_or_else(|refusal| panic!("{grammar} {refusal:?}"));
        let mut choices = Vec::new();
        forest.choices(&mut choices).unwrap();
        assert_eq!(forest.derivations().unwrap().to_u64(), Some(1), "{grammar}");
        assert!(codec.sentence(&choices) == *text, "{grammar}");
    }
}

#[test]
fn grammars_are_long() {
    let n = 3000;
    let names = |from: &str| -> Vec<String> { (0..n).map(|i| format!("{from}{i}")).collect() };
    let recursive: String = (0..n)
        .map(|i| format!("A{i} := 'k{i};' | '(' A{i} ')';\n"))
        .collect();
    let units: String = (0..n / 4)
        .map(|i| format!("A{i} := '(' A{i} ')' | A{};\n", i + 1))
        .collect();
    let keywords: Vec<String> = (0..n).map(|i| format!("'k{i};'")).collect();
    let all: String = (0..n).map(|i| format!("k{i};")).collect();
    let cases = [
        // A chain of unit productions.
        (
            format!("S := A0+;\n{units}A{} := 'a';", n / 4),
            "a".repeat(40),
        ),
        // Many keywords, all of them in the text.
        (format!("S := ({})*;", keywords.join(" | ")), all),
        // Many references in a row, and many side by side.
        (
            format!("S := {}?;\n{recursive}", names("A").join("? ")),
            "k1;(k7;)((k70;))".to_owned(),
        ),
        (
            format!("S := ({})*;\n{recursive}", names("A").join(" | ")),
            "((k7;))(k1;)".to_owned(),
        ),
    ];
    for (grammar, text) in &cases {
        let parser = parser(grammar);
        let verdict = parse(&parser, text.as_bytes(), 1, &mut Workspace::new()).unwrap();
        assert_eq!(verdict.derivations.to_u64(), Some(1));
        let codec = Codec::new(parser.graph());
        assert_eq!(codec.sentence(&verdict.choices), text.as_bytes());
    }
}

#[test]
fn sums_have_catalan_many_derivations() {
    let parser = parser("E := E '+' E | '1';");
    let mut workspace = Workspace::new();
    let mut catalan: u64 = 1;
    for n in 0..30u64 {
        let text = [b"1+".repeat(n as usize), b"1".to_vec()].concat();
        let verdict = parse(&parser, &text, 3, &mut workspace).unwrap();
        assert_eq!(verdict.derivations.to_u64(), Some(catalan));
        catalan = (u128::from(catalan) * 2 * (2 * u128::from(n) + 1) / (u128::from(n) + 2)) as u64;
    }
    let text = [b"1+".repeat(199), b"1".to_vec()].concat();
    let verdict = parse(&parser, &text, 3, &mut workspace).unwrap();
    // The 199th Catalan number.
    let digits = verdict.derivations.to_string();
    assert_eq!(digits.len(), 117);
    assert!(digits.starts_with("129013158064429114001222907669676675134349530552728882499810851598901419013348319045534580850847735528275750122188940"), "{digits}");
}

#[test]
fn wide_bounds_are_kept() {
    for (bounds, least, most) in [
        ("{1000}", 1000, 1000),
        ("{0,3000}", 0, 3000),
        ("{700,2900}", 700, 2900),
        ("{1025,}", 1025, usize::MAX),
        ("{0,70000}", 0, 70_000),
    ] {
        let parser = parser(&format!("S := 'x' ([ab] 'c'?){bounds} 'y';"));
        let codec = Codec::new(parser.graph());
        let mut workspace = Workspace::new();
        for count in [
            0, 1, 2, 699, 700, 701, 999, 1000, 1001, 1024, 1025, 2047, 2048, 2900, 2901, 3000, 3001,
        ] {
            let text = [
                b"x".to_vec(),
                b"abc".repeat(count / 2),
                b"b".repeat(count % 2),
                b"y".to_vec(),
            ]
            .concat();
            let verdict = parse(&parser, &text, 2, &mut workspace);
            let what = format!("{bounds} {count}");
            assert_eq!(verdict.is_ok(), (least..=most).contains(&count), "{what}");
            if let Ok(verdict) = verdict {
                assert_eq!(verdict.derivations.to_u64(), Some(1), "{what}");
                assert_eq!(codec.sentence(&verdict.choices), text, "{what}");
                assert_eq!(
                    codec.canonicalize(&verdict.choices),
                    verdict.choices,
                    "{what}"
                );
            }
        }
    }
}

#[test]
fn wide_bounds_over_what_derives_nothing_are_counted() {
    // Each of 600 mandatory repetitions is "a" or nothing: as many derivations as places for two letters.
    let parser = parser("S := A{600}; A := 'a'?;");
    let verdict = parse(&parser, b"aa", 2, &mut Workspace::new()).unwrap();
    assert_eq!(verdict.derivations.to_u64(), Some(600 * 599 / 2));
    let codec = Codec::new(parser.graph());
    assert_eq!(codec.sentence(&verdict.choices), b"aa");
}

/// The numbers are those of visits with one context at a time, which took minutes and gigabytes.
#[test]
fn cyclic_forests_of_thousands_of_contexts_are_covered_at_once() {
    let names: Vec<String> = (0..8).map(|at| format!("N{at}")).collect();
    let letter = |at: usize| char::from(b'a' + at as u8);
    let units = names.join(" | ");
    let units: String = (0..8)
        .map(|at| format!("N{at} := {units} | '' | '{}' N{at};", letter(at)))
        .collect();
    let pairs: Vec<String> = (0..16)
        .map(|at| format!("N{} N{}", at / 4, at % 4))
        .collect();
    let pairs = pairs.join(" | ");
    let pairs: String = (0..4)
        .map(|at| format!("N{at} := {pairs} | '' | '{}';", letter(at)))
        .collect();
    let twice = "S := '' | S S | 'a';".to_owned();
    let text = b"abcdabcd";
    let cases: [(String, &[u8], &[usize]); 4] = [
        (units.clone(), text, &[80, 673, 5656, 47457]),
        (units, b"", &[72, 576, 4608, 36864]),
        (pairs, text, &[136, 4352]),
        (twice, &[b'a'; 60], &[4, 8, 16, 32, 64]),
    ];
    for (grammar, text, expected) in cases {
        let parser = parser(&grammar);
        let mut workspace = Workspace::new();
        let budget = Budget {
            steps: 20_000_000,
            bytes: 32 << 20,
        };
        let mut forest = parser.parse(text, budget, &mut workspace).unwrap();
        for (k, &expected) in (1..).zip(expected) {
            let kpaths = KPaths::new(parser.graph(), k).unwrap();
            let windows = WindowTable::new(&kpaths).unwrap();
            let mut coverage = Coverage::new(&kpaths).unwrap();
            let mut expansions = ExpansionCoverage::new(parser.graph());
            let covered = forest.cover(&windows, &mut coverage, &mut expansions);
            assert_eq!(covered, Ok(()), "{k}: {grammar}");
            assert_eq!(coverage.covered() as usize, expected, "{k}: {grammar}");
        }
    }
}
