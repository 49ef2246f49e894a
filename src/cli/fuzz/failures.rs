//! The failures of a campaign at its end: by their places, each once, and reduced.
//!
//! The inputs that failed are run again, in the same program, which tells where they fail. Of those that fail in one place, the shortest is reduced,
//! for a few seconds, and written beside them. What cannot be run like that is told as it is: inputs that take too long, and those of
//! targets that cannot be asked.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pleach_core::reduce::{Candidate, Reducer};
use pleach_core::{Graph, slip};
use pleach_probe::{Probe, Verdict};

use super::crash::{Reader, shown};
use crate::failure::note;
use crate::folder::name_of;
use crate::init::{quoted, shown as shown_path};
use crate::output::{Existing, write_file};
use crate::reduce::{Bounds, End, Failing, Test as _, drive};
use crate::report::count;

/// What reducing one failure may take, and how many are reduced.
const TIME: Duration = Duration::from_secs(5);
const MOST: usize = 8;
/// What running one input may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// What it takes to run and to read the inputs of a target.
pub(super) struct Failures<'a> {
    pub(super) target: &'a str,
    pub(super) program: &'a Path,
    pub(super) graph: &'a Arc<Graph>,
    pub(super) reader: Reader<'a>,
}

/// Inputs that fail in one place.
struct Group {
    verdict: Verdict,
    /// The shortest text first.
    inputs: Vec<(PathBuf, Vec<u8>)>,
}

/// What an input was reduced to.
struct Smaller {
    /// The text as the target sees it.
    text: Vec<u8>,
    /// How long it was, and what it took.
    from: usize,
    runs: u64,
    is_minimal: bool,
    /// Where it is, as the target reads it.
    file: Option<PathBuf>,
}

