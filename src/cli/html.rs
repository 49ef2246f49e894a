//! What plain pages have: one file, no scripts, nothing loaded from elsewhere.

pub(super) const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;vertical-align:top}\
td.n{text-align:right}code{font-size:13px;overflow-wrap:anywhere}\
.bar{width:16em;height:.8em;background:#ddd}.bar div{height:100%;background:#2a7}";

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
