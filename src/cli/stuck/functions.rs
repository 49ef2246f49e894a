//! Functions of the program that nothing reaches, with the nearest ones that something does.
//!
//! A call is found in the source: a function that is reached is near one that is not if its lines name that one. What debug information knows of
//! calls is what was made of them, inlined and merged; the source says what a person looks for. A name that several functions have counts
//! only within the file. Where nothing names a function, the nearest is what is reached before it in the same file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use pleach_probe::{Function, FunctionId, Symbols};
use serde::Serialize;

use super::{Asked, Functions, Ran};
use crate::report::count;

/// Functions that are shown of one place.
const SHOWN: usize = 4;

/// A function that is not reached.
#[derive(Debug, Serialize)]
struct Missed {
    function: String,
    place: String,
    /// Where the nearest one names it, if it does.
    named: Option<String>,
}

/// A function that inputs reach, and near it some that they do not.
#[derive(Debug, Serialize)]
pub(super) struct Frontier {
    function: String,
    place: String,
    /// The inputs that reach it.
    inputs: usize,
    missed: Vec<Missed>,
}

/// Where a function is named by another.
#[derive(Clone, Copy)]
struct Near {
    from: FunctionId,
    /// Nothing if it stands before it in the same file.
    line: Option<u32>,
}

/// How many functions of the program are reached, where one that is goes no further, and how many are missed beside what is said there.
pub(super) fn find(asked: &Asked<'_>, ran: &Ran) -> (Functions, Vec<Frontier>, usize) {
    let symbols = &ran.symbols;
    let sets: Vec<Vec<FunctionId>> = ran
        .probed
        .sets
        .iter()
        .map(|it| symbols.reached(it))
        .collect();
    let mut inputs: BTreeMap<FunctionId, usize> = BTreeMap::new();
    for run in &ran.probed.runs {
        for &id in &sets[run.reached] {
            *inputs.entry(id).or_default() += 1;
        }
    }
    let own = (0..).map(FunctionId).zip(symbols.functions());
    let own: Vec<(FunctionId, &Function)> = own.filter(|(_, it)| it.is_own).collect();
    let (reached, missed): (Vec<_>, Vec<_>) = own
        .iter()
        .copied()
        .partition(|(id, _)| inputs.contains_key(id));
    let functions = Functions {
        reached: reached.len(),
        total: own.len(),
    };
    let all = missed.len();
    let missed = missed.into_iter().filter(|(_, it)| is_telling(&it.name));
    let missed: Vec<(FunctionId, &Function)> = missed.collect();
    let near = nearest(symbols, &reached, &missed);
    let mut frontiers: BTreeMap<FunctionId, Vec<(bool, u32, Missed)>> = BTreeMap::new();
    for &(id, function) in &missed {
        let Some(near) = near.get(&id) else { continue };
        let missed = Missed {
            function: function.name.clone(),
            place: place(function, function.line),
            named: near.line.map(|line| place(&symbols[near.from], line)),
        };
        let of = frontiers.entry(near.from).or_default();
        of.push((near.line.is_none(), function.line, missed));
    }
    let frontiers = frontiers.into_iter().map(|(id, mut missed)| {
        missed.sort_by_key(|it| (it.0, it.1));
        let is_named = !missed[0].0;
        let missed: Vec<Missed> = missed.into_iter().map(|it| it.2).collect();
        let function = &symbols[id];
        let frontier = Frontier {
            function: function.name.clone(),
            place: place(function, function.line),
            inputs: inputs.get(&id).copied().unwrap_or(0),
            missed,
        };
        (is_named, frontier)
    });
    let mut frontiers: Vec<(bool, Frontier)> = frontiers.collect();
    // What is named is surer, and what most inputs reach is the nearest to being passed.
    frontiers
        .sort_by_key(|(is_named, it)| std::cmp::Reverse((*is_named, it.missed.len(), it.inputs)));
    frontiers.truncate(asked.limit);
    let mut frontiers: Vec<Frontier> = frontiers.into_iter().map(|it| it.1).collect();
    for it in &mut frontiers {
        it.missed.truncate(SHOWN);
    }
    let shown: usize = frontiers.iter().map(|it| it.missed.len()).sum();
    (functions, frontiers, all - shown)
}

/// Whether a function says something: not one that a trait of the standard library asks for, nor a part of another.
fn is_telling(name: &str) -> bool {
    let is_derived = name.starts_with('<')
        && [" as core::", " as alloc::", " as std::", " as serde"]
            .iter()
            .any(|it| name.contains(it));
    !is_derived && !name.ends_with("}}")
}

