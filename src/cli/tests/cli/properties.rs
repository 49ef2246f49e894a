//! What must hold for every grammar, every seed, every cut file: too much for golden cases.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::sandbox::{Sandbox, fixtures};

/// The properties by name.
pub(crate) const ALL: &[(&str, fn())] = &[
    (
        "what_seed_writes_covers_everything",
        what_seed_writes_covers_everything,
    ),
    (
        "the_same_arguments_give_the_same_bytes",
        the_same_arguments_give_the_same_bytes,
    ),
    ("other_seeds_give_other_bytes", other_seeds_give_other_bytes),
    ("a_state_changes_no_report", a_state_changes_no_report),
    ("a_cut_state_is_refused", a_cut_state_is_refused),
    ("a_full_disk_is_an_error", a_full_disk_is_an_error),
    ("a_closed_pipe_is_silent", a_closed_pipe_is_silent),
    (
        "an_interrupt_leaves_whole_files",
        an_interrupt_leaves_whole_files,
    ),
    (
        "an_interrupt_ends_with_what_was_read",
        an_interrupt_ends_with_what_was_read,
    ),
    (
        "failed_writes_leave_nothing_behind",
        failed_writes_leave_nothing_behind,
    ),
    ("huge_grammars_get_an_answer", huge_grammars_get_an_answer),
    ("deep_trees_are_printed", deep_trees_are_printed),
    (
        "generated_sentences_keep_the_limits",
        generated_sentences_keep_the_limits,
    ),
    (
        "sentences_of_a_model_are_as_large_as_the_largest_sample",
        sentences_of_a_model_are_as_large_as_the_largest_sample,
    ),
    (
        "many_files_give_the_same_as_few",
        many_files_give_the_same_as_few,
    ),
];

fn names() -> Vec<String> {
    fixtures()
        .iter()
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect()
}

fn what_seed_writes_covers_everything() {
    let sandbox = Sandbox::new();
    for name in names() {
        for k in 1..=4 {
            for way in [
                "--small",
                "--few",
                "--close-off=shortest",
                "--close-off=random",
                "--close-off=cover",
            ] {
                let case = format!("{name}-{k}{way}");
                let seeded = sandbox.json(&format!("seed {name}.ebnf {case} -k {k} {way}"));
                let covered =
                    sandbox.json(&format!("coverage {name}.ebnf {case} -k {k} --min 100"));
                for level in covered["k_paths"].as_array().unwrap() {
                    assert_eq!(level["covered"], level["total"], "{case}: {level}");
                }
                let last = &covered["k_paths"][k - 1];
                assert_eq!(last["covered"], seeded["covered"], "{case}");
                assert_eq!(covered["inputs"], seeded["inputs"], "{case}");
                assert_eq!(seeded["forbidden"], Value::Array(Vec::new()), "{case}");
            }
        }
    }
}

fn the_same_arguments_give_the_same_bytes() {
    let sandbox = Sandbox::new();
    let verbs = [
        "seed json.ebnf DIR -k 3",
        "seed json.ebnf DIR -k 3 --text --few",
        "seed json.ebnf DIR -k 3 --text --close-off cover",
        "seed json.ebnf DIR -k 2 --close-off random --random-seed 5",
        "generate json.ebnf DIR -n 50 --choices",
        "generate expr.ebnf DIR -n 50 --strategy shortest --text --random-seed 9",
    ];
    for (at, verb) in verbs.iter().enumerate() {
        let contents = |run: &str| {
            let folder = format!("{run}-{at}");
            let report = sandbox.json(&verb.replace("DIR", &folder));
            let files = sandbox.contents(&folder).into_iter();
            let files: Vec<_> = files
                .map(|(path, bytes)| (path.file_name().unwrap().to_owned(), bytes))
                .collect();
            (report, files)
        };
        assert_eq!(contents("first"), contents("second"), "{verb}");
    }
}

fn other_seeds_give_other_bytes() {
    let sandbox = Sandbox::new();
    let text = |seed: u32| {
        sandbox.succeed(&format!(
            "generate json.ebnf - -n 20 --text --random-seed {seed}"
        ))
    };
    assert_ne!(text(1), text(2));
}

/// Measures with and without state, and compares.
fn same_report(sandbox: &Sandbox, when: &str) {
    let verb = "coverage json.ebnf corpus -k 3 --uncovered 1000";
    let with = sandbox.json(&format!("{verb} --state state"));
    assert_eq!(with, sandbox.json(verb), "{when}");
}

