//! From derivations to the text of grammars with tokens.
//!
//! A derivation gives its tokens' texts side by side; the text has separators between some of them and spells some
//! differently ([`crate::lexicon`]). A walk notes where tokens begin and end, an index has them among its sites, and then
//! both are laid out. O(text).

use super::class::{ClassCode, MemberChoice};
use super::program::Program;
use super::site::SiteIndex;
use super::walk::{self, Sink, Stacks, TapeChooser};
use crate::id::{NodeId, SymbolId};
use crate::lexicon::{Layout, Lexeme, Lexicon};

/// The tokens of a derivation, and the text that they were laid out to. Kept between derivations, so that nothing is
/// allocated.
#[derive(Clone, Debug, Default)]
pub struct Lexemes {
    /// Their texts side by side, if a walk told them.
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
        program: &Program,
        lexicon: &Lexicon,
        choices: &[u8],
        stacks: &mut Stacks,
    ) {
        self.glued.clear();
        self.lexemes.clear();
        self.sites.clear();
        let mut sink = TokenSink {
            lexicon,
            lexemes: self,
            depth: 0,
        };
        let mut tape = TapeChooser::new(program, choices);
        walk::walk(program, stacks, super::ROOT, &mut tape, &mut sink);
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

/// Notes the tokens of a walk.
struct TokenSink<'a> {
    lexicon: &'a Lexicon,
    lexemes: &'a mut Lexemes,
    /// The nodes that are open from the token on; 0 outside of tokens.
    depth: u32,
}

impl TokenSink<'_> {
    fn begin(&mut self, node: NodeId) -> bool {
        let Some(token) = self.lexicon.token_of(node) else {
            return false;
        };
        let start = self.lexemes.glued.len() as u32;
        self.lexemes.lexemes.push(Lexeme {
            token,
            start,
            end: start,
        });
        true
    }

    fn end(&mut self) {
        let end = self.lexemes.glued.len() as u32;
        if let Some(lexeme) = self.lexemes.lexemes.last_mut() {
            lexeme.end = end;
        }
    }

    fn leaf(&mut self, node: NodeId, text: &[u8]) {
        let is_token = self.depth == 0 && self.begin(node);
        self.lexemes.glued.extend_from_slice(text);
        if is_token {
            self.end();
        }
    }
}

impl Sink for TokenSink<'_> {
    #[inline(always)]
    fn open(&mut self, node: NodeId, _: Option<SymbolId>) {
        if self.depth > 0 || self.begin(node) {
            self.depth += 1;
        }
    }

    #[inline(always)]
    fn close(&mut self, _: bool) {
        if let Some(depth) = self.depth.checked_sub(1) {
            self.depth = depth;
            if depth == 0 {
                self.end();
            }
        }
    }

    fn literal(&mut self, node: NodeId, _: Option<SymbolId>, text: &[u8]) {
        self.leaf(node, text);
    }

    fn member(
        &mut self,
        node: NodeId,
        _: Option<SymbolId>,
        class: &ClassCode,
        choice: MemberChoice,
    ) {
        let mut text = [0; 4];
        let len = class.write(choice, &mut text);
        self.leaf(node, &text[..len]);
    }

    fn alternative(&mut self, _: NodeId, _: u32, _: u32, _: u32) {}

    fn more(&mut self, _: NodeId, _: bool) {}
}
