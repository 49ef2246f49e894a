//! How often the engine mutates whole texts: more often where the engine keeps what comes of that.
//!
//! Where nearly every text is accepted (Markdown, URLs), a grammar has little to add, and the engine's mutations of bytes are quick and
//! get at what the grammar leaves out; elsewhere most of what they make is refused at once. Which it is shows in what comes back as a
//! parent, as with the operators of a [`Session`](pleach_core::mutate::Session): every text is remembered by its hash with who made
//! it, and who makes what comes back is the better. The odds for the engine are the setting's, times the ratio of the two
//! rates, within bounds, so that neither side starves.

/// How many texts are remembered, a power of two; 16 bytes each.
const REMEMBERED: usize = 1 << 15;
/// After so many texts old counts fade, and what is left of them.
const PERIOD: u32 = 1024;
const FADE: f64 = 0.97;
/// Either side counts as having had so many tries more, at the mean rate.
const PRIOR: f64 = 256.0;
/// How far the odds may move.
const LEAST: f64 = 0.25;
const MOST: f64 = 32.0;

/// The lowest bits of a text that was there before, or has counted.
const NOBODY: u64 = 2;

/// Who made a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Maker {
    /// The engine, from bytes.
    Engine,
    /// Operators, from a derivation.
    Operators,
}

#[derive(Clone, Copy, Debug, Default)]
struct Side {
    tried: f64,
    kept: f64,
}

/// The memory of texts, and what either side has come to.
#[derive(Debug)]
pub(super) struct Balance {
    /// Hashes, whose lowest two bits are 0 for those of operators, 1 for those of the engine, 2 for those of nobody.
    texts: Vec<u64>,
    sides: [Side; 2],
    /// What was made last: right afterwards it proves nothing, since the engine stacks mutations.
    last: u64,
    until_fade: u32,
}

impl Balance {
    pub(super) fn new() -> Balance {
        Balance {
            texts: vec![0; REMEMBERED],
            sides: [Side::default(); 2],
            last: 0,
            until_fade: PERIOD,
        }
    }

    /// A text was given out.
    pub(super) fn made(&mut self, text: &[u8], maker: Maker) {
        let hash = hash(text);
        self.last = hash;
        let known = &mut self.texts[place(hash)];
        if *known & !3 != hash {
            *known = hash | u64::from(maker == Maker::Engine);
        }
        self.sides[maker as usize].tried += 1.0;
        self.until_fade -= 1;
        if self.until_fade == 0 {
            self.until_fade = PERIOD;
            for side in &mut self.sides {
                side.tried *= FADE;
                side.kept *= FADE;
            }
        }
    }

    /// A text is mutated: if it was made here, the engine has kept it.
    pub(super) fn came_back(&mut self, text: &[u8]) {
        let hash = hash(text);
        let known = &mut self.texts[place(hash)];
        if hash == self.last {
            return;
        }
        // It counts once, and whoever makes it again has made nothing new.
        let before = std::mem::replace(known, hash | NOBODY);
        let side = match before ^ hash {
            0 => Maker::Operators,
            1 => Maker::Engine,
            _ => return,
        };
        self.sides[side as usize].kept += 1.0;
    }

    /// How many of 1000 texts are to be the engine's, where the setting says `per_mille`.
    pub(super) fn share(&self, per_mille: u32) -> u32 {
        let base = f64::from(per_mille.min(1000)) / 1000.0;
        let [engine, operators] = self.sides;
        // One success is taken for granted, of both sides as they were tried, so that without any the rates are equal.
        let tried = (engine.tried + operators.tried).max(1.0);
        let mean = (engine.kept + operators.kept + 1.0) / tried;
        let kept = |side: Side| side.kept + side.tried / tried;
        let rate = |side: Side| (kept(side) + PRIOR * mean) / (side.tried + PRIOR);
        let ratio = (rate(engine) / rate(operators)).clamp(LEAST, MOST);
        let share = base * ratio / (base * ratio + 1.0 - base);
        (share * 1000.0).round() as u32
    }
}

/// The hash of a text, the lowest two bits off; the same on every machine.
fn hash(text: &[u8]) -> u64 {
    // 0 is the free place.
    pleach_core::mutate::hash(text) & !3 | 4
}

fn place(hash: u64) -> usize {
    (hash >> 3) as usize % REMEMBERED
}

#[cfg(test)]
mod tests {
    use super::{Balance, LEAST, MOST, Maker};

    /// What comes of ten thousand texts of either side, of which one in so many comes back.
    fn share_after(engine: u32, operators: u32, per_mille: u32) -> u32 {
        let mut balance = Balance::new();
        for round in 0..20_000u32 {
            let text = round.to_le_bytes();
            let (maker, one_in) = match round % 2 {
                0 => (Maker::Engine, engine),
                _ => (Maker::Operators, operators),
            };
            balance.made(&text, maker);
            // The engine mutates it on at once, which is no success.
            balance.came_back(&text);
            if round / 2 % one_in == 0 {
                balance.made(b"another", maker);
                balance.came_back(&text);
                // Only the first time counts.
                balance.came_back(&text);
            }
        }
        balance.share(per_mille)
    }

    #[test]
    fn the_share_follows_what_comes_back() {
        let fair = share_after(50, 50, 100);
        assert!((85..=115).contains(&fair), "{fair}");
        let more = share_after(20, 100, 100);
        assert!((300..=380).contains(&more), "{more}");
        let less = share_after(100, 50, 100);
        assert!((45..=70).contains(&less), "{less}");
    }

    #[test]
    fn nobody_starves_unless_asked_to() {
        let odds = |odds: f64| (1000.0 * odds / (1.0 + odds)).round() as u32;
        assert_eq!(share_after(1, 10_001, 500), odds(MOST));
        assert_eq!(share_after(10_001, 1, 500), odds(LEAST));
        assert_eq!(
            (share_after(1, 10_001, 0), share_after(10_001, 1, 1000)),
            (0, 1000)
        );
        assert_eq!(Balance::new().share(50), 50);
    }

    #[test]
    fn what_was_there_before_counts_for_nobody() {
        let mut balance = Balance::new();
        for round in 0..20_000u32 {
            // A text of the corpus, which the engine makes again.
            balance.came_back(b"parent");
            balance.made(b"parent", Maker::Engine);
            balance.made(&round.to_le_bytes(), Maker::Operators);
        }
        assert_eq!(balance.share(50), 50);
    }

    #[test]
    fn without_evidence_the_share_stays_as_it_is() {
        let mut balance = Balance::new();
        for round in 0..50_000u32 {
            let maker = match round % 20 {
                0 => Maker::Engine,
                _ => Maker::Operators,
            };
            balance.made(&round.to_le_bytes(), maker);
        }
        assert_eq!(balance.share(50), 50);
    }
}
