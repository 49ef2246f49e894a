//! `pleach explain`: what a model says, in words.

use std::cmp::Reverse;
use std::path::PathBuf;

use clap::Args;
use pleach_associate::Model;
use pleach_associate::model::{Confusion, Known, Of};
use pleach_associate::tree::Node;
use serde::Serialize;

use super::refute::CrashArgs;
use crate::args::{ForceArgs, JsonArgs, RandomArgs};
use crate::failure::{Answer, Failure};
use crate::output::{Output, write_file};
use crate::report::{count, table};

use super::{load, named, page, percent};

/// The classes of one name that are explained at once.
const SHOWN: usize = 8;
/// The characters of an example that are shown.
const EXAMPLE: usize = 72;

/// Say what in the input goes with what in the program
///
/// Without a name, lists what the model has trees for, the rarest first: how many of its inputs are in each, and how often a tree was right
/// about inputs that it was not learned from. With the name of a function (its end is enough), or FILE:LINE, says when an input reaches it: patterns
/// of the k-paths that it has or does not have, and the smallest input on each side of each question.
///
/// Example: pleach explain json.model parse_object
///
/// With --crash, it is a fuzz target that is named, and an input that fails in it: an artifact of the engine. Variations of the input are run,
/// what sets apart those that fail in the same way is learned, and inputs that would refute it are tried, in rounds. The answer is what all that
/// fail have in common, the shortest of them, and the most similar input that passes.
///
/// Example: pleach explain json.model src/de.rs:120 --html object.html
///
/// Example: pleach explain json --crash fuzz/artifacts/json/crash-0a4d55
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("crash options").args(CrashArgs::NAMES).arg("random_seed").multiple(true).requires("crash"))]
pub(crate) struct Explain {
    /// The model; with --crash, the fuzz target
    model: PathBuf,
    /// A function, or FILE:LINE
    #[arg(value_name = "FUNCTION")]
    name: Option<String>,
    /// Write a page with the trees to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Say what this input, which fails in the target, has in common with others that fail in the same way
    #[arg(long, value_name = "ARTIFACT", conflicts_with_all = ["name", "html", "force"])]
    crash: Option<PathBuf>,
    #[command(flatten)]
    failing: CrashArgs,
    #[command(flatten)]
    random: RandomArgs,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    format: JsonArgs,
}

/// A class for a reader.
#[derive(Serialize)]
pub(super) struct ClassView {
    pub(super) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) package: String,
    /// The inputs of the model that are in the class.
    pub(super) inputs: u32,
    pub(super) trial: Trial,
}

/// How often a tree was right about inputs that it was not learned from.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Trial {
    pub(super) accuracy: Option<f64>,
    pub(super) precision: Option<f64>,
    pub(super) recall: Option<f64>,
}

impl Trial {
    pub(super) fn of(confusion: &Confusion) -> Trial {
        Trial {
            accuracy: confusion.accuracy(),
            precision: confusion.precision(),
            recall: confusion.recall(),
        }
    }
}

impl ClassView {
    pub(super) fn new(model: &Model, class: usize) -> ClassView {
        let Known {
            class: it, members, ..
        } = &model.known()[class];
        ClassView {
            name: it.name.clone(),
            file: it.place.as_ref().map(|place| place.file.clone()),
            line: it.place.as_ref().map(|place| place.line),
            package: it.package.clone(),
            inputs: *members,
            trial: Trial::of(&model.tree_of(class).trial),
        }
    }

    /// Where it is, if it is known.
    pub(super) fn place(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{}:{line}", without_registry(file)),
            _ => String::new(),
        }
    }
}

/// A path without the directory in which Cargo keeps packages of a registry.
pub(crate) fn without_registry(file: &str) -> &str {
    let below = file.split_once("/registry/src/").map(|(_, below)| below);
    let package = below.and_then(|it| it.split_once('/'));
    package.map_or(file, |(_, package)| package)
}

#[derive(Serialize)]
struct ListReport {
    target: String,
    inputs: u32,
    classes: Vec<ClassView>,
    always: Vec<String>,
    never: u32,
}

/// A class with its tree.
#[derive(Serialize)]
pub(super) struct TreeView {
    #[serde(flatten)]
    pub(super) class: ClassView,
    pub(super) rules: Vec<RuleView>,
    pub(super) tree: Vec<NodeView>,
}

