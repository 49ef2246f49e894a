//! Tables in Markdown. The same results give the same report, byte by byte.

mod columns;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

use crate::arguments::Report;
use crate::plan::{self, Binary};
use crate::plot;
use crate::results::{Store, Summary, Versions};
use crate::statistics::{a12, p_value, spread};
use columns::Column;

/// A difference that chance alone makes less often than this is marked.
const SURE: f64 = 0.05;

/// `report`.
pub(crate) fn report(args: &Report) -> Result<()> {
    let mut results = Store::new(&args.results).all()?;
    results.retain(|it| {
        (args.subjects.is_empty() || args.subjects.contains(&it.subject))
            && (args.arms.is_empty() || args.arms.contains(&it.arm.name))
    });
    ensure!(
        !results.is_empty(),
        "{}: there are no such results; make some by scripts/evaluate.sh run",
        args.results.display()
    );
    let groups = Subject::all(&results);
    let Some(dir) = &args.output else {
        print!("{}", markdown(&groups, &args.against, false));
        return Ok(());
    };
    fs::create_dir_all(dir).with_context(|| format!("{}", dir.display()))?;
    for group in &groups {
        for (name, svg) in plot::curves(group)? {
            write(&dir.join(name), &svg)?;
        }
    }
    let file = dir.join("report.md");
    write(&file, &markdown(&groups, &args.against, true))?;
    eprintln!("{}", file.display());
    Ok(())
}

/// A file, whole or not at all.
fn write(path: &Path, text: &str) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let begun = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(dir)?;
    fs::write(begun.path(), text)?;
    begun
        .persist(path)
        .with_context(|| format!("{}", path.display()))?;
    Ok(())
}

/// The results of a subject.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// Its key.
    pub key: &'a str,
    /// Its arms, in order.
    pub arms: Vec<Group<'a>>,
}

/// The results of an arm.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// Its name.
    pub name: &'a str,
    /// One for each seed, at least one.
    pub results: Vec<&'a Summary>,
}

impl<'a> Subject<'a> {
    /// Results by subject and arm.
    pub(crate) fn all(results: &'a [Summary]) -> Vec<Subject<'a>> {
        let order = plan::arms();
        let rank = |name: &str| {
            let known = order.iter().position(|it| it.name == name);
            (known.unwrap_or(order.len()), name.to_owned())
        };
        let keys: BTreeSet<&str> = results.iter().map(|it| it.subject.as_str()).collect();
        let subject = |key| {
            let of_subject: Vec<&Summary> = results.iter().filter(|it| it.subject == key).collect();
            let mut names: Vec<&str> = of_subject.iter().map(|it| it.arm.name.as_str()).collect();
            names.sort_by_key(|name| rank(name));
            names.dedup();
            let arm = |name| Group {
                name,
                results: of_subject
                    .iter()
                    .copied()
                    .filter(|it| it.arm.name == name)
                    .collect(),
            };
            Subject {
                key,
                arms: names.into_iter().map(arm).collect(),
            }
        };
        keys.into_iter().map(subject).collect()
    }

    fn arm(&self, name: &str) -> Option<&Group<'a>> {
        self.arms.iter().find(|it| it.name == name)
    }

    fn first(&self) -> &'a Summary {
        self.arms[0].results[0]
    }

    /// The raw arm with the best median.
    fn best_raw(&self, value: Value) -> Option<(&'a str, f64)> {
        let raw = |it: &&Group<'_>| it.results[0].arm.binary == Binary::Raw;
        let medians = self
            .arms
            .iter()
            .filter(raw)
            .filter_map(|it| Some((it.name, spread(&it.sample(value))?.median)));
        // The first of equals.
        medians.reduce(|best, it| if it.1 > best.1 { it } else { best })
    }
}

type Value = fn(&Summary) -> f64;

impl Group<'_> {
    /// A value of each result.
    pub(crate) fn sample(&self, value: impl Fn(&Summary) -> f64) -> Vec<f64> {
        self.results.iter().map(|it| value(it)).collect()
    }
}

fn edges(result: &Summary) -> f64 {
    result.measured.edges as f64
}

fn accepted(result: &Summary) -> f64 {
    result.measured.edges_accepted as f64
}

