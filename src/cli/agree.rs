//! `pleach agree`: where a grammar and the program that it is for take different texts.
//!
//! Sentences that the program rejects say that the grammar is too wide; texts that it accepts and that are not sentences, that it is too
//! narrow. Of the former a tree finds what they have in common. Of the latter, each has a place where reading it fails. For
//! both, productions are ranked by how suspect they are: a production of a rejected sentence is the more so, the fewer accepted
//! sentences use it (Ochiai's measure, which Raselimo and Fischer take for faults in grammars: SLE 2019).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use pleach_associate::features::Quantity;
use pleach_associate::{Extractor, FeatureVector};
use pleach_core::id::ProductionId;
use pleach_core::parse::Refusal;
use pleach_core::rng::Rng;
use pleach_core::{Codec, Parser};
use pleach_probe::{Probed, Verdict};
use serde::Serialize;

use crate::args::{JsonArgs, RandomArgs};
use crate::associate::lesson::{self, Way, clause, shown};
use crate::failure::{Answer, Failure};
use crate::gaps::{self, Gap, Refused};
use crate::input::collect;
use crate::output::Output;
use crate::recognize::are_choices;
use crate::report::{count, table};
use crate::target::made::{covering, edited, near_misses, random};
use crate::target::{Subject, TargetArgs};
use crate::text::BudgetArgs;

/// The productions that are named.
const SUSPECTS: usize = 5;
/// Accepted texts whose places are looked for, the shortest first.
const PLACED: usize = 500;

/// Does the grammar of a target fit its parser?
///
/// Makes sentences of the grammar and near misses, runs them in the target, and reads everything that is not a sentence: samples,
/// too, where there are some. The target says what it takes by `Corpus::Reject`. Sentences that it rejects make the
/// grammar too wide, and texts that it accepts and that are not sentences make it too narrow. Each side is explained, with
/// the productions to look at first.
///
/// Its exit code is 1 if they disagree.
///
/// Example: pleach agree json corpus/json
#[derive(Args, Debug)]
pub(crate) struct Agree {
    /// The fuzz target
    target: String,
    /// Samples: texts, files of the target's corpus, or directories of either [default: the target's corpus]
    #[arg(value_name = "SAMPLES")]
    samples: Vec<PathBuf>,
    /// How many random sentences to make, and how many near misses; as many sentences at the most cover 2-paths
    #[arg(short, value_name = "N", default_value_t = 1000)]
    n: u32,
    /// How many groups to show on each side
    #[arg(long, value_name = "N", default_value_t = 5)]
    limit: usize,
    #[command(flatten)]
    subject: TargetArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    random: RandomArgs,
    #[command(flatten)]
    format: JsonArgs,
}

/// Where a text comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum From {
    Made,
    Near,
    Sample,
}

/// A text, and what is known of it.
struct Text {
    text: Vec<u8>,
    from: From,
    read: Result<FeatureVector, Refusal>,
    /// Whether the target accepts it; nothing if it fails.
    is_accepted: Option<bool>,
}

/// So many of so many.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
struct Rate {
    count: u64,
    of: u64,
}

impl Rate {
    fn add(&mut self, counts: bool) {
        self.count += u64::from(counts);
        self.of += 1;
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Rate { count, of } = *self;
        let percent = count as f64 * 100.0 / of.max(1) as f64;
        write!(f, "{count} / {of} ({percent:.1} %)")
    }
}

/// A production that may be wrong.
#[derive(Clone, Debug, Serialize)]
struct Suspect {
    production: String,
    /// Where it is, as `file:line:column`.
    place: Option<String>,
    suspicion: f64,
    /// Rejected sentences that use it.
    rejected: u64,
    /// Accepted texts that fail in it.
    accepted: u64,
}

#[derive(Serialize)]
struct Report {
    target: String,
    /// Sentences that the target rejects.
    too_wide: Rate,
    /// Texts that are not sentences and that the target accepts.
    too_narrow: Rate,
    near_misses: Rate,
    samples: Rate,
    /// Texts that were not read within the budget.
    unread: u64,
    /// Texts on which the target fails.
    failing: u64,
    rejected: Vec<Way>,
    accepted: Vec<Gap>,
    productions: Vec<Suspect>,
}

