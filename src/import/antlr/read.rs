//! One file of an ANTLR grammar, text to rules.
//!
//! Actions, arguments, return values, labels and exception handlers say what a parser does with what it has read; they change nothing
//! about which texts it accepts and are passed over. Groups are kept on a stack of the reader's.

mod prequel;

use super::super::Remark;
use super::super::build::Scan;
use super::model::{
    Alternative, Command, DEFAULT_MODE, Kind, Node, NodeId, Nodes, Rule, Unit, is_token,
};
use super::predicates;
use super::scan::{
    code, eat, element_options, expect, expect_name, is_word, literal, name, set, text,
};
use super::sets;
use pleach_core::grammar::ast::Span;
use pleach_core::grammar::{Error, ErrorKind};
use regex_syntax::hir::ClassUnicode;

const RULE_HELP: &str = "a rule is written `name : … ;`";
const PART_HELP: &str = "a rule ends with `;`, a group with `)`";

/// Reads one file: what `scan` has left of its text.
pub(super) fn unit(
    scan: Scan<'_>,
    nodes: &mut Nodes,
    remarks: &mut Vec<Remark>,
) -> Result<Unit, Error> {
    let mut reader = Reader {
        scan,
        nodes,
        remarks,
        groups: Vec::new(),
    };
    let mut unit = reader.head()?;
    let mut mode: Box<str> = DEFAULT_MODE.into();
    loop {
        let scan = &mut reader.scan;
        scan.skip()?;
        if scan.peek().is_none() {
            return Ok(unit);
        }
        if is_word(scan, "mode") {
            scan.at += "mode".len();
            mode = expect_name(scan, "a mode begins with `mode NAME;`")?
                .0
                .into();
            expect(scan, ";", "a mode begins with `mode NAME;`")?;
        } else if !reader.prequel(&mut unit)? {
            let rule = reader.rule(&unit, &mode)?;
            unit.rules.push(rule);
        }
    }
}

struct Reader<'t, 'a> {
    scan: Scan<'t>,
    nodes: &'a mut Nodes,
    remarks: &'a mut Vec<Remark>,
    groups: Vec<Group>,
}

/// A group that is not closed, or a whole right side.
struct Group {
    open: Span,
    alternatives: Vec<NodeId>,
    elements: Vec<NodeId>,
    /// `~` before the next element.
    not: Option<Span>,
    /// `~` before the group.
    is_negated: Option<Span>,
    /// `options { greedy = false; }`
    is_lazy: bool,
}

impl Group {
    fn new(open: Span, is_negated: Option<Span>) -> Group {
        Group {
            open,
            alternatives: Vec::new(),
            elements: Vec::new(),
            not: None,
            is_negated,
            is_lazy: false,
        }
    }
}

