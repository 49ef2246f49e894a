//! `pleach show-model`: a model for readers, and in its other forms.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use pleach_core::Codec;
use pleach_core::choice::{ClassCode, MemberChoice};
use pleach_core::grammar::print::Literal;
use pleach_core::grammar::{Grammar, NodeKind};
use pleach_core::id::NodeId;
use pleach_core::model::{Model, ONE, Outcome};

use super::args::{ForceArgs, GrammarArgs, JsonArgs};
use super::failure::{Answer, Failure};
use super::model::{ReadingArgs, load, write};
use super::output::{Output, write_file};
use super::report::{count, size};

/// The members of a class that are shown, the likeliest first, and the likeliest numbers of repetitions.
const SHOWN: usize = 12;

/// Print a model, or write it in another form
///
/// Shows how likely each choice is; without a MODEL, as the grammar's own probabilities say. With -o the model is written to a
/// FILE: as JSON if the name ends in .json, as the grammar with the probabilities of its alternatives if it ends in .ebnf (the
/// notation has none for repetitions, members of classes and contexts), else in binary. Every verb reads models in JSON and in
/// binary, and annotated grammars.
///
/// Example: pleach model show json json.model --mode uncommon
#[derive(Args, Debug)]
pub(super) struct ShowModel {
    #[command(flatten)]
    grammar: GrammarArgs,
    /// The model, in binary or JSON
    model: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Show each context apart
    #[arg(long)]
    contexts: bool,
    /// Write the model to this file instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    format: JsonArgs,
}

impl ShowModel {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let source = self.grammar.load()?;
        let codec = Arc::new(Codec::new(&source.graph));
        let model = match &self.model {
            Some(path) => load(path, &codec)?,
            None => Model::stated(&codec),
        };
        match &self.output {
            Some(path) => self.write(path, &model, out)?,
            None if self.format.json => out.bytes(model.to_json().as_bytes())?,
            None => self.print(&model, out)?,
        }
        Ok(Answer::Yes)
    }

    fn write(&self, path: &Path, model: &Model, out: &mut Output) -> Result<(), Failure> {
        let existing = self.force.existing();
        let bytes = match path.extension().is_some_and(|it| it == "ebnf") {
            true => {
                let text = model.annotate(&self.reading.reading()).to_string();
                write_file(path, text.as_bytes(), existing)?;
                text.len() as u64
            }
            false if self.reading.is_given() => {
                return Err(Failure::new(
                    "a model keeps counts, of which each verb makes what it is told",
                    "leave out --mode, --damping and --exponent, or write a grammar by -o FILE.ebnf",
                ));
            }
            false => write(path, model, existing)?,
        };
        match self.format.json {
            true => out.json(&serde_json::json!({ "bytes": bytes })),
            false => writeln!(out, "{}", size(bytes)),
        }
    }

    fn print(&self, model: &Model, out: &mut Output) -> Result<(), Failure> {
        let samples = count(model.samples(), "sample");
        let order = count(model.order() as u64, "reference");
        let contexts = count(model.context_count() as u64, "context");
        let smoothing = decimal(model.smoothing());
        writeln!(
            out,
            "{samples}, {contexts} of {order}, smoothing {smoothing}"
        )?;
        let reading = self.reading.reading();
        let grammar = model.graph().grammar();
        if self.contexts {
            for context in model.contexts() {
                let production = &grammar[context.production];
                let nodes =
                    (0..production.node_count).map(|at| NodeId(production.first_node.0 + at));
                let read = |node| model.outcomes_in(&context, node, &reading);
                let path = context.path.join(">");
                let heading = format!("{} below {path}", production.name);
                let heading = if path.is_empty() {
                    &production.name
                } else {
                    &*heading
                };
                print_production(model, heading, nodes, read, out)?;
            }
            return Ok(());
        }
        for (_, production) in grammar.productions().iter() {
            let nodes = (0..production.node_count).map(|at| NodeId(production.first_node.0 + at));
            let read = |node| model.outcomes(node, &reading);
            print_production(model, &production.name, nodes, read, out)?;
        }
        Ok(())
    }
}

