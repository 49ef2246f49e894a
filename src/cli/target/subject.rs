//! From a target's name to what its inputs reach.
//!
//! Verbs that ask what inputs do in a target share this: the target is built as `pleach fuzz` builds it, says what its grammar and its
//! codec are, and runs texts. Files of its corpus become texts first, whatever their codec: so what a text does is known by
//! the text, wherever it comes from.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use pleach_core::{Codec, slip};
use pleach_probe::{Probe, Probed, Symbols, Table};
use pleach_project::{CargoFuzz, Origin, Package, Project, Sanitizer};

use super::RENDER;
use super::answer::Target;
use super::build::{Build, check_target};
use super::known::Stated;
use crate::args::NotationArgs;
use crate::failure::{Failure, note, warn};
use crate::input::{InputFile, digest, read_input};
use crate::output::{Existing, write_file};
use crate::progress::Progress;
use crate::report::count;
use crate::source::Source;

// How a target is found and built. (Docstrings of groups would become the help of the verb.)
#[derive(Args, Clone, Debug)]
pub(crate) struct TargetArgs {
    /// The grammar of a target that cannot say what it is, because it does not call `load()`; `-` reads standard input
    #[arg(long)]
    grammar: Option<PathBuf>,
    /// A target that cannot say what it is has `codec: text`: its inputs are texts
    #[arg(long)]
    pub(crate) text: bool,
    /// Seconds that a single input may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) timeout: u32,
    /// Run this program instead of building the target
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Features of the fuzz package to build the target with, with commas between them, beside those that it needs by its manifest
    #[arg(long, value_name = "FEATURES")]
    features: Option<String>,
    /// The directory of the fuzz package [default: the nearest `fuzz`]
    #[arg(long, value_name = "DIR")]
    fuzz_dir: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) notation: NotationArgs,
}

/// A target that is built, and what is known of it.
pub(crate) struct Subject {
    /// Its name.
    pub(crate) name: String,
    /// Its program.
    pub(crate) program: PathBuf,
    /// Its grammar.
    pub(crate) source: Source,
    /// Whether the files of its corpus are texts rather than choice sequences.
    pub(crate) is_text: bool,
    /// Whether only the target can make texts of choice sequences.
    has_hooks: bool,
    /// Its own goals.
    pub(crate) goals: Vec<String>,
    /// The directory of the fuzz package, if there is one.
    dir: Option<PathBuf>,
    packages: Vec<Package>,
    timeout: Duration,
}

impl TargetArgs {
    /// Builds a target, or takes the program that is named, and asks it what it is.
    pub(crate) fn open(&self, target: &str) -> Result<Subject, Failure> {
        let stated = Stated {
            target,
            grammar: self.grammar.as_deref(),
            notation: &self.notation,
            is_text: self.text,
        };
        let source = stated.source()?;
        let (program, project) = match &self.program {
            Some(program) => {
                let program = std::path::absolute(program)
                    .map_err(|error| Failure::file("find", program, &error))?;
                (program, Project::find(self.fuzz_dir.as_deref()).ok())
            }
            None => {
                let (program, project) = self.build(target)?;
                (program, Some(project))
            }
        };
        let dir = project.as_ref().map(|it| it.dir.clone());
        let fuzz_dir = dir.clone().unwrap_or_default();
        let answer = Target::ask(&program, &fuzz_dir, self.notation.open_tokens)?;
        let known = stated.known(source, answer)?;
        let Some(source) = known.source else {
            return Err(Failure::new(
                format_args!("`{target}` does not say what its grammar is"),
                "name it by --grammar",
            ));
        };
        let packages = project.and_then(|it| {
            let features = it.features(target, self.features.as_deref());
            it.packages(features.as_deref())
        });
        Ok(Subject {
            name: target.to_owned(),
            program,
            source,
            is_text: known.is_text,
            has_hooks: known.has_hooks,
            goals: known.goals,
            dir,
            packages: packages.unwrap_or_default(),
            timeout: Duration::from_secs(self.timeout.into()),
        })
    }

