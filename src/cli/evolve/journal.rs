//! The file by which a campaign goes on: what it is of, and what its inputs have come to.
//!
//! It has a line of JSON for the campaign, and one for each complete generation, so that nothing but the last line is ever in the making. A line
//! that was cut off is left out, and its generation made again.
//!
//! Numbers are kept as bits: readers of JSON round.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use pleach_evolve::{Call, Feedback};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Its name in the directory of a campaign.
pub(super) const NAME: &str = "campaign.jsonl";
/// The version of its form.
const VERSION: u32 = 1;

/// What a campaign depends on, by names that a user knows, in the order in which differences are told.
pub(super) type Identity = Vec<(String, String)>;

#[derive(Serialize, Deserialize)]
struct Head {
    pleach_campaign: u32,
    of: Identity,
}

#[derive(Serialize, Deserialize)]
struct Line {
    calls: Vec<CallLine>,
}

#[derive(Serialize, Deserialize)]
struct CallLine {
    inputs: u64,
    functions: usize,
    /// What inputs have covered; many have covered the same.
    sets: Vec<Vec<u32>>,
    runs: Vec<Run>,
}

#[derive(Serialize, Deserialize)]
struct Run {
    set: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    time: u64,
    work: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    numbers: BTreeMap<String, u64>,
}

impl CallLine {
    fn new(call: &Call) -> CallLine {
        let mut sets: BTreeMap<&[u32], usize> = BTreeMap::new();
        let mut runs = Vec::with_capacity(call.feedback.len());
        for it in &call.feedback {
            let next = sets.len();
            runs.push(Run {
                set: *sets.entry(&it.functions).or_insert(next),
                failure: it.failure.clone(),
                time: it.time,
                work: it.work,
                numbers: it
                    .numbers
                    .iter()
                    .map(|(name, number)| (name.clone(), number.to_bits()))
                    .collect(),
            });
        }
        let mut in_order = vec![Vec::new(); sets.len()];
        for (set, at) in sets {
            in_order[at] = set.to_vec();
        }
        CallLine {
            inputs: call.inputs,
            functions: call.function_count,
            sets: in_order,
            runs,
        }
    }

    /// The call; nothing if the line is not one that was written here.
    fn call(self) -> Option<Call> {
        let sets = self.sets;
        let feedback = self.runs.into_iter().map(|run| {
            let numbers = run.numbers.into_iter();
            Some(Feedback {
                functions: sets.get(run.set)?.clone(),
                failure: run.failure,
                time: run.time,
                work: run.work,
                numbers: numbers
                    .map(|(name, bits)| (name, f64::from_bits(bits)))
                    .collect(),
            })
        });
        Some(Call {
            inputs: self.inputs,
            function_count: self.functions,
            feedback: feedback.collect::<Option<_>>()?,
        })
    }
}

/// The journal of a campaign.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: Option<File>,
    of: Identity,
    /// What complete generations have come to.
    past: Vec<Vec<Call>>,
}

impl Journal {
    /// Where it is in a directory, if it is there.
    pub(super) fn find(dir: &Path) -> Option<PathBuf> {
        let path = dir.join(NAME);
        path.is_file().then_some(path)
    }

    /// The journal of a campaign that begins.
    pub(super) fn begin(dir: &Path, of: Identity) -> Journal {
        Journal {
            path: dir.join(NAME),
            file: None,
            of,
            past: Vec::new(),
        }
    }

    /// The journal of a campaign that goes on.
    ///
    /// Fails if the one that is there is another campaign's.
    pub(super) fn resume(dir: &Path, of: Identity) -> Result<Journal, Failure> {
        let mut journal = Journal::begin(dir, of);
        let path = &journal.path;
        let text = fs::read(path).map_err(|error| Failure::file("read", path, &error))?;
        let mut lines = text.split_inclusive(|&byte| byte == b'\n');
        let head: Head = lines
            .next()
            .and_then(|head| serde_json::from_slice(head).ok())
            .filter(|head: &Head| head.pleach_campaign == VERSION)
            .ok_or_else(|| {
                let what = format!("{}: this is no campaign that can go on", path.display());
                Failure::new(what, "name a new directory, or begin anew by --force")
            })?;
        journal.compare(dir, &head.of)?;
        let mut length = text
            .split_inclusive(|&byte| byte == b'\n')
            .next()
            .map_or(0, <[u8]>::len);
        for line in lines {
            if !line.ends_with(b"\n") {
                break;
            }
            let calls = serde_json::from_slice::<Line>(line).ok();
            let calls = calls.and_then(|it| it.calls.into_iter().map(CallLine::call).collect());
            let Some(calls) = calls else { break };
            journal.past.push(calls);
            length += line.len();
        }
        let failed = |error| Failure::file("write", path, &error);
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        file.set_len(length as u64).map_err(failed)?;
        journal.file = Some(file);
        Ok(journal)
    }

