//! Grammars of ANTLR 4: `.g4` files, together or split into a parser and a lexer.
//!
//! ANTLR reads in two levels, and so does what comes out: rules of the parser are syntax, those of the lexer tokens, whose modes are
//! kept; what goes to another channel than the default one is skipped between tokens. A file that is read may ask for others: what it
//! imports, and its lexer (`tokenVocab`, or `XLexer` for `XParser`). A lexer alone is the language of all sequences of its tokens.
//!
//! The start is the first rule of the parser that no other one refers to, one that ends with the end of the file before all others.
//!
//! What ANTLR has beyond grammars is either of no account for the language or in the remarks:
//!
//! * Actions, arguments, labels and precedence say how a text is read, not which texts are; nothing is said about them. A
//!   predicate (`{…}?`) is left out, with a remark; so is what a token is at the beginning of the input only (see `predicates`). A
//!   class that a parser or a lexer extends (`superClass`) has a remark, since its code may change anything.
//! * `EOF` is nothing at the end of the start rule. Elsewhere it is an alternative that is left out, or nothing, with a remark.
//! * `.` and `~A` in a parser are an alternation of the other tokens.
//! * A loop of a lexer that is not greedy becomes the regular expression that matches the same (see `shortest`).
//! * Rules of the lexer that contain themselves, as nested comments do, are written out to a depth of three, or of one if their
//!   loops are not greedy, with a remark.
//! * Tokens that a parser refers to and that its lexer never hands to it (they are skipped, or have another type) derive nothing, as
//!   for ANTLR. Tokens that no rule makes, since code makes them (`INDENT`), derive nothing either, with a remark.
//! * Tokens that nothing refers to compete with the others, so they are reserved, in lexers without modes; so are texts of rules that
//!   the start does not reach. A token has no empty
//!   text, which would be read at the same place for ever; one that changes the mode or ends with the file has a remark.
//! * `mode`, `pushMode` and `popMode` say which tokens compete, and the syntax says which of them can come; a lexer with modes has a
//!   remark.

mod analysis;
mod body;
mod gather;
mod lexer;
mod model;
mod more;
mod predicates;
mod read;
mod regular;
mod scan;
mod sets;
mod shortest;
mod syntax;
#[cfg(test)]
mod tests;

use super::build::Scan;
use super::{Files, Imported, Loader};
use pleach_core::grammar::Error;

/// How often a rule of a lexer may contain itself.
const MAX_DEPTH: u32 = 3;

/// Whether a file is a lexer, as its first word says.
pub(super) fn is_lexer(text: &str) -> bool {
    let mut scan = Scan::new(text);
    let word = scan::name(&mut scan);
    matches!(word, Ok(Some(("lexer", _))))
}

/// Reads the grammar that the first of the files is, with those that it asks for.
pub(super) fn read(files: &mut Files, load: Loader<'_>) -> Result<Imported, Error> {
    let mut remarks = Vec::new();
    let system = gather::gather(files, load, &mut remarks)?;
    let lexer = lexer::Lexer::new(&system);
    let mut imported = syntax::write(&system, &lexer);
    imported.remarks.extend(remarks);
    Ok(imported)
}
