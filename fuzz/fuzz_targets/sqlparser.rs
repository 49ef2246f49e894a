//! The crate sqlparser reads and prints statements of `grammars/sql/sql.ebnf`, in three dialects.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/sql/sql.ebnf",
    |text: &[u8]| { sqlparser::run(text); }
}
