//! The coverage report as a page: one file that loads nothing from elsewhere.
//!
//! The template escapes all that comes from grammars and corpora. The page's policy lets no script run but its own, and no request
//! leave. Without scripts everything is there but what is shown of a symbol and the search.

use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use pleach_core::grammar::NodeKind;
use pleach_core::id::{Id as _, ProductionId};
use serde::Serialize;

use crate::failure::Failure;
use crate::input::digest;
use crate::report::{Level, Share, count, size};

use super::facts::{Facts, File, Group};
use super::functions::Beside;
use super::railroad::diagram;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// The bytes that diagrams may take together.
const DIAGRAM_BYTES: usize = 450 << 10;
/// The width and height of the chart, without what stands around it.
const CHART: (f64, f64) = (560.0, 180.0);

/// What the script reads.
#[derive(Serialize)]
struct Data<'a> {
    inputs: u64,
    /// For each symbol the inputs that use it, and examples.
    symbols: &'a [(u32, Vec<usize>)],
    /// For each symbol the functions that go with it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    beside: &'a [Beside],
    /// The name and text of each example.
    files: Vec<(&'a str, &'a str)>,
}

/// The page.
pub(super) fn page(facts: &Facts<'_>) -> Result<String, Failure> {
    let data = Data {
        inputs: facts.inputs,
        symbols: &facts.uses,
        beside: &facts.beside,
        files: facts
            .files
            .iter()
            .map(|file| (file.name.as_str(), file.text.as_str()))
            .collect(),
    };
    let data = serde_json::to_string(&data)
        .map_err(|error| Failure::Wrong(format!("cannot write the page: {error}")))?;
    // In strings only, so that nothing in them ends the element.
    let data = data.replace('<', "\\u003c");
    // Nobody can know it who writes an input, since it depends on all of them.
    let nonce = format!("{:032x}", digest(data.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'"
    );
    let title = format!("Coverage of {}", facts.grammar);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "pleach " (env!("CARGO_PKG_VERSION")) };
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "Coverage of " bdi { (facts.grammar) } }
                    nav aria-label="Sections" {
                        a href="#summary" { "Summary" }
                        a href="#grammar" { "Grammar" }
                        a href="#missing" { "Not covered" }
                        a href="#inputs" { "Inputs" }
                    }
                }
                main {
                    (summary(facts))
                    (grammar(facts))
                    (missing(facts))
                    (inputs(facts))
                }
                aside #panel tabindex="-1" aria-label="Symbol" hidden {}
                script #data type="application/json" { (PreEscaped(data)) }
                script nonce=(nonce) { (PreEscaped(SCRIPT)) }
            }
        }
    };
    Ok(page.into_string())
}

fn summary(facts: &Facts<'_>) -> Markup {
    let expansions = Share::of(facts.expansions);
    html! {
        section #summary {
            h2 { "Summary" }
            p {
                (count(facts.inputs, "input"))
                @if facts.left_out > 0 { ", " (facts.left_out) " more left out" }
                "."
            }
            table.levels {
                thead { tr { th scope="col" { "what" } th scope="col" { "covered" } th scope="col" { "share" } } }
                tbody {
                    (bar("expansions", expansions))
                    @for level in facts.levels {
                        (bar(&format!("{}-paths", level.k), level.share))
                    }
                }
            }
            p.hint {
                "A k-path is a chain of k symbols, each used in the rule of the one before. An expansion is one alternative of a rule."
            }
            (chart(facts))
        }
    }
}

fn bar(name: &str, share: Share) -> Markup {
    let percent = share.percent();
    html! {
        tr {
            th scope="row" { (name) }
            td.n { (share) }
            td { div.bar { div style={ "width:" (format!("{percent:.2}")) "%" } {} } }
        }
    }
}

