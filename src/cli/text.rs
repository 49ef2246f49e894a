//! Texts that come in: parsed within a budget, and those that are left out are counted and told.
//!
//! A text can be left out for two reasons, which are counted apart: it is not a sentence of the grammar, or it took more than
//! the budget allows, and then nobody knows. Both are rare in a sound corpus and cheap to note, so that many texts cost no more
//! memory than few; where and why is found out only if the user wants the list.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use clap::Args;
use pleach_core::caret::Position;
use pleach_core::parse::{Budget, Error, Expected, Forest, Refusal, Workspace};
use pleach_core::{Graph, Parser};
use serde::Serialize;

use super::diagnostic::{Diagnostic, Place, Severity};
use super::failure::{Answer, Failure, warn};
use super::output::Output;
use super::parallel::most_threads;
use super::recognize::Kind;

/// The terminals that are shown of those that could have come in the place of what a text has.
const SHOWN_EXPECTED: usize = 4;

/// Where help has these options.
const HEADING: &str = "Reading texts";

/// What a parse may spend.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct BudgetArgs {
    /// The most steps that parsing a text may take [default: 4000000000]
    #[arg(long, help_heading = HEADING, value_name = "N")]
    max_steps: Option<u64>,
    /// The most memory that parsing may take; texts that are parsed side by side share it, and one that needs more is parsed alone [default: 2048]
    #[arg(long, help_heading = HEADING, value_name = "MIB")]
    max_memory: Option<u64>,
}

impl BudgetArgs {
    pub(super) fn budget(self) -> Budget {
        let usual = Budget::default();
        let bytes = self.max_memory.map(|it| it.saturating_mul(1 << 20));
        Budget {
            steps: self.max_steps.unwrap_or(usual.steps),
            bytes: bytes.unwrap_or(usual.bytes),
        }
    }

    /// Fails if the inputs are choice sequences, which are not parsed, and the user has set a bound.
    pub(super) fn check(self, kind: Kind) -> Result<(), Failure> {
        let flags = [
            ("--max-steps", self.max_steps.is_some()),
            ("--max-memory", self.max_memory.is_some()),
        ];
        only_for_texts(kind, &flags)
    }

    /// Which bound was too low, in one clause, and what to do about it; `None` for a text that is not a sentence.
    fn exceeded(self, refusal: Refusal) -> Option<(String, &'static str)> {
        match refusal {
            Refusal::OutOfSteps { .. } => Some((
                format!("parsing takes more than {} steps", self.budget().steps),
                "allow more by --max-steps",
            )),
            Refusal::OutOfMemory { .. } => Some((
                format!("parsing takes more than {} MiB", self.budget().bytes >> 20),
                "allow more by --max-memory",
            )),
            _ => None,
        }
    }
}

/// What becomes of texts that are left out.
#[derive(Args, Clone, Copy, Debug)]
struct LeftOutArgs {
    /// List the texts that are left out, with place and reason; in JSON, `left_out`
    #[arg(long, help_heading = HEADING)]
    list_invalid: bool,
    /// Exit with 1 if a text is left out
    #[arg(long, help_heading = HEADING)]
    strict: bool,
}

/// How texts are read that may be left out. Verbs whose inputs are not always texts [check](TextArgs::check) what they are.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct TextArgs {
    #[command(flatten)]
    left_out: LeftOutArgs,
    #[command(flatten)]
    budget: BudgetArgs,
}

impl TextArgs {
    /// Texts are left out without a list, and parsed within a budget that the user has no say in, in whole MiB.
    pub(super) fn within(budget: Budget) -> TextArgs {
        TextArgs {
            left_out: LeftOutArgs {
                list_invalid: false,
                strict: false,
            },
            budget: BudgetArgs {
                max_steps: Some(budget.steps),
                max_memory: Some(budget.bytes >> 20),
            },
        }
    }

