//! The forest of a text: what one asks of its derivations. Each question walks back through the chart, or the forest spelled
//! out, as far as it has to, and spends a budget of its own.

use std::fmt;
use std::sync::Arc;

use crate::choice::Encoder;
use crate::kpath::{Coverage, ExpansionCoverage, WindowTable};
use crate::rng::Rng;

use super::canonical::{Canonical, Ground};
#[cfg(feature = "tools")]
use super::count::{self, Derivations};
use super::cover::Coverer;
use super::memo::Memo;
use super::numbered::Numbered;
use super::packed::Packed;
use super::tables::Tables;
use super::{Budget, Refusal, Workspace};

/// All derivations of a text, packed. Lies in the [`Workspace`].
pub struct Forest<'a> {
    tables: &'a Tables,
    text: &'a [u8],
    budget: Budget,
    workspace: &'a mut Workspace,
    /// Whether the workspace has the canonical derivation.
    is_found: bool,
    /// Whether the workspace has the forest spelled out.
    is_packed: bool,
}

impl fmt::Debug for Forest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Forest({:?})", self.workspace.chart)
    }
}

impl<'a> Forest<'a> {
    pub(super) fn new(
        tables: &'a Tables,
        text: &'a [u8],
        budget: Budget,
        workspace: &'a mut Workspace,
    ) -> Forest<'a> {
        Forest {
            tables,
            text,
            budget,
            workspace,
            is_found: false,
            is_packed: false,
        }
    }

    /// The text.
    pub fn text(&self) -> &[u8] {
        self.text
    }

    /// The steps spent on parsing, or on the last question since, as [`Budget::steps`] counts them.
    pub fn steps(&self) -> u64 {
        self.workspace.chart.spent()
    }

    /// Appends the choice sequence of the canonical derivation, minimal and canonical as all encodings are.
    ///
    /// Of several derivations it is the one that, seen from the end of the text, begins references as late as possible
    /// (so that `1+1+1` groups to the left), then takes what is written first, and derives nothing by the lowest
    /// derivation; a production derives itself on the same text as few times as possible. It depends on the grammar and the
    /// text only. O(derivation).
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if the budget does not suffice; nothing is appended then.
    pub fn choices(&mut self, choices: &mut Vec<u8>) -> Result<(), Refusal> {
        let found = self.encoded()?.finish();
        match choices.is_empty() {
            true => *choices = found,
            false => choices.extend(found),
        }
        Ok(())
    }

    /// The choices in full, with those that close-off would make, and how many bytes it would not.
    pub(super) fn full_choices(&mut self) -> Result<(Vec<u8>, usize), Refusal> {
        Ok(self.encoded()?.into_parts())
    }

    fn encoded(&mut self) -> Result<Encoder, Refusal> {
        self.workspace.chart.steps = 0;
        if let Some(codes) = &self.tables.codes {
            let lexed = &mut self.workspace.lexed;
            lexed.derive(self.tables, codes, self.text, self.budget)?;
        }
        let (ground, canonical) = self.canonical()?;
        canonical.write(&ground)
    }

    /// Gives the choice sequences of all derivations, if there are at most `most`, else of so many that are drawn
    /// independently, each derivation with the same probability; if `most` is below 2, of the canonical one.
    ///
    /// Derivations that differ only in how nothing is derived, or within tokens, count as one, which is canonical there, as in
    /// [`Forest::choices`]. Of infinitely many only the canonical one is given. Sequences are canonical and minimal as all
    /// encodings are. O(forest), and for each derivation its length and the ways that its parts have.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if the budget does not suffice; then some may have been given.
    pub fn each_derivation(
        &mut self,
        most: usize,
        rng: &mut Rng,
        mut each: impl FnMut(Vec<u8>),
    ) -> Result<(), Refusal> {
        each(match self.is_single(most)? {
            true => self.encoded()?.finish(),
            false => return self.each_of_several(most, rng, each),
        });
        Ok(())
    }

    /// Whether the canonical derivation is the only one to give.
    fn is_single(&mut self, most: usize) -> Result<bool, Refusal> {
        self.workspace.chart.steps = 0;
        if self.is_empty() {
            return Ok(true);
        }
        let (_, canonical) = self.canonical()?;
        Ok(most <= 1 || canonical.is_only())
    }

    fn each_of_several(
        &mut self,
        most: usize,
        rng: &mut Rng,
        mut each: impl FnMut(Vec<u8>),
    ) -> Result<(), Refusal> {
        // The texts of tokens are derived on the way.
        let canonical = self.encoded()?;
        let (mut ground, packed) = self.packed()?;
        let Some(numbered) = Numbered::new(&mut ground, packed)? else {
            each(canonical.finish());
            return Ok(());
        };
        let mut derivation = Canonical::default();
        match numbered.total() {
            Some(total) if total <= most as u64 => {
                for number in 0..total {
                    numbered.derivation(&mut ground, number, &mut derivation)?;
                    each(derivation.write(&ground)?.finish());
                }
            }
            _ => {
                for _ in 0..most {
                    numbered.drawn(&mut ground, rng, &mut derivation)?;
                    each(derivation.write(&ground)?.finish());
                }
            }
        }
        Ok(())
    }

    /// The number of derivations.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if the budget does not suffice.
    #[cfg(feature = "tools")]
    pub fn derivations(&mut self) -> Result<Derivations, Refusal> {
        let ways = self.derivations_read()?;
        let Some(codes) = &self.tables.codes else {
            return Ok(ways);
        };
        let lexed = &mut self.workspace.lexed;
        let inner = lexed.derivations(self.tables, codes, self.text, self.budget)?;
        Ok(ways.times(&inner))
    }

    /// The number of derivations of what the chart has read.
    #[cfg(feature = "tools")]
    fn derivations_read(&mut self) -> Result<Derivations, Refusal> {
        self.workspace.chart.steps = 0;
        if self.is_empty() {
            return count::count_empty(self.tables);
        }
        let (mut ground, canonical) = self.canonical()?;
        if canonical.is_only() {
            return count::count_only(&mut ground, canonical.steps());
        }
        let (mut ground, packed) = self.packed()?;
        count::count(&mut ground, packed)
    }

    /// Adds what all derivations together cover, without what is in open tokens. `windows` and `coverage` must be of the parser's
    /// graph and of one k.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if the budget does not suffice; nothing is added then.
    pub fn cover(
        &mut self,
        windows: &Arc<WindowTable>,
        coverage: &mut Coverage,
        expansions: &mut ExpansionCoverage,
    ) -> Result<(), Refusal> {
        self.meet_all(windows, |coverer| coverer.finish(coverage, expansions))
    }

    /// Replaces what is in `found` by the windows that all derivations together have, each once and ascending, without those in
    /// open tokens. Takes memory by the windows of this text, not of the grammar. `windows` must be of the parser's graph.
    ///
    /// # Errors
    ///
    /// A [`Refusal`] if the budget does not suffice; nothing is found then.
    pub fn windows(
        &mut self,
        windows: &Arc<WindowTable>,
        found: &mut Vec<u32>,
    ) -> Result<(), Refusal> {
        found.clear();
        self.meet_all(windows, |coverer| coverer.finish_windows(found))
    }

    /// Lets a coverer meet all derivations and finish.
    fn meet_all(
        &mut self,
        windows: &Arc<WindowTable>,
        finish: impl FnOnce(Coverer<'_>) -> Memo,
    ) -> Result<(), Refusal> {
        self.workspace.chart.steps = 0;
        let tables = self.tables;
        let memo = std::mem::take(&mut self.workspace.cover);
        let generation = self.workspace.subsets.generation;
        let mut coverer = Coverer::new(tables, windows, generation, memo);
        let met = self.meet(&mut coverer);
        self.workspace.cover = match met {
            Ok(()) => finish(coverer),
            Err(_) => coverer.give_up(),
        };
        met
    }

    /// Lets a coverer meet all derivations.
    fn meet(&mut self, coverer: &mut Coverer<'_>) -> Result<(), Refusal> {
        if self.is_empty() {
            let (mut ground, ..) = self.workspace.split(self.tables, self.text);
            return coverer.cover_empty(&mut ground);
        }
        let (mut ground, canonical) = self.canonical()?;
        if canonical.is_only() {
            return coverer.cover_only(&mut ground, canonical.steps());
        }
        let (mut ground, packed) = self.packed()?;
        coverer.cover(&mut ground, packed)
    }

    /// Whether the chart has read nothing.
    fn is_empty(&self) -> bool {
        match self.tables.codes {
            Some(_) => self.workspace.lexed.coded.is_empty(),
            None => self.text.is_empty(),
        }
    }

    /// The canonical derivation, at the first time that it is needed.
    fn canonical(&mut self) -> Result<(Ground<'_>, &mut Canonical), Refusal> {
        let (mut ground, canonical, _) = self.workspace.split(self.tables, self.text);
        if !self.is_found && !ground.text.is_empty() {
            canonical.find(&mut ground)?;
            self.is_found = true;
        }
        Ok((ground, canonical))
    }

    /// The forest spelled out, at the first time that it is needed.
    fn packed(&mut self) -> Result<(Ground<'_>, &Packed), Refusal> {
        let (mut ground, _, packed) = self.workspace.split(self.tables, self.text);
        if !self.is_packed {
            packed.build(&mut ground)?;
            self.is_packed = true;
        }
        Ok((ground, packed))
    }
}
