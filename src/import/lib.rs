//! Grammars in other notations, read as they are.
//!
//! Each notation has a reader that turns a text into an [`Ast`], with the place of everything in it; lowering and validation
//! are those of pleach's own [`notation`], so errors point into the file that was read. What a notation
//! says and a context-free grammar cannot keep is left out, and every such place is a [`Remark`]: nothing is dropped in
//! silence.
//!
//! | notation | source | files |
//! |---|---|---|
//! | [`Notation::Pleach`] | [`notation`] | `.ebnf` |
//! | [`Notation::Abnf`] | RFC 5234, RFC 7405 | `.abnf` |
//! | [`Notation::W3c`] | Extensible Markup Language (XML) 1.0, section 6 | `.w3c`, `.bnf` |
//! | [`Notation::Tribble`] | the text notation of TRIBBLE | `.tribble` |
//! | [`Notation::Fuzzingbook`] | The Fuzzing Book, "Fuzzing with Grammars" | `.json` |
//! | [`Notation::GrammarMutator`] | AFL++'s Grammar-Mutator, and F1 | `.json` |
//! | [`Notation::Nautilus`] | Nautilus | `.json` |
//! | [`Notation::TreeSitter`] | tree-sitter, "Creating Parsers": the `grammar.json` that it generates | `.json` |
//! | [`Notation::Pest`] | the pest book, "Grammar syntax" | `.pest` |
//! | [`Notation::Antlr`] | ANTLR 4 | `.g4` |
//!
//! Which of the JSON forms a file has shows in it. Readers take linear time, keep their own stacks, and so recurse on no input.

mod abnf;
mod antlr;
mod build;
mod comments;
mod files;
mod json;
mod names;
mod pest;
mod several;
#[cfg(test)]
mod tests;
mod tree_sitter;
mod tribble;
mod unread;
mod until;
mod w3c;

pub use comments::comments_before;
pub use files::{Files, Place};
pub use several::read_several;
pub use unread::without_unread;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use pleach_core::caret::Position;
use pleach_core::grammar::ast::{Ast, Span};
use pleach_core::grammar::{Error, ErrorKind, notation};
use pleach_core::id::MAX_IDS;

/// A notation that can be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Notation {
    /// That of pleach.
    Pleach,
    /// Augmented Backus-Naur form of the RFCs.
    Abnf,
    /// EBNF of the specifications of the W3C.
    W3c,
    /// TRIBBLE's text notation.
    Tribble,
    /// JSON as in The Fuzzing Book: `{"<start>": ["a<b>"]}`.
    Fuzzingbook,
    /// JSON of Grammar-Mutator and F1: `{"<start>": [["a", "<b>"]]}`.
    GrammarMutator,
    /// JSON of Nautilus: `[["START", "a{B}"]]`.
    Nautilus,
    /// The `grammar.json` of tree-sitter: `{"name": "x", "rules": {"a": {"type": "BLANK"}}}`.
    TreeSitter,
    /// Parsing expressions of pest.
    Pest,
    /// ANTLR 4.
    Antlr,
}

impl Notation {
    /// All of them.
    pub const ALL: [Notation; 10] = [
        Notation::Pleach,
        Notation::Abnf,
        Notation::W3c,
        Notation::Tribble,
        Notation::Fuzzingbook,
        Notation::GrammarMutator,
        Notation::Nautilus,
        Notation::TreeSitter,
        Notation::Pest,
        Notation::Antlr,
    ];

    /// The name by which [`str::parse`] knows it.
    pub const fn name(self) -> &'static str {
        match self {
            Notation::Pleach => "pleach",
            Notation::Abnf => "abnf",
            Notation::W3c => "w3c",
            Notation::Tribble => "tribble",
            Notation::Fuzzingbook => "fuzzingbook",
            Notation::GrammarMutator => "grammar-mutator",
            Notation::Nautilus => "nautilus",
            Notation::TreeSitter => "tree-sitter",
            Notation::Pest => "pest",
            Notation::Antlr => "antlr",
        }
    }

    /// Whether grammars say where they start: with their first production.
    ///
    /// Others may be meant to start at any of [`Ast::roots`].
    pub const fn has_start(self) -> bool {
        matches!(self, Notation::Pleach | Notation::TreeSitter)
    }

    /// The notation of a file, by its extension and, for JSON, by what is in it; that of pleach if nothing else fits.
    ///
    /// ```
    /// use pleach_import::Notation;
    ///
    /// assert_eq!(Notation::of("rfc.abnf".as_ref(), ""), Notation::Abnf);
    /// assert_eq!(Notation::of("x.json".as_ref(), r#"[["START", "a"]]"#), Notation::Nautilus);
    /// ```
    pub fn of(path: &Path, text: &str) -> Notation {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("abnf") => Notation::Abnf,
            Some("w3c" | "bnf") => Notation::W3c,
            Some("tribble") => Notation::Tribble,
            Some("pest") => Notation::Pest,
            Some("g4") => Notation::Antlr,
            Some("json") => json::form(text),
            _ => Notation::Pleach,
        }
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no notation has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no notation `{name}`: there are {all}", all = Notation::ALL.map(Notation::name).join(", "))]
pub struct UnknownNotation {
    name: String,
}

