//! The trees of a model as a page: one file, no scripts, nothing loaded from elsewhere.

use std::fmt::Write as _;

use pleach_associate::Model;

use crate::html::{STYLE, escape};
use crate::report::count;

use super::explain::{TreeView, shown};
use super::percent;

const OWN_STYLE: &str = "summary{cursor:pointer}ul{list-style:none;padding-left:1.2em;border-left:1px solid #ccc}\
.yes{color:#185}.no{color:#a33}h2{margin-bottom:.2em}";

/// The page of some trees.
pub(super) fn page(model: &Model, done: &str, trees: impl Iterator<Item = TreeView>) -> String {
    let target = escape(&model.origin().target);
    let inputs = count(model.text_count().into(), "input");
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>What inputs of {target} reach</title>\n\
         <style>{STYLE}{OWN_STYLE}</style>\n<h1>What inputs of {target} reach</h1>\n<p>{inputs}</p>\n"
    );
    for view in trees {
        tree(&mut page, &view, done);
    }
    page.push_str("</html>\n");
    page
}

fn tree(page: &mut String, view: &TreeView, done: &str) {
    let class = &view.class;
    let right = class.trial.accuracy.map_or_else(String::new, |accuracy| {
        format!(
            ", right about {} of those not learned from",
            percent(accuracy)
        )
    });
    // Writing to a string cannot fail.
    let _ = writeln!(
        page,
        "<h2><code>{}</code></h2>\n<p>{}<br>{}{right}</p>\n<details open><summary>when it is {done}</summary>",
        escape(&class.name),
        escape(&class.place()),
        count(class.inputs.into(), "input"),
    );
    // Nodes that are to be written, and ends of lists.
    enum Task {
        Node(u32, &'static str),
        End,
    }
    let mut tasks = vec![Task::Node(0, "")];
    while let Some(task) = tasks.pop() {
        let (at, answer) = match task {
            Task::End => {
                page.push_str("</ul>\n");
                continue;
            }
            Task::Node(at, answer) => (at, answer),
        };
        let Some(node) = view.tree.get(at as usize) else {
            continue;
        };
        let side = if node.is_member { "yes" } else { "no" };
        let example = node.example.as_ref().map_or_else(String::new, |example| {
            format!(", as <code>{}</code>", escape(&shown(example)))
        });
        let _ = write!(
            page,
            "<li>{answer}<span class=\"{side}\">{} of {}</span>{example}",
            node.members,
            node.members + node.others
        );
        if let Some(question) = &node.question {
            let _ = write!(page, ": <code>{}</code>?", escape(question));
        }
        page.push_str("</li>\n");
        if let (Some(yes), Some(no)) = (node.yes, node.no) {
            page.push_str("<ul>\n");
            tasks.push(Task::End);
            tasks.push(Task::Node(no, "no: "));
            tasks.push(Task::Node(yes, "yes: "));
        }
    }
    page.push_str("</details>\n");
}
