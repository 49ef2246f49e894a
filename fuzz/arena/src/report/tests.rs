//! A report of made-up results.

use super::{Subject, markdown};
use crate::fixtures::results;
use crate::results::Summary;
use expect_test::expect;

#[test]
fn a_report_has_tables_of_everything() {
    let results = results();
    let report = markdown(&Subject::all(&results), "pleach", false);
    expect![[r#"
        # Evaluation

        Medians over seeds, with the range in parentheses. The best median of a column is bold. `p` is the two-sided Mann–Whitney U test against `pleach`, and `A12` how often `pleach` is above the arm (0.5: no difference); p < 0.05 has a star. How all this is measured: `fuzz/arena/README.md`.

        - command: `scripts/evaluate.sh run --subjects program --arms raw,pleach --variant tuned=pleach,-entropic=0,-use_counters=0,-mutate_depth=2,PLEACH_BYTES=0.4,no-compares --seconds 10 --seeds 3`, then `scripts/evaluate.sh report`
        - CPU seconds of a campaign: 10
        - pleach: 0123456789ab
        - compiler: rustc 1.88.0
        - flags, as cargo-fuzz 0.13.2 passes them for `--sanitizer none`: `-Ca -Cb`
        - arms (program, the engine's flags, settings; seeds=K is a covering set): `pleach` is `choices -entropic=0 -use_counters=0 -mutate_depth=2 no-compares`, `raw` is `raw`, `tuned` is `choices -entropic=0 -use_counters=0 -mutate_depth=2 PLEACH_BYTES=0.4 no-compares`
        - processor: a processor

        ## All subjects

        | subject | best raw arm, edges | `pleach` | ratio | best raw arm, by accepted | `pleach` | ratio |
        |---|---|---|---|---|---|---|
        | program 1.2.3 | 1040 `raw` | 940 | 0.904 | 340 `raw` | 740 | 2.176 |

        Ratio `pleach` / best raw arm in the median subject: 0.904 of edges, 2.176 of edges by accepted inputs.

        Edges, and edges by accepted inputs, in medians:

        | subject | raw | pleach | tuned |
        |---|---|---|---|
        | program | **1040** / 340 | 940 / **740** | 840 / **740** |

        ## program

        program 1.2.3: parses, prints; deep; 5000 edges in the plain program.

        | arm | n | edges | by accepted | 2-paths of 50 | 3-paths of 100 | 4-paths of 1000 | k-paths run | runs/s | corpus | edges: p, A12 | by accepted: p, A12 |
        |---|---|---|---|---|---|---|---|---|---|---|---|
        | raw | 3 | **1040** (1010 – 1090) | 340 (310 – 390) | **40** | **80** | **160** | – | **2000** (2000 – 2000) | 302 (301 – 303) | 0.100, 0.00 | 0.100, 1.00 |
        | pleach | 3 | 940 (910 – 990) | **740** (710 – 790) | **40** | **80** | **160** | **840** (810 – 890) of 1000 (k = 4) | **2000** (2000 – 2000) | 302 (301 – 303) | – | – |
        | tuned | 3 | 840 (810 – 890) | **740** (710 – 790) | **40** | **80** | **160** | 765 (740 – 790) of 1000 (k = 4), 2/3 | **2000** (2000 – 2000) | 302 (301 – 303) | 0.100, 1.00 | 1.000, 0.50 |

        CPU seconds to each known bug, and in how many campaigns it was found; then `p` and `A12` of the times.

        | arm | [17](https://example.org/17) |
        |---|---|
        | raw | > 10 (9.0 – > 10), 1/3; 0.100, 0.00 |
        | pleach | 2.0 (1.5 – 4.0), 3/3 |
        | tuned | > 10 (0.5 – > 10), 1/3; 0.600, 0.33 |

        - raw: 2 crashes at `program-1.2.3/src/lib.rs:5:1`
        - pleach: 6 crashes at `program-1.2.3/src/lib.rs:5:1`
        - tuned: 2 crashes at `program-1.2.3/src/lib.rs:5:1`

    "#]].assert_eq(&report);
}

#[test]
fn results_that_do_not_tell_what_was_run_have_no_column_for_it() {
    let mut results = results();
    for result in &mut results {
        result.run_paths = None;
    }
    let report = markdown(&Subject::all(&results), "pleach", false);
    let head = "| 4-paths of 1000 | runs/s | corpus |";
    assert!(report.contains(head), "{report}");
    assert!(!report.contains("k-paths run"), "{report}");
}

#[test]
fn paths_of_different_lengths_are_not_compared() {
    let mut results = results();
    let row = |results: &[Summary], arm: &str| {
        let report = markdown(&Subject::all(results), "pleach", false);
        let start = format!("| {arm} | 3 | ");
        let mut lines = report.lines();
        lines.find(|it| it.starts_with(&start)).unwrap().to_owned()
    };
    assert!(row(&results, "pleach").contains("| **840** (810 – 890) of 1000 (k = 4) |"));
    let change = |result: &mut Summary| {
        if let Some(paths) = &mut result.run_paths {
            (paths.k, paths.covered, paths.total) = (3, 90, 100);
        }
    };
    let tuned = |it: &&mut Summary| it.arm.name == "tuned";
    results.iter_mut().filter(tuned).for_each(change);
    assert!(row(&results, "tuned").contains("| 90 of 100 (k = 3), 2/3 |"));
    assert!(row(&results, "pleach").contains("| 840 (810 – 890) of 1000 (k = 4) |"));
    // Nor has one arm a median of both.
    results
        .iter_mut()
        .filter(|it| it.arm.name == "pleach")
        .take(1)
        .for_each(change);
    assert!(row(&results, "pleach").contains("| **160** | – | **2000**"));
}

#[test]
fn results_of_different_programs_are_not_mixed_unnoticed() {
    let mut results = results();
    assert!(!markdown(&Subject::all(&results), "pleach", false).contains("mixed"));
    results[1].digest = "other".into();
    let report = markdown(&Subject::all(&results), "pleach", false);
    assert!(report.contains("with different programs or budgets: program pleach"));
}

#[test]
fn a_baseline_that_was_not_run_is_left_out() {
    let results = results();
    let report = markdown(&Subject::all(&results), "nobody", false);
    assert!(
        report.contains("| 1040 `raw` | – | – | 340 `raw` | – | – |"),
        "{report}"
    );
}
