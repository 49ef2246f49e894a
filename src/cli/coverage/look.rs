//! Looking at the files of a corpus: those that a state knows are left alone, the others are measured.
//!
//! An interrupt stops between two files, and what was measured until then is reported, and kept in the state.

use std::path::Path;
use std::sync::Arc;

use pleach_core::kpath::WindowTable;

use crate::failure::Failure;
use crate::input::{Digest, InputFile, digest, read_input};
use crate::interrupt::Interrupt;
use crate::measure::{Form, Gauge};
use crate::parallel::in_parallel;
use crate::progress::Progress;
use crate::state::{Record, Stamp, State};
use crate::text::{LeftOut, Texts};

use super::survey::{Notes, Survey};

/// A file that was looked at.
struct Seen {
    /// What to keep of it: nothing of one that takes more than the budget, which may be more the next time.
    record: Option<Record>,
    /// Whether it was measured, and not known before.
    measured: bool,
    left_out: Option<LeftOut>,
}

impl Seen {
    fn known(record: Record) -> Seen {
        Seen {
            left_out: (!record.is_valid()).then(LeftOut::known),
            record: Some(record),
            measured: false,
        }
    }

    fn digest(&self) -> Option<Digest> {
        self.record.as_ref().map(Record::digest)
    }
}

/// What is done with files.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) form: &'a Form,
    pub(super) windows: &'a Arc<WindowTable>,
    pub(super) files: &'a [InputFile],
    /// Where it is noted what each file covers. Then all of them are measured.
    pub(super) survey: Option<&'a Survey>,
    /// Whether records are kept, which takes stamps and digests.
    pub(super) records: bool,
}

/// What was found.
pub(super) struct Found {
    pub(super) state: State,
    pub(super) left_out: Vec<LeftOut>,
    /// What was noted of each file.
    pub(super) notes: Notes,
    /// How many files were looked at: all of them, unless there was an interrupt.
    pub(super) inputs: u64,
}

/// What a thread has.
struct Worker<'a> {
    gauge: Gauge<'a>,
    bytes: Vec<u8>,
    notes: Notes,
    met: Vec<u32>,
}

/// How one pass looks at files.
struct Pass<'a> {
    look: Look<'a>,
    known: Option<&'a State>,
    /// When looking began.
    begun: &'a Stamp,
}

impl Look<'_> {
    /// Measures all files, or with a known state those that it does not know; gives what was left out besides.
    ///
    /// What was covered cannot be taken back, so the known coverage counts only if everything that it came from is
    /// still there; otherwise the files that were skipped are measured after all.
    pub(super) fn run(self, known: Option<State>) -> Result<Found, Failure> {
        let Look { form, windows, .. } = self;
        let _interrupt = Interrupt::listen();
        let usable = known.as_ref().filter(|_| self.survey.is_none());
        let begun = &Stamp::now();
        let all: Vec<usize> = (0..self.files.len()).collect();
        let pass = Pass {
            look: self,
            known: usable,
            begun,
        };
        let (mut seen, mut workers) = pass.over(&all)?;

        let looked_at = seen.iter().flatten();
        let mut digests: Vec<Digest> = looked_at.filter_map(Seen::digest).collect();
        digests.sort_unstable();
        let mut meter = Gauge::new(form, windows)?.meter;
        let is_cut = |seen: &[Option<Seen>]| seen.iter().any(Option::is_none);
        match usable {
            Some(state) if state.is_within(&digests) => meter.union(&state.meter),
            Some(_) if !is_cut(&seen) => {
                let pass = Pass {
                    known: None,
                    ..pass
                };
                let was_skipped = |&at: &usize| seen[at].as_ref().is_some_and(|it| !it.measured);
                let skipped: Vec<usize> = all.iter().copied().filter(was_skipped).collect();
                let (again, more) = pass.over(&skipped)?;
                for (&at, again) in skipped.iter().zip(again) {
                    seen[at] = again;
                }
                workers.extend(more);
            }
            _ => {}
        }
        let is_cut = is_cut(&seen);
        let mut notes = Notes::default();
        for worker in workers {
            meter.union(&worker.gauge.meter);
            notes.union(worker.notes);
        }
        let inputs = seen.iter().flatten().count() as u64;
        let (mut records, mut left_out) = (Vec::new(), Vec::new());
        for seen in seen.into_iter().flatten() {
            records.extend(seen.record);
            left_out.extend(seen.left_out);
        }
        // What was known is true, though perhaps not of the files of today; whoever reads the state looks at that.
        let state = match known {
            Some(known) if is_cut => known.and(meter, records),
            _ => State::new(meter, records),
        };
        Ok(Found {
            state,
            left_out,
            notes,
            inputs,
        })
    }
}

impl<'a> Pass<'a> {
    fn over(&self, which: &[usize]) -> Result<(Vec<Option<Seen>>, Vec<Worker<'a>>), Failure> {
        let Look {
            form,
            windows,
            files,
            survey,
            ..
        } = self.look;
        let worker = || {
            let gauge = match survey {
                Some(_) => Gauge::tracing(form, windows)?,
                None => Gauge::new(form, windows)?,
            };
            Ok(Worker {
                gauge,
                bytes: Vec::new(),
                notes: Notes::default(),
                met: Vec::new(),
            })
        };
        let progress = Progress::new(which.len() as u64, "files");
        let look = |worker: &mut Worker<'_>, at: usize| {
            if Interrupt::is_set() {
                return Ok(None);
            }
            let path = &files[which[at]].path;
            let _doing = progress.doing(path);
            let seen = self.at(which[at], path, worker);
            progress.add(1);
            seen.map(Some)
        };
        in_parallel(which.len(), form.block(), worker, look)
    }

    fn at(&self, at: usize, path: &Path, worker: &mut Worker<'_>) -> Result<Seen, Failure> {
        let (mut stamp, mut content) = (Stamp::default(), 0);
        if self.look.records {
            stamp = Stamp::of(path)?;
        }
        let unchanged = self.known.and_then(|state| state.unchanged(path, &stamp));
        if let Some(record) = unchanged
            && self.believes(record.is_valid())
        {
            return Ok(Seen::known(record.clone()));
        }
        read_input(path, &mut worker.bytes)?;
        if self.look.records {
            content = digest(&worker.bytes);
        }
        let record = |valid| Record::new(path, stamp, content, valid, self.begun);
        if let Some(valid) = self.known.and_then(|state| state.verdict(content))
            && self.believes(valid)
        {
            return Ok(Seen::known(record(valid)));
        }
        let left_out = worker.gauge.measure(path, &worker.bytes).err();
        if let Some(survey) = self.look.survey
            && left_out.is_none()
        {
            worker.gauge.windows(&mut worker.met);
            survey.note(&mut worker.notes, at, worker.bytes.len(), &worker.met);
        }
        let is_settled = left_out.as_ref().is_none_or(|text| !text.out_of_budget);
        Ok(Seen {
            record: is_settled.then(|| record(left_out.is_none())),
            measured: true,
            left_out,
        })
    }

    /// Whether a verdict of an earlier run is enough. Why a text is invalid is not recorded, so for who wants to know it is
    /// parsed again.
    fn believes(&self, valid: bool) -> bool {
        valid || !self.look.form.texts().is_some_and(Texts::lists)
    }
}
