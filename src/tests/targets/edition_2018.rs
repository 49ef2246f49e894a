//! The macros work in crates of older editions.
//@ edition_2018
#![no_main]

mod bytes {
    pleach::fuzz! {
        grammar: "grammars/list.ebnf",
        |text: &[u8]| {
            if text.is_empty() {
                return;
            }
            let _ = text;
        }
    }
}

mod fails {
    pleach::fuzz! { grammar: "grammars/list.ebnf", |text: &str| panic!("{:?}", text) }
}
