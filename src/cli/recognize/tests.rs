use std::path::PathBuf;

use pleach_core::Grammar;
use pleach_core::choice::{Lexemes, ROOT, SiteIndex};
use pleach_core::generate::{Growth, Limits, RandomChooser};
use pleach_core::rng::Rng;
use pleach_core::weights::Weights;

use super::*;

/// The inputs of each kind and grammar.
const MANY: usize = 40;

/// Some files below a directory of the repository; none if it does not exist.
fn files(dir: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open = vec![root.join(dir)];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(dir) = open.pop() {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            match path.is_dir() {
                true => open.push(path),
                false => paths.push(path),
            }
        }
    }
    paths.sort();
    let every = paths.len().div_ceil(MANY).max(1);
    let some = paths.iter().step_by(every);
    some.map(|path| fs::read(path).unwrap()).collect()
}

/// Random sentences, as choice sequences and as texts.
fn generated(graph: &Arc<Graph>) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let codec = Codec::new(graph);
    let weights = Weights::stated(graph.grammar());
    let limits = Limits {
        max_depth: 60,
        max_len: 2000,
        max_nodes: 3000,
    };
    let mut rng = Rng::new(1);
    let (mut index, mut lexemes) = (SiteIndex::new(), Lexemes::default());
    let one = |_| {
        let growth = Growth::draw(&mut rng);
        let mut chooser = RandomChooser::new(graph, &weights, limits, growth, &mut rng);
        chooser.begin(ROOT, 0);
        codec.derive(ROOT, &mut chooser, &mut Scratch::default(), &mut index);
        let text = codec.text(&index, &mut lexemes).to_vec();
        (index.canonical().to_vec(), text)
    };
    (0..MANY).map(one).unzip()
}

/// A few random changes.
fn mutated(inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(2);
    let mutate = |input: &Vec<u8>| {
        let mut input = input.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.index(input.len() + 1);
            match rng.below(4) {
                0 => input.insert(at, rng.below(256) as u8),
                1 if at < input.len() => drop(input.remove(at)),
                2 if at < input.len() => input[at] ^= 1 << rng.below(8),
                _ => input.extend_from_within(at..),
            }
        }
        input
    };
    inputs.iter().map(mutate).collect()
}

#[test]
fn texts_in_utf16_are_no_choice_sequences() {
    let text = "{\"a\": [1, 2, null]}\n\t-- a few words, and more\n";
    let utf16 = |swap: bool| -> Vec<u8> {
        let units = text.encode_utf16();
        units
            .flat_map(|unit| match swap {
                true => unit.to_be_bytes(),
                false => unit.to_le_bytes(),
            })
            .collect()
    };
    let marked = [b"\xff\xfe".to_vec(), utf16(false)].concat();
    let inputs = [utf16(true), utf16(false), marked];
    for &(name, grammar) in pleach_grammars::ALL {
        let grammar: Grammar = grammar.parse().unwrap();
        let graph = Graph::new(grammar).unwrap();
        for input in &inputs {
            let mut recognizer = Recognizer::new(&graph);
            recognizer.add(input);
            assert_ne!(
                recognizer.verdict(),
                Some(Kind::Choices),
                "{name}: {}",
                input.escape_ascii()
            );
        }
    }
}

/// How many inputs were taken for what they are, gave no answer, and were taken for the other kind.
#[derive(Default, Debug)]
struct Row {
    right: usize,
    asked: usize,
    wrong: usize,
}

impl Row {
    fn count(&mut self, verdict: Option<Kind>, kind: Kind) {
        *match verdict {
            Some(found) if found == kind => &mut self.right,
            None => &mut self.asked,
            Some(_) => &mut self.wrong,
        } += 1;
    }
}

/// All grammars of the library: every corpus is recognized, and of single inputs hardly one is a question, or mistaken. What
/// was changed at random can become the other kind.
#[test]
fn inputs_of_the_library_are_recognized() {
    let mut corpora = Row::default();
    let mut singles: [Row; 6] = Default::default();
    for &(name, text) in pleach_grammars::ALL {
        let grammar: Grammar = text.parse().unwrap();
        let graph = Graph::new(grammar).unwrap();
        let (choices, texts) = generated(&graph);
        let mut snippets = files(&format!("grammars/{name}/accepted"));
        snippets.extend(files(&format!("grammars/{name}/rejected")));
        let groups = [
            (mutated(&choices), Kind::Choices),
            (mutated(&texts), Kind::Texts),
            (files(&format!("corpus/{name}")), Kind::Texts),
            (snippets, Kind::Texts),
            (choices, Kind::Choices),
            (texts, Kind::Texts),
        ];
        let mut recognizer = Recognizer::new(&graph);
        for ((inputs, kind), row) in groups.into_iter().zip(&mut singles) {
            let mut all = Seen::default();
            for input in inputs.iter().filter(|input| !input.is_empty()) {
                recognizer.seen = Seen::default();
                recognizer.steps_left = BUDGET.steps;
                recognizer.add(input);
                row.count(recognizer.verdict(), kind);
                all.texts += recognizer.seen.texts;
                all.choices += recognizer.seen.choices;
            }
            recognizer.seen = all;
            corpora.count(recognizer.verdict(), kind);
        }
    }
    assert!(corpora.asked + corpora.wrong == 0, "{corpora:?}");
    // In percent, and in inputs: those that were changed, then what is in the repository, then what is generated.
    let limits = [(10, 9), (6, 1), (1, 0), (10, 1), (1, 0), (1, 0)];
    for (row, (asked, wrong)) in singles.iter().zip(limits) {
        let total = row.right + row.asked + row.wrong;
        assert!(row.asked * 100 <= asked * total, "{singles:?}");
        assert!(row.wrong <= wrong, "{singles:?}");
    }
}
