//! How many deliberate faults the tests catch: one at a time is put into a copy of the last commit, and the tests of the core run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};

/// Count which deliberate faults in mutation, slips and generation the core's tests catch
///
/// The faults are put one by one into a copy of the last commit, below target/faults. That takes about half a minute of CPU time
/// each. The exit code is 1 if less than 85 % are caught.
#[derive(clap::Args)]
pub(super) struct Faults {
    /// Only faults whose name or file has this in it
    #[arg(long, default_value = "")]
    filter: String,
}

/// What part of the faults is to be caught at least.
const CAUGHT: f64 = 0.85;

/// A fault: what is wrong, in which file of the core, and what stands where instead. `=>` separates the two.
struct Fault {
    name: &'static str,
    file: &'static str,
    old: &'static str,
    new: &'static str,
}

/// The faults, with an empty line between: `file: name`, what is there, `=>`, and what is put there instead.
const FAULTS: &str = include_str!("faults.txt");

fn root() -> anyhow::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Ok(root.canonicalize()?)
}

/// The faults, each of which has its place in the code.
fn faults(root: &Path) -> anyhow::Result<Vec<Fault>> {
    let entries = FAULTS
        .split("\n\n")
        .map(str::trim)
        .filter(|it| !it.is_empty());
    let faults = entries.map(|entry| {
        let (head, change) = entry
            .split_once('\n')
            .context("a fault has a head and a change")?;
        let (file, name) = head.split_once(": ").context("a head is `file: name`")?;
        let (old, new) = change
            .split_once("\n=>")
            .with_context(|| format!("{name}: there is no `=>`"))?;
        let fault = Fault {
            name,
            file,
            old: old.trim(),
            new: new.trim(),
        };
        let code = fs::read_to_string(root.join("src/core").join(file))?;
        let count = code.matches(fault.old).count();
        ensure!(count == 1, "{name}: its place is {count} times in {file}");
        Ok(fault)
    });
    faults.collect()
}

#[expect(clippy::print_stdout, reason = "it is a command that reports")]
impl Faults {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let root = root()?;
        let faults = faults(&root)?;
        let copy = copy(&root)?;
        ensure!(passes(&copy)?, "the tests fail without a fault, too");
        let chosen = faults
            .iter()
            .filter(|it| it.name.contains(&self.filter) || it.file.contains(&self.filter));
        let (mut caught, mut all) = (0, 0);
        for fault in chosen {
            let path = copy.join("src/core").join(fault.file);
            let code = fs::read_to_string(&path)?;
            fs::write(&path, code.replacen(fault.old, fault.new, 1))?;
            let is_caught = !passes(&copy)?;
            fs::write(&path, code)?;
            println!(
                "{} {}: {}",
                if is_caught { "caught" } else { "MISSED" },
                fault.file,
                fault.name
            );
            caught += u32::from(is_caught);
            all += 1;
        }
        println!("{caught} of {all} faults are caught");
        if f64::from(caught) < CAUGHT * f64::from(all) {
            bail!("less than {:.0} % are caught", 100.0 * CAUGHT);
        }
        Ok(())
    }
}

/// A copy of the last commit.
fn copy(root: &Path) -> anyhow::Result<PathBuf> {
    let copy = root.join("target/faults/tree");
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    fs::create_dir_all(&copy)?;
    let archive = copy.with_extension("tar");
    let status = Command::new("git")
        .args(["archive", "-o"])
        .arg(&archive)
        .arg("HEAD")
        .current_dir(root)
        .status()?;
    ensure!(status.success(), "git archive fails");
    let status = Command::new("tar")
        .arg("-xf")
        .arg(&archive)
        .arg("-C")
        .arg(&copy)
        .status()?;
    ensure!(status.success(), "tar fails");
    Ok(copy)
}

/// Whether the tests pass. What does not compile is no fault.
fn passes(copy: &Path) -> anyhow::Result<bool> {
    let test = |last: &[&str]| {
        Command::new("cargo")
            .args(["test", "--locked", "--quiet", "--all-features", "--lib"])
            .args(["-p", "pleach-core"])
            .args(last)
            .env("CARGO_TARGET_DIR", copy.with_file_name("target"))
            .env("CARGO_PROFILE_TEST_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_TEST_DEBUG", "0")
            .current_dir(copy)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
    };
    ensure!(test(&["--no-run"])?.success(), "the fault does not compile");
    Ok(test(&["--", "mutate::", "slip::", "generate::"])?.success())
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_fault_has_its_place_in_the_code() {
        let faults = super::faults(&super::root().unwrap()).unwrap();
        assert!(faults.len() >= 40);
    }
}
