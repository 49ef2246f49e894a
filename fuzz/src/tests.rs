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
    // The README's examples use one of these grammars, and so do targets with another codec and those that fail or disagree; the one with goals has its own;
    // the readers of notations and the lexical level need none. Those with hooks have them in this package.
    let mut targets = names("fuzz_targets");
    targets.retain(|name| {
        let other = ["readme_", "import_"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        let other = other || name.ends_with("_text");
        let others = [
            "fragile",
            "disagrees",
            "undeclared",
            "euclid",
            "tokens",
            "compiled",
            "png",
        ];
        !other && !others.contains(&name.as_str())
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

/// How many texts of random choices a property accepts, with hooks and without: of 1000.
fn accepted<S: Default + 'static>(
    grammar: &str,
    semantics: fn(&pleach::Grammar) -> Result<pleach::Semantics<S>, pleach::semantics::Error>,
    property: impl Fn(&[u8]) -> bool,
) -> (usize, usize) {
    let graph = pleach_core::Graph::new(grammar.parse::<pleach::Grammar>().unwrap()).unwrap();
    let semantics = semantics(graph.grammar()).unwrap();
    let codec = pleach_core::Codec::new(&graph);
    let mut rng = pleach_core::rng::Rng::new(0);
    let (mut with, mut without) = (0, 0);
    for _ in 0..1000 {
        let choices: Vec<u8> = (0..rng.below(300)).map(|_| rng.below(256) as u8).collect();
        with += usize::from(property(&semantics.text(&codec, &choices).unwrap()));
        without += usize::from(property(&codec.sentence(&choices)));
    }
    (with, without)
}

#[test]
fn images_with_hooks_are_read() {
    let (with, without) = accepted(super::png::GRAMMAR, super::png::semantics, super::png::run);
    assert_eq!((with, without), (1000, 0));
}

#[test]
fn containers_with_hooks_are_read() {
    use pleach::semantics::{Error, Semantics, productions};
    // As the target of the README.
    let semantics = |grammar: &pleach::Grammar| -> Result<Semantics, Error> {
        let [chunk, length, body, crc] = productions(grammar, ["Chunk", "Length", "Body", "Crc"])?;
        Ok(Semantics::new(grammar).on_leave(chunk, move |node, ()| {
            let checked = node.child_text(body);
            let (len, sum) = (checked.len() as u32 - 4, crc32fast::hash(checked));
            node.replace_child(length, &len.to_be_bytes());
            node.replace_child(crc, &sum.to_be_bytes());
        }))
    };
    let count = |file: &[u8]| super::container::count_chunks(file).is_some();
    let (with, without) = accepted(super::container::GRAMMAR, semantics, count);
    // Without hooks, files without chunks are right.
    assert_eq!(with, 1000);
    assert!((400..600).contains(&without), "{without}");
    let chunk = b"CHNK\0\0\0\x01texta";
    let sum = crc32fast::hash(b"texta").to_be_bytes();
    let right = [&chunk[..], &sum].concat();
    assert_eq!(super::container::count_chunks(&right), Some(1));
    for at in 0..right.len() {
        let mut wrong = right.clone();
        wrong[at] ^= 1;
        assert_eq!(super::container::count_chunks(&wrong), None, "{at}");
        assert_eq!(
            super::container::count_chunks(&right[..at]).is_some(),
            at == 4,
            "{at}"
        );
    }
}
