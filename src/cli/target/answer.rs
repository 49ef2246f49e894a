//! Asking a built target what it is.
//!
//! The target knows its codec, its grammar and its settings, and tells them when it is started with the variable `PLEACH_DESCRIBE`:
//! so nobody has to name them, and what is named can be checked. The form of the answer is described where targets write it, in
//! `libfuzzer/describe.rs`; verbs that ask use [`Target::ask`].
//!
//! A target of parts that never calls `load()` cannot answer, and neither can one that was built with an older pleach: then options say what
//! they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pleach_import::Notation;

use crate::args::NotationArgs;
use crate::failure::{Failure, reason};
use crate::source::Source;

/// Names the file that a target writes its answer to.
const VARIABLE: &str = "PLEACH_DESCRIBE";
/// The first line of an answer, but for the version of its form.
const HEAD: &str = "pleach-target ";
/// The version that is understood.
const VERSION: &str = "1";

/// What a target is, as it says itself.
pub(crate) struct Target {
    /// Its grammar, with the name of the file that it was built from, if it was a file.
    pub(crate) source: Source,
    /// The file that the grammar was built from, which may have changed since.
    pub(crate) path: Option<PathBuf>,
    /// Whether its inputs are texts rather than choice sequences.
    pub(crate) is_text: bool,
    /// Whether it has hooks, so that only the target itself can render its inputs.
    pub(crate) has_hooks: bool,
    /// Its own goals.
    pub(crate) goals: Vec<String>,
    /// Whether pleach was compiled like the program under test.
    pub(crate) is_instrumented: bool,
}

/// An answer, apart from its form.
#[derive(Default, PartialEq, Debug)]
struct Answer<'a> {
    is_text: bool,
    has_hooks: bool,
    is_instrumented: bool,
    path: Option<&'a str>,
    goals: Vec<&'a str>,
    fingerprint: u64,
    grammar: &'a str,
}

impl Target {
    /// Starts the program of a target, and reads what it says; nothing if it cannot answer. The paths in the answer begin at the
    /// directory of the fuzz package.
    pub(crate) fn ask(
        program: &Path,
        fuzz_dir: &Path,
        open_tokens: bool,
    ) -> Result<Option<Target>, Failure> {
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::file("make a directory for", Path::new("answers"), &error))?;
        let file = folder.path().join("answer");
        let output = Command::new(program)
            // What cannot answer is an engine, which prints its help and ends.
            .arg("-help=1")
            .env(VARIABLE, &file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .output();
        let output = output.map_err(|error| {
            Failure::new(
                format_args!("{}: cannot run it: {}", program.display(), reason(&error)),
                "name the program of a libFuzzer target",
            )
        })?;
        let Ok(answer) = fs::read_to_string(&file) else {
            return match refusal(&output.stderr) {
                Some(message) if output.status.code() == Some(2) => Err(Failure::Wrong(message)),
                _ => Ok(None),
            };
        };
        let answer = read(&answer).ok_or_else(|| misunderstood(program))?;
        Target::of(&answer, fuzz_dir, open_tokens).map(Some)
    }

    fn of(answer: &Answer<'_>, fuzz_dir: &Path, open_tokens: bool) -> Result<Target, Failure> {
        let path = answer.path.map(|path| {
            let path = fuzz_dir.join(path);
            path.canonicalize().unwrap_or(path)
        });
        let name = match &path {
            Some(path) => crate::init::shown(path),
            None => "the grammar of the target".into(),
        };
        let options = NotationArgs {
            from: Some(Notation::Pleach),
            open_tokens,
            ..NotationArgs::default()
        };
        let text = answer.grammar.as_bytes().to_vec();
        let source = Source::of(Path::new(""), name, text, &options)?;
        if source.graph.grammar().fingerprint() != answer.fingerprint {
            return Err(Failure::new(
                format_args!(
                    "{}: the grammar that the target has is another than the one that it prints",
                    source.name
                ),
                "build the target and install `pleach` from the same version",
            ));
        }
        Ok(Target {
            source,
            path,
            is_text: answer.is_text,
            has_hooks: answer.has_hooks,
            goals: answer.goals.iter().map(ToString::to_string).collect(),
            is_instrumented: answer.is_instrumented,
        })
    }
}

fn misunderstood(program: &Path) -> Failure {
    Failure::new(
        format_args!(
            "{}: the target was built with a version of pleach whose answers this one cannot read",
            program.display()
        ),
        "install `pleach` in the version that the fuzz package depends on",
    )
}

/// What a target says that ends at its start, because its grammar or a setting is wrong.
fn refusal(said: &[u8]) -> Option<String> {
    let said = String::from_utf8_lossy(said);
    let at = match said.starts_with("error: ") {
        true => 0,
        false => said.find("\nerror: ")? + 1,
    };
    Some(
        said[at..]
            .trim_start_matches("error: ")
            .trim_end()
            .to_owned(),
    )
}

/// Reads an answer.
fn read(text: &str) -> Option<Answer<'_>> {
    let (head, grammar) = text.split_once("\n\n")?;
    let mut answer = Answer {
        grammar,
        ..Answer::default()
    };
    let (mut codec, mut fingerprint) = (None, None);
    let mut lines = head.lines();
    if lines.next()?.strip_prefix(HEAD)? != VERSION {
        return None;
    }
    for line in lines {
        let Some((name, value)) = line.split_once(' ') else {
            continue;
        };
        match name {
            "codec" => codec = Some(value),
            "hooks" => answer.has_hooks = value == "yes",
            "goals" => answer.goals = value.split(',').collect(),
            "instrumented" => answer.is_instrumented = value == "yes",
            "path" => answer.path = Some(value),
            "fingerprint" => fingerprint = u64::from_str_radix(value, 16).ok(),
            _ => {}
        }
    }
    answer.is_text = match codec? {
        "text" => true,
        "choices" => false,
        _ => return None,
    };
    answer.fingerprint = fingerprint?;
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::{Answer, read, refusal};

    #[test]
    fn answers_are_read_and_lines_from_the_future_are_passed_over() {
        let text = "pleach-target 1\nversion 9.9.9\ncodec text\nshape round\ngoals a b,time\nhooks yes\ninstrumented no\n\
                    path ../g/a b.ebnf\nfingerprint 00000000000000ff\n\na := b;\n\nb := 'x';\n";
        let expected = Answer {
            is_text: true,
            has_hooks: true,
            is_instrumented: false,
            path: Some("../g/a b.ebnf"),
            goals: vec!["a b", "time"],
            fingerprint: 0xff,
            grammar: "a := b;\n\nb := 'x';\n",
        };
        assert_eq!(read(text), Some(expected));
        let table = [
            ("pleach-target 1", "pleach-target 2"),
            ("codec text", "codec morse"),
            ("codec text\n", ""),
            ("fingerprint 00000000000000ff", "fingerprint ?"),
            ("\n\n", "\n"),
        ];
        for (from, to) in table {
            assert_eq!(read(&text.replace(from, to)), None, "{to}");
        }
        assert_eq!(read(""), None);
    }

    #[test]
    fn a_target_that_refuses_is_quoted() {
        let said = b"INFO: a line\nerror: a.ebnf:1:1: bad\n1 | a\nhelp: do\n";
        assert_eq!(
            refusal(said).as_deref(),
            Some("a.ebnf:1:1: bad\n1 | a\nhelp: do")
        );
        assert_eq!(
            refusal(b"error: PLEACH_K=x\n").as_deref(),
            Some("PLEACH_K=x")
        );
        assert_eq!(refusal(b"Usage:\n"), None);
    }
}
