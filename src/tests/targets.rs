//! What the compiler makes of fuzz targets: each case is a target, which it takes without a warning, or refuses with the errors that
//! the case lists.
//!
//! The cases are `targets/<name>.rs`. A case ends with its errors, line by line: the place, the message, and what the compiler adds
//! that helps.
//!
//! ```text
//! // error 4:5: no field `erors` on type `Settings`
//! // help: a field with a similar name exists
//! ```
//!
//! A second line `//@ PACKAGE` tells which package the case is in: `targets`, if there is none. All cases of a package are checked by one run of Cargo, in a directory below the target directory. `BLESS=1` writes
//! the errors down as they are now. Read them before you commit them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// The packages that cases are in: name, edition, features of pleach, and whether libfuzzer-sys is there.
const PACKAGES: [(&str, &str, &str, bool); 3] = [
    ("targets", "2024", "", true),
    ("edition_2018", "2018", "", true),
    ("without_engine", "2024", "", false),
];

struct Case {
    name: String,
    path: PathBuf,
    package: String,
    /// What stands before the errors.
    code: String,
    /// The errors.
    expected: String,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases = cases();
    // To list them takes no compiler, and neither does what is filtered out.
    let is_wanted = |case: &Case| {
        let filter = arguments.filter.as_deref();
        filter.is_none_or(|filter| case.name.contains(filter))
    };
    let wanted: Vec<&Case> = match arguments.list {
        true => Vec::new(),
        false => cases.iter().filter(|it| is_wanted(it)).collect(),
    };
    let mut found = BTreeMap::new();
    for (package, ..) in PACKAGES {
        let names: Vec<&str> = wanted
            .iter()
            .filter(|case| case.package == package)
            .map(|case| &*case.name)
            .collect();
        if !names.is_empty() {
            write_workspace(&cases);
            found.extend(check(package, &names));
        }
    }
    let trials = cases.into_iter().map(|case| {
        let found = found.remove(&case.name).unwrap_or_default();
        Trial::test(case.name.clone(), move || compare(&case, &found))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cases() -> Vec<Case> {
    let entries = fs::read_dir(root().join("src/tests/targets")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let case = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let errors = text.find("// error ").unwrap_or(text.len());
        let (code, expected) = text.split_at(errors);
        let package = code.lines().find_map(|line| line.strip_prefix("//@ "));
        Case {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            package: package.unwrap_or("targets").into(),
            code: code.into(),
            expected: expected.into(),
            path,
        }
    };
    paths.into_iter().map(case).collect()
}

/// The scratch workspace.
fn scratch() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("targets")
}

fn write_workspace(cases: &[Case]) {
    let names = PACKAGES.map(|(name, ..)| format!("{name:?}")).join(", ");
    let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = [{names}]\n");
    fs::create_dir_all(scratch()).unwrap();
    write(&scratch().join("Cargo.toml"), &workspace);
    // The versions that the rest is tested with, and no look at the network.
    fs::copy(root().join("Cargo.lock"), scratch().join("Cargo.lock")).unwrap();
    for (name, edition, features, has_engine) in PACKAGES {
        let folder = scratch().join(name);
        let pleach = root();
        let mut manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = {edition:?}\nautobins = false\n\n\
             [dependencies]\npleach = {{ path = {pleach:?}, features = [{features}] }}\n"
        );
        if has_engine {
            manifest += "libfuzzer-sys = { version = \"0.4\", default-features = false }\n";
        }
        for case in cases.iter().filter(|case| case.package == name) {
            let (case, path) = (&case.name, &case.path);
            let _ = write!(manifest, "\n[[bin]]\nname = {case:?}\npath = {path:?}\n");
        }
        fs::create_dir_all(folder.join("grammars")).unwrap();
        write(&folder.join("Cargo.toml"), &manifest);
        // It begins as compiled grammars do.
        fs::write(folder.join("grammars/compiled"), b"\xffpleach\0").unwrap();
        for name in ["list.ebnf", "list.g4", "list.Abnf"] {
            write(&folder.join("grammars").join(name), "list := [a-z]+;\n");
        }
    }
}

/// Writes a file unless it is there already, so that Cargo takes it for fresh.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return;
    }
    fs::write(path, text).unwrap();
}

/// The errors and warnings of the cases of a package.
fn check(package: &str, names: &[&str]) -> BTreeMap<String, String> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["check", "--quiet", "--offline", "--keep-going"])
        .args(["--message-format=json", "--package", package])
        .args(names.iter().flat_map(|name| ["--bin", name]))
        .current_dir(scratch())
        .env("CARGO_TARGET_DIR", scratch().join("target"))
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut is_any = output.status.success();
    for line in output.stdout.split(|&byte| byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let target = message["target"]["name"].as_str().unwrap_or_default();
        if message["reason"] == "compiler-message" && names.contains(&target) {
            is_any = true;
            found
                .entry(target.into())
                .or_default()
                .push_str(&described(&message["message"]));
        }
    }
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        is_any,
        "{package}: Cargo has not come to the targets:\n{said}"
    );
    found
}

/// A message of the compiler in lines of a case. Its own summary says nothing new.
fn described(message: &Value) -> String {
    let text = |value: &Value| value["message"].as_str().unwrap_or_default().to_owned();
    let spans = message["spans"].as_array().unwrap();
    let Some(mut span) = spans.iter().find(|span| span["is_primary"] == true) else {
        return String::new();
    };
    let label = span["label"].clone();
    // The place in the case, where the compiler shows it, rather than in the macro.
    while !span["expansion"].is_null() {
        span = &span["expansion"]["span"];
    }
    let (level, line, column) = (
        &message["level"],
        &span["line_start"],
        &span["column_start"],
    );
    let level = level.as_str().unwrap_or_default();
    let mut lines = format!("// {level} {line}:{column}: {}\n", text(message));
    if let Some(label) = label.as_str().filter(|it| !it.starts_with("evaluation of")) {
        let _ = writeln!(lines, "//   {label}");
    }
    for child in message["children"].as_array().unwrap() {
        let (level, said) = (child["level"].as_str().unwrap_or_default(), text(child));
        // What the macros say, or what can be done: the rest is about the compiler, and changes with it.
        let is_ours = ["end the body", "available fields"]
            .iter()
            .any(|begin| said.starts_with(begin));
        if level == "help" && !said.starts_with("the ") || is_ours {
            let _ = writeln!(lines, "// {level}: {said}");
        }
    }
    lines.replace(&scratch().display().to_string(), "…")
}

fn compare(case: &Case, found: &str) -> Result<(), Failed> {
    if case.expected == found {
        return Ok(());
    }
    if env::var_os("BLESS").is_some() {
        fs::write(&case.path, format!("{}{found}", case.code))?;
        return Ok(());
    }
    let (path, expected) = (case.path.display(), &case.expected);
    Err(
        format!("{path}\nexpected:\n{expected}\nfound:\n{found}\nBLESS=1 takes what is found")
            .into(),
    )
}
