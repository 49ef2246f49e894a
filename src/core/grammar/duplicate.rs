//! Duplicating context: coverage of what is derived *where*.
//!
//! Coverage of expansions, and of k-paths, does not ask how a nonterminal was reached, beyond k. Where that matters, the grammar
//! can say so: an alternative gets copies of everything that it refers to, one for each written reference, which are then covered
//! apart (The Fuzzing Book, chapter *Grammar Coverage*, coverage in context). A reference in a copy to something that was copied
//! on the way there becomes a reference to that copy, so recursion stays recursion; everything else is copied once more. What is
//! not reached any more is removed. The language stays the same.
//!
//! Copies multiply along the way, so their number can be exponential in the depth: it is bounded by [`MAX_NODES`]. O(depth) for each
//! copied reference; no recursion.

use std::collections::{BTreeMap, BTreeSet};

use crate::grammar::ast::{Alternative, Ast, ExprId, NameId, Span};
use crate::grammar::{Error as GrammarError, Grammar, NodeKind, Role};
use crate::id::{Id as _, NodeId, ProductionId};

/// The most nodes that copies may have.
pub const MAX_NODES: usize = 1 << 20;

/// A context that cannot be duplicated.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such alternative.
    #[error("`{production}` has no alternative {alternative}\nhelp: {}", alternatives(.count))]
    NoAlternative {
        /// The nonterminal.
        production: Box<str>,
        /// What was asked for.
        alternative: u32,
        /// The alternatives that there are.
        count: u32,
    },
    /// A token is read as a whole, and so are its copies.
    #[error(
        "`{production}` belongs to tokens, of which copies would not be told apart\n\
         help: duplicate the context of a production that refers to tokens"
    )]
    Token {
        /// The nonterminal.
        production: Box<str>,
    },
    /// There would be too many copies.
    #[error(
        "the copies would have more than {MAX_NODES} nodes\n\
         help: copy less: give a smaller depth, or one alternative only"
    )]
    TooLarge,
    /// The grammar with the copies is none.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
}

fn alternatives(count: &u32) -> String {
    match count {
        1 => "it has one only, 0".into(),
        count => format!("they are numbered from 0 to {}", count - 1),
    }
}

/// A copy of a production.
struct Copy {
    name: NameId,
    of: ProductionId,
    /// The copy that refers to this one.
    above: Option<usize>,
    /// What each reference becomes, in written order.
    targets: Vec<NameId>,
}

/// A copy whose references are looked at.
struct Visit {
    /// `None` for the production whose context is duplicated.
    copy: Option<usize>,
    /// The references of the part that is copied, and those that are left.
    references: std::vec::IntoIter<ProductionId>,
    depth: u32,
}

impl Grammar {
    /// Gives an alternative (or all) of a production copies of what it refers to, down to `depth` references from there.
    ///
    /// Copies are named after what they copy, with a number behind it, and stand behind the other productions. Tokens are not
    /// copied.
    ///
    /// ```
    /// let grammar: pleach_core::Grammar = r#"pair := n "," n; n := "0" | "1";"#.parse()?;
    /// let pair = grammar.duplicate_context(grammar.start(), None, u32::MAX)?;
    /// assert_eq!(pair.to_string(), r#"pair := n-1 "," n-2;
    /// n-1 := "0" | "1";
    /// n-2 := "0" | "1";
    /// "#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoAlternative`] and [`Error::Token`] for a context that is none, [`Error::TooLarge`] for too many copies.
    pub fn duplicate_context(
        &self,
        production: ProductionId,
        alternative: Option<u32>,
        depth: u32,
    ) -> Result<Grammar, Error> {
        if self[production].role != Role::Syntax {
            return Err(Error::Token {
                production: self[production].name.clone(),
            });
        }
        let part = self.part(production, alternative)?;
        let mut ast = Ast::new();
        let names: Vec<NameId> = self
            .productions()
            .iter()
            .map(|(_, it)| ast.name(&it.name))
            .collect();
        let (copies, targets) = self.copies(&part, depth, &names, &mut ast)?;
        for id in self.productions().ids() {
            let name = names[id.index()];
            match id == production {
                true => self.write(id, name, &names, &part, &targets, &mut ast),
                false => self.write(id, name, &names, &[], &[], &mut ast),
            }
        }
        for copy in &copies {
            let part = self.part(copy.of, None)?;
            self.write(copy.of, copy.name, &names, &part, &copy.targets, &mut ast);
        }
        Ok(Grammar::from_ast(&ast, "")?)
    }

    /// The references of an alternative of a production, or of all of it, in written order.
    fn part(
        &self,
        production: ProductionId,
        alternative: Option<u32>,
    ) -> Result<Vec<NodeId>, Error> {
        let at = &self[production];
        let end = NodeId::from_index(at.first_node.index() + at.node_count as usize);
        let alternatives = match self[at.root].kind {
            NodeKind::Alternation => self.children(at.root),
            _ => std::slice::from_ref(&at.root),
        };
        let range = match alternative {
            None => at.first_node..end,
            Some(index) => {
                let found = alternatives.get(index as usize);
                let &first = found.ok_or_else(|| Error::NoAlternative {
                    production: at.name.clone(),
                    alternative: index,
                    count: alternatives.len() as u32,
                })?;
                first..alternatives.get(index as usize + 1).copied().unwrap_or(end)
            }
        };
        let nodes = (range.start.index()..range.end.index()).map(NodeId::from_index);
        Ok(nodes.filter(|&node| self.target(node).is_some()).collect())
    }

