//! What the unit tests of all packages here share: the known bugs show, and nothing else does.
//!
//! A panic is recognized as in a campaign, by the text that the panic handler writes: location and message. The hook that
//! collects it is set once a process and keeps to its thread, because tests run in several.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Once};

use pleach_core::choice::{Codec, SiteIndex};
use pleach_core::generate::{Generator, Limits};
use pleach_core::rng::Rng;
use pleach_core::{Grammar, Graph, Parser};
use serde::Deserialize;

/// What a test needs of `subject.toml`.
#[derive(Deserialize)]
struct About {
    bugs: Vec<Bug>,
}

#[derive(Deserialize)]
struct Bug {
    name: String,
    input: String,
    panic: String,
}

/// A package of this directory, as its tests see it.
pub(crate) struct Known {
    run: fn(&[u8]) -> bool,
    graph: Arc<Graph>,
    bugs: Vec<(Bug, Vec<u8>)>,
}

impl Known {
    /// Reads `subject.toml` in the package's directory, and the inputs that it names.
    pub(crate) fn load(run: fn(&[u8]) -> bool, grammar: &str) -> Known {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(dir.join("subject.toml")).expect("subject.toml is there");
        let about: About = toml::from_str(&text).expect("subject.toml is right");
        let grammar: Grammar = grammar.parse().expect("the grammar is right");
        let bugs = about.bugs.into_iter().map(|bug| {
            let input = fs::read(dir.join(&bug.input)).expect("the input is there");
            (bug, input)
        });
        Known {
            run,
            graph: Graph::new(grammar).expect("the grammar is right"),
            bugs: bugs.collect(),
        }
    }

    /// Each public input panics as its bug says, and as no other of them.
    pub(crate) fn inputs_panic(&self) {
        assert!(!self.bugs.is_empty(), "no bugs");
        for (bug, input) in &self.bugs {
            let report = self
                .report(input)
                .expect_err(&format!("{} does not show", bug.name));
            let matching: Vec<&str> = self.matching(&report).collect();
            assert_eq!(matching, [bug.name.as_str()], "{report}");
        }
    }

    /// Each public input is a sentence, but for the bugs of those names.
    pub(crate) fn inputs_are_sentences(&self, but: &[&str]) {
        let parser = Parser::new(&self.graph);
        for (bug, input) in &self.bugs {
            assert_eq!(
                parser.encode(input).is_ok(),
                !but.contains(&bug.name.as_str()),
                "{}",
                bug.name
            );
        }
    }

    /// Of `count` generated sentences, most are accepted, and none panics in a way that is not known. Gives how often each
    /// bug shows.
    pub(crate) fn sentences(&self, count: usize) -> BTreeMap<String, usize> {
        let codec = Arc::new(Codec::new(&self.graph));
        let limits = Limits {
            max_len: 400,
            ..Limits::default()
        };
        let mut generator = Generator::new(&codec, limits, Rng::new(1));
        let mut index = SiteIndex::new();
        let mut accepted = 0;
        let mut shown = BTreeMap::new();
        for _ in 0..count {
            generator.generate(&mut index);
            match self.report(index.text()) {
                Ok(verdict) => accepted += usize::from(verdict),
                Err(report) => {
                    let text = String::from_utf8_lossy(index.text());
                    let name = self.matching(&report).next();
                    let name = name.unwrap_or_else(|| panic!("{text:?}: unknown: {report}"));
                    *shown.entry(name.to_owned()).or_insert(0) += 1;
                }
            }
        }
        let crashed: usize = shown.values().sum();
        println!("{accepted} of {count} sentences are accepted, {crashed} crash: {shown:?}");
        assert!(
            2 * accepted > count - crashed,
            "only {accepted} of {count} sentences are accepted, and {crashed} crash"
        );
        shown
    }

    /// The bugs that `report` shows.
    fn matching<'a>(&'a self, report: &'a str) -> impl Iterator<Item = &'a str> {
        let bugs = self.bugs.iter().map(|(bug, _)| bug);
        bugs.filter(|bug| report.contains(&bug.panic))
            .map(|bug| bug.name.as_str())
    }

    /// What `run` says of `text`, or what its panic writes.
    fn report(&self, text: &[u8]) -> Result<bool, String> {
        thread_local! {
            static REPORT: RefCell<Option<String>> = const { RefCell::new(None) };
        }
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let other = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                if REPORT.with_borrow(Option::is_some) {
                    REPORT.set(Some(info.to_string()));
                } else {
                    other(info);
                }
            }));
        });
        REPORT.set(Some(String::new()));
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.run)(text)));
        let report = REPORT.take();
        outcome.map_err(|_| report.unwrap_or_default())
    }
}
