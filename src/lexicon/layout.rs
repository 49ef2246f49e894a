//! From tokens to text: the shortest separators, where they are needed.
//!
//! Texts are laid out from their end. What stands behind a token is then known in full, so that reading the token there
//! shows whether it is cut off where it should be; if it is not, separators are tried, the shortest first. What is behind
//! does not change any more, so each token is decided once. Reading goes on behind a token for as long as something longer
//! could match, which is a byte or two in most languages, and bounded here.
//!
//! Whoever reads the text may not know what is expected where. So two tokens are kept apart, too, if any token, expected or not, would be
//! read over the border, unless it would be read over a separator as well.

use super::automaton::{DEAD, START};
use super::{Context, Lexeme, Lexicon};

/// How far behind a token is looked for a longer match. What could still match then counts as if it did: a separator more
/// than needed, at worst.
const LOOKED_AT: usize = 1 << 10;

/// A place where the text that was laid out differs from the tokens side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shift {
    /// The token's first byte among the tokens side by side.
    pub glued: u32,
    /// Where the separator before it begins in the text.
    pub separator: u32,
    /// Its first byte in the text.
    pub start: u32,
}

/// A text that was laid out, and where its tokens went. Kept between texts, so that nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Filled from its end.
    buffer: Vec<u8>,
    /// The bytes laid out so far.
    len: usize,
    /// Descending.
    shifts: Vec<Shift>,
}

impl Layout {
    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.buffer[self.buffer.len() - self.len..]
    }

    /// Puts bytes before what is there.
    fn prepend(&mut self, bytes: &[u8]) {
        let len = self.len + bytes.len();
        if len > self.buffer.len() {
            let old = self.buffer.len();
            let more = len.max(64);
            self.buffer.resize(old + more, 0);
            self.buffer
                .copy_within(old - self.len..old, old + more - self.len);
        }
        let at = self.buffer.len() - len;
        self.buffer[at..at + bytes.len()].copy_from_slice(bytes);
        self.len = len;
    }

    /// Where something begins that begins at `glued` among the tokens side by side: behind the separator.
    pub fn start_of(&self, glued: u32) -> usize {
        self.moved(glued, |shift| shift.start)
    }

    /// Where something ends that ends at `glued` among the tokens side by side: before the separator.
    pub fn end_of(&self, glued: u32) -> usize {
        self.moved(glued, |shift| shift.separator)
    }

    /// The separator before what begins at `glued` among the tokens side by side; empty if there is none.
    pub fn separator_before(&self, glued: u32) -> &[u8] {
        let (start, end) = (self.end_of(glued), self.start_of(glued));
        &self.text()[start..end.max(start)]
    }

    fn moved(&self, glued: u32, at: impl Fn(&Shift) -> u32) -> usize {
        // The last shift at or before the place counts; a token that is spelled differently may have become shorter.
        let first = self.shifts.partition_point(|shift| shift.glued > glued);
        let most = match first.checked_sub(1).and_then(|next| self.shifts.get(next)) {
            Some(next) => next.separator as usize,
            None => self.len,
        };
        let moved = match self.shifts.get(first) {
            Some(shift) if shift.glued == glued => return at(shift) as usize,
            Some(shift) => shift.start + (glued - shift.glued),
            None => glued,
        };
        (moved as usize).min(most)
    }
}

