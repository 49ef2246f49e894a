//! Peer: gearley, an Earley parser with a packed forest, which it calls a bocage.
//!
//! It reads symbols. Characters are sorted into disjoint terminals by a table, classes are rules over these, and gearley's
//! lookahead is on, which is the fastest of three ways that were tried: overlapping terminals, of which a character is
//! several at once, leave no lookahead, and classes that are multiplied out into their rules cost more than they save.

use cfg::Symbol;
use cfg::earley::Grammar;
use gearley::forest::order::NullOrder;
use gearley::forest::{Bocage, Forest, NullForest};
use gearley::grammar::InternalGrammar;
use gearley::recognizer::Recognizer;

use crate::rules::{self, KINDS, Rules, kind};

/// A compiled grammar.
pub struct Peer {
    grammar: InternalGrammar,
    /// The terminals of the kinds of characters.
    terminals: [Option<Symbol>; KINDS],
}

impl Peer {
    /// Compiles rules.
    pub fn new(rules: &Rules) -> Peer {
        let mut grammar = Grammar::new();
        let heads: Vec<Symbol> = rules.nonterminals.iter().map(|_| grammar.sym()).collect();
        let (count, atoms) = rules.atoms();
        let symbols: Vec<Symbol> = (0..count).map(|_| grammar.sym()).collect();
        let classes: Vec<Symbol> = rules
            .terminals
            .iter()
            .map(|kinds| {
                let has = |atom| (0..KINDS).any(|kind| kinds[kind] && atoms[kind] == Some(atom));
                let members: Vec<usize> = (0..count).filter(|atom| has(*atom)).collect();
                if let [only] = members[..] {
                    return symbols[only];
                }
                let class = grammar.sym();
                for member in members {
                    grammar.rule(class).rhs([symbols[member]]);
                }
                class
            })
            .collect();
        for (head, right) in &rules.rules {
            let right: Vec<Symbol> = right
                .iter()
                .map(|symbol| match symbol {
                    rules::Symbol::Terminal(terminal) => classes[*terminal],
                    rules::Symbol::Nonterminal(nonterminal) => heads[*nonterminal],
                })
                .collect();
            grammar.rule(heads[*head]).rhs(right);
        }
        grammar.set_start(heads[0]);
        Peer {
            grammar: InternalGrammar::from_grammar(&grammar),
            terminals: atoms.map(|atom| atom.map(|atom| symbols[atom])),
        }
    }

    /// Whether a text is a sentence.
    pub fn recognizes(&self, text: &[u8]) -> bool {
        let mut recognizer = Recognizer::new(&self.grammar, NullForest);
        self.read(text, &mut recognizer, ()) && recognizer.is_finished()
    }

    /// Whether a text is a sentence, with its forest built and every node of it visited once.
    ///
    /// Gearley's other walk, `traverse`, prints every node in the published release.
    pub fn parses(&self, text: &[u8]) -> bool {
        let mut recognizer = Recognizer::new(&self.grammar, Bocage::new(&self.grammar));
        if !self.read(text, &mut recognizer, 0) {
            return false;
        }
        let Some(root) = recognizer.finished_node() else {
            return false;
        };
        recognizer.forest.mark_alive(root, NullOrder::new());
        true
    }

    fn read<F: Forest<LeafValue: Copy>>(
        &self,
        text: &[u8],
        recognizer: &mut Recognizer<'_, F>,
        value: F::LeafValue,
    ) -> bool {
        let Ok(text) = std::str::from_utf8(text) else {
            return false;
        };
        let mut terminals = text.chars().map(|char| self.terminals[kind(char)]);
        let mut next = terminals.next();
        while let Some(terminal) = next {
            let Some(terminal) = terminal else {
                return false;
            };
            next = terminals.next();
            recognizer.begin_earleme();
            recognizer.scan(terminal, value);
            match next {
                None => recognizer.lookahead_hint(None),
                Some(Some(next)) => recognizer.lookahead_hint(Some(next)),
                Some(None) => return false,
            }
            if !recognizer.end_earleme() {
                return false;
            }
        }
        true
    }
}

impl std::fmt::Debug for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Peer")
            .field("terminals", &self.terminals)
            .finish_non_exhaustive()
    }
}
