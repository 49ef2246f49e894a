//! Which crates of a fuzz target serve nobody but pleach.
//!
//! They are compiled without instrumentation, as pleach is: their counters say nothing about the program under test, and the engine
//! looks through all counters after every run. A crate counts as the program's if the target's package comes to it in any way that
//! does not lead through pleach. Names decide, as the compiler gets no more: where two versions of a crate are in use, and
//! one of them is the program's, both count as its own.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, Package, PackageId, Resolve};

/// The packages whose needs do not count as the program's: what targets link of pleach, and its importers, which are
/// programs to test for pleach's own targets only.
const PLEACH: [&str; 3] = ["pleach", "pleach-core", "pleach-import"];

/// The crates of a fuzz package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Crates {
    /// The names of those that only pleach uses, sorted, without its own.
    pub plain: Vec<String>,
    /// The packages of the names, as `cargo clean --package` takes them.
    packages: BTreeMap<String, Vec<String>>,
}

impl Crates {
    /// The crates of the package that `cargo metadata` was asked about, on one platform and with its features. None for a
    /// workspace without a package of its own, and without dependencies.
    pub fn of(metadata: &Metadata) -> Option<Crates> {
        let packages = &metadata.packages;
        let resolve = metadata.resolve.as_ref()?;
        let by_id: BTreeMap<&PackageId, &Package> =
            packages.iter().map(|it| (&it.id, it)).collect();
        let is_pleach = |id: &PackageId| by_id.get(id).is_some_and(|it| is_pleach(it));
        let names = |ids: &BTreeSet<&PackageId>| -> BTreeSet<String> {
            let packages = ids.iter().filter_map(|id| by_id.get(id));
            packages.flat_map(|it| crates(it)).collect()
        };
        let program = names(&reach(resolve, [resolve.root.as_ref()?], is_pleach));
        let pleach = packages.iter().map(|it| &it.id).filter(|id| is_pleach(id));
        let needed = names(&reach(resolve, pleach, |_| false));
        let own: BTreeSet<String> = packages
            .iter()
            .filter(|it| self::is_pleach(it))
            .flat_map(crates)
            .collect();
        let plain = needed.difference(&program).filter(|it| !own.contains(*it));
        let mut of_names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for package in packages {
            for name in crates(package) {
                let spec = format!("{}@{}", package.name, package.version);
                of_names.entry(name).or_default().push(spec);
            }
        }
        Some(Crates {
            plain: plain.cloned().collect(),
            packages: of_names,
        })
    }

    /// The packages of the crates that were plain once, by a list of names, and are not any more.
    pub fn packages_no_longer_plain(&self, once: &str) -> Vec<&str> {
        let left = once
            .lines()
            .filter(|&name| !self.plain.iter().any(|it| it == name));
        left.filter_map(|name| self.packages.get(name))
            .flatten()
            .map(String::as_str)
            .collect()
    }
}

pub(crate) fn is_pleach(package: &Package) -> bool {
    PLEACH.contains(&package.name.as_str())
}

/// The names of a package's libraries, as the compiler gets them; one at the most.
fn crates(package: &Package) -> impl Iterator<Item = String> + '_ {
    let is_library = |target: &&cargo_metadata::Target| {
        let mut kinds = target.kind.iter();
        kinds.any(|kind| kind.to_string().ends_with("lib"))
    };
    let libraries = package.targets.iter().filter(is_library);
    libraries.map(|target| target.name.replace('-', "_"))
}

/// What packages need, themselves included, without those at which the way ends.
fn reach<'a>(
    resolve: &'a Resolve,
    from: impl IntoIterator<Item = &'a PackageId>,
    is_end: impl Fn(&PackageId) -> bool,
) -> BTreeSet<&'a PackageId> {
    let nodes: BTreeMap<_, _> = resolve.nodes.iter().map(|it| (&it.id, it)).collect();
    let mut reached = BTreeSet::new();
    let mut open: Vec<&PackageId> = from.into_iter().collect();
    while let Some(id) = open.pop() {
        if is_end(id) || !reached.insert(id) {
            continue;
        }
        let needs = nodes.get(id).into_iter().flat_map(|node| &node.deps);
        // Those of build scripts run elsewhere, and those of tests not at all.
        let normal = needs.filter(|it| {
            let mut kinds = it.dep_kinds.iter();
            kinds.any(|it| it.kind == DependencyKind::Normal)
        });
        open.extend(normal.map(|it| &it.pkg));
    }
    reached
}

