//! What models of `pleach associate` are worth: the article's tables 8 to 11 (TOSEM, section 5.4), on Rust programs.
//!
//! For each program: 1000 random sentences to learn from and 1000 others, by another seed, to try the trees on; and ten inputs for every function with
//! a tree, which are run, beside as many random ones. Each step is a command of pleach with `--json`, and what it says is kept, so that a second
//! run goes on where the first one ended.

#![expect(
    clippy::disallowed_types,
    reason = "how long learning takes is measured"
)]

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arguments::Associate;
use crate::process::Interrupt;
use crate::subject::Checkout;

/// A fuzz target that is evaluated.
struct Target {
    family: &'static str,
    name: &'static str,
    /// What its functions are of.
    package: &'static str,
    grammar: &'static str,
    /// The fuzz package, from the repository's root.
    dir: &'static str,
    /// Whether it is behind a feature of its name.
    has_feature: bool,
}

/// The fuzz package of this repository.
const FUZZ: &str = "fuzz";
/// That of parsers of the same language.
const PARSERS: &str = "fuzz/arena/parsers";

macro_rules! targets {
    ($($family:literal: $name:literal of $package:literal, $grammar:literal in $dir:expr, $has_feature:literal;)*) => {
        &[$(Target {
            family: $family,
            name: $name,
            package: $package,
            grammar: $grammar,
            dir: $dir,
            has_feature: $has_feature,
        }),*]
    };
}

const TARGETS: &[Target] = targets! {
    "JSON": "json" of "serde_json", "grammars/json/json.ebnf" in FUZZ, false;
    "JSON": "tinyjson" of "tinyjson", "grammars/json/json.ebnf" in PARSERS, false;
    "JSON": "jzon" of "jzon", "grammars/json/json.ebnf" in PARSERS, false;
    "JSON": "simd-json" of "simd-json", "grammars/json/json.ebnf" in PARSERS, false;
    "URL": "url" of "url", "grammars/whatwg_url/whatwg_url.ebnf" in FUZZ, false;
    "URL": "fluent-uri" of "fluent-uri", "grammars/url/url.ebnf" in PARSERS, false;
    "URL": "iri-string" of "iri-string", "grammars/url/url.ebnf" in PARSERS, false;
    "JavaScript": "oxc" of "oxc_parser", "grammars/javascript/javascript.ebnf" in FUZZ, true;
    "others": "fend" of "fend-core", "grammars/fend/fend.ebnf" in FUZZ, false;
    "others": "rhai" of "rhai", "grammars/rhai/rhai.ebnf" in FUZZ, true;
    "others": "toml_edit" of "toml_edit", "grammars/toml/toml.ebnf" in FUZZ, true;
    "others": "regex-syntax" of "regex-syntax", "grammars/regex/regex.ebnf" in FUZZ, true;
    "others": "sqlparser" of "sqlparser", "grammars/sql/sql.ebnf" in FUZZ, true;
};

/// What is known of a target and a kind of features.
#[derive(Serialize, Deserialize)]
struct Outcome {
    associate: Value,
    predict: Value,
    aim: Value,
    /// Seconds of learning, the target being built.
    seconds: f64,
}

