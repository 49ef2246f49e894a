//! Derivations beside the canonical one: all of them by number, or some of them drawn.
//!
//! Of each part of the forest it is known how many ways there are to derive it (the *inside* count), so a derivation can be told
//! from its number, and one that is drawn part by part, each way with the share of its count, is any derivation with the same
//! probability (Mairson, *Generating Words in a Context-Free Language Uniformly at Random*, 1994). Counts are whole numbers, exact
//! below 2^64 and kept to 64 bits beyond, so they never overflow, and are the same on every machine. O(families) for the counts; for
//! each derivation, its length and the families of all its parts.
//!
//! What derives nothing does so in its canonical way, and so do the texts of tokens.

use super::Refusal;
use super::canonical::{Canonical, Ground};
use super::chart::{NONE, push};
use super::machine::Reads;
use super::packed::{Family, Packed};
use crate::rng::Rng;

/// A count: the mantissa times 2 to the exponent; exact where that is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Count {
    mantissa: u64,
    exponent: u64,
}

impl Count {
    const NONE: Count = Count {
        mantissa: 0,
        exponent: 0,
    };
    const ONE: Count = Count {
        mantissa: 1,
        exponent: 0,
    };

    fn of(number: u128, exponent: u64) -> Count {
        let over = 64u32.saturating_sub(number.leading_zeros());
        Count {
            mantissa: (number >> over) as u64,
            exponent: exponent.saturating_add(over.into()),
        }
    }

    fn times(self, other: Count) -> Count {
        let product = u128::from(self.mantissa) * u128::from(other.mantissa);
        Count::of(product, self.exponent.saturating_add(other.exponent))
    }

    fn plus(self, other: Count) -> Count {
        let exponent = self.exponent.max(other.exponent);
        Count::of(self.at(exponent) + other.at(exponent), exponent)
    }

    /// The mantissa at a greater exponent.
    fn at(self, exponent: u64) -> u128 {
        match exponent - self.exponent {
            less @ 0..64 => u128::from(self.mantissa) >> less,
            _ => 0,
        }
    }

    fn exact(self) -> Option<u64> {
        (self.exponent == 0).then_some(self.mantissa)
    }
}

/// A way to go on, and the number of the derivation among those of the way.
enum Choice<'a> {
    /// By the number of a derivation.
    Number(u64),
    /// By random numbers.
    Drawn(&'a mut Rng),
}

/// How many ways there are to derive each part of a forest.
pub(super) struct Numbered<'a> {
    packed: &'a Packed,
    vertices: usize,
    counts: Vec<Count>,
}

