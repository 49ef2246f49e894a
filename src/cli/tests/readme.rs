//! The README and the guide, tested: what they show the command line to print, and the fuzz targets that they show.
//!
//! The commands of a page's `console` blocks run one after the other in one directory, which has a copy of `grammars/` in it. A
//! line `...` stands for any lines. What `$ cat FILE` prints is not checked but made: it becomes the file. What only a
//! checkout with an engine can run is passed over, by the list [`SKIPPED`]; a command of another kind fails the test.
//!
//! The blocks `rust,ignore` are fuzz targets, byte for byte those of the files `fuzz/fuzz_targets/readme_*.rs`, which the
//! fuzz package builds. The other blocks of Rust are doctests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// The pages with their paths, in the order in which they are read.
const PAGES: &[(&str, &str)] = &[
    ("README.md", include_str!("../../../README.md")),
    ("CONTRIBUTING.md", include_str!("../../../CONTRIBUTING.md")),
    (
        "src/guide/introduction.md",
        include_str!("../../guide/introduction.md"),
    ),
    (
        "src/guide/tutorial.md",
        include_str!("../../guide/tutorial.md"),
    ),
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
    ("src/guide/report.md", include_str!("../../guide/report.md")),
    ("src/guide/ci.md", include_str!("../../guide/ci.md")),
    (
        "src/guide/crashes.md",
        include_str!("../../guide/crashes.md"),
    ),
    ("src/guide/models.md", include_str!("../../guide/models.md")),
    (
        "src/guide/associate.md",
        include_str!("../../guide/associate.md"),
    ),
    ("src/guide/evolve.md", include_str!("../../guide/evolve.md")),
    (
        "src/guide/how-it-works.md",
        include_str!("../../guide/how-it-works.md"),
    ),
    ("src/guide/limits.md", include_str!("../../guide/limits.md")),
];

/// More pages, of which only the links are tested.
const LINKING: &[(&str, &str)] = &[
    ("CHANGELOG.md", include_str!("../../../CHANGELOG.md")),
    (
        "grammars/README.md",
        include_str!("../../../grammars/README.md"),
    ),
    (
        "corpus/README.md",
        include_str!("../../../corpus/README.md"),
    ),
    (
        "fuzz/arena/README.md",
        include_str!("../../../fuzz/arena/README.md"),
    ),
    (
        "fuzz/peers/README.md",
        include_str!("../../../fuzz/peers/README.md"),
    ),
];

/// Where the labels of links between pages of the guide lead in the documentation of the crate.
const GUIDE_LINKS: &str = include_str!("../../guide/links.md");

/// Where the documentation of the crate finds the guide's pictures.
const PICTURES: &str = "https://raw.githubusercontent.com/pleach-rs/pleach/main/src/guide/";
/// Where a page of the guide finds the other files of the repository.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

/// The beginnings of commands that run.
const RUN: &[&str] = &["pleach ", "printf ", "mkdir "];
/// The beginnings of commands that are shown only: they build programs, run a campaign, or go on for minutes.
const SKIPPED: &[&str] = &[
    "pleach agree ",
    "pleach distill ",
    "pleach doctor ",
    "pleach stuck ",
    "pleach explain fragile ",
    "pleach aim json.model ",
    "pleach associate json ",
    "pleach explain json.model ",
    "pleach evolve ",
    "pleach fuzz ",
    "pleach init ",
    "pleach reduce fragile ",
    "pleach reduce tidy ",
    "pleach surround ",
    "scripts/fuzz.sh",
    "scripts/test.sh",
    "scripts/book.sh",
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
    let sorted = |mut targets: Vec<String>| {
        targets.sort();
        targets
    };
    let (shown, targets) = (sorted(shown), sorted(targets));
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

/// What leads from a page to another place.
#[derive(Default)]
struct Links {
    /// The destinations that stand at the link.
    inline: Vec<String>,
    /// The labels that links have instead.
    labels: BTreeSet<String>,
    /// The destinations of labels.
    definitions: BTreeMap<String, String>,
}

/// The links of a page, without those in code.
fn links(text: &str) -> Links {
    let mut links = Links::default();
    let mut prose = String::new();
    let mut is_code = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let definition = line
                .strip_prefix('[')
                .and_then(|line| line.split_once("]: "));
            match definition {
                Some((label, target)) => {
                    links
                        .definitions
                        .insert(label.to_owned(), target.to_owned());
                }
                None => {
                    // Every other part of a line stands between backquotes.
                    prose.extend(line.split('`').step_by(2));
                    prose.push('\n');
                }
            }
        }
    }
    let after = |mark: &'static str, end: char| {
        let found = prose.split(mark).skip(1);
        found.filter_map(move |rest| Some(rest.split_once(end)?.0.to_owned()))
    };
    links.inline = after("](", ')').collect();
    links.labels = after("][", ']').collect();
    links
}

