//! The compiler wrapper that leaves pleach out of the instrumentation.
//!
//! cargo-fuzz hands its flags to every crate of a target alike. For the target's own code that is the point; for pleach it
//! costs a multiple of the decoding time and adds edges that say nothing about the program under test. So `pleach fuzz` names
//! itself as Cargo's `RUSTC_WRAPPER`: started by Cargo, this program passes the compiler's arguments on as they are, except for
//! the crate `pleach`, and those that only pleach uses, which are compiled without the flags for coverage, sanitizers and debug
//! assertions.
//!
//! cargo-fuzz asks for debug information that is enough for backtraces. It has no paths of functions that were inlined, so the
//! crates of the program get one step more: then what an input reaches can be named.
//!
//! The filter knows the flags by what they mean, not by how they are written: `-C x`, `-Cx`, `--codegen x`, `--codegen=x`, `-Z x`
//! and `-Zx`, with `_` or `-` in names, and lists of which only a part is dropped. What it does not know stays.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

use crate::{Error, reason};

/// Set for the compiler runs of `pleach fuzz`; its value is the wrapper that the user has, or empty.
pub const VARIABLE: &str = "PLEACH_RUSTC_WRAPPER";

/// Names the crates besides `pleach` that are left out, separated by commas: those that nobody else in the program uses.
pub const PLAIN_VARIABLE: &str = "PLEACH_PLAIN_CRATES";

/// The crates that are always left out.
const CRATES: [&str; 2] = ["pleach", "pleach_core"];

/// What a crate that is left out is compiled with, so that a target can tell whether its pleach was.
const PLAIN: [&str; 2] = ["--cfg", "pleach_plain"];

/// The sanitizers that do not mind code without them. Others do: a memory sanitizer takes whatever such code has written
/// for uninitialized, and those that change calls need both sides of them.
const TOLERANT_SANITIZERS: &[&str] = &["address", "hwaddress", "leak", "thread"];

/// Runs the compiler if that is what this process was started for.
///
/// Programs that run below Cargo inherit the variable, so it alone does not decide: Cargo's first argument is a
/// compiler, which no verb is called like.
pub fn run(is_verb: impl FnOnce(&str) -> bool) -> Option<Result<ExitCode, Error>> {
    let outer = std::env::var_os(VARIABLE)?;
    let mut arguments = std::env::args_os().skip(1);
    let compiler = arguments.next()?;
    match compiler.to_str() {
        Some(word) if word.starts_with('-') || is_verb(word) => return None,
        _ => {}
    }
    let others = std::env::var(PLAIN_VARIABLE).unwrap_or_default();
    let arguments = filter(arguments.collect(), &others);
    let mut command = if outer.is_empty() {
        Command::new(&compiler)
    } else {
        let mut command = Command::new(outer);
        command.arg(&compiler);
        command
    };
    command.args(arguments);
    Some(hand_over(command, &compiler))
}

/// Lets the compiler take the place of this process, or waits for it where processes cannot be replaced.
fn hand_over(mut command: Command, compiler: &OsStr) -> Result<ExitCode, Error> {
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let error = match command.status() {
        Ok(status) => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(ExitCode::from(code.unwrap_or(1)));
        }
        Err(error) => error,
    };
    Err(Error::message(format_args!(
        "{}: cannot run the compiler: {}",
        compiler.display(),
        reason(&error)
    )))
}

/// The arguments to compile with: without instrumentation for [`CRATES`] and those in a list, as they are for others.
fn filter(arguments: Vec<OsString>, plain_crates: &str) -> Vec<OsString> {
    let is_plain =
        |name: &str| CRATES.contains(&name) || plain_crates.split(',').any(|it| it == name);
    if !crate_name(&arguments).is_some_and(is_plain) {
        let arguments = arguments.into_iter();
        return arguments.map(with_paths).collect();
    }
    let mut kept = Vec::with_capacity(arguments.len());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let Some((flag, joined)) = argument.to_str().and_then(option) else {
            kept.push(argument);
            continue;
        };
        // A value of its own, or one behind the flag.
        let (flag, value) = match joined {
            Some(value) => (flag.to_owned(), value.to_owned()),
            None => match arguments.next().map(OsString::into_string) {
                Some(Ok(value)) => (flag.to_owned(), value),
                Some(Err(value)) => {
                    kept.extend([argument, value]);
                    continue;
                }
                None => {
                    kept.push(argument);
                    continue;
                }
            },
        };
        if let Some(value) = plain(&value) {
            kept.extend([flag.into(), value.into()]);
        }
    }
    kept.extend(PLAIN.map(OsString::from));
    kept
}

