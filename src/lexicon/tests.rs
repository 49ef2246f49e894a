//! Scanning, laying out, and both together.

use super::{Layout, Lexeme, Lexicon};
use crate::grammar::Grammar;

fn lexicon(text: &str) -> Lexicon {
    let grammar: Grammar = text.parse().unwrap_or_else(|error| panic!("{error}"));
    Lexicon::new(&grammar).unwrap().unwrap()
}

/// The tokens of a text, separated by bars.
fn scan(lexicon: &Lexicon, text: &str) -> String {
    let mut lexemes = Vec::new();
    match lexicon.scan(text.as_bytes(), &mut lexemes) {
        Ok(()) => {
            let texts = lexemes.iter().map(|it| {
                let range = it.start as usize..it.end as usize;
                format!("{}:{}", it.token, &text[range])
            });
            texts.collect::<Vec<_>>().join("|")
        }
        Err(offset) => format!("no token at {offset}"),
    }
}

const CALC: &str = "s := \"if\" e | \"x\" \"-\" e; e := Name | Number (\"-\" | \"--\") e;
    token Name := [a-z]+; token Number := [0-9]+ (\".\" [0-9]+)?; token Dot := \".\";
    skip Space := [ \\n]+; skip Comment := \"//\" [^\\n]*;";

#[test]
fn the_longest_expected_match_is_read() {
    let lexicon = lexicon(CALC);
    let cases = [
        ("if a", "0:if|4:a"),
        // A keyword is a name where no keyword can stand.
        ("if if", "0:if|4:if"),
        // `if` only as a whole, since nothing longer is expected at the beginning.
        ("ifa", "0:if|4:a"),
        ("if 1--a", "0:if|5:1|3:--|4:a"),
        ("if 1- -a", "no token at 6"),
        ("if 1 - a // b", "0:if|5:1|2:-|4:a"),
        ("if 1.5-a", "0:if|5:1.5|2:-|4:a"),
        ("if 1.-a", "no token at 4"),
        ("x-a\n", "1:x|2:-|4:a"),
        ("", ""),
        (" ", ""),
        ("?", "no token at 0"),
    ];
    for (text, expected) in cases {
        assert_eq!(scan(&lexicon, text), expected, "{text:?}");
    }
}

#[test]
fn tokens_of_a_mode_compete_wherever_one_is_expected() {
    let text = "s := \"let\" Name; token(main) Name := [a-z]+; skip Space := \" \"+;";
    assert_eq!(scan(&lexicon(text), "let let"), "0:let|0:let");
    let text = text.replace("(main)", "");
    assert_eq!(scan(&lexicon(&text), "let let"), "0:let|1:let");
}

#[test]
fn literals_join_the_first_mode_if_they_are_spelled_like_it() {
    let text = "s := (\"let\" Name \"=\" Name \";\")* Rest?; token(main) Name := [a-z]+; token Rest := [^a-z=;]+; \
                skip(main) Space := \" \";";
    let lexicon = lexicon(text);
    let modes: Vec<Option<u32>> = lexicon.tokens().iter().map(|token| token.mode).collect();
    assert_eq!(modes, [Some(0), None, None, Some(0), None, Some(0)]);
    // What the mode skips is skipped before signs, too.
    assert_eq!(scan(&lexicon, "let a = b ;"), "0:let|3:a|1:=|3:b|2:;");
}

#[test]
fn letters_may_be_in_either_case() {
    let lexicon = lexicon("s := \"Let\"i \"let\"i \"x\"; skip Space := \" \";");
    assert_eq!(scan(&lexicon, "LET lEt x"), "0:LET|0:lEt|1:x");
    assert_eq!(scan(&lexicon, "LET lEt X"), "no token at 8");
}

/// Lays out texts as tokens: `number:text`, separated by bars; a `~` before one wants what is between it and the colon.
fn lay_out(lexicon: &Lexicon, tokens: &str) -> (String, String) {
    let mut glued = Vec::new();
    let mut lexemes = Vec::new();
    for token in tokens.split('|').filter(|it| !it.is_empty()) {
        let (number, text) = token.split_once(':').unwrap();
        let start = glued.len() as u32;
        glued.extend_from_slice(text.as_bytes());
        lexemes.push(Lexeme {
            token: number.parse().unwrap(),
            start,
            end: glued.len() as u32,
        });
    }
    let mut layout = Layout::default();
    lexicon.lay_out(&glued, &lexemes, |_| None, &mut layout);
    let text = String::from_utf8(layout.text().to_vec()).unwrap();
    let places = lexemes.iter().map(|it| {
        let start = layout.start_of(it.start);
        // That of a token that had no text lies before the place where it should begin.
        let end = layout.end_of(it.end).max(start);
        format!("{}:{}", it.token, &text[start..end])
    });
    let places = places.collect::<Vec<_>>().join("|");
    (text, places)
}

#[test]
fn separators_stand_only_where_they_are_needed() {
    let lexicon = lexicon(CALC);
    let cases = [
        ("0:if|4:a", "if a"),
        ("0:if|5:1|2:-|4:a", "if1-a"),
        ("0:if|5:1|3:--|4:a", "if1--a"),
        ("0:if|5:1|2:-|5:1|2:-|4:a", "if1-1-a"),
        ("1:x|2:-|4:x", "x-x"),
    ];
    for (tokens, expected) in cases {
        let (text, places) = lay_out(&lexicon, tokens);
        assert_eq!((text.as_str(), places.as_str()), (expected, tokens));
        assert_eq!(scan(&lexicon, &text), tokens);
    }
}

#[test]
fn what_would_be_read_differently_is_separated() {
    let cases = [
        (
            "s := Name Name; token Name := [a-z]+; skip Space := [ \\n]+;",
            "0:ab|0:c",
            "ab c",
        ),
        (
            "s := Name Name; token Name := [a-z]+; skip Line := \"\\n\" | \"#\" [a-z]* \"\\n\";",
            "0:a|0:c",
            "a\nc",
        ),
        // At the beginning `--` is not expected, but somebody else may read it there.
        (
            "s := \"-\"+ \"--\"?; skip Space := \" \";",
            "0:-|0:-|1:--",
            "- - --",
        ),
        // A separator would not help against text that is expected elsewhere.
        (
            "s := \"<\" Name Name \">\" Text; token Name := [a-z]+; token Text := [^<]+; skip Space := \" \";",
            "0:<|2:a|2:b|1:>|3:c",
            "<a b>c",
        ),
        // The blank would begin a longer token.
        (
            "s := \"a\" \"b\" | \"a \" \"c\" | \"ab\"; skip Space := [ \\t];",
            "0:a|1:b",
            "a\tb",
        ),
        // What could match further on but does not is no reason.
        (
            "s := Number \"..\" Number; token Number := [0-9]+ (\".\" [0-9]+)?; skip Space := \" \";",
            "1:1|0:..|1:2",
            "1..2",
        ),
        (
            "s := Number \".\" Number; token Number := [0-9]+ (\".\" [0-9]+)?; skip Space := \" \";",
            "1:1|0:.|1:2",
            "1 .2",
        ),
        (
            "s := \"/\" \"*\" \"/\"; skip Comment := \"/*\" [^*]* \"*/\"; skip Space := \" \";",
            "0:/|1:*|0:/",
            "/*/",
        ),
        (
            "s := (\"/\" | \"*\")+; skip Comment := \"/*\" [^*]* \"*/\"; skip Space := \" \";",
            "0:/|1:*|0:/|1:*|0:/",
            "/ */*/",
        ),
    ];
    for (grammar, tokens, expected) in cases {
        let lexicon = lexicon(grammar);
        let (text, places) = lay_out(&lexicon, tokens);
        assert_eq!(
            (text.as_str(), places.as_str()),
            (expected, tokens),
            "{grammar}"
        );
        assert_eq!(scan(&lexicon, &text), tokens, "{grammar}");
    }
}

#[test]
fn a_token_that_another_one_wins_is_spelled_differently() {
    let cases = [
        (
            "s := (\"if\" | Name)+; token Name := [a-z]+; skip Space := \" \";",
            "1:if|0:if|1:x",
            "ifa if x",
        ),
        // Nothing can be put behind: the shortest other one.
        (
            "s := (\"if\" | Name)+; token Name := [a-z]{2}; skip Space := \" \";",
            "1:if",
            "aa",
        ),
        // There is no other one.
        (
            "s := (\"a\" | A)+; token A := \"a\"; skip Space := \" \";",
            "1:a",
            "a",
        ),
        (
            "s := A+; token A := \"a\"*; skip Space := \" \";",
            "0:|0:a",
            "a a",
        ),
    ];
    for (grammar, tokens, expected) in cases {
        let (text, _) = lay_out(&lexicon(grammar), tokens);
        assert_eq!(text, expected, "{grammar}");
    }
}

#[test]
fn tokens_that_are_too_large_are_refused() {
    let grammar: Grammar = "s := A; token A := ([a-z]{1000}){1000};".parse().unwrap();
    let error = Lexicon::new(&grammar).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the token `A` has no automaton"),
        "{error}"
    );
}
