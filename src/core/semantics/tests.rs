//! Hooks on grammars of all shapes, and the three uses that they are meant for.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::{DEFAULT_LIMIT, Error, Names, Node, Semantics, productions};
use crate::choice::{Codec, Scratch, SiteIndex};
use crate::grammar::Grammar;
use crate::graph::Graph;
use crate::id::ProductionId;
use crate::parse::{Budget, Parser, Workspace};
use crate::rng::Rng;
use crate::slip::{self, Change, Slips};
use crate::tests::random_grammar;

fn codec(grammar: &str) -> (Arc<Graph>, Codec) {
    let graph = Graph::new(grammar.parse::<Grammar>().unwrap()).unwrap();
    let codec = Codec::new(&graph);
    (graph, codec)
}

fn choices(rng: &mut Rng, most: u32) -> Vec<u8> {
    (0..rng.below(most)).map(|_| rng.below(256) as u8).collect()
}

/// Choices with the trailer of a few slips.
fn with_slips(codec: &Codec, rng: &mut Rng, mut choices: Vec<u8>) -> Vec<u8> {
    let (mut index, mut slips) = (SiteIndex::new(), Slips::new());
    codec.index(&choices, &mut Scratch::default(), &mut index);
    for _ in 0..rng.below(4) {
        let change = match rng.below(6) {
            0 => Change::Drop,
            5 => Change::Glue,
            1 => Change::Double,
            2 => Change::Swap,
            3 => Change::Raw(b"raw"),
            _ if rng.below(4) == 0 => Change::Cut,
            _ => Change::Separator(b"  "),
        };
        slips.push(rng.below(index.sites().len() as u32), change);
    }
    slips.encode(&mut choices);
    choices
}

/// Hooks at all productions that change nothing.
fn idle(grammar: &Grammar) -> Semantics<u32> {
    let mut semantics = Semantics::new(grammar);
    for production in grammar.productions().ids() {
        semantics = semantics
            .on_enter(production, move |node, depth: &mut u32| {
                assert_eq!((node.text(), node.production()), (&b""[..], production));
                assert_eq!(node.above().count() as u32, *depth);
                *depth += 1;
            })
            .on_leave(production, |node, depth| {
                *depth -= 1;
                let mut end = node.start();
                for part in node.children().collect::<Vec<_>>() {
                    let span = node.span_of(part);
                    assert!(end <= span.start && span.end <= node.output().len());
                    end = span.end;
                }
            });
    }
    semantics
}

#[track_caller]
fn changes_nothing(codec: &Codec, rng: &mut Rng, inputs: usize, most: u32) {
    let grammar = codec.graph().grammar();
    let semantics = idle(grammar);
    for _ in 0..inputs {
        let choices = choices(rng, most);
        let text = semantics.text(codec, &choices).unwrap();
        assert_eq!(text, codec.sentence(&choices), "{choices:?}\n{grammar}");
        let input = with_slips(codec, rng, choices);
        let text = semantics.text(codec, &input).unwrap();
        assert_eq!(text, slip::text(codec, &input), "{input:?}\n{grammar}");
    }
}

#[test]
fn idle_hooks_change_no_text_of_the_grammars_that_are_there() {
    let mut rng = Rng::new(5);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../grammars");
    // The published package comes without them.
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut count = 0;
    for entry in entries {
        let folder = entry.unwrap().path();
        let Some(name) = folder.file_name().filter(|_| folder.is_dir()) else {
            continue;
        };
        let file = folder.join(name).with_extension("ebnf");
        let Ok(text) = fs::read(&file) else { continue };
        let graph = Graph::new(Grammar::parse(&text).unwrap()).unwrap();
        println!("{}", file.display());
        changes_nothing(&Codec::new(&graph), &mut rng, 40, 400);
        count += 1;
    }
    assert!(count > 20, "{count} grammars");
}

#[test]
fn idle_hooks_change_no_text_of_random_grammars() {
    let mut rng = Rng::new(6);
    let mut grammars = 0;
    while grammars < 300 {
        let Ok(grammar) = random_grammar(&mut rng).parse::<Grammar>() else {
            continue;
        };
        changes_nothing(&Codec::new(&Graph::new(grammar).unwrap()), &mut rng, 20, 80);
        grammars += 1;
    }
}