impl<'t> Reader<'t, '_> {
    fn rule(&mut self, unit: &Unit, mode: &str) -> Result<Rule, Error> {
        let (mut name, mut span) = expect_name(&mut self.scan, RULE_HELP)?;
        let mut is_fragment = false;
        while matches!(name, "fragment" | "public" | "private" | "protected") {
            is_fragment |= name == "fragment";
            (name, span) = expect_name(&mut self.scan, RULE_HELP)?;
        }
        let mut rule = Rule {
            name: name.into(),
            span,
            is_fragment,
            mode: mode.into(),
            is_caseless: unit.is_caseless,
            alternatives: Vec::new(),
            nodes: self.nodes.len() as u32..0,
            is_made: false,
        };
        self.arguments()?;
        loop {
            self.scan.skip()?;
            let scan = &mut self.scan;
            if scan.eat(":") {
                break;
            } else if is_word(scan, "returns") || is_word(scan, "locals") {
                expect_name(scan, RULE_HELP)?;
                self.arguments()?;
            } else if is_word(scan, "throws") {
                expect_name(scan, RULE_HELP)?;
                loop {
                    expect_name(scan, "name what is thrown")?;
                    scan.take_while(|c| c == '.' || c == '_' || c.is_alphanumeric());
                    if !eat(scan, ",")? {
                        break;
                    }
                }
            } else if is_word(scan, "options") {
                expect_name(scan, RULE_HELP)?;
                self.options(|key, value, _| {
                    if key == "caseInsensitive" {
                        rule.is_caseless = value == "true";
                    }
                })?;
            } else if scan.eat("@") {
                expect_name(scan, RULE_HELP)?;
                self.action(RULE_HELP)?;
            } else {
                return Err(scan.unexpected(RULE_HELP));
            }
        }
        let start = Span::new(self.scan.at - 1, self.scan.at);
        self.groups.push(Group::new(start, None));
        while self.element(&mut rule)? {}
        self.groups.clear();
        rule.nodes.end = self.nodes.len() as u32;
        // Handlers.
        loop {
            self.scan.skip()?;
            if is_word(&self.scan, "catch") {
                self.scan.at += "catch".len();
                self.arguments()?;
            } else if is_word(&self.scan, "finally") {
                self.scan.at += "finally".len();
            } else {
                return Ok(rule);
            }
            self.action("a handler is written `catch [ … ] { … }`")?;
        }
    }

    /// Reads an element or a sign. False at the end of the rule.
    fn element(&mut self, rule: &mut Rule) -> Result<bool, Error> {
        self.scan.skip()?;
        let (start, here) = (self.scan.at, self.scan.here());
        let is_lexical = rule.is_lexical();
        let is_outer = self.groups.len() == 1;
        let Some(first) = self.scan.peek() else {
            return Err(self.scan.unexpected(PART_HELP));
        };
        match first {
            ';' | '|' if is_outer => {
                self.scan.at += 1;
                self.alternative(rule, Vec::new(), here);
                return Ok(first == '|');
            }
            '|' => {
                self.scan.at += 1;
                self.end_alternative(here);
            }
            '(' => {
                self.scan.at += 1;
                let not = self.groups.last_mut().and_then(|group| group.not.take());
                let mut group = Group::new(here, not);
                self.scan.skip()?;
                if is_word(&self.scan, "options") {
                    self.scan.at += "options".len();
                    self.options(|key, value, _| {
                        group.is_lazy |= key == "greedy" && value == "false";
                    })?;
                }
                while eat(&mut self.scan, "@")? {
                    expect_name(&mut self.scan, PART_HELP)?;
                    self.action(PART_HELP)?;
                }
                eat(&mut self.scan, ":")?;
                self.groups.push(group);
            }
            ')' if !is_outer => {
                self.scan.at += 1;
                self.close(here)?;
            }
            '{' => {
                code(&mut self.scan, '{', '}')?;
                let end = self.scan.at;
                if eat(&mut self.scan, "?")? {
                    let span = self.scan.span_from(start);
                    self.scan.eat("=>");
                    let is_start = predicates::is_start(&self.scan.text[start..end]);
                    self.push(Kind::Predicate { is_start }, span)?;
                    self.scan.skip()?;
                    if self.scan.peek() == Some('<') {
                        element_options(&mut self.scan)?;
                    }
                } else {
                    self.scan.at = end;
                }
            }
            '<' => element_options(&mut self.scan)?,
            '~' => {
                self.scan.at += 1;
                let group = self.groups.last_mut();
                if group.is_some_and(|group| group.not.replace(here).is_some()) {
                    return Err(self.scan.error(
                        ErrorKind::UnexpectedToken,
                        here,
                        "a second `~`",
                        "take both away",
                    ));
                }
            }
            '.' => {
                self.scan.at += 1;
                self.push(Kind::Any, here)?;
                self.suffix()?;
            }
            '\'' => {
                let codes = literal(&mut self.scan)?;
                let kind = self.range(&codes, start)?;
                self.push(kind, self.scan.span_from(start))?;
                self.suffix()?;
            }
            '[' if is_lexical => {
                let set = set(&mut self.scan, self.remarks)?;
                self.push(Kind::Set(set), self.scan.span_from(start))?;
                self.suffix()?;
            }
            '-' if is_lexical && self.scan.eat("->") => {
                let commands = self.commands()?;
                self.scan.skip()?;
                let here = self.scan.here();
                let is_end = self.scan.eat(";");
                if !is_outer || !is_end && !self.scan.eat("|") {
                    return Err(self.scan.error(
                        ErrorKind::UnexpectedToken,
                        Span::new(start, start + 2),
                        "a command that does not end an alternative of its rule",
                        "write it behind the alternative, before `|` or `;`",
                    ));
                }
                self.alternative(rule, commands, here);
                return Ok(!is_end);
            }
            '#' if !is_lexical => {
                self.scan.at += 1;
                expect_name(&mut self.scan, "name the alternative, as in `# Sum`")?;
            }
            _ => {
                let Some((name, span)) = name(&mut self.scan)? else {
                    return Err(self.scan.unexpected(PART_HELP));
                };
                self.scan.skip()?;
                if self.scan.eat("+=") || self.scan.eat("=") {
                    return Ok(true);
                }
                let kind = match name {
                    "EOF" => Kind::Eof,
                    _ => Kind::Name(name.into()),
                };
                if !is_lexical && !is_token(name) {
                    self.arguments()?;
                }
                self.push(kind, span)?;
                self.suffix()?;
            }
        }
        Ok(true)
    }

    /// A literal, or the first character of a range: `'a'..'z'`.
    fn range(&mut self, codes: &[u32], start: usize) -> Result<Kind, Error> {
        let end = self.scan.at;
        self.scan.skip()?;
        if !self.scan.eat("..") {
            self.scan.at = end;
            // No text has half of a character.
            return Ok(match text(codes) {
                Some(text) => Kind::Text(text.into()),
                None => Kind::Set(ClassUnicode::empty()),
            });
        }
        self.scan.skip()?;
        let last = match self.scan.peek() {
            Some('\'') => literal(&mut self.scan)?,
            _ => {
                return Err(self
                    .scan
                    .unexpected("a range ends with a character: `'a'..'z'`"));
            }
        };
        match (codes, &last[..]) {
            (&[low], &[high]) if low <= high => Ok(Kind::Set(sets::range(low, high))),
            _ => Err(self.scan.error(
                ErrorKind::InvalidRange,
                self.scan.span_from(start),
                "a range that has no character",
                "write a single character at each end, the lower one first",
            )),
        }
    }

    /// Adds an element, or what `~` makes of it.
    fn push(&mut self, kind: Kind, span: Span) -> Result<(), Error> {
        let mut node = self.node(kind, span)?;
        let Some(group) = self.groups.last_mut() else {
            return Ok(());
        };
        if let Some(not) = group.not.take() {
            node = self.node(Kind::Not(node), not.to(span))?;
        }
        if let Some(group) = self.groups.last_mut() {
            group.elements.push(node);
        }
        Ok(())
    }

    fn node(&mut self, kind: Kind, span: Span) -> Result<NodeId, Error> {
        if self.nodes.len() >= pleach_core::id::MAX_IDS {
            return Err(self.scan.error(
                ErrorKind::TooLarge,
                span,
                "a grammar of more nodes than there are ids",
                "split it, or leave parts out",
            ));
        }
        Ok(self.nodes.push(Node { kind, span }))
    }

    /// What repeats the last element.
    fn suffix(&mut self) -> Result<(), Error> {
        loop {
            self.scan.skip()?;
            let start = self.scan.at;
            let (min, max) = match self.scan.peek() {
                Some('?') => (0, Some(1)),
                Some('*') => (0, None),
                Some('+') if !self.scan.rest().starts_with("+=") => (1, None),
                Some('<') => {
                    element_options(&mut self.scan)?;
                    continue;
                }
                _ => return Ok(()),
            };
            self.scan.at += 1;
            let mut is_lazy = eat(&mut self.scan, "?")?;
            let Some(group) = self.groups.last_mut() else {
                return Ok(());
            };
            is_lazy |= std::mem::take(&mut group.is_lazy);
            let Some(subject) = group.elements.pop() else {
                return Ok(());
            };
            let span = self.scan.span_from(start);
            let node = self.node(
                Kind::Repeat {
                    subject,
                    min,
                    max,
                    is_lazy,
                },
                span,
            )?;
            if let Some(group) = self.groups.last_mut() {
                group.elements.push(node);
            }
        }
    }

    /// Ends an alternative of the innermost group before the sign at `at`.
    fn end_alternative(&mut self, at: Span) {
        let Some(group) = self.groups.last_mut() else {
            return;
        };
        let elements = std::mem::take(&mut group.elements);
        group.not = None;
        let node = match elements[..] {
            [only] => only,
            _ => {
                let first = elements.first().map_or(at, |&first| self.nodes[first].span);
                let span = match elements.is_empty() {
                    true => Span::new(at.range().start, at.range().start),
                    false => Span::new(first.range().start, at.range().start),
                };
                self.nodes.push(Node {
                    kind: Kind::All(elements),
                    span,
                })
            }
        };
        if let Some(group) = self.groups.last_mut() {
            group.alternatives.push(node);
        }
    }

    /// Ends an alternative of the rule.
    fn alternative(&mut self, rule: &mut Rule, commands: Vec<Command>, at: Span) {
        self.end_alternative(at);
        let node = self.groups.last_mut().and_then(|it| it.alternatives.pop());
        if let Some(node) = node {
            rule.alternatives.push(Alternative { node, commands });
        }
    }

    /// Closes the innermost group at `at`.
    fn close(&mut self, at: Span) -> Result<(), Error> {
        self.end_alternative(at);
        let Some(group) = self.groups.pop() else {
            return Ok(());
        };
        let span = group.open.to(at);
        let mut node = match group.alternatives[..] {
            [only] => only,
            _ => self.node(Kind::One(group.alternatives), span)?,
        };
        if let Some(not) = group.is_negated {
            node = self.node(Kind::Not(node), not.to(at))?;
        }
        if let Some(outer) = self.groups.last_mut() {
            outer.elements.push(node);
            outer.is_lazy = group.is_lazy;
        }
        self.suffix()?;
        if let Some(outer) = self.groups.last_mut() {
            outer.is_lazy = false;
        }
        Ok(())
    }

    fn commands(&mut self) -> Result<Vec<Command>, Error> {
        const HELP: &str =
            "there are skip, more, type(T), channel(C), mode(M), pushMode(M) and popMode";
        let scan = &mut self.scan;
        let mut commands = Vec::new();
        loop {
            let (name, span) = expect_name(scan, HELP)?;
            let mut argument = "";
            if eat(scan, "(")? {
                scan.skip()?;
                argument = scan.take_while(|c| c == '_' || c == '.' || c.is_alphanumeric());
                expect(scan, ")", HELP)?;
            }
            commands.push(match name {
                "skip" => Command::Skip,
                "more" => Command::More,
                "popMode" => Command::PopMode,
                "channel" => Command::Channel(argument.into()),
                "type" => Command::Type(argument.into()),
                "mode" | "pushMode" => Command::Mode(argument.into()),
                _ => {
                    return Err(scan.error(
                        ErrorKind::UnexpectedToken,
                        span,
                        format!("an unknown command `{name}`"),
                        HELP,
                    ));
                }
            });
            if !eat(scan, ",")? {
                return Ok(commands);
            }
        }
    }
}
