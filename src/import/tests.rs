//! What readers make of texts, right ones, wrong ones and any.

use super::{Effect, Files, Notation, read, read_several};
use pleach_core::Grammar;
use pleach_core::grammar::ErrorKind;
use pleach_core::rng::Rng;

/// A text, and the grammar that it is, as pleach prints it.
struct Case {
    notation: Notation,
    text: &'static str,
    grammar: &'static str,
}

const CASES: &[Case] = &[
    Case {
        notation: Notation::Abnf,
        text: "; RFC 3986 has rules of this kind.\n  URI = scheme \":\" *( \"/\" seg ) [ \"?\" seg ]\n  scheme = ALPHA\n      2*4DIGIT ; goes on\n\n  seg =  3hex / %x2E / %x61-63 / 0<pchar>\r\n  HEX = HEXDIG\n  seg =/ %s\"Ab\" / %i\"c1d\" / <prose>\n pchar = %d97.98 1*1\"-\" 1*\"x\" *5\"y\"",
        grammar: "URI := scheme \":\" (\"/\" seg)* (\"?\" seg)?;\nscheme := ALPHA DIGIT{2,4};\nseg := (HEX{3} | \".\" | [a-c] | ()) | (\"Ab\" | \"c1d\"i | ());\nHEX := HEXDIG;\nALPHA := [A-Za-z];\nDIGIT := [0-9];\nHEXDIG := [0-9A-Fa-f];\n",
    },
    Case {
        notation: Notation::Abnf,
        text: "bytes = %x00-ff %xC3.A4 OCTET LWSP CRLF\n",
        grammar: "bytes := [\\x00-\\xff] \"ä\" OCTET LWSP CRLF;\nOCTET := [\\x00-\\xff];\nLWSP := (\"\\r\\n\"? [\\t ])*;\nCRLF := \"\\r\\n\";\n",
    },
    Case {
        notation: Notation::Abnf,
        text: "chars = %x5D-10FFFF %xE4 %xD7FF-E000",
        grammar: "chars := [^\\x00-\\\\] \"ä\" [\\u{d7ff}-\\u{e000}];\n",
    },
    Case {
        notation: Notation::W3c,
        text: "[1] document ::= prolog (a.b | \"x\")* /* no more */\n[2a]  prolog ::= #x20? 'it''s'+\n  [ wfc: Closed ]\na.b ::= [^<&#x5D] | [a-z#xE9-#xEB_-] | (Char - 'y') | (Char - ('a' | [b-c])) z-z a_b\nz-z::=[a-d] - [b#x63]\na_b ::= '' | b-c [A]\nb-c ::= \"'\" Char ::= 'C'",
        grammar: "document := prolog (a_b | \"x\")*;\nprolog := \" \"? \"it\" \"s\"+;\na_b := [^&<\\]] | [\\-_a-zé-ë] | Char | Char z-z a_b_2;\nz-z := [ad];\na_b_2 := \"\" | b-c [A];\nb-c := \"'\";\nChar := \"C\";\n",
    },
    Case {
        notation: Notation::Tribble,
        text: "// The notation's own grammar is written like this.\n$1 = \"é\";Grammar = Production+ ; /* and\n so on */ Production = Non'Terminal \"=\\n\\t\\\"\" ( /[a-z\\/]+/ | \"x\"{2,3} @@ 0.25 | \"y\" @@ 1e-1 )? ;\nNon'Terminal = $1{,2} | \"a\"{3} | \"b\"{4,} ;",
        grammar: "Grammar := Production+;\n_1 := \"é\";\nProduction := Non_Terminal \"=\\n\\t\\\"\" ([/a-z]+ | 25% \"x\"{2,3} | 10% \"y\")?;\nNon_Terminal := _1{,2} | \"a\"{3} | \"b\"{4,};\n",
    },
    Case {
        notation: Notation::Fuzzingbook,
        text: "{\"<start>\": [\"<expr>\"], \"<expr>\": [\"<a-b> + <expr>\", [\"(<expr>)\", {\"prob\": 0.25}], \"1 < 2 > <\", \"\"],\n \"<a-b>\": [\"\\u00e9\\n\"]}",
        grammar: "start := expr;\nexpr := a-b \" + \" expr | 25% \"(\" expr \")\" | \"1 < 2 > <\" | \"\";\na-b := \"é\\n\";\n",
    },
    Case {
        notation: Notation::GrammarMutator,
        text: "{\"<start>\": [[\"<A>\", \"<start>\", \"x\"], []], \"<A>\": [[\"<not there>\", \"<B>\"], [\"a\", \"<\\u00e9é€\", \"\\u0080\"]]}",
        grammar: "start := A start \"x\" | \"\";\nA := \"<not there>\" \"<B>\" | \"a\" \"<éé€\" \"\\x80\";\n",
    },
    Case {
        notation: Notation::Nautilus,
        text: "[[\"A\", \"a\\\\{{B}\\\\}{\"], [\"START\", \"{A}{A}\"], [\"B\", \"b\"], [\"A\", \"\"]]",
        grammar: "START := A A;\nA := \"a\" \"{\" B \"}{\" | \"\";\nB := \"b\";\n",
    },
    Case {
        notation: Notation::Pleach,
        text: "a := \"x\" | a;",
        grammar: "a := \"x\" | a;\n",
    },
];

