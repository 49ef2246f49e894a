use std::ops::Range;

use expect_test::{Expect, expect};
use pleach_core::caret::Position;
use unicode_width::UnicodeWidthStr as _;

use super::{Diagnostic, Place, Severity, visible};

fn place(text: &[u8], span: Range<usize>) -> Place<'static> {
    Place {
        path: "a.ebnf",
        position: Position::of(text, span.start),
        span,
    }
}

fn drawn(text: &[u8], span: Range<usize>) -> String {
    let diagnostic = Diagnostic::new(Severity::Error, "wrong").at(text, &place(text, span));
    diagnostic.draw(false)
}

/// What is drawn of a text around a part of it.
fn check(text: &str, needle: &str, expect: Expect) {
    let start = text.find(needle).unwrap();
    let drawn = drawn(text.as_bytes(), start..start + needle.len());
    expect.assert_eq(&drawn);
}

/// What is drawn of two parts of a text.
fn check_both(text: &str, first: &str, second: &str, expect: Expect) {
    let span = |needle: &str| {
        let start = text.find(needle).unwrap();
        place(text.as_bytes(), start..start + needle.len())
    };
    let diagnostic = Diagnostic::new(Severity::Warning, "twice")
        .of_kind("double")
        .at(text.as_bytes(), &span(first))
        .and_at(text.as_bytes(), &span(second), "first here")
        .note(Some("one line\nand another".to_owned()))
        .help("take one away");
    expect.assert_eq(&diagnostic.draw(false));
}

