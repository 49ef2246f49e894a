//! From tokens to text: the shortest separators, where they are needed.
//!
//! Texts are laid out from their end. What stands behind a token is then known in full, so that reading the token there
//! shows whether it is cut off where it should be; if it is not, separators are tried, the shortest first. What is behind
//! hardly ever changes any more, so each token is decided once. Reading goes on behind a token for as long as something longer
//! could match, which is a byte or two in most languages, and bounded here.
//!
//! Where no separator helps, spellings are looked for that end before what is behind; and as a last resort, the token behind, which is
//! the last one laid out, is taken back and spelled so that this one can stand before it. All of that is bounded.
//!
//! Whoever reads the text may not know what is expected where. So two tokens are kept apart, too, if any token, expected or not, would be
//! read over the border, unless it would be read over a separator as well.

use super::automaton::{DEAD, START};
use super::spelling::{MOST_ANEW, MOST_GROWN};
use super::{Context, Lexeme, Lexicon};

/// How far behind a token is looked for a longer match. What could still match then counts as if it did: a separator more
/// than needed, at worst.
const LOOKED_AT: usize = 1 << 10;

/// The separators that are tried with other spellings.
const SEPARATORS_TRIED: usize = 3;
/// The spellings of the token behind that are tried.
const MOST_TRIED: usize = 16;

/// A place where the text that was laid out differs from the tokens side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shift {
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
    /// Whether a token is read differently, because nothing helped.
    is_misread: bool,
}

/// A token to be laid out.
#[derive(Clone, Copy)]
struct Placed<'t> {
    drawn: &'t [u8],
    token: u32,
    context: Context,
    /// What comes behind the token before at the place that it has: less than what comes behind it anywhere.
    place: Context,
}

/// Where a token was laid out: the length of the layout and the number of shifts before that.
#[derive(Clone, Copy)]
struct Mark {
    len: usize,
    shifts: usize,
}

