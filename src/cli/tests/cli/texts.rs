//! What must hold for texts: they parse as an independent reference says, and what is written as text parses again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::sandbox::{Sandbox, fixtures};

/// The properties by name.
pub(crate) const ALL: &[(&str, fn())] = &[
    (
        "texts_parse_as_the_reference_says",
        texts_parse_as_the_reference_says,
    ),
    (
        "snippets_of_grammars_parse_as_their_folders_say",
        snippets_of_grammars_parse_as_their_folders_say,
    ),
    ("generated_text_parses_again", generated_text_parses_again),
    (
        "covering_texts_cover_everything",
        covering_texts_cover_everything,
    ),
    (
        "samples_and_what_is_beyond_them_cover_everything",
        samples_and_what_is_beyond_them_cover_everything,
    ),
    (
        "a_state_of_texts_changes_no_report",
        a_state_of_texts_changes_no_report,
    ),
    (
        "many_texts_are_encoded_as_each_alone",
        many_texts_are_encoded_as_each_alone,
    ),
    (
        "a_text_counts_as_a_whole_or_not_at_all",
        a_text_counts_as_a_whole_or_not_at_all,
    ),
    (
        "a_corpus_migrates_there_and_back",
        a_corpus_migrates_there_and_back,
    ),
];

/// A grammar with k-paths that only optional repetitions of nothing have. Choice sequences make such repetitions, but they are
/// not among the derivations of a text.
const REPEATS_NOTHING: &str = "epsilon";

/// A grammar so ambiguous that a text of kilobytes cannot be parsed in any time: covering sets of few, long texts are none for it.
const AMBIGUOUS: &str = "full-markdown";

/// Grammars whose shortest sentences are long.
const LONG: [&str; 2] = ["full-wat", "full-wgsl"];

/// The longest sentences that are asked for.
fn max_len(name: &str) -> u32 {
    if LONG.contains(&name) { 3000 } else { 300 }
}

/// Grammars of more bytes have ten thousand 2-paths, and covering sets of them take half a minute each: of these, 1-paths.
const MOST_BYTES: u64 = 15_000;

/// How long the paths are that covering sets of a grammar have.
fn covered_k(sandbox: &Sandbox, grammar: &str) -> usize {
    let bytes = fs::metadata(sandbox.path(grammar)).unwrap().len();
    if bytes > MOST_BYTES { 1 } else { 2 }
}

/// A directory with the fixtures and, in `grammars`, the grammars that come with the crate.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars"),
        &sandbox.path("grammars"),
    );
    sandbox
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in entries(from) {
        let copied = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &copied),
            false => drop(fs::copy(&path, &copied).unwrap()),
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// All grammars of the sandbox, each with a name that is a good one for a directory.
fn grammars(sandbox: &Sandbox) -> Vec<(String, String)> {
    let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let mut grammars: Vec<(String, String)> = fixtures()
        .iter()
        .map(|path| (stem(path), format!("{}.ebnf", stem(path))))
        .collect();
    for folder in entries(&sandbox.path("grammars")) {
        if folder.is_dir() {
            let name = stem(&folder);
            let path = format!("grammars/{name}/{name}.ebnf");
            grammars.push((format!("full-{name}"), path));
        }
    }
    assert!(grammars.len() > 13);
    grammars
}

/// The files below a directory by their paths in it.
fn files(sandbox: &Sandbox, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let root = sandbox.path(folder);
    let contents = sandbox.inputs(folder).into_iter();
    contents
        .map(|(path, bytes)| (path.strip_prefix(&root).unwrap().to_owned(), bytes))
        .collect()
}

/// The covered k-paths for each k of a report.
fn covered(report: &Value) -> Vec<u64> {
    let levels = report["k_paths"].as_array().unwrap().iter();
    levels.map(|it| it["covered"].as_u64().unwrap()).collect()
}

