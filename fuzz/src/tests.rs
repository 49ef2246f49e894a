//! The properties hold for the snippets beside the grammars, those that the grammar derives and those that it does not.

use std::fs;
use std::path::Path;

/// Runs a property on every snippet of a grammar.
fn run_on_snippets(grammar: &str, property: fn(&[u8]) -> bool) {
    let grammars = Path::new(env!("CARGO_MANIFEST_DIR")).join("../grammars");
    for kind in ["accepted", "rejected"] {
        let folder = grammars.join(grammar).join(kind);
        let entries =
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "{} has no snippets", folder.display());
        for path in paths {
            // Shown if the property fails.
            println!("{}", path.display());
            property(&fs::read(&path).unwrap());
        }
    }
}

#[test]
fn json_snippets_have_the_property() {
    run_on_snippets("json", json::run);
}

#[test]
fn url_snippets_have_the_property() {
    run_on_snippets("url", url::run);
}

#[test]
fn csv_snippets_have_the_property() {
    run_on_snippets("csv", csv::run);
}

#[test]
fn fend_snippets_have_the_property() {
    run_on_snippets("fend", fend::run);
}

#[test]
fn compiled_grammars_have_the_property() {
    let grammar: pleach::Grammar = "a := b ('x' | 40% [y-z])*; b := 'b';".parse().unwrap();
    let bytes = grammar.to_bytes();
    assert!(super::compiled::run(&bytes[28..]));
    assert!(!super::compiled::run(&bytes[30..]));
}

#[test]
fn every_target_has_a_grammar_and_snippets_that_are_tested() {
    let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz_targets");
    let mut names: Vec<_> = fs::read_dir(targets)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        // The README's examples use one of these grammars, and so do targets with another codec and the one that fails;
        // the readers of notations and the lexical level need none.
        .filter(|name| {
            let other = ["readme_", "import_"]
                .iter()
                .any(|prefix| name.starts_with(prefix));
            let other = other || name.ends_with("_text");
            !other && !["fragile", "tokens", "compiled"].contains(&name.as_str())
        })
        .collect();
    names.sort();
    assert_eq!(names, ["csv", "fend", "json", "url"]);
}
