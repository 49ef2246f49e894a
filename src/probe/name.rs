//! Names of functions as people write them.
//!
//! What the compiler calls a function has a hash behind it, or the arguments of the generic instance in it, depending on how names are
//! mangled. Here all instances have one name: `<alloc::vec::Vec<u8> as a::Read<X>>::read::<Y>` is
//! `<alloc::vec::Vec as a::Read>::read`.

use std::path::Path;

/// The path of a function, from what the linker calls it; nothing if that is not mangled.
pub(crate) fn path(name: &str) -> Option<String> {
    let name = rustc_demangle::try_demangle(name).ok()?;
    Some(without_arguments(&format!("{name:#}")))
}

/// The path of a function of which only the name is known: in the module that mostly has the file.
pub(crate) fn in_module(name: &str, file: &str, package: &str) -> String {
    let path = Path::new(file);
    let parts = path.iter().filter_map(|part| part.to_str());
    let mut modules = vec![package.replace('-', "_")];
    let parts: Vec<&str> = parts.collect();
    let from = parts.iter().rposition(|&part| part == "src");
    let below = from.map_or(&parts[parts.len().saturating_sub(1)..], |at| {
        &parts[at + 1..]
    });
    modules.extend(
        below
            .iter()
            .map(|part| part.trim_end_matches(".rs").to_owned()),
    );
    if let Some("lib" | "main" | "mod") = modules.last().map(String::as_str) {
        modules.pop();
    }
    modules.push(name.to_owned());
    modules.retain(|it| !it.is_empty());
    modules.join("::")
}

/// The name without generic arguments. Angle brackets that say whose method it is stay if they name a trait, or what is not a path.
pub(crate) fn without_arguments(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    // For each bracket that is open: where it began in `out`, and whether what is in it is an argument.
    let mut open: Vec<(usize, bool)> = Vec::new();
    let bytes = name.as_bytes();
    let mut at = 0;
    while let Some(c) = name[at..].chars().next() {
        let begun = at;
        at += c.len_utf8();
        match c {
            '<' => {
                let is_argument = out.ends_with(|it: char| it.is_alphanumeric() || it == '_')
                    || out.ends_with("::") && !is_owner(&name[at..]);
                open.push((out.len(), is_argument));
                out.push('<');
            }
            // The arrow of a function's type.
            '>' if begun > 0 && bytes[begun - 1] == b'-' => out.push('>'),
            '>' => match open.pop() {
                Some((from, true)) => {
                    out.truncate(from);
                    // `f::<T>` is `f`.
                    if out.ends_with("::") {
                        out.truncate(from - 2);
                    }
                }
                Some((from, false)) if is_plain(&out[from + 1..]) => {
                    out.remove(from);
                }
                _ => out.push('>'),
            },
            c => out.push(c),
        }
    }
    out
}

/// Whether a bracket that begins so, behind `::`, says whose method something is: `<impl a::B for c::D>::e`, which stands behind
/// the path of a module.
fn is_owner(rest: &str) -> bool {
    rest.starts_with("impl ")
}

/// Whether this is a path and nothing else.
fn is_plain(owner: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    !owner.is_empty() && owner.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::{in_module, path, without_arguments};

    #[test]
    fn instances_of_a_function_have_one_name() {
        let table = [
            ("serde_json::de::from_str", "serde_json::de::from_str"),
            (
                "serde_json::de::from_str::<serde_json::value::Value>",
                "serde_json::de::from_str",
            ),
            (
                "serde_json::de::Deserializer<R>::parse_value",
                "serde_json::de::Deserializer::parse_value",
            ),
            (
                "<serde_json::de::Deserializer<serde_json::read::SliceRead>>::parse_value",
                "serde_json::de::Deserializer::parse_value",
            ),
            (
                "<&mut serde_json::de::Deserializer<R> as serde::de::Deserializer>::deserialize_any",
                "<&mut serde_json::de::Deserializer as serde::de::Deserializer>::deserialize_any",
            ),
            (
                "<alloc::vec::Vec<u8> as a::Read<X<Y>>>::read::<fn(A<B>) -> C<D>>",
                "<alloc::vec::Vec as a::Read>::read",
            ),
            (
                "a::b::<impl core::fmt::Display for a::C<T>>::fmt",
                "a::b::<impl core::fmt::Display for a::C>::fmt",
            ),
            ("a::f::{{closure}}", "a::f::{{closure}}"),
            (
                "<a::F<T> as b::G>::h::{closure#0}::<u8>",
                "<a::F as b::G>::h::{closure#0}",
            ),
            ("<[T]>::len", "<[T]>::len"),
            (
                "<<a::A<T> as a::B>::C<U> as a::D>::e",
                "<<a::A as a::B>::C as a::D>::e",
            ),
            (">", ">"),
            ("", ""),
        ];
        for (name, expected) in table {
            assert_eq!(without_arguments(name), expected);
        }
    }

    #[test]
    fn mangled_names_are_paths() {
        let path = |name| path(name).unwrap_or_default();
        assert_eq!(
            path("_ZN10serde_json2de8from_str17h0123456789abcdefE"),
            "serde_json::de::from_str"
        );
        assert_eq!(path("_RNvC6_123foo3bar"), "123foo::bar");
        assert_eq!(path("memcpy"), "");
    }

    #[test]
    fn files_stand_for_modules() {
        let table = [
            (
                "/r/serde_json-1.0/src/value/de.rs",
                "serde_json",
                "serde_json::value::de::f",
            ),
            (
                "/r/serde_json-1.0/src/value/mod.rs",
                "serde_json",
                "serde_json::value::f",
            ),
            ("/w/src/lib.rs", "my-app", "my_app::f"),
            ("/w/fuzz/fuzz_targets/t.rs", "app-fuzz", "app_fuzz::t::f"),
            ("", "", "f"),
        ];
        for (file, package, expected) in table {
            assert_eq!(in_module("f", file, package), expected);
        }
    }
}
