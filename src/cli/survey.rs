//! `pleach survey`: how a collection of grammars fares.
//!
//! Each system of grammars in a directory is read, sentences of it are made and parsed, and so are the examples beside it. All of that is
//! bounded by counters, so a survey ends, and its figures are the same on every machine.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use pleach_core::choice::{Lexemes, ROOT, Scratch, SiteIndex};
use pleach_core::generate::{Growth, Limits, RandomChooser};
use pleach_core::parse::{Budget, Refusal, Workspace};
use pleach_core::rng::Rng;
use pleach_core::weights::Weights;
use pleach_core::{Codec, Grammar, Graph, Parser};
use pleach_import::{Files, Notation};
use serde::Serialize;

use super::args::{ForceArgs, JsonArgs, RandomArgs, notation};
use super::failure::{Answer, Failure};
use super::generate::{DRAWN_AGAIN, at_least, needed, tightened};
use super::input::{InputFile, collect, companion, read_input};
use super::output::{Output, write_file};
use super::parallel::{ONE, in_parallel};
use super::progress::Progress;
use super::report::{count, table};
use super::unread::without_unread;

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
/// Example: pleach survey grammars-v4 -n 20 -o details
#[derive(Args, Debug)]
pub(super) struct Survey {
    /// The directory
    dir: PathBuf,
    /// How many sentences of each grammar are made and parsed
    #[arg(short, long = "count", value_name = "N", default_value_t = 100)]
    n: u64,
    /// The most examples of each grammar that are parsed
    #[arg(long, value_name = "N", default_value_t = 20)]
    examples: usize,
    /// Write a file for each system to this directory: what was left out, and what does not parse
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// The notation of all grammars [default: what the extension of each says]
    #[arg(long, value_name = "NOTATION", value_parser = notation())]
    from: Option<Notation>,
    /// Start each grammar at this nonterminal instead of its first
    #[arg(long, value_name = "NAME")]
    start: Option<String>,
    /// Let k-paths continue inside tokens, which are one symbol otherwise
    #[arg(long)]
    open_tokens: bool,
    #[command(flatten)]
    format: JsonArgs,
    #[command(flatten)]
    random: RandomArgs,
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
    /// Lines about it.
    #[serde(skip)]
    details: String,
    /// The files that it asked for.
    #[serde(skip)]
    companions: Vec<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    systems: usize,
    imported: usize,
    whole: usize,
    left_out: Vec<Kind>,
    failed: Vec<Kind>,
    generated: usize,
    all_parsed: usize,
    all_same: usize,
    sentences: u64,
    parsed: u64,
    same: u64,
    drawn_again: u64,
    examples: u64,
    examples_parsed: u64,
    costly: u64,
    list: Vec<System>,
}

/// A reason, and how many systems it concerns.
#[derive(Serialize)]
struct Kind {
    what: String,
    systems: usize,
}