impl Agree {
    pub(crate) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let subject = self.subject.open(&self.target)?;
        let extractor = Arc::new(lesson::extractor(&subject.source, self.budget.budget())?);
        let texts = self.texts(&subject)?;
        let read = lesson::features(
            &extractor,
            &texts.iter().map(|it| it.0.clone()).collect::<Vec<_>>(),
        )?;
        let probed = subject.probe(&texts.iter().map(|it| &it.0).collect::<Vec<_>>())?;
        let texts = known(texts, read, &probed);
        self.check(&texts)?;
        let report = self.report(&subject, &extractor, &texts);
        match self.format.json {
            true => out.json(&report)?,
            false => self.print(&report, out)?,
        }
        Ok(match report.too_wide.count + report.too_narrow.count {
            0 => Answer::Yes,
            _ => Answer::No,
        })
    }

    /// Different texts: made ones, samples, and near misses.
    fn texts(&self, subject: &Subject) -> Result<Vec<(Vec<u8>, From)>, Failure> {
        let codec = Arc::new(Codec::new(&subject.source.graph));
        let seed = self.random.random_seed;
        let covering = covering(&codec, self.n, seed);
        let random = random(&codec, self.n, seed);
        // What covers the grammar is short and has everything, so half of the near misses are made of that.
        let mut slipped = near_misses(&codec, &covering, self.n / 4, seed)?;
        slipped.extend(near_misses(&codec, &random, self.n / 4, seed)?);
        let covering = subject.texts_of(&codec, &covering)?;
        let random = subject.texts_of(&codec, &random)?;
        let slipped = subject.texts_of(&codec, &slipped)?;
        let samples = self.samples(subject)?;
        let mut rng = Rng::new(seed);
        let literals: Vec<&[u8]> = codec
            .graph()
            .grammar()
            .literals()
            .iter()
            .map(|(_, it)| &**it)
            .collect();
        let mut changed = Vec::new();
        for sources in [covering.clone(), [random.clone(), samples.clone()].concat()] {
            for _ in 0..self.n / 4 {
                if !sources.is_empty() {
                    let source = &sources[rng.index(sources.len())];
                    changed.push(edited(source, &literals, &mut rng));
                }
            }
        }
        let all = [
            (samples, From::Sample),
            (covering, From::Made),
            (random, From::Made),
            (slipped, From::Near),
            (changed, From::Near),
        ];
        let mut known = BTreeSet::new();
        let all = all.into_iter();
        let all = all.flat_map(|(texts, from)| texts.into_iter().map(move |text| (text, from)));
        Ok(all.filter(|(text, _)| known.insert(text.clone())).collect())
    }

    /// The texts of samples, or else of the corpus.
    fn samples(&self, subject: &Subject) -> Result<Vec<Vec<u8>>, Failure> {
        let corpus: Vec<PathBuf> = match self.samples.as_slice() {
            [] => subject.corpus().into_iter().collect(),
            samples => samples.to_vec(),
        };
        let files = collect(&corpus)?;
        let is_corpus = self.samples.is_empty() || are_choices(&subject.source.graph, &files);
        match is_corpus {
            true => subject.texts(&files),
            false => subject.read(&files),
        }
    }

    /// Fails if the answers of the target say nothing of the grammar.
    fn check(&self, texts: &[Text]) -> Result<(), Failure> {
        let name = &self.target;
        let answered = texts.iter().filter(|it| it.is_accepted.is_some());
        if answered.count() == 0 {
            return Err(Failure::new(
                format_args!(
                    "`{name}` fails on all of {}",
                    count(texts.len() as u64, "text")
                ),
                "run it by `pleach fuzz` and see why",
            ));
        }
        // What is no UTF-8 is rejected for a body that takes a string, whatever that does.
        let is_rejected =
            |it: &&Text| it.is_accepted == Some(false) && std::str::from_utf8(&it.text).is_ok();
        if texts.iter().any(|it| is_rejected(&it)) {
            return Ok(());
        }
        Err(Failure::new(
            format_args!(
                "`{name}` rejects none of {}, near misses among them, so its parser says nothing of the grammar",
                count(texts.len() as u64, "text")
            ),
            "let the body of the target end with `Corpus::Reject` where the parser returns an error, and with `Corpus::Keep` elsewhere",
        ))
    }

    fn report(&self, subject: &Subject, extractor: &Extractor, texts: &[Text]) -> Report {
        let mut report = Report {
            target: self.target.clone(),
            too_wide: Rate::default(),
            too_narrow: Rate::default(),
            near_misses: Rate::default(),
            samples: Rate::default(),
            unread: 0,
            failing: 0,
            rejected: Vec::new(),
            accepted: Vec::new(),
            productions: Vec::new(),
        };
        let (mut sentences, mut gaps) = (Vec::new(), Vec::new());
        for text in texts {
            let Some(is_accepted) = text.is_accepted else {
                report.failing += 1;
                continue;
            };
            match &text.read {
                Ok(vector) => {
                    report.too_wide.add(!is_accepted);
                    sentences.push((text, vector, !is_accepted));
                }
                Err(Refusal::NoSentence { .. }) => {
                    report.too_narrow.add(is_accepted);
                    match text.from {
                        From::Sample => report.samples.add(is_accepted),
                        // A made sentence that does not read is as near as can be.
                        From::Made | From::Near => report.near_misses.add(is_accepted),
                    }
                    if is_accepted {
                        gaps.push(text);
                    }
                }
                Err(_) => report.unread += 1,
            }
        }
        let known = sentences
            .iter()
            .map(|&(text, vector, is_rejected)| (&*text.text, vector, is_rejected));
        report.rejected = lesson::ways_to_be_rejected(extractor, known, self.random.random_seed);
        gaps.sort_by_key(|it| (it.text.len(), &it.text));
        report.accepted = self.accepted(subject, &gaps);
        report.productions = suspects(subject, &sentences, &report);
        report.rejected.truncate(self.limit);
        report.accepted.truncate(self.limit);
        report
    }

    /// Where accepted texts cease to be sentences, the most frequent place first.
    fn accepted(&self, subject: &Subject, gaps: &[&Text]) -> Vec<Gap> {
        let parser = Parser::new(&subject.source.graph);
        let refused = gaps.iter().take(PLACED).filter_map(|gap| {
            Some(Refused {
                text: &gap.text,
                refusal: gap.read.as_ref().err().copied()?,
                // The first one is the shortest.
                shown: Some(shown(&gap.text)),
                file: None,
            })
        });
        gaps::gaps(&parser, self.budget.budget(), refused)
    }

    fn print(&self, report: &Report, out: &mut Output) -> Result<(), Failure> {
        let Report {
            too_wide,
            near_misses,
            samples,
            ..
        } = report;
        let mut rows = vec![
            ("sentences rejected", too_wide.to_string()),
            ("near misses accepted", near_misses.to_string()),
        ];
        if samples.of > 0 {
            rows.push((
                "samples accepted that are not sentences",
                samples.to_string(),
            ));
        }
        if report.failing > 0 {
            rows.push(("texts that fail", report.failing.to_string()));
        }
        if report.unread > 0 {
            rows.push((
                "texts not read within the budget",
                report.unread.to_string(),
            ));
        }
        let rows = rows
            .into_iter()
            .map(|(name, value)| vec![name.to_owned(), value]);
        table(out, &rows.collect::<Vec<_>>())?;
        self.print_wide(report, out)?;
        self.print_narrow(report, out)?;
        if !report.productions.is_empty() {
            writeln!(out, "\nlook first at")?;
            let mut rows = vec![
                [
                    "production",
                    "rejected sentences",
                    "accepted texts",
                    "place",
                ]
                .map(str::to_owned)
                .to_vec(),
            ];
            rows.extend(report.productions.iter().map(|it| {
                vec![
                    it.production.clone(),
                    it.rejected.to_string(),
                    it.accepted.to_string(),
                    it.place.clone().unwrap_or_default(),
                ]
            }));
            table(out, &rows)?;
        }
        Ok(())
    }

    fn print_wide(&self, report: &Report, out: &mut Output) -> Result<(), Failure> {
        let name = &self.target;
        let Rate {
            count: rejected,
            of,
        } = report.too_wide;
        if rejected == 0 {
            return Ok(());
        }
        writeln!(out, "\ntoo wide: `{name}` rejects sentences")?;
        if rejected == of {
            writeln!(out, "  it rejects all of them")?;
        }
        for way in &report.rejected {
            let Way {
                conditions,
                members,
                inputs,
                member,
                other,
            } = way;
            writeln!(
                out,
                "  {members} of {} rejected where the input {}",
                count((*inputs).into(), "sentence"),
                clause(conditions)
            )?;
            if let Some(member) = member {
                writeln!(out, "    rejected: {member}")?;
            }
            if let Some(other) = other {
                writeln!(out, "    accepted: {other}")?;
            }
        }
        Ok(())
    }

    fn print_narrow(&self, report: &Report, out: &mut Output) -> Result<(), Failure> {
        if report.too_narrow.count == 0 {
            return Ok(());
        }
        let name = &self.target;
        writeln!(out, "\ntoo narrow: `{name}` accepts what is not a sentence")?;
        for gap in &report.accepted {
            gap.print(out)?;
        }
        Ok(())
    }
}

