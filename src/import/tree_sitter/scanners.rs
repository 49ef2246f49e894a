//! What the scanners of well-known languages read, as far as patterns say it.
//!
//! tree-sitter leaves what is not regular to a scanner that is written in C, and `grammar.json` has no more of it than a name. For the
//! languages here, these tokens have patterns that come close; a rule of the same name in the grammar is preferred.

/// Something of a scanner.
pub(super) struct Known {
    /// The names of the grammars that have it.
    grammars: &'static [&'static str],
    /// The token, or the rule that uses it where one token alone has no pattern.
    pub(super) name: &'static str,
    /// The token that is missing, if `name` is a rule that uses it.
    pub(super) within: Option<&'static str>,
    pub(super) form: Form,
}

/// What stands for a token of a scanner.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Nothing: it marks a place.
    Mark,
    /// The same, where something else is written nearly always.
    RareMark,
    Text(&'static str),
    /// A regular expression.
    Pattern(&'static str),
    /// The same, and nothing may be skipped before it.
    Immediate(&'static str),
}

const ECMASCRIPT: &[&str] = &["javascript", "tsx", "typescript"];
const STYLES: &[&str] = &["css", "scss"];
const RUST: &[&str] = &["rust"];
const BASH: &[&str] = &["bash"];

const fn token(grammars: &'static [&'static str], name: &'static str, form: Form) -> Known {
    Known {
        grammars,
        name,
        within: None,
        form,
    }
}

const fn rule(
    grammars: &'static [&'static str],
    name: &'static str,
    within: &'static str,
    form: Form,
) -> Known {
    Known {
        grammars,
        name,
        within: Some(within),
        form,
    }
}

const KNOWN: [Known; 23] = [
    // A line break behind a statement, or the end of a block.
    token(ECMASCRIPT, "_automatic_semicolon", Form::RareMark),
    token(
        ECMASCRIPT,
        "_function_signature_automatic_semicolon",
        Form::RareMark,
    ),
    token(
        ECMASCRIPT,
        "_template_chars",
        Form::Immediate(r"([^`$\\]|\$[^`{$\\])+"),
    ),
    token(ECMASCRIPT, "_ternary_qmark", Form::Text("?")),
    token(
        ECMASCRIPT,
        "jsx_text",
        Form::Pattern(r"[^{}<>&\s][^{}<>&]*"),
    ),
    // White space between two selectors.
    token(STYLES, "_descendant_operator", Form::Mark),
    token(STYLES, "_pseudo_class_selector_colon", Form::Text(":")),
    token(RUST, "string_content", Form::Immediate(r#"[^"\\]+"#)),
    token(RUST, "string_close", Form::Immediate("\"")),
    // Digits stand behind the point: otherwise `1..2` would begin with one.
    token(
        RUST,
        "float_literal",
        Form::Pattern(
            r"[0-9][0-9_]*(\.[0-9][0-9_]*([eE][+-]?[0-9_]+)?|[eE][+-]?[0-9_]+)(f(32|64))?",
        ),
    ),
    // As many signs on either side; two of them are the most here.
    rule(
        RUST,
        "raw_string_literal",
        "_raw_string_literal_start",
        Form::Pattern(
            r##"[bc]?r("[^"]*"|#"([^"]|"+[^"#])*"+#|##"([^"]|("+#)*"+[^"#]|("+#)+[^"#])*("+#)*"+##)"##,
        ),
    ),
    // They may contain others; these do not.
    rule(
        RUST,
        "block_comment",
        "_block_comment_content",
        Form::Pattern(r"/\*([^*]|\*+[^*/])*\*+/"),
    ),
    token(
        BASH,
        "variable_name",
        Form::Pattern("[A-Za-z_][A-Za-z0-9_]*"),
    ),
    token(BASH, "file_descriptor", Form::Pattern("[0-9]+")),
    token(
        BASH,
        "test_operator",
        Form::Pattern("-[a-zA-Z]+|[=!]=|[<>]"),
    ),
    token(BASH, "regex", Form::Pattern(r#"[^\s"'$()\[\]|][^\s"'$|]*"#)),
    token(BASH, "_bare_dollar", Form::Text("$")),
    token(BASH, "_brace_start", Form::Text("{")),
    // Two parts of one word.
    token(BASH, "_concat", Form::RareMark),
    token(BASH, "_empty_value", Form::Mark),
    token(BASH, "_external_expansion_sym_hash", Form::Text("#")),
    token(BASH, "_external_expansion_sym_bang", Form::Text("!")),
    token(BASH, "_immediate_double_hash", Form::Immediate("##")),
];

/// What is known of the scanner of a grammar.
pub(super) fn known(grammar: &str) -> impl Iterator<Item = &'static Known> {
    KNOWN
        .iter()
        .filter(move |it| it.grammars.contains(&grammar))
}
