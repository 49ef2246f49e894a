//! Measuring the coverage of choice sequences and of texts.
//!
//! Each thread has a [`Gauge`] and takes the next block of files when it has done one; coverage is a union, so the result does not
//! depend on who measured what. Choice sequences take memory by the grammar and the deepest of them only; a text is parsed,
//! and covers what any of its derivations covers.

use std::path::Path;
use std::sync::Arc;

use pleach_core::choice::{ClassCode, MemberChoice, ROOT, Scratch, Sink};
use pleach_core::grammar::NodeKind;
use pleach_core::id::{NodeId, ProductionId, SymbolId};
use pleach_core::kpath::{ExpansionCoverage, NO_WINDOW, WindowStack, WindowTable};
use pleach_core::parse::{Forest, Refusal, Workspace};
use pleach_core::slip::{self, Slips};
use pleach_core::{Codec, Coverage, Graph, Parser};

use super::failure::Failure;
use super::input::{InputFile, read_input};
use super::parallel::{MANY, ONE, in_parallel};
use super::progress::Progress;
use super::text::{LeftOut, TextArgs, Texts};

/// Collects what is covered while derivations are walked.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    pub(super) coverage: Coverage,
    pub(super) expansions: ExpansionCoverage,
    /// The windows that were met since somebody emptied it, if anybody wants to know.
    trace: Option<Vec<u32>>,
    graph: Arc<Graph>,
    windows: Arc<WindowTable>,
    states: WindowStack,
}

impl Meter {
    /// Nothing covered yet.
    pub(super) fn new(windows: &Arc<WindowTable>) -> Result<Meter, pleach_core::kpath::Error> {
        let graph = windows.kpaths().graph().clone();
        Ok(Meter {
            coverage: Coverage::new(windows.kpaths())?,
            expansions: ExpansionCoverage::new(&graph),
            trace: None,
            graph,
            windows: windows.clone(),
            states: WindowStack::default(),
        })
    }

    /// Adds what a choice sequence covers.
    pub(super) fn measure(&mut self, codec: &Codec, choices: &[u8], scratch: &mut Scratch) {
        self.states.begin(&self.windows, std::iter::empty());
        codec.walk(choices, scratch, self);
    }

    /// Adds what all derivations of a text cover; in open tokens (`insides`), what the canonical derivation does.
    pub(super) fn measure_text(
        &mut self,
        forest: &mut Forest<'_>,
        insides: Option<&Codec>,
    ) -> Result<(), Refusal> {
        let mut met = Vec::new();
        if self.trace.is_some() {
            forest.windows(&self.windows, &mut met)?;
        }
        let Some(codec) = insides else {
            forest.cover(&self.windows, &mut self.coverage, &mut self.expansions)?;
            self.trace.iter_mut().for_each(|trace| trace.extend(&met));
            return Ok(());
        };
        let mut choices = Vec::new();
        forest.choices(&mut choices)?;
        forest.cover(&self.windows, &mut self.coverage, &mut self.expansions)?;
        self.trace.iter_mut().for_each(|trace| trace.extend(&met));
        self.measure(codec, &choices, &mut Scratch::default());
        Ok(())
    }

    /// Adds what another meter of the same grammar and k found.
    pub(super) fn union(&mut self, other: &Meter) {
        self.coverage.union(&other.coverage);
        self.expansions.union(&other.expansions);
    }

    fn note(&mut self, symbol: Option<SymbolId>) {
        if let Some(symbol) = symbol {
            let window = self.states.rank(&self.windows, symbol);
            self.coverage.insert(window);
            if let Some(trace) = &mut self.trace
                && window != NO_WINDOW
            {
                trace.push(window);
            }
        }
    }

    /// A right side without an alternation at its root is a single alternative.
    fn expand(&mut self, production: ProductionId) {
        let grammar = self.graph.grammar();
        let root = grammar[production].root;
        if grammar[root].kind != NodeKind::Alternation {
            self.expansions.insert(root, 0);
        }
    }
}

impl Sink for Meter {
    fn open(&mut self, node: NodeId, symbol: Option<SymbolId>) {
        self.note(symbol);
        if let Some(symbol) = symbol {
            self.states.push(&self.windows, symbol);
            if let Some(target) = self.graph.path_target(symbol) {
                self.expand(target);
            }
        } else if node == ROOT {
            self.expand(self.graph.grammar().start());
        }
    }

    fn close(&mut self, symbolic: bool) {
        // The root was not pushed, and popping leaves what is below it alone.
        if symbolic {
            self.states.pop(&self.windows);
        }
    }

    fn literal(&mut self, _: NodeId, symbol: Option<SymbolId>, _: &[u8]) {
        self.note(symbol);
    }

