//! What a survey says in the end.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::System;

#[derive(Serialize)]
pub(super) struct Report {
    /// The sentences of each grammar.
    #[serde(skip)]
    n: u64,
    systems: usize,
    imported: usize,
    whole: usize,
    left_out: Vec<Kind>,
    failed: Vec<Kind>,
    generated: usize,
    all_parsed: usize,
    all_same: usize,
    sentences: u64,
    parsed: u64,
    same: u64,
    drawn_again: u64,
    examples: u64,
    examples_parsed: u64,
    costly: u64,
    list: Vec<System>,
}

/// A reason, and how many systems it concerns.
#[derive(Serialize)]
struct Kind {
    what: String,
    systems: usize,
}

impl Report {
    pub(super) fn new(n: u64, list: Vec<System>) -> Report {
        let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
        let mut failed: BTreeMap<&str, usize> = BTreeMap::new();
        for system in &list {
            for what in &system.left_out {
                *left_out.entry(what).or_default() += 1;
            }
            if let Some(reason) = &system.failed {
                *failed.entry(reason).or_default() += 1;
            }
        }
        let kinds = |counts: BTreeMap<&str, usize>| {
            let mut kinds: Vec<Kind> = counts
                .into_iter()
                .map(|(what, systems)| Kind {
                    what: what.to_owned(),
                    systems,
                })
                .collect();
            kinds.sort_by_key(|it| Reverse(it.systems));
            kinds
        };
        let imported = || list.iter().filter(|it| it.failed.is_none());
        let sum = |of: fn(&System) -> u64| imported().map(of).sum();
        let all = |of: fn(&System) -> u64| {
            let all = imported().filter(|it| it.sentences > 0 && of(it) == it.sentences);
            all.count()
        };
        Report {
            n,
            systems: list.len(),
            imported: imported().count(),
            whole: imported().filter(|it| it.left_out.is_empty()).count(),
            left_out: kinds(left_out),
            failed: kinds(failed),
            generated: imported().filter(|it| it.sentences > 0).count(),
            all_parsed: all(|it| it.parsed),
            all_same: all(|it| it.same),
            sentences: sum(|it| it.sentences),
            parsed: sum(|it| it.parsed),
            same: sum(|it| it.same),
            drawn_again: sum(|it| it.drawn_again),
            examples: sum(|it| it.examples),
            examples_parsed: sum(|it| it.examples_parsed),
            costly: sum(|it| it.costly),
            list,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |part: u64, whole: u64| format!("{part} / {whole}");
        let systems = |part: usize| of(part as u64, self.systems as u64);
        let rows = [
            ("systems", self.systems.to_string()),
            ("imported", systems(self.imported)),
            ("with nothing left out", systems(self.whole)),
            (
                &format!("generate {} sentences", self.n),
                systems(self.generated),
            ),
            ("all of which parse", systems(self.all_parsed)),
            ("to the same choices", systems(self.all_same)),
            ("sentences that parse", of(self.parsed, self.sentences)),
            ("to the same choices", of(self.same, self.sentences)),
            ("drawn again", self.drawn_again.to_string()),
            (
                "examples that parse",
                of(self.examples_parsed, self.examples),
            ),
            ("texts that take too much", self.costly.to_string()),
        ];
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, value) in rows {
            writeln!(f, "{name:width$}  {value}")?;
        }
        for (title, kinds) in [("left out", &self.left_out), ("failed", &self.failed)] {
            if kinds.is_empty() {
                continue;
            }
            writeln!(f, "\nsystems  {title}")?;
            for Kind { what, systems } in kinds {
                writeln!(f, "{systems:<7}  {what}")?;
            }
        }
        Ok(())
    }
}
