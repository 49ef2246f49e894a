//! A grammar back to its notation, whole or in parts.
//!
//! What is printed reads back as an equal grammar. Regular expressions come back as what they were turned into. Long
//! alternations are wrapped as people write them; the fingerprint is taken of the text without wrapping. Printing is
//! linear and keeps its own stack.

use crate::grammar::{CharClass, Grammar, NodeKind, Probability, Production, Role};
use crate::id::{NodeId, ProductionId, SymbolId};
use siphasher::sip::SipHasher13;
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::hash::Hasher;
use std::ops::Range;

/// The columns that a production may take before it is wrapped.
const WIDTH: usize = 100;
/// Alternatives up to this length share a line where they have to be wrapped.
const SHORT: usize = 10;
/// What is hashed before the grammar. Changes with everything that changes the meaning of a choice sequence.
const FINGERPRINT_VERSION: &[u8] = b"pleach grammar 1\n";

/// Hash of the canonical printed form, without line breaks inside productions: SipHash-1-3 with the keys 0 and 0.
pub(super) fn fingerprint(grammar: &Grammar) -> u64 {
    let mut hashing = SipHasher13::new();
    hashing.write(FINGERPRINT_VERSION);
    for id in grammar.productions.ids() {
        hashing.write(print(grammar, id, usize::MAX).text.as_bytes());
    }
    hashing.finish()
}

/// A production as the notation writes it, and where its symbols are in that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The notation, with the line break behind it.
    pub text: String,
    /// The bytes of each symbol that the production has, in the order of the text. None of them overlap.
    pub symbols: Vec<(Range<usize>, SymbolId)>,
}

impl Grammar {
    /// A production as the notation writes it, with the line break behind it.
    pub fn production_text(&self, id: ProductionId) -> String {
        print(self, id, WIDTH).text
    }

    /// The same, with the places of its symbols.
    ///
    /// ```
    /// use pleach_core::Grammar;
    ///
    /// let grammar: Grammar = "list := '[' item* ']'; item := [0-9] | list;".parse()?;
    /// let printed = grammar.printed(grammar.start());
    /// let symbols = printed.symbols.iter().map(|(place, _)| &printed.text[place.clone()]);
    /// assert_eq!(symbols.collect::<Vec<_>>(), ["\"[\"", "item", "\"]\""]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn printed(&self, id: ProductionId) -> Printed {
        print(self, id, WIDTH)
    }
}

impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ids = self.productions.ids();
        ids.try_for_each(|id| f.write_str(&print(self, id, WIDTH).text))
    }
}

/// What expressions are written to: it may want to know where nodes are.
trait Out: Write {
    /// How much was written, if that matters.
    fn here(&self) -> usize {
        0
    }

    /// A symbolic node was written since `start`.
    fn wrote(&mut self, _start: usize, _node: NodeId) {}
}

impl Out for fmt::Formatter<'_> {}

/// A text, and where symbolic nodes are in it.
#[derive(Default)]
struct Marked {
    text: String,
    nodes: Vec<(Range<usize>, NodeId)>,
}

impl Write for Marked {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.push_str(text);
        Ok(())
    }
}

impl Out for Marked {
    fn here(&self) -> usize {
        self.text.len()
    }

    fn wrote(&mut self, start: usize, node: NodeId) {
        self.nodes.push((start..self.text.len(), node));
    }
}

