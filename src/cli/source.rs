//! The grammar that comes into the program: a file of any notation, a grammar of the library, or standard input, with what is said
//! about it.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pleach_core::caret::Position;
use pleach_core::grammar::ast::Ast;
use pleach_core::grammar::{self, Warning};
use pleach_core::id::MAX_IDS;
use pleach_core::{Grammar, Graph};
use pleach_import::{Files, Imported, Notation, Remark, without_unread};

use super::args::NotationArgs;
use super::diagnostic::{Diagnostic, Place, Severity};
use super::failure::{Failure, note, show, warn};
use super::input::read_up_to;
use super::suggest::nearest;

/// The warnings that verbs other than `check` print.
const SHOWN_WARNINGS: usize = 3;

/// The files that are looked at for one whose name is like another.
const MAX_BESIDE: usize = 10_000;

/// A grammar that was read.
pub(super) struct Source {
    pub(super) graph: Arc<Graph>,
    /// Its text, and that of files that it asks for; empty if it was compiled.
    pub(super) files: Files,
    /// `None` if it was compiled: then there is no syntax, either.
    pub(super) notation: Option<Notation>,
    /// What another notation has and the grammar does not.
    pub(super) imported: Imported,
    /// The tokens whose uses are left out since other tokens win all their texts.
    unread: Vec<Box<str>>,
    /// How messages name the file.
    pub(super) name: String,
    /// The offsets of line breaks in all files, once somebody asks for a place.
    breaks: OnceCell<Vec<usize>>,
    /// Where nonterminals are defined, once somebody asks.
    definitions: OnceCell<BTreeMap<Box<str>, Range<usize>>>,
}

impl Source {
    /// Reads the grammar and mentions its warnings on standard error.
    pub(super) fn load(path: &Path, options: &NotationArgs) -> Result<Source, Failure> {
        let source = Source::load_quietly(path, options)?;
        let remarks = &source.imported.remarks;
        for remark in remarks.iter().take(SHOWN_WARNINGS) {
            show(&source.remark(remark));
        }
        if let Some(more @ 1..) = remarks.len().checked_sub(SHOWN_WARNINGS) {
            note(format_args!(
                "{more} more; `pleach convert {}` lists them",
                path.display()
            ));
        }
        let warnings = source.graph.grammar().warnings();
        for warning in warnings.iter().take(SHOWN_WARNINGS) {
            show(&source.warning(warning));
        }
        if let Some(more @ 1..) = warnings.len().checked_sub(SHOWN_WARNINGS) {
            note(format_args!(
                "{more} more; `pleach check {}` lists them",
                path.display()
            ));
        }
        source.mention_unread();
        source.mention_roots(options);
        Ok(source)
    }

    /// Says which tokens are never read.
    pub(super) fn mention_unread(&self) {
        if !self.unread.is_empty() {
            let (name, tokens) = (&self.name, list(&self.unread));
            warn(format_args!(
                "{name}: other tokens win all texts of these, so what needs them is left out: {tokens}"
            ));
        }
    }

    /// Says where else the grammar may start, if its notation marks no start and nobody has chosen one.
    pub(super) fn mention_roots(&self, options: &NotationArgs) {
        if self.notation.is_none_or(Notation::has_start) || options.start.is_some() {
            return;
        }
        let grammar = self.graph.grammar();
        let start = &grammar[grammar.start()].name;
        let mut roots = self.imported.ast.roots();
        roots.retain(|root| root != start);
        if roots.is_empty() {
            return;
        }
        warn(format_args!(
            "{}: it starts at `{start}`, but may as well start at what nothing refers to: {}",
            self.name,
            list(&roots)
        ));
        note("help: choose one by --start NAME");
    }

    /// Reads the grammar: `-` is standard input, a file is read, and the name of a grammar of the library stands for that one if
    /// there is no such file.
    pub(super) fn load_quietly(path: &Path, options: &NotationArgs) -> Result<Source, Failure> {
        if path == Path::new("-") {
            let name = "<stdin>".to_owned();
            let text = read_up_to(io::stdin(), MAX_IDS as u64);
            let text = text.map_err(|error| Failure::file("read", Path::new(&name), &error))?;
            return Source::of(path, name, text, options);
        }
        let of_library = path.to_str().and_then(pleach_grammars::grammar);
        let name = path.display().to_string();
        let text = File::open(path).and_then(|file| read_up_to(file, MAX_IDS as u64));
        let error = match text {
            Ok(text) => {
                if of_library.is_some() {
                    note(format_args!(
                        "note: {name} is read from the file of that name, not from the library"
                    ));
                }
                return Source::of(path, name, text, options);
            }
            Err(error) => error,
        };
        match (error.kind(), of_library) {
            (ErrorKind::NotFound | ErrorKind::IsADirectory, Some(text)) => {
                if error.kind() == ErrorKind::IsADirectory {
                    note(format_args!(
                        "note: {name} is the grammar of the library; the directory of that name is not read"
                    ));
                }
                Source::of_library(path, name, text, options)
            }
            (ErrorKind::NotFound, None) => Err(no_such_grammar(path)),
            (ErrorKind::IsADirectory, None) => Err(Failure::new(
                format_args!("{name}: this is a directory, not a grammar"),
                "name a grammar file in it",
            )),
            _ => Err(Failure::file("read", path, &error)),
        }
    }

