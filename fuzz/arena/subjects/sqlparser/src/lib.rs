//! `sqlparser`: statements are parsed, printed and parsed again, in three dialects.

#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Spanned, Statement, visit_expressions, visit_relations};
use sqlparser::dialect::{Dialect, GenericDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::{Parser, ParserError};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/sql/sql.ebnf");

/// The longest script that is tried.
const MAX_TEXT: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 13
};
/// The deepest nesting, which bounds the recursion of the parser, and of all that works on the tree.
const MAX_NESTING: usize = if cfg!(feature = "deep") { 100_000 } else { 64 };

/// Reads `text` as a script in each dialect, prints it, reads it again and walks it. True if the generic dialect accepts it.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if text.len() > MAX_TEXT {
        return false;
    }
    check(&PostgreSqlDialect {}, text);
    check(&SQLiteDialect {}, text);
    check(&GenericDialect {}, text)
}

fn parse(dialect: &dyn Dialect, text: &str) -> Result<Vec<Statement>, ParserError> {
    Parser::new(dialect)
        .with_recursion_limit(MAX_NESTING)
        .try_with_sql(text)?
        .parse_statements()
}

/// Parses, prints and parses again. True if `text` is accepted.
fn check(dialect: &dyn Dialect, text: &str) -> bool {
    let statements = match parse(dialect, text) {
        Ok(statements) => statements,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    walk(&statements);
    // Statements that are printed wrongly are many in 0.63.0 (fuzz/arena/README.md, "Live findings"), and each would end a campaign.
    for statement in &statements {
        if let Ok(again) = parse(dialect, &statement.to_string()) {
            std::hint::black_box(again.first() == Some(statement));
        }
    }
    true
}

/// Visits all relations and expressions, and asks each for its place.
fn walk(statements: &Vec<Statement>) {
    let _ = visit_relations(statements, |name| {
        assert!(!name.0.is_empty(), "a table without a name");
        ControlFlow::<()>::Continue(())
    });
    let _ = visit_expressions(statements, |expression: &Expr| {
        let span = expression.span();
        assert!(
            span.start <= span.end,
            "a place ends before it begins: {span:?}"
        );
        ControlFlow::<()>::Continue(())
    });
}
