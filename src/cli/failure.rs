//! What a verb comes to: an answer, or a message that says what is wrong and what to do next.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
pub(super) use pleach_project::reason;

use super::diagnostic::{Diagnostic, Severity, visible};

/// What a verb found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// Done.
    Yes,
    /// Done, and what was asked for does not hold.
    No,
    /// Ended early, because the user asked for it.
    Interrupted,
}

/// Why a verb stopped.
#[derive(Debug)]
pub(super) enum Failure {
    /// Something is wrong; one sentence, and what to do about it on further lines.
    Wrong(String),
    /// Something is wrong in a text.
    Pointed(Box<Diagnostic>),
    /// Nobody reads standard output any more.
    Closed,
}

impl Failure {
    /// A failure with a hint at what to do next.
    pub(super) fn new(message: impl Display, help: impl Display) -> Failure {
        Failure::Wrong(format!("{message}\nhelp: {help}"))
    }

    /// A failure of the library, whose messages bring their help, in reading `name`.
    pub(super) fn of(name: impl Display, error: impl Display) -> Failure {
        Failure::Wrong(format!("{name}: {error}"))
    }

    /// A file that cannot be read, written or made (`doing`).
    pub(super) fn file(doing: &str, path: &Path, error: &io::Error) -> Failure {
        let message = format!("{}: cannot {doing}: {}", path.display(), reason(error));
        let help = match error.kind() {
            ErrorKind::NotFound => "check the path",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "change the permissions, or choose another place"
            }
            ErrorKind::IsADirectory | ErrorKind::NotADirectory => "name another file",
            ErrorKind::AlreadyExists => "choose another name, or allow replacing it by --force",
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room, then run this again",
            _ => return Failure::Wrong(message),
        };
        Failure::new(message, help)
    }
}

impl From<pleach_project::Error> for Failure {
    fn from(error: pleach_project::Error) -> Failure {
        Failure::Wrong(error.to_string())
    }
}

/// Prints `error: …` and whatever lines the message has.
pub(super) fn report(message: &str) {
    labeled("error", AnsiColor::BrightRed, message);
}

/// Prints `warning: …`.
pub(super) fn warn(message: impl Display) {
    labeled("warning", AnsiColor::Yellow, &message.to_string());
}

/// Prints a message with its picture. A blank line sets those apart that others may follow.
pub(super) fn show(diagnostic: &Diagnostic) {
    let is_styled = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let end = match diagnostic.severity() {
        Severity::Error => "",
        Severity::Warning | Severity::Info => "\n",
    };
    let _ = write!(anstream::stderr(), "{}{end}", diagnostic.draw(is_styled));
}

/// Prints a line on standard error that is neither.
pub(super) fn note(message: impl Display) {
    // Whoever has closed standard error does not want to know.
    let _ = writeln!(anstream::stderr(), "{}", visible(&message.to_string()));
}

/// Prints text that has its colors already, and its line breaks.
pub(super) fn note_styled(text: &str) {
    let _ = write!(anstream::stderr(), "{text}");
}

fn labeled(label: &str, color: AnsiColor, message: &str) {
    let style: Style = color.on_default().bold();
    let message = visible(message);
    let _ = writeln!(anstream::stderr(), "{style}{label}:{style:#} {message}");
}
