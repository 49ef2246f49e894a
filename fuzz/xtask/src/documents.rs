//! `cargo xtask documents`: how many public documents that a program accepts its grammar parses.
//!
//! A document belongs to one of two halves by the SHA-256 of its path in its package: an even one may be looked at while a grammar is
//! written, an odd one is only counted. What is not parsed is told of the first half only, so that nobody comes to see the other.

mod cost;
mod kinds;
mod packages;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use clap::builder::PossibleValuesParser;
use pleach_core::parse::{Budget, Refusal, Workspace};
use pleach_core::{Grammar, Graph, Parser};
use sha2::{Digest as _, Sha256};

use super::fetch::{self, Package, Registry};
use super::files::files_below;
use super::{print, root};
use cost::{Cost, Memory, long_document, measure};
use kinds::{KINDS, Kind, Take};

/// The longest document, in bytes.
const MOST_BYTES: usize = 100_000;
/// The most documents of a package: files, and pieces of files.
const MOST_FILES: usize = 100;
const MOST_PIECES: usize = 1000;
/// What parsing a document may take.
const BUDGET: Budget = Budget {
    steps: 1_000_000_000,
    bytes: 500 << 20,
};

/// Print a Markdown table of how many public documents that a program accepts its grammar parses
///
/// Packages come from the npm registry and the registry of crates, in fixed versions; what is there already and right is not fetched
/// again. From each come documents of up to 100 KB, at most 100 files or 1000 pieces of files, and those count that the program
/// accepts. A document is parsed if the grammar finds its canonical derivation within 500 MB. The documents are left in
/// target/documents/GRAMMAR, one half in `looked-at` and the other in `counted`, and what is not parsed of the first half goes to
/// standard error. Needs npm, cargo, tar, and what scripts/evaluate.sh needs.
///
/// Example: cargo xtask documents json toml
#[derive(Args)]
pub(crate) struct Documents {
    /// The grammars [default: all]
    #[arg(value_name = "GRAMMAR", value_parser = PossibleValuesParser::new(KINDS.map(|kind| kind.grammar)))]
    grammars: Vec<String>,
    /// Say instead what a document of 1 MB takes, made of those that are parsed one behind the other; no program is asked
    #[arg(long)]
    long: bool,
    /// Only parse this file, and print the line about it; each long document has a process of its own, so that its memory is told
    #[arg(long, hide = true, value_name = "FILE", requires = "grammars")]
    measure: Option<PathBuf>,
}

/// A document.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Document {
    /// Decides the order within its package, and the half.
    digest: [u8; 32],
    /// The name of its package, its path there, and for a piece its number.
    name: String,
    text: Vec<u8>,
}

impl Document {
    fn new(name: String, text: Vec<u8>) -> Document {
        let digest = Sha256::digest(&name).into();
        Document { digest, name, text }
    }

    fn is_looked_at(&self) -> bool {
        self.digest[31].is_multiple_of(2)
    }
}

/// How many of the documents of a half are parsed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Half {
    parsed: usize,
    total: usize,
}

/// What one grammar comes to.
#[derive(Default)]
struct Tally {
    looked_at: Half,
    counted: Half,
    /// What the slowest document took, and its bytes.
    slowest: (Cost, usize),
}

impl Documents {
    pub(crate) fn run(self) -> Result<()> {
        if let Some(file) = &self.measure {
            let named = KINDS.iter().filter(|kind| kind.grammar == self.grammars[0]);
            for kind in named {
                print(format_args!("{}\n", measured(kind, file)?));
            }
            return Ok(());
        }
        let packages = packages::all()?;
        print(format_args!(
            "{}\n",
            if self.long { LONG_HEAD } else { HEAD }
        ));
        let is_chosen = |kind: &&Kind| {
            let is_named = self.grammars.iter().any(|it| it == kind.grammar);
            (self.grammars.is_empty() || is_named) && (!self.long || kind.join.is_some())
        };
        for kind in KINDS.iter().filter(is_chosen) {
            let mut documents = Vec::new();
            for (package, grammars) in &packages {
                if grammars.iter().any(|it| it == kind.grammar) {
                    documents.extend(documents_of(package, kind)?);
                }
            }
            let parser = parser(kind)?;
            match kind.join.filter(|_| self.long) {
                Some(join) => long(kind, join, &parser, &documents)?,
                None => {
                    let (version, accepted) = judge(kind, documents)?;
                    let tally = parse(&parser, &accepted);
                    let line = row(kind, &version, &packages, &accepted, &tally);
                    print(format_args!("{line}\n"));
                }
            }
        }
        Ok(())
    }
}

const HEAD: &str = "\
| grammar | read by | packages | looked at | not looked at | slowest |
|---|---|---|---|---|---|";
const LONG_HEAD: &str = "\
| grammar | bytes | parsed | encoded | memory |
|---|---|---|---|---|";

fn folder() -> PathBuf {
    root().join("target/documents")
}

