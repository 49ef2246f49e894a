//! Seeks a k-path that is not covered, or any if there is none: finds the site that is closest to it and grafts the rest of the path in there.
//!
//! The closest site is the one whose window ends with the longest beginning of the path; where no symbol of the path occurs,
//! it is the site with the shortest way to where the path begins. From there the derivation is followed as far as it
//! agrees with the path. Where it departs, a repetition gets one more item with the rest of the path in it, which disturbs
//! nothing; only an alternation has to give up what it derives.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{Part, Size, Workspace};
use crate::choice::is_site;
use crate::grammar::NodeKind;
use crate::graph::UNREACHABLE;
use crate::id::{NodeId, SymbolId};

/// The choice bytes that must be left for what lies beside a path to be random rather than as short as it can.
const ROOMY: usize = 96;

/// How many sites of the symbol before the rest of a path are looked at.
const LOOKED_AT: usize = 256;

/// Seeks a k-path that is not covered, or any if there is none.
#[derive(Clone, Copy, Debug)]
pub struct Seek;

impl Operator for Seek {
    fn name(&self) -> &'static str {
        "seek"
    }

    fn kind(&self) -> Option<Kind> {
        None
    }

    fn is_ready(&self, work: &Workspace) -> bool {
        work.coverage().kpaths().window_count() > 0
    }

    fn weight(&self) -> u32 {
        0
    }

    fn apply(&self, work: &mut Workspace, _: u32) -> bool {
        let mut target = std::mem::take(&mut work.buffers.target);
        let mut path = std::mem::take(&mut work.buffers.path);
        path.clear();
        let found = match work.steering.target(&mut work.rng, &mut target) {
            None => None,
            Some(true) => {
                path.extend_from_slice(&target);
                Some(follow_root(work, &mut path))
            }
            Some(false) => closest(work, &target, &mut path),
        };
        let grafted = found.is_some_and(|site| graft(work, site, &path));
        (work.buffers.target, work.buffers.path) = (target, path);
        grafted
    }
}

/// Puts a path into the derivation, where the least of it is missing. False, and nothing changed, if it is there or the budget forbids it.
pub(super) fn add(work: &mut Workspace, target: &[SymbolId]) -> bool {
    let mut path = std::mem::take(&mut work.buffers.path);
    path.clear();
    let found = closest(work, target, &mut path);
    let grafted = found.is_some_and(|site| graft(work, site, &path));
    work.buffers.path = path;
    grafted
}

/// The site where a path from the root departs from the derivation; what is left of the path stays in `path`.
fn follow_root(work: &Workspace, path: &mut Vec<SymbolId>) -> u32 {
    let mut site = 0;
    while let Some(&symbol) = path.first() {
        if path.len() == 1 {
            break;
        }
        let node = work.graph().grammar()[symbol].node;
        match descend(work, site, node) {
            Departure::Found(below) => {
                site = below;
                path.remove(0);
            }
            _ => break,
        }
    }
    site
}

/// The site closest to a target, with what must be derived below it in `path`.
fn closest(work: &mut Workspace, target: &[SymbolId], path: &mut Vec<SymbolId>) -> Option<u32> {
    let grammar = work.graph().grammar().clone();
    let node = |symbol: SymbolId| grammar[symbol].node;
    for have in (1..target.len()).rev() {
        let wanted = node(target[have - 1]);
        let drawn = work.rng().bits();
        work.census();
        let sites = work.parent.counted().of_node(wanted);
        let start = ((u128::from(drawn) * sites.len() as u128) >> 64) as usize;
        let mut around = sites[start..].iter().chain(&sites[..start]).take(LOOKED_AT);
        if let Some(&site) = around.find(|&&at| ends_with(work, at, &target[..have])) {
            path.extend_from_slice(&target[have..]);
            return Some(site);
        }
    }
    // No symbol of the path occurs in its place: go where the way to it is shortest.
    let graph = work.graph().clone();
    let to = graph.production_of(*target.first()?);
    let mut routes = std::mem::take(&mut work.routes);
    let distances = routes.to(&graph, to);
    let mut best = (UNREACHABLE, 0u32);
    work.census();
    for (node, sites) in work.parent.counted().nodes() {
        if let (Some(production), Some(&first)) = (work.production_of(node), sites.first()) {
            best = best.min((distances.of_production(production), first));
        }
    }
    let from = work
        .index()
        .sites()
        .get(best.1 as usize)
        .and_then(|site| work.production_of(site.node));
    let found =
        best.0 != UNREACHABLE && from.is_some_and(|from| routes.append(&graph, from, to, path));
    work.routes = routes;
    path.extend_from_slice(target);
    found.then_some(best.1)
}

/// Whether the symbolic nodes above a site, itself included, end with `symbols`.
fn ends_with(work: &Workspace, site: u32, symbols: &[SymbolId]) -> bool {
    let sites = work.index().sites();
    let mut left = symbols.iter().rev();
    let Some(mut wanted) = left.next() else {
        return true;
    };
    let mut at = site;
    while let Some(here) = sites.get(at as usize) {
        if let Some(symbol) = work.codec().symbol_of(here.node) {
            if symbol != *wanted {
                return false;
            }
            match left.next() {
                Some(next) => wanted = next,
                None => return true,
            }
        }
        at = here.parent;
    }
    false
}

/// Where the derivation of a right side departs from the way to a symbol in it.
enum Departure {
    /// Nowhere: the symbol occurs at this site.
    Found(u32),
    /// At an alternation that took another alternative.
    Alternation(u32),
    /// At a repetition; items can be added.
    Repetition(u32),
}

