//! The coverage report as a page: one file, no scripts, nothing loaded from elsewhere.

use std::fmt::Write as _;

use super::coverage::Report;
use super::report::Share;

/// The uncovered paths that a page lists at least.
pub(super) const SHOWN_UNCOVERED: usize = 100;

pub(super) const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;vertical-align:top}\
td.n{text-align:right}code{font-size:13px;overflow-wrap:anywhere}\
.bar{width:16em;height:.8em;background:#ddd}.bar div{height:100%;background:#2a7}";

/// The page of a report.
pub(super) fn page(grammar: &str, report: &Report) -> String {
    let grammar = escape(grammar);
    let left_out = match report.left_out.count() {
        0 => String::new(),
        count => format!(", {count} of them left out"),
    };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Coverage of {grammar}</title>\n\
         <style>{STYLE}</style>\n<h1>Coverage of {grammar}</h1>\n<p>{} inputs{left_out}</p>\n<table>\n",
        report.inputs
    );
    row(&mut page, "expansions", report.expansions);
    for level in &report.k_paths {
        row(&mut page, &format!("{}-paths", level.k), level.share);
    }
    page.push_str("</table>\n");
    let missing: u64 = report
        .k_paths
        .iter()
        .map(|level| level.share.total - level.share.covered)
        .sum();
    if missing > 0 {
        let shown = report.uncovered.len();
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "<h2>Not covered</h2>\n<p>{shown} of {missing} paths, short ones first</p>\n\
             <table>\n<tr><th>path<th>pattern"
        );
        for path in &report.uncovered {
            let (name, pattern) = (escape(&path.view.name()), escape(&path.view.pattern));
            let _ = writeln!(
                page,
                "<tr><td><code>{name}</code><td><code>{pattern}</code>"
            );
        }
        page.push_str("</table>\n");
    }
    page.push_str("</html>\n");
    page
}

fn row(page: &mut String, name: &str, share: Share) {
    let percent = share.percent();
    let _ = writeln!(
        page,
        "<tr><td>{name}<td class=\"n\">{share}<td><div class=\"bar\"><div style=\"width:{percent:.2}%\"></div></div>"
    );
}

pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn markup_in_patterns_is_text() {
        assert_eq!(escape("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;");
    }
}
