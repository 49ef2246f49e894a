//! Texts up to a terminator: all texts in which none of some words occurs, as a regular expression.
//!
//! An automaton reads a text and remembers the longest beginning of a word that it ends with (Aho, Corasick: *Efficient string
//! matching*, 1975); that of a whole word is left out. Its states then become an expression one by one (Hopcroft, Motwani,
//! Ullman: *Introduction to Automata Theory*, section 3.2.2). `*/` gives `([^*] | "*"+ [^*/])* "*"*`.

use pleach_core::grammar::ast::{Alternative, Ast, ExprId, Span};
use pleach_core::grammar::{CharClass, Member};
use std::collections::BTreeSet;

/// The most states; an expression is a few times as large for each.
const MAX_STATES: usize = 12;
/// The largest expression.
const MAX_SIZE: usize = 2000;

/// What ends a text.
#[derive(Clone, Default, Debug)]
pub(crate) struct Terminators {
    /// Characters.
    pub(crate) chars: Option<CharClass>,
    /// Words of more than one.
    pub(crate) words: BTreeSet<String>,
}

impl Terminators {
    /// Adds those of others.
    pub(crate) fn extend(&mut self, others: &Terminators) {
        self.chars = union(self.chars.as_ref(), others.chars.as_ref());
        self.words.extend(others.words.iter().cloned());
    }
}

/// The members of either class.
pub(crate) fn union(one: Option<&CharClass>, other: Option<&CharClass>) -> Option<CharClass> {
    let ranges = |class: Option<&CharClass>| class.map_or(Vec::new(), |it| it.chars().to_vec());
    let mut all = ranges(one);
    all.extend(ranges(other));
    CharClass::new(&all, &[])
}

/// The characters of one class that the other does not have.
pub(crate) fn minus(one: &CharClass, other: Option<&CharClass>) -> Option<CharClass> {
    let Some(other) = other else {
        return Some(one.clone());
    };
    intersection(one, &other.negated_chars()?)
}

/// The characters that both classes have.
pub(crate) fn intersection(one: &CharClass, other: &CharClass) -> Option<CharClass> {
    // Both are sorted, so that one pass finds what they share.
    let (mut a, mut b) = (
        one.chars().iter().peekable(),
        other.chars().iter().peekable(),
    );
    let mut shared = Vec::new();
    while let (Some(&&(low, high)), Some(&&(other_low, other_high))) = (a.peek(), b.peek()) {
        let (from, to) = (low.max(other_low), high.min(other_high));
        if from <= to {
            shared.push((from, to));
        }
        if high <= other_high {
            a.next();
        } else {
            b.next();
        }
    }
    CharClass::new(&shared, &[])
}

/// An expression without a place.
#[derive(Clone, PartialEq)]
enum Re {
    Empty,
    Class(CharClass),
    Either(Vec<Re>),
    Both(Vec<Re>),
    Star(Box<Re>),
}

impl Re {
    fn size(&self) -> usize {
        match self {
            Re::Empty | Re::Class(_) => 1,
            Re::Either(parts) | Re::Both(parts) => parts.iter().map(Re::size).sum::<usize>() + 1,
            Re::Star(inside) => inside.size() + 1,
        }
    }
}

/// A repetition of any characters but a terminator.
#[derive(Clone)]
pub(crate) struct Until {
    pub(crate) base: CharClass,
    pub(crate) ends: Terminators,
    /// What stands directly behind it, if that is a text. No terminator begins before that: `(!"aba" ~ ANY)*` before `"aba"` does not
    /// end with `ab`.
    pub(crate) follow: Option<String>,
}

