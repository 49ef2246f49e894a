//! Grammars in small, each with what it becomes and what is left out.

use super::pattern::{translate, word};
use crate::{Effect, Notation, read};
use pleach_core::grammar::ErrorKind;
use pleach_core::parse::{Budget, Workspace};
use pleach_core::rng::Rng;
use pleach_core::{Grammar, Graph, Parser};

/// The grammar of some rules, with spaces between tokens and `rest` among the members behind them.
fn text(rules: &str, rest: &str) -> String {
    format!(
        r#"{{"name": "x", "rules": {{{rules}}}, "extras": [{{"type": "PATTERN", "value": " "}}]{rest}}}"#
    )
}

/// The grammar as it is printed, and its remarks without their places.
fn printed(text: &str) -> (String, Vec<String>) {
    let imported = read(text, Notation::TreeSitter).unwrap_or_else(|error| panic!("{error}"));
    let grammar = Grammar::from_ast(&imported.ast, text).unwrap_or_else(|error| panic!("{error}"));
    let remarks = imported.remarks.iter();
    let remarks = remarks.map(|it| format!("{} ({:?})", it.what, it.effect));
    (grammar.to_string(), remarks.collect())
}

/// Everything that a rule can be made of.
const PARTS: &str = r#"
"start": {"type": "SEQ", "members": [
  {"type": "FIELD", "name": "f", "content": {"type": "STRING", "value": "é\n"}},
  {"type": "CHOICE", "members": [{"type": "SYMBOL", "name": "number"}, {"type": "BLANK"}]},
  {"type": "REPEAT", "content": {"type": "PREC_LEFT", "value": "name", "content": {"type": "CHOICE", "members": [
    {"type": "STRING", "value": "a"}, {"type": "ALIAS", "content": {"type": "SYMBOL", "name": "_b"}, "named": true, "value": "c"}]}}},
  {"type": "REPEAT1", "content": {"type": "RESERVED", "context_name": "r", "content": {"type": "PATTERN", "value": "x+"}}},
  {"type": "PATTERN", "value": "x+"},
  {"type": "PATTERN", "value": "select", "flags": "i"},
  {"type": "TOKEN", "content": {"type": "SEQ", "members": [{"type": "STRING", "value": "0"}, {"type": "PATTERN", "value": "[1-9]\\d*"}]}}
]},
"number": {"type": "TOKEN", "content": {"type": "PREC", "value": 2, "content": {"type": "PATTERN", "value": "\\d+"}}},
"_b": {"type": "PREC_DYNAMIC", "value": 1, "content": {"type": "STRING", "value": "b"}}"#;

#[test]
fn rules_become_syntax_and_tokens() {
    let (grammar, remarks) = printed(&text(PARTS, ""));
    assert_eq!(
        grammar,
        "start := \"é\\n\" number? (\"a\" | _b)* start_token+ start_token \"select\"i start_token_2;\n\
         _b := \"b\";\n\
         token number := [0-9]+;\n\
         token start_token := \"x\"+;\n\
         token start_token_2 := \"0\" [1-9] [0-9]*;\n\
         skip extra := \" \";\n"
    );
    assert_eq!(
        remarks,
        ["the precedence of the token `number` over longer ones (Other)"]
    );
}

