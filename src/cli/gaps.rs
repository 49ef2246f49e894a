//! Texts that are not sentences, put together by where they cease to be, so that an author sees which additions to a grammar would bring
//! most.
//!
//! Two texts belong together if the parser expected the same things, in the same productions, where it stopped. Parsing a text again to
//! find out takes as long as parsing it.

use std::collections::{BTreeMap, BTreeSet};

use pleach_core::Parser;
use pleach_core::parse::{Budget, Refusal, Workspace};
use serde::Serialize;

use super::failure::Failure;
use super::output::Output;
use super::report::count;

/// The bytes of a text that are shown: some before the place, some behind it.
const BEFORE: usize = 20;
const BEHIND: usize = 30;

/// Texts that fail for the same reason.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Gap {
    pub(super) texts: u64,
    /// One of them.
    text: String,
    /// The file that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    offset: usize,
    line: u32,
    column: u32,
    /// What is wrong there.
    message: String,
    expected: Option<String>,
    pub(super) productions: Vec<String>,
}

/// A text that is not a sentence.
pub(super) struct Refused<'a> {
    pub(super) text: &'a [u8],
    pub(super) refusal: Refusal,
    /// How it is shown; what stands around the place unless given.
    pub(super) shown: Option<String>,
    pub(super) file: Option<String>,
}

/// Where texts cease to be sentences, the most frequent place first. Of each place, the first text is shown.
pub(super) fn gaps<'a>(
    parser: &Parser,
    budget: Budget,
    texts: impl IntoIterator<Item = Refused<'a>>,
) -> Vec<Gap> {
    let mut workspace = Workspace::new();
    let mut groups: BTreeMap<(Vec<String>, Option<String>), Gap> = BTreeMap::new();
    for refused in texts {
        let Refused {
            text,
            refusal,
            shown,
            file,
        } = refused;
        let error = parser.explain_in(text, refusal, budget, &mut workspace);
        let productions = error
            .expected()
            .iter()
            .flat_map(|it| it.productions.clone());
        let productions: BTreeSet<String> = productions.collect();
        let productions: Vec<String> = productions.into_iter().collect();
        let expected = error.expectation();
        let known = groups.entry((productions.clone(), expected.clone()));
        let known = known.or_insert_with(|| Gap {
            texts: 0,
            text: shown.unwrap_or_else(|| around(text, error.offset())),
            file,
            offset: error.offset(),
            line: error.line(),
            column: error.column(),
            message: error.message(),
            expected,
            productions,
        });
        known.texts += 1;
    }
    let mut groups: Vec<Gap> = groups.into_values().collect();
    groups.sort_by_key(|it| std::cmp::Reverse(it.texts));
    groups
}

/// What stands around a place of a text, in one line.
fn around(text: &[u8], offset: usize) -> String {
    let (start, end) = (offset.saturating_sub(BEFORE), offset + BEHIND);
    let part = text.get(start..end.min(text.len())).unwrap_or_default();
    let part = String::from_utf8_lossy(part);
    let part = part
        .trim_matches(char::REPLACEMENT_CHARACTER)
        .escape_debug();
    let cut = |is_cut: bool| if is_cut { "…" } else { "" };
    format!("{}{part}{}", cut(start > 0), cut(end < text.len()))
}

impl Gap {
    /// Prints how many texts there are, one of them, and what was expected.
    pub(super) fn print(&self, out: &mut Output) -> Result<(), Failure> {
        let Gap {
            texts,
            text,
            line,
            column,
            message,
            expected,
            file,
            ..
        } = self;
        let texts = count(*texts, "text");
        match file {
            Some(file) => writeln!(
                out,
                "  {texts}: {message}, as at {file}:{line}:{column}: {text}"
            )?,
            None => writeln!(out, "  {texts}: {message} at {line}:{column} of: {text}")?,
        }
        for line in expected.iter().flat_map(|it| it.lines()) {
            writeln!(out, "    {line}")?;
        }
        Ok(())
    }
}
