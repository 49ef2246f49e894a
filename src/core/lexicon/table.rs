//! States and transitions: the automaton of some patterns, and literals joined to it.
//!
//! Determinizing a thousand literals beside a pattern for names takes long, since each state is a set of all that is possible.
//! The literals alone are a trie, though, with a node for each spelling that any of them begins with. The states of both are pairs of
//! such a node and a state of the patterns, and differ from the latter only where the node goes on. So joining takes time and memory
//! proportional to the table that comes out.

use std::collections::BTreeMap;

use regex_automata::Anchored;
use regex_automata::dfa::{Automaton as _, dense};
use regex_automata::util::primitives::StateID;

use super::automaton::{DEAD, START};

/// Transitions by state and class of bytes, and what matches at each state.
#[derive(Debug)]
pub(super) struct Table {
    /// The class of each byte; bytes of one class are not told apart.
    pub classes: [u8; 256],
    class_count: usize,
    next: Vec<u32>,
    /// By state: where its tokens begin in `matches`; one more at the end.
    match_starts: Vec<u32>,
    matches: Vec<u32>,
}

/// A literal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling<'t> {
    /// The token that it is.
    pub token: u32,
    /// What it is spelled like.
    pub text: &'t [u8],
    /// Whether ASCII letters may be of the other case.
    pub is_caseless: bool,
}

impl Spelling<'_> {
    /// The bytes that may stand at a place: one, or a letter in both cases.
    fn bytes(&self, at: usize) -> [u8; 2] {
        let byte = self.text[at];
        match self.is_caseless {
            true => [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()],
            false => [byte, byte],
        }
    }
}

impl Table {
    /// The table of an automaton whose patterns are these tokens. `None` if the automaton has look-around.
    pub(super) fn from_dfa(dfa: &dense::DFA<Vec<u32>>, tokens: &[u32]) -> Option<Table> {
        let own = dfa.byte_classes();
        let (classes, representatives) = number(|byte| own.get(byte));
        let class_count = representatives.len();
        // Without look-around all start states are one.
        let start = dfa.universal_start_state(Anchored::Yes)?;
        let mut ids: BTreeMap<StateID, u32> = BTreeMap::new();
        ids.insert(start, START);
        let mut order = vec![start];
        let mut table = Table::new(classes, class_count);
        let mut at = 0;
        while let Some(&state) = order.get(at) {
            at += 1;
            table.next.extend(representatives.iter().map(|&byte| {
                let target = dfa.next_state(state, byte);
                if dfa.is_dead_state(target) || dfa.is_quit_state(target) {
                    return DEAD;
                }
                *ids.entry(target).or_insert_with(|| {
                    order.push(target);
                    order.len() as u32
                })
            }));
            // Matches are seen one step late.
            let end = dfa.next_eoi_state(state);
            let count = match dfa.is_match_state(end) {
                true => dfa.match_len(end),
                false => 0,
            };
            let matches = (0..count).map(|at| tokens[dfa.match_pattern(end, at).as_usize()]);
            table.end_state(matches);
        }
        Some(table)
    }

    /// The dead state alone.
    fn new(classes: [u8; 256], class_count: usize) -> Table {
        Table {
            classes,
            class_count,
            next: vec![DEAD; class_count],
            match_starts: vec![0, 0],
            matches: Vec::new(),
        }
    }

    /// Notes what matches at the state whose transitions were added last.
    fn end_state(&mut self, matches: impl Iterator<Item = u32>) {
        let from = self.matches.len();
        self.matches.extend(matches);
        self.matches[from..].sort_unstable();
        self.match_starts.push(self.matches.len() as u32);
    }

