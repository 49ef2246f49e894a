//! Shortest sentences that have a path: what to show a reader who asks how a path could be covered.
//!
//! The cheapest way from the start to where the path begins is known for all productions at once ([`Access`]); the path is forced,
//! and all that lies beside it takes its shortest derivation. O(n log n) for a grammar, and O(sentence) for each path. The
//! length is that of the text without the separators that tokens may need between them.

use std::sync::Arc;

use crate::choice::{Chooser, ClassCode, Codec, MemberChoice, ROOT, Scratch, SiteIndex};
use crate::graph::{Graph, Measure};
use crate::id::{NodeId, SymbolId};

use super::PathChooser;
use super::access::Access;

/// Derives shortest sentences that have given paths.
///
/// ```
/// use pleach_core::choice::{Lexemes, SiteIndex};
/// use pleach_core::generate::Witnesses;
/// use pleach_core::{Codec, Grammar, Graph, KPaths};
/// use std::sync::Arc;
///
/// let grammar: Grammar = "list := '[' (item (',' item)*)? ']'; item := [0-9] | list;".parse()?;
/// let codec = Arc::new(Codec::new(&Graph::new(grammar)?));
/// let mut witnesses = Witnesses::new(&codec);
/// let (mut index, mut lexemes) = (SiteIndex::new(), Lexemes::default());
/// let mut texts = Vec::new();
/// for path in KPaths::new(codec.graph(), 2)?.iter().skip(2) {
///     witnesses.derive(&path, &mut index);
///     texts.push(String::from_utf8_lossy(codec.text(&index, &mut lexemes)).into_owned());
/// }
/// assert_eq!(texts, ["[0,0]", "[0,[]]", "[[]]", "[[0]]", "[[0,0]]", "[[0,0]]", "[[]]"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Witnesses {
    codec: Arc<Codec>,
    by_length: Access,
    scratch: Scratch,
}

impl Witnesses {
    /// Finds the cheapest ways to all productions. O(n log n).
    pub fn new(codec: &Arc<Codec>) -> Witnesses {
        Witnesses {
            by_length: Access::new(codec.graph(), Measure::Length),
            codec: codec.clone(),
            scratch: Scratch::default(),
        }
    }

    /// Derives a shortest sentence that has `path`, which must be one of the graph, into `index`, replacing what is in it. The
    /// empty path has a shortest sentence, too. O(sentence).
    pub fn derive(&mut self, path: &[SymbolId], index: &mut SiteIndex) {
        let graph = self.codec.graph();
        let mut whole = match path.first() {
            Some(&first) => self.by_length.route(graph, graph.production_of(first)),
            None => Vec::new(),
        };
        whole.extend_from_slice(path);
        let mut chooser = PathChooser::new(graph, &whole, true, Shortest { graph });
        let scratch = &mut self.scratch;
        self.codec.derive(ROOT, &mut chooser, scratch, index);
    }

    /// How many bytes that sentence has, but for what separates tokens. O(route).
    pub fn len(&self, path: &[SymbolId]) -> u64 {
        self.by_length.cost_with_route(self.codec.graph(), path)
    }
}

/// Takes shortest derivations.
#[derive(Debug)]
struct Shortest<'a> {
    graph: &'a Graph,
}

impl Chooser for Shortest<'_> {
    fn alternative(&mut self, node: NodeId, _: u32) -> u32 {
        self.graph.shortest(Measure::Length).alternative(node)
    }

    fn more(&mut self, _: NodeId) -> bool {
        false
    }

    fn member(&mut self, _: NodeId, class: &ClassCode) -> MemberChoice {
        MemberChoice {
            head: class.default_head(),
            rest: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kpath::{KPaths, WindowTable};
    use crate::tests::fixtures;

    #[test]
    fn a_witness_has_its_path_and_no_sentence_with_it_is_shorter() {
        for fixture in fixtures() {
            let graph = fixture.graph;
            let kpaths = KPaths::new(&graph, 3).unwrap();
            let windows = WindowTable::new(&kpaths).unwrap();
            let codec = Arc::new(Codec::new(&graph).with_windows(&windows));
            let mut witnesses = Witnesses::new(&codec);
            let mut index = SiteIndex::new();
            for (rank, path) in kpaths.iter().enumerate() {
                witnesses.derive(&path, &mut index);
                let name = kpaths.name(&path);
                assert!(
                    index.windows().any(|window| window as usize == rank),
                    "{} {name}",
                    fixture.name
                );
                assert_eq!(
                    index.text().len() as u64,
                    witnesses.len(&path),
                    "{} {name}",
                    fixture.name
                );
            }
        }
    }
}
