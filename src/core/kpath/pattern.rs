//! Patterns: a k-path as the partial sentence that it stands for (TOSEM article, section 5.2).
//!
//! Each symbol of the path is opened: the right side that it leads into follows its name, narrowed to what contains the next
//! symbol. An alternation shows the alternative taken, a repetition takes place at least once, a concatenation shows all of its
//! parts. The article drops the symbols that it opens, and then most paths of a real grammar share their pattern with others:
//! it is no longer told where the last symbol is, and chains of productions such as those of operator levels look alike.
//! So the symbols of the path are marked. Angle brackets are not a part of the notation, and stand out where quotes, parentheses and
//! square brackets abound:
//!
//! ```text
//! MultExpr: MultExpr ("*"|"/"|"%") <UnaryExpr: "(" <AddExpr: AddExpr <"-"> MultExpr> ")">
//! ```
//!
//! is the path of three symbols `UnaryExpr` (in `MultExpr`), `AddExpr` (in `UnaryExpr`), `"-"` (in `AddExpr`). Two paths share a pattern
//! only where a production writes the same thing twice, as in `a | a`, or where what tells them apart is cut.
//!
//! What is long is cut, `...` in its place: what lies beside the path, parts of a concatenation that are far from it, and
//! nesting in one right side that goes on and on. So a pattern takes O(k) time and length whatever the grammar.

use crate::grammar::print::{Literal, Quantifier};
use crate::grammar::{Grammar, NodeKind};
use crate::graph::Graph;
use crate::id::{NodeId, SymbolId};

/// The characters that a part beside the path, or a terminal on it, may take before it is cut.
const PART: usize = 60;
/// The parts of a concatenation that are shown before and behind the path.
const AROUND: usize = 12;
/// The levels of a right side that are shown above a symbol.
const LEVELS: usize = 32;
/// What stands for something that is left out.
const CUT: &str = "...";

/// The pattern of a path, as in `MultExpr: MultExpr ("*"|"/"|"%") <UnaryExpr: "(" <AddExpr: AddExpr <"-"> MultExpr> ")">`.
///
/// First the production in which the path begins. Then its right side, with the symbols of the path in angle brackets, each but
/// the last with what it leads into. Empty for an empty path; what is not a path of the graph is printed as far as it is one.
///
/// ```
/// use pleach_core::grammar::Grammar;
/// use pleach_core::kpath::{KPaths, pattern};
/// use pleach_core::Graph;
///
/// let grammar: Grammar = r#"list := "[" (item ("," item)*)? "]"; item := [0-9]{3} | list;"#.parse()?;
/// let graph = Graph::new(grammar)?;
/// let paths = KPaths::new(&graph, 2)?;
/// let patterns: Vec<String> = paths.iter().map(|path| pattern(&graph, &path)).collect();
/// assert_eq!(patterns[0], r#"list: "[" <item: <[0-9]>{3}> ("," item)* "]""#);
/// assert_eq!(patterns[3], r#"list: "[" item ("," <item: <list>>)+ "]""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pattern(graph: &Graph, path: &[SymbolId]) -> String {
    let grammar = graph.grammar();
    let mut printer = Printer::default();
    let Some(&first) = path.first() else {
        return printer.out;
    };
    printer.word(&grammar[graph.production_of(first)].name);
    printer.glue(":");
    // What follows the path, the innermost last.
    let mut rest: Vec<Rest> = Vec::new();
    for (at, &symbol) in path.iter().enumerate() {
        descend(grammar, grammar[symbol].node, &mut printer, &mut rest);
        printer.open("<");
        printer.word(&atom(grammar, grammar[symbol].node));
        let successors = graph.successors(symbol);
        match path.get(at + 1) {
            Some(next) if successors.contains(&next.0) => {
                printer.glue(":");
                rest.push(Rest::Mark);
            }
            _ => {
                printer.glue(">");
                break;
            }
        }
    }
    while let Some(rest) = rest.pop() {
        match rest {
            Rest::Mark => printer.glue(">"),
            Rest::Cut => printer.word(CUT),
            Rest::Group => printer.glue(")"),
            Rest::Bounds(bounds) => printer.glue(&bounds.to_string()),
            Rest::Parts(parts) => {
                for &part in parts.iter().take(AROUND) {
                    printer.word(&beside(grammar, part));
                }
                if parts.len() > AROUND {
                    printer.word(CUT);
                }
            }
        }
    }
    printer.out
}

/// What is still to be printed once the path is.
enum Rest<'g> {
    /// The end of a symbol of the path.
    Mark,
    /// Levels that are not shown.
    Cut,
    /// The end of a group.
    Group,
    /// The bounds of a quantifier.
    Bounds(Quantifier),
    /// The parts of a concatenation behind the path.
    Parts(&'g [NodeId]),
}

/// Words with spaces between them.
#[derive(Default)]
struct Printer {
    out: String,
    /// Whether the next word is set off by a space.
    spaced: bool,
}

impl Printer {
    fn word(&mut self, word: &str) {
        if self.spaced {
            self.out.push(' ');
        }
        self.out.push_str(word);
        self.spaced = true;
    }

    /// A word that the next one follows without a space.
    fn open(&mut self, text: &str) {
        self.word(text);
        self.spaced = false;
    }

