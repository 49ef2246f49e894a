//! What is on offer: candidates, and where in the order of all steps each of them stands.

use std::hash::Hasher as _;

use siphasher::sip128::{Hasher128 as _, SipHasher13};

/// An input that may be tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    pub(super) text: Vec<u8>,
    pub(super) choices: Option<Vec<u8>>,
}

impl Candidate {
    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The choice sequence of the text, canonical, if it is a sentence that is reduced by its derivation; of a start that has
    /// slips, the whole input.
    pub fn choices(&self) -> Option<&[u8]> {
        self.choices.as_deref()
    }
}

/// What is tried on the present form, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stage {
    Shorter(u32),
    /// Runs of bytes, beside the derivation.
    Runs,
    Plainer,
    Over,
}

/// Where a step is, to go on behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) stage: Stage,
    /// Where the text that it changes ends.
    pub(super) end: usize,
}

/// A candidate on offer.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) candidate: Candidate,
    pub(super) place: Place,
    pub(super) shape: Shape,
}

/// Which form a candidate takes if the test holds for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// That of its choices.
    Sentence,
    /// That of its text, which must stay a sentence.
    Parsed,
    /// That of its text.
    Bare,
}

/// By this a text is known again.
pub(super) fn digest(text: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new();
    hasher.write(text);
    hasher.finish128().as_u128()
}
