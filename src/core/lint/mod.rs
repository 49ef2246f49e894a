//! What is legal in a grammar and hardly meant, or costs more than it brings.
//!
//! Each check is a file with an idea of its own, and gives [`Finding`]s: which nonterminal, what is the matter, what to do
//! about it, and, where one helps, an example.
//!
//! | check | module | idea | cost |
//! |---|---|---|---|
//! | unreachable, unproductive | here | the grammar's own warnings | |
//! | cyclic | `cycles` | a cycle of references beside which nothing else derives text | linear but for the cycles |
//! | ambiguous | `ambiguity` | short sentences are parsed, and counted | [`Effort::steps`] |
//! | nullable repetitions | `repetition` | what is repeated has a shortest sentence of no bytes | linear |
//! | duplicate alternatives | `duplicates` | equal expressions get equal numbers, bottom up | n log n |
//! | growth | `growth` | k-paths, counted with and without a production | levels · symbols |
//! | long, deep | `length` | shortest derivations | linear |
//! | tokens: overlap, shadowed, glue | `lexical` | their short sentences, scanned behind every token | tokens² |
//!
//! Whether a grammar is ambiguous cannot be decided, so that no finding does not mean that there is none; everything else is found
//! whenever it is there. The same grammar and [`Effort`] give the same findings.
//!
//! ```
//! use pleach_core::lint::{Effort, Kind, lint};
//! use pleach_core::{Grammar, Graph};
//!
//! let grammar: Grammar = "sum := sum '+' sum | [0-9];".parse()?;
//! let findings = lint(&Graph::new(grammar)?, Effort::default());
//! assert_eq!(findings[0].kind, Kind::Ambiguous);
//! assert_eq!(findings[0].example.as_deref(), Some(&b"0+0+0"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ambiguity;
mod counting;
mod cycles;
mod duplicates;
mod growth;
mod length;
mod lexical;
mod repetition;
mod short;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::caret::Position;
use crate::grammar::{Grammar, WarningKind};
use crate::graph::Graph;
use crate::id::{NodeId, ProductionId};

use counting::Counting;

/// What a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// No derivation of the start symbol has the nonterminal.
    Unreachable,
    /// The nonterminal derives no finite sentence.
    Unproductive,
    /// The nonterminal derives itself, and nothing else, so that its sentences have infinitely many derivations.
    Cyclic,
    /// A sentence of the nonterminal has more than one derivation.
    Ambiguous,
    /// A repetition of what can be nothing.
    NullableRepetition,
    /// An alternative that derives nothing that another one does not.
    DuplicateAlternative,
    /// The number of k-paths grows steeply with k.
    Growth,
    /// The shortest sentence is long.
    Long,
    /// The lowest derivation is deep.
    Deep,
    /// A token matches the text of another one.
    Overlap,
    /// A token that is read as another one wherever it is expected.
    Shadowed,
    /// Two tokens may follow each other, and nothing can keep them apart.
    Glue,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 12] = [
        Kind::Unreachable,
        Kind::Unproductive,
        Kind::Cyclic,
        Kind::Ambiguous,
        Kind::NullableRepetition,
        Kind::DuplicateAlternative,
        Kind::Growth,
        Kind::Long,
        Kind::Deep,
        Kind::Overlap,
        Kind::Shadowed,
        Kind::Glue,
    ];

    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Unreachable => "unreachable",
            Kind::Unproductive => "unproductive",
            Kind::Cyclic => "cyclic",
            Kind::Ambiguous => "ambiguous",
            Kind::NullableRepetition => "nullable_repetition",
            Kind::DuplicateAlternative => "duplicate_alternative",
            Kind::Growth => "growth",
            Kind::Long => "long",
            Kind::Deep => "deep",
            Kind::Overlap => "overlap",
            Kind::Shadowed => "shadowed",
            Kind::Glue => "glue",
        }
    }
}

/// The word of [`Kind::name`].
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Good to know; may well be meant.
    Info,
    /// Hardly meant, or to be paid for in every run.
    Warning,
}

impl Severity {
    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
        }
    }
}

