//! Says whether the parsers of tree-sitter and pest accept texts.
//!
//! ```text
//! pleach-judge tree-sitter LANGUAGE <FILES
//! pleach-judge pest GRAMMAR RULE <FILES
//! ```
//!
//! Standard input has the name of a file on each line. For each there is a line of output, in the same order: `accepted`, `refused`,
//! or `undecided` where the text is not UTF-8 and pest cannot read it.

use std::error::Error;
use std::fs;
use std::io::{self, BufRead as _, Write as _};

use pest_meta::{optimizer, parser};
use pest_vm::Vm;
use tree_sitter::{Language, Parser};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Whether a text is accepted, if that can be told.
type Judge = Box<dyn FnMut(&[u8]) -> Option<bool>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut judge = match arguments[..] {
        ["tree-sitter", language] => by_tree_sitter(language)?,
        ["pest", grammar, rule] => by_pest(&fs::read_to_string(grammar)?, rule)?,
        _ => {
            return Err(
                "usage: pleach-judge tree-sitter LANGUAGE | pleach-judge pest GRAMMAR RULE".into(),
            );
        }
    };
    let mut out = io::stdout().lock();
    for name in io::stdin().lock().lines() {
        let verdict = match judge(&fs::read(name?)?) {
            Some(true) => "accepted",
            Some(false) => "refused",
            None => "undecided",
        };
        writeln!(out, "{verdict}")?;
    }
    Ok(())
}

/// A text is accepted if its tree has neither an error nor a token that was put in.
fn by_tree_sitter(name: &str) -> Result<Judge> {
    let language: Language = match name {
        "bash" => tree_sitter_bash::LANGUAGE,
        "c" => tree_sitter_c::LANGUAGE,
        "css" => tree_sitter_css::LANGUAGE,
        "go" => tree_sitter_go::LANGUAGE,
        "java" => tree_sitter_java::LANGUAGE,
        "javascript" => tree_sitter_javascript::LANGUAGE,
        "json" => tree_sitter_json::LANGUAGE,
        "rust" => tree_sitter_rust::LANGUAGE,
        _ => return Err(format!("there is no parser of `{name}`").into()),
    }
    .into();
    let mut parser = Parser::new();
    parser.set_language(&language)?;
    Ok(Box::new(move |text| {
        let tree = parser.parse(text, None)?;
        Some(!tree.root_node().has_error())
    }))
}

/// A text is accepted if the rule matches all of it.
fn by_pest(grammar: &str, rule: &str) -> Result<Judge> {
    let pairs = parser::parse(parser::Rule::grammar_rules, grammar)?;
    let rules = parser::consume_rules(pairs)
        .map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))?;
    let vm = Vm::new(optimizer::optimize(rules));
    let rule = rule.to_owned();
    Ok(Box::new(move |text| {
        let text = std::str::from_utf8(text).ok()?;
        let end = |pairs: pest_vm_pairs::Pairs<'_>| {
            pairs.map(|pair| pair.as_span().end()).max().unwrap_or(0)
        };
        Some(
            vm.parse(&rule, text)
                .is_ok_and(|pairs| end(pairs) == text.len()),
        )
    }))
}

/// What a parser of pest gives.
mod pest_vm_pairs {
    pub(super) type Pairs<'i> = pest::iterators::Pairs<'i, &'i str>;
}
