//! Changes of a derivation that bring a quantity nearer to its bound.
//!
//! Too little: a nonterminal is planted along a route to it, nested by putting an outer use in the place of an inner one, or a leaf is drawn
//! anew with long repetitions. Too much: a use, or what it is in, is drawn anew as short as can be, or an inner use takes the place of an
//! outer one. Whether the whole is nearer then is for the search to say.

use pleach_core::choice::{Chooser, ROOT, Scratch, SiteIndex};
use pleach_core::generate::{Growth, Limits, PathChooser, RandomChooser, Routes};
use pleach_core::grammar::NodeKind;
use pleach_core::id::{NodeId, ProductionId, SymbolId};
use pleach_core::rng::Rng;
use pleach_core::weights::Weights;
use pleach_core::{Codec, Graph};

use crate::features::{FeatureVector, Quantity};

use super::constraint::Constraint;

/// The bounds of what is drawn anew.
const LIMITS: Limits = Limits {
    max_depth: 1 << 12,
    max_len: 1 << 16,
    max_nodes: 1 << 14,
};
/// How readily repetitions go on where something long is wanted, at the most: with a chance of all but one in 2^n.
const MAX_GROWTH: u32 = 9;

/// Changes derivations.
#[derive(Debug)]
pub(super) struct Repairer<'a> {
    pub(super) codec: &'a Codec,
    pub(super) weights: &'a Weights,
    pub(super) routes: &'a mut Routes,
    pub(super) scratch: &'a mut Scratch,
    pub(super) rng: &'a mut Rng,
}

/// What is wrong with a quantity.
#[derive(Clone, Copy)]
enum Wrong {
    TooLittle(Quantity),
    TooMuch(Quantity),
}

