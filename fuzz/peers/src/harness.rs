//! Measuring: CPU time of this thread, all arms round robin, medians.

use cpu_time::ThreadTime;
use std::time::Duration;

/// What one run of an arm used and made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    cpu: Duration,
    bytes: u64,
}

impl Meter {
    /// Runs `work` and adds the CPU time that this thread spent on it. What is done outside is not counted, so batches
    /// are to be long against reading the clock (half a microsecond): at least some ten microseconds.
    #[inline(always)]
    pub fn time<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let start = ThreadTime::now();
        let result = work();
        self.cpu += start.elapsed();
        result
    }

    /// Counts bytes of text that were made.
    pub fn add_bytes(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
    }
}

/// One round of one arm.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// CPU nanoseconds of one operation.
    pub nanoseconds: f64,
    /// Bytes of text that one operation made.
    pub bytes: f64,
}

impl Sample {
    /// CPU nanoseconds of one byte.
    pub fn nanoseconds_per_byte(&self) -> f64 {
        self.nanoseconds / self.bytes
    }
}

/// An operation that can be repeated: does it so many times.
pub type Run = Box<dyn FnMut(u64, &mut Meter)>;

/// Measures `runs` in `rounds` rounds, each of which visits all of them, from a different first one each time. A sample is
/// at least so many operations. The result has the samples of every run by round, so that samples of one round can be
/// compared with each other.
pub fn measure(
    runs: &mut [Run],
    rounds: usize,
    min_operations: u64,
    mut progress: impl FnMut(usize),
) -> Vec<Vec<Sample>> {
    let operations: Vec<u64> = runs
        .iter_mut()
        .map(|run| calibrate(run, min_operations))
        .collect();
    let mut samples = vec![Vec::with_capacity(rounds); runs.len()];
    for round in 0..rounds {
        progress(round);
        for turn in 0..runs.len() {
            let arm = (turn + round) % runs.len();
            let mut meter = Meter::default();
            runs[arm](operations[arm], &mut meter);
            let each = operations[arm] as f64;
            samples[arm].push(Sample {
                nanoseconds: meter.cpu.as_nanos() as f64 / each,
                bytes: meter.bytes as f64 / each,
            });
        }
    }
    samples
}

/// The CPU time that one sample should take.
const SAMPLE_TIME: Duration = Duration::from_millis(1);

/// How many operations make a sample; warms up on the way.
fn calibrate(run: &mut Run, min_operations: u64) -> u64 {
    let mut operations = min_operations;
    loop {
        let mut meter = Meter::default();
        run(operations, &mut meter);
        if meter.cpu >= SAMPLE_TIME {
            let share = SAMPLE_TIME.as_secs_f64() / meter.cpu.as_secs_f64();
            return ((operations as f64 * share) as u64).max(min_operations);
        }
        operations *= 2;
    }
}

/// Where the middle half of some numbers lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// A quarter is below.
    pub first: f64,
    /// The middle.
    pub median: f64,
    /// A quarter is above.
    pub third: f64,
}

impl Quartiles {
    /// Of at least one number; interpolates between neighbours.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Quartiles {
        let mut sorted: Vec<f64> = numbers.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (sorted.len() - 1) as f64;
            let (low, high) = (
                sorted[place.floor() as usize],
                sorted[place.ceil() as usize],
            );
            low + (high - low) * place.fract()
        };
        Quartiles {
            first: at(0.25),
            median: at(0.5),
            third: at(0.75),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Quartiles, Run, measure};

    #[test]
    fn quartiles_interpolate() {
        let of = |numbers: &[f64]| Quartiles::of(numbers.iter().copied());
        assert_eq!(
            of(&[7.0]),
            Quartiles {
                first: 7.0,
                median: 7.0,
                third: 7.0
            }
        );
        assert_eq!(
            of(&[4.0, 1.0, 2.0, 3.0]),
            Quartiles {
                first: 1.75,
                median: 2.5,
                third: 3.25
            }
        );
        assert_eq!(
            of(&[5.0, 1.0, 2.0, 4.0, 3.0]),
            Quartiles {
                first: 2.0,
                median: 3.0,
                third: 4.0
            }
        );
    }

    #[test]
    fn every_round_visits_every_arm() {
        let run = |bytes: usize| -> Run {
            Box::new(move |operations, meter| {
                let sum = meter.time(|| {
                    (0..operations * 100).fold(0, |sum: u64, n| std::hint::black_box(sum ^ n))
                });
                std::hint::black_box(sum);
                meter.add_bytes(bytes * operations as usize);
            })
        };
        let samples = measure(&mut [run(1), run(20)], 3, 8, |_| ());
        assert_eq!(samples.len(), 2);
        for (samples, bytes) in samples.iter().zip([1.0, 20.0]) {
            assert_eq!(samples.len(), 3);
            assert!(
                samples
                    .iter()
                    .all(|sample| sample.bytes == bytes && sample.nanoseconds > 0.0)
            );
        }
    }
}
