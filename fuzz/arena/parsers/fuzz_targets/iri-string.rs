//! The crate iri-string parses, normalizes and resolves sentences of `grammars/url/url.ebnf`.
#![no_main]

use iri_string::types::{UriAbsoluteStr, UriReferenceStr};
use libfuzzer_sys::Corpus;

pleach::fuzz! {
    grammar: "../../../grammars/url/url.ebnf",
    |text: &str| {
        let Ok(reference) = UriReferenceStr::new(text) else {
            return Corpus::Reject;
        };
        if let Some(authority) = reference.authority_components() {
            let _ = (authority.userinfo(), authority.host(), authority.port());
        }
        let base = UriAbsoluteStr::new("http://a/b/c/d;p?q").expect("a URI");
        let _ = reference.resolve_against(base).to_string();
        if let Ok(uri) = reference.to_iri() {
            let _ = uri.normalize().to_string();
        }
        Corpus::Keep
    }
}
