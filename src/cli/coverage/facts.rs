//! What the page shows: chosen from all that a survey knows, so that the page stays small whatever the corpus and the grammar.
//!
//! Of what could be listed without end there is a number and a selection. Gaps are shared out evenly among the productions that they
//! begin in. Inputs are listed by what they alone cover; others are there only because they show how a symbol is used.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach_core::choice::{Codec, Lexemes, SiteIndex};
use pleach_core::generate::Witnesses;
use pleach_core::id::{Id as _, ProductionId};
use pleach_core::kpath::{ExpansionCoverage, pattern};
use pleach_core::{Graph, KPaths};

use crate::diagnostic::visible;
use crate::failure::Failure;
use crate::input::{InputFile, read_input};
use crate::report::{Level, Share, excerpt};

use super::functions::Beside;
use super::gaps::Gap;
use super::survey::Surveyed;

/// The gaps that are listed.
const GAPS: usize = 1000;
/// The bytes that their patterns and sentences may take together.
const GAP_BYTES: usize = 350 << 10;
/// The inputs that are listed.
const LISTED: usize = 100;
/// The patterns that are shown of what an input alone covers.
const ALONE: usize = 3;
/// The bytes that the texts of examples may take together.
const TEXT_BYTES: usize = 200 << 10;
/// The characters of a text that are shown.
const TEXT: usize = 240;
/// The characters of a sentence that would cover something.
const SENTENCE: usize = 160;
/// The points of a curve.
const POINTS: usize = 200;

/// What the page shows.
pub(super) struct Facts<'a> {
    pub(super) grammar: &'a str,
    pub(super) graph: &'a Graph,
    pub(super) kpaths: &'a KPaths,
    pub(super) expansions: &'a ExpansionCoverage,
    pub(super) levels: &'a [Level],
    /// How many inputs were measured, and how many left out.
    pub(super) inputs: u64,
    pub(super) left_out: u64,
    /// For each level, how many paths the first so many inputs have.
    pub(super) curves: Vec<Vec<(u64, u64)>>,
    /// For each symbol, how many inputs use it, and which of [`Facts::files`] show how.
    pub(super) uses: Vec<(u32, Vec<usize>)>,
    /// For each symbol, the functions that go with it; empty without a model.
    pub(super) beside: Vec<Beside>,
    /// How many gaps there are.
    pub(super) gap_count: usize,
    /// The gaps that are shown, by the production that they begin in, those with most gaps first.
    pub(super) gaps: Vec<Group>,
    pub(super) files: Vec<File>,
    /// How many of the files are listed; the others are examples.
    pub(super) listed: usize,
    /// How many inputs cover something alone.
    pub(super) alone: usize,
}

/// The gaps that begin in a production.
pub(super) struct Group {
    pub(super) production: ProductionId,
    /// How many there are.
    pub(super) count: usize,
    pub(super) gaps: Vec<ShownGap>,
}

/// A path that is not covered, for a reader.
pub(super) struct ShownGap {
    pub(super) k: usize,
    pub(super) pattern: String,
    /// How many paths have this pattern.
    pub(super) count: usize,
    /// A sentence that has the path.
    pub(super) sentence: String,
}

/// An input, for a reader.
pub(super) struct File {
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) text: String,
    pub(super) paths: u32,
    pub(super) new: u32,
    pub(super) alone: u32,
    /// Some patterns of what it alone covers.
    pub(super) patterns: Vec<String>,
}

/// What comes from elsewhere.
pub(super) struct Sources<'a> {
    pub(super) grammar: &'a str,
    pub(super) kpaths: &'a KPaths,
    pub(super) expansions: &'a ExpansionCoverage,
    pub(super) levels: &'a [Level],
    pub(super) files: &'a [InputFile],
    pub(super) is_text: bool,
    pub(super) beside: Vec<Beside>,
}

