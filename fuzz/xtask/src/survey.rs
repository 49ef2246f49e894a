//! `cargo xtask survey`: how a collection of grammars fares.
//!
//! Each system of grammars in a directory is read, sentences of it are made and parsed, and so are the examples beside it. All of that is
//! bounded by counters, so a survey ends, and its figures are the same on every machine.

mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use indicatif::ProgressBar;
use pleach_core::choice::{Lexemes, ROOT, Scratch, SiteIndex};
use pleach_core::generate::{DRAWN_AGAIN, Growth, Limits, RandomChooser};
use pleach_core::parse::{Budget, Refusal, Workspace};
use pleach_core::rng::Rng;
use pleach_core::weights::Weights;
use pleach_core::{Codec, Grammar, Graph, Parser};
use pleach_import::{Files, Notation, without_unread};
use serde::Serialize;

use super::files::{File, files_below};
use super::print;
use report::Report;

/// The files that are grammars, by their extensions.
const EXTENSIONS: [&str; 6] = ["ebnf", "abnf", "w3c", "bnf", "tribble", "g4"];
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
/// Examples that are larger are left out.
const MAX_EXAMPLE_BYTES: u64 = 64 << 10;

/// Say how the grammars of a directory fare: what of them is read, and whether what they generate parses
///
/// Grammars are told by their extensions: .ebnf, .abnf, .w3c, .bnf, .tribble, .g4. A grammar and the files that it asks for are one
/// system. Files in a directory `examples` beside a grammar are parsed, but for those that end with .errors or .tree.
///
/// Example: cargo xtask survey grammars-v4 -n 20 -o details
#[derive(Args)]
pub(crate) struct Survey {
    /// The directory
    dir: PathBuf,
    /// How many sentences of each grammar are made and parsed
    #[arg(short, long = "count", value_name = "N", default_value_t = 100)]
    n: u64,
    /// The most examples of each grammar that are parsed
    #[arg(long, value_name = "N", default_value_t = 20)]
    examples: usize,
    /// Write a file for each system to this directory, a new or an empty one: what was left out, and what does not parse
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// The notation of all grammars [default: what the extension of each says]
    #[arg(long, value_name = "NOTATION")]
    from: Option<Notation>,
    /// Start each grammar at this nonterminal instead of its first
    #[arg(long, value_name = "NAME")]
    start: Option<String>,
    /// Let k-paths continue inside tokens, which are one symbol otherwise
    #[arg(long)]
    open_tokens: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Fix all randomness; the same number gives the same sentences
    #[arg(long, value_name = "N", default_value_t = 0)]
    random_seed: u64,
}

/// What became of a system.
#[derive(Serialize, Default)]
struct System {
    name: String,
    notation: &'static str,
    productions: usize,
    /// Why it was not read.
    failed: Option<String>,
    /// Kinds of what was left out.
    left_out: BTreeSet<String>,
    sentences: u64,
    /// Those that parse, and those that parse to the choices that they were made of.
    parsed: u64,
    same: u64,
    /// Sentences that nothing could keep from reading as other tokens.
    drawn_again: u64,
    examples: u64,
    examples_parsed: u64,
    /// Texts of which parsing takes too much.
    costly: u64,
    #[serde(skip)]
    path: PathBuf,
    /// Lines about it.
    #[serde(skip)]
    details: String,
    /// The files that it asked for.
    #[serde(skip)]
    companions: Vec<PathBuf>,
}

impl Survey {
    pub(crate) fn run(self) -> Result<()> {
        if let Some(folder) = &self.output {
            let is_there = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
            ensure!(!is_there, "{}: it is not empty", folder.display());
        }
        let systems = self.systems()?;
        if let Some(folder) = &self.output {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            for system in &systems {
                let path = folder.join(system.name.replace(['/', '\\'], "__") + ".txt");
                fs::write(&path, &system.details).with_context(|| path.display().to_string())?;
            }
        }
        let report = Report::new(self.n, systems);
        match self.json {
            true => print(format_args!("{}\n", serde_json::to_string(&report)?)),
            false => print(format_args!("{report}")),
        }
        Ok(())
    }

