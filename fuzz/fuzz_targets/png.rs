//! Images survive writing. Their lengths, checksums and amounts of pixels are made right by hooks.
#![no_main]

use pleach_fuzz::png::{run, semantics};

pleach::fuzz! {
    grammar: "src/png.ebnf",
    semantics: semantics,
    |file: &[u8]| { run(file); }
}
