//! What is a document of each language: files by the ends of their names, or pieces of files of other languages.

use serde_json::Value;

/// How documents are taken from a file.
#[derive(Clone, Copy)]
pub(super) enum Take {
    /// The whole file.
    Files,
    /// These parts of it.
    Pieces(fn(&str) -> Vec<String>),
}

/// The documents of a grammar.
pub(super) struct Kind {
    pub(super) grammar: &'static str,
    /// The program under test, a directory of the arena.
    pub(super) subject: &'static str,
    /// How the names of the files end.
    ends: &'static [&'static str],
    pub(super) take: Take,
    /// What the documents are, for the table, where they are not files.
    pub(super) what: &'static str,
    /// What stands before, between and behind documents that are one behind the other, where that is a document.
    pub(super) join: Option<[&'static str; 3]>,
}

const fn files(
    grammar: &'static str,
    subject: &'static str,
    ends: &'static [&'static str],
) -> Kind {
    Kind {
        grammar,
        subject,
        ends,
        take: Take::Files,
        what: "",
        join: None,
    }
}

const fn joined(join: [&'static str; 3], kind: Kind) -> Kind {
    Kind {
        join: Some(join),
        ..kind
    }
}

pub(super) const KINDS: [Kind; 20] = [
    joined(["[", ",", "]"], files("json", "json", &[".json"])),
    files("json5", "json5", &[".json5", ".jsonc", ".json"]),
    files("toml", "toml_edit", &[".toml", ".toml.orig"]),
    joined(["", "\n", ""], files("csv", "csv", &[".csv"])),
    joined(
        ["", "\n", ""],
        files("markdown", "pulldown-cmark", &[".md", ".markdown"]),
    ),
    Kind {
        take: Take::Pieces(requests),
        what: "strings in ",
        ..files("http", "httparse", &[".rs", ".js"])
    },
    Kind {
        take: Take::Pieces(patterns),
        what: "patterns in ",
        ..files("regex", "regex-syntax", &[".rs", ".yaml", ".json"])
    },
    Kind {
        take: Take::Pieces(patterns),
        what: "patterns in ",
        ..files("fancy_regex", "fancy-regex", &[".rs", ".yaml", ".json"])
    },
    Kind {
        take: Take::Pieces(addresses),
        what: "fields of mails in ",
        ..files("email", "mail-parser", &[".eml", ".txt"])
    },
    Kind {
        take: Take::Pieces(links),
        what: "links of Markdown in ",
        ..files("url", "url", &[".md"])
    },
    Kind {
        take: Take::Pieces(links),
        what: "links of Markdown in ",
        ..files("whatwg_url", "url", &[".md"])
    },
    files("xml", "roxmltree", &[".xml", ".svg"]),
    files("css", "lightningcss", &[".css"]),
    files("graphql", "graphql-parser", &[".graphql", ".gql"]),
    joined(["", "\n;\n", ""], files("javascript", "oxc", &[".js"])),
    joined(["", "\n;\n", ""], files("sql", "sqlparser", &[".sql"])),
    files("lua", "piccolo", &[".lua"]),
    files("rhai", "rhai", &[".rhai"]),
    files("wgsl", "naga", &[".wgsl"]),
    files("wat", "wat", &[".wat"]),
];

impl Kind {
    /// Whether documents are taken from the file of this name.
    pub(super) fn is_in(&self, name: &str) -> bool {
        self.ends.iter().any(|end| name.ends_with(end))
    }

    /// The most documents of a package.
    pub(super) fn most(&self) -> usize {
        match self.take {
            Take::Files => super::MOST_FILES,
            Take::Pieces(_) => super::MOST_PIECES,
        }
    }
}

/// The literal strings of a program in Rust or JavaScript, with the code before each. Comments are not told from code: a quote in one
/// may hide what follows on its line.
fn strings(program: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(quote) = program[from..].find(['"', '\'', '`']).map(|at| from + at) {
        let before = &program[..quote];
        let hashes = before.len() - before.trim_end_matches('#').len();
        let opener = before.trim_end_matches('#');
        let is_raw = program[quote..].starts_with('"') && opener.ends_with('r');
        let content = &program[quote + 1..];
        let mark = program[quote..].chars().next().unwrap_or('"');
        let end = match is_raw {
            true => content.find(&format!("\"{}", "#".repeat(hashes))),
            false => end_of_string(content, mark),
        };
        let Some(end) = end else {
            from = quote + 1;
            continue;
        };
        let text = &content[..end];
        let code = opener.trim_end_matches(['r', 'b']);
        match is_raw {
            true => found.push((code, text.to_owned())),
            false => found.extend(unescaped(text).map(|text| (code, text))),
        }
        from = quote + 1 + end + 1;
    }
    found
}

/// The bytes before the quote that ends a string. A single quote has to be on the same line, or it is none.
fn end_of_string(content: &str, mark: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in content.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' if mark == '\'' => return None,
            c if c == mark => return Some(at),
            _ => {}
        }
    }
    None
}

/// A string without the escapes that Rust and JavaScript share; nothing if it has others.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next()? {
            'n' => plain.push('\n'),
            'r' => plain.push('\r'),
            't' => plain.push('\t'),
            '0' => plain.push('\0'),
            c @ ('\\' | '"' | '\'' | '`') => plain.push(c),
            'x' => {
                let digits: String = chars.by_ref().take(2).collect();
                let code = u8::from_str_radix(&digits, 16).ok()?;
                plain.push(code.is_ascii().then_some(char::from(code))?);
            }
            // The line goes on behind the white space of the next.
            '\n' => {
                let rest = chars.as_str().trim_start();
                chars = rest.chars();
            }
            _ => return None,
        }
    }
    Some(plain)
}

