//! What becomes of ANTLR's grammars, each as pleach prints it. `UNIVERSE` stands for the class of all characters.

use super::super::{Files, Notation, read, read_with};
use super::sets;
use pleach_core::Grammar;
use pleach_core::grammar::ErrorKind;

/// Files by the names of their grammars, the first one to be read.
type Case<'t> = &'t [(&'t str, &'t str)];

fn load(case: Case<'_>) -> Result<(Grammar, Vec<String>), pleach_core::grammar::Error> {
    let mut files = Files::new(case[0].1);
    let mut load = |name: &str| {
        let found = case[1..].iter().find(|(it, _)| *it == name);
        found.map(|(name, text)| (format!("{name}.g4"), (*text).to_owned()))
    };
    let imported = read_with(&mut files, Notation::Antlr, &mut load);
    let imported = imported.map_err(|error| files.locate(error))?;
    let remarks = imported.remarks.iter().map(|remark| {
        let place = files.place(remark.span.range().start);
        let file = place.file.unwrap_or(case[0].0);
        format!(
            "{file}:{}: {} ({})",
            place.position.line, remark.what, remark.effect
        )
    });
    let remarks = remarks.collect();
    let grammar = Grammar::from_ast(&imported.ast, files.text());
    Ok((grammar.map_err(|error| files.locate(error))?, remarks))
}

/// What is printed, without the mode where it is the usual one.
fn printed(grammar: &Grammar) -> String {
    let universe = sets::class(&sets::universe()).unwrap().to_string();
    let text = grammar.to_string().replace("(DEFAULT_MODE)", "");
    text.replace(&universe, "UNIVERSE")
}

fn check(case: Case<'_>, expected: &str, remarks: &[&str]) {
    let (grammar, found) = load(case).unwrap_or_else(|error| panic!("{}\n{error}", case[0].1));
    assert_eq!(printed(&grammar), expected, "{}", case[0].1);
    assert_eq!(found, remarks, "{}", case[0].1);
}

#[test]
fn texts_of_rules_that_are_not_reached_are_tokens_all_the_same() {
    check(
        &[(
            "A",
            "grammar A; a : C+ '!' EOF ; b : '(' c '!' ; c : ')' b D '(' ; C : [!-z] ; D : 'd' ;",
        )],
        "a := C+ \"!\";\ntoken unused_text := \"(\";\ntoken unused_text_2 := \")\";\ntoken C := [!-z];\ntoken D := \"d\";\n",
        &[],
    );
}

#[test]
fn a_grammar_becomes_syntax_and_tokens() {
    check(
        &[(
            "J",
            "/** A */ grammar J; // b\n@header { package a; /* } */ String s = \"}\"; char c = '}'; }\n\
             json locals [int i] @init { i = 0; } : value EOF ;\n\
             value : '{' '}' # Empty | x+=pair[1, \"]\"] ys=(',' pair)* {f();} | <assoc=right> value '^' value | STR ;\n\
             catch [E e] { } finally { }\n\
             pair returns [int n] throws A, b.C : STR ':' v=value ; STR : '\"' (ESC | [^\"\\\\\\u0000-\\u001F\\-\\]])* '\"' ;\n\
             fragment ESC : '\\\\' ([\"\\\\/bn] | 'u' HEX HEX) ; fragment HEX : 'a'..'f' | [0-9] ; WS : [ \\t\\n]+ -> skip ;",
        )],
        "json := value;\nvalue := \"{\" \"}\" | pair (\",\" pair)* | value \"^\" value | STR;\npair := STR \":\" value;\n\
         token STR := \"\\\"\" (ESC | [\\x00-\\x1f\"\\-\\\\-\\^])* \"\\\"\";\nESC := \"\\\\\" ([\"/\\\\bn] | \"u\" HEX HEX);\nHEX := [a-f] | [0-9];\nskip WS := [\\t\\n ]+;\n",
        &[],
    );
}

#[test]
fn a_literal_of_the_syntax_is_the_token_that_is_spelled_so() {
    check(
        &[(
            "A",
            "grammar A; a : 'if' '+' 'x' ; IF : 'if' ; ID : [a-z]+ ;",
        )],
        "a := IF \"+\" \"x\";\ntoken IF := \"if\";\ntoken ID := [a-z]+;\n",
        &[],
    );
}

