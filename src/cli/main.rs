//! The command line `pleach`: one file per verb, on what they share.
//!
//! A verb is a struct of arguments with a `run` that calls the library and prints a report. Everything goes through a few
//! doors, so that all verbs have the same manners: grammars come in through [`source`], inputs through [`input`] and texts through
//! [`text`], results leave through [`output`] (standard output and files that appear whole or not at all), progress through
//! [`progress`], and whatever goes wrong becomes a [`failure::Failure`], which one function prints.

mod agree;
mod args;
mod associate;
mod check;
mod compile;
mod convert;
mod coverage;
mod decode;
mod diagnostic;
mod distill;
mod doctor;
mod duration;
mod encode;
mod evolve;
mod failure;
mod folder;
mod fuzz;
mod gaps;
mod generate;
mod help;
mod html;
mod init;
mod input;
mod interrupt;
mod learn;
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
mod recognize;
mod record;
mod reduce;
mod report;
mod seed;
mod show;
mod show_model;
mod source;
mod state;
mod stuck;
mod suggest;
mod surround;
mod target;
mod text;
mod transform;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use failure::{Answer, Failure};
use output::Output;
use pleach_project::wrapper;

const AFTER_HELP: &str = "\
`pleach help VERB` explains a verb, with examples; `pleach VERB -h` lists its options.

Exit codes:
  0    done
  1    the answer is no: a text does not parse, coverage is below --min or --baseline, or not all that
       --until-covered asks for, inputs are left out under --strict, there is a warning under
       --deny-warnings, an input failed in `fuzz`, none fails again in `surround`, `doctor` finds
       what is wrong
  2    wrong usage, an input that cannot be read or is invalid, or a parse that takes too much
  130  interrupted; files are whole, or not there

Results go to standard output, progress and messages to standard error.";

/// Grammar-aware fuzzing: covering sets, random sentences, and the grammar coverage of a corpus
#[derive(Parser)]
#[command(name = "pleach", version, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Init(init::Init),
    Seed(seed::Seed),
    Fuzz(fuzz::Fuzz),
    Doctor(doctor::Doctor),
    Stuck(stuck::Stuck),
    Reduce(reduce::Reduce),
    Surround(surround::Surround),
    Associate(associate::Associate),
    Explain(associate::Explain),
    Predict(associate::Predict),
    Aim(associate::AimVerb),
    Evolve(evolve::Evolve),
    Agree(agree::Agree),
    Check(check::Check),
    Generate(generate::Generate),
    Convert(convert::Convert),
    Coverage(coverage::CoverageVerb),
    Diff(coverage::Diff),
    Distill(distill::Distill),
    Parse(parse::Parse),
    Decode(decode::Decode),
    Encode(encode::Encode),
    /// Learn how often samples make each choice of a grammar, and show what was learned
    #[command(subcommand)]
    Model(ModelVerb),
    Completions(help::Completions),
    Manual(help::Manual),
    // What has become part of others, under the old names.
    #[command(hide = true)]
    Lint(lint::Lint),
    #[command(hide = true)]
    Paths(paths::Paths),
    #[command(hide = true)]
    Transform(transform::Transform),
    #[command(hide = true)]
    Compile(compile::Compile),
    #[command(hide = true)]
    Migrate(migrate::Migrate),
    #[command(hide = true)]
    Show(show::Show),
    #[command(hide = true)]
    Learn(learn::Learn),
    #[command(hide = true)]
    ShowModel(show_model::ShowModel),
}

#[derive(Subcommand)]
enum ModelVerb {
    Learn(learn::Learn),
    Show(show_model::ShowModel),
}

fn main() -> ExitCode {
    let is_verb = |word: &str| Cli::command().find_subcommand(word).is_some();
    match wrapper::run(is_verb) {
        Some(Ok(code)) => return code,
        Some(Err(error)) => {
            failure::report(&error.to_string());
            return ExitCode::from(2);
        }
        None => {}
    }
    let matches = help::command().try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        // Help and the version are no errors: clap knows which stream and which code.
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => {
            let word = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(word)) => word.as_str(),
                _ => "",
            };
            let (message, help) = no_such_verb(word);
            failure::report(&format!("{message}\nhelp: {help}"));
            return ExitCode::from(2);
        }
        Err(mut error) => {
            // That an option could be meant as a value, behind `--`, is never what helps.
            error.remove(ContextKind::Suggested);
            if error.kind() == ErrorKind::ValueValidation {
                failure::note_styled(&in_plain_words(&error.render().ansi().to_string()));
                return ExitCode::from(2);
            }
            error.exit()
        }
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
        Err(Failure::Pointed(diagnostic)) => {
            failure::show(&diagnostic);
            ExitCode::from(2)
        }
    }
}