fn a_state_changes_no_report() {
    let sandbox = Sandbox::new();
    let file = |name: &str| sandbox.path("corpus").join(name);
    let old = |name: &str| {
        let file = fs::File::options().append(true).open(file(name)).unwrap();
        let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        file.set_modified(past).unwrap();
    };
    sandbox.succeed("generate json.ebnf corpus -n 30 --choices");
    same_report(&sandbox, "first");
    same_report(&sandbox, "nothing new");
    sandbox.succeed("generate json.ebnf corpus -n 30 --choices --random-seed 1 --force");
    same_report(&sandbox, "more files");
    let first = sandbox.inputs("corpus")[0].0.clone();
    fs::rename(&first, file("renamed")).unwrap();
    same_report(&sandbox, "renamed");
    fs::write(file("renamed"), b"\x02").unwrap();
    same_report(&sandbox, "edited");
    fs::write(file("renamed"), b"\x03").unwrap();
    same_report(&sandbox, "edited at once, to the same length");
    old("renamed");
    same_report(&sandbox, "touched");
    fs::write(file("renamed"), b"\x04").unwrap();
    old("renamed");
    same_report(&sandbox, "edited under an old time");
    fs::remove_file(file("renamed")).unwrap();
    same_report(&sandbox, "removed");
    fs::remove_dir_all(sandbox.path("corpus")).unwrap();
    fs::create_dir(sandbox.path("corpus")).unwrap();
    same_report(&sandbox, "all gone");
    sandbox.succeed("seed json.ebnf corpus -k 3");
    same_report(&sandbox, "others");
}

fn a_cut_state_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.succeed("generate expr.ebnf corpus -n 3 --choices");
    sandbox.succeed("coverage expr.ebnf corpus -k 2 --state state");
    let whole = fs::read(sandbox.path("state")).unwrap();
    let verb = "coverage expr.ebnf corpus -k 2 --state cut";
    for length in 0..whole.len() {
        fs::write(sandbox.path("cut"), &whole[..length]).unwrap();
        let errors = sandbox.refused(verb);
        assert!(errors.contains("help: "), "{length}: {errors}");
        let kept = fs::read(sandbox.path("cut")).unwrap();
        assert_eq!(kept, whole[..length], "a refused state is left alone");
    }
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(sandbox.path("cut"), damaged).unwrap();
        sandbox.refused(verb);
    }
    fs::write(sandbox.path("cut"), [&whole[..], b"x"].concat()).unwrap();
    sandbox.refused(verb);
    assert!(
        sandbox
            .refused("coverage json.ebnf corpus -k 2 --state state")
            .contains("grammar")
    );
    assert!(
        sandbox
            .refused("coverage expr.ebnf corpus -k 3 --state state")
            .contains("-k 2")
    );
}

fn a_full_disk_is_an_error() {
    let sandbox = Sandbox::new();
    sandbox.succeed("seed expr.ebnf corpus -k 1");
    for verb in [
        "check expr.ebnf",
        "paths expr.ebnf -k 3",
        "generate expr.ebnf - --text -n 5",
        "coverage expr.ebnf corpus --json",
        "decode expr.ebnf corpus",
        "show expr.ebnf expr.ebnf --choices",
        "encode expr.ebnf corpus -o encoded --force",
        "migrate expr.ebnf expr.ebnf corpus -o migrated --force",
    ] {
        let output = sandbox.shell(&format!("pleach {verb} > /dev/full"));
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{verb}: {errors}");
        assert_eq!(
            errors,
            "error: cannot write to standard output: no space left on the device\n"
        );
    }
}

fn a_closed_pipe_is_silent() {
    let sandbox = Sandbox::new();
    for verb in [
        "paths expr.ebnf -k 6",
        "paths expr.ebnf -k 6 --json",
        "generate expr.ebnf - --text -n 50000",
    ] {
        let output = sandbox.shell(&format!(
            "{{ pleach {verb}; echo exit $? >&2; }} | head -n 1 > /dev/null"
        ));
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "exit 0\n",
            "{verb}"
        );
    }
}

