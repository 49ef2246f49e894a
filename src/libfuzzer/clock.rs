//! What mutations and runs take: for reports, and so that operators that cost much give way where runs are short.
//!
//! Reading the clock costs as much as a small splice, so only one mutation in eight is timed, and the run after it, from the end of the
//! mutation to the beginning of the next one: with what the engine does meanwhile. Where runs are long, each is timed.

#![expect(
    clippy::disallowed_types,
    reason = "shares of operators follow costs, unless PLEACH_CLOCK=0 asks for the same mutants each time"
)]

use std::time::Instant;

use super::config::Config;
use super::schedule::Schedule;
use pleach_core::mutate::Session;

/// One mutation of so many is timed.
const SAMPLED: u32 = 8;

/// The clock of a target.
#[derive(Debug, Default)]
pub(super) struct Clock {
    until_sampled: u32,
    /// When the last mutation ended, if it was timed.
    ended: Option<Instant>,
}

impl Clock {
    /// A mutation begins, so a run has ended.
    pub(super) fn start(
        &mut self,
        config: &Config,
        session: &mut Session,
        schedule: &mut Schedule,
    ) -> Option<Instant> {
        let ended = self.ended.take();
        let sampled = (config.clock || config.stats) && self.until_sampled == 0;
        self.until_sampled = match self.until_sampled {
            0 => SAMPLED - 1,
            left => left - 1,
        };
        let now = (sampled || ended.is_some()).then(Instant::now);
        if let (true, Some(ended), Some(now)) = (config.clock, ended, now) {
            let nanoseconds = now.duration_since(ended).as_nanos() as u64;
            session.ran(nanoseconds);
            schedule.ran(nanoseconds);
        }
        now.filter(|_| sampled)
    }

    /// The mutation has ended.
    pub(super) fn stop(
        &mut self,
        start: Option<Instant>,
        session: &mut Session,
        schedule: &Schedule,
    ) {
        if start.is_none() && !schedule.is_on() {
            return;
        }
        let now = Instant::now();
        if let Some(start) = start {
            session.spent(now.duration_since(start).as_nanos() as u64, SAMPLED);
        }
        self.ended = Some(now);
    }
}