/// What is wrong with a value, where the standard library's words for it say little.
fn in_plain_words(message: &str) -> String {
    message
        .replace("invalid digit found in string", "a whole number is needed")
        .replace(
            "cannot parse integer from empty string",
            "a whole number is needed",
        )
        .replace(
            "number too large to fit in target type",
            "the number is too large",
        )
}

/// What to say of a word that is not a verb: the one that is nearest, or that other tools have another word for.
fn no_such_verb(word: &str) -> (String, String) {
    const ELSEWHERE: [(&str, &str); 17] = [
        ("add", "init"),
        ("new", "init"),
        ("validate", "check"),
        ("test", "check"),
        ("run", "fuzz"),
        ("campaign", "fuzz"),
        ("tmin", "reduce"),
        ("minimize", "reduce"),
        ("shrink", "reduce"),
        ("cmin", "distill"),
        ("cover", "seed"),
        ("random", "generate"),
        ("sample", "generate"),
        ("import", "convert"),
        ("print", "parse --tree"),
        ("tree", "parse --tree"),
        ("train", "model learn"),
    ];
    let message = format!("there is no command `{word}`");
    let command = Cli::command();
    let verbs = command.get_subcommands().filter(|it| !it.is_hide_set());
    let verbs = verbs.map(clap::Command::get_name);
    let path = std::path::Path::new(word);
    let elsewhere = ELSEWHERE.iter().find(|(known, _)| *known == word);
    let help = if let Some((_, verb)) = elsewhere {
        format!("`pleach {verb}` does that; `pleach --help` lists all commands")
    } else if let Some(near) = suggest::nearest(word, verbs) {
        format!("did you mean `pleach {near}`? `pleach --help` lists all commands")
    } else if path.is_file() || pleach_grammars::grammar(word).is_some() {
        format!("say what to do with it, as in `pleach check {word}` or `pleach generate {word}`")
    } else {
        "`pleach --help` lists all commands".to_owned()
    };
    (message, help)
}

fn run_verb(cli: Cli, out: &mut Output) -> Result<Answer, Failure> {
    match cli.verb {
        Verb::Check(verb) => verb.run(out),
        Verb::Lint(verb) => verb.run(out),
        Verb::Convert(verb) => verb.run(out),
        Verb::Transform(verb) => verb.run(out),
        Verb::Compile(verb) => verb.run(out),
        Verb::Paths(verb) => verb.run(out),
        Verb::Seed(verb) => verb.run(out),
        Verb::Generate(verb) => verb.run(out),
        Verb::Coverage(verb) => verb.run(out),
        Verb::Diff(verb) => verb.run(out),
        Verb::Distill(verb) => verb.run(out),
        Verb::Parse(verb) => verb.run(out),
        Verb::Decode(verb) => verb.run(out),
        Verb::Encode(verb) => verb.run(out),
        Verb::Migrate(verb) => verb.run(out),
        Verb::Show(verb) => verb.run(out),
        Verb::Learn(verb) | Verb::Model(ModelVerb::Learn(verb)) => verb.run(out),
        Verb::ShowModel(verb) | Verb::Model(ModelVerb::Show(verb)) => verb.run(out),
        Verb::Completions(verb) => verb.run(out),
        Verb::Manual(verb) => verb.run(out),
        Verb::Associate(verb) => verb.run(out),
        Verb::Explain(verb) => verb.run(out),
        Verb::Predict(verb) => verb.run(out),
        Verb::Aim(verb) => verb.run(out),
        Verb::Evolve(verb) => verb.run(out),
        Verb::Init(verb) => verb.run(out),
        Verb::Fuzz(verb) => verb.run(out),
        Verb::Doctor(verb) => verb.run(out),
        Verb::Stuck(verb) => verb.run(out),
        Verb::Surround(verb) => verb.run(out),
        Verb::Reduce(verb) => verb.run(out),
        Verb::Agree(verb) => verb.run(out),
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
