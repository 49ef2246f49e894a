//! Trees in words: what has to hold for a class, with the patterns of the article's section 5.2 in place of k-paths.

use std::collections::BTreeMap;

use pleach_core::kpath::pattern;

use crate::aim::Constraint;
use crate::features::{Feature, Quantity, path_of};
use crate::model::{Class, Model};
use crate::tree::Node;

/// A leaf as a sentence.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// The leaf, a node of the tree.
    pub leaf: usize,
    /// Whether the tree says that what comes here is in the class.
    pub is_member: bool,
    /// The texts that came here and are in the class.
    pub members: u32,
    /// Those that are not.
    pub others: u32,
    /// What the input has or does, each a phrase behind "the input": `has ...`, `uses ...`. None for a tree of one leaf.
    pub conditions: Vec<String>,
}

/// Whether an answer is said in words.
fn quantity_in_words(name: &str, quantity: Quantity, number: f64, holds: bool) -> String {
    let times = |number: f64| match number {
        0.0 => "never".to_owned(),
        1.0 => "once".to_owned(),
        2.0 => "twice".to_owned(),
        number => format!("{number} times"),
    };
    match (quantity, holds) {
        (Quantity::Uses(_), true) => format!("uses `{name}` more than {}", times(number)),
        (Quantity::Uses(_), false) => format!("uses `{name}` at most {}", times(number)),
        (Quantity::Nesting(_), true) => format!("nests `{name}` more than {number} deep"),
        (Quantity::Nesting(_), false) => format!("nests `{name}` at most {number} deep"),
        (Quantity::Length(_), true) => format!("has a `{name}` of more than {number} bytes"),
        (Quantity::Length(_), false) => format!("has no `{name}` of more than {number} bytes"),
        (Quantity::Value(_), true) => format!("has a `{name}` greater than {number}"),
        (Quantity::Value(_), false) => format!("has no `{name}` greater than {number}"),
    }
}

impl Model {
    /// A feature, or that it is not there, in words behind "the input".
    pub fn in_words(&self, feature: Feature, holds: bool) -> String {
        match feature {
            Feature::Path(path) => {
                let path = path_of(self.kpaths(), path).unwrap_or_default();
                let pattern = pattern(self.graph(), &path);
                match holds {
                    true => format!("has {pattern}"),
                    false => format!("does not have {pattern}"),
                }
            }
            Feature::MoreThan(quantity, number) => {
                let name = &self.grammar()[quantity.production()].name;
                quantity_in_words(name, quantity, number, holds)
            }
        }
    }

    /// The leaves of a class's tree as sentences, those that say yes first, each side by the texts that came there. What follows from the rest of
    /// a sentence is left out of it.
    pub fn rules(&self, class: usize) -> Vec<Rule> {
        let tree = &self.tree_of(class).tree;
        let mut rules: Vec<Rule> = Vec::new();
        for (leaf, way) in tree.leaves() {
            let Node {
                members,
                others,
                is_member,
                ..
            } = tree.nodes()[leaf];
            let constraint = Constraint::new(self, &way, false);
            let paths = |paths: &[Vec<_>], holds: bool| -> Vec<String> {
                let paths = paths.iter().map(|path| pattern(self.graph(), path));
                paths
                    .map(|pattern| match holds {
                        true => format!("has {pattern}"),
                        false => format!("does not have {pattern}"),
                    })
                    .collect()
            };
            let bounds = |bounds: &[(Quantity, f64)], holds: bool| -> Vec<String> {
                let bounds = bounds.iter().map(|&(quantity, number)| {
                    self.in_words(Feature::MoreThan(quantity, number), holds)
                });
                bounds.collect()
            };
            let conditions = [
                paths(&constraint.required, true),
                bounds(&constraint.more, true),
                bounds(&constraint.at_most, false),
                paths(&constraint.forbidden, false),
            ];
            rules.push(Rule {
                leaf,
                is_member,
                members,
                others,
                conditions: conditions.concat(),
            });
        }
        rules.sort_by_key(|rule| {
            let own = if rule.is_member {
                rule.members
            } else {
                rule.others
            };
            (!rule.is_member, std::cmp::Reverse(own))
        });
        rules
    }

    /// The classes that a name stands for, as [`named`] says.
    pub fn named(&self, name: &str) -> Vec<usize> {
        named(name, self.known().iter().map(|known| &known.class))
    }
}

/// The classes, by their numbers, that a name stands for: those of that name, else those whose name ends with it behind `::`, else those
/// that contain it; `FILE:LINE` stands for what is there, where FILE may be the end of a path.
pub fn named<'a>(name: &str, classes: impl Iterator<Item = &'a Class> + Clone) -> Vec<usize> {
    let all = || classes.clone().enumerate();
    let of = |is_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
        all()
            .filter(|(_, class)| is_it(&class.name))
            .map(|(at, _)| at)
            .collect()
    };
    let at_line = name.rsplit_once(':').and_then(|(file, line)| {
        let line: u32 = line.parse().ok()?;
        Some((file, line))
    });
    if let Some((file, line)) = at_line {
        let mut found: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (at, class) in all() {
            let Some(place) = &class.place else {
                continue;
            };
            let is_file = place.file == file
                || place
                    .file
                    .strip_suffix(file)
                    .is_some_and(|it| it.ends_with('/'));
            if is_file && (place.line..=place.last_line).contains(&line) {
                // The innermost is the shortest.
                let lines = place.last_line - place.line;
                found.entry(lines).or_default().push(at);
            }
        }
        return found.into_values().next().unwrap_or_default();
    }
    let end = format!("::{name}");
    let tries: [&dyn Fn(&str) -> bool; 3] = [&|it| it == name, &|it| it.ends_with(&end), &|it| {
        it.contains(name)
    }];
    tries
        .iter()
        .map(|is_it| of(is_it))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}
