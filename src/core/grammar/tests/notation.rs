//! What the notation means: a text and what it prints as.

use super::super::{ErrorKind, Grammar, Member, Probability};
use super::{print_and_read, read};

/// The right side that a right side is printed as, where `x`, `y` and `Loop` are nonterminals.
fn normal(right: &str) -> String {
    let text = format!("s := {right}; x := \"x\"; y := \"y\"; Loop := \"l\" Loop;");
    let grammar = print_and_read(&text);
    let printed = grammar.to_string();
    let line = printed.lines().next().unwrap();
    line["s := ".len()..line.len() - 1].to_owned()
}

#[test]
fn right_sides_have_a_normal_form() {
    for (right, expected) in [
        // Groups.
        ("(((x)))", "x"),
        ("x (x y) y", "x x y y"),
        ("(x y)", "x y"),
        ("x | (x | y)", "x | (x | y)"),
        ("(x | y) x", "(x | y) x"),
        ("x | (x y)", "x | x y"),
        ("((x y)* | (x))", "(x y)* | x"),
        ("\"a\" \"b\"", "\"a\" \"b\""),
        // Nothing.
        ("()", "()"),
        ("x () y", "x y"),
        ("x ()", "x"),
        ("() ()", "()"),
        ("() | x", "() | x"),
        ("()*", "()"),
        ("(() ()?){3} x", "x"),
        ("\"\"", "\"\""),
        // Quantifiers.
        ("x{0,1}", "x?"),
        ("x{0,}", "x*"),
        ("x{ 1 , }", "x+"),
        ("x{1}", "x{1}"),
        ("x{2,2}", "x{2}"),
        ("x{,4294967295}", "x{,4294967295}"),
        ("x{2,}", "x{2,}"),
        ("(x?)*", "(x?)*"),
        ("(x*)", "x*"),
        ("x ?", "x?"),
        // Literals.
        (r#"'"' "'""#, r#""\"" "'""#),
        (r#"'\'\"\\\n\t\r'"#, r#""'\"\\\n\t\r""#),
        (r#""\x41\x00\x7f""#, r#""A\x00\x7f""#),
        (r#""\xC3\xa9""#, r#""é""#),
        (r#""\xC3""#, r#""\xc3""#),
        (r#""\u{e9}\u{10FFFF}\u{301}""#, r#""é\u{10ffff}\u{301}""#),
        // Classes.
        ("[a]", "[a]"),
        ("[cba]", "[a-c]"),
        ("[ba]", "[ab]"),
        ("[a-cb-e]", "[a-e]"),
        ("[-+]", "[+\\-]"),
        ("[+-]", "[+\\-]"),
        ("[+--]", "[+-\\-]"),
        (r"[\]\[\^\-\\\'\x22]", r#"["'\-\[-\^]"#),
        (r"[\x00-\xff]", r"[\x00-\xff]"),
        (r"[\x00-\x7f\x80-\xff]", r"[\x00-\xff]"),
        (r"[a\x80-\x8f]", r"[a\x80-\x8f]"),
        (r"[^\u{80}-\u{10ffff}]", r"[\x00-\x7f]"),
        (r"/(?-u:[^\x00])/", r"[\x01-\xff]"),
        (r"/(?-u:[^\x80])/", r"[\x00-\x7f\x81-\xff]"),
        (r"[^a-z]", r"[^a-z]"),
        (r"[\x00-\x60\x7b-\u{10ffff}]", "[^a-z]"),
        (r"[\x00-\u{10ffff}]", r"[\x00-\u{10ffff}]"),
        (r"[é\xe9]", r"[é\xe9]"),
        ("[а-я]", "[а-я]"),
        (r#"["']"#, r#"["']"#),
        ("[^^]", r"[^\^]"),
        ("[#]", "[#]"),
        // Regular expressions.
        ("/abc/", "\"abc\""),
        ("/a|b/", "[ab]"),
        ("/ab|cd/", "\"ab\" | \"cd\""),
        (
            "/[0-9a-fA-F]{4}(?:-[0-9]+)?/",
            "[0-9A-Fa-f]{4} (\"-\" [0-9]+)?",
        ),
        ("x /a+?b/ y", "x \"a\"+ \"b\" y"),
        ("/a*/*", "(\"a\"*)*"),
        (r"/\//", "\"/\""),
        (r"/(?-u:\xFF)/", r#""\xff""#),
        (r"/(?s-u:.)/", r"[\x00-\xff]"),
        ("/./", r"[^\n]"),
        ("/(a|)b/", "(\"a\" | ()) \"b\""),
        ("/(?:)/", "()"),
        ("/((a{1000}){1000}){1000}/", "((\"a\"{1000}){1000}){1000}"),
        // Pruning.
        ("x | Loop", "x"),
        ("Loop? x", "x"),
        ("Loop?", "()"),
        ("Loop* | x", "() | x"),
        ("(x | Loop)* y", "x* y"),
        ("x (x y | Loop) y", "x x y y"),
        ("(Loop? x)*", "x*"),
        ("(Loop?){2} | (x Loop | y)", "() | y"),
        ("((Loop{,3})+)+ x", "x"),
        // Probabilities.
        ("40% x | y", "40% x | y"),
        (
            "0.0000001%x | 99.9999999 % y",
            "0.0000001% x | 99.9999999% y",
        ),
        ("100% x", "x"),
        ("x (07.50% x | 0% y)", "x (7.5% x | 0% y)"),
        ("40% (30% x | Loop) | 50% y", "40% x | 50% y"),
        ("40% Loop | 30% y x | 30% x", "30% y x | 30% x"),
        ("40% (Loop? (x | 5% y)) | y", "40% (x | 5% y) | y"),
        ("40% Loop? | y", "40% () | y"),
    ] {
        assert_eq!(normal(right), expected, "{right}");
    }
}

#[test]
fn comments_blanks_and_a_byte_order_mark_are_skipped() {
    let plain = read("a := \"//\" b-1; b-1 := [#];");
    let text = "\u{feff}# one\n//two\r\n a// three\n:=\t\"//\"b-1 # four\n;b-1:=[#];// five";
    assert_eq!(read(text), plain);
    assert_eq!(plain.production_named("b-1").map(|id| id.0), Some(1));
    assert_eq!(plain.production_named("b"), None);
}

#[test]
fn members_of_classes_are_characters_and_raw_bytes() {
    let class = |text: &str| read(&format!("a := {text};")).classes().as_slice()[0].clone();
    let all = class(r"[\x00-\xff]");
    assert_eq!(
        (all.len(), all.chars(), all.bytes()),
        (256, &[('\0', '\x7f')][..], &[(0x80, 0xff)][..])
    );
    let others = class("[^a]");
    assert_eq!(others.len(), 0x110000 - 0x800 - 1);
    assert!(others.contains(Member::Char('é')) && !others.contains(Member::Byte(0xff)));
}

/// All sets of these members, and their negations.
#[test]
fn a_class_has_what_it_names_and_a_negated_one_all_other_characters() {
    let members = [
        (r"\x00", Member::Char('\0')),
        ("a", Member::Char('a')),
        (r"\x7f", Member::Char('\x7f')),
        (r"\x80", Member::Byte(0x80)),
        (r"\x81", Member::Byte(0x81)),
        (r"\xff", Member::Byte(0xff)),
        (r"\u{80}", Member::Char('\u{80}')),
        ("é", Member::Char('é')),
        (r"\u{10ffff}", Member::Char(char::MAX)),
    ];
    for set in 1..1u32 << members.len() {
        let named = |at: usize| set >> at & 1 == 1;
        let written: String = (0..members.len())
            .filter(|&at| named(at))
            .map(|at| members[at].0)
            .collect();
        let names_byte =
            (0..members.len()).any(|at| named(at) && matches!(members[at].1, Member::Byte(_)));
        for negated in [false, true] {
            let text = format!("a := [{}{written}];", if negated { "^" } else { "" });
            let read = Grammar::parse(text.as_bytes());
            if negated && names_byte {
                assert_eq!(read.unwrap_err().kind(), ErrorKind::NegatedByte, "{text}");
                continue;
            }
            let grammar = read.unwrap();
            // A class of one character is that character.
            let class = grammar.classes().as_slice().first();
            let only = grammar.literals().as_slice().first();
            for (at, &(_, member)) in members.iter().enumerate() {
                let is_char = matches!(member, Member::Char(_));
                let expected = if negated {
                    is_char && !named(at)
                } else {
                    named(at)
                };
                let found = match member {
                    _ if class.is_some() => class.is_some_and(|class| class.contains(member)),
                    Member::Char(c) => only.is_some_and(|text| **text == *c.to_string().as_bytes()),
                    Member::Byte(byte) => only.is_some_and(|text| **text == [byte]),
                };
                assert_eq!(found, expected, "{member:?} in {text}");
            }
        }
    }
}

/// There is no character between them, so ranges on both sides are one.
#[test]
fn classes_go_on_behind_the_surrogates() {
    let split = print_and_read(r"a := [\u{300}-\u{d7ff}\u{e000}-\u{10ffff}];");
    assert_eq!(split, read(r"a := [\u{300}-\u{10ffff}];"));
    assert_eq!(
        split.classes().as_slice()[0].chars(),
        [('\u{300}', char::MAX)]
    );
    assert_eq!(
        print_and_read(r"a := [\u{d7ff}\u{e000}];")
            .classes()
            .as_slice()[0]
            .len(),
        2
    );
    let border = print_and_read(r"a := [^\u{d7ff}] [^\u{e000}] [^\u{d7fe}-\u{e001}] [\u{d7ff}];");
    let lens: Vec<usize> = border
        .classes()
        .iter()
        .map(|(_, class)| class.len())
        .collect();
    assert_eq!(lens, [0x10f7ff, 0x10f7ff, 0x10f7fc, 1]);
}

#[test]
fn long_alternations_are_wrapped() {
    let digits: Vec<String> = (100..130).map(|n| format!("\"{n}\"")).collect();
    let grammar = print_and_read(&format!("digit := {};", digits.join("|")));
    let printed = grammar.to_string();
    assert_eq!(printed.lines().count(), 3);
    assert!(
        printed.lines().all(|line| line.chars().count() <= 100),
        "{printed}"
    );
    let long = "b".repeat(60);
    let grammar = print_and_read(&format!("abc := \"{long}\" | \"{long}\" abc | 1% ();"));
    assert_eq!(
        grammar.to_string(),
        format!("abc := \"{long}\"\n     | \"{long}\" abc\n     | 1% ();\n")
    );
}

#[test]
fn fingerprints_are_fixed_and_tell_grammars_apart() {
    let of = |text: &str| read(text).fingerprint();
    // A change of this value makes saved state unreadable; it needs a new fingerprint version.
    assert_eq!(of("a := \"x\" | [0-9]+ a;"), 0x1f37_52cb_6220_af4c);
    assert_eq!(
        of("a := \"x\" | /[0-9]+/ (a); # comment"),
        of("a := \"x\" | [0-9]+ a;")
    );
    assert_ne!(of("a := \"x\" | [0-9]+ a;"), of("a := \"x\" | [0-9]* a;"));
    assert_ne!(of("a := \"x\" | \"y\";"), of("a := 10% \"x\" | \"y\";"));
}

#[test]
fn a_nonterminal_that_is_both_gets_one_warning() {
    let grammar = read("a := \"x\" | b; b := b c; c := \"y\"; d := d;");
    let warnings: Vec<String> = grammar
        .warnings()
        .iter()
        .map(|warning| format!("{:?} {}", warning.kind, warning.production))
        .collect();
    assert_eq!(
        warnings,
        ["Unproductive b", "Unreachable c", "Unproductive d"]
    );
}

#[test]
fn debug_output_lists_every_node() {
    let listing = format!("{:?}", read("a := 40% \"x\" | b+; b := [0-9];"));
    let lines: Vec<&str> = listing.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "ProductionId(0) a",
            "  NodeId(0) Alternation",
            "    NodeId(1) 40% SymbolId(0) a.0 \"x\"",
            "    NodeId(2) Quantifier +",
            "      NodeId(3) SymbolId(1) a.1 b",
            "ProductionId(1) b",
            "  NodeId(4) SymbolId(2) b.0 [0-9]",
        ]
    );
}

#[test]
fn names_near_an_undefined_one_are_offered() {
    for (text, help) in [
        (
            "start := Value; value := \"x\";",
            "there is `value`; otherwise define it: `Value := …;`",
        ),
        (
            "start := valeu; value := \"x\";",
            "there is `value`; otherwise define it: `valeu := …;`",
        ),
        (
            "start := zz; value := \"x\";",
            "define it (`zz := …;`) or correct the name",
        ),
        ("s := b;", "define it (`b := …;`) or correct the name"),
    ] {
        let error = text.parse::<Grammar>().unwrap_err();
        assert_eq!(
            (error.kind(), error.help()),
            (ErrorKind::UndefinedNonterminal, help)
        );
    }
}

#[test]
fn probabilities_display_without_needless_digits() {
    for (billionths, text) in [
        (0, "0%"),
        (1, "0.0000001%"),
        (75_000_000, "7.5%"),
        (1_000_000_000, "100%"),
    ] {
        assert_eq!(Probability(billionths).to_string(), text);
    }
}
