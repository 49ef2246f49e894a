//! The single steps by which a text gets smaller that has no derivation, or beside its derivation.
//!
//! What has no grammar still has a shape: lines, words, and brackets that match. Each of these is left out, brackets give way to what is
//! in them and to inner ones of their kind, and then come runs of bytes of every power of two, as delta debugging has them. In the end
//! every single byte was left out, and every character was a plainer one, without success.
//!
//! Texts that must stay sentences are changed in the same ways, and in runs of a few bytes at any place; a parser says which of the
//! results are sentences, and no others are tried.

use std::cmp::Reverse;
use std::ops::Range;

use super::level::Scale;
use super::simple::plainness;

/// Texts are looked at for lines, words and brackets up to this number of these.
const MOST_SPANS: usize = 1 << 14;
/// What the candidates of a text that is parsed each time may have in bytes together.
const PARSED: usize = 1 << 18;
/// The lengths of runs that are left out at any place.
const RUNS: [usize; 12] = [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48];

/// A step: the bytes of `start..end` give way to those of `kept`, or to a character.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    /// A part of the span that stays.
    kept: Range<usize>,
    with: Option<char>,
}

impl Edit {
    fn cut(span: Range<usize>) -> Edit {
        let kept = span.start..span.start;
        Edit::keep(span, kept)
    }

    fn keep(span: Range<usize>, kept: Range<usize>) -> Edit {
        Edit {
            start: span.start,
            end: span.end,
            kept,
            with: None,
        }
    }

    /// The bytes that it takes away.
    pub(super) fn gain(&self) -> usize {
        let new = self.kept.len() + self.with.map_or(0, char::len_utf8);
        (self.end - self.start).saturating_sub(new)
    }

    /// The text behind the step.
    pub(super) fn apply(&self, text: &[u8]) -> Vec<u8> {
        let mut new = Vec::with_capacity(text.len());
        new.extend_from_slice(&text[..self.start]);
        new.extend_from_slice(&text[self.kept.clone()]);
        if let Some(c) = self.with {
            new.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        new.extend_from_slice(&text[self.end..]);
        new
    }

    fn key(&self) -> (Reverse<usize>, Reverse<usize>, usize, Option<char>) {
        (
            Reverse(self.end),
            Reverse(self.gain()),
            self.kept.start,
            self.with,
        )
    }
}

/// The steps of a level that make a text shorter. O(text · log text).
pub(super) fn shorter(text: &[u8], scale: Scale, level: u32) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut add = |edit: Edit| {
        if edit.gain() > 0 && scale.level(edit.gain()) == level {
            edits.push(edit);
        }
    };
    let mut run = text.len();
    while run > 0 {
        let mut end = text.len();
        while end > 0 {
            let start = end.saturating_sub(run);
            add(Edit::cut(start..end));
            end = start;
        }
        run /= 2;
    }
    for span in words(text) {
        add(Edit::cut(span));
    }
    for span in lines(text) {
        add(Edit::cut(span));
    }
    let brackets = brackets(text);
    for (at, pair) in brackets.iter().enumerate() {
        let inside = pair.start + 1..pair.end - 1;
        add(Edit::cut(pair.clone()));
        add(Edit::cut(inside.clone()));
        add(Edit::keep(pair.clone(), inside));
        // Brackets come by their ends, so that inner ones are before.
        let inner = brackets[..at].iter().rev();
        let inner = inner.take_while(|inner| inner.end > pair.start).take(64);
        for inner in inner.filter(|it| it.start > pair.start) {
            if text[inner.start] == text[pair.start] {
                add(Edit::keep(pair.clone(), inner.clone()));
            }
        }
    }
    sorted(edits)
}

/// Runs of a few bytes at any place, the longest first; fewer where parsing each result would take long.
pub(super) fn runs(text: &[u8]) -> Vec<Edit> {
    let len = text.len();
    let places = PARSED / (len * len).max(1);
    let mut edits = Vec::new();
    for &run in RUNS.iter().take(places).filter(|&&run| run < len) {
        edits.extend((0..=len - run).map(|start| Edit::cut(start..start + run)));
    }
    sorted(edits)
}

/// Characters that become plainer ones.
pub(super) fn plainer(text: &[u8]) -> Vec<Edit> {
    const PLAIN: [char; 6] = ['0', '1', 'a', 'b', ' ', '\n'];
    let mut edits = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let len = text[at..].utf8_chunks().next().map_or(1, |chunk| {
            let first = chunk.valid().chars().next();
            first.map_or(1, char::len_utf8)
        });
        let present = plainness(&text[at..at + len]);
        let mut with = PLAIN.to_vec();
        match text[at] {
            digit @ b'2'..=b'9' => with.extend([char::from(digit - 1), char::from(digit / 2 + 24)]),
            letter @ b'A'..=b'Z' => with.push(char::from(letter.to_ascii_lowercase())),
            _ => {}
        }
        with.retain(|c| plainness(c.encode_utf8(&mut [0; 4]).as_bytes()) < present);
        edits.extend(with.into_iter().map(|c| Edit {
            with: Some(c),
            ..Edit::cut(at..at + len)
        }));
        at += len;
    }
    sorted(edits)
}

