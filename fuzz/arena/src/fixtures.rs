//! What tests share: results of a program with a known bug, three arms, three seeds, all of it made up; and scripts as programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::campaign::{Crash, Found};
use crate::engine::RunPaths;
use crate::measure::{Level, Measured, Point, Texts};
use crate::plan;
use crate::results::{Summary, Versions};
use crate::subject::{About, Bug};

/// Results of three arms; `pleach` alone finds the bug in all seeds, `raw` in one. Those with pleach's mutator tell what they have
/// run, but for the first one of `tuned`.
pub(crate) fn results() -> Vec<Summary> {
    let mut results = Vec::new();
    for (arm, edges, accepted, found) in [
        ("pleach", 900, 700, [Some(1.5), Some(2.0), Some(4.0)]),
        ("raw", 1000, 300, [None, Some(9.0), None]),
        ("tuned", 800, 700, [Some(0.5), None, None]),
    ] {
        for seed in 1..=3 {
            let more = 10 * seed * seed;
            results.push(summary(
                arm,
                seed,
                edges + more,
                accepted + more,
                found[seed as usize - 1],
            ));
        }
    }
    results
}

fn summary(arm: &str, seed: u64, edges: u64, accepted: u64, found: Option<f64>) -> Summary {
    let known = plan::arms();
    let arm = match known.iter().find(|it| it.name == arm) {
        Some(arm) => arm.clone(),
        None => plan::variant(&format!("{arm}=pleach,PLEACH_BYTES=0.4"), &known).unwrap(),
    };
    let point = |share: u64| Point {
        cpu: 10.0 * share as f64 / 4.0,
        executions: 5000 * share,
        edges: edges * share / 4,
        edges_accepted: accepted * share / 4,
        k_paths: vec![10 * share, 20 * share, 40 * share],
    };
    let level = |k, covered, total| Level { k, covered, total };
    // One campaign has ended before there was anything to report.
    let tells = arm.binary.has_mutator() && (arm.name == "pleach" || seed != 1);
    let run_paths = RunPaths {
        k: 4,
        covered: edges - 100,
        total: 1000,
    };
    let crash = Crash {
        place: "program-1.2.3/src/lib.rs:5:1".into(),
        message: "index out of bounds".into(),
        count: 2,
        first: 1.5,
    };
    Summary {
        format: Summary::format(),
        digest: arm.name.clone(),
        subject: "program".into(),
        about: About {
            name: "program".into(),
            does: "parses, prints".into(),
            grammar: "grammars/program/program.ebnf".into(),
            deep: true,
            heavy: false,
            bugs: vec![Bug {
                name: "17".into(),
                url: "https://example.org/17".into(),
                input: "17".into(),
                panic: "src/lib.rs:5:1".into(),
            }],
            ..About::default()
        },
        seed,
        seconds: 10.0,
        versions: Versions {
            subject: "program 1.2.3".into(),
            pleach: "0123456789ab".into(),
            rustc: "rustc 1.88.0".into(),
            cargo_fuzz: "0.13.2".into(),
            flags: "-Ca -Cb".into(),
            cpu: "a processor".into(),
        },
        cpu: 10.0,
        wall: 11.0,
        executions: 20_000 + seed,
        starts: 1,
        corpus: 300 + seed,
        given_up: None,
        crashes: found.map(|_| crash).into_iter().collect(),
        bugs: vec![Found {
            name: "17".into(),
            cpu: found,
        }],
        run_paths: tells.then_some(run_paths),
        measured: Measured {
            edges_total: 5000,
            edges,
            edges_accepted: accepted,
            k_paths: vec![level(2, 40, 50), level(3, 80, 100), level(4, 160, 1000)],
            texts: Texts::default(),
            curve: (0..=4).map(point).collect(),
        },
        arm,
    }
}

/// A program in this directory that is a script.
///
/// Another process writes it. What this one has open, a test that starts a program meanwhile passes on for a moment, and a file
/// that somebody has open for writing does not run.
pub(crate) fn script(dir: &Path, text: &str) -> PathBuf {
    let program = dir.join("program");
    let write = r#"printf %s "$1" > "$0" && chmod +x "$0""#;
    let status = Command::new("sh")
        .args(["-c", write])
        .args([program.as_os_str(), text.as_ref()])
        .status();
    assert!(status.unwrap().success());
    program
}
