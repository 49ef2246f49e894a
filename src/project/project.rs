//! The fuzz package, the toolchain, and the engine's archive: what is needed before a target can run.
//!
//! # Builds that do not disturb each other
//!
//! Cargo does not take the wrapper into account when it decides what is fresh: in one target directory, `pleach fuzz` would go on
//! with a pleach that a plain `cargo fuzz run` has instrumented, and the other way round. So `pleach fuzz` has a
//! directory of its own, `pleach` in the target directory of the fuzz package. Which crates only pleach uses changes with the
//! package's dependencies; the list is kept there, and what has become the program's is built anew.
//!
//! The engine is C++ and takes minutes to compile, once for each set of compiler flags, although none of them concerns it. So it is
//! built on its own, without flags, and handed to every other build as `CUSTOM_LIBFUZZER_PATH`. That also keeps it from being
//! instrumented itself: newer versions of the `cc` crate compile C++ with the sanitizer that Rust code is compiled with.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Metadata, MetadataCommand, Node, TargetKind};

use crate::plain::Crates;
use crate::{Error, Sanitizer, reason, wrapper};

/// The version that the messages recommend.
const CARGO_FUZZ: &str = "cargo install cargo-fuzz --version 0.13.2 --locked";
/// Names a built archive of libFuzzer to libfuzzer-sys.
const ARCHIVE_VARIABLE: &str = "CUSTOM_LIBFUZZER_PATH";

/// A package of fuzz targets.
#[derive(Debug)]
pub struct Project {
    /// Its directory.
    pub dir: PathBuf,
    /// The edition of Rust that its targets are of.
    pub edition: String,
    targets: Vec<String>,
    /// Of each target, in the same order, the features that its manifest says it needs.
    required: Vec<Vec<String>>,
    build_dir: PathBuf,
    /// The directory of the workspace, whose manifest has the profiles.
    pub workspace: PathBuf,
}

impl Project {
    /// The package in `dir`, or that of the project around the current directory: the nearest directory upward that is such a
    /// package or has one as `fuzz`.
    pub fn find(dir: Option<&Path>) -> Result<Project, Error> {
        if let Some(dir) = dir {
            let absolute = std::path::absolute(dir)
                .map_err(|error| Error::file("find the fuzz directory", dir, &error))?;
            if !absolute.join("Cargo.toml").is_file() {
                return Err(Error::new(
                    format_args!("{}: there is no Cargo.toml in it", dir.display()),
                    "name the directory of the fuzz package by --fuzz-dir",
                ));
            }
            return Project::load(&absolute)?.ok_or_else(|| not_for_cargo_fuzz(dir));
        }
        let here = std::env::current_dir()
            .map_err(|error| Error::file("find the current directory", Path::new("."), &error))?;
        for dir in here.ancestors() {
            // Most manifests are those of other packages, which need no Cargo to tell.
            let manifest = fs::read_to_string(dir.join("Cargo.toml")).unwrap_or_default();
            if manifest.contains("cargo-fuzz")
                && let Some(project) = Project::load(dir)?
            {
                return Ok(project);
            }
            let dir = dir.join("fuzz");
            if dir.join("Cargo.toml").is_file() {
                return Project::load(&dir)?.ok_or_else(|| not_for_cargo_fuzz(&dir));
            }
        }
        let has_package = here.ancestors().any(|dir| dir.join("Cargo.toml").is_file());
        let init = match has_package {
            true => "`cargo fuzz init`",
            false => "`cargo init --lib` and `cargo fuzz init`",
        };
        Err(Error::new(
            "there is no fuzz directory here or further up",
            format_args!(
                "go to a project that has one, name it by --fuzz-dir, or make one by {init}"
            ),
        ))
    }

