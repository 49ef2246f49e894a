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

/// The names of what a directory of this package holds, without extensions, sorted.
fn names(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_targets_are_the_subjects_of_the_arena() {
    // The README's examples use one of these grammars, and so do targets with another codec and the one that fails;
    // the readers of notations and the lexical level need none.
    let mut targets = names("fuzz_targets");
    targets.retain(|name| {
        let other = ["readme_", "import_"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        let other = other || name.ends_with("_text");
        !other && !["fragile", "tokens", "compiled"].contains(&name.as_str())
    });
    assert_eq!(targets, names("arena/subjects"));
}

#[test]
fn targets_run_their_subjects_on_the_same_grammar() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
    for name in names("arena/subjects") {
        let target = fs::read_to_string(package.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        let about = package.join(format!("arena/subjects/{name}/subject.toml"));
        let about = fs::read_to_string(about).unwrap();
        let grammar = about
            .lines()
            .find_map(|line| line.strip_prefix("grammar = \""))
            .and_then(|path| path.strip_suffix('"'))
            .unwrap_or_else(|| panic!("{name} names no grammar"));
        // The target has URIs of the RFC, the arena the untidy URLs of the web.
        let grammar = match name.as_str() {
            "url" => "grammars/url/url.ebnf",
            _ => grammar,
        };
        assert!(
            target.contains(&format!("grammar: \"../{grammar}\"")),
            "{name}: {grammar}"
        );
        let call = format!("{}::run(text);", name.replace('-', "_"));
        assert!(target.contains(&call), "{name}");
        // One that is not built by default has to be behind its own feature.
        let entry = format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\n");
        let (_, behind) = manifest
            .split_once(&entry)
            .unwrap_or_else(|| panic!("{name} has no [[bin]]"));
        let optional = manifest.contains(&format!(
            "path = \"arena/subjects/{name}\", optional = true"
        ));
        let required = format!("required-features = [\"{name}\"]\n");
        assert_eq!(behind.starts_with(&required), optional, "{name}");
    }
}
