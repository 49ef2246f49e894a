//! Random texts: grammars print and read back, everything else is an error and never a panic.

use super::super::Grammar;
use super::print_and_read;

/// SplitMix64 (Steele, Lea, Flood 2014): enough for tests, and the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

/// Parts of every kind that can stand as an atom.
const ATOMS: [&str; 24] = [
    "\"a\"",
    "''",
    "\"\\xff\\\"\"",
    "\"é\\n\"",
    "'\\u{1f600}'",
    "[a-z]",
    "[^\\]]",
    "[\\x00-\\xff]",
    "[\\xf0é]",
    "[^\\x00]",
    "/a|bc/",
    "/x{2,3}(y|z)?/",
    "/(?i)k/",
    "/(a|)/",
    "/[^a]/",
    "()",
    "(())",
    "/\\//",
    "[-a]",
    "\"\"",
    "'\\xc3' '\\xa9'",
    "[^\\x00-\\x40]",
    "/(?-u:[\\x80-\\xff])/",
    "/\\d/",
];
const QUANTIFIERS: [&str; 9] = [
    "?", "*", "+", "{2}", "{3,}", "{1,4}", "{,2}", "{1}", "{0,1}",
];

fn alternation(random: &mut Random, names: usize, depth: usize, text: &mut String) {
    let count = 1 + random.below(3);
    let mut percent = 100;
    for index in 0..count {
        if index > 0 {
            text.push_str(" | ");
        }
        if count > 1 && random.below(4) == 0 {
            let stated = random.below(percent + 1);
            percent -= stated;
            text.push_str(&format!("{stated}% "));
        }
        for _ in 0..1 + random.below(3) {
            match random.below(8) {
                0..3 if depth > 0 => {
                    text.push('(');
                    alternation(random, names, depth - 1, text);
                    text.push(')');
                }
                0..5 => text.push_str(&format!("n{}", random.below(names))),
                _ => text.push_str(random.pick(&ATOMS)),
            }
            if random.below(3) == 0 && !text.ends_with("\\xa9'") {
                text.push_str(random.pick(&QUANTIFIERS));
            }
            text.push(' ');
        }
    }
}

#[test]
fn random_grammars_print_and_read_back() {
    let mut random = Random(1);
    let (mut pruned, mut refused) = (0, 0);
    for _ in 0..5000 {
        let names = 1 + random.below(6);
        let mut text = String::new();
        for name in 0..names {
            text.push_str(&format!("n{name} := "));
            alternation(&mut random, names, 2, &mut text);
            text.push_str(";\n");
        }
        match text.parse::<Grammar>() {
            Ok(grammar) => {
                pruned += usize::from(!grammar.warnings().is_empty());
                print_and_read(&text);
            }
            Err(error) => {
                assert_eq!(
                    error.kind(),
                    super::super::ErrorKind::UnproductiveStart,
                    "{error}"
                );
                refused += 1;
            }
        }
    }
    assert!(
        pruned > 500 && refused > 100 && refused < 3000,
        "{pruned} {refused}"
    );
}

#[test]
fn random_pieces_never_panic() {
    let pieces = [
        "a", " ", ":=", ";", "|", "(", ")", "?", "*", "+", "{", "}", "1", ",", "\"", "'", "\\",
        "x", "u", "f", "[", "]", "^", "-", "/", "#", "%", ".", "\n", "é", "\u{feff}", "\t", "{2}",
        "a := ", "\"b\"", "[a-c]", "\r", "40%", "<", "=",
    ];
    let mut random = Random(2);
    let mut accepted = 0;
    for _ in 0..40_000 {
        let mut text = String::from(random.pick(&["", "a := ", "a := \"x\" | "]));
        for _ in 0..random.below(12) {
            text.push_str(random.pick(&pieces));
        }
        text.push_str(random.pick(&["", ";"]));
        match text.parse::<Grammar>() {
            Ok(_) => {
                accepted += 1;
                print_and_read(&text);
            }
            Err(error) => {
                assert!(error.line() >= 1 && error.column() >= 1);
                assert!(
                    error.span().end <= text.len() && error.span().start <= error.span().end,
                    "{error}"
                );
                assert!(text.get(error.span()).is_some(), "{error}");
                assert!(!error.message().ends_with('.') && !error.help().is_empty());
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}
