//! `pleach init`: a fuzz target with a grammar, in a project that cargo-fuzz has made.
//!
//! Everything is decided before anything is written: the target, the grammar, and the manifest with its comments and layout kept.
//! What exists stays as it is, but for the manifest, which gets lines.

mod manifest;

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use pleach_import::Notation;
use serde::Serialize;

use super::args::{JsonArgs, NotationArgs};
use super::convert;
use super::failure::{Answer, Failure};
use super::output::{Existing, Output, write_file};
use super::source::Source;
use super::source::library;
use manifest::Manifest;
use pleach_project::Project;

/// Names that Cargo does not let a program have.
const FORBIDDEN: [&str; 4] = ["build", "deps", "examples", "incremental"];
/// The time of the first campaign that is recommended.
const TIME: &str = "60s";

/// Add a fuzz target with a grammar to a project of cargo-fuzz
///
/// Writes the target, and the lines of the fuzz package's Cargo.toml that it needs. The grammar is a file, or one of the library by
/// its name. A file below the project is used where it is; everything else becomes a file in `grammars` of the fuzz
/// package, in the notation of pleach. Nothing that exists is changed otherwise.
///
/// Example: cargo fuzz init && pleach init parse --grammar json && pleach fuzz parse 60s
#[derive(Args, Debug)]
pub(super) struct Init {
    /// The name of the new target
    #[arg(value_name = "NAME")]
    target: String,
    #[arg(long, value_name = "FILE|NAME", help = format!("The grammar: a file, or one of {}", library()))]
    grammar: PathBuf,
    /// Let the corpus hold texts instead of choice sequences (`codec: text`)
    #[arg(long)]
    text: bool,
    /// The directory of the fuzz package [default: the nearest `fuzz`]
    #[arg(long, value_name = "DIR")]
    fuzz_dir: Option<PathBuf>,
    #[command(flatten)]
    format: JsonArgs,
    #[command(flatten)]
    notation: NotationArgs,
}

#[derive(Serialize)]
struct Report {
    target: PathBuf,
    grammar: PathBuf,
    manifest: PathBuf,
    /// What the manifest got, line by line.
    added: Vec<String>,
    next: String,
}

/// The grammar of a target.
struct Grammar {
    /// Where it is, or will be.
    path: PathBuf,
    /// The same from the fuzz package.
    reference: String,
    /// What to write there.
    text: Option<Vec<u8>>,
}

impl Init {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        self.check_name()?;
        let project = Project::find(self.fuzz_dir.as_deref())?;
        let grammar = self.grammar(&self.notation, &project.dir)?;
        let target = project
            .dir
            .join("fuzz_targets")
            .join(self.target.clone() + ".rs");
        if project.has_target(&self.target) {
            return Err(Failure::new(
                format_args!("there is a fuzz target `{}` already", self.target),
                "choose another name",
            ));
        }
        if fs::symlink_metadata(&target).is_ok() {
            return Err(Failure::new(
                format_args!("{}: it exists already", shown(&target)),
                "choose another name for the target",
            ));
        }
        let path = project.dir.join("Cargo.toml");
        let text =
            fs::read_to_string(&path).map_err(|error| Failure::file("read", &path, &error))?;
        let mut manifest =
            Manifest::parse(&text).map_err(|error| Failure::of(shown(&path), error))?;
        let added = manifest.add_target(&self.target).map_err(|error| {
            Failure::new(format_args!("{}: {error}", shown(&path)), error.help())
        })?;

