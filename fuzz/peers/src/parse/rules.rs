//! Grammars for the peers: plain rules over characters, in a notation of one rule a line.
//!
//! `head = symbol symbol | symbol`, with names, `'literals'` and `[classes]` as symbols, separated by white space. An empty
//! alternative derives nothing, `#` starts a comment, and the first head is the start. Characters beyond ASCII are not told
//! apart, which JSON does not ask for.

use std::iter::Peekable;
use std::str::Chars;

/// How many kinds of characters there are: those of ASCII, and all others together.
pub const KINDS: usize = 129;

/// The kind of a character.
#[inline]
pub fn kind(char: char) -> usize {
    (char as usize).min(KINDS - 1)
}

/// A set of kinds.
pub type Kinds = [bool; KINDS];

/// What a right side is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// The index of a terminal.
    Terminal(usize),
    /// The index of a nonterminal.
    Nonterminal(usize),
}

/// A grammar.
#[derive(Debug, Default)]
pub struct Rules {
    /// The terminals, without doubles.
    pub terminals: Vec<Kinds>,
    /// The names of the nonterminals; the first is the start.
    pub nonterminals: Vec<String>,
    /// Left and right sides.
    pub rules: Vec<(usize, Vec<Symbol>)>,
}

impl Rules {
    /// Reads the notation.
    ///
    /// # Panics
    ///
    /// If the text is not in the notation.
    pub fn parse(text: &str) -> Rules {
        let mut rules = Rules::default();
        let lines: Vec<(&str, &str)> = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| line.split_once(" =").expect("a rule has a right side"))
            .collect();
        for (head, _) in &lines {
            rules.nonterminals.push(head.trim().to_owned());
        }
        for (head, (_, right)) in lines.iter().enumerate() {
            rules.read_right_side(head, right);
        }
        rules
    }

    fn read_right_side(&mut self, head: usize, text: &str) {
        let mut chars = text.chars().peekable();
        let mut right = Vec::new();
        while let Some(char) = chars.next() {
            match char {
                ' ' => {}
                '|' => self.rules.push((head, std::mem::take(&mut right))),
                '\'' => {
                    while let Some(char) = read_char(&mut chars, '\'') {
                        let mut kinds = [false; KINDS];
                        kinds[kind(char)] = true;
                        right.push(self.terminal(kinds));
                    }
                }
                '[' => {
                    let kinds = read_class(&mut chars);
                    right.push(self.terminal(kinds));
                }
                first => {
                    let mut name = String::from(first);
                    while let Some(char) = chars.next_if(|char| char.is_ascii_lowercase()) {
                        name.push(char);
                    }
                    let place = self.nonterminals.iter().position(|known| *known == name);
                    right.push(Symbol::Nonterminal(place.expect("names have rules")));
                }
            }
        }
        self.rules.push((head, right));
    }

    fn terminal(&mut self, kinds: Kinds) -> Symbol {
        let known = self.terminals.iter().position(|known| *known == kinds);
        Symbol::Terminal(known.unwrap_or_else(|| {
            self.terminals.push(kinds);
            self.terminals.len() - 1
        }))
    }

    /// The coarsest sets that every terminal is a union of: each kind's number, or `None` if no terminal has it.
    pub fn atoms(&self) -> (usize, [Option<usize>; KINDS]) {
        let mut known: Vec<Vec<bool>> = Vec::new();
        let atoms = std::array::from_fn(|kind| {
            let members: Vec<bool> = self.terminals.iter().map(|kinds| kinds[kind]).collect();
            if !members.contains(&true) {
                return None;
            }
            let place = known.iter().position(|other| *other == members);
            Some(place.unwrap_or_else(|| {
                known.push(members);
                known.len() - 1
            }))
        });
        (known.len(), atoms)
    }
}

/// The next character, escapes resolved, or `None` at the closing one.
fn read_char(chars: &mut Peekable<Chars<'_>>, close: char) -> Option<char> {
    match chars.next().expect("literals and classes are closed") {
        char if char == close => None,
        '\\' => Some(match chars.next().expect("an escape goes on") {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'x' => {
                let mut digit = || chars.next().and_then(|char| char.to_digit(16));
                let (high, low) = (digit().expect("a digit"), digit().expect("a digit"));
                char::from_u32(high * 16 + low).expect("two digits make a character")
            }
            char => char,
        }),
        char => Some(char),
    }
}

fn read_class(chars: &mut Peekable<Chars<'_>>) -> Kinds {
    let negated = chars.next_if_eq(&'^').is_some();
    let mut kinds = [false; KINDS];
    while let Some(first) = read_char(chars, ']') {
        let last = match chars.next_if_eq(&'-') {
            Some(_) => read_char(chars, ']').expect("a range ends"),
            None => first,
        };
        kinds[kind(first)..=kind(last)].fill(true);
    }
    kinds.map(|member| member != negated)
}

#[cfg(test)]
mod tests {
    use super::{Rules, Symbol, kind};

    #[test]
    fn right_sides_are_read() {
        let rules =
            Rules::parse("# a list\n\nlist = | list ',' item\nitem = [0-9\\-] | [^0-9\\-] 'ab'\n");
        assert_eq!(rules.nonterminals, ["list", "item"]);
        assert_eq!(rules.terminals.len(), 5);
        assert_eq!(
            rules.rules,
            [
                (0, vec![]),
                (
                    0,
                    vec![
                        Symbol::Nonterminal(0),
                        Symbol::Terminal(0),
                        Symbol::Nonterminal(1)
                    ]
                ),
                (1, vec![Symbol::Terminal(1)]),
                (
                    1,
                    vec![
                        Symbol::Terminal(2),
                        Symbol::Terminal(3),
                        Symbol::Terminal(4)
                    ]
                ),
            ]
        );
        let member = |terminal: usize, char| rules.terminals[terminal][kind(char)];
        assert!(member(1, '5') && member(1, '-') && !member(1, 'a'));
        assert!(!member(2, '5') && member(2, 'a') && member(2, 'é'));
        // The comma, `a`, `b`, digits with the minus, and the rest.
        assert_eq!(rules.atoms().0, 5);
    }
}
