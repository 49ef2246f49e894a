//! Reducing: the smallest input for which a test still holds.
//!
//! A test is anything that says yes or no of a text, mostly "the program still fails in the same place". Of all texts the smaller one
//! has fewer bytes, or as many and plainer ones: digits and letters rather than others, 0 rather than 7.
//!
//! ```
//! use pleach_core::reduce::{Reducer, reduce};
//! use pleach_core::{Grammar, Graph};
//!
//! let grammar: Grammar = "value := '[' (value (',' value)*)? ']' | digit+; digit := [0-9];".parse()?;
//! let graph = Graph::new(grammar)?;
//! let mut reducer = Reducer::of_text(&graph, b"[1,[22,[]],345,[[7]],60]");
//! let nested = |text: &[u8]| text.windows(2).any(|it| it == b"[[");
//! let reduced = reduce(&mut reducer, 1000, |candidate| nested(candidate.text()));
//! assert_eq!(reduced.text(), b"[[]]");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How
//!
//! A sentence is reduced by its derivation, in single steps ([`sentence`](self) steps: shortest derivations, hoisted descendants, other
//! alternatives with old parts, items left out, plainer characters), those first that take away half of it, as in delta debugging
//! (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002; on trees: Misherghi and Su, *HDD*, 2006;
//! by the grammar: Sun and others, *Perses*, 2018). Then runs of bytes are left out wherever the rest is a sentence. What is not a sentence is
//! reduced by its lines, words, brackets and bytes.
//!
//! The end is a fixed point: no single step leads to a smaller input for which the test holds. The candidates depend on the grammar, the
//! input and the answers only. No text is tried twice.
//!
//! A [`Reducer`] does not run the test. It [offers](Reducer::next) candidates, as many at once as are wanted, and
//! [is told](Reducer::tell) the answers: so tests can be run side by side, in processes that run several inputs, or tomorrow.
//!
//! # Cost
//!
//! Tests, in the hundreds for inputs of some kilobytes. Between two of them O(sites · depth) where one has passed, else O(text).

mod derive;
mod level;
mod offer;
mod sentence;
mod simple;
mod text;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use crate::choice::{Lexemes, Scratch};
use crate::graph::Graph;
use crate::parse::{Budget, Parser, Workspace};
use crate::slip;

use derive::Knowledge;
use level::Scale;
pub use offer::Candidate;
use offer::{Offer, Place, Shape, Stage, digest};
use sentence::{Sentence, Step, Wanted};
use simple::is_simpler;
use text::Edit;

/// What parsing one candidate may cost.
const BUDGET: Budget = Budget {
    steps: 50_000_000,
    bytes: 1 << 30,
};

/// What becomes smaller.
#[derive(Debug)]
enum Form {
    /// A derivation, and with it a sentence.
    Sentence(Sentence),
    /// A text; whether all that is tried must be sentences.
    Text { text: Vec<u8>, must_parse: bool },
}

/// The steps of a stage that are still to be tried.
#[derive(Debug, Default)]
enum Steps {
    #[default]
    None,
    Of(VecDeque<Step>),
    Edits(VecDeque<Edit>),
}

/// Reduces one input: offers candidates and takes in the answers.
pub struct Reducer {
    knowledge: Knowledge,
    parser: Parser,
    workspace: Workspace,
    scratch: Scratch,
    lexemes: Lexemes,
    starts: VecDeque<(Candidate, Shape)>,
    form: Option<Form>,
    best: Option<Candidate>,
    /// The digests of all texts that were offered.
    known: BTreeSet<u128>,
    /// Those of texts that are not sentences.
    refused: BTreeSet<u128>,
    stage: Stage,
    steps: Steps,
    has_steps: bool,
    /// Only steps up to here, since a step behind it has passed.
    up_to: usize,
    /// The length of the text when this round began.
    base: usize,
    /// Whether a step has passed since then.
    has_changed: bool,
    offers: Vec<Offer>,
    candidates: Vec<Candidate>,
    beyond: bool,
    tests: u64,
}

impl fmt::Debug for Reducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reducer")
            .field("best", &self.best)
            .field("stage", &self.stage)
            .field("tests", &self.tests)
            .finish_non_exhaustive()
    }
}

