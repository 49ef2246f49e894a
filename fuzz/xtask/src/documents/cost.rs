//! What parsing takes: seconds of CPU time, so that other work on the machine does not count, and memory at its peak. Linux tells both.

use std::fs;

use anyhow::{Result, bail};
use pleach_core::Parser;
use pleach_core::parse::{Budget, Refusal, Workspace};

/// The length of a long document, in bytes.
const LONG: usize = 1_000_000;

/// What a document took.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Cost {
    /// CPU seconds until it was parsed.
    pub(super) parse: f64,
    /// Seconds more until its choice sequence was there.
    pub(super) encode: f64,
}

impl Cost {
    pub(super) fn seconds(self) -> f64 {
        self.parse + self.encode
    }
}

/// Parses a document, and finds its canonical choice sequence.
pub(super) fn measure(
    parser: &Parser,
    text: &[u8],
    budget: Budget,
    workspace: &mut Workspace,
) -> (Cost, Result<(), Refusal>) {
    let mut choices = Vec::new();
    let begin = cpu_time();
    let mut cost = Cost::default();
    let done = parser
        .parse(text, budget, workspace)
        .and_then(|mut forest| {
            cost.parse = cpu_time() - begin;
            forest.choices(&mut choices)
        });
    let seconds = cpu_time() - begin;
    match done {
        Ok(()) => cost.encode = seconds - cost.parse,
        Err(_) => cost.parse = seconds,
    }
    (cost, done)
}

/// A document of at least a million bytes: documents of the language one behind the other, again and again.
pub(super) fn long_document(
    [before, between, after]: [&str; 3],
    documents: &[&[u8]],
) -> Result<Vec<u8>> {
    if documents.iter().all(|text| text.is_empty()) {
        bail!("there are no documents to make a long one of");
    }
    let mut long = before.as_bytes().to_vec();
    let mut is_first = true;
    for text in documents.iter().cycle() {
        if !is_first {
            long.extend_from_slice(between.as_bytes());
        }
        is_first = false;
        long.extend_from_slice(text);
        if long.len() >= LONG {
            break;
        }
    }
    long.extend_from_slice(after.as_bytes());
    Ok(long)
}

/// Seconds that the main thread has run, to some milliseconds; 0 where the system does not tell.
fn cpu_time() -> f64 {
    let statistics = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = statistics.split(' ').next().unwrap_or_default();
    nanoseconds.parse::<f64>().map_or(0.0, |it| it / 1e9)
}

/// Memory from here on.
pub(super) struct Memory {
    /// The bytes in use at the beginning; none where the system does not tell.
    before: Option<u64>,
}

impl Memory {
    /// Forgets the peak so far, which Linux can do.
    pub(super) fn begin() -> Memory {
        let forgotten = fs::write("/proc/self/clear_refs", "5").ok();
        Memory {
            before: forgotten.and_then(|()| status("VmRSS:")),
        }
    }

    /// The bytes at the peak since then, beside those before.
    pub(super) fn peak(&self) -> Option<u64> {
        Some(status("VmHWM:")?.saturating_sub(self.before?))
    }
}

/// A number of kilobytes in what the system says of this process, in bytes.
fn status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pleach_core::{Grammar, Graph};

    #[test]
    fn a_long_document_has_all_documents_between_its_ends() {
        let long = long_document(["[", ",", "]"], &[b"1", b"22"]).unwrap();
        assert!(long.starts_with(b"[1,22,1,22,") && long.ends_with(b"]"));
        assert!((LONG..LONG + 10).contains(&long.len()));
        assert!(long_document(["", "", ""], &[b""]).is_err());
    }

    #[test]
    fn what_is_no_sentence_costs_time_as_well() {
        let grammar: Grammar = "start := 'a'*;".parse().unwrap();
        let parser = Parser::new(&Graph::new(grammar).unwrap());
        let mut workspace = Workspace::new();
        let budget = Budget::default();
        let (cost, done) = measure(&parser, b"aaa", budget, &mut workspace);
        assert!(done.is_ok() && cost.seconds() >= cost.parse);
        let (cost, done) = measure(&parser, b"b", budget, &mut workspace);
        assert!(done.is_err() && cost.encode == 0.0);
    }
}
