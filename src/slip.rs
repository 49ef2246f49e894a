//! Slips: where an input departs from its grammar on purpose.
//!
//! Error paths of a program are beyond the reach of sentences. An input that is slightly invalid is a derivation with a few
//! *slips*: at one site a subtree's text is dropped, doubled, swapped with the next one's or replaced by raw bytes, or the
//! text ends there. The derivation stays what it is, so all else remains as mutable as ever, and forgetting the slips gives
//! the sentence back.
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
//! Two kinds of entry are no slips but *variations*, which leave the text a sentence with the same derivation: another separator
//! before a token, and another case for the letters of a literal that allows either. They are taken where they hold.
//!
//! Places are numbers of sites in pre-order; whoever edits the derivation moves them along ([`Slips::shift`]).

use std::ops::Range;

use crate::choice::{Codec, Lexemes, Scratch, SiteIndex};
use crate::grammar::NodeKind;

/// The last bytes of an input with slips.
pub const MAGIC: [u8; 4] = [0xfe, b's', b'l', 0xfe];
/// The most slips of an input.
pub const MAX_SLIPS: usize = 8;
/// The most raw bytes of an input.
pub const MAX_RAW: usize = 4096;

/// Magic and length.
const FRAME: usize = MAGIC.len() + 2;

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
    /// Other bytes, at least one, stand there instead.
    Raw(&'a [u8]),
    /// A variation: these bytes separate the token from the one before, where they can.
    Separator(&'a [u8]),
    /// A variation: the literal is spelled like this, if only the case of letters differs.
    Spelling(&'a [u8]),
}

impl<'a> Change<'a> {
    /// The bytes that belong to it.
    fn bytes(self) -> &'a [u8] {
        match self {
            Change::Raw(bytes) | Change::Separator(bytes) | Change::Spelling(bytes) => bytes,
            Change::Drop | Change::Double | Change::Swap | Change::Cut => &[],
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

/// The slips of an input, by ascending place, at most one a place.
#[derive(Clone, Debug, Default)]
pub struct Slips {
    slips: Vec<Slip>,
    raw: Vec<u8>,
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
    codec.index(choices, &mut Scratch::default(), &mut index);
    slips.read(script);
    slips.render(codec, &index, &mut Lexemes::default(), &mut text);
    text
}

/// Whether bytes are the script of one or more slips, in canonical form.
fn is_script(script: &[u8]) -> bool {
    let mut reader = Reader(script);
    let mut least = 0;
    let mut count = 0;
    let mut raw = 0;
    while !reader.0.is_empty() {
        let Some((place, change)) = reader.slip() else {
            return false;
        };
        raw += change.bytes().len();
        count += 1;
        if place < least || count > MAX_SLIPS || raw > MAX_RAW {
            return false;
        }
        least = place + 1;
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

    /// Forgets all but variations.
    pub fn forgive(&mut self) {
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
        let kind = match change {
            Change::Drop | Change::Raw([]) => DROP,
            Change::Double => DOUBLE,
            Change::Swap => SWAP,
            Change::Cut => CUT,
            Change::Raw(_) => RAW,
            // Nothing between two tokens is nothing to ask for.
            Change::Separator([]) | Change::Spelling([]) => return false,
            Change::Separator(_) => SEPARATOR,
            Change::Spelling(_) => SPELLING,
        };
        let raw = change.bytes();
        let at = self.slips.partition_point(|slip| slip.place < place);
        let replaced = self.slips.get(at).is_some_and(|slip| slip.place == place);
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
            RAW => Change::Raw(raw),
            SEPARATOR => Change::Separator(raw),
            _ => Change::Spelling(raw),
        }
    }

    /// Follows an edit of the derivation: `removed` sites have given way to `count` others. What was in the removed part is
    /// forgotten, unless its first site is still there.
    pub fn shift(&mut self, removed: &Range<u32>, count: u32) {
        if self.slips.is_empty() {
            return;
        }
        self.slips.retain_mut(|slip| {
            if slip.place >= removed.end {
                slip.place = slip.place - (removed.end - removed.start) + count;
                return true;
            }
            slip.place < removed.start || slip.place == removed.start && count > 0
        });
    }

    /// Forgets slips at sites that there are not.
    pub fn fit(&mut self, site_count: usize) {
        self.slips.retain(|slip| (slip.place as usize) < site_count);
    }

    /// The length of the trailer.
    pub fn encoded_len(&self) -> usize {
        let digits = |value: u32| match value {
            0..0x80 => 1,
            0x80..0x4000 => 2,
            0x4000..0x20_0000 => 3,
            _ => 4,
        };
        let len = |slip: &Slip| {
            let raw = slip.raw.end - slip.raw.start;
            let raw = match slip.kind {
                RAW | SEPARATOR | SPELLING => digits(raw) + raw as usize,
                _ => 0,
            };
            1 + digits(slip.place) + raw
        };
        match self.is_empty() {
            true => 0,
            false => FRAME + self.slips.iter().map(len).sum::<usize>(),
        }
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
        let glued = self.spell(codec, index, &mut spelled);
        let has_tokens = codec.graph().lexicon().is_some();
        if has_tokens {
            codec.lay_out(index, glued, |site| self.separator(site), lexemes);
        }
        let text = match has_tokens {
            true => lexemes.layout().text(),
            false => glued,
        };
        let place = |site: u32| {
            let range = index.text_range(site);
            match has_tokens {
                true => {
                    let start = lexemes.layout().start_of(range.start);
                    start..lexemes.layout().end_of(range.end).max(start)
                }
                false => range.start as usize..range.end as usize,
            }
        };
        let mut at = 0;
        for slip in self.slips.iter().filter(|slip| !slip.is_variation()) {
            let Some(site) = index.sites().get(slip.place as usize) else {
                break;
            };
            let Range { start, end } = place(slip.place);
            if start < at {
                continue;
            }
            out.extend_from_slice(&text[at..start]);
            at = end;
            match self.change(slip) {
                Change::Drop | Change::Separator(_) | Change::Spelling(_) => {}
                Change::Double => {
                    out.extend_from_slice(&text[start..end]);
                    out.extend_from_slice(&text[start..end]);
                }
                Change::Swap => {
                    let next = index.sites().get(site.end as usize);
                    if next.is_some_and(|next| next.parent == site.parent) {
                        let next = place(site.end);
                        let (between, behind) = (next.start.max(end), next.end.max(end));
                        out.extend_from_slice(&text[between..behind]);
                        out.extend_from_slice(&text[end..between]);
                        at = behind;
                    }
                    out.extend_from_slice(&text[start..end]);
                }
                Change::Cut => at = text.len(),
                Change::Raw(bytes) => out.extend_from_slice(bytes),
            }
        }
        out.extend_from_slice(&text[at..]);
    }

    /// The separator that is wanted before the token of a site.
    fn separator(&self, site: u32) -> Option<&[u8]> {
        let at = self.slips.binary_search_by_key(&site, |slip| slip.place);
        match self.change(&self.slips[at.ok()?]) {
            Change::Separator(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The text of an index, with other letters where that is wanted and allowed.
    fn spell<'t>(&self, codec: &Codec, index: &'t SiteIndex, buffer: &'t mut Vec<u8>) -> &'t [u8] {
        let mut is_changed = false;
        for slip in &self.slips {
            let Change::Spelling(bytes) = self.change(slip) else {
                continue;
            };
            if !is_caseless(codec, index, slip.place) {
                continue;
            }
            let range = index.text_range(slip.place);
            let range = range.start as usize..range.end as usize;
            if bytes.eq_ignore_ascii_case(&index.text()[range.clone()]) {
                if !std::mem::replace(&mut is_changed, true) {
                    buffer.clear();
                    buffer.extend_from_slice(index.text());
                }
                buffer[range].copy_from_slice(bytes);
            }
        }
        match is_changed {
            true => buffer,
            false => index.text(),
        }
    }
}

impl Slip {
    /// Whether the text stays a sentence.
    fn is_variation(&self) -> bool {
        matches!(self.kind, SEPARATOR | SPELLING)
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
/// separators, and which letters are in another case. Of more than [`MAX_SLIPS`] the first ones. O(text).
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
        let fits = match own == usual || own.is_empty() {
            true => !is_caseless(codec, &index, site) || spelling(&mut slips, &index, site, start),
            false => slips.push(site, Change::Separator(own)),
        };
        if !fits {
            break;
        }
    }
    slips.encode(choices);
}

#[cfg(test)]
mod tests {
    use super::{Change, MAGIC, MAX_RAW, MAX_SLIPS, Slips, split};
    use crate::choice::{Codec, Lexemes, Scratch, SiteIndex};
    use crate::rng::Rng;
    use crate::tests::graph;

    fn codec() -> Codec {
        Codec::new(&graph("list := '[' item (',' item)* ']'; item := [a-c];"))
    }

    fn index(choices: &[u8]) -> SiteIndex {
        let mut index = SiteIndex::new();
        codec().index(choices, &mut Scratch::default(), &mut index);
        index
    }

    /// The first site of a text that begins with these bytes there.
    fn site(index: &SiteIndex, text: &[u8]) -> u32 {
        let has = |&site: &u32| {
            let range = index.text_range(site);
            &index.text()[range.start as usize..range.end as usize] == text
        };
        (0..index.sites().len() as u32).find(has).unwrap()
    }

    #[test]
    fn each_change_shows_in_the_text() {
        let index = index(&[0, 1, 1, 1, 2]);
        assert_eq!(index.text(), b"[a,b,c]");
        let table: &[(&[u8], Change<'_>, &[u8])] = &[
            (b"b", Change::Drop, b"[a,,c]"),
            (b"b", Change::Double, b"[a,bb,c]"),
            (b",b", Change::Swap, b"[a,c,b]"),
            (b"]", Change::Swap, b"[a,b,c]"),
            (b"b", Change::Cut, b"[a,"),
            (b"[", Change::Raw(b"\xff{"), b"\xff{a,b,c]"),
            (b"[a,b,c]", Change::Raw(b"x"), b"x"),
        ];
        for &(at, change, expected) in table {
            let mut slips = Slips::new();
            assert!(slips.push(site(&index, at), change));
            let mut text = Vec::new();
            slips.render(&codec(), &index, &mut Lexemes::default(), &mut text);
            assert_eq!(text, expected, "{change:?}");
        }
    }

    #[test]
    fn what_lies_within_a_slip_is_not_looked_at() {
        let index = index(&[0, 1, 1]);
        let mut slips = Slips::new();
        slips.push(site(&index, b",b"), Change::Raw(b";"));
        slips.push(site(&index, b"b"), Change::Double);
        slips.push(site(&index, b"]"), Change::Drop);
        slips.push(1000, Change::Cut);
        let mut text = Vec::new();
        slips.render(&codec(), &index, &mut Lexemes::default(), &mut text);
        assert_eq!(text, b"[a;");
    }

    #[test]
    fn encoding_and_decoding_are_inverse() {
        let mut rng = Rng::new(1);
        for _ in 0..500 {
            let mut slips = Slips::new();
            for _ in 0..1 + rng.below(12) {
                let raw = vec![7; rng.heavy_tail().min(300) as usize];
                let change = match rng.below(5) {
                    0 => Change::Drop,
                    1 => Change::Double,
                    2 => Change::Swap,
                    3 => Change::Cut,
                    _ => Change::Raw(&raw),
                };
                slips.push(rng.heavy_tail() % (1 << 20), change);
            }
            assert!((1..=MAX_SLIPS).contains(&slips.len()));
            let choices: Vec<u8> = (0..rng.below(9)).map(|_| rng.bits() as u8).collect();
            let mut input = choices.clone();
            slips.encode(&mut input);
            assert_eq!(input.len(), choices.len() + slips.encoded_len());
            let (found, script) = split(&input);
            assert_eq!(found, choices);
            let mut again = Slips::new();
            again.read(script);
            let mut copy = choices.clone();
            again.encode(&mut copy);
            assert_eq!(copy, input);
        }
    }

    #[test]
    fn what_is_no_canonical_trailer_is_choices() {
        let with = |script: &[u8]| {
            let mut input = vec![1, 2];
            input.extend_from_slice(script);
            input.extend_from_slice(&(script.len() as u16).to_le_bytes());
            input.extend_from_slice(&MAGIC);
            input
        };
        let good = with(&[0, 5, 4, 6, 1, b'x']);
        assert_eq!(split(&good), (&[1, 2][..], &[0, 5, 4, 6, 1, b'x'][..]));
        let bad: &[&[u8]] = &[
            // None, an unknown kind, a place cut off, padding.
            &[],
            &[7, 1],
            &[0],
            &[0, 0x80],
            &[0, 0x81, 0x00],
            // No bytes, too few, a descending and a repeated place.
            &[4, 1, 0],
            &[4, 1, 2, b'x'],
            &[0, 2, 0, 1],
            &[0, 2, 1, 2],
            // A place too high.
            &[0, 0xff, 0xff, 0xff, 0xff, 1],
            // Too many.
            &[0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8],
        ];
        for script in bad {
            let input = with(script);
            assert_eq!(split(&input), (&input[..], &[][..]), "{script:?}");
        }
        for cut in 1..good.len() {
            assert!(split(&good[..cut]).1.is_empty());
            assert!(split(&good[cut..]).1.is_empty() || cut <= 2);
        }
        let mut slips = Slips::new();
        assert!(!slips.push(0, Change::Raw(&[0; MAX_RAW + 1])));
        assert!(slips.is_empty() && !slips.push(1 << 28, Change::Drop));
    }

    #[test]
    fn places_follow_edits() {
        let mut slips = Slips::new();
        for place in [1, 4, 5, 9] {
            slips.push(place, Change::Drop);
        }
        slips.shift(&(4..7), 10);
        assert_eq!(slips.places().collect::<Vec<_>>(), [1, 4, 16]);
        slips.shift(&(4..6), 0);
        assert_eq!(slips.places().collect::<Vec<_>>(), [1, 14]);
        slips.fit(14);
        assert_eq!(slips.places().collect::<Vec<_>>(), [1]);
    }
}
