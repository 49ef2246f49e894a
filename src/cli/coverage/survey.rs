//! What each input covers, kept in aggregate: of a corpus, no more than two words a window and a few a symbol.
//!
//! Inputs are put in order by the time at which their files were written, and a window keeps the first and the last input that has
//! it. From these two follow the curve of coverage over the inputs, what an input was the first to cover, and what it alone
//! covers: the first is the last. The same holds for shorter paths, each of which is the end of some window, so the first and last
//! input of all windows that end with it are its own. Threads share the words, and because least and greatest numbers do not depend on
//! who comes first, neither does the result.
//!
//! For each symbol there is the number of inputs that use it, and the shortest of them. The symbol that a window ends with is found
//! out when the window is met for the first time.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use pleach_core::id::{Id as _, SymbolId};
use pleach_core::kpath::WindowTable;

use crate::failure::Failure;
use crate::input::InputFile;
use crate::parallel::{ONE, in_parallel};

use super::gaps::{Gap, block, blocks, gaps};

/// No input.
const NONE: u32 = u32::MAX;
/// The most windows that are surveyed: three words each.
const MAX_WINDOWS: u64 = 1 << 25;
/// The inputs that are kept for a symbol.
const EXAMPLES: usize = 3;

/// The first and the last input that has something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) first: u32,
    last: u32,
}

impl Span {
    /// The only input, if there is one and no other.
    pub(super) fn alone(self) -> Option<u32> {
        (self.first == self.last).then_some(self.first)
    }
}

/// A span for each number below a bound; in the beginning none has any.
struct Spans {
    first: Vec<AtomicU32>,
    /// The last input, plus one.
    last: Vec<AtomicU32>,
}

impl Spans {
    fn new(count: u64) -> Spans {
        Spans {
            first: (0..count).map(|_| AtomicU32::new(NONE)).collect(),
            last: (0..count).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    fn add(&self, at: usize, span: Span) {
        self.first[at].fetch_min(span.first, Ordering::Relaxed);
        self.last[at].fetch_max(span.last + 1, Ordering::Relaxed);
    }

    fn get(&self, at: usize) -> Option<Span> {
        let first = self.first[at].load(Ordering::Relaxed);
        (first != NONE).then(|| Span {
            first,
            last: self.last[at].load(Ordering::Relaxed).saturating_sub(1),
        })
    }
}

/// What inputs cover, while they are looked at.
pub(super) struct Survey {
    windows: Arc<WindowTable>,
    spans: Spans,
    /// The symbol that each window ends with, once it is known.
    ends: Vec<AtomicU32>,
    /// The place in time of each file.
    places: Vec<u32>,
}

/// How a symbol is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// By how many inputs.
    pub(super) inputs: u32,
    /// The shortest of them: bytes and place, in order; `NONE` where there are fewer.
    examples: [(u32, u32); EXAMPLES],
}

impl Use {
    const NEVER: Use = Use {
        inputs: 0,
        examples: [(NONE, NONE); EXAMPLES],
    };

    /// The places of the shortest inputs, the shortest first.
    pub(super) fn examples(&self) -> impl Iterator<Item = u32> {
        let examples = self.examples.into_iter().map(|(_, place)| place);
        examples.filter(|&place| place != NONE)
    }

    fn add_example(&mut self, example: (u32, u32)) {
        if let Some(at) = self.examples.iter().position(|&known| example < known) {
            self.examples[at..].rotate_right(1);
            self.examples[at] = example;
        }
    }
}

/// What a thread notes of the inputs that it looks at.
#[derive(Default)]
pub(super) struct Notes {
    uses: Vec<Use>,
    /// The input, plus one, that a symbol was met in last.
    met: Vec<u32>,
    /// The place of each input, its bytes, and how many windows it has.
    inputs: Vec<(u32, u64, u32)>,
}

impl Notes {
    /// Takes what another thread has noted.
    pub(super) fn union(&mut self, other: Notes) {
        self.inputs.extend(other.inputs);
        if self.uses.is_empty() {
            self.uses = other.uses;
            return;
        }
        for (mine, theirs) in self.uses.iter_mut().zip(other.uses) {
            mine.inputs += theirs.inputs;
            for example in theirs.examples {
                mine.add_example(example);
            }
        }
    }
}

impl Survey {
    /// Nothing is covered yet.
    pub(super) fn new(windows: &Arc<WindowTable>, files: &[InputFile]) -> Result<Survey, Failure> {
        let kpaths = windows.kpaths();
        let count = kpaths.window_count();
        if count > MAX_WINDOWS {
            return Err(Failure::new(
                format_args!(
                    "what each input covers of {count} {}-paths is too much to be kept",
                    kpaths.k()
                ),
                "choose a smaller -k",
            ));
        }
        Ok(Survey {
            windows: windows.clone(),
            spans: Spans::new(count),
            ends: (0..count).map(|_| AtomicU32::new(NONE)).collect(),
            places: places(files)?,
        })
    }

