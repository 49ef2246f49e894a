//! Sentences that cover the expansions of a grammar: the Fuzzing Book's fuzzers.
//!
//! The chapters *Efficient Grammar Fuzzing* and *Grammar Coverage* grow a derivation by expanding open references in random order,
//! with any alternative until enough of them are open at once, and with the cheapest ones (in references) from then on. Which of
//! the alternatives that come into question is drawn is a [`Preference`]. The order matters: from left to right, half of what
//! has to be covered comes when everything has to be closed already (expressions: 133 characters until all is covered instead
//! of 53).
//!
//! Right sides are therefore expanded one by one, each with all its choices, and kept as frames; a walk then reads the frames in
//! written order, so that the derivation has its choice sequence, its sites and its text. O(nodes of the derivation), and for
//! [`Preference::Nearest`] the searches of [`super::foresight`].

use std::sync::Arc;

use crate::choice::{Chooser, ClassCode, Codec, MemberChoice, ROOT, Scratch, SiteIndex};
use crate::grammar::NodeKind;
use crate::graph::{Graph, Measure};
use crate::id::{IdVec, NodeId, ProductionId, SymbolId};
use crate::kpath::ExpansionCoverage;
use crate::rng::Rng;
use crate::weights::Weights;

use super::Limits;
use super::foresight::{Foresight, NOTHING};
use super::random::{Growth, RandomChooser};

/// The open references from which on a derivation is closed, unless told otherwise: the Fuzzing Book's.
const MAX_OPEN: u64 = 10;

/// Which alternatives are drawn from, of those that come into question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Preference {
    /// All of them.
    Any,
    /// Those that are not covered, if there are any.
    Uncovered,
    /// Those under which an uncovered expansion lies nearest: the alternative itself, one of what it refers to, and so on.
    Nearest,
}

/// An endless source of sentences that prefers what it has not covered yet.
///
/// ```
/// use pleach_core::choice::SiteIndex;
/// use pleach_core::generate::{Expander, Limits, Preference};
/// use pleach_core::rng::Rng;
/// use pleach_core::{Codec, Grammar, Graph};
///
/// let grammar: Grammar = r#"bits := bit | bit bits; bit := "0" | "1";"#.parse()?;
/// let codec = Codec::new(&Graph::new(grammar)?).into();
/// let mut expander = Expander::new(&codec, Limits::default(), Rng::new(7)).prefer(Preference::Nearest);
/// let mut index = SiteIndex::new();
/// while expander.expansions().covered() < expander.expansions().total() {
///     expander.generate(&mut index);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Expander {
    codec: Arc<Codec>,
    weights: Weights,
    limits: Limits,
    rng: Rng,
    seeker: Seeker,
    derivation: Derivation,
    scratch: Scratch,
}

impl Expander {
    /// Draws from all alternatives, by the probabilities that the grammar states; nothing is covered yet. O(nodes).
    ///
    /// A derivation is closed as soon as ten references are open in it, or one more than the widest right side has.
    pub fn new(codec: &Arc<Codec>, limits: Limits, rng: Rng) -> Expander {
        let graph = codec.graph();
        let weights = Weights::stated(graph.grammar());
        let expansions = ExpansionCoverage::new(graph);
        Expander {
            seeker: Seeker {
                preference: Preference::Any,
                max_open: usize::try_from(MAX_OPEN.max(widest(graph) + 1)).unwrap_or(usize::MAX),
                is_closing: false,
                begun: 0,
                lead: NOTHING,
                foresight: Foresight::new(graph, &weights, &expansions),
                expansions,
                news: 0,
                went_on: IdVec::filled(graph.grammar().nodes().len(), 0),
            },
            codec: codec.clone(),
            weights,
            limits,
            rng,
            derivation: Derivation::default(),
            scratch: Scratch::default(),
        }
    }

    /// Prefers these alternatives.
    pub fn prefer(mut self, preference: Preference) -> Expander {
        self.seeker.preference = preference;
        self
    }

    /// Closes a derivation as soon as so many references are open in it.
    pub fn max_open(mut self, max_open: u32) -> Expander {
        self.seeker.max_open = max_open as usize;
        self
    }

