//! Quantifiers whose subject can be nothing: `("a"?)*`. Repeating nothing derives nothing new, so half of such choices are lost,
//! and where nothing *has* to be repeated there are several ways to do it.

use crate::grammar::NodeKind;
use crate::graph::Graph;

use super::{Finding, Kind, Severity, expression};

pub(super) fn find(graph: &Graph) -> Vec<Finding> {
    let grammar = graph.grammar();
    let mut findings = Vec::new();
    for (id, node) in grammar.nodes().iter() {
        let NodeKind::Quantifier { min, max } = node.kind else {
            continue;
        };
        let Some(&subject) = grammar.children(id).first() else {
            continue;
        };
        if graph.costs(subject).length > 0 {
            continue;
        }
        let name = &grammar[node.production].name;
        let repetition = expression(grammar, id);
        let (message, suggestion, severity) = match (min, max) {
            (0, Some(1)) => (
                format!("`{name}` makes optional what can be nothing anyway: `{repetition}`"),
                "take the `?` away, or demand something of what is optional",
                Severity::Info,
            ),
            _ => (
                format!("`{name}` repeats what can be nothing: `{repetition}`"),
                "demand something of what is repeated, as in `(\"a\"+)*` or `\"a\"*` for `(\"a\"?)*`",
                Severity::Warning,
            ),
        };
        findings.push(Finding::new(
            grammar,
            Kind::NullableRepetition,
            severity,
            node.production,
            message,
            suggestion,
        ));
    }
    findings
}
