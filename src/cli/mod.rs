//! The command line: one file per verb, on what they share.
//!
//! A verb is a struct of arguments with a `run` that calls the library and prints a report. Everything goes through a few
//! doors, so that all verbs have the same manners: grammars and inputs come in through [`input`] and texts through [`text`], results leave
//! through [`output`] (standard output and files that appear whole or not at all), progress through [`progress`], and whatever
//! goes wrong becomes a [`failure::Failure`], which one function prints. This is a program of its own beside the library, so it
//! cannot use more than the public API.

mod check;
mod compile;
mod convert;
mod coverage;
mod decode;
mod encode;
mod failure;
mod folder;
mod fuzz;
mod generate;
mod html;
mod init;
mod input;
mod learn;
mod library;
mod lint;
mod measure;
mod migrate;
mod mirror;
mod model;
mod output;
mod parallel;
mod parse;
mod paths;
mod progress;
mod report;
mod seed;
mod show;
mod show_model;
mod state;
mod survey;
mod text;
mod transform;
mod unread;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use failure::{Answer, Failure};
use output::Output;
use pleach::import::Notation;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the answer is no: a text does not parse, coverage is below --min or not all that
       --until-covered asks for, texts are left out under --strict, `lint` has a warning, an input
       failed in `fuzz`, none fails again in `surround`
  2    wrong usage, an input that cannot be read or is invalid, or a parse that takes too much
  130  interrupted; files are whole, or not there

Results go to standard output, progress and messages to standard error.";

/// Grammar-aware fuzzing: covering sets, random sentences, and the grammar coverage of a corpus
#[derive(Parser)]
#[command(version, after_help = EXIT_CODES, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    verb: Verb,
}

/// What every verb takes.
#[derive(Args)]
#[command(next_help_heading = "Common options")]
struct Common {
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    json: bool,
    /// Fix all randomness; the same number gives the same bytes
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    random_seed: u64,
    /// The notation of the grammar, where its name does not tell
    #[arg(long, global = true, value_name = "NOTATION", value_parser = notation())]
    from: Option<Notation>,
    /// Start the grammar at this nonterminal rather than at its first
    #[arg(long, global = true, value_name = "NAME")]
    start: Option<String>,
    /// Take rules that the grammar refers to and lacks from this file, in the same notation; may be repeated
    #[arg(long, global = true, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Let k-paths go on in tokens, which are one symbol otherwise
    #[arg(long, global = true)]
    open_tokens: bool,
}

/// Notations by their names.
fn notation() -> impl TypedValueParser<Value = Notation> {
    PossibleValuesParser::new(Notation::ALL.map(Notation::name))
        .try_map(|name| name.parse::<Notation>())
}

#[derive(Subcommand)]
enum Verb {
    Check(check::Check),
    Lint(lint::Lint),
    Convert(convert::Convert),
    Transform(transform::Transform),
    Compile(compile::Compile),
    Paths(paths::Paths),
    Seed(seed::Seed),
    Generate(generate::Generate),
    Coverage(coverage::CoverageVerb),
    Parse(parse::Parse),
    Decode(decode::Decode),
    Encode(encode::Encode),
    Migrate(migrate::Migrate),
    Show(show::Show),
    Learn(learn::Learn),
    ShowModel(show_model::ShowModel),
    Survey(survey::Survey),
    Init(init::Init),
    Fuzz(fuzz::Fuzz),
    Surround(fuzz::Surround),
}

/// Runs the command line of this process.
pub(crate) fn run() -> ExitCode {
    let is_verb = |word: &str| Cli::command().find_subcommand(word).is_some();
    if let Some(code) = fuzz::wrapper::run(is_verb) {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and the version are no errors: clap knows which stream and which code.
        Err(error) => error.exit(),
    };
    output::handle_interrupts();
    let mut out = Output::new();
    let outcome = run_verb(cli, &mut out).and_then(|answer| out.finish().map(|()| answer));
    match outcome {
        Ok(Answer::Yes) | Err(Failure::Closed) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Ok(Answer::Interrupted) => ExitCode::from(output::INTERRUPTED),
        Err(Failure::Wrong(message)) => {
            failure::report(&message);
            ExitCode::from(2)
        }
    }
}

fn run_verb(cli: Cli, out: &mut Output) -> Result<Answer, Failure> {
    let common = &cli.common;
    match cli.verb {
        Verb::Check(verb) => verb.run(common, out),
        Verb::Lint(verb) => verb.run(common, out),
        Verb::Convert(verb) => verb.run(common, out),
        Verb::Transform(verb) => verb.run(common, out),
        Verb::Compile(verb) => verb.run(common, out),
        Verb::Paths(verb) => verb.run(common, out),
        Verb::Seed(verb) => verb.run(common, out),
        Verb::Generate(verb) => verb.run(common, out),
        Verb::Coverage(verb) => verb.run(common, out),
        Verb::Parse(verb) => verb.run(common, out),
        Verb::Decode(verb) => verb.run(common, out),
        Verb::Encode(verb) => verb.run(common, out),
        Verb::Migrate(verb) => verb.run(common, out),
        Verb::Show(verb) => verb.run(common, out),
        Verb::Learn(verb) => verb.run(common, out),
        Verb::ShowModel(verb) => verb.run(common, out),
        Verb::Survey(verb) => verb.run(common, out),
        Verb::Init(verb) => verb.run(common, out),
        Verb::Fuzz(verb) => verb.run(common, out),
        Verb::Surround(verb) => verb.run(common, out),
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