/// Follows the derivation below `site` toward `node`, a symbol of the right side that it stands for.
fn descend(work: &Workspace, site: u32, node: NodeId) -> Departure {
    let graph = work.graph();
    let mut here = site;
    loop {
        let Some(choice) = work.choice_node(here) else {
            return Departure::Alternation(here);
        };
        // The next site on the way: the outermost node below this one that is a site and contains the symbol.
        let mut next = node;
        let mut above = graph.grammar()[node].parent;
        while let Some(parent) = above.filter(|&parent| parent != choice) {
            if is_site(graph, parent) {
                next = parent;
            }
            above = graph.grammar()[parent].parent;
        }
        if let NodeKind::Quantifier { max, .. } = graph.grammar()[choice].kind {
            let items = work.index().children(here);
            let room = max.is_none_or(|max| (items.count() as u64) < u64::from(max));
            match work.index().child_of_node(here, next) {
                // A full repetition, or an item that is the symbol: look into an item.
                Some(item) if !room || next == node => here = item,
                _ => return Departure::Repetition(here),
            }
        } else {
            match work.index().child_of_node(here, next) {
                Some(child) => here = child,
                None => return Departure::Alternation(here),
            }
        }
        if next == node {
            return Departure::Found(here);
        }
    }
}

/// Puts `path` below `site`, whose right side its first symbol is written in.
fn graft(work: &mut Workspace, site: u32, path: &[SymbolId]) -> bool {
    let (mut site, mut path) = (site, path);
    let room = work
        .limits
        .max_choices
        .saturating_sub(work.index().canonical().len());
    let size = if room < ROOMY {
        Size::SHORTEST
    } else {
        Size::SMALL
    };
    while let Some(&first) = path.first() {
        let node = work.graph().grammar()[first].node;
        match descend(work, site, node) {
            Departure::Found(below) if path.len() > 1 => {
                site = below;
                path = &path[1..];
            }
            Departure::Found(_) => return false,
            Departure::Alternation(at) => return work.replace(at, Part::Path(path, size)),
            Departure::Repetition(at) => {
                let Some((min, max)) = work.bounds(at) else {
                    return false;
                };
                if min == 0 && max == u32::MAX {
                    let count = work.index().children(at).count();
                    let place = work.rng().index(count + 1);
                    let before = work.index().children(at).nth(place);
                    return work.insert_item(at, before, Part::Path(path, size));
                }
                return work.replace(at, Part::Path(path, size));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::closest;
    use crate::graph::{Graph, UNREACHABLE};
    use crate::id::SymbolId;
    use crate::mutate::Session;
    use crate::mutate::work::Workspace;
    use crate::rng::Rng;
    use crate::tests::{fixtures, random_grammar};

    /// How many symbols must be derived below a site until a target is complete; `None` if it cannot come there.
    fn distance(work: &Workspace, site: u32, target: &[SymbolId]) -> Option<u32> {
        let (graph, sites) = (work.graph(), work.index().sites());
        // The symbols above the site, itself included, from the root on.
        let mut above = Vec::new();
        let mut at = site;
        while let Some(here) = sites.get(at as usize) {
            above.extend(work.codec().symbol_of(here.node));
            at = here.parent;
        }
        above.reverse();
        let is_symbol = work.codec().symbol_of(sites[site as usize].node).is_some();
        let begun = (1..target.len())
            .filter(|&have| is_symbol && above.ends_with(&target[..have]))
            .map(|have| (target.len() - have) as u32);
        let production = work.production_of(sites[site as usize].node);
        let way = production.map(|production| {
            let to = graph.distances_to(graph.production_of(target[0]));
            to.of_production(production)
        });
        let whole = way
            .filter(|&way| way != UNREACHABLE)
            .map(|way| way + target.len() as u32);
        begun.chain(whole).min()
    }

    #[test]
    fn a_path_is_sought_where_the_fewest_symbols_are_missing() {
        let mut graphs: Vec<_> = fixtures().into_iter().map(|it| it.graph).collect();
        let mut rng = Rng::new(77);
        while graphs.len() < 60 {
            if let Ok(grammar) = random_grammar(&mut rng).parse::<crate::Grammar>() {
                graphs.push(Graph::new(grammar).unwrap());
            }
        }
        let (mut begun, mut far) = (0, 0);
        for graph in graphs {
            let mut session = Session::new(&graph, 3).unwrap();
            let kpaths = session.coverage().kpaths().clone();
            if kpaths.is_empty() {
                continue;
            }
            for _ in 0..40 {
                let choices: Vec<u8> = (0..rng.below(24)).map(|_| rng.below(256) as u8).collect();
                session.load(&choices);
                let work = &mut session.work;
                let target = kpaths
                    .unrank(u64::from(rng.below(kpaths.len() as u32)))
                    .unwrap();
                let mut path = Vec::new();
                let found = closest(work, &target, &mut path);
                let sites = 0..work.index().sites().len() as u32;
                let nearest = sites.filter_map(|site| distance(work, site, &target)).min();
                assert_eq!(
                    found.and_then(|site| distance(work, site, &target)),
                    nearest
                );
                let Some(nearest) = nearest else { continue };
                assert_eq!(path.len() as u32, nearest, "{}", kpaths.name(&target));
                assert!(target.ends_with(&path) || path.ends_with(&target));
                begun += u32::from(path.len() < target.len());
                far += u32::from(path.len() > target.len());
            }
        }
        assert!(begun > 500 && far > 100, "{begun} {far}");
    }
}
