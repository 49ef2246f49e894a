//! One target: its program, its grammar, its corpus, what it makes of sentences, and what has counters.

use std::collections::BTreeMap;
use std::sync::Arc;

use pleach_core::lint::{Effort, lint};
use pleach_core::parse::Workspace;
use pleach_core::{Codec, Parser, slip};
use pleach_probe::{Hooks, Probed, Verdict};
use pleach_project::{CargoFuzz, Origin, Project, Sanitizer};

use super::{Doctor, Report, race};
use crate::failure::{Failure, note};
use crate::init::{quoted, shown};
use crate::input::collect;
use crate::lint::warning_count;
use crate::recognize::are_choices;
use crate::record::Record;
use crate::report::{Share, count};
use crate::target::{Build, Subject, Target, TargetArgs, made};
use crate::text::BudgetArgs;

/// The random sentences that are run, and at most so many that cover 2-paths.
const SENTENCES: u32 = 200;
/// Files of a corpus that are looked at.
const FILES: usize = 1000;
/// The steps that the search for ambiguity may take.
const STEPS: u64 = 2_000_000;
/// A run that takes longer leaves too few of them.
const SLOW_MILLISECONDS: u128 = 10;

/// A target that is looked at.
pub(super) struct Patient<'a> {
    pub(super) name: &'a str,
    pub(super) args: &'a Doctor,
    pub(super) project: &'a Project,
}

/// So many of so many.
fn share(covered: usize, total: usize) -> Share {
    Share {
        covered: covered as u64,
        total: total as u64,
    }
}

impl Patient<'_> {
    pub(super) fn check(&self, cargo_fuzz: CargoFuzz, report: &mut Report) {
        let Some(mut subject) = self.subject(cargo_fuzz, report) else {
            return;
        };
        subject.shorten_timeout(std::time::Duration::from_secs(2));
        grammar(&subject, report);
        if let Err(failure) = self.samples(&subject, report) {
            report.stop("seeds", failure);
        }
        if let Err(failure) = corpus(&subject, report) {
            report.stop("corpus", failure);
        }
        match sentences(&subject, report) {
            Ok(probed) => counters(&subject, &probed, report),
            Err(failure) => return report.stop("sentences", failure),
        }
        if !self.args.no_campaigns {
            race::race(&subject, self.args.seconds, report);
        }
    }

    /// The program, as `pleach fuzz` builds it, and what it says of itself.
    fn subject(&self, mut cargo_fuzz: CargoFuzz, report: &mut Report) -> Option<Subject> {
        let features = self.args.features.as_deref();
        let features = self.project.features(self.name, features);
        let build = Build {
            target: self.name,
            sanitizer: Sanitizer::None,
            release: false,
            trace_compares: false,
            features: features.as_deref(),
        };
        let built = cargo_fuzz
            .prepare(self.project, build.features, |it| note(it))
            .map_err(Failure::from)
            .and_then(|()| build.run(&cargo_fuzz, self.project));
        if let Err(failure) = built {
            report.stop("build", failure);
            return None;
        }
        let Some(program) = build.program(self.project) else {
            report.wrong(
                "build",
                "the program is not where it was built",
                format!("see what is in {}", shown(self.project.build_dir())),
            );
            return None;
        };
        report.ok(
            "build",
            "no sanitizer, no traced comparisons; debug assertions and overflow checks, which `pleach fuzz -O` leaves out",
        );
        if !hooks(&program, report) {
            return None;
        }
        let answer = match Target::ask(&program, &self.project.dir, false) {
            Ok(answer) => answer,
            Err(failure) => {
                report.stop("grammar", failure);
                return None;
            }
        };
        let Some(answer) = answer else {
            report.wrong(
                "grammar",
                "the target does not say what its grammar is",
                "define it by `pleach::fuzz!`, or let it begin with `fuzz_target!(init: NAME.load(), …)`",
            );
            return None;
        };
        if answer.is_instrumented {
            report.wrong(
                "pleach",
                "pleach itself is instrumented like the program under test, so inputs take several times longer to make",
                format!(
                    "Cargo has not started the compiler by way of `pleach`: see what sets RUSTC_WRAPPER or `rustc-wrapper`, then delete {} \
                     and run this again",
                    shown(self.project.build_dir())
                ),
            );
        }
        let args = TargetArgs::of_program(
            Some(program),
            self.args.features.clone(),
            Some(self.project.dir.clone()),
        );
        let subject = args.open(self.name);
        subject
            .map_err(|failure| report.stop("grammar", failure))
            .ok()
    }

    /// Whether the grammar reads the samples that are named.
    fn samples(&self, subject: &Subject, report: &mut Report) -> Result<(), Failure> {
        if self.args.seeds.is_empty() {
            return Ok(());
        }
        let files = collect(&self.args.seeds)?;
        let texts = subject.read(&files)?;
        read("seeds", "the samples", &texts, subject, report);
        Ok(())
    }
}

