//! The crate fluent-uri parses, normalizes and resolves sentences of `grammars/url/url.ebnf`.
#![no_main]

use fluent_uri::{Uri, UriRef};
use libfuzzer_sys::Corpus;

pleach::fuzz! {
    grammar: "../../../grammars/url/url.ebnf",
    |text: &str| {
        let Ok(reference) = UriRef::parse(text) else {
            return Corpus::Reject;
        };
        let _ = reference.normalize();
        if let Some(authority) = reference.authority() {
            let _ = (authority.userinfo(), authority.host_parsed(), authority.port_to_u16());
        }
        for segment in reference.path().split('/') {
            let _ = segment.decode().to_string_lossy();
        }
        let base = Uri::parse("http://a/b/c/d;p?q").expect("a URI");
        let _ = reference.resolve_against(&base);
        Corpus::Keep
    }
}