/// `associate`.
pub(crate) fn associate(
    checkout: &Checkout,
    args: &Associate,
    interrupt: &Interrupt,
) -> Result<()> {
    let results = checkout.scratch().join("associate");
    fs::create_dir_all(&results)?;
    let targets: Vec<&Target> = match args.targets.is_empty() {
        true => TARGETS.iter().collect(),
        false => {
            let find = |name: &String| {
                let found = TARGETS.iter().find(|it| it.name == name);
                found.with_context(|| {
                    let names: Vec<&str> = TARGETS.iter().map(|it| it.name).collect();
                    format!(
                        "there is no target `{name}`; there are {}",
                        names.join(", ")
                    )
                })
            };
            args.targets.iter().map(find).collect::<Result<_>>()?
        }
    };
    for target in &targets {
        let path = results.join(format!("{}.json", target.name));
        if path.exists() && !args.force {
            continue;
        }
        if interrupt.is_set() {
            bail!("interrupted");
        }
        eprintln!("{}", target.name);
        match evaluate(checkout, args, target) {
            Ok(outcome) => fs::write(&path, serde_json::to_vec_pretty(&outcome)?)?,
            // Others may do.
            Err(error) => eprintln!("{}: {error:#}", target.name),
        }
    }
    let mut known: Vec<(&Target, Outcome)> = Vec::new();
    for target in TARGETS {
        let path = results.join(format!("{}.json", target.name));
        if let Ok(bytes) = fs::read(&path) {
            let outcome = serde_json::from_slice(&bytes);
            let outcome = outcome.with_context(|| format!("{}", path.display()))?;
            known.push((target, outcome));
        }
    }
    let report = report(&known);
    print!("{report}");
    if let Some(path) = &args.output {
        fs::write(path, report).with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}

/// Everything about one target.
fn evaluate(checkout: &Checkout, args: &Associate, target: &Target) -> Result<Outcome> {
    let dir = checkout.scratch().join("associate").join(target.name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir)?;
    let fuzz_dir = checkout.root.join(target.dir);
    let grammar = checkout.root.join(target.grammar);
    let [train, test] = ["train", "test"].map(|name| dir.join(name));
    for (seed, set) in [(1, &train), (2, &test)] {
        let mut command = Command::new(&args.pleach);
        command.arg("generate").arg(&grammar).arg("--choices");
        command.args(["-n", &args.inputs.to_string()]);
        command.args(["--random-seed", &seed.to_string()]);
        command.arg("-o").arg(set);
        run(&mut command)?;
    }
    let mut build = Vec::new();
    build.push("--fuzz-dir".to_owned());
    build.push(fuzz_dir.display().to_string());
    if target.has_feature {
        build.extend(["--features".to_owned(), target.name.to_owned()]);
    }
    let model = dir.join("model");
    let learn = |force: bool| {
        let mut command = Command::new(&args.pleach);
        command.arg("associate").arg(target.name).arg(&train);
        command.arg("-o").arg(&model).arg("--json");
        // The functions of the program, not those of the target that calls it.
        command.args(["--package", target.package]);
        command.args(&build).args(&args.options);
        command.args(force.then_some("--force"));
        run(&mut command)
    };
    // Once to build it, once to see how long it takes.
    learn(false)?;
    let begun = Instant::now();
    let associate = learn(true)?;
    let seconds = begun.elapsed().as_secs_f64();
    let mut command = Command::new(&args.pleach);
    command
        .arg("predict")
        .arg(&model)
        .arg(&test)
        .arg("--choices");
    command
        .args(["--check", target.name, "--json"])
        .args(&build);
    let predict = run(&mut command)?;
    let mut command = Command::new(&args.pleach);
    command.arg("aim").arg(&model).args(["--all", "-n", "10"]);
    command
        .args(["--check", target.name, "--json"])
        .args(&build);
    let aim = run(&mut command)?;
    Ok(Outcome {
        associate,
        predict,
        aim,
        seconds,
    })
}

/// What a command says in JSON; nothing if it says something else.
fn run(command: &mut Command) -> Result<Value> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("{command:?}"))?;
    ensure!(
        output.status.code().is_some_and(|code| code < 2),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(serde_json::from_slice(&output.stdout).unwrap_or(Value::Null))
}

/// A number of a report, with so many decimals.
fn number(value: &Value, pointer: &str, decimals: usize) -> String {
    match value.pointer(pointer).and_then(Value::as_f64) {
        Some(number) => format!("{number:.decimals$}"),
        None => "-".into(),
    }
}