impl Failures<'_> {
    /// Tells of inputs that failed.
    pub(super) fn tell(&self, artifacts: &[PathBuf]) {
        let (groups, others) = self.groups(artifacts);
        let mut is_interrupted = false;
        for (at, group) in groups.iter().enumerate() {
            let (artifact, text) = &group.inputs[0];
            let smaller = match at < MOST && !is_interrupted {
                true => self.reduce(artifact, text, &group.verdict, &mut is_interrupted),
                false => None,
            };
            self.print(group, smaller.as_ref());
        }
        for artifact in &others {
            self.reader.tell(artifact);
            let name = artifact.file_name().unwrap_or_default().to_string_lossy();
            if !name.starts_with("slow-unit-") {
                let file = quoted(&shown_path(artifact));
                note(format_args!(
                    "  to make it smaller: pleach reduce {} {file}",
                    self.target
                ));
            }
        }
    }

    /// Inputs by where they fail, and those that cannot be run again soon, or do not fail again.
    fn groups(&self, artifacts: &[PathBuf]) -> (Vec<Group>, Vec<PathBuf>) {
        let (mut groups, mut others): (Vec<Group>, Vec<PathBuf>) = Default::default();
        let mut crashes = Vec::new();
        for artifact in artifacts {
            let name = artifact.file_name().unwrap_or_default().to_string_lossy();
            let text = self.reader.text(artifact);
            match text.filter(|_| name.starts_with("crash-")) {
                Some(text) => crashes.push((artifact.clone(), text)),
                None => others.push(artifact.clone()),
            }
        }
        let texts: Vec<&[u8]> = crashes.iter().map(|it| &*it.1).collect();
        let probe = Probe::new(self.program).texts().timeout(TIMEOUT);
        let probed = probe.run(&texts, |_| {});
        let runs = probed.map(|it| it.runs).unwrap_or_default();
        let verdicts = runs.into_iter().map(|run| Some(run.verdict));
        let verdicts = verdicts.chain(std::iter::repeat(None));
        for (input, verdict) in crashes.into_iter().zip(verdicts) {
            let Some(verdict) = verdict.filter(Verdict::is_failure) else {
                others.push(input.0);
                continue;
            };
            let place = verdict.to_string();
            match groups.iter_mut().find(|it| it.verdict.to_string() == place) {
                Some(group) => group.inputs.push(input),
                None => groups.push(Group {
                    verdict,
                    inputs: vec![input],
                }),
            }
        }
        for group in &mut groups {
            group.inputs.sort_by_key(|(_, text)| text.len());
        }
        (groups, others)
    }

    /// Reduces an input, and writes what it has come to beside it. Nothing if that is not possible, or brings nothing.
    fn reduce(
        &self,
        artifact: &Path,
        text: &[u8],
        verdict: &Verdict,
        is_interrupted: &mut bool,
    ) -> Option<Smaller> {
        let by_choices = self.reader.renderer.is_some() && !self.reader.is_text;
        let mut reducer = match self.reader.is_text {
            true => Reducer::of_text(self.graph, text),
            false => Reducer::of_choices(self.graph, &fs::read(artifact).ok()?),
        };
        let probe = Probe::new(self.program).timeout(TIMEOUT);
        let mut test = Failing::new(probe, by_choices, verdict.to_string(), 1);
        let bounds = Bounds {
            runs: None,
            time: Some(TIME),
        };
        let reduced = drive(&mut reducer, &mut test, bounds, true).ok()?;
        *is_interrupted = reduced.end == End::Interrupted;
        let best = reduced.best?;
        let input = self.input(&best);
        let file = input.and_then(|input| {
            let file = artifact.with_file_name(format!("reduced-{}", name_of(&input)));
            // The same one may have been found before.
            write_file(&file, &input, Existing::Replace).ok()?;
            Some(file)
        });
        let rendered = file.as_deref().filter(|_| by_choices);
        let rendered = rendered.and_then(|file| self.reader.text(file));
        Some(Smaller {
            text: rendered.unwrap_or_else(|| best.text().to_vec()),
            from: text.len(),
            runs: test.runs(),
            is_minimal: reduced.end == End::Minimal,
            file,
        })
    }

    /// An input as the target reads it.
    fn input(&self, best: &Candidate) -> Option<Vec<u8>> {
        match (self.reader.is_text, best.choices()) {
            (true, _) => Some(best.text().to_vec()),
            (false, Some(choices)) => Some(choices.to_vec()),
            (false, None) => slip::of_text(best.text()),
        }
    }

    fn print(&self, group: &Group, smaller: Option<&Smaller>) {
        let (artifact, text) = &group.inputs[0];
        let mut lines = format!("\nan input failed: {}", shown_path(artifact));
        if let [_, more @ ..] = &group.inputs[..]
            && !more.is_empty()
        {
            lines += &format!("\n  and {} more in the same place", more.len());
        }
        lines += &format!("\n  {}", group.verdict);
        if let Verdict::Panicked { message, .. } = &group.verdict
            && let Some(message) = message.lines().next()
        {
            lines += &format!(": {message}");
        }
        let file = match smaller {
            None => {
                if let Some(text) = shown(text.clone()) {
                    lines += &format!("\n  its text: {text}");
                }
                artifact
            }
            Some(smaller) => {
                let Smaller {
                    text,
                    from,
                    runs,
                    is_minimal,
                    file,
                } = smaller;
                let more = match is_minimal {
                    true => "",
                    false => ", until the time was over",
                };
                if let Some(text) = shown(text.clone()) {
                    lines += &format!("\n  reduced: {text}");
                }
                lines += &format!(
                    "\n  from {} to {} in {}{more}",
                    count(*from as u64, "byte"),
                    text.len(),
                    count(*runs, "run")
                );
                file.as_ref().unwrap_or(artifact)
            }
        };
        let (file, target) = (quoted(&shown_path(file)), self.target);
        lines += &format!("\n  to run it again: pleach fuzz {target} --corpus {file}");
        lines += &self.reader.commands(&file);
        note(lines);
    }
}
