//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Measure pleach against what else one could fuzz with
#[derive(Parser, Debug)]
#[command(name = "evaluate.sh", disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// The repository
    #[arg(long, hide = true, env = "PLEACH_ARENA_ROOT")]
    pub root: PathBuf,
    /// What to do
    #[command(subcommand)]
    pub verb: Verb,
}

/// What can be done.
#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Run campaigns: each subject, arm and seed that is not done yet
    Run(Run),
    /// Write tables and curves from results
    Report(Report),
    /// Check that the public input of each known bug crashes the bad version and not the fixed one
    BugsTest(BugsTest),
    /// Run random sentences of its grammar in each program, and print how many it accepts
    Acceptance(Acceptance),
    /// Say of each file of a list on standard input whether a program accepts it
    Judge(Judge),
    /// Learn what inputs reach in programs, and say how well the trees predict and how well inputs are aimed
    Associate(Associate),
    /// Run campaigns with goals, and ways to make inputs without, and compare what they come to
    Evolve(Evolve),
    /// List subjects and arms
    List,
}

/// Arguments of `run`.
#[derive(Args, Debug)]
pub(crate) struct Run {
    /// Directories in fuzz/arena/subjects or fuzz/arena/bugs; `all` and `bugs` stand for each of these, but `all` leaves out those that are heavy to build
    #[arg(long, value_delimiter = ',', default_value = "all")]
    pub subjects: Vec<String>,
    /// Arms by name; all if neither these nor variants are named
    #[arg(long, value_delimiter = ',')]
    pub arms: Vec<String>,
    /// Another arm: NAME=BASE and what differs, as in fast=pleach,PLEACH_BYTES=0.4,-len_control=50; also seeds=K, seeds=none, dict, no-dict
    #[arg(long, value_name = "NAME=BASE,ITEM…")]
    pub variant: Vec<String>,
    /// CPU seconds of a campaign
    #[arg(long, default_value_t = 60.0)]
    pub seconds: f64,
    /// Campaigns of each subject and arm, which differ in the engine's random numbers
    #[arg(long, default_value_t = 5)]
    pub seeds: u64,
    /// Campaigns at a time
    #[arg(long, default_value_t = 2)]
    pub jobs: usize,
    /// Where results are and will be
    #[arg(long, value_name = "DIR", default_value = "fuzz/target/arena/results")]
    pub results: PathBuf,
    /// Run what is done, too, and replace it
    #[arg(long)]
    pub force: bool,
    /// Keep corpora, final and as they grew (`seen`), beside the summaries
    #[arg(long)]
    pub keep: bool,
    /// The program pleach, which keeps the instrumentation away from itself
    #[arg(long, hide = true, env = "PLEACH_ARENA_PROGRAM")]
    pub pleach: PathBuf,
}

/// Arguments of `report`.
#[derive(Args, Debug)]
pub(crate) struct Report {
    /// Where results are
    #[arg(long, value_name = "DIR", default_value = "fuzz/target/arena/results")]
    pub results: PathBuf,
    /// A directory for report.md and the curves; without it the tables go to standard output
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// The arm that the others are compared with
    #[arg(long, value_name = "ARM", default_value = "pleach")]
    pub against: String,
    /// Only these subjects
    #[arg(long, value_delimiter = ',')]
    pub subjects: Vec<String>,
    /// Only these arms
    #[arg(long, value_delimiter = ',')]
    pub arms: Vec<String>,
}

/// Arguments of `bugs-test`.
#[derive(Args, Debug)]
pub(crate) struct BugsTest {
    /// Directories in fuzz/arena/bugs; all if none is named
    #[arg(long, value_delimiter = ',', default_value = "bugs")]
    pub subjects: Vec<String>,
    /// The program pleach, which keeps the instrumentation away from itself
    #[arg(long, hide = true, env = "PLEACH_ARENA_PROGRAM")]
    pub pleach: PathBuf,
}