fn grammar(text: &str, notation: Notation) -> Result<Grammar, pleach_core::grammar::Error> {
    Grammar::from_ast(&read(text, notation)?.ast, text)
}

#[test]
fn texts_are_read_as_they_are_meant() {
    for case in CASES {
        let read = grammar(case.text, case.notation)
            .unwrap_or_else(|error| panic!("{}: {error}", case.notation));
        assert_eq!(read.to_string(), case.grammar, "{}", case.notation);
    }
}

#[test]
fn what_is_left_out_is_remarked() {
    let remarks = |text: &str, notation| {
        let all = read(text, notation).unwrap().remarks;
        let told = all.iter().map(|remark| {
            let position = remark.position(text);
            let place = format!("{}:{}", position.line, position.column);
            format!("{place} {} ({})", remark.what, remark.effect)
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(
        remarks("a = \"x\"\n  / <any text> / <A>", Notation::Abnf),
        ["2:5 the prose `<any text>` (the language is another one)"]
    );
    assert_eq!(
        remarks(
            "a ::= (b - 'xy') (b - 'c'*) [a-z] - 'y'\nb ::= 'c'* [ vc: Unique ]",
            Notation::W3c
        ),
        [
            "1:10 what is taken away by `-` (the language is larger)",
            "1:21 what is taken away by `-` (the language is larger)",
            "2:12 the constraint `[vc: Unique]` (the language is larger)"
        ]
    );
    assert_eq!(
        remarks(
            "{\"<a>\": [[\"x\", {\"pre\": 1, \"prob\": null}]]}",
            Notation::Fuzzingbook
        ),
        ["1:24 the option `pre` (the language is larger)"]
    );
    assert_eq!(
        remarks("{\"<a>\": [[\"<b>\"]]}", Notation::GrammarMutator),
        ["1:11 `<b>` is not a name of the grammar, so it is text (the language is another one)"]
    );
    for case in CASES {
        let read = read(case.text, case.notation).unwrap();
        let larger = |effect| read.remarks.iter().filter(|it| it.effect == effect).count();
        let expected = match case.notation {
            Notation::W3c => (3, 0),
            Notation::Abnf if case.text.contains("prose") => (0, 1),
            Notation::GrammarMutator => (0, 1),
            _ => (0, 0),
        };
        assert_eq!(
            (larger(Effect::Larger), larger(Effect::Other)),
            expected,
            "{}: {:?}",
            case.notation,
            read.remarks
        );
    }
}

#[test]
fn errors_point_into_the_text() {
    use ErrorKind::*;
    let cases: &[(Notation, &str, ErrorKind, (u32, u32))] = &[
        (Notation::Abnf, "a = \"x\" /", EmptyAlternative, (1, 10)),
        (
            Notation::Abnf,
            "a = (\"x\"\nb = \"y\"",
            UnexpectedToken,
            (1, 5),
        ),
        (Notation::Abnf, "a = (\"x\"]", UnexpectedToken, (1, 9)),
        (Notation::Abnf, "a = \"x\" )", UnexpectedToken, (1, 9)),
        (Notation::Abnf, "a = 2*", UnexpectedToken, (1, 5)),
        (Notation::Abnf, "a = 2*3*\"x\"", RepeatedQuantifier, (1, 8)),
        (Notation::Abnf, "a = 3*2\"x\"", InvalidBounds, (1, 5)),
        (
            Notation::Abnf,
            "a = 99999999999\"x\"",
            InvalidBounds,
            (1, 5),
        ),
        (Notation::Abnf, "a = \"x\nb", Unterminated, (1, 5)),
        (Notation::Abnf, "a = <x", Unterminated, (1, 5)),
        (Notation::Abnf, "a = %x", UnexpectedCharacter, (1, 7)),
        (Notation::Abnf, "a = %y1", UnexpectedCharacter, (1, 6)),
        (Notation::Abnf, "a = %xD800.110000", InvalidEscape, (1, 5)),
        (Notation::Abnf, "a = %xD800-DFFF", InvalidRange, (1, 5)),
        (Notation::Abnf, "a = %x63-61", InvalidRange, (1, 5)),
        (
            Notation::Abnf,
            "a = \"x\"\nA = \"y\"",
            DuplicateProduction,
            (2, 1),
        ),
        (Notation::Abnf, "a = b", UndefinedNonterminal, (1, 5)),
        (Notation::Abnf, "a b = \"x\"", UnexpectedToken, (1, 1)),
        (Notation::Abnf, "a = \"x\" = \"y\"", UnexpectedToken, (1, 9)),
        (Notation::Abnf, "a = ?", UnexpectedCharacter, (1, 5)),
        (Notation::Abnf, "", NoProduction, (1, 1)),
        (
            Notation::W3c,
            "a ::= ('x'\nb ::= 'y'",
            UnexpectedToken,
            (1, 7),
        ),
        (Notation::W3c, "a ::= 'x')", UnexpectedToken, (1, 10)),
        (Notation::W3c, "a ::= *", UnexpectedToken, (1, 7)),
        (Notation::W3c, "a ::= 'x", Unterminated, (1, 7)),
        (Notation::W3c, "a ::= /* x", Unterminated, (1, 7)),
        (Notation::W3c, "a ::= [z-a]", InvalidRange, (1, 7)),
        (Notation::W3c, "a ::= []", EmptyClass, (1, 7)),
        (Notation::W3c, "a ::= #xD800", InvalidEscape, (1, 7)),
        (Notation::W3c, "a ::= 'x' -", UnexpectedToken, (1, 11)),
        (Notation::W3c, "a ::= - 'x'", UnexpectedToken, (1, 7)),
        (Notation::W3c, "a", UnexpectedToken, (1, 1)),
        (Notation::W3c, "a ::= b", UndefinedNonterminal, (1, 7)),
        (Notation::W3c, "a ::= %", UnexpectedCharacter, (1, 7)),
        (Notation::Tribble, "a = \"x\"", UnexpectedCharacter, (1, 8)),
        (Notation::Tribble, "a = | \"x\";", EmptyAlternative, (1, 5)),
        (
            Notation::Tribble,
            "a = (\"x\";",
            UnexpectedCharacter,
            (1, 9),
        ),
        (Notation::Tribble, "a = \"\\q\";", InvalidEscape, (1, 6)),
        (Notation::Tribble, "a = \"x\"{3,2};", InvalidBounds, (1, 8)),
        (
            Notation::Tribble,
            "a = \"x\" @@ 2;",
            InvalidProbability,
            (1, 12),
        ),
        (Notation::Tribble, "a = /x;", Unterminated, (1, 5)),
        (Notation::Tribble, "a = /*", Unterminated, (1, 5)),
        (Notation::Tribble, "a = ?;", UnexpectedToken, (1, 5)),
        (Notation::Tribble, "= \"x\";", UnexpectedCharacter, (1, 1)),
        (
            Notation::Fuzzingbook,
            "{\"<a>\": []}",
            UnexpectedToken,
            (1, 9),
        ),
        (
            Notation::Fuzzingbook,
            "{\"<a>\":\n [1]}",
            UnexpectedToken,
            (2, 3),
        ),
        (
            Notation::Fuzzingbook,
            "{\"<a>\":\n [\"x\",]}",
            UnexpectedToken,
            (2, 7),
        ),
        (
            Notation::Fuzzingbook,
            "{\"<a>\": [[\"x\"]]}",
            UnexpectedToken,
            (1, 10),
        ),
        (Notation::Fuzzingbook, "[]", UnexpectedToken, (1, 1)),
        (
            Notation::GrammarMutator,
            "{\"<a>\": [\"x\"]}",
            UnexpectedToken,
            (1, 10),
        ),
        (Notation::Nautilus, "[[\"A\"]]", UnexpectedToken, (1, 2)),
        (
            Notation::Nautilus,
            "[[\"A\", \"{B}\"]]",
            UndefinedNonterminal,
            (1, 8),
        ),
        (Notation::Nautilus, "[]", NoProduction, (1, 3)),
    ];
    for &(notation, text, kind, (line, column)) in cases {
        let error = grammar(text, notation).expect_err(text);
        assert_eq!(
            (error.kind(), error.line(), error.column()),
            (kind, line, column),
            "{notation}: {text}\n{error}"
        );
        assert!(!error.help().is_empty());
    }
}

#[test]
fn the_form_of_json_shows() {
    for (text, form) in [
        (" {\"<start>\": [\"[[\"]}", Notation::Fuzzingbook),
        ("{\"<start>\": [[\"x\", {}]]}", Notation::Fuzzingbook),
        ("{\"<start>\": [ [ \"x\" ] ]}", Notation::GrammarMutator),
        ("[[\"START\", \"x\"]]", Notation::Nautilus),
        (
            "{\"name\": \"x\", \"rules\": {\"a\": {\"type\": \"BLANK\"}}}",
            Notation::TreeSitter,
        ),
        ("{\"rules\": [[\"x\"]]}", Notation::GrammarMutator),
    ] {
        assert_eq!(Notation::of("g.json".as_ref(), text), form, "{text}");
    }
    for notation in Notation::ALL {
        assert_eq!(notation.name().parse(), Ok(notation));
    }
    let error = "yacc".parse::<Notation>().unwrap_err().to_string();
    assert!(error.ends_with("tree-sitter, pest, antlr"), "{error}");
}

#[test]
fn cut_and_garbled_texts_are_no_reason_to_panic() {
    let mut rng = Rng::new(4);
    for case in CASES {
        for notation in Notation::ALL {
            for (end, _) in case.text.char_indices() {
                let _ = grammar(&case.text[..end], notation);
            }
            for _ in 0..300 {
                let mut chars: Vec<char> = case.text.chars().collect();
                for _ in 0..=rng.below(4) {
                    let (at, from) = (rng.index(chars.len()), rng.index(chars.len()));
                    match rng.below(3) {
                        0 => chars[at] = chars[from],
                        1 => chars.insert(at, chars[from]),
                        _ => {
                            chars.remove(at);
                        }
                    }
                }
                let text: String = chars.into_iter().collect();
                let _ = grammar(&text, notation);
            }
        }
    }
    for _ in 0..2000 {
        let len = rng.below(40);
        let soup: String = (0..len).map(|_| char::from(rng.below(128) as u8)).collect();
        for notation in Notation::ALL {
            let _ = grammar(&soup, notation);
        }
    }
}

#[test]
fn nesting_has_no_limit() {
    const DEPTH: usize = 100_000;
    let nested = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    for (notation, text) in [
        (Notation::Abnf, format!("a = {}", nested("(", "\"x\"", ")"))),
        (Notation::Abnf, format!("a = {}", nested("[", "\"x\"", "]"))),
        (Notation::W3c, format!("a ::= {}", nested("(", "'x'", ")?"))),
        (
            Notation::Tribble,
            format!("a = {};", nested("(", "\"x\"", ")*")),
        ),
    ] {
        assert!(grammar(&text, notation).is_ok(), "{notation}");
    }
    for notation in [
        Notation::Fuzzingbook,
        Notation::GrammarMutator,
        Notation::Nautilus,
    ] {
        let text = format!("{{\"<a>\": {}}}", nested("[", "\"x\"", "]"));
        assert!(grammar(&text, notation).is_err(), "{notation}");
    }
    for sign in ["(", "[", "\"", "%x41", "<", "a = ", "{", "-", "|", "/*"] {
        for notation in Notation::ALL {
            assert!(grammar(&sign.repeat(DEPTH / 10), notation).is_err());
        }
    }
}

/// Reads the first of some files, and completes it from the others, which are called `1`, `2`.
fn several(texts: &[&str], notation: Notation) -> Result<(String, Vec<String>), String> {
    let mut files = Files::new(texts[0]);
    let others: Vec<(String, String)> = (1..)
        .zip(&texts[1..])
        .map(|(number, text)| (number.to_string(), (*text).to_owned()))
        .collect();
    let imported = read_several(&mut files, notation, &others, &mut |_| None)
        .map_err(|error| files.locate(error).to_string())?;
    let remarks = imported.remarks.iter().map(|remark| {
        let place = files.place(remark.span.range().start);
        let file = place.file.unwrap_or("0");
        format!("{file}:{}: {}", place.position.line, remark.what)
    });
    let remarks = remarks.collect();
    let grammar = pleach_core::Grammar::from_ast(&imported.ast, files.text());
    let grammar = grammar.map_err(|error| files.locate(error).to_string())?;
    assert!(grammar.warnings().is_empty(), "{texts:?}");
    Ok((grammar.to_string(), remarks))
}

#[test]
fn what_a_grammar_lacks_is_taken_from_other_files() {
    let cases: &[(Notation, &[&str], &str, &[&str])] = &[
        // Only what is needed, in order of use, whatever the case of names.
        (
            Notation::Abnf,
            &[
                "a = B-x \"!\" DIGIT\n",
                "unused = \"u\"\nb-X = c / d\nD = \"d\"\nDIGIT = \"0\"\n",
                "c = \"c\" [D] ; more\nb-x = \"other\"\n",
            ],
            "a := B-x \"!\" DIGIT;\nDIGIT := [0-9];\nB-x := c | D;\nc := [Cc] D?;\nD := [Dd];\n",
            &[],
        ),
        // Files may need one another; what the first one has counts.
        (
            Notation::W3c,
            &[
                "s ::= x",
                "x ::= y z",
                "y ::= z w\nz ::= 'z'",
                "w ::= s? 'w'\ns ::= 'no'",
            ],
            "s := x;\nx := y z;\ny := z w;\nz := \"z\";\nw := s? \"w\";\n",
            &[],
        ),
        // What was left out of rules that are not taken is of no account.
        (
            Notation::Abnf,
            &[
                "a = b",
                "c = <no rule>\nb = \"b\" / <also none>\nd = <nor this>\n",
            ],
            "a := b;\nb := [Bb] | ();\n",
            &["1:2: the prose"],
        ),
        (
            Notation::Pleach,
            &["s := a{2};", "a := 30% b | /x+/; token b := \"b\"i [0-9];"],
            "",
            &[],
        ),
    ];
    for &(notation, texts, expected, remarks) in cases {
        let (printed, found) = several(texts, notation).unwrap_or_else(|error| panic!("{error}"));
        if !expected.is_empty() {
            assert_eq!(printed, expected, "{texts:?}");
        }
        let is_like = |(found, remark): (&String, &&str)| found.starts_with(*remark);
        assert_eq!(found.len(), remarks.len(), "{found:?}");
        assert!(found.iter().zip(remarks).all(is_like), "{found:?}");
    }
}

#[test]
fn errors_in_other_files_point_into_those() {
    let cases: &[(&[&str], &str)] = &[
        (&["a = b\n", "b = \"b\"\n", "\nc = = \"c\"\n"], "2:2:5"),
        (&["a = b\n", "x = \"b\"\n\nb = nowhere\n"], "1:3:5"),
        (&["a = b\n", "b = \"b\"\nb = \"c\"\n"], "1:2:1"),
    ];
    for &(texts, place) in cases {
        let error = several(texts, Notation::Abnf).unwrap_err();
        assert!(error.contains(place), "{texts:?}\n{error}");
    }
}