fn an_interrupt_leaves_whole_files() {
    let sandbox = Sandbox::new();
    // In the background, but not with interrupts ignored, as a shell would have it.
    let mut child = sandbox.spawn("seed expr.ebnf cut -k 8");
    let cut = sandbox.path("cut");
    while fs::read_dir(&cut).map_or(0, Iterator::count) < 100 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "too fast to be interrupted"
        );
        std::thread::yield_now();
    }
    assert!(
        sandbox
            .shell(&format!("kill -INT {}", child.id()))
            .status
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // A file that is whole is named by its contents: writing the same contents again gives the same name.
    let files = sandbox.inputs("cut");
    assert!(files.len() >= 99);
    for (path, _) in &files {
        let name = path.file_name().unwrap().to_string_lossy();
        assert!(!name.starts_with('.'), "{name}");
    }
    // The set is made in a fixed order, so the interrupted one is a part of the whole one.
    let mut whole = sandbox.spawn("seed expr.ebnf whole -k 8");
    let all = sandbox.path("whole");
    while files
        .iter()
        .any(|(path, _)| !all.join(path.file_name().unwrap()).exists())
    {
        assert!(
            whole.try_wait().unwrap().is_none(),
            "a file of the first run is missing"
        );
        std::thread::yield_now();
    }
    sandbox.shell(&format!("kill -INT {}", whole.id()));
    whole.wait().unwrap();
    for (path, bytes) in files {
        assert_eq!(
            fs::read(all.join(path.file_name().unwrap())).unwrap(),
            bytes
        );
    }
}

/// Named pipes stand for files that take long: whoever reads one waits until the test has closed it.
fn an_interrupt_ends_with_what_was_read() {
    let sandbox = Sandbox::new();
    // As many as there can be threads, and a file that none of them comes to.
    assert!(
        sandbox
            .shell("printf x > first; mkfifo 1 2 3 4 5 6 7 8; printf x > last")
            .status
            .success()
    );
    let inputs = "first 1 2 3 4 5 6 7 8 last --text";
    for (arguments, expected) in [
        ("coverage expr.ebnf -k 1 --json", "inputs were measured"),
        ("learn expr.ebnf -o model --json", "samples were read"),
    ] {
        let mut child = sandbox.spawn_piped(&format!("{arguments} {inputs}"));
        let mut messages = BufReader::new(child.stderr.take().unwrap()).lines();
        // Opening waits for somebody who reads; each thread reads one.
        let threads = std::thread::available_parallelism().map_or(1, |it| it.get().min(8));
        let pipes: Vec<File> = (1..=threads)
            .map(|pipe| File::create(sandbox.path(pipe.to_string())).unwrap())
            .collect();
        assert!(
            sandbox
                .shell(&format!("kill -INT {}", child.id()))
                .status
                .success()
        );
        let message = messages.next().unwrap().unwrap();
        assert!(message.starts_with("interrupted: "), "{message}");
        drop(pipes);
        let report: Value = serde_json::from_reader(child.stdout.take().unwrap()).unwrap();
        // The empty texts of the pipes are not sentences.
        assert_eq!(report["inputs"], 1 + threads, "{arguments}");
        assert_eq!(report["invalid"], threads, "{arguments}");
        let messages: Vec<String> = messages.map(Result::unwrap).collect();
        let last = messages.last().unwrap();
        assert!(last.ends_with(expected), "{messages:?}");
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
    sandbox.succeed("model show expr.ebnf model");
}

fn failed_writes_leave_nothing_behind() {
    let sandbox = Sandbox::new();
    sandbox.succeed("seed expr.ebnf corpus -k 1");
    // A directory in the way of a file, at the last step of writing it.
    fs::create_dir(sandbox.path("page")).unwrap();
    sandbox.refused("coverage expr.ebnf corpus --html page --force");
    sandbox.refused("coverage expr.ebnf corpus --state page");
    let hidden = |name: &str| {
        let entries = fs::read_dir(sandbox.path(name)).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with('.'))
            .count()
    };
    assert_eq!(hidden("."), 0);
    // Root may write anywhere, so this shows something for other users only.
    let locked = sandbox.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_err() {
        let errors = sandbox.refused("seed expr.ebnf locked -k 1");
        assert!(errors.contains("permission denied"), "{errors}");
        assert_eq!(hidden("locked"), 0);
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}

fn huge_grammars_get_an_answer() {
    let sandbox = Sandbox::new();
    let nested = format!("a := {}\"x\"{};", "(".repeat(100_000), ")".repeat(100_000));
    let tower = format!("a := {}\"x\"{};", "(".repeat(100_000), ")?".repeat(100_000));
    let wide = wide_grammar(300_000);
    assert!(wide.len() > 10_000_000);
    let small = wide_grammar(3_000);
    for (name, text) in [
        ("nested", nested),
        ("tower", tower),
        ("wide", wide),
        ("small", small),
    ] {
        fs::write(sandbox.path(name), text).unwrap();
        sandbox.json(&format!("check {name} --max-k 2"));
        if name == "wide" {
            continue;
        }
        sandbox.succeed(&format!("paths {name} -k 1 --limit 3"));
        sandbox.succeed(&format!("generate {name} - --text -n 3"));
        sandbox.succeed(&format!("show {name} expr.ebnf --choices"));
    }
}

/// A grammar of so many productions with an alternation of all of them.
fn wide_grammar(productions: usize) -> String {
    let names: Vec<String> = (0..productions).map(|at| format!("a{at}")).collect();
    let mut text = format!("start := {};\na0 := \"x\";\n", names.join("|"));
    for at in 1..productions {
        text += &format!("a{at} := a{} \"{at}\" | [a-z]+;\n", at / 2);
    }
    text
}

fn deep_trees_are_printed() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("deep.ebnf"), "a := \"(\" a \")\" | \"x\";").unwrap();
    // What is printed with indentation grows with the square of the depth.
    fs::write(sandbox.path("less"), vec![0; 4_000]).unwrap();
    let indented = sandbox.succeed("show deep.ebnf less");
    assert!(indented.len() > 2 * 4_000 * 4_000);
    fs::write(sandbox.path("deep"), vec![0; 20_000]).unwrap();
    assert!(!sandbox.succeed("show deep.ebnf deep --dot").is_empty());
    let tree = sandbox.succeed("show deep.ebnf deep --json");
    let depth = tree
        .windows(10)
        .filter(|part| part == b"\"children\"")
        .count();
    assert_eq!(depth, 1 + 3 * 20_000 + 1);
    assert!(tree.ends_with(b"]}\n"));
}

