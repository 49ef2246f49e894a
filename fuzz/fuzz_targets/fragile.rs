//! Fails on purpose, on an array in an array in an array: for tests of the engine's modes.
#![no_main]

pleach::fuzz! {
    grammar: "../grammars/json/json.ebnf",
    |text: &[u8]| {
        let mut depth = 0;
        for &byte in text {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            assert!(depth < 3, "three arrays deep");
        }
    }
}
