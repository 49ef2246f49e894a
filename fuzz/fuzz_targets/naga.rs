//! The crate naga validates and translates shaders of `grammars/wgsl/wgsl.ebnf`.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/wgsl/wgsl.ebnf",
    |text: &[u8]| { naga::run(text); }
}
