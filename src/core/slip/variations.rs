//! Variations: what a derivation leaves open of its text.
//!
//! Between two tokens any separator may stand that is read as one, and the letters of some literals may be in either case. The
//! usual text has the shortest separators and the letters of the grammar; a variation wants another, and is taken where it
//! holds, so that none makes a text read differently.

use std::ops::Range;

use crate::choice::{Codec, Lexemes, Scratch, SiteIndex};
use crate::grammar::NodeKind;

use super::{Change, SEPARATOR, SPELLING, Slip, Slips, key};

impl Slips {
    /// The separator that is wanted before the token of a site.
    pub(super) fn separator(&self, site: u32) -> Option<&[u8]> {
        let wanted = key(site, SEPARATOR);
        let at = self.slips.binary_search_by_key(&wanted, Slip::key);
        match self.change(&self.slips[at.ok()?]) {
            Change::Separator(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The text of an index, with other letters where that is wanted and allowed.
    pub(super) fn spell<'t>(
        &self,
        codec: &Codec,
        index: &'t SiteIndex,
        buffer: &'t mut Vec<u8>,
    ) -> &'t [u8] {
        if self.slips.iter().all(|slip| slip.kind != SPELLING) {
            return index.text();
        }
        buffer.clear();
        buffer.extend_from_slice(index.text());
        self.spell_in(codec, index, buffer, |site| {
            let range = index.text_range(site);
            range.start as usize..range.end as usize
        });
        buffer
    }

    /// Puts other letters into a text where that is wanted and allowed.
    pub(super) fn spell_in(
        &self,
        codec: &Codec,
        index: &SiteIndex,
        text: &mut [u8],
        range: impl Fn(u32) -> Range<usize>,
    ) {
        for slip in &self.slips {
            if let Change::Spelling(bytes) = self.change(slip)
                && is_caseless(codec, index, slip.place)
                && let Some(text) = text.get_mut(range(slip.place))
                && bytes.eq_ignore_ascii_case(text)
            {
                text.copy_from_slice(bytes);
            }
        }
    }
}

/// Whether a site is a literal whose letters may be in either case.
pub fn is_caseless(codec: &Codec, index: &SiteIndex, site: u32) -> bool {
    let grammar = codec.graph().grammar();
    let site = index.sites().get(site as usize);
    match site.and_then(|site| grammar.nodes().get(site.node)) {
        Some(node) => {
            matches!(node.kind, NodeKind::Literal(literal) if grammar.is_caseless(literal))
        }
        None => false,
    }
}

/// Appends to the choices of a text the trailer of its variations: what separates its tokens other than by the shortest
/// separators, and which letters are in another case. Of more than [`MAX_SLIPS`](super::MAX_SLIPS) the first ones. O(text).
pub fn keep_variations(codec: &Codec, choices: &mut Vec<u8>, text: &[u8]) {
    let graph = codec.graph();
    let grammar = graph.grammar();
    let is_caseless_somewhere = grammar.literals().ids().any(|id| grammar.is_caseless(id));
    if graph.lexicon().is_none() && !is_caseless_somewhere {
        return;
    }
    let mut index = SiteIndex::new();
    codec.index(choices, &mut Scratch::default(), &mut index);
    let mut slips = Slips::new();
    let spelling = |slips: &mut Slips, index: &SiteIndex, site: u32, at: usize| {
        let len = index.text_range(site).len();
        let old = index.text_range(site);
        let old = &index.text()[old.start as usize..old.end as usize];
        let own = text.get(at..at + len).unwrap_or(old);
        own == old || slips.push(site, Change::Spelling(own))
    };
    let sites = 0..index.sites().len() as u32;
    let Some(lexicon) = graph.lexicon() else {
        for site in sites.filter(|&site| is_caseless(codec, &index, site)) {
            let at = index.text_range(site).start as usize;
            if !spelling(&mut slips, &index, site, at) {
                break;
            }
        }
        slips.encode(choices);
        return;
    };
    let (mut own, mut lexemes) = (Vec::new(), Lexemes::default());
    codec.lay_out(&index, index.text(), |_| None, &mut lexemes);
    if lexicon.scan(text, &mut own).is_err() || own.len() != lexemes.sites().len() {
        return;
    }
    let mut end = 0;
    for (lexeme, &site) in own.iter().zip(lexemes.sites()) {
        let glued = index.text_range(site);
        let start = lexeme.start as usize;
        let (usual, own) = (
            lexemes.layout().separator_before(glued.start),
            &text[end..start],
        );
        end = lexeme.end as usize;
        let fits = (own == usual || own.is_empty() || slips.push(site, Change::Separator(own)))
            && (!is_caseless(codec, &index, site) || spelling(&mut slips, &index, site, start));
        if !fits {
            break;
        }
    }
    slips.encode(choices);
}
