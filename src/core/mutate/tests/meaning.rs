//! What each operator means: of a text, at a site, all the texts that come out.
//!
//! The grammars are so small that the results over all random numbers are a few, and each of them is written down: nothing else may
//! come, and each must.

use std::collections::BTreeSet;

use super::check;
use crate::mutate::slips::RAREST;
use crate::mutate::{Kind, Operator, Session, operators as op};
use crate::parse::Parser;
use crate::slip::{Change, Slips};
use crate::tests::graph;

/// A word of three in brackets.
const WORD: &str = "s := '<' w '>'; w := 'a' | 'b' | 'c';";
/// Letters side by side.
const LETTERS: &str = "s := '[' [a-d]* ']';";
/// Items with commas between, nested.
const LIST: &str = "list := '[' item (',' item)* ']'; item := [a-d] | list;";
/// A recursion with something on both sides.
const NEST: &str = "s := '(' [ab] s ')' | 'x' | 'y';";
/// Two words and a number.
const PAIR: &str = "p := w ':' w ':' n; w := [a-c]; n := [0-9];";

/// A case: grammar, text, operator, the text of the site, and the texts that come out; none where it does not apply.
type Case = (
    &'static str,
    &'static str,
    &'static dyn Operator,
    &'static str,
    &'static [&'static str],
);

const CASES: &[Case] = &[
    // Anything that the nonterminal derives.
    (WORD, "<a>", &op::Regenerate, "a", &["<a>", "<b>", "<c>"]),
    (NEST, "(a(bx))", &op::Shorten, "(bx)", &["(ax)"]),
    (NEST, "(a(bx))", &op::Shorten, "(a(bx))", &["x"]),
    (LETTERS, "[abc]", &op::Shorten, "abc", &["[]"]),
    // Each of the others.
    (WORD, "<a>", &op::NextAlternative, "a", &["<b>", "<c>"]),
    (WORD, "<b>", &op::NextAlternative, "b", &["<a>", "<c>"]),
    ("s := 'x'{2,3};", "xx", &op::InsertItem, "xx", &["xxx"]),
    ("s := 'x'{2,3};", "xxx", &op::InsertItem, "xxx", &[]),
    (
        "s := '[' ('a' | 'b')* ']';",
        "[ab]",
        &op::InsertItem,
        "ab",
        &["[aab]", "[aba]", "[abb]", "[bab]"],
    ),
    (
        "s := '[' ('a' | 'b'){1,} ']';",
        "[a]",
        &op::InsertItem,
        "a",
        &["[aa]", "[ab]", "[ba]"],
    ),
    (LETTERS, "[abc]", &op::DeleteItem, "a", &["[bc]"]),
    (LETTERS, "[abc]", &op::DeleteItem, "b", &["[ac]"]),
    (LETTERS, "[abc]", &op::DeleteItem, "c", &["[ab]"]),
    (LIST, "[a,b,[c,d]]", &op::DeleteItem, ",b", &["[a,[c,d]]"]),
    (LIST, "[a,b,[c,d]]", &op::DeleteItem, ",[c,d]", &["[a,b]"]),
    ("s := [a-c]{2,};", "abc", &op::DeleteItem, "a", &["bc"]),
    ("s := [a-c]{2,};", "abc", &op::DeleteItem, "c", &["ab"]),
    ("s := [a-c]{2,};", "bc", &op::DeleteItem, "b", &[]),
    // The item goes, and what is in it stands before the repetition.
    (LIST, "[a,b,c]", &op::Absorb, ",b", &["[b,c]"]),
    (LIST, "[a,b,c]", &op::Absorb, ",c", &["[c,b]"]),
    (LIST, "[a,[b,c]]", &op::Absorb, ",[b,c]", &["[[b,c]]"]),
    (LETTERS, "[abc]", &op::DuplicateItem, "b", &["[abbc]"]),
    (
        LIST,
        "[a,[b],c]",
        &op::DuplicateItem,
        ",[b]",
        &["[a,[b],[b],c]"],
    ),
    (LIST, "[a,b]", &op::DuplicateItem, ",b", &["[a,b,b]"]),
    ("s := [a-c]{2};", "ab", &op::DuplicateItem, "a", &[]),
    ("s := [a-c]{2,4};", "ab", &op::DuplicateItem, "a", &["aab"]),
    (LETTERS, "[abc]", &op::MoveItem, "a", &["[bac]", "[bca]"]),
    (LETTERS, "[abc]", &op::MoveItem, "b", &["[bac]", "[acb]"]),
    (LIST, "[a,b,[c]]", &op::MoveItem, ",[c]", &["[a,[c],b]"]),
    (LETTERS, "[a]", &op::MoveItem, "a", &[]),
    (
        LETTERS,
        "[abc]",
        &op::ShuffleItems,
        "abc",
        &["[acb]", "[bac]", "[bca]", "[cab]", "[cba]"],
    ),
    (LETTERS, "[a]", &op::ShuffleItems, "a", &[]),
    // In the place of the nearest one above, with all that is in it.
    (NEST, "(a(by))", &op::Hoist, "y", &["(ay)"]),
    (NEST, "(a(by))", &op::Hoist, "(by)", &["(by)"]),
    (LIST, "[a,[b,[c,d]]]", &op::Hoist, "[c,d]", &["[a,[c,d]]"]),
    (PAIR, "a:b:1", &op::Swap, "a", &["b:a:1"]),
    (PAIR, "a:b:1", &op::Swap, "b", &["b:a:1"]),
    (PAIR, "a:a:1", &op::Swap, "a", &[]),
    (PAIR, "a:b:1", &op::Swap, "1", &[]),
    (
        "s := '<' [a-e] '>';",
        "<c>",
        &op::Character,
        "c",
        &["<a>", "<b>", "<d>", "<e>"],
    ),
    // With `b:c:7` as the donor.
    (PAIR, "a:a:1", &op::Transplant, "a", &["b:a:1", "c:a:1"]),
    (PAIR, "a:a:1", &op::Transplant, "1", &["a:a:7"]),
    (PAIR, "b:c:7", &op::Transplant, "7", &[]),
    (
        "s := 'ab'i '=' [0-9];",
        "ab=1",
        &op::Vary,
        "ab=1",
        &["AB=1", "Ab=1", "aB=1", "ab=1"],
    ),
    // The engine below puts the next digit, or a digit for what is none.
    (PAIR, "a:b:1", &op::Reword, "1", &["a:b:2"]),
    (PAIR, "a:b:1", &op::Reword, "a", &[]),
];