/// Arguments of `acceptance`.
#[derive(Args, Debug)]
pub(crate) struct Acceptance {
    /// Directories in fuzz/arena/subjects; all if none is named
    #[arg(long, value_delimiter = ',', default_value = "all")]
    pub subjects: Vec<String>,
    /// How many sentences
    #[arg(short = 'n', default_value_t = 1000)]
    pub sentences: usize,
    /// Another seed gives other sentences
    #[arg(long, default_value_t = 0)]
    pub random_seed: u64,
    /// A new directory for the sentences that are not accepted
    #[arg(long, value_name = "DIR")]
    pub refused: Option<PathBuf>,
    /// The program pleach, which keeps the instrumentation away from itself
    #[arg(long, hide = true, env = "PLEACH_ARENA_PROGRAM")]
    pub pleach: PathBuf,
}

/// Arguments of `judge`.
#[derive(Args, Debug)]
pub(crate) struct Judge {
    /// A directory in fuzz/arena/subjects or fuzz/arena/bugs
    #[arg(long)]
    pub subject: String,
    /// The program pleach, which keeps the instrumentation away from itself
    #[arg(long, hide = true, env = "PLEACH_ARENA_PROGRAM")]
    pub pleach: PathBuf,
}

/// Arguments of `associate`.
#[derive(Args, Debug)]
pub(crate) struct Associate {
    /// Fuzz targets; all if none is named
    #[arg(long, value_delimiter = ',')]
    pub targets: Vec<String>,
    /// How many inputs are learned from, and how many the trees are tried on
    #[arg(short = 'n', default_value_t = 1000)]
    pub inputs: usize,
    /// Write the tables to this file, too
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Run what is done, too, and replace it
    #[arg(long)]
    pub force: bool,
    /// Options of `pleach associate`
    #[arg(last = true)]
    pub options: Vec<String>,
    /// The program pleach
    #[arg(long, hide = true, env = "PLEACH_ARENA_PROGRAM")]
    pub pleach: PathBuf,
}

/// Arguments of `evolve`.
#[derive(Args, Debug)]
pub(crate) struct Evolve {
    /// Fuzz targets; all if none is named
    #[arg(long, value_delimiter = ',')]
    pub targets: Vec<String>,
    /// The inputs of a generation
    #[arg(short = 'n', default_value_t = 200)]
    pub inputs: usize,
    /// The generations of a campaign
    #[arg(long, default_value_t = 20)]
    pub generations: usize,
    /// Campaigns of each kind, which differ in their random numbers
    #[arg(long, default_value_t = 3)]
    pub seeds: u64,
    /// Run campaigns that do without a part of the loop, and with the article's parameters, too
    #[arg(long)]
    pub ablations: bool,
    /// Run the targets' programs from this directory, by their names, instead of building them
    #[arg(long, value_name = "DIR")]
    pub programs: Option<PathBuf>,
    /// Write the tables to this file, too
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Run what is done, too, and replace it
    #[arg(long)]
    pub force: bool,
    /// The program pleach
    #[arg(long, hide = true, env = "PLEACH_ARENA_PROGRAM")]
    pub pleach: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Verb};
    use clap::{CommandFactory as _, Parser as _};

    fn parse(line: &str) -> Result<Verb, String> {
        let words = format!("evaluate.sh --root /r {line}");
        let parsed = Arguments::try_parse_from(words.split_whitespace());
        parsed.map(|it| it.verb).map_err(|it| it.to_string())
    }

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn lists_are_split_at_commas() {
        let line = "run --pleach p --subjects json,url --arms raw --variant a=raw,dict --variant b=a,seeds=3 --seconds 2.5 --seeds 1";
        let Verb::Run(run) = parse(line).unwrap() else {
            panic!("run is meant");
        };
        assert_eq!(run.subjects, ["json", "url"]);
        assert_eq!(run.arms, ["raw"]);
        assert_eq!(run.variant, ["a=raw,dict", "b=a,seeds=3"]);
        assert_eq!((run.seconds, run.seeds, run.jobs), (2.5, 1, 2));
        assert!(!run.force && !run.keep);
    }

    #[test]
    fn what_is_left_out_has_a_default() {
        let Verb::Run(run) = parse("run --pleach p").unwrap() else {
            panic!("run is meant");
        };
        assert_eq!(run.subjects, ["all"]);
        assert_eq!((run.seconds, run.seeds), (60.0, 5));
        let Verb::Report(report) = parse("report -o d").unwrap() else {
            panic!("report is meant");
        };
        assert_eq!(report.against, "pleach");
        assert!(parse("run --pleach p --seeds x").is_err());
        assert!(parse("walk").is_err());
    }
}
