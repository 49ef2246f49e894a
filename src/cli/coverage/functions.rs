//! The functions beside the symbols of the page: what in the program goes with what in the grammar.
//!
//! They come from a model of `pleach associate`. A function goes with a symbol if its tree says that inputs reach it that have a k-path which
//! ends in the symbol.

use std::collections::BTreeSet;
use std::path::Path;

use pleach_associate::Feature;
use pleach_associate::features::path_of;
use pleach_core::Graph;
use pleach_core::id::Id as _;
use serde::Serialize;

use crate::associate::load;
use crate::diagnostic::visible;
use crate::failure::Failure;

use super::facts::cut;

/// The functions that are shown of a symbol.
const SHOWN: usize = 8;
/// The characters of a name that are shown.
const NAME: usize = 120;

/// The functions that go with a symbol.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Beside {
    /// Name and the inputs of the model that reach it, those of fewest inputs first.
    functions: Vec<(String, u32)>,
    /// How many there are that are not shown.
    more: usize,
}

/// Reads a model, and gives the functions of each symbol; fails if it is of another grammar.
pub(super) fn beside(path: &Path, graph: &Graph) -> Result<Vec<Beside>, Failure> {
    let model = load(path)?;
    if model.grammar().fingerprint() != graph.grammar().fingerprint() {
        return Err(Failure::new(
            format_args!("{}: the model is of another grammar", path.display()),
            "name the grammar of its target, or learn another by `pleach associate TARGET -o MODEL`",
        ));
    }
    let mut trees = vec![BTreeSet::new(); model.taught().len()];
    for (symbols, taught) in trees.iter_mut().zip(model.taught()) {
        let nodes = taught.tree.nodes();
        let leaves = taught.tree.leaves().into_iter();
        let ways = leaves.filter(|(leaf, _)| nodes[*leaf].is_member);
        for step in ways.flat_map(|(_, way)| way).filter(|step| step.holds) {
            let asked = model.asked().get(step.feature as usize);
            if let Some(Feature::Path(path)) = asked.map(|asked| asked.feature)
                && let Some(path) = path_of(model.kpaths(), path)
            {
                symbols.extend(path.last().copied());
            }
        }
    }
    let mut classes: Vec<_> = model.known().iter().collect();
    classes.sort_by(|one, other| {
        (one.members, &one.class.name).cmp(&(other.members, &other.class.name))
    });
    let mut all = vec![Beside::default(); graph.symbol_count()];
    for known in classes {
        for symbol in trees.get(known.tree as usize).into_iter().flatten() {
            let beside = &mut all[symbol.index()];
            if beside.functions.len() < SHOWN {
                let name = cut(&visible(&known.class.name), NAME);
                beside.functions.push((name, known.members));
            } else {
                beside.more += 1;
            }
        }
    }
    Ok(all)
}
