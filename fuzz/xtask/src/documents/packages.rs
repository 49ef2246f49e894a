//! The packages, in `packages.txt`.

use anyhow::{Context as _, Result, bail};

use super::super::fetch::{Package, Registry};

/// All packages, each with the grammars whose documents are taken from it.
pub(super) fn all() -> Result<Vec<(Package, Vec<String>)>> {
    let lines = include_str!("packages.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| package(line).with_context(|| format!("packages.txt: `{line}`")))
        .collect()
}

fn package(line: &'static str) -> Result<(Package, Vec<String>)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let &[registry, name, version, sum, ref grammars @ ..] = words.as_slice() else {
        bail!("a package has a registry, a name, a version and a checksum");
    };
    let registry = match registry {
        "npm" => Registry::Npm,
        "crate" => Registry::Crates,
        _ => bail!("there is no registry `{registry}`"),
    };
    let package = Package {
        registry,
        name,
        version,
        sum,
    };
    Ok((package, grammars.iter().map(|&it| it.into()).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::kinds::KINDS;
    use super::all;

    #[test]
    fn every_package_is_for_some_grammar_and_every_grammar_has_a_package() {
        let packages = all().unwrap();
        for (package, grammars) in &packages {
            assert!(!grammars.is_empty(), "{package:?}");
            let is_known = |name: &String| KINDS.iter().any(|kind| kind.grammar == name);
            assert!(grammars.iter().all(is_known), "{package:?}: {grammars:?}");
            assert_eq!(package.sum.len(), 64, "{package:?}");
        }
        for kind in &KINDS {
            let has_one =
                |(_, grammars): &(_, Vec<String>)| grammars.iter().any(|it| it == kind.grammar);
            assert!(packages.iter().any(has_one), "{}", kind.grammar);
        }
    }
}