impl FromStr for Notation {
    type Err = UnknownNotation;

    fn from_str(name: &str) -> Result<Notation, UnknownNotation> {
        let known = Notation::ALL.into_iter().find(|it| it.name() == name);
        known.ok_or_else(|| UnknownNotation {
            name: name.to_owned(),
        })
    }
}

/// What leaving something out has done to the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Texts are in it that should not be.
    Larger,
    /// Texts are missing.
    Smaller,
    /// Both, or it cannot be told.
    Other,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effect::Larger => "the language is larger",
            Effect::Smaller => "the language is smaller",
            Effect::Other => "the language is another one",
        })
    }
}

/// Something that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub what: String,
    /// What that has done to the language.
    pub effect: Effect,
}

impl Remark {
    /// Its line and column in the text, both from 1.
    pub fn position(&self, text: &str) -> Position {
        Position::of(text.as_bytes(), self.span.range().start)
    }
}

/// A grammar in another notation, read.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The syntax. Its first production is that of the start symbol.
    pub ast: Ast,
    /// What was left out, in the order of the text.
    pub remarks: Vec<Remark>,
}

/// Reads a grammar.
///
/// ```
/// use pleach_import::{Notation, read};
///
/// let text = "list = \"[\" [ item *( \",\" item ) ] \"]\"\nitem = DIGIT / list\n";
/// let grammar = pleach_core::Grammar::from_ast(&read(text, Notation::Abnf)?.ast, text)?;
/// assert_eq!(grammar.productions().len(), 3);
/// # Ok::<(), pleach_core::grammar::Error>(())
/// ```
///
/// # Errors
///
/// The text is not in the notation. Names without a production and the like are found when the syntax becomes a grammar.
pub fn read(text: &str, notation: Notation) -> Result<Imported, Error> {
    read_with(&mut Files::new(text), notation, &mut |_| None)
}

/// Finds the grammar of a name: gives how to call its file, and its text.
pub type Loader<'l> = &'l mut dyn FnMut(&str) -> Option<(String, String)>;

/// Reads a grammar that may ask for others by their names, as those of ANTLR do. What `load` finds is added to the files, and the places of
/// what is read are those in the text of all of them, [`Files::text`]. That is also what
/// [`Grammar::from_ast`](pleach_core::Grammar::from_ast) needs.
///
/// # Errors
///
/// One of the texts is not in the notation, or one that is asked for is not there. The places are those in the text of all files;
/// [`Files::locate`] makes them those of a single one.
pub fn read_with(
    files: &mut Files,
    notation: Notation,
    load: Loader<'_>,
) -> Result<Imported, Error> {
    if files.text().len() > MAX_IDS {
        return Err(too_large());
    }
    let text = files.text();
    let mut imported = match notation {
        Notation::Pleach => Imported {
            ast: notation::parse(text)?,
            remarks: Vec::new(),
        },
        Notation::Abnf => abnf::read(text)?,
        Notation::W3c => w3c::read(text)?,
        Notation::Tribble => tribble::read(text)?,
        Notation::Fuzzingbook => json::read_fuzzingbook(text)?,
        Notation::GrammarMutator => json::read_grammar_mutator(text)?,
        Notation::Nautilus => json::read_nautilus(text)?,
        Notation::TreeSitter => tree_sitter::read(text)?,
        Notation::Pest => pest::read(text)?,
        Notation::Antlr => antlr::read(files, load)?,
    };
    imported.remarks.sort_by_key(|remark| remark.span.start);
    Ok(imported)
}

/// Whether a text is no grammar by itself but a part that others ask for: the lexer of a parser.
///
/// ```
/// use pleach_import::{Notation, is_part};
///
/// assert!(is_part("/* of X */ lexer grammar XLexer;", Notation::Antlr));
/// assert!(!is_part("grammar X;", Notation::Antlr));
/// ```
pub fn is_part(text: &str, notation: Notation) -> bool {
    notation == Notation::Antlr && antlr::is_lexer(text)
}

fn too_large() -> Error {
    Error::new(
        ErrorKind::TooLarge,
        b"",
        Span::new(0, 0),
        format!("a grammar of more than {MAX_IDS} bytes"),
        "split it, or leave parts out",
    )
}
