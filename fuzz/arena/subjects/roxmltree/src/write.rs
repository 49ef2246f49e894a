//! Trees as text: as XML that can be read again, and in a form that two trees are compared by.
//!
//! Both go through a tree without recursion, since nothing limits its depth.

use std::fmt::Write as _;

use roxmltree::{Document, Node, NodeType};

/// Calls back for each node below the root: true when it begins, false when an element ends.
fn each<'a, 'input>(document: &'a Document<'input>, mut visit: impl FnMut(Node<'a, 'input>, bool)) {
    let mut open: Vec<(Node, bool)> = Vec::new();
    open.extend(document.root().children().rev().map(|node| (node, true)));
    while let Some((node, begins)) = open.pop() {
        visit(node, begins);
        if begins && node.is_element() {
            open.push((node, false));
            open.extend(node.children().rev().map(|node| (node, true)));
        }
    }
}

/// The document as XML, without a DTD.
pub fn written(document: &Document) -> String {
    let mut text = String::new();
    each(document, |node, begins| match node.node_type() {
        NodeType::Root => {}
        NodeType::Element => {
            let name = name(
                node,
                node.tag_name().namespace(),
                node.tag_name().name(),
                true,
            );
            if !begins {
                let _ = write!(text, "</{name}>");
                return;
            }
            let _ = write!(text, "<{name}");
            for namespace in node.namespaces() {
                match namespace.name() {
                    Some("xml") => continue,
                    Some(prefix) => {
                        let _ = write!(text, " xmlns:{prefix}=\"");
                    }
                    None => text.push_str(" xmlns=\""),
                }
                escape(namespace.uri(), &mut text);
                text.push('"');
            }
            for attribute in node.attributes() {
                let name = self::name(node, attribute.namespace(), attribute.name(), false);
                let _ = write!(text, " {name}=\"");
                escape(attribute.value(), &mut text);
                text.push('"');
            }
            text.push('>');
        }
        NodeType::PI => {
            let pi = node.pi().expect("an instruction");
            // Not a blank: the crate also reads instructions to "xml" that no blank follows.
            let _ = write!(text, "<?{}\n{}?>", pi.target, pi.value.unwrap_or_default());
        }
        NodeType::Comment => {
            let _ = write!(text, "<!--{}-->", node.text().unwrap_or_default());
        }
        NodeType::Text => escape(node.text().unwrap_or_default(), &mut text),
    });
    text
}

/// A name with a prefix that stands for its namespace; elements may have the default one.
fn name(node: Node, namespace: Option<&str>, local: &str, is_element: bool) -> String {
    let Some(uri) = namespace.filter(|uri| !uri.is_empty()) else {
        return local.to_owned();
    };
    if is_element && node.lookup_namespace_uri(None) == Some(uri) {
        return local.to_owned();
    }
    if uri == roxmltree::NS_XML_URI {
        return format!("xml:{local}");
    }
    let found = node
        .namespaces()
        .find(|namespace| namespace.uri() == uri && namespace.name().is_some());
    let prefix = found.and_then(|namespace| namespace.name());
    format!(
        "{}:{local}",
        prefix.expect("a namespace in use has a prefix")
    )
}

fn escape(value: &str, text: &mut String) {
    for character in value.chars() {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(text, "&#{};", u32::from(character));
            }
            _ => text.push(character),
        }
    }
}

/// What the tree says. Texts side by side are one, and the empty namespace is none.
pub fn shape(document: &Document) -> String {
    let mut text = String::new();
    each(document, |node, begins| match node.node_type() {
        NodeType::Root => {}
        NodeType::Element if begins => {
            let name = node.tag_name();
            let namespace = name.namespace().unwrap_or_default();
            let _ = write!(text, "\u{1}<{namespace:?} {}", name.name());
            for attribute in node.attributes() {
                let namespace = attribute.namespace().unwrap_or_default();
                let _ = write!(
                    text,
                    " {namespace:?} {}={:?}",
                    attribute.name(),
                    attribute.value()
                );
            }
            text.push_str("\u{1}>");
        }
        NodeType::Element => text.push_str("\u{1}/"),
        NodeType::PI => {
            let _ = write!(text, "\u{1}{:?}", node.pi());
        }
        NodeType::Comment => {
            let _ = write!(text, "\u{1}!{:?}", node.text());
        }
        NodeType::Text => text.push_str(node.text().unwrap_or_default()),
    });
    text
}