    /// The package, unless it is not for cargo-fuzz.
    fn load(dir: &Path) -> Result<Option<Project>, Error> {
        let manifest = dir.join("Cargo.toml");
        let mut command = MetadataCommand::new();
        command
            .cargo_path("cargo")
            .no_deps()
            .manifest_path(&manifest);
        let metadata = metadata(&command).map_err(|error| match error {
            cargo_metadata::Error::Io(error) => no_cargo(&error),
            cargo_metadata::Error::CargoMetadata { stderr } => {
                let message = stderr.trim().trim_start_matches("error: ");
                Error::message(format_args!("{}: {message}", manifest.display()))
            }
            error => Error::message(format_args!("{}: {error}", manifest.display())),
        })?;
        let packages = metadata.packages.into_iter();
        let mut packages =
            packages.filter(|package| same_file(package.manifest_path.as_ref(), &manifest));
        let Some(package) = packages.next() else {
            return Ok(None);
        };
        if package.metadata["cargo-fuzz"] != true {
            return Ok(None);
        }
        let programs = package.targets.into_iter();
        let programs = programs.filter(|target| target.kind.contains(&TargetKind::Bin));
        let mut programs: Vec<_> = programs
            .map(|target| (target.name, target.required_features))
            .collect();
        programs.sort();
        let (targets, required) = programs.into_iter().unzip();
        Ok(Some(Project {
            dir: dir.to_owned(),
            edition: package.edition.as_str().to_owned(),
            targets,
            required,
            build_dir: metadata.target_directory.join("pleach").into(),
            workspace: metadata.workspace_root.into(),
        }))
    }

    /// Whether the package has such a target.
    pub fn has_target(&self, target: &str) -> bool {
        self.targets.iter().any(|name| name == target)
    }

    /// The features to build a target with: those that somebody asks for, in the form of Cargo's `--features`, and those that the
    /// target needs by its `required-features`. None if that is none at all.
    pub fn features(&self, target: &str, asked: Option<&str>) -> Option<String> {
        let at = self.targets.iter().position(|name| name == target);
        let needed = at.map_or(&[][..], |at| &self.required[at]);
        let all: Vec<&str> = asked
            .into_iter()
            .chain(needed.iter().map(String::as_str))
            .collect();
        (!all.is_empty()).then(|| all.join(","))
    }

    /// The directory of what is built.
    pub fn build_dir(&self) -> &Path {
        &self.build_dir
    }

    /// The names of its targets, sorted.
    pub fn targets(&self) -> &[String] {
        &self.targets
    }

    /// The crates that only pleach uses, for the wrapper. None if Cargo does not tell: then they count as the program's.
    ///
    /// Cargo would take those that have become the program's since for built. So the list is kept, and it is told to forget them.
    fn plain_crates(&self, features: Option<&str>) -> Option<String> {
        let manifest = self.dir.join("Cargo.toml");
        let cargo = |arguments: &[&str]| {
            let mut command = Command::new("cargo");
            command
                .args(arguments)
                .arg("--manifest-path")
                .arg(&manifest);
            command.stdin(Stdio::null()).stderr(Stdio::null());
            command
        };
        let host = host()?;
        let crates = Crates::of(&self.metadata(&host, features)?)?;
        let list = self.build_dir.join("plain-crates");
        let once = fs::read_to_string(&list).unwrap_or_default();
        let packages = crates.packages_no_longer_plain(&once);
        if !packages.is_empty() {
            for profile in ["dev", "release"] {
                let mut clean = cargo(&["clean", "--quiet", "--profile", profile]);
                clean.args(["--target", &host]);
                clean.arg("--target-dir").arg(&self.build_dir);
                clean.args(packages.iter().flat_map(|it| ["--package", it]));
                clean.status().ok()?.success().then_some(())?;
            }
        }
        fs::create_dir_all(&self.build_dir).ok()?;
        fs::write(&list, crates.plain.join("\n") + "\n").ok()?;
        Some(crates.plain.join(","))
    }

    /// What Cargo knows about the package and all that it depends on, on a platform.
    pub(crate) fn metadata(&self, host: &str, features: Option<&str>) -> Option<Metadata> {
        let mut command = MetadataCommand::new();
        command
            .cargo_path("cargo")
            .manifest_path(self.dir.join("Cargo.toml"));
        let mut options = vec!["--filter-platform".to_owned(), host.to_owned()];
        options.extend(
            features
                .iter()
                .flat_map(|it| ["--features".to_owned(), (*it).to_owned()]),
        );
        command.other_options(options);
        metadata(&command).ok()
    }

    /// What the first build of the package takes; nothing if it is not the first, or if Cargo does not tell.
    fn announcement(&self, features: Option<&str>) -> Option<String> {
        if self.build_dir.is_dir() {
            return None;
        }
        let crates = self.metadata(&host()?, features)?.resolve?.nodes;
        let is_engine = |node: &Node| node.id.repr.contains("libfuzzer-sys");
        let builds_engine = builds_archive() && crates.iter().any(is_engine);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Some(announcement(crates.len(), builds_engine, cores))
    }

