//! Peer: LibAFL's Nautilus.
//!
//! Its grammars are lists of productions without quantifiers and classes, so repetitions become right recursion and every
//! character of a class a production. It chooses uniformly among the productions of a nonterminal and has one number to
//! steer sizes by, the most productions in a tree. So that this number decides about the length, and not early leaves,
//! productions that go on are listed several times.

use crate::arms::{Arm, Language, Task, Workload};
use crate::handwritten::{ESCAPES, HEX, PLAIN, SPACES};
use libafl::generators::nautilus::{NautilusContext, NautilusGenerator};
use libafl::inputs::nautilus::NautilusInput;
use libafl::mutators::nautilus::NautilusRandomMutator;
use libafl::mutators::{MutationResult, Mutator};
use libafl::state::HasRand;
use libafl_bolts::rands::StdRand;
use std::fmt;
use std::hint::black_box;
use std::rc::Rc;

/// The name of the arms.
pub const NAME: &str = "Nautilus";

/// Texts longer or shorter than wanted by more than a fifth do not become workloads.
const TOLERANCE: f64 = 0.2;

/// A grammar with its trees of about one size.
pub struct Forest {
    language: Language,
    size: usize,
    context: &'static NautilusContext,
    mutation_context: &'static NautilusContext,
    trees: Vec<NautilusInput>,
}

impl fmt::Debug for Forest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Forest({} trees of {}, {} bytes)",
            self.trees.len(),
            self.language,
            self.size
        )
    }
}

impl Forest {
    /// Generates trees until `count` of them have texts of about `size` bytes.
    pub fn grow(language: Language, size: usize, count: usize) -> Forest {
        let productions = productions(language);
        let productions: Vec<(&str, &[u8])> = productions
            .iter()
            .map(|(name, body)| (*name, body.as_slice()))
            .collect();
        // Arms borrow a context for as long as the program runs.
        let context = |budget| -> &'static NautilusContext {
            let context = NautilusContext::with_rules(budget, &productions);
            Box::leak(Box::new(context.expect("the grammar has productions")))
        };
        let mut forest = Forest {
            language,
            size,
            context: context(budget(language, size)),
            mutation_context: context(mutation_budget(size)),
            trees: Vec::new(),
        };
        let mut state = State::new(1);
        let mut text = Vec::new();
        while forest.trees.len() < count {
            let tree = forest.tree(&mut state);
            tree.unparse(forest.context, &mut text);
            if (text.len() as f64 - size as f64).abs() <= size as f64 * TOLERANCE {
                forest.trees.push(tree);
            }
        }
        forest
    }

    /// The texts of the trees.
    pub fn texts(&self) -> Vec<Vec<u8>> {
        let text = |tree: &NautilusInput| {
            let mut text = Vec::new();
            tree.unparse(self.context, &mut text);
            text
        };
        self.trees.iter().map(text).collect()
    }

    fn workload(&self, task: Task) -> Workload {
        Workload {
            task,
            language: self.language,
            size: self.size,
        }
    }

    /// A new tree, of any size.
    fn tree(&self, state: &mut State) -> NautilusInput {
        let generator = NautilusGenerator::new(self.context);
        let start = generator.nonterminal("START");
        let mut tree = NautilusInput::empty();
        generator.generate_from_nonterminal(
            state.rand_mut(),
            &mut tree,
            start,
            budget(self.language, self.size),
        );
        tree
    }
}

/// From the trees of a forest to their texts.
pub fn unparse(forest: &Rc<Forest>) -> Arm {
    let forest = Rc::clone(forest);
    let mut turn = 0;
    let mut text = Vec::new();
    Arm::new(
        NAME,
        forest.workload(Task::Decode),
        move |operations, meter| {
            let mut bytes = 0;
            meter.time(|| {
                for _ in 0..operations {
                    forest.trees[turn % forest.trees.len()].unparse(forest.context, &mut text);
                    bytes += black_box(&text).len();
                    turn += 1;
                }
            });
            meter.add_bytes(bytes);
        },
    )
}

