//! The reader of TRIBBLE's notation. Run by `cargo fuzz run --features itself`, which instruments pleach, too.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    pleach_fuzz::import::run(text, pleach_import::Notation::Tribble);
});
