//! Grammars of common languages, in the notation of [pleach](https://docs.rs/pleach).
//!
//! Each is written from its specification, so that it generates what programs accept.
//!
//! ```
//! let json = pleach_grammars::grammar("json").unwrap();
//! assert!(json.contains("value :="));
//! ```

#![forbid(unsafe_code)]

macro_rules! grammars {
    ($($name:literal)*) => {
        &[$((
            $name,
            include_str!(concat!($name, "/", $name, ".ebnf")),
        )),*]
    };
}

/// Each grammar: its name and its text, sorted by name.
pub const ALL: &[(&str, &str)] = grammars! {
    "arithmetic"
    "config"
    "css"
    "csv"
    "dialogue"
    "email"
    "fancy_regex"
    "fend"
    "graphql"
    "http"
    "javascript"
    "json"
    "json5"
    "lua"
    "markdown"
    "regex"
    "rhai"
    "sql"
    "tera"
    "toml"
    "url"
    "wat"
    "wgsl"
    "whatwg_url"
    "xml"
};

/// The text of a grammar.
pub fn grammar(name: &str) -> Option<&'static str> {
    let found = ALL.iter().find(|(known, _)| *known == name);
    found.map(|&(_, text)| text)
}

/// The names of all grammars, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|&(name, _)| name)
}
