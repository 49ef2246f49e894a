//! Measures what pleach is compared with, and prints Markdown tables.
//!
//! All arms run round robin in one process and one thread; times are CPU time of that thread; what is printed are medians
//! over the rounds, the quartiles, and medians of the ratios within a round. `README.md` says what each arm does.

mod arms;
mod encode;
mod engine;
mod handwritten;
mod mutatis_json;
mod nautilus;
mod subject;

use arms::{Arm, Ratio, Reference, Task, Workload};
use clap::Parser;
use pleach_peers::harness::{self, Quartiles, Run, Sample, measure};
use pleach_peers::table::number;

/// The fewest operations in a sample: some take ten times as long as others.
const MIN_OPERATIONS: u64 = 8;

/// Measures CPU time of the peers and prints Markdown tables.
#[derive(Debug, Parser)]
struct Options {
    /// How often every arm is measured.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Only arms whose path `task/language/size/name` contains this, for example `mutate/json` or `Nautilus`.
    #[arg(long, default_value = "")]
    filter: String,

    /// Only list the paths of the arms.
    #[arg(long)]
    list: bool,
}

fn main() {
    let options = Options::parse();
    engine::run_inside(move || run(&options));
}

fn run(options: &Options) {
    let arms: Vec<Arm> = arms::all()
        .into_iter()
        .filter(|arm| arm.path().contains(&options.filter))
        .collect();
    if options.list {
        arms.iter().for_each(|arm| println!("{}", arm.path()));
        return;
    }
    let rounds = options.rounds as usize;
    let (results, mut runs): (Vec<(&str, Workload)>, Vec<Run>) = arms
        .into_iter()
        .map(|arm| ((arm.name, arm.workload), arm.run))
        .unzip();
    let samples = measure(&mut runs, rounds, MIN_OPERATIONS, |round| {
        if round % 20 == 0 {
            eprintln!("round {round} of {rounds}");
        }
    });
    let results: Vec<Measured> = results
        .into_iter()
        .zip(samples)
        .map(|((name, workload), samples)| Measured {
            name,
            workload,
            samples,
        })
        .collect();
    for task in Task::ALL {
        print_table(task, &results, rounds);
    }
}

/// An arm that has been measured.
struct Measured {
    name: &'static str,
    workload: Workload,
    samples: Vec<Sample>,
}

impl Measured {
    fn quartiles(&self, of: impl Fn(&Sample) -> f64) -> Quartiles {
        Quartiles::of(self.samples.iter().map(of))
    }
}

/// Prints the table of one task.
fn print_table(task: Task, results: &[Measured], rounds: usize) {
    let results: Vec<&Measured> = results
        .iter()
        .filter(|result| result.workload.task == task)
        .collect();
    if results.is_empty() {
        return;
    }
    println!("### {task} ({rounds} rounds)\n");
    print!("| grammar | size | arm | bytes | ns | quartiles | MB/s |");
    for Reference { arm, ratio } in task.references() {
        let quantity = match ratio {
            Ratio::Throughput => "MB/s",
            Ratio::Speed => "speed",
            Ratio::Time => "ns",
        };
        print!(" {quantity} ÷ {arm}'s |");
    }
    print!("\n|---|--:|---|--:|--:|--:|--:|");
    println!("{}", "--:|".repeat(task.references().len()));
    for result in &results {
        let time = result.quartiles(|sample| sample.nanoseconds);
        let bytes = result.quartiles(|sample| sample.bytes).median;
        let speed = result
            .quartiles(|sample| 1e3 / sample.nanoseconds_per_byte())
            .median;
        print!(
            "| {} | {} | {} | {} | {} | {} – {} | {} |",
            result.workload.language,
            result.workload.size,
            result.name,
            number(bytes),
            number(time.median),
            number(time.first),
            number(time.third),
            number(speed),
        );
        for reference in task.references() {
            let of = results
                .iter()
                .find(|of| of.name == reference.arm && of.workload == result.workload);
            match of {
                Some(of) => print!(" {} |", number(compare(result, of, reference.ratio))),
                None => print!(" |"),
            }
        }
        println!();
    }
    println!();
}

/// The median of the ratios within the rounds.
fn compare(arm: &Measured, reference: &Measured, ratio: Ratio) -> f64 {
    let within_round = |(arm, reference): (&Sample, &Sample)| match ratio {
        Ratio::Throughput => reference.nanoseconds_per_byte() / arm.nanoseconds_per_byte(),
        Ratio::Speed => reference.nanoseconds / arm.nanoseconds,
        Ratio::Time => arm.nanoseconds / reference.nanoseconds,
    };
    Quartiles::of(arm.samples.iter().zip(&reference.samples).map(within_round)).median
}
