//! Completing the syntax of a grammar from that of others.
//!
//! A grammar may refer to productions that are written elsewhere, as those of RFCs do. What it lacks is copied from the first of the
//! others that has it, with all that this needs, and nothing else. O(what is copied, times log n).

use std::collections::{BTreeMap, BTreeSet};

use super::{Alternative, Ast, AstProduction, ExprId, ExprKind, NameId};

/// The productions that were copied: the number of the syntax, and that of the production in it.
pub type Copied = BTreeSet<(usize, usize)>;

impl Ast {
    /// Copies the productions that this syntax refers to, and lacks, from others. `key` makes one of the spellings of a name.
    pub fn complete(&mut self, others: &[Ast], key: impl Fn(&str) -> String) -> Copied {
        let names = self.names();
        // The names here; a production of another spelling gets the one here.
        let mut ids: BTreeMap<String, NameId> = BTreeMap::new();
        for (id, name) in names.iter() {
            ids.entry(key(name)).or_insert(id);
        }
        let mut has: BTreeSet<String> = self
            .productions
            .iter()
            .map(|it| key(&names[it.name]))
            .collect();
        let defined: Vec<BTreeMap<String, Vec<usize>>> = others
            .iter()
            .map(|other| definitions(other, &key))
            .collect();
        let mut wanted: Vec<String> = self
            .productions
            .iter()
            .flat_map(|it| self.references(it))
            .map(|name| key(&names[name]))
            .collect();
        let mut copied = Copied::new();
        // In order of first use.
        wanted.reverse();
        while let Some(name) = wanted.pop() {
            if !has.insert(name.clone()) {
                continue;
            }
            let found = (0..)
                .zip(&defined)
                .find_map(|(at, it)| Some((at, it.get(&name)?)));
            let Some((number, productions)) = found else {
                continue;
            };
            let other = &others[number];
            let other_names = other.names();
            for &at in productions {
                let production = &other.productions[at];
                let mut id_of = |ast: &mut Ast, name: NameId| {
                    let spelled = &*other_names[name];
                    let known = ids.entry(key(spelled));
                    *known.or_insert_with(|| ast.name(spelled))
                };
                let root = self.copy(other, production.root, &mut id_of);
                let name = id_of(self, production.name);
                // Modes are names apart from those of productions.
                let mode = production.mode.map(|mode| self.name(&other_names[mode]));
                self.productions.push(AstProduction {
                    name,
                    root,
                    mode,
                    ..*production
                });
                copied.insert((number, at));
                let more = other.references(production);
                wanted.extend(more.iter().rev().map(|&name| key(&other_names[name])));
            }
        }
        copied
    }

    /// The names that a production refers to, in written order.
    fn references(&self, production: &AstProduction) -> Vec<NameId> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut rest = vec![production.root];
        while let Some(id) = rest.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let ExprKind::Reference(name) = self.exprs[id].kind {
                found.push(name);
            }
            rest.extend(self.parts(id).into_iter().rev());
        }
        found
    }

    /// The expressions that one is made of.
    fn parts(&self, id: ExprId) -> Vec<ExprId> {
        match self.exprs[id].kind {
            ExprKind::Alternation(slice) => {
                self.alternatives(slice).iter().map(|it| it.expr).collect()
            }
            ExprKind::Concatenation(slice) => self.elements(slice).to_vec(),
            ExprKind::Quantifier { subject, .. } => vec![subject],
            ExprKind::Reference(_)
            | ExprKind::Literal(_)
            | ExprKind::AnyCase(_)
            | ExprKind::Class(_)
            | ExprKind::Regex { .. } => Vec::new(),
        }
    }

    /// Copies an expression of another syntax, with all that it is made of.
    fn copy(
        &mut self,
        other: &Ast,
        root: ExprId,
        id_of: &mut impl FnMut(&mut Ast, NameId) -> NameId,
    ) -> ExprId {
        let mut copies: BTreeMap<ExprId, ExprId> = BTreeMap::new();
        let mut rest = vec![(root, false)];
        while let Some((id, has_parts)) = rest.pop() {
            if copies.contains_key(&id) {
                continue;
            }
            let parts = other.parts(id);
            if !has_parts && !parts.is_empty() {
                rest.push((id, true));
                rest.extend(parts.into_iter().rev().map(|part| (part, false)));
                continue;
            }
            let span = other.exprs[id].span;
            // Parts come first, so each has its copy.
            let of = |part: ExprId| copies.get(&part).copied().unwrap_or(part);
            let copy = match other.exprs[id].kind {
                ExprKind::Reference(name) => {
                    let name = id_of(self, name);
                    self.reference(name, span)
                }
                ExprKind::Literal(text) => self.literal(other.bytes(text), span),
                ExprKind::AnyCase(text) => self.any_case(other.bytes(text), span),
                ExprKind::Class(class) => self.char_class(other.class(class).clone(), span),
                ExprKind::Regex { pattern, offset } => {
                    let pattern = self.text(other.bytes(pattern));
                    self.push(ExprKind::Regex { pattern, offset }, span)
                }
                ExprKind::Alternation(slice) => {
                    let parts = other.alternatives(slice).iter();
                    let parts = parts.map(|it| Alternative {
                        expr: of(it.expr),
                        ..*it
                    });
                    self.alternation(&parts.collect::<Vec<_>>(), span)
                }
                ExprKind::Concatenation(slice) => {
                    let parts = other.elements(slice).iter().map(|&part| of(part));
                    self.concatenation(&parts.collect::<Vec<_>>(), span)
                }
                ExprKind::Quantifier { subject, min, max } => {
                    self.quantifier(of(subject), min, max, span)
                }
            };
            copies.insert(id, copy);
        }
        copies.get(&root).copied().unwrap_or(root)
    }
}

/// The productions of each name.
fn definitions(ast: &Ast, key: impl Fn(&str) -> String) -> BTreeMap<String, Vec<usize>> {
    let names = ast.names();
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, production) in ast.productions.iter().enumerate() {
        found
            .entry(key(&names[production.name]))
            .or_default()
            .push(at);
    }
    found
}
