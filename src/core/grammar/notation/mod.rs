//! The notation of pleach, text to syntax.
//!
//! ```text
//! // comment, also: # comment
//! Expr   := AddExpr;                                  // the first production is the start
//! Add    := Mult | Add ("+" | "-") Mult;
//! Digits := [0-9]+;                                   // class; ranges, negation [^...]
//! Quant  := A? B* C+ D{3} E{2,} F{1,4} G{,2} (H I)*;  // one quantifier an atom
//! Str    := '"' Char* "\"";                           // either quote
//! Hex    := /[0-9a-fA-F]{4}(?:-[0-9]+)?/;              // regular expression
//! Letter := 40% "a" | "b" | "c";                      // the unstated share the rest equally
//! Opt    := "" | "x";                                 // the empty alternative is written ""
//! Select := "select"i Name;                           // letters in either case
//! token Name := [a-z]+;                               // the longest match, where it is expected
//! skip Space := [ \n]+;                                // may stand between tokens
//! ```
//!
//! The text is UTF-8; a byte order mark in front is skipped. Names start with a letter or `_` and go on with letters,
//! digits, `_` and `-`; letters of all scripts are letters.
//!
//! *Escapes* in literals and classes: `\n \t \r \\ \" \'`, `\xHH` for the byte of that number (so `"\xC3"` is one raw byte),
//! `\u{H…}` for a character. Classes know `\] \[ \- \^` besides; a `-` at either end of a class is itself.
//!
//! *Classes* have characters and raw bytes from `\x80` as members. A range from an ASCII character to a raw byte is a range
//! of bytes: `[\x00-\xff]` is all of them. A negated class means all other characters, and no raw byte: `[^\x00]` is all of
//! Unicode but NUL, and `[\x01-\xff]` every byte but NUL. One that names a raw byte is refused.
//!
//! *Regular expressions* have the syntax of the `regex` crate, with `\/` for a slash; `(?-u:\xFF)` is a raw byte. They turn
//! into nodes of the grammar: groups and greediness vanish, an empty part becomes `()`, and what can be said simpler is, so
//! `/a|b/` is a class. Anchors and look-around have no place in a grammar. The empty regular expression cannot
//! be written: `//` starts a comment.
//!
//! *Probabilities* are decimal percent with up to seven decimals. Those stated in one alternation are at most 100 %
//! together.
//!
//! *Case*: an `i` directly behind a literal lets its ASCII letters be in either case. Derivations have it as it is written.
//!
//! *Tokens*: `token` before a name makes the production a token, `skip` what may stand between tokens. With either, all
//! other productions are syntax, whose literals and classes are tokens, too, unless only tokens refer to them. Of the tokens
//! that can come behind the token before, the longest match is read; of equally long ones a literal of the syntax, then a class
//! of the syntax, then the token that is written first. In parentheses stands a *mode*: the tokens of a mode
//! compete wherever one of them can come, so that `token(main) If := "if"; token(main) Name := [a-z]+;` keeps `if` from
//! being a name anywhere. Literals of the syntax belong to the first mode that is written, if they could be a token of it. Tokens are
//! regular: they do not contain themselves.
//!
//! *Nothing* is written `()`: a concatenation of no elements, which derives the empty text and, unlike `""`, is not a symbol.
//!
//! Reading takes linear time and recurses nowhere, so parentheses nest as deep as memory goes.

mod escape;
mod lexer;
mod parser;

pub use parser::parse;

/// Whether the notation can write `name` as the name of a nonterminal.
///
/// ```
/// use pleach_core::grammar::notation::is_name;
///
/// assert!(is_name("hier_part") && is_name("path-abempty") && is_name("größe"));
/// assert!(!is_name("4th") && !is_name("a.b") && !is_name(""));
/// ```
pub fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(starts_name) && chars.all(continues_name)
}

fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn continues_name(c: char) -> bool {
    c == '_' || c == '-' || c.is_alphanumeric()
}
