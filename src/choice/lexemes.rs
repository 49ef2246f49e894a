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

impl Lexemes {
    /// The text that was laid out last.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The sites of the tokens, ascending.
    pub fn sites(&self) -> &[u32] {
        &self.sites
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
        renderer.render(choices, returns, counts, &mut self.glued, &mut self.lexemes);
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
            });
            self.sites.push(at);
            at = site.end;
        }
    }
}
