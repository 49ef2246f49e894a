//! What campaigns with goals are worth: FdLoop's research questions 1 to 3 (*Directed Grammar-Based Test Generation*, section 4.1), on Rust programs.
//!
//! For each program there are a campaign for each goal, and for each way to make inputs without goals one, which has numbers for all goals. All begin with
//! the same seeds and run as many inputs, with several random seeds. Each campaign is a call of `pleach evolve --json`, and what it says is
//! kept, so that a second run goes on where the first one ended. Campaigns run one after the other, because time is measured.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::arguments::Evolve;
use crate::process::Interrupt;
use crate::subject::Checkout;

/// A fuzz target that is evaluated.
struct Target {
    name: &'static str,
    /// What its functions are of.
    package: &'static str,
    /// The texts to begin with, in `corpus/`.
    seeds: &'static str,
}

const TARGETS: [Target; 5] = [
    Target {
        name: "json",
        package: "serde_json",
        seeds: "json",
    },
    Target {
        name: "regex-syntax",
        package: "regex-syntax",
        seeds: "regex",
    },
    Target {
        name: "fend",
        package: "fend-core",
        seeds: "fend",
    },
    Target {
        name: "toml_edit",
        package: "toml_edit",
        seeds: "toml",
    },
    Target {
        name: "rhai",
        package: "rhai",
        seeds: "rhai",
    },
];

/// The goals, with where the last generation has their numbers.
const GOALS: [(&str, &str); 4] = [
    ("coverage", "functions"),
    ("mappings", "mappings"),
    ("time", "time_ns"),
    ("work", "work"),
];
/// The ways to make inputs without goals.
const BASELINES: [&str; 5] = ["random", "probabilistic", "inverse", "k-paths", "evogfuzz"];
/// What the loop can do without.
const ABLATIONS: [(&str, &str); 2] = [
    ("no input mutation", "--no-input-mutation"),
    ("no grammar mutation", "--no-grammar-mutation"),
];

/// A kind of campaign: its name, and its options.
fn arms() -> Vec<(String, Vec<String>)> {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut arms = Vec::new();
    for (goal, _) in GOALS {
        arms.push((goal.to_owned(), words(&["--goal", goal])));
        for (name, option) in ABLATIONS {
            arms.push((format!("{goal}, {name}"), words(&["--goal", goal, option])));
        }
        let paper = words(&["--goal", goal, "--preset", "paper"]);
        arms.push((format!("{goal}, article"), paper));
    }
    for baseline in BASELINES {
        arms.push((baseline.to_owned(), words(&["--strategy", baseline])));
    }
    arms
}