    /// Notes the windows of a file, each once, and how many bytes it has.
    pub(super) fn note(&self, notes: &mut Notes, file: usize, bytes: usize, windows: &[u32]) {
        let symbols = self.windows.kpaths().graph().symbol_count();
        notes.uses.resize(symbols, Use::NEVER);
        notes.met.resize(symbols, 0);
        let place = self.places[file];
        for &window in windows {
            let at = window as usize;
            self.spans.add(
                at,
                Span {
                    first: place,
                    last: place,
                },
            );
            let Some(symbol) = self.end(at) else { continue };
            if std::mem::replace(&mut notes.met[symbol], place + 1) != place + 1 {
                notes.uses[symbol].inputs += 1;
                let bytes = u32::try_from(bytes).unwrap_or(NONE);
                notes.uses[symbol].add_example((bytes, place));
            }
        }
        notes
            .inputs
            .push((place, bytes as u64, windows.len() as u32));
    }

    /// The symbol that a window ends with.
    fn end(&self, window: usize) -> Option<usize> {
        let known = self.ends[window].load(Ordering::Relaxed);
        if known != NONE {
            return Some(known as usize);
        }
        let path = self.windows.kpaths().window(window as u64)?;
        let symbol = path.last()?.index();
        self.ends[window].store(symbol as u32, Ordering::Relaxed);
        Some(symbol)
    }

    /// What follows from it.
    pub(super) fn finish(self, notes: Notes) -> Result<Surveyed, Failure> {
        let kpaths = self.windows.kpaths().clone();
        let levels: Vec<Spans> = (1..=kpaths.k())
            .map(|level| Spans::new(kpaths.len_at(level)))
            .collect();
        let count = kpaths.window_count();
        let project = |path: &mut Vec<SymbolId>, at: usize| {
            for window in block(at, count) {
                let Some(span) = self.spans.get(window as usize) else {
                    continue;
                };
                if !kpaths.window_into(window, path) {
                    continue;
                }
                for (level, spans) in (1..).zip(&levels) {
                    let suffix = path.len().checked_sub(level).map(|start| &path[start..]);
                    if let Some(rank) = suffix.and_then(|suffix| kpaths.rank(suffix)) {
                        spans.add(rank as usize, span);
                    }
                }
            }
            Ok(())
        };
        in_parallel(blocks(count), ONE, || Ok(Vec::new()), project)?;

        let mut files = vec![0; self.places.len()];
        for (file, &place) in self.places.iter().enumerate() {
            files[place as usize] = file as u32;
        }
        let mut inputs: Vec<Option<Input>> = vec![None; files.len()];
        for (place, bytes, paths) in notes.inputs {
            inputs[place as usize] = Some(Input {
                bytes,
                paths,
                new: 0,
                alone: 0,
            });
        }
        for window in 0..count as usize {
            let Some(span) = self.spans.get(window) else {
                continue;
            };
            if let Some(input) = &mut inputs[span.first as usize] {
                input.new += 1;
                input.alone += u32::from(span.alone().is_some());
            }
        }
        let mut uses = notes.uses;
        uses.resize(kpaths.graph().symbol_count(), Use::NEVER);
        Ok(Surveyed {
            windows: self.windows,
            levels,
            uses,
            inputs,
            files,
        })
    }
}

/// The place in time of each file: by when it was written, then by name.
fn places(files: &[InputFile]) -> Result<Vec<u32>, Failure> {
    let mut order = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        let failed = |error| Failure::file("read", &file.path, &error);
        let metadata = fs::metadata(&file.path).map_err(failed)?;
        // Where there are no times, the names are the order.
        order.push((metadata.modified().ok(), &file.name, at));
    }
    order.sort();
    let mut places = vec![0; files.len()];
    for (place, (_, _, at)) in order.into_iter().enumerate() {
        places[at] = place as u32;
    }
    Ok(places)
}