    /// What the sentences so far cover.
    pub fn expansions(&self) -> &ExpansionCoverage {
        &self.seeker.expansions
    }

    /// Goes on from this coverage, of the same grammar.
    pub fn set_expansions(&mut self, expansions: ExpansionCoverage) {
        let graph = self.codec.graph();
        self.seeker.foresight = Foresight::new(graph, &self.weights, &expansions);
        self.seeker.expansions = expansions;
    }

    /// Derives one sentence into `index` and counts what it covers.
    pub fn generate(&mut self, index: &mut SiteIndex) {
        let graph = self.codec.graph();
        let growth = Growth::draw(&mut self.rng);
        let (weights, rng) = (&self.weights, &mut self.rng);
        let mut random = RandomChooser::new(graph, weights, self.limits, growth, rng);
        random.begin(ROOT, 0);
        self.seeker.begin();
        let derivation = &mut self.derivation;
        derivation.begin(graph.grammar().start());
        while !derivation.open.is_empty() {
            let at = match self.seeker.lead(graph, derivation) {
                Some(at) => at,
                None => random.below(derivation.open.len() as u32) as usize,
            };
            let frame = derivation.open.swap_remove(at);
            derivation.expand(frame, &self.codec, &mut self.seeker, &mut random);
        }
        let mut replay = Replay {
            derivation,
            above: Vec::new(),
        };
        self.codec
            .derive(ROOT, &mut replay, &mut self.scratch, index);
    }
}

/// The most references that a right side opens at once, with every quantifier repeated as seldom as is something.
fn widest(graph: &Graph) -> u64 {
    let grammar = graph.grammar();
    let mut widths: IdVec<NodeId, u64> = IdVec::filled(grammar.nodes().len(), 0);
    let mut widest = 0;
    // In pre-order, what is below a node comes behind it.
    for (id, node) in grammar.nodes().iter().rev() {
        let below = grammar.children(id).iter().map(|&child| widths[child]);
        widths[id] = match node.kind {
            NodeKind::Reference(_) => 1,
            NodeKind::Literal(_) | NodeKind::Class(_) => 0,
            NodeKind::Alternation => below.max().unwrap_or(0),
            NodeKind::Concatenation => below.fold(0, u64::saturating_add),
            NodeKind::Quantifier { min, .. } => {
                let subject: u64 = below.sum();
                subject.saturating_mul(u64::from(min.max(1)))
            }
        };
        widest = widest.max(widths[id]);
    }
    widest
}

/// Decides what right sides become.
#[derive(Debug)]
struct Seeker {
    preference: Preference,
    max_open: usize,
    /// Whether everything takes the cheapest alternatives now.
    is_closing: bool,
    expansions: ExpansionCoverage,
    foresight: Foresight,
    /// Counts what may make a repetition bring something that the one before did not: sentences begun, expansions covered.
    news: u64,
    /// The same when the sentence had begun.
    begun: u64,
    /// How near the lead is to an expansion that is not covered.
    lead: u32,
    /// By quantifier: the count of news when it last went on to cover something.
    went_on: IdVec<NodeId, u64>,
}

impl Seeker {
    fn begin(&mut self) {
        self.news += 1;
        self.begun = self.news;
        self.lead = NOTHING;
        self.is_closing = false;
    }

    /// Decides whether everything is closed from now on. What is expanded next is left to chance, except that a sentence with
    /// foresight that has brought nothing new yet goes straight to it first, or it never would where right sides are wide.
    fn lead(&mut self, graph: &Graph, derivation: &Derivation) -> Option<usize> {
        if self.is_closing || derivation.open.len() < self.max_open {
            return None;
        }
        if self.preference == Preference::Nearest && self.news == self.begun {
            let open = derivation.open.iter().enumerate();
            let steps = open.map(|(at, &frame)| {
                let production = derivation.frames[frame as usize].production;
                (self.foresight.steps_of(graph, production), at)
            });
            // Where limits keep it from coming nearer, it ends.
            if let Some((steps, at)) = steps.min()
                && steps < self.lead
            {
                self.lead = steps;
                return Some(at);
            }
        }
        self.is_closing = true;
        None
    }