        let code = self.code(&project.edition, &grammar.reference);
        let mut written = Vec::new();
        let outcome = (|| {
            if let Some(text) = &grammar.text {
                make_folder(&grammar.path)?;
                write_file(&grammar.path, text, Existing::Keep)?;
                written.push(&grammar.path);
            }
            make_folder(&target)?;
            write_file(&target, code.as_bytes(), Existing::Keep)?;
            written.push(&target);
            // Where it is a link, the file behind it is replaced.
            let path = path.canonicalize().unwrap_or_else(|_| path.clone());
            write_file(&path, manifest.to_string().as_bytes(), Existing::Replace)
        })();
        if let Err(failure) = outcome {
            for path in written {
                // What cannot be taken back is a file too many.
                let _ = fs::remove_file(path);
            }
            return Err(failure);
        }
        let report = Report {
            next: self.next(),
            target: shown_path(&target),
            grammar: shown_path(&grammar.path),
            manifest: shown_path(&path),
            added,
        };
        match self.format.json {
            true => out.json(&report)?,
            false => self.print(&report, grammar.text.is_some(), out)?,
        }
        Ok(Answer::Yes)
    }

    fn check_name(&self) -> Result<(), Failure> {
        let mut chars = self.target.chars();
        let begins = chars
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        let goes_on = chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if begins && goes_on && !FORBIDDEN.contains(&self.target.as_str()) {
            return Ok(());
        }
        Err(Failure::new(
            format_args!("`{}` cannot be the name of a fuzz target", self.target),
            "take letters, digits, `_` and `-`, as in `parse_json`",
        ))
    }

    /// Reads the grammar, so that what is wrong with it is seen now, and says where it goes.
    fn grammar(&self, notation: &NotationArgs, fuzz_dir: &Path) -> Result<Grammar, Failure> {
        if self.grammar == Path::new("-") {
            return Err(Failure::new(
                "a target needs a grammar that has a name",
                "write it to a file, and name that by --grammar",
            ));
        }
        let read = |error| Failure::file("read", &self.grammar, &error);
        if !self.grammar.is_file() {
            let Some(text) = self.grammar.to_str().and_then(pleach_grammars::grammar) else {
                return Err(Failure::new(
                    format_args!(
                        "--grammar {}: there is no such file",
                        self.grammar.display()
                    ),
                    format_args!("check its path; the library has {}", library()),
                ));
            };
            let path = self.grammar.with_extension("ebnf");
            let name = path.display().to_string();
            let source = Source::of(&path, name, text.into(), notation)?;
            return self.copy(&source, text.into(), notation, fuzz_dir);
        }
        let source = Source::load(&self.grammar, notation)?;
        let absolute = self.grammar.canonicalize().map_err(read)?;
        let project = fuzz_dir.parent().unwrap_or(fuzz_dir);
        let is_inside = project
            .canonicalize()
            .is_ok_and(|it| absolute.starts_with(it));
        if is_inside && is_plain(&source, notation) {
            return Ok(Grammar {
                reference: relative(&absolute, fuzz_dir).ok_or_else(not_utf8)?,
                path: absolute,
                text: None,
            });
        }
        let text = fs::read(&self.grammar).map_err(read)?;
        self.copy(&source, text, notation, fuzz_dir)
    }

    /// The grammar as a file of the fuzz package: its text as it is, if a target can read that.
    fn copy(
        &self,
        source: &Source,
        text: Vec<u8>,
        notation: &NotationArgs,
        fuzz_dir: &Path,
    ) -> Result<Grammar, Failure> {
        let is_plain = is_plain(source, notation);
        let extension = match (is_plain, source.notation) {
            (true, None) => "pleach",
            _ => "ebnf",
        };
        let stem = self.grammar.file_stem().and_then(OsStr::to_str);
        let file = format!("{}.{extension}", stem.ok_or_else(not_utf8)?);
        let text = match is_plain {
            true => text,
            false => convert::text(source, source.graph.grammar()).into_bytes(),
        };
        keep(fuzz_dir, &file, text)
    }

    /// The target's Rust.
    fn code(&self, edition: &str, grammar: &str) -> String {
        let externs = match edition {
            "2015" => "extern crate libfuzzer_sys;\nextern crate pleach;\n\n",
            _ => "",
        };
        let (codec, kind) = match self.text {
            true => (
                "    codec: text,\n",
                "a sentence of the grammar, or nearly one",
            ),
            false => ("", "a sentence of the grammar"),
        };
        format!(
            "#![no_main]\n\
             \n\
             {externs}pleach::fuzz! {{\n\
             \x20   grammar: {grammar:?},\n\
             {codec}\
             \x20   // Slightly invalid inputs reach error paths, too, and find more where nothing relies on valid ones:\n\
             \x20   // errors: 0.1,\n\
             \x20   |text: &[u8]| {{\n\
             \x20       // Call what is to be tested; `text` is {kind}.\n\
             \x20       let _ = text;\n\
             \x20   }}\n\
             }}\n"
        )
    }

    /// The command to go on with.
    fn next(&self) -> String {
        let mut next = format!("pleach fuzz {} {TIME}", self.target);
        if let Some(dir) = &self.fuzz_dir {
            next += &format!(" --fuzz-dir {}", quoted(&dir.display().to_string()));
        }
        next
    }

    fn print(&self, report: &Report, is_new: bool, out: &mut Output) -> Result<(), Failure> {
        writeln!(out, "target   {}", report.target.display())?;
        let grammar = report.grammar.display();
        match is_new {
            true => writeln!(out, "grammar  {grammar}")?,
            false => writeln!(out, "grammar  {grammar}, as it is")?,
        }
        let manifest = report.manifest.display();
        writeln!(out, "lines    {manifest}: {}", report.added.join("; "))?;
        let target = report.target.display();
        writeln!(out, "\nCall what is to be tested in {target}, then run:")?;
        writeln!(out, "  {}", report.next)
    }
}

