//! The developers' tool, `cargo xtask`: what makes and measures parts of this repository. No part of it is published.

mod corpus;
mod faults;

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
}

fn main() -> anyhow::Result<()> {
    match Arguments::parse().task {
        Task::Corpus(task) => task.run(),
        Task::Faults(task) => task.run(),
    }
}
