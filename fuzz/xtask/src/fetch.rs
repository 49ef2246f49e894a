//! Packages of the npm registry and crates, with pinned versions and checksums.
//!
//! What is there already and right is not fetched again, and another checksum than the pinned one is an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use sha2::{Digest as _, Sha256};

use super::root;

/// Where a package is from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Registry {
    Npm,
    Crates,
}

/// A package in a fixed version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Package {
    pub(crate) registry: Registry,
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// The SHA-256 of its archive.
    pub(crate) sum: &'static str,
}

impl Package {
    /// Has the files of the package in a directory of its name below `folder`, and gives that.
    pub(crate) fn fetch(&self, folder: &Path) -> Result<PathBuf> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let dir = folder.join(self.name);
        match self.registry {
            Registry::Npm => self.fetch_npm(folder, &dir)?,
            Registry::Crates => self.fetch_crate(&dir)?,
        }
        Ok(dir)
    }

    /// Keeps the archive beside the directory.
    fn fetch_npm(&self, folder: &Path, dir: &Path) -> Result<()> {
        let Package { name, version, .. } = self;
        // A name in a scope is `@scope/name`, and its archive `scope-name`.
        let plain = name.replace('@', "").replace('/', "-");
        let archive = folder.join(format!("{plain}-{version}.tgz"));
        if !self.is_archive(&archive) {
            let mut pack = Command::new("npm");
            pack.args(["pack", "--silent", &format!("{name}@{version}")]);
            run(pack.current_dir(folder).stdout(Stdio::null()))
                .with_context(|| format!("npm cannot fetch {name} {version}"))?;
            let path = archive.display();
            ensure!(
                self.is_archive(&archive),
                "{path} has another checksum than the pinned one: remove it, and find out who changed it"
            );
        }
        remove(dir)?;
        fs::create_dir_all(dir).with_context(|| dir.display().to_string())?;
        let mut unpack = Command::new("tar");
        unpack.args(["--strip-components", "1", "-xzf"]);
        run(unpack.arg(&archive).arg("-C").arg(dir))
    }

    fn is_archive(&self, path: &Path) -> bool {
        let sum = |bytes| -> String {
            let sum = Sha256::digest(bytes);
            sum.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        fs::read(path).is_ok_and(|bytes| sum(bytes) == self.sum)
    }

    /// Cargo checks the registry's checksum of what it unpacks, and notes it beside that.
    fn fetch_crate(&self, dir: &Path) -> Result<()> {
        let Package { name, version, .. } = self;
        if self.is_crate(dir) {
            return Ok(());
        }
        let scratch = tempfile::tempdir()?;
        fs::create_dir(scratch.path().join("src"))?;
        fs::write(scratch.path().join("src/lib.rs"), "")?;
        let manifest = format!(
            "[package]\nname = \"fetched\"\nversion = \"0.0.0\"\n\n[workspace]\n\n[dependencies]\n\
             {name} = {{ version = \"={version}\", default-features = false }}\n"
        );
        fs::write(scratch.path().join("Cargo.toml"), manifest)?;
        let mut vendor = Command::new("cargo");
        vendor.args(["vendor", "--quiet", "vendor"]);
        run(vendor.current_dir(scratch.path()).stdout(Stdio::null()))
            .with_context(|| format!("cargo cannot fetch the crate {name} {version}"))?;
        let vendored = scratch.path().join("vendor").join(name);
        ensure!(
            self.is_crate(&vendored),
            "the crate {name} {version} has another checksum than the pinned one: find out who changed it"
        );
        remove(dir)?;
        copy(&vendored, dir)
    }

    fn is_crate(&self, dir: &Path) -> bool {
        let note = fs::read_to_string(dir.join(".cargo-checksum.json")).unwrap_or_default();
        note.contains(&format!("\"package\":\"{}\"", self.sum))
    }
}

/// Removes a directory, if it is there.
pub(crate) fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| dir.display().to_string())
        }
        _ => Ok(()),
    }
}

/// Copies a directory; the scratch directory may be on another file system.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    run(Command::new("cp").arg("-r").arg(from).arg(to))
}

/// Runs a program that has to succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("cannot run {name}"))?;
    ensure!(status.success(), "{name} has failed: {status}");
    Ok(())
}

/// The program `pleach` of this repository, built with optimization.
pub(crate) fn pleach() -> Result<PathBuf> {
    let mut build = Command::new("cargo");
    build.args([
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--package",
        "pleach-cli",
    ]);
    run(build.current_dir(root()))?;
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root().join("target"), |dir| root().join(dir));
    Ok(target.join("release/pleach"))
}
