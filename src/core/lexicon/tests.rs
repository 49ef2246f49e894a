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

/// Tokens as [`lay_out`] is given them.
fn cut(tokens: &str, glued: &mut Vec<u8>, lexemes: &mut Vec<Lexeme>) {
    for token in tokens.split('|').filter(|it| !it.is_empty()) {
        let (number, text) = token.split_once(':').unwrap();
        let start = glued.len() as u32;
        glued.extend_from_slice(text.as_bytes());
        lexemes.push(Lexeme {
            token: number.parse().unwrap(),
            start,
            end: glued.len() as u32,
            place: None,
        });
    }
}

/// Lays out texts as tokens: `number:text`, separated by bars; a `~` before one wants what is between it and the colon.
fn lay_out(lexicon: &Lexicon, tokens: &str) -> (String, String) {
    let (mut glued, mut lexemes) = (Vec::new(), Vec::new());
    cut(tokens, &mut glued, &mut lexemes);
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
fn spellings_keep_tokens_apart_where_nothing_is_skipped() {
    let cases = [
        // The number goes on until a letter cannot be more of it.
        (
            "s := Number Name; token Number := [0-9]+ [a-z]?; token Name := [a-z]+;",
            "0:1|1:b",
            "1ab",
        ),
        // The one behind begins in another way.
        (
            "s := Number Signed; token Number := [0-9]+; token Signed := \"-\"? [0-9]+;",
            "0:1|1:2",
            "1-0",
        ),
        // It begins in another way, and is kept apart from what is behind it.
        (
            "s := Number Signed Name; token Number := [0-9]+; token Signed := \"-\"? [0-9]+ [a-z]?; token Name := [a-z]+;",
            "0:1|1:2|2:b",
            "1-0ab",
        ),
        // So it does where a separator would be read otherwise.
        (
            "s := Line Line; token Line := \"=\"? [a-z ]+; skip Space := \" \";",
            "0:a|0:b",
            "a=a",
        ),
    ];
    for (grammar, tokens, expected) in cases {
        let lexicon = lexicon(grammar);
        let (text, places) = lay_out(&lexicon, tokens);
        assert_eq!(text, expected, "{grammar}");
        assert_eq!(scan(&lexicon, &text), places, "{grammar}");
    }
}

/// Short texts of tokens, to be put side by side in any way.
#[test]
fn a_layout_is_misread_exactly_if_it_reads_as_other_tokens() {
    let grammars = [
        "s := (\"=\" | \"*\" | \"=*\" | Name)+; token Name := [a-z]+;",
        "s := (\"=\" | \"*\" | \"=*\" | Name)+; token Name := [a-z]+; skip Space := \" \";",
        "s := (A | B | C | D)+; token A := \"a\"; token B := \"ab\"; token C := \"b\" \"c\"?; token D := \"-\"? [abc];",
        "s := (\"x\" | A | B | C)+; token A := \"x\" [ab]*; token B := [a-c]{2}; token C := \"c\" | \"ca\"; skip S := \"x \" | \"\\n\";",
        "s := A (B A)* C?; token(m) A := [a ]+; token(m) B := [^b]{1,2}; token(n) C := \"c\"; skip(m) S := \" \";",
    ];
    let (mut read, mut misread) = (0, 0);
    for grammar in grammars {
        let lexicon = lexicon(grammar);
        let count = lexicon.tokens().iter().filter(|it| !it.is_skipped).count();
        for (length, texts) in [(2, &["", "a", "ab", "=", "x"][..]), (3, &["a", "b"][..])] {
            let each = count * texts.len();
            for number in 0..each.pow(length) {
                let tokens: Vec<String> = (0..length)
                    .map(|at| number / each.pow(at) % each)
                    .map(|it| format!("{}:{}", it % count, texts[it / count]))
                    .collect();
                let tokens = tokens.join("|");
                let (mut glued, mut lexemes) = (Vec::new(), Vec::new());
                cut(&tokens, &mut glued, &mut lexemes);
                let mut layout = Layout::default();
                lexicon.lay_out(&glued, &lexemes, |_| None, &mut layout);
                let mut found = Vec::new();
                let scanned = lexicon.scan(layout.text(), &mut found);
                let numbers = |lexemes: &[Lexeme]| lexemes.iter().map(|it| it.token).collect();
                let (own, other): (Vec<u32>, Vec<u32>) = (numbers(&lexemes), numbers(&found));
                // Places of tokens without a text are not told apart.
                let places = || {
                    let mut places = lexemes.iter().zip(&found);
                    tokens.contains(":|")
                        || tokens.ends_with(':')
                        || places
                            .all(|(own, found)| layout.start_of(own.start) == found.start as usize)
                };
                let is_read = scanned.is_ok() && own == other && places();
                assert_eq!(layout.is_misread(), !is_read, "{grammar}\n{tokens}");
                *(if is_read { &mut read } else { &mut misread }) += 1;
            }
        }
    }
    assert!(read > 3000 && misread > 500, "{read}, {misread}");
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