    /// The same with literals beside the patterns. `None` if it would take more than so many bytes.
    pub(super) fn joined(self, literals: &[Spelling<'_>], most_bytes: usize) -> Option<Table> {
        let mut trie = Trie::new(&self, literals);
        let mut joined = Table::new(trie.classes, trie.class_count());
        // By node of the trie and state of the patterns; pairs with no node are most of them.
        let mut ids: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut ids_without_node = vec![DEAD; self.state_count()];
        let mut order = vec![(Trie::ROOT, START)];
        ids.insert(order[0], START);
        let mut at = 0;
        while let Some(&(node, state)) = order.get(at) {
            at += 1;
            trie.open(node);
            let mut children = trie.children(node).iter().peekable();
            for (class, &byte) in trie.representatives.iter().enumerate() {
                let child = children.next_if(|it| usize::from(it.0) == class);
                let target = (child.map_or(Trie::NONE, |it| it.1), self.next(state, byte));
                let id = match target {
                    (Trie::NONE, DEAD) => {
                        joined.next.push(DEAD);
                        continue;
                    }
                    (Trie::NONE, state) => &mut ids_without_node[state as usize],
                    _ => ids.entry(target).or_insert(DEAD),
                };
                if *id == DEAD {
                    order.push(target);
                    *id = order.len() as u32;
                }
                joined.next.push(*id);
            }
            if joined.next.len() * size_of::<u32>() > most_bytes {
                return None;
            }
            let matches = self.matches(state).iter().copied();
            joined.end_state(matches.chain(trie.ended(node)));
        }
        Some(joined)
    }

    /// The number of states.
    pub(super) fn state_count(&self) -> usize {
        self.match_starts.len() - 1
    }

    /// The state behind a byte.
    #[inline(always)]
    pub(super) fn next(&self, state: u32, byte: u8) -> u32 {
        let class = usize::from(self.classes[usize::from(byte)]);
        self.next[state as usize * self.class_count + class]
    }

    /// The states that a state leads to, by class.
    pub(super) fn row(&self, state: u32) -> &[u32] {
        &self.next[state as usize * self.class_count..][..self.class_count]
    }

    /// Whether a state is the target of any transition.
    pub(super) fn is_target(&self, state: u32) -> bool {
        self.next.contains(&state)
    }

    /// The tokens that match at a state, in their order.
    #[inline(always)]
    pub(super) fn matches(&self, state: u32) -> &[u32] {
        let state = state as usize;
        let range = self.match_starts[state] as usize..self.match_starts[state + 1] as usize;
        &self.matches[range]
    }
}

/// The literals that what was read begins.
#[derive(Debug)]
struct Trie<'t> {
    literals: &'t [Spelling<'t>],
    classes: [u8; 256],
    representatives: Vec<u8>,
    nodes: Vec<Node>,
    /// Nodes by their depth and literals.
    known: BTreeMap<(usize, Vec<u32>), u32>,
}

#[derive(Debug)]
struct Node {
    /// How many bytes were read.
    depth: usize,
    /// The literals that begin so, by their place in the list.
    literals: Vec<u32>,
    /// The nodes behind a class of bytes, in the order of classes; none until the node is opened.
    children: Vec<(u8, u32)>,
}

impl<'t> Trie<'t> {
    /// Where no literal goes on.
    const NONE: u32 = 0;
    /// Where nothing is read.
    const ROOT: u32 = 1;

    fn new(table: &Table, literals: &'t [Spelling<'t>]) -> Trie<'t> {
        // Bytes are told apart where the patterns do, where a literal has one of them; the two cases of a letter only
        // where a literal has one of them alone.
        let mut is_read = [false; 256];
        let mut is_cased = [false; 256];
        for literal in literals {
            for at in 0..literal.text.len() {
                let [lower, upper] = literal.bytes(at);
                is_read[usize::from(lower)] = true;
                is_read[usize::from(upper)] = true;
                is_cased[usize::from(lower)] |= lower == upper;
            }
        }
        let (classes, representatives) = number(|byte| {
            let fold = byte.to_ascii_lowercase();
            let is_told_apart =
                is_cased[usize::from(fold)] || is_cased[usize::from(byte.to_ascii_uppercase())];
            let own = table.classes[usize::from(byte)];
            match (is_read[usize::from(byte)], is_told_apart) {
                (false, _) => (own, None),
                (true, false) => (own, Some(fold)),
                (true, true) => (own, Some(byte)),
            }
        });
        let all: Vec<u32> = (0..literals.len() as u32).collect();
        let nothing = Node {
            depth: 0,
            literals: Vec::new(),
            children: Vec::new(),
        };
        let root = Node {
            depth: 0,
            literals: all,
            children: Vec::new(),
        };
        Trie {
            literals,
            classes,
            representatives,
            nodes: vec![nothing, root],
            known: BTreeMap::new(),
        }
    }

    fn class_count(&self) -> usize {
        self.representatives.len()
    }

    fn children(&self, node: u32) -> &[(u8, u32)] {
        &self.nodes[node as usize].children
    }

    /// The tokens of the literals that end at a node.
    fn ended(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let Node {
            depth, literals, ..
        } = &self.nodes[node as usize];
        let all = literals.iter().map(|&at| &self.literals[at as usize]);
        all.filter(|it| it.text.len() == *depth).map(|it| it.token)
    }

    /// Finds the children of a node.
    fn open(&mut self, node: u32) {
        let Node {
            depth,
            literals,
            children,
        } = &self.nodes[node as usize];
        if !children.is_empty() {
            return;
        }
        let depth = *depth;
        let mut behind: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
        for &at in literals {
            let literal = &self.literals[at as usize];
            if depth == literal.text.len() {
                continue;
            }
            let mut classes = literal
                .bytes(depth)
                .map(|byte| self.classes[usize::from(byte)]);
            classes.sort_unstable();
            behind.entry(classes[0]).or_default().push(at);
            if classes[1] != classes[0] {
                behind.entry(classes[1]).or_default().push(at);
            }
        }
        let mut children = Vec::with_capacity(behind.len());
        for (class, literals) in behind {
            let key = (depth + 1, literals);
            let id = match self.known.get(&key) {
                Some(&id) => id,
                None => {
                    let id = self.nodes.len() as u32;
                    self.nodes.push(Node {
                        depth: depth + 1,
                        literals: key.1.clone(),
                        children: Vec::new(),
                    });
                    self.known.insert(key, id);
                    id
                }
            };
            children.push((class, id));
        }
        self.nodes[node as usize].children = children;
    }
}

