//! What has to hold for the reader of compiled grammars, whatever the bytes are.

use std::hash::Hasher as _;

use pleach::Grammar;
use pleach_core::grammar::binary::Error;
use siphasher::sip::SipHasher13;

/// Where the fingerprint, the checksum and the rest begin.
const FINGERPRINT: usize = 12;
const CHECKSUM: usize = 20;
const PAYLOAD: usize = 28;

/// Reads bytes as they are, and as a payload whose checksum and fingerprint are right. True if that is a grammar: then writing and
/// reading gives the same one, and so does printing and reading.
///
/// # Panics
///
/// If that does not hold.
pub fn run(bytes: &[u8]) -> bool {
    if let Err(error) = Grammar::from_bytes(bytes) {
        assert!(error.to_string().contains("help: "), "{error}");
    }
    // Any grammar's header will do.
    let mut sealed = "a := 'a';".parse::<Grammar>().unwrap().to_bytes();
    let mut checksum = SipHasher13::new();
    checksum.write(bytes);
    sealed.truncate(CHECKSUM);
    sealed.extend_from_slice(&checksum.finish().to_le_bytes());
    assert_eq!(sealed.len(), PAYLOAD);
    sealed.extend_from_slice(bytes);
    let Err(Error::Fingerprint { found, .. }) = Grammar::from_bytes(&sealed) else {
        return false;
    };
    sealed[FINGERPRINT..CHECKSUM].copy_from_slice(&found.to_le_bytes());
    let grammar = Grammar::from_bytes(&sealed).unwrap();
    assert_eq!(
        Grammar::from_bytes(&grammar.to_bytes()),
        Ok(grammar.clone())
    );
    let printed = grammar.to_string();
    let again: Grammar = printed
        .parse()
        .unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again, grammar, "{printed}");
    true
}
