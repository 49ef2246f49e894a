//! The arms: ways to fuzz one and the same program.

use std::collections::BTreeMap;

use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// Which of a subject's programs runs, and what its corpus is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Binary {
    /// The engine's mutations, on texts.
    Raw,
    /// The engine's mutations, on choice sequences.
    Engine,
    /// pleach's mutations, on choice sequences.
    Choices,
    /// pleach's mutations, on texts.
    Text,
}

impl Binary {
    /// Its name in the package.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Binary::Raw => "raw",
            Binary::Engine => "engine",
            Binary::Choices => "choices",
            Binary::Text => "text",
        }
    }

    /// Whether mutations are pleach's, rather than the engine's.
    pub(crate) fn has_mutator(self) -> bool {
        matches!(self, Binary::Choices | Binary::Text)
    }

    /// Whether a corpus is texts, rather than choice sequences.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Binary::Raw | Binary::Text)
    }
}

/// How a program of a subject is built.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Build {
    /// Its name in the package.
    pub name: &'static str,
    /// Whether the engine is told what it compares.
    pub compares: bool,
}

/// A way to fuzz.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Arm {
    /// By which it is chosen and reported.
    pub name: String,
    /// What runs.
    pub binary: Binary,
    /// The engine's flags.
    pub flags: Vec<String>,
    /// Settings.
    pub environment: BTreeMap<String, String>,
    /// Whether the engine gets the grammar's literals as a dictionary.
    pub dictionary: bool,
    /// The k of the covering set to begin with; an empty corpus if there is none.
    pub seeds: Option<usize>,
    /// Whether the engine is told what the program compares, as `cargo fuzz` does without `--no-trace-compares`.
    #[serde(default = "traced")]
    pub compares: bool,
}

/// Results of earlier versions do not say it.
fn traced() -> bool {
    true
}

impl Arm {
    /// What is special about it, as items of a variant: `choices -len_control=20 PLEACH_STEERING=0 seeds=2`.
    pub(crate) fn describe(&self) -> String {
        let mut words = vec![self.binary.name().to_owned()];
        words.extend(self.flags.iter().cloned());
        let settings = self.environment.iter();
        words.extend(settings.map(|(name, value)| format!("{name}={value}")));
        if self.dictionary {
            words.push("dict".into());
        }
        if let Some(k) = self.seeds {
            words.push(format!("seeds={k}"));
        }
        match (self.compares, traces(self.binary)) {
            (true, true) => {}
            (true, false) => words.push("compares".into()),
            (false, _) => words.push("no-compares".into()),
        }
        words.join(" ")
    }

    /// The program that runs.
    pub(crate) fn build(&self) -> Build {
        Build {
            name: self.binary.name(),
            compares: self.compares,
        }
    }
}

impl Arm {
    /// A variant that makes this arm of one without seeds, dictionary and settings.
    pub(crate) fn as_variant(&self) -> String {
        let base = match self.binary {
            Binary::Choices => "pleach",
            other => other.name(),
        };
        let description = self.describe();
        let mut items = description.split(' ');
        items.next();
        let items: Vec<&str> = [base].into_iter().chain(items).collect();
        format!("{}={}", self.name, items.join(","))
    }
}

/// The flags that `pleach fuzz` gives.
const PLEACH_FLAGS: [&str; 3] = ["-entropic=0", "-use_counters=0", "-mutate_depth=2"];
/// Inputs out of a hundred that are slightly invalid in the arms with errors.
const ERRORS: (&str, &str) = ("PLEACH_ERRORS", "0.1");

/// Whether comparisons are traced by default: `cargo fuzz` does, `pleach fuzz` does not.
fn traces(binary: Binary) -> bool {
    matches!(binary, Binary::Raw | Binary::Engine)
}

