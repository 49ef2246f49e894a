//! Pages, looked at as a browser would: their structure, that nothing in them comes alive that was text, and that they are small.
//! Where there is a Chromium, the page's script is tried in it.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::sandbox::Sandbox;

pub(crate) const ALL: &[(&str, fn())] = &[
    ("a_page_is_well_formed_and_leads_nowhere", well_formed),
    ("hostile_contents_stay_text", hostile),
    ("a_page_is_small_whatever_the_corpus", small),
    ("a_page_works_in_a_browser", browser),
];

/// Elements without an end.
const VOID: &[&str] = &["meta", "input", "link", "img", "br"];

/// A tag: its name, and its attributes.
#[derive(Debug)]
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The opening tags of a page, all of which are closed in the right order; and the texts between them.
fn read(page: &str) -> (Vec<Tag>, String) {
    let (mut tags, mut open, mut text) = (Vec::new(), Vec::<String>::new(), String::new());
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap();
    loop {
        let raw = open
            .last()
            .filter(|name| ["script", "style"].contains(&name.as_str()));
        let next = match raw {
            Some(name) => rest.find(&format!("</{name}")).unwrap(),
            None => rest.find('<').unwrap_or(rest.len()),
        };
        if raw.is_none() {
            text += &rest[..next];
        }
        rest = &rest[next..];
        if rest.is_empty() {
            break;
        }
        let end = rest.find('>').unwrap();
        let inside = &rest[1..end];
        rest = &rest[end + 1..];
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let is_closed = inside.ends_with('/');
        let inside = inside.trim_end_matches('/');
        let (name, mut attributes) = inside.split_once([' ', '\n']).unwrap_or((inside, ""));
        let mut tag = Tag {
            name: name.into(),
            attributes: Vec::new(),
        };
        while !attributes.trim().is_empty() {
            attributes = attributes.trim_start();
            let name_end = attributes.find(['=', ' ']).unwrap_or(attributes.len());
            assert!(name_end > 0, "{inside}");
            let (name, behind) = attributes.split_at(name_end);
            let Some(value) = behind.strip_prefix("=\"") else {
                tag.attributes.push((name.into(), String::new()));
                attributes = behind;
                continue;
            };
            let (value, behind) = value.split_once('"').unwrap();
            tag.attributes.push((name.into(), value.into()));
            attributes = behind;
        }
        if !is_closed && !VOID.contains(&name) {
            open.push(name.into());
        }
        tags.push(tag);
    }
    assert!(open.is_empty(), "{open:?}");
    (tags, text)
}

/// What holds of every page.
fn check(page: &str) -> Vec<Tag> {
    let (tags, _) = read(page);
    let ids = tags.iter().filter_map(|tag| tag.attribute("id"));
    let mut known = BTreeSet::new();
    for id in ids {
        assert!(known.insert(id), "{id} is there twice");
    }
    for tag in &tags {
        for (name, value) in &tag.attributes {
            assert!(!name.starts_with("on"), "{tag:?}");
            if name == "href" {
                let target = value.strip_prefix('#').unwrap();
                assert!(known.contains(target), "{tag:?}");
            }
            assert!(name != "src" && name != "action", "{tag:?}");
        }
        assert!(
            !["img", "iframe", "object", "link", "base", "form"].contains(&tag.name.as_str()),
            "{tag:?}"
        );
    }
    let scripts = tags.iter().filter(|tag| tag.name == "script").count();
    assert_eq!(scripts, 2);
    assert!(page.contains("default-src 'none'"));
    tags
}

fn page(sandbox: &Sandbox, arguments: &str) -> String {
    sandbox.succeed(&format!("coverage {arguments} --html page.html --force"));
    fs::read_to_string(sandbox.path("page.html")).unwrap()
}

fn well_formed() {
    let sandbox = Sandbox::new();
    sandbox.succeed("generate expr.ebnf -o texts -n 30 --max-depth 6");
    sandbox.succeed("generate json -o documents -n 30 --max-depth 6");
    sandbox.succeed("seed expr.ebnf -o all -k 2 --text");
    fs::create_dir(sandbox.path("none")).unwrap();
    for arguments in [
        "expr.ebnf texts -k 4",
        "json documents",
        "json documents -k 1",
        "expr.ebnf all -k 2",
        "expr.ebnf none --text",
        "css none --text -k 2",
    ] {
        let page = page(&sandbox, arguments);
        let tags = check(&page);
        let symbols = tags
            .iter()
            .filter(|tag| tag.name == "a")
            .filter_map(|tag| tag.attribute("data-s"));
        let symbols: Vec<usize> = symbols.map(|symbol| symbol.parse().unwrap()).collect();
        assert!(symbols.iter().copied().eq(0..symbols.len()), "{arguments}");
        // The same again is the same page.
        assert_eq!(page, self::page(&sandbox, arguments));
    }
}

