//! From what inputs did to classes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pleach_associate::model::{Class, Labeled, Of, Place};
use pleach_core::{Codec, Graph, slip};
use pleach_probe::{Function, FunctionId, Probed, Symbols, Verdict};

use crate::failure::{Failure, warn};
use crate::input::{InputFile, read_input};
use crate::recognize::{self, Kind};
use crate::report::count;

use super::inputs::Observed;

/// Of so many inputs one is slow.
const SLOW: usize = 20;

/// What inputs have come to, to be told apart.
pub(super) struct Classes<'a> {
    pub(super) of: Of,
    pub(super) probed: &'a Probed,
    pub(super) symbols: Option<&'a Symbols>,
    /// Whether functions of all packages are classes.
    pub(super) every_package: bool,
}

/// Puts a text into a set.
fn insert(members: &mut [u64], text: usize) {
    members[text / 64] |= 1 << (text % 64);
}

impl Classes<'_> {
    /// The classes of these texts, which may become fewer: those of which it is not known what they would reach.
    pub(super) fn of(&self, observed: &mut Observed) -> Result<Vec<Labeled>, Failure> {
        let runs = &self.probed.runs;
        match self.of {
            Of::Functions => {
                let is_kept = |at: usize| {
                    !matches!(runs[at].verdict, Verdict::TimedOut | Verdict::Killed { .. })
                };
                let kept: Vec<usize> = (0..runs.len()).filter(|&at| is_kept(at)).collect();
                let ended = runs.len() - kept.len();
                if ended > 0 {
                    let inputs = count(ended as u64, "input");
                    warn(format_args!("{inputs} left out: killed, or out of time"));
                    observed.retain(is_kept);
                }
                Ok(self.functions(&kept))
            }
            _ => Ok(self.by_outcome()),
        }
    }

    /// The classes by verdict or time.
    fn by_outcome(&self) -> Vec<Labeled> {
        let runs = &self.probed.runs;
        match self.of {
            Of::Functions => Vec::new(),
            Of::Verdict => vec![self.one("rejected", |at| runs[at].verdict == Verdict::Rejected)],
            Of::Crashes => {
                let mut places: BTreeMap<String, Vec<usize>> = BTreeMap::new();
                for (at, run) in runs.iter().enumerate() {
                    if run.verdict.is_failure() {
                        places.entry(run.verdict.to_string()).or_default().push(at);
                    }
                }
                let classes = places.into_iter().map(|(name, members)| {
                    self.one(&name, |at| members.binary_search(&at).is_ok())
                });
                classes.collect()
            }
            Of::Slow => {
                let mut times: Vec<Duration> = runs.iter().map(|run| run.cpu).collect();
                times.sort_unstable();
                let least = times.get(times.len() - times.len() / SLOW);
                let least = least.copied().unwrap_or(Duration::MAX);
                let name = format!("slow ({least:?} and more)");
                vec![self.one(&name, |at| runs[at].cpu >= least)]
            }
        }
    }

    /// The classes of all texts, whatever became of them.
    pub(super) fn of_all(&self) -> Vec<Labeled> {
        let all: Vec<usize> = (0..self.probed.runs.len()).collect();
        match self.of {
            Of::Functions => self.functions(&all),
            _ => self.by_outcome(),
        }
    }

    /// A class of the inputs that something is true of.
    fn one(&self, name: &str, is_member: impl Fn(usize) -> bool) -> Labeled {
        let texts = self.probed.runs.len();
        let mut members = vec![0; texts.div_ceil(64)];
        for text in (0..texts).filter(|&text| is_member(text)) {
            insert(&mut members, text);
        }
        Labeled {
            class: Class {
                name: name.to_owned(),
                is_own: true,
                ..Class::default()
            },
            members,
        }
    }

    /// A class for each function, of some of the inputs.
    fn functions(&self, inputs: &[usize]) -> Vec<Labeled> {
        let Some(symbols) = self.symbols else {
            return Vec::new();
        };
        let wanted = reached(self.probed, symbols, self.every_package, inputs);
        let classes = wanted.into_iter().map(|(function, members)| {
            let class = class_of(&symbols[function]);
            Labeled { class, members }
        });
        classes.collect()
    }
}