    /// The production that a node refers to, if it is one of syntax.
    fn target(&self, node: NodeId) -> Option<ProductionId> {
        match self[node].kind {
            NodeKind::Reference(target) if self[target].role == Role::Syntax => Some(target),
            _ => None,
        }
    }

    /// Makes the copies that `part` takes, and says what its references become.
    fn copies(
        &self,
        part: &[NodeId],
        depth: u32,
        names: &[NameId],
        ast: &mut Ast,
    ) -> Result<(Vec<Copy>, Vec<NameId>), Error> {
        let mut taken: BTreeSet<Box<str>> = BTreeSet::new();
        taken.extend(self.productions().iter().map(|(_, it)| it.name.clone()));
        let mut numbers: BTreeMap<ProductionId, u32> = BTreeMap::new();
        let mut copies: Vec<Copy> = Vec::new();
        let mut targets = Vec::new();
        let mut nodes = 0;
        let references = |part: &[NodeId]| -> Vec<ProductionId> {
            part.iter().filter_map(|&node| self.target(node)).collect()
        };
        let mut visits = vec![Visit {
            copy: None,
            references: references(part).into_iter(),
            depth,
        }];
        while let Some(visit) = visits.last_mut() {
            let Some(target) = visit.references.next() else {
                visits.pop();
                continue;
            };
            let (user, depth) = (visit.copy, visit.depth);
            let mut above = user;
            let known = loop {
                match above {
                    Some(at) if copies[at].of == target => break Some(copies[at].name),
                    Some(at) => above = copies[at].above,
                    None => break None,
                }
            };
            let name = match known {
                Some(name) => name,
                None if depth == 0 => names[target.index()],
                None => {
                    nodes += self[target].node_count as usize;
                    if nodes > MAX_NODES {
                        return Err(Error::TooLarge);
                    }
                    let name = new_name(
                        &self[target].name,
                        numbers.entry(target).or_insert(0),
                        &mut taken,
                    );
                    let name = ast.name(&name);
                    visits.push(Visit {
                        copy: Some(copies.len()),
                        references: references(&self.part(target, None)?).into_iter(),
                        depth: depth - 1,
                    });
                    copies.push(Copy {
                        name,
                        of: target,
                        above: user,
                        targets: Vec::new(),
                    });
                    name
                }
            };
            match user {
                Some(user) => copies[user].targets.push(name),
                None => targets.push(name),
            }
        }
        Ok((copies, targets))
    }

    /// Writes a production into `ast`, where the references `part` become `targets`.
    fn write(
        &self,
        id: ProductionId,
        name: NameId,
        names: &[NameId],
        part: &[NodeId],
        targets: &[NameId],
        ast: &mut Ast,
    ) {
        let nowhere = Span::new(0, 0);
        let production = &self[id];
        let first = production.first_node.index();
        let last = first + production.node_count as usize;
        let mut changed = part.iter().zip(targets).rev().peekable();
        // Backward, so that parts come before what is made of them.
        let mut written: Vec<Option<ExprId>> = vec![None; last - first];
        for index in (first..last).rev() {
            let node = NodeId::from_index(index);
            let parts = self.children(node).iter();
            let parts = parts.filter_map(|child| Some((*child, written[child.index() - first]?)));
            let expr = match self[node].kind {
                NodeKind::Reference(target) => {
                    let changed = changed.next_if(|&(&at, _)| at == node);
                    let name = changed.map_or(names[target.index()], |(_, &name)| name);
                    ast.reference(name, nowhere)
                }
                NodeKind::Literal(literal) if self.is_caseless(literal) => {
                    ast.any_case(&self[literal], nowhere)
                }
                NodeKind::Literal(literal) => ast.literal(&self[literal], nowhere),
                NodeKind::Class(class) => ast.char_class(self[class].clone(), nowhere),
                NodeKind::Alternation => {
                    let alternatives = parts.map(|(child, expr)| Alternative {
                        expr,
                        probability: self.stated_probability(child).map(|it| (it, nowhere)),
                    });
                    let alternatives: Vec<Alternative> = alternatives.collect();
                    ast.alternation(&alternatives, nowhere)
                }
                NodeKind::Concatenation => {
                    let elements: Vec<ExprId> = parts.map(|(_, expr)| expr).collect();
                    ast.concatenation(&elements, nowhere)
                }
                NodeKind::Quantifier { min, max } => {
                    let subject: Vec<ExprId> = parts.map(|(_, expr)| expr).collect();
                    let subject = match subject.first() {
                        Some(&subject) => subject,
                        None => ast.concatenation(&[], nowhere),
                    };
                    ast.quantifier(subject, min, max, nowhere)
                }
            };
            written[index - first] = Some(expr);
        }
        let root = match written.first() {
            Some(&Some(root)) => root,
            _ => ast.concatenation(&[], nowhere),
        };
        let mode = production.mode.as_deref().map(|mode| ast.name(mode));
        let role = match production.role {
            Role::Fragment => Role::Syntax,
            role => role,
        };
        ast.lexical_production(role, mode, name, nowhere, root);
    }
}

/// The first name with a number behind it that is not taken.
fn new_name(name: &str, number: &mut u32, taken: &mut BTreeSet<Box<str>>) -> Box<str> {
    loop {
        *number += 1;
        let name = format!("{name}-{number}").into_boxed_str();
        if taken.insert(name.clone()) {
            return name;
        }
    }
}