/// Puts the next digit, or 2 for what is none, in the place of a byte: each time of another.
fn engine(data: &mut [u8], size: usize, _: usize) -> usize {
    let calls = CALLS.get();
    CALLS.set(calls + 1);
    let byte = &mut data[calls % size.max(1)];
    *byte = match byte {
        b'0'..=b'8' => *byte + 1,
        _ => b'2',
    };
    size
}

thread_local! {
    static CALLS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// A session for a grammar, and the choices of a text.
fn session(grammar: &str, text: &str) -> (Session, Vec<u8>) {
    let graph = graph(grammar);
    let choices = Parser::new(&graph).encode(text.as_bytes()).unwrap();
    let mut session = Session::new(&graph, 2).unwrap();
    session.use_engine(engine, 0, 0);
    (session, choices)
}

/// The first site of a kind with a text; of any kind, the root.
fn site(session: &Session, kind: Option<Kind>, text: &str) -> u32 {
    let index = session.work.index();
    let Some(kind) = kind else {
        return 0;
    };
    let has = |&site: &u32| {
        let range = index.text_range(site);
        &index.text()[range.start as usize..range.end as usize] == text.as_bytes()
    };
    let mut sites = session.work.of_kind(kind);
    sites
        .find(has)
        .unwrap_or_else(|| panic!("no site of {kind:?} has the text {text}"))
}

/// All that comes out, over many seeds; nothing of those where the operator does not apply.
fn results(parent: (&mut Session, &[u8]), operator: &dyn Operator, at: &str) -> BTreeSet<String> {
    results_of(400, parent, operator, at)
}

fn results_of(
    seeds: u64,
    (session, input): (&mut Session, &[u8]),
    operator: &dyn Operator,
    at: &str,
) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for seed in 0..seeds {
        session.load(input);
        session.seed(seed);
        let site = site(session, operator.kind(), at);
        if session.apply_at(operator, site) {
            all.insert(String::from_utf8_lossy(session.sentence()).into_owned());
        }
        check(session);
    }
    all
}

#[test]
fn what_comes_of_each_operator() {
    for &(grammar, text, operator, at, expected) in CASES {
        let (mut session, input) = session(grammar, text);
        if grammar == PAIR {
            let donor = Parser::new(session.codec().graph()).encode(b"b:c:7");
            session.work.load_donor(&donor.unwrap());
        }
        let found = results((&mut session, &input), operator, at);
        let expected: BTreeSet<String> = expected.iter().map(|&it| it.into()).collect();
        let name = operator.name();
        assert_eq!(found, expected, "{name} of {text} at {at:?} in {grammar}");
    }
}

#[test]
fn runs_get_long_and_have_one_item_or_many() {
    let (mut session, input) = session(LETTERS, "[abc]");
    let found = results((&mut session, &input), &op::Repeat, "abc");
    let (mut alike, mut mixed) = (0, 0);
    for text in &found {
        let items = &text.as_bytes()[1..text.len() - 1];
        let put = items.len() - 3;
        assert!(put >= 2, "{text}");
        // The items are all there, in their order, around what was put.
        let at =
            (0..4).find(|&at| items[..at] == b"abc"[..at] && items[at + put..] == b"abc"[at..]);
        let put = &items[at.unwrap_or_else(|| panic!("{text}"))..][..put];
        match put.iter().all(|&item| item == put[0]) {
            true => alike += 1,
            false => mixed += 1,
        }
    }
    assert!(alike > 20 && mixed > 20, "{alike} {mixed}");
    let longest = found.iter().map(String::len).max().unwrap();
    assert!(longest > 1000, "{longest}");
}

