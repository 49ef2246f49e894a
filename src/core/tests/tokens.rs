//! Grammars with tokens, all the way: derivations to text and back.

use std::sync::Arc;

use crate::choice::{Codec, Lexemes, Scratch, SiteIndex};
use crate::grammar::Grammar;
use crate::graph::Graph;
use crate::parse::{Budget, Parser, Workspace};
use crate::rng::Rng;
use crate::slip::{self, Change, Slips, keep_variations, split};
use crate::tests::{graph, random_token_grammar};

/// Grammars whose texts can always be read back, and whether each text has a single derivation.
const GRAMMARS: &[(&str, bool)] = &[
    (
        "prog := (stmt \";\")+; stmt := \"let\"i Name \"=\" expr | \"if\" expr stmt | Name \"(\" (expr (\",\" expr)*)? \")\"; \
         expr := expr (\"+\" | \"-\" | \"--\") atom | atom; atom := Name | Number | String | \"(\" expr \")\"; \
         token Name := [a-z]+; token Number := [0-9]+ (\".\" [0-9]+)?; token String := \"'\" ([^'\\\\] | \"\\\\\" [n'\\\\])* \"'\"; \
         skip Space := [ \\t\\n]+; skip Comment := \"//\" [^\\n]* \"\\n\" | \"/*\" [^*]* \"*/\";",
        true,
    ),
    // Reserved words; nothing but line breaks separates.
    (
        "s := (w | \"int\" w)*; w := Name | \"int1\"; token(m) Name := [a-z] [a-z0-9]*; skip(m) Line := \"\\n\" | \"#\" [a-z]* \"\\n\";",
        false,
    ),
    // Tokens that the syntax writes as classes, beyond ASCII, and bytes that are no UTF-8.
    (
        "s := ([a-z] | Word | [é-ö] | Byte)+ \"é\"?; token Word := [a-zé]{2,3}; token Byte := [\\x80-\\xff]; skip Dot := \".\";",
        false,
    ),
    // Modes with tokens that would win anywhere else.
    (
        "doc := (Text | tag)*; tag := Open Name attribute* Close; attribute := Name Eq Value; token(tag) Eq := \"=\"; \
         token(text) Text := [^<]+; token(text) Open := \"<\"; token(tag) Name := [a-z]+; token(tag) Close := \">\"; \
         token(tag) Value := [0-9]+ | '\"' [^\"]* '\"'; skip(tag) Space := [ \\n]+;",
        false,
    ),
    // More tokens than a byte has codes.
    (
        "s := Name+ (A | B)?; A := \"a1\" | \"a2\"; B := Name \"b\"; token Name := [b-z] [b-z]*; skip S := \" \";",
        false,
    ),
];

/// The graphs of grammars with tokens.
pub(crate) fn token_grammars() -> Vec<Arc<Graph>> {
    GRAMMARS.iter().map(|(text, _)| graph(text)).collect()
}

#[test]
fn whatever_the_tokens_are_reading_and_rendering_agree() {
    let mut rng = Rng::new(7);
    let (mut grammars, mut read_back, mut all) = (0, 0, 0);
    while grammars < 60 {
        let Ok(grammar) = random_token_grammar(&mut rng).parse::<Grammar>() else {
            continue;
        };
        if !grammar.has_tokens() {
            continue;
        }
        grammars += 1;
        let graph = Graph::new(grammar).unwrap();
        let (codec, parser) = (Codec::new(&graph), Parser::new(&graph));
        for _ in 0..30 {
            let choices: Vec<u8> = (0..rng.below(30)).map(|_| rng.bits() as u8).collect();
            let sentence = codec.sentence(&choices);
            all += 1;
            // What skips too little reads differently, or not at all, and then is not a sentence.
            let budget = Budget {
                steps: 200_000,
                bytes: 64 << 20,
            };
            let mut workspace = Workspace::new();
            let mut found = Vec::new();
            let parsed = parser.parse(&sentence, budget, &mut workspace);
            if parsed
                .and_then(|mut forest| forest.choices(&mut found))
                .is_ok()
            {
                keep_variations(&codec, &mut found, &sentence);
                let (_, script) = split(&found);
                let text = slip::text(&codec, &found);
                read_back += 1;
                assert!(
                    text == sentence || script.len() > 2 || !scans_whole(&graph, &sentence),
                    "{}{:?}\n{:?}",
                    graph.grammar(),
                    String::from_utf8_lossy(&sentence),
                    String::from_utf8_lossy(&text)
                );
            }
            let soup: Vec<u8> = (0..rng.below(20))
                .map(|_| b"abcdef xA0:\n\xff\xc3"[rng.index(14)])
                .collect();
            let _ = parser.parse(&soup, budget, &mut workspace);
        }
    }
    assert!(read_back * 2 > all, "{read_back} of {all}");
}

/// A text, and its tokens or where it fails.
type Case = (&'static str, Result<&'static str, usize>);

