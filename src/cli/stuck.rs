//! `pleach stuck`: why a campaign finds nothing new.
//!
//! The corpus cannot tell, because the engine keeps nothing that the target rejects. So sentences are made anew, random ones and a covering
//! set, and run beside the corpus. Three things keep campaigns from going on, and each leaves its mark: what the target always rejects
//! ([`rejected`]), names that are drawn freely where the program wants them to agree ([`names`]), and functions that nothing reaches, beside
//! the nearest one that is reached ([`functions`]).
//!
//! `pleach fuzz` asks at the end of a campaign whose last half has found nothing.

mod functions;
mod names;
mod rejected;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use pleach_associate::{Extractor, Features, features::greatest_k};
use pleach_core::Codec;
use pleach_core::parse::Budget;
use pleach_probe::{Probed, Symbols, Verdict};
use serde::Serialize;

use super::args::{JsonArgs, RandomArgs};
use super::associate::lesson;
use super::failure::{Answer, Failure, warn};
use super::input::collect;
use super::output::Output;
use super::report::{Share, count};
use super::target::{Subject, TargetArgs, made};
use functions::Frontier;
use names::Renamed;
use rejected::Rejected;

/// What parsing a text may take; longer ones are left out.
const BUDGET: Budget = Budget {
    steps: 20_000_000,
    bytes: 256 << 20,
};
/// The symbols of the k-paths that are looked at.
const K: usize = 2;
/// Files of the corpus that are run.
const FILES: usize = 2000;

/// Why does a campaign find nothing new?
///
/// Runs the corpus, and sentences of the grammar beside it, because the engine keeps nothing of what a target rejects. Says which productions and k-paths
/// the target always rejects, whether the program wants names to agree where the grammar draws them freely, and which functions of the program
/// nothing reaches, with the functions that are reached and call them; and what to change.
///
/// The target says what it rejects by `Corpus::Reject`. `pleach fuzz` does the same at the end of a campaign whose second half has found nothing.
///
/// Example: pleach stuck json
#[derive(Args, Debug)]
pub(super) struct Stuck {
    /// The fuzz target
    target: String,
    /// What the campaign has kept: files, or directories of files [default: the corpus of the target]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How many random sentences to make; as many at the most cover 2-paths
    #[arg(short, value_name = "N", default_value_t = 500)]
    n: u32,
    /// How many of each kind of finding to show
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: usize,
    /// Packages whose functions are meant; may be repeated [default: those that the target tests]
    #[arg(long, value_name = "NAME")]
    package: Vec<String>,
    #[command(flatten)]
    subject: TargetArgs,
    #[command(flatten)]
    random: RandomArgs,
    #[command(flatten)]
    format: JsonArgs,
}

impl Stuck {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let subject = self.subject.open(&self.target)?;
        let paths = match self.paths.is_empty() {
            true => subject.corpus().into_iter().collect(),
            false => self.paths.clone(),
        };
        let asked = Asked {
            subject: &subject,
            corpus: &paths,
            n: self.n,
            limit: self.limit,
            packages: &self.package,
            seed: self.random.random_seed,
        };
        let report = asked.report()?;
        match self.format.json {
            true => out.json(&report)?,
            false => writeln!(out, "{}", report.lines().join("\n"))?,
        }
        Ok(Answer::Yes)
    }
}

/// What is known at the end of a campaign that has left these inputs.
pub(super) fn of_campaign(
    mut subject: Subject,
    corpus: &[PathBuf],
) -> Result<Vec<String>, Failure> {
    subject.shorten_timeout(Duration::from_secs(1));
    let asked = Asked {
        subject: &subject,
        corpus,
        n: 300,
        limit: 3,
        packages: &[],
        seed: 0,
    };
    Ok(asked.report()?.lines())
}

/// A question about a target.
struct Asked<'a> {
    subject: &'a Subject,
    corpus: &'a [PathBuf],
    n: u32,
    limit: usize,
    packages: &'a [String],
    seed: u64,
}

/// What was run, and what it has come to.
struct Ran {
    /// Made sentences as choices; their texts come first.
    choices: Vec<Vec<u8>>,
    texts: Vec<Vec<u8>>,
    probed: Probed,
    symbols: Symbols,
}

impl Ran {
    fn is(&self, at: usize, verdict: &Verdict) -> bool {
        self.probed.runs[at].verdict == *verdict
    }
}

/// So many of so many functions.
#[derive(Clone, Copy, Serialize, Debug)]
struct Functions {
    reached: usize,
    total: usize,
}

#[derive(Serialize)]
pub(super) struct Report {
    version: u32,
    target: String,
    /// Sentences that were made, and files of the corpus.
    sentences: usize,
    corpus: usize,
    /// Of the sentences.
    rejected: usize,
    failing: usize,
    functions: Functions,
    always_rejected: Rejected,
    names: Vec<Renamed>,
    not_reached: Vec<Frontier>,
    /// Functions that nothing reaches and that are not shown.
    more: usize,
}