/// An input that was measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub(super) bytes: u64,
    /// How many windows it has.
    pub(super) paths: u32,
    /// How many of them it was the first to have.
    pub(super) new: u32,
    /// How many of them no other has.
    pub(super) alone: u32,
}

/// What inputs cover, in aggregate. Inputs are named by their places in time.
pub(super) struct Surveyed {
    windows: Arc<WindowTable>,
    levels: Vec<Spans>,
    /// How each symbol is used.
    pub(super) uses: Vec<Use>,
    /// The inputs that were measured.
    pub(super) inputs: Vec<Option<Input>>,
    /// The file of each place.
    pub(super) files: Vec<u32>,
}

impl Surveyed {
    /// The first and last input that has a path, named by its rank among the paths of `level` symbols.
    pub(super) fn span(&self, level: usize, rank: u64) -> Option<Span> {
        self.levels.get(level.checked_sub(1)?)?.get(rank as usize)
    }

    /// How many paths of `level` symbols each input was the first to have.
    pub(super) fn firsts(&self, level: usize) -> Vec<u32> {
        let mut firsts = vec![0; self.files.len()];
        for rank in 0..self.windows.kpaths().len_at(level) {
            if let Some(span) = self.span(level, rank) {
                firsts[span.first as usize] += 1;
            }
        }
        firsts
    }

    /// The paths that one input alone has, short ones first, each with the input.
    pub(super) fn alone(&self) -> impl Iterator<Item = (u32, usize, u64)> {
        let kpaths = self.windows.kpaths();
        let ranks = (1..=kpaths.k())
            .flat_map(|level| (0..kpaths.len_at(level)).map(move |rank| (level, rank)));
        ranks.filter_map(|(level, rank)| Some((self.span(level, rank)?.alone()?, level, rank)))
    }