#[test]
fn letters_in_either_case_are_joined() {
    check(
        &[(
            "A",
            "grammar A; a : SEL ONE ; SEL : S E L E '_' [tT] ; ONE : E [0-9] ;\n\
             fragment S : 's' | 'S' ; fragment E : [eE] ; fragment L : ('l'|'L') ;",
        )],
        "a := SEL ONE;\ntoken SEL := \"sele_t\"i;\ntoken ONE := E [0-9];\nE := [Ee];\n",
        &[],
    );
    check(
        &[(
            "A",
            "grammar A; options { caseInsensitive = true; } a : 'und' '1' B C ; B : 'öl' [x-z] ; C options { caseInsensitive=false; } : 'c' ;",
        )],
        "a := \"und\"i \"1\" B C;\ntoken B := [Öö] \"l\"i [X-Zx-z];\ntoken C := \"c\";\n",
        &[],
    );
}

#[test]
fn loops_that_are_not_greedy_end_where_they_can() {
    for (rule, expected) in [
        ("'(' [a-z)]*? ')'", "\"(\" [a-z]* \")\""),
        (
            "'/*' [a*/]*? '*/'",
            "\"/*\" ([/a] | \"*\"+ \"a\")* \"*\"+ \"/\"",
        ),
        ("'x' [a-z]*?", "\"x\""),
        ("'x' 'y'??", "\"x\""),
        ("'x' [a-z]+?", "\"x\" [a-z]"),
        ("'<' C '>' ; fragment C : [a>]+?", "\"<\" [>a] \"a\"* \">\""),
        (
            "'\"' ('\\\\' [a\"] | 'a')*? '\"'",
            "\"\\\"\" (\"a\" | \"\\\\\" [\"a])* \"\\\"\"",
        ),
    ] {
        let text = format!("grammar A; a : B ; B : {rule} ;");
        let expected = format!("a := B;\ntoken B := {expected};\n");
        check(&[("A", &text)], &expected, &[]);
    }
}

#[test]
fn what_contains_itself_does_so_a_few_times() {
    check(
        &[(
            "A",
            "grammar A; a : 'x' ; C : '(*' (C | [a(*)])*? '*)' -> skip ;",
        )],
        "a := \"x\";\n\
         skip C := \"(*\" (\"(\"* ([)a] | C_2) | \"*\"+ (\"a\" | C_2 | \"(\"+ ([)a] | C_2)))* \"*\"+ \")\";\n\
         C_2 := \"(*\" ([()a] | \"*\"+ [(a])* \"*\"+ \")\";\n",
        &["A:1: what `C` has of itself beyond a depth of 1 (the language is smaller)"],
    );
    check(
        &[(
            "A",
            "grammar A; a : B ; B : 'x' C | 'y' ; fragment C : B 'z' ;",
        )],
        "a := B;\ntoken B := \"x\" C | \"y\";\nB_2 := \"x\" C_2 | \"y\";\nB_3 := \"x\" C_3 | \"y\";\nB_4 := \"y\";\n\
         C := B_2 \"z\";\nC_2 := B_3 \"z\";\nC_3 := B_4 \"z\";\n",
        &["A:1: what `B` has of itself beyond a depth of 3 (the language is smaller)"],
    );
}

#[test]
fn tokens_of_a_type_and_of_modes_keep_their_places() {
    check(
        &[
            (
                "P",
                "parser grammar P; options { tokenVocab = L; } a : '<' ID STR ~ID . ;",
            ),
            (
                "L",
                "lexer grammar L; tokens { STR } channels { C }\nLT : '<' -> pushMode(IN) ; Q : '\"' -> more, mode(S) ;\n\
                 mode IN; ID : [a-z]+ ; GT : '>' -> popMode ; X : 'x' -> type(ID) ; W : ' ' -> channel(C) ;\n\
                 mode S; E : '\\\\' [a\"] -> more ; END : '\"' -> type(STR), mode(DEFAULT_MODE) ; T : [a-z\\\\] -> more ;",
            ),
        ],
        "a := LT ID STR not_ID any_token;\n\
         ID := ID_2 | X;\nany_token := LT | STR | ID | GT;\nnot_ID := LT | STR | GT;\n\
         token LT := \"<\";\ntoken STR := Q ([a-z] | \"\\\\\" [\"a])* \"\\\"\";\nQ := \"\\\"\";\n\
         token(IN) ID_2 := [a-z]+;\ntoken(IN) GT := \">\";\ntoken(IN) X := \"x\";\nskip(IN) W := \" \";\n",
        &[
            "L.g4:3: the modes of the lexer: a token is read where it is expected (the language is another one)",
        ],
    );
}

