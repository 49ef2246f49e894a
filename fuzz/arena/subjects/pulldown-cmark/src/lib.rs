//! `pulldown-cmark`: events are balanced, their places are in the text, and all ways of rendering agree.

#[cfg(test)]
mod tests;

use std::ops::Range;

use pulldown_cmark::{BrokenLink, Event, Options, Parser, TagEnd, TextMergeStream, html};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/markdown/markdown.ebnf");

/// Reads and renders `text`, with all extensions in one and in the other form of footnotes. True if `text` is UTF-8.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let mut new_footnotes = Options::all();
    new_footnotes.remove(Options::ENABLE_OLD_FOOTNOTES);
    new_footnotes.insert(Options::ENABLE_FOOTNOTES);
    check_events(text, Options::all());
    check_events(text, new_footnotes);
    check_rendering(text, Options::all());
    check_resolving(text, new_footnotes);
    true
}

/// What begins ends, in the right order, and has its place in the text.
///
/// That place may be outside of what the event is in: a task's mark stands before its paragraph, and a wiki link may end
/// within the image that it holds (`[[B|![b[]]]()`).
fn check_events(text: &str, options: Options) {
    let parser = Parser::new_ext(text, options);
    for (label, definition) in parser.reference_definitions().iter() {
        assert!(!label.is_empty(), "a definition without a label");
        check_place(text, &definition.span);
    }
    let mut open: Vec<(TagEnd, Range<usize>)> = Vec::new();
    for (event, place) in parser.into_offset_iter() {
        check_place(text, &place);
        match event {
            Event::Start(tag) => open.push((tag.to_end(), place)),
            Event::End(tag) => {
                let (begun, begun_place) = open.pop().expect("an end without a beginning");
                assert_eq!(tag, begun, "another end than the beginning");
                assert_eq!(
                    place, begun_place,
                    "the places of both ends of {tag:?} differ"
                );
            }
            Event::Code(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                assert!(!place.is_empty(), "{event:?} stands nowhere");
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "never ended: {open:?}");
}

fn check_place(text: &str, place: &Range<usize>) {
    assert!(
        text.get(place.clone()).is_some(),
        "no place in the text: {place:?}"
    );
}

/// Rendering to a string and to a writer, with texts merged or not, gives the same.
fn check_rendering(text: &str, options: Options) {
    let mut rendered = String::new();
    html::push_html(&mut rendered, Parser::new_ext(text, options));

    let mut written = Vec::new();
    let merged = TextMergeStream::new(Parser::new_ext(text, options));
    html::write_html_io(&mut written, merged).expect("a vector takes everything");
    assert_eq!(
        String::from_utf8(written).as_deref(),
        Ok(rendered.as_str()),
        "merging texts changes the result"
    );
}

/// Every label has a target: more links, and the code behind them.
fn check_resolving(text: &str, options: Options) {
    let mut resolved = 0;
    let mut resolve = |link: BrokenLink<'_>| {
        resolved += 1;
        check_place(text, &link.span);
        Some((link.reference.into_string().into(), "title".into()))
    };
    let parser = Parser::new_with_broken_link_callback(text, options, Some(&mut resolve));
    let mut rendered = String::new();
    html::push_html(&mut rendered, parser);
    assert!(
        resolved == 0 || text.contains('['),
        "a label without a bracket"
    );
}
