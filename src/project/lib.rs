//! The fuzz package of a project, and how its targets are built with pleach left out of the instrumentation.
//!
//! `pleach fuzz` builds by it, and so does the arena that compares fuzzers; both start themselves as Cargo's `RUSTC_WRAPPER`
//! ([`wrapper`]), with the list of crates that serve nobody but pleach ([`plain`]).

#![forbid(unsafe_code)]

mod package;
pub mod plain;
mod project;
pub mod wrapper;

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

pub use package::{Origin, Package};
pub use project::{CargoFuzz, Project};

/// What is wrong with a project or its tools, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    message: String,
    help: Option<String>,
}

impl Error {
    fn new(message: impl fmt::Display, help: impl fmt::Display) -> Error {
        Error {
            message: message.to_string(),
            help: Some(help.to_string()),
        }
    }

    fn message(message: impl fmt::Display) -> Error {
        Error {
            message: message.to_string(),
            help: None,
        }
    }
}

/// One sentence, and what to do next on a line of its own behind `help: `.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// The sanitizers of cargo-fuzz.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sanitizer {
    /// None: fastest, and enough for safe code.
    None,
    /// Wrong accesses to memory.
    Address,
    /// Memory that is never freed.
    Leak,
    /// Reads of memory that nobody has written.
    Memory,
    /// Data races.
    Thread,
}

impl Sanitizer {
    /// All of them.
    pub const ALL: [Sanitizer; 5] = [
        Sanitizer::None,
        Sanitizer::Address,
        Sanitizer::Leak,
        Sanitizer::Memory,
        Sanitizer::Thread,
    ];

    /// The name that cargo-fuzz has for it.
    pub const fn name(self) -> &'static str {
        match self {
            Sanitizer::None => "none",
            Sanitizer::Address => "address",
            Sanitizer::Leak => "leak",
            Sanitizer::Memory => "memory",
            Sanitizer::Thread => "thread",
        }
    }
}

impl fmt::Display for Sanitizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the system says is wrong, in plain words where there are some.
pub fn reason(error: &io::Error) -> String {
    let words = match error.kind() {
        ErrorKind::NotFound => "no such file or directory",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::IsADirectory => "this is a directory",
        ErrorKind::NotADirectory => "not a directory",
        ErrorKind::AlreadyExists => "it exists already",
        ErrorKind::StorageFull => "no space left on the device",
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        _ => return error.to_string(),
    };
    words.into()
}

impl Error {
    fn file(doing: &str, path: &Path, error: &io::Error) -> Error {
        Error::message(format_args!(
            "{}: cannot {doing}: {}",
            path.display(),
            reason(error)
        ))
    }
}
