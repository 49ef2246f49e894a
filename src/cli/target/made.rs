//! Texts that show what a target makes of its grammar: sentences, and texts that are nearly such.

use std::sync::Arc;

use pleach_core::choice::SiteIndex;
use pleach_core::generate::{CoverBuilder, Generator, Limits};
use pleach_core::rng::Rng;
use pleach_core::{Codec, Session};

use crate::failure::Failure;

/// What a near miss may grow to, beyond the sentence that it is made of.
const GROWTH: usize = 64;
/// The k-paths that made sentences cover.
const K: usize = 2;

/// Sentences that cover the 2-paths, as choice sequences, at most so many.
pub(crate) fn covering(codec: &Codec, n: u32, seed: u64) -> Vec<Vec<u8>> {
    let mut index = SiteIndex::new();
    let mut made = Vec::new();
    // Where there are too many k-paths for a covering set, random sentences have to do.
    if let Ok(mut cover) = CoverBuilder::new().seed(seed).build(codec.graph(), K) {
        while made.len() < n as usize && cover.next_input(&mut index) {
            made.push(index.canonical().to_vec());
        }
    }
    made
}

/// Random sentences, as choice sequences.
pub(crate) fn random(codec: &Arc<Codec>, n: u32, seed: u64) -> Vec<Vec<u8>> {
    let limits = Limits::default().at_least(Limits::needed_by(codec.graph()));
    let mut generator = Generator::new(codec, limits, Rng::new(seed));
    let mut index = SiteIndex::new();
    let sentences = (0..n).map(|_| {
        generator.generate(&mut index);
        index.canonical().to_vec()
    });
    sentences.collect()
}

/// Sentences that are made slightly invalid, as choice sequences with slips.
pub(crate) fn near_misses(
    codec: &Arc<Codec>,
    sentences: &[Vec<u8>],
    n: u32,
    seed: u64,
) -> Result<Vec<Vec<u8>>, Failure> {
    let mut session =
        Session::new(codec.graph(), 1).map_err(|error| Failure::Wrong(error.to_string()))?;
    session.set_errors(1000);
    let mut rng = Rng::new(seed);
    let mut made = Vec::new();
    for at in 0..u64::from(n) {
        if sentences.is_empty() {
            break;
        }
        let sentence = &sentences[rng.index(sentences.len())];
        session.seed(seed.wrapping_add(at));
        session.load(sentence);
        session.mutate(sentence.len() + GROWTH);
        if session.has_slips() {
            made.push(session.choices().to_vec());
        }
    }
    Ok(made)
}

/// The text with a character or a literal of the grammar inserted, or in the place of a character, or with a character left out.
pub(crate) fn edited(text: &[u8], literals: &[&[u8]], rng: &mut Rng) -> Vec<u8> {
    // What can be typed: the printable characters of ASCII, and line breaks.
    let typed = match rng.below(96) {
        95 => b'\n',
        at => b' ' + at as u8,
    };
    let piece = match literals {
        [] => &[typed][..],
        literals if rng.per_mille(500) => literals[rng.index(literals.len())],
        _ => &[typed],
    };
    let at = rng.index(text.len() + 1);
    let (before, behind) = text.split_at(at);
    match rng.below(3) {
        0 if !behind.is_empty() => [before, piece, &behind[1..]].concat(),
        1 if !behind.is_empty() => [before, &behind[1..]].concat(),
        _ => [before, piece, behind].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::edited;
    use pleach_core::rng::Rng;

    #[test]
    fn edits_are_of_one_character_or_literal() {
        let mut rng = Rng::new(7);
        let mut literals = 0;
        for _ in 0..300 {
            let changed = edited(b"abc", &[b"::="], &mut rng);
            let is_literal = changed.windows(3).any(|it| it == b"::=");
            literals += usize::from(is_literal);
            let same = changed.iter().filter(|it| b"abc".contains(it)).count();
            assert!(same >= 2 && changed.len() <= 6, "{changed:?}");
        }
        assert!((50..250).contains(&literals), "{literals}");
        assert_eq!(edited(b"", &[], &mut rng).len(), 1);
    }
}