/// The last part of a path.
fn word(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

fn place(function: &Function, line: u32) -> String {
    let file = crate::associate::explain::without_registry(&function.file);
    format!("{}:{line}", crate::init::shown(std::path::Path::new(file)))
}

/// For each function that is missed, the reached one that is nearest.
fn nearest(
    symbols: &Symbols,
    reached: &[(FunctionId, &Function)],
    missed: &[(FunctionId, &Function)],
) -> BTreeMap<FunctionId, Near> {
    let mut words: BTreeMap<&str, Vec<FunctionId>> = BTreeMap::new();
    for &(id, function) in missed {
        words.entry(word(&function.name)).or_default().push(id);
    }
    // A name that is reached somewhere, too, may be that one's.
    let known: BTreeSet<&str> = reached.iter().map(|(_, it)| word(&it.name)).collect();
    let mut near: BTreeMap<FunctionId, Near> = BTreeMap::new();
    calls(reached, |from, file, line, word| {
        let ids = words.get(word).map_or(&[][..], |it| &it[..]);
        let is_single = ids.len() == 1 && !known.contains(word);
        for &id in ids {
            if is_single || symbols[id].file == *file {
                let line = Some(line);
                near.entry(id).or_insert(Near { from, line });
            }
        }
    });
    // What is missed and named by something that is missed lies behind that.
    let mut behind: BTreeSet<FunctionId> = BTreeSet::new();
    calls(missed, |from, _, _, word| {
        let ids = words.get(word).into_iter().flatten();
        behind.extend(ids.filter(|&&id| id != from));
    });
    for &(id, function) in missed.iter().filter(|(id, _)| !behind.contains(id)) {
        let before = reached.iter().filter(|(_, it)| it.file == function.file);
        let before = before.filter(|(_, it)| it.line <= function.line);
        if let Some(&(from, _)) = before.max_by_key(|(_, it)| it.line) {
            near.entry(id).or_insert(Near { from, line: None });
        }
    }
    near
}

/// Goes through the lines of functions, and hands on what each calls.
fn calls<'f>(
    functions: &[(FunctionId, &'f Function)],
    mut call: impl FnMut(FunctionId, &'f str, u32, &str),
) {
    let mut files: BTreeMap<&str, Vec<(FunctionId, &Function)>> = BTreeMap::new();
    for &(id, function) in functions {
        files
            .entry(&function.file)
            .or_default()
            .push((id, function));
    }
    for (file, functions) in files {
        let text = fs::read_to_string(file).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for (from, function) in functions {
            let first = function.line.max(1);
            for line in first..=function.last_line {
                let Some(text) = lines.get(line as usize - 1) else {
                    break;
                };
                called(text).for_each(|word| call(from, file, line, word));
            }
        }
    }
}

/// The names in a line that something is called by, or that are handed on: those before a bracket, and behind `::` or `.`.
fn called(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut rest = code;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(is_letter)?;
            let before = &rest[..start];
            let word = &rest[start..];
            let end = word.find(|it| !is_letter(it)).unwrap_or(word.len());
            rest = &word[end..];
            let is_called = rest.starts_with('(') || rest.starts_with("::<");
            // What is declared there is not called there.
            let is_named = before.ends_with("::") || before.ends_with('.');
            if is_called || is_named {
                return Some(&word[..end]);
            }
        }
    })
}

/// Says where inputs go no further.
pub(super) fn say(frontiers: &[Frontier], more: usize, lines: &mut Vec<String>) {
    if frontiers.is_empty() {
        return;
    }
    lines.push(String::new());
    lines.push("functions that nothing reaches, below those that are near and reached".into());
    for it in frontiers {
        let Frontier {
            function,
            place,
            inputs,
            missed,
        } = it;
        let inputs = count(*inputs as u64, "input");
        lines.push(format!("  {function} ({place}), reached by {inputs}"));
        for it in missed {
            let Missed {
                function,
                place,
                named,
            } = it;
            lines.push(match named {
                Some(named) => format!("    {function} ({place}), named at {named}"),
                None => format!("    {function} ({place}), behind it in the file"),
            });
        }
    }
    if more > 0 {
        lines.push(format!("  and {}", count(more as u64, "other function")));
    }
    lines.push("  look at the conditions before those lines: what input would pass them, and does the grammar have it?".into());
}

#[cfg(test)]
mod tests {
    use super::{called, is_telling};

    #[test]
    fn calls_are_found_by_their_names() {
        let table = [
            (
                "    let a = eval(b, self.call(c)?); // skip(d)",
                "eval call",
            ),
            (
                "    .map(Self::unary).collect::<Vec<_>>()",
                "map unary collect",
            ),
            ("let x = y + 1;", ""),
            ("if é_ü(1) {", "é_ü"),
        ];
        for (line, expected) in table {
            assert_eq!(called(line).collect::<Vec<_>>().join(" "), expected);
        }
    }

    #[test]
    fn what_traits_ask_for_says_nothing() {
        let table = [
            ("calc::eval", true),
            ("<calc::Value as core::fmt::Debug>::fmt", false),
            ("<calc::Value as calc::Show>::show", true),
            ("calc::eval::{{closure}}", false),
        ];
        for (name, expected) in table {
            assert_eq!(is_telling(name), expected, "{name}");
        }
    }
}
