//! What is wrong with a target.

use std::io;
use std::path::PathBuf;

/// Why a target cannot be probed, or its points have no names. What to do stands behind `help: ` on a line of its own.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program does not start.
    #[error("{}: cannot run it: {source}\nhelp: name the program of a fuzz target", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The program ended as an engine does that was asked for help.
    #[error(
        "{}: the target does not answer as a probe\nhelp: define it by `pleach::fuzz!`, or call `load()` in `init:` of its \
         `fuzz_target!`, and build it with a version of pleach that has probes",
        program.display()
    )]
    NoAnswer {
        /// The program.
        program: PathBuf,
    },
    /// The target says what is wrong, and what to do.
    #[error("{message}")]
    Refused {
        /// What it says.
        message: String,
    },
    /// The program died before it ran an input.
    #[error(
        "{}: the target dies before its first input: {how}{}\nhelp: run it by `cargo fuzz run` and see why it dies",
        program.display(),
        quoted(said)
    )]
    Died {
        /// The program.
        program: PathBuf,
        /// By what: a signal or an exit code.
        how: String,
        /// What it said last.
        said: String,
    },
    /// The records are none.
    #[error(
        "the records of the target are damaged at byte {offset}: {what}\nhelp: build the target and install `pleach` from the same version"
    )]
    Damaged {
        /// Where in the file.
        offset: u64,
        /// What is wrong there.
        what: &'static str,
    },
    /// A file cannot be written or read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The input is too long for the target.
    #[error("input {number} has {len} bytes, more than a target takes\nhelp: leave it out")]
    TooLong {
        /// Its number, from 0.
        number: usize,
        /// Its length in bytes.
        len: usize,
    },
    /// The program has no symbol table, or one of another program.
    #[error(
        "{}: there are no symbols in it{}\nhelp: build the target without `strip` in its profile",
        program.display(),
        quoted(what)
    )]
    NoSymbols {
        /// The program.
        program: PathBuf,
        /// What is wrong with the file, if it cannot be read at all.
        what: String,
    },
    /// The program has no debug information for any of its points.
    #[error(
        "{}: there is no debug information in it, so nothing is known of its functions\nhelp: add `debug = \"line-tables-only\"` to \
         `[profile.release]` in the manifest of the fuzz package, or of its workspace",
        program.display()
    )]
    NoDebugInfo {
        /// The program.
        program: PathBuf,
    },
}

/// What a program said, to be appended.
fn quoted(said: &str) -> String {
    match said.trim() {
        "" => String::new(),
        said => format!("\n{said}"),
    }
}
