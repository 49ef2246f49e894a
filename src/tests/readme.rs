//! The README, tested: what it shows the command line to print, and the fuzz targets that it shows.
//!
//! The commands of its `console` blocks run one after the other in one directory, which has a copy of `grammars/` in it. A
//! line `...` stands for any lines. What `$ cat FILE` prints is not checked but made: it becomes the file. What only a
//! checkout with an engine can run is passed over, by the list [`SKIPPED`]; a command of another kind fails the test.
//!
//! The blocks `rust,ignore` are fuzz targets, byte for byte those of the files `fuzz/fuzz_targets/readme_*.rs`, which the
//! fuzz package builds. The other blocks of Rust are doctests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

const README: &str = include_str!("../../README.md");

/// The beginnings of commands that run.
const RUN: &[&str] = &["pleach ", "printf "];
/// The beginnings of commands that are shown only: they build programs, run a campaign, or go on for minutes.
const SKIPPED: &[&str] = &[
    "pleach fuzz ",
    "pleach init ",
    "pleach surround ",
    "scripts/fuzz.sh",
    "scripts/test.sh",
    "PLEACH_RENDER=",
    "cargo ",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The fenced blocks whose opening line says `info`, each with the number of its first line.
fn blocks(text: &str, info: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, usize, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (line.strip_prefix("```"), &mut open) {
            (Some(opening), None) => open = Some((opening == info, number + 1, String::new())),
            (Some(_), Some(_)) => {
                if let Some((true, first, block)) = open.take() {
                    blocks.push((first, block));
                }
            }
            (None, Some((_, _, block))) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "the last block has no end");
    blocks
}

/// A command with what it is shown to print.
#[derive(PartialEq, Eq, Debug)]
struct Step {
    line: usize,
    command: String,
    output: Vec<String>,
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (first, block) in blocks(text, "console") {
        let before = steps.len();
        for (line, content) in (first..).zip(block.lines()) {
            match content.strip_prefix("$ ") {
                Some(command) => steps.push(Step {
                    line,
                    command: command.to_owned(),
                    output: Vec::new(),
                }),
                None => {
                    assert!(
                        steps.len() > before,
                        "README.md:{line}: output without a command"
                    );
                    steps
                        .last_mut()
                        .unwrap()
                        .output
                        .push(content.trim_end().to_owned());
                }
            }
        }
        for step in &mut steps[before..] {
            trim(&mut step.output);
        }
    }
    steps
}

/// Drops empty lines at the end.
fn trim(lines: &mut Vec<String>) {
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
}

/// Whether lines are the shown ones, where `...` stands for any lines.
fn matches(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, shown)) if line == "..." => {
            (0..=printed.len()).any(|skipped| matches(shown, &printed[skipped..]))
        }
        Some((line, shown)) => printed
            .split_first()
            .is_some_and(|(first, printed)| line == first && matches(shown, printed)),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let copied = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &copied),
            false => {
                fs::copy(&path, &copied).unwrap();
            }
        }
    }
}

/// What a line of shell prints on both streams, without white space at the ends of lines.
fn run(folder: &Path, command: &str) -> Vec<String> {
    let bin = Path::new(env!("CARGO_BIN_EXE_pleach")).parent().unwrap();
    let mut paths = vec![bin.to_owned()];
    paths.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", env::join_paths(paths).unwrap())
        .env("LC_ALL", "C")
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut lines: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    trim(&mut lines);
    lines
}

#[test]
fn commands_print_what_the_readme_shows() {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("grammars"), &folder.path().join("grammars"));
    let mut ran = 0;
    let mut failures = String::new();
    for step in steps(README) {
        let Step {
            line,
            command,
            output,
        } = step;
        let begins = |list: &[&str]| list.iter().any(|start| command.starts_with(start));
        if let Some(name) = command.strip_prefix("cat ") {
            assert!(
                !name.contains(['/', ' ']),
                "README.md:{line}: one file in the directory"
            );
            fs::write(folder.path().join(name), output.join("\n") + "\n").unwrap();
        } else if begins(SKIPPED) {
            println!("skipped: {command}");
        } else {
            assert!(
                begins(RUN),
                "README.md:{line}: `{command}` is neither in RUN nor in SKIPPED"
            );
            let printed = run(folder.path(), &command);
            if !matches(&output, &printed) {
                failures += &format!(
                    "README.md:{line}: $ {command}\nshown:\n{}\nprinted:\n{}\n\n",
                    output.join("\n"),
                    printed.join("\n")
                );
            }
            ran += 1;
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(ran >= 8, "the README shows few commands: {ran}");
}

#[test]
fn fuzz_targets_of_the_readme_are_files_that_are_built() {
    let folder = root().join("fuzz/fuzz_targets");
    let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("readme_") && name.ends_with(".rs")
        })
        .collect();
    paths.sort();
    let targets: Vec<String> = paths
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let shown: Vec<String> = blocks(README, "rust,ignore")
        .into_iter()
        .map(|(_, block)| block)
        .collect();
    assert_eq!(shown, targets, "as they stand in {paths:?}");
    for path in paths {
        let entry = format!(
            "path = \"fuzz_targets/{}\"",
            path.file_name().unwrap().to_string_lossy()
        );
        assert!(manifest.contains(&entry), "fuzz/Cargo.toml has no {entry}");
    }
}

#[test]
fn files_of_the_readme_exist() {
    let links = README.split("](").skip(1).filter_map(|rest| {
        let (link, _) = rest.split_once(')')?;
        let path = link.split('#').next()?;
        (!path.is_empty() && !path.contains("://")).then_some(path)
    });
    for link in links {
        assert!(
            root().join(link).exists(),
            "README.md links to {link}, which is not there"
        );
    }
}

#[test]
fn elisions_stand_for_any_lines() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let printed = lines("a b c");
    for shown in [
        "a b c",
        "... c",
        "a ...",
        "a ... c",
        "... b ...",
        "a b c ...",
    ] {
        assert!(matches(&lines(shown), &printed), "{shown}");
    }
    for shown in ["a b", "a ... b", "... a", "a c"] {
        assert!(!matches(&lines(shown), &printed), "{shown}");
    }
}
