//! The evaluation arena: every subject is fuzzed in every arm for the same CPU time, and what each corpus is worth is measured in one
//! and the same program. `README.md` beside this package says how; `scripts/evaluate.sh` is the front.
//!
//! | module | does |
//! |---|---|
//! | [`arguments`] | the command line |
//! | [`plan`], [`subject`] | arms and programs under test |
//! | [`builds`] | binaries as cargo-fuzz makes them |
//! | [`inputs`], [`dictionary`] | what an arm begins with, and texts of choice sequences |
//! | [`campaign`], [`monitor`], [`engine`], [`process`] | a campaign, watched from outside |
//! | [`replay`], [`measure`] | what a corpus is worth |
//! | [`results`], [`run`] | all campaigns, one after the other, each once |
//! | [`statistics`], [`report`], [`plot`] | tables and curves |
//! | [`bugs`] | the bug bench's own test |
//! | [`acceptance`] | how many sentences of its grammar each program accepts, and which files |
//! | [`evolve`] | what campaigns with goals are worth beside ways to make inputs without |
//! | [`associate`] | how well models of what inputs reach predict and aim |

mod acceptance;
mod arguments;
mod associate;
mod bugs;
mod builds;
mod campaign;
mod dictionary;
mod engine;
mod evolve;
#[cfg(test)]
mod fixtures;
mod inputs;
mod measure;
mod monitor;
mod plan;
mod plot;
mod process;
mod replay;
mod report;
mod results;
mod run;
mod statistics;
mod subject;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use arguments::{Arguments, Verb};
use process::Interrupt;
use subject::Checkout;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.root_cause().to_string() == "interrupted" => {
            eprintln!(
                "interrupted; what is finished is kept, and the same command goes on from there"
            );
            ExitCode::from(130)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(arguments: &Arguments) -> Result<()> {
    let checkout = Checkout {
        root: std::path::absolute(&arguments.root)?,
    };
    match &arguments.verb {
        Verb::Run(args) => run::run(&checkout, args, &Interrupt::listen()?),
        Verb::Report(args) => report::report(args),
        Verb::BugsTest(args) => bugs::test(&checkout, args, &Interrupt::listen()?),
        Verb::Acceptance(args) => acceptance::acceptance(&checkout, args, &Interrupt::listen()?),
        Verb::Judge(args) => acceptance::judge_files(&checkout, args, &Interrupt::listen()?),
        Verb::Associate(args) => associate::associate(&checkout, args, &Interrupt::listen()?),
        Verb::Evolve(args) => evolve::evolve(&checkout, args, &Interrupt::listen()?),
        Verb::List => list(&checkout),
    }
}

fn list(checkout: &Checkout) -> Result<()> {
    for (kind, subjects) in ["subject", "bugs"].into_iter().zip(checkout.subjects()?) {
        for subject in subjects {
            let heavy = if subject.about.heavy { ", heavy" } else { "" };
            println!(
                "{kind} {}: {} {}{heavy}",
                subject.key,
                subject.version(),
                subject.about.does
            );
        }
    }
    for arm in plan::arms() {
        println!("arm {}: {}", arm.name, arm.describe());
    }
    Ok(())
}
