//! `fasteval`: an expression comes to the same, interpreted and compiled.

use fasteval::{Compiler, Evaler, Parser, Slab};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/arithmetic/arithmetic.ebnf");

/// The longest expression, and how deep it may be. The parser and the evaluator recurse.
const PARSER: Parser = Parser {
    expr_len_limit: 8192,
    expr_depth_limit: if cfg!(feature = "deep") { 1 << 20 } else { 160 },
};

/// Parses, compiles and evaluates `text`. True if it is an expression of known names.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    // `print` writes to standard error.
    if text.contains("print") {
        return false;
    }
    // A slab does not grow.
    let mut slab = Slab::with_capacity(PARSER.expr_len_limit);
    let expression = match PARSER.parse(text, &mut slab.ps) {
        Ok(expression) => expression.from(&slab.ps),
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    let plain = expression.eval(&slab, &mut lookup);
    let instruction = expression.compile(&slab.ps, &mut slab.cs);
    let compiled = instruction.eval(&slab, &mut lookup);
    let names = expression.var_names(&slab);
    assert!(
        instruction.var_names(&slab).is_subset(&names),
        "the compiler makes names up"
    );
    // What is never evaluated may be unknown to either.
    let (Ok(plain), Ok(compiled)) = (plain, compiled) else {
        return false;
    };
    // The compiler adds and multiplies in another order, which rounds elsewhere.
    if is_exact(text) && !has_double_not(text) {
        assert!(
            plain == compiled || plain.is_nan() && compiled.is_nan(),
            "{plain}, but {compiled} when it is compiled"
        );
    }
    true
}

/// Whether all that is computed for an expression are integers that a double holds: whole numbers and operators that leave them
/// whole, and the product of the operands, which is above all sums and products of some of them, is small enough.
fn is_exact(text: &str) -> bool {
    let mut bound = 1.0;
    for number in text.split(|letter: char| !letter.is_ascii_digit()) {
        bound *= number.parse::<f64>().unwrap_or(1.0).max(2.0);
    }
    let letters = text.bytes();
    bound *= 8f64.powi(
        letters
            .clone()
            .filter(|letter| b"xyz".contains(letter))
            .count() as i32,
    );
    let mut letters = letters;
    bound < 2f64.powi(53)
        && letters
            .all(|letter| letter.is_ascii_digit() || b"xyz+-*<>=!&|() \t\r\n".contains(&letter))
}

/// fasteval 0.2.4 compiles `!!x` to `x`, which is not 0 or 1 as `!!x` is, with signs between that change nothing, too.
fn has_double_not(text: &str) -> bool {
    let letters = text.bytes();
    let mut signs = letters.filter(|letter| !b"(+- \t\r\n".contains(letter));
    let mut last = 0;
    signs.any(|letter| std::mem::replace(&mut last, letter) == b'!' && letter == b'!')
}

/// Variables and functions that the grammar has and the crate has not.
fn lookup(name: &str, arguments: Vec<f64>) -> Option<f64> {
    match (name, arguments.as_slice()) {
        ("x", []) => Some(2.0),
        ("y", []) => Some(-3.0),
        ("z", []) => Some(8.0),
        ("pi", []) => Some(std::f64::consts::PI),
        ("e", []) => Some(std::f64::consts::E),
        ("sqrt", [value]) => Some(value.sqrt()),
        ("exp", [value]) => Some(value.exp()),
        ("ln", [value]) => Some(value.ln()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