/// Fails unless a link, as seen from a page, leads to a file, and to a heading if it names one.
fn follow(page: &str, link: &str) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let folder = Path::new(page).parent().unwrap();
    let target = match (path, path.strip_prefix(REPOSITORY)) {
        ("", _) => root().join(page),
        (_, Some(path)) => root().join(path),
        _ if path.contains("://") => return,
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

#[test]
fn links_of_the_pages_lead_somewhere() {
    for (page, text) in PAGES.iter().chain(LINKING) {
        let links = links(text);
        for link in links.inline.iter().chain(links.definitions.values()) {
            follow(page, link);
        }
        let defined: BTreeSet<String> = links.definitions.into_keys().collect();
        assert_eq!(links.labels, defined, "{page}: used and defined labels");
    }
}

/// The pages of the guide with their names.
fn guide() -> impl Iterator<Item = (&'static str, &'static str)> {
    let page = |&(path, text): &(&'static str, &'static str)| {
        Some((path.strip_prefix("src/guide/")?, text))
    };
    PAGES.iter().filter_map(page)
}

/// Relative links are right in the book and on the pages themselves; in the documentation of the crate, `links.md` replaces them.
#[test]
fn links_of_the_guide_lead_somewhere_in_both_renderings() {
    let mut expected = BTreeMap::new();
    for (page, text) in guide() {
        let links = links(text);
        for link in links.inline {
            let is_anywhere = link.starts_with('#') || link.contains("://");
            assert!(is_anywhere, "{page}: ({link}) needs a label");
        }
        for (label, target) in links.definitions {
            if let Some(path) = target.strip_prefix(REPOSITORY) {
                assert_eq!(label, path, "{page}");
                continue;
            }
            assert_eq!(label, target, "{page}");
            if target.starts_with("images/") {
                assert!(root().join("src/guide").join(&target).is_file(), "{target}");
                expected.insert(label, format!("{PICTURES}{target}"));
                continue;
            }
            let (file, anchor) = match label.split_once('#') {
                Some((file, anchor)) => (file, format!("#{anchor}")),
                None => (label.as_str(), String::new()),
            };
            let module = match file.trim_end_matches(".md") {
                "introduction" => String::new(),
                name => format!("::{}", name.replace('-', "_")),
            };
            expected.insert(label, format!("crate::guide{module}{anchor}"));
        }
    }
    assert_eq!(
        links(GUIDE_LINKS).definitions,
        expected,
        "src/guide/links.md"
    );
}

#[test]
fn the_guide_has_all_its_pages_in_both_renderings() {
    let summary = include_str!("../../guide/SUMMARY.md");
    let module = include_str!("../../guide/mod.rs");
    let pages: Vec<&str> = guide().map(|(page, _)| page).collect();
    assert_eq!(links(summary).inline, pages, "SUMMARY.md");
    let mut files = vec!["SUMMARY.md", "links.md"];
    files.extend(&pages);
    files.sort_unstable();
    let mut found: Vec<String> = fs::read_dir(root().join("src/guide"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".md"))
        .collect();
    found.sort_unstable();
    assert_eq!(found, files, "the files of src/guide");
    for page in pages {
        let include = format!("include_str!(\"{page}\")");
        assert!(module.contains(&include), "mod.rs has no {include}");
    }
}

/// Anchors that the documentation of a crate has for its own parts would get a number there.
#[test]
fn headings_of_the_guide_have_anchors_of_their_own() {
    const TAKEN: &[&str] = &[
        "fields", "help", "macros", "methods", "modules", "search", "settings", "variants",
    ];
    for (page, text) in guide() {
        let anchors = anchors(text);
        for (at, anchor) in anchors.iter().enumerate() {
            assert!(!TAKEN.contains(&anchor.as_str()), "{page}: #{anchor}");
            assert!(!anchors[..at].contains(anchor), "{page}: two #{anchor}");
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

/// The commands of workflows, run one after the other where both corpora are what they should be, and where one has lost something.
#[test]
fn workflows_of_the_guide_compare_corpora() {
    let mut ran = 0;
    for (page, text) in PAGES {
        for (line, block) in blocks(text, "yaml") {
            for is_loss in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let prepare = "mkdir -p fuzz/grammars fuzz/corpus base/fuzz/corpus && pleach convert json > fuzz/grammars/json.ebnf \
                    && pleach seed json -o fuzz/corpus/parse -k 3 --choices && cp -r fuzz/corpus base/fuzz";
                run(folder.path(), prepare);
                if is_loss {
                    run(
                        folder.path(),
                        "rm $(ls -S fuzz/corpus/parse/* | head -n 20)",
                    );
                }
                let commands = block.lines().filter_map(|line| {
                    let line = line.trim_start();
                    let command = line.strip_prefix("run: ").unwrap_or(line);
                    // What is behind a pipe only keeps the output.
                    let command = command.split(" | ").next()?;
                    command.starts_with("pleach ").then_some(command)
                });
                let mut last = Vec::new();
                for command in commands {
                    last = run(folder.path(), &format!("{command}; echo said $?"));
                    ran += 1;
                }
                let is_refused = last.iter().any(|line| line.contains("error:"));
                let is_failure = last.iter().any(|line| line == "said 1");
                assert!(
                    !is_refused && is_failure == is_loss,
                    "{page}:{line}: {last:?}"
                );
            }
        }
    }
    assert!(ran >= 4, "{ran}");
}
