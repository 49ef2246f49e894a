//! The subject under libFuzzer's own mutations, on the bytes of the text.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    subject::run(text);
});