impl Reducer {
    /// Reduces a text. If it is a sentence, so is the result.
    pub fn of_text(graph: &Arc<Graph>, text: &[u8]) -> Reducer {
        let mut reducer = Reducer::new(graph);
        let parsed = reducer.parsed(text);
        let is_sentence = parsed.is_some();
        if let Some((choices, own)) = parsed {
            // In a grammar with tokens, the separators of the shortest spelling may do.
            reducer.start(own, Some(choices), Shape::Sentence);
        }
        if reducer.starts.front().is_none_or(|it| it.0.text != text) {
            let shape = match is_sentence {
                true => Shape::Parsed,
                false => Shape::Bare,
            };
            reducer.start(text.to_vec(), None, shape);
        }
        reducer
    }

    /// Reduces what choices stand for. If it has slips, it is reduced without them if the test holds for the sentence alone.
    pub fn of_choices(graph: &Arc<Graph>, input: &[u8]) -> Reducer {
        let mut reducer = Reducer::new(graph);
        let (choices, script) = slip::split(input);
        let choices = reducer.knowledge.codec.canonicalize(choices);
        let text = reducer.knowledge.codec.sentence(&choices);
        reducer.start(text, Some(choices), Shape::Sentence);
        if !script.is_empty() {
            let text = slip::text(&reducer.knowledge.codec, input);
            reducer.start(text, Some(input.to_vec()), Shape::Bare);
        }
        reducer
    }

    fn new(graph: &Arc<Graph>) -> Reducer {
        Reducer {
            knowledge: Knowledge::new(graph),
            parser: Parser::new(graph),
            workspace: Workspace::new(),
            scratch: Scratch::default(),
            lexemes: Lexemes::default(),
            starts: VecDeque::new(),
            form: None,
            best: None,
            known: BTreeSet::new(),
            refused: BTreeSet::new(),
            stage: Stage::Shorter(0),
            steps: Steps::None,
            has_steps: false,
            up_to: usize::MAX,
            base: 0,
            has_changed: false,
            offers: Vec::new(),
            candidates: Vec::new(),
            beyond: false,
            tests: 0,
        }
    }

    /// The same, but what cannot be reduced further as a sentence goes on as a text, and may be none in the end.
    #[must_use]
    pub fn beyond_grammar(mut self) -> Reducer {
        self.beyond = true;
        self
    }

    fn start(&mut self, text: Vec<u8>, choices: Option<Vec<u8>>, shape: Shape) {
        self.starts.push_back((Candidate { text, choices }, shape));
    }

    /// The smallest input so far for which the test holds; nothing if it holds not even for the beginning.
    pub fn best(&self) -> Option<&Candidate> {
        self.best.as_ref()
    }

    /// Whether the best input is a sentence by its derivation.
    pub fn is_sentence(&self) -> bool {
        matches!(
            self.form,
            Some(
                Form::Sentence(_)
                    | Form::Text {
                        must_parse: true,
                        ..
                    }
            )
        )
    }

    /// How many answers there were.
    pub fn tests(&self) -> u64 {
        self.tests
    }

    /// How many candidates were left out because they are not sentences.
    pub fn refused_by_grammar(&self) -> u64 {
        self.refused.len() as u64
    }

    /// What is to be tried next: up to `most` candidates, each on the supposition that the test holds for none before it. None are left
    /// at the end. Without an answer in between, the same ones.
    pub fn next(&mut self, most: usize) -> &[Candidate] {
        while self.offers.len() < most
            && let Some(offer) = self.advance()
        {
            self.candidates.push(offer.candidate.clone());
            self.offers.push(offer);
        }
        &self.candidates[..most.min(self.candidates.len())]
    }

    /// The answers for the first candidates that were offered last, in their order. What is behind the first one that holds counts for
    /// nothing, and what was not answered is offered again.
    pub fn tell(&mut self, holds: &[bool]) {
        let passed = holds.iter().position(|&it| it);
        let told = passed
            .map_or(holds.len(), |at| at + 1)
            .min(self.offers.len());
        self.tests += told as u64;
        let mut answered: Vec<Offer> = self.offers.drain(..told).collect();
        self.candidates.drain(..told);
        let Some(offer) = answered.pop() else {
            return;
        };
        for offer in &answered {
            self.known.insert(digest(&offer.candidate.text));
        }
        if passed.is_none() || !self.adopt(offer) {
            return;
        }
        // What was offered behind it supposed that it would fail.
        for offer in self.offers.drain(..) {
            self.known.remove(&digest(&offer.candidate.text));
        }
        self.candidates.clear();
    }