    fn alternative(&mut self, graph: &Graph, random: &mut RandomChooser<'_>, node: NodeId) -> u32 {
        let children = graph.grammar().children(node);
        let count = children.len() as u32;
        let mut best = (u32::MAX, u32::MAX);
        let mut chosen = None;
        let mut total = 0u64;
        let is_free = !self.is_closing && self.preference == Preference::Any;
        for (index, &child) in (0..count).zip(children).filter(|_| !is_free) {
            let weight = random.weight(node, count, index);
            if weight == 0 || !random.fits(child, Some(node)) {
                continue;
            }
            let cost = match self.is_closing {
                true => graph.shortest(Measure::References).cost(child),
                false => 0,
            };
            let rank = (cost, self.rank(graph, node, index, child));
            if rank < best || chosen.is_none() {
                best = rank;
                total = 0;
            }
            if rank == best {
                // Reservoir sampling by weight: one pass, no list.
                total += weight;
                if random.draws(weight, total) {
                    chosen = Some(index);
                }
            }
        }
        let index = match chosen {
            Some(index) => {
                random.take(children[index as usize], Some(node));
                index
            }
            None => random.alternative(node, count),
        };
        let is_sought = random.weight(node, count, index) > 0;
        self.cover(node, index, is_sought);
        index
    }

    /// How good an alternative is for what is preferred: the less, the better.
    fn rank(&mut self, graph: &Graph, node: NodeId, index: u32, child: NodeId) -> u32 {
        let is_new = self.expansions.lacks(node, index);
        match self.preference {
            Preference::Any => 0,
            Preference::Uncovered => u32::from(!is_new),
            Preference::Nearest if is_new => 0,
            // What a new alternative is better than anyway.
            Preference::Nearest if self.foresight.lacks(node) => NOTHING,
            Preference::Nearest => self.foresight.steps(graph, child),
        }
    }

    /// Whether a quantifier goes on, where `open` references are open.
    fn more(
        &mut self,
        graph: &Graph,
        random: &mut RandomChooser<'_>,
        node: NodeId,
        open: usize,
    ) -> bool {
        if self.is_closing {
            return false;
        }
        let Some(&subject) = graph.grammar().children(node).first() else {
            return false;
        };
        // Where nothing has happened since, the next repetition would hardly get farther than the last one.
        let seeks = self.preference == Preference::Nearest
            && self.went_on[node] != self.news
            && self.foresight.steps(graph, subject) != NOTHING
            && random.fits(subject, None);
        if seeks {
            self.went_on[node] = self.news;
            random.take(subject, None);
            return true;
        }
        open < self.max_open && random.more(node)
    }

    /// Counts an expansion; what is never drawn, unless nothing else fits, is not sought.
    fn cover(&mut self, choice: NodeId, index: u32, is_sought: bool) {
        if self.expansions.insert(choice, index) && is_sought {
            self.news += 1;
            self.foresight.cover(choice);
        }
    }
}

/// A derivation in the making.
#[derive(Debug, Default)]
struct Derivation {
    frames: Vec<Frame>,
    choices: Vec<Choice>,
    /// The frames that are not expanded yet.
    open: Vec<u32>,
    rest: Vec<Rest>,
}

/// The right side that a reference (or the root) derives.
#[derive(Clone, Copy, Debug)]
struct Frame {
    production: ProductionId,
    /// The references above it.
    depth: u32,
    /// Its choices, in the order in which a walk asks for them; those of its references are not among them.
    first_choice: u32,
    /// The frames of its references, in written order.
    first_child: u32,
}

/// A decision.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Alternative(u32),
    More(bool),
    Member(MemberChoice),
}

/// What is left to expand of a right side.
#[derive(Clone, Copy, Debug)]
enum Rest {
    Node(NodeId),
    /// A quantifier that was repeated so often.
    Repeat(NodeId, u32),
}

impl Derivation {
    fn begin(&mut self, start: ProductionId) {
        self.frames.clear();
        self.choices.clear();
        self.open.clear();
        self.add(start, 0);
    }

