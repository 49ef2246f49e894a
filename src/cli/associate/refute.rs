//! Why an input fails: what it has in common with others that fail in the same way.
//!
//! ALHAZEN's loop, around one input. Variations of it are run: small changes, and derivations that choose as it does. A tree tells those
//! that fail in the same way from those that pass. Then inputs are made that would refute the tree: sentences that satisfy it
//! and have nothing else in common with the input, and small changes of what failed and what passed. What they do is learned, too;
//! and so on, until the tree is right about all of them, or the rounds are over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use pleach_associate::aim::{Aim, Bounds};
use pleach_associate::features::FeatureVector;
use pleach_associate::model::Model;
use pleach_associate::{Extractor, aim};
use pleach_core::choice::SiteIndex;
use pleach_core::generate::{Generator, Limits, Sampler};
use pleach_core::model::{Model as Distribution, Reading, Tables};
use pleach_core::parse::Workspace;
use pleach_core::rng::Rng;
use pleach_core::{Codec, Parser, Session, slip};
use pleach_probe::Verdict;
use serde::Serialize;

use super::lesson::{self, Taught, Way, clause, shown};
use crate::args::{JsonArgs, RandomArgs};
use crate::failure::{Answer, Failure, note};
use crate::input::{InputFile, read_input};
use crate::output::Output;
use crate::report::count;
use crate::target::{Subject, TargetArgs};
use crate::text::{BudgetArgs, refused_text};

/// Rounds in which the tree may be refuted.
const ROUNDS: u32 = 6;
/// Inputs in a round where failing takes long, and what each may take.
const SLOW: usize = 60;
const SLOW_TIMEOUT: Duration = Duration::from_secs(1);
/// The most rounds in which a shorter failing input is looked for.
const SHORTENINGS: usize = 12;
/// Inputs of such a round, and those that are near the shortest one.
const NEAR: usize = 120;

// How a failure is explained.
#[derive(Args, Clone, Debug)]
pub(crate) struct CrashArgs {
    /// How many inputs to make in each round
    #[arg(short, value_name = "N", default_value_t = 400)]
    n: usize,
    #[command(flatten)]
    subject: TargetArgs,
    #[command(flatten)]
    budget: BudgetArgs,
}

/// An input.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Input {
    choices: Vec<u8>,
    text: Vec<u8>,
}

/// What is known of the inputs that were run.
struct Known<'a> {
    subject: &'a Subject,
    extractor: Arc<Extractor>,
    /// The failure that is explained, by its place.
    failure: String,
    texts: BTreeSet<Vec<u8>>,
    inputs: Vec<Input>,
    vectors: Vec<FeatureVector>,
    fails: Vec<bool>,
    /// Inputs that fail otherwise, by how.
    elsewhere: BTreeMap<String, u64>,
    rng: Rng,
}

#[derive(Serialize)]
struct Elsewhere {
    failure: String,
    inputs: u64,
}

#[derive(Serialize)]
struct Report {
    target: String,
    failure: String,
    message: Option<String>,
    text: String,
    failing: u64,
    passing: u64,
    elsewhere: Vec<Elsewhere>,
    rounds: u32,
    /// Inputs of the last round, which were made to refute the tree, and those that did.
    last: u64,
    refuting: u64,
    ways: Vec<Way>,
    shortest: String,
    similar: Option<String>,
}

impl CrashArgs {
    /// The names of its arguments, for a verb that takes them only together with an artifact.
    pub(crate) const NAMES: [&str; 13] = [
        "n",
        "grammar",
        "text",
        "timeout",
        "program",
        "features",
        "fuzz_dir",
        "from",
        "start",
        "with",
        "open_tokens",
        "max_steps",
        "max_memory",
    ];