    /// What became of each system, sorted by name.
    fn systems(&self) -> Result<Vec<System>> {
        let mut files = files_below(&self.dir)?;
        files.retain(|file| {
            let extension = file.path.extension().and_then(OsStr::to_str);
            extension.is_some_and(|it| EXTENSIONS.contains(&it.to_ascii_lowercase().as_str()))
        });
        ensure!(
            !files.is_empty(),
            "{}: there are no grammars, files that end with .{}",
            self.dir.display(),
            EXTENSIONS.join(", .")
        );
        // What another one asks for may be a system only if that one is not there.
        let (parts, wholes): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| {
            read(&file.path).is_ok_and(|text| {
                let notation = self.from.unwrap_or_else(|| Notation::of(&file.path, &text));
                pleach_import::is_part(&text, notation)
            })
        });
        let progress = ProgressBar::new((parts.len() + wholes.len()) as u64);
        let mut systems = self.look_at(&wholes, &progress);
        let mut used: BTreeSet<PathBuf> = BTreeSet::new();
        used.extend(systems.iter().flat_map(|it| it.companions.iter().cloned()));
        let parts: Vec<_> = parts
            .into_iter()
            .filter(|it| !used.contains(&it.path))
            .collect();
        systems.retain(|system| !used.contains(&system.path));
        systems.extend(self.look_at(&parts, &progress));
        systems.sort_by(|a, b| a.name.cmp(&b.name));
        progress.finish_and_clear();
        Ok(systems)
    }

    /// Looks at all files, on all cores.
    fn look_at(&self, files: &[File], progress: &ProgressBar) -> Vec<System> {
        let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let system = catch_unwind(AssertUnwindSafe(|| self.system(file)));
                let system = system.unwrap_or_else(|_| System {
                    failed: Some("a panic, which is an error of pleach".to_owned()),
                    ..System::of(file)
                });
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.push(system);
                progress.inc(1);
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn system(&self, file: &File) -> System {
        let mut system = System::of(file);
        match load(self, &file.path, &mut system) {
            Err((reason, details)) => {
                let _ = writeln!(system.details, "{details}");
                system.failed = Some(kind(&reason));
            }
            Ok(graph) => {
                let parser = Parser::new(&graph);
                let mut workspace = Workspace::new();
                self.sentences(&graph, &parser, &mut workspace, &mut system);
                self.examples(&file.path, &parser, &mut workspace, &mut system);
            }
        }
        system
    }

    fn sentences(
        &self,
        graph: &Arc<Graph>,
        parser: &Parser,
        workspace: &mut Workspace,
        system: &mut System,
    ) {
        let grammar = graph.grammar();
        let needed = Limits::needed_by(graph);
        let limits = LIMITS.at_least(needed);
        let codec = Codec::new(graph);
        let weights = Weights::stated(grammar);
        let (mut scratch, mut index) = (Scratch::default(), SiteIndex::new());
        let mut lexemes = Lexemes::default();
        let mut rng = Rng::new(self.random_seed);
        let mut choices = Vec::new();
        for _ in 0..self.n {
            // As `pleach generate` does it.
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
                system.drawn_again += 1;
            }
            let text = codec.text(&index, &mut lexemes);
            system.sentences += 1;
            choices.clear();
            let parsed = parser.parse(text, BUDGET, workspace);
            match parsed.and_then(|mut forest| forest.choices(&mut choices)) {
                Ok(()) => {
                    system.parsed += 1;
                    if choices == index.canonical() {
                        system.same += 1;
                    } else {
                        let text = String::from_utf8_lossy(text);
                        let _ = writeln!(system.details, "other choices: {text:?}");
                    }
                }
                Err(refusal) => {
                    system.refused("a sentence", text, refusal);
                    if let Some(lexicon) = graph.lexicon()
                        && let Some(misread) = lexemes.misread(lexicon)
                    {
                        let name = |token: u32| lexicon.tokens()[token as usize].name(grammar);
                        let read = match misread.read {
                            Some(it) => format!("{} up to {}", name(it.token), it.end),
                            None => "nothing".to_owned(),
                        };
                        let (token, offset) = (name(misread.token), misread.offset);
                        let _ = writeln!(
                            system.details,
                            "the token {token} at {offset} is read as {read}"
                        );
                    }
                }
            }
        }
    }

    fn examples(
        &self,
        grammar: &Path,
        parser: &Parser,
        workspace: &mut Workspace,
        system: &mut System,
    ) {
        let folder = grammar.with_file_name("examples");
        if !folder.is_dir() {
            return;
        }
        let Ok(mut files) = files_below(&folder) else {
            return;
        };
        files.retain(|file| {
            let extension = file.path.extension().and_then(OsStr::to_str);
            let size = fs::metadata(&file.path).map_or(u64::MAX, |it| it.len());
            !matches!(extension, Some("errors" | "tree")) && size <= MAX_EXAMPLE_BYTES
        });
        files.truncate(self.examples);
        for file in files {
            let Ok(text) = fs::read(&file.path) else {
                continue;
            };
            system.examples += 1;
            let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
            match parser.parse(text, BUDGET, workspace).map(drop) {
                Ok(()) => system.examples_parsed += 1,
                Err(refusal) => {
                    let name = format!("the example {}", file.name);
                    system.refused(&name, text, refusal);
                }
            }
        }
    }
}