impl Repairer<'_> {
    /// Changes a derivation for one of the bounds that its text does not keep; false if it keeps all, or nothing can be changed.
    pub(super) fn repair(
        &mut self,
        index: &mut SiteIndex,
        vector: &FeatureVector,
        constraint: &Constraint,
    ) -> bool {
        let value = |quantity: Quantity| vector.quantity(quantity);
        let more = constraint.more.iter().filter_map(|&(quantity, number)| {
            let is_met = value(quantity).is_some_and(|value| value > number);
            (!is_met).then_some(Wrong::TooLittle(quantity))
        });
        let at_most = constraint.at_most.iter().filter_map(|&(quantity, number)| {
            let is_met = value(quantity).is_none_or(|value| value <= number);
            (!is_met).then_some(Wrong::TooMuch(quantity))
        });
        let wrong: Vec<Wrong> = more.chain(at_most).collect();
        match wrong.get(self.rng.index(wrong.len())) {
            None => false,
            Some(&Wrong::TooMuch(quantity)) => self.reduce(index, quantity.production()),
            Some(&Wrong::TooLittle(quantity)) => {
                let production = quantity.production();
                let sites = self.uses(index, production);
                match quantity {
                    Quantity::Length(_) | Quantity::Value(_) if !sites.is_empty() => {
                        let site = sites[self.rng.index(sites.len())];
                        self.redraw(index, site, true)
                    }
                    Quantity::Nesting(_) | Quantity::Uses(_) if self.rng.per_mille(600) => {
                        self.pump(index, &sites, true) || self.plant(index, production)
                    }
                    _ => self.plant(index, production),
                }
            }
        }
    }

    fn graph(&self) -> &Graph {
        self.codec.graph()
    }

    /// The production that a site derives, if it is a reference or the whole.
    fn production(&self, node: NodeId) -> Option<ProductionId> {
        let grammar = self.graph().grammar();
        match node {
            ROOT => Some(grammar.start()),
            node => match grammar[node].kind {
                NodeKind::Reference(production) => Some(production),
                _ => None,
            },
        }
    }

    /// The sites that derive a production.
    fn uses(&self, index: &SiteIndex, production: ProductionId) -> Vec<u32> {
        let sites = (0u32..).zip(index.sites());
        let sites = sites.filter(|(_, site)| self.production(site.node) == Some(production));
        sites.map(|(at, _)| at).collect()
    }

    /// Puts an outer use in the place of one inside it, or with `deeper` false the inner one in the place of the outer.
    fn pump(&mut self, index: &mut SiteIndex, sites: &[u32], deeper: bool) -> bool {
        let ends = index.sites();
        let is_outer = |&(outer, inner): &(u32, u32)| inner < ends[outer as usize].end;
        // Uses are in pre-order, so what is inside one follows it at once.
        let pairs = sites.iter().zip(sites.iter().skip(1));
        let mut pairs: Vec<(u32, u32)> = pairs
            .map(|(&outer, &inner)| (outer, inner))
            .filter(is_outer)
            .collect();
        if let Some((&first, &last)) = sites.first().zip(sites.last()) {
            // The farthest pair grows fastest.
            pairs.extend(Some((first, last)).filter(|pair| first < last && is_outer(pair)));
        }
        if pairs.is_empty() {
            return false;
        }
        let (outer, inner) = pairs[self.rng.index(pairs.len())];
        let (from, to) = match deeper {
            true => (outer, inner),
            false => (inner, outer),
        };
        let choices = index.choices_of(from).to_vec();
        let codec = self.codec;
        self.replace(index, to, &mut codec.tape(&choices))
    }

    /// Derives a random use anew so that it leads to a production.
    fn plant(&mut self, index: &mut SiteIndex, production: ProductionId) -> bool {
        let codec = self.codec;
        let graph: &Graph = codec.graph();
        let mut ways: Vec<(u32, SymbolId)> = Vec::new();
        let derived: Vec<Option<ProductionId>> = index
            .sites()
            .iter()
            .map(|site| self.production(site.node))
            .collect();
        let distances = self.routes.to(graph, production);
        for (at, above) in (0u32..).zip(derived) {
            let Some(above) = above else {
                continue;
            };
            for symbol in graph.symbols_of(above).map(SymbolId) {
                let target = graph.target_of(symbol);
                let leads = target.is_some_and(|target| {
                    distances.of_production(target) != pleach_core::graph::UNREACHABLE
                });
                if leads {
                    ways.push((at, symbol));
                }
            }
        }
        let Some(&(site, symbol)) = ways.get(self.rng.index(ways.len())) else {
            return false;
        };
        let mut path = vec![symbol];
        if let Some(target) = graph.target_of(symbol) {
            self.routes.append(graph, target, production, &mut path);
        }
        let growth = Growth(1 + self.rng.below(MAX_GROWTH));
        let mut rng = Rng::new(self.rng.bits());
        let mut random = RandomChooser::new(graph, self.weights, LIMITS, growth, &mut rng);
        let site_at = index.sites()[site as usize];
        random.begin(site_at.node, site_at.depth);
        let mut chooser = PathChooser::new(graph, &path, true, random);
        self.replace(index, site, &mut chooser)
    }

    /// Makes less of a production: a use, or what it is in, is closed off, or an inner use takes the place of an outer one.
    fn reduce(&mut self, index: &mut SiteIndex, production: ProductionId) -> bool {
        let sites = self.uses(index, production);
        if sites.is_empty() {
            return false;
        }
        if self.rng.per_mille(400) && self.pump(index, &sites, false) {
            return true;
        }
        let mut site = sites[self.rng.index(sites.len())];
        while self.rng.per_mille(400) {
            let above = index.sites()[site as usize].parent;
            match index.sites().get(above as usize) {
                Some(_) => site = above,
                None => break,
            }
        }
        // What is between references is derived with the reference above it.
        while let Some(at) = index.sites().get(site as usize)
            && self.production(at.node).is_none()
        {
            site = at.parent;
        }
        if self.rng.per_mille(500) {
            return self.redraw(index, site, false);
        }
        let codec = self.codec;
        self.replace(index, site, &mut codec.tape(&[]))
    }

    /// Derives a use anew, at random.
    fn redraw(&mut self, index: &mut SiteIndex, site: u32, is_long: bool) -> bool {
        let codec = self.codec;
        let growth = match is_long {
            true => Growth(2 + self.rng.below(MAX_GROWTH - 1)),
            false => Growth(1),
        };
        let Some(&at) = index.sites().get(site as usize) else {
            return false;
        };
        let mut rng = Rng::new(self.rng.bits());
        let mut random = RandomChooser::new(codec.graph(), self.weights, LIMITS, growth, &mut rng);
        random.begin(at.node, at.depth);
        self.replace(index, site, &mut random)
    }

    /// Derives a site anew; false if the whole became too large, and then nothing has changed.
    fn replace<C: Chooser>(&mut self, index: &mut SiteIndex, site: u32, chooser: &mut C) -> bool {
        let Some(&at) = index.sites().get(site as usize) else {
            return false;
        };
        let mut new = SiteIndex::new();
        let (codec, sites) = (self.codec, index.sites());
        codec.derive_under(at.node, chooser, sites, at.parent, self.scratch, &mut new);
        if index.sites().len() + new.sites().len() > LIMITS.max_nodes as usize {
            return false;
        }
        let span = index.span(site).choices;
        let (before, behind) = (..span.start as usize, span.end as usize..);
        let choices = [
            &index.choices()[before],
            new.choices(),
            &index.choices()[behind],
        ]
        .concat();
        codec.index(&choices, self.scratch, index);
        true
    }
}