/// Prints a production and a line break, wrapped if it takes more than `width` columns.
fn print(grammar: &Grammar, id: ProductionId, width: usize) -> Printed {
    let production = &grammar.productions[id];
    let mut body = Marked::default();
    // The ends of all alternatives but the last in the body.
    let mut ends: Vec<usize> = Vec::new();
    // Writing to a string cannot fail.
    if grammar.nodes[production.root].kind == NodeKind::Alternation {
        for (index, &alternative) in grammar.children(production.root).iter().enumerate() {
            if index > 0 {
                ends.push(body.text.len());
            }
            let _ = write_alternative(grammar, alternative, &mut body);
        }
    } else {
        let _ = write_expression(grammar, production.root, &mut body);
    }
    let Marked { text, nodes } = body;

    let head = head(production);
    let name_width = head.chars().count();
    let total = name_width + " := ;".len() + text.chars().count() + " | ".len() * ends.len();
    // The bar stands under the equals sign.
    let indent = name_width + 2;
    let long = |part: Range<usize>| text[part].chars().nth(SHORT).is_some();
    let mut out = format!("{head} := ");
    let mut symbols = Vec::new();
    let mut nodes = nodes.into_iter().peekable();
    let mut column = name_width + 4;
    let wrap = total > width;
    let fill = wrap && !parts(&text, &ends).any(long);
    for (index, part) in parts(&text, &ends).enumerate() {
        let part_width = match fill {
            true => text[part.clone()].chars().count(),
            false => 0,
        };
        if index == 0 {
            column += part_width;
        } else if wrap && !(fill && column + part_width + " | ;".len() <= width) {
            let _ = write!(out, "\n{:indent$}| ", "");
            column = indent + 2 + part_width;
        } else {
            out.push_str(" | ");
            column += 3 + part_width;
        }
        while let Some((place, node)) = nodes.next_if(|(place, _)| place.end <= part.end) {
            let place = place.start - part.start..place.end - part.start;
            let place = out.len() + place.start..out.len() + place.end;
            symbols.extend(grammar.symbol_of(node).map(|symbol| (place, symbol)));
        }
        out.push_str(&text[part]);
    }
    out.push_str(";\n");
    Printed { text: out, symbols }
}

/// What stands before the sign of definition.
fn head(production: &Production) -> Cow<'_, str> {
    let keyword = match production.role {
        Role::Syntax | Role::Fragment => return Cow::Borrowed(&production.name),
        Role::Token => "token",
        Role::Skip => "skip",
    };
    Cow::Owned(match &production.mode {
        Some(mode) => format!("{keyword}({mode}) {}", production.name),
        None => format!("{keyword} {}", production.name),
    })
}

/// The parts of `text` between `ends`.
fn parts<'t>(text: &'t str, ends: &'t [usize]) -> impl Iterator<Item = Range<usize>> + 't {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let ends = ends.iter().copied().chain(std::iter::once(text.len()));
    starts.zip(ends).map(|(start, end)| start..end)
}

/// What is left to write, the next one on top.
enum Step {
    Node(NodeId),
    Alternative(NodeId),
    Text(&'static str),
    Quantifier(u32, Option<u32>),
}

/// Writes the expression under a node.
fn write_expression(grammar: &Grammar, node: NodeId, out: &mut impl Out) -> fmt::Result {
    write_steps(grammar, vec![Step::Node(node)], out)
}

/// Writes the expression under a child of an alternation, with its probability.
fn write_alternative(grammar: &Grammar, node: NodeId, out: &mut impl Out) -> fmt::Result {
    write_steps(grammar, vec![Step::Alternative(node)], out)
}

fn write_steps(grammar: &Grammar, mut steps: Vec<Step>, out: &mut impl Out) -> fmt::Result {
    while let Some(step) = steps.pop() {
        let node = match step {
            Step::Text(text) => {
                out.write_str(text)?;
                continue;
            }
            Step::Quantifier(min, max) => {
                write!(out, "{}", Quantifier { min, max })?;
                continue;
            }
            Step::Alternative(node) => {
                if let Some(probability) = grammar.stated_probability(node) {
                    write!(out, "{probability} ")?;
                }
                push_grouped(grammar, node, false, &mut steps);
                continue;
            }
            Step::Node(node) => node,
        };
        let children = grammar.children(node);
        let start = out.here();
        match grammar.nodes[node].kind {
            NodeKind::Reference(production) => {
                out.write_str(&grammar.productions[production].name)?;
            }
            NodeKind::Literal(literal) => {
                write!(out, "{}", Literal(&grammar.literals[literal]))?;
                if grammar.caseless[literal] {
                    out.write_char('i')?;
                }
            }
            NodeKind::Class(class) => write!(out, "{}", grammar.classes[class])?,
            NodeKind::Alternation => {
                for (index, &child) in children.iter().enumerate().rev() {
                    steps.push(Step::Alternative(child));
                    if index > 0 {
                        steps.push(Step::Text(" | "));
                    }
                }
            }
            NodeKind::Concatenation if children.is_empty() => out.write_str("()")?,
            NodeKind::Concatenation => {
                for (index, &child) in children.iter().enumerate().rev() {
                    push_grouped(grammar, child, false, &mut steps);
                    if index > 0 {
                        steps.push(Step::Text(" "));
                    }
                }
            }
            NodeKind::Quantifier { min, max } => {
                steps.push(Step::Quantifier(min, max));
                for &child in children {
                    push_grouped(grammar, child, true, &mut steps);
                }
            }
        }
        if grammar.nodes[node].kind.is_symbolic() {
            out.wrote(start, node);
        }
    }
    Ok(())
}

/// Pushes a node, in parentheses where it is no atom: alternations always, the others under a quantifier.
fn push_grouped(grammar: &Grammar, node: NodeId, quantified: bool, steps: &mut Vec<Step>) {
    let group = match grammar.nodes[node].kind {
        NodeKind::Alternation => true,
        NodeKind::Concatenation => quantified && !grammar.children(node).is_empty(),
        NodeKind::Quantifier { .. } => quantified,
        NodeKind::Reference(_) | NodeKind::Literal(_) | NodeKind::Class(_) => false,
    };
    if group {
        steps.extend([Step::Text(")"), Step::Node(node), Step::Text("(")]);
    } else {
        steps.push(Step::Node(node));
    }
}

/// Displays the expression under a node; made by [`Grammar::display`].
#[derive(Clone, Copy, Debug)]
pub struct Expression<'g> {
    pub(super) grammar: &'g Grammar,
    pub(super) node: NodeId,
}