/// The class of the inputs that reach a function.
pub(super) fn class_of(function: &Function) -> Class {
    Class {
        name: function.name.clone(),
        place: (!function.file.is_empty()).then(|| Place {
            file: function.file.clone(),
            line: function.line,
            last_line: function.last_line,
        }),
        package: function.package.clone(),
        is_own: function.is_own,
    }
}

/// The functions that are classes, and which of some inputs reach each, by their places among these.
pub(super) fn reached(
    probed: &Probed,
    symbols: &Symbols,
    every_package: bool,
    inputs: &[usize],
) -> Vec<(FunctionId, Vec<u64>)> {
    let words = inputs.len().div_ceil(64);
    let functions = (0u32..).map(FunctionId).zip(symbols.functions());
    let mut members: BTreeMap<FunctionId, Vec<u64>> = functions
        .filter(|(_, function)| every_package || function.is_own)
        .map(|(id, _)| (id, vec![0; words]))
        .collect();
    // Many inputs reach the same.
    let of_sets: Vec<Vec<FunctionId>> = probed
        .sets
        .iter()
        .map(|points| symbols.reached(points))
        .collect();
    for (at, &input) in inputs.iter().enumerate() {
        for function in &of_sets[probed.runs[input].reached] {
            if let Some(members) = members.get_mut(function) {
                insert(members, at);
            }
        }
    }
    members.into_iter().collect()
}

/// A list of inputs with what they have reached, as somebody else has found it out.
pub(super) struct Stated {
    files: Vec<InputFile>,
    reached: Vec<Vec<String>>,
}

impl Stated {
    /// Reads a list: a line for each input, its path and the names of what it reached, with tabs between.
    pub(super) fn read(list: &Path) -> Result<Stated, Failure> {
        let mut bytes = Vec::new();
        read_input(list, &mut bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Failure::new(
                format_args!("{}: the list is not UTF-8", list.display()),
                "write a line for each input: its path and the names of what it reached, with tabs between",
            )
        })?;
        let mut stated = Stated {
            files: Vec::new(),
            reached: Vec::new(),
        };
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let mut cells = line.split('\t');
            let name = PathBuf::from(cells.next().unwrap_or_default());
            // As one who writes a list beside the inputs would name them.
            let path = list.parent().unwrap_or(Path::new("")).join(&name);
            stated.files.push(InputFile { path, name });
            let names = cells.filter(|name| !name.is_empty()).map(str::to_owned);
            stated.reached.push(names.collect());
        }
        Ok(stated)
    }

    /// Whether the inputs are texts.
    pub(super) fn kind(&self, graph: &Arc<Graph>) -> Result<Kind, Failure> {
        recognize::of_files(graph, &self.files)
    }

    pub(super) fn texts(&self, graph: &Arc<Graph>, is_text: bool) -> Result<Vec<Vec<u8>>, Failure> {
        let codec = Codec::new(graph);
        let texts = self.files.iter().map(|file| {
            let mut input = Vec::new();
            read_input(&file.path, &mut input)?;
            Ok(match is_text {
                true => input,
                false => slip::text(&codec, &input),
            })
        });
        texts.collect()
    }

    /// The classes of the texts that are sentences.
    pub(super) fn classes(&self, observed: &Observed) -> Vec<Labeled> {
        let words = observed.texts.len().div_ceil(64);
        let mut members: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for (names, place) in self.reached.iter().zip(&observed.places) {
            for name in names {
                let of_name = members.entry(name).or_insert_with(|| vec![0; words]);
                if let Some(place) = *place {
                    insert(of_name, place);
                }
            }
        }
        let classes = members.into_iter().map(|(name, members)| Labeled {
            class: Class {
                name: name.to_owned(),
                is_own: true,
                ..Class::default()
            },
            members,
        });
        classes.collect()
    }
}