/// The arms that there are, in the order of the report.
pub(crate) fn arms() -> Vec<Arm> {
    let arm = |name: &str, binary: Binary| Arm {
        name: name.into(),
        binary,
        flags: match binary {
            Binary::Raw | Binary::Engine => Vec::new(),
            Binary::Choices | Binary::Text => PLEACH_FLAGS.map(str::to_owned).to_vec(),
        },
        environment: BTreeMap::new(),
        dictionary: false,
        seeds: None,
        compares: traces(binary),
    };
    let with = |(name, value): (&str, &str)| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    vec![
        arm("raw", Binary::Raw),
        Arm {
            dictionary: true,
            ..arm("raw-dict", Binary::Raw)
        },
        Arm {
            dictionary: true,
            seeds: Some(2),
            ..arm("raw-seeds", Binary::Raw)
        },
        // What those flags alone are worth.
        Arm {
            flags: PLEACH_FLAGS.map(str::to_owned).to_vec(),
            dictionary: true,
            seeds: Some(2),
            ..arm("raw-flags", Binary::Raw)
        },
        Arm {
            flags: PLEACH_FLAGS.map(str::to_owned).to_vec(),
            dictionary: true,
            seeds: Some(2),
            compares: false,
            ..arm("raw-plain", Binary::Raw)
        },
        arm("engine", Binary::Engine),
        Arm {
            seeds: Some(2),
            ..arm("engine-seeds", Binary::Engine)
        },
        Arm {
            flags: PLEACH_FLAGS.map(str::to_owned).to_vec(),
            ..arm("engine-flags", Binary::Engine)
        },
        Arm {
            environment: with(("PLEACH_STEERING", "0")),
            ..arm("unsteered", Binary::Choices)
        },
        arm("pleach", Binary::Choices),
        Arm {
            environment: with(ERRORS),
            ..arm("errors", Binary::Choices)
        },
        arm("text", Binary::Text),
        Arm {
            environment: with(ERRORS),
            ..arm("text-errors", Binary::Text)
        },
    ]
}

/// Reads `NAME=BASE,ITEM…`: an arm that differs from another one. An item is a flag of the engine (`-len_control=50`, in place of the
/// same flag of the base), a setting (`PLEACH_BYTES=0.4`), `seeds=K`, `seeds=none`, `dict`, `no-dict`, `compares` or `no-compares`.
pub(crate) fn variant(text: &str, known: &[Arm]) -> Result<Arm> {
    let mut items = text.split(',').map(str::trim);
    let Some((name, base)) = items.next().and_then(|it| it.split_once('=')) else {
        bail!("--variant {text}: write NAME=BASE,ITEM…, as in fast=pleach,PLEACH_BYTES=0.4");
    };
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    ensure!(
        !name.is_empty() && name.chars().all(safe) && !name.starts_with(['.', '-']),
        "--variant {text}: the name may have letters, digits, -, _ and ., for it names a directory"
    );
    ensure!(
        known.iter().all(|it| it.name != name),
        "--variant {text}: there is an arm `{name}` already; choose another name"
    );
    let Some(base) = known.iter().find(|it| it.name == base) else {
        bail!(
            "--variant {text}: there is no arm `{base}`; there are {}",
            names(known)
        );
    };
    let mut arm = Arm {
        name: name.to_owned(),
        ..base.clone()
    };
    for item in items {
        match item.split_once('=') {
            _ if item == "dict" => arm.dictionary = true,
            _ if item == "no-dict" => arm.dictionary = false,
            _ if item == "compares" => arm.compares = true,
            _ if item == "no-compares" => arm.compares = false,
            Some((flag, _)) if item.starts_with('-') => {
                arm.flags
                    .retain(|it| it.split_once('=').map(|it| it.0) != Some(flag));
                arm.flags.push(item.to_owned());
            }
            Some(("seeds", "none")) => arm.seeds = None,
            Some(("seeds", k)) => match k.parse() {
                Ok(k @ 1..) => arm.seeds = Some(k),
                _ => bail!("--variant {text}: `{item}`: a k from 1 on, or none"),
            },
            Some((key, value)) if key.chars().all(|c| c.is_ascii_uppercase() || c == '_') => {
                arm.environment.insert(key.to_owned(), value.to_owned());
            }
            _ => bail!(
                "--variant {text}: `{item}` is no flag (-x=1), setting (PLEACH_X=1), seeds=K, seeds=none, dict, no-dict, compares or no-compares"
            ),
        }
    }
    Ok(arm)
}

