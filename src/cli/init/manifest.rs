//! The manifest of a fuzz package, with lines for a target added: comments and layout stay.

use std::fmt;
use std::path::Path;

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TomlError, Value};

/// The version of the engine's crate that is added where it is missing: cargo-fuzz's.
const ENGINE: &str = "0.4";
/// The crate of an engine that has another feature.
const LIBAFL: &str = "libafl_libfuzzer";

/// A manifest.
#[derive(Debug)]
pub(super) struct Manifest {
    document: DocumentMut,
}

/// Why a manifest cannot have a target.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Refusal {
    /// It depends on pleach without the feature that targets need.
    NoFeature(&'static str),
    /// A part of it is something else than Cargo reads.
    Shape(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoFeature(feature) => {
                write!(f, "it depends on pleach without the feature `{feature}`")
            }
            Refusal::Shape(part) => write!(f, "`{part}` is not what Cargo takes"),
        }
    }
}

impl Refusal {
    pub(super) fn help(&self) -> String {
        match self {
            Refusal::NoFeature(feature) => {
                format!("add it: features = [\"{feature}\"]")
            }
            Refusal::Shape(part) => format!("correct `{part}`"),
        }
    }
}

impl Manifest {
    pub(super) fn parse(text: &str) -> Result<Manifest, TomlError> {
        let document = text.parse()?;
        Ok(Manifest { document })
    }

    /// Adds a target and what it depends on; gives the lines.
    pub(super) fn add_target(&mut self, name: &str) -> Result<Vec<String>, Refusal> {
        let mut added = self.add_dependencies()?;
        let path = format!("fuzz_targets/{name}.rs");
        let entries = [
            ("name", Value::from(name)),
            ("path", Value::from(path)),
            ("test", Value::from(false)),
            ("doc", Value::from(false)),
            ("bench", Value::from(false)),
        ];
        let bins = self.document.entry("bin");
        match bins.or_insert(Item::ArrayOfTables(ArrayOfTables::new())) {
            Item::ArrayOfTables(bins) => {
                let mut bin = Table::new();
                for (key, value) in entries {
                    bin.insert(key, Item::Value(value));
                }
                bins.push(bin);
            }
            Item::Value(Value::Array(bins)) => bins.push(InlineTable::from_iter(entries)),
            _ => return Err(Refusal::Shape("bin")),
        }
        added.push(format!("[[bin]] name = \"{name}\""));
        Ok(added)
    }

    fn add_dependencies(&mut self) -> Result<Vec<String>, Refusal> {
        let dependencies = self.document.entry("dependencies");
        let dependencies = dependencies.or_insert(Item::Table(Table::new()));
        let dependencies = dependencies
            .as_table_like_mut()
            .ok_or(Refusal::Shape("dependencies"))?;
        let mut added = Vec::new();
        let engine = dependencies.get("libfuzzer-sys");
        let is_libafl = engine.is_some_and(|it| {
            let package = it.get("package").and_then(Item::as_str);
            package == Some(LIBAFL)
        });
        let feature = is_libafl.then_some("libafl");
        if engine.is_none() {
            dependencies.insert("libfuzzer-sys", Item::Value(ENGINE.into()));
            added.push(format!("libfuzzer-sys = \"{ENGINE}\""));
        }
        match dependencies.get("pleach") {
            Some(found) => {
                if let Some(feature) = feature.filter(|it| !has_feature(found, it)) {
                    return Err(Refusal::NoFeature(feature));
                }
            }
            None => {
                let pleach = pleach(feature);
                added.push(format!("pleach = {pleach}"));
                dependencies.insert("pleach", Item::Value(pleach));
            }
        }
        Ok(added)
    }
}

/// Whether a dependency has a feature; what a workspace says of it is not known here.
fn has_feature(dependency: &Item, feature: &str) -> bool {
    let features = dependency.get("features").and_then(Item::as_array);
    let mut features = features.into_iter().flatten();
    dependency.get("workspace").is_some() || features.any(|it| it.as_str() == Some(feature))
}

/// The dependency on the pleach that this program is of.
fn pleach(feature: Option<&str>) -> Value {
    let version = Value::from(env!("CARGO_PKG_VERSION"));
    if source().is_none() && feature.is_none() {
        return version;
    }
    let mut table = InlineTable::new();
    match source() {
        Some(path) => table.insert("path", path.into()),
        None => table.insert("version", version),
    };
    if let Some(feature) = feature {
        table.insert("features", Array::from_iter([feature]).into());
    }
    table.into()
}

