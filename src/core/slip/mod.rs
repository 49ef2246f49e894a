//! Slips: where an input departs from its grammar on purpose.
//!
//! Error paths of a program are beyond the reach of sentences. An input that is slightly invalid is a derivation with a few
//! *slips*: at one site a subtree's text is dropped, doubled, swapped with the next one's, glued to the token before or replaced by
//! raw bytes, or the text ends there. The derivation stays what it is, so all else remains as mutable as ever, and forgetting the slips gives
//! the sentence back. Raw bytes in the place of the root are a whole text of its own, for which nothing is derived.
//!
//! Slips stand behind the choices, as a trailer that is read from its end:
//!
//! ```text
//! choices …   kind place [len bytes…]   kind place …   length   fe 73 6c fe
//!             └────────── script, ascending places ─┘  2 bytes  magic
//! ```
//!
//! Decoding stays total and deterministic: bytes that do not end in a whole and canonical trailer are choices, all of them,
//! and random bytes end in one with a chance of 2^-32 or less. Encoding stays the exact inverse. What knows of no slips, and
//! takes the trailer for choices, reads the same derivation wherever the choices before it are complete.
//!
//! Two kinds of entry are not slips but *variations*, which leave the text a sentence with the same derivation: another separator
//! before a token, and another case for the letters of a literal that allows either. They are taken where they hold.
//!
//! Places are numbers of sites in pre-order; whoever edits the derivation moves them along ([`Slips::move_to`]).

mod variations;

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::choice::{Codec, Lexemes, Scratch, SiteIndex};
use crate::lexicon::Layout;

pub use variations::{is_caseless, keep_variations};

/// The last bytes of an input with slips.
pub const MAGIC: [u8; 4] = [0xfe, b's', b'l', 0xfe];
/// The most slips of an input.
pub const MAX_SLIPS: usize = 8;
/// The most raw bytes of an input.
pub const MAX_RAW: usize = 4096;

/// What happens to the text of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Change<'a> {
    /// It is left out.
    Drop,
    /// It stands there twice.
    Double,
    /// It changes places with that of the next site of the same parent; where there is none, nothing happens.
    Swap,
    /// The whole text ends before it.
    Cut,
    /// It stands directly behind what comes before, without the separator that is due between two tokens.
    Glue,
    /// Other bytes, at least one, stand there instead.
    Raw(&'a [u8]),
    /// A variation: these bytes separate the token from the one before, where they can.
    Separator(&'a [u8]),
    /// A variation: the literal is spelled like this, if only the case of letters differs.
    Spelling(&'a [u8]),
}

impl<'a> Change<'a> {
    /// The byte that stands for it in a trailer.
    fn kind(self) -> u8 {
        match self {
            Change::Drop => DROP,
            Change::Double => DOUBLE,
            Change::Swap => SWAP,
            Change::Cut => CUT,
            Change::Glue => GLUE,
            Change::Raw(_) => RAW,
            Change::Separator(_) => SEPARATOR,
            Change::Spelling(_) => SPELLING,
        }
    }

    /// The bytes that belong to it.
    fn bytes(self) -> &'a [u8] {
        match self {
            Change::Raw(bytes) | Change::Separator(bytes) | Change::Spelling(bytes) => bytes,
            Change::Drop | Change::Double | Change::Swap | Change::Cut | Change::Glue => &[],
        }
    }
}

/// A slip; raw bytes are a range of those that all slips keep together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Slip {
    place: u32,
    kind: u8,
    raw: Range<u32>,
}

const DROP: u8 = 0;
const DOUBLE: u8 = 1;
const SWAP: u8 = 2;
const CUT: u8 = 3;
const RAW: u8 = 4;
const SEPARATOR: u8 = 5;
const SPELLING: u8 = 6;
const GLUE: u8 = 7;

/// The slips of an input, by ascending place, at most one a place and a spelling behind it.
#[derive(Debug, Default)]
pub struct Slips {
    slips: Vec<Slip>,
    raw: Vec<u8>,
}

impl Clone for Slips {
    fn clone(&self) -> Slips {
        Slips {
            slips: self.slips.clone(),
            raw: self.raw.clone(),
        }
    }

    /// Keeps the memory.
    fn clone_from(&mut self, other: &Slips) {
        self.slips.clone_from(&other.slips);
        self.raw.clone_from(&other.raw);
    }
}