/// The arms that are asked for, in their order, and the variants; all if none is asked for.
pub(crate) fn choose(chosen: &[String], variants: &[String]) -> Result<Vec<Arm>> {
    let mut known = arms();
    let fixed = known.len();
    for text in variants {
        let arm = variant(text, &known)?;
        known.push(arm);
    }
    let mut arms: Vec<Arm> = Vec::new();
    for name in chosen {
        let Some(arm) = known.iter().find(|it| it.name == *name) else {
            bail!("there is no arm `{name}`; there are {}", names(&known));
        };
        arms.push(arm.clone());
    }
    if chosen.is_empty() && variants.is_empty() {
        return Ok(known);
    }
    arms.extend(known.drain(fixed..));
    let mut unique: Vec<Arm> = Vec::new();
    for arm in arms {
        if !unique.contains(&arm) {
            unique.push(arm);
        }
    }
    Ok(unique)
}

fn names(arms: &[Arm]) -> String {
    let names: Vec<&str> = arms.iter().map(|it| it.name.as_str()).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::{arms, choose, variant};

    #[test]
    fn a_variant_is_its_base_with_changes() {
        let arm = variant(
            "fast=pleach,PLEACH_BYTES=0.4,-len_control=50,-entropic=1,seeds=2,dict",
            &arms(),
        )
        .unwrap();
        assert_eq!(arm.name, "fast");
        assert_eq!(arm.binary.name(), "choices");
        assert_eq!(
            arm.flags,
            [
                "-use_counters=0",
                "-mutate_depth=2",
                "-len_control=50",
                "-entropic=1"
            ]
        );
        assert_eq!(arm.environment["PLEACH_BYTES"], "0.4");
        assert_eq!(
            arm.describe(),
            "choices -use_counters=0 -mutate_depth=2 -len_control=50 -entropic=1 PLEACH_BYTES=0.4 dict seeds=2 no-compares"
        );
        assert_eq!((arm.seeds, arm.dictionary), (Some(2), true));
        let again = variant(&arm.as_variant(), &arms()).unwrap();
        assert_eq!(again, arm);
        for text in ["traced=pleach,compares", "plain=raw,no-compares"] {
            let arm = variant(text, &arms()).unwrap();
            assert_eq!(variant(&arm.as_variant(), &arms()).unwrap(), arm);
        }
        let arm = variant("bare=raw-seeds,seeds=none,no-dict", &arms()).unwrap();
        assert_eq!((arm.seeds, arm.dictionary), (None, false));
    }

    #[test]
    fn wrong_variants_are_refused() {
        let table = [
            ("fast", "NAME=BASE"),
            ("fast=slow", "there is no arm `slow`"),
            ("raw=pleach", "already"),
            ("a/b=pleach", "names a directory"),
            ("=pleach", "names a directory"),
            ("x=pleach,len", "`len`"),
            ("x=pleach,seeds=0", "`seeds=0`"),
            ("x=pleach,lower=1", "`lower=1`"),
        ];
        for (text, expected) in table {
            let error = variant(text, &arms()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn arms_are_chosen_by_name() {
        let choose = |arms: &[&str], variants: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(|&it| it.to_owned()).collect::<Vec<_>>();
            choose(&owned(arms), &owned(variants))
                .map(|arms| arms.into_iter().map(|it| it.name).collect::<Vec<_>>())
                .map_err(|error| error.to_string())
        };
        assert_eq!(choose(&[], &[]).unwrap().len(), arms().len());
        assert_eq!(choose(&["text", "raw"], &[]).unwrap(), ["text", "raw"]);
        assert_eq!(choose(&[], &["a=raw", "b=a,dict"]).unwrap(), ["a", "b"]);
        assert_eq!(
            choose(&["raw", "a"], &["a=raw,dict"]).unwrap(),
            ["raw", "a"]
        );
        assert!(choose(&["none"], &[]).unwrap_err().contains("raw, "));
    }
}