fn texts_parse_as_the_reference_says() {
    let sandbox = Sandbox::new();
    let facts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/fixtures/fixtures.json");
    let facts: Value = serde_json::from_slice(&fs::read(facts).unwrap()).unwrap();
    let mut checked = 0;
    for (name, facts) in facts["grammars"].as_object().unwrap() {
        for text in facts["texts"].as_array().unwrap() {
            let case = format!("{name}: {text}");
            fs::write(sandbox.path("text"), text["text"].as_str().unwrap()).unwrap();
            let grammar = facts["grammar"].as_str().unwrap();
            let output = sandbox.pleach(&format!("parse {grammar} text --json"));
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            let accepted = text["ok"].as_bool().unwrap();
            assert_eq!(report["accepted"], accepted, "{case}");
            assert_eq!(output.status.code(), Some(i32::from(!accepted)), "{case}");
            assert_eq!(report["error"].is_null(), accepted, "{case}");
            if accepted {
                // An optional repetition that derives nothing is not a derivation.
                let expected = match &text["no_empty"] {
                    Value::Null => text,
                    no_empty => no_empty,
                };
                assert_eq!(report["derivations"], expected["derivations"], "{case}");
                let counts: Vec<u64> = expected["counts"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|count| count.as_u64().unwrap())
                    .collect();
                assert_eq!(covered(&report), counts, "{case}");
            }
            checked += 1;
        }
    }
    assert!(checked > 140);
}

fn snippets_of_grammars_parse_as_their_folders_say() {
    let sandbox = sandbox();
    for (name, grammar) in grammars(&sandbox) {
        let Some(name) = name.strip_prefix("full-") else {
            continue;
        };
        for (folder, is_rejected) in [("accepted", false), ("rejected", true)] {
            let folder = format!("grammars/{name}/{folder}");
            let snippets = entries(&sandbox.path(&folder)).len();
            assert!(snippets > 0, "{folder}");
            let report = sandbox.json(&format!("coverage {grammar} {folder} --text -k 1"));
            let invalid = if is_rejected { snippets } else { 0 };
            assert_eq!(report["invalid"], invalid, "{folder}: {report}");
            assert_eq!(report["inputs"], snippets, "{folder}: {report}");
        }
    }
}

fn generated_text_parses_again() {
    let sandbox = sandbox();
    for (name, grammar) in grammars(&sandbox) {
        let [text, choices, again, rewritten] =
            ["text", "choices", "again", "rewritten"].map(|kind| format!("{name}-{kind}"));
        let written = sandbox.json(&format!(
            "generate {grammar} {text} -n 60 --text --max-len {}",
            max_len(&name)
        ));
        let of_text = sandbox.json(&format!("coverage {grammar} {text} --text --strict -k 4"));
        assert_eq!(of_text["inputs"], written["inputs"], "{name}");
        assert_eq!(of_text["invalid"], 0, "{name}");

        let encoded = sandbox.json(&format!("encode {grammar} {text} -o {choices} --strict"));
        assert_eq!(encoded["inputs"], written["inputs"], "{name}");
        sandbox.succeed(&format!("decode {grammar} {choices} -o {again}"));
        assert_eq!(files(&sandbox, &text), files(&sandbox, &again), "{name}");

        // The canonical derivation is one of all, and its choices are the ones that would be written again.
        let of_choices = sandbox.json(&format!("coverage {grammar} {choices} -k 4"));
        let one_of_all = covered(&of_choices).into_iter().zip(covered(&of_text));
        assert!(
            one_of_all.clone().all(|(one, all)| one <= all),
            "{name}: {one_of_all:?}"
        );
        sandbox.succeed(&format!("encode {grammar} {again} -o {rewritten}"));
        assert_eq!(
            files(&sandbox, &choices),
            files(&sandbox, &rewritten),
            "{name}"
        );
    }
}

fn covering_texts_cover_everything() {
    let sandbox = sandbox();
    for (name, grammar) in grammars(&sandbox) {
        if name == REPEATS_NOTHING {
            continue;
        }
        for packing in ["--small", "--few"] {
            if name == AMBIGUOUS && packing == "--few" {
                continue;
            }
            let folder = format!("{name}{packing}");
            let k = covered_k(&sandbox, &grammar);
            let seeded = sandbox.json(&format!("seed {grammar} {folder} -k {k} --text {packing}"));
            let covered = sandbox.json(&format!(
                "coverage {grammar} {folder} --text --strict -k {k} --min 100"
            ));
            for level in covered["k_paths"].as_array().unwrap() {
                assert_eq!(level["covered"], level["total"], "{folder}: {level}");
            }
            assert_eq!(covered["inputs"], seeded["inputs"], "{folder}");
        }
    }
}

