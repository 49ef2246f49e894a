//! What is known of texts: their choices, or that they are not parsed.
//!
//! Parsing costs a hundred times what a mutation does, so with corpora of text it has to be the exception. Nearly every text
//! that the mutator meets was seen before: it was given out a moment ago, or it belongs to the corpus. The cache keeps both
//! apart, because the first come by the ten thousand a second, are rarely asked for again and would drive the others out:
//! *outputs*, a small memory of what was given out, and *parents*, a large one of what was asked for. An output that is asked
//! for becomes a parent.
//!
//! ```text
//! given out ──▶ outputs: young │ old ──▶ forgotten
//!                  │ asked for
//!                  ▼
//! parsed ──────▶ parents: young │ old ──▶ forgotten, unless asked for again
//! ```
//!
//! Each memory is two shelves. A shelf is one block of bytes with texts and answers end to end, and an open-addressed table
//! over it; when the young one is full, the old one is emptied and they change places. So what was used lately stays, nothing
//! is allocated for an entry, and the bound on the bytes is a bound on all of it. A list of least recent use would move two
//! links at each look-up, for an order that nobody needs that fine.
//!
//! Entries are found by a hash with fixed keys and by their bytes: a hash alone decides nothing, so a collision costs a
//! comparison and never gives the choices of another text. Look-up and insertion are linear in the text.

/// A text that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known<'a> {
    /// It is a sentence, and these choices derive it.
    Sentence(&'a [u8]),
    /// It was parsed in vain: it is not a sentence, or the budget did not suffice to see that it is one.
    Unread,
}

/// Texts with what is known of them, in a bounded number of bytes.
#[derive(Debug)]
pub(super) struct Cache {
    outputs: Memory,
    parents: Memory,
    hasher: ahash::RandomState,
    /// The choices found last, while they move to the parents.
    found: Vec<u8>,
}

/// The share of the bytes that outputs get: one of these.
const OUTPUT_SHARE: usize = 8;

impl Cache {
    /// A cache of at most `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Cache {
        let outputs = bytes / OUTPUT_SHARE;
        Cache {
            outputs: Memory::new(outputs),
            parents: Memory::new(bytes - outputs),
            // Digits of e; any fixed keys would do.
            hasher: ahash::RandomState::with_seeds(
                0xb7e1_5162_8aed_2a6a,
                0xbf71_5880_9cf4_f3c7,
                0x62e7_160f_38b4_da56,
                0xa784_d904_5190_cfef,
            ),
            found: Vec::new(),
        }
    }

    /// What is known of a text; from now on it is a parent.
    pub(super) fn find(&mut self, text: &[u8]) -> Option<Known<'_>> {
        let hash = self.hasher.hash_one(text);
        if let Some(entry) = self.parents.young.entry(hash, text) {
            return Some(self.parents.young.known(entry));
        }
        let shelves = [&self.parents.old, &self.outputs.young, &self.outputs.old];
        let found = shelves.into_iter().find_map(|shelf| {
            let entry = shelf.entry(hash, text)?;
            Some(shelf.known(entry))
        })?;
        self.found.clear();
        let known = match found {
            Known::Sentence(choices) => {
                self.found.extend_from_slice(choices);
                Known::Sentence(&self.found)
            }
            Known::Unread => Known::Unread,
        };
        self.parents.insert(hash, text, known);
        Some(known)
    }

    /// Keeps a text that is given out.
    pub(super) fn insert_output(&mut self, text: &[u8], choices: &[u8]) {
        let hash = self.hasher.hash_one(text);
        self.outputs.insert(hash, text, Known::Sentence(choices));
    }

    /// Keeps what parsing a text has told.
    pub(super) fn insert_parent(&mut self, text: &[u8], known: Known<'_>) {
        let hash = self.hasher.hash_one(text);
        self.parents.insert(hash, text, known);
    }

    /// The bytes that entries take now.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let memories = [&self.outputs, &self.parents];
        memories
            .map(|memory| memory.young.size() + memory.old.size())
            .iter()
            .sum()
    }
}

/// Two shelves of equal size.
#[derive(Debug)]
struct Memory {
    young: Shelf,
    old: Shelf,
    /// The bytes of a shelf.
    limit: usize,
}

impl Memory {
    fn new(bytes: usize) -> Memory {
        Memory {
            young: Shelf::default(),
            old: Shelf::default(),
            limit: bytes / 2,
        }
    }

    /// Puts an entry on the young shelf, unless it is there; one that fills a shelf by itself is not kept at all.
    fn insert(&mut self, hash: u64, text: &[u8], known: Known<'_>) {
        let size = Shelf::size_of(text, known);
        if size > self.limit || self.young.entry(hash, text).is_some() {
            return;
        }
        if self.young.size() + size > self.limit {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        self.young.insert(hash, text, known);
    }
}

/// Texts and answers end to end, and a table over them.
#[derive(Debug, Default)]
struct Shelf {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Numbers of entries, from 1 on, at the place that the hash names or the next free one; 0 is free. At most half is
    /// taken, and the length is a power of two.
    table: Vec<u32>,
}

/// A text and its answer on a shelf.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    /// Where the text begins; the choices follow it.
    start: u32,
    text_len: u32,
    /// [`UNREAD`] if there are none.
    choices_len: u32,
}

/// Instead of a length of choices.
const UNREAD: u32 = u32::MAX;

/// What an entry costs beside its bytes: itself, and its places in a table that is half full when it doubles.
const OVERHEAD: usize = size_of::<Entry>() + 4 * size_of::<u32>();

impl Shelf {
    fn size_of(text: &[u8], known: Known<'_>) -> usize {
        let choices = match known {
            Known::Sentence(choices) => choices.len(),
            Known::Unread => 0,
        };
        OVERHEAD + text.len() + choices
    }

