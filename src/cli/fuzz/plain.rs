//! Which crates of a fuzz target serve nobody but pleach.
//!
//! They are compiled without instrumentation, as pleach is: their counters say nothing about the program under test, and the engine
//! looks through all counters after every run. A crate counts as the program's if the target's package comes to it in any way that
//! does not lead through pleach. Names decide, as the compiler gets no more: where two versions of a crate are in use, and
//! one of them is the program's, both count as its own.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The part of what `cargo metadata` prints that counts here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    root: Option<String>,
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

const PLEACH: &str = "pleach";

/// The arguments of the command whose output [`Crates`] reads, besides `--filter-platform`, `--manifest-path` and `--features`.
pub(crate) const METADATA: [&str; 2] = ["metadata", "--format-version=1"];

/// The crates of a fuzz package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Crates {
    /// The names of those that only pleach uses, sorted, without its own.
    pub plain: Vec<String>,
    /// The packages of the names, as `cargo clean --package` takes them.
    packages: BTreeMap<String, Vec<String>>,
}

impl Crates {
    /// Reads the output of [`METADATA`]. None if it is none, or that of a workspace without a package of its own.
    pub(crate) fn read(metadata: &[u8]) -> Option<Crates> {
        let Metadata { packages, resolve } = serde_json::from_slice(metadata).ok()?;
        let by_id: BTreeMap<&str, &Package> = packages.iter().map(|it| (&*it.id, it)).collect();
        let is_pleach = |id: &str| by_id.get(id).is_some_and(|it| it.name == PLEACH);
        let names = |ids: &BTreeSet<&str>| -> BTreeSet<String> {
            let packages = ids.iter().filter_map(|id| by_id.get(id));
            packages.flat_map(|it| it.crates()).collect()
        };
        let program = names(&resolve.reach([resolve.root.as_deref()?], is_pleach));
        let pleach = packages.iter().map(|it| &*it.id).filter(|id| is_pleach(id));
        let needed = names(&resolve.reach(pleach, |_| false));
        let plain = needed.difference(&program);
        let mut of_names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for package in &packages {
            for name in package.crates() {
                let spec = format!("{}@{}", package.name, package.version);
                of_names.entry(name).or_default().push(spec);
            }
        }
        Some(Crates {
            plain: plain.filter(|it| *it != PLEACH).cloned().collect(),
            packages: of_names,
        })
    }

    /// The packages of the crates that were plain once, by a list of names, and are not any more.
    pub(crate) fn packages_no_longer_plain(&self, once: &str) -> Vec<&str> {
        let left = once
            .lines()
            .filter(|&name| !self.plain.iter().any(|it| it == name));
        left.filter_map(|name| self.packages.get(name))
            .flatten()
            .map(String::as_str)
            .collect()
    }
}

impl Package {
    /// The names of its libraries, as the compiler gets them; one at the most.
    fn crates(&self) -> impl Iterator<Item = String> + '_ {
        let is_library = |target: &&Target| target.kind.iter().any(|kind| kind.ends_with("lib"));
        let libraries = self.targets.iter().filter(is_library);
        libraries.map(|target| target.name.replace('-', "_"))
    }
}

impl Resolve {
    /// What packages need, themselves included, without those at which the way ends.
    fn reach<'a>(
        &'a self,
        from: impl IntoIterator<Item = &'a str>,
        is_end: impl Fn(&str) -> bool,
    ) -> BTreeSet<&'a str> {
        let nodes: BTreeMap<&str, &Node> = self.nodes.iter().map(|it| (&*it.id, it)).collect();
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = from.into_iter().collect();
        while let Some(id) = open.pop() {
            if is_end(id) || !reached.insert(id) {
                continue;
            }
            let needs = nodes.get(id).into_iter().flat_map(|node| &node.deps);
            // Those of build scripts run elsewhere, and those of tests not at all.
            let normal = needs.filter(|it| it.dep_kinds.iter().any(|it| it.kind.is_none()));
            open.extend(normal.map(|it| &*it.pkg));
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::Crates;

    /// The output for packages with what they need; an arrow in front marks what their build scripts need.
    fn metadata(packages: &[(&str, &[&str])]) -> Vec<u8> {
        let id = |name: &str| format!("registry#{name}@1.0.0");
        let described = packages.iter().map(|(name, _)| {
            let kind = if name.starts_with("mac") { "proc-macro" } else { "lib" };
            serde_json::json!({
                "id": id(name),
                "name": name,
                "version": "1.0.0",
                "targets": [{"name": name.trim_end_matches('2'), "kind": [kind]}, {"name": "t", "kind": ["test"]}],
            })
        });
        let nodes = packages.iter().map(|(name, needs)| {
            let deps = needs.iter().map(|need| {
                let kind = need.strip_prefix('>').map(|_| "build");
                serde_json::json!({"pkg": id(need.trim_start_matches('>')), "dep_kinds": [{"kind": kind}]})
            });
            serde_json::json!({"id": id(name), "deps": deps.collect::<Vec<_>>()})
        });
        let all = serde_json::json!({
            "packages": described.collect::<Vec<_>>(),
            "resolve": {"nodes": nodes.collect::<Vec<_>>(), "root": id("fuzz")},
        });
        serde_json::to_vec(&all).unwrap()
    }

    fn read(packages: &[(&str, &[&str])]) -> Option<Crates> {
        Crates::read(&metadata(packages))
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
        assert_eq!(Crates::read(b"no JSON"), None);
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