fn generated_sentences_keep_the_limits() {
    let sandbox = Sandbox::new();
    for name in names() {
        let needed = sandbox
            .succeed(&format!("decode {name}.ebnf /dev/null --choices"))
            .len();
        let max_len = needed + 5;
        for strategy in ["random", "shortest"] {
            let folder = format!("{name}-{strategy}");
            sandbox.succeed(&format!(
                "generate {name}.ebnf {folder} -n 200 --text --max-len {max_len} --strategy {strategy}"
            ));
            for (_, text) in sandbox.inputs(&folder) {
                assert!(text.len() <= max_len, "{name}");
            }
        }
    }
}

fn sentences_of_a_model_are_as_large_as_the_largest_sample() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("many.ebnf"), "many := 'a' many | 'a';").unwrap();
    // The length of the samples, the mode, and what the longest of some sentences lies between: by the model they are as long as the
    // sample in the mean. What is open in the end is closed beyond the bound, by a letter or two.
    let table = [
        (3000, "--mode common", 1500..3011),
        (3000, "", 1500..3011),
        (3000, "--mode failure", 1500..3011),
        (20, "--mode common", 40..1001),
        (20, "", 40..1001),
        (20, "--mode failure", 10..31),
        (3000, "--mode common --max-nodes 50", 10..61),
    ];
    for (at, (length, mode, expected)) in table.into_iter().enumerate() {
        fs::write(sandbox.path("sample"), "a".repeat(length)).unwrap();
        sandbox.succeed(&format!("model learn many.ebnf sample --text -o model{at}"));
        let verb = format!("generate many.ebnf -n 30 --model model{at} {mode}");
        let sentences = String::from_utf8(sandbox.succeed(&verb)).unwrap();
        let longest = sentences.lines().map(str::len).max().unwrap();
        assert!(expected.contains(&longest), "{length} {mode}: {longest}");
    }
}

fn many_files_give_the_same_as_few() {
    let sandbox = Sandbox::new();
    sandbox.succeed("generate json.ebnf corpus -n 1000 --choices --max-len 60");
    let verb = "-k 4 --uncovered 100000";
    let all = sandbox.json(&format!("coverage json.ebnf corpus {verb}"));
    // The same inputs in one thread, as the arguments of several runs that build on each other.
    let mut choices = sandbox.inputs("corpus");
    choices.reverse();
    for (at, (_, bytes)) in choices.iter().enumerate() {
        let folder = sandbox.path(format!("parts/{}", at / 50));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(at.to_string()), bytes).unwrap();
    }
    let parts: Vec<String> = (0..choices.len().div_ceil(50))
        .map(|part| format!("parts/{part}"))
        .collect();
    let mut last = Value::Null;
    for end in 1..=parts.len() {
        let paths = parts[..end].join(" ");
        last = sandbox.json(&format!("coverage json.ebnf {paths} {verb} --state state"));
    }
    assert_eq!(last, all);
}