impl fmt::Display for Expression<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_expression(self.grammar, self.node, f)
    }
}

/// Displays a literal as the notation writes it, in double quotes and with escapes.
///
/// ```
/// use pleach_core::grammar::print::Literal;
///
/// assert_eq!(Literal("\"é\"\n".as_bytes()).to_string(), r#""\"é\"\n""#);
/// assert_eq!(Literal(b"\xff\0").to_string(), r#""\xff\x00""#);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Literal<'t>(pub &'t [u8]);

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for chunk in self.0.utf8_chunks() {
            let mut rest = chunk.valid();
            // Runs of plain text are written at once.
            while let Some(at) = rest.find(|c| !is_plain(c) || c == '"' || c == '\\') {
                f.write_str(&rest[..at])?;
                let mut chars = rest[at..].chars();
                if let Some(c) = chars.next() {
                    write_escaped(c, "\"\\", f)?;
                }
                rest = chars.as_str();
            }
            f.write_str(rest)?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        f.write_char('"')
    }
}

/// Displays a quantifier as the notation writes it: `?`, `*`, `+` or bounds in braces.
#[derive(Clone, Copy, Debug)]
pub struct Quantifier {
    /// The least number of repetitions.
    pub min: u32,
    /// The greatest number of repetitions, if there is one.
    pub max: Option<u32>,
}

impl fmt::Display for Quantifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (0, Some(1)) => f.write_str("?"),
            (0, None) => f.write_str("*"),
            (1, None) => f.write_str("+"),
            (min, None) => write!(f, "{{{min},}}"),
            (0, Some(max)) => write!(f, "{{,{max}}}"),
            (min, Some(max)) if min == max => write!(f, "{{{min}}}"),
            (min, Some(max)) => write!(f, "{{{min},{max}}}"),
        }
    }
}

/// As the notation writes it: a class that reaches the last character is written by what it lacks.
impl fmt::Display for CharClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        let open_ended = self.bytes().is_empty()
            && self
                .chars()
                .last()
                .is_some_and(|&(_, high)| high == char::MAX);
        match open_ended.then(|| self.negated_chars()).flatten() {
            Some(negated) => {
                f.write_char('^')?;
                write_members(&negated, f)?;
            }
            None => write_members(self, f)?,
        }
        f.write_char(']')
    }
}

