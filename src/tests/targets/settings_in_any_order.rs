//! Settings in any order, the grammar among them, with values of one word or of several.
#![no_main]

mod hooks {
    pub fn none(grammar: &pleach::Grammar) -> Result<pleach::Semantics, pleach::semantics::Error> {
        Ok(pleach::Semantics::new(grammar))
    }
}

const ONE_IN_TEN: f64 = 0.1;

fn grammar() -> pleach::Grammar {
    "list := [a-z]+;".parse().expect("it is a grammar")
}

mod one {
    pleach::fuzz! {
        codec: text,
        errors: super::ONE_IN_TEN / 2.0,
        grammar: "grammars/list.ebnf",
        semantics: super::hooks::none,
        mode: self,
        counters: 2 * 4096,
        |text: &[u8]| { let _ = text; }
    }
}

mod other {
    use super::hooks;

    pleach::fuzz! {
        semantics: (hooks::none),
        mode: uncommon,
        codec: choices,
        grammar: super::grammar(),
        |text: &[u8]| { let _ = text; }
    }
}

pleach::language! { pub static LIST: List = "grammars/list.ebnf"; }
pleach::language! { static TEXTS: Texts = grammar(), codec: text, errors: 0.5,; }

#[allow(dead_code)]
fn use_them() {
    LIST.load();
    TEXTS.load();
}