/// Coverage over the inputs, oldest first.
fn chart(facts: &Facts<'_>) -> Markup {
    let inputs = facts.inputs.max(1) as f64;
    let (width, height) = CHART;
    let line = |level: &Level, curve: &[(u64, u64)]| {
        let total = level.share.total.max(1) as f64;
        let mut points = String::new();
        for &(done, covered) in curve {
            let x = done as f64 / inputs * width;
            let y = height - covered as f64 / total * height;
            // Writing to a string cannot fail.
            let _ = write!(points, "{x:.1},{y:.1} ");
        }
        points
    };
    let lines: Vec<(&Level, String)> = facts
        .levels
        .iter()
        .zip(&facts.curves)
        .filter(|(level, _)| level.share.total > 0)
        .map(|(level, curve)| (level, line(level, curve)))
        .collect();
    html! {
        @if facts.inputs > 1 && !lines.is_empty() {
            figure {
                svg.chart viewBox="-44 -12 660 232" role="img" aria-label="Share of the k-paths that the oldest so many inputs cover" {
                    @for percent in [0u8, 25, 50, 75, 100] {
                        @let y = height - f64::from(percent) / 100.0 * height;
                        line.grid x1="0" x2=(width) y1=(y) y2=(y) {}
                        text x="-8" y=(y + 4.0) text-anchor="end" { (percent) " %" }
                    }
                    text x="0" y=(height + 20.0) { "0" }
                    text x=(width) y=(height + 20.0) text-anchor="end" { (count(facts.inputs, "input")) }
                    @for (level, points) in &lines {
                        polyline class={ "k k" (level.k) } points=(points.trim_end()) {
                            title { (level.k) "-paths: " (level.share) }
                        }
                    }
                }
                figcaption {
                    "Coverage over the inputs, oldest first: "
                    @for (level, _) in &lines {
                        span.key { svg viewBox="0 0 24 8" aria-hidden="true" { line class={ "k k" (level.k) } x1="0" x2="24" y1="4" y2="4" {} } (level.k) "-paths" } " "
                    }
                }
            }
        }
    }
}

/// How dark a symbol is, by the share of inputs that use it.
fn shade(facts: &Facts<'_>, symbol: usize) -> Option<u8> {
    let id = pleach_core::id::SymbolId::from_index(symbol);
    // What is in closed tokens is not measured.
    facts.kpaths.rank(&[id])?;
    let (inputs, _) = facts.uses.get(symbol)?;
    let share = f64::from(*inputs) / facts.inputs.max(1) as f64;
    Some(match share {
        0.0 => 0,
        ..0.01 => 1,
        ..0.1 => 2,
        ..0.5 => 3,
        _ => 4,
    })
}

fn grammar(facts: &Facts<'_>) -> Markup {
    let mut room = DIAGRAM_BYTES;
    let grammar = facts.graph.grammar();
    html! {
        section #grammar {
            h2 { "Grammar" }
            p.legend {
                "Used by "
                @for (shade, name) in [(0, "no input"), (1, "below 1 %"), (2, "below 10 %"), (3, "below 50 %"), (4, "50 % and more")] {
                    span class={ "s u" (shade) } { (name) } " "
                }
            }
            p.controls {
                label { input #unused type="checkbox"; " Only rules with a symbol that no input uses" }
                " "
                label { input #diagrams type="checkbox"; " Diagrams" }
            }
            p.hint.script { "Choose a symbol to see inputs that use it. In a rule, the arrow keys go from symbol to symbol." }
            @for (id, production) in grammar.productions().iter() {
                (rule(facts, id, &production.name, &mut room))
            }
        }
    }
}

fn rule(facts: &Facts<'_>, id: ProductionId, name: &str, room: &mut usize) -> Markup {
    let printed = facts.graph.grammar().printed(id);
    let text = printed.text.trim_end();
    let mut end = 0;
    let mut unused = 0;
    let parts: Vec<(&str, &str, usize, Option<u8>)> = printed
        .symbols
        .iter()
        .map(|(place, symbol)| {
            let before = &text[end..place.start];
            end = place.end;
            let shade = shade(facts, symbol.index());
            unused += usize::from(shade == Some(0));
            (before, &text[place.clone()], symbol.index(), shade)
        })
        .collect();
    let rest = &text[end..];
    let alternatives = facts.alternatives(id);
    let drawn = diagram(facts.graph, id, |symbol| shade(facts, symbol))
        .filter(|drawn| drawn.len() <= *room);
    *room -= drawn.as_ref().map_or(0, String::len);
    let target = |symbol: usize| {
        let symbol = pleach_core::id::SymbolId::from_index(symbol);
        match facts.graph.grammar()[facts.graph.grammar()[symbol].node].kind {
            NodeKind::Reference(target) => Some(target.index()),
            _ => None,
        }
    };
    html! {
        article.rule #{ "p" (id.index()) } data-unused=(unused) {
            h3 { (name) }
            p.facts {
                @if alternatives.total == 0 {
                    "part of tokens, not measured"
                } @else {
                    @if alternatives.covered == 0 {
                        "not used"
                    } @else if alternatives.total > 1 {
                        (alternatives.covered) " of " (alternatives.total) " alternatives"
                    } @else {
                        "used"
                    }
                    @if unused > 0 { ", " (count(unused as u64, "symbol")) " unused" }
                }
            }
            pre {
                @for (before, symbol, number, shade) in &parts {
                    (before)
                    a href="#panel" data-s=(number) data-p=[target(*number)] class=[shade.map(|shade| format!("s u{shade}"))] { (symbol) }
                }
                (rest)
            }
            @if let Some(drawn) = drawn {
                div.diagram hidden aria-hidden="true" { (PreEscaped(drawn)) }
            }
        }
    }
}

