//! `pleach show`: the derivation tree of one input.

use std::path::{Path, PathBuf};

use clap::Args;
use pleach_core::grammar::NodeKind;
use pleach_core::{Codec, Parser, Tree};
use serde::Serialize;

use super::args::{GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure};
use super::input::read_named;
use super::output::Output;
use super::recognize::{Kind, KindArgs};
use super::record::Codecs;
use super::source::Source;
use super::text::{BudgetArgs, parse_one, refused_text};

/// The longest text that JSON repeats at an inner node: a deep tree would repeat its sentence at every level.
const MAX_INNER_TEXT: usize = 4096;

/// Print the derivation tree that a choice sequence stands for, or that of a text
///
/// Of a text with several derivations, the tree is that of the canonical one, which `pleach encode` writes, too.
///
/// One symbolic node a line. With --json nested objects: name, kind, start and end in the sentence, text (null where it is
/// longer than 4096 bytes, except at the root) and children; `hex` besides where the text is not UTF-8.
///
/// Example: pleach show json.ebnf crash-1234 --dot | dot -Tsvg -o tree.svg
#[derive(Args, Debug)]
pub(super) struct Show {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// The choice sequence, or the text; `-` reads standard input
    file: PathBuf,
    #[command(flatten)]
    kind: KindArgs,
    /// Print a Graphviz graph
    #[arg(long, conflicts_with = "json")]
    dot: bool,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    format: JsonArgs,
}

impl Show {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load()?;
        let mut bytes = Vec::new();
        let name = read_named(&self.file, &self.grammar.grammar, &mut bytes)?;
        let input = Input {
            kind: self
                .kind
                .of_file(&source.graph, &self.file, &name, &bytes)?,
            path: &self.file,
            name: &name,
            bytes,
        };
        let form = Form::new(self.format, self.dot);
        print_tree(&source, input, self.budget, form, out)
    }
}

/// How a tree is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Lines,
    Dot,
    Json,
}

impl Form {
    pub(super) fn new(format: JsonArgs, dot: bool) -> Form {
        match (format.json, dot) {
            (true, _) => Form::Json,
            (_, true) => Form::Dot,
            _ => Form::Lines,
        }
    }
}

/// What has a tree.
pub(super) struct Input<'a> {
    pub(super) path: &'a Path,
    /// How messages name it.
    pub(super) name: &'a str,
    pub(super) bytes: Vec<u8>,
    pub(super) kind: Kind,
}

/// Prints the tree of an input.
pub(super) fn print_tree(
    source: &Source,
    input: Input<'_>,
    budget: BudgetArgs,
    form: Form,
    out: &mut Output,
) -> Result<Answer, Failure> {
    let Input {
        path,
        name,
        bytes,
        kind,
    } = input;
    budget.check(kind)?;
    let mut codecs = Codecs::new(&source.graph);
    let tree = match kind {
        Kind::Choices => Tree::decode(codecs.of(path), &bytes),
        Kind::Texts => {
            let mut choices = Vec::new();
            let parser = Parser::new(&source.graph);
            let parsed = parse_one(&parser, name, &bytes, budget, |forest| {
                forest.choices(&mut choices)
            });
            parsed?
                .map_err(|error| Failure::Pointed(Box::new(refused_text(&error, name, &bytes))))?;
            Tree::decode(&Codec::new(&source.graph), &choices)
        }
    };
    codecs.tell(&source.name);
    match form {
        Form::Json => write_json(&tree, out)?,
        Form::Dot => out.bytes(tree.to_dot().as_bytes())?,
        Form::Lines => write!(out, "{tree}")?,
    }
    Ok(Answer::Yes)
}

/// What JSON says of a node beside its children.
#[derive(Serialize)]
struct NodeView<'a> {
    name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    production: Option<&'a str>,
    start: usize,
    end: usize,
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

impl<'a> NodeView<'a> {
    /// `None` for synthetic nodes.
    fn new(tree: &'a Tree, at: usize) -> Option<NodeView<'a>> {
        let grammar = tree.graph().grammar();
        let node = &tree.nodes()[at];
        let (name, kind, target) = match node.node {
            None => {
                let name = &*grammar[grammar.start()].name;
                (name.to_owned(), "start", Some(name))
            }
            Some(id) => {
                let name = grammar.symbol_name(grammar.symbol_of(id)?);
                match grammar[id].kind {
                    NodeKind::Reference(target) => {
                        (name, "reference", Some(&*grammar[target].name))
                    }
                    NodeKind::Literal(_) => (name, "literal", None),
                    _ => (name, "class", None),
                }
            }
        };
        let text = &tree.sentence()[node.text.clone()];
        let shown = at == 0 || text.len() <= MAX_INNER_TEXT;
        let is_text = std::str::from_utf8(text).is_ok();
        Some(NodeView {
            name,
            kind,
            production: target,
            start: node.text.start,
            end: node.text.end,
            text: shown.then(|| String::from_utf8_lossy(text).into_owned()),
            hex: (shown && !is_text)
                .then(|| text.iter().map(|byte| format!("{byte:02x}")).collect()),
        })
    }
}

/// Writes nested objects with a stack of its own: trees are as deep as whoever made the input likes.
fn write_json(tree: &Tree, out: &mut Output) -> Result<(), Failure> {
    let nodes = tree.nodes();
    // The symbolic nodes that are open, each with whether it has children already.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for at in 0..nodes.len() {
        while open
            .pop_if(|&mut (above, _)| nodes[above].end as usize <= at)
            .is_some()
        {
            out.bytes(b"]}")?;
        }
        let Some(view) = NodeView::new(tree, at) else {
            continue;
        };
        if let Some((_, has_children)) = open.last_mut()
            && std::mem::replace(has_children, true)
        {
            out.bytes(b",")?;
        }
        let object = serde_json::to_string(&view)
            .map_err(|error| Failure::Wrong(format!("cannot write JSON: {error}")))?;
        out.bytes(object.strip_suffix('}').unwrap_or(&object).as_bytes())?;
        out.bytes(b",\"children\":[")?;
        open.push((at, false));
    }
    for _ in open {
        out.bytes(b"]}")?;
    }
    out.bytes(b"\n")
}
