//! The lexical level: roles, modes, letters in either case.

use crate::grammar::{ErrorKind, Grammar, Role};

fn grammar(text: &str) -> Grammar {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn printing_a_lexical_level_and_reading_it_is_the_identity() {
    let cases = [
        "s := \"select\"i Name;\ntoken Name := [a-z] Rest*;\nRest := [0-9a-z];\nskip Space := [\\n ]+;\n",
        "s := a \"b\";\ntoken(main) a := \"x\";\ntoken(inside) c := \"y\";\nskip(inside) d := \" \";\n",
        "token := skip;\nskip := \"a\"i \"b\" [cd];\n",
        "s := \"a\"i | \"a\" | i;\ni := \"1\";\n",
    ];
    for text in cases {
        let read = grammar(text);
        // Tokens that nothing refers to are gone.
        let printed = read.to_string();
        assert_eq!(grammar(&printed), read, "{text}");
        if !text.contains("(inside) c") {
            assert_eq!(printed, text);
        }
    }
}

#[test]
fn an_i_is_part_of_a_literal_only_directly_behind_it() {
    let read = grammar("s := \"a\"i \"b\" i \"c\"item \"1\"i; i := \"x\"; item := \"y\";");
    let caseless: Vec<String> = read
        .literals()
        .ids()
        .filter(|&id| read.is_caseless(id))
        .map(|id| String::from_utf8_lossy(&read[id]).into_owned())
        .collect();
    assert_eq!(caseless, ["a"]);
    assert_eq!(read.productions().len(), 3);
}

#[test]
fn each_production_has_its_role() {
    let read = grammar(
        "s := a Name; a := \"b\" \"c\"; token Name := Letter+; Letter := [a-z]; \
         skip Comment := \"#\" Text*; Text := [^\\n]; token Unused := \"d\";",
    );
    let roles: Vec<(&str, Role)> = read
        .productions()
        .iter()
        .map(|(_, it)| (&*it.name, it.role))
        .collect();
    assert_eq!(
        roles,
        [
            ("s", Role::Syntax),
            ("a", Role::Syntax),
            ("Name", Role::Token),
            ("Letter", Role::Fragment),
            ("Comment", Role::Skip),
            ("Text", Role::Fragment),
        ]
    );
    assert!(read.has_tokens());
    assert!(!grammar("s := \"a\";").has_tokens());
}

#[test]
fn levels_that_mix_are_refused() {
    let cases = [
        ("token s := \"a\";", "the start symbol `s` is no syntax"),
        ("s := a; skip a := \"a\";", "`a` is skipped between tokens"),
        (
            "s := a b; token a := b; b := \"x\";",
            "`b` is a part of tokens and of the syntax",
        ),
        ("s := a; token a := \"(\" a? \")\";", "`a` contains itself"),
        (
            "s := a; token a := \"x\" b; b := c; c := \"y\" | b;",
            "contains itself",
        ),
    ];
    for (text, message) in cases {
        let error = text.parse::<Grammar>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MixedLevels, "{text}");
        assert!(error.message().contains(message), "{error}");
    }
    let cases = [
        "token(",
        "token(a",
        "token(a)",
        "token(a) := \"b\";",
        "token a",
        "skip(1) a := \"b\";",
    ];
    for text in cases {
        let error = format!("s := a; {text}").parse::<Grammar>().unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::UnexpectedToken),
            "{text}: {error:?}"
        );
    }
}

#[test]
fn tokens_of_a_mode_that_is_used_need_nobody_to_refer_to_them() {
    let text = "s := A; token(m) A := [a-z]+; token(m) B := part; part := \"b\"; token(n) C := \"c\"; token D := \"d\";";
    let grammar: Grammar = text.parse().unwrap();
    let names: Vec<&str> = grammar
        .productions()
        .iter()
        .map(|(_, it)| &*it.name)
        .collect();
    assert_eq!(names, ["s", "A", "B", "part"]);
    let warned: Vec<&str> = grammar
        .warnings()
        .iter()
        .map(|it| &*it.production)
        .collect();
    assert_eq!(warned, ["C", "D"]);
    // Read again, it is the same.
    let again: Grammar = grammar.to_string().parse().unwrap();
    assert_eq!(again.to_string(), grammar.to_string());
}
