//! Measuring the coverage of choice sequences, in memory that depends on the grammar and the deepest of them only.
//!
//! Each thread has a [`Meter`] and takes the next block of files when it has done one; coverage is a union, so the
//! result does not depend on who measured what.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pleach::choice::{ClassCode, MemberChoice, ROOT, Scratch, Sink};
use pleach::grammar::NodeKind;
use pleach::id::{NodeId, ProductionId, SymbolId};
use pleach::kpath::{ExpansionCoverage, WindowStack, WindowTable};
use pleach::{Codec, Coverage, Graph};

use super::failure::Failure;

/// The files that a thread takes at once.
const BLOCK: usize = 64;
/// More threads than this only wait for the disk.
const MAX_THREADS: usize = 8;

/// Collects what is covered while derivations are walked.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    pub(super) coverage: Coverage,
    pub(super) expansions: ExpansionCoverage,
    graph: Arc<Graph>,
    windows: Arc<WindowTable>,
    states: WindowStack,
}

impl Meter {
    /// Nothing covered yet.
    pub(super) fn new(windows: &Arc<WindowTable>) -> Result<Meter, pleach::kpath::Error> {
        let graph = windows.kpaths().graph().clone();
        Ok(Meter {
            coverage: Coverage::new(windows.kpaths())?,
            expansions: ExpansionCoverage::new(&graph),
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

    /// Adds what another meter of the same grammar and k found.
    pub(super) fn union(&mut self, other: &Meter) {
        self.coverage.union(&other.coverage);
        self.expansions.union(&other.expansions);
    }

    fn note(&mut self, symbol: Option<SymbolId>) {
        if let Some(symbol) = symbol {
            let window = self.states.rank(&self.windows, symbol);
            self.coverage.insert(window);
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
            if let Some(target) = self.graph.target_of(symbol) {
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

/// Does `task` for each number below `count` on several threads, each with a worker of its own, and gives the results in
/// order together with the workers. Of several failures, that of the lowest number is given.
pub(super) fn in_parallel<W: Send, T: Send>(
    count: usize,
    worker: impl Fn() -> Result<W, Failure> + Sync,
    task: impl Fn(&mut W, usize) -> Result<T, Failure> + Sync,
) -> Result<(Vec<T>, Vec<W>), Failure> {
    let available = thread::available_parallelism().map_or(1, usize::from);
    let threads = available.min(MAX_THREADS).min(count.div_ceil(BLOCK)).max(1);
    let next = AtomicUsize::new(0);
    let run = || {
        let mut worker = worker()?;
        let mut done: Vec<(usize, Result<T, Failure>)> = Vec::new();
        loop {
            let start = next.fetch_add(BLOCK, Ordering::Relaxed);
            if start >= count {
                return Ok((worker, done));
            }
            for at in start..count.min(start + BLOCK) {
                let result = task(&mut worker, at);
                let failed = result.is_err();
                done.push((at, result));
                if failed {
                    // Blocks begun earlier go on, so the lowest failure is met by somebody.
                    next.fetch_max(count, Ordering::Relaxed);
                    return Ok((worker, done));
                }
            }
        }
    };
    let finished: Vec<Result<_, Failure>> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        handles
            .into_iter()
            .map(|handle| match handle.join() {
                Ok(finished) => finished,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    let mut results = Vec::with_capacity(count);
    let mut workers = Vec::with_capacity(threads);
    for finished in finished {
        let (worker, done) = finished?;
        workers.push(worker);
        results.extend(done);
    }
    results.sort_by_key(|&(at, _)| at);
    let results: Result<Vec<T>, Failure> = results.into_iter().map(|(_, result)| result).collect();
    Ok((results?, workers))
}
