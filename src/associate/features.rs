//! Features of a text: what trees ask about.
//!
//! A k-path is present or not, for every k up to a greatest one, over *all* derivations of the text (TOSEM article, section 5.1). The windows
//! of the greatest k say that for the shorter paths, too, since each of these ends a window. Quantities are numbers, from the
//! canonical derivation: how often a nonterminal is used and how deep in itself, how long a leaf is and how large its number
//! (ALHAZEN's features, which the article leaves out). They become yes or no by a threshold, so that a tree asks one kind of
//! question only.
//!
//! Finding the features of a text costs what parsing it and covering its forest cost; memory is linear in its windows.

use std::fmt;
use std::sync::Arc;

use pleach_core::choice::{Scratch, SiteIndex};
use pleach_core::id::{ProductionId, SymbolId};
use pleach_core::kpath::{self, KPaths, MAX_BITMAP_BYTES, WindowTable};
use pleach_core::parse::{Budget, Refusal, Workspace};
use pleach_core::{Codec, Graph, Parser};

use crate::quantities::Quantities;

/// The length of the longest k-paths that are features, unless somebody says otherwise.
pub const DEFAULT_K: usize = 4;

/// What a feature counts or measures of a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Quantity {
    /// How often a nonterminal is used.
    Uses(ProductionId),
    /// The most uses of a nonterminal that lie within each other.
    Nesting(ProductionId),
    /// The bytes of the longest use of a leaf: a nonterminal without recursion below it.
    Length(ProductionId),
    /// The largest number that a use of a leaf is, read as a decimal.
    Value(ProductionId),
}

impl Quantity {
    /// The nonterminal that is counted or measured.
    pub fn production(self) -> ProductionId {
        match self {
            Quantity::Uses(production)
            | Quantity::Nesting(production)
            | Quantity::Length(production)
            | Quantity::Value(production) => production,
        }
    }
}

/// A k-path, by its length and its rank among the paths of that length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PathRank {
    /// Its number of symbols.
    pub len: usize,
    /// Its rank in [`KPaths`].
    pub rank: u64,
}

/// A question that has the answer yes or no for each text.
///
/// Short k-paths come before long ones in their order, and k-paths before quantities: what comes first is preferred where two features
/// say the same.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub enum Feature {
    /// Does the path occur in a derivation?
    Path(PathRank),
    /// Is the quantity more than this? No, for a nonterminal that is not used.
    MoreThan(Quantity, f64),
}

/// The features of a text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FeatureVector {
    /// The windows of the greatest k, ascending.
    pub windows: Vec<u32>,
    /// The quantities that the text has, ascending; others are absent.
    pub quantities: Vec<(Quantity, f64)>,
}

impl FeatureVector {
    /// A quantity, if the text has it.
    pub fn quantity(&self, quantity: Quantity) -> Option<f64> {
        let found = self
            .quantities
            .binary_search_by_key(&quantity, |&(quantity, _)| quantity);
        found.ok().map(|at| self.quantities[at].1)
    }
}

/// Which features there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Features {
    /// k-paths alone.
    KPaths,
    /// k-paths and quantities.
    All,
}

/// Finds the features of the texts of a grammar. Immutable: threads share it and bring a [`Reader`] each.
pub struct Extractor {
    parser: Parser,
    codec: Codec,
    windows: Arc<WindowTable>,
    quantities: Option<Quantities>,
    budget: Budget,
}

impl fmt::Debug for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Extractor({:?})", self.windows)
    }
}

/// The memory of one thread that extracts.
#[derive(Debug, Default)]
pub struct Reader {
    workspace: Workspace,
    scratch: Scratch,
    index: SiteIndex,
    choices: Vec<u8>,
}

/// The greatest k up to `k` whose windows can be numbered and kept: 1 at least. O(k · symbols).
pub fn greatest_k(graph: &Graph, k: usize) -> usize {
    let counts = kpath::counts(graph, k);
    let fits = |count: &Option<u64>| count.is_some_and(|count| count <= MAX_BITMAP_BYTES * 4);
    counts.iter().take_while(|it| fits(it)).count().max(1)
}

impl Extractor {
    /// Finds k-paths of up to `k` symbols, and quantities if they are wanted. O(grammar · k).
    ///
    /// # Errors
    ///
    /// [`kpath::Error`] if there are too many k-paths; [`greatest_k`] says for which k there are not.
    pub fn new(
        graph: &Arc<Graph>,
        k: usize,
        features: Features,
    ) -> Result<Extractor, kpath::Error> {
        let kpaths = KPaths::new(graph, k)?;
        Ok(Extractor {
            parser: Parser::new(graph),
            codec: Codec::new(graph),
            windows: WindowTable::new(&kpaths)?,
            quantities: (features == Features::All).then(|| Quantities::new(graph)),
            budget: Budget::default(),
        })
    }

    /// The same with a bound of what a text may spend.
    pub fn with_budget(mut self, budget: Budget) -> Extractor {
        self.budget = budget;
        self
    }

    /// The k-paths.
    pub fn kpaths(&self) -> &Arc<KPaths> {
        self.windows.kpaths()
    }

    /// Which features are found.
    pub fn features(&self) -> Features {
        match self.quantities {
            Some(_) => Features::All,
            None => Features::KPaths,
        }
    }

    /// The graph of the grammar.
    pub fn graph(&self) -> &Arc<Graph> {
        self.parser.graph()
    }

    /// The codec of the grammar.
    pub fn codec(&self) -> &Codec {
        &self.codec
    }

    /// The features of a text.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if the text is not a sentence, or its parse takes more than the budget.
    pub fn extract(&self, text: &[u8], reader: &mut Reader) -> Result<FeatureVector, Refusal> {
        self.extract_within(text, self.budget, reader)
    }

    /// The same within another budget.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if the text is not a sentence, or its parse takes more than the budget.
    pub fn extract_within(
        &self,
        text: &[u8],
        budget: Budget,
        reader: &mut Reader,
    ) -> Result<FeatureVector, Refusal> {
        let Reader {
            workspace,
            scratch,
            index,
            choices,
        } = reader;
        let mut vector = FeatureVector::default();
        let mut forest = self.parser.parse(text, budget, workspace)?;
        forest.windows(&self.windows, &mut vector.windows)?;
        if let Some(quantities) = &self.quantities {
            choices.clear();
            forest.choices(choices)?;
            self.codec.index(choices, scratch, index);
            vector.quantities = quantities.of(self.graph(), index);
        }
        Ok(vector)
    }
}

/// The path of a feature; `None` if it is none of these k-paths.
pub fn path_of(kpaths: &KPaths, path: PathRank) -> Option<Vec<SymbolId>> {
    match (1..=kpaths.k()).contains(&path.len) {
        true => kpaths.unrank_at(path.len, path.rank),
        false => None,
    }
}
