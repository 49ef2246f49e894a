//! Progress bars on standard error, where that is a terminal.

use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::diagnostic::visible;

/// What takes longer is named.
const SLOW: Duration = Duration::from_secs(2);
/// How often a bar with names is drawn though nothing was done.
const TICK: Duration = Duration::from_millis(500);

/// What is being worked on: a number, when it was begun, and its name.
type Open = Arc<Mutex<Vec<(u64, Duration, String)>>>;

/// A bar towards `total` of `unit`; it vanishes when it is dropped.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    open: Open,
}

/// Something that is being worked on, until this is dropped.
#[derive(Debug)]
pub(super) struct Doing<'a> {
    progress: &'a Progress,
    number: u64,
}

impl Progress {
    pub(super) fn new(total: u64, unit: &'static str) -> Progress {
        let bar = ProgressBar::new(total);
        let open = Open::default();
        let named = open.clone();
        let template = format!("{{bar:40}} {{pos}} / {{len}} {unit}, {{eta}} left{{slow}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            let slow = move |state: &ProgressState, out: &mut dyn Write| {
                let open = named.lock().unwrap_or_else(PoisonError::into_inner);
                let oldest = open.iter().min_by_key(|(_, begun, _)| *begun);
                if let Some((_, begun, name)) = oldest
                    && let Some(taken) = state.elapsed().checked_sub(*begun)
                    && taken >= SLOW
                {
                    // A bar that cannot be drawn is no harm.
                    let _ = write!(out, "; {} s with {name}", taken.as_secs());
                }
            };
            bar.set_style(style.with_key("slow", slow));
        }
        Progress { bar, open }
    }

    /// A line that says how far something is of which nobody knows how long it takes; it vanishes as a bar does.
    pub(super) fn line() -> Progress {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Progress {
            bar,
            open: Open::default(),
        }
    }

    /// What the line says now.
    pub(super) fn say(&self, message: String) {
        self.bar.set_message(message);
        self.bar.tick();
    }

    /// So much more is done.
    pub(super) fn add(&self, more: u64) {
        self.bar.inc(more);
    }

    /// So much is done.
    pub(super) fn set(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Names a file while it is worked on, if it takes long.
    pub(super) fn doing(&self, file: &Path) -> Option<Doing<'_>> {
        if self.bar.is_hidden() {
            return None;
        }
        self.bar.enable_steady_tick(TICK);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let number = open
            .iter()
            .map(|(number, ..)| number + 1)
            .max()
            .unwrap_or(0);
        let name = visible(&file.display().to_string()).into_owned();
        open.push((number, self.bar.elapsed(), name));
        Some(Doing {
            progress: self,
            number,
        })
    }
}

impl Drop for Doing<'_> {
    fn drop(&mut self) {
        let open = &self.progress.open;
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(number, ..)| *number != self.number);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
