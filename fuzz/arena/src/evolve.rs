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

const TARGETS: [Target; 10] = [
    Target {
        name: "json",
        package: "serde_json",
        seeds: "json",
    },
    Target {
        name: "json5",
        package: "json5",
        seeds: "json5",
    },
    Target {
        name: "fend",
        package: "fend-core",
        seeds: "fend",
    },
    Target {
        name: "regex-syntax",
        package: "regex-syntax",
        seeds: "regex",
    },
    Target {
        name: "rhai",
        package: "rhai",
        seeds: "rhai",
    },
    Target {
        name: "lightningcss",
        package: "lightningcss",
        seeds: "css",
    },
    Target {
        name: "toml_edit",
        package: "toml_edit",
        seeds: "toml",
    },
    Target {
        name: "fasteval",
        package: "fasteval",
        seeds: "arithmetic",
    },
    Target {
        name: "url",
        package: "url",
        seeds: "url",
    },
    Target {
        name: "oxc",
        package: "oxc_parser",
        seeds: "javascript",
    },
];

/// The goals, with where the last generation has their numbers.
const GOALS: [(&str, &str); 4] = [
    ("coverage", "functions"),
    ("mappings", "mappings"),
    ("time", "time_ns"),
    ("work", "work"),
];
/// The engine without pleach, for the CPU time that the campaign for the goal has taken.
const ENGINE: &str = "libFuzzer";
/// The campaign for coverage, without mutants that are slightly invalid.
const WITHOUT_ERRORS: &str = "coverage, no errors";
/// The ways to make inputs without goals.
const BASELINES: [&str; 5] = ["random", "probabilistic", "inverse", "k-paths", "evogfuzz"];
/// What the loop can do without.
const ABLATIONS: [(&str, &str); 2] = [
    ("no input mutation", "--no-input-mutation"),
    ("no grammar mutation", "--no-grammar-mutation"),
];

/// A kind of campaign: its name, and its options.
fn arms(ablations: bool) -> Vec<(String, Vec<String>)> {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut arms = Vec::new();
    for (goal, _) in GOALS {
        let own = words(&["--goal", goal, "--against-engine"]);
        arms.push((goal.to_owned(), own));
        if !ablations {
            continue;
        }
        for (name, option) in ABLATIONS {
            arms.push((format!("{goal}, {name}"), words(&["--goal", goal, option])));
        }
        let paper = words(&["--goal", goal, "--preset", "paper"]);
        arms.push((format!("{goal}, article"), paper));
    }
    let without = words(&["--goal", "coverage", "--errors", "0"]);
    arms.push((WITHOUT_ERRORS.to_owned(), without));
    for baseline in BASELINES {
        arms.push((baseline.to_owned(), words(&["--strategy", baseline])));
    }
    arms
}

