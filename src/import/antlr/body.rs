//! The right sides of a lexer's productions.
//!
//! Letters that match in either case, one after the other (`S E L E C T` with `fragment S : [sS];` and so on), are one text in
//! either case.

use super::super::Effect;
use std::collections::BTreeMap;

use super::analysis::{empty_nodes, is_lazy};
use super::lexer::{Variant, Writer, set_of};
use super::model::{Kind, NodeId, Rule, local};
use super::sets;
use super::shortest::shortest;
use pleach_core::grammar::ast::{Alternative, Ast, ExprId, Span};

/// What may be empty stays so if it would become larger than this without: a sequence then has one alternative for each part that may come
/// first.
const MAX_SOME: u64 = 20_000;

/// The expressions of the nodes of an alternative; those of leaves are made where they are used.
struct Body<'r> {
    rule: &'r Rule,
    variant: Variant,
    empty: Vec<bool>,
    lazy: Vec<bool>,
    /// `None` for what derives nothing at all.
    exprs: Vec<Option<ExprId>>,
    /// The same without the empty text.
    somes: Vec<Option<ExprId>>,
    /// How large both are, written out.
    sizes: Vec<(u64, u64)>,
    /// Nodes that are one of several, or that may be left out.
    is_choice: Vec<bool>,
}

