//! Names of other notations, in the form that pleach's own can write.

use std::collections::BTreeMap;

use pleach_core::grammar::ast::{Ast, NameId};
use pleach_core::grammar::notation::is_name;

/// The names of a grammar by what they are in the other notation.
#[derive(Debug, Default)]
pub(crate) struct Names {
    ids: BTreeMap<String, (NameId, String)>,
    /// The names that are taken, and the next number for one more that would be the same.
    taken: BTreeMap<String, u32>,
}

impl Names {
    pub(crate) fn new() -> Names {
        Names::default()
    }

    /// The id of a name. Characters that a name cannot have become `_`; what is no longer distinct then gets a number.
    pub(crate) fn id(&mut self, ast: &mut Ast, name: &str) -> NameId {
        self.id_as(ast, name, name)
    }

    /// The id of the name that is known by `key`, spelled as in `name` if it is new.
    pub(crate) fn id_as(&mut self, ast: &mut Ast, key: &str, name: &str) -> NameId {
        if let Some(&(id, _)) = self.ids.get(key) {
            return id;
        }
        let (id, spelled) = self.fresh(ast, name);
        self.ids.insert(key.to_owned(), (id, spelled));
        id
    }

    /// A name like this one that nothing else has, and how it is spelled.
    pub(crate) fn fresh(&mut self, ast: &mut Ast, name: &str) -> (NameId, String) {
        let continues = |c: char| matches!(c, '_' | '-') || c.is_alphanumeric();
        let plain: String = name
            .chars()
            .map(|c| if continues(c) { c } else { '_' })
            .collect();
        let mut spelled = match is_name(&plain) {
            true => plain,
            false => format!("_{plain}"),
        };
        while let Some(number) = self.taken.get_mut(&spelled) {
            *number += 1;
            spelled = format!("{spelled}_{number}");
        }
        self.taken.insert(spelled.clone(), 1);
        (ast.name(&spelled), spelled)
    }

    /// How the name that is known by `key` is spelled.
    pub(crate) fn spelled(&self, key: &str) -> Option<&str> {
        self.ids.get(key).map(|(_, spelled)| spelled.as_str())
    }
}
