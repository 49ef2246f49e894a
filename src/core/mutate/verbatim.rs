//! Texts as a mutator of bytes makes them: where inputs may be invalid, a share of them is the text of another, changed as a whole.
//!
//! Slips depart from a derivation here and there; what the grammar leaves out altogether, they do not get at. So the engine
//! changes all of a text, and the result stands as raw bytes in the place of the derivation's. The derivation is kept behind
//! it, and forgetting the text leads back to that. A text that turns out to be a sentence becomes a derivation of its own.
//!
//! Such a text is mutated on without its derivation, which is decoded only where it is asked for: so this costs little more than
//! what the engine takes.

use super::apply::FORGET;
use super::work::Workspace;
use super::yields::{self, Maker};
use super::{Session, VERBATIM};
use crate::slip::{Change, MAX_RAW};

/// How many of 1000 mutations of such a text find out whether it is a sentence.
const RECOGNIZE: u32 = 60;
/// How many of 1000 changes of a text put a literal of the grammar into it: the engine has a dictionary only if it is given one.
const WORD: u32 = 125;
/// What an input has besides its choices and this text, at the most.
const TRAILER: usize = 16;
/// The longest part of another text that is put into one; mostly it is shorter, the lesser of two draws.
const PART: usize = 64;

impl Session {
    /// Whether the text is nothing of the derivation's.
    pub(super) fn is_verbatim(&self) -> bool {
        self.work.slips.verbatim().is_some()
    }

    /// Changes a text that is nothing of the derivation's. False if the derivation is to be mutated on: that which the text has come
    /// from, or the text's own.
    pub(super) fn step_verbatim(&mut self, shrink: bool) -> bool {
        if shrink && !std::mem::replace(&mut self.work.is_bare, true) {
            // The text does without the derivation.
            let len = self.choices().len();
            self.encode();
            if self.choices().len() < len {
                self.maker = None;
                return true;
            }
        }
        let forgets = self.errors == 0 && !shrink;
        if forgets || self.draw(FORGET) {
            self.work.leave_text();
            return false;
        }
        if self.draw(RECOGNIZE) {
            self.fill_whole();
            if let Some(choices) = self.work.recognize() {
                self.derive(&choices);
                return false;
            }
        }
        if shrink {
            self.maker = None;
            self.fill_whole();
            return self.work.shorten_whole_text();
        }
        self.change_verbatim()
    }

    /// Lets the engine change the whole text.
    pub(super) fn change_verbatim(&mut self) -> bool {
        self.fill_whole();
        self.apply_numbered(VERBATIM)
    }

    /// The engine has changed a text as a whole elsewhere: takes note, so that [`Session::draws_whole`] can tell whether that pays.
    pub fn made_whole(&mut self, text: &[u8]) {
        let place = self.work.graph().grammar().start();
        let operator = VERBATIM;
        self.yields
            .made(yields::hash(text), Maker { operator, place });
    }

    /// A text has come back, of which [`Session::made_whole`] may have taken note.
    pub fn came_back(&mut self, text: &[u8]) {
        self.yields.came_back(yields::hash(text));
    }

    /// True in `per_mille` of 1000 cases, and more or less often as texts that the engine has changed come back more or less often than
    /// what operators make: within a quarter and 32 times the odds.
    pub fn draws_whole(&mut self, per_mille: u32) -> bool {
        let share = self.yields.share(VERBATIM, per_mille);
        self.draw(share)
    }

    /// Puts a part of another input's text into the text.
    pub(super) fn cross_verbatim(&mut self, donor: &[u8]) -> bool {
        if self.errors == 0 || self.draw(FORGET) {
            self.work.leave_text();
            return false;
        }
        let other = self.text_of(donor);
        self.fill_whole();
        self.maker = None;
        self.work.splice_whole_text(&other)
    }

    /// Hands the present text to what changes it as a whole.
    pub(super) fn fill_whole(&mut self) {
        self.render();
        let mut whole = std::mem::take(&mut self.work.buffers.whole);
        whole.clear();
        whole.extend_from_slice(self.sentence());
        self.work.buffers.room = self.work.room_of_whole(whole.len());
        self.work.buffers.whole = whole;
    }
}

