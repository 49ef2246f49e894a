//! The tools, the project, and settings that hold for all its targets.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use pleach_project::{CargoFuzz, Project, Sanitizer};
use toml_edit::{DocumentMut, Item};

use super::Report;
use crate::init::shown;

/// The engine's archive, if libfuzzer-sys is not to build it.
const ARCHIVE: &str = "CUSTOM_LIBFUZZER_PATH";
/// Variables by which a target does something else than fuzz, or fuzzes without pleach.
const INSTEAD: [&str; 4] = [
    "PLEACH_DESCRIBE",
    "PLEACH_OFF",
    "PLEACH_PROBE",
    "PLEACH_RENDER",
];
/// Parts of compiler flags that make programs slower, and what they do.
const SLOW: [(&str, &str); 6] = [
    ("sanitizer=", "adds a sanitizer"),
    ("instrument-coverage", "counts for coverage reports"),
    ("sancov-module", "adds the counters twice"),
    ("profile-generate", "counts for optimization"),
    ("opt-level=0", "leaves out optimization"),
    ("debug-assertions", "adds assertions to pleach, too"),
];

/// cargo-fuzz, the compiler, and what builds the engine.
pub(super) fn tools(report: &mut Report) -> Option<CargoFuzz> {
    let cargo_fuzz = match CargoFuzz::find(Sanitizer::None) {
        Ok(cargo_fuzz) => cargo_fuzz,
        Err(error) => {
            report.stop("tools", error);
            return None;
        }
    };
    let version = |mut command: Command| {
        let output = command.arg("--version").stdin(Stdio::null()).output();
        let output = output.ok().filter(|it| it.status.success())?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        said.lines().next().map(str::to_owned)
    };
    let found = [
        version(cargo_fuzz.command()),
        version(Command::new("rustc")),
    ];
    let found: Vec<String> = found.into_iter().flatten().collect();
    report.ok("tools", found.join(", "));
    match env::var_os(ARCHIVE).filter(|it| !it.is_empty()) {
        Some(archive) if !Path::new(&archive).is_file() => report.wrong(
            "engine",
            format!("{ARCHIVE} names {}, which is not a file", archive.display()),
            format!(
                "unset {ARCHIVE}, so that the engine is built, or name an archive of libFuzzer"
            ),
        ),
        Some(_) => {}
        None => {
            let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
            if version(Command::new(&compiler)).is_none() {
                let compiler = compiler.display();
                report.wrong(
                    "engine",
                    format!("`{compiler}` does not run, and the engine is written in C++"),
                    "install a C++ compiler, as in g++ or clang, or name it by CXX",
                );
            }
        }
    }
    Some(cargo_fuzz)
}

/// The fuzz package.
pub(super) fn find(dir: Option<&Path>, report: &mut Report) -> Option<Project> {
    match Project::find(dir) {
        Ok(project) => {
            let targets = crate::report::count(project.targets().len() as u64, "target");
            report.ok("project", format!("{}, {targets}", shown(&project.dir)));
            Some(project)
        }
        Err(error) => {
            report.stop("project", error);
            None
        }
    }
}

/// Variables that change how targets are built and what they do.
pub(super) fn environment(report: &mut Report) {
    let set = |name: &str| {
        let value = env::var_os(name).filter(|it| !it.is_empty());
        value.map(|it| it.to_string_lossy().into_owned())
    };
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        let Some(flags) = set(name) else { continue };
        for (part, does) in SLOW {
            if flags.contains(part) {
                report.wrong(
                    "flags",
                    format!("{name} has `{part}`, which {does}"),
                    format!("take it out of {name}: `pleach fuzz` and cargo-fuzz give the flags that fuzzing needs"),
                );
            }
        }
    }
    let mut names: Vec<String> = env::vars_os()
        .filter(|(_, value)| !value.is_empty())
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with("PLEACH_"))
        .collect();
    names.sort();
    for name in names {
        let value = set(&name).unwrap_or_default();
        match INSTEAD.contains(&name.as_str()) {
            true => report.wrong(
                "settings",
                format!("{name} is set, so targets do not fuzz with pleach"),
                format!("unset {name}"),
            ),
            false => report.note(
                "settings",
                format!("{name}={value} is set, and goes for every campaign"),
                "unset it unless that is meant",
            ),
        }
    }
}

/// What the manifest says of release builds, which targets are.
pub(super) fn profile(project: &Project, report: &mut Report) {
    let manifest = project.workspace.join("Cargo.toml");
    let Ok(text) = fs::read_to_string(&manifest) else {
        return;
    };
    let document: DocumentMut = text.parse().unwrap_or_default();
    let profile = document.get("profile").and_then(|it| it.get("release"));
    let Some(profile) = profile else { return };
    let value = |key: &str| profile.get(key).and_then(Item::as_value);
    let name = shown(&manifest);
    if let Some(level) = value("opt-level").filter(|it| !matches!(it.as_integer(), Some(2 | 3))) {
        report.wrong(
            "profile",
            format!("{name}: `opt-level ={level}` for release builds makes targets slow"),
            "leave it out of `[profile.release]`, or set it to 3",
        );
    }
    let strip =
        value("strip").filter(|it| it.as_bool() != Some(false) && it.as_str() != Some("none"));
    if let Some(strip) = strip {
        report.wrong(
            "profile",
            format!(
                "{name}: `strip ={strip}` for release builds takes the names of functions away"
            ),
            "leave it out of `[profile.release]`, so that reports can name what inputs reach",
        );
    }
}
