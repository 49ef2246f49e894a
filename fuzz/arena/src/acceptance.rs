//! How many random sentences of its grammar a program accepts: what a grammar promises, measured on the real thing.
//!
//! The sentences are drawn as `pleach generate` draws them, and run in the program `replay`, so that one that panics, fills the stack
//! or never ends is a line of the table and not the end of it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use pleach_core::choice::{Lexemes, SiteIndex};
use pleach_core::generate::{Generator, Limits};
use pleach_core::rng::Rng;
use pleach_core::{Codec, Graph};

use crate::arguments::{Acceptance, Judge};
use crate::builds::{Builder, REPLAY};
use crate::process::Interrupt;
use crate::replay::{Verdict, replay};
use crate::subject::{Checkout, Subject};

/// How the sentences of a subject ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Tally {
    accepted: usize,
    rejected: usize,
    panicked: usize,
    lost: usize,
}

impl Tally {
    fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Accepted => &mut self.accepted,
            Verdict::Rejected => &mut self.rejected,
            Verdict::Panicked => &mut self.panicked,
            Verdict::Lost => &mut self.lost,
        } += 1;
    }

    fn total(&self) -> usize {
        self.accepted + self.rejected + self.panicked + self.lost
    }
}

/// `acceptance`.
pub(crate) fn acceptance(
    checkout: &Checkout,
    args: &Acceptance,
    interrupt: &Interrupt,
) -> Result<()> {
    ensure!(args.sentences > 0, "-n 0 leaves nothing to measure");
    let subjects = checkout.choose(&args.subjects)?;
    if let Some(dir) = &args.refused {
        ensure!(
            !dir.exists(),
            "{} exists already; name another directory for what is refused",
            dir.display()
        );
    }
    let builder = Builder::new(checkout, &args.pleach)?;
    print!("{HEAD}");
    for subject in subjects {
        eprintln!("building {}", subject.key);
        let programs = builder.build(&subject, &[REPLAY])?;
        if interrupt.is_set() {
            bail!("interrupted");
        }
        let sentences = sentences(&subject.graph()?, args.random_seed, args.sentences);
        let refused = args.refused.as_ref().map(|dir| dir.join(&subject.key));
        let program = &programs.get(REPLAY).path;
        let tally = judge(checkout, program, &sentences, refused.as_deref(), interrupt)?;
        print!("{}", row(&subject, tally));
    }
    Ok(())
}

/// Random sentences of a grammar.
fn sentences(graph: &Arc<Graph>, seed: u64, count: usize) -> Vec<Vec<u8>> {
    let codec = Arc::new(Codec::new(graph));
    let mut generator = Generator::new(&codec, Limits::default(), Rng::new(seed));
    let (mut index, mut lexemes) = (SiteIndex::new(), Lexemes::default());
    let mut sentence = || {
        generator.generate(&mut index);
        codec.text(&index, &mut lexemes).to_vec()
    };
    (0..count).map(|_| sentence()).collect()
}

/// Runs sentences. Those that are not accepted are written to a directory, if one is named.
fn judge(
    checkout: &Checkout,
    program: &Path,
    sentences: &[Vec<u8>],
    refused: Option<&Path>,
    interrupt: &Interrupt,
) -> Result<Tally> {
    fs::create_dir_all(checkout.scratch())?;
    let dir = tempfile::tempdir_in(checkout.scratch())?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for (number, sentence) in sentences.iter().enumerate() {
        let path = dir.path().join(format!("{number:04}"));
        fs::write(&path, sentence)?;
        paths.push(path);
    }
    let mut tally = Tally::default();
    let mut others = Vec::new();
    let list = dir.path().join("list");
    replay(program, &paths, &list, interrupt, |number, verdict, _| {
        tally.add(verdict);
        if verdict != Verdict::Accepted {
            others.push(number);
        }
    })?;
    if let Some(refused) = refused {
        fs::create_dir_all(refused).with_context(|| format!("{}", refused.display()))?;
        for number in others {
            fs::write(refused.join(format!("{number:04}")), &sentences[number])?;
        }
    }
    Ok(tally)
}

