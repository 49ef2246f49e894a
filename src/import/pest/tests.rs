//! Grammars in small, each with what it becomes and what is left out.

use crate::{Notation, read};
use pleach_core::Grammar;
use pleach_core::grammar::ErrorKind;
use pleach_core::rng::Rng;

/// The grammar as it is printed, and its remarks without their places and without the one that nearly every grammar has.
fn printed(text: &str) -> (String, Vec<String>) {
    let imported = read(text, Notation::Pest).unwrap_or_else(|error| panic!("{error}"));
    let grammar = Grammar::from_ast(&imported.ast, text).unwrap_or_else(|error| panic!("{error}"));
    let remarks = imported.remarks.iter();
    let remarks = remarks.filter(|it| !it.what.starts_with("the order of alternatives"));
    let remarks = remarks.map(|it| format!("{} ({:?})", it.what, it.effect));
    (grammar.to_string(), remarks.collect())
}

/// What `ANY` is.
const ANY: &str = "[\\x00-\\u{10ffff}]";

#[track_caller]
fn assert_read(text: &str, grammar: &str, remarks: &[&str]) {
    let (printed, told) = printed(text);
    assert_eq!(printed, grammar, "{text}");
    assert_eq!(told, remarks, "{text}");
}

#[test]
fn without_anything_to_skip_all_is_syntax() {
    assert_read(
        "//! A grammar.\na = { SOI ~ (#tag = b | ^\"x1\" | ^\"y\") ~ c{2} ~ c{3,} ~ c{,4} ~ c{5,6} ~ c? ~ c* ~ c+ ~ EOI }\n\
         /// Text.\nb = @{ \"\\n\\x41\\u{e9}\" }\nc = ${ 'a'..'z' | '\\''..'\\'' | ASCII_HEX_DIGIT | NEWLINE | DROP }",
        "a := (b | \"x1\"i | [Yy]) c{2} c{3,} c{,4} c{5,6} c? c* c+;\n\
         b := \"\\nAé\";\n\
         c := [a-z] | ['] | [0-9A-Fa-f] | (\"\\n\" | \"\\r\\n\" | \"\\r\") | ();\n",
        &[],
    );
}

#[test]
fn atomic_rules_are_tokens() {
    assert_read(
        "WHITESPACE = _{ \" \" }\nCOMMENT = { \"#\" ~ (!NEWLINE ~ ANY)* }\n\
         file = { SOI ~ (word ~ sign ~ pair ~ let)* ~ EOI }\n\
         word = @{ letter+ ~ sign? ~ pair }\nletter = _{ 'a'..'z' }\nsign = { \"+\" | \"-\" }\n\
         pair = { letter ~ letter }\nlet = @{ \"let\" ~ !letter }",
        "file := (word sign pair let)*;\n\
         skip WHITESPACE := \" \";\n\
         skip COMMENT := \"#\" [^\\n\\r]*;\n\
         token word := letter+ sign? pair_atomic;\n\
         token letter := [a-z];\n\
         token sign := \"+\" | \"-\";\n\
         pair := letter letter;\n\
         pair_atomic := letter letter;\n\
         let := \"let\";\n",
        &["the predicate `!letter` (Larger)"],
    );
    // What the syntax uses as well is skipped by another name.
    assert_read(
        "a = { \"x\" ~ b }\nb = ${ \"(\" ~ (WHITESPACE+ ~ b)? ~ \")\" }\nWHITESPACE = { \" \" }",
        "a := \"x\" b;\nb := \"(\" (WHITESPACE+ b)? \")\";\ntoken WHITESPACE := \" \";\nskip skipped := WHITESPACE;\n",
        &["that nothing is skipped in `b`, which contains itself (Larger)"],
    );
    // Nothing is skipped where all is atomic.
    assert_read(
        "a = ${ b ~ b }\nb = { \"x\" ~ \"y\" }\nWHITESPACE = { \" \" }",
        "a := b b;\nb := \"x\" \"y\";\n",
        &[],
    );
}

