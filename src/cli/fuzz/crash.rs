//! What is said of an input that failed: its text, and the commands that go on with it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use crate::failure::note;
use crate::init::{quoted, shown as shown_path};
use crate::target::RENDER;
use pleach_core::{Codec, Graph, slip};

/// Longer texts are left to the command that prints them.
const MAX_SHOWN: usize = 300;

/// What it takes to read the inputs of a target.
pub(super) struct Reader<'a> {
    /// The target's grammar, if it is known.
    pub(super) graph: Option<&'a Arc<Graph>>,
    /// How commands name it.
    pub(super) grammar: &'a str,
    pub(super) is_text: bool,
    /// Only the target can render its inputs, if it has hooks: the program.
    pub(super) renderer: Option<&'a Path>,
}

impl Reader<'_> {
    /// Says what an input is that failed, and what can be done with it.
    pub(super) fn tell(&self, artifact: &Path) {
        let file = shown_path(artifact);
        let mut lines = format!("\nan input failed: {file}");
        let file = quoted(&file);
        if let Some(text) = self.text(artifact).and_then(shown) {
            lines += &format!("\n  its text: {text}");
        }
        lines += &self.commands(&file);
        note(lines);
    }

    /// The commands that go on with an input, whose path is quoted, in lines of their own.
    pub(super) fn commands(&self, file: &str) -> String {
        let grammar = self.grammar;
        let tree = format!("\n  its tree: pleach parse --tree {grammar} {file}");
        match (self.is_text, self.renderer) {
            (true, _) => format!("\n  the file is the text itself{tree} --text"),
            (false, Some(program)) => {
                let program = quoted(&shown_path(program));
                format!(
                    "\n  its text as the target sees it, as a file: {RENDER}=DIR {program} {file}{tree}"
                )
            }
            (false, None) => {
                format!("\n  its text as a file: pleach decode {grammar} {file} > FILE{tree}")
            }
        }
    }

    /// The text of an input.
    pub(super) fn text(&self, artifact: &Path) -> Option<Vec<u8>> {
        if let Some(program) = self.renderer.filter(|_| !self.is_text) {
            return render(program, artifact);
        }
        let input = fs::read(artifact).ok()?;
        match self.is_text {
            true => Some(input),
            false => Some(slip::text(&Codec::new(self.graph?), &input)),
        }
    }
}

/// The text that a target with hooks makes of an input.
fn render(program: &Path, artifact: &Path) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().ok()?;
    let dir = folder.path().join("texts");
    let status = Command::new(program)
        .arg(artifact)
        .env(RENDER, &dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let name: PathBuf = artifact.file_name().unwrap_or(OsStr::new("")).into();
    let text = fs::read(dir.join(name)).ok()?;
    status.ok()?.success().then_some(text)
}

/// A text as a line, if it is short enough and text at all.
pub(super) fn shown(text: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(text).ok()?;
    if text.len() > MAX_SHOWN {
        return None;
    }
    let is_plain = |c: char| !c.is_control();
    match text.chars().all(is_plain) && text.trim() == text && !text.is_empty() {
        true => Some(text),
        // With quotes and escapes, so that its ends can be seen.
        false => Some(format!("{text:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn texts_are_shown_in_a_line() {
        let table = [
            ("x+42", "x+42"),
            ("\"a\" \u{e9}", "\"a\" \u{e9}"),
            ("a\nb", r#""a\nb""#),
            (" a", r#"" a""#),
            ("", r#""""#),
        ];
        for (text, expected) in table {
            assert_eq!(shown(text.into()).as_deref(), Some(expected));
        }
        assert_eq!(shown(vec![0xff]), None);
        assert_eq!(shown(vec![b'a'; 301]), None);
    }
}