/// Whether the program has the engine's entries, as far as it can be read.
fn hooks(program: &std::path::Path, report: &mut Report) -> bool {
    let hooks = match Hooks::of(program) {
        Ok(hooks) => hooks,
        // A missing symbol table is no missing hook.
        Err(_) => {
            report.note(
                "hooks",
                "the program has no symbols that can be read",
                "leave out `strip`, so that it has",
            );
            return true;
        }
    };
    let define = "define the target by `pleach::fuzz!`, or give it";
    match hooks {
        Hooks { target: false, .. } => report.wrong(
            "hooks",
            "the program has no LLVMFuzzerTestOneInput, so the engine has nothing to run",
            format!("{define} a `fuzz_target!` of libfuzzer-sys"),
        ),
        Hooks { mutator: false, .. } => report.wrong(
            "hooks",
            "the program has no LLVMFuzzerCustomMutator, so the engine changes bytes and knows of no grammar",
            format!("{define} a `fuzz_mutator!` that calls `NAME.mutate(data, size, max_size, seed)`"),
        ),
        Hooks {
            crossover: false, ..
        } => report.note(
            "hooks",
            "the program has no LLVMFuzzerCustomCrossOver, so inputs are not combined",
            format!("{define} a `fuzz_crossover!` that calls `NAME.crossover(data1, data2, out, seed)`"),
        ),
        _ => report.ok("hooks", "the target, its mutator and its crossover are in the program"),
    }
    hooks.target && hooks.mutator
}

fn grammar(subject: &Subject, report: &mut Report) {
    let grammar = subject.source.graph.grammar();
    let name = &subject.source.name;
    let productions = count(grammar.productions().len() as u64, "production");
    let codec = match subject.is_text {
        true => "text",
        false => "choices",
    };
    let effort = Effort {
        steps: STEPS,
        ..Effort::default()
    };
    let warnings = warning_count(&lint(&subject.source.graph, effort));
    let message = format!("{name}, {productions}, codec: {codec}");
    match warnings {
        0 => report.ok("grammar", message),
        _ => report.note(
            "grammar",
            format!("{message}, {}", count(warnings, "warning")),
            format!("`pleach check {}` shows what is hardly meant", quoted(name)),
        ),
    }
}

/// Reports how many texts are sentences.
fn read(
    check: &'static str,
    what: &str,
    texts: &[Vec<u8>],
    subject: &Subject,
    report: &mut Report,
) {
    let parser = Parser::new(&subject.source.graph);
    let (budget, mut workspace) = (BudgetArgs::default().budget(), Workspace::new());
    let is_sentence = |text: &&Vec<u8>| parser.parse(text, budget, &mut workspace).is_ok();
    let sentences = texts.iter().filter(is_sentence).count();
    let message = format!("{} of {what} are sentences", share(sentences, texts.len()));
    let help = format!(
        "`pleach check {} --samples DIR` says where the others stop being sentences",
        quoted(&subject.source.name)
    );
    match sentences * 2 < texts.len() {
        true => report.wrong(check, message, help),
        false if sentences < texts.len() => report.note(check, message, help),
        false => report.ok(check, message),
    }
}

/// What the corpus stands for.
fn corpus(subject: &Subject, report: &mut Report) -> Result<(), Failure> {
    let dir = subject.corpus();
    let mut files = match &dir {
        Some(dir) => collect(std::slice::from_ref(dir))?,
        None => Vec::new(),
    };
    let (Some(dir), false) = (dir, files.is_empty()) else {
        report.ok("corpus", "empty: pleach begins with a covering set");
        return Ok(());
    };
    let (name, all) = (quoted(&shown(&dir)), files.len());
    let step = all.div_ceil(FILES);
    files = files.into_iter().step_by(step).collect();
    let graph = &subject.source.graph;
    let of_choices = are_choices(graph, &files);
    if let Some(maker) = Record::read(&dir).maker() {
        let fingerprint = graph.grammar().fingerprint();
        if maker.is_text == subject.is_text && !maker.is_text && maker.fingerprint != fingerprint {
            report.wrong(
                "corpus",
                format!("{name} was made by another grammar, and stands for other texts now"),
                format!("`pleach fuzz {}` says how to keep its texts", subject.name),
            );
            return Ok(());
        }
    }
    if subject.is_text {
        if of_choices {
            report.wrong(
                "corpus",
                format!("{name} holds choice sequences, and the target has `codec: text`"),
                format!(
                    "`pleach decode {} {name} -o NEW` makes texts of them",
                    quoted(&subject.source.name)
                ),
            );
            return Ok(());
        }
        read(
            "corpus",
            "the corpus",
            &subject.read(&files)?,
            subject,
            report,
        );
        return Ok(());
    }
    let codec = Codec::new(graph);
    let shortest = codec.sentence(&[]);
    let inputs = subject.read(&files)?;
    let more = inputs
        .iter()
        .filter(|it| slip::text(&codec, it) != shortest);
    let more = more.count();
    // A single input is often that by which an engine begins.
    let message = format!(
        "{} of the corpus stand for more than the shortest sentence",
        share(more, inputs.len())
    );
    if !of_choices && crate::recognize::of_files(graph, &files).is_ok() {
        report.wrong(
            "corpus",
            format!("{name} holds texts, and the target has `codec: choices`"),
            format!(
                "`pleach encode {} {name} -o NEW` makes choice sequences of them; then put NEW in its place",
                quoted(&subject.source.name)
            ),
        );
    } else if more * 2 < inputs.len() && inputs.len() > 2 {
        report.wrong(
            "corpus",
            message,
            "begin with an empty corpus, or with samples: `pleach fuzz TARGET --seeds DIR`",
        );
    } else {
        report.ok("corpus", message);
    }
    Ok(())
}