#[cfg(test)]
mod tests {
    use cargo_metadata::MetadataCommand;

    use super::Crates;

    /// The metadata of packages with what they need; an arrow in front marks what their build scripts need.
    fn read(packages: &[(&str, &[&str])]) -> Option<Crates> {
        let id = |name: &str| format!("registry#{name}@1.0.0");
        let described = packages.iter().map(|(name, _)| {
            let kind = if name.starts_with("mac") { "proc-macro" } else { "lib" };
            let target = |name: &str, kind: &str| {
                serde_json::json!({"name": name, "kind": [kind], "src_path": "lib.rs"})
            };
            serde_json::json!({
                "id": id(name),
                "name": name,
                "version": "1.0.0",
                "dependencies": [],
                "features": {},
                "manifest_path": "Cargo.toml",
                "targets": [target(name.trim_end_matches('2'), kind), target("t", "test")],
            })
        });
        let nodes = packages.iter().map(|(name, needs)| {
            let deps = needs.iter().map(|need| {
                let kind = need.strip_prefix('>').map(|_| "build");
                let need = need.trim_start_matches('>');
                serde_json::json!({"name": need, "pkg": id(need), "dep_kinds": [{"kind": kind}]})
            });
            let deps: Vec<_> = deps.collect();
            serde_json::json!({"id": id(name), "deps": deps, "dependencies": [], "features": []})
        });
        let all = serde_json::json!({
            "packages": described.collect::<Vec<_>>(),
            "resolve": {"nodes": nodes.collect::<Vec<_>>(), "root": id("fuzz")},
            "workspace_members": [],
            "workspace_root": "/",
            "target_directory": "/target",
            "version": 1,
        });
        Crates::of(&MetadataCommand::parse(all.to_string()).unwrap())
    }

    fn plain(packages: &[(&str, &[&str])]) -> Option<String> {
        Some(read(packages)?.plain.join(" "))
    }

    #[test]
    fn what_only_pleach_uses_is_plain() {
        let packages: &[(&str, &[&str])] = &[
            ("fuzz", &["program", "pleach", "engine", ">sip-hasher"]),
            ("program", &["regex", "shared"]),
            ("regex", &["memchr"]),
            ("memchr", &[]),
            ("engine", &[]),
            (
                "pleach",
                &["sip-hasher", "regex", "shared2", "macros", ">cc"],
            ),
            ("sip-hasher", &["deep", "memchr"]),
            ("deep", &[]),
            ("shared", &[]),
            ("shared2", &[]),
            ("macros", &[]),
            ("cc", &[]),
        ];
        assert_eq!(plain(packages).as_deref(), Some("deep sip_hasher"));
    }

    #[test]
    fn without_pleach_nothing_is() {
        assert_eq!(
            plain(&[("fuzz", &["program"]), ("program", &[])]).as_deref(),
            Some("")
        );
    }

    #[test]
    fn what_the_program_uses_by_now_is_built_anew() {
        let before: &[(&str, &[&str])] = &[
            ("fuzz", &["pleach"]),
            ("pleach", &["sip-hasher", "regex"]),
            ("sip-hasher", &[]),
            ("regex", &[]),
        ];
        let once = read(before).unwrap().plain.join("\n");
        assert_eq!(
            read(before).unwrap().packages_no_longer_plain(&once),
            [""; 0]
        );
        let mut now = before.to_vec();
        now[0].1 = &["pleach", "sip-hasher"];
        let now = read(&now).unwrap();
        assert_eq!(now.packages_no_longer_plain(&once), ["sip-hasher@1.0.0"]);
        assert_eq!(now.packages_no_longer_plain("gone\n"), [""; 0]);
    }

    #[test]
    fn circles_end() {
        let packages: &[(&str, &[&str])] = &[
            ("fuzz", &["pleach"]),
            ("pleach", &["a"]),
            ("a", &["b"]),
            ("b", &["a", "pleach"]),
        ];
        assert_eq!(plain(packages).as_deref(), Some("a b"));
    }
}