fn samples_and_what_is_beyond_them_cover_everything() {
    let sandbox = sandbox();
    for (name, grammar) in grammars(&sandbox) {
        for form in ["--choices", "--text"] {
            if name == REPEATS_NOTHING && form == "--text" {
                continue;
            }
            let [samples, beyond, nothing] =
                ["samples", "beyond", "nothing"].map(|kind| format!("{name}-{kind}{form}"));
            sandbox.succeed(&format!(
                "generate {grammar} {samples} -n 20 --max-len {} {form}",
                max_len(&name)
            ));
            let k = covered_k(&sandbox, &grammar);
            let verb = format!("seed {grammar} -k {k} {form} --beyond {samples}");
            let seeded = sandbox.json(&format!("{verb} {beyond}"));
            let before = sandbox.json(&format!("coverage {grammar} {samples} -k {k} {form}"));
            assert_eq!(seeded["beyond"]["inputs"], before["inputs"], "{name}");
            assert_eq!(
                seeded["beyond"]["covered"],
                covered(&before)[k - 1],
                "{name}"
            );
            sandbox.succeed(&format!(
                "coverage {grammar} {samples} {beyond} -k {k} --min 100 {form}"
            ));
            let rest = sandbox.json(&format!("{verb} --beyond {beyond} {nothing}"));
            assert_eq!(rest["inputs"], 0, "{name}");
        }
    }
}

fn a_state_of_texts_changes_no_report() {
    let sandbox = Sandbox::new();
    let file = |name: &str| sandbox.path("texts").join(name);
    let same = |when: &str| {
        for list in ["", "--list-invalid"] {
            let verb = format!("coverage json.ebnf texts --text -k 3 --uncovered 1000 {list}");
            let without = sandbox.json(&verb);
            for run in ["first", "second"] {
                let with = sandbox.json(&format!("{verb} --state state"));
                assert_eq!(with, without, "{when}, {run} {list}");
            }
        }
    };
    let old = |name: &str| {
        let file = fs::File::options().append(true).open(file(name)).unwrap();
        let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        file.set_modified(past).unwrap();
    };
    sandbox.succeed("generate json.ebnf texts -n 30 --text --max-len 100");
    same("all valid");
    fs::write(file("open"), "[1, 2").unwrap();
    fs::write(file("ill"), "nul").unwrap();
    same("two invalid");
    old("open");
    old("ill");
    same("two invalid, older");
    fs::rename(file("ill"), file("sick")).unwrap();
    same("one renamed");
    fs::write(file("sick"), "null").unwrap();
    same("one healed");
    fs::write(file("open"), "[1, 2]").unwrap();
    old("open");
    same("the other one healed");
    fs::write(file("sick"), "nul").unwrap();
    same("one ill again");
    fs::remove_file(file("open")).unwrap();
    same("one gone");
}

fn many_texts_are_encoded_as_each_alone() {
    let sandbox = Sandbox::new();
    sandbox.succeed("generate json.ebnf texts -n 300 --text --max-len 80");
    sandbox.succeed("encode json.ebnf texts -o all");
    let all = files(&sandbox, "all");
    for (name, bytes) in all.iter().step_by(20) {
        let name = name.display();
        sandbox.succeed(&format!("encode json.ebnf texts/{name} -o alone"));
        let alone = fs::read(sandbox.path(format!("alone/{name}"))).unwrap();
        assert_eq!(&alone, bytes, "{name}");
    }
}

fn a_text_counts_as_a_whole_or_not_at_all() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("text"), "1+".repeat(30) + "1").unwrap();
    let verb = "ambiguous.ebnf text -k 4";
    let whole = sandbox.json(&format!("parse {verb}"));
    let mut counted = [0, 0];
    for steps in (0..200_000).step_by(1000) {
        let report = sandbox.json(&format!("coverage {verb} --text --max-steps {steps}"));
        let left_out = report["out_of_budget"].as_u64().unwrap();
        counted[left_out as usize] += 1;
        match left_out {
            0 => assert_eq!(report["k_paths"], whole["k_paths"], "{steps}"),
            _ => assert_eq!(covered(&report), [0; 4], "{steps}"),
        }
    }
    assert!(counted.iter().all(|&count| count > 0), "{counted:?}");
}

fn a_corpus_migrates_there_and_back() {
    let sandbox = Sandbox::new();
    sandbox.succeed("generate json.ebnf corpus -n 200 --choices --max-len 100");
    let sentences = |grammar: &str, folder: &str| {
        sandbox.succeed(&format!("decode {grammar} {folder} -o {folder}-text"));
        files(&sandbox, &format!("{folder}-text"))
    };
    let before = sentences("json.ebnf", "corpus");
    sandbox.succeed("migrate json.ebnf json_tight.ebnf corpus -o there --strict");
    assert_eq!(sentences("json_tight.ebnf", "there"), before);
    sandbox.succeed("migrate json_tight.ebnf json.ebnf there -o back --strict");
    assert_eq!(sentences("json.ebnf", "back"), before);
}
