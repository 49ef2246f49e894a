//! The packages that fuzz targets are made of, and which of them are tested.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cargo_metadata::{DependencyKind, Metadata, PackageId, TargetKind};

use crate::Project;
use crate::plain::is_pleach;
use crate::project::{host, same_file};

/// Where a package of a target comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Origin {
    /// It is the fuzz package itself.
    Fuzz,
    /// It is in the workspace, or its path is named.
    Local,
    /// It comes from elsewhere, and the fuzz package names it.
    Direct,
    /// It is needed by others only; or it is the engine, or pleach.
    Indirect,
}

/// A package that targets are made of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The directory of its manifest.
    pub dir: PathBuf,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it has a library that is linked into targets, rather than macros alone.
    pub is_linked: bool,
    /// Whether it builds or links code in another language, which has no counters.
    pub is_foreign: bool,
}

/// What fuzz packages name that is not tested by them.
const TOOLS: [&str; 3] = ["arbitrary", "libafl_libfuzzer", "libfuzzer-sys"];

/// What build scripts compile other languages with.
const COMPILERS: [&str; 3] = ["cc", "cmake", "cxx-build"];

impl Project {
    /// The packages that its targets can be made of, with these features. None if Cargo does not tell.
    pub fn packages(&self, features: Option<&str>) -> Option<Vec<Package>> {
        let metadata = self.metadata(&host()?, features)?;
        let manifest = self.dir.join("Cargo.toml");
        let packages = metadata.packages.iter();
        let mut fuzz = packages.filter(|it| same_file(it.manifest_path.as_ref(), &manifest));
        Some(packages_of(&metadata, &fuzz.next()?.id))
    }
}

fn packages_of(metadata: &Metadata, fuzz: &PackageId) -> Vec<Package> {
    let nodes = metadata.resolve.iter().flat_map(|it| &it.nodes);
    let mut own = nodes.filter(|node| node.id == *fuzz);
    let needs = own.next().map(|node| node.deps.as_slice());
    let direct = needs.unwrap_or_default().iter().filter(|it| {
        let mut kinds = it.dep_kinds.iter();
        kinds.any(|it| it.kind == DependencyKind::Normal)
    });
    let direct: BTreeSet<&PackageId> = direct.map(|it| &it.pkg).collect();
    let packages = metadata.packages.iter().map(|package| {
        let is_tool = is_pleach(package) || TOOLS.contains(&package.name.as_str());
        let origin = match &package.source {
            _ if package.id == *fuzz => Origin::Fuzz,
            _ if is_tool => Origin::Indirect,
            None => Origin::Local,
            Some(_) if direct.contains(&package.id) => Origin::Direct,
            Some(_) => Origin::Indirect,
        };
        let dir = package
            .manifest_path
            .parent()
            .unwrap_or(&package.manifest_path);
        let kinds = || package.targets.iter().flat_map(|it| &it.kind);
        let mut needs = package.dependencies.iter();
        let builds_foreign = needs
            .any(|it| it.kind == DependencyKind::Build && COMPILERS.contains(&it.name.as_str()));
        Package {
            name: package.name.to_string(),
            dir: dir.into(),
            origin,
            is_linked: kinds().any(|kind| *kind == TargetKind::Lib || *kind == TargetKind::RLib),
            is_foreign: !is_tool && (builds_foreign || package.links.is_some()),
        }
    });
    let mut packages: Vec<Package> = packages.collect();
    packages.sort();
    packages
}

#[cfg(test)]
mod tests {
    use cargo_metadata::Metadata;

    use super::{Origin, Package, packages_of};

    #[test]
    fn packages_are_told_by_where_they_come_from() {
        let registry = "registry+https://github.com/rust-lang/crates.io-index";
        let described = [
            ("app-fuzz", None),
            ("app", None),
            ("pleach", Some(registry)),
            ("libfuzzer-sys", Some(registry)),
            ("serde_json", Some(registry)),
            ("cc", Some(registry)),
            ("itoa", Some(registry)),
            ("serde_derive", Some(registry)),
            ("zlib", Some(registry)),
        ]
        .map(|(name, source)| {
            let kind = if name == "serde_derive" { "proc-macro" } else { "lib" };
            let needs: &[_] = match name {
                "zlib" => &[serde_json::json!({"name": "cc", "source": registry, "req": "1", "kind": "build",
                    "optional": false, "uses_default_features": true, "features": []})],
                _ => &[],
            };
            serde_json::json!({
                "id": name, "name": name, "version": "1.0.0", "source": source, "dependencies": needs, "features": {},
                "targets": [{"name": name, "kind": [kind], "src_path": "lib.rs"}],
                "manifest_path": format!("/w/{name}/Cargo.toml"),
            })
        });
        let dep = |name: &str, kind: Option<&str>| serde_json::json!({"name": name, "pkg": name, "dep_kinds": [{"kind": kind}]});
        let deps = [
            dep("app", None),
            dep("pleach", None),
            dep("libfuzzer-sys", None),
            dep("serde_json", None),
            dep("cc", Some("build")),
        ];
        let metadata = serde_json::json!({
            "packages": described, "workspace_members": ["app-fuzz"], "workspace_root": "/w", "target_directory": "/w/target",
            "version": 1, "resolve": {"nodes": [{"id": "app-fuzz", "dependencies": [], "deps": deps}], "root": null},
        });
        let metadata: Metadata = serde_json::from_value(metadata).unwrap();
        let packages = packages_of(&metadata, &metadata.packages[0].id);
        let found: Vec<_> = packages
            .iter()
            .map(|it| (it.name.as_str(), it.origin))
            .collect();
        let expected = [
            ("app", Origin::Local),
            ("app-fuzz", Origin::Fuzz),
            ("cc", Origin::Indirect),
            ("itoa", Origin::Indirect),
            ("libfuzzer-sys", Origin::Indirect),
            ("pleach", Origin::Indirect),
            ("serde_derive", Origin::Indirect),
            ("serde_json", Origin::Direct),
            ("zlib", Origin::Indirect),
        ];
        assert_eq!(found, expected);
        let named = |is: fn(&Package) -> bool| {
            let found = packages.iter().filter(|it| is(it));
            found.map(|it| it.name.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(named(|it| !it.is_linked), ["serde_derive"]);
        assert_eq!(named(|it| it.is_foreign), ["zlib"]);
        assert_eq!(packages[0].dir, std::path::Path::new("/w/app"));
    }
}
