//! What libFuzzer says about itself on standard error.
//!
//! The engine has no output for programs, but its status lines have kept their form for many years: `#`, the number of runs, then
//! names with values (`cov: 71 ft: 93 corp: 12/80b`). A reader that looks for the names and skips everything else lives
//! with additions, with the other form of the lines in fork mode, and with what the target prints in between.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pleach_core::Grammar;
use serde::Serialize;

/// What the engine does otherwise than by its defaults. It pays for each feature of each run, and sentences have many: with a
/// feature for every count of every edge, and a schedule that keeps account of how rare each of them is, the engine takes more
/// time than an ordinary parser, and its corpus fills with inputs that repeat things. And by default it mutates what it has just made
/// up to four times more, as long as nothing is kept, where two in all find more: an operator of pleach changes more than a byte.
pub(crate) const FLAGS: [&str; 3] = ["-entropic=0", "-use_counters=0", "-mutate_depth=2"];

/// Makes a target what it would be without pleach.
pub(crate) const OFF: &str = "PLEACH_OFF";
/// The bytes that fit into an entry of a dictionary.
const LONGEST: usize = 64;

/// Longer lines are none of the engine's; what a target prints must not fill the memory.
const MAX_LINE: usize = 1 << 16;

/// The grammar's literals as a dictionary of the engine.
pub(crate) fn dictionary(grammar: &Grammar) -> String {
    let literals = grammar.literals();
    let literals = literals.iter().map(|(_, it)| &it[..it.len().min(LONGEST)]);
    let mut text = String::new();
    for literal in literals.filter(|it| !it.is_empty()) {
        let escaped = literal.iter().map(|byte| format!("\\x{byte:02X}"));
        text += &format!("\"{}\"\n", escaped.collect::<String>());
    }
    text
}

/// What the engine has reported so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Reading {
    /// Runs of the target.
    pub(crate) executions: u64,
    /// How many of them there were when an edge was covered first.
    pub(crate) last_new: u64,
    /// Runs a second, on average.
    pub(crate) rate: u64,
    /// Covered edges, `cov`.
    pub(crate) edges: u64,
    /// Features, `ft`: edges with classes of hit counts, comparisons, k-paths.
    pub(crate) features: u64,
    /// Inputs that the engine keeps, `corp`.
    pub(crate) corpus: u64,
    /// Edges that there are, covered or not.
    pub(crate) counters: Option<u64>,
    /// Files with inputs that failed, as the engine names them.
    pub(crate) artifacts: Vec<PathBuf>,
    /// The k-paths of all inputs that were run, as of the mutator's last report.
    pub(crate) paths: Option<PathCounts>,
    /// How the target's mutator has recognized texts, as of its last report.
    pub(crate) texts: Option<TextCounts>,
    /// What the mutator's operators have come to, as of its last report.
    pub(crate) operators: Vec<OperatorCounts>,
    /// How often what the campaign is aimed at was reached, as of the last report.
    pub(crate) aim: Option<AimCounts>,
    /// The greatest number of each goal that was reported.
    pub(crate) goals: BTreeMap<String, f64>,
    /// Whether an input failed, with or without a file.
    pub(crate) failed: bool,
    /// Whether there was a status line; with `-verbosity=0` there is none, and coverage is unknown.
    pub(crate) started: bool,
    /// Whether there were final numbers.
    pub(crate) finished: bool,
}

/// The k-paths that inputs have covered, kept by the engine or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct PathCounts {
    /// The k that the mutator seeks.
    pub(crate) k: u64,
    pub(crate) covered: u64,
    pub(crate) total: u64,
}

/// How texts were recognized.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct TextCounts {
    /// Without parsing.
    pub(crate) hits: u64,
    /// By parsing, or not at all.
    pub(crate) misses: u64,
    /// Of the misses, those that are not sentences.
    pub(crate) refused: u64,
    /// Of the misses, those that could not be parsed within the budget.
    pub(crate) exhausted: u64,
}

