//! What leaves the program: standard output, and files that appear whole or not at all.
//!
//! A file is written under a hidden temporary name in its own directory and renamed when it is complete. One lock is held
//! while a file comes into being, and the handler of Ctrl-C takes it before the process ends: so an interrupt waits for the
//! file at hand and leaves nothing half-written, and no loop has to ask whether it was interrupted.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;
use tempfile::NamedTempFile;

use super::diagnostic::Diagnostic;
use super::failure::{Failure, reason};

static WRITING: Mutex<()> = Mutex::new(());

/// The exit code after an interrupt, as shells give it.
pub(super) const INTERRUPTED: u8 = 130;

/// What an interrupt does, if it is not to end this process.
static ON_INTERRUPT: Mutex<Option<fn()>> = Mutex::new(None);
/// Whether interrupts come here.
static HANDLED: AtomicBool = AtomicBool::new(false);

/// Lets Ctrl-C end the process between two files.
pub(super) fn handle_interrupts() {
    HANDLED.store(listen(), Ordering::Relaxed);
}

/// Listens to the signals that ask for an end, and says whether interrupts come here. Whoever has one of them ignored
/// (`nohup`, a background job) keeps that.
#[cfg(unix)]
fn listen() -> bool {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let mut wanted = vec![SIGINT, SIGTERM, SIGHUP];
    wanted.retain(|&signal| !is_ignored(signal));
    let Ok(mut signals) = signal_hook::iterator::Signals::new(&wanted) else {
        return false;
    };
    let listener = std::thread::Builder::new().name("signals".into());
    let listening = listener.spawn(move || signals.forever().for_each(|_| interrupted()));
    listening.is_ok() && wanted.contains(&SIGINT)
}

#[cfg(not(unix))]
fn listen() -> bool {
    false
}

/// Whether this process was started with a signal ignored, where the system tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(unix)]
fn interrupted() {
    let instead = *ON_INTERRUPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(instead) = instead {
        return instead();
    }
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    std::process::exit(INTERRUPTED.into());
}

/// Lets an interrupt do something instead of ending this process, or end it again. False if interrupts do not come here.
pub(super) fn on_interrupt(instead: Option<fn()>) -> bool {
    *ON_INTERRUPT.lock().unwrap_or_else(PoisonError::into_inner) = instead;
    HANDLED.load(Ordering::Relaxed)
}

/// Standard output. `write!` and `writeln!` work on it.
#[derive(Debug)]
pub(super) struct Output {
    stdout: BufWriter<StdoutLock<'static>>,
}

impl Output {
    pub(super) fn new() -> Output {
        Output {
            stdout: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
        }
    }

    pub(super) fn write_fmt(&mut self, arguments: fmt::Arguments<'_>) -> Result<(), Failure> {
        self.stdout.write_fmt(arguments).map_err(closed)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.stdout.write_all(bytes).map_err(closed)
    }

    /// Prints a message that is a result, in color where a terminal shows it.
    pub(super) fn diagnostic(&mut self, diagnostic: &Diagnostic) -> Result<(), Failure> {
        let is_styled = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        self.bytes(diagnostic.draw(is_styled).as_bytes())
    }

    /// Prints a value as JSON, without a line break.
    pub(super) fn value(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.stdout, value).map_err(|error| closed(error.into()))
    }

    /// Prints a value as a line of JSON.
    pub(super) fn json(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), Failure> {
        self.value(value)?;
        self.bytes(b"\n")
    }

    /// Makes sure that everything has arrived.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.stdout.flush().map_err(closed)
    }
}

fn closed(error: io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::Wrong(format!(
            "cannot write to standard output: {}",
            reason(&error)
        )),
    }
}

/// What to do with a file that is there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Existing {
    /// Leave it alone and fail.
    Keep,
    /// Put the new one in its place.
    Replace,
}

impl Existing {
    /// `--force` replaces.
    pub(super) fn forced(force: bool) -> Existing {
        if force {
            Existing::Replace
        } else {
            Existing::Keep
        }
    }
}

/// Writes a file that appears whole or not at all. What is not a file, such as a pipe or a device, has nothing to lose and is written
/// to.
pub(super) fn write_file(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), Failure> {
    let _writing = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let is_other = fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir());
    let written = (|| {
        if is_other {
            return OpenOptions::new().write(true).open(path)?.write_all(bytes);
        }
        let mut file = temporary_beside(path)?;
        file.write_all(bytes)?;
        match existing {
            Existing::Keep => file.persist_noclobber(path),
            Existing::Replace => file.persist(path),
        }?;
        Ok(())
    })();
    written.map_err(|error: io::Error| Failure::file("write", path, &error))
}

fn temporary_beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pleach-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // What any new file gets: the process's mask applies.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(bare)
}

/// The system's error without the temporary name that tempfile adds to it, which helps nobody.
fn bare(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error.kind().into(),
    }
}
