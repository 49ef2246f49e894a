//! Grammars in JSON: the forms of The Fuzzing Book, of Grammar-Mutator and F1, and of Nautilus, and what readers of JSON share.
//!
//! serde_json reads them, in the order of the file and with the place of each value; a text of which the same place cannot
//! be shown letter by letter (it may have escapes) is shown as a whole.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;

use super::names::Names;
use super::{Effect, Imported, Notation, Remark};
use pleach_core::grammar::ast::{Alternative, Ast, ExprId, NameId, Span};
use pleach_core::grammar::{Error, ErrorKind, Probability};

/// An object with its members in order, also those of one name.
pub(crate) struct Members<'t>(pub(crate) Vec<(String, &'t RawValue)>);

impl<'t> Deserialize<'t> for Members<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'t> Visitor<'t> for InOrder {
            type Value = Members<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Members<'t>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Which form a text has, as far as its beginning tells.
pub(crate) fn form(text: &str) -> Notation {
    let signs: String = text
        .trim_start_matches('\u{feff}')
        .chars()
        .filter(|c| !c.is_whitespace())
        .scan(false, |inside, c| {
            // What is in strings does not count; an escaped quote is rare enough.
            let was_inside = *inside;
            *inside ^= c == '"';
            Some((c, was_inside))
        })
        .filter(|&(c, inside)| !inside && matches!(c, '[' | '{' | '"'))
        .map(|(c, _)| c)
        .take(6)
        .collect();
    match signs.as_bytes() {
        [b'[', ..] => Notation::Nautilus,
        _ if has_rules(text) => Notation::TreeSitter,
        // {"<start>": [["…", {"prob": …
        [b'{', b'"', b'[', b'[', b'"', b'{'] => Notation::Fuzzingbook,
        // {"<start>": [["…
        [b'{', b'"', b'[', b'[', b'"' | b'[', ..] => Notation::GrammarMutator,
        _ => Notation::Fuzzingbook,
    }
}

/// Whether a text has an object of `"rules"`, as grammars of tree-sitter have.
fn has_rules(text: &str) -> bool {
    text.match_indices("\"rules\"").any(|(at, key)| {
        let value = text[at + key.len()..].trim_start().strip_prefix(':');
        value.is_some_and(|value| value.trim_start().starts_with('{'))
    })
}

/// A text in JSON, and what has been made of it so far.
pub(crate) struct Reader<'t> {
    pub(crate) text: &'t str,
    pub(crate) ast: Ast,
    pub(crate) names: Names,
    pub(crate) remarks: Vec<Remark>,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Reader<'t> {
        Reader {
            text,
            ast: Ast::new(),
            names: Names::new(),
            remarks: Vec::new(),
        }
    }

    pub(crate) fn finish(self) -> Imported {
        Imported {
            ast: self.ast,
            remarks: self.remarks,
        }
    }

    /// Where a value stands: serde_json lends parts of the text itself.
    pub(crate) fn span(&self, value: &RawValue) -> Span {
        let start = (value.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        Span::new(start, start + value.get().len())
    }

    pub(crate) fn error(&self, span: Span, message: impl Into<String>, help: &str) -> Error {
        let text = self.text.as_bytes();
        Error::new(ErrorKind::UnexpectedToken, text, span, message, help)
    }

    /// Reads the text or a part of it as a value of a type.
    pub(crate) fn value<T: Deserialize<'t>>(&self, part: &'t str, help: &str) -> Result<T, Error> {
        serde_json::from_str(part).map_err(|error| {
            let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            if error.is_data() {
                // The value is well-formed, but another one is wanted: all of it is wrong.
                let len = part.lines().next().map_or(0, str::len);
                return self.error(Span::new(offset, offset + len), message, help);
            }
            let lines = part
                .split_inclusive('\n')
                .take(error.line().saturating_sub(1));
            let line: usize = lines.map(str::len).sum();
            let mut at = offset + line + error.column().saturating_sub(1);
            at = at.min(self.text.len().saturating_sub(1));
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            let len = self.text[at..].chars().next().map_or(0, char::len_utf8);
            self.error(Span::new(at, at + len), message, help)
        })
    }

    pub(crate) fn string(&self, value: &'t RawValue, help: &str) -> Result<String, Error> {
        self.value(value.get(), help)
    }

    pub(crate) fn list(&self, value: &'t RawValue, help: &str) -> Result<Vec<&'t RawValue>, Error> {
        self.value(value.get(), help)
    }

    /// The alternatives of a nonterminal become its production.
    fn production(&mut self, name: NameId, span: Span, alternatives: &[Alternative]) {
        let root = match alternatives {
            [
                Alternative {
                    expr,
                    probability: None,
                },
            ] => *expr,
            _ => self.ast.alternation(alternatives, span),
        };
        self.ast.production(name, span, root);
    }

    fn concatenation(&mut self, parts: &[ExprId], span: Span) -> ExprId {
        match parts {
            [] => self.ast.literal(b"", span),
            [single] => *single,
            _ => self.ast.concatenation(parts, span),
        }
    }

    fn no_alternative(&self, span: Span, name: &str) -> Error {
        let message = format!("`{name}` has no alternative");
        self.error(span, message, "give it one; `\"\"` is the empty text")
    }
}

