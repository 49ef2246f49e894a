//! The developers' tool, `cargo xtask`: what makes and measures parts of this repository. No part of it is published.

mod corpus;
mod faults;
mod files;
mod survey;

use std::fmt;
use std::io::Write as _;

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
    Corpus(corpus::Corpus),
    Faults(faults::Faults),
    Survey(survey::Survey),
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Corpus(task) => task.run(),
        Task::Faults(task) => task.run(),
        Task::Survey(task) => task.run(),
    }
}

/// Prints a result to standard output, at once. Nobody reads it any more if that fails.
fn print(result: fmt::Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_fmt(result).and_then(|()| out.flush());
}