#[test]
fn predicates_become_sets_and_texts_up_to_an_end() {
    assert_read(
        "a = { !('a'..'c' | end | \"e\") ~ 'a'..'z' ~ !\"q\" ~ ANY ~ !EOI ~ b }\nend = { \"d\" }\nb = { \"b\" }",
        "a := [f-z] [^q] b;\nb := \"b\";\n",
        &[],
    );
    assert_read(
        "a = { \"/*\" ~ (!\"*/\" ~ ANY)* ~ \"*/\" }",
        "a := \"/*\" ([^*] | \"*\"+ [^*/])* \"*\"* \"*/\";\n",
        &[],
    );
    assert_read(
        "a = { (!(\"ab\" | NEWLINE) ~ 'a'..'c')+ }",
        "a := \"a\"+ | ([bc] | \"a\"+ \"c\")+ \"a\"*;\n",
        &[],
    );
    // What is asked for and what is excluded, at one character.
    assert_read(
        "a = { &('a'..'f' | \"x\") ~ &b ~ !\"d\" ~ ANY ~ &'a'..'c' ~ c }\nb = { 'c'..'z' }\nc = { b }",
        "a := [cefx] [c];\n",
        &[],
    );
    // What ends it does not begin in it.
    assert_read(
        "a = { (!\"aba\" ~ 'a'..'b')* ~ \"aba\" }",
        "a := (\"b\" | \"a\"+ \"b\" \"b\")* \"a\"* \"aba\";\n",
        &[],
    );
    assert_read(
        "a = { (!\"''\" ~ ('a'..'c' | \"'\"))* ~ \"''\" }",
        "a := ([a-c] | \"'\" [a-c])* \"''\";\n",
        &[],
    );
    // Escapes stand between such texts.
    assert_read(
        "a = { (\"$\" ~ ANY | !\"*/\" ~ ANY | b)* ~ (b | !c ~ ANY)+ }\nb = { \"/\" } c = _{ \"ab\" }",
        "a := ([^*] | \"*\"+ [^*/])* \"*\"* ((\"$\" ANY | b) ([^*] | \"*\"+ [^*/])* \"*\"*)* \
         ((\"a\"+ | ([^a] | \"a\"+ [^ab])+ \"a\"*) (b ([^a] | \"a\"+ [^ab])* \"a\"*)* | (b ([^a] | \"a\"+ [^ab])* \"a\"*)+);\n\
         b := \"/\";\n"
            .replace("ANY", ANY).as_str(),
        &[],
    );
    // Where something is skipped, it is a token.
    assert_read(
        "a = { \"<\" ~ (!(\">\" | \"ab\") ~ ASCII)* ~ \">\" }\nWHITESPACE = { \" \" }",
        "a := \"<\" a_text? \">\";\nskip WHITESPACE := \" \";\n\
         token a_text := \"a\"+ | ([\\x00-=?-`b-\\x7f] | \"a\"+ [\\x00-=?-`c-\\x7f])+ \"a\"*;\n",
        &[],
    );
    assert_read(
        "a = { &\"x\" ~ !b ~ c ~ (!\"abcdefghijklmnop\" ~ 'a'..'z')* ~ !c }\nb = { c ~ c }\nc = { \"x\" ~ SOI }",
        "a := c [a-z]*;\nc := \"x\";\n",
        &[
            "the predicate `&\"x\"` (Larger)",
            "the predicate `!b` (Larger)",
            "the predicate before what is repeated (Larger)",
            "the predicate `!c` (Larger)",
        ],
    );
}

#[test]
fn rules_that_end_with_themselves_are_repetitions() {
    assert_read(
        "s = { t ~ t }\nt = @{ \"'\" ~ inner ~ \"'\" }\n\
         inner = @{ (!(\"'\" | \"\\\\\") ~ ANY)* ~ (\"\\\\\" ~ (\"n\" ~ inner | 't'..'u'))? }\nWHITESPACE = { \" \" }",
        "s := t t;\ntoken t := \"'\" inner \"'\";\ninner := ([^'\\\\]* \"\\\\\" \"n\")* [^'\\\\]* (\"\\\\\" [tu])?;\nskip WHITESPACE := \" \";\n",
        &[],
    );
    // A comment within itself is none.
    assert_read(
        "s = { \"a\" ~ \"b\" }\nCOMMENT = { \"/*\" ~ (COMMENT | !\"*/\" ~ ANY)* ~ \"*/\" }",
        "s := \"a\" \"b\";\nskip COMMENT := \"/*\" ([^*] | \"*\"+ [^*/])* \"*\"* \"*/\";\n",
        &["`COMMENT` within itself, where tokens are (Smaller)"],
    );
}

#[test]
fn what_is_pushed_is_popped_as_any_of_it() {
    assert_read(
        "a = { PUSH(\"<\"{2}) ~ PUSH_LITERAL(\">\") ~ PEEK[0..1] ~ POP }",
        "a := a_pushed pushed pushed;\na_pushed := \"<\"{2};\na_pushed_2 := \">\";\npushed := a_pushed | a_pushed_2;\n",
        &["that what is popped is what was pushed (Other)"],
    );
    assert_read(
        "a = { \"x\" ~ POP }",
        "a := \"x\";\n",
        &["that what is popped is what was pushed (Other)"],
    );
}

#[test]
fn what_is_built_in_is_known() {
    let (grammar, remarks) = printed("a = { ANY ~ XID_START ~ HAN ~ ASCII_NONZERO_DIGIT }");
    assert!(
        grammar.starts_with(&format!("a := {ANY} XID_START HAN [1-9];\nHAN := [⺀-")),
        "{grammar}"
    );
    assert_eq!(remarks, [""; 0]);
    // What a grammar defines itself goes first.
    assert_read(
        "a = { HAN }\nHAN = { \"x\" }",
        "a := HAN;\nHAN := \"x\";\n",
        &[],
    );
}

#[test]
fn the_start_is_what_nothing_uses_and_reaches_the_most() {
    for (text, start) in [
        ("b = { \"x\" } a = { b }", "a"),
        ("a = { b } b = { \"x\" } c = { \"x\" ~ EOI }", "c"),
        ("a = { \"x\" ~ EOI } b = { SOI ~ c } c = { \"x\" }", "b"),
        ("WHITESPACE = { \" \" } a = { \"x\" ~ a? }", "a"),
        ("a = { b | \"x\" } b = { a }", "a"),
    ] {
        let imported = read(text, Notation::Pest).unwrap();
        assert_eq!(&*imported.ast.production_names()[0], start, "{text}");
    }
}

