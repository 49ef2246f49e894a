//! The grammars that come with the program, by name.

macro_rules! library {
    ($($name:literal)*) => {
        &[$((
            $name,
            include_str!(concat!("../../grammars/", $name, "/", $name, ".ebnf")),
        )),*]
    };
}

/// Each directory of `grammars/` with its grammar, sorted by name.
const GRAMMARS: &[(&str, &str)] = library! {
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
pub(super) fn grammar(name: &str) -> Option<&'static str> {
    let found = GRAMMARS.iter().find(|(known, _)| *known == name);
    found.map(|&(_, text)| text)
}

/// The names of all grammars, sorted.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    GRAMMARS.iter().map(|&(name, _)| name)
}

/// The names of all grammars, for a sentence.
pub(super) fn names() -> String {
    all().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::GRAMMARS;

    #[test]
    fn every_grammar_of_the_repository_is_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars");
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let folders = entries.filter(|entry| entry.path().is_dir());
        let mut expected: Vec<String> = folders
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        expected.sort();
        let names: Vec<&str> = GRAMMARS.iter().map(|&(name, _)| name).collect();
        assert_eq!(names, expected, "add it to the list in src/cli/library.rs");
    }
}