/// How a campaign with an aim is getting on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct AimCounts {
    /// Runs that have reached it.
    pub(crate) reached: u64,
    /// Runs.
    pub(crate) runs: u64,
    /// The number of the first run that has reached it; 0 for none.
    pub(crate) first: u64,
}

/// What an operator has come to.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct OperatorCounts {
    pub(crate) name: String,
    /// The inputs that it made.
    pub(crate) tried: u64,
    /// Those that the engine kept, as far as they came back as parents.
    pub(crate) kept: u64,
    /// The k-paths that they covered first.
    pub(crate) new_paths: u64,
    /// The time that it took.
    pub(crate) microseconds: u64,
    /// Its share of the mutations at the end, out of 1000.
    pub(crate) share: u64,
}

impl Reading {
    /// Takes in one line.
    pub(crate) fn line(&mut self, line: &str) {
        if let Some(status) = line.strip_prefix('#') {
            self.status(status);
        } else if let Some(number) = line.strip_prefix("stat::number_of_executed_units:") {
            set(&mut self.executions, number.trim());
            self.finished = true;
        } else if let Some(number) = line.strip_prefix("stat::average_exec_per_sec:") {
            set(&mut self.rate, number.trim());
        } else if let Some((_, path)) = line.split_once("; Test unit written to ") {
            self.artifact(PathBuf::from(path.trim_end()));
        } else if let Some(counts) = line.strip_prefix("pleach: coverage: ") {
            self.paths = Some(path_counts(counts));
        } else if let Some(counts) = line.strip_prefix("pleach: runs: ") {
            self.texts = Some(text_counts(counts));
        } else if let Some(counts) = line.strip_prefix("pleach: aim: ") {
            self.aim = Some(aim_counts(counts));
        } else if let Some(counts) = line.strip_prefix("pleach: operator: ") {
            self.operator(counts);
        } else if let Some(goal) = line.strip_prefix("pleach: goal ") {
            // A name may have a colon.
            let number = goal.rsplit_once(": ");
            if let Some((name, Ok(number))) = number.map(|(name, it)| (name, it.parse())) {
                self.goals.insert(name.to_owned(), number);
            }
        } else if line.starts_with("SUMMARY: ") {
            self.failed = true;
        } else if line.starts_with("INFO: Loaded ")
            && let Some((before, _)) = line.split_once(" inline 8-bit counters)")
            && let Some((_, number)) = before.rsplit_once('(')
        {
            self.counters = number.parse().ok().or(self.counters);
        }
    }

    /// Takes in a file that the engine has left among the artifacts.
    pub(crate) fn artifact(&mut self, path: PathBuf) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // Slow is worth a file, but no failure.
        if name.starts_with("slow-unit-") {
            return;
        }
        self.failed = true;
        if !self.artifacts.contains(&path) {
            self.artifacts.push(path);
        }
    }

    /// `3⇥NEW    cov: 5 …`, or in fork mode `3: cov: 5 …`.
    fn status(&mut self, status: &str) {
        let mut words = status.split_ascii_whitespace();
        let Some(Ok(executions)) = words.next().map(|word| word.trim_end_matches(':').parse())
        else {
            return;
        };
        let words: Vec<&str> = words.collect();
        if !words.contains(&"exec/s:") {
            return;
        }
        self.started = true;
        self.executions = executions;
        let edges = self.edges;
        for pair in words.windows(2) {
            match pair[0] {
                "cov:" => set(&mut self.edges, pair[1]),
                "ft:" => set(&mut self.features, pair[1]),
                "corp:" => set(
                    &mut self.corpus,
                    pair[1].split_once('/').map_or(pair[1], |(n, _)| n),
                ),
                "exec/s:" => set(&mut self.rate, pair[1]),
                // What follows are the engine's mutations, which a dictionary can make say anything.
                "MS:" => break,
                _ => {}
            }
        }
        if self.edges > edges {
            self.last_new = executions;
        }
    }

    /// Whether the second half of the runs has covered no new edge.
    pub(crate) fn is_stuck(&self) -> bool {
        self.started && self.executions > 2 * self.last_new
    }
}

