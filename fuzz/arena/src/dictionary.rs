//! The grammar's literals as a dictionary of libFuzzer.
//!
//! One entry a line, in quotes; `"`, `\` and bytes that do not print are written as escapes, as the engine's reader wants them
//! (`ParseOneDictionaryEntry` in its `FuzzerUtil.cpp`). An entry is at most 64 bytes long: longer ones do not fit the engine's words.

use pleach_core::Grammar;

/// The bytes that fit into one of the engine's words.
const LONGEST: usize = 64;

/// The dictionary, sorted, each literal once. Longer literals are cut.
pub(crate) fn dictionary(grammar: &Grammar) -> String {
    let mut literals: Vec<&[u8]> = grammar
        .literals()
        .as_slice()
        .iter()
        .map(|literal| &literal[..literal.len().min(LONGEST)])
        .filter(|literal| !literal.is_empty())
        .collect();
    literals.sort();
    literals.dedup();
    let mut text = String::new();
    for literal in literals {
        text.push('"');
        for &byte in literal {
            match byte {
                b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
                b' '..=b'~' => text.push(char::from(byte)),
                _ => text.push_str(&format!("\\x{byte:02X}")),
            }
        }
        text.push_str("\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::dictionary;

    #[test]
    fn literals_are_written_as_the_engine_reads_them() {
        let grammar = r#"a := "null" "\"" "\\" "\xff\n" "é" "" | "null" ",";"#;
        assert_eq!(
            dictionary(&grammar.parse().unwrap()),
            "\"\\\"\"\n\",\"\n\"\\\\\"\n\"null\"\n\"\\xC3\\xA9\"\n\"\\xFF\\x0A\"\n"
        );
    }

    #[test]
    fn long_literals_are_cut() {
        let grammar = format!("a := \"{}\";", "x".repeat(100));
        assert_eq!(
            dictionary(&grammar.parse().unwrap()),
            format!("\"{}\"\n", "x".repeat(64))
        );
    }
}
