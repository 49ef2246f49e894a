//! What is left out because of known defects.

use std::convert::Infallible;

use lightningcss::stylesheet::StyleSheet;
use lightningcss::values::color::{CssColor, RGBA};
use lightningcss::visit_types;
use lightningcss::visitor::{Visit, VisitTypes, Visitor};

/// Puts fixed colors in the place of those that depend on where they stand.
///
/// lightningcss 1.0.0-alpha.72 panics where it needs a simpler color for one that holds these, or that stands beside them:
/// `a{color:light-dark(canvas, lab(1% 2 3))}` for a browser without `lab()`. What overrides the colors of a palette is not visited.
pub fn replace_keywords(sheet: &mut StyleSheet) {
    struct Replace;

    impl<'i> Visitor<'i> for Replace {
        type Error = Infallible;

        fn visit_types(&self) -> VisitTypes {
            visit_types!(COLORS)
        }

        fn visit_color(&mut self, color: &mut CssColor) -> Result<(), Infallible> {
            replace(color);
            Ok(())
        }
    }

    let Ok(()) = sheet.visit(&mut Replace);
}

fn replace(color: &mut CssColor) {
    match color {
        CssColor::CurrentColor | CssColor::System(_) => {
            *color = CssColor::RGBA(RGBA::new(1, 2, 3, 1.0));
        }
        CssColor::LightDark(light, dark) => {
            replace(light);
            replace(dark);
        }
        _ => {}
    }
}

/// A group in parentheses.
#[derive(Default)]
struct Group {
    /// Whether it is that of a function whose value is never taken for the sum in it.
    is_opaque: bool,
    /// Whether it adds or subtracts.
    adds: bool,
    /// Whether there is a number with a unit in it.
    has_unit: bool,
    /// Whether it holds a group that is a sum.
    holds_sum: bool,
}

/// Whether a calculation may add two sums of lengths.
///
/// lightningcss 1.0.0-alpha.72 recurses for ever on these while it parses: `a{width:calc(1em + 1vh + (1px + 1vw))}`.
pub fn adds_sums(text: &str) -> bool {
    const OPAQUE: [&str; 6] = ["min", "max", "hypot", "round", "mod", "rem"];
    let mut open: Vec<Group> = Vec::new();
    let bytes = text.as_bytes();
    let is_blank =
        |byte: Option<&u8>| byte.is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'/');
    for (at, byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1);
        match byte {
            b'(' => {
                let before = &text.as_bytes()[..at];
                let is_opaque = OPAQUE.iter().any(|name| before.ends_with(name.as_bytes()));
                open.push(Group {
                    is_opaque,
                    ..Group::default()
                });
                continue;
            }
            b')' => {
                if let Some(inner) = open.pop()
                    && let Some(outer) = open.last_mut()
                {
                    let is_sum = inner.holds_sum || inner.adds && inner.has_unit;
                    outer.holds_sum |= is_sum && !inner.is_opaque;
                }
            }
            _ => {}
        }
        let Some(group) = open.last_mut() else {
            continue;
        };
        match byte {
            b'+' | b'-' => {
                let before = at.checked_sub(1).and_then(|before| bytes.get(before));
                group.adds |= is_blank(before) && is_blank(next);
            }
            b'0'..=b'9' => {
                // No unit begins with `n`, but the steps of `:nth-child` do.
                let is_unit =
                    |next: &u8| *next == b'%' || next.is_ascii_alphabetic() && *next != b'n';
                group.has_unit |= next.is_some_and(is_unit);
            }
            _ => {}
        }
        if group.adds && group.holds_sum {
            return true;
        }
    }
    false
}

/// Whether a hue may be infinite, which the crate cssparser-color 0.5.0 refuses by a debug assertion: `a{color:hsl(1e39 1% 1%)}`.
pub fn turns_far(text: &str) -> bool {
    let is_large = |four: &[u8]| {
        four[0].is_ascii_digit()
            && four[1].eq_ignore_ascii_case(&b'e')
            && (four[2] == b'+' || four[2].is_ascii_digit())
            && four[3].is_ascii_digit()
    };
    let text = text.to_ascii_lowercase();
    ["hsl", "hwb"].iter().any(|function| {
        text.match_indices(function).any(|(at, _)| {
            let arguments = text[at..]
                .split_once('(')
                .map_or("", |(_, arguments)| arguments);
            // The hue comes first, or after another color.
            let end: &[char] = if arguments.starts_with("from") {
                &[';', '}']
            } else {
                &[' ', ',']
            };
            let arguments = arguments.split(end).next().unwrap_or_default();
            arguments.as_bytes().windows(4).any(is_large)
                || arguments.contains("infinity")
                || arguments.contains("nan")
        })
    })
}

/// Whether what was printed is known to be another style sheet, or none.
///
/// Of `@keyframes ""{}` comes `@keyframes {}`, of `.-\- > b{}` comes `.-->b{}`, of `:has(:has(a)){}` comes `:has(){}`, and of
/// `@media print and ((hover) or (color)){}` comes `@media print and (hover) or (color){}`.
pub fn is_misread(printed: &str) -> bool {
    let lacks_name = |(at, name): (usize, &str)| {
        let rest = &printed[at + name.len()..];
        rest.trim_start().starts_with('{')
    };
    let lacks_parentheses = |query: &str| {
        let types = ["all and", "screen and", "print and", "tv and"];
        types.iter().any(|name| query.contains(name)) && query.contains(") or (")
    };
    printed.match_indices("keyframes").any(lacks_name)
        || printed.split([',', '{', ';']).any(lacks_parentheses)
        || printed.contains("-->")
        || printed.contains(":has()")
}