/// The numbers of campaigns of one program: by arm and goal, one for each random seed. The seeds are an arm of their own.
type Numbers = BTreeMap<(String, &'static str), Vec<f64>>;

/// `evolve`.
pub(crate) fn evolve(checkout: &Checkout, args: &Evolve, interrupt: &Interrupt) -> Result<()> {
    let results = checkout.scratch().join("evolve");
    fs::create_dir_all(&results)?;
    let mut known: Vec<(&Target, Numbers)> = Vec::new();
    for target in &TARGETS {
        if !args.targets.is_empty() && !args.targets.iter().any(|it| it == target.name) {
            continue;
        }
        let mut numbers = Numbers::new();
        for (arm, options) in arms() {
            for seed in 0..args.seeds {
                if interrupt.is_set() {
                    bail!("interrupted");
                }
                let name = format!("{} {arm} {seed}", target.name).replace(' ', "-");
                let path = results.join(format!("{name}.json"));
                if args.force || !path.exists() {
                    eprintln!("{name}");
                    let dir = results.join(format!("out-{}", target.name));
                    let _ = fs::remove_dir_all(&dir);
                    let mut command = Command::new(&args.pleach);
                    command.arg("evolve").arg(target.name).args(&options);
                    command.arg("--fuzz-dir").arg(checkout.root.join("fuzz"));
                    let seeds = checkout.root.join("corpus").join(target.seeds);
                    command.arg("--seeds").arg(seeds);
                    command.args(["--package", target.package, "--json"]);
                    command.args(["--random-seed", &seed.to_string()]);
                    command.args(["-n", &args.inputs.to_string()]);
                    command.args(["--generations", &args.generations.to_string()]);
                    if let Some(programs) = &args.programs {
                        command.arg("--program").arg(programs.join(target.name));
                    }
                    command.arg("-o").arg(&dir);
                    let report = run(&mut command)?;
                    fs::write(&path, serde_json::to_vec(&report)?)?;
                }
                let report = fs::read(&path)?;
                let report: Value = serde_json::from_slice(&report)
                    .with_context(|| format!("{}", path.display()))?;
                note(&mut numbers, &arm, &report);
            }
        }
        known.push((target, numbers));
    }
    let report = report(&known, args);
    print!("{report}");
    if let Some(path) = &args.output {
        fs::write(path, report).with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}

/// What a command says in JSON.
fn run(command: &mut Command) -> Result<Value> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("{command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Takes the numbers of a campaign.
fn note(numbers: &mut Numbers, arm: &str, report: &Value) {
    let last = report["generations"].as_array().and_then(|it| it.last());
    for (goal, field) in GOALS {
        let mut add = |arm: &str, row: Option<&Value>| {
            let number = row.and_then(|row| row[field].as_f64());
            let all = numbers.entry((arm.to_owned(), goal)).or_default();
            all.extend(number);
        };
        add(arm, last);
        add("seeds", report.get("seeds"));
    }
}

fn median(numbers: &[f64]) -> Option<f64> {
    let mut numbers = numbers.to_vec();
    numbers.sort_by(f64::total_cmp);
    let upper = *numbers.get(numbers.len() / 2)?;
    Some(f64::midpoint(numbers[(numbers.len() - 1) / 2], upper))
}

/// A number of a goal for a reader: microseconds of time.
fn shown(goal: &str, number: Option<f64>) -> String {
    match number {
        None => "-".into(),
        Some(number) if goal == "time" => format!("{:.0}", number / 1000.0),
        Some(number) => format!("{number:.0}"),
    }
}

fn report(known: &[(&Target, Numbers)], args: &Evolve) -> String {
    let mut report = format!(
        "# Campaigns with goals\n\nMade by `scripts/evolve.sh`, which says how: {} generations of {} inputs, {} random seeds, medians. The numbers are functions of the \
         program under test that all inputs cover together, pairs of a 2-path of the input and a function (for the column *article*, of a subtree), microseconds of the slowest input, and the \
         greatest sum of edge counts of an input.\n",
        args.generations, args.inputs, args.seeds
    );
    let [mut ahead, mut equal, mut behind] = [0u32; 3];
    let mut losses = Vec::new();
    for (goal, _) in GOALS {
        let _ = writeln!(
            report,
            "\n## {goal}\n\n| program | goal `{goal}` | {} | seeds | no input mutation | no grammar mutation | article |",
            BASELINES.join(" | ")
        );
        let _ = writeln!(report, "|---|{}", "---|".repeat(BASELINES.len() + 5));
        for (target, numbers) in known {
            let of = |arm: &str| {
                let all = numbers.get(&(arm.to_owned(), goal));
                all.and_then(|it| median(it))
            };
            let own = of(goal);
            let others = BASELINES.iter().copied().chain(["seeds"]);
            let others: Vec<(&str, Option<f64>)> = others.map(|arm| (arm, of(arm))).collect();
            let best = others.iter().filter_map(|&(arm, it)| Some((arm, it?)));
            let best = best.max_by(|one, other| one.1.total_cmp(&other.1));
            if let (Some(own), Some((arm, best))) = (own, best) {
                match own.total_cmp(&best) {
                    std::cmp::Ordering::Greater => ahead += 1,
                    std::cmp::Ordering::Equal => equal += 1,
                    std::cmp::Ordering::Less => {
                        behind += 1;
                        losses.push(format!("{goal} of {} ({arm})", target.package));
                    }
                }
            }
            let mut row = vec![target.package.to_owned(), shown(goal, own)];
            row.extend(others.iter().map(|&(_, it)| shown(goal, it)));
            for (name, _) in ABLATIONS {
                row.push(shown(goal, of(&format!("{goal}, {name}"))));
            }
            row.push(shown(goal, of(&format!("{goal}, article"))));
            let _ = writeln!(report, "| {} |", row.join(" | "));
        }
    }
    let lost = match losses.is_empty() {
        true => String::new(),
        false => format!(" It is behind in {}.", losses.join(", ")),
    };
    let _ = writeln!(
        report,
        "\n## In short\n\nOf {} settings, a program and a goal each, the campaign for the goal is ahead of the best of all others, the seeds among them, in {ahead}, as good in \
         {equal}, and behind in {behind}.{lost}",
        ahead + equal + behind
    );
    report
}

#[cfg(test)]
mod tests {
    use super::{Numbers, TARGETS, note, report};
    use crate::arguments::Evolve;
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn every_target_and_its_seeds_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for target in &TARGETS {
            assert!(root.join("corpus").join(target.seeds).is_dir());
            let program = format!("fuzz/fuzz_targets/{}.rs", target.name);
            assert!(root.join(&program).is_file(), "{program}");
        }
    }

    #[test]
    fn losses_are_named() {
        let mut numbers = Numbers::new();
        let row = |functions: u32, time: u32| json!({"functions": functions, "mappings": 5, "time_ns": time, "work": 7});
        let campaign = |functions, time| json!({"seeds": row(1, 1000), "generations": [row(0, 0), row(functions, time)]});
        note(&mut numbers, "coverage", &campaign(10, 0));
        note(&mut numbers, "coverage", &campaign(20, 0));
        note(&mut numbers, "random", &campaign(12, 9000));
        note(&mut numbers, "k-paths", &campaign(11, 0));
        note(&mut numbers, "time", &campaign(0, 8000));
        let args = Evolve {
            targets: Vec::new(),
            inputs: 200,
            generations: 20,
            seeds: 2,
            programs: None,
            output: None,
            force: false,
            pleach: "pleach".into(),
        };
        let report = report(&[(&TARGETS[0], numbers)], &args);
        for expected in [
            "| serde_json | 15 | 12 | - | - | 11 | - | 1 | - | - | - |",
            "| serde_json | 8 | 9 | - |",
            "Of 2 settings",
            "in 1, as good in 0, and behind in 1. It is behind in time of serde_json (random).",
        ] {
            assert!(report.contains(expected), "{expected}\n{report}");
        }
    }
}
