//! Targets with hooks.

use super::flip;
use crate::libfuzzer::{__private, Fuzzer, InputCodec};
use pleach_core::grammar::Grammar;
use pleach_core::semantics::{Error, Semantics, productions};

/// Records with their length in a letter: `a` for none.
fn grammar() -> Result<Grammar, String> {
    let text = "file := record+; record := length data ';'; length := [a-z]; data := ([0-9] | '(' record ')'){0,6};";
    text.parse().map_err(|error| format!("{error}"))
}

fn lengths(grammar: &Grammar) -> Result<Semantics, Error> {
    let [record, length, data] = productions(grammar, ["record", "length", "data"])?;
    Ok(Semantics::new(grammar).on_leave(record, move |node, ()| {
        let letter = b'a' + (node.child_text(data).len() % 26) as u8;
        node.replace_child(length, &[letter]);
    }))
}

/// Whether lengths are right, as a reader finds them that goes by them.
fn is_right(mut text: &[u8]) -> bool {
    while let Some((&length, rest)) = text.split_first() {
        // Those that do not fit a letter are right modulo 26.
        let ends = (0..).map(|round| usize::from(length.wrapping_sub(b'a')) + 26 * round);
        let mut ends = ends.take_while(|&end| end < rest.len());
        let Some(end) = ends.find(|&end| rest[end] == b';' && is_balanced(&rest[..end])) else {
            return false;
        };
        text = &rest[end + 1..];
    }
    true
}

fn is_balanced(data: &[u8]) -> bool {
    let mut depth = 0i32;
    data.iter().all(|byte| {
        depth += i32::from(*byte == b'(') - i32::from(*byte == b')');
        depth >= 0
    }) && depth == 0
}

#[test]
fn targets_see_what_hooks_make_of_choices() {
    static CHOICES: Fuzzer = Fuzzer::new(grammar, &[], flip)
        .with_semantics(Some(|grammar| __private::hooks(lengths(grammar))));
    let (mut data, mut size, mut longest) = (vec![0; 400], 1, 0);
    // The chain of mutants gets long now and then.
    for seed in 0..9000 {
        size = CHOICES.mutate(&mut data, size, 400, seed);
        let text = CHOICES.execute(&data[..size], <[u8]>::to_vec);
        assert!(is_right(&text), "{}", String::from_utf8_lossy(&text));
        assert_eq!(CHOICES.sentence(&data[..size]), text);
        longest = longest.max(text.len());
        if seed % 7 == 0 {
            // Another input between, so that this one is decoded anew.
            assert_eq!(CHOICES.execute(&[], <[u8]>::to_vec), b"a;");
            assert_eq!(CHOICES.execute(&data[..size], <[u8]>::to_vec), text);
        }
    }
    assert!(longest > 50, "{longest}");
    let (covered, total) = CHOICES.coverage();
    assert_eq!(covered, total);
}

#[test]
fn texts_that_are_given_out_are_what_hooks_make_and_are_known_again() {
    static TEXTS: Fuzzer = Fuzzer::new(grammar, &[], flip)
        .with_codec(InputCodec::Text)
        .with_semantics(Some(|grammar| __private::hooks(lengths(grammar))));
    // A sentence with wrong lengths is seen as it is, and its mutants are right.
    let mut data = b"z1(z2;);z;".to_vec();
    data.resize(400, 0);
    let (mut size, mut wrong) = (10, 0);
    assert_eq!(TEXTS.execute(&data[..size], <[u8]>::to_vec), b"z1(z2;);z;");
    for seed in 0..3000 {
        size = TEXTS.mutate(&mut data, size, 400, seed);
        let text = TEXTS.execute(&data[..size], <[u8]>::to_vec);
        assert_eq!(text, data[..size]);
        wrong += u64::from(!is_right(&text));
    }
    let stats = TEXTS.stats();
    assert!(
        wrong <= stats.raw && stats.sentences > 2000,
        "{wrong}: {stats}"
    );
    // The engine's byte mutations are all that is ever parsed.
    assert!(stats.parsed + stats.refused <= stats.raw + 1, "{stats}");
    let (covered, total) = TEXTS.coverage();
    assert_eq!(covered, total);
}

#[test]
fn texts_with_hooks_fit() {
    static TEXTS: Fuzzer = Fuzzer::new(grammar, &[], flip)
        .with_codec(InputCodec::Text)
        .with_semantics(Some(|grammar| {
            // Twice as long as what is derived.
            let [data] = productions(grammar, ["data"]).map_err(|error| error.to_string())?;
            let semantics = Semantics::<()>::new(grammar).on_leave(data, |node, ()| {
                let twice = node.text().repeat(2);
                node.replace(&twice);
            });
            Ok(semantics.into())
        }));
    let mut data = vec![0; 64];
    let (mut size, mut longest) = (1, 0);
    for seed in 0..2000 {
        let max_size = [64, 30, 7, 64][seed as usize % 4];
        size = TEXTS.mutate(&mut data, size, max_size, seed);
        assert!((1..=max_size).contains(&size), "{size} of {max_size}");
        longest = longest.max(size);
    }
    assert!(longest > 40, "{longest}");
}

#[test]
fn hooks_at_productions_that_are_not_there_say_so() {
    static WRONG: Fuzzer = Fuzzer::new(grammar, &[], flip).with_semantics(Some(|grammar| {
        let made = productions(grammar, ["recrd"]).map(|_| Semantics::<()>::new(grammar));
        __private::hooks(made)
    }));
    let message = WRONG.try_state().map(|_| ()).unwrap_err();
    assert_eq!(
        message,
        "the grammar has no production `recrd`\nhelp: there is `record`"
    );
}