/// The texts of a repetition, as its terminators leave them, the empty one unless `is_nonempty`. `None` if there is none, or if the terminators
/// are too many or too long.
pub(crate) fn until(ast: &mut Ast, until: &Until, is_nonempty: bool, span: Span) -> Option<ExprId> {
    let Until { base, ends, follow } = until;
    let base = minus(base, ends.chars.as_ref())?;
    // A word with an excluded character in it never occurs.
    let can_occur = |word: &&String| word.chars().all(|c| base.contains(Member::Char(c)));
    let words: Vec<Vec<char>> = ends
        .words
        .iter()
        .filter(can_occur)
        .map(|word| word.chars().collect())
        .collect();
    let mut states: BTreeSet<&[char]> = BTreeSet::new();
    states.insert(&[]);
    for word in &words {
        states.extend((0..word.len()).map(|len| &word[..len]));
        if states.len() > MAX_STATES {
            return None;
        }
    }
    let states: Vec<&[char]> = states.into_iter().collect();
    let mut letters: Vec<(char, char)> = words.iter().flatten().map(|&c| (c, c)).collect();
    letters.sort_unstable();
    letters.dedup();
    let others = minus(&base, CharClass::new(&letters, &[]).as_ref());
    // The edges between states, with the end in the last column and the beginning in the last row.
    let end = states.len();
    let mut edges: Vec<Vec<Option<Re>>> = vec![vec![None; end + 1]; end + 1];
    for (state, read) in states.iter().enumerate() {
        let mut to: Vec<Vec<(char, char)>> = vec![Vec::new(); end];
        to[0].extend(others.iter().flat_map(|class| class.chars()));
        for &(letter, _) in &letters {
            let mut text = read.to_vec();
            text.push(letter);
            if words.iter().any(|word| text.ends_with(word)) {
                continue;
            }
            let next = (0..=text.len())
                .find_map(|from| states.iter().position(|state| *state == &text[from..]));
            to[next.unwrap_or(0)].push((letter, letter));
        }
        for (next, chars) in to.iter().enumerate() {
            edges[state][next] = CharClass::new(chars, &[]).map(Re::Class);
        }
        let follow = follow.iter().flat_map(|it| it.chars());
        let text: Vec<char> = read.iter().copied().chain(follow).collect();
        let is_early = (0..read.len()).any(|at| words.iter().any(|it| text[at..].starts_with(it)));
        edges[state][end] = (!is_early).then_some(Re::Empty);
    }
    match is_nonempty {
        true => {
            let first = edges[0][..end].to_vec();
            edges[end][..end].clone_from_slice(&first);
        }
        false => edges[end][0] = Some(Re::Empty),
    }
    for state in (0..end).rev() {
        let around = edges[state][state].take().map(|it| Re::Star(Box::new(it)));
        let others: Vec<usize> = (0..=end).filter(|&it| it < state || it == end).collect();
        for &from in &others {
            let Some(into) = edges[from][state].take() else {
                continue;
            };
            for &to in &others {
                let Some(out) = &edges[state][to] else {
                    continue;
                };
                let parts = [Some(into.clone()), around.clone(), Some(out.clone())];
                let parts = parts.into_iter().flatten();
                let mut parts: Vec<Re> = parts.filter(|it| !matches!(it, Re::Empty)).collect();
                let path = match parts.len() {
                    0 => Re::Empty,
                    1 => parts.remove(0),
                    _ => Re::Both(parts),
                };
                if path.size() > MAX_SIZE {
                    return None;
                }
                edges[from][to] = Some(match edges[from][to].take() {
                    Some(Re::Either(mut paths)) => {
                        paths.push(path);
                        Re::Either(paths)
                    }
                    Some(other) => Re::Either(vec![other, path]),
                    None => path,
                });
            }
        }
    }
    let whole = edges[end][end].take()?;
    (whole.size() <= MAX_SIZE).then(|| write(ast, &whole, span))
}

/// Whether an expression is any number of another one.
fn repeats(re: &Re, part: &Re) -> bool {
    matches!(re, Re::Star(inside) if **inside == *part)
}

/// Writes an expression. It nests no deeper than there are states.
fn write(ast: &mut Ast, re: &Re, span: Span) -> ExprId {
    match re {
        Re::Empty => ast.concatenation(&[], span),
        Re::Class(class) => match class.chars() {
            [(low, high)] if low == high => {
                let mut bytes = [0; 4];
                ast.literal(low.encode_utf8(&mut bytes).as_bytes(), span)
            }
            _ => ast.char_class(class.clone(), span),
        },
        Re::Both(parts) => {
            let mut written = Vec::new();
            let mut rest = parts.iter().peekable();
            while let Some(part) = rest.next() {
                let mut expr = write(ast, part, span);
                if rest.next_if(|next| repeats(next, part)).is_some() {
                    expr = ast.quantifier(expr, 1, None, span);
                }
                written.push(expr);
            }
            match written[..] {
                [only] => only,
                _ => ast.concatenation(&written, span),
            }
        }
        Re::Star(inside) => {
            let inside = write(ast, inside, span);
            ast.quantifier(inside, 0, None, span)
        }
        Re::Either(parts) => {
            // Nothing, or one or more, is any number.
            if let [Re::Empty, Re::Both(both)] | [Re::Both(both), Re::Empty] = &parts[..]
                && let [one, more] = &both[..]
                && repeats(more, one)
            {
                return write(ast, more, span);
            }
            let nonempty = parts.iter().filter(|part| !matches!(part, Re::Empty));
            let alternatives: Vec<Alternative> = nonempty
                .map(|part| Alternative {
                    expr: write(ast, part, span),
                    probability: None,
                })
                .collect();
            let choice = match alternatives[..] {
                [only] => only.expr,
                _ => ast.alternation(&alternatives, span),
            };
            match parts.iter().any(|part| matches!(part, Re::Empty)) {
                true => ast.quantifier(choice, 0, Some(1), span),
                false => choice,
            }
        }
    }
}
