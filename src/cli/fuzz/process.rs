//! Running the engine: its messages go to a view as they come, and an interrupt ends it in order.
//!
//! The engine runs in a process group of its own, so that an interrupt reaches it once, from here, whether it came from the
//! terminal or from `kill`, and whatever stands between (cargo-fuzz, Cargo). Its output is then read to the end: the last
//! thing that libFuzzer does when it is interrupted is to print its numbers.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::view::View;
use crate::output;
use crate::target::engine::Reading;

/// The leader of the group that runs; 0 if none does.
static GROUP: AtomicU32 = AtomicU32::new(0);
/// How many interrupts there have been.
static INTERRUPTS: AtomicU32 = AtomicU32::new(0);

/// How the engine ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ending {
    /// What the process that was started returned.
    pub(super) status: ExitStatus,
    /// Whether it was asked to end.
    pub(super) interrupted: bool,
}

/// Runs a command to its end. Both its streams go to standard error.
pub(super) fn run(
    command: &mut Command,
    reading: &mut Reading,
    mut view: View,
) -> io::Result<Ending> {
    command.stdin(Stdio::null());
    // Standard output is for the summary.
    command.stdout(io::stderr());
    command.stderr(Stdio::piped());
    let handled = output::on_interrupt(Some(interrupt));
    #[cfg(not(unix))]
    let _ = handled;
    // If they do not come here, interrupts from the terminal have to reach the engine by themselves.
    #[cfg(unix)]
    if handled {
        std::os::unix::process::CommandExt::process_group(command, 0);
    }
    let ended = (|| {
        let mut child = command.spawn()?;
        GROUP.store(child.id(), Ordering::SeqCst);
        if INTERRUPTS.load(Ordering::SeqCst) > 0 {
            signal(child.id(), Signal::Interrupt);
        }
        if let Some(stderr) = child.stderr.take() {
            hand_on(stderr, reading, &mut view)?;
        }
        child.wait()
    })();
    GROUP.store(0, Ordering::SeqCst);
    view.finish();
    output::on_interrupt(None);
    Ok(Ending {
        status: ended?,
        interrupted: INTERRUPTS.load(Ordering::SeqCst) > 0,
    })
}

fn hand_on(mut from: impl Read, reading: &mut Reading, view: &mut View) -> io::Result<()> {
    let mut block = [0; 1 << 13];
    loop {
        let len = match from.read(&mut block) {
            Ok(0) => {
                view.end(reading);
                return Ok(());
            }
            Ok(len) => len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        view.feed(&block[..len], reading);
    }
}

/// Asks the engine to end; from the second time on, ends it.
fn interrupt() {
    let before = INTERRUPTS.fetch_add(1, Ordering::SeqCst);
    let group = GROUP.load(Ordering::SeqCst);
    if group != 0 {
        signal(
            group,
            if before == 0 {
                Signal::Interrupt
            } else {
                Signal::Kill
            },
        );
    }
}

/// The signals that are sent.
#[derive(Clone, Copy)]
enum Signal {
    Interrupt,
    Kill,
}

/// Sends a signal to all processes of a group. Where there are no groups, the console has told them already.
#[cfg(unix)]
fn signal(group: u32, signal: Signal) {
    use nix::sys::signal::{Signal as Unix, killpg};

    let signal = match signal {
        Signal::Interrupt => Unix::SIGINT,
        Signal::Kill => Unix::SIGKILL,
    };
    // A group that is gone needs no signal.
    if let Ok(group) = i32::try_from(group) {
        let _ = killpg(nix::unistd::Pid::from_raw(group), signal);
    }
}

#[cfg(not(unix))]
fn signal(_: u32, _: Signal) {}