/// Numbers classes of bytes in the order of their first bytes: the class of each byte, and the first byte of each class.
fn number<K: Ord>(class: impl Fn(u8) -> K) -> ([u8; 256], Vec<u8>) {
    let mut classes = [0; 256];
    let mut first: Vec<u8> = Vec::new();
    let mut known: BTreeMap<K, u8> = BTreeMap::new();
    for byte in 0..=255u8 {
        classes[usize::from(byte)] = *known.entry(class(byte)).or_insert_with(|| {
            first.push(byte);
            (first.len() - 1) as u8
        });
    }
    (classes, first)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::automaton::determinized;
    use super::super::tokens::{Origin, tokens};
    use super::*;
    use crate::grammar::Grammar;

    /// Pairs of states that the same texts lead to.
    fn pairs(one: &Table, other: &Table) -> BTreeSet<(u32, u32)> {
        let mut pairs = BTreeSet::from([(START, START)]);
        let mut open = vec![(START, START)];
        while let Some((a, b)) = open.pop() {
            for byte in 0..=255 {
                let pair = (one.next(a, byte), other.next(b, byte));
                if pairs.insert(pair) {
                    open.push(pair);
                }
            }
        }
        pairs
    }

    #[test]
    fn literals_are_joined_as_if_they_were_patterns() {
        let grammars = [
            r#"s := "if" | "iff" | "i" | N; token N := [a-z]+;"#,
            // The two cases of a letter, one of them alone, and a pattern that tells them apart.
            r#"s := "Select"i | "set"i | "S" | "sel" N | N; token N := [a-z] [a-zA-Z]*;"#,
            r#"s := "ab"i | "Ab" | "aB" | "b"i "B";"#,
            // No ASCII, the empty literal, bytes of no literal.
            r#"s := "é" | "ê"i | "" N; token N := [\x80-\xff] | "é" "z";"#,
            r#"s := "/*" | "*/" | C; token C := "/*" ([^*] | "*" [^/])* "*/"; skip W := " "+;"#,
            include_str!("../../../grammars/sql/sql.ebnf"),
        ];
        for text in grammars {
            let grammar: Grammar = text.parse().unwrap();
            let (tokens, _) = tokens(&grammar);
            let all: Vec<u32> = (0..tokens.len() as u32).collect();
            let table = |chosen: &[u32]| {
                let dfa = determinized(&grammar, &tokens, chosen).unwrap();
                Table::from_dfa(&dfa, chosen).unwrap()
            };
            let literal = |at: u32| match tokens[at as usize].origin {
                Origin::Literal(literal) => Some(Spelling {
                    token: at,
                    text: &grammar[literal],
                    is_caseless: grammar.is_caseless(literal),
                }),
                _ => None,
            };
            let (literals, others): (Vec<u32>, Vec<u32>) =
                all.iter().partition(|&&at| literal(at).is_some());
            let literals: Vec<Spelling<'_>> = literals.into_iter().filter_map(literal).collect();
            let joined = table(&others).joined(&literals, usize::MAX).unwrap();
            let expected = table(&all);
            for (a, b) in pairs(&joined, &expected) {
                assert_eq!(joined.matches(a), expected.matches(b), "{text:.60}");
            }
            // What matches is seen one byte late there, so some states are twice in it.
            assert!(joined.state_count() <= expected.state_count());
            assert!(table(&others).joined(&literals, 16).is_none());
        }
    }
}