/// Splits an input into its choices and the script of its slips, which is empty if it has none. O(slips).
pub fn split(input: &[u8]) -> (&[u8], &[u8]) {
    let found = input.strip_suffix(&MAGIC).and_then(|rest| {
        let (rest, length) = rest.split_last_chunk::<2>()?;
        let start = rest
            .len()
            .checked_sub(usize::from(u16::from_le_bytes(*length)))?;
        let (choices, script) = rest.split_at(start);
        is_script(script).then_some((choices, script))
    });
    found.unwrap_or((input, &[]))
}

/// The text of an input, with its slips if it has any. Allocates.
pub fn text(codec: &Codec, input: &[u8]) -> Vec<u8> {
    let (choices, script) = split(input);
    if script.is_empty() {
        return codec.sentence(choices);
    }
    let (mut index, mut slips, mut text) = (SiteIndex::new(), Slips::new(), Vec::new());
    slips.read(script);
    if let Some(text) = slips.verbatim() {
        return text.to_vec();
    }
    codec.index(choices, &mut Scratch::default(), &mut index);
    slips.render(codec, &index, &mut Lexemes::default(), &mut text);
    text
}

/// An input that stands for a text as it is: raw bytes in the place of the whole. Nothing for the empty text, and for one of more than
/// [`MAX_RAW`] bytes.
///
/// ```
/// use pleach_core::{Codec, Grammar, Graph, slip};
///
/// let grammar: Grammar = "list := '[' [0-9]* ']';".parse()?;
/// let codec = Codec::new(&Graph::new(grammar)?);
/// let input = slip::of_text(b"[12").unwrap();
/// assert_eq!(slip::text(&codec, &input), b"[12");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_text(text: &[u8]) -> Option<Vec<u8>> {
    let mut slips = Slips::new();
    let is_whole = !text.is_empty() && slips.push(0, Change::Raw(text));
    is_whole.then(|| {
        let mut input = Vec::new();
        slips.encode(&mut input);
        input
    })
}

/// Whether bytes are the script of one or more slips, in canonical form.
fn is_script(script: &[u8]) -> bool {
    let mut reader = Reader(script);
    let mut least = (0, 0);
    let mut count = 0;
    let mut raw = 0;
    while !reader.0.is_empty() {
        let Some((place, change)) = reader.slip() else {
            return false;
        };
        let key = key(place, change.kind());
        raw += change.bytes().len();
        count += 1;
        if key < least || count > MAX_SLIPS || raw > MAX_RAW {
            return false;
        }
        least = (key.0, key.1 + 1);
    }
    count > 0
}

/// Reads a script from its front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// A number below 2^28 in groups of seven bits, the lowest first, without padding.
    fn number(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return (byte > 0 || shift == 0).then_some(value);
            }
        }
        None
    }

    fn slip(&mut self) -> Option<(u32, Change<'a>)> {
        let kind = self.byte()?;
        let place = self.number()?;
        let change = match kind {
            DROP => Change::Drop,
            DOUBLE => Change::Double,
            SWAP => Change::Swap,
            CUT => Change::Cut,
            GLUE => Change::Glue,
            RAW | SEPARATOR | SPELLING => {
                let len = self.number()? as usize;
                if len == 0 || len > self.0.len() {
                    return None;
                }
                let (bytes, rest) = self.0.split_at(len);
                self.0 = rest;
                match kind {
                    RAW => Change::Raw(bytes),
                    SEPARATOR => Change::Separator(bytes),
                    _ => Change::Spelling(bytes),
                }
            }
            _ => return None,
        };
        Some((place, change))
    }
}