    /// Fails if the inputs are choice sequences, and the user asks for what only texts have.
    pub(super) fn check(self, kind: Kind) -> Result<(), Failure> {
        self.budget.check(kind)?;
        only_for_texts(kind, &[("--list-invalid", self.left_out.list_invalid)])
    }

    /// What an answer becomes when texts were left out.
    pub(super) fn answer(self, tally: &Tally, otherwise: Answer) -> Answer {
        match self.left_out.strict && tally.count() > 0 {
            true => Answer::No,
            false => otherwise,
        }
    }
}

/// Fails if one of these options is given, and the inputs are choice sequences.
pub(super) fn only_for_texts(kind: Kind, flags: &[(&str, bool)]) -> Result<(), Failure> {
    let given = flags.iter().find(|&&(_, given)| given);
    match (kind, given) {
        (Kind::Choices, Some((flag, _))) => Err(Failure::new(
            format_args!("{flag} is for texts, and the inputs are choice sequences"),
            "leave it out, or read the inputs as texts by --text",
        )),
        _ => Ok(()),
    }
}

/// The bytes that the workspace of a text may keep for the next.
const KEPT_BYTES: usize = 64 << 20;

/// The texts of a grammar.
///
/// Several threads may read them, and the memory that the user allows is for all of them: each has its share. A text that this does not
/// suffice for is read again with all of it, while no other text is read. So what is left out does not depend on the threads.
#[derive(Debug)]
pub(super) struct Texts {
    parser: Parser,
    args: TextArgs,
    /// The bytes that a text may take beside others.
    share: u64,
    /// Held by those who read beside others, and by one who reads alone.
    turns: RwLock<()>,
}

impl Texts {
    pub(super) fn new(parser: Parser, args: TextArgs) -> Texts {
        let share = args.budget.budget().bytes / most_threads() as u64;
        Texts {
            parser,
            args,
            share,
            turns: RwLock::new(()),
        }
    }

    /// The graph of the grammar.
    pub(super) fn graph(&self) -> &Arc<Graph> {
        self.parser.graph()
    }

    /// Whether the user wants to know which texts are left out.
    pub(super) fn lists(&self) -> bool {
        self.args.left_out.list_invalid
    }

