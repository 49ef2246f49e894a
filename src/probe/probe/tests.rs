//! Targets that are shell scripts: they answer with records that stand in the test, or do not answer at all.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Probe, last_lines, refusal, summary};
use crate::{Error, Probed, Verdict};

/// The table of a program with two points.
const TABLE: &str = r"H\032\0\0\0AAAAAAAABBBBBBBBCCCCCCCC\001\0";
const SETS: &str = r"S\004\0\0\0\001\0\0\0S\0\0\0\0";
const END: &str = r"E\0\0\0\0";

/// A run by its input, its set and its verdict.
fn run(input: u8, set: u8, verdict: u8, text: &str) -> String {
    // A line break is written as two letters.
    let len = 17 + text.len() - text.matches('\\').count();
    format!(
        r"R\{len:03o}\0\0\0\{input:03o}\0\0\0\{set:03o}\0\0\0\001\0\0\0\0\0\0\0\{verdict:03o}{text}"
    )
}

/// A target that does this. `$d` is the directory, `$first` the input to begin with, `write` writes a record.
fn target(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("target");
    let text = format!(
        "#!/bin/sh\nd=$PLEACH_PROBE\nfirst=$(sed -n 's/^first //p' \"$d/request\")\nwrite() {{ printf \"$1\" >>\"$d/records\"; }}\n\
         table='{TABLE}' sets='{SETS}' end='{END}'\n{script}\n"
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn ask(script: &str, inputs: &[&str]) -> Result<Probed, Error> {
    let folder = tempfile::tempdir().unwrap();
    Probe::new(target(folder.path(), script)).run(inputs, |_| {})
}

fn verdicts(probed: &Probed) -> Vec<String> {
    let runs = probed.runs.iter();
    runs.map(|run| run.verdict.to_string()).collect()
}

#[test]
fn a_target_that_runs_all_is_started_once() {
    let script = format!(
        "write \"${{table}}${{sets}}{}{}$end\"; echo >>\"$0.started\"",
        run(0, 0, 0, ""),
        run(1, 1, 1, "")
    );
    let folder = tempfile::tempdir().unwrap();
    let program = target(folder.path(), &script);
    let mut last = 0;
    let probed = Probe::new(&program).run(&["a", "b"], |done| last = done);
    let probed = probed.unwrap();
    assert_eq!(verdicts(&probed), ["kept", "rejected"]);
    assert_eq!(probed.points(0).as_slice(), [1]);
    assert!(probed.points(1).is_empty());
    assert_eq!(probed.table.places.len(), 2);
    assert_eq!(last, 2);
    let started = fs::read_to_string(folder.path().join("target.started")).unwrap();
    assert_eq!(started.len(), 1);
}

#[test]
fn the_next_process_begins_behind_the_input_that_fails() {
    let script = format!(
        "write \"$table$sets\"\n\
         case $first in\n\
         0) write '{}{}'; exit 77 ;;\n\
         2) write '{}'; echo 'SUMMARY: AddressSanitizer: heap-overflow 0x12 in f' >&2; exit 77 ;;\n\
         3) write '{}'; exit 77 ;;\n\
         esac",
        run(0, 1, 0, ""),
        run(1, 0, 2, r"a.rs:1:2\nno"),
        run(2, 0, 4, "sanitizer"),
        run(3, 0, 3, ""),
    );
    let probed = ask(&script, &["", "b", "c", "d"]).unwrap();
    let expected = [
        "kept",
        "panic at a.rs:1:2",
        "AddressSanitizer: heap-overflow in f",
        "timeout",
    ];
    assert_eq!(verdicts(&probed), expected);
    let message = "no".to_owned();
    assert!(
        matches!(&probed.runs[1].verdict, Verdict::Panicked { message: it, .. } if *it == message)
    );
    // Those of all processes are the same sets.
    assert_eq!(probed.sets.len(), 2);
}

#[test]
fn nothing_is_run_behind_the_failure_that_is_sought() {
    let script = format!(
        "write \"$table$sets\"; echo >>\"$0.started\"\n\
         case $first in\n\
         0) write '{}'; exit 77 ;;\n\
         1) write '{}'; exit 77 ;;\n\
         *) write unexpected ;;\n\
         esac",
        run(0, 0, 2, r"a.rs:1:2\nno"),
        run(1, 0, 2, r"b.rs:3:4\nno"),
    );
    let folder = tempfile::tempdir().unwrap();
    let probe = Probe::new(target(folder.path(), &script));
    let is_it = |verdict: &Verdict| verdict.to_string() == "panic at b.rs:3:4";
    let probed = probe.run_until(&["a", "b", "c"], |_| {}, is_it).unwrap();
    assert_eq!(
        verdicts(&probed),
        ["panic at a.rs:1:2", "panic at b.rs:3:4"]
    );
}

#[test]
fn what_kills_without_a_word_is_found_by_going_carefully() {
    // What is not written at once is lost: the records of inputs 0 and 1 when input 2 kills.
    let script = format!(
        "flush=$(sed -n 's/^flush //p' \"$d/request\")\n\
         write \"$table$sets\"\n\
         case $first$flush in\n\
         0no) kill -9 $$ ;;\n\
         0yes) write '{}'; write '{}'; kill -9 $$ ;;\n\
         3no) write '{}'\"$end\" ;;\n\
         *) write unexpected ;;\n\
         esac",
        run(0, 0, 0, ""),
        run(1, 0, 1, ""),
        run(3, 0, 0, ""),
    );
    let probed = ask(&script, &["a", "b", "c", "d"]).unwrap();
    assert_eq!(verdicts(&probed), ["kept", "rejected", "SIGKILL", "kept"]);
    assert!(probed.points(2).is_empty());
}

#[test]
fn a_target_that_hangs_is_ended() {
    let script = "write \"$table$sets\"; exec sleep 60";
    let folder = tempfile::tempdir().unwrap();
    let program = target(folder.path(), script);
    let probe = Probe::new(program).timeout(Duration::from_millis(1));
    let probe = Probe {
        grace: Duration::from_millis(100),
        ..probe
    };
    let probed = probe.run(&["a"], |_| {}).unwrap();
    assert_eq!(verdicts(&probed), ["timeout"]);
}

#[test]
fn no_input_is_no_run_but_tells_the_points() {
    let probed = ask("write \"$table$end\"", &[]).unwrap();
    assert!(probed.runs.is_empty());
    assert_eq!(probed.table.anchor, u64::from_le_bytes(*b"AAAAAAAA"));
    assert!(probed.table.places[0].is_entry && !probed.table.places[1].is_entry);
}

#[test]
fn each_kind_of_unfit_target_has_its_message() {
    let table = [
        (
            "echo 'Usage: target [flags]' >&2",
            "does not answer as a probe",
        ),
        ("exit 1", "does not answer as a probe"),
        (
            "echo 'INFO: x' >&2; echo 'error: PLEACH_PROBE: no counters' >&2; echo 'help: build' >&2; exit 2",
            "PLEACH_PROBE: no counters\nhelp: build",
        ),
        (
            "echo 'what now' >&2; kill -9 $$",
            "dies before its first input: SIGKILL\nwhat now\nhelp: ",
        ),
        ("exit 7", "dies before its first input: exit code 7"),
        (
            "write \"$table\"; echo 'error: in parts' >&2; exit 2",
            "in parts",
        ),
        ("write 'nothing good'", "damaged at byte 0"),
        ("write \"$table$end\"", "not as many runs as inputs"),
    ];
    for (script, expected) in table {
        let message = ask(script, &["a"]).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}\nfor {script}");
    }
    let missing = Probe::new("/nowhere/target").run(&["a"], |_| {});
    let message = missing.unwrap_err().to_string();
    assert!(message.contains("cannot run it"), "{message}");
}

#[test]
fn what_processes_say_is_understood() {
    assert_eq!(
        refusal("error: a\nhelp: b\n").as_deref(),
        Some("a\nhelp: b")
    );
    assert_eq!(refusal("x\nerror: a\n").as_deref(), Some("a"));
    assert_eq!(refusal("no error: a\n"), None);
    assert_eq!(
        summary("SUMMARY: A: b 0x1 c\nend").as_deref(),
        Some("A: b c")
    );
    assert_eq!(summary("nothing"), None);
    assert_eq!(last_lines("1\n2\n\n3\n4\n5\n6\n"), "2\n3\n4\n5\n6");
}
