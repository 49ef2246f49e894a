//! The grammars: what their `expected.toml` says, and the covering sets under `corpus`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::{Table, Value};

use pleach_core::choice::{Codec, SiteIndex};
use pleach_core::generate::{Expander, Limits, Preference};
use pleach_core::grammar::Grammar;
use pleach_core::graph::Graph;
use pleach_core::kpath::{Coverage, ExpansionCoverage, KPaths, WindowTable, counts};
use pleach_core::parse::{Budget, Parser, Workspace};
use pleach_core::rng::Rng;

/// The k of the paths that the texts under `corpus` have, unless `expected.toml` says otherwise.
const CORPUS_K: u64 = 2;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What a directory holds, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    entries
}

/// Each grammar with its name.
fn grammars() -> Vec<(String, Grammar)> {
    let grammars: Vec<(String, Grammar)> = entries(&root().join("grammars"))
        .into_iter()
        .filter(|path| path.is_dir())
        .map(|folder| {
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(folder.join(format!("{name}.ebnf"))).unwrap();
            let grammar = text
                .parse()
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, grammar)
        })
        .collect();
    assert!(!grammars.is_empty());
    grammars
}

fn expected(name: &str) -> Table {
    let path = root().join(format!("grammars/{name}/expected.toml"));
    fs::read_to_string(path).unwrap().parse().unwrap()
}

fn number(value: &Value) -> u64 {
    u64::try_from(value.as_integer().unwrap()).unwrap()
}

#[test]
fn grammars_count_as_expected() {
    for (name, grammar) in grammars() {
        let expected = expected(&name);
        assert_eq!(
            grammar.productions().len() as u64,
            number(&expected["productions"]),
            "productions of {name}"
        );
        let graph = Graph::new(grammar).unwrap();
        assert_eq!(
            graph.symbol_count() as u64,
            number(&expected["symbols"]),
            "symbols of {name}"
        );
        let k_paths: Vec<Option<u64>> = expected["k_paths"]
            .as_array()
            .unwrap()
            .iter()
            .map(|count| Some(number(count)))
            .collect();
        assert_eq!(k_paths.len(), 5, "levels of {name}");
        assert_eq!(counts(&graph, 5), k_paths, "k-paths of {name}");
    }
}

#[test]
fn finished_grammars_have_no_warnings() {
    for (name, grammar) in grammars() {
        assert_eq!(expected(&name)["warnings"].as_array(), Some(&Vec::new()));
        assert!(
            grammar.warnings().is_empty(),
            "{name}: {:?}",
            grammar.warnings()
        );
    }
}

#[test]
fn grammars_print_and_read_back() {
    for (name, grammar) in grammars() {
        let printed = grammar.to_string();
        let again: Grammar = printed
            .parse()
            .unwrap_or_else(|error| panic!("{name}: {error}\n{printed}"));
        assert_eq!(again.to_string(), printed, "{name}");
        assert_eq!(again.fingerprint(), grammar.fingerprint(), "{name}");
        assert_eq!(again, grammar, "{name}");
    }
}

#[test]
fn grammars_compile_and_load() {
    for (name, grammar) in grammars() {
        let bytes = grammar.to_bytes();
        let loaded = Grammar::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(loaded, grammar, "{name}");
        assert_eq!(loaded.symbols(), grammar.symbols(), "{name}");
        // What is compiled beside a grammar is that grammar.
        let path = format!("grammars/{name}/{name}");
        if let Ok(beside) = fs::read(root().join(format!("{path}.pleach"))) {
            assert!(
                beside == bytes,
                "{path}.pleach is another grammar\ncompile it again:\n  \
                 pleach compile {path}.ebnf -o {path}.pleach --force"
            );
        }
    }
}

#[test]
fn snippets_are_there() {
    for (name, _) in grammars() {
        for kind in ["accepted", "rejected"] {
            let snippets = entries(&root().join(format!("grammars/{name}/{kind}")));
            assert!(snippets.len() >= 12, "{kind} snippets of {name}");
        }
    }
}

#[test]
fn corpora_are_few_texts_that_cover_their_grammars() {
    for (name, grammar) in grammars() {
        let graph = Graph::new(grammar).unwrap();
        let k = expected(&name).get("corpus_k").map_or(CORPUS_K, number);
        let kpaths = KPaths::new(&graph, k as usize).unwrap();
        let windows = WindowTable::new(&kpaths).unwrap();
        let mut coverage = Coverage::new(&kpaths).unwrap();
        let mut expansions = ExpansionCoverage::new(&graph);
        let (parser, mut workspace) = (Parser::new(&graph), Workspace::new());
        let texts = entries(&root().join("corpus").join(&name));
        assert!(texts.len() < 50, "corpus/{name} has {} texts", texts.len());
        for path in texts {
            let text = fs::read(&path).unwrap();
            let forest = parser.parse(&text, Budget::default(), &mut workspace);
            let covered = forest
                .and_then(|mut forest| forest.cover(&windows, &mut coverage, &mut expansions));
            assert!(covered.is_ok(), "{}: {covered:?}", path.display());
        }
        let uncovered: Vec<String> = coverage
            .uncovered()
            .filter_map(|rank| Some(kpaths.name(&kpaths.unrank(rank)?)))
            .collect();
        assert!(
            uncovered.is_empty(),
            "corpus/{name} lacks {uncovered:?}\nmake it again: cargo xtask corpus {name}"
        );
    }
}

#[test]
fn foresight_covers_the_expansions_of_every_grammar() {
    for (name, grammar) in grammars() {
        let codec = Arc::new(Codec::new(&Graph::new(grammar).unwrap()));
        let expander = Expander::new(&codec, Limits::NONE, Rng::new(0));
        let mut expander = expander.prefer(Preference::Nearest);
        let mut index = SiteIndex::new();
        // Each sentence covers one at least.
        for _ in 0..expander.expansions().total() {
            expander.generate(&mut index);
        }
        let expansions = expander.expansions();
        assert_eq!(expansions.covered(), expansions.total(), "{name}");
    }
}
