//! Faults within tokens: what is wrong in one place, and of which each kind comes soon in each part of a grammar.
//!
//! A lexer has an error path for nearly each of its rules: a number prefix without digits, an escape cut short, a character outside
//! its class. Which nodes those belong to, the grammar says. Drawn by sites, faults of rare nodes would hardly ever come; so of the pairs
//! of a node and a kind that an input offers, the one is taken that was tried least. What can be relied on: of the faults of inputs
//! that offer m pairs, at [`LOOKED_AT`] nodes or fewer, m on top of each other have each pair once; and of the slips a
//! quarter are such faults. Left to chance are the site of a node, and what stands outside of a class.

use super::work::Workspace;
use crate::grammar::{Member, NodeKind};
use crate::id::{Id as _, NodeId};
use crate::slip::Change;

/// How many nodes of an input are looked at.
const LOOKED_AT: usize = 32;
/// The longest text that is put in the place of a site's.
const LONGEST: usize = 512;
/// How many characters are drawn for one outside a class.
const TRIES: usize = 8;

/// What can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Fault {
    /// Fewer items than a quantifier's minimum.
    Fewer,
    /// More items than its maximum.
    More,
    /// A character outside a class.
    Outside,
    /// The end is missing of what has several parts, or of a literal.
    CutShort,
    /// A terminal is missing.
    Missing,
    /// A token stands directly behind the one before, although a separator is due.
    Glued,
}

impl Fault {
    const ALL: [Fault; 6] = [
        Fault::Fewer,
        Fault::More,
        Fault::Outside,
        Fault::CutShort,
        Fault::Missing,
        Fault::Glued,
    ];
}

/// How often each kind was tried at each node.
#[derive(Debug, Default)]
pub(super) struct Faults {
    tried: Vec<u32>,
}

impl Faults {
    pub(super) fn new(nodes: usize) -> Faults {
        Faults {
            tried: vec![0; nodes * Fault::ALL.len()],
        }
    }

    fn place(node: NodeId, fault: Fault) -> usize {
        node.index() * Fault::ALL.len() + fault as usize
    }
}

impl Workspace {
    /// Puts the fault somewhere that was tried least of those that the input offers. False if it turns out not to apply.
    pub(super) fn fault(&mut self) -> bool {
        self.census();
        let census = self.parent.counted();
        let count = census.nodes().count();
        let start = self.rng.index(count);
        let nodes = census.nodes().skip(start).chain(census.nodes().take(start));
        let pairs = nodes
            .take(LOOKED_AT)
            .flat_map(|(node, sites)| Fault::ALL.map(|fault| (node, fault, sites)))
            .filter(|&(node, fault, _)| self.may_have(node, fault));
        let least = pairs.min_by_key(|&(node, fault, _)| {
            let tried = self.faults.tried.get(Faults::place(node, fault));
            tried.copied().unwrap_or(u32::MAX)
        });
        let Some((node, fault, sites)) = least else {
            return false;
        };
        let site = sites[self.rng.index(sites.len())];
        if let Some(tried) = self.faults.tried.get_mut(Faults::place(node, fault)) {
            *tried = tried.saturating_add(1);
        }
        self.edits.has(site) && self.put_fault(site, fault)
    }

    /// Whether sites of a node offer a fault.
    fn may_have(&self, node: NodeId, fault: Fault) -> bool {
        let grammar = self.graph().grammar();
        let Some(own) = grammar.nodes().get(node).map(|own| own.kind) else {
            return false;
        };
        let kind = match own {
            NodeKind::Reference(target) => grammar[grammar[target].root].kind,
            own => own,
        };
        match (fault, kind) {
            (Fault::Fewer, NodeKind::Quantifier { min, .. }) => min > 0,
            (Fault::More, NodeKind::Quantifier { max, .. }) => max.is_some(),
            (Fault::Outside | Fault::Missing, NodeKind::Class(_)) => true,
            (Fault::Missing, NodeKind::Literal(literal)) => !grammar[literal].is_empty(),
            (Fault::CutShort, NodeKind::Literal(literal)) => grammar[literal].len() > 1,
            (Fault::CutShort, NodeKind::Concatenation | NodeKind::Alternation) => true,
            (Fault::Glued, _) => self
                .graph()
                .lexicon()
                .is_some_and(|lexicon| lexicon.token_of(node).is_some()),
            _ => false,
        }
    }

    fn put_fault(&mut self, site: u32, fault: Fault) -> bool {
        let mut text = std::mem::take(&mut self.buffers.text);
        let done = match fault {
            Fault::Missing => self.slips.push(site, Change::Drop),
            Fault::Glued => self.slips.push(site, Change::Glue),
            _ => {
                self.faulty_text(site, fault, &mut text).is_some()
                    && text.len() <= LONGEST
                    && self.slips.push(site, Change::Raw(&text))
            }
        };
        self.buffers.text = text;
        done
    }

    /// The text of a site with a fault in it; nothing if there is no place for it.
    fn faulty_text(&mut self, site: u32, fault: Fault, text: &mut Vec<u8>) -> Option<()> {
        let bounds = self.bounds(site);
        let index = &self.parent.index;
        let all = index.text_range(site);
        let slice = |from: u32, to: u32| index.text().get(from as usize..to as usize);
        text.clear();
        match fault {
            Fault::Fewer => {
                let (min, _) = bounds?;
                let first_gone = index.children(site).nth(min.checked_sub(1)? as usize);
                let end = index.text_range(first_gone?).start;
                text.extend_from_slice(slice(all.start, end)?);
            }
            Fault::More => {
                let (_, max) = bounds?;
                let count = index.children(site).count();
                let last = index.text_range(index.children(site).last()?);
                text.extend_from_slice(slice(all.start, all.end)?);
                for _ in count..(max as usize + 1).min(count + LONGEST) {
                    text.extend_from_slice(slice(last.start, last.end)?);
                }
            }
            Fault::CutShort => {
                let parts = index.children(site).map(|part| index.text_range(part));
                let last = parts.filter(|part| !part.is_empty()).last();
                let end = last.map(|part| part.start).filter(|&end| end > all.start);
                // Of a literal, or of a single part, any beginning.
                let end = match end {
                    Some(end) => end,
                    None => all.start + 1 + self.rng.below(all.len().checked_sub(2)? as u32 + 1),
                };
                text.extend_from_slice(slice(all.start, end)?);
            }
            Fault::Outside => {
                let NodeKind::Class(class) =
                    self.codec.graph().grammar()[self.choice_node(site)?].kind
                else {
                    return None;
                };
                let class = self.codec.class(class);
                let (rng, scalars) = (&mut self.rng, &self.scalars);
                let outside = (0..TRIES).find_map(|_| {
                    let drawn = match rng.per_mille(500) {
                        true => char::from(rng.below(0x80) as u8),
                        false => scalars.draw(rng),
                    };
                    class.choice(Member::Char(drawn)).is_none().then_some(drawn)
                })?;
                text.extend_from_slice(outside.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Fault::Missing | Fault::Glued => return None,
        }
        Some(())
    }
}