    /// Parses a text, found in `path`, and does something with its derivations: a second time if memory did not suffice in the
    /// first.
    pub(super) fn read<T>(
        &self,
        path: &Path,
        text: &[u8],
        workspace: &mut Workspace,
        mut then: impl FnMut(&mut Forest<'_>) -> Result<T, Refusal>,
    ) -> Result<T, LeftOut> {
        let budget = self.args.budget.budget();
        let mut read = |bytes: u64, workspace: &mut Workspace| {
            let budget = Budget { bytes, ..budget };
            let mut forest = self.parser.parse(text, budget, workspace)?;
            then(&mut forest)
        };
        {
            let _beside_others = self.turns.read().unwrap_or_else(PoisonError::into_inner);
            let done = read(self.share, workspace);
            if !matches!(done, Err(Refusal::OutOfMemory { .. })) {
                let done = done.map_err(|refusal| self.left_out(path, text, refusal, workspace));
                workspace.keep_at_most(KEPT_BYTES);
                return done;
            }
        }
        *workspace = Workspace::new();
        let _alone = self.turns.write().unwrap_or_else(PoisonError::into_inner);
        let done = read(budget.bytes, workspace);
        let done = done.map_err(|refusal| self.left_out(path, text, refusal, workspace));
        workspace.keep_at_most(KEPT_BYTES);
        done
    }

    /// What is noted of a text that was refused.
    fn left_out(
        &self,
        path: &Path,
        text: &[u8],
        refusal: Refusal,
        workspace: &mut Workspace,
    ) -> LeftOut {
        let budget = Budget {
            bytes: self.share,
            ..self.args.budget.budget()
        };
        let exceeded = self.args.budget.exceeded(refusal);
        LeftOut {
            out_of_budget: exceeded.is_some(),
            listed: self.lists().then(|| {
                let error = self.parser.explain_in(text, refusal, budget, workspace);
                Box::new(Listed {
                    file: path.display().to_string(),
                    out_of_budget: exceeded.is_some(),
                    offset: error.offset(),
                    line: error.line(),
                    column: error.column(),
                    reason: match exceeded {
                        Some((reason, help)) => format!("{reason}; {help}"),
                        None => in_one_line(&error),
                    },
                })
            }),
        }
    }
}

/// What is wrong with a text that is not a sentence, and what could have come instead.
fn in_one_line(error: &Error) -> String {
    let expected = error.expected().iter().map(|it| it.terminal.as_str());
    let mut expected: Vec<&str> = expected.collect();
    // That it could have ended is worth more than how it could have gone on: often a line break is all that is too much.
    expected.sort_by_key(|&terminal| terminal != Expected::END);
    let shown = expected.iter().take(SHOWN_EXPECTED);
    let mut shown: Vec<String> = shown.map(|&terminal| terminal.to_owned()).collect();
    if let Some(more @ 1..) = expected.len().checked_sub(SHOWN_EXPECTED) {
        shown.push(format!("{more} more"));
    }
    match shown.is_empty() {
        true => error.message(),
        false => format!("{}; expected {}", error.message(), shown.join(" or ")),
    }
}

/// Parses the one text that a verb is about, and does something with its derivations. The error inside is that of a text that is
/// no sentence; a text that takes more than the budget is a failure.
pub(super) fn parse_one<T>(
    parser: &Parser,
    name: &str,
    text: &[u8],
    args: BudgetArgs,
    then: impl FnOnce(&mut Forest<'_>) -> Result<T, Refusal>,
) -> Result<Result<T, Error>, Failure> {
    let mut workspace = Workspace::new();
    let forest = parser.parse(text, args.budget(), &mut workspace);
    let refusal = match forest.and_then(|mut forest| then(&mut forest)) {
        Ok(done) => return Ok(Ok(done)),
        Err(refusal) => refusal,
    };
    let error = parser.explain_in(text, refusal, args.budget(), &mut workspace);
    let Some((reason, help)) = args.exceeded(refusal) else {
        return Ok(Err(error));
    };
    let (line, column) = (error.line(), error.column());
    let message = format!("{name}:{line}:{column}: {reason}");
    Err(Failure::new(message, help))
}

/// What is said of a text that is not a sentence.
pub(super) fn refused_text(error: &Error, name: &str, text: &[u8]) -> Diagnostic {
    let offset = error.offset();
    let place = Place {
        path: name,
        span: offset..offset,
        position: Position {
            line: error.line(),
            column: error.column(),
        },
    };
    Diagnostic::new(Severity::Error, error.message())
        .at(text, &place)
        .note(error.expectation())
        .help(error.help())
}

/// A text that was left out.
#[derive(Debug)]
pub(super) struct LeftOut {
    /// Nobody knows whether it is a sentence; otherwise it is none.
    pub(super) out_of_budget: bool,
    listed: Option<Box<Listed>>,
}

impl LeftOut {
    /// A text that was found to be no sentence in an earlier run.
    pub(super) fn known() -> LeftOut {
        LeftOut {
            out_of_budget: false,
            listed: None,
        }
    }
}

/// Where and why a text was left out.
#[derive(Debug, Serialize)]
struct Listed {
    file: String,
    out_of_budget: bool,
    offset: usize,
    line: u32,
    column: u32,
    reason: String,
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Listed {
            file, line, column, ..
        } = self;
        write!(f, "{file}:{line}:{column}: {}", self.reason)
    }
}

/// How many texts were left out, and why.
#[derive(Debug, Serialize)]
pub(super) struct Tally {
    /// Those that are not sentences.
    pub(super) invalid: u64,
    /// Those that nobody knows of.
    pub(super) out_of_budget: u64,
    /// All of both, if the user wants the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<Vec<Listed>>,
}

impl Tally {
    /// Counts what was left out, in the order of the texts.
    pub(super) fn new(args: TextArgs, left_out: impl IntoIterator<Item = LeftOut>) -> Tally {
        let mut tally = Tally {
            invalid: 0,
            out_of_budget: 0,
            left_out: args.left_out.list_invalid.then(Vec::new),
        };
        for one in left_out {
            match one.out_of_budget {
                true => tally.out_of_budget += 1,
                false => tally.invalid += 1,
            }
            if let Some(list) = &mut tally.left_out {
                list.extend(one.listed.map(|listed| *listed));
            }
        }
        tally
    }

