#![no_main]

use pleach::Grammar;
use pleach::semantics::{Error, Semantics, productions};
use pleach_fuzz::container;

fn chunks(grammar: &Grammar) -> Result<Semantics, Error> {
    let [chunk, length, body, crc] = productions(grammar, ["Chunk", "Length", "Body", "Crc"])?;
    Ok(Semantics::new(grammar).on_leave(chunk, move |node, ()| {
        let checked = node.child_text(body);
        let len = checked.len().saturating_sub(4) as u32;
        let sum = crc32fast::hash(checked);
        node.replace_child(length, &len.to_be_bytes());
        node.replace_child(crc, &sum.to_be_bytes());
    }))
}

pleach::fuzz! {
    grammar: (container::GRAMMAR.parse().expect("it is a grammar")),
    semantics: chunks,
    |file: &[u8]| { assert!(container::count_chunks(file).is_some()); }
}