#[test]
fn a_rule_of_immediate_tokens_is_one_token() {
    let string = |close: &str| {
        text(
            &format!(
                r#""start": {{"type": "REPEAT", "content": {{"type": "SYMBOL", "name": "string"}}}},
"string": {{"type": "SEQ", "members": [{{"type": "STRING", "value": "'"}},
  {{"type": "REPEAT", "content": {{"type": "SYMBOL", "name": "content"}}}}, {close}]}},
"content": {{"type": "CHOICE", "members": [{{"type": "IMMEDIATE_TOKEN", "content": {{"type": "PATTERN", "value": "[^'\\\\]+"}}}},
  {{"type": "IMMEDIATE_TOKEN", "content": {{"type": "STRING", "value": "\\'"}}}}]}}"#
            ),
            "",
        )
    };
    let immediate =
        string(r#"{"type": "IMMEDIATE_TOKEN", "content": {"type": "STRING", "value": "'"}}"#);
    let (grammar, remarks) = printed(&immediate);
    assert_eq!(
        grammar,
        "start := string*;\ntoken string := \"'\" content* \"'\";\ncontent := [^\\x00'\\\\]+ | \"\\\\'\";\nskip extra := \" \";\n"
    );
    assert_eq!(remarks, [""; 0]);
    let (grammar, remarks) = printed(&string(r#"{"type": "STRING", "value": "'"}"#));
    assert!(
        grammar.contains("\nstring := \"'\" content* \"'\";\n"),
        "{grammar}"
    );
    assert_eq!(
        remarks,
        [
            "that nothing may be skipped before `content_token` (Larger)",
            "that nothing may be skipped before `\\'` (Larger)"
        ]
    );
    // Where nothing is skipped, every token is immediate.
    let (_, remarks) = printed(&immediate.replace("\"extras\"", "\"conflicts\""));
    assert_eq!(remarks, [""; 0]);
}

#[test]
fn what_needs_the_scanner_is_left_out() {
    let rules = r#""start": {"type": "CHOICE", "members": [{"type": "SYMBOL", "name": "block"},
  {"type": "SEQ", "members": [{"type": "STRING", "value": "a"}, {"type": "REPEAT", "content": {"type": "SYMBOL", "name": "_end"}}]},
  {"type": "SYMBOL", "name": "both"}]},
"block": {"type": "SEQ", "members": [{"type": "STRING", "value": "b"}, {"type": "SYMBOL", "name": "_end"}]},
"both": {"type": "STRING", "value": "c"}"#;
    let rest = r#", "word": "both", "externals": [{"type": "SYMBOL", "name": "_end"}, {"type": "SYMBOL", "name": "both"},
  {"type": "SYMBOL", "name": "unused"}, {"type": "STRING", "value": "d"}], "reserved": {"global": [{"type": "STRING", "value": "e"}]}, "new": 1"#;
    let (grammar, remarks) = printed(&text(rules, rest));
    assert_eq!(
        grammar,
        "start := \"a\" | both;\nboth := \"c\";\nskip extra := \" \";\n"
    );
    assert_eq!(
        remarks,
        [
            "`block`, which cannot do without an external (Smaller)",
            "`word`: that a keyword ends where a word does (Larger)",
            "the external `_end`; give it a rule in `rules` to have it (Smaller)",
            "the scanner of `both`, for which a rule stands (Other)",
            "the reserved words (Larger)",
            "`new` (Other)"
        ]
    );
}

/// By grammar and name of something that its scanner reads: texts that it is, and texts that it is not.
const SCANNED: [(&str, &str, &[&str], &[&str]); 23] = [
    ("javascript", "_automatic_semicolon", &[""], &[";"]),
    (
        "typescript",
        "_function_signature_automatic_semicolon",
        &[""],
        &[";"],
    ),
    (
        "tsx",
        "_template_chars",
        &["a\n'\"", "$a", "{}"],
        &["", "`", "${", "a${b", "\\"],
    ),
    ("javascript", "_ternary_qmark", &["?"], &["", "??", "?."]),
    (
        "javascript",
        "jsx_text",
        &["a", "a b\n'"],
        &["", "<", "a{", "&amp;"],
    ),
    ("css", "_descendant_operator", &[""], &[">"]),
    ("scss", "_pseudo_class_selector_colon", &[":"], &["::"]),
    ("rust", "string_content", &["a\n'"], &["", "\"", "\\n"]),
    ("rust", "string_close", &["\""], &["", "'"]),
    (
        "rust",
        "float_literal",
        &["1.5", "1_0.2e-3f64", "1e5", "2E+1_0f32"],
        &["1", "1.", ".5", "1f", "1.e", "1..2"],
    ),
    ("bash", "variable_name", &["a", "_B1"], &["", "1a", "a-b"]),
    ("bash", "file_descriptor", &["2", "10"], &["", "a"]),
    (
        "bash",
        "test_operator",
        &["-f", "-nt", "==", "!=", "<"],
        &["-", "f", "==="],
    ),
    ("bash", "regex", &["^a+", "x"], &["", "a b", "\"a\""]),
    ("bash", "_bare_dollar", &["$"], &["", "$$"]),
    ("bash", "_brace_start", &["{"], &["", "{{"]),
    ("bash", "_concat", &[""], &["a"]),
    ("bash", "_empty_value", &[""], &["a"]),
    ("bash", "_external_expansion_sym_hash", &["#"], &["", "##"]),
    ("bash", "_external_expansion_sym_bang", &["!"], &["", "!!"]),
    ("bash", "_immediate_double_hash", &["##"], &["", "#"]),
    (
        "rust",
        "raw_string_literal",
        &["r\"\"", "br#\"a\"b\"#", "r##\"\"#\"\"##"],
        &["r\"", "\"a\"", "r#\"\"", "r\"a\"b\""],
    ),
    (
        "rust",
        "block_comment",
        &["/**/", "/* a * / ***/"],
        &["/*/", "/* */ */", "//"],
    ),
];

