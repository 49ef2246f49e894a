//! How time grows with length: the slope of a line through the logarithms.

use std::cell::RefCell;
use std::rc::Rc;

use pleach_core::parse::Workspace;
use pleach_peers::harness::{Meter, Run, measure};
use pleach_peers::table::number;

use crate::documents::{Layout, document};
use crate::subject::{self, Subject};

/// What a parse may spend, so that a case that is not linear after all ends: some tens of seconds.
const STEPS: u64 = 500_000_000;

/// Lengths of texts that are parsed in linear time, in bytes.
const LONG: [usize; 4] = [16_384, 65_536, 262_144, 1_048_576];

/// Numbers of operands.
const OPERANDS: [usize; 4] = [25, 50, 100, 200];

/// What is done to a text.
#[derive(Clone, Copy)]
enum Work {
    Accept,
    Encode,
    Cover,
    Count,
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Work::Accept => "accepted or not",
            Work::Encode => "choices",
            Work::Cover => "coverage (k = 3)",
            Work::Count => "derivations",
        }
    }
}

struct Case {
    name: &'static str,
    grammar: &'static str,
    /// A sentence of about so many bytes, or of so many operands.
    text: fn(usize) -> Vec<u8>,
    sizes: [usize; 4],
    work: &'static [Work],
    goal: f64,
}

const LINEAR: f64 = 1.1;
const CUBIC: f64 = 3.2;

const CASES: [Case; 8] = [
    Case {
        name: "JSON",
        grammar: subject::JSON,
        text: |size| document(size, Layout::Compact, 1).into_bytes(),
        sizes: LONG,
        work: &[Work::Accept, Work::Encode, Work::Cover],
        goal: LINEAR,
    },
    Case {
        name: "JSON, nested arrays",
        grammar: subject::JSON,
        text: nested_arrays,
        sizes: LONG,
        work: &[Work::Encode, Work::Cover],
        goal: LINEAR,
    },
    Case {
        name: "`L := L \",\" \"a\" \\| \"a\"`",
        grammar: "L := L \",\" \"a\" | \"a\";",
        text: list,
        sizes: LONG,
        work: &[Work::Encode],
        goal: LINEAR,
    },
    Case {
        name: "`R := \"a\" \",\" R \\| \"a\"`",
        grammar: "R := \"a\" \",\" R | \"a\";",
        text: list,
        sizes: LONG,
        work: &[Work::Encode],
        goal: LINEAR,
    },
    Case {
        name: "`S := \"a\" S \\| \"a\"`",
        grammar: "S := \"a\" S | \"a\";",
        text: |size| vec![b'a'; size],
        sizes: LONG,
        work: &[Work::Encode],
        goal: LINEAR,
    },
    Case {
        name: "`S := \"a\" S \"b\"? \\| \"a\"` on `a…a`",
        grammar: "S := \"a\" S \"b\"? | \"a\";",
        text: |size| vec![b'a'; size],
        sizes: LONG,
        work: &[Work::Encode],
        goal: LINEAR,
    },
    Case {
        name: "`S := \"a\" S \"b\" \\| \"a\"` on `a…ab…b`",
        grammar: "S := \"a\" S \"b\" | \"a\";",
        text: |size| [vec![b'a'; size / 2 + 1], vec![b'b'; size / 2]].concat(),
        sizes: LONG,
        work: &[Work::Encode],
        goal: LINEAR,
    },
    Case {
        name: "`E := E \"+\" E \\| \"1\"`, operands",
        grammar: AMBIGUOUS,
        text: operands,
        sizes: OPERANDS,
        work: &[Work::Accept, Work::Encode, Work::Count, Work::Cover],
        goal: CUBIC,
    },
];

/// The grammar whose derivations are as many as binary trees.
pub const AMBIGUOUS: &str = "E := E \"+\" E | \"1\";";

/// A sentence of [`AMBIGUOUS`].
pub fn operands(count: usize) -> Vec<u8> {
    [b"1".as_slice(), &b"+1".repeat(count - 1)].concat()
}

