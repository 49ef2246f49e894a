//! The README and the guide, tested: what they show the command line to print, and the fuzz targets that they show.
//!
//! The commands of a page's `console` blocks run one after the other in one directory, which has a copy of `grammars/` in it. A
//! line `...` stands for any lines. What `$ cat FILE` prints is not checked but made: it becomes the file. What only a
//! checkout with an engine can run is passed over, by the list [`SKIPPED`]; a command of another kind fails the test.
//!
//! The blocks `rust,ignore` are fuzz targets, byte for byte those of the files `fuzz/fuzz_targets/readme_*.rs`, which the
//! fuzz package builds. The other blocks of Rust are doctests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// The pages with their paths, in the order in which they are read.
const PAGES: &[(&str, &str)] = &[
    ("README.md", include_str!("../../../README.md")),
    (
        "src/guide/targets.md",
        include_str!("../../guide/targets.md"),
    ),
    (
        "src/guide/notation.md",
        include_str!("../../guide/notation.md"),
    ),
    (
        "src/guide/commands.md",
        include_str!("../../guide/commands.md"),
    ),
    ("src/guide/models.md", include_str!("../../guide/models.md")),
];

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

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
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

fn steps(page: &str, text: &str) -> Vec<Step> {
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
                        "{page}:{line}: output without a command"
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
fn commands_print_what_the_pages_show() {
    let mut ran = 0;
    let mut failures = String::new();
    for (page, text) in PAGES {
        let folder = tempfile::tempdir().unwrap();
        copy(&root().join("grammars"), &folder.path().join("grammars"));
        for step in steps(page, text) {
            let Step {
                line,
                command,
                output,
            } = step;
            let begins = |list: &[&str]| list.iter().any(|start| command.starts_with(start));
            if let Some(name) = command.strip_prefix("cat ") {
                assert!(
                    !name.contains(['/', ' ']),
                    "{page}:{line}: one file in the directory"
                );
                fs::write(folder.path().join(name), output.join("\n") + "\n").unwrap();
            } else if begins(SKIPPED) {
                println!("skipped: {command}");
            } else {
                assert!(
                    begins(RUN),
                    "{page}:{line}: `{command}` is neither in RUN nor in SKIPPED"
                );
                let printed = run(folder.path(), &command);
                if !matches(&output, &printed) {
                    failures += &format!(
                        "{page}:{line}: $ {command}\nshown:\n{}\nprinted:\n{}\n\n",
                        output.join("\n"),
                        printed.join("\n")
                    );
                }
                ran += 1;
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(ran >= 30, "the pages show few commands: {ran}");
}

#[test]
fn fuzz_targets_of_the_pages_are_files_that_are_built() {
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
    let shown: Vec<String> = PAGES
        .iter()
        .flat_map(|(_, text)| blocks(text, "rust,ignore"))
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

/// The anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut anchors = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let title = line.trim_start_matches('#');
        if is_code || title.len() == line.len() {
            continue;
        }
        let kept = title.trim().chars().filter_map(|char| match char {
            ' ' => Some('-'),
            _ if char.is_alphanumeric() || "-_".contains(char) => Some(char.to_ascii_lowercase()),
            _ => None,
        });
        anchors.push(kept.collect());
    }
    anchors
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    for (page, text) in PAGES {
        let folder = Path::new(page).parent().unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| {
            let (link, _) = rest.split_once(')')?;
            (!link.contains("://")).then_some(link)
        });
        for link in links {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => root().join(page),
                _ => root().join(folder).join(path),
            };
            assert!(
                target.exists(),
                "{page} links to {path}, which is not there"
            );
            if !anchor.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                assert!(
                    anchors(&text).iter().any(|it| it == anchor),
                    "{page} links to {link}, and there is no such heading"
                );
            }
        }
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