/// `judge`: a line for each file of a list, `accepted`, `rejected`, `panicked` or `lost`.
pub(crate) fn judge_files(checkout: &Checkout, args: &Judge, interrupt: &Interrupt) -> Result<()> {
    let subjects = checkout.choose(std::slice::from_ref(&args.subject))?;
    let [subject] = subjects.as_slice() else {
        bail!("one subject is judged at a time");
    };
    let paths: Vec<PathBuf> = std::io::stdin()
        .lines()
        .map(|line| Ok(line?.into()))
        .collect::<Result<_>>()?;
    eprintln!("building {}", subject.key);
    let programs = Builder::new(checkout, &args.pleach)?.build(subject, &[REPLAY])?;
    println!("{}", subject.version());
    if paths.is_empty() {
        return Ok(());
    }
    let dir = tempfile::tempdir_in(checkout.scratch())?;
    let (program, list) = (&programs.get(REPLAY).path, dir.path().join("list"));
    replay(program, &paths, &list, interrupt, |_, verdict, _| {
        println!("{}", format!("{verdict:?}").to_lowercase());
    })?;
    Ok(())
}

const HEAD: &str = "\
| grammar | accepted by | sentences | accepted | what is refused |
|---|---|---|---|---|
";

/// A line of the table.
fn row(subject: &Subject, tally: Tally) -> String {
    let grammar = subject.grammar.file_stem().unwrap_or_default();
    let mut why = subject.about.refuses.clone().unwrap_or_default();
    for (count, what) in [(tally.panicked, "panic"), (tally.lost, "end the process")] {
        if count > 0 {
            let comma = if why.is_empty() { "" } else { "; " };
            write!(why, "{comma}{count} {what}").expect("a string takes all");
        }
    }
    let total = tally.total();
    format!(
        "| `{}` | {} | {total} | {} % | {why} |\n",
        grammar.display(),
        subject.version(),
        percent(tally.accepted, total),
    )
}

/// A share with one decimal, rounded down, so that only all of them are 100 %.
fn percent(part: usize, whole: usize) -> String {
    let thousandths = part * 1000 / whole.max(1);
    match thousandths % 10 {
        0 => format!("{}", thousandths / 10),
        tenth => format!("{}.{tenth}", thousandths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::{Tally, percent, row, sentences};
    use crate::replay::Verdict;
    use crate::subject::{About, Subject};
    use pleach_core::Graph;

    #[test]
    fn shares_are_rounded_down() {
        let shares = [(1000, 1000), (999, 1000), (9999, 10_000), (0, 3), (1, 3)];
        assert_eq!(
            shares.map(|(part, whole)| percent(part, whole)),
            ["100", "99.9", "99.9", "0", "33.3"]
        );
    }

    #[test]
    fn a_row_says_what_is_refused_and_what_goes_wrong() {
        let subject = Subject {
            key: "k".into(),
            dir: "/nowhere".into(),
            grammar: "grammars/g/g.ebnf".into(),
            about: About {
                name: "crate".into(),
                refuses: Some("names".into()),
                ..About::default()
            },
        };
        let mut tally = Tally::default();
        for verdict in [
            Verdict::Accepted,
            Verdict::Rejected,
            Verdict::Panicked,
            Verdict::Lost,
        ] {
            tally.add(verdict);
        }
        assert_eq!(
            row(&subject, tally),
            "| `g` | crate of unknown version | 4 | 25 % | names; 1 panic; 1 end the process |\n"
        );
    }

    #[test]
    fn sentences_repeat_with_their_seed() {
        let grammar: pleach_core::Grammar = "a := '[' (a (',' a)*)? ']' | [0-9]+;".parse().unwrap();
        let graph = Graph::new(grammar).unwrap();
        let drawn = sentences(&graph, 1, 20);
        assert_eq!(drawn.len(), 20);
        assert_eq!(drawn, sentences(&graph, 1, 20));
        assert_ne!(drawn, sentences(&graph, 2, 20));
        let parser = pleach_core::Parser::new(&graph);
        let mut workspace = pleach_core::parse::Workspace::default();
        for text in drawn {
            let budget = pleach_core::parse::Budget::default();
            assert!(parser.parse(&text, budget, &mut workspace).is_ok());
        }
    }
}
