//! The target whose corpus a directory is.
//!
//! cargo-fuzz keeps the corpus of a target in `corpus/TARGET` of the fuzz package. So a verb that fills such a directory can ask the
//! target what it reads, if a program of it is there; nothing is built for that.

use std::path::Path;

use pleach_project::Project;

use super::answer::Target;
use super::build;
use crate::failure::warn;
use crate::recognize::Kind;
use crate::source::Source;

/// What a target reads.
pub(crate) struct Reader {
    pub(crate) target: String,
    pub(crate) kind: Kind,
    /// The fingerprint of its grammar.
    fingerprint: u64,
}

impl Reader {
    /// The target whose corpus a directory is, which need not exist; nothing if it is none, or if the target is not built or cannot
    /// answer.
    pub(crate) fn of(dir: &Path) -> Option<Reader> {
        let dir = std::path::absolute(dir).ok()?;
        let (corpus, name) = (dir.parent()?, dir.file_name()?.to_str()?);
        let package = corpus.parent()?;
        if corpus.file_name()? != "corpus" || !package.join("Cargo.toml").is_file() {
            return None;
        }
        let project = Project::find(Some(package)).ok()?;
        if !project.has_target(name) {
            return None;
        }
        // Built by `pleach fuzz`, or by `cargo fuzz`.
        let ours = project.build_dir();
        let program = build::latest(&[ours, ours.parent()?], name)?;
        let target = Target::ask(&program, &project.dir, false).ok()??;
        Some(Reader {
            target: name.to_owned(),
            kind: Kind::of(target.is_text),
            fingerprint: target.source.graph.grammar().fingerprint(),
        })
    }

    /// Says what does not fit it of inputs that a grammar makes.
    pub(crate) fn warn(&self, source: &Source, kind: Kind) {
        let Reader { target, .. } = self;
        if kind != self.kind {
            let reads = self.kind;
            warn(format_args!(
                "{kind} are written, and the target `{target}` reads {reads}"
            ));
        }
        if self.fingerprint != source.graph.grammar().fingerprint() {
            let name = &source.name;
            warn(format_args!(
                "the target `{target}` was built with another grammar than {name}"
            ));
        }
    }
}