/// What the target makes of sentences.
fn sentences(subject: &Subject, report: &mut Report) -> Result<Probed, Failure> {
    let codec = Arc::new(Codec::new(&subject.source.graph));
    let mut made = made::random(&codec, SENTENCES, 0);
    made.extend(made::covering(&codec, SENTENCES, 0));
    let texts = subject.texts_of(&codec, &made)?;
    let probed = subject.probe(&texts)?;
    let of = |is: fn(&Verdict) -> bool| probed.runs.iter().filter(|it| is(&it.verdict)).count();
    let all = probed.runs.len();
    let (failing, rejected) = (of(Verdict::is_failure), of(|it| *it == Verdict::Rejected));
    let name = &subject.name;
    let message = format!(
        "of {}, {rejected} are rejected, {failing} fail",
        count(all as u64, "sentence")
    );
    if failing * 10 > all {
        report.wrong(
            "sentences",
            message,
            format!("most campaigns end at once: mend that first; `pleach fuzz {name}` shows the smallest input of each place"),
        );
    } else if rejected == all {
        report.wrong(
            "sentences",
            message,
            format!(
                "the program reads another language: `pleach agree {name}` says where they part"
            ),
        );
    } else if rejected * 2 > all {
        report.note(
            "sentences",
            message,
            format!("`pleach stuck {name}` says what they have in common"),
        );
    } else {
        report.ok("sentences", message);
    }
    let mut times: Vec<_> = probed.runs.iter().map(|it| it.cpu).collect();
    times.sort();
    let median = times.get(all / 2).copied().unwrap_or_default();
    if median.as_millis() > SLOW_MILLISECONDS {
        report.note(
            "speed",
            format!("a sentence takes {} ms in the median", median.as_millis()),
            "leave slow work out of the target: files, threads, logs, what is made anew for each input",
        );
    }
    Ok(probed)
}

/// Which packages have no counters.
fn counters(subject: &Subject, probed: &Probed, report: &mut Report) {
    let symbols = match subject.symbols(&probed.table, &[]) {
        Ok(symbols) => symbols,
        // That there are no names does not mean that there are no counters.
        Err(_) => {
            return report.note(
                "counters",
                "the program does not say what its counters belong to",
                "leave `debug = false` and `strip` out of `[profile.release]`",
            );
        }
    };
    let there: BTreeMap<&str, usize> = symbols.packages().into_iter().collect();
    let functions = symbols.functions();
    let own = functions.iter().filter(|it| it.is_own).count();
    if own == 0 {
        report.wrong(
            "counters",
            "no function of the program under test has a counter",
            "see that the target calls it, and that no profile or wrapper takes the flags of cargo-fuzz away",
        );
    } else {
        let message = format!(
            "{} of the program under test, {} in all",
            count(own as u64, "function"),
            functions.len()
        );
        report.ok("counters", message);
    }
    let packages = subject.packages();
    let named = |is: &dyn Fn(&pleach_project::Package) -> bool| {
        let names = packages
            .iter()
            .filter(|it| is(it))
            .map(|it| it.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let without = named(&|it| {
        matches!(it.origin, Origin::Local | Origin::Direct)
            && it.is_linked
            && !it.name.starts_with("pleach")
            && !there.contains_key(it.name.as_str())
    });
    if !without.is_empty() {
        report.note(
            "counters",
            format!("packages without counters: {without}"),
            "none is needed where this target does not use them, or only by macros and constants",
        );
    }
    let foreign = named(&|it| it.is_foreign && there.contains_key(it.name.as_str()));
    if !foreign.is_empty() {
        report.note(
            "counters",
            format!("packages with code in other languages, which has no counters: {foreign}"),
            "if that is what you test, compile it by clang with -fsanitize-coverage=inline-8bit-counters,pc-table",
        );
    }
}