#[test]
fn errors_point_into_the_text() {
    use ErrorKind::*;
    for (text, kind, column) in [
        ("a = { \"x\" ", UnexpectedToken, 11),
        ("a = \"x\"", UnexpectedToken, 5),
        ("a = { b }", UndefinedNonterminal, 7),
        ("a = { \"x\" } a = { \"y\" }", DuplicateProduction, 13),
        ("a = { \"\\u{110000}\" }", InvalidEscape, 7),
        ("a = { 'b'..'a' }", InvalidRange, 7),
        ("a = { \"x\"{0} }", InvalidBounds, 10),
        ("a = { \"x\"{3,2} }", InvalidBounds, 10),
        ("a = { \"x\"{99999999999} }", InvalidBounds, 10),
        ("a = { \"x\" } /* /* */", Unterminated, 13),
        ("", NoProduction, 1),
    ] {
        let error = read(text, Notation::Pest)
            .and_then(|imported| Grammar::from_ast(&imported.ast, text))
            .expect_err(text);
        assert_eq!(
            (error.kind(), error.column()),
            (kind, column),
            "{text}: {error}"
        );
    }
}

#[test]
fn nesting_ends_in_an_error() {
    let nested = |open: &str, inside: &str, close: &str, depth| {
        let text = format!("{}{inside}{}", open.repeat(depth), close.repeat(depth));
        format!("a = {{ {text} }}")
    };
    for depth in [50, 10_000, 100_000] {
        for text in [
            nested("(", "\"x\"", ")", depth),
            nested("PUSH(", "\"x\"", ")", depth),
            nested("(\"'\" ~ ", "\"x\"", ")?", depth),
            nested("\"x\" /* \" ", "", " */", depth),
        ] {
            assert_eq!(read(&text, Notation::Pest).is_ok(), depth == 50, "{depth}");
        }
    }
    // Operators nest without groups.
    for text in [
        nested("!", "\"x\"", "?", 10_000),
        nested("\"x\" ~ ", "'\"'..'\"'", "", 10_000),
        nested("\"x\" | ", "\"(\"", "", 10_000),
        format!("a = {{ \"{}\" }}", "\\n".repeat(100)),
    ] {
        assert!(read(&text, Notation::Pest).is_ok());
    }
    let escapes = format!("a = {{ \"{}\" }}", "\\n".repeat(10_000));
    for text in [
        escapes,
        "/*".repeat(10_000),
        "(".repeat(10_000),
        " ".repeat(2 << 20),
    ] {
        assert!(read(&text, Notation::Pest).is_err());
    }
}

#[test]
fn rules_that_grow_from_one_another_take_no_quadratic_time() {
    let count = 20_000;
    let mut text = "a0 = { \"x\" }\n".to_owned();
    for i in 1..count {
        let c = char::from_u32(0x4e00 + 2 * (i % 10_000)).unwrap_or('x');
        text += &format!("a{i} = {{ a{} | \"{c}\" ~ \"{c}\" | \"{c}\" }}\n", i - 1);
    }
    assert!(read(&text, Notation::Pest).is_ok());
}

/// Something of everything.
const TEXT: &str = "WHITESPACE = _{ \" \" }\nCOMMENT = @{ \"/*\" ~ (COMMENT | !\"*/\" ~ ANY)* ~ \"*/\" }\n\
    a = { SOI ~ (b | !c ~ d)* ~ EOI }\nb = ${ \"'\" ~ (!\"''\" ~ ANY)* ~ PUSH(c{2,}) ~ POP ~ b? }\n\
    c = !{ 'a'..'z' ~ LETTER }\nd = @{ ^\"x\" ~ d | \"\\n\\u{41}\" ~ &e+ }\ne = _{ WHITESPACE ~ #t = d{,3} }";

#[test]
fn cut_and_garbled_texts_are_no_reason_to_panic() {
    let mut rng = Rng::new(9);
    let run = |text: &str| {
        if let Ok(imported) = read(text, Notation::Pest) {
            let _ = Grammar::from_ast(&imported.ast, text);
        }
    };
    run(TEXT);
    for (end, _) in TEXT.char_indices() {
        run(&TEXT[..end]);
    }
    let words = [
        "a",
        "b",
        "c",
        "d",
        "e",
        "WHITESPACE",
        "COMMENT",
        "@",
        "$",
        "!",
        "_",
        "~",
        "|",
        "*",
        "ANY",
        "\"*/\"",
        "",
    ];
    for _ in 0..3000 {
        let mut garbled = TEXT.to_owned();
        for _ in 0..=rng.below(4) {
            let from = rng.index(garbled.len());
            let end = (from + rng.index(4)).min(garbled.len());
            garbled.replace_range(from..end, words[rng.index(words.len())]);
        }
        run(&garbled);
    }
}
