//! The crate graphql-parser reads and formats documents of `grammars/graphql/graphql.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/graphql/graphql.ebnf",
    |text: &[u8]| { graphql_parser::run(text); }
}