impl System {
    /// Nothing, so far, of the system of a file.
    fn of(file: &File) -> System {
        System {
            name: file.name.clone(),
            path: file.path.clone(),
            ..System::default()
        }
    }

    /// Notes a text that does not parse, with where that ends.
    fn refused(&mut self, what: &str, text: &[u8], refusal: Refusal) {
        /// The bytes that are shown on either side.
        const SHOWN: usize = 40;
        let offset = refusal.offset().min(text.len());
        let before = String::from_utf8_lossy(&text[offset.saturating_sub(SHOWN)..offset]);
        let behind = &text[offset..text.len().min(offset + SHOWN)];
        let behind = String::from_utf8_lossy(behind);
        let why = match refusal {
            Refusal::NoSentence { .. } => "does not parse",
            _ => {
                self.costly += 1;
                "takes too much"
            }
        };
        let _ = writeln!(
            self.details,
            "{what} {why} at {offset}: {before:?} {behind:?}"
        );
    }
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|_| "the file cannot be read".to_owned())?;
    String::from_utf8(bytes).map_err(|_| "the text is not UTF-8".to_owned())
}

/// The grammar of a name that another one asks for: its file is beside that one.
fn companion(of: &Path, name: &str) -> Option<(String, String)> {
    // A name is no path to elsewhere.
    if Path::new(name).file_name() != Some(OsStr::new(name)) {
        return None;
    }
    let path = of.with_file_name(name).with_extension(of.extension()?);
    Some((path.display().to_string(), read(&path).ok()?))
}

/// Reads a system; on failure, the reason in one sentence and all that is to be said.
fn load(
    options: &Survey,
    path: &Path,
    system: &mut System,
) -> Result<Arc<Graph>, (String, String)> {
    let text = read(path).map_err(|reason| (reason.clone(), reason))?;
    let notation = options.from.unwrap_or_else(|| Notation::of(path, &text));
    system.notation = notation.name();
    let mut files = Files::new(text);
    let imported =
        pleach_import::read_with(&mut files, notation, &mut |name| companion(path, name));
    system.companions = files.companions().map(PathBuf::from).collect();
    let wrong = |error: pleach_core::grammar::Error| {
        let error = files.locate(error);
        (error.message().to_owned(), error.to_string())
    };
    let mut imported = imported.map_err(wrong)?;
    for remark in &imported.remarks {
        let what = kind(&remark.what);
        system.left_out.insert(format!("{what}; {}", remark.effect));
        let place = files.place(remark.span.range().start);
        let _ = writeln!(
            system.details,
            "{}:{}: left out: {}; {}",
            place.file.unwrap_or(&system.name),
            place.position.line,
            remark.what,
            remark.effect
        );
    }
    if let Some(start) = &options.start
        && !imported.ast.set_start(start)
    {
        let reason = format!("there is no nonterminal `{start}` to start at");
        return Err((reason.clone(), reason));
    }
    let grammar = Grammar::from_ast(&imported.ast, files.text()).map_err(wrong)?;
    system.productions = grammar.productions().len();
    let graph = match options.open_tokens {
        true => Graph::with_open_tokens(grammar),
        false => Graph::new(grammar),
    };
    let graph = graph.map_err(|error| {
        let text = error.to_string();
        (text.lines().next().unwrap_or("").to_owned(), text)
    })?;
    let (graph, unread) = without_unread(graph, &mut imported, &files, notation);
    for name in unread {
        let _ = writeln!(
            system.details,
            "{}: the token {name} is never read",
            system.name
        );
    }
    Ok(graph)
}

/// A message without the names in it, so that equal ones are counted together.
fn kind(message: &str) -> String {
    let parts = message.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 1 { "…" } else { part });
    parts.collect::<Vec<_>>().join("`")
}
