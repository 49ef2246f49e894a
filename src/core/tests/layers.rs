//! The layers of the crate, checked: a module imports only from layers below its own.
//!
//! Reads every path that names `crate::` in the files of this crate, imports and others. Tests may look up, so files called
//! `tests.rs`, the folder `tests` and what stands behind `#[cfg(test)]` are left out. A module that is on no layer is an
//! error: give it one here and in the crate's documentation.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first. Modules of one layer do not know each other.
const LAYERS: &[(u32, &[&str])] = &[
    (0, &["id", "bitset", "rng", "caret"]),
    (1, &["grammar"]),
    (2, &["lexicon"]),
    (3, &["graph"]),
    (4, &["kpath", "weights"]),
    (5, &["choice"]),
    (6, &["tree", "parse", "slip", "model"]),
    (7, &["generate", "semantics"]),
    (8, &["mutate", "lint", "reduce"]),
];
/// Files that are no module of a layer: the roots, and what only tests see.
const OUTSIDE: &[&str] = &["lib", "tests", "examples"];
/// What the root of the crate offers, and the layer it comes from.
const REEXPORTS: &[(&str, &str)] = &[
    ("Codec", "choice"),
    ("Grammar", "grammar"),
    ("Graph", "graph"),
    ("Coverage", "kpath"),
    ("KPaths", "kpath"),
    ("Tree", "tree"),
    ("Parser", "parse"),
    ("Semantics", "semantics"),
    ("Session", "mutate"),
];

fn layer(module: &str) -> Option<u32> {
    let module = REEXPORTS
        .iter()
        .find(|(name, _)| *name == module)
        .map_or(module, |(_, module)| module);
    let found = LAYERS.iter().find(|(_, modules)| modules.contains(&module));
    found.map(|&(layer, _)| layer)
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The code of a file without comments and without what is compiled for tests only.
fn code(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // An item ends where its indentation comes back: by a line that closes a brace, or by a semicolon at once.
            let indent = line.len() - line.trim_start().len();
            for line in lines.by_ref() {
                let at_start = line.len() - line.trim_start().len() == indent;
                if at_start && (line.ends_with('}') || line.ends_with(';')) {
                    break;
                }
            }
            continue;
        }
        kept.push_str(line.split("//").next().unwrap_or(""));
        kept.push('\n');
    }
    kept
}

/// The modules named behind `crate::`, groups in braces included.
fn named_modules(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    let identifier = |text: &str| -> String {
        text.trim_start()
            .chars()
            .take_while(|&c| c.is_alphanumeric() || c == '_')
            .collect()
    };
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` stands in macros, which expand elsewhere but name the same modules.
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            let name = identifier(rest);
            // Exported macros live at the root, wherever they are written; re-exported ones have two underscores in front.
            if !rest.trim_start()[name.len()..].starts_with('!') && !name.starts_with("__") {
                named.push(name);
            }
            continue;
        };
        let mut depth = 0;
        let mut start = true;
        for (at, c) in group.char_indices() {
            if start && !c.is_whitespace() {
                named.push(identifier(&group[at..]));
                start = false;
            }
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                _ => {}
            }
        }
    }
    named.retain(|name| !name.is_empty());
    named
}

/// What is wrong with the imports of a file of `module`.
fn complaints(module: &str, text: &str) -> Vec<String> {
    let named = named_modules(&code(text)).into_iter();
    let named = named.filter(|name| name != module);
    let Some(own) = layer(module) else {
        return vec![format!("{module} is on no layer")];
    };
    named
        .filter_map(|name| match layer(&name) {
            Some(below) if below < own => None,
            Some(other) => Some(format!("{module} ({own}) imports {name} ({other})")),
            None => Some(format!("{module} imports {name}, which is on no layer")),
        })
        .collect()
}

#[test]
fn modules_import_from_layers_below() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for path in sources(root) {
        let below = path.strip_prefix(root).unwrap();
        let first = below.iter().next().unwrap().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs");
        let is_test = |part: &OsStr| part == "tests" || part == "tests.rs";
        if OUTSIDE.contains(&module) || below.iter().any(is_test) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let complaints = complaints(module, &text).into_iter();
        found.extend(complaints.map(|complaint| format!("{}: {complaint}", below.display())));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_documented_layers_are_those_checked_here() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("lib.rs");
    let text = fs::read_to_string(root).unwrap();
    let mut documented = BTreeSet::new();
    for row in text.lines().filter_map(|line| line.strip_prefix("//! | ")) {
        let Some((number, modules)) = row.split_once(" | ") else {
            continue;
        };
        let Ok(number) = number.parse::<u32>() else {
            continue;
        };
        // Whatever stands in backquotes and is no module is a feature or an example.
        for module in modules.split('`').skip(1).step_by(2) {
            if let Some(layer) = layer(module) {
                assert_eq!(layer, number, "{module}");
                documented.insert(module.to_owned());
            }
        }
    }
    let modules = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod "));
    let modules: BTreeSet<String> = modules
        .map(|module| module.trim_end_matches(';').to_owned())
        .collect();
    assert_eq!(documented, modules);
}

#[test]
fn an_import_that_goes_up_is_found() {
    assert_eq!(
        complaints(
            "kpath",
            "use crate::{id::{NodeId, self}, weights::Weights, choice};"
        ),
        [
            "kpath (4) imports weights (4)",
            "kpath (4) imports choice (5)"
        ]
    );
    assert_eq!(
        complaints("graph", "fn f(x: &crate::Tree) {}"),
        ["graph (3) imports Tree (6)"]
    );
    let fine = "// use crate::tree;\n#[cfg(test)]\nmod tests {\n    use crate::tree::Tree;\n}\nuse crate::id::Id;\n";
    assert!(complaints("grammar", fine).is_empty());
}
