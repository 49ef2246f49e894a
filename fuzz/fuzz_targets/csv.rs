//! The csv crate reads, writes and reads again sentences of `grammars/csv/csv.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/csv/csv.ebnf",
    |text: &[u8]| { csv::run(text); }
}
