//! Ctrl-C in work that ends with what it has, instead of ending the program.
//!
//! The first interrupt asks the work to stop where it can; a second one ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::note;
use super::output::on_interrupt;

/// Whether the user wants the work to stop.
static STOP: AtomicBool = AtomicBool::new(false);

fn stop() {
    on_interrupt(None);
    note("interrupted: what is under way is finished; Ctrl-C again ends at once");
    // Last, so that whatever the work says about its end comes after the note.
    STOP.store(true, Ordering::Relaxed);
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

    /// Whether the work is to stop: whether there was an interrupt since [`Interrupt::listen`] was called last.
    pub(super) fn is_set() -> bool {
        STOP.load(Ordering::Relaxed)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        on_interrupt(None);
    }
}
