//! The files of a grammar brought together: what it imports, and its lexer.
//!
//! Rules of a grammar go before those of the same name that it imports, wherever they stand. A parser's lexer is what its option
//! `tokenVocab` names, or without that the grammar whose name has `Lexer` in the place of `Parser`.

use std::collections::BTreeMap;

use super::super::build::Scan;
use super::super::{Files, Loader, Remark};
use super::model::{DEFAULT_MODE, Nodes, Rule, System, Unit, UnitKind};
use super::{more, predicates, read};
use pleach_core::grammar::ast::Span;
use pleach_core::grammar::{Error, ErrorKind};
use pleach_core::id::IdVec;

/// Grammars import few others; more than these are a mistake.
const MAX_FILES: usize = 200;

/// Reads the files of a grammar and puts them together.
pub(super) fn gather(
    files: &mut Files,
    load: Loader<'_>,
    remarks: &mut Vec<Remark>,
) -> Result<System, Error> {
    let mut gathering = Gathering {
        files,
        load,
        remarks,
        nodes: Nodes::new(),
        asked: BTreeMap::new(),
    };
    let range = 0..gathering.files.text().len();
    let main = gathering.unit(range)?;
    let is_combined = main.kind == UnitKind::Combined;
    let (name, name_span) = (main.name.clone(), main.name_span);
    let is_caseless = main.is_caseless;
    let vocabulary = match (&main.vocabulary, main.kind) {
        (_, UnitKind::Lexer) => None,
        (Some((name, span)), _) => Some((name.clone(), *span)),
        (None, UnitKind::Parser) => {
            let stem = name.strip_suffix("Parser").unwrap_or(&name);
            Some((format!("{stem}Lexer").into(), name_span))
        }
        (None, UnitKind::Combined) => None,
    };
    let is_named = main.vocabulary.is_some();
    gathering.asked.insert(name.clone(), ());
    let mut units = gathering.with_imports(main)?;
    if let Some((vocabulary, span)) = vocabulary {
        match gathering.load(&vocabulary)? {
            Some(lexer) => {
                let mut lexers = gathering.with_imports(lexer)?;
                for unit in &mut lexers {
                    unit.rules.retain(Rule::is_lexical);
                }
                units.extend(lexers);
            }
            // A combined grammar has a lexer of its own, and a parser that names none may need none.
            None if is_combined || gathering.asked.contains_key(&vocabulary) => {}
            None if !is_named && units.iter().any(|it| !it.tokens.is_empty()) => {}
            None => {
                let text = gathering.files.text().as_bytes();
                return Err(Error::new(
                    ErrorKind::MissingFile,
                    text,
                    span,
                    format!("the lexer `{vocabulary}` is not there"),
                    format!("put `{vocabulary}.g4` beside this file"),
                ));
            }
        }
    }
    let nodes = gathering.nodes;
    let mut system = System {
        nodes,
        rules: IdVec::new(),
        by_name: BTreeMap::new(),
        tokens: Vec::new(),
        super_classes: units
            .iter()
            .filter_map(|it| it.super_class.clone())
            .collect(),
        is_caseless,
        name,
        name_span,
    };
    system.add(units, files, remarks)?;
    Ok(system)
}

struct Gathering<'f, 'l> {
    files: &'f mut Files,
    load: Loader<'l>,
    remarks: &'f mut Vec<Remark>,
    nodes: Nodes,
    /// The grammars that were asked for.
    asked: BTreeMap<Box<str>, ()>,
}

impl Gathering<'_, '_> {
    fn unit(&mut self, range: std::ops::Range<usize>) -> Result<Unit, Error> {
        let mut scan = Scan::new(&self.files.text()[..range.end]);
        scan.at = scan.at.max(range.start);
        read::unit(scan, &mut self.nodes, self.remarks)
    }

    /// Reads the grammar of a name, unless that has been done or there is none.
    fn load(&mut self, name: &str) -> Result<Option<Unit>, Error> {
        if self.asked.insert(name.into(), ()).is_some() || self.asked.len() > MAX_FILES {
            return Ok(None);
        }
        let Some((file, text)) = (self.load)(name) else {
            self.asked.remove(name);
            return Ok(None);
        };
        match self.files.add(file, &text) {
            Some(range) => self.unit(range).map(Some),
            None => Err(super::super::too_large()),
        }
    }

    /// A grammar and all that it imports.
    fn with_imports(&mut self, main: Unit) -> Result<Vec<Unit>, Error> {
        let mut units = vec![main];
        let mut at = 0;
        while at < units.len() {
            for (name, span) in units[at].imports.clone() {
                if let Some(unit) = self.load(&name)? {
                    units.push(unit);
                } else if !self.asked.contains_key(&name) {
                    return Err(Error::new(
                        ErrorKind::MissingFile,
                        self.files.text().as_bytes(),
                        span,
                        format!("the grammar `{name}` is not there"),
                        format!("put `{name}.g4` beside this file"),
                    ));
                }
            }
            at += 1;
        }
        Ok(units)
    }
}

impl System {
    fn add(
        &mut self,
        units: Vec<Unit>,
        files: &Files,
        remarks: &mut Vec<Remark>,
    ) -> Result<(), Error> {
        let mut rules: Vec<Rule> = Vec::new();
        let mut defined: BTreeMap<Box<str>, (usize, Span, Box<str>)> = BTreeMap::new();
        for (number, unit) in units.into_iter().enumerate() {
            self.tokens.extend(unit.tokens);
            for mut rule in unit.rules {
                match defined.get(&rule.name) {
                    // In another mode it is another spelling of the token.
                    Some((other, _, mode)) if *other == number && *mode != rule.mode => {
                        rule.is_made = true;
                        rules.push(rule);
                    }
                    Some(&(other, span, _)) if other == number => {
                        let text = files.text().as_bytes();
                        return Err(Error::new(
                            ErrorKind::DuplicateProduction,
                            text,
                            rule.span,
                            format!("a second rule `{}`", rule.name),
                            "join both with `|`, or give one another name",
                        )
                        .with_related("the first one is here", text, span));
                    }
                    Some(_) => {}
                    None => {
                        let place = (number, rule.span, rule.mode.clone());
                        defined.insert(rule.name.clone(), place);
                        rules.push(rule);
                    }
                }
            }
        }
        // Parser rules, then the modes in the order in which they begin.
        let mut modes: BTreeMap<Box<str>, usize> = BTreeMap::new();
        modes.insert(DEFAULT_MODE.into(), 0);
        for rule in rules.iter().filter(|rule| rule.is_lexical()) {
            let next = modes.len();
            modes.entry(rule.mode.clone()).or_insert(next);
        }
        rules.sort_by_key(|rule| (rule.is_lexical(), modes.get(&rule.mode).copied()));
        predicates::leave_out_starts(&mut self.nodes, &rules, remarks);
        more::join(&mut self.nodes, &mut rules, remarks);
        for rule in rules {
            let (name, is_made) = (rule.name.clone(), rule.is_made);
            let id = self.rules.push(rule);
            if !is_made {
                self.by_name.insert(name, id);
            }
        }
        Ok(())
    }
}
