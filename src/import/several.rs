//! A grammar whose rules are written in several files.
//!
//! RFCs refer to rules of other RFCs. Each file is read for itself, and what the first one lacks is copied from the others, in
//! their order ([`Ast::complete`](pleach_core::grammar::ast::Ast::complete)). A file is read with blanks in the place of those before it,
//! so that all places count in the text of all files.

use super::{Files, Imported, Loader, Notation, read_with, too_large};
use pleach_core::grammar::Error;
use pleach_core::grammar::ast::Span;

/// Reads a grammar as [`read_with`] does, and takes what it refers to and lacks from other files, each given by what to call it and
/// its text. Nothing else of them is taken.
///
/// ```
/// use pleach_import::{Files, Notation, read_several};
///
/// let mut files = Files::new("request = method SP target\nmethod = \"GET\"\n");
/// let other = ("uri.abnf".to_owned(), "Target = 1*segment\nsegment = \"/\" *ALPHA\nport = *DIGIT\n".to_owned());
/// let imported = read_several(&mut files, Notation::Abnf, &[other], &mut |_| None)?;
/// let grammar = pleach_core::Grammar::from_ast(&imported.ast, files.text())?;
/// let names: Vec<&str> = grammar.productions().iter().map(|(_, it)| &*it.name).collect();
/// assert_eq!(names, ["request", "method", "SP", "target", "segment", "ALPHA"]);
/// # Ok::<(), pleach_core::grammar::Error>(())
/// ```
///
/// # Errors
///
/// One of the texts is not in the notation. [`Files::locate`] tells which.
pub fn read_several(
    files: &mut Files,
    notation: Notation,
    others: &[(String, String)],
    load: Loader<'_>,
) -> Result<Imported, Error> {
    let mut imported = read_with(files, notation, load)?;
    let mut read = Vec::with_capacity(others.len());
    for (name, text) in others {
        let range = files.add(name.clone(), text).ok_or_else(too_large)?;
        let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
        let mut own: String = files.text().as_bytes()[..range.start]
            .iter()
            .map(|&byte| blank(byte))
            .collect();
        own.push_str(&files.text()[range]);
        read.push(read_with(&mut Files::new(own), notation, load)?);
    }
    let asts: Vec<_> = read.iter().map(|it| it.ast.clone()).collect();
    // Names of ABNF are the same in either case.
    let key = |name: &str| match notation {
        Notation::Abnf => name.to_ascii_lowercase(),
        _ => name.to_owned(),
    };
    let copied = imported.ast.complete(&asts, key);
    for (number, other) in read.into_iter().enumerate() {
        // From where productions begin, whether they were copied.
        let productions = other.ast.productions().iter().enumerate();
        let mut begins: Vec<(Span, bool)> = productions
            .map(|(at, it)| (it.name_span, copied.contains(&(number, at))))
            .collect();
        begins.sort_by_key(|(span, _)| span.start);
        imported
            .remarks
            .extend(other.remarks.into_iter().filter(|remark| {
                let behind = begins.partition_point(|(span, _)| span.start <= remark.span.start);
                behind.checked_sub(1).is_some_and(|at| begins[at].1)
            }));
    }
    imported.remarks.sort_by_key(|remark| remark.span.start);
    Ok(imported)
}