    fn build(&self, target: &str) -> Result<(PathBuf, Project), Failure> {
        let project = Project::find(self.fuzz_dir.as_deref())?;
        check_target(&project, target)?;
        let features = project.features(target, self.features.as_deref());
        let mut cargo_fuzz = CargoFuzz::find(Sanitizer::None)?;
        cargo_fuzz.prepare(&project, features.as_deref(), |it| note(it))?;
        let build = Build {
            target,
            sanitizer: Sanitizer::None,
            release: false,
            trace_compares: false,
            features: features.as_deref(),
        };
        build.run(&cargo_fuzz, &project)?;
        let program = build.program(&project).ok_or_else(|| {
            Failure::new(
                format_args!("the program of `{target}` is not where it was built"),
                "name it by --program",
            )
        })?;
        Ok((program, project))
    }
}

impl Subject {
    /// Where cargo-fuzz keeps the corpus of the target, if that is there.
    pub(crate) fn corpus(&self) -> Option<PathBuf> {
        let corpus = self.dir.as_ref()?.join("corpus").join(&self.name);
        corpus.is_dir().then_some(corpus)
    }

    /// The packages that the target may be made of.
    pub(crate) fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// What is in files, in their order.
    pub(crate) fn read(&self, files: &[InputFile]) -> Result<Vec<Vec<u8>>, Failure> {
        let read = |file: &InputFile| {
            let mut input = Vec::new();
            read_input(&file.path, &mut input).map(|()| input)
        };
        files.iter().map(read).collect()
    }

    /// The texts of files of the target's corpus, in their order.
    pub(crate) fn texts(&self, files: &[InputFile]) -> Result<Vec<Vec<u8>>, Failure> {
        let inputs = self.read(files)?;
        match self.is_text {
            true => Ok(inputs),
            false => self.texts_of(&Codec::new(&self.source.graph), &inputs),
        }
    }

    /// The texts of choice sequences, with slips or without, whatever the inputs of the target are.
    pub(crate) fn texts_of(
        &self,
        codec: &Codec,
        choices: &[Vec<u8>],
    ) -> Result<Vec<Vec<u8>>, Failure> {
        // Where inputs are texts, a target renders nothing but what it mutates, and hooks are out of reach.
        if self.renders_choices() {
            return self.render(choices);
        }
        let texts = choices.iter().map(|input| slip::text(codec, input));
        Ok(texts.collect())
    }

    /// Whether only the target can make texts of the choice sequences in its corpus.
    pub(crate) fn renders_choices(&self) -> bool {
        self.has_hooks && !self.is_text
    }

    /// The texts that a target with hooks makes of choice sequences.
    fn render(&self, inputs: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Failure> {
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::file("make a directory for", Path::new("texts"), &error))?;
        let (from, to) = (folder.path().join("inputs"), folder.path().join("texts"));
        fs::create_dir(&from).map_err(|error| Failure::file("make", &from, &error))?;
        for (at, input) in inputs.iter().enumerate() {
            write_file(&from.join(at.to_string()), input, Existing::Keep)?;
        }
        let output = Command::new(&self.program)
            .arg(&from)
            .env(RENDER, &to)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .output()
            .map_err(|error| Failure::file("run", &self.program, &error))?;
        let text = |at: usize| fs::read(to.join(at.to_string()));
        let texts: Result<Vec<_>, _> = (0..inputs.len()).map(text).collect();
        texts.map_err(|_| {
            Failure::new(
                format_args!(
                    "{}: the target does not say what the texts of its corpus are: {}",
                    self.program.display(),
                    String::from_utf8_lossy(&output.stderr).trim()
                ),
                "build it with this version of pleach",
            )
        })
    }

    /// Lets an input take no more than this.
    pub(crate) fn shorten_timeout(&mut self, most: Duration) {
        self.timeout = self.timeout.min(most);
    }

    /// What texts do in the target.
    pub(crate) fn probe<T: AsRef<[u8]>>(&self, texts: &[T]) -> Result<Probed, Failure> {
        let progress = Progress::new(texts.len() as u64, "inputs");
        let probed = self.prober().run(texts, |done| progress.set(done as u64));
        drop(progress);
        Ok(probed?)
    }

    /// How an input may be asked for what it does.
    pub(crate) fn prober(&self) -> Probe {
        Probe::new(&self.program).texts().timeout(self.timeout)
    }