/// The argument, with paths in the debug information if there is to be some.
fn with_paths(argument: OsString) -> OsString {
    match argument.to_str() {
        Some("debuginfo=line-tables-only") => "debuginfo=limited".into(),
        Some("-Cdebuginfo=line-tables-only") => "-Cdebuginfo=limited".into(),
        _ => argument,
    }
}

fn crate_name(arguments: &[OsString]) -> Option<&str> {
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--crate-name") => return arguments.next()?.to_str(),
            Some(argument) => {
                if let Some(name) = argument.strip_prefix("--crate-name=") {
                    return Some(name);
                }
            }
            None => {}
        }
    }
    None
}

/// The flag of a code generation or unstable option in its separate form, and the value that is written into it.
fn option(argument: &str) -> Option<(&'static str, Option<&str>)> {
    if let Some(rest) = argument.strip_prefix("--codegen") {
        return match rest.strip_prefix('=') {
            Some(value) => Some(("-C", Some(value))),
            None => rest.is_empty().then_some(("-C", None)),
        };
    }
    let flag = ["-C", "-Z"]
        .into_iter()
        .find(|flag| argument.starts_with(flag))?;
    let value = &argument[flag.len()..];
    Some((flag, (!value.is_empty()).then_some(value)))
}

/// What is left of `name=value` without instrumentation, or nothing.
fn plain(setting: &str) -> Option<String> {
    let (name, value) = match setting.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (setting, None),
    };
    let remaining = |separator: &str, parts: Vec<&str>| {
        (!parts.is_empty()).then(|| format!("{name}={}", parts.join(separator)))
    };
    match (name.replace('_', "-").as_str(), value) {
        // One unit serves the engine's counters of edges. Sixteen, which is the default, compile in half the time and run as fast.
        ("codegen-units" | "debug-assertions" | "overflow-checks", _) => None,
        ("passes", Some(passes)) => {
            let others = |pass: &&str| !pass.starts_with("sancov");
            remaining(" ", passes.split_whitespace().filter(others).collect())
        }
        ("llvm-args", Some(arguments)) => {
            let others = |argument: &&str| {
                let name = argument.trim_start_matches('-');
                // Keeping branches apart serves coverage only.
                !name.starts_with("sanitizer-coverage-")
                    && !name.starts_with("simplifycfg-branch-fold-threshold=")
            };
            remaining(" ", arguments.split_whitespace().filter(others).collect())
        }
        ("sanitizer", Some(sanitizers)) => {
            let others = |sanitizer: &&str| !TOLERANT_SANITIZERS.contains(sanitizer);
            remaining(",", sanitizers.split(',').filter(others).collect())
        }
        _ => Some(setting.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::filter;

    fn filtered(arguments: &str) -> String {
        let kept = filter(
            arguments.split('|').map(Into::into).collect(),
            "fnv,regex_syntax",
        );
        let kept: Vec<_> = kept
            .into_iter()
            .map(|argument| argument.into_string().unwrap())
            .collect();
        kept.join("|")
    }

    #[test]
    fn instrumentation_is_dropped_however_it_is_written() {
        let table = [
            ("-Cpasses=sancov-module", ""),
            ("-C|passes=sancov-module", ""),
            ("--codegen|passes=sancov-module", ""),
            ("--codegen=passes=sancov-module", ""),
            ("-Cpasses=sancov-module mergefunc", "|-C|passes=mergefunc"),
            ("-Cllvm-args=-sanitizer-coverage-level=4", ""),
            ("-C|llvm_args=--sanitizer-coverage-trace-compares", ""),
            (
                "-Cllvm-args=-simplifycfg-branch-fold-threshold=0 -sanitizer-coverage-pc-table",
                "",
            ),
            (
                "-Cllvm-args=-sanitizer-coverage-level=4 -inline-threshold=9",
                "|-C|llvm-args=-inline-threshold=9",
            ),
            ("-Zsanitizer=address", ""),
            ("-Z|sanitizer=address,leak", ""),
            ("-Csanitizer=thread", ""),
            ("-Zsanitizer=kcfi,address", "|-Z|sanitizer=kcfi"),
            ("-Ccodegen-units=1|--cfg|fuzzing", "|--cfg|fuzzing"),
            ("-Cdebug-assertions", ""),
            ("-C|debug-assertions=on", ""),
            ("-Cdebug_assertions=yes", ""),
            ("-C|overflow-checks=on|-g", "|-g"),
        ];
        for (given, expected) in table {
            assert_eq!(
                filtered(&format!("--crate-name|pleach|{given}")),
                format!("--crate-name|pleach{expected}|--cfg|pleach_plain"),
                "{given}"
            );
        }
    }

    #[test]
    fn crates_that_nobody_else_uses_are_named() {
        for name in ["fnv", "regex_syntax"] {
            let kept = filtered(&format!("--crate-name|{name}|-Cpasses=sancov-module"));
            assert_eq!(kept, format!("--crate-name|{name}|--cfg|pleach_plain"));
        }
    }

    #[test]
    fn everything_else_is_kept() {
        let table = [
            ("-Copt-level=3", "-C|opt-level=3"),
            ("-C|opt-level=3", "-C|opt-level=3"),
            ("-Zsanitizer=memory", "-Z|sanitizer=memory"),
            (
                "-Zsanitizer-memory-track-origins",
                "-Z|sanitizer-memory-track-origins",
            ),
            ("-Zunstable-options", "-Z|unstable-options"),
            ("-Clink-dead-code", "-C|link-dead-code"),
            ("--codegen-backend|x", "--codegen-backend|x"),
            ("--edition=2024|src/lib.rs", "--edition=2024|src/lib.rs"),
            ("-C", "-C"),
        ];
        for (given, expected) in table {
            assert_eq!(
                filtered(&format!("--crate-name=pleach|{given}")),
                format!("--crate-name=pleach|{expected}|--cfg|pleach_plain")
            );
        }
    }

    #[test]
    fn other_crates_are_compiled_as_cargo_says() {
        for name in [
            "serde_json",
            "pleach_fuzz",
            "___",
            "build_script_build",
            "regex",
            "",
        ] {
            let arguments = format!(
                "--crate-name|{name}|-Cpasses=sancov-module|-Zsanitizer=address|-C|debug-assertions=on|--extern|pleach"
            );
            assert_eq!(filtered(&arguments), arguments);
        }
        assert_eq!(filtered("-vV"), "-vV");
    }

    #[test]
    fn debug_information_that_there_is_gets_paths() {
        let table = [
            ("-C|debuginfo=line-tables-only", "-C|debuginfo=limited"),
            ("-Cdebuginfo=line-tables-only", "-Cdebuginfo=limited"),
            ("-C|debuginfo=2", "-C|debuginfo=2"),
            ("-C|debuginfo=0", "-C|debuginfo=0"),
            ("-C|opt-level=3", "-C|opt-level=3"),
        ];
        for (given, expected) in table {
            assert_eq!(
                filtered(&format!("--crate-name|url|{given}")),
                format!("--crate-name|url|{expected}")
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn arguments_that_are_no_text_are_kept() {
        use std::ffi::OsString;
        use std::os::unix::ffi::OsStringExt as _;

        let odd = OsString::from_vec(b"-L\xff".to_vec());
        let arguments = vec![
            "--crate-name".into(),
            "pleach".into(),
            odd.clone(),
            "-C".into(),
            odd,
        ];
        let kept = filter(arguments.clone(), "");
        assert_eq!(kept[..arguments.len()], arguments);
    }
}