impl Writer<'_> {
    /// The right side of a production. `None` if it derives nothing at all.
    pub(super) fn body(&mut self, variant: Variant) -> Option<ExprId> {
        let (system, lexer) = (self.system, self.lexer);
        let rule = &system.rules[variant.rule];
        let mut body = Body {
            rule,
            variant,
            empty: empty_nodes(system, rule, &lexer.empty),
            lazy: Vec::with_capacity(rule.nodes.len()),
            exprs: vec![None; rule.nodes.len()],
            somes: vec![None; rule.nodes.len()],
            sizes: vec![(1, 1); rule.nodes.len()],
            is_choice: vec![false; rule.nodes.len()],
        };
        for id in rule.node_ids() {
            match &system.nodes[id].kind {
                Kind::One(parts) => {
                    for &part in parts {
                        body.is_choice[local(rule, part)] = true;
                    }
                }
                Kind::Repeat {
                    subject, min: 0, ..
                } => {
                    body.is_choice[local(rule, *subject)] = true;
                }
                _ => {}
            }
            let parts = super::model::parts(&system.nodes[id].kind).iter();
            let inside = parts.map(|&part| body.lazy[local(rule, part)]);
            let inside = inside.fold(false, |all, one| all | one);
            body.lazy.push(inside || is_lazy(system, id, &lexer.lazy));
        }
        let mut roots: Vec<ExprId> = Vec::new();
        for &number in &lexer.spelling(variant).alternatives {
            let root = rule.alternatives[number].node;
            let first = match number.checked_sub(1) {
                Some(before) => rule.alternatives[before].node.0 + 1,
                None => rule.nodes.start,
            };
            roots.extend(self.alternative(&mut body, first, root));
        }
        alternation(&mut self.ast, &roots, rule.span)
    }

    fn alternative(&mut self, body: &mut Body<'_>, first: u32, root: NodeId) -> Option<ExprId> {
        let system = self.system;
        let at = local(body.rule, root);
        if body.lazy[at] {
            let elements = match &system.nodes[root].kind {
                Kind::All(parts) => parts,
                _ => &vec![root],
            };
            // What is a text or a set is the same before a loop as anywhere.
            let fixed = elements
                .iter()
                .take_while(|&&it| !body.lazy[local(body.rule, it)] && self.is_fixed(body, it));
            let fixed = fixed.count();
            let is_some = body.variant.is_some && fixed == 0;
            let rest = &elements[fixed..];
            let found = shortest(
                system,
                self.lexer,
                body.variant,
                rest,
                is_some,
                &mut self.budget,
            );
            if let Some((regular, re)) = found {
                let span = system.nodes[root].span;
                if self.lexer.cycles[body.variant.rule].is_some() {
                    self.cut(body.variant.rule);
                }
                let mut rules = BTreeMap::new();
                for rule in regular.rules() {
                    let name = &system.rules[rule].name;
                    rules.extend(self.reference(body, name, span, false).map(|it| (rule, it)));
                }
                let rest = regular.write(re?, &rules, &mut self.ast, span);
                let mut parts = self.run(body, &elements[..fixed])?;
                parts.push(rest);
                return Some(concatenation(&mut self.ast, &parts, span));
            }
            if body.variant.depth == 0 {
                let what = format!("that the loops of `{}` are not greedy", body.rule.name);
                self.remark(system.nodes[root].span, what, Effect::Larger);
            }
        }
        for id in (first..=root.0).map(NodeId) {
            let expr = self.node(body, id);
            let at = local(body.rule, id);
            body.exprs[at] = expr;
            if body.variant.is_some {
                body.sizes[at] = self.sizes(body, id);
                body.somes[at] = match body.empty[at] && body.sizes[at].1 <= MAX_SOME {
                    true => self.some(body, id),
                    false => expr,
                };
            }
        }
        match body.variant.is_some {
            true => self.get_some(body, root),
            false => self.get(body, root),
        }
    }

    fn is_fixed(&self, body: &Body<'_>, node: NodeId) -> bool {
        matches!(&self.system.nodes[node].kind, Kind::Text(text) if !text.is_empty())
            || set_of(self.system, body.variant.rule, node).is_some()
    }

    /// The expression of a node whose parts have theirs. Leaves have none yet.
    fn node(&mut self, body: &Body<'_>, id: NodeId) -> Option<ExprId> {
        let system = self.system;
        let span = system.nodes[id].span;
        match &system.nodes[id].kind {
            Kind::All(parts) => {
                let parts = self.run(body, parts)?;
                Some(concatenation(&mut self.ast, &parts, span))
            }
            Kind::One(parts) => {
                let mut exprs = Vec::with_capacity(parts.len());
                for &part in parts {
                    exprs.extend(self.get(body, part));
                }
                alternation(&mut self.ast, &exprs, span)
            }
            &Kind::Repeat {
                subject, min, max, ..
            } => match self.get(body, subject) {
                Some(expr) => Some(self.ast.quantifier(expr, min, max, span)),
                None if min == 0 => Some(self.ast.concatenation(&[], span)),
                None => None,
            },
            _ => None,
        }
    }

    /// How large the expressions of a node are, with and without the empty text.
    fn sizes(&self, body: &Body<'_>, id: NodeId) -> (u64, u64) {
        let of = |part: &NodeId| body.sizes[local(body.rule, *part)];
        let (mut all, mut some) = (1_u64, 1_u64);
        let kind = &self.system.nodes[id].kind;
        for (all_of, some_of) in super::model::parts(kind).iter().rev().map(of) {
            some = some.saturating_add(some_of);
            if matches!(kind, Kind::All(_)) {
                some = some.saturating_add(all);
            }
            all = all.saturating_add(all_of);
        }
        match body.empty[local(body.rule, id)] {
            true if some <= MAX_SOME => (all, some),
            true => (all, MAX_SOME + 1),
            false => (all, all),
        }
    }

    /// The expression of a node that derives the empty text among others, without that.
    fn some(&mut self, body: &Body<'_>, id: NodeId) -> Option<ExprId> {
        let system = self.system;
        let span = system.nodes[id].span;
        match &system.nodes[id].kind {
            Kind::All(parts) => {
                // The first part that is not empty may be any of them.
                let mut exprs = Vec::new();
                for (at, &part) in parts.iter().enumerate() {
                    let Some(first) = self.get_some(body, part) else {
                        continue;
                    };
                    let mut all = vec![first];
                    if let Some(rest) = self.run(body, &parts[at + 1..]) {
                        all.extend(rest);
                        exprs.push(concatenation(&mut self.ast, &all, span));
                    }
                }
                alternation(&mut self.ast, &exprs, span)
            }
            Kind::One(parts) => {
                let mut exprs = Vec::new();
                for &part in parts {
                    exprs.extend(self.get_some(body, part));
                }
                alternation(&mut self.ast, &exprs, span)
            }
            &Kind::Repeat { subject, max, .. } => {
                let subject = self.get_some(body, subject)?;
                Some(match max {
                    Some(1) => subject,
                    max => self.ast.quantifier(subject, 1, max, span),
                })
            }
            _ => None,
        }
    }

    fn get_some(&mut self, body: &Body<'_>, id: NodeId) -> Option<ExprId> {
        let at = local(body.rule, id);
        match &self.system.nodes[id].kind {
            Kind::Name(_) if body.empty[at] => self.leaf(body, id, true),
            Kind::Eof | Kind::Predicate { .. } => None,
            Kind::Text(text) if text.is_empty() => None,
            _ if is_leaf(&self.system.nodes[id].kind) => self.leaf(body, id, false),
            _ => body.somes[at],
        }
    }

    fn get(&mut self, body: &Body<'_>, id: NodeId) -> Option<ExprId> {
        match is_leaf(&self.system.nodes[id].kind) {
            true => self.leaf(body, id, false),
            false => body.exprs[local(body.rule, id)],
        }
    }

    fn leaf(&mut self, body: &Body<'_>, id: NodeId, is_some: bool) -> Option<ExprId> {
        let system = self.system;
        let span = system.nodes[id].span;
        match &system.nodes[id].kind {
            Kind::Text(text) => Some(text_expr(&mut self.ast, text, body.rule.is_caseless, span)),
            Kind::Set(_) | Kind::Any | Kind::Not(_) => {
                let set = match set_of(system, body.variant.rule, id) {
                    Some(set) => set,
                    None => {
                        self.remark(
                            span,
                            "what `~` takes away: it is not a set of characters",
                            Effect::Larger,
                        );
                        sets::universe()
                    }
                };
                let class = sets::class(&set)?;
                Some(self.ast.char_class(class, span))
            }
            Kind::Eof => self.end_of_file(body, id),
            Kind::Predicate { .. } => {
                let what = "a predicate";
                self.remark(span, what, Effect::Larger);
                Some(self.ast.concatenation(&[], span))
            }
            Kind::Name(name) => self.reference(body, name, span, is_some),
            _ => None,
        }
    }

    /// A reference to a rule: to all its spellings.
    fn reference(
        &mut self,
        body: &Body<'_>,
        name: &str,
        span: Span,
        is_some: bool,
    ) -> Option<ExprId> {
        let lexer = self.lexer;
        let Some(rule) = self.system.rule(name) else {
            // Lowering says that it is not there.
            let id = self.names.id(&mut self.ast, name);
            return Some(self.ast.reference(id, span));
        };
        if !self.system.rules[rule].is_lexical() {
            let id = self.names.id(&mut self.ast, name);
            return Some(self.ast.reference(id, span));
        }
        let Some(depth) = lexer.depth(body.variant, rule) else {
            self.cut(rule);
            return None;
        };
        let mut exprs = Vec::new();
        for spelling in 0..lexer.spellings[rule].len() as u32 {
            let id = self.variant(Variant {
                rule,
                spelling,
                depth,
                is_some,
            });
            exprs.push(self.ast.reference(id, span));
        }
        alternation(&mut self.ast, &exprs, span)
    }

    /// The expressions of elements in order, letters in either case joined. `None` if one of them derives nothing.
    fn run(&mut self, body: &Body<'_>, elements: &[NodeId]) -> Option<Vec<ExprId>> {
        let mut exprs = Vec::with_capacity(elements.len());
        let mut rest = elements;
        while let [first, others @ ..] = rest {
            let (text, letters, count) = self.word(body, rest);
            if letters < 2 || count < 2 {
                exprs.push(self.get(body, *first)?);
                rest = others;
                continue;
            }
            let span = self.system.nodes[*first].span;
            let last = self.system.nodes[rest[count - 1]].span;
            exprs.push(self.ast.any_case(text.as_bytes(), span.to(last)));
            rest = &rest[count..];
        }
        Some(exprs)
    }

    /// The text in either case that elements begin with: the text, its letters, and how many elements it is.
    fn word(&self, body: &Body<'_>, elements: &[NodeId]) -> (String, usize, usize) {
        let system = self.system;
        let (mut text, mut letters) = (String::new(), 0);
        for (count, &id) in elements.iter().enumerate() {
            let letter = match &system.nodes[id].kind {
                Kind::Name(name) => {
                    let rule = system.rule(name);
                    rule.and_then(|rule| self.lexer.letters[rule])
                }
                Kind::Set(_) | Kind::One(_) => {
                    let set = set_of(system, body.variant.rule, id);
                    set.and_then(|set| sets::letter(&set))
                }
                Kind::Text(more)
                    if more.is_ascii()
                        && (body.rule.is_caseless || !more.contains(char::is_alphabetic)) =>
                {
                    text.push_str(more);
                    letters += more.chars().filter(char::is_ascii_alphabetic).count();
                    // Words begin with a letter.
                    match letters {
                        0 => return (text, 0, count),
                        _ => continue,
                    }
                }
                _ => None,
            };
            match letter {
                Some(letter) => {
                    text.push(letter);
                    letters += 1;
                }
                None => return (text, letters, count),
            }
        }
        (text, letters, elements.len())
    }

    /// The end of the file in a token is nothing. That is right where the text could go on otherwise: what is read is as long
    /// as it can be. Where a whole alternative ends with it, that one is left out, and where there is no other, the token should be
    /// the last one.
    fn end_of_file(&mut self, body: &Body<'_>, id: NodeId) -> Option<ExprId> {
        let span = self.system.nodes[id].span;
        let alternatives = &body.rule.alternatives;
        let is_alone = alternatives.len() == 1;
        let is_own = alternatives.iter().any(|it| it.node == id);
        let is_choice = body.is_choice[local(body.rule, id)];
        let is_end_or = is_own && body.rule.is_fragment && !is_alone;
        if !is_choice && !is_end_or {
            let (what, effect) = match is_alone {
                true => ("that the file ends behind", Effect::Larger),
                false => ("the end of the file as the end of", Effect::Smaller),
            };
            self.remark(span, format!("{what} `{}`", body.rule.name), effect);
            if !is_alone {
                return None;
            }
        }
        Some(self.ast.concatenation(&[], span))
    }
}