/// Whether a target reads the file as it is: text in the notation of pleach, or what was compiled.
fn is_plain(source: &Source, notation: &NotationArgs) -> bool {
    let is_readable = matches!(source.notation, None | Some(Notation::Pleach));
    is_readable && notation.start.is_none()
}

fn not_utf8() -> Failure {
    Failure::new("the path of the grammar is not UTF-8", "rename it")
}

/// A grammar to be written in the fuzz package, unless it is there already.
fn keep(fuzz_dir: &Path, file: &str, text: Vec<u8>) -> Result<Grammar, Failure> {
    let path = fuzz_dir.join("grammars").join(file);
    let text = match fs::read(&path) {
        Ok(there) if there == text => None,
        _ if fs::symlink_metadata(&path).is_ok() => {
            return Err(Failure::new(
                format_args!(
                    "{}: it exists already, and is another grammar",
                    shown(&path)
                ),
                "use that one by --grammar, or rename one of them",
            ));
        }
        _ => Some(text),
    };
    Ok(Grammar {
        path,
        reference: format!("grammars/{file}"),
        text,
    })
}

fn make_folder(of: &Path) -> Result<(), Failure> {
    let folder = of.parent().unwrap_or(of);
    fs::create_dir_all(folder).map_err(|error| Failure::file("make", folder, &error))
}

/// The path from a directory that exists to a file whose path has no links, with `/` between its parts.
fn relative(file: &Path, dir: &Path) -> Option<String> {
    between(file, &dir.canonicalize().ok()?)
}

/// The path from a directory to a file, if they have more in common than the root.
fn between(file: &Path, dir: &Path) -> Option<String> {
    let both = file.components().zip(dir.components());
    let common = both.take_while(|(one, other)| one == other);
    let names = |part: &(Component<'_>, Component<'_>)| matches!(part.0, Component::Normal(_));
    let common: Vec<_> = common.collect();
    if !common.iter().any(names) {
        return None;
    }
    let mut parts = vec![".."; dir.components().count() - common.len()];
    for part in file.components().skip(common.len()) {
        match part {
            Component::Normal(part) => parts.push(part.to_str()?),
            _ => return None,
        }
    }
    Some(parts.join("/"))
}

/// A path as the user would write it here.
fn shown_path(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    let from_here = here.and_then(|here| between(path, &here));
    from_here.map_or_else(|| path.to_owned(), PathBuf::from)
}

pub(super) fn shown(path: &Path) -> String {
    shown_path(path).display().to_string()
}

/// A word of a command that a shell takes for one.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./+@%:,".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