/// Grammars in which the token before does not say what is expected, with texts and their tokens, or where they fail.
const EXPECTING: &[(&str, &[Case])] = &[
    (
        "s := v; v := o | t | N; o := \"{\" (p (\",\" p)*)? \"}\"; p := t \":\" v; t := '\"' (Content | \"\\\\n\")* '\"';
         token Content := [^\"\\\\\\n]+; token N := [0-9]+; skip Space := [ \\n]+;",
        &[
            ("{\"a\":1}", Ok("{ \" a \" : 1 }")),
            (" { \" a\" : \"b\\n:}\" , \"\":{} }\n", Ok("{ \"  a \" : \" b \\n :} \" , \" \" : { } }")),
            ("\"\"", Ok("\" \"")),
            ("{\"a\":1", Err(6)),
            ("{\"a\" x}", Err(5)),
            ("{\"a\"\"b\"}", Err(4)),
            ("{\"a\n\":1}", Ok("{ \" a \" : 1 }")),
        ],
    ),
    (
        // What is behind `x` depends on what stands before it.
        "s := \"(\" x \"+\" \"+\" x \")\" | \"[\" x \"++\" x \"]\"; x := \"x\"; skip Space := \" \";",
        &[
            ("(x++x)", Ok("( x + + x )")),
            ("[x++x]", Ok("[ x ++ x ]")),
            ("[x+ +x]", Err(2)),
            ("(x+x)", Err(3)),
        ],
    ),
    (
        // A mode competes where one of it is expected, whatever stood before.
        "s := \"q\" Name | \"<\" Text \">\" \"q\"; token(main) Name := [a-z]+; token(main) Number := [0-9]+;
         token Text := [a-z0-9]+; skip Space := \" \";",
        &[
            ("q ab", Ok("q ab")),
            ("q 1", Err(2)),
            ("<1a>q", Ok("< 1a > q")),
        ],
    ),
];

#[test]
fn a_text_is_cut_by_what_is_expected_at_each_place() {
    for &(grammar, cases) in EXPECTING {
        let graph = graph(grammar);
        let (codec, parser) = (Codec::new(&graph), Parser::new(&graph));
        for &(text, expected) in cases {
            let found = parser.encode(text.as_bytes());
            let found = match &found {
                Ok(choices) => Ok(tokens(&codec, choices)),
                Err(error) => Err(error.offset()),
            };
            let found = found.map(|tokens| {
                let tokens = tokens.iter().map(|it| String::from_utf8_lossy(it));
                tokens.collect::<Vec<_>>().join(" ")
            });
            assert_eq!(
                found.as_deref().map_err(|&offset| offset),
                expected,
                "{text}"
            );
        }
    }
}

#[test]
fn what_only_the_place_tells_apart_is_rendered_and_read() {
    let graph = graph(EXPECTING[0].0);
    let (codec, parser) = (Codec::new(&graph), Parser::new(&graph));
    let mut rng = Rng::new(5);
    let (mut index, mut lexemes) = (SiteIndex::new(), Lexemes::default());
    let (mut misread, mut with_strings) = (0, 0);
    for _ in 0..400 {
        let choices: Vec<u8> = (0..rng.below(40)).map(|_| rng.bits() as u8).collect();
        codec.index(&choices, &mut Scratch::default(), &mut index);
        let text = codec.text(&index, &mut lexemes).to_vec();
        let is_read = parser
            .encode(&text)
            .is_ok_and(|found| found == index.canonical());
        misread += u32::from(!is_read);
        with_strings += u32::from(text.contains(&b'"') && text.contains(&b':'));
    }
    assert!(with_strings > 50, "{with_strings}");
    // Text that begins with a separator beside other text is read together.
    assert!(misread < 80, "{misread}");
}

/// Whether nothing is skipped at the end of a text, which no derivation keeps.
fn scans_whole(graph: &Graph, text: &[u8]) -> bool {
    let mut lexemes = Vec::new();
    let lexicon = graph.lexicon().unwrap();
    lexicon.scan(text, &mut lexemes).is_ok()
        && lexemes.last().map_or(0, |last| last.end as usize) == text.len()
}

#[test]
fn what_is_rendered_reads_back() {
    for (at, &(text, is_unambiguous)) in GRAMMARS.iter().enumerate() {
        let grammar: Grammar = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let graph = Graph::new(grammar).unwrap();
        let (codec, parser) = (Codec::new(&graph), Parser::new(&graph));
        let mut rng = Rng::new(at as u64);
        let (mut same, mut workspace) = (0, Workspace::new());
        for round in 0..600 {
            let len = rng.below(if round < 300 { 12 } else { 90 });
            let choices: Vec<u8> = (0..len).map(|_| rng.bits() as u8).collect();
            let sentence = codec.sentence(&choices);
            let shown = String::from_utf8_lossy(&sentence);
            let mut forest = parser
                .parse(&sentence, Budget::default(), &mut workspace)
                .unwrap_or_else(|refusal| {
                    panic!("{shown:?}: {}", parser.explain(&sentence, refusal))
                });
            let mut found = Vec::new();
            forest.choices(&mut found).unwrap();
            assert!(!forest.derivations().unwrap().is_infinite());
            assert_eq!(codec.sentence(&found), sentence, "{shown:?}");
            assert_eq!(codec.canonicalize(&found), found, "{shown:?}");
            // What is read back is rendered and read as it is.
            assert_eq!(parser.encode(&sentence).unwrap(), found);
            let is_same = codec.canonicalize(&choices) == found;
            same += u32::from(is_same);
            if is_unambiguous && !is_same {
                // A token was spelled differently.
                let (old, new) = (tokens(&codec, &choices), tokens(&codec, &found));
                assert_eq!(old.len(), new.len(), "{shown:?}");
                assert!(old != new, "{shown:?}");
            }
        }
        assert!(same > 200, "{text}: {same}");
    }
}

/// The texts of the tokens of a derivation.
fn tokens(codec: &Codec, choices: &[u8]) -> Vec<Vec<u8>> {
    let mut index = SiteIndex::new();
    codec.index(choices, &mut Scratch::default(), &mut index);
    let mut lexemes = Lexemes::default();
    assert_eq!(codec.text(&index, &mut lexemes), codec.sentence(choices));
    let text = |&site: &u32| {
        let range = index.text_range(site);
        index.text()[range.start as usize..range.end as usize].to_vec()
    };
    lexemes.sites().iter().map(text).collect()
}

#[test]
fn the_first_variations_of_a_text_are_kept() {
    let (text, _) = GRAMMARS[0];
    let graph = graph(text);
    let (codec, parser) = (Codec::new(&graph), Parser::new(&graph));
    let cases = [
        // What is usual needs no trailer.
        ("let x=1;", true, "let x=1;"),
        ("  LET/**/x\n=\t'a;b' ;", false, "  LET/**/x\n=\t'a;b' ;"),
        ("if if(let x=1)let y=2;", false, ""),
        ("let x=1-\n-2;", false, ""),
        // Eight are kept, and what stands behind the last token is not.
        ("f ( a , b ) ; f ( a ) ; ", false, "f ( a , b ) ; f (a);"),
    ];
    for (text, is_usual, again) in cases {
        let Ok(mut input) = parser.encode(text.as_bytes()) else {
            assert_eq!(again, "", "{text}");
            continue;
        };
        let len = input.len();
        keep_variations(&codec, &mut input, text.as_bytes());
        assert_eq!(input.len() == len, is_usual, "{text}");
        let kept = slip::text(&codec, &input);
        assert_eq!(String::from_utf8(kept).unwrap(), again);
    }
}

#[test]
fn variations_that_do_not_hold_are_nothing() {
    let graph = graph("s := \"a\"i Name; token Name := [a-z]+; skip Space := \" \" | \"\\n\";");
    let codec = Codec::new(&graph);
    let mut index = SiteIndex::new();
    codec.index(&[1, 0], &mut Scratch::default(), &mut index);
    let mut lexemes = Lexemes::default();
    codec.text(&index, &mut lexemes);
    let [literal, name] = *lexemes.sites() else {
        panic!("two tokens");
    };
    let cases: &[(u32, Change<'_>, &str)] = &[
        (name, Change::Separator(b"\n \n"), "a\n \nb"),
        (name, Change::Separator(b"x"), "a b"),
        (name, Change::Separator(b" x"), "a b"),
        (literal, Change::Separator(b"\n"), "\na b"),
        // No name goes on from a large letter.
        (literal, Change::Spelling(b"A"), "Ab"),
        (literal, Change::Spelling(b"b"), "a b"),
        (literal, Change::Spelling(b"AA"), "a b"),
        (name, Change::Spelling(b"B"), "a b"),
        (0, Change::Separator(b"\n"), "a b"),
    ];
    for &(site, change, expected) in cases {
        let mut slips = Slips::new();
        assert!(slips.push(site, change) && slips.is_sentence() && !slips.is_empty());
        let mut text = Vec::new();
        slips.render(&codec, &index, &mut lexemes, &mut text);
        assert_eq!(String::from_utf8(text).unwrap(), expected, "{change:?}");
        let mut input = index.canonical().to_vec();
        slips.encode(&mut input);
        assert_eq!(slip::text(&codec, &input), expected.as_bytes());
    }
    // Slips are put into the text that was laid out.
    let mut slips = Slips::new();
    slips.push(name, Change::Raw(b"!"));
    slips.push(literal, Change::Double);
    let mut text = Vec::new();
    slips.render(&codec, &index, &mut lexemes, &mut text);
    assert_eq!(text, b"aa !");
    assert!(!slips.is_sentence());
}
