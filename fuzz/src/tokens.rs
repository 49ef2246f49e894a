//! What has to hold for every grammar with tokens: what is rendered and read back stays as it is.

use pleach_core::choice::Codec;
use pleach_core::parse::{Budget, Parser, Workspace};
use pleach_core::slip::{self, keep_variations};
use pleach_core::{Grammar, Graph};

/// The longest grammar that is looked at.
const LONGEST: usize = 1 << 10;
/// What reading a text may take.
const BUDGET: Budget = Budget {
    steps: 200_000,
    bytes: 64 << 20,
};

/// Takes what comes before the first zero byte for a grammar, and the rest for choices of it. True if the grammar has tokens and the
/// sentence of the choices is read back.
///
/// # Panics
///
/// If what is read back has another text, and is not one of those that differ by separators only.
pub fn run(data: &[u8]) -> bool {
    let cut = data
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(data.len());
    let (text, choices) = data.split_at(cut);
    if text.len() > LONGEST {
        return false;
    }
    let Ok(grammar) = Grammar::parse(text) else {
        return false;
    };
    if !grammar.has_tokens() {
        return false;
    }
    let Ok(graph) = Graph::new(grammar) else {
        return false;
    };
    let (codec, parser) = (Codec::new(&graph), Parser::new(&graph));
    let sentence = codec.sentence(choices);
    assert_eq!(slip::text(&codec, &codec.canonicalize(choices)), sentence);
    let (mut found, mut workspace) = (Vec::new(), Workspace::new());
    let parsed = parser.parse(&sentence, BUDGET, &mut workspace);
    if parsed
        .and_then(|mut forest| forest.choices(&mut found))
        .is_err()
    {
        return false;
    }
    assert_eq!(codec.canonicalize(&found), found);
    // Read once, it can be read again, and comes to rest.
    let again = codec.sentence(&found);
    keep_variations(&codec, &mut found, &sentence);
    slip::text(&codec, &found);
    let mut twice = Vec::new();
    let parsed = parser.parse(&again, BUDGET, &mut workspace);
    if parsed
        .and_then(|mut forest| forest.choices(&mut twice))
        .is_ok()
    {
        assert_eq!(codec.sentence(&twice), again);
    }
    true
}