impl Reading {
    /// Takes in what an operator has come to, in place of what was known of it.
    fn operator(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        let Some(name) = words.next() else {
            return;
        };
        let mut counts = OperatorCounts {
            name: name.to_owned(),
            ..OperatorCounts::default()
        };
        let words: Vec<&str> = words.collect();
        for pair in words.windows(2) {
            let number = match pair[0] {
                "tried:" => &mut counts.tried,
                "kept:" => &mut counts.kept,
                "new_paths:" => &mut counts.new_paths,
                "microseconds:" => &mut counts.microseconds,
                "share:" => &mut counts.share,
                _ => continue,
            };
            set(number, pair[1]);
        }
        match self.operators.iter_mut().find(|known| known.name == name) {
            Some(known) => *known = counts,
            None => self.operators.push(counts),
        }
    }
}

/// Reads a line about k-paths: names with values, as a target prints them that is asked to by `PLEACH_STATS`.
fn path_counts(line: &str) -> PathCounts {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let mut counts = PathCounts::default();
    for pair in words.windows(2) {
        match pair[0] {
            "k:" => set(&mut counts.k, pair[1]),
            "covered:" => set(&mut counts.covered, pair[1]),
            "of:" => set(&mut counts.total, pair[1]),
            _ => {}
        }
    }
    counts
}

/// Reads a line about what the campaign is aimed at, of the same form.
fn aim_counts(line: &str) -> AimCounts {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let mut counts = AimCounts::default();
    for pair in words.windows(2) {
        match pair[0] {
            "reached:" => set(&mut counts.reached, pair[1]),
            "of:" => set(&mut counts.runs, pair[1]),
            "first:" => set(&mut counts.first, pair[1]),
            _ => {}
        }
    }
    counts
}

/// Reads a line about texts, of the same form.
fn text_counts(line: &str) -> TextCounts {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let mut counts = TextCounts::default();
    for pair in words.windows(2) {
        let value: u64 = pair[1].parse().unwrap_or(0);
        match pair[0] {
            "at_hand:" | "cached:" => counts.hits += value,
            "parsed:" => counts.misses += value,
            "refused:" => {
                counts.misses += value;
                counts.refused = value;
            }
            "exhausted:" => {
                counts.misses += value;
                counts.exhausted = value;
            }
            _ => {}
        }
    }
    counts
}

fn set(number: &mut u64, text: &str) {
    if let Ok(value) = text.parse() {
        *number = value;
    }
}

/// Cuts what is read in blocks into lines.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    begun: Vec<u8>,
}

impl Lines {
    /// Takes in a block and hands on the lines that it completes.
    pub(crate) fn feed(&mut self, mut block: &[u8], mut line: impl FnMut(&str)) {
        while let Some(end) = block.iter().position(|&byte| byte == b'\n') {
            self.begin(&block[..end]);
            line(&String::from_utf8_lossy(&self.begun));
            self.begun.clear();
            block = &block[end + 1..];
        }
        self.begin(block);
    }

