//! Building a subject's programs, as `cargo fuzz build --sanitizer none` of cargo-fuzz 0.13.2 does.
//!
//! Subjects share target directories below `fuzz/target/arena`, for the engine's binaries, with and without traced comparisons, and
//! for the replay, so that what they have in common is compiled once. Their programs have the same names, so each is copied out, to
//! a file that has the digest of its contents in its name: a campaign names what it has run, and a later build disturbs none that
//! is under way.
//!
//! pleach itself and what only it uses are compiled without instrumentation, as `pleach fuzz` does it: the program `pleach` is Cargo's
//! `RUSTC_WRAPPER`. What only it uses is not the same for all subjects, so the engine's binaries have a directory for each such list
//! of crates. In the replay all but pleach is instrumented, which makes no difference to what a text reaches.
//!
//! The engine's archive is built once, without flags. The one departure from cargo-fuzz is that there is no debug information, which
//! nothing here reads.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use cargo_metadata::MetadataCommand;
use pleach_project::plain::Crates;
use sha2::{Digest as _, Sha256};

use crate::plan::Build;
use crate::subject::{Checkout, Subject};

/// Whose flags are passed.
pub(crate) const CARGO_FUZZ: &str = "0.13.2";

/// Names a built archive of libFuzzer to libfuzzer-sys.
const ARCHIVE_VARIABLE: &str = "CUSTOM_LIBFUZZER_PATH";

/// Flags of all binaries.
const COUNTERS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "--cfg=fuzzing",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    "-Cdebug-assertions",
    "-Ccodegen-units=1",
];
/// What the engine's programs have besides.
const ENGINE: &[&str] = &["-Cllvm-args=-sanitizer-coverage-stack-depth"];
/// What they have without `--no-trace-compares`. The replay has nobody to compare for.
const COMPARES: &[&str] = &["-Cllvm-args=-sanitizer-coverage-trace-compares"];

/// The program that measures corpora.
pub(crate) const REPLAY: Build = Build {
    name: "replay",
    compares: false,
};
/// The program with the engine's own mutations on texts, as `cargo fuzz` builds it.
pub(crate) const RAW: Build = Build {
    name: "raw",
    compares: true,
};

/// The programs of a subject.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    by_build: BTreeMap<Build, Program>,
}

/// A program, copied out.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The file.
    pub path: PathBuf,
    /// The digest of its contents.
    pub digest: String,
}

impl Programs {
    /// A program that was asked for.
    pub(crate) fn get(&self, build: Build) -> &Program {
        &self.by_build[&build]
    }
}

/// How programs are built.
#[derive(Debug)]
pub(crate) struct Builder {
    checkout: Checkout,
    pleach: PathBuf,
    archive: PathBuf,
    host: String,
}

/// The engine's flags, for the report.
pub(crate) fn flags() -> String {
    [COUNTERS, ENGINE, COMPARES].concat().join(" ")
}

impl Builder {
    /// Finds or builds what all subjects need. `pleach` is the program.
    pub(crate) fn new(checkout: &Checkout, pleach: &Path) -> Result<Builder> {
        let rustc = output(Command::new("rustc").arg("-vV"))?;
        let host = rustc.lines().find_map(|line| line.strip_prefix("host: "));
        Ok(Builder {
            checkout: checkout.clone(),
            pleach: std::path::absolute(pleach)?,
            archive: archive(checkout)?,
            host: host.context("rustc -vV names no host")?.to_owned(),
        })
    }

    /// Builds these programs of a subject.
    pub(crate) fn build(&self, subject: &Subject, builds: &[Build]) -> Result<Programs> {
        let mut by_build = BTreeMap::new();
        let plain = [COUNTERS, ENGINE].concat();
        let traced = [COUNTERS, ENGINE, COMPARES].concat();
        let (replays, engines): (Vec<Build>, Vec<Build>) =
            builds.iter().partition(|&&build| build == REPLAY);
        let (traces, plains): (Vec<Build>, Vec<Build>) =
            engines.into_iter().partition(|build| build.compares);
        for (builds, flags, folder) in [
            (traces, traced.as_slice(), "build"),
            (plains, plain.as_slice(), "build-plain"),
            (replays, COUNTERS, "build-replay"),
        ] {
            if builds.is_empty() {
                continue;
            }
            let names: Vec<&str> = builds.iter().map(|build| build.name).collect();
            let plain_crates = match folder {
                "build-replay" => String::new(),
                _ => self.plain_crates(subject)?,
            };
            let files = self.compile(subject, &names, flags, folder, &plain_crates)?;
            for build in builds {
                let Some((name, file)) = files.iter().find(|(name, _)| name == build.name) else {
                    bail!(
                        "{}: Cargo builds no program `{}`; add the [[bin]] to its Cargo.toml, as in subjects/json",
                        subject.dir.display(),
                        build.name
                    );
                };
                by_build.insert(build, self.copy_out(subject, name, file)?);
            }
        }
        Ok(Programs { by_build })
    }

