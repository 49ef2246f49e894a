//! What both old versions of `pulldown-cmark` are run with: a document is parsed with all extensions and rendered.

use pulldown_cmark::{Options, Parser, html};

/// Renders `text`. True if it is UTF-8, as every text is a document.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let mut rendered = String::new();
    html::push_html(&mut rendered, Parser::new_ext(text, Options::all()));
    true
}