    fn add(&mut self, production: ProductionId, depth: u32) {
        self.open.push(self.frames.len() as u32);
        self.frames.push(Frame {
            production,
            depth,
            first_choice: 0,
            first_child: 0,
        });
    }

    /// Makes all choices of a right side, and opens its references.
    fn expand(
        &mut self,
        frame: u32,
        codec: &Codec,
        seeker: &mut Seeker,
        random: &mut RandomChooser<'_>,
    ) {
        let graph: &Graph = codec.graph();
        let grammar = graph.grammar();
        let (first_choice, first_child) = (self.choices.len() as u32, self.frames.len() as u32);
        let frame = &mut self.frames[frame as usize];
        (frame.first_choice, frame.first_child) = (first_choice, first_child);
        let (root, depth) = (grammar[frame.production].root, frame.depth);
        random.move_to(depth);
        if grammar[root].kind != NodeKind::Alternation {
            seeker.cover(root, 0, true);
        }
        self.rest.push(Rest::Node(root));
        while let Some(rest) = self.rest.pop() {
            let (node, count) = match rest {
                Rest::Node(node) => (node, 0),
                Rest::Repeat(node, count) => (node, count),
            };
            let children = grammar.children(node);
            match grammar[node].kind {
                NodeKind::Literal(_) => {}
                NodeKind::Reference(target) => self.add(target, depth + 1),
                NodeKind::Class(class) => {
                    let member = random.member(node, codec.class(class));
                    self.choices.push(Choice::Member(member));
                }
                NodeKind::Alternation => {
                    let index = seeker.alternative(graph, random, node);
                    self.choices.push(Choice::Alternative(index));
                    let child = children.get(index as usize);
                    self.rest.extend(child.map(|&child| Rest::Node(child)));
                }
                NodeKind::Concatenation => {
                    let children = children.iter().rev();
                    self.rest.extend(children.map(|&child| Rest::Node(child)));
                }
                NodeKind::Quantifier { min, max } => {
                    let more = if count < min {
                        true
                    } else if max.is_some_and(|max| count >= max) {
                        false
                    } else {
                        let more = seeker.more(graph, random, node, self.open.len());
                        self.choices.push(Choice::More(more));
                        more
                    };
                    if let (true, Some(&subject)) = (more, children.first()) {
                        self.rest.push(Rest::Repeat(node, count.saturating_add(1)));
                        self.rest.push(Rest::Node(subject));
                    }
                }
            }
        }
    }
}

/// Reads the choices of a derivation in written order.
#[derive(Debug)]
struct Replay<'a> {
    derivation: &'a Derivation,
    /// The next choice and the next reference of each right side that has begun.
    above: Vec<(u32, u32)>,
}

impl Replay<'_> {
    fn next(&mut self) -> Option<Choice> {
        let (choice, _) = self.above.last_mut()?;
        let next = self.derivation.choices.get(*choice as usize);
        *choice += 1;
        next.copied()
    }
}

// The walk asks for what was recorded; whatever else it asked for would get the first of its kind.
impl Chooser for Replay<'_> {
    fn alternative(&mut self, _node: NodeId, _count: u32) -> u32 {
        match self.next() {
            Some(Choice::Alternative(index)) => index,
            _ => 0,
        }
    }

    fn more(&mut self, _node: NodeId) -> bool {
        matches!(self.next(), Some(Choice::More(true)))
    }

    fn member(&mut self, _node: NodeId, _class: &ClassCode) -> MemberChoice {
        match self.next() {
            Some(Choice::Member(member)) => member,
            _ => MemberChoice::default(),
        }
    }

    fn enter(&mut self, _symbol: Option<SymbolId>) {
        let frame = match self.above.last_mut() {
            Some((_, child)) => {
                *child += 1;
                *child - 1
            }
            None => 0,
        };
        let frame = self.derivation.frames.get(frame as usize);
        let frame = frame.map_or((0, 0), |frame| (frame.first_choice, frame.first_child));
        self.above.push(frame);
    }

    fn leave(&mut self) {
        self.above.pop();
    }
}
