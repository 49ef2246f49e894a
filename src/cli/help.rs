//! Help, completions for shells, and manual pages, all from the arguments of the verbs.
//!
//! The overview groups the verbs by what a person is doing. Verbs that have become part of others still work under their old names,
//! and are not shown.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clap::builder::styling::Style;
use clap::builder::{StyledStr, Styles};
use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use super::Cli;
use super::args::ForceArgs;
use super::failure::{Answer, Failure};
use super::output::{Output, write_file};
use super::report::count;

/// The verbs by what a person is doing.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Fuzz a program",
        &[
            "init", "seed", "fuzz", "doctor", "stuck", "evolve", "reduce", "surround",
        ],
    ),
    (
        "Tie inputs to code",
        &["associate", "explain", "predict", "aim"],
    ),
    (
        "Look at a grammar",
        &["check", "agree", "generate", "convert"],
    ),
    (
        "Look at a corpus",
        &["coverage", "diff", "distill", "parse", "decode", "encode"],
    ),
    ("Learn from samples", &["model"]),
    ("Set up", &["completions", "manual"]),
];

/// The command line with its overview.
pub(super) fn command() -> Command {
    let mut command = Cli::command();
    command.build();
    let template = overview(&command);
    Cli::command().help_template(template)
}

/// The verbs in their groups, between the usage and the options.
fn overview(command: &Command) -> StyledStr {
    let styles = Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (group, verbs) in GROUPS {
        let _ = write!(text, "\n{header}{group}:{header:#}\n");
        for verb in *verbs {
            let about = command
                .find_subcommand(verb)
                .and_then(Command::get_about)
                .map(ToString::to_string);
            let Some(about) = about else { continue };
            line(&mut text, *literal, verb, &about);
        }
    }
    text += "\nOptions:\n{options}{after-help}";
    text.replace("Options:", &format!("{header}Options:{header:#}"))
        .into()
}

fn line(text: &mut String, style: Style, verb: &str, about: &str) {
    // Braces would be placeholders.
    let about = about.replace(['{', '}'], "");
    let _ = writeln!(
        text,
        "  {style}{verb}{style:#}{:1$}{about}",
        "",
        13 - verb.len()
    );
}

/// Print completions for a shell
///
/// Where a shell looks for them is its own affair: for bash, write them to a file in ~/.local/share/bash-completion/completions; for
/// fish, to ~/.config/fish/completions/pleach.fish; for zsh, to a file _pleach in a directory of $fpath.
///
/// Example: pleach completions bash > ~/.local/share/bash-completion/completions/pleach
#[derive(Args, Debug)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "pleach", &mut script);
        out.bytes(&script)?;
        Ok(Answer::Yes)
    }
}

/// Print the manual page, or write those of all verbs
///
/// With -o DIR, writes a page for each verb, as in pleach-fuzz.1, and an overview, pleach.1.
///
/// Example: pleach manual | man -l -
///
/// Example: pleach manual -o ~/.local/share/man/man1
#[derive(Args, Debug)]
pub(super) struct Manual {
    /// Write the pages to this directory
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

impl Manual {
    pub(super) fn run(self, out: &mut Output) -> Result<Answer, Failure> {
        let mut root = Cli::command().disable_help_subcommand(true);
        root.build();
        let Some(dir) = &self.output else {
            out.bytes(&page(&root)?)?;
            return Ok(Answer::Yes);
        };
        fs::create_dir_all(dir)
            .map_err(|error| Failure::file("make the directory", dir, &error))?;
        let mut pages = 0;
        let mut open = vec![root];
        while let Some(command) = open.pop() {
            let name = command.get_display_name().unwrap_or(command.get_name());
            let path = dir.join(format!("{name}.1"));
            write_file(&path, &page(&command)?, self.force.existing())?;
            pages += 1;
            let visible = command.get_subcommands().filter(|it| !it.is_hide_set());
            open.extend(visible.cloned());
        }
        writeln!(out, "{}", count(pages, "page"))?;
        Ok(Answer::Yes)
    }
}

/// The manual page of a command.
fn page(command: &Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Man::new(command.clone())
        .render(&mut page)
        .map_err(|error| Failure::Wrong(format!("cannot write the manual page: {error}")))?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_that_is_shown_is_in_one_group() {
        let mut command = Cli::command();
        command.build();
        let visible = command.get_subcommands().filter(|it| !it.is_hide_set());
        let names = visible.map(Command::get_name);
        let mut shown: Vec<&str> = names.filter(|&it| it != "help").collect();
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|&(_, verbs)| verbs)
            .copied()
            .collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(shown, grouped);
    }

    #[test]
    fn every_verb_has_an_example() {
        let mut open = vec![Cli::command().disable_help_subcommand(true)];
        while let Some(command) = open.pop() {
            let has_verbs = command.has_subcommands();
            let about = command.get_long_about().map(ToString::to_string);
            let has_example = about.is_some_and(|it| it.contains("Example: "));
            assert!(has_verbs || has_example, "{}", command.get_name());
            open.extend(command.get_subcommands().cloned());
        }
    }
}