    /// The paths that no input has though some input has each path that they contain.
    pub(super) fn gaps(&self) -> Result<Vec<Gap>, Failure> {
        let has = |level: usize, rank: u64| self.span(level, rank).is_some();
        gaps(self.windows.kpaths(), |_, _| true, has)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use pleach_core::choice::Scratch;
    use pleach_core::choice::SiteIndex;
    use pleach_core::kpath::KPaths;
    use pleach_core::rng::Rng;
    use pleach_core::{Codec, Grammar, Graph};

    use super::*;

    const GRAMMAR: &str = "s := a s? b* | 'x'; a := [0-9] | '(' s ')' | b; b := 'y' ('z' | a)?;";

    /// Random choice sequences, surveyed, and the paths of up to `k` symbols that each has, found out by hand.
    fn surveyed(seed: u64, k: usize, threads: usize) -> (Surveyed, Vec<BTreeSet<Vec<SymbolId>>>) {
        let grammar: Grammar = GRAMMAR.parse().unwrap();
        let graph = Graph::new(grammar).unwrap();
        let windows = WindowTable::new(&KPaths::new(&graph, k).unwrap()).unwrap();
        let codec = Codec::new(&graph).with_windows(&windows);
        let mut rng = Rng::new(seed);
        let (mut scratch, mut index) = (Scratch::default(), SiteIndex::new());
        let count = rng.below(6) as usize;
        let survey = Survey {
            spans: Spans::new(windows.kpaths().window_count()),
            ends: (0..windows.kpaths().window_count())
                .map(|_| AtomicU32::new(NONE))
                .collect(),
            // Backwards in time.
            places: (0..count as u32).rev().collect(),
            windows: windows.clone(),
        };
        let mut notes: Vec<Notes> = (0..threads).map(|_| Notes::default()).collect();
        let mut covered = vec![BTreeSet::new(); count];
        for file in 0..count {
            let choices: Vec<u8> = (0..rng.below(12)).map(|_| rng.below(256) as u8).collect();
            codec.index(&choices, &mut scratch, &mut index);
            let mut met: Vec<u32> = index.windows().collect();
            met.sort_unstable();
            met.dedup();
            for &window in &met {
                let path = windows.kpaths().window(window.into()).unwrap();
                let suffixes = (0..path.len()).map(|start| path[start..].to_vec());
                covered[count - 1 - file].extend(suffixes);
            }
            survey.note(&mut notes[file % threads], file, choices.len(), &met);
        }
        let mut all = Notes::default();
        notes.into_iter().for_each(|notes| all.union(notes));
        (survey.finish(all).unwrap(), covered)
    }

    #[test]
    fn first_last_and_gaps_are_those_of_the_definitions() {
        for seed in 0..200 {
            let k = 1 + seed as usize % 4;
            let (surveyed, covered) = surveyed(seed, k, 1 + seed as usize % 3);
            let kpaths = surveyed.windows.kpaths().clone();
            let has = |path: &[SymbolId]| covered.iter().any(|paths| paths.contains(path));
            let mut gaps = Vec::new();
            for level in 1..=k {
                let mut firsts = vec![0; covered.len()];
                for rank in 0..kpaths.len_at(level) {
                    let path = kpaths.unrank_at(level, rank).unwrap();
                    let mut with = (0..covered.len()).filter(|&at| covered[at].contains(&path));
                    let span = with.next().map(|first| Span {
                        first: first as u32,
                        last: with.next_back().unwrap_or(first) as u32,
                    });
                    assert_eq!(surveyed.span(level, rank), span, "{seed} {level} {rank}");
                    if let Some(span) = span {
                        firsts[span.first as usize] += 1;
                        continue;
                    }
                    // All parts, not only the longest two.
                    let parts =
                        (0..level).flat_map(|from| (from + 1..=level).map(move |to| (from, to)));
                    let mut parts = parts.filter(|&(from, to)| to - from < level);
                    if parts.all(|(from, to)| has(&path[from..to])) {
                        gaps.push(Gap { path, rank });
                    }
                }
                assert_eq!(surveyed.firsts(level), firsts);
            }
            assert_eq!(surveyed.gaps().unwrap(), gaps, "{seed}");
            for (symbol, usage) in surveyed.uses.iter().enumerate() {
                let path = [SymbolId::from_index(symbol)];
                let using =
                    || (0..covered.len()).filter(|&at| covered[at].contains(path.as_slice()));
                assert_eq!(usage.inputs as usize, using().count());
                let size = |place: usize| surveyed.inputs[place].unwrap().bytes;
                let mut shortest: Vec<usize> = using().collect();
                shortest.sort_by_key(|&place| (size(place), place));
                shortest.truncate(EXAMPLES);
                let examples: Vec<usize> = usage.examples().map(|place| place as usize).collect();
                assert_eq!(examples, shortest);
            }
        }
    }

    #[test]
    fn what_an_input_adds_is_counted_in_windows() {
        let mut alone = 0;
        for seed in 0..100 {
            let (surveyed, covered) = surveyed(seed, 1, 1);
            // For k = 1, the windows are the symbols.
            for (at, input) in surveyed.inputs.iter().enumerate() {
                let input = input.unwrap();
                let is_new =
                    |path: &&Vec<SymbolId>| !covered[..at].iter().any(|it| it.contains(*path));
                let is_last =
                    |path: &&Vec<SymbolId>| !covered[at + 1..].iter().any(|it| it.contains(*path));
                let new: Vec<_> = covered[at].iter().filter(is_new).collect();
                assert_eq!(input.paths as usize, covered[at].len());
                assert_eq!(input.new as usize, new.len());
                assert_eq!(
                    input.alone as usize,
                    new.into_iter().filter(|it| is_last(it)).count()
                );
                alone += input.alone;
            }
        }
        assert!(alone > 0);
    }
}
