//! Grammars with tokens. Run by `cargo fuzz run --features itself`, which instruments pleach, too.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    pleach_fuzz::tokens::run(data);
});
