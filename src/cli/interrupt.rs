//! Ctrl-C in work that ends with what it has, instead of ending the program.
//!
//! The first interrupt asks the work to stop at its next file; a second one ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::note;
use super::output::on_interrupt;

/// Whether the user wants no more files to be looked at.
static STOP: AtomicBool = AtomicBool::new(false);

fn stop() {
    STOP.store(true, Ordering::Relaxed);
    on_interrupt(None);
    note("interrupted: files that are being read are finished; Ctrl-C again ends at once");
}

/// Listens to interrupts until it is dropped.
#[derive(Debug)]
pub(super) struct Interrupt(());

impl Interrupt {
    pub(super) fn listen() -> Interrupt {
        STOP.store(false, Ordering::Relaxed);
        on_interrupt(Some(stop));
        Interrupt(())
    }

    /// Whether the work is to stop.
    pub(super) fn is_set(&self) -> bool {
        STOP.load(Ordering::Relaxed)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        on_interrupt(None);
    }
}
