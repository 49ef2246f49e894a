//! What has to hold for every reader of a notation, whatever the text is.

use pleach::Grammar;
use pleach_import::{Files, Notation, comments_before, read_with};

/// Begins another file that the text may ask for: its name stands on the same line.
const FILE: &str = "//// ";

/// Reads a text, or several of which the first one asks for the others. True if it is a grammar: then what is printed reads back as the same grammar, and everything that was left out has a
/// place in the text.
///
/// # Panics
///
/// If that does not hold.
pub fn run(text: &str, notation: Notation) -> bool {
    let mut parts = text.split(FILE);
    let mut files = Files::new(parts.next().unwrap_or(""));
    let others: Vec<(&str, &str)> = parts
        .map(|part| part.split_once('\n').unwrap_or((part, "")))
        .collect();
    let imported = read_with(&mut files, notation, &mut |name| {
        let found = others.iter().find(|(other, _)| *other == name)?;
        Some((found.0.to_owned(), found.1.to_owned()))
    });
    let text = files.text();
    let imported = match imported {
        Ok(imported) => imported,
        Err(error) => {
            assert!(error.span().end <= text.len() && !error.to_string().is_empty());
            assert!(!files.locate(error).to_string().is_empty());
            return false;
        }
    };
    for remark in &imported.remarks {
        assert!(text.get(remark.span.range()).is_some(), "{remark:?}");
        assert!(remark.position(text).line > 0);
        assert!(files.place(remark.span.range().start).position.line > 0);
    }
    for production in imported.ast.productions() {
        let start = production.name_span.range().start;
        assert!(text.is_char_boundary(start));
        comments_before(text, notation, start);
    }
    match Grammar::from_ast(&imported.ast, text) {
        Ok(grammar) => {
            let printed = grammar.to_string();
            let again: Grammar = printed
                .parse()
                .unwrap_or_else(|error| panic!("{error}\n{printed}"));
            assert_eq!(again.fingerprint(), grammar.fingerprint(), "{printed}");
            true
        }
        Err(error) => {
            assert!(error.span().end <= text.len() && !error.to_string().is_empty());
            false
        }
    }
}