/// A table with the medians of some columns at its end.
fn table(
    head: &str,
    known: &[(&Target, Outcome)],
    cells: impl Fn(&Outcome) -> Vec<String>,
) -> String {
    let mut table = format!("{head}\n");
    let columns = head.matches('|').count() - 1;
    let _ = writeln!(table, "|{}", "---|".repeat(columns));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (target, outcome) in known {
        let row = cells(outcome);
        let _ = writeln!(
            table,
            "| {} | {} | {} |",
            target.family,
            target.package,
            row.join(" | ")
        );
        rows.push(row);
    }
    let width = rows.first().map_or(0, Vec::len);
    let medians = (0..width).map(|column| {
        let decimals = rows
            .first()
            .map_or(0, |row| match row[column].split_once('.') {
                Some((_, decimals)) => decimals.len(),
                None => 0,
            });
        let numbers = rows
            .iter()
            .filter_map(|row| row[column].parse::<f64>().ok());
        let mut numbers: Vec<f64> = numbers.collect();
        numbers.sort_by(f64::total_cmp);
        match numbers.len() {
            0 => "-".to_owned(),
            len => {
                let middle = f64::midpoint(numbers[(len - 1) / 2], numbers[len / 2]);
                format!("{middle:.decimals$}")
            }
        }
    });
    let medians: Vec<String> = medians.collect();
    let _ = writeln!(table, "| | median | {} |", medians.join(" | "));
    table
}

fn report(known: &[(&Target, Outcome)]) -> String {
    let mut report = String::from(
        "# What in the input goes with what in the program\n\nMade by `scripts/associate.sh`, which says how.\n\n## Functions (table 8)\n\n",
    );
    report += &table(
        "| family | program | observed | with a tree | different trees | features | seconds |",
        known,
        |it| {
            let sum = ["/classes", "/always"]
                .iter()
                .filter_map(|at| it.associate.pointer(at)?.as_u64())
                .sum::<u64>();
            vec![
                sum.to_string(),
                number(&it.associate, "/classes", 0),
                number(&it.associate, "/trees", 0),
                number(&it.associate, "/features", 0),
                format!("{:.1}", it.seconds),
            ]
        },
    );
    report += "\n## Fractions of inputs that reach what they were made for (table 9)\n\n";
    report += &table(
        "| family | program | relative, random | relative | absolute, random | absolute | mean relative, random | mean relative |",
        known,
        |it| {
            let of = |name: &str| number(&it.aim, &format!("/check/{name}"), 3);
            [
                "random_relative",
                "relative",
                "random_absolute",
                "absolute",
                "random_relative_mean",
                "relative_mean",
            ]
            .map(of)
            .to_vec()
        },
    );
    report += "\n## Prediction (table 10)\n\n";
    report += &table(
        "| family | program | accuracy | precision | recall | accuracy, median | precision, median | recall, median |",
        known,
        |it| {
            let of = |name: &str| number(&it.predict, name, 3);
            [
                "/accuracy",
                "/precision",
                "/recall",
                "/median/accuracy",
                "/median/precision",
                "/median/recall",
            ]
            .map(of)
            .to_vec()
        },
    );
    report += "\n## Functions that an input reaches (table 11)\n\n";
    report += &table(
        "| family | program | median, random | median | mean, random | mean | bytes, random | bytes |",
        known,
        |it| {
            let of = |name: &str| number(&it.aim, &format!("/check/{name}"), 1);
            [
                "random_reached/0",
                "reached/0",
                "random_reached/1",
                "reached/1",
                "random_bytes",
                "bytes",
            ]
            .map(of)
            .to_vec()
        },
    );
    report
}

/// What is kept of a run, for a test.
#[cfg(test)]
mod tests {
    use super::{Outcome, TARGETS, report};
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn every_target_and_grammar_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for target in TARGETS {
            assert!(root.join(target.grammar).is_file(), "{}", target.grammar);
            let program = format!("{}/fuzz_targets/{}.rs", target.dir, target.name);
            assert!(root.join(&program).is_file(), "{program}");
        }
    }

    #[test]
    fn a_table_has_a_line_for_each_program_and_their_median() {
        let outcome = |accuracy: f64| Outcome {
            associate: json!({"classes": 3, "always": 1, "trees": 2, "features": 7}),
            predict: json!({"accuracy": accuracy}),
            aim: json!({"check": {"relative": 0.5}}),
            seconds: 1.25,
        };
        let known = [(&TARGETS[0], outcome(0.9)), (&TARGETS[1], outcome(0.96))];
        let report = report(&known);
        assert!(
            report.contains("| JSON | serde_json | 4 | 3 | 2 | 7 | 1.2 |"),
            "{report}"
        );
        assert!(report.contains("| | median | 0.930 | - |"), "{report}");
        assert!(report.contains("| - | 0.500 | - |"), "{report}");
    }
}