fn put_number(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

impl Slips {
    /// No slips.
    pub fn new() -> Slips {
        Slips::default()
    }

    /// Whether there are none, and no variations.
    pub fn is_empty(&self) -> bool {
        self.slips.is_empty()
    }

    /// Whether the input is a sentence: there are variations at most.
    pub fn is_sentence(&self) -> bool {
        self.slips.iter().all(Slip::is_variation)
    }

    /// The whole text, if it is nothing of the derivation's: raw bytes in the place of the first site, the root.
    pub(crate) fn verbatim(&self) -> Option<&[u8]> {
        match &self.slips[..] {
            [slip] if (slip.place, slip.kind) == (0, RAW) => Some(self.change(slip).bytes()),
            _ => None,
        }
    }

    /// Forgets all but variations.
    pub(crate) fn forgive(&mut self) {
        self.slips.retain(Slip::is_variation);
        if self.slips.is_empty() {
            self.raw.clear();
        }
    }

    /// How many there are, at most [`MAX_SLIPS`].
    pub fn len(&self) -> usize {
        self.slips.len()
    }

    /// Forgets them all.
    pub fn clear(&mut self) {
        self.slips.clear();
        self.raw.clear();
    }

    /// Replaces them by those of a script, as [`split`] gave it; of one that is not canonical, by none.
    pub fn read(&mut self, script: &[u8]) {
        self.clear();
        if is_script(script) {
            let mut reader = Reader(script);
            while let Some((place, change)) = reader.slip() {
                self.push(place, change);
            }
        }
    }

    /// Adds a slip, in the place of one at the same site. False, and nothing changed, if there are too many, if they would
    /// have too many raw bytes, or if the place is beyond 2^28.
    pub fn push(&mut self, place: u32, change: Change<'_>) -> bool {
        let change = match change {
            Change::Raw([]) => Change::Drop,
            // Nothing between two tokens is nothing to ask for.
            Change::Separator([]) | Change::Spelling([]) => return false,
            change => change,
        };
        let (kind, raw) = (change.kind(), change.bytes());
        if self.raw.len() + raw.len() > MAX_RAW {
            self.compact();
        }
        let key = key(place, kind);
        let at = self.slips.partition_point(|slip| slip.key() < key);
        let replaced = self.slips.get(at).is_some_and(|slip| slip.key() == key);
        if place >= 1 << 28
            || !replaced && self.slips.len() == MAX_SLIPS
            || self.raw.len() + raw.len() > MAX_RAW
        {
            return false;
        }
        let start = self.raw.len() as u32;
        self.raw.extend_from_slice(raw);
        let slip = Slip {
            place,
            kind,
            raw: start..self.raw.len() as u32,
        };
        match replaced {
            true => self.slips[at] = slip,
            false => self.slips.insert(at, slip),
        }
        true
    }

    /// Gives up the bytes of slips that are gone.
    fn compact(&mut self) {
        let old = std::mem::take(&mut self.raw);
        for slip in &mut self.slips {
            let start = self.raw.len() as u32;
            self.raw
                .extend_from_slice(&old[slip.raw.start as usize..slip.raw.end as usize]);
            slip.raw = start..self.raw.len() as u32;
        }
    }

    /// Takes the `i`-th slip away.
    pub fn remove(&mut self, i: usize) {
        if i < self.slips.len() {
            self.slips.remove(i);
        }
        if self.slips.is_empty() {
            self.raw.clear();
        }
    }

    /// The places, ascending.
    pub fn places(&self) -> impl Iterator<Item = u32> + '_ {
        self.slips.iter().map(|slip| slip.place)
    }

    fn change(&self, slip: &Slip) -> Change<'_> {
        let raw = &self.raw[slip.raw.start as usize..slip.raw.end as usize];
        match slip.kind {
            DROP => Change::Drop,
            DOUBLE => Change::Double,
            SWAP => Change::Swap,
            CUT => Change::Cut,
            GLUE => Change::Glue,
            RAW => Change::Raw(raw),
            SEPARATOR => Change::Separator(raw),
            _ => Change::Spelling(raw),
        }
    }

    /// Forgets those at sites that are not to be kept.
    pub fn retain(&mut self, mut is_kept: impl FnMut(u32) -> bool) {
        self.slips.retain(|slip| is_kept(slip.place));
    }

    /// Moves each to another place; `moved` keeps their order.
    pub fn move_to(&mut self, moved: impl Fn(u32) -> u32) {
        for slip in &mut self.slips {
            slip.place = moved(slip.place);
        }
    }

    /// Forgets slips at sites that there are not.
    pub fn fit(&mut self, site_count: usize) {
        self.slips.retain(|slip| (slip.place as usize) < site_count);
    }

    /// Appends the trailer to choices; nothing if there are no slips.
    pub fn encode(&self, out: &mut Vec<u8>) {
        if self.is_empty() {
            return;
        }
        let start = out.len();
        for slip in &self.slips {
            out.push(slip.kind);
            put_number(out, slip.place);
            let bytes = self.change(slip).bytes();
            if !bytes.is_empty() {
                put_number(out, bytes.len() as u32);
                out.extend_from_slice(bytes);
            }
        }
        let len = (out.len() - start) as u16;
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(&MAGIC);
    }

    /// The slips that are no variations, by ascending place.
    pub fn changes(&self) -> impl Iterator<Item = (u32, Change<'_>)> {
        let slips = self.slips.iter().filter(|slip| !slip.is_variation());
        slips.map(|slip| (slip.place, self.change(slip)))
    }

    /// The text of a derivation with these variations, but without the slips, and where its sites are. O(text).
    pub fn place<'a>(
        &self,
        codec: &Codec,
        index: &'a SiteIndex,
        spelled: &'a mut Vec<u8>,
        lexemes: &'a mut Lexemes,
    ) -> Placed<'a> {
        let glued = self.spell(codec, index, spelled);
        if codec.graph().lexicon().is_none() {
            let (text, layout) = (glued, None);
            return Placed {
                index,
                text,
                layout,
            };
        }
        codec.lay_out(index, glued, |site| self.separator(site), lexemes);
        let layout = lexemes.layout();
        Placed {
            index,
            text: layout.text(),
            layout: Some(layout),
        }
    }

    /// Appends the text of a derivation with these slips and variations. What lies within the site of an earlier slip is not
    /// looked at. O(text).
    pub fn render(
        &self,
        codec: &Codec,
        index: &SiteIndex,
        lexemes: &mut Lexemes,
        out: &mut Vec<u8>,
    ) {
        let mut spelled = Vec::new();
        let placed = self.place(codec, index, &mut spelled, lexemes);
        let separator = |site| placed.separator_before(site);
        self.put_in(
            index,
            placed.text(),
            |site| placed.range(site),
            separator,
            out,
        );
    }

    /// The same for a text that is at hand: that of a derivation without slips and variations, in a grammar without tokens, of which the
    /// sites of an index are where `range` says. O(text).
    pub fn render_in(
        &self,
        codec: &Codec,
        index: &SiteIndex,
        text: &mut [u8],
        range: impl Fn(u32) -> Range<usize>,
        out: &mut Vec<u8>,
    ) {
        self.spell_in(codec, index, text, &range);
        self.put_in(index, text, range, |_| 0, out);
    }

    /// Appends a text with these slips in it. `separator` says how many bytes separate a site from what is before it.
    fn put_in(
        &self,
        index: &SiteIndex,
        text: &[u8],
        range: impl Fn(u32) -> Range<usize>,
        separator: impl Fn(u32) -> usize,
        out: &mut Vec<u8>,
    ) {
        let (mut at, mut behind) = (0, 0);
        for (place, change) in self.changes() {
            let Some(site) = index.sites().get(place as usize) else {
                break;
            };
            let Range { start, end } = range(place);
            if place < behind || start < at {
                continue;
            }
            let gone = match change {
                Change::Glue => separator(place),
                _ => 0,
            };
            out.extend_from_slice(&text[at..start.saturating_sub(gone).max(at)]);
            (at, behind) = (end, site.end);
            match change {
                Change::Drop | Change::Separator(_) | Change::Spelling(_) => {}
                Change::Glue => out.extend_from_slice(&text[start..end]),
                Change::Double => {
                    out.extend_from_slice(&text[start..end]);
                    out.extend_from_slice(&text[start..end]);
                }
                Change::Swap => {
                    let next = index.sites().get(site.end as usize);
                    if let Some(next) = next.filter(|next| next.parent == site.parent) {
                        behind = next.end;
                        let next = range(site.end);
                        let (between, last) = (next.start.max(end), next.end.max(end));
                        out.extend_from_slice(&text[between..last]);
                        out.extend_from_slice(&text[end..between]);
                        at = last;
                    }
                    out.extend_from_slice(&text[start..end]);
                }
                Change::Cut => {
                    at = text.len();
                    break;
                }
                Change::Raw(bytes) => out.extend_from_slice(bytes),
            }
        }
        out.extend_from_slice(&text[at..]);
    }
}

