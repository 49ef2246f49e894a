//! The arguments that several verbs have, each with one meaning: the grammar, `--json`, `--random-seed`, `--force`.
//!
//! A verb takes the groups that it uses, and no others: an option that a verb does not use is refused, not ignored.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pleach_import::Notation;

use super::failure::Failure;
use super::output::Existing;
use super::source::Source;

/// Where help has the options that say how a grammar is read. A heading for all arguments of a group would go on behind it.
const GRAMMAR_HEADING: &str = "Reading the grammar";

/// The grammar that a verb is about.
#[derive(Args, Clone, Debug)]
pub(super) struct GrammarArgs {
    /// The grammar: a file in any notation, the name of a grammar of the library, as in `json`, or `-` for standard input
    #[arg(value_name = "GRAMMAR")]
    pub(super) grammar: PathBuf,
    #[command(flatten)]
    pub(super) notation: NotationArgs,
}

impl GrammarArgs {
    /// Reads the grammar and mentions its warnings on standard error.
    pub(super) fn load(&self) -> Result<Source, Failure> {
        Source::load(&self.grammar, &self.notation)
    }

    /// Reads the grammar without a word.
    pub(super) fn load_quietly(&self) -> Result<Source, Failure> {
        Source::load_quietly(&self.grammar, &self.notation)
    }
}

// How a grammar is read. (Docstrings of groups that a verb with others shares would become the help of the verb.)
#[derive(Args, Clone, Default, Debug)]
pub(super) struct NotationArgs {
    /// The notation of the grammar, where its file name does not tell
    #[arg(long, help_heading = GRAMMAR_HEADING, value_name = "NOTATION", value_parser = notation())]
    pub(super) from: Option<Notation>,
    /// Start the grammar at this nonterminal instead of its first
    #[arg(long, help_heading = GRAMMAR_HEADING, value_name = "NAME")]
    pub(super) start: Option<String>,
    /// Take rules that the grammar refers to but lacks from this file, in the same notation; may be repeated
    #[arg(long, help_heading = GRAMMAR_HEADING, value_name = "FILE")]
    pub(super) with: Vec<PathBuf>,
    /// Let k-paths continue inside tokens, which are one symbol otherwise
    #[arg(long, help_heading = GRAMMAR_HEADING)]
    pub(super) open_tokens: bool,
}

/// Notations by their names.
pub(super) fn notation() -> impl TypedValueParser<Value = Notation> {
    let values = Notation::ALL.map(|notation| {
        let value = PossibleValue::new(notation.name());
        // What one may take for the name: the extension of its files.
        match notation {
            Notation::Pleach => value.alias("ebnf"),
            Notation::W3c => value.alias("bnf"),
            Notation::Antlr => value.aliases(["g4", "antlr4"]),
            _ => value,
        }
    });
    PossibleValuesParser::new(values).try_map(|name| match &*name {
        "ebnf" => Ok(Notation::Pleach),
        "bnf" => Ok(Notation::W3c),
        "g4" | "antlr4" => Ok(Notation::Antlr),
        name => name.parse::<Notation>(),
    })
}

/// The form of the report.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct JsonArgs {
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(super) json: bool,
}

/// Randomness.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct RandomArgs {
    /// Fix all randomness; the same number gives the same bytes
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) random_seed: u64,
}

/// What becomes of what is there already.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ForceArgs {
    /// Write even where something exists; files of the same name are replaced
    #[arg(long)]
    pub(super) force: bool,
}

impl ForceArgs {
    /// What to do with a file that exists.
    pub(super) fn existing(self) -> Existing {
        Existing::forced(self.force)
    }
}

/// The directory that a verb fills with inputs; it also stands behind the grammar, as it did before there was `-o`.
#[derive(Args, Clone, Debug)]
pub(super) struct DirArgs {
    /// Write files to this directory, a new or an empty one
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[arg(value_name = "DIR", hide = true, conflicts_with = "output")]
    dir: Option<PathBuf>,
}

impl DirArgs {
    /// The directory, if there is one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.output.as_deref().or(self.dir.as_deref())
    }
}
