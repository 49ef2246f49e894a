//! `oxc`: a script without early errors prints as one without, as it is and minified.
//!
//! The parser, and all that walks a tree, is recursive without a limit, so that scripts are short and their nesting is bounded, by
//! what can nest. Printing the printed script once more gives the same text.

use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_minifier::{Minifier, MinifierOptions};
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/javascript/javascript.ebnf");

/// The longest script that is tried.
const MAX_SCRIPT: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 13
};

/// How deep brackets may nest.
const MAX_NESTING: usize = 48;

/// How many operators a script may have that nest without a bracket.
const MAX_PREFIXES: usize = 400;

/// Parses `text` as a script and checks it, prints it and minifies it. True if it has no early errors.
pub fn run(text: &[u8]) -> bool {
    let Ok(script) = std::str::from_utf8(text) else {
        return false;
    };
    if script.len() > MAX_SCRIPT || !is_shallow(text) {
        return false;
    }
    let allocator = Allocator::default();
    let parsed = match check(&allocator, script) {
        Ok(parsed) => parsed,
        Err(message) => {
            assert!(!message.is_empty(), "an error without a message");
            return false;
        }
    };
    let printed = Codegen::new().build(&parsed.program).code;
    // oxc 0.96.0 prints `1 .#a` as `1.#a`.
    if script.contains(" .#") {
        return true;
    }
    let again = Allocator::default();
    let reparsed = match check(&again, &printed) {
        Ok(reparsed) => reparsed,
        Err(message) => panic!("what was printed has an error: {message}"),
    };
    let twice = Codegen::new().build(&reparsed.program).code;
    if !is_printed_anew(script) {
        assert_eq!(printed, twice, "printing changed what is printed");
    }

    let fresh = Allocator::default();
    let mut program = check(&fresh, script)
        .expect("it was checked before")
        .program;
    let minified = Minifier::new(MinifierOptions::default()).minify(&fresh, &mut program);
    let short = Codegen::new()
        .with_options(CodegenOptions::minify())
        .with_scoping(minified.scoping)
        .build(&program)
        .code;
    if let Err(message) = check(&Allocator::default(), &short) {
        // oxc 0.96.0 minifies `x={[~1](){}}` to `x={-2(){}}`, and `x={[Infinity](){}}` to `x={1/0(){}}`.
        assert!(
            has_number_as_name(&short),
            "what was minified has an error: {message}"
        );
    }
    true
}

/// The script, if it has no early errors; else the first message.
fn check<'a>(allocator: &'a Allocator, script: &'a str) -> Result<ParserReturn<'a>, String> {
    let options = ParseOptions {
        parse_regular_expression: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(allocator, script, SourceType::cjs())
        .with_options(options)
        .parse();
    if let Some(error) = parsed.errors.first() {
        return Err(error.message.to_string());
    }
    let checked = SemanticBuilder::new()
        .with_check_syntax_error(true)
        .build(&parsed.program);
    match checked.errors.first() {
        Some(error) => Err(error.message.to_string()),
        None => Ok(parsed),
    }
}

/// Whether a text nests no deeper than the stack allows: by brackets, whatever they stand in, and by prefixes.
fn is_shallow(text: &[u8]) -> bool {
    if cfg!(feature = "deep") {
        return true;
    }
    let (mut depth, mut prefixes) = (0_usize, 0);
    for &byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'!' | b'~' | b'-' | b'+' | b'=' | b'?' | b':' => prefixes += 1,
            _ => {}
        }
        if depth > MAX_NESTING || prefixes > MAX_PREFIXES {
            return false;
        }
    }
    true
}

/// Whether a script has what may print otherwise the second time.
///
/// oxc 0.96.0 puts comments elsewhere: `;/**//**/`, and parentheses: `new (a?.b)()`.
fn is_printed_anew(script: &str) -> bool {
    let has_comment = script.contains("//") || script.contains("/*");
    has_comment || script.contains("new") && script.contains("?.")
}

/// Whether something like `-2` or `1/0` stands where a property's name does.
fn has_number_as_name(script: &str) -> bool {
    script.as_bytes().windows(4).any(|it| {
        let begins = matches!(it[0], b'{' | b'}' | b',' | b';' | b'*' | b'c' | b't' | b' ');
        let is_negative = it[1] == b'-' && (it[2].is_ascii_digit() || it[2] == b'.');
        begins && (is_negative || it[1..] == *b"1/0" || it[1..] == *b"-1/")
    })
}

#[cfg(test)]
mod tests;