fn write_members(class: &CharClass, f: &mut impl Write) -> fmt::Result {
    const SPECIAL: &str = "]-[^\\";
    let (mut chars, mut bytes) = (class.chars(), class.bytes());
    let mut joined = None;
    // A range over the border between characters and raw bytes is written as one.
    if let ([all @ .., (low, '\x7f')], [(0x80, high), rest @ ..]) = (chars, bytes) {
        joined = Some((*low, *high));
        (chars, bytes) = (all, rest);
    }
    for &(low, high) in chars {
        write_escaped(low, SPECIAL, f)?;
        if low < high {
            if low as u32 + 1 < high as u32 {
                f.write_char('-')?;
            }
            write_escaped(high, SPECIAL, f)?;
        }
    }
    if let Some((low, high)) = joined {
        write_escaped(low, SPECIAL, f)?;
        write!(f, "-\\x{high:02x}")?;
    }
    for &(low, high) in bytes {
        write!(f, "\\x{low:02x}")?;
        if low < high {
            write!(f, "-\\x{high:02x}")?;
        }
    }
    Ok(())
}

/// Whether a character is printed as it is.
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~') || !c.is_ascii() && c.escape_debug().len() == 1
}

/// Writes a character, with a backslash if it is one of `special`, by number if it cannot be seen.
fn write_escaped(c: char, special: &str, out: &mut impl Write) -> fmt::Result {
    match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        _ if special.contains(c) => write!(out, "\\{c}"),
        _ if is_plain(c) => out.write_char(c),
        _ if c.is_ascii() => write!(out, "\\x{:02x}", c as u32),
        _ => write!(out, "\\u{{{:x}}}", c as u32),
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, decimals) = (self.0 / 10_000_000, self.0 % 10_000_000);
        if decimals == 0 {
            return write!(f, "{whole}%");
        }
        let decimals = format!("{decimals:07}");
        write!(f, "{whole}.{}%", decimals.trim_end_matches('0'))
    }
}

/// A listing: every node with its id, depth and symbol.
impl fmt::Debug for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Deeper nodes are not indented further, or the listing of a deep grammar would be quadratic.
        const DEEPEST: usize = 30;
        writeln!(
            f,
            "Grammar {:016x}: {} productions, {} nodes, {} symbols, {} warnings",
            self.fingerprint,
            self.productions.len(),
            self.nodes.len(),
            self.symbols.len(),
            self.warnings.len()
        )?;
        let mut depths: Vec<usize> = Vec::new();
        for (id, node) in self.nodes.iter() {
            let production = &self.productions[node.production];
            let depth = node
                .parent
                .map_or(1, |parent| depths[parent.0 as usize] + 1);
            depths.push(depth);
            if production.root == id {
                writeln!(f, "{:?} {}", node.production, production.name)?;
            }
            write!(f, "{:1$}{id:?} ", "", 2 * depth.min(DEEPEST))?;
            if let Some(probability) = self.stated_probability(id) {
                write!(f, "{probability} ")?;
            }
            match (node.kind, self.symbol_of(id)) {
                (_, Some(symbol)) => writeln!(
                    f,
                    "{symbol:?} {} {}",
                    self.symbol_name(symbol),
                    self.display(id)
                )?,
                (NodeKind::Quantifier { min, max }, _) => {
                    writeln!(f, "Quantifier {}", Quantifier { min, max })?;
                }
                (kind, _) => writeln!(f, "{kind:?}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::tests::{fixtures, graph, random_grammar};

    /// Each symbol has one place, which reads as the symbol does, in the order of the symbols.
    fn check(grammar: &Grammar) {
        let mut seen = Vec::new();
        let mut whole = String::new();
        for id in grammar.productions.ids() {
            let Printed { text, symbols } = grammar.printed(id);
            let mut end = 0;
            for (place, symbol) in symbols {
                let node = grammar[symbol].node;
                assert_eq!(text[place.clone()], grammar.display(node).to_string());
                assert_eq!(grammar[node].production, id);
                assert!(end < place.start, "{text}");
                end = place.end;
                seen.push(symbol);
            }
            whole += &text;
        }
        assert!(seen.iter().copied().eq(grammar.symbols().ids()));
        assert_eq!(whole, grammar.to_string());
    }

    #[test]
    fn symbols_are_where_they_are_printed() {
        for fixture in fixtures() {
            check(fixture.graph.grammar());
        }
        for seed in 0..200 {
            // Some derive nothing.
            if let Ok(grammar) = random_grammar(&mut Rng::new(seed)).parse() {
                check(&grammar);
            }
        }
        let long = format!(
            "s := {} | 'é' | [é\\n];",
            vec!["\"\\\"<|>\""; 40].join(" | ")
        );
        check(graph(&long).grammar());
    }
}