/// The documents of a package.
fn documents_of(package: &Package, kind: &Kind) -> Result<Vec<Document>> {
    let Package { name, version, .. } = package;
    let place = format!("packages/{name}-{version}").replace('/', "-");
    let dir = package.fetch(&folder().join(place))?;
    let mut documents = Vec::new();
    for file in files_below(&dir)? {
        if !kind.is_in(&file.name) {
            continue;
        }
        let text = fs::read(&file.path).with_context(|| file.path.display().to_string())?;
        let path = format!("{name}-{version}/{}", file.name);
        match kind.take {
            Take::Files => documents.push(Document::new(path, text)),
            Take::Pieces(pieces) => {
                let text = String::from_utf8_lossy(&text);
                let named = |(number, piece): (usize, String)| {
                    Document::new(format!("{path}#{number}"), piece.into_bytes())
                };
                documents.extend(pieces(&text).into_iter().enumerate().map(named));
            }
        }
    }
    Ok(choose(documents, kind.most()))
}

/// So many documents, no text twice, by their digests.
fn choose(mut documents: Vec<Document>, most: usize) -> Vec<Document> {
    documents.retain(|it| !it.text.is_empty() && it.text.len() <= MOST_BYTES);
    documents.sort();
    let mut seen = std::collections::BTreeSet::new();
    documents.retain(|it| seen.insert(it.text.clone()));
    documents.truncate(most);
    documents
}

/// The program with its version, and the documents that it accepts, with the files that they are in.
fn judge(kind: &Kind, documents: Vec<Document>) -> Result<(String, Vec<(PathBuf, Document)>)> {
    let dir = folder().join(kind.grammar);
    fetch::remove(&dir)?;
    let mut list = String::new();
    let mut filed = Vec::new();
    for half in ["looked-at", "counted"] {
        fs::create_dir_all(dir.join(half))?;
    }
    for document in documents {
        let half = if document.is_looked_at() {
            "looked-at"
        } else {
            "counted"
        };
        let path = dir.join(half).join(document.name.replace('/', "_"));
        fs::write(&path, &document.text).with_context(|| path.display().to_string())?;
        list.push_str(&format!("{}\n", path.display()));
        filed.push((path, document));
    }
    let listed = dir.join("list");
    fs::write(&listed, list)?;
    let mut judge = Command::new(root().join("scripts/evaluate.sh"));
    judge.args(["judge", "--subject", kind.subject]);
    let output = judge
        .stdin(fs::File::open(&listed)?)
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(
        output.status.success(),
        "{judge:?} has failed: {}",
        output.status
    );
    let output = String::from_utf8(output.stdout)?;
    let mut lines = output.lines();
    let version = lines
        .next()
        .context("the judge names no program")?
        .to_owned();
    let verdicts: Vec<&str> = lines.collect();
    if verdicts.len() != filed.len() {
        bail!("{} verdicts of {} documents", verdicts.len(), filed.len());
    }
    let mut verdicts = verdicts.into_iter();
    filed.retain(|_| verdicts.next() == Some("accepted"));
    Ok((version, filed))
}

fn parser(kind: &Kind) -> Result<Parser> {
    let file = root().join(format!("grammars/{0}/{0}.ebnf", kind.grammar));
    let grammar = fs::read(&file).with_context(|| file.display().to_string())?;
    let failed = |error: &dyn std::fmt::Display| anyhow::anyhow!("{}: {error}", file.display());
    let grammar = Grammar::parse(&grammar).map_err(|error| failed(&error))?;
    let graph = Graph::new(grammar).map_err(|error| failed(&error))?;
    Ok(Parser::new(&graph))
}

/// Parses documents, and tells where those of the first half stop that are not parsed.
fn parse(parser: &Parser, documents: &[(PathBuf, Document)]) -> Tally {
    let mut workspace = Workspace::new();
    let mut tally = Tally::default();
    for (path, document) in documents {
        let (cost, done) = measure(parser, &document.text, BUDGET, &mut workspace);
        if cost.seconds() > tally.slowest.0.seconds() {
            tally.slowest = (cost, document.text.len());
        }
        let half = match document.is_looked_at() {
            true => &mut tally.looked_at,
            false => &mut tally.counted,
        };
        half.total += 1;
        half.parsed += usize::from(done.is_ok());
        if let (Err(refusal), true) = (done, document.is_looked_at()) {
            let complaint = complaint(parser, path, &document.text, refusal);
            let _ = writeln!(std::io::stderr(), "{complaint}");
        }
    }
    tally
}

/// Has a long document parsed, which is made of those that are parsed.
fn long(kind: &Kind, join: [&str; 3], parser: &Parser, documents: &[Document]) -> Result<()> {
    let mut workspace = Workspace::new();
    let mut texts: Vec<&[u8]> = documents.iter().map(|it| it.text.as_slice()).collect();
    texts.retain(|text| parser.parse(text, BUDGET, &mut workspace).is_ok());
    let file = folder().join(format!("{}-long", kind.grammar));
    fs::write(&file, long_document(join, &texts)?)?;
    let mut measure = Command::new(std::env::current_exe()?);
    fetch::run(
        measure
            .args(["documents", "--measure"])
            .arg(&file)
            .arg(kind.grammar),
    )
}

