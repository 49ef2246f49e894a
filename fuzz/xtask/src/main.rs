//! The developers' tool, `cargo xtask`: what makes and measures parts of this repository. No part of it is published.

mod aim;
mod corpus;
mod documents;
mod faults;
mod fetch;
mod files;
mod judge;
mod learned;
mod samples;
mod suites;

use std::fmt;
use std::io::Write as _;
use std::path::Path;

use clap::{Parser, Subcommand};

/// Make and measure parts of this repository
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Aim(aim::Aim),
    Corpus(corpus::Corpus),
    Documents(documents::Documents),
    Faults(faults::Faults),
    Learned(learned::Learned),
    Samples(samples::Samples),
    Suites(suites::Suites),
    Judge(judge::Judge),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Aim(task) => task.run(),
        Task::Corpus(task) => task.run(),
        Task::Documents(task) => task.run(),
        Task::Faults(task) => task.run(),
        Task::Learned(task) => task.run(),
        Task::Samples(task) => task.run(),
        Task::Suites(task) => task.run(),
        Task::Judge(task) => task.run(),
    }
}

/// Prints a result to standard output, at once. Nobody reads it any more if that fails.
fn print(result: fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_fmt(result).and_then(|()| out.flush());
}

/// The root of the repository.
fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.ancestors().nth(2).unwrap_or(xtask)
}

/// A share in percent with one digit behind the point, rounded down.
fn share(part: u64, whole: u64) -> String {
    match (part * 1000).checked_div(whole) {
        Some(thousandths) => format!("{} %", thousandths as f64 / 10.0),
        None => "0 / 0".to_owned(),
    }
}