    /// Explains why an artifact of a target fails.
    pub(crate) fn run(
        &self,
        target: &str,
        artifact: &Path,
        random: RandomArgs,
        format: JsonArgs,
        out: &mut Output,
    ) -> Result<Answer, Failure> {
        let mut subject = self.subject.open(target)?;
        let seed = random.random_seed;
        let extractor = Arc::new(lesson::extractor(&subject.source, self.budget.budget())?);
        let (input, verdict) = self.failing(&subject, artifact)?;
        let mut n = self.n;
        if verdict == Verdict::TimedOut && n > SLOW {
            // Each input that fails takes all of its time.
            subject.shorten_timeout(SLOW_TIMEOUT);
            n = SLOW;
            note(format_args!(
                "inputs that time out take long, so there are fewer in a round: {n}, of {} s at the most",
                SLOW_TIMEOUT.as_secs()
            ));
        }
        let mut known = Known {
            failure: verdict.to_string(),
            subject: &subject,
            extractor,
            texts: BTreeSet::new(),
            inputs: Vec::new(),
            vectors: Vec::new(),
            fails: Vec::new(),
            elsewhere: BTreeMap::new(),
            rng: Rng::new(seed),
        };
        known.run(vec![input.clone()])?;
        let first = known.first(&input, n)?;
        known.run(first)?;
        known.shorten(&input)?;
        if !known.fails.contains(&false) {
            return Err(Failure::new(
                format_args!(
                    "all of {} like {} fail, so nothing sets them apart",
                    count(known.inputs.len() as u64, "input"),
                    artifact.display()
                ),
                "make more of them by -n",
            ));
        }
        let (mut rounds, mut last, mut refuting) = (0, 0, 0);
        let mut model = known.model(seed)?;
        while rounds < ROUNDS {
            let trial = known.refutations(&model, n)?;
            let from = known.inputs.len();
            known.run(trial)?;
            rounds += 1;
            last = known.inputs.len() - from;
            refuting = (from..known.inputs.len())
                .filter(|&at| {
                    let answers = model.answers(&known.vectors[at]);
                    model.predicts(0, &answers) != known.fails[at]
                })
                .count();
            if refuting == 0 {
                break;
            }
            model = known.model(seed)?;
        }
        let shortest = known.shorten(&input)?;
        let similar = known.similar(&shortest)?;
        // What was found in the end counts, too.
        let model = known.model(seed)?;
        let failing = known.fails.iter().filter(|it| **it).count();
        let elsewhere = known.elsewhere.iter().map(|(failure, inputs)| Elsewhere {
            failure: failure.clone(),
            inputs: *inputs,
        });
        let report = Report {
            target: target.to_owned(),
            failure: known.failure.clone(),
            message: match verdict {
                Verdict::Panicked { message, .. } => Some(message).filter(|it| !it.is_empty()),
                _ => None,
            },
            text: shown(&input.text),
            failing: failing as u64,
            passing: (known.fails.len() - failing) as u64,
            elsewhere: elsewhere.collect(),
            rounds,
            last: last as u64,
            refuting: refuting as u64,
            ways: known.ways(&model),
            shortest: shown(&shortest.text),
            similar: similar.map(|it| shown(&it)),
        };
        match format.json {
            true => out.json(&report)?,
            false => print(&report, out)?,
        }
        Ok(Answer::Yes)
    }

    /// The artifact as a sentence that fails, and how it does.
    fn failing(&self, subject: &Subject, artifact: &Path) -> Result<(Input, Verdict), Failure> {
        let file = InputFile {
            path: artifact.to_owned(),
            name: artifact.file_name().map(PathBuf::from).unwrap_or_default(),
        };
        let mut text = subject.texts(std::slice::from_ref(&file))?.remove(0);
        let mut verdict = verdict(subject, &text)?;
        let mut bytes = Vec::new();
        read_input(artifact, &mut bytes)?;
        let mut is_choices = !subject.is_text;
        if !verdict.is_failure() && is_choices {
            // A text from somebody's report, rather than a file of the target's own.
            let as_text = self::verdict(subject, &bytes)?;
            if as_text.is_failure() {
                note(format_args!(
                    "note: {} is read as a text, since it fails as one, and not as a choice sequence",
                    artifact.display()
                ));
                (text, verdict, is_choices) = (bytes.clone(), as_text, false);
            }
        }
        if !verdict.is_failure() {
            return Err(Failure::new(
                format_args!("{} does not fail: it is {verdict}", artifact.display()),
                "name an input that fails in this target, as it is built now",
            ));
        }
        let codec = Codec::new(&subject.source.graph);
        // What is only slightly invalid may fail as well where it is valid.
        if is_choices && !slip::split(&bytes).1.is_empty() {
            let choices = slip::split(&bytes).0.to_vec();
            let plain = subject
                .texts_of(&codec, std::slice::from_ref(&choices))?
                .remove(0);
            let same = self::verdict(subject, &plain)?;
            if same.to_string() == verdict.to_string() {
                let text = plain;
                return Ok((Input { choices, text }, same));
            }
        }
        let parser = Parser::new(&subject.source.graph);
        let budget = self.budget.budget();
        let mut workspace = Workspace::new();
        let mut choices = Vec::new();
        let read = parser.parse(&text, budget, &mut workspace);
        match read.and_then(|mut forest| forest.choices(&mut choices)) {
            Ok(()) => Ok((Input { choices, text }, verdict)),
            Err(refusal) => {
                let error = parser.explain_in(&text, refusal, budget, &mut workspace);
                crate::failure::show(&refused_text(
                    &error,
                    &artifact.display().to_string(),
                    &text,
                ));
                Err(Failure::new(
                    format_args!(
                        "{} is not a sentence of {}, so it has no structure to explain the failure by",
                        artifact.display(),
                        subject.source.name
                    ),
                    "name an artifact that is one, or let the grammar read it; `pleach surround` tells failures apart by their place",
                ))
            }
        }
    }
}

