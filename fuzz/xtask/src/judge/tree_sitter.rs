//! tree-sitter's own parsers, as crates have them, with the grammars that these are made of.

use anyhow::{Context as _, Result};
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::super::fetch::Package;
use super::{Subject, npm, of_crate, parsers, texts};

/// tree-sitter, on texts of public packages
#[derive(Args)]
pub(super) struct TreeSitter {
    /// The languages [default: all]
    #[arg(value_name = "LANGUAGE", value_parser = PossibleValuesParser::new(LANGUAGES.map(|it| it.name)))]
    pub(super) languages: Vec<String>,
}

struct Language {
    name: &'static str,
    extensions: &'static [&'static str],
    packages: &'static [Package],
}

const LANGUAGES: [Language; 8] = [
    Language {
        name: "bash",
        extensions: &["bash", "sh"],
        packages: BASH,
    },
    Language {
        name: "c",
        extensions: &["c", "h"],
        packages: C,
    },
    Language {
        name: "css",
        extensions: &["css"],
        packages: CSS,
    },
    Language {
        name: "go",
        extensions: &["go"],
        packages: GO,
    },
    Language {
        name: "java",
        extensions: &["java"],
        packages: JAVA,
    },
    Language {
        name: "javascript",
        extensions: &["js"],
        packages: JAVASCRIPT,
    },
    Language {
        name: "json",
        extensions: &["json"],
        packages: JSON,
    },
    Language {
        name: "rust",
        extensions: &["rs"],
        packages: RUST,
    },
];

const BASH: &[Package] = &[
    npm(
        "bats",
        "1.13.0",
        "b7ae290dbc7e44709d5e3430698f3048a978bef871c6063f5fca49a20e5aaf58",
    ),
    of_crate(
        "libgit2-sys",
        "0.18.8+1.9.7",
        "7f7c568b25d7489bc3fb2988ed69ab111d2944d2f5fec3d5c987fe545ea97b50",
    ),
    of_crate(
        "vcpkg",
        "0.2.15",
        "accd4ea62f7bb7a82fe23066fb0957d48ef677f6eeb8215f372f52e48bb32426",
    ),
    of_crate(
        "boring-sys",
        "4.17.0",
        "b753c2916f46e25e08abd2cd52b35223a65b7e8a1696ee33b45e20927114696f",
    ),
];
const C: &[Package] = &[
    of_crate(
        "libgit2-sys",
        "0.18.8+1.9.7",
        "7f7c568b25d7489bc3fb2988ed69ab111d2944d2f5fec3d5c987fe545ea97b50",
    ),
    of_crate(
        "libz-sys",
        "1.1.31",
        "ff20308ecabd635a2dc1dd5834a86c462cca20efba1d5d3ddab1f8aea3455cb2",
    ),
    of_crate(
        "zstd-sys",
        "2.1.3+zstd.1.5.7",
        "f729a06d0257428fd9d997ac8db7e1407bd0262ab016b085b36bc52957c0052d",
    ),
];
const CSS: &[Package] = &[
    npm(
        "animate.css",
        "4.1.1",
        "c51565d3706f687a14b5d919a9743a2feb45d7b7915823d67e6a3ab30759fa75",
    ),
    npm(
        "bootstrap",
        "5.3.9",
        "06bdf78289c3c12ea99d40df84eedf6278c724c73eebf38f11f3a65b44ec8c94",
    ),
    npm(
        "normalize.css",
        "8.0.1",
        "5cc172e0d5d062bc2a1a4bf85443e2eb260d3720e16527a0c1ac03b642f1de39",
    ),
    npm(
        "purecss",
        "3.1.0",
        "6243df3042d7851a1857474d4debc4f57fe713074c4dc3189ed9a35b6b52ce24",
    ),
];
const GO: &[Package] = &[of_crate(
    "boring-sys",
    "4.17.0",
    "b753c2916f46e25e08abd2cd52b35223a65b7e8a1696ee33b45e20927114696f",
)];
const JAVA: &[Package] = &[
    npm(
        "cordova-android",
        "15.1.0",
        "10ecdd08830c58dc16a16e72f35e72ee15c9ad5c024d643327839624cb59b39f",
    ),
    npm(
        "cordova-plugin-camera",
        "8.0.0",
        "368ac4f1a26b283e2a18728f2552aa6bdd7c76d9fa9f893e676e3bfa59f3c189",
    ),
    npm(
        "react-native-maps",
        "1.29.11",
        "5874f46812fcf3b7a9fc17bd0fa775e3c0c4db711ce66d0bbec6c01fcca60e5e",
    ),
];
const JAVASCRIPT: &[Package] = &[
    npm(
        "commander",
        "14.0.3",
        "5849703c500e0f324eb01340d8bda1f9ec48fc37bb7be9712eb0dd52aad92f6c",
    ),
    npm(
        "express",
        "5.3.0",
        "62450d99e36dc393295f1ddd93cb9291e658c169f3b700b0110c1ae8fa799930",
    ),
    npm(
        "lodash",
        "4.18.1",
        "696942c2a488c9d7428e9ca5f12ccf03b52de01dcdbfe4d4751d392f0491ae16",
    ),
    npm(
        "underscore",
        "1.13.8",
        "6547214df2878ae60cc552422ef14af38b8d4e3aa613be5bfe9c52b775d96f7a",
    ),
];
const JSON: &[Package] = &[
    npm(
        "caniuse-db",
        "1.0.30001813",
        "0ee89b98e61761d9559f0f3c05610fd36ba30cddff972e899c679ba4132aca0c",
    ),
    npm(
        "mdn-data",
        "2.37.2",
        "eaeb59485e6605391ab786ed499cc054f84acb55fa0727e8649da031bdfff1b8",
    ),
];
const RUST: &[Package] = &[
    of_crate(
        "clap_builder",
        "4.5.40",
        "e0c66c08ce9f0c698cbce5c0279d0bb6ac936d8674174fe48f736533b964f59e",
    ),
    of_crate(
        "regex-automata",
        "0.4.13",
        "5276caf25ac86c8d810222b3dbb938e512c55c6831a10f3e6ed1c93b84041f1c",
    ),
    of_crate(
        "tokio",
        "1.54.1",
        "b52fd3255258d26fac7264ab5a76b53c13367136dc011d3d6ad4f8ed070396a3",
    ),
];

impl TreeSitter {
    pub(super) fn subjects(&self) -> Result<Vec<Subject>> {
        let (judge, packages) = parsers()?;
        let chosen = LANGUAGES.iter().filter(|it| {
            self.languages.is_empty() || self.languages.iter().any(|name| name == it.name)
        });
        let subjects = chosen.map(|language| {
            let name = format!("tree-sitter-{}", language.name);
            let dir = packages.iter().find(|(it, _)| *it == name);
            let (_, dir) = dir.with_context(|| format!("{name} is not among the packages"))?;
            let judge = judge.display().to_string();
            Ok(Subject {
                name,
                grammar: dir.join("src/grammar.json"),
                start: None,
                texts: texts(language.packages, language.extensions)?,
                tool: vec![judge, "tree-sitter".to_owned(), language.name.to_owned()],
            })
        });
        subjects.collect()
    }
}
