//! Which operators pay: what each has made, and how much of that the engine has kept.
//!
//! The engine does not say what it keeps, but a kept input comes back as a parent. So every output is remembered by its
//! hash together with the operator that made it, and an output that is handed in again, after other inputs had their
//! turn, is a success of that operator. (Right after it was given out it proves nothing: libFuzzer stacks mutations.)
//! The same memory tells outputs that were made before.
//!
//! Shares follow the success rates, within a quarter and four times what they are by default, so that nothing starves: a
//! bandit that matches probabilities. Old successes fade. Where it is known what runs and operators take, an operator that takes
//! more than a tenth of a median run gets so much less of its share.

use std::fmt;

use super::places::Places;
use crate::id::ProductionId;
use crate::rng::Rng;

/// How many outputs are remembered, a power of two; 16 bytes each.
const REMEMBERED: usize = 1 << 16;
/// After so many mutations the shares are worked out again.
const PERIOD: u32 = 512;
/// What is left of old counts after each period.
const FADE: f64 = 0.98;
/// The bounds of a share, in times of the default.
const LEAST: f64 = 0.25;
const MOST: f64 = 4.0;
/// The same for the odds of one operator against all others, which may be quick where the others are slow to pay.
const MOST_ODDS: f64 = 32.0;
/// An operator with no history counts as one with this many tries at the mean rate; one against all others, with these.
const PRIOR: f64 = 64.0;
const SIDE_PRIOR: f64 = 256.0;

/// What a mutation may take, in terms of a median run, before its operator's share is cut, and how far it is cut.
const AFFORDABLE: f64 = 0.1;
const CUT: f64 = 0.1;
/// How far a single run moves the estimate of the median, and a single mutation that of a mean.
const STEP: f64 = 1.02;
const RECENT: f64 = 1.0 / 32.0;

/// No operator.
const NOBODY: u8 = u8::MAX;

/// An output, found at the place that its hash names.
#[derive(Clone, Copy, Debug, Default)]
struct Output {
    hash: u64,
    operator: u8,
    place: u32,
}

/// Who made an output: an operator, at a site of a nonterminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Maker {
    pub(super) operator: usize,
    pub(super) place: ProductionId,
}

/// What an operator has come to.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Tally {
    /// The operator's name.
    pub name: &'static str,
    /// The inputs that it has made.
    pub tried: u64,
    /// Those of them that came back as parents, each counted once.
    pub kept: u64,
    /// The k-paths that were covered first by what it has made.
    pub new_paths: u64,
    /// The nanoseconds that it took, as far as [`super::Session::spent`] was told.
    pub nanoseconds: u64,
    /// Its present share of the mutations that draw an operator, out of 1000; 0 for slips and transplants, which are not drawn.
    pub share: u32,
}

impl fmt::Display for Tally {
    /// The form of the lines that `PLEACH_STATS=1` asks for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally {
            name,
            tried,
            kept,
            new_paths,
            nanoseconds,
            share,
        } = self;
        let microseconds = nanoseconds / 1000;
        write!(
            f,
            "operator: {name} tried: {tried} kept: {kept} new_paths: {new_paths} microseconds: {microseconds} share: {share}"
        )
    }
}

/// The memory of outputs, and a tally an operator.
#[derive(Debug)]
pub(super) struct Yields {
    pub(super) places: Places,
    outputs: Vec<Output>,
    arms: Vec<Arm>,
    /// Of each arm, for drawing.
    weights: Vec<f64>,
    total_weight: f64,
    until_period: u32,
    /// The nanoseconds of a median run; 0 if nothing is known.
    median_run: f64,
    /// Whether success makes no difference.
    pub(super) is_level: bool,
}

#[derive(Debug)]
struct Arm {
    tally: Tally,
    base: f64,
    tried: f64,
    kept: f64,
    /// The nanoseconds that a mutation has taken of late; 0 if nothing is known.
    cost: f64,
    /// By how much more often than the mean of all it succeeds, within the bounds.
    merit: f64,
}

