//! Which package a file of the program is of.
//!
//! Debug information has the paths that the compiler was given. Those of packages that Cargo knows begin with their directories. The
//! standard library was compiled elsewhere, and says so by a path of its own; and a registry's packages lie in directories of
//! their names, wherever the registry is.

use std::path::{Component, Path, PathBuf};

/// A package that a program is made of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The directory of its manifest.
    pub dir: PathBuf,
    /// Whether its functions are what the user writes or tests.
    pub is_own: bool,
}

/// Finds the package of a file.
#[derive(Debug)]
pub(crate) struct Packages<'a> {
    /// The longest directories first.
    packages: Vec<&'a Package>,
}

impl<'a> Packages<'a> {
    pub(crate) fn new(packages: &'a [Package]) -> Packages<'a> {
        let mut packages: Vec<&Package> = packages.iter().collect();
        packages.sort_by_key(|it| std::cmp::Reverse(it.dir.components().count()));
        Packages { packages }
    }

    /// The name of a file's package, empty if it is not known, and whether it is one of the user's.
    pub(crate) fn of(&self, file: &str) -> (String, bool) {
        let path = without_dots(Path::new(file));
        let found = self.packages.iter().find(|it| path.starts_with(&it.dir));
        if let Some(package) = found {
            return (package.name.clone(), package.is_own);
        }
        let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
        let name = in_standard_library(&parts).or_else(|| in_registry(&parts));
        (name.unwrap_or_default().to_owned(), false)
    }
}

/// The path without `.` and `..`.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// `/rustc/HASH/library/core/src/…`, and `…/rustlib/src/rust/library/core/src/…` where the sources are installed; and
/// `/rust/deps/hashbrown-0.15.2/src/…`.
fn in_standard_library<'a>(parts: &[&'a str]) -> Option<&'a str> {
    let at = parts.iter().position(|&part| part == "library")?;
    let is_there = matches!(
        parts[..at],
        ["/", "rustc", _] | [.., "rustlib", "src", "rust"]
    );
    is_there.then(|| parts.get(at + 1).copied()).flatten()
}

/// `…/registry/src/INDEX/NAME-VERSION/…`, `…/git/checkouts/NAME-HASH/…`, `/rust/deps/NAME-VERSION/…`.
fn in_registry<'a>(parts: &[&'a str]) -> Option<&'a str> {
    let mut named = parts.windows(4).filter_map(|it| match it {
        ["registry", "src", _, name] => Some(*name),
        ["git", "checkouts", name, _] => Some(*name),
        _ => None,
    });
    let named = named.next().or(match parts {
        ["/", "rust", "deps", name, ..] => Some(*name),
        _ => None,
    })?;
    // The version begins behind the last dash that a digit follows; a hash has no other.
    let dash = named.match_indices('-').map(|(at, _)| at);
    let mut version = dash.filter(|at| named[at + 1..].starts_with(|it: char| it.is_ascii_digit()));
    let end = version.next().or(named.rfind('-'));
    Some(&named[..end.unwrap_or(named.len())])
}

#[cfg(test)]
mod tests {
    use super::{Package, Packages};

    #[test]
    fn files_are_of_the_package_whose_directory_is_nearest() {
        let package = |name: &str, dir: &str, is_own| Package {
            name: name.into(),
            dir: dir.into(),
            is_own,
        };
        let packages = [
            package("app", "/w/app", true),
            package("app-fuzz", "/w/app/fuzz", false),
            package("serde_json", "/c/registry/src/i/serde_json-1.0.154", true),
        ];
        let packages = Packages::new(&packages);
        let table = [
            ("/w/app/src/lib.rs", "app", true),
            ("/w/app/fuzz/fuzz_targets/t.rs", "app-fuzz", false),
            ("/w/app/fuzz/../src/./a/b.rs", "app", true),
            ("/w/application/src/lib.rs", "", false),
            (
                "/c/registry/src/i/serde_json-1.0.154/src/de.rs",
                "serde_json",
                true,
            ),
            (
                "/c/registry/src/i/serde_json-1.0.9/src/de.rs",
                "serde_json",
                false,
            ),
            (
                "/c/registry/src/i/utf8-width-0.1.7/src/lib.rs",
                "utf8-width",
                false,
            ),
            (
                "/c/registry/src/i/base64-0.22.1-rc.1/src/lib.rs",
                "base64",
                false,
            ),
            (
                "/c/git/checkouts/left-pad-1f3a/9abc/src/lib.rs",
                "left-pad",
                false,
            ),
            ("/rustc/0123abc/library/core/src/str/mod.rs", "core", false),
            (
                "/r/lib/rustlib/src/rust/library/alloc/src/vec.rs",
                "alloc",
                false,
            ),
            ("/rust/deps/hashbrown-0.15.2/src/raw.rs", "hashbrown", false),
            ("/w/other/library/x/src/lib.rs", "", false),
            ("src/lib.rs", "", false),
            ("", "", false),
        ];
        for (file, name, is_own) in table {
            assert_eq!(packages.of(file), (name.to_owned(), is_own), "{file}");
        }
    }
}