/// The numbers of campaigns of one program: by arm and goal, one for each random seed. The seeds are an arm of their own.
type Numbers = BTreeMap<(String, &'static str), Vec<f64>>;

/// What is known of one program.
#[derive(Default)]
struct Measured {
    numbers: Numbers,
    /// Nanoseconds per byte: of the slowest input of the campaign for time, of the engine's slowest one, and of the median seed.
    paces: [Vec<f64>; 3],
}

/// `evolve`.
pub(crate) fn evolve(checkout: &Checkout, args: &Evolve, interrupt: &Interrupt) -> Result<()> {
    let results = checkout.scratch().join("evolve");
    fs::create_dir_all(&results)?;
    let mut known: Vec<(&Target, Measured)> = Vec::new();
    for target in &TARGETS {
        if !args.targets.is_empty() && !args.targets.iter().any(|it| it == target.name) {
            continue;
        }
        let mut numbers = Measured::default();
        for (arm, options) in arms(args.ablations) {
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
                    // What a campaign for time finds may take so long that it would find nothing else.
                    command.args(["--timeout", "1"]);
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
fn note(program: &mut Measured, arm: &str, report: &Value) {
    let last = report["generations"].as_array().and_then(|it| it.last());
    for (goal, field) in GOALS {
        let mut add = |arm: &str, row: Option<&Value>| {
            let number = row.and_then(|row| row[field].as_f64());
            let all = program.numbers.entry((arm.to_owned(), goal)).or_default();
            all.extend(number);
        };
        add(arm, last);
        add("seeds", report.get("seeds"));
        // It has as much time as the campaign for this goal.
        if arm == goal {
            add(ENGINE, report.get("engine"));
        }
    }
    if arm != "time" {
        return;
    }
    let pace = |row: Option<&Value>| {
        let row = row?;
        Some(row["time_ns"].as_f64()? / row["slowest_bytes"].as_f64()?.max(1.0))
    };
    let slowest = [
        pace(last),
        pace(report.get("engine")),
        report["seeds_ns_per_byte"].as_f64(),
    ];
    for (all, pace) in program.paces.iter_mut().zip(slowest) {
        all.extend(pace);
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

fn report(known: &[(&Target, Measured)], args: &Evolve) -> String {
    let mut report = format!(
        "Made by `scripts/evolve.sh`, which says how: {} generations of {} inputs, {} random seeds, medians. The numbers are functions of the \
         program under test that all inputs cover together, pairs of a 2-path of the input and a function (for the column *article*, of a subtree), microseconds of the slowest input, and the \
         greatest sum of edge counts of an input.\n",
        args.generations, args.inputs, args.seeds
    );
    let mut others: Vec<&str> = BASELINES.to_vec();
    others.extend(["seeds", ENGINE]);
    let mut tables = String::new();
    // How often the campaign for a goal is ahead of the best of the others, as good, and behind; with the engine among them, and without it.
    let mut counts = [[0u32; 3]; 2];
    let mut losses = Vec::new();
    for (goal, _) in GOALS {
        let mut columns = vec![format!("goal `{goal}`")];
        columns.extend(others.iter().map(ToString::to_string));
        let mut more: Vec<(&str, String)> = Vec::new();
        if goal == "coverage" {
            more.push(("no errors", WITHOUT_ERRORS.to_owned()));
        }
        if args.ablations {
            more.extend(ABLATIONS.map(|(name, _)| (name, format!("{goal}, {name}"))));
            more.push(("article", format!("{goal}, article")));
        }
        columns.extend(more.iter().map(|it| it.0.to_owned()));
        let _ = writeln!(
            tables,
            "\n## {goal}\n\n| program | {} |\n|---|{}",
            columns.join(" | "),
            "---|".repeat(columns.len())
        );
        for (target, Measured { numbers, .. }) in known {
            let of = |arm: &str| {
                let all = numbers.get(&(arm.to_owned(), goal));
                all.and_then(|it| median(it))
            };
            let own = of(goal);
            for (counts, is_engine_in) in counts.iter_mut().zip([true, false]) {
                let rivals = others.iter().filter(|&&arm| is_engine_in || arm != ENGINE);
                let best = rivals.filter_map(|&arm| Some((arm, of(arm)?)));
                let best = best.max_by(|one, other| one.1.total_cmp(&other.1));
                let (Some(own), Some((arm, best))) = (own, best) else {
                    continue;
                };
                let order = own.total_cmp(&best);
                counts[match order {
                    std::cmp::Ordering::Greater => 0,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Less => 2,
                }] += 1;
                if is_engine_in && order.is_lt() {
                    losses.push(format!("{goal} of {} ({arm})", target.package));
                }
            }
            let mut row = vec![target.package.to_owned(), shown(goal, own)];
            row.extend(others.iter().map(|arm| shown(goal, of(arm))));
            row.extend(more.iter().map(|(_, arm)| shown(goal, of(arm))));
            let _ = writeln!(tables, "| {} |", row.join(" | "));
        }
    }
    let lost = match losses.is_empty() {
        true => String::new(),
        false => format!(" It is behind in {}.", losses.join(", ")),
    };
    let [with, without] = counts;
    let _ = writeln!(
        report,
        "\nOf {} settings, a program and a goal each, the campaign for the goal is ahead of the best of all others in {}, as good in {}, and behind in {}.{lost} \
         Without {ENGINE} among the others, it is ahead in {}, as good in {}, and behind in {}.",
        with.iter().sum::<u32>(),
        with[0],
        with[1],
        with[2],
        without[0],
        without[1],
        without[2]
    );
    report.push_str(&tables);
    paces(&mut report, known);
    report
}

/// How long slow inputs take for a byte.
fn paces(report: &mut String, known: &[(&Target, Measured)]) {
    report.push_str(
        "\n## time per byte\n\nNanoseconds per byte of the slowest input.\n\n\
         | program | goal `time` | libFuzzer | median seed | times the median seed |\n|---|---|---|---|---|\n",
    );
    for (target, Measured { paces, .. }) in known {
        let [own, engine, seed] = paces.each_ref().map(|it| median(it));
        let times = own.zip(seed).map(|(own, seed)| own / seed);
        let shown = |number: Option<f64>, digits: usize| {
            number.map_or("-".to_owned(), |it| format!("{it:.digits$}"))
        };
        let _ = writeln!(
            report,
            "| {} | {} | {} | {} | {} |",
            target.package,
            shown(own, 0),
            shown(engine, 0),
            shown(seed, 0),
            shown(times, 1)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{Measured, TARGETS, note, report};
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
        let mut measured = Measured::default();
        let row = |functions: u32, time: u32| json!({"functions": functions, "mappings": 5, "time_ns": time, "slowest_bytes": 40, "work": 7});
        let campaign = |functions, time| json!({"seeds": row(1, 1000), "seeds_ns_per_byte": 50.0, "generations": [row(0, 0), row(functions, time)]});
        let mut coverage = campaign(10, 0);
        coverage["engine"] = row(16, 0);
        note(&mut measured, "coverage", &coverage);
        note(&mut measured, "coverage", &campaign(20, 0));
        note(&mut measured, "random", &campaign(12, 9000));
        note(&mut measured, "k-paths", &campaign(11, 0));
        let mut time = campaign(0, 8000);
        time["engine"] = row(30, 2000);
        note(&mut measured, "time", &time);
        let args = Evolve {
            targets: Vec::new(),
            inputs: 200,
            generations: 20,
            seeds: 2,
            ablations: false,
            programs: None,
            output: None,
            force: false,
            pleach: "pleach".into(),
        };
        let report = report(&[(&TARGETS[0], measured)], &args);
        for expected in [
            "| serde_json | 15 | 12 | - | - | 11 | - | 1 | 16 | - |",
            "| serde_json | 8 | 9 | - | - | 0 | - | 1 | 2 |",
            "Of 2 settings",
            "in 0, as good in 0, and behind in 2. It is behind in coverage of serde_json (libFuzzer), time of serde_json (random).",
            "Without libFuzzer among the others, it is ahead in 1, as good in 0, and behind in 1.",
            "| serde_json | 200 | 50 | 50 | 4.0 |",
        ] {
            assert!(report.contains(expected), "{expected}\n{report}");
        }
    }
}