    fn begin(&mut self, bytes: &[u8]) {
        let room = MAX_LINE - self.begun.len();
        self.begun
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::{AimCounts, Lines, MAX_LINE, PathCounts, Reading, TextCounts};

    fn read(text: &str) -> Reading {
        let mut reading = Reading::default();
        text.lines().for_each(|line| reading.line(line));
        reading
    }

    #[test]
    fn a_campaign_that_ends_by_its_time() {
        let reading = read(
            "\
INFO: Running with entropic power schedule (0xFF, 100).
INFO: Seed: 1608565063
INFO: Loaded 1 modules   (8421 inline 8-bit counters): 8421 [0x5589d2a1b2f0, 0x5589d2a1d3d5), 
INFO: Loaded 1 PC tables (8421 PCs): 8421 [0x5589d2a1d3d8,0x5589d2a3e228), 
INFO:      127 files found in /p/fuzz/corpus/json
INFO: -max_len is not provided; libFuzzer will not generate inputs larger than 4096 bytes
INFO: seed corpus: files: 127 min: 1b max: 34b total: 1311b rss: 38Mb
#128\tINITED cov: 911 ft: 1520 corp: 101/1029b exec/s: 0 rss: 40Mb
#131\tNEW    cov: 912 ft: 1521 corp: 102/1040b lim: 34 exec/s: 0 rss: 40Mb L: 11/34 MS: 1 Custom-
#65536\tpulse  cov: 1100 ft: 3301 corp: 700/12Kb lim: 80 exec/s: 32768 rss: 60Mb
#90107\tREDUCE cov: 1101 ft: 3333 corp: 702/12Kb lim: 80 exec/s: 30035 rss: 61Mb L: 7/60 MS: 2 CustomCrossOver-Custom-
#98304\tDONE   cov: 1101 ft: 3333 corp: 702/12Kb lim: 80 exec/s: 24576 rss: 61Mb
Done 98304 runs in 4 second(s)
stat::number_of_executed_units: 98304
stat::average_exec_per_sec:     24576
stat::new_units_added:          601
stat::slowest_unit_time_sec:    0
stat::peak_rss_mb:              61",
        );
        let expected = Reading {
            executions: 98304,
            last_new: 90107,
            rate: 24576,
            edges: 1101,
            features: 3333,
            corpus: 702,
            counters: Some(8421),
            started: true,
            finished: true,
            ..Reading::default()
        };
        assert_eq!(reading, expected);
    }

    #[test]
    fn a_crash_leaves_a_file() {
        let reading = read(
            "\
#2\tINITED cov: 3 ft: 4 corp: 1/1b exec/s: 0 rss: 30Mb
thread '<unnamed>' panicked at fuzz_targets/t.rs:5:9:
#1 in this list
==7== ERROR: libFuzzer: deadly signal
    #0 0x55 in __sanitizer_print_stack_trace
MS: 1 Custom-; base unit: adc83b19e793491b1c6ea0fd8b46cd9f32e592fc
artifact_prefix='/p/fuzz/artifacts/t/'; Test unit written to /p/fuzz/artifacts/t/crash-0a 1
Base64: Cg==
SUMMARY: libFuzzer: deadly signal
stat::number_of_executed_units: 77
stat::average_exec_per_sec:     0",
        );
        assert_eq!(reading.executions, 77);
        assert!(reading.failed);
        assert_eq!(
            reading.artifacts,
            [std::path::PathBuf::from("/p/fuzz/artifacts/t/crash-0a 1")]
        );
    }

    #[test]
    fn slow_inputs_are_no_failures() {
        let reading =
            read("artifact_prefix='./'; Test unit written to ./slow-unit-adc83b19e793491b1c6ea0fd");
        assert_eq!(reading, Reading::default());
    }

    #[test]
    fn a_campaign_is_stuck_that_covers_nothing_new_in_its_second_half() {
        let begun = "#100\tINITED cov: 9 exec/s: 0\n#400\tNEW    cov: 10 exec/s: 9";
        for (more, is_stuck) in [
            ("", false),
            ("\n#800\tpulse  cov: 10 exec/s: 9", false),
            ("\n#801\tREDUCE cov: 10 exec/s: 9", true),
            ("\n#801\tNEW    cov: 11 exec/s: 9", false),
        ] {
            assert_eq!(
                read(&format!("{begun}{more}")).is_stuck(),
                is_stuck,
                "{more}"
            );
        }
        assert!(!Reading::default().is_stuck());
    }

    #[test]
    fn fork_mode_has_its_own_lines() {
        let reading = read(
            "\
INFO: -fork=2: fuzzing in separate process(s)
INFO: -fork=2: 12 seed inputs, starting to fuzz in /tmp/libFuzzerTemp.FuzzWithFork8.dir
#40960: cov: 311 ft: 420 corp: 65 exec/s: 20480 oom/timeout/crash: 0/0/0 time: 2s job: 1 dft_time: 0
#98304: cov: 355 ft: 512 corp: 81 exec/s: 21001 oom/timeout/crash: 0/0/1 time: 4s job: 2 dft_time: 0
INFO: exiting: 0 time: 5s",
        );
        let expected = Reading {
            executions: 98304,
            last_new: 98304,
            rate: 21001,
            edges: 355,
            features: 512,
            corpus: 81,
            started: true,
            ..Reading::default()
        };
        assert_eq!(reading, expected);
    }

    #[test]
    fn the_mutator_says_how_it_has_recognized_texts() {
        let reading = read(
            "\
pleach: runs: 1 at_hand: 0 cached: 0 parsed: 1 refused: 0 exhausted: 0 sentences: 0 raw: 0
pleach: runs: 2048 at_hand: 3000 cached: 500 parsed: 40 refused: 7 exhausted: 3 sentences: 1900 raw: 148
pleach: something else",
        );
        let texts = TextCounts {
            hits: 3500,
            misses: 50,
            refused: 7,
            exhausted: 3,
        };
        let expected = Reading {
            texts: Some(texts),
            ..Reading::default()
        };
        assert_eq!(reading, expected);
    }

    #[test]
    fn the_mutator_says_what_all_runs_have_covered() {
        let reading = read(
            "\
pleach: coverage: k: 4 covered: 2900 of: 4254
pleach: coverage: k: 4 covered: 3100 of: 4254 more: 1",
        );
        let paths = PathCounts {
            k: 4,
            covered: 3100,
            total: 4254,
        };
        let expected = Reading {
            paths: Some(paths),
            ..Reading::default()
        };
        assert_eq!(reading, expected);
    }

    #[test]
    fn the_mutator_says_how_often_the_aim_was_reached() {
        let reading = read(
            "pleach: aim: reached: 0 of: 1000 first: 0\npleach: aim: reached: 30 of: 2000 first: 1200 more: 1",
        );
        let expected = AimCounts {
            reached: 30,
            runs: 2000,
            first: 1200,
        };
        assert_eq!(reading.aim, Some(expected));
    }

    #[test]
    fn the_last_report_of_each_operator_counts() {
        let reading = read(
            "pleach: operator: seek tried: 10 kept: 1 new_paths: 4 microseconds: 30 share: 250\n\
             pleach: operator: swap tried: 5 kept: 0 new_paths: 0 microseconds: 9 share: 50\n\
             pleach: operator: seek tried: 40 kept: 3 new_paths: 6 microseconds: 99 share: 300 more: 1",
        );
        let names: Vec<_> = reading
            .operators
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(names, ["seek", "swap"]);
        let seek = &reading.operators[0];
        let counts = (
            seek.tried,
            seek.kept,
            seek.new_paths,
            seek.microseconds,
            seek.share,
        );
        assert_eq!(counts, (40, 3, 6, 99, 300));
    }

    #[test]
    fn what_the_target_prints_counts_for_nothing() {
        let reading = read(
            "# heading\n#12 cov: 99\n#x\tNEW cov: 1 exec/s: 3\ncov: 5 ft: 6\n\u{fffd}\nstat:: many\nINFO: Loaded nothing",
        );
        assert_eq!(reading, Reading::default());
    }

    #[test]
    fn lines_come_in_any_blocks() {
        let text = "#1\tINITED exec/s: 4\n\n#2\tDONE cov: 8 exec/s: 5\nrest";
        for size in 1..text.len() {
            let (mut lines, mut seen) = (Lines::default(), Vec::new());
            for block in text.as_bytes().chunks(size) {
                lines.feed(block, |line| seen.push(line.to_owned()));
            }
            assert_eq!(
                seen,
                ["#1\tINITED exec/s: 4", "", "#2\tDONE cov: 8 exec/s: 5"]
            );
        }
    }

    #[test]
    fn endless_lines_are_cut() {
        let (mut lines, mut seen) = (Lines::default(), Vec::new());
        for _ in 0..3 {
            lines.feed(&vec![b'x'; MAX_LINE], |line| seen.push(line.len()));
        }
        lines.feed(b"\n#1\n", |line| seen.push(line.len()));
        assert_eq!(seen, [MAX_LINE, 2]);
    }
}
