//! `tera` 0.11.20: a template is parsed and rendered.
//!
//! Templates may loop, repeat and call, so that a few are left out beforehand, by their text: ranges that never end or are long
//! (there is no limit to set), many loops, macros that call macros, and variables that grow in a loop.

use serde::Serialize;
use tera::{Context, Tera};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/tera/tera.ebnf");

/// The longest template that is tried.
const MAX_TEMPLATE: usize = 1 << 12;
/// The most tags, as the parser recurses into their contents.
const MAX_TAGS: usize = 80;
/// The most loops.
const MAX_LOOPS: usize = 4;
/// The deepest nesting of brackets: the parser reads an operand anew for each thing that it may be, and so on in depth.
const MAX_NESTING: usize = 4;
/// The most digits of a number in a template with a range.
const MAX_DIGITS: usize = 2;

#[derive(Serialize)]
struct User {
    name: &'static str,
    age: u32,
    tags: Vec<&'static str>,
}

/// Renders `text`. True if that is possible.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if !is_bounded(text) {
        return false;
    }
    match Tera::one_off(text, &context(), true) {
        Ok(_) => true,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            false
        }
    }
}

/// The variables that the grammar names.
fn context() -> Context {
    let users = ["Ann", "Bob"].map(|name| User {
        name,
        age: 42,
        tags: vec!["a", "b"],
    });
    let mut context = Context::new();
    context.insert("number", &3);
    context.insert("zero", &0);
    context.insert("real", &1.5);
    context.insert("text", "some <text>");
    context.insert("yes", &true);
    context.insert("list", &[3, 1, 2]);
    context.insert("names", &["b", "a"]);
    context.insert("users", &users);
    context.insert("user", &users[0]);
    context.insert("nothing", &Option::<u32>::None);
    context.insert("big_number", &u64::MAX);
    context
}

/// Whether a rendering of `text` ends soon.
fn is_bounded(text: &str) -> bool {
    let loops = text.matches("endfor").count();
    let macros = text.find("macro").zip(text.rfind("endmacro"));
    let calls = |(from, to): (usize, usize)| text.get(from..to).is_some_and(|it| it.contains("::"));
    text.len() <= MAX_TEMPLATE
        && text.matches("{%").count() <= MAX_TAGS
        && loops <= MAX_LOOPS
        && !(loops > 0 && text.contains("set_global"))
        && !macros.is_some_and(calls)
        && nesting(text) <= MAX_NESTING
        && (!text.contains("range") || has_short_ranges(text))
}

/// The most brackets that are open at once.
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' => open += 1,
            b')' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// Ranges go by numbers that are short or in the context, in steps that are digits but not zero.
fn has_short_ranges(text: &str) -> bool {
    let mut numbers = text.split(|char: char| !char.is_ascii_digit());
    let steps = text.split("step_by").skip(1).all(|rest| {
        let rest = rest.trim_start().trim_start_matches('=').trim_start();
        let end = rest.find([',', ')']).unwrap_or(rest.len());
        let step = rest[..end].trim_end();
        step.bytes().all(|byte| byte.is_ascii_digit()) && !step.starts_with('0')
    });
    steps
        && numbers.all(|it| it.len() <= MAX_DIGITS)
        && !text.contains(['*', '~'])
        && !text.contains("big_")
}

#[cfg(test)]
#[path = "../../known.rs"]
mod known;

#[cfg(test)]
mod tests {
    use super::known::Known;

    #[test]
    fn the_public_inputs_panic() {
        Known::load(crate::run, crate::GRAMMAR).inputs_panic();
    }

    #[test]
    fn the_public_inputs_are_sentences() {
        Known::load(crate::run, crate::GRAMMAR).inputs_are_sentences(&[]);
    }

    #[test]
    fn sentences_are_accepted_or_show_known_bugs() {
        Known::load(crate::run, crate::GRAMMAR).sentences(300);
    }
}
