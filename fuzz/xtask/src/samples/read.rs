//! Texts that stand in files of other languages: modules of JavaScript, scripts of WebAssembly's tests.

use anyhow::{Context as _, Result};

/// The JSON that a module of JavaScript exports by default, which is its end.
pub(super) fn exported_json(module: &str) -> Result<&str> {
    let (_, value) = module
        .split_once("export default")
        .context("the module has no default export")?;
    Ok(value.trim().trim_end_matches(';'))
}

/// The values of all properties of a name, where they are literal strings, in a module of JavaScript that has nothing but comments and
/// literals.
pub(super) fn strings_of(module: &str, property: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The word before a colon, and whether nothing but the colon has come since.
    let (mut word, mut is_named) = (String::new(), false);
    let mut rest = module.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '/' if rest.peek() == Some(&'*') => {
                let mut before = ' ';
                rest.find(|&c| std::mem::replace(&mut before, c) == '*' && c == '/');
            }
            '/' if rest.peek() == Some(&'/') => {
                rest.find(|&c| c == '\n');
            }
            '\'' | '"' | '`' => {
                let literal = literal(&mut rest, c);
                if is_named && word == property {
                    found.push(literal);
                }
                is_named = false;
            }
            ':' => is_named = true,
            c if c.is_alphanumeric() => {
                if is_named {
                    word.clear();
                    is_named = false;
                }
                word.push(c);
            }
            c if c.is_whitespace() => {}
            _ => {
                word.clear();
                is_named = false;
            }
        }
    }
    found
}

/// A string of JavaScript, whose first quote was read.
fn literal(rest: &mut impl Iterator<Item = char>, quote: char) -> String {
    let mut literal = String::new();
    while let Some(c) = rest.next() {
        match c {
            c if c == quote => break,
            '\\' => literal.extend(escaped(rest)),
            c => literal.push(c),
        }
    }
    literal
}

/// What an escape of JavaScript stands for; nothing if it is a line break.
fn escaped(rest: &mut impl Iterator<Item = char>) -> Option<char> {
    fn hexadecimal(digits: impl Iterator<Item = char>) -> Option<char> {
        char::from_u32(u32::from_str_radix(&digits.collect::<String>(), 16).ok()?)
    }
    Some(match rest.next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '0' => '\0',
        'x' => hexadecimal(rest.take(2))?,
        'u' => match rest.next()? {
            '{' => hexadecimal(rest.take_while(|&c| c != '}'))?,
            first => hexadecimal(std::iter::once(first).chain(rest.take(3)))?,
        },
        '\n' => return None,
        c => c,
    })
}

/// The modules of a script: what stands in parentheses at the top and begins with `module`, but for binary and quoted ones.
pub(super) fn modules(script: &str) -> Vec<String> {
    let bytes = script.as_bytes();
    let mut modules = Vec::new();
    let (mut depth, mut start, mut at) = (0u32, 0, 0);
    // White space, names and numbers need no look: what matters are comments, strings and parentheses.
    while at < bytes.len() {
        let rest = &script[at..];
        let skipped = match bytes[at] {
            b';' if rest.starts_with(";;") => rest.find('\n'),
            b'(' if rest.starts_with("(;") => comment(rest),
            b'"' => string(rest),
            _ => None,
        };
        let is_token = skipped.is_some();
        match bytes[at] {
            b'(' if !is_token => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b')' if depth > 0 => {
                depth -= 1;
                let text = &script[start..=at];
                if depth == 0 && is_module(text) {
                    modules.push(text.to_owned());
                }
            }
            _ => {}
        }
        at += skipped.unwrap_or(1);
        while !script.is_char_boundary(at) {
            at += 1;
        }
    }
    modules
}

/// The length of a comment that a text begins with, with those in it; nothing if it does not end.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0u32, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        match rest.get(..2) {
            Some("(;") => depth += 1,
            Some(";)") if depth == 1 => return Some(at + 2),
            Some(";)") => depth -= 1,
            _ => {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
        }
        at += 2;
    }
    None
}

/// The length of a string that a text begins with; nothing if it does not end.
fn string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let mut bytes = text.bytes().enumerate().skip(1);
    let end = bytes.find(|&(_, byte)| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map(|(at, _)| at + 1)
}

/// Whether what stands in parentheses is a module that is written out.
fn is_module(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("(module") else {
        return false;
    };
    let mut rest = rest.trim_start();
    if rest.starts_with('$') {
        rest = rest
            .trim_start_matches(|c: char| !c.is_whitespace())
            .trim_start();
    }
    let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    let word = &rest[..len.unwrap_or(rest.len())];
    !matches!(word, "binary" | "quote" | "definition" | "instance")
}

#[cfg(test)]
mod tests {
    use super::{exported_json, modules, strings_of};

    #[test]
    fn the_default_export_of_a_module_is_read() {
        let module = "// Generated\n\nexport default [\n  1\n];\n";
        assert_eq!(exported_json(module).unwrap(), "[\n  1\n]");
        assert!(exported_json("export const a = 1").is_err());
    }

    #[test]
    fn strings_are_those_of_the_property_alone() {
        let module = r#"
            /** markdown: 'comment' **/
            // markdown: 'comment'
            export const a = [
                { markdown: 'one\n\'\u{1F600}\x41\u00e9', html: "markdown: 'no'" },
                { markdown:
                    "two \" ' ` \\", text: 'x' },
                { 'a': `markdown`, markdowns: 'no', markdown: `three` },
            ]
        "#;
        assert_eq!(
            strings_of(module, "markdown"),
            ["one\n'\u{1f600}A\u{e9}", "two \" ' ` \\", "three"]
        );
    }

    #[test]
    fn modules_are_what_is_written_out_at_the_top() {
        let table = [
            ("(module)", vec!["(module)"]),
            (
                "(module $a (func)) (assert (module))",
                vec!["(module $a (func))"],
            ),
            (
                "(module binary \"\") (module $b binary) (module quote \"(\")",
                vec![],
            ),
            (
                "(module binary1)(module definition $a)",
                vec!["(module binary1)"],
            ),
            (
                ";; (module)\n(; (module) ;)(module ;; )\n (; ) ;) \")\\\")\")",
                vec!["(module ;; )\n (; ) ;) \")\\\")\")"],
            ),
            ("(; (module) (;é;) (module) ;)(module)", vec!["(module)"]),
            ("(module (;a(;b;)) ;) )", vec!["(module (;a(;b;)) ;) )"]),
            (") (module é)", vec!["(module é)"]),
            ("(module", vec![]),
            ("(module \" )", vec!["(module \" )"]),
        ];
        for (script, expected) in table {
            assert_eq!(modules(script), expected, "{script}");
        }
    }
}
