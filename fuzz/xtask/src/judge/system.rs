//! A grammar as pleach reads it: its sentences, and what it says of texts.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use pleach_core::choice::{Lexemes, ROOT, Scratch, SiteIndex};
use pleach_core::generate::{DRAWN_AGAIN, Growth, Limits, RandomChooser};
use pleach_core::parse::{Budget, Refusal, Workspace};
use pleach_core::rng::Rng;
use pleach_core::weights::Weights;
use pleach_core::{Codec, Grammar, Graph, Parser};
use pleach_import::{Files, Notation, without_unread};

use super::Finding;

/// What parsing one text may take.
const BUDGET: Budget = Budget {
    steps: 20_000_000,
    bytes: 256 << 20,
};
/// The bounds of a sentence, unless the grammar needs more.
const LIMITS: Limits = Limits {
    max_depth: 20,
    max_len: 400,
    max_nodes: 1000,
};

/// A grammar that was read.
pub(super) struct System {
    graph: Arc<Graph>,
    parser: Parser,
}

/// Reads a grammar, and notes what is left out of it.
pub(super) fn load(path: &Path, start: Option<&str>, finding: &mut Finding) -> Result<System> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let notation = Notation::of(path, &text);
    let mut files = Files::new(text);
    let imported =
        pleach_import::read_with(&mut files, notation, &mut |name| companion(path, name));
    let wrong = |error: pleach_core::grammar::Error| anyhow!("{}", files.locate(error));
    let mut imported = imported.map_err(wrong)?;
    if let Some(start) = start
        && !imported.ast.set_start(start)
    {
        bail!("there is no nonterminal `{start}` to start at");
    }
    let grammar = Grammar::from_ast(&imported.ast, files.text()).map_err(wrong)?;
    let graph = Graph::new(grammar).map_err(|error| anyhow!("{error}"))?;
    let (graph, _) = without_unread(graph, &mut imported, &files, notation);
    let left_out = imported.remarks.iter();
    let left_out = left_out.map(|it| format!("{}; {}", kind(&it.what), it.effect));
    finding.left_out = left_out.collect();
    finding.left_out.sort();
    finding.left_out.dedup();
    let parser = Parser::new(&graph);
    Ok(System { graph, parser })
}

/// The grammar of a name that another one asks for: its file is beside that one.
pub(super) fn companion(of: &Path, name: &str) -> Option<(String, String)> {
    // A name is not a path to elsewhere.
    if Path::new(name).file_name() != Some(OsStr::new(name)) {
        return None;
    }
    let path = of.with_file_name(name).with_extension(of.extension()?);
    let text = fs::read_to_string(&path).ok()?;
    Some((path.display().to_string(), text))
}

impl System {
    /// Random sentences, each as `pleach generate` makes it.
    pub(super) fn sentences(&self, n: u64, random_seed: u64) -> Vec<Vec<u8>> {
        let graph = &self.graph;
        let needed = Limits::needed_by(graph);
        let limits = LIMITS.at_least(needed);
        let codec = Codec::new(graph);
        let weights = Weights::stated(graph.grammar());
        let (mut scratch, mut index) = (Scratch::default(), SiteIndex::new());
        let mut lexemes = Lexemes::default();
        let mut rng = Rng::new(random_seed);
        let mut sentences = Vec::new();
        for _ in 0..n {
            for misread in 0..DRAWN_AGAIN {
                let limits = limits.tightened(misread).at_least(needed);
                let growth = Growth::draw(&mut rng);
                let mut chooser = RandomChooser::new(graph, &weights, limits, growth, &mut rng);
                chooser.begin(ROOT, 0);
                codec.derive(ROOT, &mut chooser, &mut scratch, &mut index);
                codec.text(&index, &mut lexemes);
                if !lexemes.is_misread() {
                    break;
                }
            }
            sentences.push(codec.text(&index, &mut lexemes).to_vec());
        }
        sentences
    }

    /// Why and where a text does not parse; nothing if it does.
    pub(super) fn refusal(&self, text: &[u8]) -> Option<String> {
        /// The bytes that are shown on either side.
        const SHOWN: usize = 40;
        let refusal = self
            .parser
            .parse(text, BUDGET, &mut Workspace::new())
            .err()?;
        let offset = refusal.offset().min(text.len());
        let before = String::from_utf8_lossy(&text[offset.saturating_sub(SHOWN)..offset]);
        let behind = &text[offset..text.len().min(offset + SHOWN)];
        let behind = String::from_utf8_lossy(behind);
        let why = match refusal {
            Refusal::NoSentence { .. } => "does not parse",
            _ => "takes too much",
        };
        Some(format!("{why} at {offset}: {before:?} {behind:?}"))
    }
}

/// A message without the names in it, so that equal ones are counted together.
fn kind(message: &str) -> String {
    let parts = message.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 1 { "…" } else { part });
    parts.collect::<Vec<_>>().join("`")
}