    /// The archive of the engine that this package uses, built if need be. None if the package has another
    /// engine or the user names an archive; libfuzzer-sys then does what it would do anyway.
    fn archive(&self) -> Option<PathBuf> {
        if !builds_archive() {
            return None;
        }
        let manifest = self.dir.join("Cargo.toml");
        let cargo = |verb: &str| {
            let mut command = Command::new("cargo");
            command.arg(verb).arg("--manifest-path").arg(&manifest);
            command.stdin(Stdio::null());
            command
        };
        // Names exactly one package, and that is of this name.
        let mut known = cargo("pkgid");
        known.args(["--quiet", "libfuzzer-sys"]);
        if !known.stderr(Stdio::null()).output().ok()?.status.success() {
            return None;
        }
        let mut check = cargo("check");
        check
            .args(["--quiet", "--release", "--package", "libfuzzer-sys"])
            .arg("--message-format=json-render-diagnostics")
            .arg("--target-dir")
            .arg(&self.build_dir)
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .stderr(Stdio::inherit());
        let output = check.output().ok()?;
        let archive = built_archive(&output.stdout)?;
        (output.status.success() && archive.is_file()).then_some(archive)
    }
}

/// Whether the archive of the engine is built here, rather than by libfuzzer-sys or by the user.
fn builds_archive() -> bool {
    cfg!(target_os = "linux") && std::env::var_os(ARCHIVE_VARIABLE).is_none()
}

/// What is said of a first build.
fn announcement(crates: usize, builds_engine: bool, cores: usize) -> String {
    // Measured with two cores.
    const ENGINE_SECONDS: usize = 90;
    const CRATE_SECONDS: usize = 2;
    // Neither part keeps more of them busy.
    const MAX_CORES: usize = 8;
    let (engine, engine_seconds) = match builds_engine {
        true => ("the engine and ", ENGINE_SECONDS),
        false => ("", 0),
    };
    let seconds = (engine_seconds + crates * CRATE_SECONDS) / cores.clamp(1, MAX_CORES);
    let time = match seconds.div_ceil(60) {
        0 | 1 => "a minute".to_owned(),
        minutes => format!("{minutes} minutes"),
    };
    format!(
        "building {engine}{crates} crates, once for this project: about {time}; later builds take seconds"
    )
}

/// Finds the place of the archive in Cargo's messages.
fn built_archive(messages: &[u8]) -> Option<PathBuf> {
    messages.split(|&byte| byte == b'\n').find_map(|line| {
        let message: serde_json::Value = serde_json::from_slice(line).ok()?;
        let of_engine = message["reason"] == "build-script-executed"
            && message["package_id"].as_str()?.contains("libfuzzer-sys");
        of_engine.then(|| Some(Path::new(message["out_dir"].as_str()?).join("libfuzzer.a")))?
    })
}

/// What Cargo knows. Its messages do not reach the terminal.
pub(crate) fn metadata(command: &MetadataCommand) -> cargo_metadata::Result<Metadata> {
    let output = command
        .cargo_command()
        .stdin(Stdio::null())
        .output()
        .map_err(cargo_metadata::Error::Io)?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(cargo_metadata::Error::CargoMetadata { stderr });
    }
    MetadataCommand::parse(String::from_utf8_lossy(&output.stdout))
}

pub(crate) fn same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}

fn not_for_cargo_fuzz(dir: &Path) -> Error {
    Error::new(
        format_args!("{}: this is no package for cargo-fuzz", dir.display()),
        "add `cargo-fuzz = true` below `[package.metadata]` in its Cargo.toml",
    )
}

fn no_cargo(error: &std::io::Error) -> Error {
    Error::new(
        format_args!("cannot run cargo: {}", reason(error)),
        "install Rust by rustup, and put its directory `bin` into PATH",
    )
}

