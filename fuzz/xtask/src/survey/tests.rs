use std::fs;
use std::path::Path;

use expect_test::expect;

use super::report::Report;
use super::{Survey, System};

/// A grammar that is sound, one of two files from which something is left out, and one that is wrong.
const GRAMMARS: [(&str, &str); 7] = [
    (
        "list.ebnf",
        "list := item (\",\" item)*;\nitem := [a-z]+ | \"(\" list \")\";\n",
    ),
    (
        "sum/SumParser.g4",
        "parser grammar SumParser;\noptions { tokenVocab = SumLexer; }\nsum : NUM ({p()}? PLUS NUM)* EOF ;\n",
    ),
    (
        "sum/SumLexer.g4",
        "lexer grammar SumLexer;\nPLUS : '+' ;\nNUM : [0-9]+ ;\nWS : [ \\n]+ -> skip ;\n",
    ),
    ("sum/examples/right", "1 + 20\n"),
    ("sum/examples/wrong", "1 +\n"),
    ("sum/examples/wrong.errors", ""),
    ("broken/a.bnf", "a ::= b\n"),
];

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn survey(dir: &Path, n: u64) -> Survey {
    Survey {
        dir: dir.to_owned(),
        n,
        examples: 20,
        output: None,
        from: None,
        start: None,
        open_tokens: false,
        json: false,
        random_seed: 0,
    }
}

#[test]
fn a_survey_says_what_was_read_and_whether_what_it_generates_parses() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &GRAMMARS);
    let systems = survey(folder.path(), 5).systems().unwrap();
    let details = |name: &str| {
        let system = systems.iter().find(|it| it.name == name);
        system.unwrap().details.clone()
    };
    expect![[r#"
        sum/SumParser.g4:3: left out: a predicate; the language is larger
        the example wrong does not parse at 4: "1 +\n" ""
    "#]]
    .assert_eq(&details("sum/SumParser.g4"));
    expect![[r#"
        1:7: undefined nonterminal `b`
        help: define it (`b := …;`) or correct the name
    "#]]
    .assert_eq(&details("broken/a.bnf"));
    expect![[r#"
        systems                   3
        imported                  2 / 3
        with nothing left out     1 / 3
        generate 5 sentences      2 / 3
        all of which parse        2 / 3
        to the same choices       2 / 3
        sentences that parse      10 / 10
        to the same choices       10 / 10
        drawn again               0
        examples that parse       1 / 2
        texts that take too much  0

        systems  left out
        1        a predicate; the language is larger

        systems  failed
        1        undefined nonterminal `…`
    "#]]
    .assert_eq(&Report::new(5, systems).to_string());
}

#[test]
fn json_has_a_list_of_all_systems() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &GRAMMARS[1..]);
    let report = Report::new(2, survey(folder.path(), 2).systems().unwrap());
    expect![[r#"
        {
          "systems": 2,
          "imported": 1,
          "whole": 0,
          "left_out": [
            {
              "what": "a predicate; the language is larger",
              "systems": 1
            }
          ],
          "failed": [
            {
              "what": "undefined nonterminal `…`",
              "systems": 1
            }
          ],
          "generated": 1,
          "all_parsed": 1,
          "all_same": 1,
          "sentences": 2,
          "parsed": 2,
          "same": 2,
          "drawn_again": 0,
          "examples": 2,
          "examples_parsed": 1,
          "costly": 0,
          "list": [
            {
              "name": "broken/a.bnf",
              "notation": "w3c",
              "productions": 0,
              "failed": "undefined nonterminal `…`",
              "left_out": [],
              "sentences": 0,
              "parsed": 0,
              "same": 0,
              "drawn_again": 0,
              "examples": 0,
              "examples_parsed": 0,
              "costly": 0
            },
            {
              "name": "sum/SumParser.g4",
              "notation": "antlr",
              "productions": 4,
              "failed": null,
              "left_out": [
                "a predicate; the language is larger"
              ],
              "sentences": 2,
              "parsed": 2,
              "same": 2,
              "drawn_again": 0,
              "examples": 2,
              "examples_parsed": 1,
              "costly": 0
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn a_part_alone_is_a_system() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &GRAMMARS[2..3]);
    let systems = survey(folder.path(), 1).systems().unwrap();
    let names: Vec<&str> = systems
        .iter()
        .map(|system: &System| &*system.name)
        .collect();
    assert_eq!(names, ["sum/SumLexer.g4"]);
}

#[test]
fn a_directory_without_grammars_and_a_full_one_for_details_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &GRAMMARS[3..6]);
    let refused = survey(folder.path(), 1).run().unwrap_err().to_string();
    assert!(refused.contains("there are no grammars"), "{refused}");
    write(folder.path(), &GRAMMARS);
    let full = Survey {
        output: Some(folder.path().join("sum")),
        ..survey(folder.path(), 1)
    };
    let refused = full.run().unwrap_err().to_string();
    assert!(refused.contains("not empty"), "{refused}");
}

#[test]
fn details_are_written_to_a_file_for_each_system() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("all"), &GRAMMARS);
    let details = folder.path().join("details");
    let all = Survey {
        output: Some(details.clone()),
        ..survey(&folder.path().join("all"), 1)
    };
    all.run().unwrap();
    let mut names: Vec<_> = fs::read_dir(&details)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "broken__a.bnf.txt",
            "list.ebnf.txt",
            "sum__SumParser.g4.txt"
        ]
    );
}
