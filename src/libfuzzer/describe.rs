//! What a target is, said to programs that ask: for `PLEACH_DESCRIBE`.
//!
//! A target knows its grammar and its codec, and the command line does not: an option may name others, and what it then reports is
//! wrong. So it starts the target with `PLEACH_DESCRIBE=FILE`, and the target writes there what it is and ends. A target
//! that cannot answer, because it never calls [`Fuzzer::load`](super::Fuzzer::load), leaves no file; it is started with the
//! engine's flag `-help=1`, so that it ends soon, too.
//!
//! # The answer
//!
//! Lines of a name and a value, an empty line, and the grammar in the notation of pleach:
//!
//! ```text
//! pleach-target 1
//! version 0.1.0
//! codec choices
//! errors 0.1
//! k 4
//! features 2
//! goals depth,time
//! model no
//! hooks no
//! instrumented no
//! path ../grammars/json/json.ebnf
//! fingerprint f3eff1e945323a92
//!
//! json := element;
//! …
//! ```
//!
//! | line | value |
//! |---|---|
//! | `pleach-target` | the version of this form, 1; it grows only when a reader would go wrong with what is new |
//! | `version` | that of pleach |
//! | `codec` | `choices` or `text` |
//! | `errors` | the share of mutations that make an input slightly invalid, to begin with |
//! | `k` | the greatest k of the k-paths that are sought |
//! | `features` | k of the k-paths that the engine sees as features; 0 for none |
//! | `goals` | the target's own goals, with commas between them; missing if there are none |
//! | `model` | whether random derivations follow a model |
//! | `hooks` | whether there are hooks, which `pleach decode` does not know: see [`semantics`](pleach_core::semantics) |
//! | `instrumented` | whether pleach was compiled like the program under test, which makes it slow |
//! | `path` | of the grammar, from the manifest's directory; missing if the grammar is an expression |
//! | `fingerprint` | of the grammar, in hexadecimal: what is read below it has the same |
//!
//! Readers skip lines that they do not know. The form is a plain text because a target should stay small: the notation is there
//! anyway, to be printed in errors, and all of a grammar comes back from it.

use std::fmt;
use std::fs;
use std::path::Path;

use super::InputCodec;
use pleach_core::grammar::Grammar;

/// What a target says of itself.
#[derive(Debug)]
pub(super) struct Description<'a> {
    pub(super) grammar: &'a Grammar,
    pub(super) path: Option<&'static str>,
    pub(super) codec: InputCodec,
    /// Out of 1000.
    pub(super) errors: u32,
    pub(super) k: usize,
    pub(super) features: usize,
    pub(super) goals: &'a [&'static str],
    pub(super) has_model: bool,
    pub(super) has_hooks: bool,
}

impl Description<'_> {
    /// Writes the answer.
    pub(super) fn write(&self, file: &Path) -> Result<String, String> {
        let written = fs::write(file, self.to_string());
        written.map_err(|error| format!("PLEACH_DESCRIBE={}: {error}", file.display()))?;
        Ok(format!("the target is described in {}", file.display()))
    }
}

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codec = match self.codec {
            InputCodec::Choices => "choices",
            InputCodec::Text => "text",
        };
        let yes_or_no = |it: bool| if it { "yes" } else { "no" };
        writeln!(f, "pleach-target 1")?;
        writeln!(f, "version {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(f, "codec {codec}")?;
        writeln!(f, "errors {}", f64::from(self.errors) / 1000.0)?;
        writeln!(f, "k {}", self.k)?;
        writeln!(f, "features {}", self.features)?;
        if !self.goals.is_empty() {
            writeln!(f, "goals {}", self.goals.join(","))?;
        }
        writeln!(f, "model {}", yes_or_no(self.has_model))?;
        writeln!(f, "hooks {}", yes_or_no(self.has_hooks))?;
        // `pleach fuzz` sets this for what it compiles without instrumentation; the compiler itself does not tell.
        writeln!(f, "instrumented {}", yes_or_no(!cfg!(pleach_plain)))?;
        if let Some(path) = self.path {
            writeln!(f, "path {path}")?;
        }
        writeln!(f, "fingerprint {:016x}", self.grammar.fingerprint())?;
        write!(f, "\n{}", self.grammar)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Description;
    use crate::libfuzzer::InputCodec;
    use pleach_core::grammar::Grammar;

    #[test]
    fn a_target_says_what_it_is_and_its_grammar_comes_back() {
        let grammar: Grammar = "list := 10% item | '[' (item (',' item)*)? ']'; token item := [0-9]+; skip ws := ' '+;"
            .parse()
            .unwrap();
        let mut description = Description {
            grammar: &grammar,
            path: Some("../grammars/a list.ebnf"),
            codec: InputCodec::Text,
            errors: 100,
            k: 3,
            features: 2,
            goals: &["depth", "time"],
            has_model: false,
            has_hooks: true,
        };
        let text = description.to_string();
        let (head, body) = text.split_once("\n\n").unwrap();
        let fingerprint = grammar.fingerprint();
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            head,
            format!(
                "pleach-target 1\nversion {version}\ncodec text\nerrors 0.1\nk 3\nfeatures 2\ngoals depth,time\nmodel no\nhooks yes\n\
                 instrumented yes\npath ../grammars/a list.ebnf\nfingerprint {fingerprint:016x}"
            )
        );
        let again: Grammar = body.parse().unwrap();
        assert_eq!(again, grammar);
        assert_eq!(again.fingerprint(), fingerprint);

        description.path = None;
        description.goals = &[];
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("answer");
        description.write(&file).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("\npath ") && !text.contains("\ngoals "));
        let error = description.write(folder.path()).unwrap_err();
        assert!(error.starts_with("PLEACH_DESCRIBE="), "{error}");
    }
}