/// cargo-fuzz in the toolchain that a sanitizer needs, and with the environment for its builds.
#[derive(Debug)]
pub struct CargoFuzz {
    nightly: bool,
    environment: Vec<(&'static str, OsString)>,
}

impl CargoFuzz {
    /// Makes sure that it is installed.
    pub fn find(sanitizer: Sanitizer) -> Result<CargoFuzz, Error> {
        let nightly = sanitizer != Sanitizer::None && !is_nightly();
        let found = CargoFuzz {
            nightly,
            environment: Vec::new(),
        };
        let mut command = found.command();
        command.arg("--version").stdin(Stdio::null());
        let output = command.output().map_err(|error| no_cargo(&error))?;
        if output.status.success() {
            return Ok(found);
        }
        let message = String::from_utf8_lossy(&output.stderr);
        if message.contains("no such command: `fuzz`") {
            return Err(Error::new("cargo-fuzz is not installed", CARGO_FUZZ));
        }
        let message = message.lines().next().unwrap_or("it does not run");
        Err(if nightly {
            Error::new(
                format_args!(
                    "the sanitizer needs nightly Rust: {}",
                    message.trim_start_matches("error: ")
                ),
                "rustup toolchain install nightly --profile minimal, or leave out --sanitizer",
            )
        } else {
            Error::new(format_args!("cargo-fuzz: {message}"), CARGO_FUZZ)
        })
    }

    /// Prepares builds of a project: the wrapper, the target directory, the engine. What takes long is announced by `note`.
    pub fn prepare(
        &mut self,
        project: &Project,
        features: Option<&str>,
        note: fn(&str),
    ) -> Result<(), Error> {
        let this = std::env::current_exe().map_err(|error| {
            Error::message(format!(
                "cannot tell where this program is: {}",
                reason(&error)
            ))
        })?;
        let outer = ["RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"]
            .into_iter()
            .find_map(std::env::var_os)
            .unwrap_or_default();
        self.environment = vec![
            ("RUSTC_WRAPPER", this.into()),
            (wrapper::VARIABLE, outer),
            // As a variable rather than an option: cargo-fuzz repeats options in the commands that it recommends, and those
            // are to be run without this wrapper, elsewhere.
            ("CARGO_TARGET_DIR", project.build_dir.clone().into()),
        ];
        if let Some(announcement) = project.announcement(features) {
            note(&announcement);
        }
        if let Some(archive) = project.archive() {
            self.environment.push((ARCHIVE_VARIABLE, archive.into()));
        }
        if let Some(plain) = project.plain_crates(features) {
            self.environment
                .push((wrapper::PLAIN_VARIABLE, plain.into()));
        }
        Ok(())
    }

    /// `cargo fuzz`, to be continued.
    pub fn command(&self) -> Command {
        let mut command = Command::new("cargo");
        if self.nightly {
            command.arg("+nightly");
        }
        command.arg("fuzz");
        for (name, value) in &self.environment {
            command.env(name, value);
        }
        command
    }
}

/// The platform that programs are built for.
pub(crate) fn host() -> Option<String> {
    let output = Command::new("rustc").arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
}

/// Whether the compiler in use takes unstable flags.
fn is_nightly() -> bool {
    if std::env::var_os("RUSTC_BOOTSTRAP").is_some() {
        return true;
    }
    let rustc = std::env::var_os("RUSTC");
    let rustc = rustc.as_deref().unwrap_or(OsStr::new("rustc"));
    let version = Command::new(rustc).arg("--version").output();
    version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("-nightly"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{announcement, built_archive};

    #[test]
    fn a_first_build_is_announced_with_its_time() {
        let table = [
            (
                30,
                true,
                2,
                "building the engine and 30 crates, once for this project: about 2 minutes; later builds take seconds",
            ),
            (
                30,
                true,
                1,
                "building the engine and 30 crates, once for this project: about 3 minutes; later builds take seconds",
            ),
            (
                20,
                false,
                64,
                "building 20 crates, once for this project: about a minute; later builds take seconds",
            ),
        ];
        for (crates, builds_engine, cores, expected) in table {
            assert_eq!(announcement(crates, builds_engine, cores), expected);
        }
    }

    #[test]
    fn the_archive_is_found_among_messages() {
        let messages = br#"{"reason":"compiler-artifact","package_id":"registry+x#libfuzzer-sys@0.4.13"}
{"reason":"build-script-executed","package_id":"registry+x#cc@1.2.0","out_dir":"/t/cc/out"}
not JSON
{"reason":"build-script-executed","package_id":"registry+x#libfuzzer-sys@0.4.13","out_dir":"/t/l/out"}
{"reason":"build-finished","success":true}
"#;
        assert_eq!(
            built_archive(messages).as_deref(),
            Some(Path::new("/t/l/out/libfuzzer.a"))
        );
        assert_eq!(built_archive(b""), None);
    }
}