fn verdict(subject: &Subject, text: &[u8]) -> Result<Verdict, Failure> {
    let mut probed = subject.probe(&[text])?;
    Ok(probed.runs.remove(0).verdict)
}

impl Known<'_> {
    /// Runs inputs that are not known yet, and takes in those that are sentences.
    fn run(&mut self, inputs: Vec<Input>) -> Result<(), Failure> {
        let inputs = inputs.into_iter();
        let inputs: Vec<Input> = inputs
            .filter(|it| self.texts.insert(it.text.clone()))
            .collect();
        let texts: Vec<Vec<u8>> = inputs.iter().map(|it| it.text.clone()).collect();
        let read = lesson::features(&self.extractor, &texts)?;
        let probed = self.subject.probe(&texts)?;
        for ((input, read), run) in inputs.into_iter().zip(read).zip(probed.runs) {
            let verdict = run.verdict.to_string();
            let fails = verdict == self.failure;
            if run.verdict.is_failure() && !fails {
                *self.elsewhere.entry(verdict).or_default() += 1;
                continue;
            }
            if let Ok(vector) = read {
                self.inputs.push(input);
                self.vectors.push(vector);
                self.fails.push(fails);
            }
        }
        Ok(())
    }

    /// Inputs around the first one: small changes, derivations that choose as it does, and a few that have nothing to do with it.
    fn first(&mut self, input: &Input, n: usize) -> Result<Vec<Input>, Failure> {
        let mut choices = self.changed(std::slice::from_ref(input), n, usize::MAX)?;
        let codec = Arc::new(Codec::new(&self.subject.source.graph));
        let mut distribution = Distribution::new(&codec, 0);
        let mut index = SiteIndex::new();
        if distribution.learn(&input.choices).is_ok() {
            let nodes = u32::try_from(distribution.largest()).unwrap_or(u32::MAX);
            let nodes = nodes.min(Limits::NONE.max_nodes);
            let tables = Tables::new(&distribution, &Reading::COMMON);
            let mut sampler = Sampler::new(&codec, tables, Limits::NONE, nodes);
            for _ in 0..n {
                sampler.sample(&mut self.rng, &mut index);
                choices.push(index.canonical().to_vec());
            }
        }
        let limits = Limits::default().at_least(Limits::needed_by(codec.graph()));
        let mut generator = Generator::new(&codec, limits, Rng::new(self.rng.bits()));
        for _ in 0..n / 4 {
            generator.generate(&mut index);
            choices.push(index.canonical().to_vec());
        }
        self.inputs_of(choices)
    }

    /// Changes of inputs in one step each, as choice sequences, no longer than a bound.
    fn changed(
        &mut self,
        inputs: &[Input],
        n: usize,
        most: usize,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        const GROWTH: usize = 64;
        let session = Session::new(&self.subject.source.graph, 1);
        let mut session = session.map_err(|error| Failure::Wrong(error.to_string()))?;
        let mut changed = Vec::with_capacity(n);
        for _ in 0..n {
            if inputs.is_empty() {
                break;
            }
            let input = &inputs[self.rng.index(inputs.len())];
            session.seed(self.rng.bits());
            session.load(&input.choices);
            session.mutate((input.choices.len() + GROWTH).min(most));
            changed.push(session.choices().to_vec());
        }
        Ok(changed)
    }

    fn inputs_of(&self, choices: Vec<Vec<u8>>) -> Result<Vec<Input>, Failure> {
        let codec = Codec::new(&self.subject.source.graph);
        let texts = self.subject.texts_of(&codec, &choices)?;
        let inputs = choices.into_iter().zip(texts);
        Ok(inputs
            .map(|(choices, text)| Input { choices, text })
            .collect())
    }

    /// The tree that tells what fails, as the first class of a model, and what passes, as the second.
    fn model(&self, seed: u64) -> Result<Model, Failure> {
        let texts: Vec<Vec<u8>> = self.inputs.iter().map(|it| it.text.clone()).collect();
        let passes: Vec<bool> = self.fails.iter().map(|it| !it).collect();
        let classes = [("fails", self.fails.as_slice()), ("passes", &passes)];
        let model = lesson::learn(&self.extractor, &self.vectors, &texts, &classes, seed);
        model.ok_or_else(|| {
            Failure::Wrong("no input passes, so nothing sets those apart that fail".into())
        })
    }

    fn ways(&self, model: &Model) -> Vec<Way> {
        let texts: Vec<Vec<u8>> = self.inputs.iter().map(|it| it.text.clone()).collect();
        let taught = Taught {
            model,
            vectors: &self.vectors,
            texts: &texts,
            is_member: &self.fails,
        };
        taught.ways()
    }

    /// Inputs that the tree would be wrong about, if it is wrong: sentences of its leaves on both sides, and changes of both sides' inputs.
    fn refutations(&mut self, model: &Model, n: usize) -> Result<Vec<Input>, Failure> {
        let bounds = Bounds {
            steps: 1 << 24,
            tries: 60,
        };
        let rng = Rng::new(self.rng.bits());
        let mut aim =
            Aim::new(model, bounds, rng).map_err(|error| Failure::Wrong(error.to_string()))?;
        let mut choices = Vec::new();
        for class in 0..model.known().len() {
            let outcome: aim::Outcome = aim.aim(class, n / 4);
            choices.extend(outcome.inputs.into_iter().map(|it| it.choices));
        }
        for side in [true, false] {
            let inputs = self.inputs.iter().zip(&self.fails);
            let inputs = inputs.filter(|(_, fails)| **fails == side);
            let mut inputs: Vec<Input> = inputs.map(|(input, _)| input.clone()).collect();
            // Short ones have less that could hide what matters.
            inputs.sort_by_key(|it| it.text.len());
            inputs.truncate(NEAR);
            choices.extend(self.changed(&inputs, n / 4, usize::MAX)?);
        }
        self.inputs_of(choices)
    }

    fn shortest(&self) -> Option<&Input> {
        let failing = self.inputs.iter().zip(&self.fails).filter(|it| *it.1);
        failing.map(|it| it.0).min_by_key(|it| (it.text.len(), *it))
    }

    /// The shortest input that fails, of all that were run, and of shorter changes of these.
    fn shorten(&mut self, first: &Input) -> Result<Input, Failure> {
        let mut shortest = self.shortest().unwrap_or(first).clone();
        for _ in 0..SHORTENINGS {
            let most = shortest.choices.len().saturating_sub(1);
            if most == 0 {
                break;
            }
            let changed = self.changed(std::slice::from_ref(&shortest), NEAR, most)?;
            let inputs = self.inputs_of(changed)?;
            self.run(inputs)?;
            let found = self.shortest().unwrap_or(first).clone();
            if found.text.len() >= shortest.text.len() {
                break;
            }
            shortest = found;
        }
        Ok(shortest)
    }

    /// The text that passes and is most like an input, of all that were run and of changes of it.
    fn similar(&mut self, input: &Input) -> Result<Option<Vec<u8>>, Failure> {
        let changed = self.changed(std::slice::from_ref(input), NEAR, usize::MAX)?;
        let inputs = self.inputs_of(changed)?;
        self.run(inputs)?;
        let passing = self.inputs.iter().zip(&self.fails);
        let passing = passing.filter(|it| !it.1).map(|it| &it.0.text);
        Ok(lesson::most_like(&input.text, passing).cloned())
    }
}