impl<'a> Facts<'a> {
    /// Chooses what is shown, and reads the inputs that are.
    pub(super) fn new(sources: Sources<'a>, surveyed: &Surveyed) -> Result<Facts<'a>, Failure> {
        let Sources {
            grammar,
            kpaths,
            expansions,
            levels,
            files,
            is_text,
            beside,
        } = sources;
        let graph = kpaths.graph();
        let codec = Arc::new(Codec::new(graph));
        let measured = surveyed.inputs.iter().flatten();
        let inputs = measured.clone().count() as u64;
        let gaps = surveyed.gaps()?;
        let mut shelf = Shelf::new(surveyed, files, (!is_text).then_some(&*codec));
        let listed = shelf.list(kpaths)?;
        let uses = shelf.examples()?;
        Ok(Facts {
            grammar,
            graph,
            kpaths,
            expansions,
            levels,
            inputs,
            left_out: files.len() as u64 - inputs,
            curves: (1..=kpaths.k())
                .map(|level| curve(surveyed, level))
                .collect(),
            uses,
            beside,
            gap_count: gaps.len(),
            gaps: groups(&codec, &gaps),
            files: shelf.shown,
            listed,
            alone: measured.filter(|input| input.alone > 0).count(),
        })
    }

    /// How much of the right side of a production is expanded.
    pub(super) fn alternatives(&self, id: ProductionId) -> Share {
        let grammar = self.graph.grammar();
        let production = &grammar[id];
        let first = production.first_node.index();
        let nodes = (first..first + production.node_count as usize)
            .map(pleach_core::id::NodeId::from_index);
        let mut share = Share {
            covered: 0,
            total: 0,
        };
        for node in nodes {
            let (covered, total) = self.expansions.of_node(node);
            share.covered += covered as u64;
            share.total += total as u64;
        }
        share
    }
}

/// How many paths of a level the first so many inputs have, at so many points.
fn curve(surveyed: &Surveyed, level: usize) -> Vec<(u64, u64)> {
    let firsts = surveyed.firsts(level);
    let measured: Vec<u32> = (0..firsts.len())
        .filter(|&place| surveyed.inputs[place].is_some())
        .map(|place| firsts[place])
        .collect();
    let step = measured.len().div_ceil(POINTS).max(1);
    let mut curve = vec![(0, 0)];
    let mut sum = 0;
    for (at, &new) in measured.iter().enumerate() {
        sum += u64::from(new);
        let done = at + 1;
        if done % step == 0 || done == measured.len() {
            curve.push((done as u64, sum));
        }
    }
    curve
}

/// The gaps by production, with a fair share of each.
fn groups(codec: &Arc<Codec>, gaps: &[Gap]) -> Vec<Group> {
    let graph = codec.graph();
    let mut by_production: BTreeMap<ProductionId, Vec<&Gap>> = BTreeMap::new();
    for gap in gaps {
        if let Some(&first) = gap.path.first() {
            let production = graph.production_of(first);
            by_production.entry(production).or_default().push(gap);
        }
    }
    // The greatest number of each that are not too many together.
    let shown = |most: usize| {
        by_production
            .values()
            .map(|gaps| gaps.len().min(most))
            .sum::<usize>()
    };
    let most = (1..=GAPS).take_while(|&most| shown(most) <= GAPS).last();
    let mut groups: Vec<(ProductionId, Vec<&Gap>)> = by_production.into_iter().collect();
    groups.sort_by_key(|(production, gaps)| (std::cmp::Reverse(gaps.len()), *production));
    let mut witnesses = Witnesses::new(codec);
    let (mut index, mut lexemes) = (SiteIndex::new(), Lexemes::default());
    let mut bytes = 0;
    let groups = groups.into_iter().map(|(production, gaps)| {
        let mut shown: Vec<ShownGap> = Vec::new();
        for gap in gaps.iter().take(most.unwrap_or(1)) {
            let k = gap.path.len();
            let pattern = visible(&pattern(graph, &gap.path)).into_owned();
            if let Some(same) = shown
                .iter_mut()
                .find(|it| it.k == k && it.pattern == pattern)
            {
                same.count += 1;
                continue;
            }
            if bytes > GAP_BYTES {
                break;
            }
            // Of a sentence that is far too long to be shown, nothing is derived.
            let sentence = match witnesses.len(&gap.path) {
                0..=0xFFFF => {
                    witnesses.derive(&gap.path, &mut index);
                    excerpt(codec.text(&index, &mut lexemes), SENTENCE)
                }
                bytes => format!("… ({bytes} bytes)"),
            };
            bytes += pattern.len() + sentence.len();
            shown.push(ShownGap {
                k,
                pattern,
                count: 1,
                sentence,
            });
        }
        Group {
            production,
            count: gaps.len(),
            gaps: shown,
        }
    });
    groups.collect()
}

/// The inputs that are shown.
struct Shelf<'a> {
    surveyed: &'a Surveyed,
    files: &'a [InputFile],
    /// What decodes inputs, unless they are texts.
    codec: Option<&'a Codec>,
    shown: Vec<File>,
    /// Where an input is among those that are shown, by its place.
    at: BTreeMap<u32, usize>,
    bytes: usize,
}

