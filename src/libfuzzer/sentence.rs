//! Sentences as arguments of fuzz targets.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use arbitrary::{Arbitrary, Unstructured};

use super::Fuzzer;

/// A type that stands for a grammar. Defined by [`crate::language!`].
pub trait Language: 'static {
    /// The grammar's fuzzer.
    fn fuzzer() -> &'static Fuzzer;
}

/// A sentence of a grammar, as an argument of `fuzz_target!`.
///
/// Any bytes make one, so it is never an error. Its k-paths are marked as features when it is made. With the text codec it is
/// the bytes as they are, which may be no sentence after all.
pub struct Sentence<L> {
    text: Vec<u8>,
    language: PhantomData<fn() -> L>,
}

impl<L: Language> Sentence<L> {
    /// The sentence of an input: what a choice sequence derives, or in the text codec the input itself.
    pub fn decode(input: &[u8]) -> Sentence<L> {
        let text = L::fuzzer().execute(input, <[u8]>::to_vec);
        Sentence {
            text,
            language: PhantomData,
        }
    }
}

impl<L> Sentence<L> {
    /// The text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    /// The text, if it is UTF-8: always for grammars without bytes above 0x7F in `\x` escapes, unless slips, hooks or the text
    /// codec bring in others.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.text).ok()
    }

    /// The text.
    pub fn into_bytes(self) -> Vec<u8> {
        self.text
    }
}

impl<L> Deref for Sentence<L> {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.text
    }
}

impl<L> AsRef<[u8]> for Sentence<L> {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

impl<L> Clone for Sentence<L> {
    fn clone(&self) -> Self {
        Sentence {
            text: self.text.clone(),
            language: PhantomData,
        }
    }
}

impl<L> PartialEq for Sentence<L> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<L> Eq for Sentence<L> {}

impl<L> fmt::Debug for Sentence<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(&self.text, f)
    }
}

impl<'a, L: Language> Arbitrary<'a> for Sentence<L> {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let len = u.arbitrary_len::<u8>().unwrap_or(0).min(u.len());
        Ok(Sentence::decode(u.bytes(len).unwrap_or(&[])))
    }

    fn arbitrary_take_rest(u: Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Sentence::decode(u.take_rest()))
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        (0, None)
    }
}

/// The whole input of a target made by [`crate::fuzz!`], decoded when the target runs.
pub struct Input<'a, L> {
    bytes: &'a [u8],
    language: PhantomData<fn() -> L>,
}

impl<L: Language> Input<'_, L> {
    /// Runs the target's body on the sentence.
    pub fn execute<R>(&self, body: impl FnOnce(&[u8]) -> R) -> R {
        L::fuzzer().execute(self.bytes, body)
    }
}

impl<'a, L: Language> Arbitrary<'a> for Input<'a, L> {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let len = u.len();
        Ok(Input {
            bytes: u.bytes(len).unwrap_or(&[]),
            language: PhantomData,
        })
    }

    fn arbitrary_take_rest(u: Unstructured<'a>) -> arbitrary::Result<Self> {
        Ok(Input {
            bytes: u.take_rest(),
            language: PhantomData,
        })
    }

    fn size_hint(_depth: usize) -> (usize, Option<usize>) {
        (0, None)
    }
}

impl<L: Language> fmt::Debug for Input<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(&L::fuzzer().sentence(self.bytes), f)
    }
}

/// The text itself for `{:#?}`, which is what `cargo fuzz fmt` prints; quoted for `{:?}`.
fn show(text: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = String::from_utf8_lossy(text);
    if f.alternate() {
        f.write_str(&text)
    } else {
        write!(f, "{text:?}")
    }
}