impl Layout {
    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.buffer[self.buffer.len() - self.len..]
    }

    /// Whether the text reads as other tokens than those that were laid out, since no separator and no spelling helped.
    pub fn is_misread(&self) -> bool {
        self.is_misread
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
    pub(crate) fn start_of(&self, glued: u32) -> usize {
        self.moved(glued, |shift| shift.start)
    }

    /// Where something ends that ends at `glued` among the tokens side by side: before the separator.
    pub(crate) fn end_of(&self, glued: u32) -> usize {
        self.moved(glued, |shift| shift.separator)
    }

    /// The separator before what begins at `glued` among the tokens side by side; empty if there is none.
    pub(crate) fn separator_before(&self, glued: u32) -> &[u8] {
        let (start, end) = (self.end_of(glued), self.start_of(glued));
        &self.text()[start..end.max(start)]
    }

    /// Notes where a token's end went, if that is not where it was: the token of this length was just put before what had the length
    /// `behind`.
    fn shift(&mut self, glued: u32, behind: usize, len: usize, drawn: usize) {
        let separator = self.len - len;
        if separator != behind || len != drawn {
            self.shifts.push(Shift {
                glued,
                separator: separator as u32,
                start: behind as u32,
            });
        }
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
    /// Where no separator helps, the token is spelled differently, or the one behind it. Where that does not help either, the text
    /// reads differently ([`Layout::is_misread`]); only grammars that skip too little have such tokens.
    pub(crate) fn lay_out<'w>(
        &self,
        glued: &[u8],
        lexemes: &[Lexeme],
        mut wanted: impl FnMut(usize) -> Option<&'w [u8]>,
        layout: &mut Layout,
    ) {
        layout.len = 0;
        layout.shifts.clear();
        layout.is_misread = false;
        let placed = |at: usize| {
            let lexeme = &lexemes[at];
            Placed {
                drawn: &glued[lexeme.start as usize..lexeme.end as usize],
                token: lexeme.token,
                context: match at.checked_sub(1) {
                    Some(before) => self.behind(lexemes[before].token),
                    None => self.start(),
                },
                place: match at.checked_sub(1) {
                    Some(before) => self.behind_at(&lexemes[before]),
                    None => self.start(),
                },
            }
        };
        // Of the token behind.
        let mut mark = Mark { len: 0, shifts: 0 };
        // Shifts are counted from the end of the text until its length is known.
        for at in (0..lexemes.len()).rev() {
            let own = placed(at);
            let before = Mark {
                len: layout.len,
                shifts: layout.shifts.len(),
            };
            let separator = match before.len {
                0 => None,
                _ => wanted(at + 1).filter(|separator| !separator.is_empty()),
            };
            let is_done = separator.is_some_and(|separator| {
                self.separate(separator, own.drawn, own.token, own.context, layout)
            });
            let put = match is_done {
                true => Some(own.drawn.len()),
                false => self.put(own, layout),
            };
            let len = match put {
                Some(len) => {
                    mark = before;
                    len
                }
                None => {
                    // One that is misread makes the text another one anyway.
                    let is_in_vain = layout.is_misread || at + 1 == lexemes.len();
                    let behind = (!is_in_vain).then(|| placed(at + 1));
                    let end = lexemes.get(at + 1).map_or(0, |it| it.end);
                    let respelled = behind
                        .and_then(|behind| self.respell_behind(own, behind, mark, end, layout));
                    mark = Mark {
                        len: respelled.map_or(layout.len, |(_, behind)| behind),
                        shifts: layout.shifts.len(),
                    };
                    match respelled {
                        Some((len, _)) => len,
                        None => {
                            layout.is_misread = true;
                            layout.prepend(own.drawn);
                            own.drawn.len()
                        }
                    }
                }
            };
            layout.shift(lexemes[at].end, mark.len, len, own.drawn.len());
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

    /// Puts a token before what is laid out, and gives the length of its text; nothing if it would be read differently.
    #[inline(always)]
    fn put(&self, own: Placed<'_>, layout: &mut Layout) -> Option<usize> {
        let Placed {
            drawn,
            token,
            context,
            place,
        } = own;
        let (behind, len) = (layout.len, drawn.len());
        layout.prepend(drawn);
        if self.is_dead_behind(len, token, context, layout) {
            // Nearly always nothing at all goes on there.
            return Some(len);
        }
        if !self.is_cut(len, token, context, layout) {
            layout.len = behind;
            return self.put_differently(own, layout).or_else(|| {
                // Whoever reads the text knows the place, or nearly so.
                let own = Placed {
                    context: place,
                    ..own
                };
                match place == context {
                    true => None,
                    false => self.put(own, layout),
                }
            });
        }
        if self.is_overrun(len, layout) {
            layout.len = behind;
            if !self.separate_somehow(drawn, token, context, layout) {
                layout.prepend(drawn);
            }
        }
        Some(len)
    }

    /// Puts a token that is not read as it should be before what is laid out: with a separator, spelled differently, or both. Gives
    /// the length of its text; nothing if nothing helps.
    #[cold]
    fn put_differently(&self, own: Placed<'_>, layout: &mut Layout) -> Option<usize> {
        let Placed {
            drawn,
            token,
            context,
            ..
        } = own;
        let is_read = !drawn.is_empty() && self.read(drawn, context).1 == Some(token);
        let spelled = match is_read {
            true => None,
            false => Some(self.spell(drawn, token, context, MOST_ANEW, |_| true)?),
        };
        let text = spelled.as_deref().unwrap_or(drawn);
        let behind = layout.len;
        if spelled.is_some() {
            layout.prepend(text);
            if self.is_cut(text.len(), token, context, layout)
                && !self.is_overrun(text.len(), layout)
            {
                return Some(text.len());
            }
            layout.len = behind;
        }
        if self.separate_somehow(text, token, context, layout) {
            return Some(text.len());
        }
        // Only some spellings end before what is behind, or before a separator.
        let none: &[u8] = &[];
        let separators = self.separators.iter().take(SEPARATORS_TRIED);
        for separator in std::iter::once(none).chain(separators.map(|it| &**it)) {
            if !separator.is_empty() && !self.is_skipped(separator, self.behind(token), layout) {
                continue;
            }
            layout.prepend(separator);
            let is_cut = |state| self.is_cut_from(state, context, layout.text());
            if let Some(text) = self.spell(drawn, token, context, MOST_GROWN, is_cut) {
                layout.prepend(&text);
                return Some(text.len());
            }
            layout.len = behind;
        }
        None
    }

    /// Spells the token behind differently, so that a token that nothing helps can stand before it. Gives the length of the
    /// token's text, and of what is laid out behind that; nothing if nothing was found, and then all is as it was.
    #[cold]
    fn respell_behind(
        &self,
        own: Placed<'_>,
        behind: Placed<'_>,
        mark: Mark,
        end: u32,
        layout: &mut Layout,
    ) -> Option<(usize, usize)> {
        let (old_len, old_shifts) = (layout.len, layout.shifts.len());
        let old: Vec<u8> = layout.text()[..old_len - mark.len].to_vec();
        let own_text =
            match !own.drawn.is_empty() && self.read(own.drawn, own.context).1 == Some(own.token) {
                true => own.drawn.to_vec(),
                false => self.spell(own.drawn, own.token, own.context, MOST_ANEW, |_| true)?,
            };
        let mut tried = 0;
        let mut found = None;
        let none: &[u8] = &[];
        let separators = self.separators.iter().take(SEPARATORS_TRIED);
        for separator in std::iter::once(none).chain(separators.map(|it| &**it)) {
            layout.len = mark.len;
            if !separator.is_empty()
                && (mark.len == 0 || !self.is_skipped(separator, self.behind(behind.token), layout))
            {
                continue;
            }
            layout.prepend(separator);
            let separated = layout.len;
            self.spell_behind(
                &own_text,
                own.context,
                behind.token,
                behind.context,
                &mut |state, text| {
                    if !self.is_cut_from(state, behind.context, layout.text()) {
                        return false;
                    }
                    layout.prepend(text);
                    let before = layout.len;
                    if self.put_as(&own_text, own, layout) {
                        found = Some((own_text.len(), before, text.len()));
                    }
                    if found.is_none() {
                        layout.len = separated;
                        tried += 1;
                    }
                    found.is_some() || tried == MOST_TRIED
                },
            );
            if found.is_some() || tried == MOST_TRIED {
                break;
            }
        }
        match found {
            Some((len, before, behind_len)) => {
                layout.shifts.truncate(mark.shifts);
                // The shift of the token behind is noted as if that had been laid out alone.
                let all = std::mem::replace(&mut layout.len, before);
                layout.shift(end, mark.len, behind_len, behind.drawn.len());
                layout.len = all;
                Some((len, before))
            }
            None => {
                layout.len = mark.len;
                layout.prepend(&old);
                layout.shifts.truncate(old_shifts);
                None
            }
        }
    }

    /// Puts a token of this text before what is laid out, with a separator if that helps; nothing otherwise.
    fn put_as(&self, text: &[u8], own: Placed<'_>, layout: &mut Layout) -> bool {
        let behind = layout.len;
        layout.prepend(text);
        if self.is_cut(text.len(), own.token, own.context, layout) {
            return true;
        }
        layout.len = behind;
        self.separate_somehow(text, own.token, own.context, layout)
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
        let state = self.automaton.run(START, own);
        len > 0
            && self.winner(state, context) == Some(token)
            && self.is_cut_from(state, context, behind)
    }

    /// Whether a token that ends at a state does not go on in what is behind it.
    fn is_cut_from(&self, mut state: u32, context: Context, behind: &[u8]) -> bool {
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