/// A text of a derivation, and where its sites are in it.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    index: &'a SiteIndex,
    text: &'a [u8],
    /// In grammars with tokens.
    layout: Option<&'a Layout>,
}

impl<'a> Placed<'a> {
    /// The text.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// How many bytes separate a site from the token before it.
    pub(crate) fn separator_before(&self, site: u32) -> usize {
        let start = self.index.text_range(site).start;
        self.layout
            .map_or(0, |layout| layout.separator_before(start).len())
    }

    /// Where a site is in the text, without separators around it.
    pub fn range(&self, site: u32) -> Range<usize> {
        let range = self.index.text_range(site);
        match self.layout {
            Some(layout) => {
                let start = layout.start_of(range.start);
                start..layout.end_of(range.end).max(start)
            }
            None => range.start as usize..range.end as usize,
        }
    }
}

/// What slips are sorted by: spellings stand behind others of the same place.
fn key(place: u32, kind: u8) -> (u32, u8) {
    (place, u8::from(kind == SPELLING))
}

impl Slip {
    fn key(&self) -> (u32, u8) {
        key(self.place, self.kind)
    }

    /// Whether the text stays a sentence.
    fn is_variation(&self) -> bool {
        matches!(self.kind, SEPARATOR | SPELLING)
    }
}