/// New trees, and their texts.
pub fn generate(forest: &Rc<Forest>) -> Arm {
    let forest = Rc::clone(forest);
    let mut state = State::new(2);
    let mut text = Vec::new();
    Arm::new(
        NAME,
        forest.workload(Task::Generate),
        move |operations, meter| {
            let mut bytes = 0;
            meter.time(|| {
                for _ in 0..operations {
                    forest.tree(&mut state).unparse(forest.context, &mut text);
                    bytes += black_box(&text).len();
                }
            });
            meter.add_bytes(bytes);
        },
    )
}

/// The random mutation of a fresh tree, and the text of the result. A mutation that skips is tried again. Copying the tree
/// is not part of the time.
pub fn mutate(forest: &Rc<Forest>) -> Arm {
    let forest = Rc::clone(forest);
    let workload = forest.workload(Task::Mutate);
    let mut mutator = NautilusRandomMutator::new(forest.mutation_context);
    let mut state = State::new(3);
    let mut turn = 0;
    let mut batch: Vec<NautilusInput> = Vec::new();
    let mut text = Vec::new();
    Arm::new(NAME, workload, move |operations, meter| {
        let mut left = operations as usize;
        while left > 0 {
            let size = left.min(workload.batch());
            batch.clear();
            for _ in 0..size {
                batch.push(forest.trees[turn % forest.trees.len()].clone());
                turn += 1;
            }
            let mut bytes = 0;
            meter.time(|| {
                for tree in &mut batch {
                    while mutator
                        .mutate(&mut state, tree)
                        .expect("the tree is not empty")
                        == MutationResult::Skipped
                    {}
                    tree.unparse(forest.context, &mut text);
                    bytes += black_box(&text).len();
                }
            });
            meter.add_bytes(bytes);
            left -= size;
        }
    })
}

/// The part of a fuzzer's state that the mutator needs.
struct State {
    rand: StdRand,
}

impl State {
    fn new(seed: u64) -> State {
        State {
            rand: StdRand::with_seed(seed),
        }
    }
}

impl HasRand for State {
    type Rand = StdRand;

    fn rand(&self) -> &StdRand {
        &self.rand
    }

    fn rand_mut(&mut self) -> &mut StdRand {
        &mut self.rand
    }
}

/// The most productions in a generated tree, such that the median text has about `size` bytes.
fn budget(language: Language, size: usize) -> usize {
    match (language, size) {
        (Language::Json, 10) => 34,
        (Language::Json, 700) => 11_000,
        (Language::Json, 2000) => 31_000,
        (Language::Expr, 10) => 23,
        (Language::Expr, 700) => 1400,
        (Language::Expr, 2000) => 3900,
        _ => panic!("no budget for {size} bytes of {language}"),
    }
}

/// The most productions in a subtree that a mutation makes: about as many as there are bytes in the text, so that trees
/// keep their size by and large.
fn mutation_budget(size: usize) -> usize {
    size.max(20)
}

fn productions(language: Language) -> Vec<(&'static str, Vec<u8>)> {
    match language {
        Language::Json => json(),
        Language::Expr => expr(),
    }
}

/// Productions from a table of nonterminals and their right-hand sides, each with the number of times that it is listed.
fn listed(table: &[(&'static str, &[(usize, &str)])]) -> Vec<(&'static str, Vec<u8>)> {
    let mut productions = Vec::new();
    for &(name, bodies) in table {
        for &(times, body) in bodies {
            productions.extend((0..times).map(|_| (name, body.as_bytes().to_vec())));
        }
    }
    productions
}

/// One production for each byte; braces are escaped as Nautilus wants them.
fn each(name: &'static str, bytes: &[u8]) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    bytes.iter().map(move |&byte| match byte {
        b'{' | b'}' => (name, vec![b'\\', byte]),
        _ => (name, vec![byte]),
    })
}

