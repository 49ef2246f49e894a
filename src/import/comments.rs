//! Comments before productions.

use super::Notation;

/// How a notation writes comments: the signs that begin one up to the end of its line, and whether `/* … */` is one.
fn signs(notation: Notation) -> (&'static [&'static str], bool) {
    match notation {
        Notation::Pleach => (&["//", "#"], false),
        Notation::Abnf => (&[";"], false),
        Notation::W3c => (&[], true),
        Notation::Tribble | Notation::Antlr => (&["//"], true),
        Notation::Pest => (&["///", "//!", "//"], true),
        Notation::Fuzzingbook
        | Notation::GrammarMutator
        | Notation::Nautilus
        | Notation::TreeSitter => (&[], false),
    }
}

/// The lines of the comments that stand on lines of their own right before a place of a text, without the signs that make them
/// comments. Blank lines between comments are kept as empty ones. Linear in what it looks at.
///
/// ```
/// use pleach_import::{Notation, comments_before};
///
/// let text = "a = b\n; What b is,\n;\n; in words.\n\nb = \"x\"\n";
/// let at = text.find("b = ").unwrap();
/// assert_eq!(comments_before(text, Notation::Abnf, at), ["What b is,", "", "in words."]);
/// ```
pub fn comments_before(text: &str, notation: Notation, offset: usize) -> Vec<&str> {
    let (line_signs, blocks) = signs(notation);
    let Some(before) = text.get(..offset) else {
        return Vec::new();
    };
    // The production's own line is no comment.
    let end = before.rfind('\n').map_or(0, |at| at + 1);
    let mut lines: Vec<&str> = Vec::new();
    let mut in_block = false;
    for line in before[..end].lines().rev() {
        let mut line = line.trim();
        if in_block {
            if let Some(at) = line.find("/*") {
                if !line[..at].trim().is_empty() {
                    break;
                }
                line = line[at + 2..].trim();
                in_block = false;
            } else {
                line = line.trim_start_matches('*').trim();
            }
        } else if let Some(rest) = blocks.then(|| line.strip_suffix("*/")).flatten() {
            match rest.find("/*") {
                Some(0) => line = rest[2..].trim(),
                Some(_) => break,
                None => {
                    in_block = true;
                    line = rest.trim_start_matches('*').trim();
                }
            }
        } else if let Some(rest) = line_signs.iter().find_map(|sign| line.strip_prefix(sign)) {
            line = rest.trim();
        } else if !line.is_empty() {
            break;
        }
        lines.push(line);
    }
    // What is left is the beginning of no comment.
    if in_block {
        return Vec::new();
    }
    lines.reverse();
    let first = lines.iter().position(|line| !line.is_empty());
    let last = lines.iter().rposition(|line| !line.is_empty());
    match (first, last) {
        (Some(first), Some(last)) => lines[first..=last].to_vec(),
        _ => Vec::new(),
    }
}