const BOOK_HELP: &str = "the form is {\"<start>\": [\"text <name> text\", …], …}";

/// `{"<start>": ["text<name>", ["text", {"prob": 0.2}]]}`.
pub(crate) fn read_fuzzingbook(text: &str) -> Result<Imported, Error> {
    let mut reader = Reader::new(text);
    let Members(members) = reader.value(text, BOOK_HELP)?;
    for (name, value) in members {
        let span = reader.span(value);
        let id = reader.names.id(&mut reader.ast, plain(&name));
        let mut alternatives = Vec::new();
        for expansion in reader.list(value, BOOK_HELP)? {
            alternatives.push(reader.expansion(expansion)?);
        }
        if alternatives.is_empty() {
            return Err(reader.no_alternative(span, &name));
        }
        reader.production(id, span, &alternatives);
    }
    reader.ast.set_start("start");
    Ok(reader.finish())
}

/// The name of a nonterminal without its angle brackets.
fn plain(name: &str) -> &str {
    let inside = name
        .strip_prefix('<')
        .and_then(|name| name.strip_suffix('>'));
    inside.unwrap_or(name)
}

impl<'t> Reader<'t> {
    /// A text, or a text with options, of which the probability is kept.
    fn expansion(&mut self, value: &'t RawValue) -> Result<Alternative, Error> {
        let span = self.span(value);
        if !value.get().starts_with('[') {
            let text = self.string(value, BOOK_HELP)?;
            let expr = self.text_with(&text, span, ('<', '>'));
            return Ok(Alternative {
                expr,
                probability: None,
            });
        }
        let parts = self.list(value, BOOK_HELP)?;
        let &[text, options] = &parts[..] else {
            return Err(self.error(span, "an alternative with options has two parts", BOOK_HELP));
        };
        let string = self.string(text, BOOK_HELP)?;
        let expr = self.text_with(&string, self.span(text), ('<', '>'));
        let mut probability = None;
        let Members(options) = self.value(options.get(), BOOK_HELP)?;
        for (name, value) in options {
            let span = self.span(value);
            let share = value.get().parse::<f64>().ok();
            match share.filter(|share| name == "prob" && (0.0..=1.0).contains(share)) {
                Some(share) => {
                    let billionths = (share * f64::from(Probability::CERTAIN.0)).round();
                    probability = Some((Probability(billionths as u32), span));
                }
                None if name == "prob" && value.get() == "null" => {}
                None => self.remarks.push(Remark {
                    span,
                    what: format!("the option `{name}`"),
                    effect: Effect::Larger,
                }),
            }
        }
        Ok(Alternative { expr, probability })
    }

    /// A text in which names stand between brackets. What does not look like a name is text.
    fn text_with(&mut self, text: &str, span: Span, brackets: (char, char)) -> ExprId {
        let (open, close) = brackets;
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(open) {
            let (before, from) = rest.split_at(at);
            literal.push_str(before);
            let inside = &from[open.len_utf8()..];
            let end = inside.find(|c: char| c == close || c == open || c.is_whitespace());
            match end.filter(|&end| end > 0 && inside[end..].starts_with(close)) {
                Some(end) => {
                    if !literal.is_empty() {
                        parts.push(self.ast.literal(literal.as_bytes(), span));
                        literal.clear();
                    }
                    let id = self.names.id(&mut self.ast, &inside[..end]);
                    parts.push(self.ast.reference(id, span));
                    rest = &inside[end + close.len_utf8()..];
                }
                None => {
                    literal.push(open);
                    rest = inside;
                }
            }
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(self.ast.literal(literal.as_bytes(), span));
        }
        self.concatenation(&parts, span)
    }
}

const MUTATOR_HELP: &str = "the form is {\"<start>\": [[\"text\", \"<name>\"], …], …}";