    /// The crates of a subject's programs that only pleach uses, as the wrapper takes them.
    fn plain_crates(&self, subject: &Subject) -> Result<String> {
        let options = ["--filter-platform", &self.host, "--locked"];
        let mut command = MetadataCommand::new();
        command.manifest_path(subject.dir.join("Cargo.toml"));
        let metadata = command.other_options(options.map(str::to_owned)).exec()?;
        let crates =
            Crates::of(&metadata).context("cargo metadata says nothing of dependencies")?;
        Ok(crates.plain.join(","))
    }

    /// Runs Cargo; gives the programs with their files.
    fn compile(
        &self,
        subject: &Subject,
        names: &[&str],
        flags: &[&str],
        folder: &str,
        plain_crates: &str,
    ) -> Result<Vec<(String, PathBuf)>> {
        let folder = match plain_crates {
            "" => folder.to_owned(),
            some => format!("{folder}-{}", digest([some.as_bytes()])),
        };
        let outer = ["RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"]
            .into_iter()
            .find_map(std::env::var_os)
            .unwrap_or_default();
        let mut command = Command::new("cargo");
        command
            .args(["build", "--quiet", "--release", "--locked"])
            .args(["--config", "profile.release.debug=false"])
            .arg("--message-format=json-render-diagnostics")
            .arg("--manifest-path")
            .arg(subject.dir.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(self.checkout.scratch().join(folder))
            .arg("--target")
            .arg(&self.host)
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
            .env("RUSTC_WRAPPER", &self.pleach)
            .env("PLEACH_RUSTC_WRAPPER", outer)
            .env("PLEACH_PLAIN_CRATES", plain_crates)
            .env(ARCHIVE_VARIABLE, &self.archive)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        for name in names {
            command.args(["--bin", name]);
        }
        let output = command.output().context("cannot run cargo")?;
        ensure!(
            output.status.success(),
            "{} does not build; see the messages above",
            subject.dir.display()
        );
        Ok(executables(&output.stdout))
    }

    fn copy_out(&self, subject: &Subject, name: &str, file: &Path) -> Result<Program> {
        let contents = fs::read(file).with_context(|| format!("{}", file.display()))?;
        let digest = digest([contents.as_slice()]);
        let folder = self.checkout.scratch().join("programs").join(&subject.key);
        fs::create_dir_all(&folder)?;
        let path = folder.join(format!("{name}-{digest}"));
        if !path.is_file() {
            // Whole or not at all, and executable as the original is.
            let begun = tempfile::NamedTempFile::new_in(&folder)?;
            fs::copy(file, begun.path())?;
            begun.into_temp_path().persist(&path)?;
        }
        Ok(Program { path, digest })
    }
}

/// The archive that the user names, or that of the project's own fuzz package.
fn archive(checkout: &Checkout) -> Result<PathBuf> {
    if let Some(archive) = std::env::var_os(ARCHIVE_VARIABLE) {
        let archive = PathBuf::from(archive);
        ensure!(
            archive.is_file(),
            "{ARCHIVE_VARIABLE} names {}, which is not a file",
            archive.display()
        );
        return Ok(archive);
    }
    let target = checkout.root.join("fuzz/target/pleach");
    if !target.is_dir() {
        eprintln!("building the engine, once; it takes a minute or two");
    }
    let mut command = Command::new("cargo");
    command
        .args(["check", "--quiet", "--release", "--locked"])
        .args(["--package", "libfuzzer-sys"])
        .arg("--message-format=json-render-diagnostics")
        .arg("--manifest-path")
        .arg(checkout.root.join("fuzz/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let output = command.output().context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "the engine does not build; see the messages above"
    );
    for message in messages(&output.stdout) {
        let of_engine = message["reason"] == "build-script-executed"
            && message["package_id"]
                .as_str()
                .is_some_and(|it| it.contains("libfuzzer-sys"));
        if of_engine && let Some(dir) = message["out_dir"].as_str() {
            return Ok(Path::new(dir).join("libfuzzer.a"));
        }
    }
    bail!("Cargo does not say where the engine is; name its archive by {ARCHIVE_VARIABLE}")
}

/// The programs among Cargo's messages.
fn executables(output: &[u8]) -> Vec<(String, PathBuf)> {
    let executable = |message: serde_json::Value| {
        let name = message["target"]["name"].as_str()?.to_owned();
        Some((name, PathBuf::from(message["executable"].as_str()?)))
    };
    messages(output).filter_map(executable).collect()
}

fn messages(output: &[u8]) -> impl Iterator<Item = serde_json::Value> {
    output
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
}

/// What a command prints.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {name}"))?;
    ensure!(
        output.status.success(),
        "{name} fails: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A digest of several parts, in 16 hexadecimal digits.
pub(crate) fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let bytes = hasher.finalize();
    bytes[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{digest, executables};

    #[test]
    fn executables_are_found_among_messages() {
        let messages =
            br#"{"reason":"compiler-artifact","target":{"name":"subject"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"raw"},"executable":"/t/raw"}
no JSON
{"reason":"build-finished","success":true}
"#;
        assert_eq!(executables(messages), [("raw".to_owned(), "/t/raw".into())]);
    }

    #[test]
    fn digests_know_where_parts_end() {
        let one = digest([b"ab".as_slice(), b"c"]);
        assert_eq!(one.len(), 16);
        assert_eq!(one, digest([b"ab".as_slice(), b"c"]));
        assert_ne!(one, digest([b"a".as_slice(), b"bc"]));
    }
}
