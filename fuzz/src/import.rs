//! What has to hold for every reader of a notation, whatever the text is.

use pleach::Grammar;
use pleach::import::{Notation, comments_before, read};

/// Reads a text. True if it is a grammar: then what is printed reads back as the same grammar, and everything that was left out has a
/// place in the text.
///
/// # Panics
///
/// If that does not hold.
pub fn run(text: &str, notation: Notation) -> bool {
    let imported = match read(text, notation) {
        Ok(imported) => imported,
        Err(error) => {
            assert!(error.span().end <= text.len() && !error.to_string().is_empty());
            return false;
        }
    };
    for remark in &imported.remarks {
        assert!(text.get(remark.span.range()).is_some(), "{remark:?}");
        assert!(remark.position(text).line > 0);
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
