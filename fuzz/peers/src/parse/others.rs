//! Other peers, for scale: bnf and earlgrey are Earley parsers, tree-sitter is a generated GLR parser, and serde_json is
//! written by hand for JSON alone.

use std::sync::LazyLock;

use bnf::{Expression, Production, Term};
use earlgrey::{EarleyForest, EarleyParser, GrammarBuilder};

use crate::documents::BEYOND_ASCII;
use crate::rules::{KINDS, Kinds, Rules, Symbol, kind};

/// Earlgrey, with its forest evaluated to the number of rules in the first derivation.
pub struct Earlgrey {
    parser: EarleyParser,
    forest: EarleyForest<'static, usize>,
}

impl Earlgrey {
    /// Compiles rules.
    pub fn new(rules: &Rules) -> Earlgrey {
        let mut builder = GrammarBuilder::default();
        for name in &rules.nonterminals {
            builder = builder.nonterm(name);
        }
        let class = |terminal: usize| format!("class-{terminal}");
        for (terminal, kinds) in rules.terminals.iter().enumerate() {
            let kinds = *kinds;
            builder = builder.terminal(&class(terminal), move |text| {
                text.chars().all(|char| kinds[kind(char)])
            });
        }
        let mut forest = EarleyForest::new(|_, _| 0);
        for (head, right) in &rules.rules {
            let head = rules.nonterminals[*head].as_str();
            let right: Vec<String> = right
                .iter()
                .map(|symbol| match symbol {
                    Symbol::Terminal(terminal) => class(*terminal),
                    Symbol::Nonterminal(nonterminal) => rules.nonterminals[*nonterminal].clone(),
                })
                .collect();
            let names: Vec<&str> = right.iter().map(String::as_str).collect();
            builder = builder.rule(head, &names);
            // The name that earlgrey gives the rule.
            forest.action(&format!("{head} -> {}", names.join(" ")), |parts| {
                1 + parts.iter().sum::<usize>()
            });
        }
        let grammar = builder
            .into_grammar(&rules.nonterminals[0])
            .expect("the rules are right");
        Earlgrey {
            parser: EarleyParser::new(grammar),
            forest,
        }
    }

    /// Whether a text is a sentence.
    pub fn parses(&self, text: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(text) else {
            return false;
        };
        let characters = text
            .char_indices()
            .map(|(at, char)| &text[at..at + char.len_utf8()]);
        match self.parser.parse(characters) {
            Ok(trees) => self.forest.eval_recursive(&trees).is_ok(),
            Err(_) => false,
        }
    }
}

/// Bnf's parser of a grammar. It borrows the grammar, which stays for the whole run. Classes are alternatives, so of the
/// characters beyond ASCII it has those of the documents only.
pub fn bnf(rules: &Rules) -> bnf::GrammarParser<'static> {
    let class = |terminal: usize| Term::Nonterminal(format!("class-{terminal}"));
    let mut sides = vec![Vec::new(); rules.nonterminals.len()];
    for (head, right) in &rules.rules {
        let terms: Vec<Term> = right
            .iter()
            .map(|symbol| match symbol {
                Symbol::Terminal(terminal) => class(*terminal),
                Symbol::Nonterminal(nonterminal) => {
                    Term::Nonterminal(rules.nonterminals[*nonterminal].clone())
                }
            })
            .collect();
        sides[*head].push(Expression::from_parts(if terms.is_empty() {
            vec![Term::Terminal(String::new())]
        } else {
            terms
        }));
    }
    let heads = rules.nonterminals.iter().cloned().map(Term::Nonterminal);
    let classes = rules.terminals.iter().enumerate().map(|(place, kinds)| {
        let members =
            members(kinds).map(|char| Expression::from_parts(vec![Term::Terminal(char.into())]));
        Production::from_parts(class(place), members.collect())
    });
    let productions = heads
        .zip(sides)
        .map(|(head, sides)| Production::from_parts(head, sides))
        .chain(classes)
        .collect();
    let grammar: &'static bnf::Grammar = Box::leak(Box::new(bnf::Grammar::from_parts(productions)));
    grammar.build_parser().expect("names have rules")
}

fn members(kinds: &Kinds) -> impl Iterator<Item = char> {
    let beyond = if kinds[KINDS - 1] { BEYOND_ASCII } else { "" };
    (0..KINDS as u8 - 1)
        .filter(|kind| kinds[usize::from(*kind)])
        .map(char::from)
        .chain(beyond.chars())
}

/// The first derivation of a text by bnf.
pub fn bnf_parses(parser: &bnf::GrammarParser<'_>, text: &[u8]) -> bool {
    match std::str::from_utf8(text) {
        Ok(text) => parser.parse_input(text).next().is_some(),
        Err(_) => false,
    }
}

/// Tree-sitter with its grammar of JSON, which is larger than RFC 8259: it takes comments, and several values.
pub fn tree_sitter() -> tree_sitter::Parser {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_json::LANGUAGE.into())
        .expect("the versions fit");
    parser
}

/// Whether a text is read without recovery from errors.
pub fn tree_sitter_parses(parser: &mut tree_sitter::Parser, text: &[u8]) -> bool {
    let tree = parser.parse(text, None);
    tree.is_some_and(|tree| !tree.root_node().has_error())
}

/// Whether serde_json makes a value of a text.
pub fn serde_json_parses(text: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(text).is_ok()
}

/// The rules of JSON texts.
pub static JSON: LazyLock<Rules> =
    LazyLock::new(|| Rules::parse(include_str!("../../grammars/json.bnf")));
