//! The bug bench's own test: the public input of each bug crashes the bad version, by the panic that identifies it, and does nothing to
//! the fixed one.
//!
//! The fixed version is built from a copy of the package whose requirement `=VERSION` is replaced by `=FIXED`. The copy stands in a
//! tree of links, so that its relative paths lead where those of the original lead.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use crate::arguments::BugsTest;
use crate::builds::{Builder, RAW, output};
use crate::process::{Interrupt, Running};
use crate::subject::{Bug, Checkout, Subject};

/// How an input ends.
struct Ending {
    crashed: bool,
    said: String,
}

/// `bugs-test`.
pub(crate) fn test(checkout: &Checkout, args: &BugsTest, interrupt: &Interrupt) -> Result<()> {
    let builder = Builder::new(checkout, &args.pleach)?;
    let mut failures = 0;
    let mut count = 0;
    for subject in checkout.choose(&args.subjects)? {
        let about = &subject.about;
        ensure!(
            !about.bugs.is_empty(),
            "{}: there are no [[bugs]] in its subject.toml",
            subject.key
        );
        count += about.bugs.len();
        let built = builder.build(&subject, &[RAW]).and_then(|bad| {
            let fixed = fixed(checkout, &subject)?;
            Ok((bad, builder.build(&fixed, &[RAW])?))
        });
        let (bad, fixed) = match built {
            Ok(both) => both,
            Err(error) => {
                failures += about.bugs.len();
                println!("FAIL {}: {error:#}", subject.key);
                continue;
            }
        };
        for bug in &about.bugs {
            if interrupt.is_set() {
                bail!("interrupted");
            }
            let input = subject.dir.join(&bug.input);
            let complaint = judge(
                bug,
                &run(&bad.get(RAW).path, &input, checkout)?,
                &run(&fixed.get(RAW).path, &input, checkout)?,
            );
            match complaint {
                None => println!("ok   {} {}", subject.key, bug.name),
                Some(complaint) => {
                    failures += 1;
                    println!("FAIL {} {}: {complaint}", subject.key, bug.name);
                }
            }
        }
    }
    println!("{} passed, {failures} failed", count - failures);
    ensure!(
        failures == 0,
        "{failures} of {count} bugs are not as described"
    );
    Ok(())
}

/// What is wrong with a bug's description, if anything.
fn judge(bug: &Bug, bad: &Ending, fixed: &Ending) -> Option<String> {
    let last = |said: &str| said.lines().rev().take(8).collect::<Vec<_>>().join(" | ");
    if !bad.crashed {
        return Some("the bad version does not crash".into());
    }
    if !bad.said.contains(&bug.panic) {
        return Some(format!(
            "the bad version crashes without `{}`: {}",
            bug.panic,
            last(&bad.said)
        ));
    }
    fixed
        .crashed
        .then(|| format!("the fixed version crashes: {}", last(&fixed.said)))
}

/// Runs the engine on one file.
fn run(program: &Path, input: &Path, checkout: &Checkout) -> Result<Ending> {
    let dir = tempfile::tempdir_in(checkout.scratch())?;
    let messages = dir.path().join("messages");
    let mut command = Command::new(program);
    command
        .args(["-timeout=10", "-rss_limit_mb=2048"])
        .arg(input)
        .current_dir(dir.path())
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(&messages)?);
    let status = Running::start(&mut command)?.wait()?;
    let said = fs::read(&messages)?;
    Ok(Ending {
        crashed: !status.success(),
        said: String::from_utf8_lossy(&said).into_owned(),
    })
}

/// A copy of a package with the fixed version.
fn fixed(checkout: &Checkout, subject: &Subject) -> Result<Subject> {
    let about = &subject.about;
    let (Some(version), Some(fixed)) = (&about.version, &about.fixed) else {
        bail!(
            "{}: `version` and `fixed` are needed in its subject.toml",
            subject.key
        );
    };
    let tree = checkout.scratch().join("fixed");
    let copy = tree.join("fuzz/arena/bugs").join(&subject.key);
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    fs::create_dir_all(&copy)?;
    let links = [
        "Cargo.toml",
        "Cargo.lock",
        "src",
        "grammars",
        "README.md",
        "fuzz/arena/harness",
    ];
    for name in links {
        let link = tree.join(name);
        if !link.exists() {
            symlink(checkout.root.join(name), &link)
                .with_context(|| format!("{}", link.display()))?;
        }
    }
    // What packages share lies beside them.
    for entry in fs::read_dir(checkout.root.join("fuzz/arena/bugs"))? {
        let entry = entry?;
        let link = tree.join("fuzz/arena/bugs").join(entry.file_name());
        if entry.file_type()?.is_file() && !link.exists() {
            symlink(entry.path(), &link).with_context(|| format!("{}", link.display()))?;
        }
    }
    copy_dir(&subject.dir, &copy)?;
    let manifest = copy.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    fs::write(
        &manifest,
        with_version(&text, version, fixed).with_context(|| {
            format!(
                "{}: there is no requirement \"={version}\"",
                subject.dir.join("Cargo.toml").display()
            )
        })?,
    )?;
    // Changes the lock file in as few places as it can.
    output(
        Command::new("cargo")
            .args(["metadata", "--format-version=1", "--manifest-path"])
            .arg(&manifest),
    )?;
    Ok(Subject {
        key: format!("{}-fixed", subject.key),
        dir: copy,
        ..subject.clone()
    })
}

/// The manifest with another version; none if the version is not in it.
fn with_version(manifest: &str, version: &str, fixed: &str) -> Option<String> {
    let requirement = format!("\"={version}\"");
    manifest
        .contains(&requirement)
        .then(|| manifest.replace(&requirement, &format!("\"={fixed}\"")))
}

fn copy_dir(from: &Path, to: &Path) -> Result<()> {
    let mut open: Vec<(PathBuf, PathBuf)> = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = open.pop() {
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let name = entry.file_name();
            match entry.file_type()?.is_dir() {
                true if name != "target" => open.push((entry.path(), to.join(name))),
                true => {}
                false => {
                    fs::copy(entry.path(), to.join(name))?;
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Ending, judge, with_version};
    use crate::subject::Bug;

    #[test]
    fn only_the_pinned_version_is_replaced() {
        assert_eq!(
            with_version("url = \"=2.2.1\"\nx = \"2.2.1\"\n", "2.2.1", "2.2.2").as_deref(),
            Some("url = \"=2.2.2\"\nx = \"2.2.1\"\n")
        );
        assert_eq!(with_version("url = \"2.2.1\"", "2.2.1", "2.2.2"), None);
    }

    #[test]
    fn a_bug_has_to_be_as_described() {
        let bug = Bug {
            name: "b".into(),
            url: "u".into(),
            input: "i".into(),
            panic: "src/parser.rs".into(),
        };
        let ending = |crashed, said: &str| Ending {
            crashed,
            said: said.into(),
        };
        let right = ending(true, "panicked at src/parser.rs:1:1");
        let complaint = |bad: &Ending, fixed: &Ending| judge(&bug, bad, fixed);
        assert_eq!(complaint(&right, &ending(false, "")), None);
        assert!(complaint(&ending(false, ""), &ending(false, "")).is_some());
        assert!(complaint(&ending(true, "elsewhere"), &ending(false, "")).is_some());
        assert!(complaint(&right, &right).is_some());
    }
}
