//! `mail-parser`: the addresses of a header field are found again in a list that is written of them.

use std::fmt::Write as _;

use mail_parser::{Address, MessageParser};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/email/email.ebnf");

/// Parses `text` as the addresses of a mail, and writes and parses these. True if there is at least one address or group, and
/// nothing beside addresses and groups.
pub fn run(text: &[u8]) -> bool {
    let Some(addresses) = addresses(text) else {
        return false;
    };
    let Some(found) = mailboxes(&addresses) else {
        return false;
    };
    // Written without names, comments and groups.
    let mut list = String::new();
    for (index, mailbox) in found.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(list, "{comma}<{mailbox}>").expect("a string takes all");
    }
    // An address may have a sign that means something else in angle brackets, once the backslash or the quotes before it are gone.
    let is_plain = |mailbox: &String| mailbox.is_ascii() && !mailbox.contains(['(', '>', '\\']);
    if !found.is_empty() && found.iter().all(is_plain) {
        let again = self::addresses(list.as_bytes()).expect("a list of addresses");
        assert_eq!(
            mailboxes(&again).as_ref(),
            Some(&found),
            "other addresses in {list}"
        );
    }
    true
}

/// What is found in a field with this value.
fn addresses(value: &[u8]) -> Option<Address<'static>> {
    let field = [b"To: ".as_slice(), value, b"\r\n\r\n"].concat();
    let mail = MessageParser::default().parse(&field)?;
    mail.to().map(|addresses| addresses.clone().into_owned())
}

/// The mailboxes, groups opened; none if one of them has no address.
fn mailboxes(addresses: &Address<'_>) -> Option<Vec<String>> {
    let mailbox = |it: &mail_parser::Addr<'_>| {
        let address = it.address()?;
        address.contains('@').then(|| address.to_owned())
    };
    addresses.iter().map(mailbox).collect()
}

#[cfg(test)]
mod tests;