impl Workspace {
    /// How long the whole text may become.
    fn room_of_whole(&self, len: usize) -> usize {
        let limits = &self.limits;
        let most = limits
            .max_len
            .min(limits.max_choices.saturating_sub(TRAILER));
        (2 * len + 64).min(MAX_RAW).min(most)
    }

    /// Lets the engine change the whole text, or puts a literal of the grammar into it; it then stands in place of the derivation's.
    /// False, and nothing changed, if it is too long.
    pub(super) fn change_whole_text(&mut self) -> bool {
        if !self.words.is_empty() && self.rng.per_mille(WORD) {
            let word = self.words[self.rng.index(self.words.len())].clone();
            return self.put_into_whole_text(&word);
        }
        let Some(engine) = self.engine else {
            return false;
        };
        let room = self.buffers.room;
        let mut text = std::mem::take(&mut self.buffers.whole);
        let len = text.len();
        let mut changed = false;
        if (1..=room).contains(&len) {
            text.resize(room, 0);
            let len = engine(&mut text, len, room).min(room);
            text.truncate(len);
            changed = self.put_whole_text(&text);
        }
        self.buffers.whole = text;
        changed
    }

    /// Leaves a part of the whole text out. False if it is a single byte.
    fn shorten_whole_text(&mut self) -> bool {
        let mut text = std::mem::take(&mut self.buffers.whole);
        let mut changed = false;
        if text.len() > 1 {
            let start = self.rng.index(text.len());
            let most = (text.len() / 2).min(text.len() - start);
            text.drain(start..start + 1 + self.rng.index(most.max(1)));
            changed = self.put_whole_text(&text);
        }
        self.buffers.whole = text;
        changed
    }

    /// Puts a part of another text into the whole one. False, and nothing changed, if there is no room.
    fn splice_whole_text(&mut self, other: &[u8]) -> bool {
        if other.is_empty() {
            return false;
        }
        let rng = &mut self.rng;
        let len = (1 + rng.index(PART).min(rng.index(PART))).min(other.len());
        let from = rng.index(other.len() - len + 1);
        self.put_into_whole_text(&other[from..from + len])
    }

    /// Inserts bytes into the whole text, or puts them in the place of as many.
    fn put_into_whole_text(&mut self, part: &[u8]) -> bool {
        let mut text = std::mem::take(&mut self.buffers.whole);
        let at = self.rng.index(text.len() + 1);
        let end = match self.rng.per_mille(500) {
            true => at,
            false => (at + part.len()).min(text.len()),
        };
        let mut changed = false;
        if text.len() - (end - at) + part.len() <= self.buffers.room {
            text.splice(at..end, part.iter().copied());
            changed = self.put_whole_text(&text);
        }
        self.buffers.whole = text;
        changed
    }

    fn put_whole_text(&mut self, text: &[u8]) -> bool {
        if text.is_empty() || text.len() > MAX_RAW {
            return false;
        }
        let choices = match self.parent.is_deferred() {
            true => self.parent.choices().len(),
            false => self.edits.kept(&self.parent.index),
        };
        self.is_bare |= choices + text.len() + TRAILER > self.limits.max_choices;
        self.slips.clear();
        self.slips.push(0, Change::Raw(text))
    }

    /// Goes on with the derivation.
    fn leave_text(&mut self) {
        self.settle();
        self.slips.forgive();
        self.is_bare = false;
    }

    /// The choices of the whole text; none if it is not a sentence, or if that takes too long to find out.
    fn recognize(&mut self) -> Option<Vec<u8>> {
        let start = self.graph().grammar().start();
        let mut choices = Vec::new();
        let graph = self.graph().clone();
        let text = &self.buffers.whole;
        let is_read =
            self.is_read_in_bytes(start) && self.readers.read(&graph, start, text, &mut choices);
        is_read.then_some(choices)
    }
}