impl Lexicon {
    /// Lays out tokens, whose texts stand side by side in `glued`: so that reading the text gives the same tokens.
    /// `wanted` may name a separator to be preferred before a token, by its place among `lexemes`; it is taken if it is
    /// one there. O(text), but for spelling tokens differently.
    ///
    /// Where no separator helps, there is none, and the text reads differently; only grammars that skip too little have such
    /// tokens.
    pub fn lay_out<'w>(
        &self,
        glued: &[u8],
        lexemes: &[Lexeme],
        mut wanted: impl FnMut(usize) -> Option<&'w [u8]>,
        layout: &mut Layout,
    ) {
        layout.len = 0;
        layout.shifts.clear();
        // Shifts are counted from the end of the text until its length is known.
        for (at, lexeme) in lexemes.iter().enumerate().rev() {
            let context = match at.checked_sub(1) {
                Some(before) => self.behind(lexemes[before].token),
                None => self.start(),
            };
            let drawn = &glued[lexeme.start as usize..lexeme.end as usize];
            let behind = layout.len;
            let separator = match behind {
                0 => None,
                _ => wanted(at + 1).filter(|separator| !separator.is_empty()),
            };
            let is_done = separator.is_some_and(|separator| {
                self.separate(separator, drawn, lexeme.token, context, layout)
            });
            let mut len = drawn.len();
            if !is_done {
                layout.prepend(drawn);
                if self.is_dead_behind(len, lexeme.token, context, layout) {
                    // Nearly always nothing at all goes on there.
                } else if !self.is_cut(len, lexeme.token, context, layout) {
                    layout.len = behind;
                    len = self.put_differently(drawn, lexeme.token, context, layout);
                } else if self.is_overrun(len, layout) {
                    layout.len = behind;
                    if !self.separate_somehow(drawn, lexeme.token, context, layout) {
                        layout.prepend(drawn);
                    }
                }
            }
            let separator = layout.len - len;
            if separator != behind || len != drawn.len() {
                layout.shifts.push(Shift {
                    glued: lexeme.end,
                    separator: separator as u32,
                    start: behind as u32,
                });
            }
        }
        if let (Some(first), Some(separator)) = (lexemes.first(), wanted(0))
            && self.is_skipped(separator, self.start(), layout)
        {
            let start = layout.len as u32;
            layout.prepend(separator);
            layout.shifts.push(Shift {
                glued: first.start,
                separator: layout.len as u32,
                start,
            });
        }
        let len = layout.len as u32;
        for shift in &mut layout.shifts {
            shift.separator = len - shift.separator;
            shift.start = len - shift.start;
        }
    }

    /// Puts a token that is not read as it should be before what is laid out: with a separator, spelled differently, or both. Gives
    /// the length of its text.
    #[cold]
    fn put_differently(
        &self,
        drawn: &[u8],
        token: u32,
        context: Context,
        layout: &mut Layout,
    ) -> usize {
        let is_read = !drawn.is_empty() && self.read(drawn, context).1 == Some(token);
        let spelled = match is_read {
            true => None,
            false => self.spell(drawn, token, context),
        };
        let text = spelled.as_deref().unwrap_or(drawn);
        let behind = layout.len;
        if spelled.is_some() {
            layout.prepend(text);
            if self.is_cut(text.len(), token, context, layout)
                && !self.is_overrun(text.len(), layout)
            {
                return text.len();
            }
            layout.len = behind;
        }
        if !self.separate_somehow(text, token, context, layout) {
            layout.prepend(text);
        }
        text.len()
    }

    /// Puts the shortest separator that helps and a token before what is laid out; nothing if none does.
    fn separate_somehow(
        &self,
        text: &[u8],
        token: u32,
        context: Context,
        layout: &mut Layout,
    ) -> bool {
        layout.len > 0
            && self
                .separators
                .iter()
                .any(|separator| self.separate(separator, text, token, context, layout))
    }

    /// Puts a separator and a token before what is laid out, if both are read so; nothing otherwise.
    fn separate(
        &self,
        separator: &[u8],
        text: &[u8],
        token: u32,
        context: Context,
        layout: &mut Layout,
    ) -> bool {
        let behind = layout.len;
        if self.is_skipped(separator, self.behind(token), layout) {
            layout.prepend(separator);
            layout.prepend(text);
            if self.is_cut(text.len(), token, context, layout) {
                return true;
            }
            layout.len = behind;
        }
        false
    }

    /// Whether the token of this length that was put in front is read there, and no token goes on behind it.
    #[inline(always)]
    fn is_dead_behind(&self, len: usize, token: u32, context: Context, layout: &Layout) -> bool {
        let text = layout.text();
        let state = self.automaton.run(START, &text[..len]);
        let is_end = match text.get(len) {
            Some(&byte) => self.automaton.next(state, byte) == DEAD,
            None => true,
        };
        is_end && len > 0 && self.winner(state, context) == Some(token)
    }

    /// Whether the token of this length that was put in front is read there, and no more.
    fn is_cut(&self, len: usize, token: u32, context: Context, layout: &Layout) -> bool {
        let (own, behind) = layout.text().split_at(len);
        let mut state = self.automaton.run(START, own);
        if len == 0 || self.winner(state, context) != Some(token) {
            return false;
        }
        for (at, &byte) in behind.iter().enumerate() {
            state = self.automaton.next(state, byte);
            if state == DEAD || !self.is_alive(state, context) {
                return true;
            }
            if at == LOOKED_AT || self.winner(state, context).is_some() {
                return false;
            }
        }
        true
    }

    /// Whether any token would be read over the end of the one of this length that was put in front, but not over a
    /// separator.
    fn is_overrun(&self, len: usize, layout: &Layout) -> bool {
        let (own, behind) = layout.text().split_at(len);
        let Some(separator) = self.separators.first() else {
            return false;
        };
        let end = self.automaton.run(START, own);
        let mut state = end;
        for &byte in behind.iter().take(LOOKED_AT) {
            state = self.automaton.next(state, byte);
            if state == DEAD {
                return false;
            }
            let matches = self.automaton.matches(state);
            if !matches.is_empty() {
                let anyway = self.automaton.run(end, separator);
                let is_over = |&token: &u32| !self.automaton.can_match(anyway, token);
                if matches.iter().any(is_over) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a separator before what is laid out would be skipped, and no more than that.
    fn is_skipped(&self, separator: &[u8], context: Context, layout: &mut Layout) -> bool {
        let behind = layout.len;
        layout.prepend(separator);
        let text = layout.text();
        let text = &text[..(separator.len() + LOOKED_AT).min(text.len())];
        let mut at = 0;
        while at < separator.len() {
            match self.longest(&text[at..], context) {
                Some((token, len)) if self.tokens[token as usize].is_skipped => at += len,
                _ => break,
            }
        }
        layout.len = behind;
        at == separator.len()
    }
}