    /// What an input may take.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The functions of the target. Its own are those of the packages that are named; else those of the workspace and of paths,
    /// without the fuzz package; else, if nothing of these is in the program, those of what the fuzz package depends on.
    pub(crate) fn symbols(&self, table: &Table, own: &[String]) -> Result<Symbols, Failure> {
        let packages = self.packages.iter().map(|it| pleach_probe::Package {
            name: it.name.clone(),
            dir: it.dir.clone(),
            is_own: false,
        });
        let packages: Vec<_> = packages.collect();
        let mut symbols = Symbols::read(&self.program, table, &packages)?;
        let there = symbols.packages();
        if let Some(missing) = own
            .iter()
            .find(|name| !there.iter().any(|it| it.0 == *name))
        {
            return Err(Failure::new(
                format_args!("no function of a package `{missing}` is in the target"),
                format_args!("the packages with functions are {}", listed(&there)),
            ));
        }
        let own = match own {
            [] => self.own(&there),
            own => own.to_vec(),
        };
        let (own_there, others): (Vec<_>, Vec<_>) = there
            .into_iter()
            .partition(|(name, _)| own.iter().any(|it| it == name));
        note(format_args!(
            "the program under test: {}; --package names others: {}",
            listed(&own_there),
            listed(&others)
        ));
        if symbols.is_coarse() {
            warn(
                "the target has debug information without paths, so functions of one name in one file count as one; let pleach build it",
            );
        }
        symbols.set_own(|package| own.iter().any(|it| it == package));
        Ok(symbols)
    }

    /// The packages that are tested, among those with functions.
    fn own(&self, there: &[(&str, usize)]) -> Vec<String> {
        let of = |origin: Origin| {
            let packages = self.packages.iter().filter(move |it| it.origin == origin);
            let is_there = |it: &&Package| there.iter().any(|(name, _)| *name == it.name);
            let names = packages.filter(is_there).map(|it| it.name.clone());
            names.collect::<Vec<String>>()
        };
        let choices = [Origin::Local, Origin::Direct, Origin::Fuzz].map(of);
        choices
            .into_iter()
            .find(|it| !it.is_empty())
            .unwrap_or_default()
    }
}

/// Packages with the numbers of their functions, the largest first.
fn listed(packages: &[(&str, usize)]) -> String {
    const MOST: usize = 6;
    let mut packages: Vec<_> = packages
        .iter()
        .filter(|(name, _)| !name.is_empty())
        .collect();
    packages.sort_by_key(|(_, functions)| std::cmp::Reverse(*functions));
    let mut names: Vec<String> = packages
        .iter()
        .take(MOST)
        .map(|(name, functions)| format!("{name} ({})", count(*functions as u64, "function")))
        .collect();
    match packages.len() {
        0 => return "none".into(),
        len if len > MOST => names.push(format!("{} more", len - MOST)),
        _ => {}
    }
    names.join(", ")
}

impl From<pleach_probe::Error> for Failure {
    fn from(error: pleach_probe::Error) -> Failure {
        Failure::Wrong(error.to_string())
    }
}

// What associations ask beyond that.
impl TargetArgs {
    /// A target that can say what it is: its program, or how to build it.
    pub(crate) fn of_program(
        program: Option<PathBuf>,
        features: Option<String>,
        fuzz_dir: Option<PathBuf>,
    ) -> TargetArgs {
        TargetArgs {
            grammar: None,
            text: false,
            timeout: 10,
            program,
            features,
            fuzz_dir,
            notation: NotationArgs::default(),
        }
    }

    /// The same for a verb that says of its inputs by itself what they are. Of a target that cannot, `grammar` and `is_text` say it.
    pub(crate) fn of_artifacts(
        grammar: Option<PathBuf>,
        is_text: bool,
        program: Option<PathBuf>,
        features: Option<String>,
        fuzz_dir: Option<PathBuf>,
        notation: NotationArgs,
    ) -> TargetArgs {
        TargetArgs {
            grammar,
            text: is_text,
            notation,
            ..TargetArgs::of_program(program, features, fuzz_dir)
        }
    }

    /// The grammar that is named by `--grammar`.
    pub(crate) fn source(&self, target: &str) -> Result<Option<Source>, Failure> {
        let stated = Stated {
            target,
            grammar: self.grammar.as_deref(),
            notation: &self.notation,
            is_text: self.text,
        };
        stated.source()
    }
}

impl Subject {
    /// What tells this build of the target from others.
    pub(crate) fn build_id(&self) -> Result<String, Failure> {
        let program = fs::read(&self.program)
            .map_err(|error| Failure::file("read", &self.program, &error))?;
        Ok(format!("{:032x}", digest(&program)))
    }
}
