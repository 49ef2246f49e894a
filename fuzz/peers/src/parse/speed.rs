//! How fast documents are parsed.

use std::hint::black_box;
use std::rc::Rc;

use pleach_core::parse::Workspace;
use pleach_peers::harness::{Meter, Quartiles, Run, Sample, measure};
use pleach_peers::table::number;

use crate::documents::{Layout, document};
use crate::gearley;
use crate::others::{self, Earlgrey};
use crate::subject::{self, Subject};

/// The sizes of documents, in bytes.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// The arms that are measured in rounds of their own after the others: they leave a heap behind on which whatever comes next
/// takes ten times as long. Beyond these sizes, they take minutes.
const APART: [(&str, usize); 2] = [(EARLGREY, 10_000), (BNF, 1_000)];
const EARLGREY: &str = "earlgrey";
const BNF: &str = "bnf";

/// What the others are compared with.
const REFERENCE: &str = "gearley";

/// Documents of one layout and size.
struct Pool {
    layout: Layout,
    size: usize,
    documents: Vec<Vec<u8>>,
}

impl Pool {
    fn new(layout: Layout, size: usize) -> Pool {
        // Several small ones, or branches would be learnt by heart.
        let count = (16_000 / size).max(1) as u64;
        Pool {
            layout,
            size,
            documents: (0..count)
                .map(|seed| document(size, layout, seed).into_bytes())
                .collect(),
        }
    }

    /// An arm that parses one document after the other; `parse` says whether it is a sentence.
    fn arm(
        self: &Rc<Self>,
        name: &'static str,
        mut parse: impl FnMut(&[u8]) -> bool + 'static,
    ) -> Arm {
        let pool = Rc::clone(self);
        let mut turn = 0;
        Arm {
            name,
            layout: self.layout,
            size: self.size,
            run: Box::new(move |operations, meter: &mut Meter| {
                let mut bytes = 0;
                let mut all = true;
                meter.time(|| {
                    for _ in 0..operations {
                        let text = &pool.documents[turn % pool.documents.len()];
                        all &= parse(black_box(text));
                        bytes += text.len();
                        turn += 1;
                    }
                });
                assert!(all, "{name} refuses a document");
                meter.add_bytes(bytes);
            }),
        }
    }

    fn arms(self: &Rc<Self>) -> Vec<Arm> {
        let subject = Rc::new(Subject::new(subject::JSON));
        let gearley = Rc::new(gearley::Peer::new(&others::JSON));
        let mut arms = Vec::new();

        let (encode, mut workspace, mut choices) = (Rc::clone(&subject), Workspace::new(), vec![]);
        arms.push(self.arm("pleach", move |text| {
            encode.encode(text, &mut workspace, &mut choices).is_ok()
        }));
        let (encode, mut choices) = (Rc::clone(&subject), vec![]);
        arms.push(self.arm("pleach, new workspace", move |text| {
            encode
                .encode(text, &mut Workspace::new(), &mut choices)
                .is_ok()
        }));
        let mut workspace = Workspace::new();
        arms.push(self.arm("pleach, accepted or not", move |text| {
            subject.accepts(text, &mut workspace).is_ok()
        }));
        let (mut cover, mut workspace) = (Subject::new(subject::JSON), Workspace::new());
        arms.push(self.arm("pleach, coverage (k = 3)", move |text| {
            cover.cover(text, &mut workspace).is_ok()
        }));

        let forest = Rc::clone(&gearley);
        arms.push(self.arm(REFERENCE, move |text| forest.parses(text)));
        arms.push(self.arm("gearley, accepted or not", move |text| {
            gearley.recognizes(text)
        }));
        let earlgrey = Earlgrey::new(&others::JSON);
        arms.push(self.arm(EARLGREY, move |text| earlgrey.parses(text)));
        let bnf = others::bnf(&others::JSON);
        arms.push(self.arm(BNF, move |text| others::bnf_parses(&bnf, text)));
        let mut tree_sitter = others::tree_sitter();
        arms.push(self.arm("tree-sitter", move |text| {
            others::tree_sitter_parses(&mut tree_sitter, text)
        }));
        arms.push(self.arm("serde_json", others::serde_json_parses));
        arms.retain(|arm| arm.max_size().is_none_or(|max| arm.size <= max));
        arms
    }
}

/// A parser at one layout and size.
struct Arm {
    name: &'static str,
    layout: Layout,
    size: usize,
    run: Run,
}

impl Arm {
    /// The greatest size of an arm that is measured apart.
    fn max_size(&self) -> Option<usize> {
        APART
            .iter()
            .find(|(name, _)| *name == self.name)
            .map(|(_, max)| *max)
    }

    fn path(&self) -> String {
        format!("{}/{}/{}", self.layout.name(), self.size, self.name)
    }
}

/// Measures the arms whose path contains `filter`, and prints their table.
pub fn run(rounds: usize, filter: &str) {
    let arms: Vec<Arm> = Layout::ALL
        .into_iter()
        .flat_map(|layout| SIZES.map(|size| Rc::new(Pool::new(layout, size))))
        .flat_map(|pool| pool.arms())
        .filter(|arm| arm.path().contains(filter))
        .collect();
    if arms.is_empty() {
        return;
    }
    let (apart, beside): (Vec<Arm>, Vec<Arm>) =
        arms.into_iter().partition(|arm| arm.max_size().is_some());
    let mut results = Vec::new();
    for arms in [beside, apart] {
        let (names, mut runs): (Vec<_>, Vec<Run>) = arms
            .into_iter()
            .map(|arm| ((arm.layout, arm.size, arm.name), arm.run))
            .unzip();
        let samples = measure(&mut runs, rounds, 1, |round| {
            eprintln!("speed: round {round} of {rounds}");
        });
        results.extend(names.into_iter().zip(samples));
    }
    // Layout by layout and size by size; within a size the order above, with those apart at the end.
    results.sort_by_key(|((layout, size, _), _)| (*layout, *size));

    println!("### speed ({rounds} rounds)\n");
    println!("| document | size | arm | bytes | µs | quartiles | MB/s | MB/s ÷ {REFERENCE}'s |");
    println!("|---|--:|---|--:|--:|--:|--:|--:|");
    for ((layout, size, name), of) in &results {
        let time = Quartiles::of(of.iter().map(|sample| sample.nanoseconds / 1e3));
        let bytes = Quartiles::of(of.iter().map(|sample| sample.bytes)).median;
        let speed = Quartiles::of(of.iter().map(|sample| 1e3 / sample.nanoseconds_per_byte()));
        let reference = results
            .iter()
            .find(|(arm, _)| *arm == (*layout, *size, REFERENCE))
            .map(|(_, reference)| number(ratio(of, reference)))
            .unwrap_or_default();
        println!(
            "| {} | {size} | {name} | {} | {} | {} – {} | {} | {reference} |",
            layout.name(),
            number(bytes),
            number(time.median),
            number(time.first),
            number(time.third),
            number(speed.median),
        );
    }
    println!();
}

/// The median, over the rounds, of bytes per second as a multiple of the reference's.
fn ratio(arm: &[Sample], reference: &[Sample]) -> f64 {
    let within_round = |(arm, reference): (&Sample, &Sample)| {
        reference.nanoseconds_per_byte() / arm.nanoseconds_per_byte()
    };
    Quartiles::of(arm.iter().zip(reference).map(within_round)).median
}