    /// Takes a grammar of the library, whatever file names are around.
    fn of_library(
        path: &Path,
        name: String,
        text: &str,
        options: &NotationArgs,
    ) -> Result<Source, Failure> {
        if let Some(from) = options.from.filter(|&it| it != Notation::Pleach) {
            return Err(Failure::new(
                format_args!(
                    "{name}: grammars of the library are in the notation of pleach, not of {}",
                    from.name()
                ),
                "leave out --from, or name a file",
            ));
        }
        let options = NotationArgs {
            from: Some(Notation::Pleach),
            ..options.clone()
        };
        Source::of(path, name, text.into(), &options)
    }

    /// Reads the text of a grammar that is, or could be, in the file `path`.
    pub(super) fn of(
        path: &Path,
        name: String,
        text: Vec<u8>,
        options: &NotationArgs,
    ) -> Result<Source, Failure> {
        let mut forced = options.from;
        let mut text = text;
        if Grammar::is_compiled(&text) {
            let grammar = Grammar::from_bytes(&text).map_err(|error| Failure::of(&name, error))?;
            if !options.with.is_empty() {
                return Err(Failure::new(
                    format_args!("{name}: the grammar is compiled, and lacks no rules"),
                    "leave out --with, or name the grammar that it was compiled from",
                ));
            }
            if options.start.is_none() {
                let imported = Imported {
                    ast: Ast::new(),
                    remarks: Vec::new(),
                };
                let files = Files::new(String::new());
                return Source::new(grammar, files, None, imported, name, options);
            }
            // What another start leaves is found out as it is of a text.
            text = grammar.to_string().into_bytes();
            forced = Some(Notation::Pleach);
        }
        let text = match String::from_utf8(text) {
            Ok(text) => text,
            // The error is that of pleach's own notation, which points at the byte.
            Err(error) => match Grammar::parse(error.as_bytes()) {
                Err(refused) => {
                    let place = Place {
                        path: &name,
                        span: refused.span(),
                        position: Position::of(error.as_bytes(), refused.span().start),
                    };
                    let diagnostic = Diagnostic::new(Severity::Error, refused.message())
                        .at(error.as_bytes(), &place)
                        .help(refused.help());
                    return Err(Failure::Pointed(Box::new(diagnostic)));
                }
                Ok(_) => String::new(),
            },
        };
        let notation = forced.unwrap_or_else(|| Notation::of(path, &text));
        let mut files = Files::new(text);
        let mut load = |name: &str| companion(path, name);
        let others = options.with.iter().map(|path| read_other(path));
        let others = others.collect::<Result<Vec<_>, _>>()?;
        let imported = pleach_import::read_several(&mut files, notation, &others, &mut load);
        let wrong = |files: &Files, error: &grammar::Error| {
            let other = other_notation(files, notation).map(|it| is_read_as(path, it));
            wrong(files, &name, error, other)
        };
        let mut imported = imported.map_err(|error| wrong(&files, &error))?;
        if let Some(start) = &options.start
            && !imported.ast.set_start(start)
        {
            let names = imported.ast.production_names();
            let meant = match nearest(start, names.iter().map(|it| &**it)) {
                Some(near) => format!("did you mean `{near}`? "),
                None => String::new(),
            };
            return Err(Failure::new(
                format_args!("{name}: there is no nonterminal `{start}` to start at"),
                format_args!("{meant}there are {}", list(&names)),
            ));
        }
        let grammar = Grammar::from_ast(&imported.ast, files.text());
        let grammar = grammar.map_err(|error| wrong(&files, &error))?;
        Source::new(grammar, files, Some(notation), imported, name, options)
    }

