//! What a campaign has come to, for a reader and for tools.

use std::collections::BTreeMap;
use std::time::Duration;

use pleach_evolve::{Campaign, Generation, Goal, Kept, Totals};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::report::{count, table};

use super::{CURVES, Evolve, MODEL, REPORT};

/// How many generations the table shows.
const SHOWN: usize = 10;
/// How many failures the table shows.
const FAILURES: usize = 20;

#[derive(Serialize)]
pub(super) struct Report {
    target: String,
    strategy: String,
    /// The goals that count.
    goals: Vec<GoalReport>,
    /// What the seeds have come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<Row>,
    /// What the median seed takes for a byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds_ns_per_byte: Option<f64>,
    /// The engine without pleach, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) engine: Option<EngineReport>,
    /// Seeds that were read, and those that are no sentences.
    seeds_read: u64,
    seeds_left_out: u64,
    /// What all inputs but the seeds have come to, after each generation.
    pub(super) generations: Vec<Row>,
    /// The failures of the inputs, by place.
    failures: Vec<FailureReport>,
    /// The directory that was written.
    directory: String,
}

#[derive(Serialize)]
struct GoalReport {
    name: String,
    weight: f64,
    /// What was reached: functions, mappings, failures, nanoseconds, or the number.
    reached: Option<f64>,
    /// The seeds alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<f64>,
    /// Inputs that were kept.
    inputs: u64,
    /// The bytes of the best one.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// The generation of the best one.
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<u32>,
}

/// What the engine has come to without pleach.
#[derive(Serialize)]
pub(super) struct EngineReport {
    /// The CPU time that it has taken.
    cpu_ms: u64,
    /// How many of its inputs are sentences.
    sentences: u64,
    #[serde(flatten)]
    row: Row,
}

impl EngineReport {
    pub(super) fn new(totals: &Totals, sentences: u64, time: Duration) -> EngineReport {
        EngineReport {
            cpu_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            sentences,
            row: Row::new(totals),
        }
    }
}

#[derive(Serialize)]
struct FailureReport {
    failure: String,
    inputs: u64,
}

/// Totals after a generation.
#[derive(Serialize)]
pub(super) struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<u32>,
    pub(super) inputs: u64,
    functions: u64,
    function_count: u64,
    mappings: u64,
    failures: u64,
    distinct_failures: u64,
    /// Of the slowest input.
    time_ns: u64,
    /// Its bytes.
    slowest_bytes: u64,
    /// Of all inputs.
    total_time_ns: u64,
    work: u64,
    /// The greatest of each number.
    numbers: BTreeMap<String, f64>,
    /// The greatest fitness in the generation, and the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    fitness: Option<[f64; 2]>,
}

impl Row {
    fn new(totals: &Totals) -> Row {
        Row {
            generation: None,
            inputs: totals.inputs,
            functions: totals.functions,
            function_count: totals.function_count,
            mappings: totals.mappings,
            failures: totals.failures,
            distinct_failures: totals.distinct_failures,
            time_ns: totals.time,
            slowest_bytes: totals.slowest_len,
            total_time_ns: totals.total_time,
            work: totals.work,
            numbers: totals.numbers.clone(),
            fitness: None,
        }
    }

    fn of_generation(generation: &Generation) -> Row {
        Row {
            generation: Some(generation.number),
            fitness: Some(generation.fitness),
            ..Row::new(&generation.totals)
        }
    }

    /// What the row has for a goal.
    pub(super) fn of(&self, goal: &str) -> Option<f64> {
        Some(match Goal::named(goal) {
            Goal::Coverage => self.functions as f64,
            Goal::Mappings => self.mappings as f64,
            Goal::Failures => self.failures as f64,
            Goal::DistinctFailures => self.distinct_failures as f64,
            Goal::Time => self.time_ns as f64,
            Goal::Work => self.work as f64,
            _ => return self.numbers.get(goal).copied(),
        })
    }
}

impl Report {
    pub(super) fn new(
        verb: &Evolve,
        campaign: &Campaign,
        generations: &[Generation],
        seeds: usize,
        left_out: u64,
    ) -> Report {
        let (archive, of_seeds) = (campaign.archive(), campaign.seeds());
        let goals = campaign.settings().weights.iter().map(|(goal, weight)| {
            let best: &[Kept] = archive.best(goal);
            let first = best.first();
            GoalReport {
                name: goal.to_string(),
                weight,
                reached: archive.totals().of(goal),
                seeds: (seeds > 0).then(|| of_seeds.totals().of(goal)).flatten(),
                inputs: best.len() as u64,
                bytes: first.map(|it| it.input.text.len() as u64),
                generation: first.map(|it| it.generation),
            }
        });
        let failures = archive.places().iter();
        let mut failures: Vec<FailureReport> = failures
            .map(|(failure, &inputs)| FailureReport {
                failure: failure.clone(),
                inputs,
            })
            .collect();
        failures.sort_by_key(|it| std::cmp::Reverse(it.inputs));
        Report {
            target: verb.target.clone(),
            strategy: format!("{:?}", verb.strategy).to_lowercase(),
            goals: goals.collect(),
            seeds: (seeds > 0).then(|| Row::new(of_seeds.totals())),
            seeds_ns_per_byte: of_seeds.median_pace(),
            engine: None,
            seeds_read: seeds as u64,
            seeds_left_out: left_out,
            generations: generations.iter().map(Row::of_generation).collect(),
            failures,
            directory: verb.output.display().to_string(),
        }
    }

    /// The names of the goals that count, the heaviest first.
    pub(super) fn goals(&self) -> Vec<&str> {
        let mut goals: Vec<&GoalReport> = self.goals.iter().collect();
        goals.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        goals.iter().map(|it| it.name.as_str()).collect()
    }

