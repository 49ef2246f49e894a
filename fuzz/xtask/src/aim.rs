//! `cargo xtask aim`: how soon, and how often, campaigns reach functions that are rarely reached, with an aim and without.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use serde::Deserialize;

use super::fetch::{pleach, run};
use super::{print, root};

/// Programs and the packages whose functions are looked at.
const SUBJECTS: [(&str, &str); 3] = [
    ("json", "serde_json"),
    ("fend", "fend-core"),
    ("rhai", "rhai"),
];

/// Print a Markdown table of campaigns that are aimed at rare functions, beside campaigns that are not
///
/// Functions are those that fewer than one in a hundred of the inputs reach that `pleach associate` learns from: of these, the same number for
/// each program, evenly spread over the list from the rarest to the most frequent one. Each campaign begins with an empty corpus. What it takes to
/// learn is left out on both sides; inputs that the aim makes are counted as runs.
///
/// Example: cargo xtask aim --functions 5 --seconds 10 --seeds 3
#[derive(Args)]
pub(crate) struct Aim {
    /// How many functions of each program
    #[arg(long, default_value_t = 5)]
    functions: usize,
    /// How long a campaign runs
    #[arg(long, default_value_t = 10)]
    seconds: u32,
    /// How many campaigns there are of each kind
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// The share of mutations that begin with inputs that have got there
    #[arg(long, default_value_t = 0.5)]
    share: f64,
}

#[derive(Deserialize)]
struct Explained {
    inputs: f64,
    classes: Vec<Class>,
}

#[derive(Deserialize)]
struct Class {
    name: String,
    inputs: f64,
}

#[derive(Deserialize)]
struct Summary {
    executions: f64,
    seconds: f64,
    edges: Option<f64>,
    aim: Counts,
}

#[derive(Clone, Copy, Deserialize)]
struct Counts {
    reached: f64,
    runs: f64,
    first: f64,
}

/// What campaigns of one kind have come to, in the median: seconds until the function was reached, the share of runs that did, edges.
struct Outcome {
    first: Option<f64>,
    found: usize,
    share: f64,
    edges: f64,
}

impl Aim {
    pub(crate) fn run(self) -> Result<()> {
        let pleach = pleach()?;
        let folder = tempfile::tempdir()?;
        print(format_args!(
            "| program | function | reached by | first, s | first, s, aimed | runs | runs, aimed | edges | edges, aimed |\n\
             |---|---|--:|--:|--:|--:|--:|--:|--:|\n"
        ));
        for (target, package) in SUBJECTS {
            let model = folder.path().join(format!("{target}.model"));
            let mut associate = Command::new(&pleach);
            associate.args(["associate", target, "--package", package, "-o"]);
            associate.arg(&model).stdout(Stdio::null());
            run(associate.current_dir(root().join("fuzz")))?;
            let explained = Command::new(&pleach)
                .arg("explain")
                .arg(&model)
                .arg("--json")
                .output()?;
            let explained: Explained = serde_json::from_slice(&explained.stdout)?;
            let classes = explained.classes.iter();
            let rare: Vec<&Class> = classes
                .filter(|it| it.inputs < 0.01 * explained.inputs)
                .collect();
            ensure!(
                rare.len() >= self.functions,
                "{target} has too few rare functions"
            );
            for at in 0..self.functions {
                let class = rare[at * rare.len() / self.functions];
                let plain = self.outcome(&pleach, target, &class.name, &model, 0.0)?;
                let aimed = self.outcome(&pleach, target, &class.name, &model, self.share)?;
                let of = self.seeds;
                let first = |it: &Outcome| match it.first {
                    Some(first) => format!("{first:.2}"),
                    None => format!("- ({} of {of})", it.found),
                };
                print(format_args!(
                    "| {target} | `{}` | {:.2} % | {} | {} | {:.3} % | {:.3} % | {:.0} | {:.0} |\n",
                    class.name,
                    100.0 * class.inputs / explained.inputs,
                    first(&plain),
                    first(&aimed),
                    100.0 * plain.share,
                    100.0 * aimed.share,
                    plain.edges,
                    aimed.edges
                ));
            }
        }
        Ok(())
    }

    fn outcome(
        &self,
        pleach: &Path,
        target: &str,
        function: &str,
        model: &Path,
        share: f64,
    ) -> Result<Outcome> {
        let (mut firsts, mut shares, mut edges) = (Vec::new(), Vec::new(), Vec::new());
        for seed in 1..=self.seeds {
            let corpus = tempfile::tempdir()?;
            let output = Command::new(pleach)
                .args(["fuzz", target, &format!("{}s", self.seconds), "--json"])
                .args(["--aim", function, "--aim-share", &share.to_string()])
                .arg("--associations")
                .arg(model)
                .arg("--corpus")
                .arg(corpus.path())
                .args(["--random-seed", &seed.to_string()])
                .current_dir(root().join("fuzz"))
                .stderr(Stdio::piped())
                .output()?;
            let summary: Summary = serde_json::from_slice(&output.stdout).with_context(|| {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                format!("{target}, {function}: {said}")
            })?;
            let Counts {
                reached,
                runs,
                first,
            } = summary.aim;
            if reached > 0.0 {
                firsts.push(first * summary.seconds / summary.executions);
            }
            shares.push(reached / runs.max(1.0));
            edges.extend(summary.edges);
        }
        // Campaigns that did not get there count as slower than all others.
        let found = firsts.len();
        firsts.resize(self.seeds as usize, f64::INFINITY);
        Ok(Outcome {
            first: Some(median(&mut firsts)).filter(|it| it.is_finite()),
            found,
            share: median(&mut shares),
            edges: median(&mut edges),
        })
    }
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
