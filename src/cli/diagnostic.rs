//! Messages with a picture: what is wrong, the lines that it is about with carets underneath, and what to do next.
//!
//! ```text
//! error: undefined nonterminal `Foo`
//!  --> json.ebnf:4:19
//!   |
//! 4 | value := "null" | Foo;
//!   |                   ^^^
//!   |
//!   = help: define it (`Foo := …;`) or correct the name
//! ```
//!
//! The picture is drawn as rustc draws it, by its own library, which knows how wide characters are. A [`Diagnostic`] keeps no
//! text but windows of the lines at hand, whatever their length, so that it can outlive the text and costs the same in texts of any
//! size. What a window shows is made visible first: no text can drive the terminal or turn the direction of a line.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use pleach_core::caret::Position;
use unicode_width::UnicodeWidthChar as _;

/// The columns of a line that are shown on either side of where the carets start, or twice as many on one side if the other one
/// is empty.
const REACH: usize = 60;
/// The most bytes of a line that are looked at on either side: a window of the longest characters, with marks upon some.
const REACH_BYTES: usize = 16 * REACH;
/// Two places that are farther apart are drawn as if they were in two files.
const MAX_GAP: u32 = 10_000;
/// A width that no window reaches, for a renderer that would cut lines by itself.
const NO_LIMIT: usize = 16 * REACH;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Severity {
    /// The verb cannot go on, or its answer is no.
    Error,
    /// Hardly meant.
    Warning,
    /// Good to know.
    Info,
}

impl Severity {
    fn level(self) -> Level<'static> {
        match self {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        }
    }
}

/// A place in a text that a message is about.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    /// How messages name the file.
    pub(super) path: &'a str,
    /// The bytes, in a text that may be that of several files, each of which begins on a line of its own.
    pub(super) span: Range<usize>,
    /// Where the bytes begin in the file.
    pub(super) position: Position,
}

/// What is said of a text.
#[derive(Clone, Debug)]
pub(super) struct Diagnostic {
    severity: Severity,
    /// A word for what kind of message it is.
    kind: Option<&'static str>,
    message: String,
    excerpts: Vec<Excerpt>,
    note: Option<String>,
    help: Option<String>,
}

impl Diagnostic {
    /// A message without a place: one sentence in lower case without a full stop.
    pub(super) fn new(severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            kind: None,
            message: message.into(),
            excerpts: Vec::new(),
            note: None,
            help: None,
        }
    }

    /// How bad it is.
    pub(super) fn severity(&self) -> Severity {
        self.severity
    }

    /// Says of what kind it is.
    pub(super) fn of_kind(mut self, kind: &'static str) -> Diagnostic {
        self.kind = Some(kind);
        self
    }

    /// Points at a place in `text`.
    pub(super) fn at(mut self, text: &[u8], place: &Place<'_>) -> Diagnostic {
        self.excerpts.push(Excerpt::new(text, place));
        self
    }

    /// Points at a second place in the same text, with a word on what it has to do with the first.
    pub(super) fn and_at(mut self, text: &[u8], place: &Place<'_>, label: &str) -> Diagnostic {
        let mut second = Excerpt::new(text, place);
        for mark in &mut second.marks {
            mark.label = Some(label.to_owned());
            mark.is_primary = false;
        }
        let joined = self
            .excerpts
            .last()
            .and_then(|first| first.joined(&second, text));
        match joined {
            Some(joined) => {
                self.excerpts.pop();
                self.excerpts.push(joined);
            }
            None => self.excerpts.push(second),
        }
        self
    }

    /// Adds what else there is to know.
    pub(super) fn note(mut self, note: Option<String>) -> Diagnostic {
        self.note = note;
        self
    }

    /// Adds what to do next.
    pub(super) fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The message as it is printed, with a line break at the end; in color if `styled`.
    pub(super) fn draw(&self, styled: bool) -> String {
        let renderer = match styled {
            true => Renderer::styled().hyperlink(false),
            false => Renderer::plain(),
        };
        let title = self.severity.level().primary_title(visible(&self.message));
        let title = match self.kind {
            Some(kind) => title.id(kind),
            None => title,
        };
        let renderer = renderer.term_width(NO_LIMIT);
        let mut group = Group::with_title(title);
        for excerpt in &self.excerpts {
            group = group.element(excerpt.snippet());
        }
        let has_picture = !self.excerpts.is_empty();
        let mut below = Vec::new();
        let remarks = [(Level::NOTE, &self.note), (Level::HELP, &self.help)];
        for (level, remark) in remarks {
            match remark {
                Some(remark) if has_picture => {
                    group = group.element(level.message(visible(remark)));
                }
                Some(remark) => {
                    let title = level.primary_title(visible(remark));
                    below.push(renderer.render(&[Group::with_title(title)]));
                }
                None => {}
            }
        }
        let mut drawn = renderer.render(&[group]);
        for line in below {
            drawn.push('\n');
            drawn += &line;
        }
        for excerpt in &self.excerpts {
            excerpt.correct_column(&mut drawn);
        }
        if styled {
            drawn.push('\n');
            return drawn;
        }
        let mut lines = String::with_capacity(drawn.len() + 1);
        for line in drawn.lines() {
            lines += line.trim_end();
            lines.push('\n');
        }
        lines
    }
}

