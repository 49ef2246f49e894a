//! `wat`: a module that is encoded and valid prints, folded or not, as a text that encodes to the same valid module.
//!
//! The parser limits the nesting of parentheses, and the validator and the printer have no recursion over instructions.
//! `wasmparser` validates with all proposals, `wasmprinter` prints.

use wasmparser::{Validator, WasmFeatures};
use wasmprinter::{Config, PrintFmtWrite};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/wat/wat.ebnf");

/// The longest text that is tried.
const MAX_TEXT: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 15
};

/// Encodes `text` as a module, validates it, prints it, and encodes that again. True if it encodes.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if text.len() > MAX_TEXT {
        return false;
    }
    let binary = match wat::parse_str(text) {
        Ok(binary) => binary,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    if let Err(error) = Validator::new_with_features(WasmFeatures::all()).validate_all(&binary) {
        assert!(!error.message().is_empty(), "an error without a message");
        // What is not valid may not print, but that is an error and no panic.
        drop(print(&binary, false));
        return true;
    }
    // One of the two a text, as printing takes most of the time.
    let folded = text.len() % 2 == 1;
    let printed = print(&binary, folded).expect("a valid module prints");
    let again = wat::parse_str(&printed).expect("what was printed encodes");
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(&again)
        .expect("what was printed is valid");
    let twice = print(&again, folded).expect("what was printed prints");
    assert_eq!(printed, twice, "printing changed the module");
    true
}

/// The text of a module.
fn print(binary: &[u8], folded: bool) -> Option<String> {
    let mut text = String::new();
    Config::new()
        .fold_instructions(folded)
        .print(binary, &mut PrintFmtWrite(&mut text))
        .ok()?;
    Some(text)
}

#[cfg(test)]
mod tests;