    /// How many were left out.
    pub(super) fn count(&self) -> u64 {
        self.invalid + self.out_of_budget
    }

    /// Prints the list, a line for each text, below a blank line and a heading.
    pub(super) fn print(&self, out: &mut Output) -> Result<(), Failure> {
        let list = self.left_out.as_deref().unwrap_or_default();
        if !list.is_empty() {
            writeln!(out, "\nleft out:")?;
        }
        for one in list {
            writeln!(out, "{one}")?;
        }
        Ok(())
    }

    /// Says on standard error how many of so many inputs were left out.
    pub(super) fn warn(&self, inputs: u64, grammar: &str) {
        let list = match self.left_out {
            Some(_) => "",
            None => "; --list-invalid lists them",
        };
        if self.invalid > 0 {
            warn(format_args!(
                "{} of {inputs} inputs left out: not {} of {grammar}{list}",
                self.invalid,
                plural(self.invalid, "a sentence", "sentences")
            ));
        }
        if self.out_of_budget > 0 {
            warn(format_args!(
                "{} of {inputs} inputs left out: parsing takes more than --max-steps or --max-memory allow{list}",
                self.out_of_budget
            ));
        }
    }
}

fn plural(number: u64, one: &'static str, more: &'static str) -> &'static str {
    if number == 1 { one } else { more }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use pleach_core::parse::{Budget, Refusal, Workspace};
    use pleach_core::{Grammar, Graph, Parser};

    use super::{TextArgs, Texts};

    #[test]
    fn a_text_that_its_share_does_not_suffice_for_is_read_alone() {
        let grammar: Grammar = "S := S S | 'a';".parse().unwrap();
        let graph = Graph::new(grammar).unwrap();
        let within = Budget {
            bytes: 4 << 20,
            ..Budget::default()
        };
        let mut texts = Texts::new(Parser::new(&graph), TextArgs::within(within));
        texts.share = within.bytes / 8;
        let parse = |len: usize, bytes: u64| {
            let budget = Budget { bytes, ..within };
            let text = vec![b'a'; len];
            let mut workspace = Workspace::new();
            let mut forest = texts.parser.parse(&text, budget, &mut workspace)?;
            forest.choices(&mut Vec::new())
        };
        let fits =
            |len: usize, bytes: u64| !matches!(parse(len, bytes), Err(Refusal::OutOfMemory { .. }));
        // The first length that is too long for the share, and the first that is too long for all.
        let long = (1..).find(|&len| !fits(len, texts.share)).unwrap();
        let too_long = (long..)
            .step_by(8)
            .find(|&len| !fits(len, within.bytes))
            .unwrap();
        assert!(fits(long, within.bytes));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut workspace = Workspace::new();
                    for (len, is_read) in [(1, true), (long, true), (too_long, false), (2, true)] {
                        let text = vec![b'a'; len];
                        let read = texts.read(Path::new("x"), &text, &mut workspace, |forest| {
                            forest.choices(&mut Vec::new())
                        });
                        assert_eq!(read.is_ok(), is_read, "{len}");
                        assert!(read.is_ok() || read.is_err_and(|left_out| left_out.out_of_budget));
                    }
                });
            }
        });
    }
}
