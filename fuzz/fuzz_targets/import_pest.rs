//! The reader of pest's grammars. Run by `cargo fuzz run --features itself`, which instruments pleach, too.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    pleach_fuzz::import::run(text, pleach_import::Notation::Pest);
});