/// A leaf as a sentence.
#[derive(Serialize)]
pub(super) struct RuleView {
    pub(super) is_member: bool,
    pub(super) members: u32,
    pub(super) others: u32,
    /// Phrases behind "the input".
    pub(super) conditions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) example: Option<String>,
}

/// A node of a tree.
#[derive(Serialize)]
pub(super) struct NodeView {
    pub(super) members: u32,
    pub(super) others: u32,
    pub(super) is_member: bool,
    /// What is asked here, behind "the input".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) question: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) yes: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) no: Option<u32>,
    /// The smallest input that comes here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) example: Option<String>,
}

impl TreeView {
    fn new(model: &Model, class: usize) -> TreeView {
        let taught = model.tree_of(class);
        let text = |at: u32| model.texts().get(at as usize);
        let example = |node: usize, side: Option<usize>| {
            let examples = taught.examples.get(node)?;
            let sides = examples.iter().enumerate();
            let sides = sides.filter(|(at, _)| side.is_none_or(|side| side == *at));
            let texts = sides.filter_map(|(_, example)| text((*example)?));
            let smallest = texts.min_by_key(|text| text.len())?;
            Some(String::from_utf8_lossy(smallest).into_owned())
        };
        let rules = model.rules(class).into_iter().map(|rule| RuleView {
            example: example(rule.leaf, Some(usize::from(!rule.is_member))),
            is_member: rule.is_member,
            members: rule.members,
            others: rule.others,
            conditions: rule.conditions,
        });
        let nodes = taught.tree.nodes().iter().enumerate();
        let nodes = nodes.map(|(at, node): (usize, &Node)| {
            let asked = node.question.and_then(|question| {
                let asked = model.asked().get(question.feature as usize)?;
                Some(model.in_words(asked.feature, true))
            });
            NodeView {
                members: node.members,
                others: node.others,
                is_member: node.is_member,
                question: asked,
                yes: node.question.map(|question| question.yes),
                no: node.question.map(|question| question.no),
                example: example(at, None),
            }
        });
        TreeView {
            class: ClassView::new(model, class),
            rules: rules.collect(),
            tree: nodes.collect(),
        }
    }
}

/// What an input in a class has done.
fn done(of: Of) -> &'static str {
    match of {
        Of::Functions => "reached",
        Of::Verdict => "rejected",
        Of::Crashes => "fails",
        Of::Slow => "slow",
    }
}

impl Explain {
    pub(crate) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        if let Some(artifact) = &self.crash {
            let target = self.model.to_string_lossy();
            return self
                .failing
                .run(&target, artifact, self.random, self.format, out);
        }
        let model = load(&self.model)?;
        let mut classes: Vec<usize> = match &self.name {
            Some(name) => named(&model, name)?,
            None => (0..model.known().len()).collect(),
        };
        // The rarest first; of equally rare ones, those whose tree was right more often.
        classes.sort_by_key(|&class| {
            let right = model.tree_of(class).trial.accuracy().unwrap_or(0.0);
            (model.known()[class].members, Reverse((right * 1e6) as u64))
        });
        if let Some(path) = &self.html {
            let trees = classes.iter().map(|&class| TreeView::new(&model, class));
            let page = page::page(&model, done(model.origin().of), trees);
            write_file(path, page.as_bytes(), self.force.existing())?;
            return Ok(Answer::Yes);
        }
        if self.name.is_none() {
            self.list(&model, &classes, out)?;
            return Ok(Answer::Yes);
        }
        if self.format.json {
            let trees = classes.iter().map(|&class| TreeView::new(&model, class));
            out.json(&trees.collect::<Vec<_>>())?;
            return Ok(Answer::Yes);
        }
        for (at, &class) in classes.iter().take(SHOWN).enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            print(&TreeView::new(&model, class), &model, out)?;
        }
        if let Some(more @ 1..) = classes.len().checked_sub(SHOWN) {
            writeln!(out, "\n{more} more of this name; give more of it")?;
        }
        Ok(Answer::Yes)
    }

    fn list(&self, model: &Model, classes: &[usize], out: &mut Output) -> Result<(), Failure> {
        let views = classes.iter().map(|&class| ClassView::new(model, class));
        let report = ListReport {
            target: model.origin().target.clone(),
            inputs: model.text_count(),
            classes: views.collect(),
            always: model.always().iter().map(|it| it.name.clone()).collect(),
            never: model.never(),
        };
        if self.format.json {
            return out.json(&report);
        }
        let mut rows = vec![
            [
                "inputs",
                "right",
                "precision",
                "recall",
                super::noun(model.origin().of),
            ]
            .map(str::to_owned)
            .to_vec(),
        ];
        let share = |share: Option<f64>| share.map_or_else(|| "-".into(), percent);
        for view in &report.classes {
            let place = match view.place() {
                place if place.is_empty() => String::new(),
                place => format!("  {place}"),
            };
            rows.push(vec![
                view.inputs.to_string(),
                share(view.trial.accuracy),
                share(view.trial.precision),
                share(view.trial.recall),
                format!("{}{place}", view.name),
            ]);
        }
        table(out, &rows)?;
        writeln!(
            out,
            "\nof {}; {} of all inputs and {} of none have no tree",
            count(report.inputs.into(), "input"),
            report.always.len(),
            report.never
        )
    }
}