    fn member(&mut self, _: NodeId, symbol: Option<SymbolId>, _: &ClassCode, _: MemberChoice) {
        self.note(symbol);
    }

    fn alternative(&mut self, node: NodeId, index: u32, _: u32, _: u32) {
        self.expansions.insert(node, index);
    }

    fn more(&mut self, _: NodeId, _: bool) {}
}

/// What derives the insides of tokens, if k-paths go on in them.
pub(super) fn insides(graph: &Arc<Graph>) -> Option<Box<Codec>> {
    let is_open = graph.has_open_tokens() && graph.lexicon().is_some();
    is_open.then(|| Box::new(Codec::new(graph)))
}

/// What the bytes of inputs are.
#[derive(Debug)]
pub(super) enum Form {
    Choices(Box<Codec>),
    /// Texts, and what derives the insides of open tokens.
    Texts(Texts, Option<Box<Codec>>),
}

impl Form {
    /// Texts if `text`, choice sequences otherwise.
    pub(super) fn new(graph: &Arc<Graph>, text: bool, args: TextArgs) -> Form {
        match text {
            true => Form::Texts(Texts::new(Parser::new(graph), args), insides(graph)),
            false => Form::Choices(Box::new(Codec::new(graph))),
        }
    }

    /// The texts, if there can be any.
    pub(super) fn texts(&self) -> Option<&Texts> {
        match self {
            Form::Choices(_) => None,
            Form::Texts(texts, _) => Some(texts),
        }
    }

    /// How many files a thread takes at once.
    pub(super) fn block(&self) -> usize {
        match self {
            Form::Choices(_) => MANY,
            Form::Texts(..) => ONE,
        }
    }
}

/// Measures inputs in one thread.
#[derive(Debug)]
pub(super) struct Gauge<'a> {
    pub(super) meter: Meter,
    form: &'a Form,
    scratch: Scratch,
    workspace: Workspace,
}

impl<'a> Gauge<'a> {
    pub(super) fn new(form: &'a Form, windows: &Arc<WindowTable>) -> Result<Gauge<'a>, Failure> {
        let meter = Meter::new(windows).map_err(|error| Failure::Wrong(error.to_string()))?;
        Ok(Gauge {
            meter,
            form,
            scratch: Scratch::default(),
            workspace: Workspace::new(),
        })
    }

    /// The same, which also tells [the windows of each input](Gauge::windows).
    pub(super) fn tracing(
        form: &'a Form,
        windows: &Arc<WindowTable>,
    ) -> Result<Gauge<'a>, Failure> {
        let mut gauge = Gauge::new(form, windows)?;
        gauge.meter.trace = Some(Vec::new());
        Ok(gauge)
    }

    /// The windows of the inputs measured since this was asked for, each once and ascending.
    pub(super) fn windows(&mut self, windows: &mut Vec<u32>) {
        windows.clear();
        if let Some(trace) = &mut self.meter.trace {
            trace.sort_unstable();
            trace.dedup();
            windows.append(trace);
        }
    }

    /// Adds what an input covers that was found in `path`; nothing if it departs from the grammar.
    pub(super) fn measure(&mut self, path: &Path, input: &[u8]) -> Result<(), LeftOut> {
        match self.form {
            Form::Choices(codec) => {
                let (choices, script) = slip::split(input);
                let mut slips = Slips::new();
                slips.read(script);
                if !slips.is_sentence() {
                    // What it covers is not in its text.
                    return Err(LeftOut::known());
                }
                self.meter.measure(codec, choices, &mut self.scratch);
            }
            Form::Texts(texts, insides) => {
                let meter = &mut self.meter;
                texts.read(path, input, &mut self.workspace, |forest| {
                    meter.measure_text(forest, insides.as_deref())
                })?;
            }
        }
        Ok(())
    }
}

/// Measures files, and gives what was left out, in their order.
pub(super) fn measure_files(
    form: &Form,
    windows: &Arc<WindowTable>,
    files: &[InputFile],
) -> Result<(Meter, Vec<LeftOut>), Failure> {
    let progress = Progress::new(files.len() as u64, "files");
    let worker = || Ok((Gauge::new(form, windows)?, Vec::new()));
    let task = |(gauge, bytes): &mut (Gauge<'_>, Vec<u8>), at: usize| {
        let path = &files[at].path;
        read_input(path, bytes)?;
        let measured = gauge.measure(path, bytes);
        progress.add(1);
        Ok(measured.err())
    };
    let (left_out, workers) = in_parallel(files.len(), form.block(), worker, task)?;
    let mut meter = Gauge::new(form, windows)?.meter;
    for (gauge, _) in &workers {
        meter.union(&gauge.meter);
    }
    Ok((meter, left_out.into_iter().flatten().collect()))
}
