//! Where operators pay: what each has made at the sites of each nonterminal, and how much of that the engine has kept.
//!
//! Most sites of an input are deep in its leaves, digits and letters, and most of what can be changed there brings nothing. So
//! a site is not drawn uniformly: of a few candidates one is taken, in proportion to the success rates of the operator at their
//! nonterminals. Evidence for a pair of operator and nonterminal is thin, so a pair begins with what its nonterminal has come
//! to under all operators, and that with the mean of all. Two numbers a pair.

use crate::id::{Id as _, ProductionId};
use crate::rng::Rng;

/// How many sites one is chosen from. A site whose rate is far above the others' is drawn at most this many times as often as an
/// even draw would, and no site is without a chance.
pub(super) const CANDIDATES: usize = 3;
/// A pair with no history counts as one with this many tries at its nonterminal's rate, and a nonterminal in the same way.
const PRIOR: f32 = 32.0;

/// What has been tried and what was kept.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    tried: f32,
    kept: f32,
}

impl Record {
    /// The success rate, where `expected` is what to think without evidence.
    fn rate(self, expected: f32) -> f32 {
        (self.kept + PRIOR * expected) / (self.tried + PRIOR)
    }
}

/// The records of pairs.
#[derive(Debug)]
pub(super) struct Places {
    productions: usize,
    /// Of each nonterminal, under all operators.
    nonterminals: Vec<Record>,
    /// Operator by operator, one for each nonterminal.
    pairs: Vec<Record>,
    all: Record,
    /// Whether success makes no difference.
    pub(super) is_level: bool,
}

impl Places {
    pub(super) fn new(productions: usize) -> Places {
        Places {
            productions,
            nonterminals: vec![Record::default(); productions],
            pairs: Vec::new(),
            all: Record::default(),
            is_level: false,
        }
    }

    /// Makes room for one more operator.
    pub(super) fn add_operator(&mut self) {
        let len = self.pairs.len() + self.productions;
        self.pairs.resize(len, Record::default());
    }

    /// An operator has made an input at a nonterminal.
    pub(super) fn made(&mut self, operator: usize, place: ProductionId) {
        self.count(operator, place, |record| record.tried += 1.0);
    }

    /// The engine has kept it.
    pub(super) fn kept(&mut self, operator: usize, place: ProductionId) {
        self.count(operator, place, |record| record.kept += 1.0);
    }

    fn count(&mut self, operator: usize, place: ProductionId, add: impl Fn(&mut Record)) {
        add(&mut self.all);
        if let Some(record) = self.nonterminals.get_mut(place.index()) {
            add(record);
        }
        if let Some(record) = self
            .pairs
            .get_mut(operator * self.productions + place.index())
        {
            add(record);
        }
    }

    /// Lets old evidence fade to a share.
    pub(super) fn fade(&mut self, left: f32) {
        let records = self.nonterminals.iter_mut().chain(&mut self.pairs);
        for record in records.chain([&mut self.all]) {
            record.tried *= left;
            record.kept *= left;
        }
    }

    /// The success rate of an operator at a nonterminal.
    fn rate(&self, operator: usize, place: ProductionId) -> f32 {
        let nonterminal = self.nonterminals.get(place.index());
        let pair = self.pairs.get(operator * self.productions + place.index());
        // One success is taken for granted, so that nothing is divided by 0.
        let mean = (self.all.kept + 1.0) / (self.all.tried + PRIOR);
        let expected = nonterminal.map_or(mean, |record| record.rate(mean));
        pair.map_or(expected, |record| record.rate(expected))
    }

    /// Draws one of the candidates, by the rates at their nonterminals.
    pub(super) fn draw(
        &self,
        operator: usize,
        candidates: &[ProductionId; CANDIDATES],
        rng: &mut Rng,
    ) -> usize {
        if self.is_level {
            return 0;
        }
        let rates = candidates.map(|place| self.rate(operator, place));
        let total: f32 = rates.iter().sum();
        let mut drawn = total * (rng.below(1 << 24) as f32 / (1 << 24) as f32);
        let is_it = |&rate: &f32| {
            drawn -= rate;
            drawn < 0.0
        };
        rates.iter().position(is_it).unwrap_or(CANDIDATES - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Places;
    use crate::id::ProductionId;
    use crate::rng::Rng;

    const PAYS: ProductionId = ProductionId(0);
    const DOES_NOT: ProductionId = ProductionId(1);
    const UNKNOWN: ProductionId = ProductionId(2);

    /// How often, of 3000 times, a site of the first nonterminal is drawn beside two of the second.
    fn drawn(places: &Places, operator: usize, first: ProductionId, second: ProductionId) -> usize {
        let candidates = [first, second, second];
        let mut rng = Rng::new(5);
        let drawn = (0..3000).map(|_| places.draw(operator, &candidates, &mut rng));
        drawn.filter(|&at| at == 0).count()
    }

    #[test]
    fn sites_are_drawn_where_it_paid() {
        let mut places = Places::new(3);
        places.add_operator();
        places.add_operator();
        assert!((900..1100).contains(&drawn(&places, 0, PAYS, DOES_NOT)));
        for round in 0..4000 {
            for place in [PAYS, DOES_NOT] {
                places.made(0, place);
            }
            if round % 10 == 0 {
                places.kept(0, PAYS);
            }
        }
        assert!(drawn(&places, 0, PAYS, DOES_NOT) > 2800);
        // The other operator has no history: the nonterminal's speaks for it.
        assert!(drawn(&places, 1, PAYS, DOES_NOT) > 2800);
        // What was never tried has its chance.
        let chance = drawn(&places, 0, UNKNOWN, PAYS);
        assert!((300..1000).contains(&chance), "{chance}");
        // What paid with one operator need not pay with another.
        for _ in 0..4000 {
            places.made(1, PAYS);
        }
        assert!(drawn(&places, 1, PAYS, UNKNOWN) < 300);
        assert!(drawn(&places, 0, PAYS, DOES_NOT) > 2800);
        for _ in 0..400 {
            places.fade(0.98);
        }
        let faded = drawn(&places, 0, PAYS, DOES_NOT);
        assert!((900..1300).contains(&faded), "{faded}");
    }
}