#[test]
fn what_no_lexer_hands_over_derives_nothing() {
    check(
        &[(
            "A",
            "grammar A; tokens { INDENT }\na : 'x' WS? ('y' | INDENT 'z' | UNKNOWN) ; WS : ' ' -> skip ;",
        )],
        "a := \"x\" \"y\";\nskip WS_2 := \" \";\n",
        &[
            "A:1: the token `INDENT`, which no rule makes (the language is smaller)",
            "A:2: the token `UNKNOWN`, which no rule makes (the language is smaller)",
        ],
    );
}

#[test]
fn what_a_token_is_at_the_beginning_of_the_input_only_is_left_out() {
    check(
        &[(
            "A",
            "grammar A; s : B? (X NL)* ;\nNL : ({this.atStartOfInput()}? SP | '\\n' SP?) {f();} ;\n\
             B : {this.IsStartOfFile()}? '#!' ;\n\
             X : {!this.IsStartOfInput()}? 'x' | 'y' ;\nfragment SP : ' '+ ; WS : SP -> skip ;",
        )],
        "s := B? (X NL)*;\ntoken NL := \"\\n\" SP?;\ntoken B := \"#!\";\ntoken X := \"x\" | \"y\";\nSP := \" \"+;\nskip WS := SP;\n",
        &[
            "A:2: what `NL` is at the beginning of the input only (the language is smaller)",
            "A:3: a predicate (the language is larger)",
            "A:4: a predicate (the language is larger)",
        ],
    );
}

#[test]
fn tokens_that_nothing_refers_to_are_reserved() {
    let (grammar, remarks) = load(&[(
        "A",
        "grammar A; s : ID '=' ID ; LET : 'let' ; ID : [a-z]+ ;",
    )])
    .unwrap();
    assert_eq!(
        printed(&grammar),
        "s := ID \"=\" ID;\ntoken LET := \"let\";\ntoken ID := [a-z]+;\n"
    );
    assert!(remarks.is_empty());
    let parser = pleach_core::Parser::new(&pleach_core::Graph::new(grammar).unwrap());
    for (text, is_sentence) in [
        ("a=b", true),
        ("lets=b", true),
        ("let=b", false),
        ("a=let", false),
    ] {
        assert_eq!(
            parser.encode(text.as_bytes()).is_ok(),
            is_sentence,
            "{text}"
        );
    }
    // With modes, they are left out, with a warning.
    let (grammar, _) = load(&[(
        "A",
        "grammar A; s : ID '=' ID ; LET : 'let' ; ID : [a-z]+ ; mode M; OTHER : 'o' ;",
    )])
    .unwrap();
    let warned: Vec<&str> = grammar
        .warnings()
        .iter()
        .map(|it| &*it.production)
        .collect();
    assert_eq!(warned, ["LET", "OTHER"]);
}

#[test]
fn predicates_and_the_end_of_the_file_are_remarked() {
    check(
        &[(
            "A",
            "grammar A; options { superClass = Base; }\na : b* c EOF ;\nb : {p(\"}\")}? 'x' end | {q()}?<fail='no'> 'y' EOF ;\n\
             end : ';' | EOF ; c : 'z' EOF? (EOF | 'w') {}? ;\nD : '.' EOF | 'd' ; E : 'e' ('f' | EOF) ; F : [g]* ; G : EOF ;",
        )],
        "a := b* c;\nb := \"x\" end | \"y\";\nend := \";\";\nc := \"z\" (() | \"w\");\n",
        &[
            "A:1: the class `Base`, whose code may change what is read (the language is another one)",
            "A:3: a predicate (the language is larger)",
            "A:3: a predicate (the language is larger)",
            "A:3: the end of the file behind `b` (the language is larger)",
            "A:4: the end of the file as the end of `end` (the language is smaller)",
            "A:4: a predicate (the language is larger)",
            "A:5: the end of the file as the end of `D` (the language is smaller)",
            "A:5: that the token `G` may be empty (the language is smaller)",
        ],
    );
}

#[test]
fn empty_tokens_become_longer() {
    check(
        &[(
            "A",
            "grammar A; a : N ; N : S 'a'? ('b' | C)* ; fragment S : '-'? ; fragment C : 'c'* ;",
        )],
        "a := N;\ntoken N := S_2 \"a\"? (\"b\" | C)* | \"a\" (\"b\" | C)* | (\"b\" | C_2)+;\n\
         S_2 := \"-\";\nC := \"c\"*;\nC_2 := \"c\"+;\n",
        &[],
    );
}