    /// Goes on with a candidate for which the test holds. False if it cannot be, because its tokens do not read as they should.
    fn adopt(&mut self, offer: Offer) -> bool {
        let Offer {
            mut candidate,
            place,
            shape,
        } = offer;
        let has_tokens = self.knowledge.graph.lexicon().is_some();
        let form = match (shape, &candidate.choices) {
            (Shape::Sentence, Some(choices)) => {
                if has_tokens && self.parsed(&candidate.text).is_none() {
                    return false;
                }
                let Reducer {
                    knowledge,
                    scratch,
                    lexemes,
                    ..
                } = self;
                let sentence = Sentence::read(knowledge, choices, scratch, lexemes);
                candidate.choices = Some(sentence.index.canonical().to_vec());
                Form::Sentence(sentence)
            }
            _ => Form::Text {
                text: candidate.text.clone(),
                must_parse: shape == Shape::Parsed,
            },
        };
        let len = candidate.text.len();
        match &self.best {
            None => {
                self.starts.clear();
                self.restart(len);
            }
            Some(old) => {
                self.stage = place.stage;
                self.up_to = place.end.saturating_sub(old.text.len().saturating_sub(len));
                self.has_changed = true;
                self.has_steps = false;
            }
        }
        self.form = Some(form);
        self.best = Some(candidate);
        true
    }

    fn restart(&mut self, len: usize) {
        self.base = len;
        self.has_changed = false;
        self.stage = Stage::Shorter(0);
        self.has_steps = false;
        self.up_to = usize::MAX;
    }

    /// The next candidate, if all before it fail.
    fn advance(&mut self) -> Option<Offer> {
        if self.form.is_none() {
            let (candidate, shape) = self.starts.pop_front()?;
            return Some(Offer {
                candidate,
                place: Place {
                    stage: Stage::Shorter(0),
                    end: 0,
                },
                shape,
            });
        }
        loop {
            if !self.has_steps {
                self.find_steps();
            }
            while let Some(offer) = self.step() {
                if let Some(offer) = offer {
                    return Some(offer);
                }
            }
            self.has_steps = false;
            self.up_to = usize::MAX;
            if self.stage == Stage::Over {
                return None;
            }
            self.next_stage();
        }
    }

    /// Goes on to the next stage, or back to the first one.
    fn next_stage(&mut self) {
        let len = self.best.as_ref().map_or(0, |it| it.text.len());
        let last = Scale::new(self.base, len).last();
        let next = match self.stage {
            Stage::Shorter(level) if level < last => {
                self.stage = Stage::Shorter(level + 1);
                return;
            }
            Stage::Shorter(_) => Stage::Runs,
            Stage::Runs => Stage::Plainer,
            Stage::Plainer | Stage::Over => Stage::Over,
        };
        if self.has_changed {
            self.restart(len);
            return;
        }
        self.stage = next;
        if self.stage == Stage::Over {
            self.change_form();
        }
    }

    /// What has come to its end in one form may go on in another.
    fn change_form(&mut self) {
        let Some(best) = self.best.clone() else {
            return;
        };
        let len = best.text.len();
        match &self.form {
            Some(Form::Text {
                must_parse: false, ..
            }) if !self.beyond => {
                // It may be a sentence now.
                if let Some((choices, text)) = self.parsed(&best.text)
                    && text == best.text
                {
                    let Reducer {
                        knowledge,
                        scratch,
                        lexemes,
                        ..
                    } = self;
                    let sentence = Sentence::read(knowledge, &choices, scratch, lexemes);
                    self.form = Some(Form::Sentence(sentence));
                    self.best = Some(Candidate {
                        choices: Some(choices),
                        ..best
                    });
                    self.restart(len);
                }
            }
            Some(
                Form::Sentence(_)
                | Form::Text {
                    must_parse: true, ..
                },
            ) if self.beyond => {
                self.form = Some(Form::Text {
                    text: best.text,
                    must_parse: false,
                });
                self.restart(len);
            }
            _ => {}
        }
    }

    /// Lists the steps of the present stage.
    fn find_steps(&mut self) {
        let len = self.best.as_ref().map_or(0, |it| it.text.len());
        let scale = Scale::new(self.base, len);
        let Some(form) = &self.form else {
            return;
        };
        self.steps = match (form, self.stage) {
            (_, Stage::Over) => Steps::None,
            (Form::Sentence(sentence), Stage::Shorter(level)) => {
                let wanted = Wanted::Shorter(scale, level);
                Steps::Of(sentence.steps(&mut self.knowledge, wanted).into())
            }
            (Form::Sentence(sentence), Stage::Plainer) => {
                Steps::Of(sentence.steps(&mut self.knowledge, Wanted::Plainer).into())
            }
            (Form::Sentence(Sentence { text, .. }), Stage::Runs) => {
                Steps::Edits(text::runs(text).into())
            }
            (Form::Text { text, .. }, Stage::Shorter(level)) => {
                Steps::Edits(text::shorter(text, scale, level).into())
            }
            (Form::Text { text, must_parse }, Stage::Runs) => match must_parse {
                true => Steps::Edits(text::runs(text).into()),
                false => Steps::None,
            },
            (Form::Text { text, .. }, Stage::Plainer) => Steps::Edits(text::plainer(text).into()),
        };
        self.has_steps = true;
    }