    fn new(
        grammar: Grammar,
        files: Files,
        notation: Option<Notation>,
        imported: Imported,
        name: String,
        options: &NotationArgs,
    ) -> Result<Source, Failure> {
        let graph = match options.open_tokens {
            true => Graph::with_open_tokens(grammar),
            false => Graph::new(grammar),
        };
        let graph = graph.map_err(|error| Failure::of(&name, error))?;
        let mut imported = imported;
        let (graph, unread) = match notation {
            Some(notation) => without_unread(graph, &mut imported, &files, notation),
            None => (graph, Vec::new()),
        };
        Ok(Source {
            graph,
            files,
            notation,
            imported,
            unread,
            name,
            breaks: OnceCell::new(),
            definitions: OnceCell::new(),
        })
    }

    /// Where a remark stands: the file, and the place in it.
    pub(super) fn place(&self, remark: &Remark) -> (&str, Position) {
        let pleach_import::Place { file, position } = self.files.place(remark.span.range().start);
        (file.unwrap_or(&self.name), position)
    }

    /// The place of so many bytes from an offset on, in the file that they are in.
    pub(super) fn locate(&self, span: Range<usize>) -> Place<'_> {
        let breaks = self.breaks.get_or_init(|| {
            let bytes = self.files.text().bytes().enumerate();
            bytes
                .filter(|&(_, byte)| byte == b'\n')
                .map(|(at, _)| at)
                .collect()
        });
        // A column is counted from the start of its line, not from that of the text: there may be many places.
        let above = breaks.partition_point(|&at| at < span.start);
        let start = above.checked_sub(1).map_or(0, |at| breaks[at] + 1);
        let line = self
            .files
            .text()
            .as_bytes()
            .get(start..)
            .unwrap_or_default();
        let Position { column, .. } = Position::of(line, span.start - start);
        let (file, line) = self
            .files
            .line(u32::try_from(above).unwrap_or(u32::MAX).saturating_add(1));
        Place {
            path: file.unwrap_or(&self.name),
            span,
            position: Position { line, column },
        }
    }

    /// Where the text defines a nonterminal; `None` if the grammar was compiled.
    pub(super) fn definition(&self, nonterminal: &str) -> Option<Place<'_>> {
        let definitions = self.definitions.get_or_init(|| {
            let ast = &self.imported.ast;
            let spans = ast.productions().iter().map(|it| it.name_span.range());
            ast.production_names().into_iter().zip(spans).collect()
        });
        let span = definitions.get(nonterminal)?;
        Some(self.locate(span.clone()))
    }

    /// A message, and the place in the text that it is about.
    pub(super) fn diagnostic(
        &self,
        severity: Severity,
        message: impl Into<String>,
        place: Option<&Place<'_>>,
    ) -> Diagnostic {
        let message = message.into();
        match place {
            Some(place) => {
                Diagnostic::new(severity, message).at(self.files.text().as_bytes(), place)
            }
            None => Diagnostic::new(severity, format!("{}: {message}", self.name)),
        }
    }

    /// What is said about a remark.
    pub(super) fn remark(&self, remark: &Remark) -> Diagnostic {
        let Remark { what, effect, span } = remark;
        let place = self.locate(span.range());
        let message = format!("left out: {what}; {effect}");
        self.diagnostic(Severity::Warning, message, Some(&place))
    }

    /// What is said about a warning.
    pub(super) fn warning(&self, warning: &Warning) -> Diagnostic {
        let place = self.definition(&warning.production);
        self.diagnostic(Severity::Warning, warning.to_string(), place.as_ref())
            .help(warning.help())
    }
}

/// The failure of a grammar that is neither a file nor in the library, with what may have been meant.
fn no_such_grammar(path: &Path) -> Failure {
    let name = path.display();
    let message = format!("{name}: there is no such file");
    if let Some(near) = beside(path) {
        return Failure::new(message, format_args!("did you mean {}?", near.display()));
    }
    let word = path.file_name().and_then(OsStr::to_str).unwrap_or("");
    // Of `json.ebnf` and `grammars/json.g4`, too.
    let stem = word.split('.').next().unwrap_or(word);
    if let Some(near) = nearest(stem, pleach_grammars::names()) {
        return Failure::new(
            message,
            format_args!("did you mean `{near}`, a grammar of the library?"),
        );
    }
    match path.components().count() == 1 && !word.contains('.') {
        true => Failure::new(
            format_args!("{message}, and the library has no such grammar"),
            format_args!("check the name; the library has {}", library()),
        ),
        false => Failure::new(
            message,
            "check the path of the grammar; `-` reads it from standard input",
        ),
    }
}

