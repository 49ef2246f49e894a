//! How a campaign begins: with a covering set.
//!
//! Seeking each 2-path from input to input takes a run for every path or two, of inputs that get longer all the time; a
//! grammar of ten thousand 2-paths keeps a campaign busy for long before it has seen all parts of the program once. The covering set
//! ([`Cover`]) has them all in the shortest inputs. So the first mutants are its inputs, one after the other, but for those
//! whose paths have come in the meantime. It is the set that `pleach seed` writes; a campaign that begins with it, or with a
//! corpus that covers nearly as much, goes on at once.
//!
//! A set of a thousand inputs takes milliseconds to derive, input by input.

use std::sync::Arc;

use super::steering::Steering;
use super::work::Budget;
use crate::choice::SiteIndex;
use crate::generate::{Cover, CoverBuilder};
use crate::graph::Graph;

/// The k of the paths.
const LEVEL: usize = 2;

/// How far the covering set has been given out.
#[derive(Debug, Default)]
pub(super) enum Opening {
    /// Nothing has been asked for.
    #[default]
    Before,
    /// Some inputs may be left.
    Under(Box<Under>),
    /// Nothing is left, or nothing was needed.
    Over,
}

/// The set in the making.
#[derive(Debug)]
pub(super) struct Under {
    cover: Cover,
    index: SiteIndex,
    level: usize,
}

impl Opening {
    pub(super) fn is_over(&self) -> bool {
        matches!(self, Opening::Over)
    }

    /// The choices of the next input that has a path of its level that nothing has covered; nothing if there are no more.
    pub(super) fn next(
        &mut self,
        graph: &Arc<Graph>,
        steering: &Steering,
        limits: Budget,
    ) -> Option<&[u8]> {
        if let Opening::Before = self {
            *self = Opening::begin(graph, steering, limits);
        }
        let is_left = match self {
            Opening::Under(under) => under.advance(steering),
            _ => false,
        };
        if !is_left {
            *self = Opening::Over;
        }
        match self {
            Opening::Under(under) => Some(under.index.canonical()),
            _ => None,
        }
    }

    fn begin(graph: &Arc<Graph>, steering: &Steering, limits: Budget) -> Opening {
        let level = LEVEL.min(steering.coverage().kpaths().k());
        if steering.is_nearly_covered(level) {
            return Opening::Over;
        }
        let cover = CoverBuilder::new()
            .max_len(Some(u32::try_from(limits.max_len).unwrap_or(u32::MAX)))
            .max_depth(Some(limits.max_depth))
            .build(graph, level);
        cover.map_or(Opening::Over, |cover| {
            Opening::Under(Box::new(Under {
                cover,
                index: SiteIndex::new(),
                level,
            }))
        })
    }
}

impl Under {
    fn advance(&mut self, steering: &Steering) -> bool {
        while self.cover.next_input(&mut self.index) {
            let count = self.cover.coverage().kpaths().len();
            let mut paths = self.index.windows().map(u64::from);
            if paths.any(|path| path < count && !steering.has_passed(self.level, path)) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::Session;
    use crate::choice::SiteIndex;
    use crate::generate::CoverBuilder;
    use crate::tests::fixtures;

    #[test]
    fn a_campaign_begins_with_a_covering_set_of_2_paths() {
        for fixture in fixtures() {
            let mut cover = CoverBuilder::new().build(&fixture.graph, 2).unwrap();
            let (mut index, mut count) = (SiteIndex::new(), 0);
            while cover.next_input(&mut index) {
                count += 1;
            }
            let mut session = Session::new(&fixture.graph, 3).unwrap();
            let mut runs = 0;
            while session.work.steering.left(2) > 0 && runs < 2 * count + 40 {
                session.seed(runs);
                session.mutate(4096);
                session.mark();
                runs += 1;
            }
            // What is mutated in between may make some of them superfluous, and never more necessary.
            assert_eq!(
                session.work.steering.left(2),
                0,
                "{}: {count}",
                fixture.name
            );
        }
    }

    #[test]
    fn what_is_covered_is_not_given_out_again() {
        let fixtures = fixtures();
        let json = fixtures.iter().find(|it| it.name == "json").unwrap();
        let mut cover = CoverBuilder::new().build(&json.graph, 2).unwrap();
        let mut session = Session::new(&json.graph, 3).unwrap();
        let mut index = SiteIndex::new();
        while cover.next_input(&mut index) {
            session.load(index.canonical());
            session.mark();
        }
        assert!(!session.open(usize::MAX, usize::MAX) && session.opening.is_over());
        // Nor is it without steering.
        let mut session = Session::new(&json.graph, 3).unwrap();
        session.steer(0);
        assert!((0..100).all(|_| !session.open(usize::MAX, usize::MAX)));
    }
}
