//! From derivations to the text of grammars with tokens.
//!
//! A derivation gives its tokens' texts side by side; the text has separators between some of them and spells some
//! differently ([`crate::lexicon`]). Rendering notes where tokens begin, an index has them among its sites, and then both are
//! laid out. O(text).

use super::render::Renderer;
use super::site::SiteIndex;
use crate::lexicon::{Layout, Lexeme, Lexicon};

/// The tokens of a derivation, and the text that they were laid out to. Kept between derivations, so that nothing is
/// allocated.
#[derive(Clone, Debug, Default)]
pub struct Lexemes {
    /// Their texts side by side, if they were rendered.
    glued: Vec<u8>,
    pub(super) lexemes: Vec<Lexeme>,
    /// The site of each, if they come from an index.
    pub(super) sites: Vec<u32>,
    pub(super) layout: Layout,
}

/// A token of a derivation that a scanner does not read in its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misread {
    /// The token, by its number.
    pub token: u32,
    /// Where it begins in the text.
    pub offset: usize,
    /// What is read instead, if anything is.
    pub read: Option<Lexeme>,
}

impl Lexemes {
    /// The text that was laid out last.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Whether the text that was laid out last reads as other tokens, since nothing could keep them apart.
    pub fn is_misread(&self) -> bool {
        self.layout.is_misread()
    }

    /// The sites of the tokens, ascending.
    pub fn sites(&self) -> &[u32] {
        &self.sites
    }

    /// The first of the tokens that the text which was laid out last reads differently, if one is.
    pub fn misread(&self, lexicon: &Lexicon) -> Option<Misread> {
        let mut found = Vec::new();
        // Tokens before what cannot be read are there all the same.
        let _ = lexicon.scan(self.layout.text(), &mut found);
        let first = self.lexemes.iter().enumerate().find_map(|(at, lexeme)| {
            let offset = self.layout.start_of(lexeme.start);
            let read = found.get(at).map(|it| (it.token, it.start as usize));
            (read != Some((lexeme.token, offset))).then_some(Misread {
                token: lexeme.token,
                offset,
                read: found.get(at).copied(),
            })
        });
        // Only the end of the last one can be wrong then.
        first.or_else(|| {
            let lexeme = self.lexemes.last()?;
            let read = found.get(self.lexemes.len());
            read.map(|read| Misread {
                token: lexeme.token,
                offset: self.layout.start_of(lexeme.start),
                read: Some(*read),
            })
        })
    }

    /// Lays out what any bytes derive.
    pub(super) fn decode(
        &mut self,
        renderer: &Renderer,
        lexicon: &Lexicon,
        choices: &[u8],
        returns: &mut Vec<u32>,
        counts: &mut Vec<u32>,
    ) {
        self.glued.clear();
        self.lexemes.clear();
        self.sites.clear();
        renderer.render::<true>(choices, returns, counts, &mut self.glued, &mut self.lexemes);
        // Tokens are all that there is.
        let mut end = self.glued.len() as u32;
        for lexeme in self.lexemes.iter_mut().rev() {
            lexeme.end = std::mem::replace(&mut end, lexeme.start);
        }
        lexicon.lay_out(&self.glued, &self.lexemes, |_| None, &mut self.layout);
    }

    /// Collects the tokens of an index.
    pub(super) fn collect(&mut self, lexicon: &Lexicon, index: &SiteIndex) {
        self.lexemes.clear();
        self.sites.clear();
        let mut at = 0u32;
        while let Some(site) = index.sites().get(at as usize) {
            let Some(token) = lexicon.token_of(site.node) else {
                at += 1;
                continue;
            };
            let text = index.text_range(at);
            self.lexemes.push(Lexeme {
                token,
                start: text.start,
                end: text.end,
                place: Some(site.node),
            });
            self.sites.push(at);
            at = site.end;
        }
    }
}
