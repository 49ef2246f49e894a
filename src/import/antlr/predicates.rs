//! Predicates that say what their names say.
//!
//! What a predicate asks is code, and not read. One kind changes what a lexer reads everywhere if it is taken for true: that a
//! token has a spelling at the beginning of the input only, as in `NEWLINE : {atStartOfInput()}? SPACES | '\n' SPACES?`, where all
//! blanks would become line breaks. Such a spelling is left out, if the token has others.

use super::super::{Effect, Remark};
use super::model::{Kind, Node, NodeId, Nodes, Rule};

/// Whether the code of a predicate asks for the beginning of the input.
pub(super) fn is_start(code: &str) -> bool {
    let letters = code.chars().filter(char::is_ascii_alphanumeric);
    let letters: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let asks = [
        "startofinput",
        "startoffile",
        "beginningofinput",
        "beginningoffile",
    ];
    !code.contains('!') && asks.iter().any(|asked| letters.contains(asked))
}

/// Leaves out spellings at the beginning of the input, where a rule of the lexer has others.
pub(super) fn leave_out_starts(nodes: &mut Nodes, rules: &[Rule], remarks: &mut Vec<Remark>) {
    let asks = |nodes: &Nodes, id: NodeId| match &nodes[id].kind {
        Kind::Predicate { is_start } => *is_start,
        Kind::All(parts) => parts
            .first()
            .is_some_and(|&first| matches!(nodes[first].kind, Kind::Predicate { is_start: true })),
        _ => false,
    };
    for rule in rules.iter().filter(|rule| rule.is_lexical()) {
        let roots = rule.alternatives.iter().map(|it| it.node).collect();
        let mut choices: Vec<Vec<NodeId>> = vec![roots];
        for id in rule.node_ids() {
            if let Kind::One(parts) = &nodes[id].kind {
                choices.push(parts.clone());
            }
        }
        for choice in choices {
            let (starts, others): (Vec<NodeId>, Vec<NodeId>) =
                choice.into_iter().partition(|&id| asks(nodes, id));
            if others.is_empty() {
                continue;
            }
            for id in starts {
                let Node { kind, span } = &mut nodes[id];
                *kind = Kind::One(Vec::new());
                remarks.push(Remark {
                    span: *span,
                    what: format!("what `{}` is at the beginning of the input only", rule.name),
                    effect: Effect::Smaller,
                });
            }
        }
    }
}
