//! Memory, and texts of real sizes, each of which is checked as well.

use pleach_core::parse::Workspace;
use pleach_peers::harness::{Meter, Run, measure};
use pleach_peers::table::number;

use crate::documents::{Layout, document};
use crate::gearley;
use crate::memory::peak;
use crate::others;
use crate::scaling::{AMBIGUOUS, nested_arrays, operands};
use crate::subject::{self, Subject};

/// The size of the documents whose memory is measured, in bytes.
const DOCUMENT: usize = 1_000_000;

/// Prints the peak of the memory that parsing a document takes, for each of the parsers that allocate in Rust.
pub fn memory() {
    println!("### memory (peak of live bytes, {DOCUMENT} bytes of JSON)\n");
    println!("| document | arm | bytes a byte of text |");
    println!("|---|---|--:|");
    let mut subject = Subject::new(subject::JSON);
    let gearley = gearley::Peer::new(&others::JSON);
    for layout in Layout::ALL {
        let text = document(DOCUMENT, layout, 0).into_bytes();
        let row = |name: &str, work: &mut dyn FnMut() -> bool| {
            let (accepted, bytes) = peak(work);
            assert!(accepted, "{name} refuses the document");
            let share = number(bytes as f64 / text.len() as f64);
            println!("| {} | {name} | {share} |", layout.name());
        };
        row("pleach", &mut || {
            let mut choices = Vec::new();
            subject
                .encode(&text, &mut Workspace::new(), &mut choices)
                .is_ok()
        });
        row("pleach, accepted or not", &mut || {
            subject.accepts(&text, &mut Workspace::new()).is_ok()
        });
        row("pleach, coverage (k = 3)", &mut || {
            subject.cover(&text, &mut Workspace::new()).is_ok()
        });
        row("gearley", &mut || gearley.parses(&text));
        row("gearley, accepted or not", &mut || {
            gearley.recognizes(&text)
        });
        row("serde_json", &mut || others::serde_json_parses(&text));
    }
    println!();
}

/// Prints time and memory of texts of real sizes.
pub fn real(rounds: usize) {
    println!("### real sizes (least of {rounds} rounds)\n");
    println!("| texts | work | CPU ms | peak MB | result |");
    println!("|---|---|--:|--:|---|");
    let files: Vec<Vec<u8>> = (0..10_000)
        .map(|seed| document(300, Layout::Pretty, seed).into_bytes())
        .collect();
    let mean = files.iter().map(Vec::len).sum::<usize>() / files.len();
    let files_name = format!("10 000 JSON files of {mean} bytes on average, one workspace");
    let cases: [(&str, &str, Vec<Vec<u8>>); 4] = [
        (
            "1 MB of JSON",
            subject::JSON,
            vec![document(1_000_000, Layout::Pretty, 0).into_bytes()],
        ),
        (&files_name, subject::JSON, files),
        (
            "an array nested 100 000 times",
            subject::JSON,
            vec![nested_arrays(200_000)],
        ),
        ("200 operands", AMBIGUOUS, vec![operands(200)]),
    ];
    for (name, grammar, texts) in cases {
        eprintln!("real sizes: {name}");
        check_round_trips(grammar, &texts);
        print(
            name,
            "choices",
            grammar,
            &texts,
            rounds,
            |subject, texts| {
                let (mut workspace, mut choices, mut bytes) = (Workspace::new(), Vec::new(), 0);
                for text in texts {
                    let done = subject.encode(text, &mut workspace, &mut choices);
                    done.expect("a sentence");
                    bytes += choices.len();
                }
                format!("{} choice bytes", number(bytes as f64))
            },
        );
        print(
            name,
            "coverage (k = 3)",
            grammar,
            &texts,
            rounds,
            |subject, texts| {
                let mut workspace = Workspace::new();
                for text in texts {
                    let done = subject.cover(text, &mut workspace);
                    done.expect("a sentence");
                }
                format!("{} k-paths", subject.covered())
            },
        );
        if grammar == AMBIGUOUS {
            print(
                name,
                "derivations",
                grammar,
                &texts,
                rounds,
                |subject, texts| {
                    let number = subject.derivations(&texts[0], &mut Workspace::new());
                    let number = number.expect("a sentence").to_string();
                    assert_eq!(
                        remainder(&number),
                        binary_trees(199),
                        "derivations are binary trees"
                    );
                    format!("a number of {} digits", number.len())
                },
            );
        }
    }
    println!();
}

/// That what is encoded decodes to the text.
fn check_round_trips(grammar: &str, texts: &[Vec<u8>]) {
    let subject = Subject::new(grammar);
    let (mut workspace, mut choices) = (Workspace::new(), Vec::new());
    for text in texts {
        let done = subject.encode(text, &mut workspace, &mut choices);
        done.expect("a sentence");
        assert!(subject.decodes_to(&choices, text), "a round trip");
    }
}

fn print(
    name: &str,
    work_name: &str,
    grammar: &str,
    texts: &[Vec<u8>],
    rounds: usize,
    work: fn(&mut Subject, &[Vec<u8>]) -> String,
) {
    let mut subject = Subject::new(grammar);
    let (result, bytes) = peak(|| work(&mut subject, texts));
    let texts = texts.to_vec();
    let run: Run = Box::new(move |operations, meter: &mut Meter| {
        meter.time(|| (0..operations).for_each(|_| drop(work(&mut subject, &texts))));
    });
    let samples = measure(&mut [run], rounds, 1, |_| ());
    let times = samples[0].iter().map(|sample| sample.nanoseconds);
    println!(
        "| {name} | {work_name} | {} | {} | {result} |",
        number(times.fold(f64::INFINITY, f64::min) / 1e6),
        number(bytes as f64 / 1e6),
    );
}

/// A prime by which large numbers are compared.
const PRIME: u64 = 1_000_000_007;

/// The remainder of a decimal number.
fn remainder(digits: &str) -> u64 {
    digits.bytes().fold(0, |value, digit| {
        (value * 10 + u64::from(digit - b'0')) % PRIME
    })
}

/// The remainder of the number of binary trees with so many inner nodes.
fn binary_trees(inner: usize) -> u64 {
    let mut counts = vec![1];
    for size in 1..=inner {
        let sum = (0..size).fold(0, |sum, left| {
            (sum + counts[left] * counts[size - 1 - left]) % PRIME
        });
        counts.push(sum);
    }
    counts[inner]
}

#[cfg(test)]
mod tests {
    use super::{PRIME, binary_trees, remainder};

    #[test]
    fn binary_trees_are_counted() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(binary_trees), [1, 1, 2, 5, 14, 42]);
        // The hundredth Catalan number.
        let hundredth = "896519947090131496687170070074100632420837521538745909320";
        assert_eq!(remainder(hundredth), binary_trees(100));
        assert_eq!(remainder("1000000008"), 1000000008 % PRIME);
    }
}