#[test]
fn files_are_found_by_their_grammars() {
    // Rules of what imports go first, and a lexer is found by the parser's name.
    check(
        &[
            ("XParser", "parser grammar XParser; import B, C; a : b A ;"),
            ("B", "parser grammar B; import C; b : c ; a : A A ;"),
            ("C", "parser grammar C; c : A ; d : A ;"),
            ("XLexer", "lexer grammar XLexer; A : 'a' ;"),
        ],
        "a := b A;\nb := c;\nc := A;\ntoken A := \"a\";\n",
        &[],
    );
    // A lexer alone is any of its tokens.
    check(
        &[(
            "L",
            "lexer grammar L; A : 'a' ; B : 'b' -> skip ; fragment C : 'c' ;",
        )],
        "L := A*;\ntoken A := \"a\";\nskip B := \"b\";\n",
        &[],
    );
}

#[test]
fn the_start_is_a_rule_that_nothing_refers_to() {
    for (rules, start) in [
        ("a : 'x' ; b : a ;", "b"),
        ("a : 'x' | a 'y' ; ", "a"),
        ("a : b | 'x' ; b : a ;", "a"),
        ("a : 'x' ; b : a ; c : a EOF ;", "c"),
    ] {
        let text = format!("grammar A; {rules}");
        let (grammar, _) = load(&[("A", &text)]).unwrap();
        assert_eq!(&*grammar[grammar.start()].name, start, "{rules}");
    }
}

#[test]
fn sets_are_what_they_say() {
    for (set, expected) in [
        (
            "[\\u0041-\\u{43}\\n\\r\\t\\b\\f\\\\]",
            "[\\x08-\\n\\x0c\\rA-C\\\\]",
        ),
        ("[a\\-\\]z-]", "[\\-\\]az]"),
        ("[-a]", "[\\-a]"),
        ("[\\p{Lu}\\P{L}&&]", ""),
        ("[\\uD83D\\uDE00\\uD800-\\uDBFF]", "\"😀\""),
        ("~('a'..'z' | '\\u0000')", ""),
        ("~[\\u0000-\\uFFFF\\u{1F600}]", "[^\\x00-\\u{ffff}😀]"),
        ("'\\uD83D\\uDE00\\'\\x'", "\"😀'x\""),
        (".", "UNIVERSE"),
    ] {
        let text = format!("grammar A; a : B ; B : {set} ;");
        let (grammar, remarks) = load(&[("A", &text)]).unwrap_or_else(|it| panic!("{it}"));
        assert!(remarks.is_empty(), "{remarks:?}");
        if !expected.is_empty() {
            let expected = expected.replace("[😀]", "\"😀\"");
            let printed = printed(&grammar).replace("[😀]", "\"😀\"");
            assert_eq!(
                printed,
                format!("a := B;\ntoken B := {expected};\n"),
                "{set}"
            );
        }
    }
    let (_, remarks) = load(&[("A", "grammar A; a : B ; B : [a\\p{Nonsense}] ;")]).unwrap();
    assert_eq!(
        remarks,
        ["A:1: the characters with the property `Nonsense` (the language is smaller)"]
    );
}

#[test]
fn errors_point_into_the_file_that_is_wrong() {
    use ErrorKind::*;
    let cases: &[(&str, ErrorKind, (u32, u32))] = &[
        ("", UnexpectedCharacter, (1, 1)),
        ("grammar A", UnexpectedCharacter, (1, 10)),
        ("grammar A; a : 'x'", UnexpectedCharacter, (1, 19)),
        ("grammar A; a : ('x' ;", UnexpectedCharacter, (1, 21)),
        ("grammar A; a : 'x' ) ;", UnexpectedCharacter, (1, 20)),
        ("grammar A; a : ~~'x' ;", UnexpectedToken, (1, 17)),
        ("grammar A; a : 'x ;\n", Unterminated, (1, 16)),
        ("grammar A; a : b ;", UndefinedNonterminal, (1, 16)),
        (
            "grammar A; a : 'x' ; a : 'y' ;",
            DuplicateProduction,
            (1, 22),
        ),
        ("grammar A; a : B ; B : [z-a] ;", InvalidRange, (1, 27)),
        ("grammar A; a : B ; B : 'ab'..'c' ;", InvalidRange, (1, 24)),
        ("grammar A; a : B ; B : [] ;", EmptyClass, (1, 24)),
        ("grammar A; a : B ; B : [a ;", Unterminated, (1, 24)),
        ("grammar A; a : B ; B : '\\u12' ;", InvalidEscape, (1, 25)),
        (
            "grammar A; a : B ; B : 'x' -> more(a ;",
            UnexpectedCharacter,
            (1, 38),
        ),
        (
            "grammar A; a : B ; B : 'x' -> go ;",
            UnexpectedToken,
            (1, 31),
        ),
        (
            "grammar A; a : B ; B : ('x' -> skip) ;",
            UnexpectedToken,
            (1, 29),
        ),
        ("grammar A; a : {x ;", Unterminated, (1, 16)),
        ("grammar A; a : 'x' /* ;", Unterminated, (1, 20)),
        ("grammar A; import B; a : 'x' ;", MissingFile, (1, 19)),
        ("parser grammar AParser; a : B ;", MissingFile, (1, 16)),
        (
            "grammar A; a : B ; tokens { B }",
            UnproductiveStart,
            (1, 12),
        ),
        (
            "grammar A; options { x = 1 } a : B ;",
            UnexpectedCharacter,
            (1, 28),
        ),
    ];
    for &(text, kind, (line, column)) in cases {
        let error = load(&[("A", text)]).map(|_| text).expect_err(text);
        assert_eq!(
            (error.kind(), error.line(), error.column()),
            (kind, line, column),
            "{text}\n{error}"
        );
        assert!(!error.help().is_empty());
    }
    let error = load(&[
        (
            "P",
            "parser grammar P; options { tokenVocab = L; }\na : B ;\n",
        ),
        ("L", "lexer grammar L;\nB : C ;\n"),
    ]);
    let error = error.unwrap_err();
    assert_eq!(
        (error.path(), error.line(), error.column()),
        (Some("L.g4"), 2, 5)
    );
}