/// The file in the same directory whose name is nearest: one with the extension of grammars if that is all that is missing.
fn beside(path: &Path) -> Option<PathBuf> {
    const EXTENSIONS: [&str; 9] = [
        "ebnf", "abnf", "w3c", "bnf", "tribble", "pest", "g4", "json", "pleach",
    ];
    let word = path.file_name()?.to_str()?;
    let complete = EXTENSIONS.map(|extension| path.with_file_name(format!("{word}.{extension}")));
    if let Some(found) = complete.into_iter().find(|path| path.is_file()) {
        return Some(found);
    }
    let folder = match path.parent()? {
        folder if folder.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let entries = fs::read_dir(folder).ok()?.flatten();
    let files = entries.filter(|entry| entry.path().is_file());
    let names = files.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.take(MAX_BESIDE).collect();
    names.sort_unstable();
    let near = nearest(word, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near))
}

/// An error in one of the files of a grammar of which the first one has a name.
fn wrong(files: &Files, name: &str, error: &grammar::Error, note: Option<String>) -> Failure {
    let place = |span: Range<usize>| {
        let pleach_import::Place { file, position } = files.place(span.start);
        Place {
            path: file.unwrap_or(name),
            span,
            position,
        }
    };
    let text = files.text().as_bytes();
    let mut diagnostic =
        Diagnostic::new(Severity::Error, error.message()).at(text, &place(error.span()));
    if let Some(related) = error.related() {
        diagnostic = diagnostic.and_at(text, &place(related.span()), related.label());
    }
    Failure::Pointed(Box::new(diagnostic.note(note).help(error.help())))
}

/// Another notation in which a grammar that has an error has none.
fn other_notation(files: &Files, notation: Notation) -> Option<Notation> {
    /// Reading in all notations takes a moment.
    const LONGEST: usize = 1 << 18;
    const ORDER: [Notation; 6] = [
        Notation::Pleach,
        Notation::Antlr,
        Notation::Pest,
        Notation::W3c,
        Notation::Abnf,
        Notation::Tribble,
    ];
    let text = files.text();
    if files.companions().len() > 0 || text.len() > LONGEST {
        return None;
    }
    let json = match text.trim_start().starts_with(['{', '[']) {
        true => Some(Notation::of(Path::new("grammar.json"), text)),
        false => None,
    };
    let mut others = ORDER.into_iter().chain(json).filter(|&it| it != notation);
    others.find(|&other| {
        let read = pleach_import::read(text, other);
        read.is_ok_and(|read| Grammar::from_ast(&read.ast, text).is_ok())
    })
}

/// How to have a file read in another notation.
fn is_read_as(path: &Path, notation: Notation) -> String {
    let extension = match notation {
        Notation::Pleach => "ebnf",
        Notation::Abnf => "abnf",
        Notation::W3c => "w3c",
        Notation::Tribble => "tribble",
        Notation::Pest => "pest",
        Notation::Antlr => "g4",
        _ => "json",
    };
    let renamed = path.with_extension(extension);
    let how = if path == Path::new("-") {
        format!("say --from {notation}")
    } else if renamed == path {
        "leave --from out".to_owned()
    } else {
        let renamed = renamed.display();
        format!("say --from {notation}, or name the file {renamed}")
    };
    format!("in the notation `{notation}` it has no error: if that is meant, {how}")
}

/// The name and the text of a file with more rules.
fn read_other(path: &Path) -> Result<(String, String), Failure> {
    let name = path.display().to_string();
    let text = File::open(path).and_then(|file| read_up_to(file, MAX_IDS as u64));
    let text = text.map_err(|error| Failure::file("read", path, &error))?;
    let text = String::from_utf8(text).map_err(|_| {
        Failure::new(
            format_args!("{name}: the text is not UTF-8"),
            "grammars are written in UTF-8",
        )
    })?;
    Ok((name, text))
}

/// The grammar of a name that another one asks for: its file is beside that one.
fn companion(of: &Path, name: &str) -> Option<(String, String)> {
    // Standard input has nothing beside it, and a name is not a path to elsewhere.
    if of == Path::new("-") || Path::new(name).file_name() != Some(OsStr::new(name)) {
        return None;
    }
    let path = of.with_file_name(name).with_extension(of.extension()?);
    let file = File::open(&path).ok()?;
    let text = read_up_to(file, MAX_IDS as u64).ok()?;
    Some((path.display().to_string(), String::from_utf8(text).ok()?))
}

/// The first few of many names.
pub(super) fn list(names: &[Box<str>]) -> String {
    const SHOWN: usize = 12;
    let mut list = names[..names.len().min(SHOWN)].join(", ");
    if let Some(more @ 1..) = names.len().checked_sub(SHOWN) {
        let _ = write!(list, " and {more} more");
    }
    list
}

/// The names of the grammars that come with the program, for a sentence.
pub(super) fn library() -> String {
    pleach_grammars::names().collect::<Vec<_>>().join(", ")
}