fn is_leaf(kind: &Kind) -> bool {
    !matches!(kind, Kind::All(_) | Kind::One(_) | Kind::Repeat { .. })
}

/// A text, possibly in either case.
pub(super) fn text_expr(ast: &mut Ast, text: &str, is_caseless: bool, span: Span) -> ExprId {
    if text.is_empty() {
        return ast.concatenation(&[], span);
    }
    if !is_caseless {
        return ast.literal(text.as_bytes(), span);
    }
    // Letters beyond ASCII that have another case are classes.
    let mut parts = Vec::new();
    let mut plain = String::new();
    for c in text.chars() {
        let set = sets::caseless(&sets::single(c));
        if c.is_ascii()
            || set.ranges().len() == 1 && set.ranges()[0].start() == set.ranges()[0].end()
        {
            plain.push(c);
            continue;
        }
        if !plain.is_empty() {
            parts.push(ast.any_case(plain.as_bytes(), span));
            plain.clear();
        }
        if let Some(class) = sets::class(&set) {
            parts.push(ast.char_class(class, span));
        }
    }
    if !plain.is_empty() {
        parts.push(ast.any_case(plain.as_bytes(), span));
    }
    concatenation(ast, &parts, span)
}

/// All of several, or the only one.
pub(super) fn concatenation(ast: &mut Ast, parts: &[ExprId], span: Span) -> ExprId {
    match parts {
        [only] => *only,
        _ => ast.concatenation(parts, span),
    }
}

/// One of several, or the only one; `None` of none.
pub(super) fn alternation(ast: &mut Ast, parts: &[ExprId], span: Span) -> Option<ExprId> {
    match parts {
        [] => None,
        [only] => Some(*only),
        _ => {
            let alternatives = parts.iter().map(|&expr| Alternative {
                expr,
                probability: None,
            });
            Some(ast.alternation(&alternatives.collect::<Vec<_>>(), span))
        }
    }
}
