//! Approaches what a campaign is aimed at ([`Constraint`](super::super::Constraint)): adds a k-path that is missing, or takes one away
//! that must not be there.
//!
//! A path is added as [`Seek`](super::Seek) adds an uncovered one. One is taken away where it ends, or somewhat above: what stands there is
//! derived anew.

use super::super::aim::Unmet;
use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{Part, Size, Workspace};
use super::seek;

/// Approaches what the campaign is aimed at. Does not apply to an input that is there.
#[derive(Clone, Copy, Debug)]
pub struct Approach;

impl Operator for Approach {
    fn name(&self) -> &'static str {
        "approach"
    }

    fn kind(&self) -> Option<Kind> {
        None
    }

    fn is_ready(&self, work: &Workspace) -> bool {
        work.aim.is_some()
    }

    fn weight(&self) -> u32 {
        0
    }

    fn apply(&self, work: &mut Workspace, _: u32) -> bool {
        let Some(mut aim) = work.aim.take() else {
            return false;
        };
        let kpaths = work.coverage().kpaths().clone();
        let mut has = |window| aim.has(&kpaths, window);
        let sites = work.parent.index.sites().iter();
        let bits = sites.fold(0, |bits, site| bits | has(site.window));
        let applied = match aim.unmet(bits, &mut work.rng) {
            None => false,
            Some(Unmet::Missing(path)) => seek::add(work, aim.demand(path)),
            Some(Unmet::Present(path)) => {
                let ends = work.parent.index.sites().iter().enumerate();
                let ends = ends.filter(|(_, site)| aim.has(&kpaths, site.window) >> path & 1 == 1);
                let ends: Vec<u32> = ends.map(|(at, _)| at as u32).collect();
                take_away(work, &ends, aim.demand(path).len())
            }
        };
        work.aim = Some(aim);
        applied
    }
}

/// Derives anew what stands at one of these sites, or at one of the `levels` sites above it.
fn take_away(work: &mut Workspace, ends: &[u32], levels: usize) -> bool {
    let drawn = work.rng.index(ends.len());
    let Some(&end) = ends.get(drawn) else {
        return false;
    };
    let mut site = end;
    for _ in 0..work.rng.index(levels + 1) {
        match work.parent.index.sites().get(site as usize) {
            Some(here) if (here.parent as usize) < work.parent.index.sites().len() => {
                site = here.parent;
            }
            _ => break,
        }
    }
    work.replace(site, Part::Random(Size::SMALL))
}