    /// Fails at the first thing that is not as it was.
    fn compare(&self, dir: &Path, before: &Identity) -> Result<(), Failure> {
        let differs = self.of.iter().find(|(name, now)| {
            let then = before.iter().find(|it| it.0 == *name);
            then.is_none_or(|(_, then)| then != now)
        });
        let Some((name, now)) = differs else {
            return Ok(());
        };
        let then = before.iter().find(|it| it.0 == *name);
        let then = then.map_or("", |(_, then)| then);
        let dir = dir.display();
        Err(Failure::new(
            match now.len().max(then.len()) > SHOWN || name.starts_with("the ") {
                true => format!("{dir}: the campaign there is another: {name} has changed since"),
                false => format!(
                    "{dir}: the campaign there is another: its {name} is {then}, and not {now}"
                ),
            },
            "to go on with it, call it as before; else name a new directory, or begin anew by --force",
        ))
    }

    /// How many generations are complete.
    pub(super) fn generations(&self) -> usize {
        self.past.len()
    }

    /// What complete generations have come to. Nothing from the second time on.
    pub(super) fn past(&mut self) -> Vec<Call> {
        self.past.drain(..).flatten().collect()
    }

    /// Adds a generation.
    pub(super) fn add(&mut self, calls: &[Call]) -> Result<(), Failure> {
        let line = Line {
            calls: calls.iter().map(CallLine::new).collect(),
        };
        let failed = |error| Failure::file("write", &self.path, &error);
        let (file, mut text) = match self.file.take() {
            Some(file) => (file, Vec::new()),
            None => {
                let head = Head {
                    pleach_campaign: VERSION,
                    of: self.of.clone(),
                };
                let file = File::create(&self.path).map_err(failed)?;
                (file, json(&head)?)
            }
        };
        text.extend(json(&line)?);
        let file = self.file.insert(file);
        let written = file.write_all(&text).and_then(|()| file.flush());
        written.map_err(|error| Failure::file("write", &self.path, &error))
    }
}

/// The longest values that a message shows.
const SHOWN: usize = 60;

fn json(value: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let mut text = serde_json::to_vec(value)
        .map_err(|error| Failure::Wrong(format!("cannot write the campaign: {error}")))?;
    text.push(b'\n');
    Ok(text)
}

/// Deletes a journal, so that a campaign begins anew.
pub(super) fn delete(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::file("delete", path, &error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use pleach_evolve::{Call, Feedback};

    use super::{Identity, Journal, NAME};

    fn identity(seed: &str) -> Identity {
        let pairs = [("random seed", seed), ("the program", "0f")];
        pairs.map(|(name, it)| (name.into(), it.into())).into()
    }

    fn call(inputs: u64) -> Call {
        let feedback = |functions: &[u32], number: f64| Feedback {
            functions: functions.to_vec(),
            failure: (number < 0.0).then(|| "a \"panic\"\n".into()),
            time: u64::MAX - inputs,
            work: inputs,
            numbers: BTreeMap::from([("per byte".into(), number)]),
        };
        Call {
            inputs,
            function_count: 900,
            feedback: vec![
                feedback(&[3, 800], 0.1 + 0.2),
                feedback(&[], f64::NEG_INFINITY),
                feedback(&[3, 800], -0.0),
            ],
        }
    }

    #[test]
    fn what_is_written_comes_back_but_for_a_line_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        assert_eq!(Journal::find(dir), None);
        let mut journal = Journal::begin(dir, identity("0"));
        journal.add(&[call(1), call(u64::MAX)]).unwrap();
        journal.add(&[call(2)]).unwrap();
        let path = Journal::find(dir).unwrap();
        let resume = || Journal::resume(dir, identity("0")).unwrap();
        let mut again = resume();
        assert_eq!(again.generations(), 2);
        assert_eq!(again.past(), [call(1), call(u64::MAX), call(2)]);
        // The last line, and then the last but one.
        let text = fs::read(&path).unwrap();
        fs::write(&path, &text[..text.len() - 1]).unwrap();
        let mut cut = resume();
        assert_eq!(cut.past(), [call(1), call(u64::MAX)]);
        cut.add(&[call(2)]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), text);
        let first = text.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        fs::write(&path, &text[..first + 9]).unwrap();
        assert_eq!(resume().generations(), 0);
    }

    #[test]
    fn another_campaign_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        Journal::begin(dir, identity("0")).add(&[call(1)]).unwrap();
        let mut other = identity("0");
        other[1].1 = "1f".into();
        let table = [
            (identity("7"), "its random seed is 0, and not 7"),
            (other, "the program has changed since"),
        ];
        for (identity, expected) in table {
            let error = format!("{:?}", Journal::resume(dir, identity).unwrap_err());
            assert!(error.contains(expected), "{error}");
        }
        for text in ["", "{}\n", "{\"pleach_campaign\":2,\"of\":[]}\n", "no"] {
            fs::write(dir.join(NAME), text).unwrap();
            let error = format!("{:?}", Journal::resume(dir, identity("0")).unwrap_err());
            assert!(error.contains("no campaign that can go on"), "{error}");
        }
    }
}