#[test]
fn nodes_have_their_texts_and_parts() {
    let (graph, codec) =
        codec("list := '[' (item (',' item)*)? ']'; item := digit | list; digit := [0-9];");
    let [list, item, digit] = productions(graph.grammar(), ["list", "item", "digit"]).unwrap();
    let semantics =
        Semantics::<Vec<String>>::new(graph.grammar()).on_leave(list, move |node, seen| {
            let texts = |parts: &mut dyn Iterator<Item = super::Part>| -> Vec<String> {
                parts
                    .map(|part| String::from_utf8_lossy(node.text_of(part)).into_owned())
                    .collect()
            };
            let (items, digits) = (texts(&mut node.children()), texts(&mut node.inside(digit)));
            let first = String::from_utf8_lossy(node.child_text(item)).into_owned();
            let own = String::from_utf8_lossy(node.text()).into_owned();
            seen.push(format!(
                "{own} at {}: {} / {} / {first}",
                node.start(),
                items.join(" "),
                digits.join(" ")
            ));
            if node.above().next().is_none() {
                let seen = seen.join("\n");
                node.replace(seen.as_bytes());
            }
        });
    let mut workspace = Workspace::new();
    let parser = Parser::new(&graph);
    let mut input = Vec::new();
    let mut forest = parser
        .parse(b"[1,[2,[]],3]", Budget::default(), &mut workspace)
        .unwrap();
    forest.choices(&mut input).unwrap();
    let text = semantics.text(&codec, &input).unwrap();
    expect_test::expect![[r#"
        [] at 6:  /  / 
        [2,[]] at 3: 2 [] / 2 / 2
        [1,[2,[]],3] at 0: 1 [2,[]] 3 / 1 2 3 / 1"#]]
    .assert_eq(&String::from_utf8(text).unwrap());
}

/// Replaces every item by one of another length, in a drawn order, and looks after each step whether the others are where they
/// should be.
#[test]
fn parts_keep_their_texts_while_others_are_replaced() {
    let (graph, codec) = codec("list := '[' item* ']'; item := word | list; word := [a-c]{0,3};");
    let [list, item, word] = productions(graph.grammar(), ["list", "item", "word"]).unwrap();
    let semantics = Semantics::<u32>::new(graph.grammar()).on_leave(list, move |node, steps| {
        let parts: Vec<_> = node.children().collect();
        let mut texts: Vec<Vec<u8>> = parts.iter().map(|&it| node.text_of(it).to_vec()).collect();
        for step in 0..2 * parts.len() {
            let at = (step * 7 + *steps as usize) % parts.len();
            *steps += 1;
            let new = vec![b'x'; (*steps % 5) as usize];
            // A word in an item is a part of a part; replacing that leaves the item its other text.
            let inner = node.inside(word).nth(step);
            match inner.filter(|_| step % 3 == 0) {
                Some(inner) if texts.len() == 1 && texts[0] == node.text_of(inner) => {
                    assert!(node.replace_part(inner, &new));
                    texts[0] = new;
                }
                _ => {
                    assert!(node.replace_part(parts[at], &new));
                    texts[at] = new;
                }
            }
            let now: Vec<Vec<u8>> = parts.iter().map(|&it| node.text_of(it).to_vec()).collect();
            assert_eq!(now, texts);
            assert_eq!(node.text(), [b"[", &texts.concat()[..], b"]"].concat());
            assert!(node.children().eq(parts.iter().copied()));
            assert!(parts.iter().all(|&it| node.production_of(it) == Some(item)));
        }
    });
    let mut rng = Rng::new(7);
    let mut longest = 0;
    for _ in 0..3000 {
        let text = semantics.text(&codec, &choices(&mut rng, 60)).unwrap();
        longest = longest.max(text.len());
    }
    assert!(longest > 20);
}

#[test]
fn what_is_replaced_has_no_parts_any_more() {
    let (graph, codec) = codec("a := b; b := c c; c := 'x';");
    let [a, b, c] = productions(graph.grammar(), ["a", "b", "c"]).unwrap();
    let semantics = Semantics::<()>::new(graph.grammar())
        .on_enter(c, |node, ()| {
            assert!(node.replace(b"<"));
        })
        .on_leave(a, move |node, ()| {
            let (part, inner) = (node.child(b).unwrap(), node.inside(c).last().unwrap());
            assert_eq!(
                (node.text_of(inner), node.span_of(inner)),
                (&b"<x"[..], 2..4)
            );
            assert!(node.replace_part(part, b"y"));
            assert_eq!((node.text(), node.text_of(part)), (&b"y"[..], &b"y"[..]));
            assert_eq!((node.text_of(inner), node.span_of(inner)), (&b""[..], 0..0));
            assert!(!node.replace_part(inner, b"z"));
            assert_eq!(node.inside(c).count(), 0);
            assert!(node.replace(b"zz"));
            assert!(!node.replace_child(b, b"z") && node.children().next().is_none());
        });
    assert_eq!(semantics.text(&codec, &[]).unwrap(), b"zz");
}

#[test]
fn hooks_make_no_text_longer_than_the_limit() {
    let (graph, codec) = codec("a := 'x' a?;");
    let double = |node: &mut Node<'_>, refused: &mut u32| {
        let twice = node.text().repeat(2);
        *refused += u32::from(!node.replace(&twice));
        if node.start() == 0 {
            assert!(*refused > 0 || twice.len() < 100);
        }
    };
    let start = graph.grammar().start();
    for limit in [0, 10, 1000, DEFAULT_LIMIT] {
        let semantics = Semantics::new(graph.grammar())
            .on_leave(start, double)
            .limit(limit);
        let text = semantics.text(&codec, &[1; 60]).unwrap();
        assert!(text.len() <= limit.max(61), "{} of {limit}", text.len());
        assert!(text.len() > limit / 2, "{} of {limit}", text.len());
        assert_eq!(
            semantics.text(&codec, &[]).unwrap().len(),
            2 - usize::from(limit == 0)
        );
    }
}

#[test]
fn names_and_grammars_are_checked() {
    let grammar: Grammar = "Chunk := 'x'; Spare := 'y';".parse().unwrap();
    let message = |name| productions(&grammar, [name]).unwrap_err().to_string();
    assert_eq!(
        message("Chnk"),
        "the grammar has no production `Chnk`\nhelp: there is `Chunk`"
    );
    assert_eq!(
        message("Spare"),
        "the grammar has no production `Spare`\nhelp: it was dropped: the nonterminal `Spare` cannot be reached from the start symbol"
    );
    assert!(
        message("Else").ends_with("help: write the name as the grammar does, or define it there")
    );
    let (_, codec) = codec("Chunk := 'z';");
    let semantics = Semantics::<()>::new(&grammar);
    assert_eq!(semantics.text(&codec, &[]), Err(Error::OtherGrammar));
}

/// Replaces a production's text by what a function makes of it.
fn rewrite(
    grammar: &Grammar,
    production: ProductionId,
    change: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
) -> Semantics {
    Semantics::new(grammar).on_leave(production, move |node, ()| {
        let new = change(node.text());
        node.replace(&new);
    })
}

#[test]
fn hooks_work_on_texts_with_tokens_and_leave_the_separators() {
    let (graph, codec) = codec(
        "program := (stmt ';')*; stmt := 'let' name; token name := [a-z]+; skip space := ' '+;",
    );
    let [name] = productions(graph.grammar(), ["name"]).unwrap();
    let semantics = rewrite(graph.grammar(), name, |text| text.to_ascii_uppercase());
    let mut rng = Rng::new(8);
    let mut longest = 0;
    for _ in 0..200 {
        let choices = choices(&mut rng, 40);
        let expected = String::from_utf8(codec.sentence(&choices)).unwrap();
        let words: Vec<String> = expected
            .split_inclusive(' ')
            .map(|word| match word == "let " || word.ends_with(";let ") {
                true => word.replace("LET ", "let "),
                false => word.to_owned(),
            })
            .collect();
        // Names are what stands before a semicolon.
        let expected: String = words
            .concat()
            .split_inclusive(';')
            .map(|stmt| match stmt.split_once("let ") {
                Some((before, name)) => format!("{before}let {}", name.to_uppercase()),
                None => stmt.to_owned(),
            })
            .collect();
        let text = semantics.text(&codec, &choices).unwrap();
        longest = longest.max(text.len());
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
    assert!(longest > 20);
}

/// A container of chunks: length, kind, data, CRC-32 of the latter two, as in PNG.
const CHUNKS: &str = r#"
    File := "CHNK" Chunk*;
    Chunk := Length Kind Data Crc;
    Length := [\x00-\xff]{4};
    Crc := [\x00-\xff]{4};
    Kind := "text" | "nest";
    Data := Byte* | File;
    Byte := [\x00-\xff];
"#;

fn chunks(grammar: &Grammar) -> Result<Semantics, Error> {
    let [chunk, length, kind, data, crc] =
        productions(grammar, ["Chunk", "Length", "Kind", "Data", "Crc"])?;
    Ok(Semantics::new(grammar).on_leave(chunk, move |node, ()| {
        let len = node.child_text(data).len() as u32;
        node.replace_child(length, &len.to_be_bytes());
        let mut sum = crc32fast::Hasher::new();
        sum.update(node.child_text(kind));
        sum.update(node.child_text(data));
        node.replace_child(crc, &sum.finalize().to_be_bytes());
    }))
}

/// Reads a container by its lengths: the data of its chunks, or what is wrong.
fn read_chunks(file: &[u8]) -> Result<Vec<&[u8]>, String> {
    let mut rest = file.strip_prefix(b"CHNK").ok_or("magic")?;
    let mut found = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let len = u32::from_be_bytes(*length) as usize;
        let checked = behind.get(..4 + len).ok_or("length")?;
        let (sum, behind) = behind[4 + len..].split_first_chunk::<4>().ok_or("crc")?;
        if u32::from_be_bytes(*sum) != crc32fast::hash(checked) {
            return Err("crc".into());
        }
        found.push(&checked[4..]);
        rest = behind;
    }
    rest.is_empty().then_some(found).ok_or("rest".into())
}

#[test]
fn chunks_have_right_lengths_and_checksums() {
    let (graph, codec) = codec(CHUNKS);
    let semantics = chunks(graph.grammar()).unwrap();
    let mut rng = Rng::new(9);
    let (mut chunks, mut nested, mut plain) = (0, 0, 0);
    let parser = Parser::new(&graph);
    let mut workspace = Workspace::new();
    for _ in 0..2000 {
        let choices = choices(&mut rng, 200);
        let text = semantics.text(&codec, &choices).unwrap();
        assert_eq!(semantics.text(&codec, &choices).unwrap(), text);
        let data = read_chunks(&text).unwrap();
        chunks += data.len();
        for data in data.iter().filter(|data| data.starts_with(b"CHNK")) {
            nested += usize::from(read_chunks(data).is_ok_and(|inner| !inner.is_empty()));
        }
        plain += usize::from(read_chunks(&codec.sentence(&choices)).is_ok());

        // What comes of it is in the language. The derivation found may cut bytes into other chunks, so hooks get right what
        // they wrote, but perhaps elsewhere: that is right as well.
        let mut forest = parser
            .parse(&text, Budget::default(), &mut workspace)
            .unwrap();
        let mut again = Vec::new();
        forest.choices(&mut again).unwrap();
        assert!(read_chunks(&semantics.text(&codec, &again).unwrap()).is_ok());
    }
    assert!(chunks > 1000 && nested > 20, "{chunks}, {nested}");
    // Without hooks, only files without a chunk are right.
    assert!(plain < 1400, "{plain}");
}

#[test]
fn slips_are_in_what_hooks_measure() {
    let (graph, codec) = codec(CHUNKS);
    let semantics = chunks(graph.grammar()).unwrap();
    let mut rng = Rng::new(10);
    let (mut damaged, mut right) = (0, 0);
    for _ in 0..500 {
        let choices = choices(&mut rng, 200);
        let (mut index, mut slips) = (SiteIndex::new(), Slips::new());
        codec.index(&choices, &mut Scratch::default(), &mut index);
        let is_data = |site: &crate::choice::Site| {
            codec
                .symbol_of(site.node)
                .is_some_and(|symbol| graph.grammar().symbol_name(symbol) == "Chunk.2")
        };
        let Some(site) = index.sites().iter().position(is_data) else {
            continue;
        };
        slips.push(
            site as u32,
            [Change::Raw(b"raw"), Change::Double][damaged % 2],
        );
        let mut input = index.canonical().to_vec();
        slips.encode(&mut input);
        damaged += 1;
        let text = semantics.text(&codec, &input).unwrap();
        // A doubled part is one part after the other, of which the first is measured.
        match damaged % 2 {
            1 => {
                assert_eq!(read_chunks(&text).unwrap()[0], b"raw");
                right += 1;
            }
            _ => right += usize::from(read_chunks(&text).is_ok()),
        }
    }
    assert!(damaged > 200 && right > damaged / 2, "{right} of {damaged}");
}

/// Sentences as of GPS receivers: `$` fields `*` and the exclusive or of the bytes between, in hexadecimal digits.
#[test]
fn sentences_have_right_checksums() {
    let (graph, codec) = codec(
        r#"
        Log := (Sentence "\r\n")*;
        Sentence := "$" Body "*" Sum;
        Body := ("GPGGA" | "GPRMC" | "GPGLL") ("," Field)*;
        Field := [0-9]* | [0-9]{4} "." [0-9]{2} | [A-Z];
        Sum := [0-9A-F]{2};
        "#,
    );
    let [sentence, body, sum] = productions(graph.grammar(), ["Sentence", "Body", "Sum"]).unwrap();
    let semantics = Semantics::<()>::new(graph.grammar()).on_leave(sentence, move |node, ()| {
        let value = node.child_text(body).iter().fold(0, |sum, byte| sum ^ byte);
        node.replace_child(sum, format!("{value:02X}").as_bytes());
    });
    let check = |line: &str| {
        let (body, sum) = line.strip_prefix('$').unwrap().split_once('*').unwrap();
        let value = body.bytes().fold(0, |sum, byte| sum ^ byte);
        u8::from_str_radix(sum, 16) == Ok(value)
    };
    // A sentence of the real world.
    assert!(check("$GPGLL,5300.97914,N,00259.98174,E,125926,A*28"));
    let (mut rng, mut lines, mut plain) = (Rng::new(11), 0, 0);
    let parser = Parser::new(&graph);
    let mut workspace = Workspace::new();
    for _ in 0..1500 {
        let choices = choices(&mut rng, 100);
        let text = semantics.text(&codec, &choices).unwrap();
        for line in String::from_utf8(text.clone()).unwrap().lines() {
            assert!(check(line), "{line}");
            lines += 1;
        }
        let without = String::from_utf8(codec.sentence(&choices)).unwrap();
        plain += without.lines().filter(|line| check(line)).count();
        // Parsed and rendered again, it stays what it is.
        let mut again = Vec::new();
        let mut forest = parser
            .parse(&text, Budget::default(), &mut workspace)
            .unwrap();
        forest.choices(&mut again).unwrap();
        assert_eq!(semantics.text(&codec, &again).unwrap(), text);
    }
    assert!(lines > 1000 && plain < lines / 20, "{plain} of {lines}");
}

/// Blocks with declarations: a name is used only where it is declared, in the block or around it.
#[test]
fn names_are_declared_before_they_are_used() {
    let (graph, codec) = codec(
        r#"
        Program := "var " Declared ";" Item*;
        Item := "var " Declared ";" | Use "=" Use ";" | Block;
        Block := "{" Item* "}";
        Declared := Name;
        Use := Name;
        Name := [a-z]{1,2};
        "#,
    );
    let [block, declared, used] =
        productions(graph.grammar(), ["Block", "Declared", "Use"]).unwrap();
    let semantics = Semantics::<Names>::new(graph.grammar())
        .on_enter(block, |_, names| names.open())
        .on_leave(block, |_, names| names.close())
        .on_leave(declared, |node, names| {
            names.declare(node.text());
        })
        .on_leave(used, |node, names| {
            if let Some(name) = names.choose(node.text()) {
                node.replace(name);
            }
        });
    // Checks by reading from left to right, with the scopes on a stack of its own.
    let check = |text: &str| {
        let mut scopes = vec![Vec::new()];
        let mut uses = 0;
        for part in text.split_inclusive([';', '{', '}']) {
            if part == "{" {
                scopes.push(Vec::new());
            } else if part == "}" {
                scopes.pop();
            } else if let Some(name) = part.strip_prefix("var ") {
                scopes.last_mut().unwrap().push(name.trim_end_matches(';'));
            } else {
                for name in part.trim_end_matches(';').split('=') {
                    uses += 1;
                    if !scopes.iter().flatten().any(|it| *it == name) {
                        return Err(uses);
                    }
                }
            }
        }
        Ok(uses)
    };
    assert_eq!(
        (check("var a;a=b;"), check("var a;{var b;}b=a;")),
        (Err(2), Err(1))
    );
    assert_eq!(check("var a;{var b;b=a;}a=a;"), Ok(4));
    let (mut rng, mut uses, mut plain) = (Rng::new(12), 0, 0);
    let parser = Parser::new(&graph);
    let mut workspace = Workspace::new();
    for _ in 0..1500 {
        let choices = choices(&mut rng, 300);
        let text = semantics.text(&codec, &choices).unwrap();
        uses += check(std::str::from_utf8(&text).unwrap()).unwrap();
        plain += check(std::str::from_utf8(&codec.sentence(&choices)).unwrap()).unwrap_or(0);
        let mut again = Vec::new();
        let mut forest = parser
            .parse(&text, Budget::default(), &mut workspace)
            .unwrap();
        forest.choices(&mut again).unwrap();
        assert_eq!(semantics.text(&codec, &again).unwrap(), text);
    }
    assert!(uses > 1000 && plain < uses / 20, "{plain} of {uses}");
}