fn print(report: &Report, out: &mut Output) -> Result<(), Failure> {
    let Report {
        failure,
        message,
        failing,
        passing,
        elsewhere,
        last,
        refuting,
        ways,
        shortest,
        similar,
        ..
    } = report;
    match message {
        Some(message) => writeln!(out, "{failure}: {}", message.lines().next().unwrap_or(""))?,
        None => writeln!(out, "{failure}")?,
    }
    writeln!(
        out,
        "{} run: {failing} fail in this way, {passing} pass",
        count(failing + passing, "sentence")
    )?;
    for it in elsewhere {
        let fail = if it.inputs == 1 { "fails" } else { "fail" };
        let inputs = count(it.inputs, "input");
        writeln!(out, "{inputs} {fail} otherwise: {}", it.failure)?;
    }
    for (at, way) in ways.iter().enumerate() {
        let lead = if at == 0 {
            "it fails where"
        } else {
            "or where"
        };
        let Way {
            members, inputs, ..
        } = way;
        writeln!(out, "\n{lead} the input {}", clause(&way.conditions))?;
        writeln!(
            out,
            "  {members} of {} fail",
            count((*inputs).into(), "such sentence")
        )?;
    }
    writeln!(out, "\nshortest that fails: {shortest}")?;
    if let Some(similar) = similar {
        writeln!(out, "most like it that passes: {similar}")?;
    }
    match (last, refuting) {
        (_, 0) => writeln!(
            out,
            "none of {} made to refute this does",
            count(*last, "sentence")
        ),
        _ => writeln!(
            out,
            "{refuting} of {} made to refute this do",
            count(*last, "sentence")
        ),
    }
}
