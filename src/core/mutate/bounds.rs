//! Bounds of mutants: what they may grow to, and how they come to fit.

use super::{Outcome, Session};
use crate::slip;

impl Session {
    /// Changes the present input so that it has at most `max_size` bytes of choices, and grows by no more than the campaign
    /// has come to.
    pub(super) fn within_choices(
        &mut self,
        max_size: usize,
        change: impl FnOnce(&mut Session) -> Outcome,
    ) -> Outcome {
        let limits = self.work.limits;
        let max_choices = self
            .length
            .next(self.longest.choices, max_size, &mut self.work.rng);
        self.work.limits.max_choices = limits.max_choices.min(max_choices);
        let outcome = change(self);
        self.work.limits = limits;
        self.fit(max_size);
        self.render();
        self.remember();
        outcome
    }

    /// [`Session::open`] with at most `max_size` bytes of choices; false, too, if the present input has more and is to be shortened.
    pub(super) fn open_choices(&mut self, max_size: usize) -> bool {
        self.choices().len() <= max_size && self.open(max_size, self.work.limits.max_len)
    }

    /// [`Session::open`] with at most `max_len` bytes of text; false, too, if the present input has more and is to be shortened.
    pub(super) fn open_text(&mut self, max_len: usize) -> bool {
        let len = self.sentence().len();
        len <= max_len && self.open(usize::MAX, max_len.min(self.work.limits.max_len))
    }

    /// The present input is one that the campaign begins with.
    pub(super) fn begin_with(&mut self) {
        let (choices, text) = (self.choices().len(), self.sentence().len());
        self.longest.choices = self.longest.choices.max(choices);
        self.longest.text = self.longest.text.max(text);
    }

    pub(super) fn within<T>(
        &mut self,
        max_len: usize,
        change: impl FnOnce(&mut Session) -> T,
    ) -> T {
        let limits = self.work.limits;
        let max_len = self
            .length
            .next(self.longest.text, max_len, &mut self.work.rng);
        self.work.limits.max_len = limits.max_len.min(max_len);
        let changed = change(self);
        self.work.limits = limits;
        self.render();
        changed
    }

    /// Cuts choices off the present input's end until its sentence, closed off there, has at most `max_len` bytes. False if
    /// even the sentence of no choices is longer. Slips and variations are forgotten.
    pub fn cut(&mut self, max_len: usize) -> bool {
        let choices = slip::split(self.choices()).0.to_vec();
        let mut len = choices.len();
        while self.sentence().len() > max_len || !self.work.slips.is_empty() {
            if len == 0 && self.work.slips.is_empty() {
                return false;
            }
            if self.work.slips.is_empty() {
                len -= len.div_ceil(4);
            }
            self.derive(&choices[..len]);
        }
        true
    }

    /// Cuts the present input to a size; what is lost is closed off. Slips go first.
    pub(super) fn fit(&mut self, max_size: usize) {
        if self.choices().len() > max_size && self.is_verbatim() {
            self.work.is_bare = true;
            self.encode();
        }
        if self.choices().len() > max_size {
            let mut choices = slip::split(self.choices()).0.to_vec();
            choices.truncate(max_size);
            self.derive(&choices);
        }
    }
}
