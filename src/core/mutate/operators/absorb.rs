//! Takes an item out of a repetition and puts what is in it in the place of what stands before the repetition.
//!
//! Lists are mostly written `item (',' item)*`, where the first item cannot be deleted: it has to be replaced by the next.

use super::super::kinds::Kind;
use super::super::operator::Operator;
use super::super::work::{ItemSource, Part, Workspace};

/// The items that are looked at: those of most repetitions have nothing for it.
const ITEMS: usize = 12;
/// The sites of an item that are looked at.
const LOOKED_AT: u32 = 16;

/// Puts a part of an item in the place of a compatible site before the repetition, and deletes the item.
#[derive(Clone, Copy, Debug)]
pub struct Absorb;

impl Operator for Absorb {
    fn name(&self) -> &'static str {
        "absorb"
    }

    fn kind(&self) -> Option<Kind> {
        Some(Kind::Item)
    }

    fn shrinks(&self) -> bool {
        true
    }

    fn weight(&self) -> u32 {
        3
    }

    fn apply(&self, work: &mut Workspace, site: u32) -> bool {
        let items = work.of_kind_from(Kind::Item, site).take(ITEMS);
        let found = items.into_iter().find_map(|item| {
            let quantifier = work.parent(item)?;
            let (head, part) = pair(work, item, quantifier)?;
            Some((item, quantifier, head, part))
        });
        let Some((item, quantifier, head, part)) = found else {
            return false;
        };
        work.edit_items(quantifier, |items, _| {
            items.retain(|&source| source != ItemSource::Old(item));
        }) && {
            // The item is behind the head, which has kept its place.
            work.replace(head, Part::Copy(part));
            true
        }
    }
}

/// A site before the repetition, and one in the item that may stand there.
fn pair(work: &Workspace, item: u32, quantifier: u32) -> Option<(u32, u32)> {
    let sites = work.index().sites();
    let parent = work.parent(quantifier)?;
    let end = sites.get(item as usize)?.end.min(item + LOOKED_AT);
    work.index()
        .children(parent)
        .take_while(|&head| head < quantifier)
        .find_map(|head| {
            let node = sites[head as usize].node;
            let part = (item..end).find(|&part| {
                work.production_of(node).is_some()
                    && work.is_compatible(sites[part as usize].node, node)
            })?;
            Some((head, part))
        })
}
