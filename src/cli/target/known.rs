//! What is known of a target: what it says of itself, and what options say of one that cannot answer.
//!
//! An option that contradicts the target is refused: a wrong grammar gives figures and texts that look like any others.

use std::path::{Path, PathBuf};

use super::answer::Target;
use crate::args::NotationArgs;
use crate::failure::{Failure, note, warn};
use crate::init::{quoted, shown};
use crate::record::{Change, Maker, Record, has_files};
use crate::report::count;
use crate::source::Source;

/// What options say of a target.
pub(crate) struct Stated<'a> {
    /// The target.
    pub(crate) target: &'a str,
    pub(crate) grammar: Option<&'a Path>,
    pub(crate) notation: &'a NotationArgs,
    pub(crate) is_text: bool,
}

/// What is known of a target.
pub(crate) struct Known {
    /// Its grammar.
    pub(crate) source: Option<Source>,
    /// A file with that grammar, for commands.
    file: Option<PathBuf>,
    pub(crate) is_text: bool,
    pub(crate) has_hooks: bool,
    /// The target's own goals.
    pub(crate) goals: Vec<String>,
}

impl Stated<'_> {
    /// Reads the grammar that is named. It is the only one that options can say something of.
    pub(crate) fn source(&self) -> Result<Option<Source>, Failure> {
        if let Some(grammar) = self.grammar {
            return Source::load(grammar, self.notation).map(Some);
        }
        let NotationArgs {
            from, start, with, ..
        } = self.notation;
        let unused = [
            ("--from", from.is_some()),
            ("--start", start.is_some()),
            ("--with", !with.is_empty()),
        ];
        match unused.into_iter().find(|&(_, is_there)| is_there) {
            None => Ok(None),
            Some((option, _)) => Err(Failure::new(
                format_args!("{option} says how a grammar file is read, and none is named"),
                format_args!(
                    "leave out {option}: the target knows its grammar; or name the file by --grammar"
                ),
            )),
        }
    }

    /// Puts together what options and the target say.
    pub(crate) fn known(
        &self,
        source: Option<Source>,
        target: Option<Target>,
    ) -> Result<Known, Failure> {
        let name = self.target;
        let Some(target) = target else {
            return Ok(Known {
                source,
                file: self.grammar.map(Path::to_owned),
                is_text: self.is_text,
                has_hooks: false,
                goals: Vec::new(),
            });
        };
        if self.is_text && !target.is_text {
            return Err(Failure::new(
                format_args!("the inputs of `{name}` are choice sequences, and not texts"),
                "leave out --text; `codec: text` in the target would make them texts",
            ));
        }
        let fingerprint = target.source.graph.grammar().fingerprint();
        let Some(source) = source else {
            // The file as it is today may be another grammar.
            let file = target.path.filter(|path| is_grammar(path, fingerprint));
            return Ok(Known {
                source: Some(target.source),
                file,
                is_text: target.is_text,
                has_hooks: target.has_hooks,
                goals: target.goals,
            });
        };
        if source.graph.grammar().fingerprint() != fingerprint {
            let its_own = &target.source.name;
            return Err(Failure::new(
                format_args!("{}: the target `{name}` has another grammar", source.name),
                match target.path {
                    Some(_) => format!("leave out --grammar; the target was built with {its_own}"),
                    None => "leave out --grammar; the target knows its grammar".into(),
                },
            ));
        }
        Ok(Known {
            source: Some(source),
            file: self.grammar.map(Path::to_owned),
            is_text: target.is_text,
            has_hooks: target.has_hooks,
            goals: target.goals,
        })
    }
}

/// Whether a file has the grammar of this fingerprint.
fn is_grammar(path: &Path, fingerprint: u64) -> bool {
    let source = Source::load_quietly(path, &NotationArgs::default());
    source.is_ok_and(|source| source.graph.grammar().fingerprint() == fingerprint)
}

