//! `cargo xtask corpus`: the directories of `corpus/`, a covering set of texts for each grammar of the library.
//!
//! A set has few texts, and each is as short as that allows: the limit of length is the least power of two with which fewer than
//! [`MOST_TEXTS`] texts have all 2-paths; all 1-paths, if no limit gives so few. A text is named by what it shows: the productions in it that the fewest other texts have.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use pleach_core::choice::{Lexemes, ROOT, SiteIndex};
use pleach_core::generate::{CoverBuilder, Packing};
use pleach_core::{Codec, Grammar, Graph};

use super::print;

/// The k of the paths that are covered, the best first.
const KS: [usize; 2] = [2, 1];
/// Fewer than so many texts.
const MOST_TEXTS: usize = 50;
/// The limits of length that are tried.
const LIMITS: std::ops::Range<u32> = 6..20;
/// The productions in a name.
const NAMED: usize = 3;

/// Make the covering sets of corpus/ anew
#[derive(Args)]
pub(crate) struct Corpus {
    /// The grammars to make them for [default: all of the library]
    grammars: Vec<String>,
    /// The directory of the sets
    #[arg(short, long, default_value = "corpus")]
    output: PathBuf,
}

/// A text of a set.
struct Text {
    bytes: Vec<u8>,
    /// The names of the productions that it uses.
    productions: Vec<String>,
}

impl Corpus {
    pub(crate) fn run(self) -> Result<()> {
        let names: Vec<String> = match self.grammars.is_empty() {
            true => pleach_grammars::names().map(str::to_owned).collect(),
            false => self.grammars.clone(),
        };
        for name in names {
            let text = pleach_grammars::grammar(&name)
                .with_context(|| format!("the library has no grammar `{name}`"))?;
            let grammar: Grammar = text.parse()?;
            let (k, limit, texts) = smallest(&name, grammar)?;
            write(&self.output.join(&name), &texts)?;
            let bytes: usize = texts.iter().map(|text| text.bytes.len()).sum();
            print(format_args!(
                "{name}: {} texts of up to {limit} bytes, {bytes} together, with all {k}-paths\n",
                texts.len()
            ));
        }
        Ok(())
    }
}

/// The set with the least limit of length that has few texts, with its k and that limit.
fn smallest(name: &str, grammar: Grammar) -> Result<(usize, u32, Vec<Text>)> {
    let graph = Graph::new(grammar)?;
    for k in KS {
        for limit in LIMITS.map(|exponent| 1 << exponent) {
            if let Some(texts) = cover(&graph, k, limit)? {
                return Ok((k, limit, texts));
            }
        }
    }
    bail!("{name}: no covering set has fewer than {MOST_TEXTS} texts")
}

/// A covering set within a limit of length; nothing if there is none, or if it has too many texts.
fn cover(graph: &Arc<Graph>, k: usize, limit: u32) -> Result<Option<Vec<Text>>> {
    let mut cover = CoverBuilder::new()
        .packing(Packing::Few)
        .texts(true)
        .max_len(Some(limit))
        .build(graph, k)?;
    let codec = Codec::new(graph);
    let (mut index, mut lexemes) = (SiteIndex::new(), Lexemes::default());
    let mut texts = Vec::new();
    while cover.next_input(&mut index) {
        texts.push(Text {
            bytes: codec.text(&index, &mut lexemes).to_vec(),
            productions: productions(graph, &index),
        });
        if texts.len() >= MOST_TEXTS {
            return Ok(None);
        }
    }
    let is_complete = cover.coverage().covered() == cover.coverage().total();
    Ok(is_complete.then_some(texts))
}

/// The productions that a derivation uses, sorted, each once.
fn productions(graph: &Graph, index: &SiteIndex) -> Vec<String> {
    let grammar = graph.grammar();
    let sites = index.sites().iter().filter(|site| site.node != ROOT);
    let used = sites.map(|site| grammar[site.node].production);
    let mut names: Vec<String> = used.map(|id| grammar[id].name.to_string()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Replaces a directory by texts.
fn write(folder: &Path, texts: &[Text]) -> Result<()> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for name in texts.iter().flat_map(|text| &text.productions) {
        *uses.entry(name).or_default() += 1;
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for (number, text) in (1..).zip(texts) {
        let mut shown: Vec<&str> = text.productions.iter().map(String::as_str).collect();
        shown.sort_by_key(|name| uses[name]);
        let mut file = format!("{number:02}");
        for name in shown.iter().take(NAMED) {
            let _ = write!(file, "-{name}");
        }
        let path = folder.join(file);
        fs::write(&path, &text.bytes).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
