//! The reader of compiled grammars. Run by `cargo fuzz run --features itself`, which instruments pleach, too.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    pleach_fuzz::compiled::run(bytes);
});