/// A line about a long document.
fn measured(kind: &Kind, file: &Path) -> Result<String> {
    let parser = parser(kind)?;
    let text = fs::read(file).with_context(|| file.display().to_string())?;
    let (memory, mut workspace) = (Memory::begin(), Workspace::new());
    let (cost, done) = measure(&parser, &text, Budget::default(), &mut workspace);
    if let Err(refusal) = done {
        let message = complaint(&parser, file, &text, refusal);
        bail!("{}: {message}", kind.grammar);
    }
    Ok(format!(
        "| `{}` | {} | {:.2} s | {:.2} s | {} |",
        kind.grammar,
        text.len(),
        cost.parse,
        cost.encode,
        megabytes(memory.peak())
    ))
}

/// Megabytes, rounded up.
fn megabytes(bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) => format!("{} MB", bytes.div_ceil(1_000_000)),
        None => "–".to_owned(),
    }
}

fn complaint(parser: &Parser, path: &Path, text: &[u8], refusal: Refusal) -> String {
    let error = parser.explain_in(text, refusal, BUDGET, &mut Workspace::new());
    let (line, column) = (error.line(), error.column());
    format!("{}:{line}:{column}: {}", path.display(), error.message())
}

/// A line of the table.
fn row(
    kind: &Kind,
    version: &str,
    packages: &[(Package, Vec<String>)],
    accepted: &[(PathBuf, Document)],
    tally: &Tally,
) -> String {
    let (mut crates, mut npm) = (Vec::new(), Vec::new());
    for (package, _) in packages {
        let Package { name, version, .. } = package;
        let prefix = format!("{name}-{version}/");
        if accepted.iter().any(|(_, it)| it.name.starts_with(&prefix)) {
            match package.registry {
                Registry::Npm => npm.push(format!("`{name}` {version}")),
                Registry::Crates => crates.push(format!("`{name}` {version}")),
            }
        }
    }
    let sources = [("crates", crates), ("npm", npm)];
    let sources: Vec<String> = sources
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(registry, names)| format!("{registry} {}", names.join(", ")))
        .collect();
    let half = |Half { parsed, total }| format!("{parsed} / {total}");
    let (slowest, bytes) = tally.slowest;
    format!(
        "| `{}` | {version} | {}{} | {} | {} | {:.0} ms for {:.1} KB |",
        kind.grammar,
        kind.what,
        sources.join("; "),
        half(tally.looked_at),
        half(tally.counted),
        slowest.seconds() * 1e3,
        bytes as f64 / 1e3
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(name: &str, text: &str) -> Document {
        Document::new(name.into(), text.into())
    }

    #[test]
    fn halves_go_by_the_last_bit_of_the_digest() {
        // `printf NAME | sha256sum` ends with these.
        let table = [("x", 0x81, false), ("d", 0xe4, true)];
        for (name, last, is_looked_at) in table {
            let document = document(name, "");
            assert_eq!(document.digest[31], last, "{name}");
            assert_eq!(document.is_looked_at(), is_looked_at, "{name}");
        }
    }

    #[test]
    fn a_text_counts_once_and_neither_empty_nor_long() {
        let long = "a".repeat(MOST_BYTES + 1);
        let all = vec![
            document("1", "a"),
            document("2", "a"),
            document("3", ""),
            document("4", &long),
            document("5", "b"),
        ];
        let texts = |most| -> Vec<Vec<u8>> {
            let mut texts: Vec<_> = choose(all.clone(), most)
                .into_iter()
                .map(|it| it.text)
                .collect();
            texts.sort();
            texts
        };
        assert_eq!(texts(10), [b"a", b"b"]);
        assert_eq!(texts(1).len(), 1);
    }

    #[test]
    fn megabytes_are_rounded_up() {
        let table = [(None, "–"), (Some(0), "0 MB"), (Some(1_000_001), "2 MB")];
        for (bytes, expected) in table {
            assert_eq!(megabytes(bytes), expected);
        }
    }

    #[test]
    fn a_row_names_packages_that_have_documents() {
        let package = |registry, name| Package {
            registry,
            name,
            version: "1.0.0",
            sum: "",
        };
        let packages = [
            (package(Registry::Npm, "some"), vec![]),
            (package(Registry::Npm, "none"), vec![]),
            (package(Registry::Crates, "other"), vec![]),
        ];
        let accepted =
            ["some-1.0.0/a", "other-1.0.0/b"].map(|name| (PathBuf::new(), document(name, "")));
        let slowest = Cost {
            parse: 0.25,
            ..Cost::default()
        };
        let tally = Tally {
            looked_at: Half {
                parsed: 1,
                total: 2,
            },
            counted: Half {
                parsed: 3,
                total: 3,
            },
            slowest: (slowest, 12_000),
        };
        let kind = KINDS.iter().find(|kind| kind.grammar == "json").unwrap();
        assert_eq!(
            row(kind, "program 2", &packages, &accepted, &tally),
            "| `json` | program 2 | crates `other` 1.0.0; npm `some` 1.0.0 | 1 / 2 | 3 / 3 | 250 ms for 12.0 KB |"
        );
    }
}
