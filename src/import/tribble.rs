//! The text notation of TRIBBLE: `Name = "text" /[a-z]+/ (A | B)* @@ 0.3 ;`.
//!
//! Regular expressions there are those of the library dk.brics.automaton; they are read as those of the crate `regex`, which is
//! the same for what most grammars use; their complement `~` and `&` are not there. A probability stands behind its alternative, as a
//! share of 1. The start symbol is the one that nothing refers to.

use super::Imported;
use super::build::{Builder, Scan};
use super::names::Names;
use pleach_core::grammar::ast::{ExprId, Span};
use pleach_core::grammar::{Error, ErrorKind, Probability};

const HELP: &str = "a production is written `Name = … ;`";

pub(crate) fn read(text: &str) -> Result<Imported, Error> {
    let mut scan = Scan::new(text);
    let (mut build, mut names) = (Builder::default(), Names::new());
    loop {
        scan.skip()?;
        if scan.peek().is_none() {
            build.ast.start_at_root();
            return Ok(Imported {
                ast: build.ast,
                remarks: Vec::new(),
            });
        }
        let start = scan.at;
        let name = scan.take_while(continues_name);
        if name.is_empty() {
            return Err(scan.unexpected(HELP));
        }
        let name_span = scan.span_from(start);
        let name = names.id(&mut build.ast, name);
        scan.skip()?;
        let define = scan.here();
        if !scan.eat(":=") && !scan.eat("=") {
            return Err(scan.unexpected(HELP));
        }
        build.open(define, None);
        let root = loop {
            if let Some(root) = element(&mut scan, &mut build, &mut names)? {
                break root;
            }
        };
        build.ast.production(name, name_span, root);
    }
}

/// Reads an element or a sign; gives the right side at its semicolon.
fn element(
    scan: &mut Scan<'_>,
    build: &mut Builder,
    names: &mut Names,
) -> Result<Option<ExprId>, Error> {
    scan.skip()?;
    let (start, here) = (scan.at, scan.here());
    let Some(first) = scan.peek() else {
        return Err(scan.unexpected(HELP));
    };
    match first {
        '"' => {
            let bytes = literal(scan)?;
            let expr = build.ast.literal(&bytes, scan.span_from(start));
            build.push(expr);
        }
        '/' => {
            scan.at += 1;
            let mut escaped = false;
            let pattern = scan.take_while(|c| {
                let goes_on = c != '\n' && (c != '/' || escaped);
                escaped = c == '\\' && !escaped;
                goes_on
            });
            if !scan.eat("/") {
                return Err(scan.unterminated(start, "a regular expression", "`/`"));
            }
            let span = scan.span_from(start);
            let expr = build.ast.regex(pattern, Some(start + 1), span);
            build.push(expr);
        }
        '(' => {
            scan.at += 1;
            build.open(here, None);
        }
        ')' if build.depth() > 1 => {
            empty(scan, build, here)?;
            scan.at += 1;
            if let Some(expr) = build.close(here) {
                build.push(expr);
            }
        }
        '|' => {
            empty(scan, build, here)?;
            scan.at += 1;
            build.alternative(here);
        }
        ';' if build.depth() == 1 => {
            empty(scan, build, here)?;
            scan.at += 1;
            return Ok(build.close(here));
        }
        '?' | '*' | '+' | '{' => {
            let (min, max) = quantifier(scan)?;
            if !build.repeat(min, max, scan.span_from(start)) {
                return Err(scan.error(
                    ErrorKind::UnexpectedToken,
                    scan.span_from(start),
                    "a quantifier with nothing to repeat before it",
                    "write it after what it repeats",
                ));
            }
        }
        '@' if scan.eat("@@") => {
            scan.skip()?;
            let at = scan.at;
            let number =
                scan.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
            let share = number.parse::<f64>().ok();
            let share = share.filter(|share| (0.0..=1.0).contains(share));
            let span = scan.span_from(at);
            let Some(share) = share else {
                return Err(scan.error(
                    ErrorKind::InvalidProbability,
                    span,
                    "a probability that is none",
                    "write a share of 1, as in `@@ 0.25`",
                ));
            };
            let billionths = (share * f64::from(Probability::CERTAIN.0)).round();
            build.probable(Probability(billionths as u32), span);
        }
        c if continues_name(c) => {
            let name = scan.take_while(continues_name);
            let id = names.id(&mut build.ast, name);
            let expr = build.ast.reference(id, scan.span_from(start));
            build.push(expr);
        }
        _ => return Err(scan.unexpected("a production ends with `;`, a group with `)`")),
    }
    Ok(None)
}

fn empty(scan: &Scan<'_>, build: &Builder, here: Span) -> Result<(), Error> {
    match build.elements() {
        [] => Err(scan.error(
            ErrorKind::EmptyAlternative,
            here,
            "an empty alternative",
            "write `\"\"` for the empty text",
        )),
        _ => Ok(()),
    }
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'' | '$')
}

fn literal(scan: &mut Scan<'_>) -> Result<Vec<u8>, Error> {
    let start = scan.at;
    scan.at += 1;
    let mut bytes = Vec::new();
    loop {
        let here = scan.at;
        match scan.peek() {
            Some('"') => {
                scan.at += 1;
                return Ok(bytes);
            }
            Some('\\') => {
                scan.at += 1;
                let escaped = scan.peek();
                scan.at += escaped.map_or(0, char::len_utf8);
                bytes.push(match escaped {
                    Some('n') => b'\n',
                    Some('r') => b'\r',
                    Some('t') => b'\t',
                    Some(c @ ('"' | '\'' | '\\')) => c as u8,
                    _ => {
                        return Err(scan.error(
                            ErrorKind::InvalidEscape,
                            scan.span_from(here),
                            "an escape that the notation does not have",
                            "there are \\n, \\r, \\t, \\\" and \\\\",
                        ));
                    }
                });
            }
            None | Some('\n') => return Err(scan.unterminated(start, "a text", "`\"`")),
            Some(c) => {
                scan.at += c.len_utf8();
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
}

fn quantifier(scan: &mut Scan<'_>) -> Result<(u32, Option<u32>), Error> {
    let start = scan.at;
    for (sign, bounds) in [("?", (0, Some(1))), ("*", (0, None)), ("+", (1, None))] {
        if scan.eat(sign) {
            return Ok(bounds);
        }
    }
    scan.at += 1;
    let number = |digits: &str| digits.trim().parse::<u32>().ok();
    let inside = scan.take_until('}').unwrap_or("");
    let bounds = match inside.split_once(',') {
        None => number(inside).map(|count| (count, Some(count))),
        Some((min, "")) => number(min).map(|min| (min, None)),
        Some(("", max)) => number(max).map(|max| (0, Some(max))),
        Some((min, max)) => number(min)
            .zip(number(max))
            .map(|(min, max)| (min, Some(max))),
    };
    let bounds = bounds.filter(|(min, max)| max.is_none_or(|max| *min <= max));
    bounds.ok_or_else(|| {
        scan.error(
            ErrorKind::InvalidBounds,
            scan.span_from(start),
            "bounds that no repetition meets",
            "write `{2}`, `{2,}`, `{,5}` or `{2,5}`",
        )
    })
}