/// Something that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// What it is about.
    pub kind: Kind,
    /// How much it matters.
    pub severity: Severity,
    /// The nonterminal concerned.
    pub production: Box<str>,
    /// Where that was defined, of what was pruned: nothing else in a grammar knows its place.
    pub place: Option<Position>,
    /// What is the matter: one sentence in lower case, without a full stop.
    pub message: String,
    /// What to do about it.
    pub suggestion: String,
    /// A sentence of the nonterminal that shows it.
    pub example: Option<Vec<u8>>,
}

impl Finding {
    fn new(
        grammar: &Grammar,
        kind: Kind,
        severity: Severity,
        production: ProductionId,
        message: String,
        suggestion: impl Into<String>,
    ) -> Finding {
        Finding {
            kind,
            severity,
            production: grammar[production].name.clone(),
            place: None,
            message,
            suggestion: suggestion.into(),
            example: None,
        }
    }

    fn with_example(mut self, example: Vec<u8>) -> Finding {
        self.example = Some(example);
        self
    }
}

/// What checks that search may spend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Steps: of parsing, as those of [`Budget`](crate::parse::Budget), and about as much work of other kinds each. Several
    /// million take a second.
    pub steps: u64,
    /// The seed of random sentences.
    pub seed: u64,
}

impl Default for Effort {
    /// Twenty million steps.
    fn default() -> Effort {
        Effort {
            steps: 20_000_000,
            seed: 0,
        }
    }
}

/// Looks for everything. Findings are in the order of [`Kind::ALL`], and of productions within one kind.
pub fn lint(graph: &Arc<Graph>, effort: Effort) -> Vec<Finding> {
    let mut counting = Counting::new(graph, effort.steps);
    let sentences = short::sentences(graph, effort.steps / 8);
    let mut findings = pruned(graph.grammar());
    findings.extend(cycles::find(&sentences, &mut counting));
    let lexical = lexical::find(&sentences, &mut counting);
    findings.extend(ambiguity::find(&sentences, effort.seed, &mut counting));
    findings.extend(repetition::find(graph));
    findings.extend(duplicates::find(graph.grammar()));
    findings.extend(growth::find(graph));
    findings.extend(length::find(graph));
    findings.extend(lexical);
    findings
}

/// What the grammar warns of.
fn pruned(grammar: &Grammar) -> Vec<Finding> {
    let warnings = grammar.warnings().iter();
    let finding = |warning: &crate::grammar::Warning| {
        let kind = match warning.kind {
            WarningKind::Unreachable => Kind::Unreachable,
            WarningKind::Unproductive => Kind::Unproductive,
        };
        Finding {
            kind,
            severity: Severity::Warning,
            production: warning.production.clone(),
            place: Some(Position {
                line: warning.line,
                column: warning.column,
            }),
            message: warning.to_string(),
            suggestion: warning.help().to_owned(),
            example: None,
        }
    };
    let mut findings: Vec<Finding> = warnings.map(finding).collect();
    findings.sort_by_key(|finding| finding.kind);
    findings
}

/// A text in messages: quoted, and cut if it is long.
fn shown(text: &[u8]) -> String {
    const SHOWN: usize = 60;
    let literal = |text| crate::grammar::print::Literal(text).to_string();
    match text.len() {
        ..=SHOWN => literal(text),
        more => format!("{}… ({more} bytes)", literal(&text[..SHOWN])),
    }
}

/// An expression in messages, cut if it is long: no more of it is written than shown.
fn expression(grammar: &Grammar, node: NodeId) -> String {
    struct Cut {
        text: String,
        room: usize,
    }
    impl fmt::Write for Cut {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let end = text.char_indices().nth(self.room);
            self.text += &text[..end.map_or(text.len(), |(end, _)| end)];
            if end.is_some() {
                self.text.push('…');
                return Err(fmt::Error);
            }
            self.room -= text.chars().count();
            Ok(())
        }
    }
    let mut cut = Cut {
        text: String::new(),
        room: 60,
    };
    // An error is the end of the room.
    let _ = fmt::Write::write_fmt(&mut cut, format_args!("{}", grammar.display(node)));
    cut.text
}