impl Known {
    /// Says that the grammar is not known, and what that means.
    pub(crate) fn mention_no_grammar(&self, target: &str) {
        if self.source.is_none() {
            note(format_args!(
                "note: `{target}` does not say what its grammar is; name it by --grammar to see k-paths, or let the target begin with \
                 `fuzz_target!(init: NAME.load(), …)`"
            ));
        }
    }

    /// How commands name the grammar.
    pub(crate) fn grammar(&self) -> String {
        match &self.file {
            Some(file) => quoted(&shown(file)),
            None => "GRAMMAR".into(),
        }
    }

    /// Leaves a record in the directories of the corpus and of the artifacts, which says what makes their inputs from now on. Fails
    /// if the corpus holds inputs of the other codec. If it holds choice sequences of another grammar, this is returned.
    pub(crate) fn record(
        &mut self,
        target: &str,
        corpus: &Path,
        artifacts: &Path,
    ) -> Result<Option<Outdated>, Failure> {
        let Some(source) = &self.source else {
            return Ok(None);
        };
        let mut outdated = None;
        let grammar = source.graph.grammar();
        let mut of_artifacts = Record::read(artifacts);
        // Files that are to be run once have no directory of their own.
        if !corpus.is_file() {
            let mut record = Record::read(corpus);
            // Tools that make the directory anew drop the record.
            record.presume(of_artifacts.maker());
            if let Some(before) = record.maker()
                && before.is_text != self.is_text
                && has_files(corpus)
            {
                return Err(self.wrong_codec(target, corpus, &record, before));
            }
            let change = record.enter(grammar, self.is_text)?;
            if let Some(Change { before, files }) = change.filter(|_| !self.is_text) {
                let old = [&record, &of_artifacts].map(|it| it.grammar_file(before.fingerprint));
                let old = old.into_iter().find(|it| it.exists());
                outdated = Some(self.outdated(target, corpus, old.as_deref(), files));
            }
        }
        of_artifacts.enter(grammar, self.is_text)?;
        if self.file.is_none() {
            self.file = Some(of_artifacts.grammar_file(grammar.fingerprint()));
        }
        Ok(outdated)
    }

    fn outdated(&self, target: &str, corpus: &Path, old: Option<&Path>, files: u64) -> Outdated {
        let dir = shown(corpus);
        let warning = format!(
            "the grammar of `{target}` has changed: what is in {dir} ({}) stands for other texts now",
            count(files, "choice sequence")
        );
        let dir = quoted(&dir);
        let help = match old {
            Some(old) => format!(
                "`pleach migrate {} {} {dir} -o NEW` keeps the texts; then put NEW in the place of {dir}",
                quoted(&shown(old)),
                self.grammar()
            ),
            None => "`pleach migrate` keeps the texts, if you have the old grammar".into(),
        };
        Outdated { warning, help }
    }

    fn wrong_codec(&self, target: &str, corpus: &Path, record: &Record, before: Maker) -> Failure {
        let (dir, grammar) = (shown(corpus), self.grammar());
        let quoted_dir = quoted(&dir);
        match self.is_text {
            true => {
                let old = quoted(&shown(&record.grammar_file(before.fingerprint)));
                Failure::new(
                    format_args!("{dir} holds choice sequences, and `{target}` has `codec: text`"),
                    format_args!(
                        "`pleach decode {old} {quoted_dir} -o NEW` makes texts of them; then put NEW in the place of {dir}"
                    ),
                )
            }
            false => Failure::new(
                format_args!("{dir} holds texts, and `{target}` has `codec: choices`"),
                format_args!(
                    "`pleach encode {grammar} {quoted_dir} -o NEW` makes choice sequences of them; then put NEW in the place of {dir}"
                ),
            ),
        }
    }
}

/// A corpus that an older grammar has made.
pub(crate) struct Outdated {
    warning: String,
    help: String,
}

impl Outdated {
    /// Says so.
    pub(crate) fn warn(&self) {
        let Outdated { warning, help } = self;
        warn(format_args!("{warning}\nhelp: {help}"));
    }
}
