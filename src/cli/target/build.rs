//! Building a fuzz target by cargo-fuzz.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pleach_project::{CargoFuzz, Project, Sanitizer};

use crate::failure::{Failure, note, reason, warn};
use crate::suggest::nearest;

/// How a target is built.
pub(crate) struct Build<'a> {
    pub(crate) target: &'a str,
    pub(crate) sanitizer: Sanitizer,
    pub(crate) release: bool,
    pub(crate) trace_compares: bool,
    pub(crate) features: Option<&'a str>,
}

impl Build<'_> {
    pub(crate) fn options(&self, command: &mut Command, project: &Project) {
        command.arg("--fuzz-dir").arg(&project.dir);
        command.arg("--sanitizer").arg(self.sanitizer.to_string());
        if self.release {
            command.arg("--release");
        }
        if !self.trace_compares {
            command.arg("--no-trace-compares");
        }
        if let Some(features) = self.features {
            command.arg("--features").arg(features);
        }
        command.arg(self.target);
    }

    pub(crate) fn run(&self, cargo_fuzz: &CargoFuzz, project: &Project) -> Result<(), Failure> {
        let mut command = cargo_fuzz.command();
        command.arg("build");
        self.options(&mut command, project);
        command.stdin(Stdio::null()).stdout(std::io::stderr());
        let status = command.status().map_err(|error| cannot_run(&error))?;
        match status.success() {
            true => Ok(()),
            false => Err(Failure::new(
                format_args!("the fuzz target `{}` does not build", self.target),
                "see the messages above",
            )),
        }
    }

    /// The program that was built last; nothing if it is not where cargo-fuzz leaves it.
    pub(crate) fn program(&self, project: &Project) -> Option<PathBuf> {
        latest(&[project.build_dir()], self.target)
    }
}

/// The program of a target that was built last, of those below some directories.
pub(crate) fn latest(build_dirs: &[&Path], target: &str) -> Option<PathBuf> {
    let name = format!("{target}{EXE_SUFFIX}");
    // Below the target triple, which only Cargo knows.
    let entries = build_dirs.iter().filter_map(|dir| fs::read_dir(dir).ok());
    let programs = entries
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("release").join(&name));
    let programs = programs.filter(|path| path.is_file());
    let modified = |path: &PathBuf| fs::metadata(path).and_then(|it| it.modified()).ok();
    programs.max_by_key(modified)
}

/// Says that pleach is part of what is measured, which should not be.
pub(crate) fn warn_of_instrumentation(project: &Project) {
    warn(
        "pleach itself is instrumented like the program under test, so inputs take several times longer to make, and \
         edges of pleach count as covered",
    );
    note(format_args!(
        "help: Cargo has not started the compiler by way of `pleach`: see what sets RUSTC_WRAPPER or `rustc-wrapper`, then delete {} and \
         run this again",
        crate::init::shown(project.build_dir())
    ));
}

/// What is said where cargo-fuzz does not start.
pub(crate) fn cannot_run(error: &std::io::Error) -> Failure {
    Failure::Wrong(format!("cannot run `cargo fuzz`: {}", reason(error)))
}

/// Fails if the package has no such target.
pub(crate) fn check_target(project: &Project, target: &str) -> Result<(), Failure> {
    if project.has_target(target) {
        return Ok(());
    }
    let targets = project.targets();
    let near = nearest(target, targets.iter().map(String::as_str));
    let help = match (near, targets) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => format!("add it by `pleach init {target} --grammar GRAMMAR`"),
        (None, [one]) => format!("the target there is `{one}`; `pleach init` adds others"),
        (None, names) => format!(
            "the targets are {}; `pleach init` adds others",
            names.join(", ")
        ),
    };
    let dir = project.dir.display();
    Err(Failure::new(
        format_args!("there is no fuzz target `{target}` in {dir}"),
        help,
    ))
}
