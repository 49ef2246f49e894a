//! Random grammars for properties: small, strange, and mostly productive.

use std::fmt::Write as _;

use crate::rng::Rng;

/// The text of a random grammar of up to six productions.
pub(crate) fn random_grammar(rng: &mut Rng) -> String {
    let count = 1 + rng.below(6);
    let mut text = String::new();
    for production in 0..count {
        write!(text, "P{production} := ").unwrap();
        expression(&mut text, rng, count, 0);
        text.push_str(";\n");
    }
    text
}

/// The same with some of its productions tokens or skipped; most are refused for their levels.
pub(crate) fn random_token_grammar(rng: &mut Rng) -> String {
    let text = random_grammar(rng);
    let roles = [
        "",
        "",
        "token ",
        "token ",
        "token(a) ",
        "token(b) ",
        "skip ",
        "skip(a) ",
    ];
    let mut with_roles = String::new();
    for (at, line) in text.lines().enumerate() {
        let role = if at == 0 {
            ""
        } else {
            roles[rng.index(roles.len())]
        };
        writeln!(with_roles, "{role}{line}").unwrap();
    }
    with_roles
}

fn expression(text: &mut String, rng: &mut Rng, count: u32, depth: u32) {
    let alternatives = 1 + rng.below(3);
    let weighted = rng.below(8) == 0;
    for alternative in 0..alternatives {
        if alternative > 0 {
            text.push_str(" | ");
        }
        if weighted && alternatives > 1 && alternative == 0 {
            write!(text, "{}% ", rng.below(100)).unwrap();
        }
        for atom in 0..1 + rng.below(3) {
            if atom > 0 {
                text.push(' ');
            }
            self::atom(text, rng, count, depth);
            if rng.below(3) == 0 {
                let quantifiers = [
                    "?", "*", "+", "{2}", "{1,}", "{2,3}", "{,2}", "{0,1}", "{1}", "{3,}",
                ];
                text.push_str(quantifiers[rng.index(quantifiers.len())]);
            }
        }
    }
}

fn atom(text: &mut String, rng: &mut Rng, count: u32, depth: u32) {
    match rng.below(10) {
        0..=2 => write!(text, "P{}", rng.below(count)).unwrap(),
        3 if depth < 3 => {
            text.push('(');
            expression(text, rng, count, depth + 1);
            text.push(')');
        }
        4 => text.push_str("\"\""),
        5 => {
            let classes = [
                "[a-c]",
                "[0-9]",
                "[^a-z]",
                "[x]",
                "[\\x00-\\xff]",
                "[\\u{100}-\\u{3ff}]",
            ];
            text.push_str(classes[rng.index(classes.len())]);
        }
        6 => text.push_str("\"a literal of some length\""),
        _ => write!(text, "\"{}\"", char::from(b'a' + rng.below(6) as u8)).unwrap(),
    }
}