#[test]
fn what_a_known_scanner_reads_has_a_pattern() {
    for (grammar, name, accepted, refused) in SCANNED {
        let within = match name {
            "raw_string_literal" => "_raw_string_literal_start",
            "block_comment" => "_block_comment_content",
            _ => name,
        };
        let rule = match within == name {
            true => String::new(),
            false => format!(r#", "{name}": {{"type": "SYMBOL", "name": "{within}"}}"#),
        };
        let text = format!(
            r#"{{"name": "{grammar}", "rules": {{"start": {{"type": "SYMBOL", "name": "{name}"}}{rule}}},
            "externals": [{{"type": "SYMBOL", "name": "{within}"}}]}}"#
        );
        let imported = read(&text, Notation::TreeSitter).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(imported.remarks.len(), 1, "{:?}", imported.remarks);
        assert!(
            imported.remarks[0].what.starts_with("the scanner "),
            "{:?}",
            imported.remarks
        );
        assert_eq!(imported.remarks[0].effect, Effect::Other);
        let read =
            Grammar::from_ast(&imported.ast, &text).unwrap_or_else(|error| panic!("{error}"));
        let parser = Parser::new(&Graph::new(read).unwrap());
        let is_read = |text: &str| {
            let budget = Budget::default();
            parser
                .parse(text.as_bytes(), budget, &mut Workspace::new())
                .is_ok()
        };
        for text in accepted {
            assert!(is_read(text), "{grammar} {name} {text:?}");
        }
        for text in refused {
            assert!(!is_read(text), "{grammar} {name} {text:?}");
        }
    }
}

#[test]
fn a_rule_of_the_grammar_is_preferred_to_a_known_pattern() {
    let of = |name: &str, rules: &str| {
        let text = format!(
            r#"{{"name": "{name}", "rules": {{"start": {{"type": "SYMBOL", "name": "string_close"}}{rules}}},
            "externals": [{{"type": "SYMBOL", "name": "string_close"}}]}}"#
        );
        let grammar = read(&text, Notation::TreeSitter).map(|it| Grammar::from_ast(&it.ast, &text));
        grammar.map(|it| it.map_or_else(|error| error.to_string(), |it| it.to_string()))
    };
    let own = r#", "string_close": {"type": "STRING", "value": "'"}"#;
    assert_eq!(
        of("rust", own).unwrap(),
        "start := string_close;\nstring_close := \"'\";\n"
    );
    assert_eq!(
        of("rust", "").unwrap(),
        "start := string_close;\ntoken string_close := \"\\\"\";\n"
    );
    // Another grammar's tokens of that name are its own business.
    assert_eq!(
        of("other", "").unwrap_err().kind(),
        ErrorKind::UnproductiveStart
    );
}

#[test]
fn what_is_hardly_ever_meant_is_rare() {
    let text = r#"{"name": "javascript", "rules": {"start": {"type": "REPEAT", "content": {"type": "CHOICE", "members": [
        {"type": "SYMBOL", "name": "_automatic_semicolon"}, {"type": "STRING", "value": ";"}]}}},
        "externals": [{"type": "SYMBOL", "name": "_automatic_semicolon"}]}"#;
    let (grammar, _) = printed(text);
    assert_eq!(
        grammar,
        "start := (0.1% _automatic_semicolon | \";\")*;\n_automatic_semicolon := ();\n"
    );
}

