//! What stands before the rules of a file, and code in passing: the grammar's kind and name, options, imports, tokens, channels,
//! actions.

use super::super::model::{Unit, UnitKind};
use super::super::scan::{code, eat, expect, expect_name, is_word, literal, text};
use super::Reader;
use pleach_core::grammar::Error;
use pleach_core::grammar::ast::Span;

impl<'t> Reader<'t, '_> {
    /// `lexer grammar X;`
    pub(super) fn head(&mut self) -> Result<Unit, Error> {
        const HELP: &str = "a grammar begins with `grammar NAME;`";
        let scan = &mut self.scan;
        let (mut word, _) = expect_name(scan, HELP)?;
        let kind = match word {
            "lexer" => UnitKind::Lexer,
            "parser" => UnitKind::Parser,
            _ => UnitKind::Combined,
        };
        if kind != UnitKind::Combined {
            word = expect_name(scan, HELP)?.0;
        }
        if word != "grammar" {
            scan.at -= word.len();
            return Err(scan.unexpected(HELP));
        }
        let (name, name_span) = expect_name(scan, HELP)?;
        expect(scan, ";", HELP)?;
        Ok(Unit {
            kind,
            name: name.into(),
            name_span,
            vocabulary: None,
            super_class: None,
            is_caseless: false,
            imports: Vec::new(),
            tokens: Vec::new(),
            rules: Vec::new(),
        })
    }

    /// What may stand between rules. False if a rule stands here.
    pub(super) fn prequel(&mut self, unit: &mut Unit) -> Result<bool, Error> {
        let scan = &mut self.scan;
        if scan.eat("@") {
            const HELP: &str = "an action is written `@name { … }`";
            expect_name(scan, HELP)?;
            if eat(scan, "::")? {
                expect_name(scan, HELP)?;
            }
            self.action(HELP)?;
            return Ok(true);
        }
        if is_word(scan, "import") {
            scan.at += "import".len();
            loop {
                let (mut name, mut span) = expect_name(scan, "name what to import")?;
                if eat(scan, "=")? {
                    (name, span) = expect_name(scan, "name what to import")?;
                }
                unit.imports.push((name.into(), span));
                if eat(scan, ";")? {
                    return Ok(true);
                }
                expect(scan, ",", "an import ends with `;`")?;
            }
        }
        for word in ["options", "tokens", "channels"] {
            let start = scan.at;
            if !is_word(scan, word) {
                continue;
            }
            scan.at += word.len();
            scan.skip()?;
            if scan.peek() != Some('{') {
                scan.at = start;
                return Ok(false);
            }
            match word {
                "options" => self.options(|key, value, span| match key {
                    "tokenVocab" => unit.vocabulary = Some((value.into(), span)),
                    "superClass" => unit.super_class = Some((value.into(), span)),
                    "caseInsensitive" => unit.is_caseless = value == "true",
                    _ => {}
                })?,
                _ => {
                    let tokens = self.declared()?;
                    if word == "tokens" {
                        unit.tokens.extend(tokens);
                    }
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// `{ key = value; … }`
    pub(super) fn options(
        &mut self,
        mut option: impl FnMut(&str, &str, Span),
    ) -> Result<(), Error> {
        const HELP: &str = "options are written `{ name = value; }`";
        let scan = &mut self.scan;
        expect(scan, "{", HELP)?;
        while !eat(scan, "}")? {
            let (key, _) = expect_name(scan, HELP)?;
            expect(scan, "=", HELP)?;
            scan.skip()?;
            let start = scan.at;
            let value = match scan.peek() {
                Some('\'') => text(&literal(scan)?).unwrap_or_default(),
                Some('{') => {
                    code(scan, '{', '}')?;
                    String::new()
                }
                _ => scan
                    .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '*' | '-'))
                    .to_owned(),
            };
            option(key, &value, scan.span_from(start));
            expect(scan, ";", HELP)?;
        }
        Ok(())
    }

    /// `{ A, B }`
    pub(super) fn declared(&mut self) -> Result<Vec<(Box<str>, Span)>, Error> {
        const HELP: &str = "names are written `{ A, B }`";
        let scan = &mut self.scan;
        let mut names = Vec::new();
        expect(scan, "{", HELP)?;
        while !eat(scan, "}")? {
            let (name, span) = expect_name(scan, HELP)?;
            names.push((name.into(), span));
            if !eat(scan, ",")? && !eat(scan, ";")? {
                expect(scan, "}", HELP)?;
                break;
            }
        }
        Ok(names)
    }

    pub(super) fn action(&mut self, help: &str) -> Result<(), Error> {
        self.scan.skip()?;
        match self.scan.peek() {
            Some('{') => code(&mut self.scan, '{', '}'),
            _ => Err(self.scan.unexpected(help)),
        }
    }

    pub(super) fn arguments(&mut self) -> Result<(), Error> {
        self.scan.skip()?;
        match self.scan.peek() {
            Some('[') => code(&mut self.scan, '[', ']'),
            _ => Ok(()),
        }
    }
}
