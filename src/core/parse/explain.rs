//! Why a text is not a sentence.
//!
//! The text is read again up to where it failed, with everything kept in the last set: what the items there read next is
//! what was expected. Then it is read once more with nothing left out, because only so is it seen of every prefix whether it
//! is a sentence; where that would cost too much, the longest prefix stays unknown.

use std::collections::{BTreeMap, BTreeSet};

use super::chart::{Chart, Pruning};
use super::error::{Error, Expected};
use super::lexed::{Codes, Lexed};
use super::machine::Reads;
use super::subset::Subsets;
use super::tables::Tables;
use super::{Budget, Refusal};

/// The most characters of a terminal that are shown.
const SHOWN: usize = 60;

/// Makes the error of a refusal.
pub(super) fn explain(
    tables: &Tables,
    subsets: &mut Subsets,
    chart: &mut Chart,
    text: &[u8],
    refusal: Refusal,
    budget: Budget,
    lexed: Option<(&mut Lexed, &Codes)>,
) -> Error {
    let Refusal::NoSentence { offset } = refusal else {
        return Error::new(text, refusal, Vec::new(), None);
    };
    let lexed = lexed.map(|(lexed, codes)| {
        // Refused again; what is needed are the tokens up to there.
        let _ = lexed.read(tables, codes, subsets, chart, text, budget);
        (&*lexed, codes)
    });
    let prefix = match lexed {
        Some((lexed, codes)) => lexed.coded_before(codes, offset),
        None => &text[..offset.min(text.len())],
    };
    // The text was read within the budget; only the last set takes more now.
    let enough = Budget {
        steps: budget.steps.saturating_mul(2).saturating_add(10_000),
        ..budget
    };
    let read = chart.read(tables, subsets, prefix, Pruning::UpToEnd, enough);
    let expected = match read {
        Ok(()) => expected(tables, subsets, chart, prefix.len()),
        Err(_) => Vec::new(),
    };
    // Nothing left out costs more: a few steps for each byte where the grammar is harmless. Where it is not, the longest
    // prefix is not worth the time.
    let effort = 16 * prefix.len() as u64 + 1_000_000;
    let budget = Budget {
        steps: budget.steps.min(effort),
        ..budget
    };
    let read = chart.read(tables, subsets, prefix, Pruning::None, budget);
    let longest = read.is_ok().then(|| {
        let accepted = chart.accepted?;
        Some(lexed.map_or(accepted, |(lexed, codes)| lexed.end(codes, accepted)))
    });
    Error::new(text, refusal, expected, longest)
}

/// What the items of the last set read next.
fn expected(tables: &Tables, subsets: &Subsets, chart: &Chart, end: usize) -> Vec<Expected> {
    let grammar = tables.graph.grammar();
    let mut nodes = BTreeSet::new();
    if chart.sets.len() > end + 1 {
        for at in chart.set(end as u32) {
            for &reader in subsets.readers(chart.items[at].subset) {
                let state = tables.machines.states[reader as usize];
                if !matches!(state.reads, Reads::Nothing | Reads::Call(_)) {
                    nodes.insert(state.node);
                }
            }
        }
    }
    let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for node in nodes {
        let mut terminal = grammar.display(node).to_string();
        if let Some((cut, _)) = terminal.char_indices().nth(SHOWN) {
            terminal.truncate(cut);
            terminal.push('…');
        }
        let production = &grammar[grammar[node].production];
        expected
            .entry(terminal)
            .or_default()
            .insert(production.name.to_string());
    }
    let mut expected: Vec<Expected> = expected
        .into_iter()
        .map(|(terminal, productions)| Expected {
            terminal,
            productions: productions.into_iter().collect(),
        })
        .collect();
    if chart.accepted == Some(end) {
        expected.push(Expected {
            terminal: Expected::END.to_owned(),
            productions: Vec::new(),
        });
    }
    expected
}
