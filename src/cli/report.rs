//! What reports of several verbs have in common: paths, shares, levels, sizes, aligned columns.

use std::fmt;
use std::io::{self, IsTerminal as _};

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use pleach_core::bitset::BitSet;
use pleach_core::id::SymbolId;
use pleach_core::kpath::{ExpansionCoverage, pattern};
use pleach_core::{Graph, KPaths};
use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::diagnostic::visible;
use super::failure::Failure;
use super::output::Output;
use super::recognize::Kind;

/// A k-path for a reader.
#[derive(Serialize)]
pub(super) struct PathView {
    /// The name of each symbol.
    pub(super) path: Vec<String>,
    pub(super) pattern: String,
}

impl PathView {
    pub(super) fn new(graph: &Graph, path: &[SymbolId]) -> PathView {
        let grammar = graph.grammar();
        PathView {
            path: path
                .iter()
                .map(|&symbol| grammar.symbol_name(symbol))
                .collect(),
            pattern: pattern(graph, path),
        }
    }

    /// The names in one word.
    pub(super) fn name(&self) -> String {
        self.path.join(">")
    }
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Share {
    pub(super) covered: u64,
    pub(super) total: u64,
}

impl Share {
    /// The covered alternatives.
    pub(super) fn of(expansions: &ExpansionCoverage) -> Share {
        Share {
            covered: expansions.covered() as u64,
            total: expansions.total() as u64,
        }
    }

    /// In percent; 0 of 0 is everything.
    pub(super) fn percent(self) -> f64 {
        match self.total {
            0 => 100.0,
            total => self.covered as f64 * 100.0 / total as f64,
        }
    }
}

/// `12 / 125 (9.6 %)`. Rounded down, so that 100 % means all.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = (self.percent() * 10.0).floor() / 10.0;
        write!(f, "{} / {} ({percent} %)", self.covered, self.total)
    }
}

/// The coverage of one level.
#[derive(Serialize)]
pub(super) struct Level {
    pub(super) k: usize,
    #[serde(flatten)]
    pub(super) share: Share,
}

impl Level {
    /// The coverage of paths of k symbols, of which these ranks are covered.
    pub(super) fn new(kpaths: &KPaths, k: usize, covered: &BitSet) -> Level {
        let share = Share {
            covered: covered.count_ones() as u64,
            total: kpaths.len_at(k),
        };
        Level { k, share }
    }
}

/// The rows of a table that say what is covered.
pub(super) fn coverage_rows(expansions: Share, levels: &[Level]) -> Vec<Vec<String>> {
    let mut rows = vec![vec!["expansions".into(), expansions.to_string()]];
    for level in levels {
        rows.push(vec![format!("{}-paths", level.k), level.share.to_string()]);
    }
    rows
}

/// How reports are drawn in a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Canvas {
    /// The columns.
    pub(super) width: usize,
    pub(super) is_colored: bool,
    /// Whether there are more characters than those of ASCII.
    pub(super) is_unicode: bool,
}

/// The columns of a terminal that does not say.
const USUAL_WIDTH: usize = 80;
/// The columns that a bar takes at the most, and at the least.
const BAR: std::ops::RangeInclusive<usize> = 10..=40;

impl Canvas {
    /// That of standard output, if it is a terminal, or is said to be one by `CLICOLOR_FORCE`.
    pub(super) fn of_stdout() -> Option<Canvas> {
        Canvas::of(&io::stdout())
    }

    /// The same for standard error, but for what is said to be one.
    pub(super) fn of_stderr() -> Option<Canvas> {
        let is_terminal = io::stderr().is_terminal();
        is_terminal.then(|| Canvas::of(&io::stderr())).flatten()
    }

    fn of(stream: &impl RawStream) -> Option<Canvas> {
        let choice = AutoStream::choice(stream);
        let is_forced = matches!(choice, ColorChoice::Always | ColorChoice::AlwaysAnsi);
        if !is_forced && !stream.is_terminal() {
            return None;
        }
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let stated = variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(variable);
        Some(Canvas {
            width: stated.or_else(measured).unwrap_or(USUAL_WIDTH),
            is_colored: choice != ColorChoice::Never,
            is_unicode: locale.is_some_and(|locale| {
                let locale = locale.to_ascii_lowercase();
                locale.contains("utf-8") || locale.contains("utf8")
            }),
        })
    }

    /// A share as a bar, in so many columns. All of it is full only if everything is covered.
    fn bar(self, share: Share, width: usize) -> String {
        let full = (share.percent() / 100.0 * width as f64).floor() as usize;
        let full = full.min(width);
        let (done, rest) = match self.is_unicode {
            true => ("━", "─"),
            false => ("#", "."),
        };
        let done = self.paint(
            Style::new().fg_color(Some(AnsiColor::Cyan.into())),
            &done.repeat(full),
        );
        format!("{done}{}", self.dim(&rest.repeat(width - full)))
    }

    /// The text in a style, where there are colors.
    fn paint(self, style: Style, text: &str) -> String {
        match self.is_colored && !text.is_empty() {
            true => format!("{style}{text}{style:#}"),
            false => text.to_owned(),
        }
    }

