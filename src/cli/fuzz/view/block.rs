//! What is shown of a campaign, as a block of lines or in one.

use crate::report::{Canvas, Share};
use crate::target::engine::{PathCounts, Reading};

use super::about::{About, News};

/// A number in groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1:02:03`, or `2:03`.
pub(super) fn clock(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// The edges as a share, if it is known how many there are.
fn edges(reading: &Reading) -> String {
    match reading.counters {
        Some(total) => Share {
            covered: reading.edges,
            total,
        }
        .to_string(),
        None => reading.edges.to_string(),
    }
}

fn share(paths: PathCounts) -> Share {
    Share {
        covered: paths.covered,
        total: paths.total,
    }
}

/// Runs in a second. In its first second the engine says that there are none.
fn rate(reading: &Reading, seconds: u64) -> u64 {
    match reading.rate {
        0 => reading.executions / seconds.max(1),
        rate => rate,
    }
}

/// How many inputs have failed: in fork mode the engine does not name them.
fn failures(reading: &Reading, about: &About) -> u64 {
    let found: u64 = about.failures.places.values().sum();
    found.max(reading.artifacts.len() as u64)
}

/// What there is to say, in one line.
pub(super) fn line(reading: &Reading, about: &About, news: News, seconds: u64) -> String {
    let mut line = format!(
        "{}  {} runs, {} per second; edges {}",
        clock(seconds),
        grouped(reading.executions),
        grouped(rate(reading, seconds)),
        edges(reading)
    );
    if let Some(paths) = reading.paths {
        line += &format!("; {}-paths {}", paths.k, share(paths));
    }
    line += &format!("; corpus {}", grouped(reading.corpus));
    let failures = failures(reading, about);
    if failures > 0 {
        line += &format!("; failures {failures}");
    }
    let rows = about.failures.rows();
    if !rows.is_empty() {
        line += &format!(": {}", rows.join(", "));
    }
    if let Some(silence) = news.silence(&about.target, seconds) {
        line += &format!("; {silence}");
    }
    line
}

/// The same in a block of lines, each of which fits.
pub(super) fn block(
    reading: &Reading,
    about: &About,
    news: News,
    seconds: u64,
    sample: Option<&str>,
    canvas: Canvas,
) -> Vec<String> {
    let mut rows: Vec<(&str, String)> = Vec::new();
    let time = match about.seconds {
        Some(all) => format!("{} of {}", clock(seconds), clock(all.into())),
        None => format!("{}, until Ctrl-C", clock(seconds)),
    };
    rows.push(("time", time));
    let runs = grouped(reading.executions);
    let rate = grouped(rate(reading, seconds));
    rows.push(("runs", format!("{runs}, {rate} per second")));
    rows.push(("edges", edges(reading)));
    let name;
    if let Some(paths) = reading.paths {
        name = format!("{}-paths", paths.k);
        rows.push((&name, share(paths).to_string()));
    }
    rows.push(("corpus", grouped(reading.corpus)));
    rows.push(("failures", failures(reading, about).to_string()));
    rows.extend(about.failures.rows().into_iter().map(|row| ("", row)));
    // What has brought most of late, as far as the mutator tells.
    let mut operators: Vec<_> = reading.operators.iter().collect();
    operators.sort_by_key(|counts| std::cmp::Reverse(counts.share));
    let operators: Vec<String> = operators
        .iter()
        .take(3)
        .map(|counts| format!("{} {:.0} %", counts.name, counts.share as f64 / 10.0))
        .collect();
    if !operators.is_empty() {
        rows.push(("mutations", operators.join(", ")));
    }
    if let Some(sample) = sample {
        rows.push(("as in", sample.to_owned()));
    }
    rows.extend(news.silence(&about.target, seconds).map(|it| ("", it)));
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut lines = vec![canvas.cut(&about.target, 0)];
    for (name, value) in rows {
        let value = canvas.cut(&value, width + 4);
        lines.push(format!(
            "  {}  {value}",
            canvas.dim(&format!("{name:width$}"))
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use expect_test::expect;

    use super::super::about::{Failures, Sample};
    use super::*;

    fn reading() -> Reading {
        let mut reading = Reading::default();
        for line in [
            "INFO: Loaded 1 modules   (8421 inline 8-bit counters): 8421 [0x5589d2a1b2f0, 0x5589d2a1d3d5), ",
            "#1065536\tpulse  cov: 1100 ft: 3301 corp: 700/12Kb lim: 80 exec/s: 32768 rss: 60Mb",
            "pleach: coverage: k: 4 covered: 2900 of: 4254",
            "pleach: operator: seek tried: 10 kept: 1 new_paths: 4 microseconds: 30 share: 250",
            "pleach: operator: swap tried: 5 kept: 0 new_paths: 0 microseconds: 9 share: 300",
        ] {
            reading.line(line);
        }
        reading
    }

    #[test]
    fn a_campaign_is_shown_in_a_block_that_fits() {
        let about = |seconds| About {
            target: "json".into(),
            seconds,
            sample: Sample {
                corpus: PathBuf::new(),
                codec: None,
            },
            failures: Failures {
                places: [("panic at src/lib.rs:3:9", 7), ("timeout", 12)]
                    .map(|(place, count)| (place.to_owned(), count))
                    .into(),
                ..Failures::default()
            },
        };
        let news = News {
            edges: 1100,
            at: 60,
        };
        let mut drawn = String::new();
        let sample = "{\"a rather long key\": [1, 2, 3], \"日本語\": null}";
        for (width, seconds) in [(60, Some(7200)), (24, None)] {
            let canvas = Canvas {
                width,
                is_colored: false,
                is_unicode: true,
            };
            let about = about(seconds);
            let block = block(&reading(), &about, news, 3723, Some(sample), canvas);
            for line in &block {
                assert_eq!(canvas.cut(line, 0), *line);
            }
            drawn += &(block.join("\n") + "\n");
        }
        drawn += &line(&reading(), &about(None), news, 60);
        expect![[r#"
            json
              time       1:02:03 of 2:00:00
              runs       1 065 536, 32 768 per second
              edges      1100 / 8421 (13 %)
              4-paths    2900 / 4254 (68.1 %)
              corpus     700
              failures   19
                         timeout (12)
                         panic at src/lib.rs:3:9 (7)
              mutations  swap 30 %, seek 25 %
              as in      {"a rather long key": [1, 2, 3], "日本語": nul…
                         no new edge for 1:01:03; `pleach stuck json` a…
            json
              time       1:02:03, u…
              runs       1 065 536,…
              edges      1100 / 842…
              4-paths    2900 / 425…
              corpus     700
              failures   19
                         timeout (1…
                         panic at s…
              mutations  swap 30 %,…
              as in      {"a rather…
                         no new edg…
            1:00  1 065 536 runs, 32 768 per second; edges 1100 / 8421 (13 %); 4-paths 2900 / 4254 (68.1 %); corpus 700; failures 19: timeout (12), panic at src/lib.rs:3:9 (7)"#]].assert_eq(&drawn);
    }

    #[test]
    fn the_rate_is_known_from_the_first_second_on() {
        let mut reading = Reading::default();
        reading.line("#9826\tpulse  cov: 1100 ft: 3301 corp: 700/12Kb lim: 80 exec/s: 0 rss: 60Mb");
        assert_eq!((rate(&reading, 0), rate(&reading, 2)), (9826, 4913));
    }

    #[test]
    fn numbers_are_grouped_and_times_are_clocks() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1 000"),
            (1234567, "1 234 567"),
        ] {
            assert_eq!(grouped(number), text);
        }
        for (seconds, text) in [
            (0, "0:00"),
            (59, "0:59"),
            (61, "1:01"),
            (3600, "1:00:00"),
            (36_061, "10:01:01"),
        ] {
            assert_eq!(clock(seconds), text);
        }
    }
}
