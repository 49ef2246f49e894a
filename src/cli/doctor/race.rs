//! Two short campaigns from nothing: with pleach, and with the engine alone.
//!
//! The engine alone has what one would give it for the text: the grammar's literals as a dictionary, and the texts of a covering set as
//! seeds. Program and flags are the same; `PLEACH_OFF` is the difference.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use pleach_core::Codec;

use super::Report;
use crate::failure::{Failure, note};
use crate::output::{Existing, write_file};
use crate::target::engine::{FLAGS, OFF, Reading, dictionary};
use crate::target::{Subject, made};

/// Seeds at the most.
const SEEDS: u32 = 1000;
/// Fewer edges than this share of the other's are a finding: less is chance.
const CLOSE: f64 = 0.95;

/// Runs both, and says which has covered more.
pub(super) fn race(subject: &Subject, seconds: u32, report: &mut Report) {
    note(format_args!(
        "running `{}` for {seconds} s with pleach, and for {seconds} s without",
        subject.name
    ));
    let (with, without) = match both(subject, seconds) {
        Ok(readings) => readings,
        Err(failure) => return report.stop("edges", failure),
    };
    let name = &subject.name;
    if with.failed {
        report.note(
            "edges",
            format!(
                "an input fails after {} runs, so nothing is compared",
                with.executions
            ),
            format!("`pleach fuzz {name}` keeps and reduces it"),
        );
        return;
    }
    if with.edges == 0 {
        return report.wrong(
            "edges",
            format!("a campaign of {seconds} s covers no edge"),
            "see that the target calls the program, and that `pleach fuzz` builds it",
        );
    }
    let rate = |reading: &Reading| match reading.rate {
        0 => reading.executions / u64::from(seconds),
        rate => rate,
    };
    let mut message = format!(
        "{} in {seconds} s, {} runs per second",
        with.edges,
        rate(&with)
    );
    if without.failed {
        message += "; without pleach an input fails, so nothing is compared";
        return report.ok("edges", message);
    }
    message += &format!("; without pleach {}, {}", without.edges, rate(&without));
    if (with.edges as f64) < CLOSE * without.edges as f64 {
        return report.note(
            "edges",
            message,
            format!(
                "`errors: 0.1` in the target reaches error paths, too; `pleach agree {name}` says which texts the grammar lacks; longer \
                 campaigns tell more: --seconds 60"
            ),
        );
    }
    report.ok("edges", message);
}

/// What the engine says with pleach and without.
fn both(subject: &Subject, seconds: u32) -> Result<(Reading, Reading), Failure> {
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::file("make a directory for", Path::new("campaigns"), &error))?;
    let [with, without] = ["with", "without"].map(|it| folder.path().join(it));
    for dir in [&with, &without] {
        fs::create_dir(dir).map_err(|error| Failure::file("make", dir, &error))?;
    }
    let codec = Codec::new(&subject.source.graph);
    let seeds = subject.texts_of(&codec, &made::covering(&codec, SEEDS, 0))?;
    for (at, text) in seeds.iter().enumerate() {
        write_file(&without.join(at.to_string()), text, Existing::Keep)?;
    }
    let words = folder.path().join("words");
    let dictionary = dictionary(subject.source.graph.grammar());
    write_file(&words, dictionary.as_bytes(), Existing::Keep)?;
    let run = |corpus: &Path, more: &mut dyn FnMut(&mut Command)| -> Result<Reading, Failure> {
        let mut command = Command::new(&subject.program);
        command
            .args(FLAGS)
            .args(["-print_final_stats=1", "-seed=1"])
            .arg(format!("-max_total_time={seconds}"))
            .arg(format!("-artifact_prefix={}/", folder.path().display()))
            .arg(corpus);
        more(&mut command);
        let output = command.stdin(Stdio::null()).stdout(Stdio::null()).output();
        let output = output.map_err(|error| Failure::file("run", &subject.program, &error))?;
        let mut reading = Reading::default();
        for line in String::from_utf8_lossy(&output.stderr).lines() {
            reading.line(line);
        }
        Ok(reading)
    };
    let with = run(&with, &mut |_| {})?;
    let without = run(&without, &mut |command| {
        command.env(OFF, "1");
        command.arg(format!("-dict={}", words.display()));
    })?;
    Ok((with, without))
}