    /// What is less important.
    pub(super) fn dim(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// The beginning of a text that does not fit beside so many other columns.
    pub(super) fn cut(self, text: &str, others: usize) -> String {
        let room = self.width.saturating_sub(others).max(1);
        if text.width() <= room {
            return text.to_owned();
        }
        let dots = if self.is_unicode { "…" } else { "..." };
        let mut kept = String::new();
        let mut left = room.saturating_sub(dots.width());
        for c in text.chars() {
            let width = c.width().unwrap_or(0);
            if width > left {
                break;
            }
            left -= width;
            kept.push(c);
        }
        kept + dots
    }

    /// The rows of a table that say what is covered, with bars where there is room for them.
    pub(super) fn coverage_rows(self, expansions: Share, levels: &[Level]) -> Vec<Vec<String>> {
        let plain = coverage_rows(expansions, levels);
        let shares = std::iter::once(expansions).chain(levels.iter().map(|level| level.share));
        let width = |column: usize| plain.iter().map(|row| row[column].width()).max();
        let others = width(0).unwrap_or(0) + width(1).unwrap_or(0) + 4;
        let room = self.width.saturating_sub(others).min(*BAR.end());
        if room < *BAR.start() {
            return plain;
        }
        let rows = plain.iter().zip(shares);
        rows.map(|(row, share)| vec![row[0].clone(), self.bar(share, room) + "  " + &row[1]])
            .collect()
    }
}

/// The beginning of a text, in which all can be seen: bytes that are not characters are written as in the notation.
pub(super) fn excerpt(text: &[u8], most: usize) -> String {
    let mut shown = String::new();
    let mut room = most;
    for chunk in text.utf8_chunks() {
        let valid: String = chunk.valid().chars().take(room).collect();
        room -= valid.chars().count();
        shown += &visible(&valid);
        for byte in chunk.invalid().iter().take(room) {
            shown += &format!("\\x{byte:02x}");
        }
        room -= chunk.invalid().len().min(room);
        if room == 0 {
            break;
        }
    }
    let all = text
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len());
    if all.sum::<usize>() > most {
        shown.push('…');
    }
    shown
}

/// A number of bytes with a unit that keeps it short.
pub(super) fn size(bytes: u64) -> String {
    let units = ["byte", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => count(bytes, "byte"),
        _ => format!("{size:.1} {}", units[unit]),
    }
}

/// `1 input`, `2 inputs`.
pub(super) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// How many inputs were written, and what they are.
pub(super) fn written(number: u64, kind: Kind) -> String {
    let noun = match kind {
        Kind::Texts => "text",
        Kind::Choices => "choice sequence",
    };
    count(number, noun)
}

/// Prints rows in columns; the last one is not padded.
pub(super) fn table(out: &mut Output, rows: &[Vec<String>]) -> Result<(), Failure> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            match at + 1 == row.len() {
                true => writeln!(out, "{cell}")?,
                false => write!(out, "{cell:width$}  ", width = widths[at])?,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn share(covered: u64, total: u64) -> Share {
        Share { covered, total }
    }

    #[test]
    fn reports_fit_the_window_and_say_what_colors_say() {
        let levels = [
            (1, share(38, 39)),
            (2, share(125, 125)),
            (3, share(0, 523)),
            (4, share(0, 0)),
        ];
        let levels = levels.map(|(k, share)| Level { k, share });
        let mut drawn = String::new();
        for (width, is_colored, is_unicode) in [
            (200, false, true),
            (50, false, false),
            (40, false, true),
            (44, true, true),
        ] {
            let canvas = Canvas {
                width,
                is_colored,
                is_unicode,
            };
            for row in canvas.coverage_rows(share(1, 3), &levels) {
                let line = format!("{:10}  {}", row[0], row[1]);
                if !is_colored && width > 40 {
                    assert!(line.width() <= width, "{line}");
                }
                drawn += &line.replace('\u{1b}', "^");
                drawn.push('\n');
            }
        }
        expect![[r#"
            expansions  ━━━━━━━━━━━━━───────────────────────────  1 / 3 (33.3 %)
            1-paths     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━──  38 / 39 (97.4 %)
            2-paths     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  125 / 125 (100 %)
            3-paths     ────────────────────────────────────────  0 / 523 (0 %)
            4-paths     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  0 / 0 (100 %)
            expansions  ######.............  1 / 3 (33.3 %)
            1-paths     ##################.  38 / 39 (97.4 %)
            2-paths     ###################  125 / 125 (100 %)
            3-paths     ...................  0 / 523 (0 %)
            4-paths     ###################  0 / 0 (100 %)
            expansions  1 / 3 (33.3 %)
            1-paths     38 / 39 (97.4 %)
            2-paths     125 / 125 (100 %)
            3-paths     0 / 523 (0 %)
            4-paths     0 / 0 (100 %)
            expansions  ^[36m━━━━^[0m^[2m─────────^[0m  1 / 3 (33.3 %)
            1-paths     ^[36m━━━━━━━━━━━━^[0m^[2m─^[0m  38 / 39 (97.4 %)
            2-paths     ^[36m━━━━━━━━━━━━━^[0m  125 / 125 (100 %)
            3-paths     ^[2m─────────────^[0m  0 / 523 (0 %)
            4-paths     ^[36m━━━━━━━━━━━━━^[0m  0 / 0 (100 %)
        "#]]
        .assert_eq(&drawn);
    }

    #[test]
    fn what_is_too_wide_is_cut_between_characters() {
        let canvas = |width, is_unicode| Canvas {
            width,
            is_colored: false,
            is_unicode,
        };
        for (text, width, unicode, ascii) in [
            ("pattern", 7, "pattern", "pattern"),
            ("pattern", 6, "patte…", "pat..."),
            ("日本語日本語", 7, "日本語…", "日本..."),
            ("é", 0, "é", "é"),
        ] {
            assert_eq!(canvas(width, true).cut(text, 0), unicode);
            assert_eq!(canvas(width + 3, false).cut(text, 3), ascii);
        }
    }
}
