//! Fails on purpose, on an array in an array in an array: for tests of the engine's modes. With `FULL_STACK` in the environment it
//! does so by calling itself without end.
#![no_main]

use std::hint::black_box;

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
            if depth == 3 {
                match std::env::var_os("FULL_STACK") {
                    None => panic!("three arrays deep"),
                    Some(_) => black_box(fill_stack(black_box(0))),
                };
            }
        }
    }
}

#[expect(unconditional_recursion, reason = "that is what it is for")]
fn fill_stack(level: u64) -> u64 {
    black_box(fill_stack(black_box(level + 1))) + level
}