fn missing(facts: &Facts<'_>) -> Markup {
    let uncovered = facts
        .levels
        .last()
        .map_or(0, |level| level.share.total - level.share.covered);
    let shown: usize = facts
        .gaps
        .iter()
        .flat_map(|group| &group.gaps)
        .map(|gap| gap.count)
        .sum();
    let k = facts.kpaths.k();
    html! {
        section #missing {
            h2 { "Not covered" }
            @if facts.gap_count == 0 {
                p { "Everything is covered." }
            } @else {
                p {
                    "All that is missing comes from " (count(facts.gap_count as u64, "path")) " of up to " (k)
                    " symbols whose parts are all covered; " (count(uncovered, &format!("{k}-path"))) " in total are not."
                    @if shown < facts.gap_count { " " (shown) " are listed, some of each rule." }
                }
                p.controls {
                    label { "Search " input #search type="search" placeholder="a rule, a symbol, a sentence"; }
                    " "
                    label { "Length " select #level {
                        option value="" { "any" }
                        @for k in 1..=k { option value=(k) { (k) } }
                    } }
                    " "
                    output #found for="search level" {}
                }
                @for group in &facts.gaps { (gaps(facts, group)) }
            }
        }
    }
}

fn gaps(facts: &Facts<'_>, group: &Group) -> Markup {
    let name = &facts.graph.grammar()[group.production].name;
    let shown: usize = group.gaps.iter().map(|gap| gap.count).sum();
    html! {
        details.group #{ "g" (group.production.index()) } open[facts.gap_count <= 30] {
            summary { b { (name) } " " (group.count) }
            @for gap in &group.gaps {
                div.gap data-k=(gap.k) {
                    code { (gap.pattern) }
                    @if gap.count > 1 { " " span.times { "× " (gap.count) } }
                    div.as { "as in " code.text { (gap.sentence) } }
                }
            }
            @if shown < group.count { p.hint { "and " (group.count - shown) " more" } }
        }
    }
}

fn inputs(facts: &Facts<'_>) -> Markup {
    let files = &facts.files[..facts.listed];
    html! {
        section #inputs {
            h2 { "Inputs" }
            p {
                (count(facts.alone as u64, "input")) " cover" @if facts.alone == 1 { "s" } " something that no other does."
                @if files.len() < facts.inputs as usize { " The " (files.len()) " that matter most are listed." }
            }
            @for file in files { (input(file)) }
        }
    }
}

fn input(file: &File) -> Markup {
    html! {
        details.input {
            summary {
                bdi.name { (file.name) } " "
                span.facts {
                    (size(file.bytes)) ", " (count(file.paths.into(), "path"))
                    ", first with " (file.new) ", alone with " (file.alone)
                }
            }
            pre.text { (file.text) }
            @for pattern in &file.patterns { div { "alone with " code { (pattern) } } }
        }
    }
}
