//! From the first candidate to the last: asks the test, shows how far it is, and ends early when it is asked to.

use std::time::Duration;

use pleach_core::reduce::{Candidate, Reducer};

use super::test::Test;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Progress;

/// When to end before the end.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Bounds {
    /// After so many runs.
    pub(crate) runs: Option<u64>,
    /// After this time.
    pub(crate) time: Option<Duration>,
}

/// Why it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// Nothing smaller is a step away.
    Minimal,
    /// The bounds do not allow more.
    Bounded,
    Interrupted,
}

/// What it came to.
pub(crate) struct Reduced {
    /// Nothing if the test does not hold for the beginning.
    pub(crate) best: Option<Candidate>,
    pub(crate) end: End,
}

/// Reduces as far as the bounds allow. Ctrl-C ends it with what there is.
pub(crate) fn drive(
    reducer: &mut Reducer,
    test: &mut dyn Test,
    bounds: Bounds,
    is_shown: bool,
) -> Result<Reduced, Failure> {
    let _interrupt = Interrupt::listen();
    let progress = is_shown.then(Progress::line);
    let driven = run(reducer, test, bounds, progress.as_ref());
    drop(progress);
    Ok(Reduced {
        end: driven?,
        best: reducer.best().cloned(),
    })
}

#[expect(
    clippy::disallowed_types,
    reason = "at the end of a campaign, reducing must not take longer than a person waits"
)]
fn run(
    reducer: &mut Reducer,
    test: &mut dyn Test,
    bounds: Bounds,
    progress: Option<&Progress>,
) -> Result<End, Failure> {
    let begun = std::time::Instant::now();
    loop {
        let is_late = bounds.time.is_some_and(|most| begun.elapsed() >= most);
        let left = bounds.runs.map(|most| most.saturating_sub(test.runs()));
        if is_late || left == Some(0) {
            return Ok(End::Bounded);
        }
        let most = usize::try_from(left.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let candidates = reducer.next(test.batch().min(most));
        if candidates.is_empty() {
            return Ok(End::Minimal);
        }
        let answers = test.ask(candidates)?;
        // Ctrl-C may have ended what was run, too.
        if Interrupt::is_set() {
            return Ok(End::Interrupted);
        }
        reducer.tell(&answers);
        if let (Some(progress), Some(best)) = (progress, reducer.best()) {
            let (bytes, runs) = (best.text().len(), test.runs());
            progress.say(format!(
                "{bytes} bytes after {runs} runs; Ctrl-C ends with these"
            ));
        }
    }
}