    fn size(&self) -> usize {
        self.bytes.len() + self.entries.len() * OVERHEAD
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.table.fill(0);
    }

    fn entry(&self, hash: u64, text: &[u8]) -> Option<Entry> {
        let mask = self.table.len().checked_sub(1)?;
        let mut place = hash as usize & mask;
        // A free place ends this: half of the table is.
        while let Some(number) = self.table[place].checked_sub(1) {
            let entry = self.entries[number as usize];
            if entry.hash == hash && self.text(entry) == text {
                return Some(entry);
            }
            place = (place + 1) & mask;
        }
        None
    }

    fn text(&self, entry: Entry) -> &[u8] {
        let start = entry.start as usize;
        &self.bytes[start..start + entry.text_len as usize]
    }

    fn known(&self, entry: Entry) -> Known<'_> {
        if entry.choices_len == UNREAD {
            return Known::Unread;
        }
        let start = (entry.start + entry.text_len) as usize;
        Known::Sentence(&self.bytes[start..start + entry.choices_len as usize])
    }

    fn insert(&mut self, hash: u64, text: &[u8], known: Known<'_>) {
        if self.table.len() < 2 * (self.entries.len() + 1) {
            self.grow();
        }
        let entry = Entry {
            hash,
            start: self.bytes.len() as u32,
            text_len: text.len() as u32,
            choices_len: match known {
                Known::Sentence(choices) => choices.len() as u32,
                Known::Unread => UNREAD,
            },
        };
        self.bytes.extend_from_slice(text);
        if let Known::Sentence(choices) = known {
            self.bytes.extend_from_slice(choices);
        }
        self.entries.push(entry);
        Self::link(&mut self.table, hash, self.entries.len() as u32);
    }

    fn grow(&mut self) {
        let len = (2 * self.table.len()).max(64);
        self.table.clear();
        self.table.resize(len, 0);
        for (number, entry) in (1..).zip(&self.entries) {
            Self::link(&mut self.table, entry.hash, number);
        }
    }

    fn link(table: &mut [u32], hash: u64, number: u32) {
        let mask = table.len() - 1;
        let mut place = hash as usize & mask;
        while table[place] != 0 {
            place = (place + 1) & mask;
        }
        table[place] = number;
    }
}

#[cfg(test)]
mod tests {
    use super::{Cache, Known, Memory, Shelf};

    fn text(number: u32) -> Vec<u8> {
        format!("text {number}").into_bytes()
    }

    #[test]
    fn what_is_inserted_is_found_with_its_choices() {
        let mut cache = Cache::new(1 << 20);
        for number in 0..2000u32 {
            let choices = number.to_le_bytes();
            match number % 3 {
                0 => cache.insert_output(&text(number), &choices),
                1 => cache.insert_parent(&text(number), Known::Sentence(&choices)),
                _ => cache.insert_parent(&text(number), Known::Unread),
            }
        }
        for number in (0..2000u32).rev() {
            let expected = match number % 3 {
                2 => Known::Unread,
                _ => Known::Sentence(&number.to_le_bytes()),
            };
            assert_eq!(cache.find(&text(number)), Some(expected), "{number}");
        }
        assert_eq!(cache.find(b"text 2000"), None);
        assert_eq!(cache.find(b""), None);
        cache.insert_output(b"", b"");
        assert_eq!(cache.find(b""), Some(Known::Sentence(b"")));
    }

    #[test]
    fn a_collision_costs_a_comparison_only() {
        let mut shelf = Shelf::default();
        for number in 0..200u32 {
            shelf.insert(7, &text(number), Known::Sentence(&number.to_le_bytes()));
        }
        for number in 0..200u32 {
            let entry = shelf.entry(7, &text(number)).unwrap();
            assert_eq!(shelf.known(entry), Known::Sentence(&number.to_le_bytes()));
        }
        assert!(shelf.entry(7, b"text 200").is_none());
        assert!(shelf.entry(7, b"text 1").is_some() && shelf.entry(8, b"text 1").is_none());
    }

    #[test]
    fn the_bytes_are_bounded_and_what_is_asked_for_stays() {
        const BYTES: usize = 1 << 16;
        let mut cache = Cache::new(BYTES);
        cache.insert_output(b"kept", b"yes");
        for number in 0..20_000u32 {
            cache.insert_output(&text(number), &[0; 30]);
            cache.insert_parent(&text(number + 50_000), Known::Sentence(&[0; 20]));
            if number % 50 == 0 {
                assert_eq!(
                    cache.find(b"kept"),
                    Some(Known::Sentence(b"yes")),
                    "{number}"
                );
            }
            assert!(cache.bytes() <= BYTES);
        }
        assert_eq!(cache.find(&text(0)), None);
        assert!(cache.find(&text(19_999)).is_some());
        let table = |memory: &Memory| memory.young.table.len() + memory.old.table.len();
        assert!(4 * (table(&cache.outputs) + table(&cache.parents)) <= BYTES);
    }

    #[test]
    fn what_no_shelf_can_hold_is_not_kept() {
        let mut cache = Cache::new(1 << 10);
        let long = vec![b'x'; 1 << 10];
        cache.insert_output(b"short", b"1");
        cache.insert_output(&long, b"1");
        cache.insert_parent(&long, Known::Unread);
        assert_eq!(cache.find(&long), None);
        assert_eq!(cache.find(b"short"), Some(Known::Sentence(b"1")));
        let mut none = Cache::new(0);
        none.insert_output(b"a", b"1");
        assert_eq!(none.find(b"a"), None);
    }
}
