//! The readers of grammars in JSON. Run by `cargo fuzz run --features itself`, which instruments pleach, too.
#![no_main]

use pleach_import::Notation;

libfuzzer_sys::fuzz_target!(|text: &str| {
    for notation in [
        Notation::Fuzzingbook,
        Notation::GrammarMutator,
        Notation::Nautilus,
    ] {
        pleach_fuzz::import::run(text, notation);
    }
});