/// `{"<start>": [["text", "<name>"], []]}`: a part is a name if it is one of the object's, else text.
pub(crate) fn read_grammar_mutator(text: &str) -> Result<Imported, Error> {
    let mut reader = Reader::new(text);
    let Members(members) = reader.value(text, MUTATOR_HELP)?;
    let known: BTreeMap<String, ()> = members.iter().map(|(name, _)| (name.clone(), ())).collect();
    for (name, value) in &members {
        let span = reader.span(value);
        let id = reader.names.id(&mut reader.ast, plain(name));
        let mut alternatives = Vec::new();
        for expansion in reader.list(value, MUTATOR_HELP)? {
            let mut parts = Vec::new();
            for part in reader.list(expansion, MUTATOR_HELP)? {
                let (string, span) = (reader.string(part, MUTATOR_HELP)?, reader.span(part));
                let looks_like_one = string.len() > 2 && plain(&string).len() + 2 == string.len();
                parts.push(match known.contains_key(&string) {
                    true => {
                        let id = reader.names.id(&mut reader.ast, plain(&string));
                        reader.ast.reference(id, span)
                    }
                    false => {
                        if looks_like_one && !string.contains(char::is_whitespace) {
                            reader.remarks.push(Remark {
                                span,
                                what: format!(
                                    "`{string}` is not a name of the grammar, so it is text"
                                ),
                                effect: Effect::Other,
                            });
                        }
                        reader.ast.literal(&latin(&string), span)
                    }
                });
            }
            let expr = reader.concatenation(&parts, reader.span(expansion));
            alternatives.push(Alternative {
                expr,
                probability: None,
            });
        }
        if alternatives.is_empty() {
            return Err(reader.no_alternative(span, name));
        }
        reader.production(id, span, &alternatives);
    }
    reader.ast.set_start("start");
    Ok(reader.finish())
}

/// Grammar-Mutator writes texts as Latin-1, so that `\u00ff` is a byte. What Latin-1 does not have, it refuses; here it is UTF-8.
fn latin(text: &str) -> Vec<u8> {
    let bytes: Option<Vec<u8>> = text
        .chars()
        .map(|c| u8::try_from(u32::from(c)).ok())
        .collect();
    bytes.unwrap_or_else(|| text.as_bytes().to_vec())
}

const NAUTILUS_HELP: &str = "the form is [[\"START\", \"text {NAME} text\"], …]";

/// `[["START", "text{NAME}"]]`: each rule adds an alternative; `START` is where it starts, or else the first one.
pub(crate) fn read_nautilus(text: &str) -> Result<Imported, Error> {
    let mut reader = Reader::new(text);
    let rules: Vec<&RawValue> = reader.value(text, NAUTILUS_HELP)?;
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut productions: Vec<(NameId, Span, Vec<Alternative>)> = Vec::new();
    for rule in rules {
        let parts = reader.list(rule, NAUTILUS_HELP)?;
        let &[name, text] = &parts[..] else {
            return Err(reader.error(reader.span(rule), "a rule has two parts", NAUTILUS_HELP));
        };
        let (span, key) = (reader.span(name), reader.string(name, NAUTILUS_HELP)?);
        let id = reader.names.id(&mut reader.ast, &key);
        let string = reader.string(text, NAUTILUS_HELP)?;
        let expr = reader.nautilus_text(&string, reader.span(text));
        let place = *places.entry(key).or_insert_with(|| {
            productions.push((id, span, Vec::new()));
            productions.len() - 1
        });
        productions[place].2.push(Alternative {
            expr,
            probability: None,
        });
    }
    if let Some(start) = places.get("START") {
        productions[..=*start].rotate_right(1);
    }
    for (name, span, alternatives) in productions {
        reader.production(name, span, &alternatives);
    }
    Ok(reader.finish())
}

impl Reader<'_> {
    /// A text in which names stand in braces; `\{` and `\}` are braces themselves.
    fn nautilus_text(&mut self, text: &str, span: Span) -> ExprId {
        let mut parts = Vec::new();
        // Pieces between escaped braces, in each of which braces are names.
        let mut pieces = text.split("\\{").peekable();
        while let Some(piece) = pieces.next() {
            let piece = piece.replace("\\}", "}");
            if !piece.is_empty() {
                parts.push(self.text_with(&piece, span, ('{', '}')));
            }
            if pieces.peek().is_some() {
                parts.push(self.ast.literal(b"{", span));
            }
        }
        self.concatenation(&parts, span)
    }
}
