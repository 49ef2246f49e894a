//! Declared names, for declare-before-use: a bounded set with scopes.

/// The most names that are declared at a time.
const MOST_NAMES: usize = 1 << 12;
/// The most bytes that they have in all.
const MOST_BYTES: usize = 1 << 16;

/// Names that are declared, in scopes: a state, or a part of one, for hooks.
///
/// Holds 4096 names and 64 KiB at most; what is declared beyond is not taken in. A look-up compares with all names.
///
/// ```
/// use pleach_core::semantics::Names;
///
/// let mut names = Names::default();
/// assert_eq!(names.choose(b"x"), None);
/// names.declare(b"a");
/// names.open();
/// names.declare(b"b");
/// assert_eq!(names.choose(b"b"), Some(&b"b"[..]));
/// names.close();
/// assert_eq!(names.choose(b"b"), Some(&b"a"[..]));
/// ```
#[derive(Clone, Default, Debug)]
pub struct Names {
    bytes: Vec<u8>,
    /// Where each name ends.
    ends: Vec<u32>,
    /// How many names there were when each open scope began.
    scopes: Vec<u32>,
}

impl Names {
    /// Declares a name in the innermost scope. False if there is no room for it.
    pub fn declare(&mut self, name: &[u8]) -> bool {
        let fits = self.ends.len() < MOST_NAMES && name.len() <= MOST_BYTES - self.bytes.len();
        if fits {
            self.bytes.extend_from_slice(name);
            self.ends.push(self.bytes.len() as u32);
        }
        fits
    }

    /// Begins a scope.
    pub fn open(&mut self) {
        self.scopes.push(self.ends.len() as u32);
    }

    /// Ends the innermost scope and forgets what was declared in it; without a scope, nothing.
    pub fn close(&mut self) {
        if let Some(count) = self.scopes.pop() {
            self.ends.truncate(count as usize);
            self.bytes
                .truncate(self.ends.last().map_or(0, |&end| end as usize));
        }
    }

    /// How many are declared.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether none is declared.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The `i`-th of those that are declared.
    pub fn get(&self, i: usize) -> Option<&[u8]> {
        let end = *self.ends.get(i)? as usize;
        let start = i.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        Some(&self.bytes[start..end])
    }

    /// Whether a name is declared. O(names).
    pub fn contains(&self, name: &[u8]) -> bool {
        (0..self.len()).any(|i| self.get(i) == Some(name))
    }

    /// A declared name for one that was derived: itself if it is declared, else one that its bytes decide on. None
    /// if there is none. O(names).
    pub fn choose(&self, derived: &[u8]) -> Option<&[u8]> {
        let same = (0..self.len())
            .filter_map(|i| self.get(i))
            .find(|&name| name == derived);
        if same.is_some() {
            return same;
        }
        // FNV-1a; its low bits alone would follow those of the letters.
        let hash = derived
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        let number = hash >> 32;
        self.get(number.checked_rem(self.len() as u64)? as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, MOST_NAMES, Names};

    #[test]
    fn every_declared_name_can_be_chosen() {
        let mut names = Names::default();
        for name in [&b"a"[..], b"", b"long"] {
            names.declare(name);
        }
        let mut chosen = [false; 3];
        for byte in 0..=255 {
            let name = names.choose(&[byte, byte]).unwrap();
            let at = (0..3).find(|&i| names.get(i) == Some(name)).unwrap();
            chosen[at] = true;
        }
        assert_eq!(chosen, [true; 3]);
        assert_eq!(names.choose(b"long"), Some(&b"long"[..]));
        assert_eq!(names.choose(b""), Some(&b""[..]));
    }

    #[test]
    fn what_is_declared_is_bounded() {
        let mut names = Names::default();
        let taken = (0..2 * MOST_NAMES).filter(|_| names.declare(b"n")).count();
        assert_eq!((taken, names.len()), (MOST_NAMES, MOST_NAMES));
        let mut names = Names::default();
        assert!(names.declare(&vec![b'n'; MOST_BYTES]));
        assert!(!names.declare(b"m") && names.declare(b""));
        names.open();
        names.close();
        names.close();
        assert_eq!(names.len(), 2);
    }
}