fn sorted(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(Edit::key);
    edits.dedup();
    edits
}

/// Runs of letters and digits, and of white space.
fn words(text: &[u8]) -> Vec<Range<usize>> {
    let class = |byte: u8| match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => 1,
        b' ' | b'\t' | b'\n' | b'\r' => 2,
        _ => 0,
    };
    let mut spans = Vec::new();
    let mut start = 0;
    for at in 1..=text.len() {
        let is_end = at == text.len() || class(text[at]) != class(text[start]);
        if is_end || class(text[start]) == 0 {
            if at - start > 1 && spans.len() < MOST_SPANS {
                spans.push(start..at);
            }
            start = at;
        }
    }
    spans
}

/// Lines with their ends, and runs of a power of two of them.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut starts = vec![0];
    let ends = text.iter().enumerate().filter(|it| *it.1 == b'\n');
    starts.extend(ends.map(|(at, _)| at + 1).take(MOST_SPANS));
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    let count = starts.len() - 1;
    let mut spans = Vec::new();
    let mut run = count / 2;
    while run > 0 {
        let mut behind = count;
        while behind > 0 {
            let first = behind.saturating_sub(run);
            spans.push(starts[first]..starts[behind]);
            behind = first;
        }
        run /= 2;
    }
    spans
}

/// Pairs of brackets, and of quotes on a line, by their ends.
fn brackets(text: &[u8]) -> Vec<Range<usize>> {
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut pairs = Vec::new();
    let mut at = 0;
    while at < text.len() && pairs.len() < MOST_SPANS && open.len() < MOST_SPANS {
        let byte = text[at];
        let opens = match byte {
            b'(' | b'[' | b'{' | b'<' => {
                open.push((byte, at));
                at += 1;
                continue;
            }
            b'"' | b'\'' | b'`' => {
                // Brackets within quotes are others than those outside.
                let mut behind = text[at + 1..].iter().take_while(|&&it| it != b'\n');
                if let Some(len) = behind.position(|&it| it == byte) {
                    pairs.push(at..at + len + 2);
                    at += len + 1;
                }
                at += 1;
                continue;
            }
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            b'>' => b'<',
            _ => 0,
        };
        at += 1;
        if let Some(nth) = open.iter().rposition(|&(it, _)| it == opens) {
            pairs.push(open[nth].1..at);
            open.truncate(nth);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(edits: &[Edit], text: &str) -> Vec<String> {
        let texts = edits.iter().map(|edit| edit.apply(text.as_bytes()));
        texts
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .collect()
    }

    #[test]
    fn brackets_give_way_to_what_is_in_them() {
        let text = "f(a, (b), 'c)')";
        let all = (0..20).flat_map(|level| shorter(text.as_bytes(), Scale::new(15, 15), level));
        let found = results(&all.collect::<Vec<_>>(), text);
        for expected in [
            "f",
            "f()",
            "fa, (b), 'c)'",
            "f(b)",
            "f(a, b, 'c)')",
            "(a, (b), 'c)')",
            "f(a, (b), 'c)'",
        ] {
            assert!(
                found.iter().any(|it| it == expected),
                "{expected} {found:#?}"
            );
        }
    }

    #[test]
    fn every_byte_is_left_out() {
        let text = "a\nb c";
        let all = (0..20).flat_map(|level| shorter(text.as_bytes(), Scale::new(5, 5), level));
        let all: Vec<Edit> = all.collect();
        for at in 0..text.len() {
            assert!(all.contains(&Edit::cut(at..at + 1)), "{at}");
        }
        let runs = results(&runs(text.as_bytes()), text);
        assert!(runs.contains(&"ac".to_owned()) && runs.contains(&"abc".replace('b', "\nb")));
    }

    #[test]
    fn characters_become_plainer() {
        let table = [
            ("8", "0 1 4 7"),
            ("B", "0 1 a b b"),
            ("é", "0 1 a b   \n"),
            ("0", ""),
        ];
        for (text, expected) in table {
            let mut found = results(&plainer(text.as_bytes()), text);
            found.sort();
            let mut wanted: Vec<String> = expected.split(' ').map(str::to_owned).collect();
            wanted.retain(|it| !it.is_empty());
            if text == "é" {
                wanted.push(" ".into());
            }
            wanted.sort();
            wanted.dedup();
            found.dedup();
            assert_eq!(found, wanted, "{text}");
        }
    }
}