/// Arrays in arrays, of so many bytes.
pub fn nested_arrays(size: usize) -> Vec<u8> {
    [b"[".repeat(size / 2), b"]".repeat(size / 2)].concat()
}

fn list(size: usize) -> Vec<u8> {
    [b"a".as_slice(), &b",a".repeat(size / 2)].concat()
}

/// Measures every case and prints the exponents.
pub fn run(rounds: usize) {
    println!("### scaling (least of {rounds} rounds)\n");
    println!(
        "| grammar and texts | work | sizes | ms | exponent | between the last two | at most |"
    );
    println!("|---|---|---|---|--:|--:|--:|");
    for case in &CASES {
        for work in case.work {
            eprintln!("scaling: {}, {}", case.name, work.name());
            print_case(case, *work, rounds);
        }
    }
    println!();
}

fn print_case(case: &Case, work: Work, rounds: usize) {
    let subject = Rc::new(RefCell::new(Subject::new(case.grammar).with_steps(STEPS)));
    let texts = case.sizes.map(case.text);
    let mut refused = None;
    for text in &texts {
        if let Err(refusal) = subject.borrow().accepts(text, &mut Workspace::new()) {
            refused = Some(refusal);
        }
    }
    let start = format!("| {} | {} |", case.name, work.name());
    if let Some(refusal) = refused {
        println!(
            "{start} {} | {refusal:?} | | | {} |",
            sizes(case),
            case.goal
        );
        return;
    }
    let mut runs: Vec<Run> = texts
        .into_iter()
        .map(|text| arm(&subject, work, text))
        .collect();
    let samples = measure(&mut runs, rounds, 1, |_| ());
    let points: Vec<(f64, f64)> = case
        .sizes
        .iter()
        .zip(&samples)
        .map(|(size, samples)| {
            let times = samples.iter().map(|sample| sample.nanoseconds);
            (*size as f64, times.fold(f64::INFINITY, f64::min))
        })
        .collect();
    let milliseconds: Vec<String> = points.iter().map(|(_, time)| number(time / 1e6)).collect();
    println!(
        "{start} {} | {} | {:.2} | {:.2} | {} |",
        sizes(case),
        milliseconds.join(", "),
        exponent(&points),
        exponent(&points[points.len() - 2..]),
        case.goal,
    );
}

fn sizes(case: &Case) -> String {
    case.sizes.map(|size| size.to_string()).join(", ")
}

fn arm(subject: &Rc<RefCell<Subject>>, work: Work, text: Vec<u8>) -> Run {
    let subject = Rc::clone(subject);
    let (mut workspace, mut choices) = (Workspace::new(), Vec::new());
    Box::new(move |operations, meter: &mut Meter| {
        let mut subject = subject.borrow_mut();
        meter.time(|| {
            for _ in 0..operations {
                match work {
                    Work::Accept => subject.accepts(&text, &mut workspace),
                    Work::Encode => subject.encode(&text, &mut workspace, &mut choices),
                    Work::Cover => subject.cover(&text, &mut workspace),
                    Work::Count => subject.derivations(&text, &mut workspace).map(|_| ()),
                }
                .expect("the text was accepted before");
            }
        });
        meter.add_bytes(text.len() * operations as usize);
    })
}

/// The slope of the line of least squares through the logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logarithms.len() as f64;
    let mean_x = logarithms.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = logarithms.iter().map(|(_, y)| y).sum::<f64>() / count;
    let covariance: f64 = logarithms
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let variance: f64 = logarithms.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::{exponent, list, nested_arrays, operands};

    #[test]
    fn exponents_are_slopes() {
        let points = [10.0, 20.0, 40.0, 80.0].map(|size: f64| (size, 7.0 * size.powf(2.5)));
        assert!((exponent(&points) - 2.5).abs() < 1e-9);
    }

    #[test]
    fn texts_are_sentences() {
        assert_eq!(operands(3), b"1+1+1");
        assert_eq!(nested_arrays(6), b"[[[]]]");
        assert_eq!(list(5), b"a,a,a");
    }
}