/// The hash of an input, never 0: the same on every machine. Sixteen bytes at a time are multiplied, and both halves of the product
/// taken together, as wyhash does it; it withstands chance, not an adversary.
pub fn hash(input: &[u8]) -> u64 {
    // Digits of pi.
    const KEYS: [u64; 6] = [
        0x243f_6a88_85a3_08d3,
        0x1319_8a2e_0370_7344,
        0xa409_3822_299f_31d0,
        0x082e_fa98_ec4e_6c89,
        0x4528_21e6_38d0_1377,
        0xbe54_66cf_34e9_0c6c,
    ];
    let fold = |one: u64, other: u64| {
        let product = u128::from(one) * u128::from(other);
        product as u64 ^ (product >> 64) as u64
    };
    let mix = |state: u64, block: &[u8; 16]| {
        let block = u128::from_le_bytes(*block);
        fold(block as u64 ^ KEYS[1], (block >> 64) as u64 ^ state)
    };
    let mut state = KEYS[0] ^ input.len() as u64;
    // Of a long input four multiplications at a time, none of which waits for another.
    let (runs, input) = input.as_chunks::<64>();
    if !runs.is_empty() {
        let mut lanes = [state, KEYS[3], KEYS[4], KEYS[5]];
        for run in runs {
            for (lane, block) in lanes.iter_mut().zip(run.as_chunks().0) {
                *lane = mix(*lane, block);
            }
        }
        let join = |state: u64, lane: u64| fold(state ^ KEYS[2], lane ^ KEYS[1]);
        state = lanes.into_iter().reduce(join).unwrap_or(state);
    }
    let (blocks, rest) = input.as_chunks::<16>();
    let state = blocks.iter().fold(state, mix);
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    // 0 is the free place.
    fold(mix(state, &last) ^ KEYS[2], KEYS[1]) | 1
}

/// The place of a hash in a table of so many. Its lowest bit says nothing.
pub fn place_of(hash: u64, count: usize) -> usize {
    (hash >> 1) as usize % count
}

impl Yields {
    pub(super) fn new(productions: usize) -> Yields {
        Yields {
            places: Places::new(productions),
            outputs: vec![Output::default(); REMEMBERED],
            arms: Vec::new(),
            weights: Vec::new(),
            total_weight: 0.0,
            until_period: PERIOD,
            median_run: 0.0,
            is_level: false,
        }
    }

    /// Adds an operator, the next number. Its base weight counts relative to those of the others.
    pub(super) fn add(&mut self, name: &'static str, base: f64) {
        self.arms.push(Arm {
            tally: Tally {
                name,
                tried: 0,
                kept: 0,
                new_paths: 0,
                nanoseconds: 0,
                share: 0,
            },
            base,
            tried: 0.0,
            kept: 0.0,
            cost: 0.0,
            merit: 1.0,
        });
        self.places.add_operator();
        self.rebalance();
    }

    /// Takes an operator away; those behind it move up. For use before anything was made.
    pub(super) fn remove(&mut self, operator: usize) {
        self.arms.remove(operator);
        self.rebalance();
    }

    /// Sets an operator's base weight.
    pub(super) fn set_base(&mut self, operator: usize, base: f64) {
        self.arms[operator].base = base;
        self.rebalance();
    }