    /// What follows without a space.
    fn glue(&mut self, text: &str) {
        self.out.push_str(text);
        self.spaced = true;
    }

    fn bar(&mut self) {
        self.glue("|");
        self.spaced = false;
    }
}

/// Prints what stands before a symbolic node in its right side, and puts down what follows it.
fn descend<'g>(
    grammar: &'g Grammar,
    target: NodeId,
    printer: &mut Printer,
    rest: &mut Vec<Rest<'g>>,
) {
    // From the node upwards, as only the nearest levels are shown.
    let mut levels = Vec::new();
    let mut above = grammar[target].parent;
    while let Some(node) = above.filter(|_| levels.len() < LEVELS) {
        levels.push(node);
        above = grammar[node].parent;
    }
    if above.is_some() {
        printer.word(CUT);
        rest.push(Rest::Cut);
    }
    for (at, &node) in levels.iter().enumerate().rev() {
        match grammar[node].kind {
            NodeKind::Quantifier { .. } => {
                let Some(bounds) = shown_bounds(grammar, node) else {
                    continue;
                };
                rest.push(Rest::Bounds(bounds));
                let mut below = levels[..at].iter();
                let is_group = below.any(|&node| match grammar[node].kind {
                    NodeKind::Concatenation => grammar.children(node).len() > 1,
                    _ => shown_bounds(grammar, node).is_some(),
                });
                if is_group {
                    printer.open("(");
                    rest.push(Rest::Group);
                }
            }
            NodeKind::Concatenation => {
                let below = at.checked_sub(1).map_or(target, |at| levels[at]);
                let parts = grammar.children(node);
                let place = parts.partition_point(|&part| part < below);
                let before = &parts[..place];
                if before.len() > AROUND {
                    printer.word(CUT);
                }
                for &part in &before[before.len().saturating_sub(AROUND)..] {
                    printer.word(&beside(grammar, part));
                }
                rest.push(Rest::Parts(parts.get(place + 1..).unwrap_or_default()));
            }
            // The alternative taken, and no other.
            _ => {}
        }
    }
}

/// How often a quantifier's subject stands where it does at least once; `None` if that is once.
fn shown_bounds(grammar: &Grammar, node: NodeId) -> Option<Quantifier> {
    match grammar[node].kind {
        NodeKind::Quantifier { max: Some(1), .. } => None,
        NodeKind::Quantifier { min, max } => Some(Quantifier {
            min: min.max(1),
            max,
        }),
        _ => None,
    }
}

/// A node beside the path, cut if it is long; in parentheses if it is an alternation.
fn beside(grammar: &Grammar, node: NodeId) -> String {
    enum Piece {
        Node(NodeId),
        /// Between two alternatives.
        Bar,
        Close,
        Bounds(Quantifier),
        /// What is left out of a long list.
        Cut,
    }
    let mut printer = Printer::default();
    let mut pieces = vec![Piece::Node(node)];
    let mut is_cut = false;
    while let Some(piece) = pieces.pop() {
        match piece {
            Piece::Close => printer.glue(")"),
            Piece::Bounds(bounds) => printer.glue(&bounds.to_string()),
            // Once it is cut, only what is open is closed.
            _ if is_cut => {}
            Piece::Bar => printer.bar(),
            Piece::Node(node) if printer.out.len() < PART => {
                let children = grammar.children(node);
                let shown = &children[..children.len().min(PART)];
                let is_long = shown.len() < children.len();
                match grammar[node].kind {
                    NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_) => {
                        printer.word(&atom(grammar, node));
                    }
                    NodeKind::Alternation => {
                        printer.open("(");
                        pieces.push(Piece::Close);
                        pieces.extend(is_long.then_some(Piece::Cut));
                        for &child in shown.iter().rev() {
                            pieces.extend([Piece::Bar, Piece::Node(child)]);
                        }
                        if !is_long {
                            pieces.remove(pieces.len() - 2 * shown.len());
                        }
                    }
                    NodeKind::Concatenation => {
                        pieces.extend(is_long.then_some(Piece::Cut));
                        pieces.extend(shown.iter().rev().map(|&child| Piece::Node(child)));
                    }
                    NodeKind::Quantifier { min, max } => {
                        pieces.push(Piece::Bounds(Quantifier { min, max }));
                        for &subject in shown {
                            let is_group = matches!(
                                grammar[subject].kind,
                                NodeKind::Concatenation | NodeKind::Quantifier { .. }
                            );
                            if is_group {
                                printer.open("(");
                                pieces.push(Piece::Close);
                            }
                            pieces.push(Piece::Node(subject));
                        }
                    }
                }
            }
            Piece::Node(_) | Piece::Cut => {
                is_cut = true;
                printer.word(CUT);
            }
        }
    }
    printer.out
}

/// A reference or terminal, cut if it is long.
fn atom(grammar: &Grammar, node: NodeId) -> String {
    if let NodeKind::Literal(literal) = grammar[node].kind
        && let Some((start, [_, ..])) = grammar[literal].split_at_checked(PART)
    {
        return format!("{}{CUT}", Literal(start));
    }
    let text = grammar.display(node).to_string();
    match text.char_indices().nth(PART) {
        Some((end, _)) if matches!(grammar[node].kind, NodeKind::Class(_)) => {
            format!("{}{CUT}]", &text[..end])
        }
        _ => text,
    }
}