    /// Tries to make the next step: nothing if there is none, nothing in it if it does not lead to a new and smaller candidate.
    fn step(&mut self) -> Option<Option<Offer>> {
        let stage = self.stage;
        match &mut self.steps {
            Steps::None => None,
            Steps::Of(steps) => {
                let step = steps.pop_front()?;
                let end = step.end as usize;
                if end > self.up_to {
                    return Some(None);
                }
                let Some(Form::Sentence(sentence)) = &self.form else {
                    return None;
                };
                let choices = sentence.after(&mut self.knowledge, &step, &mut self.scratch);
                let place = Place { stage, end };
                Some(choices.and_then(|choices| self.offer_sentence(choices, place)))
            }
            Steps::Edits(edits) => {
                let edit = edits.pop_front()?;
                if edit.end > self.up_to {
                    return Some(None);
                }
                let text = edit.apply(&self.best.as_ref()?.text);
                let end = edit.end;
                Some(self.offer_text(text, Place { stage, end }))
            }
        }
    }

    /// Offers what choices derive, if it is smaller and was not tried.
    fn offer_sentence(&mut self, choices: Vec<u8>, place: Place) -> Option<Offer> {
        let mut text = Vec::new();
        let codec = &self.knowledge.codec;
        codec.decode(&choices, &mut self.scratch, &mut text);
        let is_new = self.is_simpler(&text) && self.known.insert(digest(&text));
        is_new.then_some(Offer {
            candidate: Candidate {
                text,
                choices: Some(choices),
            },
            place,
            shape: Shape::Sentence,
        })
    }

    /// Offers a text, if it is smaller and was not tried, and if it is a sentence where it has to be.
    fn offer_text(&mut self, text: Vec<u8>, place: Place) -> Option<Offer> {
        if !self.is_simpler(&text) {
            return None;
        }
        let digest = digest(&text);
        if self.known.contains(&digest) {
            return None;
        }
        let shape = match self.form {
            Some(Form::Sentence(_)) => Shape::Sentence,
            Some(Form::Text {
                must_parse: true, ..
            }) => Shape::Parsed,
            _ => Shape::Bare,
        };
        let choices = match shape {
            Shape::Bare => None,
            _ if self.refused.contains(&digest) => return None,
            _ => match self.parsed(&text) {
                Some((choices, _)) => Some(choices),
                None => {
                    self.refused.insert(digest);
                    return None;
                }
            },
        };
        if let (Shape::Sentence, Some(choices)) = (shape, choices.clone()) {
            return self.offer_sentence(choices, place);
        }
        self.known.insert(digest);
        Some(Offer {
            candidate: Candidate { text, choices },
            place,
            shape,
        })
    }

    fn is_simpler(&self, text: &[u8]) -> bool {
        let best = self.best.as_ref();
        best.is_none_or(|best| is_simpler(text, &best.text))
    }

    /// The choices of a text, and the text that they stand for, if it is a sentence.
    fn parsed(&mut self, text: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut choices = Vec::new();
        let forest = self.parser.parse(text, BUDGET, &mut self.workspace);
        let mut forest = forest.ok()?;
        forest.choices(&mut choices).ok()?;
        let own = self.knowledge.codec.sentence(&choices);
        Some((choices, own))
    }
}

/// Reduces with one test at a time, and at most so many. Returns the smallest input for which the test holds: if it does not hold for the
/// beginning, that.
pub fn reduce(
    reducer: &mut Reducer,
    most_tests: u64,
    mut holds: impl FnMut(&Candidate) -> bool,
) -> Candidate {
    let mut first = None;
    while reducer.tests() < most_tests
        && let [candidate, ..] = reducer.next(1)
    {
        first.get_or_insert_with(|| candidate.clone());
        let answer = holds(candidate);
        reducer.tell(&[answer]);
    }
    let best = reducer.best().cloned();
    best.or(first).unwrap_or(Candidate {
        text: Vec::new(),
        choices: None,
    })
}
