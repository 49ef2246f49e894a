#![no_main]

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
use pleach::Sentence;
use serde_json::{Value, from_slice, from_str};

pleach::language! { static JSON: Json = "../grammars/json/json.ebnf"; }

fuzz_target!(|json: Sentence<Json>| {
    if let Ok(value) = from_slice::<Value>(&json) {
        assert!(from_str::<Value>(&value.to_string()).is_ok());
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    JSON.mutate(data, size, max_size, seed)
});

fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
    JSON.crossover(data1, data2, out, seed)
});