    pub(super) fn tallies(&self) -> impl Iterator<Item = Tally> + '_ {
        self.arms.iter().map(|arm| arm.tally)
    }

    /// By how much a share outside of those that are drawn should exceed its default: what the shares of the others are
    /// multiplied with.
    pub(super) fn merit(&self, operator: usize) -> f64 {
        self.arms.get(operator).map_or(1.0, |arm| arm.merit)
    }

    /// How many of 1000 inputs an operator is to make beside all others, where the setting says `per_mille`: the odds are those of the
    /// setting, times the ratio of the success rates.
    pub(super) fn share(&self, operator: usize, per_mille: u32) -> u32 {
        let sum = |of: fn(&Arm) -> f64| self.arms.iter().map(of).sum::<f64>();
        let (tried, kept) = (sum(|arm| arm.tried).max(1.0), sum(|arm| arm.kept));
        let own = self
            .arms
            .get(operator)
            .map_or((0.0, 0.0), |arm| (arm.tried, arm.kept));
        // One success is taken for granted, of both sides as they were tried, so that without any the rates are equal.
        let mean = (kept + 1.0) / tried;
        let rate =
            |own: (f64, f64)| (own.1 + own.0 / tried + SIDE_PRIOR * mean) / (own.0 + SIDE_PRIOR);
        let ratio = match self.is_level {
            true => 1.0,
            false => rate(own) / rate((tried - own.0, kept - own.1)),
        };
        let base = f64::from(per_mille.min(1000)) / 1000.0;
        let odds = base * ratio.clamp(LEAST, MOST_ODDS);
        (1000.0 * odds / (odds + 1.0 - base)).round() as u32
    }

    /// Draws an operator by its share.
    pub(super) fn draw(&self, rng: &mut Rng) -> usize {
        let mut drawn = self.total_weight * (f64::from(rng.below(1 << 24)) / f64::from(1 << 24));
        let is_it = |&weight: &f64| {
            drawn -= weight;
            drawn < 0.0
        };
        let found = self.weights.iter().position(is_it);
        // Rounding.
        let last = || self.weights.iter().rposition(|&weight| weight > 0.0);
        found.or_else(last).unwrap_or(0)
    }

    /// Whether an output was given out before, as far back as is remembered.
    pub(super) fn knows(&self, hash: u64) -> bool {
        self.outputs[place_of(hash, REMEMBERED)].hash == hash
    }

    /// Remembers that an operator made an output, unless it is one that is known already.
    pub(super) fn made(&mut self, hash: u64, maker: Maker) {
        let Maker { operator, place } = maker;
        if !self.knows(hash) {
            self.outputs[place_of(hash, REMEMBERED)] = Output {
                hash,
                operator: operator as u8,
                place: place.0,
            };
        }
        let arm = &mut self.arms[operator];
        arm.tally.tried += 1;
        arm.tried += 1.0;
        self.places.made(operator, place);
        self.until_period -= 1;
        if self.until_period == 0 {
            self.until_period = PERIOD;
            self.rebalance();
            for arm in &mut self.arms {
                arm.tried *= FADE;
                arm.kept *= FADE;
            }
            self.places.fade(FADE as f32);
        }
    }

    /// An input has come back as a parent, so whoever made it has succeeded. False if it has before, or is not remembered.
    pub(super) fn came_back(&mut self, hash: u64) -> bool {
        let output = &mut self.outputs[place_of(hash, REMEMBERED)];
        let known = *output;
        // Whoever makes it again has made nothing new.
        *output = Output {
            hash,
            operator: NOBODY,
            place: 0,
        };
        match self.arms.get_mut(usize::from(known.operator)) {
            Some(arm) if known.hash == hash => {
                arm.tally.kept += 1;
                arm.kept += 1.0;
                let (operator, place) = (usize::from(known.operator), ProductionId(known.place));
                self.places.kept(operator, place);
                true
            }
            _ => false,
        }
    }

    /// What an operator made has covered new k-paths.
    pub(super) fn covered(&mut self, operator: usize, new_paths: usize) {
        if let Some(arm) = self.arms.get_mut(operator) {
            arm.tally.new_paths += new_paths as u64;
        }
    }

    /// An operator has taken time for one mutation, which stands for so many.
    pub(super) fn spent(&mut self, operator: usize, nanoseconds: u64, mutations: u32) {
        if let Some(arm) = self.arms.get_mut(operator) {
            arm.tally.nanoseconds += nanoseconds * u64::from(mutations);
            let cost = nanoseconds as f64;
            arm.cost += match arm.cost {
                0.0 => cost,
                known => (cost - known) * RECENT,
            };
        }
    }

    /// A run has taken time.
    pub(super) fn ran(&mut self, nanoseconds: u64) {
        let time = (nanoseconds as f64).max(1.0);
        // Half of the steps go up only where half of the runs take longer.
        self.median_run = match self.median_run {
            0.0 => time,
            median if time > median => median * STEP,
            median => median / STEP,
        };
    }

    fn rebalance(&mut self) {
        let affordable = AFFORDABLE * self.median_run;
        let tried: f64 = self.arms.iter().map(|arm| arm.tried).sum();
        let kept: f64 = self.arms.iter().map(|arm| arm.kept).sum();
        // One success is taken for granted, so that nothing is divided by 0.
        let mean = (kept + 1.0) / (tried + PRIOR);
        self.weights.clear();
        for arm in &mut self.arms {
            let rate = (arm.kept + PRIOR * mean) / (arm.tried + PRIOR);
            let affordable = match arm.cost > affordable && affordable > 0.0 {
                true => (affordable / arm.cost).max(CUT),
                false => 1.0,
            };
            arm.merit = match self.is_level {
                true => 1.0,
                false => (rate / mean).clamp(LEAST, MOST),
            };
            self.weights.push(arm.base * arm.merit * affordable);
        }
        self.total_weight = self.weights.iter().sum();
        for (arm, weight) in self.arms.iter_mut().zip(&self.weights) {
            let share = 1000.0 * weight / self.total_weight.max(f64::MIN_POSITIVE);
            arm.tally.share = share.round() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAST, MOST, MOST_ODDS, Maker, Yields, hash};
    use crate::id::ProductionId;
    use crate::rng::Rng;

    fn maker(operator: usize) -> Maker {
        Maker {
            operator,
            place: ProductionId(0),
        }
    }

    /// Lets operators work for a while; the first one's outputs come back always, the second's never, the third's sometimes.
    fn work(rounds: u64) -> Yields {
        let mut yields = Yields::new(1);
        for name in ["good", "bad", "fair", "off"] {
            yields.add(name, 100.0);
        }
        yields.set_base(3, 0.0);
        let mut rng = Rng::new(3);
        for round in 0..rounds {
            let drawn = yields.draw(&mut rng);
            let output = hash(&round.to_le_bytes());
            assert!(!yields.knows(output));
            yields.made(output, maker(drawn));
            assert!(yields.knows(output));
            if drawn == 0 || drawn == 2 && round % 40 == 0 {
                yields.came_back(output);
                // Only the first time counts.
                yields.came_back(output);
            }
        }
        yields
    }

    #[test]
    fn shares_follow_what_comes_back() {
        let tallies: Vec<_> = work(20_000).tallies().collect();
        let [good, bad, fair, off] = tallies[..] else {
            panic!("{tallies:?}")
        };
        assert_eq!(good.kept, good.tried);
        assert_eq!((bad.kept, off.tried, off.share), (0, 0, 0));
        assert!(fair.kept > 0 && fair.kept < fair.tried / 20);
        assert!(good.share > 5 * bad.share, "{tallies:?}");
        // Nothing starves.
        let bounds = (MOST / LEAST) as u32;
        assert!(bad.share * bounds * 2 >= good.share, "{tallies:?}");
        assert!((998..=1002).contains(&(good.share + bad.share + fair.share)));
    }

    #[test]
    fn what_takes_more_than_a_tenth_of_a_run_gives_way() {
        let shares = |run: u64| {
            let mut yields = Yields::new(1);
            yields.add("cheap", 100.0);
            yields.add("dear", 100.0);
            for round in 0..5000u64 {
                // One run in ten takes very long, which moves no median.
                yields.ran(if round % 10 == 0 { 1_000_000_000 } else { run });
                let operator = (round % 2) as usize;
                yields.spent(operator, [500, 5000][operator], 8);
                yields.made(hash(&round.to_le_bytes()), maker(operator));
            }
            yields
                .tallies()
                .map(|tally| tally.share)
                .collect::<Vec<_>>()
        };
        assert_eq!(shares(100_000), [500, 500]);
        // A tenth of a run is half of what the one takes.
        let [cheap, dear] = shares(25_000)[..] else {
            panic!()
        };
        assert!((300..370).contains(&dear) && cheap + dear == 1000, "{dear}");
        // However short runs are, nothing starves.
        let [cheap, dear] = shares(5_000)[..] else {
            panic!()
        };
        assert!((80..100).contains(&dear) && cheap > 900, "{dear}");
    }

    /// The share of one operator beside another, of a tenth that is set, when one in so many of what they make comes back.
    fn share_after(own: u32, other: u32, per_mille: u32) -> u32 {
        let mut yields = Yields::new(1);
        yields.add("own", 0.0);
        yields.add("other", 0.0);
        for round in 0..20_000u32 {
            let (operator, one_in) = [(0, own), (1, other)][round as usize % 2];
            let output = hash(&round.to_le_bytes());
            yields.made(output, maker(operator));
            if round / 2 % one_in == 0 {
                yields.came_back(output);
            }
        }
        yields.share(0, per_mille)
    }

    #[test]
    fn one_beside_all_others_has_the_odds_that_it_earns() {
        let fair = share_after(50, 50, 100);
        assert!((85..=115).contains(&fair), "{fair}");
        let more = share_after(20, 100, 100);
        assert!((280..=380).contains(&more), "{more}");
        let less = share_after(100, 50, 100);
        assert!((45..=70).contains(&less), "{less}");
        let odds = |odds: f64| (1000.0 * odds / (1.0 + odds)).round() as u32;
        assert_eq!(share_after(1, 10_001, 500), odds(MOST_ODDS));
        assert_eq!(share_after(10_001, 1, 500), odds(LEAST));
        assert_eq!((share_after(1, 9, 0), share_after(9, 1, 1000)), (0, 1000));
        assert_eq!(share_after(30_001, 30_001, 50), 50);
    }

    #[test]
    fn without_evidence_shares_stay_as_they_are() {
        let mut yields = Yields::new(1);
        yields.add("one", 300.0);
        yields.add("other", 100.0);
        for round in 0..5000u64 {
            yields.made(hash(&round.to_le_bytes()), maker((round % 4 == 0).into()));
        }
        let shares: Vec<u32> = yields.tallies().map(|tally| tally.share).collect();
        assert_eq!(shares, [750, 250]);
    }
}