/// A text in one line, cut if it is long.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::from("`");
    for (at, c) in text.chars().enumerate() {
        if at == EXAMPLE {
            shown.push('…');
            break;
        }
        match c {
            '"' | '\'' => shown.push(c),
            c => shown.extend(c.escape_debug()),
        }
    }
    shown.push('`');
    shown
}

fn print(view: &TreeView, model: &Model, out: &mut Output) -> Result<(), Failure> {
    let (class, of) = (&view.class, model.origin().of);
    let place = match class.place() {
        place if place.is_empty() => String::new(),
        place => format!("  {place}"),
    };
    writeln!(out, "{}{place}", class.name)?;
    let inputs = count(model.text_count().into(), "input");
    let right = class.trial.accuracy.map_or_else(String::new, |accuracy| {
        format!(
            "; a tree was right about {} of those that it was not learned from",
            percent(accuracy)
        )
    });
    writeln!(out, "{} of {inputs}{right}", class.inputs)?;
    for is_member in [true, false] {
        let rules = view.rules.iter().filter(|rule| rule.is_member == is_member);
        for rule in rules {
            let all = rule.members + rule.others;
            let own = if is_member { rule.members } else { rule.others };
            let not = if is_member { "" } else { "not " };
            let example = rule
                .example
                .as_ref()
                .map_or_else(String::new, |example| format!(", as in {}", shown(example)));
            writeln!(out, "\n{not}{} ({own} of {all}{example})", done(of))?;
            for (at, condition) in rule.conditions.iter().enumerate() {
                let word = if at == 0 { "when the input" } else { "and" };
                writeln!(out, "  {word} {condition}")?;
            }
        }
    }
    if view.tree.len() > 1 {
        writeln!(out)?;
        tree(view, out)?;
    }
    Ok(())
}

/// Prints a tree, a node a line.
fn tree(view: &TreeView, out: &mut Output) -> Result<(), Failure> {
    struct Branch {
        node: u32,
        /// What the lines of the branches around it begin with.
        bars: String,
        /// The answer that leads here, and whether it is the last of its question.
        side: Option<(bool, bool)>,
    }
    let mut open = vec![Branch {
        node: 0,
        bars: String::new(),
        side: None,
    }];
    while let Some(Branch {
        node: at,
        bars,
        side,
    }) = open.pop()
    {
        let Some(node) = view.tree.get(at as usize) else {
            continue;
        };
        let (all, own) = (node.members + node.others, node.members);
        let lead = match side {
            None => String::new(),
            Some((answer, is_last)) => format!(
                "{bars}{}{}: ",
                if is_last { "└ " } else { "├ " },
                if answer { "yes" } else { "no" }
            ),
        };
        let example = match &node.example {
            Some(example) if side.is_some() => format!(", as {}", shown(example)),
            _ => String::new(),
        };
        let question = match &node.question {
            Some(question) => format!("; {question}?"),
            None => String::new(),
        };
        writeln!(out, "{lead}{own} of {all}{example}{question}")?;
        let below = match side {
            None => bars,
            Some((_, true)) => format!("{bars}  "),
            Some((_, false)) => format!("{bars}│ "),
        };
        if let (Some(yes), Some(no)) = (node.yes, node.no) {
            for (node, side) in [(no, (false, true)), (yes, (true, false))] {
                open.push(Branch {
                    node,
                    bars: below.clone(),
                    side: Some(side),
                });
            }
        }
    }
    Ok(())
}
