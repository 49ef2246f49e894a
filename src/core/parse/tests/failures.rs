//! What is said of texts that are not sentences, and budgets that do not suffice.

use expect_test::{Expect, expect};

use super::parser;
use crate::kpath::{Coverage, ExpansionCoverage, KPaths, WindowTable};
use crate::parse::{Budget, Parser, Refusal, Workspace};

fn check(parser: &Parser, text: &[u8], expect: Expect) {
    let error = parser.encode(text).unwrap_err().with_path("text");
    expect.assert_eq(&format!("{error}\n"));
}

const LIST: &str =
    "list := '[' (item (',' ' '? item)*)? ']'; item := num | list | word; num := [1-9] [0-9]*;
    word := \"true\" | \"tri\" | [α-ω]+;";

#[test]
fn errors_say_what_was_expected_and_by_whom() {
    let parser = parser(LIST);
    check(
        &parser,
        b"[1, [20, trap]]",
        expect![[r#"
            text:1:12: unexpected 'a'
            expected "tri", "true" in word
            help: correct the text there, or the grammar
        "#]],
    );
    check(
        &parser,
        b"[1,[]] ]",
        expect![[r#"
            text:1:7: unexpected ' '
            expected end of text
            help: the first 6 bytes are a sentence; correct the text there, or the grammar
        "#]],
    );
    check(
        &parser,
        "[αβ".as_bytes(),
        expect![[r#"
            text:1:4: unexpected end of text
            expected ",", "]" in list
                  or [α-ω] in word
            help: correct the text there, or the grammar
        "#]],
    );
    check(
        &parser,
        b"[\xce",
        expect![[r#"
            text:1:2: unexpected byte 0xce
            expected "[", "]" in list
                  or "tri", "true", [α-ω] in word
                  or [1-9] in num
            help: correct the text there, or the grammar
        "#]],
    );
}

#[test]
fn the_longest_prefix_is_found_where_lookahead_would_hide_it() {
    for (grammar, text, offset, longest) in [
        ("S := 'a' S | 'a';", "aaab", 3, Some(3)),
        ("S := 'a' S 'b' | '';", "aab", 3, Some(0)),
        ("S := A*; A := 'a' 'b' 'c'?;", "ababcabx", 7, Some(7)),
        ("S := 'x' 'y'; ", "", 0, None),
        ("S := ('ab')+ 'c'? | 'ababx';", "ababy", 4, Some(4)),
    ] {
        let error = parser(grammar).encode(text.as_bytes()).unwrap_err();
        assert_eq!(error.offset(), offset, "{grammar} {text}");
        assert_eq!(error.longest_prefix(), longest, "{grammar} {text}");
    }
}

#[test]
fn a_text_may_be_refused_at_any_byte() {
    let parser = parser(LIST);
    let sentence = "[1,[true,αβ,[]],203]".as_bytes();
    let mut workspace = Workspace::new();
    for at in 0..sentence.len() {
        for byte in 0..=255u8 {
            let mut text = sentence.to_vec();
            text[at] = byte;
            if let Err(refusal) = parser.parse(&text, Budget::default(), &mut workspace) {
                let error = parser.explain(&text, refusal);
                // What comes before is as it should be; only the characters of `word` are longer than a byte.
                let offset = error.offset();
                assert!(offset + 1 >= at, "{text:?}");
                assert!(!error.expected().is_empty(), "{text:?}");
                // What comes behind does not matter.
                let end = text.len().min(offset + 1);
                let again = parser.parse(&text[..end], Budget::default(), &mut workspace);
                assert_eq!(again.unwrap_err().offset(), offset, "{text:?}");
            }
        }
    }
}

#[test]
fn budgets_are_kept_and_say_so() {
    let parser = parser("E := E '+' E | '1';");
    let text = [b"1+".repeat(100), b"1".to_vec()].concat();
    let mut workspace = Workspace::new();
    let few = Budget {
        steps: 10_000,
        ..Budget::default()
    };
    let refusal = parser.parse(&text, few, &mut workspace).unwrap_err();
    assert!(
        matches!(refusal, Refusal::OutOfSteps { offset } if offset > 10 && offset < text.len()),
        "{refusal:?}"
    );
    let small = Budget {
        bytes: 200_000,
        ..Budget::default()
    };
    let refusal = parser.parse(&text, small, &mut workspace).unwrap_err();
    assert!(
        matches!(refusal, Refusal::OutOfMemory { .. }),
        "{refusal:?}"
    );
    let error = parser.explain(&text, refusal);
    assert_eq!(error.message(), "the budget of memory is spent");
    // What suffices for the chart need not suffice for the forest.
    let mut steps = 20_000;
    loop {
        let budget = Budget {
            steps,
            ..Budget::default()
        };
        if let Ok(mut forest) = parser.parse(&text, budget, &mut workspace) {
            assert!(matches!(
                forest.derivations(),
                Err(Refusal::OutOfSteps { .. })
            ));
            break;
        }
        steps += 20_000;
    }
}

#[test]
fn counting_and_covering_keep_the_budget() {
    // A number of thousands of bits for each prefix, and for each suffix, all at the same time.
    let counted = parser("S := L R 'z'; L := L ('a' | 'a') | ''; R := ('a' | 'a') R | '';");
    let text = [b"a".repeat(16_000), b"z".to_vec()].concat();
    let budget = Budget {
        bytes: 24 << 20,
        ..Budget::default()
    };
    let mut workspace = Workspace::new();
    let mut forest = counted.parse(&text, budget, &mut workspace).unwrap();
    forest.choices(&mut Vec::new()).unwrap();
    assert!(matches!(
        forest.derivations(),
        Err(Refusal::OutOfMemory { .. })
    ));

    // A forest of a few parts, each in thousands of contexts.
    let sums = ["E '+' E"; 12].join(" | ");
    let covered = parser(&format!("E := {sums} | '1';"));
    let kpaths = KPaths::new(covered.graph(), 4).unwrap();
    let windows = WindowTable::new(&kpaths).unwrap();
    let mut coverage = Coverage::new(&kpaths).unwrap();
    let mut expansions = ExpansionCoverage::new(covered.graph());
    let budget = Budget {
        bytes: 4 << 20,
        ..Budget::default()
    };
    let text = b"1+1+1+1+1+1+1+1";
    let mut forest = covered.parse(text, budget, &mut workspace).unwrap();
    assert!(matches!(
        forest.cover(&windows, &mut coverage, &mut expansions),
        Err(Refusal::OutOfMemory { .. })
    ));
    assert_eq!((coverage.covered(), expansions.covered()), (0, 0));
}

#[test]
fn huge_derivations_of_nothing_are_refused_and_small_ones_are_not() {
    // A part whose shortest derivation is huge makes no graph at all.
    let grammar: crate::Grammar = "S := 'x' | (('' | ''){60000}){60000} 'y';".parse().unwrap();
    assert!(crate::Graph::new(grammar).is_err());
    // A short way to something does not make the long way to nothing shorter.
    let parser = parser("S := 'x' | N{20000} 'y'; N := 'a' | E{300}; E := '' | '';");
    let mut workspace = Workspace::new();
    let budget = Budget::default();
    let mut forest = parser.parse(b"y", budget, &mut workspace).unwrap();
    let refused = Err(Refusal::OutOfMemory { offset: 1 });
    assert_eq!(forest.choices(&mut Vec::new()), refused);
    assert!(matches!(
        forest.derivations(),
        Err(Refusal::OutOfMemory { .. })
    ));
    let mut forest = parser.parse(b"x", budget, &mut workspace).unwrap();
    assert_eq!(forest.choices(&mut Vec::new()), Ok(()));
    assert_eq!(forest.derivations().unwrap().to_u64(), Some(1));
}

#[test]
fn questions_do_not_spend_the_budget_of_others() {
    let parser = parser("E := E '+' E | '1';");
    let text = [b"1+".repeat(60), b"1".to_vec()].concat();
    let mut workspace = Workspace::new();
    let mut forest = parser
        .parse(&text, Budget::default(), &mut workspace)
        .unwrap();
    let parsing = forest.steps();
    forest.derivations().unwrap();
    let budget = Budget {
        steps: parsing.max(forest.steps()),
        ..Budget::default()
    };
    let mut forest = parser.parse(&text, budget, &mut workspace).unwrap();
    for _ in 0..3 {
        forest.choices(&mut Vec::new()).unwrap();
        forest.derivations().unwrap();
    }
}