    pub(super) fn print(&self, out: &mut Output) -> Result<(), Failure> {
        self.print_generations(out)?;
        writeln!(out)?;
        self.print_goals(out)?;
        if !self.failures.is_empty() {
            writeln!(out)?;
            let mut rows = vec![vec!["inputs".to_owned(), "failure".to_owned()]];
            for failure in self.failures.iter().take(FAILURES) {
                rows.push(vec![failure.inputs.to_string(), failure.failure.clone()]);
            }
            table(out, &rows)?;
            if self.failures.len() > FAILURES {
                let more = (self.failures.len() - FAILURES) as u64;
                writeln!(out, "and {} more in {REPORT}", count(more, "failure"))?;
            }
        }
        let dir = &self.directory;
        writeln!(
            out,
            "\n{dir}: the best inputs by goal, {MODEL}, {CURVES}, {REPORT}"
        )
    }

    fn print_generations(&self, out: &mut Output) -> Result<(), Failure> {
        let numbers: Vec<&str> = self
            .goals
            .iter()
            .map(|it| it.name.as_str())
            .filter(|name| matches!(Goal::named(name), Goal::Number(_)))
            .collect();
        let mut head: Vec<String> = [
            "",
            "inputs",
            "functions",
            "mappings",
            "failures",
            "distinct",
            "slowest",
            "work",
        ]
        .map(str::to_owned)
        .to_vec();
        head.extend(numbers.iter().map(ToString::to_string));
        let line = |name: String, row: &Row| {
            let mut line = vec![
                name,
                row.inputs.to_string(),
                format!("{} / {}", row.functions, row.function_count),
                row.mappings.to_string(),
                row.failures.to_string(),
                row.distinct_failures.to_string(),
                time(row.time_ns as f64),
                row.work.to_string(),
            ];
            let number = |name: &&str| row.numbers.get(*name).map_or("-".into(), plain);
            line.extend(numbers.iter().map(number));
            line
        };
        let mut rows = vec![head];
        rows.extend(self.seeds.as_ref().map(|row| line("seeds".into(), row)));
        let last = self.generations.len().saturating_sub(1);
        for (at, row) in self.generations.iter().enumerate() {
            // Equally far from each other, the first and the last among them.
            let is_shown = last < SHOWN || at == 0 || at * SHOWN / last > (at - 1) * SHOWN / last;
            if is_shown {
                rows.push(line(format!("generation {}", at + 1), row));
            }
        }
        rows.extend(
            self.engine
                .as_ref()
                .map(|it| line("the engine".into(), &it.row)),
        );
        table(out, &rows)
    }

    fn print_goals(&self, out: &mut Output) -> Result<(), Failure> {
        let mut rows = vec![
            ["goal", "weight", "reached", "seeds", "kept", "best"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for name in self.goals() {
            let Some(goal) = self.goals.iter().find(|it| it.name == name) else {
                continue;
            };
            let shown = |number: Option<f64>| match number {
                None => "-".to_owned(),
                Some(number) if goal.name == "time" => time(number),
                Some(number) => plain(&number),
            };
            let best = match (goal.bytes, goal.generation) {
                (Some(bytes), Some(generation)) => {
                    format!("{}, generation {}", count(bytes, "byte"), generation + 1)
                }
                _ => "-".into(),
            };
            rows.push(vec![
                goal.name.clone(),
                plain(&goal.weight),
                shown(goal.reached),
                shown(goal.seeds),
                count(goal.inputs, "input"),
                best,
            ]);
        }
        table(out, &rows)
    }
}

/// Nanoseconds with a unit that keeps them short.
pub(super) fn time(nanoseconds: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let unit = units.into_iter().find(|(size, _)| nanoseconds >= *size);
    match unit {
        Some((size, unit)) => format!("{:.3} {unit}", nanoseconds / size),
        None => format!("{nanoseconds} ns"),
    }
}

/// A number without digits that say nothing.
pub(super) fn plain(number: &f64) -> String {
    match number.fract() == 0.0 || number.abs() >= 1e9 {
        _ if number.abs() >= 1e15 => format!("{number:.3e}"),
        true => format!("{number:.0}"),
        false => format!("{number:.4}").trim_end_matches('0').to_owned(),
    }
}

/// The name of a goal as that of a directory.
pub(super) fn file_name(goal: &str) -> String {
    let letter = |c: char| match c.is_alphanumeric() || "-_.".contains(c) {
        true => c,
        false => '-',
    };
    let name: String = goal.chars().map(letter).collect();
    // Neither hidden nor the directory above.
    match name.starts_with('.') {
        true => format!("-{name}"),
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{file_name, plain, time};

    #[test]
    fn numbers_are_short() {
        let times = [
            (0.0, "0 ns"),
            (999.0, "999 ns"),
            (1500.0, "1.500 µs"),
            (2.5e6, "2.500 ms"),
            (3e9, "3.000 s"),
        ];
        for (nanoseconds, expected) in times {
            assert_eq!(time(nanoseconds), expected);
        }
        for (number, expected) in [
            (10.0, "10"),
            (0.5, "0.5"),
            (-1.25, "-1.25"),
            (3e10, "30000000000"),
            (1.25e15, "1.250e15"),
        ] {
            assert_eq!(plain(&number), expected);
        }
    }

    #[test]
    fn goals_have_directories_of_their_own() {
        let table = [
            ("time", "time"),
            ("a/b c", "a-b-c"),
            ("..", "-.."),
            ("größe", "größe"),
        ];
        for (goal, expected) in table {
            assert_eq!(file_name(goal), expected);
        }
    }
}