impl<'a> Shelf<'a> {
    fn new(surveyed: &'a Surveyed, files: &'a [InputFile], codec: Option<&'a Codec>) -> Shelf<'a> {
        Shelf {
            surveyed,
            files,
            codec,
            shown: Vec::new(),
            at: BTreeMap::new(),
            bytes: 0,
        }
    }

    /// Puts down those that cover most alone, or were the first to; gives how many that are.
    fn list(&mut self, kpaths: &KPaths) -> Result<usize, Failure> {
        let inputs = self.surveyed.inputs.iter().enumerate();
        let mut order: Vec<_> = inputs
            .filter_map(|(place, input)| {
                let input = (*input)?;
                (input.new > 0 || input.alone > 0).then_some((input.alone, input.new, place as u32))
            })
            .collect();
        order.sort_unstable_by_key(|&(alone, new, place)| (std::cmp::Reverse((alone, new)), place));
        for (_, _, place) in order.into_iter().take(LISTED) {
            self.put(place)?;
        }
        let graph = kpaths.graph();
        for (place, level, rank) in self.surveyed.alone() {
            let Some(&at) = self.at.get(&place) else {
                continue;
            };
            let patterns = &mut self.shown[at].patterns;
            if patterns.len() < ALONE
                && let Some(path) = kpaths.unrank_at(level, rank)
            {
                patterns.push(visible(&pattern(graph, &path)).into_owned());
            }
        }
        Ok(self.shown.len())
    }

    /// Puts down inputs that show how symbols are used; gives how often each symbol is, and where these are.
    fn examples(&mut self) -> Result<Vec<(u32, Vec<usize>)>, Failure> {
        let surveyed = self.surveyed;
        let mut uses = Vec::with_capacity(surveyed.uses.len());
        for usage in &surveyed.uses {
            let mut examples = Vec::new();
            for place in usage.examples() {
                examples.extend(self.put(place)?);
            }
            uses.push((usage.inputs, examples));
        }
        Ok(uses)
    }

    /// Reads an input, unless there is no room for it.
    fn put(&mut self, place: u32) -> Result<Option<usize>, Failure> {
        if let Some(&at) = self.at.get(&place) {
            return Ok(Some(at));
        }
        let Some(input) = self.surveyed.inputs[place as usize] else {
            return Ok(None);
        };
        if self.bytes > TEXT_BYTES {
            return Ok(None);
        }
        let file = &self.files[self.surveyed.files[place as usize] as usize];
        let mut bytes = Vec::new();
        read_input(&file.path, &mut bytes)?;
        if let Some(codec) = self.codec {
            bytes = codec.sentence(&bytes);
        }
        let shown = File {
            name: visible(&file.name.display().to_string()).into_owned(),
            bytes: input.bytes,
            text: excerpt(&bytes, TEXT),
            paths: input.paths,
            new: input.new,
            alone: input.alone,
            patterns: Vec::new(),
        };
        self.bytes += shown.text.len() + shown.name.len();
        let at = self.shown.len();
        self.shown.push(shown);
        self.at.insert(place, at);
        Ok(Some(at))
    }
}

/// The beginning of a text that can be seen already.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