impl Asked<'_> {
    fn report(&self) -> Result<Report, Failure> {
        let ran = self.run()?;
        let made = ran.choices.len();
        let of = |is: &dyn Fn(&Verdict) -> bool| {
            let runs = ran.probed.runs.iter().take(made);
            runs.filter(|it| is(&it.verdict)).count()
        };
        let (rejected, failing) = (of(&|it| *it == Verdict::Rejected), of(&Verdict::is_failure));
        let graph = &self.subject.source.graph;
        let extractor = Extractor::new(graph, greatest_k(graph, K), Features::All)
            .map_err(|error| Failure::of(&self.subject.source.name, error))?;
        let extractor = Arc::new(extractor.with_budget(BUDGET));
        let vectors = lesson::features(&extractor, &ran.texts)?;
        let always_rejected = match rejected {
            0 => Rejected::none(ran.texts.len()),
            _ => Rejected::find(self, &ran, &extractor, &vectors),
        };
        let names = match self.subject.renders_choices() {
            true => Vec::new(),
            false => names::find(self, &ran, &vectors, &always_rejected.explained)?,
        };
        let (functions, not_reached, more) = functions::find(self, &ran);
        Ok(Report {
            version: 1,
            target: self.subject.name.clone(),
            sentences: made,
            corpus: ran.texts.len() - made,
            rejected,
            failing,
            functions,
            always_rejected,
            names,
            not_reached,
            more,
        })
    }

    /// Makes sentences, and runs them and the corpus.
    fn run(&self) -> Result<Ran, Failure> {
        let subject = self.subject;
        let codec = Arc::new(Codec::new(&subject.source.graph));
        let mut choices = made::random(&codec, self.n, self.seed);
        choices.extend(made::covering(&codec, self.n, self.seed));
        let texts = subject.texts_of(&codec, &choices)?;
        let mut known = BTreeSet::new();
        let (choices, mut texts): (Vec<_>, Vec<_>) = choices
            .into_iter()
            .zip(texts)
            .filter(|(_, text)| known.insert(text.clone()))
            .unzip();
        let files = collect(self.corpus)?;
        let step = files.len().div_ceil(FILES).max(1);
        let files: Vec<_> = files.into_iter().step_by(step).collect();
        let kept = subject.texts(&files)?.into_iter();
        texts.extend(kept.filter(|text| known.insert(text.clone())));
        let probed = subject.probe(&texts)?;
        let symbols = match subject.symbols(&probed.table, self.packages) {
            Err(_) if self.packages.is_empty() => {
                warn("the program has no debug information, so nothing is known of its functions");
                Symbols::default()
            }
            symbols => symbols?,
        };
        Ok(Ran {
            choices,
            texts,
            probed,
            symbols,
        })
    }
}

/// Where a production is, as `file:line:column`; nothing if the grammar is in no file.
fn place(subject: &Subject, production: &str) -> Option<String> {
    let place = subject.source.definition(production);
    let place = place.filter(|it| std::path::Path::new(it.path).is_file());
    place.map(|it| format!("{}:{}", it.path, it.position))
}

impl Report {
    /// What there is to say.
    pub(super) fn lines(&self) -> Vec<String> {
        let Report {
            target,
            sentences,
            corpus,
            rejected,
            failing,
            functions: Functions { reached, total },
            ..
        } = self;
        let share = |covered: usize, total: usize| Share {
            covered: covered as u64,
            total: total as u64,
        };
        let mut lines = vec![format!(
            "{} of the grammar and {} of the corpus were run",
            count(*sentences as u64, "sentence"),
            count(*corpus as u64, "input")
        )];
        lines.push(format!(
            "  rejected   {} sentences",
            share(*rejected, *sentences)
        ));
        if *failing > 0 {
            lines.push(format!("  failing    {failing}"));
        }
        if *total > 0 {
            let reached = share(*reached, *total);
            lines.push(format!("  functions  {reached} are reached"));
        }
        let before = lines.len();
        self.always_rejected.say(&mut lines);
        for it in &self.names {
            it.say(&mut lines);
        }
        functions::say(&self.not_reached, self.more, &mut lines);
        if lines.len() == before {
            lines.push(String::new());
            lines.push("nothing stands out: what is left takes other inputs than the grammar has, or more time".into());
            lines.push(format!(
                "  `pleach agree {target}` says which texts the grammar lacks; `errors: 0.1` in the target reaches error paths"
            ));
        }
        if *rejected == 0 {
            lines.push(String::new());
            lines.push(format!(
                "`{target}` rejects nothing; where its program can refuse an input, `Corpus::Reject` in the body would tell what it refuses"
            ));
        }
        lines
    }
}
