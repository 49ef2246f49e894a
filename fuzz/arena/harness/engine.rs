//! The subject under libFuzzer's own mutations, on choice sequences: a grammar decoder and nothing else.
#![no_main]

pleach::language! {
    static LANGUAGE: Language = subject::GRAMMAR.parse().expect("the subject's grammar is right"), counters: 0;
}

libfuzzer_sys::fuzz_target!(|choices: &[u8]| {
    LANGUAGE.execute(choices, subject::run);
});