impl Survey {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let mut files = collect(std::slice::from_ref(&self.dir))?;
        files.retain(|file| {
            let extension = file.path.extension().and_then(|it| it.to_str());
            extension.is_some_and(|it| EXTENSIONS.contains(&it.to_ascii_lowercase().as_str()))
        });
        let mut found = Vec::new();
        for file in files {
            // What another one asks for may be a system only if that one is not there.
            let is_part = read(&file.path).is_ok_and(|text| {
                let notation = self.from.unwrap_or_else(|| Notation::of(&file.path, &text));
                pleach_import::is_part(&text, notation)
            });
            found.push((file, is_part));
        }
        if found.is_empty() {
            return Err(Failure::new(
                format_args!("{}: there are no grammars", self.dir.display()),
                format_args!(
                    "grammars are files that end with .{}",
                    EXTENSIONS.join(", .")
                ),
            ));
        }
        let (parts, wholes): (Vec<_>, Vec<_>) = found.into_iter().partition(|&(_, part)| part);
        let progress = Progress::new((parts.len() + wholes.len()) as u64, "grammars");
        let mut systems = self.look_at(&wholes, &progress)?;
        let mut used: BTreeSet<PathBuf> = BTreeSet::new();
        used.extend(systems.iter().flat_map(|it| it.companions.iter().cloned()));
        let alone = |(file, _): &(InputFile, bool)| !used.contains(&file.path);
        let parts: Vec<_> = parts.into_iter().filter(alone).collect();
        let names: BTreeSet<String> = wholes
            .iter()
            .filter(|it| alone(it))
            .map(|(file, _)| file.name.display().to_string())
            .collect();
        systems.retain(|system| names.contains(&system.name));
        systems.extend(self.look_at(&parts, &progress)?);
        systems.sort_by(|a, b| a.name.cmp(&b.name));
        drop(progress);
        if let Some(folder) = &self.output {
            std::fs::create_dir_all(folder)
                .map_err(|error| Failure::file("make the directory", folder, &error))?;
            for system in &systems {
                let name: String = system.name.replace(['/', '\\'], "__") + ".txt";
                let existing = self.force.existing();
                write_file(&folder.join(name), system.details.as_bytes(), existing)?;
            }
        }
        let report = Report::new(systems);
        match self.format.json {
            true => out.json(&report)?,
            false => report.print(self.n, out)?,
        }
        Ok(Answer::Yes)
    }

    fn look_at(
        &self,
        files: &[(InputFile, bool)],
        progress: &Progress,
    ) -> Result<Vec<System>, Failure> {
        let task = |(): &mut (), at: usize| {
            let file = &files[at].0;
            let outcome = catch_unwind(AssertUnwindSafe(|| self.system(file)));
            progress.add(1);
            Ok(outcome.unwrap_or_else(|_| System {
                name: file.name.display().to_string(),
                failed: Some("a panic, which is an error of pleach".to_owned()),
                ..System::default()
            }))
        };
        let (systems, _) = in_parallel(files.len(), ONE, || Ok(()), task)?;
        Ok(systems)
    }

    fn system(&self, file: &InputFile) -> System {
        let mut system = System {
            name: file.name.display().to_string(),
            ..System::default()
        };
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
        let needed = needed(graph);
        let limits = at_least(LIMITS, needed);
        let codec = Codec::new(graph);
        let weights = Weights::stated(grammar);
        let (mut scratch, mut index) = (Scratch::default(), SiteIndex::new());
        let mut lexemes = Lexemes::default();
        let mut rng = Rng::new(self.random.random_seed);
        let mut choices = Vec::new();
        for _ in 0..self.n {
            // As `generate` does it.
            for misread in 0..DRAWN_AGAIN {
                let limits = at_least(tightened(limits, misread), needed);
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
        let Ok(mut files) = collect(&[folder]) else {
            return;
        };
        files.retain(|file| {
            let extension = file.path.extension().and_then(|it| it.to_str());
            let size = std::fs::metadata(&file.path).map_or(u64::MAX, |it| it.len());
            !matches!(extension, Some("errors" | "tree")) && size <= MAX_EXAMPLE_BYTES
        });
        files.truncate(self.examples);
        let mut text = Vec::new();
        for file in files {
            if read_input(&file.path, &mut text).is_err() {
                continue;
            }
            system.examples += 1;
            let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
            match parser.parse(text, BUDGET, workspace).map(drop) {
                Ok(()) => system.examples_parsed += 1,
                Err(refusal) => {
                    let name = format!("the example {}", file.name.display());
                    system.refused(&name, text, refusal);
                }
            }
        }
    }
}

impl System {
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
    let mut bytes = Vec::new();
    match read_input(path, &mut bytes) {
        Ok(()) => String::from_utf8(bytes).map_err(|_| "the text is not UTF-8".to_owned()),
        Err(_) => Err("the file cannot be read".to_owned()),
    }
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

impl Report {
    fn new(list: Vec<System>) -> Report {
        let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
        let mut failed: BTreeMap<&str, usize> = BTreeMap::new();
        for system in &list {
            for what in &system.left_out {
                *left_out.entry(what).or_default() += 1;
            }
            if let Some(reason) = &system.failed {
                *failed.entry(reason).or_default() += 1;
            }
        }
        let kinds = |counts: BTreeMap<&str, usize>| {
            let mut kinds: Vec<Kind> = counts
                .into_iter()
                .map(|(what, systems)| Kind {
                    what: what.to_owned(),
                    systems,
                })
                .collect();
            kinds.sort_by_key(|it| Reverse(it.systems));
            kinds
        };
        let imported = || list.iter().filter(|it| it.failed.is_none());
        let sum = |of: fn(&System) -> u64| imported().map(of).sum();
        let all = |of: fn(&System) -> u64| {
            let all = imported().filter(|it| it.sentences > 0 && of(it) == it.sentences);
            all.count()
        };
        Report {
            systems: list.len(),
            imported: imported().count(),
            whole: imported().filter(|it| it.left_out.is_empty()).count(),
            left_out: kinds(left_out),
            failed: kinds(failed),
            generated: imported().filter(|it| it.sentences > 0).count(),
            all_parsed: all(|it| it.parsed),
            all_same: all(|it| it.same),
            sentences: sum(|it| it.sentences),
            parsed: sum(|it| it.parsed),
            same: sum(|it| it.same),
            drawn_again: sum(|it| it.drawn_again),
            examples: sum(|it| it.examples),
            examples_parsed: sum(|it| it.examples_parsed),
            costly: sum(|it| it.costly),
            list,
        }
    }

    fn print(&self, n: u64, out: &mut Output) -> Result<(), Failure> {
        let of = |part: u64, whole: u64| format!("{part} / {whole}");
        let systems = |part: usize| of(part as u64, self.systems as u64);
        let sentences = count(n, "sentence");
        table(
            out,
            &[
                vec!["systems".into(), self.systems.to_string()],
                vec!["imported".into(), systems(self.imported)],
                vec!["with nothing left out".into(), systems(self.whole)],
                vec![format!("generate {sentences}"), systems(self.generated)],
                vec!["all of which parse".into(), systems(self.all_parsed)],
                vec!["to the same choices".into(), systems(self.all_same)],
                vec![
                    "sentences that parse".into(),
                    of(self.parsed, self.sentences),
                ],
                vec!["to the same choices".into(), of(self.same, self.sentences)],
                vec!["drawn again".into(), self.drawn_again.to_string()],
                vec![
                    "examples that parse".into(),
                    of(self.examples_parsed, self.examples),
                ],
                vec!["texts that take too much".into(), self.costly.to_string()],
            ],
        )?;
        for (title, kinds) in [("left out", &self.left_out), ("failed", &self.failed)] {
            if kinds.is_empty() {
                continue;
            }
            writeln!(out)?;
            let head = vec![vec!["systems".to_owned(), title.to_owned()]];
            let rows = kinds
                .iter()
                .map(|it| vec![it.systems.to_string(), it.what.clone()]);
            table(out, &head.into_iter().chain(rows).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