/// What would come alive if it were not escaped somewhere.
const HOSTILE: &str = r#"</script><script>document.title="alive"</script><img src=x onerror='document.title="alive"'>"&amp;<!-- </pre></style>"#;

fn hostile_page(sandbox: &Sandbox) -> String {
    let literal = HOSTILE.replace('\\', "\\\\").replace('"', "\\\"");
    let grammar = format!(
        "start := \"{literal}\" tail?; tail := [<>\"'&]+ \"\u{202e}]]>\" | '<' other; other := '\\xff';"
    );
    fs::write(sandbox.path("<b>&.ebnf"), grammar).unwrap();
    fs::create_dir_all(sandbox.path("hostile")).unwrap();
    let name = "<img src=x onerror=alert(1)>\"'";
    fs::write(sandbox.path("hostile").join(name), HOSTILE).unwrap();
    fs::write(
        sandbox.path("hostile/b"),
        [HOSTILE.as_bytes(), b"<\xff"].concat(),
    )
    .unwrap();
    page(sandbox, "<b>&.ebnf hostile --text -k 2")
}

fn hostile() {
    let page = hostile_page(&Sandbox::new());
    let tags = check(&page);
    assert!(
        !tags
            .iter()
            .any(|tag| tag.name == "b" && !tag.attributes.is_empty())
    );
    assert!(!page.contains('\u{202e}'));
    // Each text is there, as a text.
    assert!(page.contains("&lt;img src=x onerror='document.title=&quot;alive&quot;'&gt;"));
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;&quot;'"));
    assert!(page.contains("<title>Coverage of &lt;b&gt;&amp;.ebnf</title>"));
}

fn small() {
    let sandbox = Sandbox::new();
    sandbox.succeed("generate sql -o texts -n 400 --random-seed 1");
    fs::create_dir(sandbox.path("large")).unwrap();
    fs::write(
        sandbox.path("large/text"),
        "[".repeat(20_000) + &"]".repeat(20_000),
    )
    .unwrap();
    for (arguments, most) in [
        ("sql texts -k 4", 2 << 20),
        ("json large --text -k 4", 200 << 10),
    ] {
        let page = page(&sandbox, arguments);
        check(&page);
        assert!(page.len() < most, "{arguments}: {}", page.len());
    }
}

/// What is done in the page, and what it comes to.
const ACTIONS: &str = r##"
const said = [];
const first = document.querySelector(".rule pre a.u0");
first.click();
said.push(document.querySelector("#panel h2").textContent === first.textContent, !panel.hidden);
said.push(panel.textContent.includes("used by 0 of"));
document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
said.push(panel.hidden, document.activeElement === first);
const symbols = document.querySelectorAll("#p2 pre a");
symbols[0].focus();
symbols[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
said.push(document.activeElement === symbols[1]);
const search = document.getElementById("search");
search.value = "MultExpr no-such";
search.dispatchEvent(new Event("input"));
said.push(document.getElementById("found").textContent === "0 found");
search.value = "multexpr";
search.dispatchEvent(new Event("input"));
const shown = [...document.querySelectorAll(".gap")].filter((gap) => !gap.hidden);
said.push(shown.length > 0 && shown.every((gap) => gap.textContent.includes("MultExpr")));
document.title = said.join();
"##;

fn browser() {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let works = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    let Some(browser) = browsers.iter().find(works) else {
        return;
    };
    let sandbox = Sandbox::new();
    let open = |page: &str, script: &str| {
        let nonce = page.split("script nonce=\"").nth(1).unwrap();
        let nonce = nonce.split('"').next().unwrap();
        let script = format!("<script nonce=\"{nonce}\">{script}</script></body>");
        let path = sandbox.path("opened.html");
        fs::write(&path, page.replace("</body>", &script)).unwrap();
        let output = Command::new(browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--dump-dom",
            ])
            .arg(format!(
                "--user-data-dir={}",
                sandbox.path("profile").display()
            ))
            .arg(&path)
            .output()
            .unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        let title = shown.split("<title>").nth(1).unwrap();
        title.split("</title>").next().unwrap().to_owned()
    };
    sandbox.succeed("generate expr.ebnf -o texts -n 3 --max-depth 4");
    let done = open(&page(&sandbox, "expr.ebnf texts"), ACTIONS);
    assert_eq!(done, ["true"; 8].join(","));
    let hostile = hostile_page(&sandbox);
    assert_eq!(open(&hostile, ""), "Coverage of &lt;b&gt;&amp;.ebnf");
}