#[test]
fn keywords_are_words_where_none_is_expected() {
    let rules = r#""start": {"type": "SEQ", "members": [{"type": "STRING", "value": "return"}, {"type": "SYMBOL", "name": "id"}]},
"id": {"type": "PATTERN", "value": "[a-z]+"}"#;
    let (grammar, remarks) = printed(&text(rules, r#", "word": "id""#));
    assert_eq!(
        grammar,
        "start := \"return\" id;\ntoken id := [a-z]+;\nskip extra := \" \";\n"
    );
    assert_eq!(remarks.len(), 1);
}

#[test]
fn patterns_are_those_of_javascript() {
    let cases = [
        (r"[\w\-]+\d\s", "", r"[0-9A-Za-z_\-]+[0-9][\t-\r ]", 0),
        (
            r"a{2}b{2,}c{2,3}{d{,2}{}",
            "",
            r"a{2}b{2,}c{2,3}\{d\{,2}\{}",
            0,
        ),
        (
            r"\/\p{L}\u{1F600}\x41\é\<\0[\b]",
            "",
            r"/\p{L}\u{1F600}\x41é<\x00[\x08]",
            0,
        ),
        (r"[^]x", "i", r"(?i:[^\x00]x)", 0),
        (r"[^-a].[.]", "", r"[^\x00\-a][^\x00\n][.]", 0),
        (r"[^a-]+.", "s", r"(?s:[^\x00a-]+[^\x00])", 0),
        (
            r"^a(?=b[)])c(?:d)(?!(x))*$\b",
            "",
            r"(?:)a(?:)c(?:d)(?:)*(?:)(?:)",
            5,
        ),
        (r"a\", "", r"a\\", 0),
    ];
    for (pattern, flags, expected, dropped) in cases {
        let translated = translate(pattern, flags);
        assert_eq!(translated.pattern, expected, "{pattern}");
        assert_eq!(translated.dropped.len(), dropped, "{pattern}");
        regex_syntax::parse(&translated.pattern).unwrap_or_else(|_| panic!("{pattern}"));
    }
    for (pattern, flags, text) in [
        ("[sS][eE]_[xX]", "", Some(("se_x", true))),
        (r"a\.\n", "", Some(("a.\n", false))),
        ("Ab-1", "i", Some(("Ab-1", true))),
        ("[sS]e", "", None),
        ("[ab]", "", None),
        ("a+", "", None),
        ("é", "i", None),
        ("", "", None),
    ] {
        let expected = text.map(|(text, is_caseless)| (text.to_owned(), is_caseless));
        assert_eq!(word(pattern, flags), expected, "{pattern}");
    }
}

#[test]
fn errors_point_into_the_text() {
    let part = |part: &str| format!("{{\"rules\": {{\"a\":\n{part}}}}}");
    let cases = [
        (part(r#"{"type": "NEW"}"#), ErrorKind::UnexpectedToken, 1),
        (part(r#"{"type": "SEQ"}"#), ErrorKind::UnexpectedToken, 1),
        (part(r#"{"type": "CHOICE", "members": []}"#), ErrorKind::UnexpectedToken, 1),
        (part(r#"{"type": "STRING", "value": 1}"#), ErrorKind::UnexpectedToken, 29),
        (part(r#"{"type": "SYMBOL", "name": "b"}"#), ErrorKind::UndefinedNonterminal, 1),
        (part(r#"{"type": "PATTERN", "value": "x[a"}"#), ErrorKind::InvalidRegex, 32),
        (part("[]"), ErrorKind::UnexpectedToken, 1),
        (part("{"), ErrorKind::UnexpectedToken, 3),
        (
            "{\"externals\": [{\"type\": \"SYMBOL\", \"name\": \"b\"}], \"rules\": {\n\"a\": {\"type\": \"SYMBOL\", \"name\": \"b\"}}}".to_owned(),
            ErrorKind::UnproductiveStart,
            6,
        ),
        ("{\n}".to_owned(), ErrorKind::UnexpectedToken, 1),
        ("{\"rules\": {}}".to_owned(), ErrorKind::NoProduction, 14),
    ];
    for (text, kind, column) in cases {
        let error = read(&text, Notation::TreeSitter)
            .and_then(|imported| Grammar::from_ast(&imported.ast, &text))
            .expect_err(&text);
        assert_eq!((error.kind(), error.column()), (kind, column), "{error}");
    }
}

#[test]
fn nesting_ends_in_an_error() {
    let repeat = "{\"type\": \"REPEAT\", \"content\": ";
    for depth in [128, 129, 10_000] {
        let part = format!(
            "{}{{\"type\": \"STRING\", \"value\": \"a\"}}{}",
            repeat.repeat(depth),
            "}".repeat(depth)
        );
        let text = format!("{{\"rules\": {{\"a\": {part}}}}}");
        assert_eq!(read(&text, Notation::TreeSitter).is_ok(), depth == 128);
    }
    let pattern = "(?=".repeat(100_000);
    assert_eq!(translate(&pattern, "").dropped.len(), 0);
    translate(&"{".repeat(100_000), "");
}

#[test]
fn cut_and_garbled_texts_are_no_reason_to_panic() {
    let text = text(
        PARTS,
        r#", "externals": [{"type": "SYMBOL", "name": "_b"}]"#,
    );
    let mut rng = Rng::new(7);
    let words = [
        "\"SEQ\"",
        "\"CHOICE\"",
        "\"IMMEDIATE_TOKEN\"",
        "\"_b\"",
        "\"start\"",
        "[",
        "}",
        ",",
    ];
    for (end, _) in text.char_indices() {
        let _ = read(&text[..end], Notation::TreeSitter);
    }
    for _ in 0..3000 {
        let mut garbled = text.clone();
        for _ in 0..=rng.below(2) {
            let quotes: Vec<usize> = garbled.match_indices('"').map(|(at, _)| at).collect();
            let from = quotes[rng.index(quotes.len())];
            let end = garbled[from + 1..]
                .find('"')
                .map_or(garbled.len(), |len| from + len + 2);
            garbled.replace_range(from..end, words[rng.index(words.len())]);
        }
        if let Ok(imported) = read(&garbled, Notation::TreeSitter) {
            let _ = Grammar::from_ast(&imported.ast, &garbled);
        }
    }
}
