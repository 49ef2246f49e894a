use std::fs;
use std::path::Path;

use expect_test::expect;

use super::super::files::File;
use super::report::Report;
use super::{Finding, Judge, SCRATCH, Share, Subject, Tool, is_seen, tree_sitter, verdict};

fn judge(n: u64) -> Judge {
    Judge {
        tool: Tool::TreeSitter(tree_sitter::TreeSitter {
            languages: Vec::new(),
        }),
        n,
        random_seed: 0,
    }
}

/// A grammar of small numbers, with two texts of either half: one of each is no number for pleach. Its tool takes texts of digits, cannot
/// read those with a `?`, and needs an empty directory.
fn subject(dir: &Path) -> Subject {
    let grammar = dir.join("number.abnf");
    fs::write(&grammar, "number = 1*2DIGIT / \"x\"\n").unwrap();
    let text = |(at, text): (usize, &str)| {
        let path = dir.join(at.to_string());
        fs::write(&path, text).unwrap();
        File {
            path,
            name: at.to_string(),
        }
    };
    let texts = ["12", "123", "1?", "y", "34", "567"].into_iter();
    let script = "[ -z \"$(ls \"$0\")\" ] || exit 1; echo noise; while read -r file; do \
                  case $(cat \"$file\") in *\\?*) echo undecided ;; *[!0-9]*) echo refused ;; *) echo accepted ;; esac; done";
    Subject {
        name: "number".to_owned(),
        grammar,
        start: None,
        texts: texts.enumerate().map(text).collect(),
        tool: ["sh", "-c", script, SCRATCH].map(str::to_owned).into(),
    }
}

#[test]
fn a_grammar_is_judged_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(folder.path());
    let mut finding = Finding::default();
    judge(50).find(&subject, &mut finding).unwrap();
    assert_eq!(finding.sentences.whole, 50);
    let refused = finding
        .details
        .iter()
        .filter(|it| it.starts_with("refused: "));
    let refused: Vec<&String> = refused.collect();
    assert_eq!(finding.sentences.part + refused.len() as u64, 50);
    assert!(!refused.is_empty() && refused.len() < 50, "{refused:?}");
    assert!(
        refused
            .iter()
            .all(|it| matches!(it.as_str(), "refused: \"x\"" | "refused: \"X\""))
    );
    // Of what the tool accepts, pleach parses the numbers of two digits.
    let (seen, unseen): (Vec<&File>, Vec<&File>) = subject
        .texts
        .iter()
        .filter(|it| ["0", "1", "4", "5"].contains(&it.name.as_str()))
        .partition(|it| is_seen(&it.name));
    let parsed = |files: &[&File]| Share {
        part: files
            .iter()
            .filter(|it| ["0", "4"].contains(&it.name.as_str()))
            .count() as u64,
        whole: files.len() as u64,
    };
    assert_eq!(
        (finding.seen, finding.unseen),
        (parsed(&seen), parsed(&unseen))
    );
    // Nothing is told of the half that is not looked at.
    for file in unseen {
        let told = format!("{}: ", file.name);
        assert!(!finding.details.iter().any(|it| it.starts_with(&told)));
    }
}

#[test]
fn what_is_known_is_not_found_out_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut subject = subject(folder.path());
    let kept = tempfile::tempdir().unwrap();
    let first = judge(5).kept(&subject, kept.path()).unwrap();
    subject.tool = vec!["false".to_owned()];
    assert_eq!(judge(5).kept(&subject, kept.path()).unwrap(), first);
    // Other sentences are not known yet.
    let failed = judge(6).kept(&subject, kept.path()).unwrap().failed;
    assert!(failed.is_some_and(|it| it.contains("the tool does not take the grammar")));
}

#[test]
fn halves_are_about_as_large() {
    let seen = (0..1000).filter(|it| is_seen(&it.to_string())).count();
    assert!((400..600).contains(&seen), "{seen}");
}

#[test]
fn lines_without_a_verdict_are_passed() {
    let lines = [
        "accepted",
        "refused",
        "undecided",
        "accepted by an action",
        "",
    ];
    assert_eq!(
        lines.map(verdict),
        [Some(Some(true)), Some(Some(false)), Some(None), None, None]
    );
}

#[test]
fn the_report_adds_up_and_names_what_is_refuted() {
    let share = |part, whole| Share { part, whole };
    let findings = [
        Finding {
            name: "broken".to_owned(),
            failed: Some("the tool does not take it\nat all".to_owned()),
            ..Finding::default()
        },
        Finding {
            name: "lossy".to_owned(),
            left_out: vec!["a predicate; the language is larger".to_owned()],
            sentences: share(9, 10),
            seen: share(1, 2),
            ..Finding::default()
        },
        Finding {
            name: "right".to_owned(),
            sentences: share(10, 10),
            ..Finding::default()
        },
        Finding {
            name: "wrong".to_owned(),
            sentences: share(10, 10),
            unseen: share(3, 4),
            ..Finding::default()
        },
    ];
    let report = Report {
        findings: &findings,
    };
    expect![[r#"
        | grammar | left out | sentences accepted | texts parsed, looked at | not looked at |
        |---|---|---|---|---|
        | `broken` | the tool does not take it | | | |
        | `lossy` | 1 | 9 / 10 | 1 / 2 | none |
        | `right` | 0 | 10 / 10 | none | none |
        | `wrong` | 0 | 10 / 10 | none | 3 / 4 |
        | all: 3 | | 29 / 30 | 1 / 2 | 3 / 4 |
        | nothing left out: 2 | | 20 / 20 | none | 3 / 4 |

        Refuted, with nothing left out: wrong
    "#]]
    .assert_eq(&report.to_string());
}