/// Requests: strings that begin with a method and name the version.
fn requests(program: &str) -> Vec<String> {
    let is_request = |text: &String| {
        let method = text
            .trim_start_matches(['\r', '\n'])
            .split(' ')
            .next()
            .unwrap_or_default();
        let is_method = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
        is_method && text.contains(" HTTP/1.") && text.contains('\n')
    };
    let strings = strings(program).into_iter().map(|(_, text)| text);
    strings.filter(is_request).collect()
}

/// Regular expressions: what programs in Rust compile, what lists of user agents in YAML and grammars of editors in JSON have.
fn patterns(file: &str) -> Vec<String> {
    if let Ok(grammar) = serde_json::from_str::<Value>(file) {
        return patterns_of_grammar(&grammar);
    }
    let mut found: Vec<String> = file
        .lines()
        .filter_map(|line| {
            let line = line.trim_start().trim_start_matches("- ");
            let quoted = line
                .strip_prefix("regex: '")?
                .trim_end()
                .strip_suffix('\'')?;
            Some(quoted.replace("''", "'"))
        })
        .collect();
    let is_compiled = |code: &str| {
        let code = code.trim_end();
        ["Regex::new(", "RegexBuilder::new(", "regex!("]
            .iter()
            .any(|end| code.ends_with(end))
    };
    let strings = strings(file).into_iter();
    found.extend(
        strings
            .filter(|(code, _)| is_compiled(code))
            .map(|(_, text)| text),
    );
    found
}

/// The patterns of a TextMate grammar, in the order of the file's values.
fn patterns_of_grammar(grammar: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![grammar];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                for key in ["match", "begin", "end", "while"] {
                    found.extend(members.get(key).and_then(Value::as_str).map(str::to_owned));
                }
                open.extend(members.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

/// The values of a mail's fields that have addresses, with the line breaks within them.
fn addresses(mail: &str) -> Vec<String> {
    const FIELDS: [&str; 6] = ["from", "to", "cc", "bcc", "reply-to", "sender"];
    let mut found: Vec<String> = Vec::new();
    let mut is_wanted = false;
    for line in mail.split_inclusive('\n') {
        if line.trim_end_matches(['\r', '\n']).is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) {
            if let (true, Some(last)) = (is_wanted, found.last_mut()) {
                last.push_str(line);
            }
            continue;
        }
        let field = line.split_once(':');
        is_wanted =
            field.is_some_and(|(name, _)| FIELDS.contains(&name.to_ascii_lowercase().as_str()));
        if let (true, Some((_, value))) = (is_wanted, field) {
            found.push(value.to_owned());
        }
    }
    for value in &mut found {
        // Mails are kept with the line ends of their systems, but sent with CRLF.
        let lines: Vec<&str> = value.lines().collect();
        *value = lines.join("\r\n").trim().to_owned();
    }
    found
}

/// The destinations of a Markdown document's inline links.
fn links(document: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in document.split("](").skip(1) {
        let link = part.trim_start_matches('<');
        let end = link.find(|c: char| c.is_whitespace() || ")>".contains(c));
        if let Some(end) = end.filter(|&end| end > 0) {
            found.push(link[..end].to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{addresses, links, patterns, requests, strings};

    #[test]
    fn strings_of_programs() {
        let program = "let a = \"b\\n\\\"\"; f(r#\"c\"d\"#, b'x', br\"\\d\"); 'e' `g`";
        let texts: Vec<String> = strings(program).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["b\n\"", "c\"d", "x", "\\d", "e", "g"]);
    }

    #[test]
    fn requests_have_a_method_and_a_version() {
        let program = "a(b\"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n\"); b(\"HTTP/1.1 200 OK\\r\\n\"); c(\"GET / HTTP/1.1\")";
        assert_eq!(requests(program), ["GET / HTTP/1.1\r\nHost: a\r\n\r\n"]);
    }

    #[test]
    fn patterns_of_programs_lists_and_grammars() {
        assert_eq!(
            patterns("let it = Regex::new(\n r\"\\d+\").unwrap(); \"no\""),
            ["\\d+"]
        );
        assert_eq!(patterns("  - regex: 'a''b'\n    family: 'c'\n"), ["a'b"]);
        let grammar = r#"{"name": "n", "patterns": [{"match": "\\b", "end": "e"}]}"#;
        assert_eq!(patterns(grammar), ["\\b", "e"]);
    }

    #[test]
    fn addresses_of_a_mail_stand_above_the_empty_line() {
        let mail = "Subject: a\n b\nTo: A <a@b>,\n\tc@d\nX: y\nFROM:e@f \n\nCc: no@no\n";
        assert_eq!(addresses(mail), ["A <a@b>,\r\n\tc@d", "e@f"]);
    }

    #[test]
    fn links_end_at_white_space_or_a_parenthesis() {
        let document = "[a](b) [c](<d> \"t\") [e]( f) ![i](https://j/k?l#m \"n\")\n[]()";
        assert_eq!(links(document), ["b", "d", "https://j/k?l#m"]);
    }
}
