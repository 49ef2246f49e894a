//! The number of derivations: exact, or infinite.
//!
//! A sum over the ways to a vertex of products of what each is made of, from the entry on; infinite where a part of the forest
//! contains itself, or where nothing can be derived in infinitely many ways. Numbers are kept only as long as
//! somebody needs them. O(families) additions and multiplications.

use std::fmt;
use std::rc::Rc;

use num_bigint::BigUint;

use super::Refusal;
use super::canonical::Ground;
use super::chart::NONE;
use super::empty_count::Ways;
use super::machine::Event;
use super::packed::Packed;
use super::tables::Tables;

/// The bits of a number that are added in the time of a step.
const STEP_BITS: u64 = 4096;

/// A number of derivations, exact or infinite.
///
/// `Display` prints all digits, or `infinite`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Derivations(Option<BigUint>);

impl Derivations {
    /// Whether there are infinitely many: some derivation contains itself on the same text.
    pub fn is_infinite(&self) -> bool {
        self.0.is_none()
    }

    /// The number, if it is finite and fits.
    pub fn to_u64(&self) -> Option<u64> {
        let number = self.0.as_ref()?;
        u64::try_from(number).ok()
    }
}

impl Derivations {
    /// As many ways of two things that have nothing to do with each other; both have at least one.
    pub(super) fn times(&self, other: &Derivations) -> Derivations {
        Derivations(match (&self.0, &other.0) {
            (Some(one), Some(other)) => Some(one * other),
            _ => None,
        })
    }
}

impl From<BigUint> for Derivations {
    fn from(number: BigUint) -> Derivations {
        Derivations(Some(number))
    }
}

impl fmt::Display for Derivations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(number) => write!(f, "{number}"),
            None => f.write_str("infinite"),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

/// Counts the empty derivations of the start symbol.
pub(super) fn count_empty(tables: &Tables) -> Result<Derivations, Refusal> {
    let grammar = tables.graph.grammar();
    match tables.empty.count(grammar, tables.start_root()) {
        Ways::Finite(number) => Ok(Derivations(Some(number.clone()))),
        Ways::Infinite => Ok(Derivations(None)),
        Ways::Unknown => Err(Refusal::OutOfMemory { offset: 0 }),
    }
}

/// The ways of deriving nothing so many times; nearly always there is one way.
fn times_over(ways: &Ways, times: u32) -> Option<Ways> {
    match ways {
        Ways::Finite(number) if number.bits() == 1 => None,
        ways => Some(ways.power(times)),
    }
}

/// Counts what a single derivation comes to by the ways in which its parts derive nothing.
pub(super) fn count_only(
    ground: &mut Ground<'_>,
    steps: impl Iterator<Item = u32>,
) -> Result<Derivations, Refusal> {
    let grammar = ground.tables.graph.grammar();
    let offset = ground.text.len();
    let mut product = BigUint::from(1u32);
    for step in steps {
        for &event in ground.subsets.events(step) {
            if let Event::Empty(node, _, times) = event {
                match times_over(ground.tables.empty.count(grammar, node), times) {
                    None => {}
                    Some(Ways::Infinite) => return Ok(Derivations(None)),
                    Some(Ways::Unknown) => return Err(Refusal::OutOfMemory { offset }),
                    Some(Ways::Finite(number)) => {
                        product *= number;
                        ground.chart.steps += product.bits() / 64 + 1;
                        ground.chart.check(ground.subsets, ground.text.len())?;
                    }
                }
            }
        }
    }
    Ok(Derivations(Some(product)))
}

/// Counts the derivations of a forest.
pub(super) fn count(ground: &mut Ground<'_>, packed: &Packed) -> Result<Derivations, Refusal> {
    let offset = ground.text.len();
    let vertices = packed.vertex_count();
    let families = |at: usize| match at.checked_sub(vertices) {
        Some(node) => packed.families_of_node(node as u32),
        None => packed.families_of_vertex(at as u32),
    };
    let len = vertices + packed.nodes().len();
    let mut marks = vec![Mark::New; len];
    let mut uses = vec![0u32; len];
    let mut order = Vec::with_capacity(len);
    let mut stack = vec![vertices];
    uses[vertices] = 1;
    while let Some(&at) = stack.last() {
        match marks[at] {
            Mark::New => {
                marks[at] = Mark::Open;
                for family in families(at).map(|family| packed.family(family)) {
                    let child = (family.child != NONE).then_some(vertices + family.child as usize);
                    for below in child.into_iter().chain([family.vertex as usize]) {
                        uses[below] += 1;
                        match marks[below] {
                            Mark::New => stack.push(below),
                            Mark::Open => return Ok(Derivations(None)),
                            Mark::Done => {}
                        }
                    }
                }
            }
            Mark::Open => {
                stack.pop();
                marks[at] = Mark::Done;
                order.push(at as u32);
            }
            Mark::Done => {
                stack.pop();
            }
        }
    }

    let one = Rc::new(BigUint::from(1u32));
    let mut numbers: Vec<Option<Rc<BigUint>>> = vec![None; len];
    // The bytes of the numbers that are kept; a number that several share is counted once.
    let size = |number: &BigUint| number.bits() as usize / 8 + 64;
    let mut held = 0usize;
    for &at in &order {
        let at = at as usize;
        let own = families(at);
        let mut number: Option<Rc<BigUint>> = None;
        if own.is_empty() {
            // The entry of a machine.
            number = Some(one.clone());
        }
        for family in own.map(|family| packed.family(family)) {
            let Some(before) = numbers[family.vertex as usize].clone() else {
                continue;
            };
            let mut product = before;
            if family.child != NONE
                && let Some(child) = &numbers[vertices + family.child as usize]
                && **child != *one
            {
                product = Rc::new(&*product * &**child);
            }
            for &event in ground.subsets.events(family.step) {
                if let Event::Empty(node, _, times) = event {
                    let grammar = ground.tables.graph.grammar();
                    match times_over(ground.tables.empty.count(grammar, node), times) {
                        None => {}
                        Some(Ways::Infinite) => return Ok(Derivations(None)),
                        Some(Ways::Unknown) => return Err(Refusal::OutOfMemory { offset }),
                        Some(Ways::Finite(number)) => product = Rc::new(&*product * number),
                    }
                }
            }
            number = Some(match number {
                None => product,
                Some(sum) => Rc::new(&*sum + &*product),
            });
        }
        ground.chart.steps += 1 + families(at).len() as u64;
        if let Some(number) = &number {
            ground.chart.steps += number.bits() / STEP_BITS;
            if Rc::strong_count(number) == 1 {
                held += size(number);
            }
        }
        for family in families(at).map(|family| packed.family(family)) {
            let child = (family.child != NONE).then_some(vertices + family.child as usize);
            for below in child.into_iter().chain([family.vertex as usize]) {
                uses[below] -= 1;
                if uses[below] == 0
                    && let Some(last) = numbers[below].take()
                    && Rc::strong_count(&last) == 1
                {
                    held -= size(&last);
                }
            }
        }
        numbers[at] = number;
        if at & 0xff == 0 || held > 1 << 16 {
            ground.chart.check(ground.subsets, offset)?;
            ground
                .chart
                .check_bytes(ground.subsets, packed.bytes() + held, offset)?;
        }
    }
    let number = numbers[vertices].take();
    Ok(Derivations(number.map(|number| (*number).clone())))
}