/// Lines of one file.
#[derive(Clone, Debug)]
struct Excerpt {
    path: String,
    /// The offset of the place in the text.
    offset: usize,
    first_line: u32,
    /// The windows of the lines, joined by line breaks.
    source: String,
    marks: Vec<Mark>,
    /// The column of the first mark in the file.
    column: u32,
    /// Its column in the window.
    shown_column: u32,
}

/// Bytes of an excerpt with carets below.
#[derive(Clone, Debug)]
struct Mark {
    span: Range<usize>,
    label: Option<String>,
    is_primary: bool,
}

impl Excerpt {
    /// The line in which a place begins, with a mark on as much of the place as is on that line.
    fn new(text: &[u8], place: &Place<'_>) -> Excerpt {
        let window = Window::new(text, place.span.clone());
        let before = &window.line[..window.mark.start];
        Excerpt {
            path: visible(place.path).into_owned(),
            offset: place.span.start,
            first_line: place.position.line,
            shown_column: before.chars().count() as u32 + 1,
            column: place.position.column,
            source: window.line,
            marks: vec![Mark {
                span: window.mark,
                label: None,
                is_primary: true,
            }],
        }
    }

    fn last_line(&self) -> u32 {
        let breaks = self.source.bytes().filter(|&byte| byte == b'\n');
        self.first_line + breaks.count() as u32
    }

    /// Both in one, if they are near each other in one file.
    fn joined(&self, other: &Excerpt, text: &[u8]) -> Option<Excerpt> {
        if self.path != other.path {
            return None;
        }
        if self.first_line == other.first_line {
            // Two windows of one line fit together if none is cut.
            let same = self.source == other.source;
            return same.then(|| Excerpt {
                marks: [&*self.marks, &other.marks].concat(),
                ..self.clone()
            });
        }
        let (upper, lower) = match self.first_line < other.first_line {
            true => (self, other),
            false => (other, self),
        };
        let gap = lower.first_line.checked_sub(upper.last_line())?;
        if gap > MAX_GAP {
            return None;
        }
        let mut joined = Excerpt {
            source: upper.source.clone(),
            first_line: upper.first_line,
            ..self.clone()
        };
        match gap {
            // A single line between them is shown.
            2 => {
                let rest = text.get(upper.offset..).unwrap_or_default();
                let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(0);
                let next = upper.offset + end + 1;
                joined.source.push('\n');
                joined.source += &Window::new(text, next..next).line;
                joined.source.push('\n');
            }
            _ => joined.source.extend((0..gap).map(|_| '\n')),
        }
        let start = joined.source.len();
        joined.source += &lower.source;
        joined.marks.clear();
        for excerpt in [self, other] {
            let start = match excerpt.first_line == lower.first_line {
                true => start,
                false => 0,
            };
            joined.marks.extend(excerpt.marks.iter().map(|mark| Mark {
                span: mark.span.start + start..mark.span.end + start,
                ..mark.clone()
            }));
        }
        Some(joined)
    }

    fn snippet(&self) -> Snippet<'_, Annotation<'_>> {
        let marks = self.marks.iter().map(|mark| {
            let kind = match mark.is_primary {
                true => AnnotationKind::Primary,
                false => AnnotationKind::Context,
            };
            kind.span(mark.span.clone()).label(mark.label.as_deref())
        });
        Snippet::source(&self.source)
            .path(&*self.path)
            .line_start(self.first_line as usize)
            .annotations(marks)
    }

