//! The name of an input of a covering set: what it was made to cover.
//!
//! It has the nonterminals of the longest k-path that no input before it has, then the first digits of a digest of the input, and the
//! extension of the format: `value-object-member-3f2a91c0.json`. So a listing of the directory reads as a table of contents, and the same
//! input gets the same name whenever the set is made anew.

use pleach_core::grammar::NodeKind;
use pleach_core::id::SymbolId;
use pleach_core::kpath::Coverage;
use pleach_core::{Grammar, Graph};

use crate::input::digest;
use crate::recognize::Kind;

/// The extension of choice sequences, so that nobody takes them for texts.
const CHOICES: &str = "choices";
/// Formats whose files end otherwise than the grammar is called.
const EXTENSIONS: [(&str, &str); 3] = [("email", "eml"), ("javascript", "js"), ("markdown", "md")];
/// The longest part of a name that says what is covered, in bytes.
const MAX_LABEL: usize = 60;

/// Names inputs one after the other.
#[derive(Debug)]
pub(super) struct Namer {
    /// What the inputs so far cover.
    seen: Coverage,
    extension: String,
}

impl Namer {
    /// For inputs beyond those that cover this; the grammar's name says what texts are.
    pub(super) fn new(seen: Coverage, kind: Kind, grammar_name: &str) -> Namer {
        Namer {
            seen,
            extension: match kind {
                Kind::Texts => extension(grammar_name),
                Kind::Choices => CHOICES.to_owned(),
            },
        }
    }

    /// The name of an input that has these windows.
    pub(super) fn name(
        &mut self,
        graph: &Graph,
        windows: impl Iterator<Item = u32>,
        input: &[u8],
    ) -> String {
        let mut new: Vec<u32> = windows.filter(|&it| self.seen.insert(it)).collect();
        new.sort_unstable();
        let paths = new.iter().filter_map(|&window| self.seen.path(window));
        let longest = paths.reduce(|one, other| match other.len() > one.len() {
            true => other,
            false => one,
        });
        let mut name = label(graph.grammar(), &longest.unwrap_or_default());
        if !name.is_empty() {
            name.push('-');
        }
        let digest = (digest(input) >> 96) as u32;
        name + &format!("{digest:08x}.{}", self.extension)
    }
}

/// What a path is about, as it may stand in the name of a file: where it begins, and what it leads to.
fn label(grammar: &Grammar, path: &[SymbolId]) -> String {
    let symbols = || path.iter().map(|&symbol| grammar[symbol].node);
    let begin = symbols().take(1).map(|node| grammar[node].production);
    let begin = begin.map(|production| plain(grammar[production].name.as_bytes()));
    let uses = symbols().map(|node| match grammar[node].kind {
        NodeKind::Reference(production) => plain(grammar[production].name.as_bytes()),
        NodeKind::Literal(literal) => plain(&grammar[literal]),
        _ => String::new(),
    });
    let mut label = String::new();
    for word in begin.chain(uses).filter(|word| !word.is_empty()) {
        if label.len() + 1 + word.len() > MAX_LABEL {
            break;
        }
        if !label.is_empty() {
            label.push('-');
        }
        label.push_str(&word);
    }
    label
}

/// The letters, digits and underscores of a name or a literal: what every file system and shell takes as it is.
fn plain(text: &[u8]) -> String {
    let kept = text.iter().map(|&byte| char::from(byte));
    kept.filter(|it| it.is_ascii_alphanumeric() || *it == '_')
        .collect()
}

/// The extension of texts: what the file of the grammar is called without its own, or the grammar of the library.
fn extension(grammar_name: &str) -> String {
    let file = grammar_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = plain(file.split('.').next().unwrap_or_default().as_bytes());
    let stem = stem.to_ascii_lowercase();
    match EXTENSIONS.iter().find(|(name, _)| *name == stem) {
        Some((_, extension)) => (*extension).to_owned(),
        None if stem.is_empty() || grammar_name.starts_with('<') => "txt".to_owned(),
        None => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::extension;

    #[test]
    fn texts_end_as_their_format_is_called() {
        let cases = [
            ("json", "json"),
            ("grammars/json/json.ebnf", "json"),
            ("markdown", "md"),
            ("My-Format.v2.g4", "myformat"),
            ("<stdin>", "txt"),
        ];
        for (name, expected) in cases {
            assert_eq!(extension(name), expected, "{name}");
        }
    }
}
