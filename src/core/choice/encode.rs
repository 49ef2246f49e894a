//! Encoding: choices to the canonical, minimal sequence.
//!
//! Every choice is written in full, and the sequence is cut behind the last choice that close-off would not have made:
//! cutting there is what decoding undoes, and cutting any earlier would lose a decision.

use super::class::{ClassCode, MemberChoice};
use super::tape::put;
use super::walk::Sink;
use crate::id::{NodeId, SymbolId};

/// The bytes that [`Encoder::append_short`] takes.
pub(crate) const SHORT: usize = 8;

/// Writes the choices of a derivation that is told in pre-order.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    choices: Vec<u8>,
    kept: usize,
}

/// A place in the choices to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    len: usize,
    kept: usize,
}

impl Encoder {
    /// An encoder of one derivation.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// A choice of alternative `index` among `count`, where close-off chooses `default`.
    #[inline]
    pub fn alternative(&mut self, index: u32, count: u32, default: u32) {
        put(&mut self.choices, index, count);
        if index != default {
            self.kept = self.choices.len();
        }
    }

    /// A quantifier's choice to go on or to stop, where it has one.
    #[inline]
    pub fn more(&mut self, more: bool) {
        put(&mut self.choices, u32::from(more), 2);
        if more {
            self.kept = self.choices.len();
        }
    }

    /// A choice of a class member.
    #[inline]
    pub fn member(&mut self, class: &ClassCode, choice: MemberChoice) {
        put(&mut self.choices, choice.head, class.head_count());
        if choice.head != class.default_head() {
            self.kept = self.choices.len();
        }
        put(
            &mut self.choices,
            choice.rest,
            class.rest_count(choice.head),
        );
        if choice.rest != 0 {
            self.kept = self.choices.len();
        }
    }

    /// Choices that are encoded already: `choices` as this encoder would write them, of which close-off would make all but the
    /// first `kept` bytes.
    #[inline]
    pub(crate) fn append(&mut self, choices: &[u8], kept: usize) {
        if kept > 0 {
            self.kept = self.choices.len() + kept;
        }
        self.choices.extend_from_slice(choices);
    }

    /// The same for the first `len` bytes of a few: copied as a whole, which takes no call.
    #[inline(always)]
    pub(crate) fn append_short(&mut self, choices: [u8; SHORT], len: usize, kept: usize) {
        if kept > 0 {
            self.kept = self.choices.len() + kept;
        }
        let end = self.choices.len() + len;
        self.choices.extend_from_slice(&choices);
        self.choices.truncate(end);
    }

    /// A choice that takes a byte.
    #[inline(always)]
    pub(crate) fn byte(&mut self, choice: u8, is_default: bool) {
        self.choices.push(choice);
        if !is_default {
            self.kept = self.choices.len();
        }
    }

    /// All choices so far, and how many bytes of them close-off would not make.
    pub(crate) fn into_parts(self) -> (Vec<u8>, usize) {
        (self.choices, self.kept)
    }

    /// Where the encoder stands.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            len: self.choices.len(),
            kept: self.kept,
        }
    }

    /// Goes back to a mark, as if nothing had been chosen since.
    pub(super) fn reset(&mut self, mark: Mark) {
        self.choices.truncate(mark.len);
        self.kept = mark.kept;
    }

    /// The canonical sequence.
    pub fn finish(mut self) -> Vec<u8> {
        self.choices.truncate(self.kept);
        self.choices
    }
}

impl Sink for Encoder {
    fn open(&mut self, _: NodeId, _: Option<SymbolId>) {}
    fn close(&mut self, _: bool) {}
    fn literal(&mut self, _: NodeId, _: Option<SymbolId>, _: &[u8]) {}
    fn member(&mut self, _: NodeId, _: Option<SymbolId>, class: &ClassCode, choice: MemberChoice) {
        Encoder::member(self, class, choice);
    }
    fn alternative(&mut self, _: NodeId, index: u32, count: u32, default: u32) {
        Encoder::alternative(self, index, count, default);
    }
    fn more(&mut self, _: NodeId, more: bool) {
        Encoder::more(self, more);
    }
}
