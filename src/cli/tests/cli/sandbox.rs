//! A fresh directory with the fixture grammars in it, and `pleach` in reach.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::{env, fs};

/// The directory; removed at the end.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        let sandbox = Sandbox {
            folder: tempfile::tempdir().unwrap(),
        };
        for path in fixtures() {
            fs::copy(&path, sandbox.path(path.file_name().unwrap())).unwrap();
        }
        sandbox
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command that runs here and gives the same output everywhere.
    fn command(&self, program: &str) -> Command {
        let bin = Path::new(env!("CARGO_BIN_EXE_pleach")).parent().unwrap();
        let mut paths = vec![bin.to_owned()];
        paths.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        let mut command = Command::new("env");
        // Tests may run with interrupts ignored, as in the background of a shell, which children inherit.
        command
            .args(["--default-signal=INT", program])
            .current_dir(self.folder.path())
            .env("PATH", env::join_paths(paths).unwrap())
            .env("LC_ALL", "C")
            .env("NO_COLOR", "1")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null());
        command
    }

    /// What a line of shell prints.
    pub(crate) fn shell(&self, line: &str) -> Output {
        self.command("sh").args(["-c", line]).output().unwrap()
    }

    /// What `pleach` prints, given its arguments in one line without quotes.
    pub(crate) fn pleach(&self, arguments: &str) -> Output {
        let program = env!("CARGO_BIN_EXE_pleach");
        self.command(program)
            .args(arguments.split_whitespace())
            .output()
            .unwrap()
    }

    /// A `pleach` that runs while others do.
    pub(crate) fn spawn(&self, arguments: &str) -> Child {
        self.spawn_to(arguments, Stdio::null)
    }

    /// The same, with its output and its messages in pipes.
    pub(crate) fn spawn_piped(&self, arguments: &str) -> Child {
        self.spawn_to(arguments, Stdio::piped)
    }

    fn spawn_to(&self, arguments: &str, to: fn() -> Stdio) -> Child {
        self.command(env!("CARGO_BIN_EXE_pleach"))
            .args(arguments.split_whitespace())
            .stdout(to())
            .stderr(to())
            .spawn()
            .unwrap()
    }

    /// The standard output of a `pleach` that must succeed.
    pub(crate) fn succeed(&self, arguments: &str) -> Vec<u8> {
        let output = self.pleach(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "pleach {arguments}\n{errors}");
        output.stdout
    }

    /// The same as JSON.
    pub(crate) fn json(&self, arguments: &str) -> serde_json::Value {
        serde_json::from_slice(&self.succeed(&format!("{arguments} --json"))).unwrap()
    }

    /// The standard error of a `pleach` that must exit with 2.
    pub(crate) fn refused(&self, arguments: &str) -> String {
        let output = self.pleach(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            output.status.code(),
            Some(2),
            "pleach {arguments}\n{errors}"
        );
        errors
    }

    /// The inputs below a directory with their contents, sorted: all files, but for the records of what has made them.
    pub(crate) fn inputs(&self, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let mut inputs = self.contents(name);
        inputs.retain(|(path, _)| path.components().all(|it| it.as_os_str() != ".pleach"));
        inputs
    }

    /// All files below a directory with their contents, sorted, hidden ones included.
    pub(crate) fn contents(&self, name: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut open = vec![self.path(name)];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => open.push(path),
                    false => files.push((path.clone(), fs::read(path).unwrap())),
                }
            }
        }
        files.sort();
        files
    }
}

/// The fixture grammars.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures");
    let mut fixtures: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "ebnf")
        })
        .collect();
    fixtures.sort();
    fixtures
}
