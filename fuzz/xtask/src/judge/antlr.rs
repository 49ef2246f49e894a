//! ANTLR's own parsers of the grammars in grammars-v4.
//!
//! Each directory there has a pom.xml that names the grammar and where it starts, and texts to parse. The parser is the one that ANTLR
//! generates in Java, with the code that the grammar has beside it, so predicates and actions do what they are meant to.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use pleach_import::{Notation, is_part};

use super::super::fetch::Package;
use super::super::files::{File, files_below};
use super::super::root;
use super::{MAX_TEXT_BYTES, SCRATCH, Subject, npm, system};

/// The commit of grammars-v4 that figures are taken of.
const COMMIT: &str = "aca577d9e30e591eacbc414f1280f22645412af4";
/// A package that has ANTLR's jar in it.
const ANTLR: Package = npm(
    "antlr4ng-cli",
    "2.0.0",
    "9270179618bfe28c318634540c94a939fd319f73f835c94ba96fddfb5abb6e9c",
);

/// ANTLR 4.13, on grammars of a checkout of grammars-v4
#[derive(Args)]
pub(super) struct Antlr {
    /// The checkout, at commit aca577d
    dir: PathBuf,
    /// Take every N-th system of grammars
    #[arg(long, value_name = "N", default_value_t = 6)]
    every: usize,
    /// Begin with the N-th, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: usize,
    /// Take those of which the name contains this, instead of every N-th
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The most texts of each system
    #[arg(long, value_name = "N", default_value_t = 20)]
    texts: usize,
}

impl Antlr {
    pub(super) fn subjects(&self) -> Result<Vec<Subject>> {
        let dir = &self.dir;
        let head = Command::new("git")
            .arg("-C")
            .arg(dir)
            .args(["rev-parse", "HEAD"])
            .output()?;
        let head = String::from_utf8_lossy(&head.stdout).trim().to_owned();
        ensure!(
            head == COMMIT,
            "{}: it is not grammars-v4 at {COMMIT}",
            dir.display()
        );
        let jar = ANTLR.fetch(&root().join("target/samples"))?;
        let jar = files_below(&jar)?
            .into_iter()
            .find(|file| file.name.ends_with("-complete.jar"))
            .context("the package has no jar")?;
        let mut systems = Vec::new();
        for file in files_below(dir)? {
            if file.name.ends_with("/pom.xml") {
                let pom = fs::read_to_string(&file.path)?;
                if let (Some(grammar), Some(start)) =
                    (between(&pom, "grammarName"), between(&pom, "entryPoint"))
                {
                    systems.push((file, grammar, start));
                }
            }
        }
        let chosen = systems
            .into_iter()
            .enumerate()
            .filter(|(at, (file, ..))| match &self.only {
                Some(text) => file.name.contains(text.as_str()),
                None => at % self.every.max(1) == self.offset,
            });
        let subjects =
            chosen.map(|(_, (pom, grammar, start))| self.subject(&pom, &grammar, start, &jar.path));
        subjects.collect()
    }

    fn subject(&self, pom: &File, grammar: &str, start: String, jar: &Path) -> Result<Subject> {
        let folder = pom.path.parent().context("a file is in a directory")?;
        let name = pom.name.trim_end_matches("/pom.xml").to_owned();
        let judge = root().join("fuzz/judge/Judge.java");
        let mut tool: Vec<String> = ["java", "-XX:+UseSerialGC", "-cp"]
            .map(str::to_owned)
            .into();
        tool.push(jar.display().to_string());
        tool.push(judge.display().to_string());
        tool.push(SCRATCH.to_owned());
        // What has no sources fails when it is read.
        let sources = sources(folder, grammar).unwrap_or_default();
        tool.extend([sources.lexer, sources.parser, start.clone()]);
        let java = files_below(&folder.join("Java")).unwrap_or_default();
        let java = java.into_iter().filter(|it| it.name.ends_with(".java"));
        let java: Vec<PathBuf> = java.map(|it| it.path).collect();
        let needed = sources.files.iter().chain(&java);
        tool.extend(needed.map(|it| it.display().to_string()));
        let examples = folder.join("examples");
        let mut texts = match examples.is_dir() {
            true => files_below(&examples)?,
            false => Vec::new(),
        };
        texts.retain(|file| {
            let extension = file.path.extension().and_then(|it| it.to_str());
            let size = fs::metadata(&file.path).map_or(u64::MAX, |it| it.len());
            !matches!(extension, Some("errors" | "tree")) && size <= MAX_TEXT_BYTES
        });
        texts.truncate(self.texts);
        for text in &mut texts {
            text.name = format!("{name}/examples/{}", text.name);
        }
        Ok(Subject {
            name,
            grammar: sources.main,
            start: Some(start),
            texts,
            tool,
        })
    }
}

/// What ANTLR needs of a system.
#[derive(Default)]
struct Sources {
    /// The file of the parser, which names the others.
    main: PathBuf,
    lexer: String,
    parser: String,
    /// The lexer comes first, if it has a file of its own. What is imported is not among them: ANTLR finds it.
    files: Vec<PathBuf>,
}

fn sources(folder: &Path, grammar: &str) -> Result<Sources> {
    let file = |name: &str| folder.join(name).with_extension("g4");
    let (combined, parser, lexer) = (
        file(grammar),
        file(&format!("{grammar}Parser")),
        file(&format!("{grammar}Lexer")),
    );
    let of = |main: PathBuf, files: Vec<PathBuf>| Sources {
        main,
        lexer: format!("{grammar}Lexer"),
        parser: format!("{grammar}Parser"),
        files,
    };
    let mut sources = if parser.is_file() && lexer.is_file() {
        of(parser.clone(), vec![lexer, parser])
    } else if combined.is_file() {
        of(combined.clone(), vec![combined])
    } else {
        bail!("there is no grammar {grammar} in {}", folder.display());
    };
    // Imported ones are copied as well, and built by themselves only if they can be, so they stand last.
    let mut known: BTreeSet<PathBuf> = sources.files.iter().cloned().collect();
    let text = fs::read_to_string(&sources.main)?;
    if !is_part(&text, Notation::Antlr) {
        for name in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
            if system::companion(&sources.main, name).is_some() && known.insert(file(name)) {
                sources.files.push(file(name));
            }
        }
    }
    Ok(sources)
}

/// The text of the first element of a name.
fn between(xml: &str, name: &str) -> Option<String> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    let (text, _) = rest.split_once(&format!("</{name}>"))?;
    Some(text.trim().to_owned())
}
