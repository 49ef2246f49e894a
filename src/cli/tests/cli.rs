//! The command line, tested from outside: golden cases, and properties that goldens cannot show.
//!
//! A golden case is a file `cli/<name>.case`: prose, and commands with what they print. Each case runs in a fresh directory that
//! has the grammars of `fixtures/` in it; its commands run one after the other in a shell that finds `pleach`.
//!
//! ```text
//! $ pleach check nowhere.ebnf        the command
//! | …                                a line of standard output
//! \ no line break                    the line before was not finished
//! ! error: …                         a line of standard error
//! ? 2                                the exit code, if it is not 0
//! ```
//!
//! `BLESS=1` rewrites the cases with what is printed now. Read them before you commit them.

#[path = "cli/pages.rs"]
mod pages;
#[path = "cli/properties.rs"]
mod properties;
#[path = "cli/sandbox.rs"]
mod sandbox;
#[path = "cli/schemas.rs"]
mod schemas;
#[path = "cli/texts.rs"]
mod texts;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};

use sandbox::Sandbox;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = cases()
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            Trial::test(format!("case::{name}"), move || run_case(&path))
        })
        .collect();
    for (name, property) in properties::ALL
        .iter()
        .chain(texts::ALL)
        .chain(pages::ALL)
        .chain(schemas::ALL)
    {
        trials.push(Trial::test(format!("property::{name}"), || {
            property();
            Ok(())
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "case")
        })
        .collect();
    cases.sort();
    cases
}

fn run_case(path: &Path) -> Result<(), Failed> {
    let expected = fs::read_to_string(path)?;
    let sandbox = Sandbox::new();
    let mut actual = String::new();
    for line in expected.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => {
                let _ = writeln!(actual, "{line}");
                let output = sandbox.shell(command);
                append(&mut actual, "|", &output.stdout);
                append(&mut actual, "!", &output.stderr);
                match output.status.code() {
                    Some(0) => {}
                    Some(code) => {
                        let _ = writeln!(actual, "? {code}");
                    }
                    None => return Err(format!("`{command}` was killed").into()),
                }
            }
            None if is_output(line) => {}
            None => {
                let _ = writeln!(actual, "{line}");
            }
        }
    }
    if actual == expected {
        return Ok(());
    }
    if env::var_os("BLESS").is_some() {
        fs::write(path, actual)?;
        return Ok(());
    }
    let (line, (expected, actual)) = (1..)
        .zip(lines_beside(&expected, &actual))
        .find(|(_, (expected, actual))| expected != actual)
        .unwrap_or_default();
    Err(format!(
        "{}:{line}\n  expected: {expected}\n  printed:  {actual}\nBLESS=1 takes what is printed",
        path.display()
    )
    .into())
}

fn is_output(line: &str) -> bool {
    ["|", "!", "\\", "?"]
        .iter()
        .any(|mark| line == *mark || line.starts_with(&format!("{mark} ")))
}

/// Appends what a command printed, each line behind its mark.
fn append(out: &mut String, mark: &str, printed: &[u8]) {
    let text = String::from_utf8_lossy(printed);
    for line in text.split_inclusive('\n') {
        let (line, finished) = match line.strip_suffix('\n') {
            Some(line) => (line, true),
            None => (line, false),
        };
        // Other control characters would make a case hard to read, and a carriage return would be lost.
        let shown: String = line
            .chars()
            .flat_map(|c| match c.is_control() && c != '\t' {
                true => c.escape_default().collect::<Vec<char>>(),
                false => vec![c],
            })
            .collect();
        let space = if shown.is_empty() { "" } else { " " };
        let _ = writeln!(out, "{mark}{space}{shown}");
        if !finished {
            out.push_str("\\ no line break\n");
        }
    }
}

fn lines_beside<'t>(a: &'t str, b: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let end = std::iter::repeat("(end)");
    let count = a.lines().count().max(b.lines().count());
    let a = a.lines().chain(end.clone());
    a.zip(b.lines().chain(end)).take(count)
}
