//! Measures parsing beside other parsers, and prints Markdown tables.
//!
//! The arms of `speed` run round robin in one process and one thread; times are CPU time of that thread. `README.md` says
//! what each arm does.

mod documents;
mod gearley;
mod memory;
mod others;
mod rules;
mod scaling;
mod sizes;
mod speed;
mod subject;

use clap::{Parser, ValueEnum};

/// Measures how pleach and other parsers read text, and prints Markdown tables.
#[derive(Debug, Parser)]
struct Options {
    /// How often every arm is measured.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// Only this table.
    #[arg(long)]
    only: Option<Table>,

    /// Of the table `speed`, only arms whose path `document/size/name` contains this, for example `compact/1000/`.
    #[arg(long, default_value = "")]
    filter: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Table {
    /// Bytes per second, beside other parsers.
    Speed,
    /// How time grows with the length.
    Scaling,
    /// Memory for a byte of text.
    Memory,
    /// Time and memory of texts of real sizes.
    Sizes,
}

fn main() {
    let options = Options::parse();
    let rounds = options.rounds as usize;
    let wanted = |table| options.only.is_none_or(|only| only == table);
    if wanted(Table::Speed) {
        speed::run(rounds, &options.filter);
    }
    if wanted(Table::Scaling) {
        scaling::run(rounds);
    }
    if wanted(Table::Memory) {
        sizes::memory();
    }
    if wanted(Table::Sizes) {
        sizes::real(rounds);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use pleach_core::parse::Workspace;
    use pleach_core::rng::Rng;

    use crate::documents::{Layout, document};
    use crate::gearley;
    use crate::others::{self, Earlgrey};
    use crate::subject::{self, Subject};

    /// The snippets of the grammar that pleach reads JSON by, and whether they are sentences.
    fn snippets() -> Vec<(String, Vec<u8>, bool)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars/json");
        let mut snippets = Vec::new();
        for (kind, accepted) in [("accepted", true), ("rejected", false)] {
            for entry in fs::read_dir(folder.join(kind)).unwrap() {
                let path = entry.unwrap().path();
                let name = path.display().to_string();
                snippets.push((name, fs::read(path).unwrap(), accepted));
            }
        }
        for layout in Layout::ALL {
            let text = document(1_000, layout, 7).into_bytes();
            for end in [text.len(), text.len() - 10] {
                let name = format!("{end} bytes of a {} document", layout.name());
                snippets.push((name, text[..end].to_vec(), end == text.len()));
            }
        }
        assert!(snippets.len() > 30);
        snippets
    }

    #[test]
    fn the_rules_describe_the_grammars_language() {
        let gearley = gearley::Peer::new(&others::JSON);
        let earlgrey = Earlgrey::new(&others::JSON);
        for (name, text, accepted) in snippets() {
            assert_eq!(gearley.recognizes(&text), accepted, "gearley: {name}");
            assert_eq!(gearley.parses(&text), accepted, "gearley's forest: {name}");
            assert_eq!(earlgrey.parses(&text), accepted, "earlgrey: {name}");
        }
    }

    #[test]
    fn pleach_and_gearley_agree_on_damaged_documents() {
        let gearley = gearley::Peer::new(&others::JSON);
        let subject = Subject::new(subject::JSON);
        let (mut workspace, mut choices, mut rng) = (Workspace::new(), Vec::new(), Rng::new(1));
        let (mut accepted, mut refused) = (0, 0);
        for seed in 0..5_000 {
            let layout = Layout::ALL[rng.index(2)];
            let mut text = document(300, layout, seed).into_bytes();
            for _ in 0..=rng.index(2) {
                let (at, from) = (rng.index(text.len()), rng.index(text.len()));
                match rng.below(3) {
                    0 => drop(text.remove(at)),
                    1 => text[at] = text[from],
                    _ => text.insert(at, text[from]),
                }
            }
            let here = subject.encode(&text, &mut workspace, &mut choices).is_ok();
            let there = gearley.parses(&text);
            assert_eq!(here, there, "{}", text.escape_ascii());
            if here {
                assert!(
                    subject.decodes_to(&choices, &text),
                    "{}",
                    text.escape_ascii()
                );
            }
            *(if here { &mut accepted } else { &mut refused }) += 1;
        }
        assert!(accepted > 1_000 && refused > 1_000);
    }

    #[test]
    fn bnf_reads_documents() {
        let bnf = others::bnf(&others::JSON);
        let text = document(600, Layout::Compact, 1).into_bytes();
        assert!(others::bnf_parses(&bnf, &text));
        assert!(!others::bnf_parses(&bnf, &text[..text.len() - 1]));
    }
}