#[test]
fn carets_stand_below_what_is_marked() {
    check(
        "a := b;\n",
        "b",
        expect![[r#"
            error: wrong
             --> a.ebnf:1:6
              |
            1 | a := b;
              |      ^
        "#]],
    );
    check(
        "a := \"漢字😀e\u{301}\" Foo;",
        "Foo",
        expect![[r#"
            error: wrong
             --> a.ebnf:1:14
              |
            1 | a := "漢字😀é" Foo;
              |                ^^^
        "#]],
    );
    check(
        "\ta\tb\r\n",
        "b",
        expect![[r#"
            error: wrong
             --> a.ebnf:1:4
              |
            1 |     a    b
              |          ^
        "#]],
    );
}

#[test]
fn a_place_of_several_lines_is_marked_to_the_end_of_the_first() {
    let text = b"one\r\ntwo\nthree";
    expect![[r#"
        error: wrong
         --> a.ebnf:1:2
          |
        1 | one
          |  ^^
    "#]]
    .assert_eq(&drawn(text, 1..10));
}

#[test]
fn the_end_of_a_text_and_an_empty_line_can_be_pointed_at() {
    for (text, span, line, column) in [
        ("ab", 2..2, "1 | ab", 3),
        ("ab\n", 9..9, "2 |", 1),
        ("", 0..0, "1 |", 1),
        ("ab\n\ncd", 3..3, "2 |", 1),
        ("\u{feff}ab", 0..1, "1 | ab", 1),
    ] {
        let drawn = drawn(text.as_bytes(), span);
        let lines: Vec<&str> = drawn.lines().collect();
        assert_eq!(lines[3], line, "{text:?}");
        let caret = format!("  | {:1$}^", "", column - 1);
        assert_eq!(lines[4], caret, "{text:?}");
    }
}

#[test]
fn nothing_in_a_text_drives_the_terminal() {
    check(
        "\u{1b}[1m\u{9b}2J\u{7}\u{202e}\u{200f}x\u{200b}",
        "x",
        expect![[r#"
            error: wrong
             --> a.ebnf:1:11
              |
            1 | ␛[1m�2J␇��x�
              |           ^
        "#]],
    );
    assert_eq!(visible("a\u{1b}[1m\nb\tc\u{85}"), "a␛[1m\nb\tc\u{fffd}");
    let name = Place {
        path: "\u{1b}[2J",
        ..place(b"x", 0..1)
    };
    let diagnostic = Diagnostic::new(Severity::Error, "a\u{1b}b").at(b"x", &name);
    assert!(!diagnostic.help("\u{1b}").draw(false).contains('\u{1b}'));
}

#[test]
fn long_lines_are_cut_on_both_sides_and_keep_their_columns() {
    let text = format!("{}X{}", "é".repeat(1000), "b".repeat(1000));
    let drawn = drawn(text.as_bytes(), 2000..2001);
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(lines[1], " --> a.ebnf:1:1001");
    let (before, after) = ("é".repeat(60), "b".repeat(59));
    assert_eq!(lines[3], format!("1 | …{before}X{after}…"));
    assert_eq!(lines[4], format!("  | {:61}^", ""));
}

#[test]
fn the_picture_of_a_huge_text_is_small() {
    let mut text = vec![b'x'; 30_000_000];
    text[20_000_000] = b'\n';
    let drawn = drawn(&text, 10_000_000..25_000_000);
    assert!(drawn.len() < 1000, "{}", drawn.len());
    assert!(drawn.contains("--> a.ebnf:1:10000001\n"));
}

#[test]
fn two_places_are_in_one_picture() {
    check_both(
        "a := x;\nb := y;\nz := c;\n",
        "z",
        "a",
        expect![[r#"
            warning[double]: twice
             --> a.ebnf:3:1
              |
            1 | a := x;
              | - first here
            2 | b := y;
            3 | z := c;
              | ^
              |
              = note: one line
                      and another
              = help: take one away
        "#]],
    );
    check_both(
        "a := x;\nb\nc\nd\nz := c;\n",
        "z",
        "x",
        expect![[r#"
            warning[double]: twice
             --> a.ebnf:5:1
              |
            1 | a := x;
              |      - first here
            ...
            5 | z := c;
              | ^
              |
              = note: one line
                      and another
              = help: take one away
        "#]],
    );
    check_both(
        "a := (x z;\n",
        "z",
        "(",
        expect![[r#"
            warning[double]: twice
             --> a.ebnf:1:9
              |
            1 | a := (x z;
              |      -  ^
              |      |
              |      first here
              |
              = note: one line
                      and another
              = help: take one away
        "#]],
    );
}

#[test]
fn places_of_one_line_that_is_cut_are_in_two_pictures() {
    let text = format!("first{}second", " ".repeat(300));
    check_both(
        &text,
        "second",
        "first",
        expect![[r#"
            warning[double]: twice
             --> a.ebnf:1:306
              |
            1 | …                                                                                                                  second
              |                                                                                                                    ^^^^^^
              |
             ::: a.ebnf:1:1
              |
            1 | first                                                                                                                   …
              | ----- first here
              |
              = note: one line
                      and another
              = help: take one away
        "#]],
    );
}

#[test]
fn places_in_two_files_name_both() {
    let text = b"a := x;\nb := y;\n";
    let other = Place {
        path: "other.g4",
        span: 8..9,
        position: Position { line: 1, column: 1 },
    };
    let diagnostic = Diagnostic::new(Severity::Error, "twice")
        .at(text, &place(text, 0..1))
        .and_at(text, &other, "first here");
    expect![[r#"
        error: twice
         --> a.ebnf:1:1
          |
        1 | a := x;
          | ^
          |
         ::: other.g4:1:1
          |
        1 | b := y;
          | - first here
    "#]]
    .assert_eq(&diagnostic.draw(false));
}

#[test]
fn without_a_place_help_is_a_line_of_its_own() {
    let diagnostic = Diagnostic::new(Severity::Info, "a thing").help("do it");
    assert_eq!(diagnostic.draw(false), "info: a thing\nhelp: do it\n");
}

#[test]
fn colors_do_not_change_the_words() {
    let text = b"a := b;\na := c;";
    let diagnostic = Diagnostic::new(Severity::Error, "twice")
        .at(text, &place(text, 8..9))
        .and_at(text, &place(text, 0..1), "here")
        .help("take one away");
    let styled = diagnostic.draw(true);
    assert!(styled.contains("\u{1b}["));
    let plain = anstream::adapter::strip_str(&styled).to_string();
    let lines = plain.lines().map(str::trim_end);
    let plain_lines: Vec<&str> = lines.collect();
    let drawn = diagnostic.draw(false);
    assert_eq!(plain_lines, drawn.lines().collect::<Vec<_>>());
}

/// Whatever a text has, and whatever bytes of it are pointed at: a picture is drawn, with carets below what is marked.
#[test]
fn any_place_in_any_text_can_be_drawn() {
    const PARTS: &[&[u8]] = &[
        b"a",
        b"\t",
        b"\n",
        b"\r\n",
        b"\r",
        "é".as_bytes(),
        "漢".as_bytes(),
        "😀".as_bytes(),
        "\u{301}".as_bytes(),
        "\u{200d}".as_bytes(),
        "\u{202e}".as_bytes(),
        "\u{feff}".as_bytes(),
        "\u{2028}".as_bytes(),
        b"\x1b",
        b"\0",
        b"\xff",
        b"\xf0\x9f",
        b"                              ",
    ];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..20_000 {
        let count = match random(20) {
            0 => 400,
            _ => random(12),
        };
        let text: Vec<u8> = (0..count)
            .flat_map(|_| PARTS[random(PARTS.len())].to_vec())
            .collect();
        let start = random(text.len() + 2);
        let end = start + random(6);
        let other = random(text.len() + 1);
        let drawn = Diagnostic::new(Severity::Error, "wrong")
            .at(&text, &place(&text, start..end))
            .and_at(&text, &place(&text, other..other + 1), "here")
            .help("mend it")
            .draw(false);
        let is_quiet = |c: char| c == '\n' || visible(c.encode_utf8(&mut [0; 4])) == c.to_string();
        assert!(drawn.chars().all(is_quiet), "{text:?} {drawn}");
        assert!(drawn.lines().all(|it| it == it.trim_end()), "{text:?}");
        assert!(drawn.contains('^'), "{text:?}\n{drawn}");
        assert!(
            drawn.lines().all(|it| it.width() < 200),
            "{text:?}\n{drawn}"
        );
    }
}