#[test]
fn recursions_get_deep_and_keep_what_is_between() {
    let (mut session, input) = session(NEST, "(b(ay))");
    let found = results((&mut session, &input), &op::Unroll, "y");
    let mut deepest = 0;
    for text in &found {
        // `(a` over and over, around what was innermost, within the outer one.
        let inner = text.strip_prefix("(b").and_then(|it| it.strip_suffix(")"));
        let inner = inner.unwrap_or_else(|| panic!("{text}"));
        let depth = inner.matches("(a").count();
        let again = ["(a".repeat(depth), "y".into(), ")".repeat(depth)].concat();
        assert_eq!(inner, again);
        assert!(depth >= 2);
        deepest = deepest.max(depth);
    }
    assert!(deepest > 60, "{deepest}");
}

#[test]
fn a_part_of_an_earlier_parent_is_borrowed() {
    let (mut session, input) = session(PAIR, "a:a:1");
    let parser = Parser::new(session.codec().graph());
    for other in ["b", "c"] {
        for text in ["a", "b", "c"].map(|it| format!("{other}:{it}:3 {it}:{other}:4")) {
            for text in text.split(' ') {
                session.load(&parser.encode(text.as_bytes()).unwrap());
            }
        }
    }
    let found = results((&mut session, &input), &op::Borrow, "1");
    assert_eq!(found, ["a:a:3", "a:a:4"].map(String::from).into());
    let found = results((&mut session, &input), &op::Borrow, "a");
    assert_eq!(found, ["b:a:1", "c:a:1"].map(String::from).into());
}

#[test]
fn members_of_large_classes_are_neighbors_special_or_any() {
    let (mut session, input) = session("s := '<' [^<>] '>';", "<k>");
    let found = results((&mut session, &input), &op::Character, "k");
    for neighbor in ["<j>", "<l>"] {
        assert!(found.contains(neighbor), "{neighbor}");
    }
    // A byte order mark or another one that programs look for, and letters.
    let special = |c: char| ('\u{2000}'..'\u{2070}').contains(&c) || c == '\u{feff}';
    assert!(found.iter().any(|text| text.contains(special)));
    assert!(found.iter().filter(|text| text.is_ascii()).count() > 30);
    assert!(!found.contains("<k>") && found.len() > 100);
}

#[test]
fn whole_texts_are_the_engines_or_get_a_word() {
    let (mut session, input) = session(PAIR, "a:b:1");
    let found = results((&mut session, &input), &op::Verbatim, "");
    for expected in [
        "2:b:1", "a2b:1", "a:2:1", "a:b21", "a:b:2", "a::b:1", "a:::1",
    ] {
        assert!(found.contains(expected), "{expected}: {found:?}");
    }
    let colons = |text: &&String| text.matches(':').count() > 3;
    assert_eq!(found.iter().find(colons), None);
}

#[test]
fn slips_are_of_all_kinds() {
    let (mut session, input) = session(LIST, "[a,b]");
    session.load(&input);
    // Each is missing with a chance of less than 1e-9.
    let rare = f64::from(RAREST) * session.work.index().sites().len() as f64;
    let runs = (rare * 1e9_f64.ln()).ceil() as u64;
    let found = results_of(runs, (&mut session, &input), &op::Slip, "");
    for expected in [
        // Dropped, doubled, swapped, cut, in the places of terminals and of more.
        "a,b]", "[,b]", "[ab]", "[a,b", "[[a,b]", "[aa,b]", "[a,,b]", "[a,b]]", "a[,b]", "[ab,]",
        "[,ba]", "[a", "[", "[a,", //
        // Words of the grammar in the place of others.
        "]a,b]", "[a]b]", "[[,b]", "[a,]]", //
        // Other letters.
        "[A,b]", "[a,B]", "[b,b]", "[a,c]",
    ] {
        assert!(found.contains(expected), "{expected}: {found:?}");
    }
}

#[test]
fn slips_stay_where_they_are_when_the_derivation_changes() {
    let table: &[(&'static dyn Operator, &str, &str)] = &[
        (&op::DeleteItem, "a", "[b!d]"),
        (&op::DeleteItem, "d", "[ab!]"),
        (&op::DuplicateItem, "a", "[aab!d]"),
        (&op::DuplicateItem, "d", "[ab!dd]"),
        // What the slip stands at is gone.
        (&op::DeleteItem, "c", "[abd]"),
        (&op::Shorten, "abcd", "[]"),
    ];
    let (mut session, choices) = session(LETTERS, "[abcd]");
    session.load(&choices);
    let mut slips = Slips::new();
    slips.push(site(&session, Some(Kind::Item), "c"), Change::Raw(b"!"));
    let mut input = choices;
    slips.encode(&mut input);
    for &(operator, at, expected) in table {
        let found = results((&mut session, &input), operator, at);
        assert_eq!(found, [expected.to_owned()].into(), "{operator:?} at {at}");
    }
}