/// The directory that this program was built from, if that is a checkout that is still there.
fn source() -> Option<&'static str> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let is_checkout = dir.join("src/cli/Cargo.toml").is_file();
    is_checkout.then(|| dir.to_str())?
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.document.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{Manifest, Refusal, source};

    /// What the manifest becomes, with a short path of pleach.
    fn check(text: &str, expected: Expect) {
        let mut manifest = Manifest::parse(text).unwrap();
        manifest.add_target("new").unwrap();
        let path = format!("path = {:?}", source().unwrap());
        expected.assert_eq(&manifest.to_string().replace(&path, "path = \"…\""));
    }

    fn refused(text: &str) -> Refusal {
        Manifest::parse(text)
            .unwrap()
            .add_target("new")
            .unwrap_err()
    }

    #[test]
    fn comments_and_layout_stay() {
        let text = r#"# A comment.
[package]
name    = "a-fuzz"   # another one
metadata = { cargo-fuzz = true }

[dependencies]
libfuzzer-sys = "0.4"
# The library.
a = { path = ".." }

  [features]
  x = []

[[bin]]
name = "one"
path = "fuzz_targets/one.rs"

# At the end.
"#;
        check(
            text,
            expect![[r##"
            # A comment.
            [package]
            name    = "a-fuzz"   # another one
            metadata = { cargo-fuzz = true }

            [dependencies]
            libfuzzer-sys = "0.4"
            # The library.
            a = { path = ".." }
            pleach = { path = "…" }

              [features]
              x = []

            [[bin]]
            name = "one"
            path = "fuzz_targets/one.rs"

            [[bin]]
            name = "new"
            path = "fuzz_targets/new.rs"
            test = false
            doc = false
            bench = false

            # At the end.
        "##]],
        );
    }

    #[test]
    fn what_is_missing_is_added() {
        check(
            "[package]\nname = \"a\"\n",
            expect![[r#"
            [package]
            name = "a"

            [dependencies]
            libfuzzer-sys = "0.4"
            pleach = { path = "…" }

            [[bin]]
            name = "new"
            path = "fuzz_targets/new.rs"
            test = false
            doc = false
            bench = false
        "#]],
        );
    }

    #[test]
    fn what_is_there_is_left_alone() {
        let text = "bin = [{ name = \"one\" }]\n[dependencies.pleach]\nversion = \"1\"\n\
                    features = [\"compiled\"]\n[dependencies.libfuzzer-sys]\nversion = \"0.4.13\"\n";
        check(
            text,
            expect![[r#"
            bin = [{ name = "one" }, { name = "new", path = "fuzz_targets/new.rs", test = false, doc = false, bench = false }]
            [dependencies.pleach]
            version = "1"
            features = ["compiled"]
            [dependencies.libfuzzer-sys]
            version = "0.4.13"
        "#]],
        );
    }

    #[test]
    fn another_engine_takes_another_feature() {
        let text = "[dependencies]\n\
                    libfuzzer-sys = { version = \"0.15.3\", package = \"libafl_libfuzzer\" }\n";
        check(
            text,
            expect![[r#"
            [dependencies]
            libfuzzer-sys = { version = "0.15.3", package = "libafl_libfuzzer" }
            pleach = { path = "…", features = ["libafl"] }

            [[bin]]
            name = "new"
            path = "fuzz_targets/new.rs"
            test = false
            doc = false
            bench = false
        "#]],
        );
        let with = |pleach: &str| format!("{text}pleach = {pleach}\n");
        assert_eq!(
            refused(&with("{ version = \"1\", features = [\"compiled\"] }")),
            Refusal::NoFeature("libafl")
        );
    }

    #[test]
    fn what_would_not_build_is_refused() {
        assert_eq!(
            refused("dependencies = 1\n"),
            Refusal::Shape("dependencies")
        );
        assert_eq!(refused("bin = 1\n"), Refusal::Shape("bin"));
        assert!(Manifest::parse("[package\n").is_err());
        let inherited = "[dependencies]\nlibfuzzer-sys = \"0.4\"\npleach.workspace = true\n";
        assert_eq!(
            Manifest::parse(inherited)
                .unwrap()
                .add_target("new")
                .unwrap()
                .len(),
            1
        );
    }
}
