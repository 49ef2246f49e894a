//! Progress bars on standard error, where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar towards `total` of `unit`; it vanishes when it is dropped.
#[derive(Debug)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(total: u64, unit: &'static str) -> Progress {
        let bar = ProgressBar::new(total);
        let template = format!("{{bar:40}} {{pos}} / {{len}} {unit}, {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Progress(bar)
    }

    /// So much more is done.
    pub(super) fn add(&self, more: u64) {
        self.0.inc(more);
    }

    /// So much is done.
    pub(super) fn set(&self, done: u64) {
        self.0.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
