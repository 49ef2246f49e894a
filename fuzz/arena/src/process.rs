//! Processes: their CPU time, and how they are stopped.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use procfs::process::{ProcState, Process};

/// Set by Ctrl-C; whoever waits for something looks at it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to the signals that ask a program to end. The second one ends it at once.
    pub(crate) fn listen() -> Result<Interrupt> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register_conditional_shutdown(signal, 130, flag.clone())?;
            signal_hook::flag::register(signal, flag.clone())?;
        }
        Ok(Interrupt(flag))
    }

    /// Whether the user wants to stop.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A child in a process group of its own, so that Ctrl-C reaches only this program, which ends the child if it goes away before.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    over: bool,
}

/// How far a process is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Look {
    /// Seconds of CPU, in user and system mode, of the process and of its children that have been waited for.
    pub cpu: f64,
    /// Whether it has ended.
    pub ended: bool,
}

impl Running {
    /// Starts a command.
    pub(crate) fn start(command: &mut Command) -> Result<Running> {
        let name = command.get_program().to_owned();
        let child = command
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot run {}", name.display()))?;
        Ok(Running { child, over: false })
    }

    /// The child itself.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Looks at the process. One that has ended keeps its CPU time until it is waited for.
    pub(crate) fn look(&self) -> Result<Look> {
        let stat = Process::new(self.child.id() as i32).and_then(|it| it.stat());
        let stat = stat.context("cannot read /proc/PID/stat")?;
        let ticks = stat.utime + stat.stime + stat.cutime as u64 + stat.cstime as u64;
        Ok(Look {
            cpu: ticks as f64 / procfs::ticks_per_second() as f64,
            ended: matches!(stat.state(), Ok(ProcState::Zombie | ProcState::Dead)),
        })
    }

    /// Asks the process to end, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        // A process that has ended meanwhile does not mind.
        let _ = kill(Pid::from_raw(self.child.id() as i32), Signal::SIGINT);
    }

    /// Waits for the end.
    pub(crate) fn wait(mut self) -> Result<std::process::ExitStatus> {
        let status = self.child.wait()?;
        self.over = true;
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.over {
            // Both fail only if there is nothing left to end.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