/// The report. `curves`: whether there are files with these beside it.
pub(crate) fn markdown(subjects: &[Subject<'_>], against: &str, curves: bool) -> String {
    let mut text = String::from("# Evaluation\n\n");
    preface(&mut text, subjects, against);
    overview(&mut text, subjects, against);
    medians(&mut text, subjects);
    for subject in subjects {
        section(&mut text, subject, against, curves);
    }
    text
}

macro_rules! put {
    ($text:expr, $($format:tt)*) => {
        // A string takes everything.
        let _ = writeln!($text, $($format)*);
    };
}

fn preface(text: &mut String, subjects: &[Subject<'_>], against: &str) {
    let all = || {
        subjects
            .iter()
            .flat_map(|it| &it.arms)
            .flat_map(|it| &it.results)
    };
    let list = |value: &dyn Fn(&Summary) -> String| {
        let values: BTreeSet<String> = all().map(|it| value(it)).collect();
        values.into_iter().collect::<Vec<_>>().join("; ")
    };
    let version = |value: fn(&Versions) -> &str| list(&|it| value(&it.versions).to_owned());
    put!(
        text,
        "Medians over seeds, with the range in parentheses. The best median of a column is bold. `p` is the two-sided \
         Mann–Whitney U test against `{against}`, and `A12` how often `{against}` is above the arm (0.5: no difference); \
         p < {SURE} has a star. How all this is measured: `fuzz/arena/README.md`.\n"
    );
    let seeds = all().map(|it| it.seed).max().unwrap_or(0);
    let budgets = list(&|it| it.seconds.to_string());
    let names: Vec<&str> = subjects.iter().map(|it| it.key).collect();
    let arms: BTreeSet<&str> = all().map(|it| it.arm.name.as_str()).collect();
    let known = plan::arms();
    let fixed: Vec<&str> = known
        .iter()
        .map(|it| it.name.as_str())
        .filter(|name| arms.contains(name))
        .collect();
    let mut chosen = match fixed.len() {
        0 => String::new(),
        some if some == known.len() => String::new(),
        _ => format!(" --arms {}", fixed.join(",")),
    };
    let variants: BTreeSet<String> = all()
        .filter(|it| !fixed.contains(&it.arm.name.as_str()))
        .map(|it| it.arm.as_variant())
        .collect();
    for variant in variants {
        chosen += &format!(" --variant {variant}");
    }
    put!(
        text,
        "- command: `scripts/evaluate.sh run --subjects {}{chosen} --seconds {budgets} --seeds {seeds}`, then `scripts/evaluate.sh report`",
        names.join(",")
    );
    put!(text, "- CPU seconds of a campaign: {budgets}");
    put!(text, "- pleach: {}", version(|it| &it.pleach));
    put!(text, "- compiler: {}", version(|it| &it.rustc));
    put!(
        text,
        "- flags, as cargo-fuzz {} passes them for `--sanitizer none`: `{}`",
        version(|it| &it.cargo_fuzz),
        version(|it| &it.flags)
    );
    let described: BTreeSet<String> = all()
        .map(|it| format!("`{}` is `{}`", it.arm.name, it.arm.describe()))
        .collect();
    put!(
        text,
        "- arms (program, the engine's flags, settings; seeds=K is a covering set): {}",
        described.into_iter().collect::<Vec<_>>().join(", ")
    );
    put!(text, "- processor: {}", version(|it| &it.cpu));
    let mixed: BTreeSet<String> = subjects
        .iter()
        .flat_map(|subject| subject.arms.iter().map(move |arm| (subject, arm)))
        .filter(|(_, arm)| {
            arm.results
                .iter()
                .any(|it| it.digest != arm.results[0].digest)
        })
        .map(|(subject, arm)| format!("{} {}", subject.key, arm.name))
        .collect();
    if !mixed.is_empty() {
        let mixed: Vec<String> = mixed.into_iter().collect();
        put!(
            text,
            "- **mixed**: the seeds of these were run with different programs or budgets: {}",
            mixed.join(", ")
        );
    }
    text.push('\n');
}

fn overview(text: &mut String, subjects: &[Subject<'_>], against: &str) {
    text.push_str("## All subjects\n\n");
    put!(
        text,
        "| subject | best raw arm, edges | `{against}` | ratio | best raw arm, by accepted | `{against}` | ratio |"
    );
    text.push_str("|---|---|---|---|---|---|---|\n");
    let mut ratios = [Vec::new(), Vec::new()];
    for subject in subjects {
        let mut row = format!("| {} ", subject.first().versions.subject);
        for (value, ratios) in [edges as Value, accepted].into_iter().zip(&mut ratios) {
            let best = subject.best_raw(value);
            let ours = subject
                .arm(against)
                .and_then(|it| spread(&it.sample(value)))
                .map(|it| it.median);
            row += &match best {
                Some((name, best)) => format!("| {} `{name}` ", number(best)),
                None => "| – ".into(),
            };
            row += &ours.map_or("| – ".into(), |ours| format!("| {} ", number(ours)));
            row += &match (best, ours) {
                (Some((_, best)), Some(ours)) if best > 0.0 => {
                    ratios.push(ours / best);
                    format!("| {:.3} ", ours / best)
                }
                _ => "| – ".into(),
            };
        }
        put!(text, "{row}|");
    }
    text.push('\n');
    let median =
        |ratios: &[f64]| spread(ratios).map_or("–".into(), |it| format!("{:.3}", it.median));
    put!(
        text,
        "Ratio `{against}` / best raw arm in the median subject: {} of edges, {} of edges by accepted inputs.\n",
        median(&ratios[0]),
        median(&ratios[1])
    );
}

/// Edges of each subject in each arm, of all inputs and of accepted ones.
fn medians(text: &mut String, subjects: &[Subject<'_>]) {
    let order = plan::arms();
    let of_all = || subjects.iter().flat_map(|it| &it.arms);
    let fixed = order.iter().map(|it| it.name.as_str());
    let mut names: Vec<&str> = fixed
        .filter(|name| of_all().any(|it| it.name == *name))
        .collect();
    let others: BTreeSet<&str> = of_all().map(|it| it.name).collect();
    names.extend(
        others
            .iter()
            .filter(|it| !order.iter().any(|known| known.name == **it)),
    );
    text.push_str("Edges, and edges by accepted inputs, in medians:\n\n");
    put!(text, "| subject | {} |", names.join(" | "));
    put!(text, "|---{}|", "|---".repeat(names.len()));
    for subject in subjects {
        let median = |arm: &Group<'_>, value: Value| spread(&arm.sample(value)).map(|it| it.median);
        let medians = |value: Value| {
            let of_arm = |name: &&str| subject.arm(name).and_then(|arm| median(arm, value));
            names.iter().map(of_arm).collect::<Vec<Option<f64>>>()
        };
        let columns = [edges as Value, accepted].map(medians);
        let best = columns
            .each_ref()
            .map(|it| it.iter().flatten().copied().fold(f64::MIN, f64::max));
        let mut row = format!("| {} ", subject.key);
        let [all, accepted] = &columns;
        for medians in all.iter().zip(accepted) {
            let marked = |median: f64, best: f64| {
                let mark = if median == best { "**" } else { "" };
                format!("{mark}{}{mark}", number(median))
            };
            row += &match medians {
                (&Some(all), &Some(accepted)) => {
                    format!(
                        "| {} / {} ",
                        marked(all, best[0]),
                        marked(accepted, best[1])
                    )
                }
                _ => "| – ".into(),
            };
        }
        put!(text, "{row}|");
    }
    text.push('\n');
}

fn section(text: &mut String, subject: &Subject<'_>, against: &str, curves: bool) {
    let first = subject.first();
    let depth = if first.about.deep { "deep" } else { "shallow" };
    put!(text, "## {}\n", subject.key);
    put!(
        text,
        "{}: {}; {depth}; {} edges in the plain program.\n",
        first.versions.subject,
        first.about.does,
        first.measured.edges_total
    );
    let columns = Column::all(subject);
    let mut head = String::from("| arm | n ");
    for column in &columns {
        head += &format!("| {} ", column.name);
    }
    put!(text, "{head}| edges: p, A12 | by accepted: p, A12 |");
    put!(text, "|---{}|", "|---".repeat(columns.len() + 3));
    let baseline = subject.arm(against);
    for arm in &subject.arms {
        let mut row = format!("| {} | {} ", arm.name, arm.results.len());
        for column in &columns {
            row += &format!("| {} ", column.cell(subject, arm));
        }
        for value in [edges as Value, accepted] {
            row += &format!("| {} ", comparison(baseline, arm, value));
        }
        put!(text, "{row}|");
    }
    text.push('\n');
    bugs(text, subject, against);
    remarks(text, subject);
    if curves {
        for (file, title) in plot::files(subject) {
            put!(text, "![{title}]({file})\n");
        }
    }
}

/// How sure it is that the baseline differs from an arm.
fn comparison(
    baseline: Option<&Group<'_>>,
    arm: &Group<'_>,
    value: impl Fn(&Summary) -> f64,
) -> String {
    let Some(baseline) = baseline.filter(|it| it.name != arm.name) else {
        return "–".into();
    };
    let (ours, theirs) = (baseline.sample(&value), arm.sample(&value));
    match (p_value(&ours, &theirs), a12(&ours, &theirs)) {
        (Some(p), Some(effect)) => {
            let star = if p < SURE { "\\*" } else { "" };
            format!("{p:.3}{star}, {effect:.2}")
        }
        _ => "–".into(),
    }
}

fn bugs(text: &mut String, subject: &Subject<'_>, against: &str) {
    let bugs = &subject.first().about.bugs;
    if bugs.is_empty() {
        return;
    }
    let mut head = String::from("| arm ");
    for bug in bugs {
        head += &format!("| [{}]({}) ", bug.name, bug.url);
    }
    text.push_str("CPU seconds to each known bug, and in how many campaigns it was found; then `p` and `A12` of the times.\n\n");
    put!(text, "{head}|");
    put!(text, "|---{}|", "|---".repeat(bugs.len()));
    for arm in &subject.arms {
        let mut row = format!("| {} ", arm.name);
        for bug in bugs {
            // Not found in the budget is later than everything that was found.
            let time = |it: &Summary| {
                let found = it.bugs.iter().find(|it| it.name == bug.name);
                found.and_then(|it| it.cpu).unwrap_or(f64::INFINITY)
            };
            let times = arm.sample(time);
            let found = times.iter().filter(|it| it.is_finite()).count();
            let budget = arm.results[0].seconds;
            let seconds = |time: f64| match time.is_finite() {
                true => format!("{time:.1}"),
                false => format!("> {budget}"),
            };
            if let Some(spread) = spread(&times) {
                row += &format!("| {}", seconds(spread.median));
                if times.len() > 1 && spread.least < spread.most {
                    row += &format!(" ({} – {})", seconds(spread.least), seconds(spread.most));
                }
            }
            row += &format!(", {found}/{}", times.len());
            let compared = comparison(subject.arm(against), arm, time);
            if compared != "–" {
                row += &format!("; {compared}");
            }
            row.push(' ');
        }
        put!(text, "{row}|");
    }
    text.push('\n');
}

/// What a reader of the table has to know besides.
fn remarks(text: &mut String, subject: &Subject<'_>) {
    let mut lines = Vec::new();
    for arm in &subject.arms {
        let mut line = Vec::new();
        let sum = |value: fn(&Summary) -> u64| arm.results.iter().map(|it| value(it)).sum::<u64>();
        let crashes = sum(|it| it.crashes.iter().map(|it| it.count).sum());
        if crashes > 0 {
            let places: BTreeSet<&str> = arm
                .results
                .iter()
                .flat_map(|it| &it.crashes)
                .map(|it| it.place.as_str())
                .collect();
            let shown: Vec<String> = places.iter().take(5).map(|it| format!("`{it}`")).collect();
            let more = match places.len() > shown.len() {
                true => format!(" and {} more", places.len() - shown.len()),
                false => String::new(),
            };
            line.push(format!("{crashes} crashes at {}{more}", shown.join(", ")));
        }
        let given_up = sum(|it| u64::from(it.given_up.is_some()));
        if given_up > 0 {
            line.push(format!("{given_up} campaigns given up"));
        }
        let lost = sum(|it| it.measured.texts.lost + it.measured.texts.panicked);
        if lost > 0 {
            line.push(format!("{lost} texts fail in the replay"));
        }
        let beyond = sum(|it| it.measured.texts.out_of_budget);
        if beyond > 0 {
            line.push(format!("{beyond} texts too long to parse for k-paths"));
        }
        if !line.is_empty() {
            lines.push(format!("- {}: {}", arm.name, line.join("; ")));
        }
    }
    if !lines.is_empty() {
        put!(text, "{}\n", lines.join("\n"));
    }
}

/// A number as people read it: whole, unless it is a half.
fn number(value: f64) -> String {
    match value.fract() == 0.5 && value < 10_000.0 {
        true => format!("{value:.1}"),
        false => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests;