/// Puts together what is known of texts.
fn known(
    texts: Vec<(Vec<u8>, From)>,
    read: Vec<Result<FeatureVector, Refusal>>,
    probed: &Probed,
) -> Vec<Text> {
    let texts = texts.into_iter().zip(read).zip(&probed.runs);
    let texts = texts.map(|(((text, from), read), run)| Text {
        text,
        from,
        read,
        is_accepted: match run.verdict {
            Verdict::Kept => Some(true),
            Verdict::Rejected => Some(false),
            _ => None,
        },
    });
    texts.collect()
}

/// The productions to look at first.
fn suspects(
    subject: &Subject,
    sentences: &[(&Text, &FeatureVector, bool)],
    report: &Report,
) -> Vec<Suspect> {
    let grammar = subject.source.graph.grammar();
    // For each production, the rejected and the accepted sentences that use it.
    let mut used: BTreeMap<ProductionId, [u64; 2]> = BTreeMap::new();
    for (_, vector, is_rejected) in sentences {
        for (quantity, number) in &vector.quantities {
            if let (Quantity::Uses(production), true) = (quantity, *number > 0.0) {
                used.entry(*production).or_default()[usize::from(!is_rejected)] += 1;
            }
        }
    }
    let (rejected, accepted) = (report.too_wide.count, report.too_narrow.count);
    let weight = |count: u64| count as f64 / (rejected + accepted).max(1) as f64;
    let mut suspects: BTreeMap<&str, Suspect> = BTreeMap::new();
    let suspect = |name: &str| Suspect {
        production: name.to_owned(),
        place: None,
        suspicion: 0.0,
        rejected: 0,
        accepted: 0,
    };
    for (production, [bad, good]) in &used {
        if *bad > 0 {
            let name = &*grammar[*production].name;
            let suspect = suspects.entry(name).or_insert_with(|| suspect(name));
            suspect.rejected = *bad;
            let ochiai = *bad as f64 / ((rejected * (bad + good)) as f64).sqrt();
            suspect.suspicion = weight(rejected) * ochiai;
        }
    }
    let placed: u64 = report.accepted.iter().map(|it| it.texts).sum();
    for gap in &report.accepted {
        for name in &gap.productions {
            let suspect = suspects.entry(name).or_insert_with(|| suspect(name));
            suspect.accepted += gap.texts;
            // The more productions may be meant, the less is said of each.
            let share = gap.texts as f64 / (placed * gap.productions.len() as u64) as f64;
            suspect.suspicion += weight(accepted) * share;
        }
    }
    let mut suspects: Vec<Suspect> = suspects.into_values().collect();
    suspects.sort_by(|one, other| other.suspicion.total_cmp(&one.suspicion));
    suspects.truncate(SUSPECTS);
    for suspect in &mut suspects {
        let place = subject.source.definition(&suspect.production);
        suspect.place = place.map(|it| format!("{}:{}", it.path, it.position));
    }
    suspects
}

#[cfg(test)]
mod tests {
    use super::Rate;

    #[test]
    fn rates_have_their_denominators() {
        let mut rate = Rate::default();
        assert_eq!(rate.to_string(), "0 / 0 (0.0 %)");
        for counts in [true, false, false] {
            rate.add(counts);
        }
        assert_eq!(rate.to_string(), "1 / 3 (33.3 %)");
    }
}