impl<'a> Numbered<'a> {
    /// Counts; nothing if a part contains itself, so that there are infinitely many derivations.
    pub(super) fn new(
        ground: &mut Ground<'_>,
        packed: &'a Packed,
    ) -> Result<Option<Numbered<'a>>, Refusal> {
        let vertices = packed.vertex_count();
        let parts = vertices + packed.nodes().len();
        let offset = ground.text.len();
        // The stack has at most two entries a family.
        let bytes = 2 * packed.bytes() + parts * (size_of::<Count>() + 1);
        ground.chart.check_bytes(ground.subsets, bytes, offset)?;
        let mut numbered = Numbered {
            packed,
            vertices,
            counts: vec![Count::NONE; parts],
        };
        let mut is_open = vec![false; parts];
        let mut stack = vec![vertices as u32];
        while let Some(&part) = stack.last() {
            let part = part as usize;
            if numbered.counts[part] != Count::NONE {
                stack.pop();
                continue;
            }
            let families = numbered.families(part).len();
            ground.chart.steps += 1 + families as u64;
            if !is_open[part] {
                is_open[part] = true;
                ground.chart.check(ground.subsets, offset)?;
                for family in numbered.families(part) {
                    for below in numbered.below(family) {
                        if numbered.counts[below] == Count::NONE {
                            if is_open[below] {
                                return Ok(None);
                            }
                            push(&mut stack, below as u32);
                        }
                    }
                }
                continue;
            }
            stack.pop();
            is_open[part] = false;
            numbered.counts[part] = match families {
                // The entry of a machine.
                0 => Count::ONE,
                _ => numbered
                    .families(part)
                    .map(|family| numbered.count(family))
                    .fold(Count::NONE, Count::plus),
            };
        }
        Ok(Some(numbered))
    }

    /// How many derivations there are, if that is less than 2^64.
    pub(super) fn total(&self) -> Option<u64> {
        self.counts[self.vertices].exact()
    }

    fn families(&self, part: usize) -> impl ExactSizeIterator<Item = Family> + '_ {
        let families = match part.checked_sub(self.vertices) {
            Some(node) => self.packed.families_of_node(node as u32),
            None => self.packed.families_of_vertex(part as u32),
        };
        families.map(|at| self.packed.family(at))
    }

    /// The parts that a family is made of.
    fn below(&self, family: Family) -> impl Iterator<Item = usize> + use<> {
        let child = (family.child != NONE).then_some(self.vertices + family.child as usize);
        child.into_iter().chain([family.vertex as usize])
    }

    fn count(&self, family: Family) -> Count {
        self.below(family)
            .map(|part| self.counts[part])
            .fold(Count::ONE, Count::times)
    }

    /// One of the ways to derive a part; a number becomes that among the derivations of the way.
    fn choose(&self, part: usize, choice: &mut Choice<'_>) -> Option<Family> {
        let only = self.families(part).next();
        match choice {
            Choice::Number(number) => {
                for family in self.families(part) {
                    let count = self.count(family).exact().unwrap_or(u64::MAX);
                    if *number < count {
                        return Some(family);
                    }
                    *number -= count;
                }
                only
            }
            Choice::Drawn(_) if self.families(part).len() < 2 => only,
            Choice::Drawn(rng) => {
                let counts = || self.families(part).map(|family| self.count(family));
                let sum = |exponent| counts().map(|it| it.at(exponent)).sum::<u128>();
                let mut exponent = counts().map(|it| it.exponent).max().unwrap_or(0);
                if sum(exponent) >> 64 > 0 {
                    exponent = exponent.saturating_add(32);
                }
                let mut drawn = (u128::from(rng.bits()) * sum(exponent)) >> 64;
                for (family, count) in self.families(part).zip(counts()) {
                    let count = count.at(exponent);
                    if drawn < count {
                        return Some(family);
                    }
                    drawn -= count;
                }
                only
            }
        }
    }

    /// The derivation of a number.
    pub(super) fn derivation(
        &self,
        ground: &mut Ground<'_>,
        number: u64,
        into: &mut Canonical,
    ) -> Result<(), Refusal> {
        self.derive(ground, &mut Choice::Number(number), into)
    }

    /// A derivation that is drawn, each with the same probability.
    pub(super) fn drawn(
        &self,
        ground: &mut Ground<'_>,
        rng: &mut Rng,
        into: &mut Canonical,
    ) -> Result<(), Refusal> {
        self.derive(ground, &mut Choice::Drawn(rng), into)
    }

    fn derive(
        &self,
        ground: &mut Ground<'_>,
        choice: &mut Choice<'_>,
        into: &mut Canonical,
    ) -> Result<(), Refusal> {
        let end = ground.text.len();
        into.clear();
        // Where to go on behind a call: its step, the vertex before it, and the number among the ways to there.
        let mut stack: Vec<(u32, u32, u64)> = Vec::new();
        let mut part = self.vertices;
        let mut looked_at = 0;
        loop {
            looked_at += 1 + self.families(part).len() as u64;
            if looked_at >= 0x1000 {
                ground.chart.steps += std::mem::take(&mut looked_at);
                ground.chart.check(ground.subsets, end)?;
            }
            let Some(family) = self.choose(part, choice) else {
                // The entry of a machine: the call is behind us.
                let Some((step, vertex, number)) = stack.pop() else {
                    ground.chart.steps += looked_at;
                    return ground.chart.check(ground.subsets, end);
                };
                push(into.steps_mut(), step);
                part = vertex as usize;
                if let Choice::Number(left) = choice {
                    *left = number;
                }
                continue;
            };
            if family.child != NONE {
                let child = self.vertices + family.child as usize;
                let mut before = 0;
                if let (Choice::Number(number), Some(count)) =
                    (&mut *choice, self.counts[child].exact())
                {
                    before = *number / count.max(1);
                    *number %= count.max(1);
                }
                stack.push((family.step, family.vertex, before));
                part = child;
                continue;
            }
            push(into.steps_mut(), family.step);
            if part < self.vertices
                && matches!(ground.subsets.step(family.step).reads, Reads::Class(_))
            {
                let before = self.packed.offset(family.vertex);
                into.read_class(ground.text, before, self.packed.offset(part as u32));
            }
            part = family.vertex as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn counts_are_exact_below_2_to_the_64_and_never_overflow() {
        let three = Count::ONE.plus(Count::ONE).plus(Count::ONE);
        let mut power = Count::ONE;
        for exponent in 0..41 {
            assert_eq!(power.exact(), 3u64.checked_pow(exponent));
            power = power.times(three);
        }
        for _ in 0..200 {
            power = power.times(power);
            let twice = power.plus(power);
            assert_eq!(twice.exact(), None);
            assert!(twice.exponent >= power.exponent && twice.mantissa >= 1 << 63);
        }
        assert_eq!(
            Count::of(1 << 70, 0).plus(Count::ONE),
            Count::of(1 << 70, 0)
        );
    }
}