#[test]
fn nesting_and_length_have_no_limit() {
    const DEPTH: usize = 20_000;
    let nested = |open: &str, inside: &str, close: &str| {
        format!("{}{inside}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    for body in [
        format!("a : {} ;", nested("(", "'x'", ")?")),
        format!("a : {} ;", nested("('y' | ", "'x'", ")*")),
        format!("a : B ; B : {} ;", nested("(", "'x'", ")+")),
        format!("a : B ; B : {} ;", nested("(", "'x'", ")*?")),
        format!("a : B ; B : {} ;", nested("('y'? ", "'x'?", ")?")),
        format!("a : 'x' {{{}}} ;", nested("{", "", "}")),
    ] {
        let result = read(&format!("grammar A; {body}"), Notation::Antlr);
        let imported = result.unwrap_or_else(|error| panic!("{error}"));
        let _ = Grammar::from_ast(&imported.ast, "");
    }
    let chain = |from: &str, more: &str| {
        let rules = (0..DEPTH).map(|at| format!("{from}{at} : {from}{} {more} ;\n", at + 1));
        let rules: String = rules.collect();
        format!("grammar A; a : {from}0 ; {rules} {from}{DEPTH} : 'x' ;")
    };
    for text in [chain("b", "'y'?"), chain("B", ""), chain("B", "[z]*?")] {
        let imported = read(&text, Notation::Antlr).unwrap();
        let _ = Grammar::from_ast(&imported.ast, &text);
    }
    for sign in [
        "(",
        "~",
        "[",
        "{",
        "'",
        "|",
        "grammar A; a : (",
        "<",
        "@a",
        "A : ",
    ] {
        assert!(read(&sign.repeat(DEPTH), Notation::Antlr).is_err());
        let text = format!("grammar A; a : {}", sign.repeat(DEPTH));
        assert!(read(&text, Notation::Antlr).is_err(), "{sign}");
    }
}

#[test]
fn cut_and_garbled_texts_are_no_reason_to_panic() {
    let text = "lexer grammar A; tokens{B} options { caseInsensitive=true; }\nS : '\"' (~[\"\\\\] | E)*? '\"' -> more, mode(M) ;\n\
                fragment E : '\\\\' . | S ; mode M ; T : S? EOF -> type(B) ; U : \\p ; W : [a-z\\p{Lu}\\u{61}]+? ~W -> skip ;";
    let other = "grammar A; import B; @x::y {} a[int x] returns [y] : b=a? {p}? ~'c' | . # L ; C : ('a'..'b' | ~[x])* ;";
    let mut rng = pleach_core::rng::Rng::new(11);
    for text in [text, other] {
        for _ in 0..3000 {
            let mut chars: Vec<char> = text.chars().collect();
            for _ in 0..=rng.below(5) {
                let (at, from) = (rng.index(chars.len()), rng.index(chars.len()));
                match rng.below(4) {
                    0 => chars[at] = chars[from],
                    1 => chars.insert(at, chars[from]),
                    2 => chars.truncate(at.max(1)),
                    _ => {
                        chars.remove(at);
                    }
                }
                if chars.is_empty() {
                    chars.push('a');
                }
            }
            let text: String = chars.into_iter().collect();
            if let Ok(imported) = read(&text, Notation::Antlr) {
                let _ = Grammar::from_ast(&imported.ast, &text);
            }
        }
    }
}
