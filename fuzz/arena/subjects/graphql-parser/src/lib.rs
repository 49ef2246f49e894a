//! `graphql-parser`: a document, executable or of a type system, survives formatting and minifying.

mod known;
#[cfg(test)]
mod tests;

use graphql_parser::{Style, minify_query, parse_query, parse_schema};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/graphql/graphql.ebnf");

/// The longest document that is tried. The crate itself limits nesting.
const MAX_TEXT: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 13
};

/// Reads `text` as an executable document or as one of a type system, formats and minifies it, and reads what comes out. True
/// if `text` is accepted.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if text.len() > MAX_TEXT {
        return false;
    }
    [format_query as Format, format_schema]
        .into_iter()
        .any(|format| match format(text, false) {
            Ok(formatted) => {
                check(text, &formatted, format);
                true
            }
            Err(message) => {
                assert!(!message.is_empty(), "an error without a message");
                false
            }
        })
}

/// Reads a text and formats it, with one argument a line or not.
type Format = fn(&str, bool) -> Result<String, String>;

fn format_query(text: &str, is_tall: bool) -> Result<String, String> {
    let document = parse_query::<&str>(text).map_err(|error| error.to_string())?;
    Ok(document.format(&style(is_tall)))
}

fn format_schema(text: &str, is_tall: bool) -> Result<String, String> {
    let document = parse_schema::<String>(text).map_err(|error| error.to_string())?;
    Ok(document.format(&style(is_tall)))
}

fn style(is_tall: bool) -> Style {
    let mut style = Style::default();
    style.indent(if is_tall { 3 } else { 2 });
    style.multiline_arguments(is_tall);
    style
}

/// What was formatted or minified reads and formats the same.
fn check(text: &str, formatted: &str, format: Format) {
    let minified = minify_query(text.to_owned()).expect("a document can be minified");
    let again = format(&minified, false);
    assert_eq!(
        again.as_deref(),
        Ok(formatted),
        "minifying changed the document: {minified}"
    );
    if known::is_misprinted(text, formatted) {
        return;
    }
    let tall = format(text, true).expect("a document is accepted twice");
    for printed in [formatted, &tall] {
        let again = format(printed, false);
        assert_eq!(
            again.as_deref(),
            Ok(formatted),
            "formatting changed the document: {printed}"
        );
    }
}