    /// The renderer counts columns from the start of a window; where that is not the start of the line, they are corrected.
    fn correct_column(&self, drawn: &mut String) {
        if self.column == self.shown_column {
            return;
        }
        let first = self.marks.iter().map(|mark| mark.span.start);
        let Some(first) = first.min() else { return };
        let line = self.source[..first].matches('\n').count() as u32 + self.first_line;
        let place = |column| format!("{}:{line}:{column}", self.path);
        *drawn = drawn.replacen(&place(self.shown_column), &place(self.column), 1);
    }
}

/// What is shown of a line.
struct Window {
    line: String,
    /// The bytes to be marked; empty at the end of a line.
    mark: Range<usize>,
}

impl Window {
    /// A window of the line in which a span of a text begins.
    fn new(text: &[u8], span: Range<usize>) -> Window {
        let first = match text.starts_with(BYTE_ORDER_MARK) {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        };
        let newline = |&byte: &u8| byte == b'\n';
        let start = span.start.clamp(first, text.len());
        let head = &text[start.saturating_sub(REACH_BYTES).max(first)..start];
        let tail = &text[start..text.len().min(start + REACH_BYTES)];

        // Before the place: from the last line break, or from the first character that begins in what is looked at.
        let (is_open, head) = match head.iter().rposition(newline) {
            Some(at) => (false, &head[at + 1..]),
            None if start - head.len() > first => (true, &head[char_start(head)..]),
            None => (false, head),
        };
        let before = characters(head);

        // From the place on: to the line break, or to the last character that ends in what is looked at.
        let (goes_on, tail) = match tail.iter().position(newline) {
            Some(at) => (false, tail[..at].strip_suffix(b"\r").unwrap_or(&tail[..at])),
            None => (start + tail.len() < text.len(), tail),
        };
        let mut after = characters(tail);
        if goes_on
            && after
                .last()
                .is_some_and(|&(c, _)| c == char::REPLACEMENT_CHARACTER)
        {
            after.pop();
        }
        let marked = span.end.saturating_sub(start).min(tail.len());

        // What one side does not need, the other one has.
        let columns = |side: &[(char, usize)]| side.iter().map(|&(c, _)| width(c)).sum::<usize>();
        let room = REACH.max((2 * REACH).saturating_sub(columns(&after)));
        let mut used = 0;
        let kept = before.iter().rev().take_while(|&&(c, _)| {
            used += width(c);
            used <= room
        });
        let kept = kept.count();
        let before = &before[before.len() - kept..];
        let is_cut = is_open || used > room;

        let mut line = String::new();
        if is_cut {
            line.push('…');
        }
        let push = |c: char, line: &mut String| line.push(shown(c));
        before.iter().for_each(|&(c, _)| push(c, &mut line));
        let mark = line.len();
        let mut mark = mark..mark;
        let mut room = 2 * REACH - columns(before);
        let mut at = 0;
        let mut is_cut = goes_on;
        for &(c, size) in &after {
            match room.checked_sub(width(c)) {
                Some(left) => room = left,
                None => {
                    is_cut = true;
                    break;
                }
            }
            push(c, &mut line);
            if at < marked {
                mark.end = line.len();
            }
            at += size;
        }
        if is_cut {
            line.push('…');
        } else {
            line.truncate(line.trim_end().len().max(mark.end));
        }
        Window { line, mark }
    }
}

/// The characters of a text, with the bytes that each takes; one for each sequence that is none.
fn characters(bytes: &[u8]) -> Vec<(char, usize)> {
    let mut characters = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        characters.extend(chunk.valid().chars().map(|c| (c, c.len_utf8())));
        if !chunk.invalid().is_empty() {
            characters.push((char::REPLACEMENT_CHARACTER, chunk.invalid().len()));
        }
    }
    characters
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The first byte that does not go on with a character that began before.
fn char_start(bytes: &[u8]) -> usize {
    let rest = bytes
        .iter()
        .take(3)
        .take_while(|&&byte| byte & 0xC0 == 0x80);
    rest.count()
}

fn width(c: char) -> usize {
    match c {
        '\t' => 4,
        _ => c.width().unwrap_or(1),
    }
}

/// A text in which nothing drives the terminal: what the renderer does not make visible itself, it is to be spared.
///
/// Control characters become their pictures; what changes the direction of a text, breaks lines or takes no room becomes U+FFFD.
/// Line breaks and tabs stay, and so do marks upon characters and what joins emoji.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| shown(c) == c) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(shown).collect())
}

fn shown(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        // The block of control pictures has one for each control character, in the same order.
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}

#[cfg(test)]
#[path = "diagnostic/tests.rs"]
mod tests;