/// The language of `grammars/json_tight.ebnf`, with three of the characters beyond ASCII.
fn json() -> Vec<(&'static str, Vec<u8>)> {
    let mut productions = listed(&[
        (
            "Json",
            &[
                (1, "{Ws}{Value}{Ws}"),
                (4, "{Ws}{Object}{Ws}"),
                (4, "{Ws}{Array}{Ws}"),
            ],
        ),
        (
            "Value",
            &[
                (1, "null"),
                (1, "true"),
                (1, "false"),
                (5, "{Object}"),
                (5, "{Array}"),
                (1, "{Number}"),
                (2, "{String}"),
            ],
        ),
        ("Object", &[(1, "\\{{Ws}\\}"), (8, "\\{{Ws}{Members}\\}")]),
        ("Members", &[(1, "{Member}"), (8, "{Member},{Ws}{Members}")]),
        ("Member", &[(1, "{String}{Ws}:{Ws}{Value}{Ws}")]),
        ("Array", &[(1, "[{Ws}]"), (8, "[{Ws}{Items}]")]),
        (
            "Items",
            &[(1, "{Value}{Ws}"), (8, "{Value}{Ws},{Ws}{Items}")],
        ),
        ("Number", &[(1, "{Minus}{Int}{Frac}{Exp}")]),
        ("Minus", &[(1, ""), (1, "-")]),
        ("Int", &[(1, "0"), (1, "{First}{Digits}")]),
        ("Frac", &[(1, ""), (1, ".{Digit}{Digits}")]),
        ("Exp", &[(1, ""), (1, "{E}{Sign}{Digit}{Digits}")]),
        ("E", &[(1, "e"), (1, "E")]),
        ("Sign", &[(1, ""), (1, "+"), (1, "-")]),
        ("Digits", &[(1, ""), (1, "{Digit}{Digits}")]),
        ("String", &[(1, "\"{Chars}\"")]),
        ("Chars", &[(1, ""), (4, "{Char}{Chars}")]),
        (
            "Char",
            &[(1, "{Backslash}{Escape}"), (1, "é"), (1, "€"), (1, "😀")],
        ),
        // A backslash right before a nonterminal would be taken for an escaped brace.
        ("Backslash", &[(1, "\\")]),
        ("Escape", &[(1, "u{Hex}{Hex}{Hex}{Hex}")]),
        ("Ws", &[(3, ""), (1, "{Space}{Ws}")]),
    ]);
    productions.extend(each("First", b"123456789"));
    productions.extend(each("Digit", b"0123456789"));
    productions.extend(each("Char", &PLAIN));
    productions.extend(each("Escape", &ESCAPES[..8]));
    productions.extend(each("Hex", &HEX));
    productions.extend(each("Space", &SPACES));
    productions
}

/// The language of `grammars/expr.ebnf`.
fn expr() -> Vec<(&'static str, Vec<u8>)> {
    let mut productions = listed(&[
        ("Expr", &[(1, "{Add}")]),
        ("Add", &[(1, "{Mult}"), (8, "{Add}{Sum}{Mult}")]),
        ("Sum", &[(1, "+"), (1, "-")]),
        ("Mult", &[(1, "{Unary}"), (3, "{Mult}{Product}{Unary}")]),
        ("Product", &[(1, "*"), (1, "/"), (1, "%")]),
        (
            "Unary",
            &[
                (1, "{Name}"),
                (1, "+{Unary}"),
                (1, "-{Unary}"),
                (1, "++{Unary}"),
                (1, "--{Unary}"),
                (8, "({Add})"),
                (1, "{Digits}"),
            ],
        ),
        ("Digits", &[(1, "{Digit}"), (1, "{Digit}{Digits}")]),
        ("Name", &[(1, "x"), (1, "y"), (1, "z")]),
    ]);
    productions.extend(each("Digit", b"0123456789"));
    productions
}

#[cfg(test)]
mod tests {
    use super::{Forest, State};
    use crate::arms::{Language, Pool, SIZES};

    #[test]
    fn budgets_give_the_wanted_median() {
        for language in Language::ALL {
            for size in SIZES {
                let forest = Forest::grow(language, size, 1);
                let mut state = State::new(5);
                let mut text = Vec::new();
                let length = |_| {
                    forest.tree(&mut state).unparse(forest.context, &mut text);
                    text.len()
                };
                let mut lengths: Vec<usize> = (0..801).map(length).collect();
                lengths.sort_unstable();
                let median = lengths[400];
                println!("{language} {size}: median {median}");
                assert!(
                    median.abs_diff(size) * 3 <= size,
                    "{language} {size}: {median}"
                );
            }
        }
    }

    #[test]
    fn texts_are_in_the_language() {
        for language in Language::ALL {
            for size in SIZES {
                // The pool checks that.
                Pool::new(language, size, Forest::grow(language, size, 20).texts());
            }
        }
    }
}