/// Prints what the nodes of a production choose; nothing if nothing is specified.
fn print_production(
    model: &Model,
    heading: &str,
    nodes: impl Iterator<Item = NodeId>,
    read: impl Fn(NodeId) -> Vec<Outcome>,
    out: &mut Output,
) -> Result<(), Failure> {
    let grammar = model.graph().grammar();
    let mut is_new = true;
    for node in nodes {
        let outcomes = read(node);
        if outcomes.is_empty() {
            continue;
        }
        let is_root = grammar[node].parent.is_none() && grammar[node].kind == NodeKind::Alternation;
        if std::mem::take(&mut is_new) {
            writeln!(out, "\n{heading}")?;
        }
        let indent = if is_root { "  " } else { "    " };
        if !is_root {
            writeln!(out, "  {}", grammar.display(node))?;
        }
        for (share, what) in lines(model, grammar, node, &outcomes) {
            writeln!(out, "{indent}{share:>7}  {what}")?;
        }
    }
    Ok(())
}

/// The shares of a node's outcomes, and what they are.
fn lines(
    model: &Model,
    grammar: &Grammar,
    node: NodeId,
    outcomes: &[Outcome],
) -> Vec<(String, String)> {
    let total: f64 = outcomes.iter().map(|it| it.weight as f64).sum();
    let share = |weight: f64| match weight {
        0.0 => "0 %".to_owned(),
        _ => format!("{:.1} %", weight * 100.0 / total.max(1.0)),
    };
    let class = match grammar[node].kind {
        NodeKind::Alternation => {
            let children = grammar.children(node);
            let line = |it: &Outcome| {
                let what = grammar.display(children[it.head as usize]).to_string();
                (share(it.weight as f64), what)
            };
            return outcomes.iter().map(line).collect();
        }
        NodeKind::Class(class) => Some(model.codec().class(class)),
        _ => None,
    };
    let mut sorted: Vec<&Outcome> = outcomes.iter().filter(|it| it.weight > 0).collect();
    sorted.sort_by_key(|it| std::cmp::Reverse(it.weight));
    let others = sorted.split_off(sorted.len().min(SHOWN));
    if class.is_none() {
        sorted.sort_by_key(|it| it.low);
    }
    let line = |it: &&Outcome| {
        let what = match class {
            Some(class) => members(class, it),
            None => times(it.low, it.high),
        };
        (share(it.weight as f64), what)
    };
    let mut lines: Vec<(String, String)> = sorted.iter().map(line).collect();
    if !others.is_empty() {
        let weight: f64 = others.iter().map(|it| it.weight as f64).sum();
        lines.push((share(weight), format!("{} more", others.len())));
    }
    lines
}

fn members(class: &ClassCode, outcome: &Outcome) -> String {
    let member = |rest| {
        let mut text = [0; 4];
        let head = outcome.head;
        let len = class.write(MemberChoice { head, rest }, &mut text);
        Literal(&text[..len]).to_string()
    };
    match outcome.low == outcome.high {
        true => member(outcome.low),
        false => format!("{} to {}", member(outcome.low), member(outcome.high)),
    }
}

fn times(low: u32, high: u32) -> String {
    match (low, high) {
        (1, 1) => "once".into(),
        (low, high) if low == high => format!("{low} times"),
        (low, high) => format!("{low} to {high} times"),
    }
}

/// A count with its decimals.
fn decimal(count: u64) -> String {
    let (whole, decimals) = (count / ONE, count % ONE);
    match decimals {
        0 => whole.to_string(),
        _ => format!("{whole}.{decimals:09}")
            .trim_end_matches('0')
            .to_owned(),
    }
}
